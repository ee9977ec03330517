use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::super::error::CommandError;
use super::super::evaluate::evaluate;
use super::super::{Context, render};
use super::add::read;
use crate::engine::{self, AddError};

/// Check a bundle as `add` does, without storing anything
#[derive(Args, Debug)]
pub(in super::super) struct CheckArgs {
    /// The bundle
    file: PathBuf,
}

pub(super) fn cmd_check(context: &Context, args: &CheckArgs) -> Result<ExitCode, CommandError> {
    let source = read(&args.file)?;
    let name = args.file.display().to_string();
    let result = engine::inspect(&context.store, &name, &source, &evaluate);
    if context.ui.json() {
        let (ok, report, error) = match result {
            Ok((report, _)) => (true, Some(report), None),
            Err(AddError::Check(report)) => (false, Some(report), None),
            Err(error) => {
                (false, None, Some(render::add_error(&name, &source, error).message().to_owned()))
            }
        };
        let findings = report.map(|report| report.findings).unwrap_or_default();
        context.ui.value(&json!({ "ok": ok, "findings": findings, "error": error }))?;
        return Ok(ExitCode::from(u8::from(!ok)));
    }
    let (report, descriptor) = result.map_err(|error| render::add_error(&name, &source, error))?;
    for warning in render::findings(&name, &report) {
        context.ui.line(warning)?;
    }
    let roles: Vec<&str> = descriptor.roles().map(|role| role.name).collect();
    context.ui.line(format!("{name} is a valid bundle (roles: {})", roles.join(", ")))?;
    Ok(ExitCode::SUCCESS)
}
