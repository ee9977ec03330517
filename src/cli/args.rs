use clap::{Args as ClapArgs, CommandFactory, Parser, Subcommand};

use super::commands::{
    add::AddArgs, cas, check::CheckArgs, compact::CompactArgs, completions::CompletionsArgs,
    dev::DevArgs, fork::ForkArgs, gc::GcArgs, history::HistoryArgs, init::InitArgs, kill::KillArgs,
    list::ListArgs, live::LiveArgs, pause::PauseArgs, ps::PsArgs, remove::RemoveArgs,
    resume::ResumeArgs, rollback::RollbackArgs, run::RunArgs, serve::ServeArgs, setup::SetupArgs,
    show::ShowArgs, skill::SkillArgs, test::TestArgs, thread_remove::ThreadRemoveArgs,
    thread_show::ThreadShowArgs, threads::ThreadsArgs, verify::VerifyArgs,
};

/// Runs AI-agent workflows that come as single-file JavaScript bundles, and
/// keeps every step of every run.
#[derive(Parser, Debug)]
#[command(name = "uncaged-workflow", version, propagate_version = true)]
#[command(after_help = "\
Examples:
  uncaged-workflow add hello.esm.js           register a bundle as `hello`
  uncaged-workflow run hello --wait           run it and watch its steps
  uncaged-workflow threads                    list what has run and what runs
  uncaged-workflow thread 01KB                show one thread (any unique beginning of its id)

The store is at ~/.uncaged/workflow, or where UNCAGED_WORKFLOW_STORAGE_ROOT says.")]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) global: Global,
    #[command(subcommand)]
    pub(super) command: Command,
}

/// The command tree.
pub(super) fn command() -> clap::Command {
    Args::command()
}

#[derive(ClapArgs, Debug)]
pub(super) struct Global {
    /// Print JSON, for scripts
    #[arg(long, global = true)]
    pub(super) json: bool,
}

#[derive(Subcommand, Debug)]
pub(super) enum Command {
    Add(AddArgs),
    Check(CheckArgs),
    Dev(DevArgs),
    Test(TestArgs),
    List(ListArgs),
    Show(ShowArgs),
    #[command(visible_alias = "rm")]
    Remove(RemoveArgs),
    History(HistoryArgs),
    Rollback(RollbackArgs),
    Run(RunArgs),
    Threads(ThreadsArgs),
    /// Show one thread, or do something with threads
    Thread(ThreadGroup),
    /// Register, list and change workflows (the long spelling)
    #[command(
        subcommand,
        after_help = "\
Examples:
  uncaged-workflow workflow list
  uncaged-workflow workflow add hello hello.esm.js"
    )]
    Workflow(WorkflowVerb),
    Ps(PsArgs),
    Kill(KillArgs),
    Pause(PauseArgs),
    Resume(ResumeArgs),
    Fork(ForkArgs),
    Live(LiveArgs),
    /// Look into the content-addressed store
    #[command(
        subcommand,
        after_help = "\
Examples:
  uncaged-workflow cas get C9NM
  uncaged-workflow cas verify"
    )]
    Cas(CasVerb),
    Gc(GcArgs),
    Serve(ServeArgs),
    Setup(SetupArgs),
    Init(InitArgs),
    Skill(SkillArgs),
    Completions(CompletionsArgs),
}

#[derive(Subcommand, Debug)]
pub(super) enum WorkflowVerb {
    Add(AddArgs),
    List(ListArgs),
    Show(ShowArgs),
    #[command(visible_alias = "remove")]
    Rm(RemoveArgs),
    History(HistoryArgs),
    Rollback(RollbackArgs),
}

#[derive(ClapArgs, Debug)]
#[command(args_conflicts_with_subcommands = true, arg_required_else_help = true)]
#[command(after_help = "\
Examples:
  uncaged-workflow thread 01KB            the same as `thread show 01KB`
  uncaged-workflow thread list hello
  uncaged-workflow thread rm 01KB")]
pub(super) struct ThreadGroup {
    #[command(subcommand)]
    pub(super) verb: Option<ThreadVerb>,
    #[command(flatten)]
    pub(super) show: Option<ThreadShowArgs>,
}

#[derive(Subcommand, Debug)]
pub(super) enum ThreadVerb {
    Run(RunArgs),
    List(ThreadsArgs),
    Show(ThreadShowArgs),
    #[command(visible_alias = "remove")]
    Rm(ThreadRemoveArgs),
    Ps(PsArgs),
    Kill(KillArgs),
    Pause(PauseArgs),
    Resume(ResumeArgs),
    Fork(ForkArgs),
    Live(LiveArgs),
    Compact(CompactArgs),
}

#[derive(Subcommand, Debug)]
pub(super) enum CasVerb {
    Put(cas::PutArgs),
    Get(cas::GetArgs),
    List(cas::ListArgs),
    Rm(cas::RmArgs),
    Gc(GcArgs),
    Verify(VerifyArgs),
}
