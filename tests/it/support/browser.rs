//! A real Chromium, through chromedriver's WebDriver HTTP API.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use reqwest::Method;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::sync::{Semaphore, SemaphorePermit};

use super::http::client;

/// Browsers at once: each takes a good deal of a small machine.
static ROOM: Semaphore = Semaphore::const_new(2);

/// How long anything may take to show.
const PATIENCE: Duration = Duration::from_secs(60);

/// What WebDriver calls the key of an element's reference.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// One browser with a profile of its own. Dropping it ends it, its driver and
/// whatever they started, and removes the profile.
pub struct Browser {
    driver: Child,
    session: String,
    profile: Option<tempfile::TempDir>,
    _room: SemaphorePermit<'static>,
}

impl Browser {
    /// `None`, and a loud word, where there is no Chromium; with
    /// `UNCAGED_TEST_REQUIRE_BROWSER=1` that is a failure instead.
    pub async fn open() -> Option<Browser> {
        match Browser::start().await {
            Ok(browser) => Some(browser),
            Err(reason)
                if std::env::var_os("UNCAGED_TEST_REQUIRE_BROWSER").is_some_and(|v| v == "1") =>
            {
                panic!("a browser is required: {reason}")
            }
            Err(reason) => {
                super::report(&format!("SKIPPED: no Chromium for the dashboard: {reason}"));
                None
            }
        }
    }

