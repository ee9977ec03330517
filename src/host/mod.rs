//! Runs bundles in V8: the only module that names deno_core.
//!
//! One [`Host`] is one isolate with one bundle. It lives on one thread, inside
//! a current-thread tokio runtime, and asks the program around it for
//! everything that is not JavaScript through [`services::Services`].
//!
//! ```text
//! Host::new -> load -> descriptor            what `add` wants to know
//!                   -> start -> next ... next    one call of next a step
//!                            -> finish           run the `finally` blocks
//! ```
//!
//! | file | what it does |
//! | --- | --- |
//! | `isolate` | V8, Deno's runtime from its snapshot, our extension |
//! | `drive` | [`Host`]: loads the bundle, asks its generator for steps |
//! | `loader`, `modules` | what an import may name |
//! | `import_meta` | what a bundle finds in `import.meta` |
//! | `ops/` | the Rust half of the extension; the other half is `js/` |
//! | `permissions`, `refusal` | what a bundle may do, and what it is told where it may not |
//! | `memory` | bounds what V8's own heap limit leaves out |
//! | `interrupt` | ends whatever the bundle is doing, from any thread |
//! | `inspect` | lets a debugger in |
//! | `describe` | evaluates another bundle while one runs |
//! | `polyfill_fixes` | mends faults of Deno's, when the snapshot is made (`build.rs`) |
//!
//! What a bundle may yield is one rule, written at the top of `js/host/values.js`;
//! what it sees of Node and not of Deno is made in `js/host/node_world.js`.

mod describe;
mod drive;
mod error;
mod import_meta;
mod inspect;
mod interrupt;
mod isolate;
mod loader;
mod memory;
mod modules;
mod ops;
mod options;
mod permissions;
mod refusal;
pub mod services;
mod thrown;

pub use describe::{DESCRIBE_LIMIT, descriptor_of};
pub use drive::{Host, Next};
pub use error::{Awaited, HostError, Place, Thrown};
pub use interrupt::InterruptHandle;
pub use isolate::init;
pub use memory::on_fatal_memory;
pub use options::{DEFAULT_HEAP_LIMIT, HostOptions, Inspect, Permissions};
pub use permissions::check_grants;
