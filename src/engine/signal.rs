use tokio::sync::watch;

/// What a thread has been told to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Go on.
    Run,
    /// Ask for no further step until told to run again.
    Pause,
    /// End as aborted, at once.
    Kill,
}

/// Where a thread reads its [`Signal`]. The sender may live on another OS thread.
pub type Control = watch::Receiver<Signal>;
