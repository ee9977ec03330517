//! `workflow.yaml`: the names that point at bundles.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;
use uncaged_workflow::bundle::{Registry, RegistryError};
use uncaged_workflow::object::{Hash, WorkflowName};

use crate::support::golden::golden_list;

fn name(text: &str) -> WorkflowName {
    text.parse().unwrap()
}

fn hash(text: &str) -> Hash {
    Hash::of(text)
}

fn parse(text: &str) -> Registry {
    Registry::parse(Path::new("workflow.yaml"), text.to_owned()).unwrap()
}

fn refused(text: &str) -> String {
    Registry::parse(Path::new("dir/workflow.yaml"), text.to_owned()).unwrap_err().to_string()
}

/// A registry file of its own.
fn file(text: &str) -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("workflow.yaml");
    fs::write(&path, text).unwrap();
    (dir, path)
}

/// `(current, when, [(earlier, when), …])` of a workflow.
fn versions(registry: &Registry, workflow: &str) -> (Hash, i64, Vec<(Hash, i64)>) {
    let entry = registry.get(&name(workflow)).unwrap();
    let history = entry.history.iter().map(|v| (v.hash, v.timestamp)).collect();
    (entry.hash, entry.timestamp, history)
}

#[test]
fn its_text_is_the_one_that_the_reference_writes() {
    for entry in golden_list("registry.json") {
        let file = entry["file"].as_str().unwrap();
        assert_eq!(parse(file).to_text(), file);
        assert_eq!(parse(file).to_value(), entry["registry"]);
        assert_eq!(parse(&entry["registry"].to_string()).to_text(), file);
    }
}

#[test]
fn registering_moves_the_current_version_to_the_head_of_the_history() {
    let mut registry = parse("");
    let flow = name("flow");
    assert!(registry.register(&flow, hash("1"), 100).unwrap());
    assert_eq!(versions(&registry, "flow"), (hash("1"), 100, vec![]));
    assert!(registry.register(&flow, hash("2"), 200).unwrap());
    assert!(registry.register(&flow, hash("3"), 300).unwrap());
    assert_eq!(
        versions(&registry, "flow"),
        (hash("3"), 300, vec![(hash("2"), 200), (hash("1"), 100)])
    );
    // The same file again is no new version.
    assert!(!registry.register(&flow, hash("3"), 400).unwrap());
    assert_eq!(versions(&registry, "flow").1, 300);
    // An earlier one moves from the history.
    assert!(registry.register(&flow, hash("1"), 500).unwrap());
    assert_eq!(
        versions(&registry, "flow"),
        (hash("1"), 500, vec![(hash("3"), 300), (hash("2"), 200)])
    );
}

#[test]
fn a_rollback_exchanges_the_current_version_and_an_earlier_one() {
    let mut registry = parse("");
    let flow = name("flow");
    for (i, text) in ["1", "2", "3"].into_iter().enumerate() {
        registry.register(&flow, hash(text), i as i64).unwrap();
    }
    assert_eq!(registry.rollback(&flow, None).unwrap(), hash("2"));
    assert_eq!(versions(&registry, "flow"), (hash("2"), 1, vec![(hash("3"), 2), (hash("1"), 0)]));
    assert_eq!(registry.rollback(&flow, Some(hash("1"))).unwrap(), hash("1"));
    assert_eq!(versions(&registry, "flow"), (hash("1"), 0, vec![(hash("2"), 1), (hash("3"), 2)]));
    // Twice without a hash is back where it was.
    registry.rollback(&flow, None).unwrap();
    registry.rollback(&flow, None).unwrap();
    assert_eq!(versions(&registry, "flow"), (hash("1"), 0, vec![(hash("2"), 1), (hash("3"), 2)]));
}

#[test]
fn what_is_not_there_is_said_with_what_there_is() {
    let mut registry = parse("");
    registry.register(&name("solve-issue"), hash("1"), 0).unwrap();
    registry.register(&name("develop"), hash("1"), 0).unwrap();
    let before = registry.to_value();
    match registry.rollback(&name("slove-issue"), None).unwrap_err() {
        RegistryError::UnknownWorkflow { name: unknown, known } => {
            assert_eq!(unknown, name("slove-issue"));
            assert_eq!(known, [name("develop"), name("solve-issue")]);
        }
        other => panic!("{other}"),
    }
    assert!(matches!(
        registry.rollback(&name("develop"), None).unwrap_err(),
        RegistryError::NoEarlierVersion { .. }
    ));
    assert!(matches!(
        registry.rollback(&name("develop"), Some(hash("1"))).unwrap_err(),
        RegistryError::AlreadyCurrent { .. }
    ));
    assert!(matches!(
        registry.rollback(&name("develop"), Some(hash("2"))).unwrap_err(),
        RegistryError::UnknownVersion { known, .. } if known.is_empty()
    ));
    assert!(matches!(
        registry.remove(&name("other")).unwrap_err(),
        RegistryError::UnknownWorkflow { .. }
    ));
    assert_eq!(registry.to_value(), before);
    registry.remove(&name("develop")).unwrap();
    assert_eq!(registry.names().collect::<Vec<_>>(), [&name("solve-issue")]);
}

