//! Findings and failures of a bundle, shown with the line and a caret.

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::error::CommandError;
use crate::bundle::{CheckReport, Code, FieldError, Finding, Location, Severity, locate};
use crate::engine::{AddError, EvaluationError};
use crate::store::causes;

/// Each finding of a report as text of several lines.
pub(super) fn findings(file: &str, report: &CheckReport) -> Vec<String> {
    report.findings.iter().map(|finding| render(file, finding)).collect()
}

fn render(file: &str, finding: &Finding) -> String {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(&finding.message);
    let mut group = match &finding.at {
        Some(at) => place(title.elements(origin(file, at)), at, finding.label.as_deref()),
        None => title.element(Origin::path(file)),
    };
    for related in &finding.related {
        group = place(group, &related.at, Some(&related.label));
    }
    group = group.element(Level::HELP.message(&finding.help));
    text(group)
}

/// The place is written by hand, because a line that was cut has other columns
/// than the file; the mark that the renderer puts for the missing one goes.
fn text(group: Group<'_>) -> String {
    let rendered = Renderer::plain().render(&[group]);
    let lines = rendered.lines().filter(|line| line.trim() != ":::");
    lines.collect::<Vec<_>>().join("\n")
}

fn origin<'a>(file: &'a str, at: &Location) -> [Origin<'a>; 1] {
    [Origin::path(file).line(at.line).char_column(at.column)]
}

fn place<'a>(group: Group<'a>, at: &'a Location, label: Option<&'a str>) -> Group<'a> {
    let text = at.snippet.text.as_str();
    let mark = AnnotationKind::Primary.span(at.snippet.range()).label(label);
    group.element(Snippet::source(text).line_start(at.line).annotation(mark))
}

/// A refused bundle as an error: every finding, or what evaluating it threw.
pub(super) fn add_error(file: &str, source: &[u8], error: AddError) -> CommandError {
    match error {
        AddError::Check(report) => CommandError::user(findings(file, &report).join("\n\n")),
        AddError::Evaluate(error) => evaluation(file, source, &error),
        AddError::Descriptor(error) => CommandError::user(format!(
            "{file}: the bundle's descriptor has the wrong shape\n{error}"
        ))
        .hint(DESCRIPTOR_HELP),
        AddError::Engine(error) => error.into(),
    }
}

/// What evaluating a bundle found, as findings; none for what its source alone
/// or the store refused.
pub(super) fn refusal(source: &[u8], error: &AddError) -> Vec<Finding> {
    match error {
        AddError::Evaluate(error) => {
            let mut finding = Finding::new(Code::Evaluation, causes(error), EVALUATION_HELP);
            if let EvaluationError::Failed { place: Some((line, column)), .. } = error {
                finding.at = locate(source, *line, *column);
            }
            vec![finding]
        }
        AddError::Descriptor(error) => {
            let finding = |e: &FieldError| {
                Finding::new(Code::Descriptor, format!("descriptor: {e}"), DESCRIPTOR_HELP)
            };
            error.0.iter().map(finding).collect()
        }
        AddError::Check(_) | AddError::Engine(_) => Vec::new(),
    }
}

/// What the top level of a bundle threw, at the place that threw it.
fn evaluation(file: &str, source: &[u8], error: &EvaluationError) -> CommandError {
    let message = format!("evaluating the bundle failed: {}", causes(error));
    let at = match error {
        EvaluationError::Failed { place: Some((line, column)), .. } => {
            locate(source, *line, *column)
        }
        _ => None,
    };
    let Some(at) = at else {
        return CommandError::user(format!("{message}\n --> {file}")).hint(EVALUATION_HELP);
    };
    let title = Level::ERROR.primary_title(&message);
    let group = place(title.elements(origin(file, &at)), &at, None);
    let group = group.element(Level::HELP.message(EVALUATION_HELP));
    CommandError::user(text(group))
}

const DESCRIPTOR_HELP: &str = "a descriptor is { description: string, roles: { <name>: \
{ description: string, schema: object } } }";

const EVALUATION_HELP: &str = "`add` runs the top level of a bundle once, without permissions, \
to read its descriptor; move work into run()";
