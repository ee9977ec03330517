//! What a bundle may yield: one rule, the same for results and descriptors.

use serde_json::json;
use uncaged_workflow::host::HostError;

use crate::support::services::{Outcome, script};

/// What `yield <expression>` gives.
fn yielded(expression: &str) -> Outcome {
    script("class Point { x = 1 }", &format!("yield {expression}; return null;"))
}

fn refusal(expression: &str) -> (String, String) {
    match yielded(expression).end {
        Err(HostError::Value { path, reason }) => (path, reason),
        other => panic!("{expression}: {other:?}"),
    }
}

#[test]
fn plain_data_comes_through_as_json_has_it() {
    let outcome = yielded(
        "{
          text: 'a\\u2028b', empty: '', lone: '\\ud800!', zero: -0, float: 0.1, big: 1e21,
          yes: true, nothing: null, left_out: undefined, list: [1, undefined, , 'x'],
          date: new Date(0), z: { b: 1, a: 2, 10: 3 }, bare: Object.assign(Object.create(null), { k: 1 }),
          own: { toJSON: () => ({ from: 'toJSON' }) }, url: new URL('http://x/'),
          ['__proto__']: 'a key like any other',
        }",
    );
    let text = serde_json::to_string(&outcome.steps[0]).unwrap();
    assert_eq!(
        text,
        "{\"text\":\"a\u{2028}b\",\"empty\":\"\",\"lone\":\"\u{fffd}!\",\"zero\":0,\"float\":0.1,\
         \"big\":1e+21,\"yes\":true,\"nothing\":null,\"list\":[1,null,null,\"x\"],\
         \"date\":\"1970-01-01T00:00:00.000Z\",\"z\":{\"10\":3,\"b\":1,\"a\":2},\
         \"bare\":{\"k\":1},\"own\":{\"from\":\"toJSON\"},\"url\":\"http://x/\",\
         \"__proto__\":\"a key like any other\"}"
    );
}

#[test]
fn what_is_no_plain_data_is_refused_with_its_path() {
    let cases = [
        (
            "{ meta: { a: [0, 1, { b: 1n }] } }",
            "step.meta.a[2].b",
            "a BigInt is not JSON data: convert it with String() or Number()",
        ),
        ("{ a: [NaN] }", "step.a[0]", "NaN is not JSON data"),
        ("{ 'a b': -1 / 0 }", "step[\"a b\"]", "an infinite number is not JSON data"),
        ("{ f() {} }", "step.f", "a function is not JSON data"),
        ("{ s: Symbol('x') }", "step.s", "a symbol is not JSON data"),
        ("{ m: new Map() }", "step.m", "an instance of Map is not plain data"),
        ("{ p: new Point() }", "step.p", "an instance of Point is not plain data"),
        ("{ p: Promise.resolve(1) }", "step.p", "an instance of Promise is not plain data"),
        ("{ e: new Error('x') }", "step.e", "an instance of Error is not plain data"),
        ("{ d: new Date(NaN) }", "step.d", "an invalid Date is not JSON data"),
        ("{ n: new Number(1) }", "step.n", "an instance of Number is not plain data"),
        ("(() => { const o = { k: {} }; o.k.o = o; return o })()", "step.k.o", "contains itself"),
        ("(() => { const a = []; a.push([a]); return a })()", "step[0][0]", "contains itself"),
    ];
    for (expression, path, reason) in cases {
        assert_eq!(refusal(expression), (path.into(), reason.into()), "{expression}");
    }
}

#[test]
fn the_same_object_twice_is_no_cycle() {
    let outcome = yielded("(() => { const o = { x: 1 }; return { a: o, b: [o, o] } })()");
    assert_eq!(outcome.steps, [json!({ "a": { "x": 1 }, "b": [{ "x": 1 }, { "x": 1 }] })]);
}

#[test]
fn data_nested_too_deep_is_refused() {
    let deep = |levels: usize| format!("{}0{}", "[".repeat(levels), "]".repeat(levels));
    assert_eq!(yielded(&deep(100)).steps.len(), 1);
    let (path, reason) = refusal(&deep(101));
    assert_eq!((path.len(), &*reason), (4 + 3 * 100, "is nested deeper than 100 levels"));
}

#[test]
fn a_getter_that_throws_is_the_bundles_own_error() {
    let outcome = yielded("{ get a() { throw new TypeError('mine') } }");
    assert_eq!(outcome.error().to_string(), "TypeError: mine");
}

#[test]
fn changed_prototypes_change_nothing() {
    let outcome = script(
        "",
        "Object.prototype.toJSON = () => 1;
         Array.prototype.toJSON = () => 2;
         Array.prototype[Symbol.iterator] = null;
         Array.prototype.push = Array.prototype.includes = () => { throw new Error('push') };
         String.prototype.toWellFormed = () => 'x';
         Object.keys = Object.getPrototypeOf = Array.isArray = () => [];
         JSON.stringify = JSON.parse = () => 'x';
         Promise.prototype.then = () => {};
         globalThis.Promise = globalThis.Object = globalThis.Date = undefined;
         yield { a: [1, { b: 'text' }] };
         return { ok: true };",
    );
    assert_eq!(outcome.steps, [json!({ "a": [1, { "b": "text" }] })]);
    assert_eq!(outcome.end, Ok(json!({ "ok": true })));
}

#[test]
fn results_follow_the_same_rule() {
    let outcome = script("", "return { summary: { when: 1n } };");
    let reason = "a BigInt is not JSON data: convert it with String() or Number()";
    let expected = HostError::Value { path: "result.summary.when".into(), reason: reason.into() };
    assert_eq!(outcome.error(), &expected);
}
