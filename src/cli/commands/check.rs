use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use super::super::error::CommandError;
use super::super::evaluate::evaluate;
use super::super::{Context, render};
use super::add::read;
use crate::bundle::{CheckReport, Descriptor};
use crate::engine::{self, AddError};

/// Check a bundle as `add` does, without storing anything
///
/// Says everything that `add` would refuse, with the place and what to do
/// instead, and warns of what works but surprises. Exits with 1 where `add`
/// would refuse.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  uncaged-workflow check hello.esm.js
  uncaged-workflow check dist/one.esm.js dist/two.esm.js
  uncaged-workflow check hello.esm.js --json    { ok, roles, findings, … }")]
pub(in super::super) struct CheckArgs {
    /// The bundle, or several
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

pub(super) fn cmd_check(context: &Context, args: &CheckArgs) -> Result<ExitCode, CommandError> {
    let (mut refused, mut values) = (false, Vec::new());
    for file in &args.files {
        let source = read(file)?;
        let name = file.display().to_string();
        let result = engine::inspect(&context.store, &name, &source, &evaluate);
        refused |= result.is_err();
        match context.ui.json() {
            true => values.push(value(file, &source, result)),
            false => say(context, &name, &source, result)?,
        }
    }
    match values.as_slice() {
        [] => {}
        [one] => context.ui.value(one)?,
        several => context.ui.value(&several)?,
    }
    Ok(ExitCode::from(u8::from(refused)))
}

type Inspected = Result<(CheckReport, Descriptor), AddError>;

fn say(
    context: &Context,
    name: &str,
    source: &[u8],
    result: Inspected,
) -> Result<(), CommandError> {
    match result {
        Ok((report, descriptor)) => {
            for warning in render::findings(name, &report) {
                context.ui.line(warning)?;
            }
            let roles: Vec<&str> = descriptor.roles().map(|role| role.name).collect();
            context.ui.line(format!("{name} is a valid bundle (roles: {})", roles.join(", ")))
        }
        Err(error) => {
            render::add_error(name, source, error).report();
            Ok(())
        }
    }
}

fn value(file: &Path, source: &[u8], result: Inspected) -> Value {
    let (mut roles, mut error) = (Vec::new(), None);
    let (ok, findings) = match result {
        Ok((report, descriptor)) => {
            roles = descriptor.roles().map(|role| role.name.to_owned()).collect();
            (true, report.findings)
        }
        Err(AddError::Check(report)) => (false, report.findings),
        Err(refused) => {
            let findings = render::refusal(source, &refused);
            error = Some(render::add_error(&file.display().to_string(), source, refused));
            (false, findings)
        }
    };
    let error = error.as_ref().map(CommandError::message);
    json!({ "file": file, "ok": ok, "roles": roles, "findings": findings, "error": error })
}
