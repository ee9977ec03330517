//! One worker a bundle, one child process a thread.
