use std::io::Read;
use std::path::PathBuf;

use clap::Args;

use super::super::error::CommandError;
use super::super::{Context, find};
use super::add::read;
use crate::http::bodies::{BlobBody, HashBody};
use crate::store::causes;
use crate::store::reach::thread_that_needs;

/// Store a text and print its hash
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  uncaged-workflow cas put \"some text\"
  uncaged-workflow cas put --file notes.md")]
pub(in super::super) struct PutArgs {
    /// The text; `-` reads standard input
    #[arg(required_unless_present = "file")]
    text: Option<String>,
    /// Read the text from a file
    #[arg(long, conflicts_with = "text")]
    file: Option<PathBuf>,
}

/// Print a blob
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  uncaged-workflow cas get C9NM      any unique beginning of the hash")]
pub(in super::super) struct GetArgs {
    /// Its hash, or a unique beginning of it
    hash: String,
}

/// List the hashes of all blobs
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  uncaged-workflow cas list")]
pub(in super::super) struct ListArgs {}

/// Delete a blob
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  uncaged-workflow cas rm C9NMV6V2TQT81")]
pub(in super::super) struct RmArgs {
    /// Its hash, or a unique beginning of it
    hash: String,
    /// Also where a thread needs it, which is broken by that
    #[arg(long)]
    force: bool,
}

pub(super) fn cmd_put(context: &Context, args: &PutArgs) -> Result<(), CommandError> {
    let text = match (&args.text, &args.file) {
        (_, Some(file)) => utf8(read(file)?)?,
        (Some(text), None) if text == "-" => stdin()?,
        (Some(text), None) => text.clone(),
        (None, None) => return Err(CommandError::usage("give a text or --file")),
    };
    let hash = context.store.put(&text)?;
    match context.ui.json() {
        true => context.ui.value(&HashBody { hash }),
        false => context.ui.line(hash),
    }
}

pub(super) fn cmd_get(context: &Context, args: &GetArgs) -> Result<(), CommandError> {
    let hash = find::blob(context, &args.hash)?;
    match context.store.get(&hash)? {
        Some(content) if context.ui.json() => context.ui.value(&BlobBody { hash, content }),
        Some(text) => context.ui.write(text.as_bytes()),
        None => Err(CommandError::user(format!("there is no blob {hash}"))
            .hint("`uncaged-workflow cas list` lists them")),
    }
}

pub(super) fn cmd_list(context: &Context, _args: &ListArgs) -> Result<(), CommandError> {
    let mut hashes = context.store.list()?;
    hashes.sort();
    if context.ui.json() {
        return context.ui.value(&hashes);
    }
    for hash in hashes {
        context.ui.line(hash)?;
    }
    Ok(())
}

pub(super) fn cmd_rm(context: &Context, args: &RmArgs) -> Result<(), CommandError> {
    let hash = find::blob(context, &args.hash)?;
    let needed = match args.force {
        true => None,
        false => thread_that_needs(&context.store, &hash).map_err(|error| {
            CommandError::user(format!("nobody knows who needs {hash}: {}", causes(&error)))
                .hint("`--force` deletes it all the same")
        })?,
    };
    if let Some(thread) = needed {
        return Err(CommandError::user(format!("thread {thread} needs {hash}"))
            .hint("`--force` deletes it all the same, and breaks the thread")
            .hint("`uncaged-workflow gc` deletes what no thread needs"));
    }
    match context.store.delete(&hash)? {
        true => context.ui.said(format!("removed {hash}"), &serde_json::json!({ "hash": hash })),
        false => Err(CommandError::user(format!("there is no blob {hash}"))),
    }
}

/// All of standard input, as text.
pub(super) fn stdin() -> Result<String, CommandError> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .read_to_end(&mut bytes)
        .map_err(|e| CommandError::user(format!("cannot read standard input: {e}")))?;
    utf8(bytes)
}

pub(super) fn utf8(bytes: Vec<u8>) -> Result<String, CommandError> {
    String::from_utf8(bytes).map_err(|_| CommandError::user("the text is not UTF-8"))
}
