//! The `uncaged-workflow` program: one call into the library.

fn main() -> std::process::ExitCode {
    uncaged_workflow::cli::main()
}
