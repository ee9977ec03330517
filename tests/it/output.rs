//! How commands print: JSON wherever something is listed or shown, and plain
//! text where colours are not wanted.

use serde_json::Value;

use crate::support::env::TestEnv;
use crate::support::terminal::Terminal;

const HAIKU: &str = include_str!("../../examples/haiku.esm.js");

#[test]
fn every_command_that_lists_or_shows_speaks_json() {
    let env = TestEnv::new();
    env.add("haiku", HAIKU);
    let thread = env.start("haiku", &[]);
    env.ended(&thread);
    let shown = env.show(&thread);
    let hash = shown["head"].as_str().unwrap();
    let id = thread.as_str();
    let lists: [&[&str]; 10] = [
        &["list"],
        &["workflow", "list"],
        &["history", "haiku"],
        &["workflow", "history", "haiku"],
        &["threads"],
        &["thread", "list"],
        &["ps"],
        &["thread", "ps"],
        &["cas", "list"],
        &["skill"],
    ];
    let objects: [&[&str]; 10] = [
        &["show", "haiku"],
        &["workflow", "show", "haiku"],
        &["thread", id],
        &["thread", "show", id],
        &["cas", "get", hash],
        &["cas", "verify"],
        &["gc", "--dry-run"],
        &["cas", "gc", "--dry-run"],
        &["check", "haiku.esm.js"],
        &["skill", "cli"],
    ];
    let json = |args: &[&str]| -> Value {
        let printed = env.run([args, &["--json"]].concat()).ok();
        serde_json::from_str(&printed).unwrap_or_else(|e| panic!("{args:?}: {e}: {printed}"))
    };
    for args in lists {
        assert!(json(args).is_array(), "{args:?}");
    }
    for args in objects {
        assert!(json(args).is_object(), "{args:?}");
    }
    // What changes something says on one line what it did.
    let put = json(&["cas", "put", "text"]);
    let said: [&[&str]; 4] = [
        &["cas", "rm", put["hash"].as_str().unwrap()],
        &["thread", "compact", id, "--summary", "s"],
        &["thread", "rm", id],
        &["remove", "haiku"],
    ];
    for args in said {
        assert!(json(args).is_object(), "{args:?}");
    }
    let lines = env.run(["run", "haiku.esm.js", "--wait", "--json"]).ok();
    for line in lines.lines() {
        assert!(serde_json::from_str::<Value>(line).unwrap().is_object(), "{line}");
    }
    assert_eq!(env.run(["live", "--latest", "--json"]).ok().lines().count(), 5);
}

#[test]
fn a_terminal_gets_colours_unless_no_color_is_set() {
    let env = TestEnv::new();
    env.add("haiku", HAIKU);
    let program = env!("CARGO_BIN_EXE_uncaged-workflow");
    let commands = ["run haiku --wait", "live --latest", "--help", "run --no-such-flag"];
    let screen = |variables: &[(&str, &str)], words: &str| {
        let mut like = env.command();
        like.envs(variables.iter().copied());
        Terminal::start(&like, &format!("'{program}' {words}")).finish().0
    };
    for words in commands {
        assert!(screen(&[], words).contains('\u{1b}'), "{words} is coloured at a terminal");
        let plain = screen(&[("NO_COLOR", "1")], words);
        assert!(!plain.is_empty() && !plain.contains('\u{1b}'), "{words}: {plain:?}");
    }
    // Not at a terminal, nothing is coloured, whatever is set.
    let output = env.run(["run", "haiku", "--wait"]);
    assert!(!output.stdout.contains('\u{1b}') && !output.stderr.contains('\u{1b}'));
}
