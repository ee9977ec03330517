//! Use cases: the only place where a yield becomes a node.

mod signal;

pub use signal::{Control, Signal};
