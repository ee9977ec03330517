use std::sync::mpsc;
use std::time::Duration;

use super::{Control, Signal};
use crate::host::InterruptHandle;

/// How long after a kill JavaScript may keep its thread busy.
const GRACE: Duration = Duration::from_millis(500);

/// Ends JavaScript that keeps its thread busy after a kill, such as an endless
/// loop: nothing on that thread could notice the kill, so this has its own.
pub(super) struct Watchdog {
    _stop: mpsc::Sender<()>,
}

impl Watchdog {
    pub(super) fn start(control: Control, interrupt: InterruptHandle) -> Watchdog {
        let (stop, stopped) = mpsc::channel::<()>();
        std::thread::spawn(move || watch(control, &interrupt, &stopped));
        Watchdog { _stop: stop }
    }

    /// The thread has ended; nothing needs to be interrupted any more.
    pub(super) fn stop(self) {}
}

fn watch(mut control: Control, interrupt: &InterruptHandle, stopped: &mpsc::Receiver<()>) {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().build() else { return };
    if runtime.block_on(control.wait_for(|signal| *signal == Signal::Kill)).is_err() {
        return;
    }
    // A busy loop is interrupted once; one in a `finally` block, or behind a
    // catch of ours, again and again until the thread has ended.
    while stopped.recv_timeout(GRACE) == Err(mpsc::RecvTimeoutError::Timeout) {
        if interrupt.is_busy(GRACE) {
            interrupt.terminate();
        }
    }
}
