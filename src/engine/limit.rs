use std::sync::mpsc;
use std::time::Duration;

use crate::host::InterruptHandle;

/// Ends JavaScript that runs longer than it may. Waits on an OS thread of its
/// own, because an endless loop leaves no turn for a timer on the isolate's.
/// Dropping it lifts the limit.
pub(super) struct Limit {
    _over: mpsc::Sender<()>,
}

impl Limit {
    pub(super) fn new(time: Duration, interrupt: InterruptHandle) -> Limit {
        let (over, waiting) = mpsc::channel::<()>();
        std::thread::spawn(move || {
            if waiting.recv_timeout(time) == Err(mpsc::RecvTimeoutError::Timeout) {
                interrupt.terminate();
            }
        });
        Limit { _over: over }
    }
}
