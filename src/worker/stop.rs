//! Ending a worker from outside, where its whole store goes.

use std::time::{Duration, Instant};

use super::place::Place;

/// How long a worker is waited for that does not go.
const PATIENCE: Duration = Duration::from_secs(30);

/// Asks the worker to end, with its threads, and waits until it has gone.
/// `kill_threads` ends what it runs where it cannot be told to end itself.
pub fn worker(place: &Place, kill_threads: impl Fn()) {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline
        && let Ok(Some(stream)) = place.connect()
    {
        if !cfg!(target_os = "linux") {
            kill_threads();
        }
        if !end_peer(&stream) {
            break;
        }
    }
    // One that leaves by itself holds its lock until it has gone.
    let _ = place.lock();
}

/// Ends the process that listens at the other end. `false` where that failed.
#[cfg(target_os = "linux")]
fn end_peer(stream: &std::os::unix::net::UnixStream) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::process::{PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

    /// A worker gives its threads five seconds, and itself two more.
    const PATIENCE: Duration = Duration::from_secs(10);

    let Ok(peer) = rustix::net::sockopt::socket_peercred(stream) else { return false };
    // It cannot be another process by now: the connection would have broken.
    let Ok(process) = pidfd_open(peer.pid, PidfdFlags::empty()) else { return true };
    let gone = |patience: Duration| {
        let patience = Timespec::try_from(patience).expect("some seconds");
        matches!(poll(&mut [PollFd::new(&process, PollFlags::IN)], Some(&patience)), Ok(1..))
    };
    let told = |signal| pidfd_send_signal(&process, signal).is_ok();
    (told(Signal::TERM) && gone(PATIENCE)) || (told(Signal::KILL) && gone(PATIENCE))
}

/// It leaves by itself soon after its last thread has ended.
#[cfg(not(target_os = "linux"))]
fn end_peer(_stream: &std::os::unix::net::UnixStream) -> bool {
    std::thread::sleep(Duration::from_millis(50));
    true
}
