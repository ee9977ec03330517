export const descriptor = { description: "JSX", roles: {} };
export const run = () => <Workflow name="x" />;
