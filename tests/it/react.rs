//! The ReAct loop against a real server, driven as the host drives it: through
//! JSON values, with tools and a validation of the test's own.

use std::sync::LazyLock;

use serde_json::{Value, json};
use uncaged_workflow::llm::react::{Config, Input, Machine, Output};
use uncaged_workflow::llm::{Client, Provider};

use crate::support::chat_server::{ChatServer, Reply};

/// One for all tests: a client reads the machine's certificates once.
static CLIENT: LazyLock<Client> = LazyLock::new(Client::default);

/// What a loop does with each turn: `lookup` gives what it was asked for in
/// capitals, and a value is accepted when its `status` is `done`.
struct Run {
    /// The last output.
    end: Value,
    /// What happened in between, without the requests.
    events: Vec<Value>,
    /// The messages of each request.
    asked: Vec<Vec<Value>>,
}

fn lookup() -> Value {
    let parameters = json!({ "type": "object", "properties": { "word": { "type": "string" } } });
    json!({ "name": "lookup", "description": "Looks up.", "parameters": parameters })
}

fn report() -> Value {
    let parameters = json!({ "type": "object", "properties": { "status": { "type": "string" } } });
    json!({ "name": "report", "description": "Reports.", "parameters": parameters })
}

fn config() -> Value {
    let hello = json!({ "role": "user", "content": "hello" });
    json!({ "messages": [hello], "tools": [lookup()], "structured": report(), "maxRounds": 10 })
}

/// Through JSON in both directions, as the host has it.
fn step(machine: &mut Machine, input: Value) -> Value {
    let input: Input = serde_json::from_value(input).unwrap();
    serde_json::to_value(machine.step(input).unwrap()).unwrap()
}

async fn run(config: Value, replies: impl IntoIterator<Item = Reply>) -> Run {
    let server = ChatServer::scripted(replies);
    let provider = Provider {
        base_url: server.base_url(),
        api_key: "sk-0123456789".to_owned(),
        model: "small".to_owned(),
    };
    let mut machine = Machine::new(serde_json::from_value(config).unwrap());
    let mut events = Vec::new();
    let mut output = step(&mut machine, json!({ "kind": "begin" }));
    let end = loop {
        let input = match output["kind"].as_str().unwrap() {
            "request" => {
                let body = CLIENT.chat(&provider, &output["body"]).await.unwrap();
                json!({ "kind": "response", "body": body })
            }
            "toolCall" => {
                events.push(output.clone());
                let word = output["arguments"]["word"].as_str().unwrap_or("nothing");
                let content = word.to_uppercase();
                json!({ "kind": "toolResult", "id": output["id"], "content": content })
            }
            "validate" => {
                events.push(output.clone());
                match output["value"]["status"] == "done" {
                    true => json!({ "kind": "accepted" }),
                    false => json!({ "kind": "rejected", "problem": "status: expected \"done\"" }),
                }
            }
            _ => break output,
        };
        output = step(&mut machine, input);
    };
    let messages = |body: &Value| body["messages"].as_array().unwrap().clone();
    let asked = server.requests().iter().map(|request| messages(&request.body)).collect();
    Run { end, events, asked }
}

fn done() -> Value {
    json!({ "kind": "done", "value": { "status": "done" } })
}

fn validate(status: &str) -> Value {
    json!({ "kind": "validate", "value": { "status": status } })
}

fn user(content: &str) -> Value {
    json!({ "role": "user", "content": content })
}

fn tool(id: &str, content: &str) -> Value {
    json!({ "role": "tool", "tool_call_id": id, "content": content })
}

fn assistant(calls: &[(&str, &str, &str)]) -> Value {
    let calls: Vec<Value> = calls
        .iter()
        .map(|(id, name, arguments)| {
            let function = json!({ "name": name, "arguments": arguments });
            json!({ "id": id, "type": "function", "function": function })
        })
        .collect();
    json!({ "role": "assistant", "content": null, "tool_calls": calls })
}

