//! Nodes as blobs: SPEC section 4.

use serde_json::{Map, Value, json};
use uncaged_workflow::object::{
    ContentNode, DecodeError, Hash, Node, StartNode, StateNode, blob_refs, normalize_blob, yaml,
};

use crate::support::golden::{golden, golden_list};
use crate::support::report;

fn hash(text: &str) -> Hash {
    text.parse().unwrap()
}

/// Checks a node's document against its blob, both ways. Numbers compare as text:
/// 1 and 1.0 are one number.
#[track_caller]
fn check_golden(kind: &str, payload: &Value, refs: &Value, entry: &Value) {
    let blob = entry["blob"].as_str().unwrap();
    let document = json!({ "type": kind, "payload": payload, "refs": refs });
    assert_eq!(yaml::encode(&document), blob);
    assert_eq!(Hash::of(blob).as_str(), entry["hash"].as_str().unwrap(), "{blob}");

    let node = Node::decode(blob).unwrap();
    assert_eq!(node.encode(), blob);
    assert_eq!(node.to_value().to_string(), yaml::decode(blob).unwrap().to_string(), "{blob}");
    assert_eq!(json!(blob_refs(blob)), *refs, "{blob}");
    assert_eq!(normalize_blob(blob), blob);
    let again = match node {
        Node::Start(node) => Node::from(node).encode(),
        Node::State(node) => Node::from(node).encode(),
        Node::Content(node) => Node::from(node).encode(),
        Node::Other { .. } => panic!("{kind} is a kind we know: {blob}"),
    };
    assert_eq!(again, blob);
}

#[track_caller]
fn check_golden_file(kind: &str) {
    let name = format!("{kind}-nodes.json");
    let entries = golden_list(&name);
    for entry in &entries {
        check_golden(kind, &entry["payload"], &entry["refs"], entry);
    }
    report(&format!("golden: {} {kind} nodes", entries.len()));
}

#[test]
fn every_golden_content_node_is_written_and_read() {
    check_golden_file("content");
    for entry in golden_list("content-nodes.json") {
        let node = Node::decode(entry["blob"].as_str().unwrap()).unwrap();
        let text = entry["payload"].as_str().unwrap().to_owned();
        let refs = serde_json::from_value(entry["refs"].clone()).unwrap();
        assert_eq!(node, Node::Content(ContentNode { text, refs }));
    }
}

#[test]
fn every_golden_state_node_is_written_and_read() {
    check_golden_file("state");
}

#[test]
fn every_golden_start_node_is_written_and_read() {
    check_golden_file("start");
}

#[test]
fn every_node_of_the_golden_thread_is_written_and_read() {
    let chain = golden("thread-chain.json");
    let nodes = chain["nodes"].as_array().unwrap();
    let mut known: Vec<String> = Vec::new();
    let mut parent: Option<(Hash, StateNode)> = None;
    for entry in nodes {
        let blob = entry["blob"].as_str().unwrap();
        let document = yaml::decode(blob).unwrap();
        let kind = document["type"].as_str().unwrap();
        check_golden(kind, &document["payload"], &document["refs"], entry);
        if let Some(payload) = entry.get("payload") {
            assert_eq!(document["payload"].to_string(), payload.to_string());
        }
        // Every node refers to nodes before it only.
        for name in blob_refs(blob) {
            assert!(known.contains(&name), "{name} in {blob}");
        }
        let own = Hash::of(blob);
        known.push(own.to_string());
        if let Node::State(state) = Node::decode(blob).unwrap() {
            let expected = match &parent {
                Some((hash, parent)) => parent.ancestors_of_child(*hash),
                None => Vec::new(),
            };
            assert_eq!(state.ancestors, expected, "{blob}");
            assert_eq!(state.parent(), parent.as_ref().map(|(hash, _)| *hash));
            parent = Some((own, state));
        }
    }
    let (head, end) = parent.unwrap();
    assert_eq!(head.as_str(), chain["headHash"].as_str().unwrap());
    assert_eq!(end.start.as_str(), chain["startHash"].as_str().unwrap());
    assert_eq!(end.role, "__end__");
    report(&format!("golden: a thread of {} nodes", nodes.len()));
}

