export const descriptor = { description: "modifiers", roles: {} };
class Steps {
  private readonly count = 0;
}
export async function* run() {}
