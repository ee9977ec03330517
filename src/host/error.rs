//! What can go wrong with a bundle, as data.

/// Something that JavaScript threw, or a promise that was rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thrown {
    /// The error's `name`; none for a thrown value that is no `Error`.
    pub name: Option<String>,
    /// The error's `message`, or the thrown value as `util.inspect` shows it.
    pub message: String,
    /// `name: message` and the frames, mapped through the bundle's source map,
    /// followed by what the error names as its causes. Never empty.
    pub stack: String,
    /// Where in the bundle it was thrown, where that is known.
    pub place: Option<Place>,
}

/// A place in the bundle as it was given, not mapped through its source map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// 1-based.
    pub line: usize,
    /// 1-based, in UTF-16 code units.
    pub column: usize,
}

impl std::fmt::Display for Thrown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.name {
            Some(name) if !self.message.is_empty() => write!(f, "{name}: {}", self.message),
            Some(name) => f.write_str(name),
            None => f.write_str(&self.message),
        }
    }
}

/// What was waited for when the event loop ran dry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Awaited {
    /// The module's own top-level `await`.
    Module,
    /// The generator's next step.
    Step,
    /// The generator's `finally` blocks.
    Finally,
}

/// A bundle did not load, run or end as it should.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HostError {
    /// The bundle threw, or a promise that was waited for was rejected.
    #[error("{0}")]
    Thrown(Thrown),
    /// A rejection that nobody handled, or an exception outside any step
    /// (in a timer, in an event listener).
    #[error("unhandled: {0}")]
    Unhandled(Thrown),
    /// The source does not compile, or an import was refused or does not exist.
    #[error("{0}")]
    Module(Thrown),
    /// An export is missing or of the wrong kind.
    #[error("export `{name}` {problem}")]
    Export {
        /// `run` or `descriptor`.
        name: &'static str,
        /// What is wrong with it, continuing the sentence.
        problem: String,
    },
    /// What `run` gave is no generator.
    #[error("run() must return an async generator: write it as `async function*`; it returned {0}")]
    NotAGenerator(String),
    /// A value that is not plain data.
    #[error("{path}: {reason}")]
    Value {
        /// Where it stands, like `step.meta.items[2].size`.
        path: String,
        /// Why it is refused.
        reason: String,
    },
    /// The event loop has nothing left, yet something is waited for.
    #[error("{}", stalled(*.0))]
    Stalled(Awaited),
    /// The heap limit was reached.
    #[error("out of memory: the heap limit of {} MB was reached", .limit / (1024 * 1024))]
    HeapLimit {
        /// The limit in bytes.
        limit: usize,
    },
    /// [`InterruptHandle::terminate`](super::InterruptHandle::terminate) was called.
    #[error("terminated")]
    Terminated,
    /// The bundle called `process.exit`.
    #[error("the bundle called process.exit({code})")]
    Exit {
        /// The code that it gave.
        code: i32,
    },
    /// The address for a debugger cannot be listened on.
    #[error("no debugger can connect to {address}: {reason}")]
    Inspector {
        /// The address.
        address: std::net::SocketAddr,
        /// Why.
        reason: String,
    },
    /// A permission list that does not parse.
    #[error("{0}")]
    Permissions(String),
    /// The bundle's path cannot be a URL.
    #[error("not an absolute path: {0}")]
    Path(std::path::PathBuf),
    /// The engine itself failed; a fault of this program.
    #[error("host: {0}")]
    Internal(String),
}

impl HostError {
    /// What a thread's summary says after `failed: `: the error's own message,
    /// without its name.
    pub fn summary(&self) -> String {
        match self {
            Self::Thrown(thrown) if !thrown.message.is_empty() => thrown.message.clone(),
            other => other.to_string(),
        }
    }

    /// The stack, where the error has one.
    pub fn stack(&self) -> Option<&str> {
        Some(&self.thrown()?.stack)
    }

    /// Where in the bundle it happened, where that is known.
    pub fn place(&self) -> Option<Place> {
        self.thrown()?.place
    }

    fn thrown(&self) -> Option<&Thrown> {
        match self {
            Self::Thrown(thrown) | Self::Unhandled(thrown) | Self::Module(thrown) => Some(thrown),
            _ => None,
        }
    }
}

fn stalled(awaited: Awaited) -> &'static str {
    match awaited {
        Awaited::Module => {
            "the module awaits something that can never settle: nothing is left that could wake it"
        }
        Awaited::Step => {
            "the generator awaits something that can never settle: nothing is left that could wake it"
        }
        Awaited::Finally => {
            "a finally block awaits something that can never settle: nothing is left that could wake it"
        }
    }
}
