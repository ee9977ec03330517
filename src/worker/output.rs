//! What a thread's process and its children print: into the thread's log.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, PipeReader, Read};
use std::os::fd::OwnedFd;
use std::rc::Rc;

use tokio::net::unix::pipe::Receiver;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::lines::{Line, Lines};
use crate::engine::ThreadLog;

/// Longer lines become several.
const LONGEST_LINE: usize = 64 << 10;
/// What is kept of the last lines to explain a death.
const TAIL_LINES: usize = 20;
const TAIL_LINE_CHARS: usize = 500;
/// Most that is read after the process has ended.
const LEFT_IN_PIPE: u64 = 1 << 20;

/// A pipe that is being read.
pub struct Output {
    stop: oneshot::Sender<()>,
    reader: JoinHandle<VecDeque<String>>,
}

/// Writes each line that comes out of `pipe` to `log` under `tag`.
pub fn read(pipe: PipeReader, tag: &'static str, log: Rc<ThreadLog>) -> io::Result<Output> {
    let receiver = Receiver::from_owned_fd(OwnedFd::from(pipe))?;
    let (stop, stopped) = oneshot::channel();
    let sink = Sink { tag, log, tail: VecDeque::new() };
    let reader = tokio::task::spawn_local(pump(receiver, sink, stopped));
    Ok(Output { stop, reader })
}

impl Output {
    /// Takes what is still in the pipe, without waiting for its end: a process
    /// that the bundle left behind may hold it open. Gives the last lines.
    pub async fn finish(self) -> Vec<String> {
        let _ = self.stop.send(());
        self.reader.await.map(Vec::from).unwrap_or_default()
    }
}

struct Sink {
    tag: &'static str,
    log: Rc<ThreadLog>,
    tail: VecDeque<String>,
}

impl Sink {
    fn take(&mut self, line: Line) {
        let text = String::from_utf8_lossy(&line.bytes);
        let text = text.strip_suffix('\r').unwrap_or(&text);
        if text.is_empty() {
            return;
        }
        self.log.write(self.tag, text);
        if self.tail.len() == TAIL_LINES {
            self.tail.pop_front();
        }
        self.tail.push_back(text.chars().take(TAIL_LINE_CHARS).collect());
    }
}

async fn pump(
    pipe: Receiver,
    mut sink: Sink,
    mut stopped: oneshot::Receiver<()>,
) -> VecDeque<String> {
    let mut lines = Lines::new(pipe, LONGEST_LINE);
    loop {
        let line = tokio::select! {
            line = lines.next() => line,
            _ = &mut stopped => break,
        };
        match line {
            Ok(Some(line)) => sink.take(line),
            Ok(None) | Err(_) => return sink.tail,
        }
    }
    let (pipe, mut pending) = lines.into_parts();
    if let Ok(fd) = pipe.into_nonblocking_fd() {
        let mut left = Vec::new();
        // Ends with an error when nothing more is there at this moment.
        let _ = File::from(fd).take(LEFT_IN_PIPE).read_to_end(&mut left);
        pending.extend(&left);
    }
    while let Some(line) = pending.line(LONGEST_LINE) {
        sink.take(line);
    }
    pending.rest().into_iter().for_each(|line| sink.take(line));
    sink.tail
}