    async fn start() -> Result<Browser, String> {
        let chromium = Command::new("chromium").arg("--version").output();
        chromium.map_err(|e| format!("chromium: {e}"))?;
        let room = ROOM.acquire().await.unwrap();
        let profile = tempfile::Builder::new().prefix("uncaged-browser-").tempdir();
        let profile = profile.map_err(|e| e.to_string())?;
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            // What it leaves in its temporary and home folders goes with the
            // profile, and whatever it starts can be told by them.
            .env("TMPDIR", profile.path())
            .env("HOME", profile.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| format!("chromedriver: {e}"))?;
        let out = BufReader::new(driver.stdout.take().unwrap());
        let mut browser =
            Browser { driver, session: String::new(), profile: Some(profile), _room: room };
        let lines = out.lines().map_while(Result::ok);
        let mut ports = lines.filter_map(|line| {
            let rest = line.split("started successfully on port ").nth(1)?.to_owned();
            Some(rest.trim_end_matches('.').to_owned())
        });
        let port = ports.next().ok_or("chromedriver did not start")?;
        browser.session = format!("http://127.0.0.1:{port}/session");
        let folder = browser.profile.as_ref().unwrap().path().join("profile");
        let args = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--window-size=1280,900",
            &format!("--user-data-dir={}", folder.display()),
        ];
        let options = json!({ "alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": { "args": args },
            "goog:loggingPrefs": { "browser": "ALL" },
        } });
        let session = browser.call(Method::POST, "", json!({ "capabilities": options })).await;
        let id = session["sessionId"].as_str().ok_or_else(|| session.to_string())?.to_owned();
        browser.session = format!("{}/{id}", browser.session);
        Ok(browser)
    }

    async fn call(&self, method: Method, path: &str, body: Value) -> Value {
        let url = format!("{}{path}", self.session);
        let request = client().request(method.clone(), url);
        let request = if method == Method::POST { request.json(&body) } else { request };
        let mut answer: Value = request.send().await.unwrap().json().await.unwrap();
        answer["value"].take()
    }

    async fn post(&self, path: &str, body: Value) -> Value {
        let value = self.call(Method::POST, path, body).await;
        assert!(value["error"].is_null(), "{path}: {value}");
        value
    }

    pub async fn go(&self, url: &str) {
        self.post("/url", json!({ "url": url })).await;
    }

    /// What this body of a function returns in the page.
    pub async fn script(&self, body: &str) -> Value {
        self.post("/execute/sync", json!({ "script": body, "args": [] })).await
    }

    /// The element of this CSS selector, once it is shown.
    async fn element(&self, selector: &str) -> String {
        let find = json!({ "using": "css selector", "value": selector });
        let begun = Instant::now();
        loop {
            let found = self.call(Method::POST, "/element", find.clone()).await;
            if let Some(id) = found[ELEMENT].as_str() {
                let shown = format!("/element/{id}/displayed");
                if self.call(Method::GET, &shown, Value::Null).await == true {
                    return id.to_owned();
                }
            }
            assert!(
                begun.elapsed() < PATIENCE,
                "{selector} is not shown: {}",
                self.text("body").await
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Clicks as a user does: on what is shown, and not covered.
    pub async fn click(&self, selector: &str) {
        let id = self.element(selector).await;
        self.post(&format!("/element/{id}/click"), json!({})).await;
    }

    /// Types into what is shown.
    pub async fn type_into(&self, selector: &str, text: &str) {
        let id = self.element(selector).await;
        self.post(&format!("/element/{id}/value"), json!({ "text": text })).await;
    }

    /// Presses keys wherever the focus is.
    pub async fn press(&self, keys: &str) {
        let actions: Vec<Value> = keys
            .chars()
            .flat_map(|key| ["keyDown", "keyUp"].map(|kind| json!({ "type": kind, "value": key })))
            .collect();
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": actions });
        self.post("/actions", json!({ "actions": [keyboard] })).await;
    }

    pub async fn resize(&self, width: u32, height: u32) {
        self.post("/window/rect", json!({ "width": width, "height": height })).await;
    }

    /// The text of what is shown of the element; empty where there is none.
    pub async fn text(&self, selector: &str) -> String {
        let body = format!(
            "const e = document.querySelector({}); return e?.checkVisibility() ? e.innerText : '';",
            json!(selector)
        );
        self.script(&body).await.as_str().unwrap().to_owned()
    }

    /// Waits until the text of the element is as wanted, and gives it.
    pub async fn wait_for_text(&self, selector: &str, wanted: impl Fn(&str) -> bool) -> String {
        let begun = Instant::now();
        loop {
            let text = self.text(selector).await;
            if wanted(&text) {
                return text;
            }
            assert!(begun.elapsed() < PATIENCE, "{selector} stays {text:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// What the page and the browser complained about since the last time.
    pub async fn complaints(&self) -> Vec<String> {
        let log = self.post("/se/log", json!({ "type": "browser" })).await;
        let lines = log.as_array().unwrap().iter();
        lines.map(|line| line["message"].as_str().unwrap().to_owned()).collect()
    }

    /// Its folder, which all of its processes name.
    pub fn folder(&self) -> PathBuf {
        self.profile.as_ref().unwrap().path().to_owned()
    }

    /// Ends the browser in an orderly way.
    pub async fn close(self) {
        self.call(Method::DELETE, "", Value::Null).await;
    }
}

/// The processes whose command line or environment names this folder.
pub fn processes_of(folder: &Path) -> Vec<Pid> {
    let name = folder.as_os_str().as_encoded_bytes();
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let pid = entry.file_name().to_str().and_then(|n| n.parse().ok()).and_then(Pid::from_raw);
        let names = ["cmdline", "environ"].into_iter().any(|file| {
            let text = std::fs::read(entry.path().join(file)).unwrap_or_default();
            text.windows(name.len()).any(|window| window == name)
        });
        found.extend(pid.filter(|_| names));
    }
    found
}

impl Drop for Browser {
    fn drop(&mut self) {
        let Some(profile) = self.profile.take() else { return };
        let folder = profile.keep();
        let begun = Instant::now();
        // Parts of a browser still start and write while others die already.
        loop {
            let left = processes_of(&folder);
            for pid in &left {
                let _ = kill_process(*pid, Signal::KILL);
            }
            let _ = self.driver.try_wait();
            let removed = std::fs::remove_dir_all(&folder).is_ok() || !folder.exists();
            if left.is_empty() && removed {
                return;
            }
            if begun.elapsed() > PATIENCE {
                return super::report(&format!("{} cannot be removed", folder.display()));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
