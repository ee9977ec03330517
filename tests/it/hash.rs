//! Hashes and ids: SPEC section 3.

use uncaged_workflow::object::{Hash, InvalidHash, ThreadId, WorkflowName};

use crate::support::golden::golden_list;
use crate::support::report;

#[test]
fn every_golden_hash_is_the_hash_of_its_bytes() {
    let entries = golden_list("hash.json");
    for entry in &entries {
        let bytes = match entry["text"].as_str() {
            Some(text) => text.as_bytes().to_vec(),
            None => {
                let byte = entry["repeatByte"].as_u64().unwrap() as u8;
                vec![byte; entry["times"].as_u64().unwrap() as usize]
            }
        };
        let expected = entry["hash"].as_str().unwrap();
        assert_eq!(Hash::of(&bytes).as_str(), expected, "{entry}");
        assert_eq!(expected.parse(), Ok(Hash::of(&bytes)), "{entry}");
    }
    report(&format!("golden: {} hashes", entries.len()));
}

#[test]
fn a_hash_is_64_bits_with_the_pad_bit_last() {
    let text = |value| Hash::from_u64(value).to_string();
    assert_eq!(text(0), "0000000000000");
    assert_eq!(text(1), "0000000000002");
    assert_eq!(text(0xF), "000000000000Y");
    assert_eq!(text(1 << 63), "G000000000000");
    assert_eq!(text(u64::MAX), "ZZZZZZZZZZZZY");
}

#[test]
fn hashes_are_read_in_any_case_and_written_in_upper_case() {
    let known = Hash::of("x");
    assert_eq!(known.as_str().to_lowercase().parse(), Ok(known));
    let json = serde_json::to_string(&known).unwrap();
    assert_eq!(json, format!("\"{known}\""));
    assert_eq!(serde_json::from_str::<Hash>(&json.to_lowercase()).unwrap(), known);
}

#[test]
fn what_is_not_a_hash_is_refused() {
    let wrong = [
        "",
        "000000000000",
        "00000000000000",
        "000000000000I",
        "000000000000L",
        "000000000000O",
        "000000000000U",
        "../../../etc/",
        "00000 0000000",
        "00000000000é",
        "0000000000001",
        "ZZZZZZZZZZZZZ",
    ];
    for text in wrong {
        assert_eq!(text.parse::<Hash>(), Err(InvalidHash(text.into())));
    }
}

#[test]
fn a_new_thread_id_is_a_ulid_of_the_present_moment() {
    let id = ThreadId::generate();
    assert_eq!(id.as_str().len(), 26);
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let age = now.as_millis() as u64 - id.timestamp_ms().unwrap();
    assert!(age < 60_000, "{age} ms");
    assert_ne!(id, ThreadId::generate());
}

#[test]
fn thread_ids_are_opaque_but_safe_as_file_names() {
    for text in ["06F4HV5GS3W4SMH0Q5C1WRRM9W", "a", "thread_1-b", &"x".repeat(64)] {
        assert_eq!(text.parse::<ThreadId>().unwrap().as_str(), text);
    }
    for text in ["", ".", "..", "a/b", "a.b", "a\\b", "a b", "é", "a\0", &"x".repeat(65)] {
        text.parse::<ThreadId>().unwrap_err();
    }
}

#[test]
fn workflow_names_are_lower_case_words_joined_by_dashes() {
    for text in ["a", "solve-issue", "a1-2b", "x9"] {
        assert_eq!(text.parse::<WorkflowName>().unwrap().as_str(), text);
    }
    for text in ["", "-a", "a-", "a--b", "1a", "A", "a_b", "a.b", "a b", "é", "a/b"] {
        text.parse::<WorkflowName>().unwrap_err();
    }
}