#[tokio::test]
async fn a_call_of_the_structured_tool_that_is_accepted_ends_the_loop() {
    let reply = Reply::call("report", json!({ "status": "done" }));
    let run = run(config(), [reply]).await;
    assert_eq!((run.end, run.events), (done(), vec![validate("done")]));
    assert_eq!(run.asked, [[user("hello")]]);
}

#[test]
fn a_request_has_the_messages_and_the_tools_with_the_structured_one_last() {
    let mut machine = Machine::new(serde_json::from_value(config()).unwrap());
    let output = step(&mut machine, json!({ "kind": "begin" }));
    let body = json!({
        "messages": [user("hello")],
        "tools": [
            { "type": "function", "function": lookup() },
            { "type": "function", "function": report() },
        ],
        "tool_choice": "auto",
    });
    assert_eq!(output.to_string(), json!({ "kind": "request", "body": body }).to_string());
}

#[test]
fn without_tools_a_request_has_no_list_of_them() {
    let config = json!({ "messages": [user("hello")], "structured": null });
    let mut machine = Machine::new(serde_json::from_value(config).unwrap());
    assert_eq!(
        step(&mut machine, json!({ "kind": "begin" })),
        json!({ "kind": "request", "body": { "messages": [user("hello")] } })
    );
}

#[tokio::test]
async fn several_calls_are_worked_off_one_by_one_each_with_one_tool_message() {
    let replies = [
        Reply::calls(&[
            ("lookup", json!({ "word": "one" })),
            ("report", json!({ "status": "half" })),
            ("lookup", json!({ "word": "two" })),
        ]),
        Reply::call("report", json!({ "status": "done" })),
    ];
    let run = run(config(), replies).await;
    let call = |id: &str, word: &str| {
        let arguments = json!({ "word": word });
        json!({ "kind": "toolCall", "id": id, "name": "lookup", "arguments": arguments })
    };
    assert_eq!(
        (run.end, run.events),
        (
            done(),
            vec![call("call_0", "one"), validate("half"), call("call_2", "two"), validate("done")]
        )
    );
    assert_eq!(
        run.asked[1],
        [
            user("hello"),
            assistant(&[
                ("call_0", "lookup", "{\"word\":\"one\"}"),
                ("call_1", "report", "{\"status\":\"half\"}"),
                ("call_2", "lookup", "{\"word\":\"two\"}"),
            ]),
            tool("call_0", "ONE"),
            tool(
                "call_1",
                "Not accepted: status: expected \"done\"\nCall `report` again with corrected arguments."
            ),
            tool("call_2", "TWO"),
        ]
    );
}

#[tokio::test]
async fn an_accepted_value_ends_the_loop_whatever_calls_are_left() {
    let calls =
        [("report", json!({ "status": "done" })), ("lookup", json!({ "word": "needless" }))];
    let run = run(config(), [Reply::calls(&calls)]).await;
    assert_eq!((run.end, run.events), (done(), vec![validate("done")]));
}

#[tokio::test]
async fn a_plain_reply_with_json_is_validated_and_answered_by_a_user_message() {
    let replies = [
        Reply::text("It is {\"status\": \"half\"}"),
        Reply::text("```json\n{\"status\": \"done\"}\n```"),
    ];
    let run = run(config(), replies).await;
    assert_eq!((run.end, run.events), (done(), vec![validate("half"), validate("done")]));
    assert_eq!(
        run.asked[1],
        [
            user("hello"),
            json!({ "role": "assistant", "content": "It is {\"status\": \"half\"}" }),
            user(
                "Not accepted: status: expected \"done\"\nCall the tool `report`, or reply with nothing but the JSON of its arguments."
            ),
        ]
    );
}

