use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::super::Context;
use super::super::error::CommandError;
use crate::object::WorkflowName;

/// Declarations of the host modules, for authors.
pub(super) static TYPES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/host_types.rs"));

/// A file of `js/init`.
macro_rules! shipped {
    ($name:literal) => {
        include_str!(concat!("../../../js/init/", $name))
    };
}

/// Make a folder to write workflows in, or add one more workflow to it
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  uncaged-workflow init workspace triage          a folder for TypeScript and npm packages
  uncaged-workflow init workspace hello --js      a folder for one file without npm
  uncaged-workflow init template review-pr        one more workflow, in such a folder")]
pub(in super::super) struct InitArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    /// A folder with a workflow, its scripted answers, and a guide for coding agents
    ///
    /// `npm install && npm run build` in it makes the bundle. With --js there is
    /// nothing to build: the workflow is one JavaScript file that runs as it stands.
    #[command(after_help = "\
Examples:
  uncaged-workflow init workspace triage
  uncaged-workflow init workspace hello --js")]
    Workspace(Named),
    /// One more workflow in the folder that `init workspace` made
    ///
    /// `templates/<name>` has the roles and their order, for several workflows to
    /// share; `src/<name>.ts` binds them to an agent. With --js it is one file in
    /// the current folder.
    #[command(after_help = "\
Examples:
  uncaged-workflow init template review-pr
  uncaged-workflow init template review-pr --js")]
    Template(Named),
    /// The declarations of the `@uncaged/*` modules, into `./types`
    #[command(after_help = "\
Examples:
  uncaged-workflow init types    after an upgrade")]
    Types,
}

#[derive(Args, Debug)]
struct Named {
    /// The workflow's name, such as `review-pr`
    // Not the id that completions look up: names that there are cannot be taken again.
    #[arg(id = "new-name", value_name = "NAME")]
    name: WorkflowName,
    /// JavaScript in one file, without npm
    #[arg(long)]
    js: bool,
}

pub(super) fn cmd_init(context: &Context, args: &InitArgs) -> Result<(), CommandError> {
    let (files, next) = match &args.what {
        What::Types => {
            write_all(types("types"))?;
            let said = format!("wrote {} declarations into types", TYPES.len());
            return context.ui.said(said, &json!({ "files": TYPES.len(), "folder": "types" }));
        }
        What::Workspace(Named { name, js }) => {
            let folder = Path::new(name.as_str());
            refuse_full(folder)?;
            let (files, next) = match js {
                true => (script(name), format!("uncaged-workflow run ./{name}.esm.js --wait")),
                false => (workspace(name), "npm install && npm run build".to_owned()),
            };
            let files = files.into_iter().map(|(path, text)| (folder.join(path), text));
            (files.collect(), format!("cd {name} && {next}"))
        }
        What::Template(Named { name, js: true }) => {
            let files: Files = script(name).into_iter().take(2).collect();
            refuse_existing(&files)?;
            (files, format!("uncaged-workflow run ./{name}.esm.js --wait"))
        }
        What::Template(Named { name, js: false }) => {
            let root = workspace_root()?;
            let files = template(name).into_iter().map(|(path, text)| (root.join(path), text));
            let files: Files = files.collect();
            refuse_existing(&files)?;
            (files, "npm run build".to_owned())
        }
    };
    let shown: Vec<String> = files.iter().map(|(path, _)| path.display().to_string()).collect();
    write_all(files)?;
    if context.ui.json() {
        return context.ui.value(&json!({ "files": shown, "next": next }));
    }
    let made = match &args.what {
        What::Workspace(Named { name, .. }) => name.to_string(),
        _ => shown.join(", "),
    };
    context.ui.line(format!("made {made}; next: {next}"))
}

/// Paths and what is to stand there.
type Files = Vec<(PathBuf, String)>;

fn workspace(name: &WorkflowName) -> Files {
    let named = |text: &str| text.replace("NAME", name.as_str());
    let mut files: Files = vec![
        ("package.json".into(), package(name)),
        ("tsconfig.json".into(), shipped!("workspace/tsconfig.json").to_owned()),
        (format!("src/{name}.ts").into(), named(shipped!("workspace/workflow.ts"))),
        (format!("{name}.answers.yaml").into(), named(shipped!("workspace/answers.yaml"))),
        ("README.md".into(), named(shipped!("workspace/README.md"))),
        ("AGENTS.md".into(), named(shipped!("workspace/AGENTS.md"))),
        (".gitignore".into(), "node_modules/\ndist/\n".to_owned()),
    ];
    files.extend(types("types"));
    files
}