#[test]
fn names_are_listed_sorted_and_kept_in_the_order_of_the_file() {
    let text = "workflows:\n  zeta: { hash: EBWR0GCPE5VWJ, timestamp: 1, history: [] }\n  \
                alpha: { hash: ebwr0gcpe5vwj, timestamp: 2 }\n";
    let mut registry = parse(text);
    let names: Vec<_> = registry.workflows().map(|(n, w)| (n.as_str(), w.timestamp)).collect();
    assert_eq!(names, [("alpha", 2), ("zeta", 1)]);
    registry.register(&name("beta"), "PPPR5NHXV4P1T".parse().unwrap(), 3).unwrap();
    registry.remove(&name("zeta")).unwrap();
    assert_eq!(
        registry.to_text(),
        r#""config": null
"workflows":
  "alpha":
    "hash": "EBWR0GCPE5VWJ"
    "timestamp": 2
    "history": []
  "beta":
    "hash": "PPPR5NHXV4P1T"
    "timestamp": 3
    "history": []

"#
    );
}

const BY_HAND: &str = "\
# our workflows
permissions: { net: [example.org] }
workflows:
  flow: &flow
    hash: EBWR0GCPE5VWJ
    timestamp: 5
    owner: 小橘
    history:
      - { hash: 'PPPR5NHXV4P1T', timestamp: 4, note: first }
  # another name for it
  same: *flow
config:
  providers: { p: { baseUrl: http://x, apiKey: k, region: eu } }
  unknown: [1, {two: 2.5}]
notes: |
  keep
  me
";

#[test]
fn what_a_person_wrote_is_kept_when_the_file_is_changed() {
    let (_dir, path) = file(BY_HAND);
    let added = Registry::update(&path, |registry| {
        registry.register(&name("flow"), "02N2F1GXYZMFY".parse().unwrap(), 6)
    });
    assert!(added.unwrap());
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        r#""permissions":
  "net":
    - "example.org"
"workflows":
  "flow":
    "hash": "02N2F1GXYZMFY"
    "timestamp": 6
    "history":
      - "hash": "EBWR0GCPE5VWJ"
        "timestamp": 5
      - "hash": "PPPR5NHXV4P1T"
        "timestamp": 4
        "note": "first"
    "owner": "小橘"
  "same":
    "hash": "EBWR0GCPE5VWJ"
    "timestamp": 5
    "history":
      - "hash": "PPPR5NHXV4P1T"
        "timestamp": 4
        "note": "first"
    "owner": "小橘"
"config":
  "providers":
    "p":
      "baseUrl": "http://x"
      "apiKey": "k"
      "region": "eu"
  "unknown":
    - 1
    - "two": 2.5
"notes": "keep\nme\n"

"#
    );
}

#[test]
fn a_change_that_changes_nothing_leaves_the_file_as_it_is() {
    let (_dir, path) = file(BY_HAND);
    let again = Registry::update(&path, |registry| {
        registry.register(&name("flow"), "EBWR0GCPE5VWJ".parse().unwrap(), 9)
    });
    assert!(!again.unwrap());
    let failed = Registry::update(&path, |registry| {
        registry.register(&name("new"), hash("new"), 9)?;
        registry.remove(&name("missing"))
    });
    assert!(matches!(failed, Err(RegistryError::UnknownWorkflow { .. })));
    assert_eq!(fs::read_to_string(&path).unwrap(), BY_HAND);
}

#[test]
fn the_config_can_be_set_where_there_was_none() {
    let (_dir, path) = file("workflows: {}\n");
    let config = json!({ "models": { "default": "p/m" } });
    Registry::update(&path, |registry| {
        assert_eq!(registry.config_value(), &Value::Null);
        registry.set_config(config.clone());
        Ok(())
    })
    .unwrap();
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        "\"config\":\n  \"models\":\n    \"default\": \"p/m\"\n\"workflows\": {}\n\n"
    );
    assert_eq!(Registry::load(&path).unwrap().config_value(), &config);
}

