use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use super::{Control, Processes, Signal};
use crate::host::InterruptHandle;

/// How long after a kill the bundle may keep its thread busy.
const BUSY: Duration = Duration::from_millis(400);
/// How long a kill that was noticed may take, `finally` blocks included.
const UNWINDING: Duration = Duration::from_millis(2600);

/// Ends a bundle that keeps its thread busy after a kill: with an endless loop,
/// with a child that it waits for synchronously. Nothing on that thread could
/// notice the kill, so this has its own.
pub(super) struct Watchdog {
    noticed: Arc<AtomicBool>,
    _stop: mpsc::Sender<()>,
}

impl Watchdog {
    pub(super) fn start(
        control: Control,
        interrupt: InterruptHandle,
        processes: Arc<dyn Processes>,
    ) -> Watchdog {
        let (stop, stopped) = mpsc::channel::<()>();
        let noticed = Arc::new(AtomicBool::new(false));
        let seen = noticed.clone();
        std::thread::spawn(move || watch(control, &interrupt, &*processes, &seen, &stopped));
        Watchdog { noticed, _stop: stop }
    }

    /// The thread has noticed the kill and unwinds.
    pub(super) fn notice(&self) {
        self.noticed.store(true, Ordering::SeqCst);
    }
}

fn watch(
    mut control: Control,
    interrupt: &InterruptHandle,
    processes: &dyn Processes,
    noticed: &AtomicBool,
    stopped: &mpsc::Receiver<()>,
) {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().build() else { return };
    let killed = async { control.wait_for(|signal| *signal == Signal::Kill).await.is_ok() };
    if !runtime.block_on(killed) {
        return;
    }
    let over = |patience| stopped.recv_timeout(patience) != Err(mpsc::RecvTimeoutError::Timeout);
    if over(BUSY) {
        return;
    }
    if noticed.load(Ordering::SeqCst) && over(UNWINDING) {
        return;
    }
    // Again and again: JavaScript that runs after one termination, such as a
    // `finally` block, may be as busy as what was terminated.
    loop {
        interrupt.terminate();
        processes.end_descendants();
        if over(BUSY) {
            return;
        }
    }
}
