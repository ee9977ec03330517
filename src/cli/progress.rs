use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Work that takes less shows nothing.
const SILENCE: Duration = Duration::from_secs(1);
/// How often the line is drawn anew.
const REDRAW: Duration = Duration::from_millis(100);
const WIDTH: usize = 30;

/// A bar on standard error, where that is a terminal, for work that takes longer
/// than a second. May be moved from many threads.
pub(super) struct Progress {
    terminal: bool,
    begun: Instant,
    drawn: Mutex<Option<Instant>>,
}

impl Progress {
    pub(super) fn new() -> Progress {
        let terminal = io::stderr().is_terminal();
        Progress { terminal, begun: Instant::now(), drawn: Mutex::new(None) }
    }

    /// `done` of `total` are done.
    pub(super) fn at(&self, verb: &str, done: usize, total: usize) {
        if !self.terminal || self.begun.elapsed() < SILENCE {
            return;
        }
        // Whoever draws at this moment draws for all.
        let Ok(mut drawn) = self.drawn.try_lock() else { return };
        if drawn.is_some_and(|at| at.elapsed() < REDRAW) {
            return;
        }
        let full = WIDTH * done / total.max(1);
        let bar = format!("{}{}", "#".repeat(full), ".".repeat(WIDTH - full.min(WIDTH)));
        let _ = write!(io::stderr(), "\r{verb} [{bar}] {done}/{total}\x1b[K");
        *drawn = Some(Instant::now());
    }

    /// Takes the bar away again.
    pub(super) fn clear(&self) {
        if self.drawn.lock().is_ok_and(|drawn| drawn.is_some()) {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
