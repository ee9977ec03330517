//! What a check found: plain data, the same for the terminal, for JSON and for
//! the bundle's own view of it.

use std::fmt;
use std::ops::Range;

use serde::{Serialize, Serializer};

/// Everything found in one bundle, in source order. What concerns the file as a
/// whole comes first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckReport {
    /// The file's name as it was given.
    pub file: String,
    /// What was found; empty for a bundle without fault.
    pub findings: Vec<Finding>,
}

impl CheckReport {
    /// The findings for which `add` refuses the bundle.
    pub fn errors(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|f| f.severity == Severity::Error)
    }

    /// The findings that refuse nothing.
    pub fn warnings(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|f| f.severity == Severity::Warning)
    }

    /// Whether `add` takes the bundle.
    pub fn is_accepted(&self) -> bool {
        self.errors().next().is_none()
    }

    /// The first refusal in one line, `file:line:column: message (help)`, for
    /// callers that take a plain text; none for an accepted bundle.
    pub fn refusal(&self) -> Option<String> {
        let first = self.errors().next()?;
        let place = match &first.at {
            Some(at) => format!("{}:{}:{}", self.file, at.line, at.column),
            None => self.file.clone(),
        };
        Some(format!("{place}: {} ({})", first.message, first.help))
    }
}

/// One thing that a check found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule; stable, made for programs.
    pub code: Code,
    /// Whether it refuses the bundle.
    pub severity: Severity,
    /// What is wrong: one sentence without a final full stop.
    pub message: String,
    /// What to do instead.
    pub help: String,
    /// Where; none where the file as a whole is meant. In JSON its fields stand
    /// beside the others.
    #[serde(flatten)]
    pub at: Option<Location>,
    /// A few words for the marked text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Other places that explain this one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<Related>,
}

/// A place that explains a finding made elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Related {
    /// The place.
    #[serde(flatten)]
    pub at: Location,
    /// A few words for the marked text.
    pub label: String,
}

/// Whether a finding refuses the bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// `add` refuses.
    Error,
    /// Works, and may surprise.
    Warning,
}

/// A place in the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Location {
    /// 1-based; lines end at LF, CRLF or CR.
    pub line: usize,
    /// 1-based, in characters (Unicode scalar values); a byte order mark counts
    /// for nothing.
    pub column: usize,
    /// The bytes of the file that are meant; it may reach into later lines.
    pub span: Span,
    /// The line, made ready to be shown.
    pub snippet: Snippet,
}

/// Bytes of the file, `start..end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

/// A source line made ready to be shown: tabs are four spaces, control and
/// direction characters are replaced by visible ones, and a long line is cut to
/// the part around the marked text, with `…` at each cut.
///
/// `offset` and `length` count characters of `text`. A character may be two
/// cells wide (or none): a renderer that pads for itself pads by the width of
/// what stands before [`Snippet::range`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Snippet {
    /// What to show.
    pub text: String,
    /// Characters before the marked text.
    pub offset: usize,
    /// Characters of the marked text in this line; at least 1, even where the
    /// mark stands behind the end of the line.
    pub length: usize,
}

impl Snippet {
    /// The marked text as bytes of `text`; empty behind the end of the line.
    pub fn range(&self) -> Range<usize> {
        let byte = |chars| self.text.char_indices().nth(chars).map_or(self.text.len(), |(i, _)| i);
        byte(self.offset)..byte(self.offset + self.length)
    }
}

/// The rules: a variant, its name for programs, its severity, and what it means,
/// which is also what `uncaged-workflow skill author` prints.
macro_rules! rules {
    ($($variant:ident $name:literal $severity:ident $meaning:literal;)*) => {
        /// The rule that a finding comes from.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $meaning] $variant,)*
        }

        impl Code {
            /// Every rule.
            pub const ALL: &[Code] = &[$(Code::$variant),*];

            /// The name that programs see, such as `bundle/dynamic-import`.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$variant => concat!("bundle/", $name),)* }
            }

            /// Whether a finding of this rule refuses the bundle.
            pub fn severity(self) -> Severity {
                match self { $(Code::$variant => Severity::$severity,)* }
            }

            /// What is found, in one sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(Code::$variant => $meaning,)* }
            }
        }
    };
}

rules! {
    FileName "file-name" Error "The name does not end in `.esm.js`.";
    Encoding "encoding" Error "The file is not UTF-8.";
    Syntax "syntax" Error "It is not a module of today's JavaScript.";
    TypeScript "typescript" Error "TypeScript where JavaScript is wanted.";
    Jsx "jsx" Error "JSX where JavaScript is wanted.";
    Nesting "nesting" Error "Nested so deeply that no engine would take it.";
    DefaultExport "default-export" Error "There is a default export.";
    MissingRun "missing-run" Error "Nothing is exported as `run`.";
    RunNotCallable "run-not-callable" Error "What is exported as `run` cannot be called.";
    MissingDescriptor "missing-descriptor" Error "Nothing is exported as `descriptor`.";
    Descriptor "descriptor" Error "The descriptor does not have the shape of one.";
    DynamicImport "dynamic-import" Error "An `import()` expression.";
    Require "require" Error "A call of a `require` that nobody declares.";
    ForeignImport "foreign-import" Error "An import of something that has to be part of the bundle.";
    UnknownModule "unknown-module" Error "An import of a host module that does not exist.";
    Evaluation "evaluation" Error "The top level of the bundle throws, or does not end.";
    UnusedRole "unused-role" Warning "The descriptor names a role that is never yielded.";
    UndescribedRole "undescribed-role" Warning "A role is yielded that the descriptor does not name.";
    RoleSchema "role-schema" Warning "A role's schema describes something else than an object.";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.as_str())
    }
}

impl Finding {
    /// A finding about the file as a whole.
    pub fn new(code: Code, message: impl Into<String>, help: impl Into<String>) -> Finding {
        Finding {
            code,
            severity: code.severity(),
            message: message.into(),
            help: help.into(),
            at: None,
            label: None,
            related: Vec::new(),
        }
    }

    pub(super) fn at(mut self, at: Location) -> Finding {
        self.at = Some(at);
        self
    }

    pub(super) fn label(mut self, label: impl Into<String>) -> Finding {
        self.label = Some(label.into());
        self
    }

    pub(super) fn related(mut self, at: Location, label: impl Into<String>) -> Finding {
        self.related.push(Related { at, label: label.into() });
        self
    }
}
