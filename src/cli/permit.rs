//! The flags of `add` that say what a bundle may do.

use std::path::Path;

use clap::Args;

use super::error::CommandError;
use crate::bundle::{Grant, Grants, Kind};
use crate::engine::Permit;
use crate::host;

/// Stands for a flag without a value.
const ALL: &str = "*";

#[derive(Args, Debug)]
#[command(next_help_heading = "Permissions")]
pub(super) struct PermitArgs {
    /// Let it read these files and folders; all where no path is given
    #[arg(long, value_name = "PATH,…")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = ALL)]
    allow_read: Vec<String>,
    /// Let it write these files and folders
    #[arg(long, value_name = "PATH,…")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = ALL)]
    allow_write: Vec<String>,
    /// Let it talk to these hosts, such as `api.example.com` or `127.0.0.1:8080`
    #[arg(long, value_name = "HOST,…")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = ALL)]
    allow_net: Vec<String>,
    /// Let it start these programs, which are then limited by nothing
    #[arg(long, value_name = "PROGRAM,…")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = ALL)]
    allow_run: Vec<String>,
    /// Let it see and change these environment variables; `AWS_*` for all that begin so
    #[arg(long, value_name = "NAME,…")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = ALL)]
    allow_env: Vec<String>,
    /// Let it do nothing of all this
    #[arg(long, conflicts_with_all = ["allow_read", "allow_write", "allow_net", "allow_run", "allow_env"])]
    allow_none: bool,
    /// Let it do whatever you may, as it is for a new name without these flags
    #[arg(long, conflicts_with_all = ["allow_read", "allow_write", "allow_net", "allow_run", "allow_env", "allow_none"])]
    allow_all: bool,
}

impl PermitArgs {
    /// Flags of all kinds together; relative paths are resolved against the
    /// working directory of the command.
    pub(super) fn permit(&self) -> Result<Permit, CommandError> {
        if self.allow_all {
            return Ok(Permit::Everything);
        }
        let mut grants = Grants::default();
        for kind in Kind::ALL {
            *grants.of_mut(kind) = grant(kind, self.of(kind))?;
        }
        match self.allow_none || grants != Grants::default() {
            true => Ok(Permit::Only(grants)),
            false => Ok(Permit::Keep),
        }
    }

    fn of(&self, kind: Kind) -> &[String] {
        match kind {
            Kind::Read => &self.allow_read,
            Kind::Write => &self.allow_write,
            Kind::Net => &self.allow_net,
            Kind::Run => &self.allow_run,
            Kind::Env => &self.allow_env,
        }
    }
}

fn grant(kind: Kind, given: &[String]) -> Result<Grant, CommandError> {
    let mut list: Vec<String> = Vec::new();
    for value in given.iter().flat_map(|given| given.split(',')) {
        let value = value_of(kind, value)?;
        if !list.contains(&value) {
            list.push(value);
        }
    }
    Ok(match list.is_empty() {
        true => Grant::None,
        false if list.iter().any(|value| value == ALL) => Grant::All,
        false => Grant::Only(list),
    })
}

fn value_of(kind: Kind, text: &str) -> Result<String, CommandError> {
    let flag = format!("--allow-{}", kind.key());
    let wrong = |problem: &str, hint: String| {
        CommandError::usage(format!("{flag}={text}: {problem}")).hint(hint)
    };
    if text.is_empty() {
        let hint = format!("`{flag}=…` lists values with commas between them, `{flag}` grants all");
        return Err(wrong("a value is empty", hint));
    }
    if text == ALL {
        return Ok(text.to_owned());
    }
    if !kind.is_path(text) {
        let mut alone = Grants::default();
        *alone.of_mut(kind) = Grant::Only(vec![text.to_owned()]);
        return match host::check_grants(&alone) {
            Ok(()) => Ok(text.to_owned()),
            Err(error) => {
                let hint = match kind {
                    Kind::Net => "write a host, or a host and a port: api.example.com:443",
                    _ => "write a name",
                };
                Err(wrong(&error.to_string(), hint.to_owned()))
            }
        };
    }
    if text == "~" || text.starts_with("~/") {
        // The shell leaves it alone after `=`.
        let hint = format!("write {flag}=\"$HOME{}\"", &text[1..]);
        return Err(wrong("`~` is not the home directory here", hint));
    }
    let path = std::path::absolute(Path::new(text))
        .map_err(|error| wrong(&error.to_string(), "write an absolute path".to_owned()))?;
    match path.into_os_string().into_string() {
        Ok(path) => Ok(path),
        Err(_) => Err(wrong("the path is not UTF-8", "name a folder above it".to_owned())),
    }
}
