//! Documents for coding agents, made of what the program itself goes by: the
//! command tree, the declarations of the host modules, the rules of `check`.

mod author;
mod cli;
mod develop;

use clap::Args;
use serde_json::{Value, json};

use super::super::Context;
use super::super::error::CommandError;
use super::init::TYPES;

/// Print a document for coding agents
///
/// Without a topic: which topics there are.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  uncaged-workflow skill                  lists the topics
  uncaged-workflow skill author           what a bundle is, for whoever writes one
  uncaged-workflow skill workflow-cas     the declarations of one host module")]
pub(in super::super) struct SkillArgs {
    /// `cli`, `develop`, `author`, or the name of a host module
    topic: Option<String>,
}

type Document = fn() -> String;

/// Topic, what it is about, and the document.
const TOPICS: [(&str, &str, Document); 3] = [
    ("cli", "every command with its flags and examples", cli::document),
    ("develop", "from an empty folder to a tested, registered workflow", develop::document),
    ("author", "what a bundle is: exports, steps, schemas, host modules, rules", author::document),
];

pub(super) fn cmd_skill(context: &Context, args: &SkillArgs) -> Result<(), CommandError> {
    let Some(wanted) = &args.topic else { return list(context) };
    let name = wanted.strip_prefix("@uncaged/").unwrap_or(wanted);
    let topic = TOPICS.iter().find(|(topic, _, _)| *topic == name);
    let text = match (topic, declarations(name)) {
        (Some((_, _, document)), _) => document(),
        (None, Some(declarations)) => module_page(name, declarations),
        (None, None) => return Err(unknown(wanted)),
    };
    match context.ui.json() {
        true => context.ui.value(&json!({ "topic": name, "text": text })),
        false => context.ui.write(text.as_bytes()),
    }
}

fn list(context: &Context) -> Result<(), CommandError> {
    let about = modules().map(|(name, text)| (name, summary(text)));
    let topics = TOPICS.iter().map(|(topic, about, _)| (*topic, *about));
    let topics: Vec<(&str, &str)> = topics.chain(about).collect();
    if context.ui.json() {
        let value = |(topic, about): &(&str, &str)| json!({ "topic": topic, "about": about });
        return context.ui.value(&topics.iter().map(value).collect::<Vec<Value>>());
    }
    context.ui.line("`uncaged-workflow skill <topic>` prints one of these:\n")?;
    let width = topics.iter().map(|(topic, _)| topic.len()).max().unwrap_or_default();
    topics.iter().try_for_each(|(topic, about)| context.ui.line(format!("{topic:width$}  {about}")))
}

fn unknown(wanted: &str) -> CommandError {
    let names = || TOPICS.iter().map(|(topic, _, _)| *topic).chain(modules().map(|(name, _)| name));
    let error = CommandError::user(format!("there is no topic `{wanted}`"));
    let wanted = wanted.strip_prefix("@uncaged/").unwrap_or(wanted);
    match crate::bundle::closest(wanted, names()) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint("`uncaged-workflow skill` lists the topics"),
    }
}

/// The host modules by name without `@uncaged/`, and their declarations.
fn modules() -> impl Iterator<Item = (&'static str, &'static str)> {
    TYPES.iter().map(|(file, text)| (file.trim_end_matches(".d.ts"), *text))
}

fn declarations(name: &str) -> Option<&'static str> {
    modules().find(|(module, _)| *module == name).map(|(_, text)| text)
}

/// The first sentence of a module's declarations.
fn summary(text: &str) -> &str {
    let comment = text.strip_prefix("/**").and_then(|rest| rest.split("*/").next());
    let lines = comment.unwrap_or_default().lines().map(|line| line.trim_matches([' ', '*']));
    lines.into_iter().find(|line| !line.is_empty()).unwrap_or_default()
}

fn module_page(name: &str, declarations: &str) -> String {
    format!("# @uncaged/{name}\n\n```ts\n{declarations}```\n")
}
