//! The worker's life: its socket, its signals, and when it leaves.

use std::os::unix::net::UnixListener as StdListener;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use std::{future::Future, io};

use tokio::io::AsyncWriteExt;
use tokio::net::{UnixListener, UnixStream};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use super::lines::{Line, Lines};
use super::place::Place;
use super::protocol::{Answer, Command, MAX_LINE, PROTOCOL, Refusal, Request, Version};
use super::threads::Worker;

/// How long a client may take for a line, or to take an answer.
const CLIENT_PATIENCE: Duration = Duration::from_secs(5);
/// How many clients are listened to at once; each may cost [`MAX_LINE`].
const MOST_CLIENTS: usize = 64;
/// How long a worker without threads stays, so that the next finds it.
const IDLE: Duration = Duration::from_millis(300);
/// Until the lock is tried again that a client holds.
const TRY_AGAIN: Duration = Duration::from_millis(100);
/// How long threads have when the worker is told to stop.
const STOP_PATIENCE: Duration = Duration::from_secs(5);

/// Serves clients until the last thread has gone and no client is about to
/// bring one, or until a signal asks to stop. Calls `ready` once it serves.
pub async fn serve(
    listener: StdListener,
    worker: Rc<Worker>,
    place: Place,
    ready: impl FnOnce() -> io::Result<()>,
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = UnixListener::from_std(listener)?;
    let mut children = signal(SignalKind::child())?;
    let asked_to_stop = asked_to_stop()?;
    ready()?;
    let reaping = worker.clone();
    tokio::task::spawn_local(async move {
        while children.recv().await.is_some() {
            reaping.reap();
        }
    });
    tokio::select! {
        () = accept(&listener, &worker) => {}
        done = leave_when_idle(&worker, &place) => {
            worker.kill_orphans().await;
            return done;
        }
        () = asked_to_stop => {}
    }
    // While the name is here no other worker can take it, so this comes first.
    place.withdraw()?;
    drop(listener);
    worker.leaving.cancel();
    let _ = timeout(STOP_PATIENCE, worker.idle()).await;
    worker.kill_orphans().await;
    Ok(())
}

fn asked_to_stop() -> io::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hangup = signal(SignalKind::hangup())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            _ = hangup.recv() => {}
        }
    })
}

/// Returns after socket and announcement are gone, with the lock still held:
/// who waits for it finds nothing, and starts the next worker.
async fn leave_when_idle(worker: &Worker, place: &Place) -> io::Result<()> {
    loop {
        worker.idle().await;
        sleep(IDLE).await;
        while worker.is_idle() {
            if !place.dir().exists() {
                // The whole store is gone, and taking the lock would bring it back.
                return Ok(());
            }
            if let Some(lock) = place.try_lock().map_err(io::Error::other)? {
                place.withdraw()?;
                std::mem::forget(lock);
                return Ok(());
            }
            sleep(TRY_AGAIN).await;
        }
    }
}

async fn accept(listener: &UnixListener, worker: &Rc<Worker>) {
    let seats = Arc::new(Semaphore::new(MOST_CLIENTS));
    loop {
        let seat = seats.clone().acquire_owned().await.expect("never closed");
        match listener.accept().await {
            Ok((stream, _)) => {
                let worker = worker.clone();
                tokio::task::spawn_local(async move {
                    // A client that does not take its answers hurts only itself.
                    let _ = converse(&worker, stream).await;
                    drop(seat);
                });
            }
            // Most likely out of descriptors; threads that end give some back.
            Err(_) => sleep(TRY_AGAIN).await,
        }
    }
}

/// Answers one client, line by line.
async fn converse(worker: &Rc<Worker>, stream: UnixStream) -> io::Result<()> {
    let own = rustix::process::geteuid().as_raw();
    let allowed = stream.peer_cred().is_ok_and(|peer| peer.uid() == own);
    let (reader, mut writer) = stream.into_split();
    let mut lines = Lines::new(reader, MAX_LINE);
    loop {
        let line = timeout(CLIENT_PATIENCE, lines.next()).await;
        let (answer, goes_on) = match line {
            Ok(line) => match line? {
                None => return Ok(()),
                Some(_) if !allowed => (Answer::Refused(Refusal::NotAllowed), false),
                Some(Line { cut: true, .. }) => {
                    (Answer::Refused(Refusal::TooLong { limit: MAX_LINE }), false)
                }
                Some(line) => (answer(worker, &line.bytes).await, true),
            },
            Err(_) => {
                let seconds = CLIENT_PATIENCE.as_secs();
                (Answer::Refused(Refusal::TooSlow { seconds }), false)
            }
        };
        let mut text = serde_json::to_vec(&answer)?;
        text.push(b'\n');
        timeout(CLIENT_PATIENCE, writer.write_all(&text)).await??;
        if !goes_on {
            return Ok(());
        }
    }
}

async fn answer(worker: &Rc<Worker>, line: &[u8]) -> Answer {
    let command = match understand(line) {
        Ok(command) => command,
        Err(refusal) => return Answer::Refused(refusal),
    };
    match command {
        Command::Execute { thread, environment } => worker.execute(thread, environment).await,
        Command::Kill { thread } => worker.kill(&thread),
        Command::Pause { thread } => worker.pause(&thread),
        Command::Resume { thread } => worker.resume(&thread),
        Command::Status => Answer::Status { threads: worker.status() },
    }
}

fn understand(line: &[u8]) -> Result<Command, Refusal> {
    let unclear = |e: serde_json::Error| Refusal::NotUnderstood { message: e.to_string() };
    // First, since another version may have commands that this one lacks.
    let Version { protocol } = serde_json::from_slice(line).map_err(unclear)?;
    if protocol != PROTOCOL {
        return Err(Refusal::OtherProtocol { protocol: PROTOCOL });
    }
    Ok(serde_json::from_slice::<Request>(line).map_err(unclear)?.command)
}
