//! The YAML text of values: SPEC section 4.

use serde_json::{Value, json};
use uncaged_workflow::object::yaml::{self, decode, encode, encode_quoted};

use crate::support::golden::golden_list;
use crate::support::report;

#[test]
fn every_golden_registry_is_written_and_read() {
    let entries = golden_list("registry.json");
    for entry in &entries {
        // The registry file has one line feed more.
        let text = encode_quoted(&entry["registry"]) + "\n";
        assert_eq!(text, entry["file"].as_str().unwrap());
        assert_eq!(decode(&text).unwrap().to_string(), entry["registry"].to_string());
    }
    report(&format!("golden: {} registries", entries.len()));
}

#[test]
fn every_golden_descriptor_is_written_and_read() {
    let entries = golden_list("descriptor.json");
    for entry in &entries {
        let text = encode_quoted(&entry["descriptor"]);
        assert_eq!(text, entry["yaml"].as_str().unwrap());
        assert_eq!(decode(&text).unwrap().to_string(), entry["descriptor"].to_string());
    }
    report(&format!("golden: {} descriptors", entries.len()));
}

#[test]
fn every_golden_text_means_what_it_says() {
    let entries = golden_list("parse.json");
    for entry in &entries {
        let text = entry["text"].as_str().unwrap();
        assert_eq!(decode(text).unwrap().to_string(), entry["value"].to_string(), "{text:?}");
    }
    report(&format!("golden: {} texts to read", entries.len()));
}

#[test]
fn plain_text_means_what_the_core_schema_says() {
    let strings = [
        "yes",
        "no",
        "on",
        "off",
        "y",
        "n",
        "2001-01-01",
        "12:30:00",
        "1_000",
        "0b1",
        "0o8",
        "0xg",
        "nULL",
        "tRUE",
        "<<",
        "=",
        ".",
        "+",
        "1e",
        "e1",
        "1.2.3",
        "0o",
        "0x",
        "+0x1",
        "-0o7",
        "infinity",
        "NaN",
        "inf",
    ];
    for text in strings {
        assert_eq!(decode(text), Ok(json!(text)));
    }
    let others = [
        ("0o17", json!(15)),
        ("0x1F", json!(31)),
        ("0xffffffffffffffffff", json!(4722366482869645213695.0)),
        ("012", json!(12)),
        ("+5", json!(5)),
        ("-0", json!(-0.0)),
        ("1.", json!(1)),
        (".5", json!(0.5)),
        ("-.5e-5", json!(-0.000005)),
        ("1e3", json!(1000)),
        ("9007199254740993", json!(9007199254740992_i64)),
        ("123456789012345678901", json!(123456789012345680000.0)),
        ("~", Value::Null),
        ("", Value::Null),
        ("NULL", Value::Null),
        ("TRUE", json!(true)),
        ("False", json!(false)),
        // JSON has no such numbers.
        (".inf", Value::Null),
        ("-.INF", Value::Null),
        (".NaN", Value::Null),
        ("1e400", Value::Null),
    ];
    for (text, value) in others {
        assert_eq!(decode(text).unwrap().to_string(), value.to_string(), "{text}");
    }
}

#[test]
fn numbers_are_written_as_javascript_writes_them() {
    let numbers = [
        (json!(-0.0), "-0"),
        (json!(0), "0"),
        (json!(5.0), "5"),
        (json!(1e20), "100000000000000000000"),
        (json!(1e21), "1e+21"),
        (json!(0.000001), "0.000001"),
        (json!(1e-7), "1e-7"),
        (json!(5e-324), "5e-324"),
        (json!(f64::MAX), "1.7976931348623157e+308"),
        (json!(0.1 + 0.2), "0.30000000000000004"),
        (json!(9007199254740993_i64), "9007199254740992"),
        (json!(i64::MIN), "-9223372036854776000"),
        (json!(u64::MAX), "18446744073709552000"),
    ];
    for (number, text) in numbers {
        assert_eq!(encode(&number), format!("{text}\n"));
        assert_eq!(encode_quoted(&json!({ "k": number })), format!("\"k\": {text}\n"));
    }
}

#[test]
fn array_indices_come_first_as_in_a_javascript_object() {
    let value = json!({ "b": 1, "10": 2, "9": 3, "4294967295": 4, "01": 5, "0": 6 });
    assert_eq!(
        encode(&value),
        "\"0\": 6\n\"9\": 3\n\"10\": 2\nb: 1\n\"4294967295\": 4\n\"01\": 5\n"
    );
}

