import { Argument, Command, InvalidArgumentError, Option } from "commander";

// What a parse printed, did and threw.
function parse(make, args) {
  const out = [];
  const program = new Command("tool").exitOverride().configureOutput({
    writeOut: (text) => out.push(`out: ${text}`), writeErr: (text) => out.push(`err: ${text}`),
    getOutHelpWidth: () => 70, getErrHelpWidth: () => 70,
  });
  make(program, out);
  try {
    program.parse(args, { from: "user" });
  } catch (error) {
    out.push(`${error.name} ${error.code} ${error.exitCode}`);
  }
  return out;
}

function tool(program, out) {
  program.description("A tool for tests.\nIt does nothing.").version("1.2.3", "-V, --version", "say the version")
    .option("-v, --verbose", "say more", (_, before) => before + 1, 0)
    .addOption(new Option("-c, --color <when>", "when to colour").choices(["always", "never"]).default("never"))
    .addOption(new Option("-p, --port <n>", "port").env("TOOL_PORT").argParser((text) => {
      if (!/^\d+$/.test(text)) throw new InvalidArgumentError("Not a number.");
      return Number(text);
    }))
    .addOption(new Option("--quiet", "less").conflicts("verbose"))
    .addOption(new Option("--hidden").hideHelp())
    .option("--no-cache", "leave the cache out").option("-l, --list [items...]", "a list");
  program.command("clone <source> [target]").description("clone it").alias("cl").option("--depth <n>", "how deep", parseInt, 1)
    .action((source, target, options, command) => out.push(`clone ${source} ${target} ${JSON.stringify(options)} ${JSON.stringify(command.optsWithGlobals())}`));
  program.command("add").addArgument(new Argument("<kind>", "what").choices(["a", "b"])).argument("[rest...]", "more")
    .action((kind, rest, options) => out.push(`add ${kind} ${rest} ${JSON.stringify(options)}`));
  const nested = program.command("remote").description("nested");
  nested.command("rm").requiredOption("--name <name>", "which").action((options) => out.push(`rm ${options.name}`));
  nested.hook("preAction", (_, action) => out.push(`before ${action.name()}`));
  program.addHelpText("after", "\nExamples:\n  $ tool clone x").showHelpAfterError("(see --help)");
}

const lines = (print, args) => print(JSON.stringify(args), parse(tool, args).join("\n"));

export default {
  "options and arguments"(print) {
    lines(print, ["clone", "a", "b", "--depth", "3", "-vv", "-c", "always"]);
    lines(print, ["cl", "a", "--no-cache", "--list", "x", "y", "--", "z"]);
    lines(print, ["add", "a", "1", "2", "3"]);
    lines(print, ["-p", "80", "--list=x", "add", "b"]);
    process.env.TOOL_PORT = "99";
    lines(print, ["clone", "a"]);
    delete process.env.TOOL_PORT;
    lines(print, ["remote", "rm", "--name=x"]);
  },
  "what is wrong is said"(print) {
    for (const args of [["clnoe"], ["clone"], ["clone", "a", "b", "c"], ["-c", "red", "add", "a"], ["--prot", "1"], ["-p", "x", "add", "a"], ["add", "z"], ["remote", "rm"], ["--quiet", "-v", "add", "a"], ["-c"], []]) {
      lines(print, args);
    }
  },
  "help and version"(print) {
    for (const args of [["--help"], ["help", "clone"], ["remote", "--help"], ["-V"], ["add", "-h"]]) lines(print, args);
  },
  async "async actions and inspection"(print) {
    const seen = [];
    const program = new Command().exitOverride().argument("<n>", "number", Number).passThroughOptions().allowUnknownOption().allowExcessArguments()
      .hook("preAction", async () => { await null; seen.push("pre") }).hook("postAction", () => seen.push("post"))
      .action(async (n) => { await new Promise((resolve) => setTimeout(resolve, 2)); seen.push(n * 2) });
    await program.parseAsync(["node", "script", "21", "--unknown"]);
    print(seen, program.args, program.processedArgs, program.getOptionValueSource("x") ?? null);
    const rejected = new Command().action(async () => { throw new TypeError("inside") });
    print(await rejected.parseAsync([], { from: "user" }).catch((error) => `${error.name}: ${error.message}`));
    print(new Command("x").argument("<a>").option("-b").usage(), new Option("-s, --long-name <v>").attributeName(), new Command().createHelp().wrap === undefined);
  },
};