#[tokio::test]
async fn what_is_wrong_with_a_plain_reply_is_said() {
    let cut = json!({ "role": "assistant", "content": "So: {\"status\": \"done\"} and now" });
    let replies = [
        Reply::text("I am not sure."),
        Reply::message(json!({ "role": "assistant", "content": null }), "stop"),
        Reply::message(cut, "length"),
        Reply::message(json!({ "content": "{\"status\": \"done\"}" }), "length"),
    ];
    let run = run(config(), replies).await;
    assert_eq!((run.end, run.events), (done(), vec![validate("done")]));
    let said: Vec<&str> =
        run.asked[3].iter().skip(2).step_by(2).map(|m| m["content"].as_str().unwrap()).collect();
    let how = "Call the tool `report`, or reply with nothing but the JSON of its arguments.";
    assert_eq!(
        said,
        [
            format!("Not accepted: there is no JSON in the reply\n{how}"),
            format!("Not accepted: the reply was empty\n{how}"),
            format!("Not accepted: the reply was cut off by the token limit\n{how}"),
        ]
    );
}

#[tokio::test]
async fn what_is_wrong_with_a_call_is_its_tool_message() {
    let call = |id: &str, name: &str, arguments: Value| json!({ "id": id, "function": { "name": name, "arguments": arguments } });
    let message = |calls: Value| json!({ "role": "assistant", "tool_calls": calls });
    let replies = [
        Reply::message(
            message(json!([
                call("a", "search", json!("{}")),
                call("b", "", json!("{}")),
                call("c", "lookup", json!("[1]")),
                call("d", "lookup", json!("{'word': 1}")),
            ])),
            "tool_calls",
        ),
        Reply::message(message(json!([call("e", "report", json!("{\"stat"))])), "length"),
        Reply::message(message(json!([call("f", "report", json!({ "status": "done" }))])), "stop"),
    ];
    let run = run(config(), replies).await;
    assert_eq!((run.end, run.events), (done(), vec![validate("done")]));
    assert_eq!(
        run.asked[2],
        [
            user("hello"),
            assistant(&[
                ("a", "search", "{}"),
                ("b", "", "{}"),
                ("c", "lookup", "[1]"),
                ("d", "lookup", "{}"),
            ]),
            tool("a", "ERROR: there is no tool `search`; the tools are: lookup, report"),
            tool("b", "ERROR: there is no tool ``; the tools are: lookup, report"),
            tool("c", "ERROR: the arguments must be a JSON object"),
            tool(
                "d",
                "ERROR: the arguments are not valid JSON: key must be a string at line 1 column 2"
            ),
            assistant(&[("e", "report", "{}")]),
            tool(
                "e",
                "ERROR: the arguments were cut off by the token limit: EOF while parsing a string at line 1 column 6"
            ),
        ]
    );
}

#[tokio::test]
async fn after_ten_rounds_without_an_accepted_value_the_loop_fails() {
    let half = || Reply::call("report", json!({ "status": "half" }));
    let mut config = config();
    config.as_object_mut().unwrap().remove("maxRounds");
    let run = run(config, std::iter::repeat_with(half).take(20)).await;
    assert_eq!(
        run.end,
        json!({
            "kind": "failed", "code": "max_react_rounds_exceeded",
            "message": "no accepted answer in 10 rounds; the last problem: status: expected \"done\"",
        })
    );
    assert_eq!((run.asked.len(), run.events.len()), (10, 10));
}

#[tokio::test]
async fn the_number_of_rounds_can_be_set_to_none_at_all() {
    for rounds in [0, 1, 3] {
        let mut config = config();
        config["maxRounds"] = json!(rounds);
        let ask = || Reply::call("lookup", json!({ "word": "more" }));
        let run = run(config, std::iter::repeat_with(ask).take(20)).await;
        let message = format!("no accepted answer in {rounds} rounds");
        assert_eq!(
            run.end,
            json!({ "kind": "failed", "code": "max_react_rounds_exceeded", "message": message })
        );
        assert_eq!(run.asked.len(), rounds);
    }
}

