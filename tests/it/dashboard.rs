//! The dashboard in a real browser.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::http_routes::GATED;
use crate::support::browser::{Browser, processes_of};
use crate::support::env::{TestEnv, wait_until};
use crate::support::http::Serving;

/// Tab and Enter, as WebDriver spells them.
const TAB: &str = "\u{e004}";
const ENTER: &str = "\u{e007}";

/// A step whose every text would do something if it were HTML.
const HOSTILE: &str = r#"
import { putContentMerkleNode } from "@uncaged/workflow-cas";
const html = `<script>window.hacked = 1</script><img src=x onerror="window.hacked = 1">`;
export const descriptor = { description: html, roles: { [html]: { description: html, schema: { html } } } };
export async function* run(thread, { cas }) {
  const contentHash = await putContentMerkleNode(cas, html);
  yield { role: html, contentHash, meta: { [html]: html }, refs: [] };
  return { returnCode: 3, summary: html };
}
"#;
const HTML: &str = r#"<script>window.hacked = 1</script><img src=x onerror="window.hacked = 1">"#;

/// Asks another workflow.
const PARENT: &str = r#"
import { workflowAsAgent } from "@uncaged/workflow-execute";
import { putContentMerkleNode } from "@uncaged/workflow-cas";
export const descriptor = { description: "", roles: { asker: { description: "", schema: {} } } };
export async function* run(thread, { cas }) {
  const asking = await putContentMerkleNode(cas, "asking");
  yield { role: "asker", contentHash: asking, meta: {}, refs: [] };
  const root = await workflowAsAgent("hostile")(thread);
  const contentHash = await putContentMerkleNode(cas, root);
  yield { role: "asker", contentHash, meta: {}, refs: [], childThread: null };
  return { returnCode: 0, summary: "asked" };
}
"#;

