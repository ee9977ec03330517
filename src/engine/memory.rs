use std::sync::mpsc::{self, TryRecvError};
use std::time::{Duration, Instant};

use crate::host::InterruptHandle;

/// Between two looks while JavaScript runs: a gigabyte takes longer to be filled.
const BUSY: Duration = Duration::from_millis(20);
/// Between two looks while it waits; what it waits for may be a file that has no
/// end, read into memory.
const IDLE: Duration = Duration::from_millis(200);
/// How long a bundle may take to be stopped.
const PATIENCE: Duration = Duration::from_secs(2);
/// What the program itself, and V8 while it collects garbage, may take beside the
/// bundle.
const MARGIN: u64 = 96 << 20;

/// Watches over all memory of a thread's process: WebAssembly's, resizable
/// buffers, files on their way into a buffer. V8's heap and array buffers have
/// exact limits of their own. Dropping it ends the watch.
///
/// Where the system does not say how much memory a process has (it is asked for
/// `RssAnon` of Linux), there is no watch.
pub(super) struct MemoryWatch {
    _stop: mpsc::Sender<()>,
}

impl MemoryWatch {
    /// Interrupts the bundle when its process has twice `heap_limit` and a margin
    /// more than now; calls `give_up` where it goes on for seconds, or takes as
    /// much again.
    pub(super) fn start(
        heap_limit: usize,
        interrupt: InterruptHandle,
        give_up: impl FnOnce() + Send + 'static,
    ) -> MemoryWatch {
        let (stop, stopped) = mpsc::channel();
        std::thread::spawn(move || watch(heap_limit as u64, &interrupt, give_up, &stopped));
        MemoryWatch { _stop: stop }
    }
}

fn watch(
    heap_limit: u64,
    interrupt: &InterruptHandle,
    give_up: impl FnOnce(),
    stopped: &mpsc::Receiver<()>,
) {
    let Some(before) = private_bytes() else { return };
    let allowed = heap_limit.saturating_mul(2).saturating_add(MARGIN);
    let mut reached: Option<Instant> = None;
    while stopped.try_recv() == Err(TryRecvError::Empty) {
        let Some(now) = private_bytes() else { return };
        let used = now.saturating_sub(before);
        if used > allowed {
            let since = *reached.get_or_insert_with(Instant::now);
            if used > allowed.saturating_mul(2) || since.elapsed() > PATIENCE {
                return give_up();
            }
            interrupt.exhaust();
        }
        match interrupt.is_busy() || reached.is_some() {
            true => std::thread::sleep(BUSY),
            false => interrupt.doze(IDLE),
        }
    }
}

/// Memory that is this process's own and not a part of a file.
fn private_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
