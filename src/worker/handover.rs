//! Passing the claim on a thread to the thread's process.
//!
//! The lock belongs to the open file, so a process that receives that file
//! shares the lock, and it lasts until the last holder is gone. It goes over
//! the control socket, not through inheritance: what is received is closed on
//! exec from the first moment, so no child of a bundle ever holds it.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::cmsg_space;
use rustix::net::{
    self, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags,
};

/// Something has to be sent for a file to go along.
const TOKEN: &[u8] = b"\n";

/// Sends `claim` as the first thing on `socket`.
pub fn send(socket: &UnixStream, claim: BorrowedFd<'_>) -> io::Result<()> {
    let files = [claim];
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    let fits = ancillary.push(SendAncillaryMessage::ScmRights(&files));
    debug_assert!(fits, "the space was measured for it");
    net::sendmsg(socket, &[IoSlice::new(TOKEN)], &mut ancillary, SendFlags::empty())?;
    Ok(())
}

/// Receives what [`send`] sent.
pub fn receive(socket: &UnixStream) -> io::Result<OwnedFd> {
    #[cfg(target_os = "linux")]
    let flags = RecvFlags::CMSG_CLOEXEC;
    #[cfg(not(target_os = "linux"))]
    let flags = RecvFlags::empty();
    let mut token = [0; TOKEN.len()];
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    net::recvmsg(socket, &mut [IoSliceMut::new(&mut token)], &mut ancillary, flags)?;
    let file = ancillary.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut files) => files.next(),
        _ => None,
    });
    let file = file.ok_or(io::Error::new(io::ErrorKind::InvalidData, "no claim came along"))?;
    #[cfg(not(target_os = "linux"))]
    rustix::io::fcntl_setfd(&file, rustix::io::FdFlags::CLOEXEC)?;
    Ok(file)
}
