//! Our YAML against that of npm `yaml`, over values that nobody chose.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;
use uncaged_workflow::object::{Hash, yaml};

use crate::support::values::Values;
use crate::support::{npm, report};

/// Values a run; a few more than must be compared, for those where npm `yaml` errs.
const VALUES: usize = 20_600;
const COMPARED: usize = 20_000;

/// From `UNCAGED_TEST_SEED`, to repeat a run, else new each time.
fn seed() -> u64 {
    match std::env::var("UNCAGED_TEST_SEED") {
        Ok(seed) => seed.parse().expect("UNCAGED_TEST_SEED is a number"),
        Err(_) => SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros() as u64,
    }
}

fn values(seed: u64, count: usize) -> (Vec<Value>, Vec<String>) {
    let mut source = Values::new(seed);
    let values: Vec<Value> = (0..count).map(|_| source.any()).collect();
    let lines = values.iter().map(Value::to_string).collect();
    (values, lines)
}

#[test]
fn writes_the_text_and_hash_that_npm_yaml_and_xxhashjs_give() {
    let Some(package) = npm::package("yaml") else { return };
    let seed = seed();
    let (values, lines) = values(seed, VALUES);
    let answers = npm::run_script(&package, "stringify.mjs", &lines);
    let mut compared = 0;
    let mut faults = 0;
    for (value, answer) in values.iter().zip(&answers) {
        let answer: Value = serde_json::from_str(answer).unwrap();
        let ours = [("plain", yaml::encode(value)), ("quoted", yaml::encode_quoted(value))];
        let mut clean = true;
        for (style, ours) in ours {
            let theirs = &answer[style];
            if theirs["fault"].is_string() {
                clean = false;
                continue;
            }
            let about = format!("seed {seed}, style {style}, value {value}");
            assert_eq!(Some(ours.as_str()), theirs["text"].as_str(), "{about}");
            let hash = u64::from_str_radix(theirs["hash"].as_str().unwrap(), 16).unwrap();
            assert_eq!(Hash::of(&ours), Hash::from_u64(hash), "{about}");
        }
        if clean { compared += 1 } else { faults += 1 }
    }
    report(&format!(
        "differential: {compared} values written as npm yaml writes them, text and hash, \
         in 2 styles (seed {seed}; {faults} left out, which npm yaml destroys)"
    ));
    assert!(compared >= COMPARED, "only {compared} values compared, seed {seed}");
}

#[test]
fn reads_what_npm_yaml_writes_in_other_layouts() {
    let Some(package) = npm::package("yaml") else { return };
    let seed = seed();
    let (_, lines) = values(seed, 5_000);
    let texts = npm::run_script(&package, "layouts.mjs", &lines);
    let mut compared = 0;
    for (line, text) in lines.iter().zip(&texts) {
        let Value::String(text) = serde_json::from_str(text).unwrap() else { continue };
        // Read again: the numbers are those of the line now, as JavaScript has them.
        let read = yaml::decode(&text).map(|value| yaml::encode(&value));
        let value: Value = serde_json::from_str(line).unwrap();
        assert_eq!(read, Ok(yaml::encode(&value)), "seed {seed}, text {text:?}");
        compared += 1;
    }
    report(&format!("differential: {compared} texts in other layouts read (seed {seed})"));
    assert!(compared >= 3_500, "only {compared} texts compared, seed {seed}");
}
