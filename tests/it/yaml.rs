//! The YAML text of values: SPEC section 4.

use proptest::prelude::*;
use serde_json::{Map, Number, Value, json};
use uncaged_workflow::object::yaml::{self, decode, encode, encode_quoted};

use crate::support::golden::golden_list;
use crate::support::report;
use crate::support::values::Values;

/// The value as JavaScript has it: every number a double, array indices first.
/// Text is compared, so that order and the sign of zero count.
fn as_javascript(value: &Value) -> String {
    fn convert(value: &Value) -> Value {
        match value {
            Value::Number(number) => {
                let double = number.as_f64().unwrap();
                let whole = double.trunc() == double && double.abs() <= 2f64.powi(53);
                if whole && !(double == 0.0 && double.is_sign_negative()) {
                    json!(double as i64)
                } else {
                    Number::from_f64(double).map_or(Value::Null, Value::Number)
                }
            }
            Value::Array(items) => items.iter().map(convert).collect(),
            Value::Object(entries) => {
                let index = |key: &str| {
                    key.parse::<u32>().ok().filter(|i| i.to_string() == key && *i != u32::MAX)
                };
                let mut entries: Vec<_> = entries.iter().collect();
                entries.sort_by_key(|(key, _)| index(key).map_or((1, 0), |i| (0, i)));
                let entries = entries.into_iter().map(|(key, value)| (key.clone(), convert(value)));
                Value::Object(entries.collect::<Map<_, _>>())
            }
            other => other.clone(),
        }
    }
    convert(value).to_string()
}

#[track_caller]
fn comes_back(value: &Value) {
    for text in [encode(value), encode_quoted(value)] {
        let back = decode(&text).unwrap_or_else(|error| panic!("{error}: {text:?}"));
        assert_eq!(as_javascript(&back), as_javascript(value), "{text}");
    }
}

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
        comes_back(&entry["descriptor"]);
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
    let mut value = json!("text");
    for i in 0..yaml::MAX_DEPTH {
        value = if i % 2 == 0 { json!([value]) } else { json!({ "k": value }) };
    }
    comes_back(&value);
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

#[test]
fn no_line_is_cut_inside_a_surrogate_pair() {
    // npm `yaml` cuts one of these two in the middle of a character.
    for start in ["", "x"] {
        let value = json!({ "k": format!("\u{1}{start}{}", "😀".repeat(60)) });
        let text = encode(&value);
        assert!(
            text.lines().count() > 1 && text.lines().all(|l| l.encode_utf16().count() <= 80),
            "{text}"
        );
        comes_back(&value);
    }
}

#[test]
fn a_quoted_string_at_the_far_margin_is_kept() {
    // npm `yaml` writes the word "undefined" into these.
    for depth in 35..60 {
        let mut value = json!("\u{1} some words in quotes that need more than one line");
        for _ in 0..depth {
            value = json!([value]);
        }
        assert!(!encode(&value).contains("undefined"));
        comes_back(&value);
    }
}

#[test]
fn texts_that_npm_yaml_misreads_come_back() {
    let words = "word ".repeat(40);
    let texts = [
        format!(" # an indented first line that is folded {words}\nnext"),
        format!("  - {words}x\n\n  {words}x\nlast {words}x"),
        format!("{words}\n  \n{words}x"),
        format!(" a\n  \n\n{words}x"),
        format!("a\n\t\n \nb {words}x\n\n"),
        format!(" a\u{2028}b\nc {words}x"),
        "\n\n\n\n \n\n".to_owned(),
        "  \n".to_owned(),
        "\n  \n a".to_owned(),
        format!("{}\n \n\u{1}b", "a".repeat(45)),
        format!("\u{1}{}\n \n", "a".repeat(45)),
    ];
    for text in &texts {
        comes_back(&json!(text));
        comes_back(&json!({ "type": "content", "payload": text, "refs": [] }));
        let mut deep = json!(text);
        for _ in 0..38 {
            deep = json!([deep]);
            comes_back(&deep);
        }
    }
}

#[test]
fn ten_thousand_odd_values_come_back() {
    let mut values = Values::new(1);
    let mut twins = 0;
    for _ in 0..10_000 {
        // As a payload: a bare mapping may not begin with a byte order mark.
        let value = json!({ "type": "content", "payload": values.any(), "refs": [] });
        for text in [encode(&value), encode_quoted(&value)] {
            let back = decode(&text).unwrap_or_else(|error| panic!("{error}: {text:?}"));
            if as_javascript(&back) == as_javascript(&value) {
                continue;
            }
            // Two values that npm `yaml` gives one text, and so one hash.
            assert!(encode(&back) == text || encode_quoted(&back) == text, "{value}\n{text}");
            twins += 1;
        }
    }
    report(&format!("round trip: 10000 values, {twins} of them twins of another"));
    assert!(twins < 10);
}

fn any_value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        "\\PC{0,12}",
        "[ \\n\\ta-c:#\\-\"'\\\\|>%]{0,30}",
        any::<String>(),
        "([a-z]{1,12} ?){0,40}",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|d| Number::from_f64(d).map_or(Value::Null, Value::Number)),
        text.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((text.clone(), inner), 0..6)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_comes_back_and_is_written_the_same(payload in any_value()) {
        let value = json!({ "type": "content", "payload": payload, "refs": [] });
        for (quoted, text) in [(false, encode(&value)), (true, encode_quoted(&value))] {
            let back = decode(&text).unwrap();
            prop_assert_eq!(as_javascript(&back), as_javascript(&value));
            let again = if quoted { encode_quoted(&back) } else { encode(&back) };
            prop_assert_eq!(again, text);
        }
    }

    #[test]
    fn json_is_yaml(payload in any_value()) {
        let value = json!({ "payload": payload });
        // JSON leaves DEL and C1 controls as they are, and so must we.
        let back = decode(&serde_json::to_string_pretty(&value).unwrap()).unwrap();
        prop_assert_eq!(as_javascript(&back), as_javascript(&value));
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in any::<String>(), yaml_like in "[-?:,\\[\\]{}#&*!|>'\"%@`a1 \\n\\t\\r\\\\~.<=]{0,60}") {
        let _ = decode(&text);
        let _ = decode(&yaml_like);
        let _ = decode(&format!("a: {yaml_like}"));
    }
}
