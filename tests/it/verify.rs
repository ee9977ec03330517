//! `verify` names everything that is wrong.

use std::fs;

use serde_json::Value;
use uncaged_workflow::object::Hash;
use uncaged_workflow::store::Damage;
use uncaged_workflow::store::verify::{Problem, Referrer, Report};

use crate::chains::{Writer, bundle, ended, put_content, temp_store, thread, verified};
use crate::support::env::TestEnv;

const HAIKU: &str = include_str!("../../examples/haiku.esm.js");

#[test]
fn the_blobs_of_a_thread_are_deleted_by_force_only() {
    let env = TestEnv::new();
    env.add("haiku", HAIKU);
    let said = env.run(["run", "haiku", "--prompt", "x", "--wait"]).ok();
    let thread = said.lines().next().unwrap();
    let shown: Value = serde_json::from_str(&env.run(["thread", thread]).ok()).unwrap();
    let step = &shown["steps"][0];
    let needed = [&shown["start"]["hash"], &step["hash"], &step["contentHash"], &shown["head"]];
    for hash in needed.map(|hash| hash.as_str().unwrap()) {
        let refused = env.run(["cas", "rm", hash]);
        assert_eq!(
            (refused.stdout.as_str(), refused.stderr, refused.code),
            (
                "",
                format!(
                    "error: thread {thread} needs {hash}\n\
                     hint: `--force` deletes it all the same, and breaks the thread\n\
                     hint: `uncaged-workflow gc` deletes what no thread needs\n"
                ),
                Some(1)
            )
        );
    }
    let hash = step["contentHash"].as_str().unwrap();
    let missing = format!("missing blob {hash}, needed by");
    assert_eq!(env.run(["cas", "rm", hash, "--force"]).ok(), format!("removed {hash}\n"));
    assert!(env.run(["cas", "verify"]).stdout.starts_with(&missing));
    let garbage = env.run(["cas", "put", "nobody's"]).ok();
    assert_eq!(env.run(["cas", "rm", garbage.trim()]).ok(), format!("removed {garbage}"));
}

#[test]
fn the_missing_bundle_of_a_workflow_is_named() {
    let env = TestEnv::new();
    let bundle = env.add("haiku", HAIKU);
    std::fs::remove_file(env.root().join(format!("bundles/{bundle}.esm.js"))).unwrap();
    let verified = env.run(["cas", "verify"]);
    assert_eq!(
        verified.stdout,
        format!(
            "missing bundle {bundle}, needed by workflow \"haiku\"\n\
             verified 0 blobs and 0 threads: 1 problems\n"
        )
    );
    assert_eq!(verified.code, Some(1));
}

#[test]
fn a_sound_store_has_no_problems() {
    let (_dir, store) = temp_store();
    assert_eq!(verified(&store), Report::default());
    ended(&store, "done", &["planner", "coder"]);
    Writer::begin(&store, "active").step("planner");
    put_content(&store, "garbage", &[]);
    let source = "export const descriptor = {}";
    let path = store.layout().bundle(&Hash::of(source));
    fs::write(path, source).unwrap();
    let blobs = store.list().unwrap().len();
    assert_eq!(verified(&store), Report { blobs, threads: 2, bundles: 1, problems: vec![] });
}

#[test]
fn what_is_missing_is_named_with_who_needs_it() {
    let (_dir, store) = temp_store();
    let artifact = put_content(&store, "artifact", &[]);
    let content = put_content(&store, "report", &[artifact]);
    let mut writer = Writer::begin(&store, "t");
    writer.step_with("planner", content);
    let head = writer.end();
    store.delete(&artifact).unwrap();
    let missing = |hash, referrers| Problem::MissingBlob { hash, referrers };
    assert_eq!(verified(&store).problems, [missing(artifact, vec![Referrer::Blob(content)])]);
    store.delete(&head).unwrap();
    assert_eq!(verified(&store).problems, [missing(head, vec![Referrer::Head(thread("t"))])]);
}

#[test]
fn what_is_damaged_is_named_with_who_needs_it() {
    let (_dir, store) = temp_store();
    let unused = put_content(&store, "unused", &[]);
    let content = put_content(&store, "report", &[]);
    let mut writer = Writer::begin(&store, "t");
    let state = writer.step_with("planner", content);
    let damaged = |hash, referrers| Problem::DamagedBlob {
        hash,
        path: store.layout().blob(&hash),
        referrers,
    };
    fs::write(store.layout().blob(&unused), "").unwrap();
    fs::write(store.layout().blob(&content), "type: content\npayload: x\nrefs: []\n").unwrap();
    let mut expected = vec![damaged(unused, vec![]), damaged(content, vec![Referrer::Blob(state)])];
    expected.sort_by_key(|problem| match problem {
        Problem::DamagedBlob { hash, .. } => *hash,
        _ => unreachable!(),
    });
    assert_eq!(verified(&store).problems, expected);
    put_content(&store, "unused", &[]);
    put_content(&store, "report", &[]);
    assert_eq!(verified(&store).problems, []);
}

#[test]
fn a_head_of_another_kind_and_a_bundle_of_other_bytes_are_named() {
    let (_dir, store) = temp_store();
    let content = put_content(&store, "text", &[]);
    Writer::begin(&store, "t");
    store.advance_thread(&bundle(), &thread("t"), content, 0).unwrap();
    let path = store.layout().bundle(&bundle());
    fs::write(&path, "other").unwrap();
    assert_eq!(
        verified(&store).problems,
        [
            Problem::WrongNode { hash: content, referrers: vec![Referrer::Head(thread("t"))] },
            Problem::DamagedBundle { hash: bundle(), path },
        ]
    );
}

#[test]
fn damaged_lines_are_named_and_the_others_are_walked() {
    let (_dir, store) = temp_store();
    ended(&store, "t", &["planner"]);
    let path = store.layout().history_dir(&bundle()).join("2026-05-09.jsonl");
    let good = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{good}{{\"threadId\":\"x")).unwrap();
    let report = verified(&store);
    assert_eq!(report.threads, 1);
    let problem = "EOF while parsing a string".to_owned();
    assert_eq!(report.problems, [Problem::Index(Damage { path, line: Some(2), problem })]);
}
