/**
 * Tools that read and change the files of one folder and run commands in it.
 *
 * @module uncaged:workflow-agent-react/tools
 *
 * @typedef {import("uncaged:react.js").Tool} Tool
 */
import { spawnCli } from "uncaged:workflow-util-agent.js";
import { spawnErrorText } from "uncaged:workflow-util-agent/spawn.js";

/** What a tool gives back at most, in characters. */
const MAX_RESULT = 50_000;

const PATH = { type: "string", description: "The file's path, relative to the workspace." };

/** Reads a file. */
export const readTool = tool("read_file", "Reads a text file of the workspace.", {
  path: PATH,
});

/** Writes a file. */
export const writeTool = tool(
  "write_file",
  "Writes a text file of the workspace. An existing one is replaced; missing folders are made.",
  { path: PATH, content: { type: "string", description: "The whole new text." } },
);

/** Replaces one passage of a file. */
export const patchTool = tool(
  "patch_file",
  "Replaces one passage of a text file. The old passage must stand in the file exactly once.",
  {
    path: PATH,
    old: { type: "string", description: "The passage as it is, with its white space." },
    new: { type: "string", description: "What is to stand in its place." },
  },
);

/** Runs a command. */
export const shellTool = tool(
  "run_command",
  "Runs a command of the shell in the workspace and gives what it wrote.",
  { command: { type: "string", description: "The command line, as for `sh -c`." } },
);

/** All four. */
export const workspaceTools = [readTool, writeTool, patchTool, shellTool];

/**
 * The four tools with the handler that runs them in one folder. Files outside
 * of it are refused; commands are not confined.
 *
 * @param {{ workspace: string, commandTimeoutMs?: number | null }} options
 * @returns {{ tools: Tool[], toolHandler: (name: string, args: any) => Promise<string> }}
 */
export function createWorkspaceTools({ workspace, commandTimeoutMs = 120_000 }) {
  const handlers = {
    [readTool.name]: ({ path }) => readFile(inside(workspace, path)),
    [writeTool.name]: ({ path, content }) => writeFile(inside(workspace, path), content),
    [patchTool.name]: ({ path, ...change }) => patchFile(inside(workspace, path), change),
    [shellTool.name]: ({ command }) => runCommand(workspace, command, commandTimeoutMs),
  };
  const toolHandler = async (name, args) => {
    const definition = workspaceTools.find((known) => known.name === name);
    if (definition === undefined) {
      throw new Error(`there is no tool ${name}`);
    }
    for (const key of definition.parameters.required) {
      if (typeof args?.[key] !== "string") {
        throw new Error(`${key} must be a string`);
      }
    }
    return shortened(await handlers[name](args));
  };
  return { tools: [...workspaceTools], toolHandler };
}

/**
 * @param {string} name
 * @param {string} description
 * @param {Record<string, object>} properties all of them required
 * @returns {Tool}
 */
function tool(name, description, properties) {
  const required = Object.keys(properties);
  const parameters = { type: "object", properties, required, additionalProperties: false };
  return { name, description, parameters };
}

/** Taken on the first use: importing them costs every bundle its start-up time. */
const fs = () => process.getBuiltinModule("node:fs/promises");
const paths = () => process.getBuiltinModule("node:path");

/**
 * @param {string} workspace
 * @param {string} path
 * @returns {string} the absolute path
 */
function inside(workspace, path) {
  const { isAbsolute, relative, resolve } = paths();
  const target = resolve(workspace, path);
  const way = relative(workspace, target);
  if (way === ".." || way.startsWith("../") || isAbsolute(way)) {
    throw new Error(`${path} is outside of the workspace`);
  }
  return target;
}

/** @param {string} path */
function readFile(path) {
  return fs().readFile(path, "utf8");
}

/**
 * @param {string} path
 * @param {string} content
 */
async function writeFile(path, content) {
  await fs().mkdir(paths().dirname(path), { recursive: true });
  await fs().writeFile(path, content);
  return `written: ${content.length} characters`;
}

/**
 * @param {string} path
 * @param {{ old: string, new: string }} change
 */
async function patchFile(path, { old, new: replacement }) {
  const text = await readFile(path);
  const found = old === "" ? 0 : text.split(old).length - 1;
  if (found !== 1) {
    throw new Error(`the old passage stands in the file ${found} times, not once`);
  }
  // Not String.replace, which gives `$` in the replacement a meaning.
  await fs().writeFile(path, text.split(old).join(replacement));
  return "patched";
}

/**
 * @param {string} workspace
 * @param {string} command
 * @param {number | null} timeoutMs
 */
async function runCommand(workspace, command, timeoutMs) {
  const run = await spawnCli("sh", ["-c", `{ ${command}\n} 2>&1`], { cwd: workspace, timeoutMs });
  if (run.ok) {
    return run.value === "" ? "(no output)" : run.value;
  }
  if (run.error.kind === "non_zero_exit") {
    return `exit code ${run.error.exitCode}\n${run.error.stdout}`;
  }
  throw new Error(spawnErrorText("the command", run.error, timeoutMs));
}

/** @param {string} text */
function shortened(text) {
  const left = text.length - MAX_RESULT;
  return left <= 0 ? text : `${text.slice(0, MAX_RESULT)}\n(${left} more characters left out)`;
}