#[tokio::test]
async fn a_thread_is_started_by_the_form_and_its_steps_arrive() {
    let env = TestEnv::new();
    env.add("gated", GATED);
    let server = Serving::start(&env);
    let Some(browser) = Browser::open().await else { return };
    browser.go(&server.url).await;
    browser.type_into("#prompt", "from the form").await;
    browser.click("#start-button").await;
    browser.wait_for_text("main h2", |text| text == "gated running").await;
    let rows = server.get("/api/threads").await.json(200);
    let id = rows[0]["threadId"].as_str().unwrap().to_owned();
    let place = browser.script("return location.hash").await;
    assert_eq!(place, format!("#/threads/{id}").as_str());
    assert_eq!(browser.text("main .steps").await, "");
    assert!(browser.text("#threads").await.starts_with("gated\nrunning\n"));

    env.write("first", "");
    let artifact = env.run(["cas", "put", "an artifact"]).ok().trim().to_owned();
    let shown = browser.wait_for_text("main .steps", |text| text.contains("first")).await;
    for part in ["first: from the form", r#"meta {"b":1,"a":["first"]}"#, &artifact] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    env.write("second", "");
    let result = browser.wait_for_text("main .result", |text| !text.is_empty()).await;
    assert_eq!(result, "Return code 4\nplain");
    let steps = browser.script("return document.querySelectorAll('.step').length").await;
    assert_eq!(steps, 2);
    assert_eq!(browser.text("main h2").await, "gated completed (4)");
    browser.wait_for_text("#threads .badge", |text| text == "completed (4)").await;
    // Nothing can be done to it any more.
    assert_eq!(browser.text("main .buttons").await, "");
    // A reference leads to the blob.
    browser.click(&format!("main .step a[href='#/blobs/{artifact}']")).await;
    browser.wait_for_text("main h2", |text| text == format!("Blob {artifact}")).await;
    assert!(browser.text("main pre").await.contains("payload: an artifact"));
    // In a state's blob the hashes are links, and its thirteen digits of time are not.
    let shown = server.get(&format!("/api/threads/{id}?last=1")).await.json(200);
    let (head, start) = (&shown["head"], &shown["start"]["hash"]);
    browser.go(&format!("{}/#/blobs/{}", server.url, head.as_str().unwrap())).await;
    browser.wait_for_text("main pre", |text| text.contains("role: __end__")).await;
    let links = "return [...document.querySelectorAll('main pre a')].map((a) => a.textContent)";
    let links = browser.script(links).await;
    let links = links.as_array().unwrap();
    assert!(links.contains(start), "{links:?}");
    assert!(!links.contains(&shown["steps"][0]["timestamp"].to_string().into()), "{links:?}");
    assert_eq!(browser.complaints().await, [""; 0]);
    browser.close().await;
}

#[tokio::test]
async fn threads_are_paused_resumed_and_killed_by_buttons() {
    let env = TestEnv::new();
    env.add("gated", GATED);
    let thread = env.start("gated", &[]);
    let other = env.start("gated", &[]);
    let server = Serving::start(&env);
    let Some(browser) = Browser::open().await else { return };
    browser.go(&server.url).await;
    browser.click(&format!("#threads a[title='{other}']")).await;
    browser.click("[data-verb=pause]").await;
    browser.wait_for_text("#notice", |text| text == "Pause sent.").await;
    env.write("first", "");
    browser.wait_for_text("main h2", |text| text == "gated paused").await;
    browser.click("[data-verb=resume]").await;
    browser.wait_for_text("main h2", |text| text == "gated running").await;

    browser.click(&format!("#threads a[title='{thread}']")).await;
    browser.wait_for_text("main dl", |text| text.contains(thread.as_str())).await;
    browser.click("[data-verb=kill]").await;
    assert_eq!(browser.text("[data-verb=kill]").await, "Really kill?");
    browser.click("[data-verb=kill]").await;
    let result = browser.wait_for_text("main .result", |text| !text.is_empty()).await;
    assert_eq!(result, "Return code 130\nthread aborted");
    let end = json!({ "returnCode": 130, "summary": "thread aborted" });
    assert_eq!(env.ended(&thread), end);
    // The other one goes on.
    let rows = server.get("/api/threads/running").await.json(200);
    assert_eq!(rows[0]["threadId"], other.as_str());
    assert_eq!(browser.complaints().await, [""; 0]);
    browser.close().await;
}

#[tokio::test]
async fn texts_of_models_are_shown_as_text() {
    let env = TestEnv::new();
    env.add("hostile", HOSTILE);
    env.add("parent", PARENT);
    let thread = env.start("hostile", &["--prompt", HTML]);
    env.ended(&thread);
    let server = Serving::start(&env);
    let Some(browser) = Browser::open().await else { return };
    browser.go(&format!("{}/#/threads/{thread}", server.url)).await;
    browser.wait_for_text("main .result", |text| text.contains(HTML)).await;
    let shown = browser.text("main").await;
    // Prompt, role, text, both sides of meta (as JSON), summary.
    assert_eq!(shown.matches(HTML).count(), 4, "{shown}");
    let quoted = json!(HTML).to_string();
    assert_eq!(shown.matches(&quoted).count(), 2, "{shown}");
    let content = server.get(&format!("/api/threads/{thread}?last=2")).await.json(200);
    let content = content["steps"][0]["contentHash"].as_str().unwrap().to_owned();
    for (page, marks) in [("workflows/hostile", 3), (&format!("blobs/{content}"), 1)] {
        browser.go(&format!("{}/#/{page}", server.url)).await;
        browser.wait_for_text("main", |text| text.matches(HTML).count() >= marks).await;
    }
    let made = "return document.querySelectorAll('main script, main img').length";
    assert_eq!(browser.script(made).await, 0);
    assert_eq!(browser.script("return window.hacked ?? null").await, Value::Null);
    assert_eq!(browser.complaints().await, [""; 0]);
    browser.close().await;
}

#[tokio::test]
async fn a_thread_and_its_child_lead_to_each_other() {
    let env = TestEnv::new();
    env.add("hostile", HOSTILE.replace("returnCode: 3", "returnCode: 0").as_str());
    env.add("parent", PARENT.replace("childThread: null", "childThread: root").as_str());
    let parent = env.start("parent", &[]);
    env.ended(&parent);
    let server = Serving::start(&env);
    let rows = server.get("/api/threads").await.json(200);
    let child = rows.as_array().unwrap().iter().find(|row| row["name"] == "hostile").unwrap();
    let child = child["threadId"].as_str().unwrap();
    let Some(browser) = Browser::open().await else { return };
    browser.go(&format!("{}/#/threads/{parent}", server.url)).await;
    browser.click(&format!("main .step a[href='#/threads/{child}']")).await;
    browser.wait_for_text("main h2", |text| text == "hostile completed (0)").await;
    browser.click(&format!("main dl a[href='#/threads/{parent}']")).await;
    browser.wait_for_text("main h2", |text| text == "parent completed (0)").await;
    browser.close().await;
}

#[tokio::test]
async fn an_empty_store_says_what_to_do_and_a_server_that_is_gone_comes_back() {
    let env = TestEnv::new();
    let mut server = Serving::start(&env);
    let Some(browser) = Browser::open().await else { return };
    browser.go(&server.url).await;
    let advice = browser.wait_for_text("main", |text| !text.is_empty()).await;
    assert_eq!(
        advice,
        "The store is empty. Register a workflow with `uncaged-workflow add <file.esm.js>`; \
         then start a thread here."
    );
    assert!(browser.text("aside").await.contains("uncaged-workflow add hello.esm.js"));
    assert_eq!(browser.text("#start").await, "");
    // What is added shows without a reload.
    env.add("gated", GATED);
    browser.wait_for_text("#workflows", |text| text == "gated").await;
    let thread = env.start("gated", &[]);
    browser.click(&format!("#threads a[title='{thread}']")).await;
    browser.wait_for_text("main h2", |text| text == "gated running").await;

    server.stop(Signal::TERM);
    let gone = "The server does not answer. Trying again \u{2026}";
    browser.wait_for_text("#gone", |text| text == gone).await;
    env.write("first", "");
    wait_until("the step is there", || {
        (env.show(&thread)["steps"].as_array()?.len() == 1).then_some(())
    });
    let port = server.url.rsplit(':').next().unwrap().to_owned();
    let again = Serving::start_with(env.command().args(["serve", "--port", &port]));
    browser.wait_for_text("#gone", str::is_empty).await;
    browser.wait_for_text("main .steps", |text| text.contains("first")).await;
    env.write("second", "");
    browser.wait_for_text("main .result", |text| text.starts_with("Return code 4")).await;
    let steps = browser.script("return document.querySelectorAll('.step').length").await;
    assert_eq!(steps, 2, "each step once");
    drop(again);
    browser.close().await;
}

#[tokio::test]
async fn the_keyboard_is_enough_and_a_narrow_screen_too() {
    let env = TestEnv::new();
    env.add("gated", GATED);
    env.write("first", "");
    env.write("second", "");
    let server = Serving::start(&env);
    let Some(browser) = Browser::open().await else { return };
    browser.resize(500, 900).await;
    browser.go(&server.url).await;
    browser.wait_for_text("#workflows", |text| text == "gated").await;
    // Past the skip link, the title, the button of garbage and the choice of a workflow.
    browser.script("document.activeElement.blur()").await;
    browser.press(&TAB.repeat(5)).await;
    let focused = browser.script("return document.activeElement.id").await;
    assert_eq!(focused, "prompt");
    browser.press("typed").await;
    browser.press(&format!("{TAB}{TAB}{ENTER}")).await;
    browser.wait_for_text("main .result", |text| text.starts_with("Return code 4")).await;
    assert!(browser.text("main .steps").await.contains("second: typed"));
    let fits = "return document.documentElement.scrollWidth <= innerWidth";
    assert_eq!(browser.script(fits).await, true);
    browser.close().await;
}

#[tokio::test]
async fn what_cannot_be_done_or_read_is_said() {
    let env = TestEnv::new();
    env.add("gated", GATED);
    env.write("first", "");
    env.write("second", "");
    let thread = env.start("gated", &[]);
    env.ended(&thread);
    let blob = env.show(&thread)["steps"][0]["contentHash"].as_str().unwrap().to_owned();
    let blob = env.root().join(format!("cas/{blob}.txt"));
    std::fs::write(&blob, "damaged").unwrap();
    let bundle = env.root().join("bundles");
    let server = Serving::start(&env);
    let Some(browser) = Browser::open().await else { return };
    browser.go(&format!("{}/#/threads/{thread}", server.url)).await;
    let error = browser.wait_for_text("main .error", |text| !text.is_empty()).await;
    assert!(error.starts_with("blob ") && error.contains("is damaged"), "{error}");

    for (page, error) in [
        ("threads/01ABC", "there is no thread 01ABC (GET /api/threads lists them)"),
        ("blobs/0123", "there is no blob 0123 (GET /api/cas lists them)"),
        ("workflows/gate", "no workflow is named `gate` (did you mean `gated`?)"),
    ] {
        browser.go(&format!("{}/#/{page}", server.url)).await;
        browser.wait_for_text("main", |text| text == error).await;
    }
    for entry in std::fs::read_dir(bundle).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "js") {
            std::fs::remove_file(path).unwrap();
        }
    }
    browser.click("#start-button").await;
    let error = browser.wait_for_text("#start-error", |text| !text.is_empty()).await;
    assert!(error.starts_with("the bundle ") && error.contains(" is missing: "), "{error}");
    browser.close().await;
}

#[tokio::test]
async fn garbage_is_collected_by_a_button_that_asks_first() {
    let env = TestEnv::new();
    env.run(["cas", "put", "garbage"]).ok();
    let server = Serving::start(&env);
    let Some(browser) = Browser::open().await else { return };
    browser.go(&server.url).await;
    browser.click("#gc").await;
    assert_eq!(server.get("/api/cas").await.json(200).as_array().unwrap().len(), 1);
    browser.click("#gc").await;
    let deleted = "Deleted 1 blobs; 0 threads keep 0.";
    browser.wait_for_text("#notice", |text| text == deleted).await;
    assert_eq!(server.get("/api/cas").await.json(200), json!([]));
    browser.close().await;
}

#[tokio::test]
async fn nothing_of_the_browser_is_left() {
    let Some(browser) = Browser::open().await else { return };
    let folder = browser.folder();
    assert!(folder.exists());
    let processes = processes_of(&folder);
    assert!(processes.len() > 2, "driver and browser: {processes:?}");
    // Not closed: as when a test fails.
    drop(browser);
    assert_eq!(processes_of(&folder), []);
    assert!(!folder.exists());
}
