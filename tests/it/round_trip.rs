//! What is written as YAML comes back: SPEC section 4.

use proptest::prelude::*;
use serde_json::{Map, Number, Value, json};
use uncaged_workflow::object::yaml::{self, decode, encode, encode_quoted};

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
fn nesting_as_deep_as_is_read_comes_back() {
    let mut value = json!("text");
    for i in 0..yaml::MAX_DEPTH {
        value = if i % 2 == 0 { json!([value]) } else { json!({ "k": value }) };
    }
    comes_back(&value);
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