#[test]
fn child_thread_and_parent_state_stand_last_and_only_when_there_are_any() {
    let [a, b, c, d] = ["a", "b", "c", "d"].map(Hash::of);
    let mut state = StateNode {
        role: "coder".into(),
        meta: Map::new(),
        start: a,
        content: b,
        ancestors: vec![],
        compact: Some(c),
        timestamp: 1_714_963_200_000,
        child_thread: None,
    };
    let without = format!(
        "type: state\npayload:\n  role: coder\n  meta: {{}}\n  start: {a}\n  content: {b}\n  \
         ancestors: []\n  compact: {c}\n  timestamp: 1714963200000\n"
    );
    let refs = format!("refs:\n  - {a}\n  - {b}\n  - {c}\n");
    assert_eq!(Node::from(state.clone()).encode(), format!("{without}{refs}"));
    state.child_thread = Some(d);
    let blob = Node::from(state.clone()).encode();
    assert_eq!(blob, format!("{without}  childThread: {d}\n{refs}  - {d}\n"));
    assert_eq!(Node::decode(&blob).unwrap(), Node::State(state));

    let start = StartNode {
        name: "solve-issue".into(),
        hash: a,
        max_rounds: Some(10),
        depth: 1,
        parent_state: Some(b),
        prompt: c,
    };
    let blob = Node::from(start.clone()).encode();
    assert_eq!(
        blob,
        format!(
            "type: start\npayload:\n  name: solve-issue\n  hash: {a}\n  maxRounds: 10\n  depth: 1\n  \
             parentState: {b}\nrefs:\n  - {c}\n  - {b}\n"
        )
    );
    assert_eq!(Node::decode(&blob).unwrap(), Node::Start(start));
}

#[test]
fn nodes_of_the_third_age_are_read_like_the_others() {
    let blob = "type: start\npayload:\n  name: demo\n  hash: EBWR0GCPE5VWJ\n  depth: 0\n  \
                parentState: null\nrefs:\n  - 02N2F1GXYZMFY\n";
    let Ok(Node::Start(start)) = Node::decode(&blob.replace("EBWR0GCPE5VWJ", "XMVHRW33N4PZ0"))
    else {
        panic!("a start node: {blob}")
    };
    assert_eq!((start.max_rounds, start.parent_state), (None, None));
    assert_eq!(start.prompt, hash("02N2F1GXYZMFY"));

    let blob = "type: state\npayload:\n  role: coder\n  meta:\n    ok: true\n  start: 1YJS4N65V0MV2\n  \
                content: 02NVCE0Y3F4N6\n  ancestors: []\n  compact: null\n  timestamp: 1796045931001\n  \
                childThread: null\nrefs:\n  - 1YJS4N65V0MV2\n  - 02NVCE0Y3F4N6\n";
    let Ok(Node::State(state)) = Node::decode(blob) else { panic!("a state node: {blob}") };
    assert_eq!((state.child_thread, state.timestamp), (None, 1_796_045_931_001));
}

#[test]
fn legacy_nodes_are_kept_and_their_children_are_their_refs() {
    let blob = "type: step\npayload:\n  role: coder\nchildren:\n  - A\n  - B\n";
    let Ok(Node::Other { value, refs }) = Node::decode(blob) else { panic!("{blob}") };
    assert_eq!(refs, ["A", "B"]);
    assert_eq!(yaml::encode(&value), blob);
    assert_eq!(blob_refs(blob), ["A", "B"]);
    let content = Node::decode("type: content\npayload: x\nchildren: [A]\n").unwrap();
    assert_eq!(content, Node::Content(ContentNode { text: "x".into(), refs: vec!["A".into()] }));
}

#[test]
fn text_that_is_a_node_is_put_as_it_stands() {
    let nodes = [
        "type: content\npayload: x\nrefs: []\n",
        "type: content\npayload: x\nchildren: []\n",
        "type: step\npayload: {}\nchildren: [A]\n",
        "type: thread\nchildren:\n- A\n",
        "type: whatever\nrefs: [A, 'B']",
        "{type: content, payload: 'it''s', refs: [A, \"B\"]}",
        "{\"\\x74ype\": a, \"\\u0072efs\": []}",
        "\u{FEFF}{type: content, payload: x, refs: []}\r\n",
        "# a comment\n---\nrefs: []\ntype: x\n",
    ];
    for text in nodes {
        assert_eq!(normalize_blob(text), text);
    }
}

