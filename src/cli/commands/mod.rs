//! One file a verb.

pub(super) mod add;
pub(super) mod cas;
pub(super) mod check;
pub(super) mod compact;
pub(super) mod completions;
pub(super) mod dev;
pub(super) mod fork;
pub(super) mod gc;
pub(super) mod history;
pub(super) mod init;
pub(super) mod internal;
pub(super) mod kill;
pub(super) mod list;
pub(super) mod live;
pub(super) mod pause;
pub(super) mod ps;
pub(super) mod remove;
pub(super) mod resume;
pub(super) mod rollback;
pub(super) mod run;
pub(super) mod serve;
pub(super) mod setup;
pub(super) mod show;
pub(super) mod skill;
pub(super) mod test;
pub(super) mod thread_remove;
pub(super) mod thread_show;
pub(super) mod threads;
pub(super) mod verify;

use std::process::ExitCode;

use super::Context;
use super::args::{CasVerb, Command, ThreadGroup, ThreadVerb, WorkflowVerb};
use super::error::CommandError;

/// Carries out one command.
pub(super) fn run(context: &Context, command: Command) -> Result<ExitCode, CommandError> {
    let done = |result: Result<(), CommandError>| result.map(|()| ExitCode::SUCCESS);
    match command {
        Command::Add(args) | Command::Workflow(WorkflowVerb::Add(args)) => {
            done(add::cmd_add(context, &args))
        }
        Command::Check(args) => check::cmd_check(context, &args),
        Command::Dev(args) => dev::cmd_dev(context, &args),
        Command::Test(args) => test::cmd_test(context, &args),
        Command::List(args) | Command::Workflow(WorkflowVerb::List(args)) => {
            done(list::cmd_list(context, &args))
        }
        Command::Show(args) | Command::Workflow(WorkflowVerb::Show(args)) => {
            done(show::cmd_show(context, &args))
        }
        Command::Remove(args) | Command::Workflow(WorkflowVerb::Rm(args)) => {
            done(remove::cmd_remove(context, &args))
        }
        Command::History(args) | Command::Workflow(WorkflowVerb::History(args)) => {
            done(history::cmd_history(context, &args))
        }
        Command::Rollback(args) | Command::Workflow(WorkflowVerb::Rollback(args)) => {
            done(rollback::cmd_rollback(context, &args))
        }
        Command::Run(args) => run::cmd_run(context, &args),
        Command::Threads(args) => done(threads::cmd_threads(context, &args)),
        Command::Thread(group) => thread(context, group),
        Command::Ps(args) => done(ps::cmd_ps(context, &args)),
        Command::Kill(args) => done(kill::cmd_kill(context, &args)),
        Command::Pause(args) => done(pause::cmd_pause(context, &args)),
        Command::Resume(args) => done(resume::cmd_resume(context, &args)),
        Command::Fork(args) => done(fork::cmd_fork(context, &args)),
        Command::Live(args) => live::cmd_live(context, &args),
        Command::Cas(verb) => match verb {
            CasVerb::Put(args) => done(cas::cmd_put(context, &args)),
            CasVerb::Get(args) => done(cas::cmd_get(context, &args)),
            CasVerb::List(args) => done(cas::cmd_list(context, &args)),
            CasVerb::Rm(args) => done(cas::cmd_rm(context, &args)),
            CasVerb::Gc(args) => done(gc::cmd_gc(context, &args)),
            CasVerb::Verify(args) => verify::cmd_verify(context, &args),
        },
        Command::Gc(args) => done(gc::cmd_gc(context, &args)),
        Command::Serve(args) => done(serve::cmd_serve(context, &args)),
        Command::Setup(args) => done(setup::cmd_setup(context, &args)),
        Command::Init(args) => done(init::cmd_init(context, &args)),
        Command::Skill(args) => done(skill::cmd_skill(context, &args)),
        Command::Completions(args) => done(completions::cmd_completions(context, &args)),
    }
}

fn thread(context: &Context, group: ThreadGroup) -> Result<ExitCode, CommandError> {
    let done = |result: Result<(), CommandError>| result.map(|()| ExitCode::SUCCESS);
    match (group.verb, group.show) {
        (Some(ThreadVerb::Run(args)), _) => run::cmd_run(context, &args),
        (Some(ThreadVerb::List(args)), _) => done(threads::cmd_threads(context, &args)),
        (Some(ThreadVerb::Show(args)), _) => done(thread_show::cmd_thread_show(context, &args)),
        (Some(ThreadVerb::Rm(args)), _) => done(thread_remove::cmd_thread_remove(context, &args)),
        (Some(ThreadVerb::Ps(args)), _) => done(ps::cmd_ps(context, &args)),
        (Some(ThreadVerb::Kill(args)), _) => done(kill::cmd_kill(context, &args)),
        (Some(ThreadVerb::Pause(args)), _) => done(pause::cmd_pause(context, &args)),
        (Some(ThreadVerb::Resume(args)), _) => done(resume::cmd_resume(context, &args)),
        (Some(ThreadVerb::Fork(args)), _) => done(fork::cmd_fork(context, &args)),
        (Some(ThreadVerb::Live(args)), _) => live::cmd_live(context, &args),
        (Some(ThreadVerb::Compact(args)), _) => done(compact::cmd_compact(context, &args)),
        (None, Some(args)) => done(thread_show::cmd_thread_show(context, &args)),
        (None, None) => Err(CommandError::usage("name a thread, or a verb such as `list`")),
    }
}
