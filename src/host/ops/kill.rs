//! `process.kill`, which spares the process that this one hangs on.

use deno_core::{OpState, op2};
use deno_runtime::deno_permissions::{PermissionCheckError, PermissionsContainer};
use rustix::io::Errno;
use rustix::process::{self, Pid, Signal};

/// Sends a signal as `kill(2)` does, and gives 0 or the error number.
///
/// The parent is the worker, which other threads depend on: it cannot be reached
/// from here, alone or with its group or everybody.
#[op2(fast, stack_trace)]
pub(super) fn op_kill(
    state: &mut OpState,
    #[smi] pid: i32,
    #[smi] signal: i32,
) -> Result<i32, PermissionCheckError> {
    if pid != process::getpid().as_raw_pid() as i32 {
        state.borrow_mut::<PermissionsContainer>().check_run_all("process.kill")?;
    }
    Ok(send(pid, signal).map_or_else(Errno::raw_os_error, |()| 0))
}

fn send(pid: i32, signal: i32) -> Result<(), Errno> {
    let is_worker = |pid: Pid| Some(pid) == process::getppid();
    let signal = match signal {
        0 => None,
        number => Some(Signal::from_named_raw(number).ok_or(Errno::INVAL)?),
    };
    match Pid::from_raw(pid.saturating_abs()) {
        None => match signal {
            Some(signal) => process::kill_current_process_group(signal),
            None => process::test_kill_current_process_group(),
        },
        Some(one) if pid == -1 || signal.is_some() && is_worker(one) => Err(Errno::PERM),
        Some(one) if pid > 0 => match signal {
            Some(signal) => process::kill_process(one, signal),
            None => process::test_kill_process(one),
        },
        Some(group) => match signal {
            Some(signal) => process::kill_process_group(group, signal),
            None => process::test_kill_process_group(group),
        },
    }
}