#[test]
fn any_other_text_is_put_as_a_content_node() {
    let texts = [
        "",
        "hello",
        "type: whatever\nchildren: [A]\n",
        "type: content\npayload: x\n",
        "type: content\nrefs: [1]\n",
        "type: content\nrefs: A\n",
        "type: 5\nrefs: []\n",
        "refs: []\n",
        "- type: content\n  refs: []\n",
        "type: content\nrefs: []\n---\nsecond document\n",
        "type: content\nrefs: [\n",
        "type: content\ntype: content\nrefs: []\n",
    ];
    for text in texts {
        let blob = normalize_blob(text);
        let content = ContentNode { text: text.into(), refs: vec![] };
        assert_eq!(Node::decode(&blob).unwrap(), Node::Content(content), "{text:?}");
        assert_eq!(normalize_blob(&blob), blob);
    }
}

#[test]
fn refs_are_those_that_a_whole_reading_finds() {
    let blobs = [
        "type: content\npayload: x\nrefs:\n  - \"1796045931001\"\n  - 02N2F1GXYZMFY\n",
        "type: content\npayload: x\nrefs:\n  - 1796045931001\n  - 02N2F1GXYZMFY\n",
        "type: content\npayload: x\nrefs:\n  - 1E10000000000\n  - NULL\n  - 'A'\n",
        "type: content\npayload: |\n  refs:\n    - A\nrefs: []\n",
        "type: content\npayload: |\n  x\n\n  refs:\n    - A\nrefs:\n  - B\n",
        "type: content\nrefs:\n  - A\npayload: x\n",
        "type: content\nrefs:\n  - A # first\n  - B\n",
        "type: content\npayload: x\nrefs:\n- A\n- B\n",
        "type: content\npayload: x\nrefs:\n  - A\n\n  - B\n",
        "type: content\npayload: \"a\n\n  refs:\n    - A\"\nrefs:\n  - B\n",
        "type: content\r\npayload: x\r\nrefs:\r\n  - A\r\n",
        "type: content\npayload: &a [X]\nrefs: *a\n",
        "type: step\npayload: x\nchildren:\n  - A\n",
        "not a node",
    ];
    for blob in blobs {
        let document = yaml::decode(blob).unwrap();
        let list = [&document["refs"], &document["children"]].into_iter().find(|l| l.is_array());
        let strings =
            list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        assert_eq!(blob_refs(blob), strings.collect::<Vec<_>>(), "{blob}");
    }
}

#[test]
fn what_is_wrong_with_a_node_is_said() {
    let error = |text: &str| Node::decode(text).unwrap_err().to_string();
    assert_eq!(error("- a\n"), "not a node: expected a mapping with `type`, `payload` and `refs`");
    assert_eq!(
        error("type: 1\n"),
        "not a node: expected a mapping with `type`, `payload` and `refs`"
    );
    assert_eq!(
        error("type: content\npayload: 0o17\nrefs: []\n"),
        "field `payload` of a `content` node is missing or of the wrong type"
    );
    assert_eq!(
        error("type: state\npayload:\n  role: coder\nrefs: []\n"),
        "field `meta` of a `state` node is missing or of the wrong type"
    );
    assert_eq!(
        error("type: start\npayload:\n  name: demo\n  hash: nonsense\nrefs: []\n"),
        "field `hash` of a `start` node is missing or of the wrong type"
    );
    assert_eq!(
        error("type: start\npayload:\n  name: demo\n  hash: 02N2F1GXYZMFY\nrefs: []\n"),
        "field `refs` of a `start` node is missing or of the wrong type"
    );
    let yaml = Node::decode("type: content\npayload: \"open\n").unwrap_err();
    assert!(matches!(yaml, DecodeError::Yaml(_)), "{yaml}");
}
