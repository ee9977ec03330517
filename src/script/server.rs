//! The server that the processes of a trial ask: on a port of its own, below a
//! path that nobody can guess, on an OS thread of its own.

use std::io;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::{oneshot, watch};
use ulid::Ulid;

use super::answers::Answer;
use super::question::{Question, Started};
use super::{Recording, Script, reply};
use crate::llm::{Client, Error, Models, Provider, Relay, Relayed, Unanswered};

/// Most bytes of a request: a conversation with whole files in it.
const LARGEST: usize = 256 << 20;

/// Who answers.
#[derive(Debug)]
pub enum Answering {
    /// Nobody: providers and programs are asked themselves.
    Nobody,
    /// A script.
    Script(Script),
    /// Providers and programs, and notes are taken.
    Recording(Recording),
}

/// What a trial's processes tell the one that started them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Told {
    /// Where a debugger can connect.
    pub debugger: Option<String>,
    /// The first question that had no answer.
    pub unanswered: Option<Unanswered>,
}

/// What the stand-in of a program is to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Instead {
    /// Print this and end.
    Print {
        /// On standard output.
        stdout: String,
        /// On standard error.
        stderr: String,
        /// 0 for success.
        exit_code: u8,
    },
    /// Run the program itself and tell what it did, under this number.
    Run(usize),
    /// There is no answer.
    Unanswered(Unanswered),
}

/// What a program did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ran {
    /// The number that [`Instead::Run`] gave.
    pub number: usize,
    /// What was started.
    pub started: Started,
    /// On its standard output.
    pub stdout: String,
    /// On its standard error.
    pub stderr: String,
    /// How it ended.
    pub exit_code: u8,
}

/// A running server. Dropping it ends it.
pub struct Server {
    relay: Relay,
    state: Arc<Shared>,
    told: watch::Receiver<Told>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    answering: Mutex<Answering>,
    told: watch::Sender<Told>,
    client: Client,
}

impl Server {
    /// Starts one.
    pub fn start(answering: Answering) -> io::Result<Server> {
        let models = match &answering {
            Answering::Nobody => Models::Own,
            Answering::Script(script) => {
                Models::Scripted { supervisor_interval: script.supervisor_interval() }
            }
            Answering::Recording(_) => Models::Recorded,
        };
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let secret = format!("{}{}", Ulid::generate(), Ulid::generate());
        let url = format!("http://{}/{secret}", listener.local_addr()?);
        let (sender, told) = watch::channel(Told::default());
        let state = Arc::new(Shared {
            answering: Mutex::new(answering),
            told: sender,
            client: Client::default(),
        });
        let routes = routes(state.clone());
        let router = Router::new().nest(&format!("/{secret}"), routes);
        let (stop, stopped) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let thread = std::thread::spawn(move || {
            runtime.block_on(async {
                let Ok(listener) = TcpListener::from_std(listener) else { return };
                tokio::select! {
                    _ = axum::serve(listener, router) => {}
                    _ = stopped => {}
                }
            });
            // Requests under way to providers are nobody's business any more.
            runtime.shutdown_background();
        });
        let relay = Relay { url, models };
        Ok(Server { relay, state, told, stop: Some(stop), thread: Some(thread) })
    }

    /// How the trial's processes reach it.
    pub fn relay(&self) -> &Relay {
        &self.relay
    }

    /// What the processes tell, as it comes.
    pub fn told(&self) -> watch::Receiver<Told> {
        self.told.clone()
    }

