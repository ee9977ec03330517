//! A command at a real terminal: `script` of Debian's bsdutils makes the
//! pseudo-terminal, the test types and reads.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use super::env::wait_until;

/// A running command and what its terminal has shown.
pub struct Terminal {
    child: Child,
    keyboard: ChildStdin,
    screen: Arc<Mutex<Vec<u8>>>,
    reader: std::thread::JoinHandle<()>,
    /// How much of the screen was waited for already.
    seen: usize,
}

impl Terminal {
    /// Starts a shell command in the environment and folder of `like`.
    pub fn start(like: &Command, line: &str) -> Terminal {
        let mut command = Command::new("script");
        command.args(["-qec", line, "/dev/null"]).env_clear();
        command.env("TERM", "xterm").env("SHELL", "/bin/sh");
        for (name, value) in like.get_envs() {
            if let Some(value) = value {
                command.env(name, value);
            }
        }
        if let Some(folder) = like.get_current_dir() {
            command.current_dir(folder);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("`script` of bsdutils is installed");
        let screen = Arc::new(Mutex::new(Vec::new()));
        let (mut shown, written) = (child.stdout.take().unwrap(), screen.clone());
        let reader = std::thread::spawn(move || {
            let mut part = [0; 4096];
            while let Ok(count @ 1..) = shown.read(&mut part) {
                let mut screen = written.lock().unwrap_or_else(PoisonError::into_inner);
                screen.extend_from_slice(&part[..count]);
            }
        });
        let keyboard = child.stdin.take().unwrap();
        Terminal { child, keyboard, screen, reader, seen: 0 }
    }

    /// Everything shown so far.
    pub fn screen(&self) -> String {
        let screen = self.screen.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&screen).into_owned()
    }

    /// Waits until this is shown, after what was waited for before.
    #[track_caller]
    pub fn wait_for(&mut self, text: &str) {
        let seen = self.seen;
        self.seen = wait_until(&format!("the terminal shows {text:?}"), || {
            let screen = self.screen();
            screen.get(seen..)?.find(text).map(|at| seen + at + text.len())
        });
    }

    /// Types this.
    pub fn type_text(&mut self, text: &str) {
        self.keyboard.write_all(text.as_bytes()).unwrap();
        self.keyboard.flush().unwrap();
    }

    /// Waits for the command's end; what was shown, and the exit code.
    pub fn finish(mut self) -> (String, Option<i32>) {
        let code = self.child.wait().unwrap().code();
        self.reader.join().unwrap();
        let screen = self.screen.lock().unwrap_or_else(PoisonError::into_inner);
        (String::from_utf8_lossy(&screen).replace("\r\n", "\n"), code)
    }
}