/// esbuild makes one bundle of each file in `src`, so that a further workflow
/// needs no change of the scripts.
fn package(name: &WorkflowName) -> String {
    let answers = format!("dist/{name}.esm.js --answers {name}.answers.yaml");
    lines(&json!({
        "name": name,
        "private": true,
        "type": "module",
        "scripts": {
            "build": "esbuild 'src/*.ts' --bundle --format=esm --platform=node --target=es2022 \
                      '--external:@uncaged/*' --sourcemap=inline --outdir=dist \
                      --out-extension:.js=.esm.js --log-level=warning",
            "typecheck": "tsc",
            "precheck": "npm run build",
            "check": "uncaged-workflow check dist/*.esm.js",
            "predev": "npm run build",
            "dev": format!("uncaged-workflow dev {answers}"),
            "pretest": "npm run build",
            "test": "uncaged-workflow test",
        },
        "dependencies": { "zod": "^4.0.0" },
        "devDependencies": { "esbuild": ">=0.25", "typescript": ">=5.5" },
    }))
}

fn template(name: &WorkflowName) -> Files {
    let ident = identifier(name);
    let named = |text: &str| {
        let text = text.replace("buildIDENT", &format!("build{}", capital(&ident)));
        let text = text.replace("IDENTMeta", &format!("{}Meta", capital(&ident)));
        text.replace("IDENT", &ident).replace("NAME", name.as_str())
    };
    let package = lines(&json!({
        "name": format!("workflow-template-{name}"),
        "private": true,
        "type": "module",
        "exports": "./index.ts",
        "peerDependencies": { "zod": "^4.0.0" },
    }));
    vec![
        (format!("templates/{name}/index.ts").into(), named(shipped!("template/index.ts"))),
        (format!("templates/{name}/package.json").into(), package),
        (format!("src/{name}.ts").into(), named(shipped!("template/workflow.ts"))),
        (format!("{name}.answers.yaml").into(), named(shipped!("template/answers.yaml"))),
    ]
}

/// The workflow and its answers, then what explains the folder.
fn script(name: &WorkflowName) -> Files {
    let named = |text: &str| text.replace("NAME", name.as_str());
    vec![
        (format!("{name}.esm.js").into(), named(shipped!("script/workflow.esm.js"))),
        (format!("{name}.answers.yaml").into(), named(shipped!("script/answers.yaml"))),
        ("README.md".into(), named(shipped!("script/README.md"))),
        ("AGENTS.md".into(), named(shipped!("script/AGENTS.md"))),
    ]
}

fn types(folder: &str) -> Files {
    TYPES.iter().map(|(name, text)| (Path::new(folder).join(name), (*text).to_owned())).collect()
}

/// `reviewPr` for `review-pr`.
fn identifier(name: &WorkflowName) -> String {
    let mut words = name.as_str().split('-');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |ident, word| format!("{ident}{}", capital(word)))
}

fn capital(word: &str) -> String {
    let (first, rest) = word.split_at(word.len().min(1));
    first.to_ascii_uppercase() + rest
}

fn lines(value: &Value) -> String {
    format!("{value:#}\n")
}

/// The folder with the package.json: this one, or the nearest above.
fn workspace_root() -> Result<PathBuf, CommandError> {
    let here = std::env::current_dir()
        .map_err(|error| CommandError::user(format!("there is no current folder: {error}")))?;
    let root = here.ancestors().find(|folder| folder.join("package.json").is_file());
    match root {
        Some(root) if root == here => Ok(PathBuf::new()),
        Some(root) => Ok(root.to_owned()),
        None => Err(CommandError::user("there is no package.json here or in a folder above")
            .hint("`uncaged-workflow init workspace <name>` makes a folder to add templates to")
            .hint("`--js` makes one file that needs none")),
    }
}

fn refuse_full(folder: &Path) -> Result<(), CommandError> {
    let mut there = std::fs::read_dir(folder).into_iter().flatten();
    if folder.is_file() || there.next().is_some() {
        let message = format!("{} is there already and not empty", folder.display());
        return Err(CommandError::user(message).hint("choose another name, or empty it first"));
    }
    Ok(())
}

fn refuse_existing(files: &Files) -> Result<(), CommandError> {
    match files.iter().find(|(path, _)| path.exists()) {
        Some((path, _)) => Err(CommandError::user(format!("{} is there already", path.display()))
            .hint("choose another name, or remove it first")),
        None => Ok(()),
    }
}

fn write_all(files: Files) -> Result<(), CommandError> {
    for (file, text) in files {
        let parent = file.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(parent).and_then(|()| std::fs::write(&file, text)).map_err(
            |error| CommandError::user(format!("cannot write {}: {error}", file.display())),
        )?;
    }
    Ok(())
}