    /// Looks at the script or the recording.
    pub fn look<T>(&self, look: impl FnOnce(&Answering) -> T) -> T {
        look(&self.state.answering())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.take().map(|stop| stop.send(()));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn routes(state: Arc<Shared>) -> Router {
    Router::new()
        .route("/chat", post(chat))
        .route("/v1/chat/completions", post(completions))
        .route("/program", post(program))
        .route("/program-ended", post(program_ended))
        .route("/unanswered", post(unanswered))
        .route("/unanswered-yet", post(unanswered_yet))
        .route("/debugger", post(debugger))
        .layer(DefaultBodyLimit::max(LARGEST))
        .with_state(state)
}

type At = State<Arc<Shared>>;

impl Shared {
    fn answering(&self) -> MutexGuard<'_, Answering> {
        self.answering.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The script's answer, or that there is none, which is told everybody.
    fn scripted(&self, question: &Question) -> Result<Answer, Unanswered> {
        let answer = match &mut *self.answering() {
            Answering::Script(script) => script.answer(question),
            _ => {
                let message = "nothing answers here".to_owned();
                Err(Unanswered { detail: message.clone(), message })
            }
        };
        if let Err(unanswered) = &answer {
            self.told.send_modify(|told| {
                told.unanswered.get_or_insert_with(|| unanswered.clone());
            });
        }
        answer
    }

    /// The place that a recording keeps; none where nothing is recorded.
    fn begin(&self) -> Option<usize> {
        match &mut *self.answering() {
            Answering::Recording(recording) => Some(recording.begin()),
            _ => None,
        }
    }

    fn end(&self, place: usize, question: &Question, answer: &Answer) {
        if let Answering::Recording(recording) = &mut *self.answering() {
            recording.end(place, question, answer);
        }
    }
}

/// A chat request of the program's own client.
async fn chat(State(state): At, Json(relayed): Json<Relayed>) -> Json<Result<String, Error>> {
    let Relayed { asker, base_url, api_key, model, body } = relayed;
    let question = Question::chat(Some(&asker), &body);
    if let Some(place) = state.begin() {
        let provider = Provider { base_url, api_key, model };
        let response = state.client.chat(&provider, &body).await;
        state.end(place, &question, &reply::answer_of(&question, &response));
        return Json(response);
    }
    Json(match state.scripted(&question) {
        Ok(answer) => match reply::response(&answer, &question, &model) {
            Ok(response) => Ok(response.to_string()),
            Err((status, body)) => Err(Error::Http {
                status,
                url: "the answers file".to_owned(),
                body: body.to_string(),
            }),
        },
        Err(unanswered) => Err(Error::Unanswered { message: unanswered.message }),
    })
}

/// A chat request that a bundle sent by itself.
async fn completions(State(state): At, Json(body): Json<Value>) -> Response {
    let question = Question::chat(None, &body);
    let model = body["model"].as_str().unwrap_or_default();
    let (status, body) = match state.scripted(&question) {
        Ok(answer) => match reply::response(&answer, &question, model) {
            Ok(response) => (200, response),
            Err(failure) => failure,
        },
        Err(unanswered) => (501, json!({ "error": { "message": unanswered.message } })),
    };
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, Json(body)).into_response()
}

async fn program(State(state): At, Json(started): Json<Started>) -> Json<Instead> {
    if let Some(place) = state.begin() {
        return Json(Instead::Run(place));
    }
    Json(match state.scripted(&Question::program(&started)) {
        Ok(Answer::Program { stdout, stderr, exit_code }) => {
            Instead::Print { stdout, stderr, exit_code }
        }
        // No other answer fits a program.
        Ok(_) => Instead::Print { stdout: String::new(), stderr: String::new(), exit_code: 1 },
        Err(unanswered) => Instead::Unanswered(unanswered),
    })
}

async fn program_ended(State(state): At, Json(ran): Json<Ran>) -> Json<()> {
    let Ran { number, started, stdout, stderr, exit_code } = ran;
    let answer = Answer::Program { stdout, stderr, exit_code };
    state.end(number, &Question::program(&started), &answer);
    Json(())
}

/// Answers when a question has had no answer.
async fn unanswered(State(state): At) -> Result<Json<Unanswered>, StatusCode> {
    let mut told = state.told.subscribe();
    let found = told.wait_for(|told| told.unanswered.is_some()).await;
    let found = found.map_err(|_| StatusCode::GONE)?;
    found.unanswered.clone().map(Json).ok_or(StatusCode::GONE)
}

async fn unanswered_yet(State(state): At) -> Json<Option<Unanswered>> {
    Json(state.told.borrow().unanswered.clone())
}

async fn debugger(State(state): At, Json(url): Json<String>) -> Json<()> {
    state.told.send_modify(|told| told.debugger = Some(url));
    Json(())
}
