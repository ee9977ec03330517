//! Lines of limited length from anything that can be read.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio_util::bytes::BytesMut;

const CHUNK: usize = 16 << 10;

/// A line, or as much of one as was wanted.
#[derive(Debug, PartialEq, Eq)]
pub struct Line {
    /// Without the line break.
    pub bytes: BytesMut,
    /// It was longer than the limit; the rest follows as lines of its own.
    pub cut: bool,
}

/// Cuts what it reads into lines. Dropping a pending [`Lines::next`] loses nothing.
pub struct Lines<R> {
    source: R,
    limit: usize,
    pending: Pending,
}

/// Bytes that have not yet made a line.
#[derive(Default)]
pub struct Pending {
    bytes: BytesMut,
    searched: usize,
}

impl Pending {
    /// Adds what was read elsewhere.
    pub fn extend(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The next line that is complete, or longer than `limit`.
    pub fn line(&mut self, limit: usize) -> Option<Line> {
        let found = self.bytes[self.searched..].iter().position(|b| *b == b'\n');
        let (bytes, cut) = match found.map(|at| self.searched + at) {
            Some(end) if end <= limit => {
                let mut bytes = self.bytes.split_to(end + 1);
                bytes.truncate(end);
                (bytes, false)
            }
            None if self.bytes.len() <= limit => {
                self.searched = self.bytes.len();
                return None;
            }
            _ => (self.bytes.split_to(limit), true),
        };
        self.searched = 0;
        Some(Line { bytes, cut })
    }

    /// What is left when nothing more will come.
    pub fn rest(&mut self) -> Option<Line> {
        self.searched = 0;
        let bytes = self.bytes.split();
        (!bytes.is_empty()).then_some(Line { bytes, cut: false })
    }
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// Lines of at most `limit` bytes.
    pub fn new(source: R, limit: usize) -> Lines<R> {
        Lines { source, limit, pending: Pending::default() }
    }

    /// The next line; a last one needs no line break. `None` at the end.
    pub async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            if let Some(line) = self.pending.line(self.limit) {
                return Ok(Some(line));
            }
            self.pending.bytes.reserve(CHUNK);
            if self.source.read_buf(&mut self.pending.bytes).await? == 0 {
                return Ok(self.pending.rest());
            }
        }
    }

    /// The source, and what was read from it and not yet given out.
    pub fn into_parts(self) -> (R, Pending) {
        (self.source, self.pending)
    }
}
