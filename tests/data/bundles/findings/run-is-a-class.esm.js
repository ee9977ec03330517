export class run {
  static async *start() {}
}
export const descriptor = () => ({ description: "lazy", roles: {} });
