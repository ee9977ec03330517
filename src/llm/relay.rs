//! Another server in the place of all providers: that of `dev` and `test`,
//! which answers from a script or records what the providers answer.

use std::sync::LazyLock;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Error, Provider};

/// Who asks, and in what way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asker {
    /// The kind of request.
    pub scene: Scene,
    /// The role that the request is made for, where that is known.
    pub role: Option<String>,
}

/// The kinds of requests that the program makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scene {
    /// Turning a text into a role's meta.
    Extract,
    /// Whatever an agent or an adapter asks.
    Agent,
    /// Whether the thread should go on.
    Supervisor,
}

impl Scene {
    /// The scene of this name.
    pub fn named(name: &str) -> Option<Scene> {
        match name {
            "extract" => Some(Scene::Extract),
            "agent" => Some(Scene::Agent),
            "supervisor" => Some(Scene::Supervisor),
            _ => None,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Scene::Extract => "extract",
            Scene::Agent => "agent",
            Scene::Supervisor => "supervisor",
        }
    }
}

/// Who answers the requests of a thread that is tried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Models {
    /// The providers themselves.
    Own,
    /// A script; no provider needs to be configured.
    Scripted {
        /// After how many steps the supervisor is asked; 0 for never.
        supervisor_interval: u64,
    },
    /// The providers, through the relay, which takes notes.
    Recorded,
}

/// How to reach the relay. Its URL holds a secret.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relay {
    /// `http://127.0.0.1:PORT/SECRET`
    pub url: String,
    /// Who answers.
    pub models: Models,
}

impl std::fmt::Debug for Relay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Relay").field("models", &self.models).finish_non_exhaustive()
    }
}

/// A chat request on its way through the relay.
#[derive(Serialize, Deserialize)]
pub struct Relayed {
    /// Who asks.
    pub asker: Asker,
    /// The provider's base URL.
    pub base_url: String,
    /// Its secret; empty where the answer comes from a script.
    pub api_key: String,
    /// The model's name at that provider.
    pub model: String,
    /// The request.
    pub body: Value,
}

/// A request that nobody had an answer for: the thread fails.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unanswered {
    /// One line.
    pub message: String,
    /// The request, and the answer to write, as text of several lines.
    pub detail: String,
}

/// The relay does not answer any more: its process has gone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the command that tries the bundle out has gone: {0}")]
pub struct Lost(String);

/// One for the process; never through a proxy, and as patient as a program is long.
static HTTP: LazyLock<Result<reqwest::Client, String>> = LazyLock::new(|| {
    reqwest::Client::builder()
        .no_proxy()
        .tls_certs_only([])
        .connect_timeout(Duration::from_secs(10))
        .build()
        .map_err(|error| error.to_string())
});

impl Relay {
    /// The provider that requests name where a script answers them.
    pub fn scripted_provider() -> Provider {
        Provider {
            base_url: "http://scripted.invalid/v1".to_owned(),
            api_key: String::new(),
            model: "scripted".to_owned(),
        }
    }

    /// Whether chat requests go to the relay.
    pub fn takes_chats(&self) -> bool {
        self.models != Models::Own
    }

    /// One chat request.
    pub(super) async fn chat(
        &self,
        asker: &Asker,
        provider: &Provider,
        body: &Value,
    ) -> Result<String, Error> {
        let scripted = matches!(self.models, Models::Scripted { .. });
        let relayed = Relayed {
            asker: asker.clone(),
            base_url: provider.base_url.clone(),
            api_key: if scripted { String::new() } else { provider.api_key.clone() },
            model: provider.model.clone(),
            body: body.clone(),
        };
        let answer: Result<Result<String, Error>, Lost> = self.post("chat", &relayed).await;
        let lost =
            |lost: Lost| Error::Network { url: provider.shown_base(), message: lost.to_string() };
        answer.map_err(lost)?
    }

    /// Waits until a request has had no answer, and gives what to say of it.
    pub async fn unanswered(&self) -> Result<Unanswered, Lost> {
        self.post("unanswered", &true).await
    }

    /// The first request that has had no answer so far.
    pub async fn unanswered_yet(&self) -> Option<Unanswered> {
        self.post("unanswered-yet", &true).await.ok().flatten()
    }

    /// Tells people where the debugger can connect.
    pub async fn debugger_at(&self, url: &str) {
        let _: Result<(), Lost> = self.post("debugger", &url).await;
    }

    /// Sends JSON to one of the relay's routes and reads its answer.
    pub async fn post<T: DeserializeOwned>(
        &self,
        route: &str,
        body: &impl Serialize,
    ) -> Result<T, Lost> {
        let lost = |error: reqwest::Error| Lost(error.without_url().to_string());
        let http = HTTP.as_ref().map_err(|error| Lost(error.clone()))?;
        let sent = http.post(format!("{}/{route}", self.url)).json(body).send().await;
        let response = sent.and_then(reqwest::Response::error_for_status).map_err(lost)?;
        response.json().await.map_err(lost)
    }
}
