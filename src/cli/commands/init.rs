use std::path::Path;

use clap::{Args, Subcommand};
use serde_json::json;

use super::super::Context;
use super::super::error::CommandError;
use crate::object::WorkflowName;

/// Declarations of the host modules, for authors.
static TYPES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/host_types.rs"));

/// Make a folder to write a workflow in
#[derive(Args, Debug)]
pub(in super::super) struct InitArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    /// A folder with a workflow in TypeScript, its build and the types
    ///
    /// `npm install && npm run build` in it makes the bundle.
    Workspace {
        /// The workflow's name, and the folder's
        name: WorkflowName,
    },
    /// The declarations of the `@uncaged/*` modules, into `./types`
    Types,
}

pub(super) fn cmd_init(context: &Context, args: &InitArgs) -> Result<(), CommandError> {
    match &args.what {
        What::Workspace { name } => workspace(context, name),
        What::Types => {
            write_types(Path::new("types"))?;
            context.ui.line(format!("wrote {} declarations into types", TYPES.len()))
        }
    }
}

fn workspace(context: &Context, name: &WorkflowName) -> Result<(), CommandError> {
    let folder = Path::new(name.as_str());
    let mut there = std::fs::read_dir(folder).into_iter().flatten();
    if folder.is_file() || there.next().is_some() {
        return Err(CommandError::user(format!("{name} is there already and not empty"))
            .hint("choose another name, or empty it first"));
    }
    let named = |text: &str| text.replace("NAME", name.as_str());
    let bundle = format!(
        "esbuild src/{name}.ts --bundle --format=esm --platform=node '--external:@uncaged/*' \
         --sourcemap=inline --outfile=dist/{name}.esm.js"
    );
    let package = json!({
        "name": name,
        "private": true,
        "type": "module",
        "scripts": { "build": bundle },
        "dependencies": { "zod": "^4.0.0" },
        "devDependencies": { "esbuild": ">=0.25" },
    });
    let package = serde_json::to_string_pretty(&package).map_err(CommandError::internal)?;
    write(&folder.join("package.json"), &format!("{package}\n"))?;
    write(&folder.join("tsconfig.json"), include_str!("../../../js/init/tsconfig.json"))?;
    let workflow = named(include_str!("../../../js/init/workflow.ts"));
    write(&folder.join("src").join(format!("{name}.ts")), &workflow)?;
    write(&folder.join("README.md"), &named(include_str!("../../../js/init/README.md")))?;
    write(&folder.join(".gitignore"), "node_modules/\ndist/\n")?;
    write_types(&folder.join("types"))?;
    context.ui.line(format!("made {name}; next: cd {name} && npm install && npm run build"))
}

fn write_types(folder: &Path) -> Result<(), CommandError> {
    TYPES.iter().try_for_each(|(name, text)| write(&folder.join(name), text))
}

fn write(file: &Path, text: &str) -> Result<(), CommandError> {
    let parent = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent)
        .and_then(|()| std::fs::write(file, text))
        .map_err(|error| CommandError::user(format!("cannot write {}: {error}", file.display())))
}