#[test]
fn an_unreadable_file_is_named_and_never_replaced() {
    let cases: &[(&[u8], &str)] = &[
        (b"workflows: [\n", ":2:1: not YAML: "),
        (b"workflows: broken\n", ":1: `workflows` is a string: expected a mapping"),
        (b"- a\n", ":1: expected a mapping, found a list"),
        (b"a: 1\nb: \xff\n", ":2: the file is not UTF-8"),
    ];
    for (bytes, message) in cases {
        let (_dir, path) = file("");
        fs::write(&path, bytes).unwrap();
        let result = Registry::update(&path, |r| r.register(&name("a"), hash("a"), 1));
        let text = result.unwrap_err().to_string();
        let expected = format!("{}{message}", path.display());
        assert!(text.starts_with(&expected), "{text}\n{expected}");
        assert_eq!(fs::read(&path).unwrap(), *bytes);
    }
}

#[test]
fn an_error_names_line_and_field() {
    let cases = [
        (
            "workflows:\n  flow:\n    timestamp: 1\n",
            "dir/workflow.yaml:2: `workflows.flow.hash` is missing: expected a bundle's hash, in quotes",
        ),
        (
            "workflows:\n  flow:\n    timestamp: 1\n    hash: 1234567890123\n",
            "dir/workflow.yaml:4: `workflows.flow.hash` is a number: expected a bundle's hash, in quotes",
        ),
        (
            "workflows:\n  flow:\n    hash: short\n    timestamp: 1\n",
            "dir/workflow.yaml:3: `workflows.flow.hash` is another string: expected a bundle's hash, in quotes",
        ),
        (
            "workflows:\n  flow:\n    hash: EBWR0GCPE5VWJ\n    timestamp: today\n",
            "dir/workflow.yaml:4: `workflows.flow.timestamp` is a string: expected a whole number",
        ),
        (
            "workflows:\n  a: {hash: EBWR0GCPE5VWJ, timestamp: 1}\n  b:\n    hash: EBWR0GCPE5VWJ\n    \
             timestamp: 1\n    history:\n      - hash: EBWR0GCPE5VWJ\n        timestamp: 1\n      - 5\n",
            "dir/workflow.yaml:9: `workflows.b.history[1]` is a number: expected a mapping",
        ),
        (
            "{\"workflows\": {\n\"a\": {\"hash\": \"EBWR0GCPE5VWJ\",\n\"timestamp\": 1, \"history\": [\n{\"hash\":\n\"x\"}]}}}",
            "dir/workflow.yaml:4: `workflows.a.history[0].hash` is another string: expected a bundle's hash, in quotes",
        ),
        (
            "config: {}\nworkflows:\n  Not_A_Name: {}\n",
            "dir/workflow.yaml:3: `workflows.Not_A_Name` is not a workflow name: expected lower-case words joined by `-` as the name",
        ),
    ];
    for (text, message) in cases {
        assert_eq!(refused(text), message);
    }
}

#[test]
fn a_missing_file_is_an_empty_registry_and_is_made_by_the_first_change() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("deep/er/workflow.yaml");
    assert_eq!(
        Registry::load(&path).unwrap().to_value(),
        json!({ "config": null, "workflows": {} })
    );
    assert!(!path.parent().unwrap().exists(), "reading creates nothing");
    Registry::update(&path, |r| r.register(&name("a"), hash("a"), 1)).unwrap();
    assert_eq!(versions(&Registry::load(&path).unwrap(), "a"), (hash("a"), 1, vec![]));
}

#[test]
fn permissions_of_the_file_are_kept() {
    // It may hold keys.
    let (_dir, path) = file("workflows: {}\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    Registry::update(&path, |r| r.register(&name("a"), hash("a"), 1)).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn no_change_is_lost_when_many_change_it_at_once() {
    let (_dir, path) = file("");
    std::thread::scope(|scope| {
        for worker in 0..8 {
            let path = &path;
            scope.spawn(move || {
                for i in 0..5 {
                    let name = name(&format!("w{worker}-{i}"));
                    Registry::update(path, |r| r.register(&name, hash("x"), i)).unwrap();
                    // Whoever reads meanwhile sees a whole file.
                    assert!(Registry::load(path).unwrap().get(&name).is_some());
                }
            });
        }
    });
    assert_eq!(Registry::load(&path).unwrap().names().count(), 40);
}
