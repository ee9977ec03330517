//! What a bundle throws, and where.

use uncaged_workflow::host::{HostError, Place, Thrown};

use crate::support::services::{Outcome, bundle, run, script};

/// The error's stack with the bundle's URL shortened to its name.
fn stack(outcome: &Outcome) -> String {
    let stack = outcome.error().stack().expect("an error with a stack");
    let folder = stack.find("file://").zip(stack.find("bundles/"));
    let folder = folder.map(|(from, to)| &stack[from..to + "bundles/".len()]);
    folder.map_or_else(|| stack.to_string(), |folder| stack.replace(folder, ""))
}

#[test]
fn a_throw_has_name_message_stack_and_place() {
    let outcome = script("function inner() { throw new RangeError('bad') }", "inner();");
    assert_eq!(
        stack(&outcome),
        "RangeError: bad\n    at inner (0123456789ABC.esm.js:1:26)\n    \
         at run (0123456789ABC.esm.js:4:1)\n    at run.next (<anonymous>)"
    );
    let HostError::Thrown(thrown) = outcome.error() else { panic!("{outcome:?}") };
    assert_eq!((thrown.name.as_deref(), &*thrown.message), (Some("RangeError"), "bad"));
    assert_eq!(thrown.place, Some(Place { line: 1, column: 26 }));
    assert_eq!(outcome.error().summary(), "bad");
}

#[test]
fn causes_and_aggregates_are_told() {
    let outcome = script(
        "",
        "const cause = new TypeError('deep');
         cause.stack = 'TypeError: deep';
         const error = new AggregateError([cause], 'many', { cause });
         error.stack = 'AggregateError: many';
         throw error;",
    );
    let expected = "AggregateError: many\nOne of: TypeError: deep\nCaused by: TypeError: deep";
    assert_eq!(outcome.error().stack(), Some(expected));
}

#[test]
fn what_is_no_error_is_shown() {
    let cases = [
        ("'text'", "text"),
        ("{ a: [1, new Map()] }", "{ a: [ 1, Map(0) {} ] }"),
        ("undefined", "undefined"),
        ("null", "null"),
        ("Symbol('s')", "Symbol(s)"),
    ];
    for (value, message) in cases {
        let thrown =
            Thrown { name: None, message: message.into(), stack: message.into(), place: None };
        let outcome = script("", &format!("throw {value};"));
        assert_eq!(outcome.error(), &HostError::Thrown(thrown), "{value}");
    }
}

#[test]
fn a_throw_at_top_level_or_a_rejected_await_there_fails_the_load() {
    for top in ["throw new Error('top')", "await Promise.reject(new Error('top'))"] {
        let outcome = run(&bundle(top, ""));
        assert_eq!(outcome.error().to_string(), "Error: top");
        assert_eq!(outcome.error().place().map(|place| place.line), Some(1));
    }
}

#[test]
fn source_that_does_not_compile_names_the_place() {
    let outcome = run("export const run = 1;\nconst = 5;");
    let HostError::Module(thrown) = outcome.error() else { panic!("{outcome:?}") };
    assert_eq!(thrown.to_string(), "SyntaxError: Unexpected token '='");
    assert_eq!(thrown.place, Some(Place { line: 2, column: 7 }));
}

#[test]
fn a_stack_overflow_is_a_range_error() {
    let outcome = script("", "const deeper = () => deeper() + 1; deeper();");
    assert_eq!(outcome.error().to_string(), "RangeError: Maximum call stack size exceeded");
    let outcome = script("", "const f = () => f() + 1; try { f() } catch (e) { return e.name }");
    assert_eq!(outcome.value(), "RangeError");
}

#[test]
fn an_unhandled_rejection_fails_the_run() {
    for rest in ["await new Promise(() => setTimeout(() => {}, 60_000));", ""] {
        let outcome = script("", &format!("Promise.reject(new Error('lost')); {rest} return 1;"));
        let HostError::Unhandled(thrown) = outcome.error() else { panic!("{outcome:?}") };
        assert_eq!(thrown.to_string(), "Error: lost");
    }
}

#[test]
fn a_listener_takes_unhandled_rejections_as_in_node() {
    let outcome = script(
        "",
        "const reasons = [];
         process.on('unhandledRejection', (reason) => reasons.push(reason.message));
         Promise.reject(new Error('lost'));
         while (reasons.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
         return reasons;",
    );
    assert_eq!(outcome.value(), &serde_json::json!(["lost"]));
}

#[test]
fn a_throw_in_a_timer_or_listener_fails_the_run() {
    let wait = "await new Promise((resolve) => setTimeout(resolve, 60_000));";
    let thrower = "const boom = () => { throw new Error('late') };";
    for start in ["setTimeout(boom, 1);", "setImmediate(boom);", "process.nextTick(boom);"] {
        let outcome = script("", &format!("{thrower} {start} {wait}"));
        let HostError::Unhandled(thrown) = outcome.error() else { panic!("{start} {outcome:?}") };
        assert_eq!(thrown.to_string(), "Error: late");
    }
}

/// `encoded` as base64.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0u32, |group, byte| group << 8 | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        for i in 0..4 {
            match i <= chunk.len() {
                true => text.push(DIGITS[(group >> (18 - 6 * i)) as usize & 63] as char),
                false => text.push('='),
            }
        }
    }
    text
}

/// A bundle whose third line, the one that throws, is line 13 of `source`.
fn mapped(map: &str) -> Outcome {
    let code = "export const descriptor = {};\nexport async function* run() {\n\
                throw new Error('mapped');\n}\n";
    run(&format!(
        "{code}//# sourceMappingURL=data:application/json;base64,{}\n",
        base64(map.as_bytes())
    ))
}

#[test]
fn stacks_are_mapped_through_an_inline_source_map() {
    let map =
        r#"{"version":3,"sources":["../src/agent.ts"],"names":[],"mappings":"AAUA;AACA;AACA"}"#;
    let outcome = mapped(map);
    let stack = outcome.error().stack().unwrap();
    assert!(stack.contains("/src/agent.ts:13:1)"), "{stack}");
    assert_eq!(outcome.error().place(), None);
}

#[test]
fn a_broken_source_map_is_passed_over() {
    for map in ["", "not json", r#"{"version":3,"sources":["a.ts"],"names":[],"mappings":"!!"}"#] {
        let outcome = mapped(map);
        let expected =
            "Error: mapped\n    at run (0123456789ABC.esm.js:3:7)\n    at run.next (<anonymous>)";
        assert_eq!(stack(&outcome), expected, "{map}");
    }
}
