//! What a workflow's bundle may do: `permissions` of its registry entry.
//!
//! ```yaml
//! permissions:             # without this key: whatever the user may
//!   read: ["/data/in"]     # these and what lies below them
//!   net: true              # all of its kind
//!                          # write, run and env: nothing
//! ```

use serde_json::{Map, Value, json};

use super::field::{Field, FieldError};

/// What is granted of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Grant {
    /// Nothing.
    #[default]
    None,
    /// Everything.
    All,
    /// What the list names. Never empty.
    Only(Vec<String>),
}

/// What is granted of each kind, in the forms that Deno's `--allow-*` flags take.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grants {
    /// Absolute paths that may be read, with what lies below them.
    pub read: Grant,
    /// Absolute paths that may be written, with what lies below them.
    pub write: Grant,
    /// Hosts, with or without a port; `unix:` and the path of a socket.
    pub net: Grant,
    /// Programs that may be started: names or absolute paths.
    pub run: Grant,
    /// Environment variables; a `*` at the end stands for any ending.
    pub env: Grant,
}

/// What a bundle may do is limited by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Reading files.
    Read,
    /// Writing files.
    Write,
    /// Using the network.
    Net,
    /// Starting programs.
    Run,
    /// Seeing and changing environment variables.
    Env,
}

impl Kind {
    /// In the order in which they are written.
    pub const ALL: [Kind; 5] = [Kind::Read, Kind::Write, Kind::Net, Kind::Run, Kind::Env];

    /// Its key in the registry, and its flag after `--allow-`.
    pub fn key(self) -> &'static str {
        match self {
            Kind::Read => "read",
            Kind::Write => "write",
            Kind::Net => "net",
            Kind::Run => "run",
            Kind::Env => "env",
        }
    }

    /// Whether its values are paths. A program is one where it has a slash.
    pub fn is_path(self, value: &str) -> bool {
        match self {
            Kind::Read | Kind::Write => true,
            Kind::Run => value.contains('/'),
            Kind::Net | Kind::Env => false,
        }
    }

    /// Whether a value names itself and nothing else. There are names that no
    /// grant can have alone: `AWS_*` stands for others too.
    pub fn is_exact(self, value: &str) -> bool {
        match self {
            Kind::Read | Kind::Write | Kind::Run => !value.is_empty(),
            Kind::Net => !value.is_empty() && !value.contains('*'),
            Kind::Env => !value.is_empty() && !value.ends_with('*'),
        }
    }

    /// The flag of `add` that grants these values, as a word of a command line;
    /// none where they would be read as something else.
    pub fn flag(self, values: &[String]) -> Option<String> {
        let fits = |value: &String| !value.contains(',') && value != "*";
        let flag = || format!("--allow-{}={}", self.key(), quoted(&values.join(",")));
        values.iter().all(fits).then(flag)
    }

    /// The entry of the registry that grants these values.
    pub fn entry(self, values: &[String]) -> String {
        let values: Vec<String> = values.iter().map(|v| json!(v).to_string()).collect();
        format!("{}: [{}]", self.key(), values.join(", "))
    }

    fn expected(self) -> &'static str {
        match self {
            Kind::Read | Kind::Write => "true, or a list of absolute paths",
            Kind::Net => "true, or a list of hosts, with or without a port",
            Kind::Run => "true, or a list of programs: names or absolute paths",
            Kind::Env => "true, or a list of names of variables",
        }
    }
}

impl Grants {
    /// What is granted of a kind.
    pub fn of(&self, kind: Kind) -> &Grant {
        match kind {
            Kind::Read => &self.read,
            Kind::Write => &self.write,
            Kind::Net => &self.net,
            Kind::Run => &self.run,
            Kind::Env => &self.env,
        }
    }

    /// The same, to be changed.
    pub fn of_mut(&mut self, kind: Kind) -> &mut Grant {
        match kind {
            Kind::Read => &mut self.read,
            Kind::Write => &mut self.write,
            Kind::Net => &mut self.net,
            Kind::Run => &mut self.run,
            Kind::Env => &mut self.env,
        }
    }

    /// As it is written: kinds of which nothing is granted are left out.
    pub fn to_value(&self) -> Value {
        let mut object = Map::new();
        for kind in Kind::ALL {
            let value = match self.of(kind) {
                Grant::None => continue,
                Grant::All => json!(true),
                Grant::Only(list) => json!(list),
            };
            object.insert(kind.key().to_owned(), value);
        }
        Value::Object(object)
    }

    /// Reads the value of `permissions`. Strict, for what a person meant to limit
    /// must not be unlimited through a slip.
    pub fn from_value(value: &Value) -> Result<Grants, FieldError> {
        Grants::read(&Field::at(Some(value), &["permissions"]))
    }

    pub(super) fn read(field: &Field<'_>) -> Result<Grants, FieldError> {
        let mut grants = Grants::default();
        for (key, field) in field.entries()? {
            let kind = Kind::ALL.into_iter().find(|kind| kind.key() == key);
            let kind = kind.ok_or_else(|| FieldError {
                found: "not a permission",
                ..field.wrong("read, write, net, run or env")
            })?;
            *grants.of_mut(kind) = grant(kind, &field)?;
        }
        Ok(grants)
    }

    /// As flags of `add`; what they cannot say, as the registry's entry says it.
    pub fn to_flags(&self) -> String {
        let flag = |kind: Kind| match self.of(kind) {
            Grant::None => None,
            Grant::All => Some(format!("--allow-{}", kind.key())),
            Grant::Only(list) => Some(kind.flag(list).unwrap_or_else(|| kind.entry(list))),
        };
        let flags: Vec<String> = Kind::ALL.into_iter().filter_map(flag).collect();
        if flags.is_empty() { "--allow-none".to_owned() } else { flags.join(" ") }
    }
}

/// As a word of a command line.
fn quoted(value: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-:@%+=*[],".contains(c);
    if value.chars().all(plain) {
        return value.to_owned();
    }
    format!("'{}'", value.replace('\'', "'\\''"))
}

fn grant(kind: Kind, field: &Field<'_>) -> Result<Grant, FieldError> {
    if let Some(all) = field.boolean() {
        return Ok(if all { Grant::All } else { Grant::None });
    }
    let items = field.items().map_err(|_| field.wrong(kind.expected()))?;
    let mut list = Vec::new();
    for item in items {
        let value = item.string()?;
        let wrong = |found| Err(FieldError { found, ..item.wrong(kind.expected()) });
        if value.is_empty() {
            return wrong("an empty string");
        }
        if kind.is_path(value) && !value.starts_with('/') {
            return wrong("not an absolute path");
        }
        list.push(value.to_owned());
    }
    Ok(if list.is_empty() { Grant::None } else { Grant::Only(list) })
}
