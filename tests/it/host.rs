//! One bundle in one isolate: loading, steps, results.

use serde_json::json;
use uncaged_workflow::host::HostError;

use crate::support::services::{Bench, on_isolate_thread, run, script};

#[test]
fn a_generator_gives_its_steps_and_its_result() {
    let outcome = run("
        export const descriptor = { description: 'two', roles: {} };
        export async function* run(thread, runtime) {
          yield { role: 'a', meta: { n: 1 } };
          await new Promise((resolve) => setTimeout(resolve, 5));
          yield { role: 'b', meta: { n: 2 } };
          return { returnCode: 0, summary: 'done' };
        }");
    assert_eq!(outcome.end, Ok(json!({ "returnCode": 0, "summary": "done" })));
    assert_eq!(
        outcome.steps,
        [json!({ "role": "a", "meta": { "n": 1 } }), json!({ "role": "b", "meta": { "n": 2 } })]
    );
}

#[test]
fn the_cas_round_trips_through_the_runtime_object() {
    let outcome = script(
        "",
        "const hash = await runtime.cas.put('hello');
         const text = await runtime.cas.get(hash);
         const listed = await runtime.cas.list();
         await runtime.cas.delete(hash);
         return {
           hash, text, listed,
           gone: await runtime.cas.get(hash),
           unknown: await runtime.cas.get('0000000000000'),
           invalid: await runtime.cas.get('no hash'),
           wrong: await runtime.cas.put(5).catch((e) => `${e.name}: ${e.message}`),
         };",
    );
    let value = outcome.value();
    let hash = value["hash"].as_str().unwrap();
    assert_eq!(
        value,
        &json!({
            "hash": hash,
            "text": "type: content\npayload: hello\nrefs: []\n",
            "listed": [hash],
            "gone": null,
            "unknown": null,
            "invalid": null,
            "wrong": "TypeError: cas.put: content must be a string, not number",
        })
    );
}

#[test]
fn run_gets_the_thread_as_it_was_given() {
    let thread = json!({
        "threadId": "T", "depth": 0, "steps": [{ "role": "a", "meta": { "z": 1, "a": [null] } }]
    });
    let given = thread.clone();
    let (steps, end) = on_isolate_thread(move || {
        Box::pin(async move {
            let source = "export const descriptor = {}; export function* run(t) { return t }";
            let mut bench = Bench::new(source, |_| ()).unwrap();
            bench.run(&given).await
        })
    });
    assert_eq!((steps, end), (vec![], Ok(thread)));
}

#[test]
fn the_descriptor_is_read_as_plain_data() {
    let descriptor = on_isolate_thread(|| {
        Box::pin(async {
            let source = "
                export const descriptor = {
                  description: 'd', roles: { a: { schema: { type: 'object' }, x: undefined } },
                };
                export const run = async function* () {};";
            let mut bench = Bench::new(source, |_| ()).unwrap();
            bench.host.load().await.unwrap();
            bench.host.descriptor()
        })
    });
    let expected = json!({
        "description": "d", "roles": { "a": { "schema": { "type": "object" } } }
    });
    assert_eq!(descriptor, Ok(expected));
}

#[test]
fn exports_that_are_missing_or_wrong_are_named() {
    let missing = |problem: &str| HostError::Export { name: "run", problem: problem.into() };
    let outcome = run("export const descriptor = {};");
    assert_eq!(outcome.error(), &missing("is missing"));
    let outcome = run("export const run = 5;");
    assert_eq!(outcome.error(), &missing("must be a function, not number"));
    let outcome = run("export const run = () => ({ then: undefined });");
    assert_eq!(outcome.error(), &HostError::NotAGenerator("object".into()));
}