#[test]
fn every_layout_of_a_node_means_the_same() {
    let layouts = [
        "type: content\npayload: a b\nrefs:\n  - A\n",
        "type: content\npayload: a b\nrefs:\n- A\n",
        "---\ntype: content\npayload: a\n  b\nrefs: [A]\n...\n",
        "%YAML 1.2\n---\n{type: content, payload: 'a\n  b', refs: [A,]}\n",
        "{\"type\":\"content\",\"payload\":\"a b\",\"refs\":[\"A\"]}",
        "\u{FEFF}{\"type\": \"content\",\n \"payload\": \"a\\\n   \\ b\", \"refs\": [\n\"A\"]}",
        "\u{FEFF}# comment\ntype:   content # more\npayload: >-\n    a\n    b\nrefs:\n      - A\n",
        "type: content\r\npayload: |-\r\n  a b\r\nrefs:\r\n  - A\r\n",
        "? type\n: content\n? payload\n: !!str a b\n? refs\n: - A\n",
        "type: &t content\npayload: a b\nrefs: !!seq\n  - ! A\n",
        "type: content\n\n\npayload:\n  a\n  b\n\nrefs:\n\n  - A",
    ];
    let expected = json!({ "type": "content", "payload": "a b", "refs": ["A"] });
    for text in layouts {
        assert_eq!(decode(text), Ok(expected.clone()), "{text:?}");
    }
}

#[test]
fn separators_and_byte_order_marks_inside_a_text_stay() {
    for c in ['\u{85}', '\u{2028}', '\u{2029}', '\u{FEFF}', '\u{A0}'] {
        for text in [
            format!("k: a{c}b\n"),
            format!("k:   a{c}b   # odd layout\n"),
            format!("{{k: 'a{c}b'}}"),
            format!("{{\"k\": \"a{c}b\"}}"),
            format!("k: |-\n     a{c}b\n"),
            format!("k: >-\n     a{c}b\n"),
        ] {
            assert_eq!(decode(&text), Ok(json!({ "k": format!("a{c}b") })), "{text:?}");
        }
    }
}

#[test]
fn anchors_and_aliases_are_copies() {
    let text = "base: &b {x: 1}\nlist: [*b, &s text, *s]\n<<: *b\n";
    let expected = json!({ "base": {"x": 1}, "list": [{"x": 1}, "text", "text"], "<<": {"x": 1} });
    assert_eq!(decode(text), Ok(expected));
}

#[test]
fn keys_become_strings_as_in_a_javascript_object() {
    let text = "1: a\n0x10: b\ntrue: c\n~: d\n1.50: e\n? f\n";
    let expected = json!({ "1": "a", "16": "b", "true": "c", "": "d", "1.5": "e", "f": null });
    assert_eq!(decode(text), Ok(expected));
}

#[test]
fn what_is_not_one_document_is_refused_with_its_place() {
    let wrong = [
        ("a: 1\nb: 2\na: 3\n", "key `a` twice at line 3, column 1"),
        ("{1: a, '1': b}", "key `1` twice at line 1, column 8"),
        ("--- a\n--- b\n", "a second document at line 2, column 1"),
        ("&a [*a]", "an alias inside what it stands for at line 1, column 5"),
        ("[[]: 1]", "a collection as a key at line 1, column 2"),
        ("a: !!int x\n", "`x` is not what its tag says at line 1, column 4"),
        ("a: b\nc\0: d\n", "NUL character at line 2, column 2"),
    ];
    for (text, message) in wrong {
        let error = decode(text).unwrap_err();
        assert_eq!(error.to_string(), format!("not YAML: {message}"));
    }
    for text in
        ["[", "{a: 1", "\"open", "a: *unknown", "a: b: c", "\t- a: \n\t b", "a: [}\n", "- a\nb"]
    {
        decode(text).unwrap_err();
    }
}

#[test]
fn deep_nesting_is_an_error_and_no_crash() {
    for depth in [yaml::MAX_DEPTH + 1, 100_000] {
        for (open, close) in [("[", "]"), ("{a: ", "}"), ("- ", ""), ("? ", "")] {
            decode(&format!("{}x{}", open.repeat(depth), close.repeat(depth))).unwrap_err();
        }
        let lines = (0..depth.min(2_000)).map(|i| format!("{:i$}a:\n", ""));
        decode(&lines.collect::<String>()).unwrap_err();
    }
}

#[test]
fn a_small_text_cannot_become_a_huge_value() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for i in 1..12 {
        let alias = format!("*a{}", i - 1);
        text += &format!("a{i}: &a{i} [{}]\n", [alias.as_str(); 10].join(", "));
    }
    let error = decode(&text).unwrap_err();
    assert!(error.message.contains("more than 100000 values"), "{error}");
}