#[tokio::test]
async fn a_response_that_is_no_turn_of_a_model_ends_the_loop() {
    for (reply, message) in [
        (
            Reply::raw("<html>Sign in</html>"),
            "the server answered with a web page instead of JSON: <html>Sign in</html>",
        ),
        (
            Reply::json(json!({ "choices": null })),
            "the server's answer has no message in `choices`: {\"choices\":null}",
        ),
        (
            Reply::json(json!({ "error": { "message": "no credit" } })),
            "the server answered with an error: no credit",
        ),
    ] {
        let run = run(config(), [reply]).await;
        let end = json!({ "kind": "failed", "code": "invalid_response", "message": message });
        assert_eq!((run.end, run.asked.len()), (end, 1));
    }
}

#[tokio::test]
async fn without_a_structured_tool_a_plain_reply_is_the_result() {
    let mut config = config();
    config["structured"] = json!(null);
    let replies =
        [Reply::call("lookup", json!({ "word": "a" })), Reply::text("It is {\"a\": \"A\"}.")];
    let run = run(config, replies).await;
    assert_eq!(run.end, json!({ "kind": "done", "value": "It is {\"a\": \"A\"}." }));
    assert_eq!(run.events.len(), 1);
}

#[tokio::test]
async fn names_that_the_api_does_not_allow_are_changed_on_the_wire_only() {
    let named = |name: &str| json!({ "name": name, "parameters": {} });
    let long = "x".repeat(70);
    let config = json!({
        "messages": [],
        "tools": [named("look up"), named("look.up"), named(&long)],
        "structured": named("look up"),
    });
    let mut machine = Machine::new(serde_json::from_value(config.clone()).unwrap());
    let output = step(&mut machine, json!({ "kind": "begin" }));
    let tools = output["body"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|t| t["function"]["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["look_up", "look_up_2", &long[..64], "look_up_3"]);

    let replies = [
        Reply::call("look_up_2", json!({})),
        Reply::call("look_up_3", json!({ "status": "done" })),
    ];
    let run = run(config, replies).await;
    let call = json!({ "kind": "toolCall", "id": "call_0", "name": "look.up", "arguments": {} });
    assert_eq!((run.end, run.events), (done(), vec![call, validate("done")]));
}

#[test]
fn an_input_out_of_order_is_refused_and_changes_nothing() {
    let mut machine = Machine::new(serde_json::from_value::<Config>(config()).unwrap());
    let body = |calls: Value| {
        let message = json!({ "content": null, "tool_calls": calls });
        json!({ "choices": [{ "message": message }] }).to_string()
    };
    let call = |id: &str, name: &str| json!({ "id": id, "function": { "name": name } });
    let response =
        Input::Response { body: body(json!([call("a", "lookup"), call("b", "report")])) };
    let result = |id: &str| Input::ToolResult { id: id.to_owned(), content: String::new() };
    let refused = |machine: &mut Machine, input| machine.step(input).unwrap_err().to_string();

    let mut lines = vec![refused(&mut machine, Input::Accepted)];
    machine.step(Input::Begin).unwrap();
    lines.push(refused(&mut machine, Input::Begin));
    machine.step(response).unwrap();
    lines.push(refused(&mut machine, result("b")));
    machine.step(result("a")).unwrap();
    lines.push(refused(&mut machine, result("a")));
    let end = machine.step(Input::Accepted).unwrap();
    lines.push(refused(&mut machine, Input::Begin));
    assert_eq!(end, Output::Done { value: json!({}) });
    assert_eq!(
        lines,
        [
            "the ReAct loop expects `begin`, not `accepted`",
            "the ReAct loop expects `response`, not `begin`",
            "the ReAct loop expects `toolResult` with the id of the call, not `toolResult`",
            "the ReAct loop expects `accepted` or `rejected`, not `toolResult`",
            "the ReAct loop is over, not `begin`",
        ]
    );
}
