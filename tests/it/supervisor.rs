//! The supervisor's question and what it takes for an answer.

use std::sync::LazyLock;

use serde_json::{Value, json};
use uncaged_workflow::llm::supervisor::{self, Decision, Step, SupervisorError};
use uncaged_workflow::llm::{Client, Error, Provider};

use crate::support::chat_server::{ChatServer, Reply};

/// One for all tests: a client reads the machine's certificates once.
static CLIENT: LazyLock<Client> = LazyLock::new(Client::default);

fn steps(count: usize) -> Vec<Step> {
    (1..=count)
        .map(|n| Step {
            role: "coder".to_owned(),
            meta: json!({ "n": n }),
            text: format!("did part {n}"),
        })
        .collect()
}

async fn decide(reply: Reply) -> (Result<Decision, SupervisorError>, ChatServer) {
    let server = ChatServer::scripted([reply]);
    let provider =
        Provider { base_url: server.base_url(), api_key: String::new(), model: "judge".to_owned() };
    let result = supervisor::decide(&CLIENT, &provider, "Fix the bug", &steps(2), 0).await;
    (result, server)
}

#[tokio::test]
async fn the_question_shows_the_task_and_the_steps() {
    let (decision, server) = decide(Reply::text("{\"decision\": \"continue\"}")).await;
    assert_eq!(decision, Ok(Decision::Continue));
    let requests = server.requests();
    let messages = requests[0].body["messages"].as_array().unwrap();
    let roles: Vec<&Value> = messages.iter().map(|message| &message["role"]).collect();
    assert_eq!(
        (roles, &requests[0].body["model"], requests[0].body.as_object().unwrap().len()),
        (vec![&json!("system"), &json!("user")], &json!("judge"), 2)
    );
    assert_eq!(
        requests[0].last_message(),
        "# Task\n\nFix the bug\n\n# Steps\n\
         \n## Step 1: coder\n\nResult: {\"n\":1}\n\ndid part 1\n\
         \n## Step 2: coder\n\nResult: {\"n\":2}\n\ndid part 2\n"
    );
}

#[test]
fn only_the_last_twelve_steps_are_shown_and_long_text_is_cut() {
    let mut steps = steps(15);
    steps[14].text = "ä".repeat(3000);
    let request = supervisor::request("p", &steps, 5);
    let text = request["messages"][1]["content"].as_str().unwrap();
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("## ")).collect();
    let expected: Vec<String> = (9..=20).map(|n| format!("## Step {n}: coder")).collect();
    assert_eq!(headings, expected);
    assert!(text.starts_with("# Task\n\np\n\n# Steps\n\n(8 earlier steps are not shown.)\n"));
    assert!(text.ends_with(&format!("\n\n{}… (cut)\n", "ä".repeat(2000))));
}

#[tokio::test]
async fn a_decision_is_read_however_it_is_dressed() {
    for (text, decision) in [
        ("{\"decision\":\"stop\"}", Decision::Stop),
        ("{\"decision\": \"STOP\", \"reason\": \"done\"}", Decision::Stop),
        ("```json\n{\"decision\": \"stop\"}\n```", Decision::Stop),
        ("It goes in circles.\n{\"decision\": \"stop\"}", Decision::Stop),
        (
            "<think>stop? {\"decision\": \"stop\"}</think>{\"decision\":\"continue\"}",
            Decision::Continue,
        ),
        ("<think>stop?</think>\ncontinue", Decision::Continue),
        ("**Continue.**", Decision::Continue),
        ("\"stop\"", Decision::Stop),
    ] {
        assert_eq!(decide(Reply::text(text)).await.0, Ok(decision), "{text}");
    }
}

#[tokio::test]
async fn anything_else_is_an_error_of_one_line() {
    let mut lines = Vec::new();
    for reply in [
        Reply::text("Do not stop."),
        Reply::text("{\"decision\": \"pause\"}"),
        Reply::text("{\"verdict\": \"stop\"}"),
        Reply::text(""),
        Reply::raw("<html>Sign in</html>"),
        Reply::json(json!({ "choices": [] })),
    ] {
        lines.push(decide(reply).await.0.unwrap_err().to_string());
    }
    assert_eq!(
        lines,
        [
            "neither `continue` nor `stop`: Do not stop.",
            "neither `continue` nor `stop`: {\"decision\": \"pause\"}",
            "neither `continue` nor `stop`: {\"verdict\": \"stop\"}",
            "neither `continue` nor `stop`: ",
            "the server answered with a web page instead of JSON: <html>Sign in</html>",
            "the server's answer has no message in `choices`: {\"choices\":[]}",
        ]
    );
    let (result, server) = decide(Reply::error(401, "who are you")).await;
    let error = json!({ "message": "who are you", "type": "invalid_request_error", "code": null });
    assert_eq!(
        result,
        Err(SupervisorError::Chat(Error::Http {
            status: 401,
            url: server.base_url() + "/chat/completions",
            body: json!({ "error": error }).to_string(),
        }))
    );
}
