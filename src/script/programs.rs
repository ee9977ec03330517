//! Stand-ins for agent programs: links to this program under other names, in a
//! folder that comes first in the search path.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::question::Started;
use super::server::{Instead, Ran};
use crate::engine::Trial;

/// The agent programs that host modules start.
pub const AGENTS: [&str; 2] = ["cursor-agent", "hermes"];

/// The exit code of a stand-in that has no answer, as of a command that a shell
/// does not find.
const NO_ANSWER: u8 = 127;

/// Makes a stand-in for each of these programs in `folder`; `program` is this
/// program's own file.
pub fn make<'n>(
    folder: &Path,
    program: &Path,
    names: impl IntoIterator<Item = &'n str>,
) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for name in names {
        let link = folder.join(name);
        if !link.exists() {
            std::os::unix::fs::symlink(program, link)?;
        }
    }
    Ok(())
}

/// A search path with `folder` first.
pub fn search_path(folder: &Path, usual: Option<&OsStr>) -> OsString {
    let usual = usual.map(|path| std::env::split_paths(path).collect()).unwrap_or_default();
    let all: Vec<PathBuf> = std::iter::once(folder.to_owned()).chain::<Vec<_>>(usual).collect();
    // A folder with a colon in its name can stand in no search path.
    std::env::join_paths(all).unwrap_or_else(|_| folder.as_os_str().to_owned())
}

/// The program itself, further on in the search path than its stand-in.
pub fn find(name: &str, folder: Option<&Path>, search_path: &OsStr) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    let runs = |file: &PathBuf| {
        let about = std::fs::metadata(file);
        about.is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
    };
    std::env::split_paths(search_path)
        .filter(|place| Some(place.as_path()) != folder)
        .map(|place| place.join(name))
        .find(runs)
}

/// The name of the program for which this process stands in, where it does.
pub fn standing_in(trial: &Trial, argv0: &OsStr) -> Option<String> {
    let name = Path::new(argv0).file_name()?.to_str()?;
    let folder = trial.programs.as_ref()?;
    let is_ours = name != env!("CARGO_PKG_NAME") && folder.join(name).is_symlink();
    is_ours.then(|| name.to_owned())
}

/// A program as it was started.
pub struct Invocation<'a> {
    /// Its name.
    pub name: String,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// The role that it works for.
    pub role: Option<String>,
    /// Where the program itself is looked for.
    pub search_path: OsString,
    /// Where output goes.
    pub stdout: &'a mut (dyn Write + Send),
    /// Where errors go.
    pub stderr: &'a mut (dyn Write + Send),
}

/// Does what the program would have done, as far as the server knows it, and
/// gives the exit code.
pub async fn stand_in(trial: &Trial, invocation: Invocation<'_>) -> io::Result<u8> {
    let Invocation { name, args, role, search_path, stdout, stderr } = invocation;
    let texts = args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
    let started = Started { name: name.clone(), args: texts, role };
    let instead = trial.relay.post("program", &started).await.map_err(io::Error::other)?;
    match instead {
        Instead::Print { stdout: text, stderr: errors, exit_code } => {
            stdout.write_all(text.as_bytes())?;
            stderr.write_all(errors.as_bytes())?;
            Ok(exit_code)
        }
        Instead::Unanswered(unanswered) => {
            writeln!(stderr, "{}", unanswered.message)?;
            Ok(NO_ANSWER)
        }
        Instead::Run(number) => {
            let Some(program) = find(&name, trial.programs.as_deref(), &search_path) else {
                writeln!(stderr, "{name}: not found in the search path")?;
                return Ok(NO_ANSWER);
            };
            let (out, err, exit_code) = run(&program, &args, stdout, stderr)?;
            let ran = Ran { number, started, stdout: out, stderr: err, exit_code };
            let _: () = trial.relay.post("program-ended", &ran).await.map_err(io::Error::other)?;
            Ok(exit_code)
        }
    }
}

/// Runs a program, passes its output on, and gives it with the exit code.
fn run(
    program: &Path,
    args: &[OsString],
    stdout: &mut (dyn Write + Send),
    stderr: &mut (dyn Write + Send),
) -> io::Result<(String, String, u8)> {
    let mut command = Command::new(program);
    command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let (out, err) = std::thread::scope(|scope| {
        let errors = scope.spawn(|| pass_on(err, stderr));
        let out = pass_on(out, stdout);
        (out, errors.join().unwrap_or_default())
    });
    let status = child.wait()?;
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    let code = status.code().or(signal.map(|number| 128 + number)).unwrap_or(1);
    Ok((out, err, u8::try_from(code).unwrap_or(1)))
}

fn pass_on(from: Option<impl Read>, to: &mut (dyn Write + Send)) -> String {
    let mut all = Vec::new();
    let mut chunk = [0; 8192];
    let Some(mut from) = from else { return String::new() };
    while let Ok(read @ 1..) = from.read(&mut chunk) {
        all.extend_from_slice(&chunk[..read]);
        // Whoever reads may have gone; what the program says is wanted all the same.
        let _ = to.write_all(&chunk[..read]).and_then(|()| to.flush());
    }
    String::from_utf8_lossy(&all).into_owned()
}
