//! What servers answer, in the shapes in which they really do. Each test sends
//! a request to a real server and reads its response.

use std::sync::LazyLock;

use serde_json::{Value, json};
use uncaged_workflow::llm::answer::{self, Answer, BadArguments, Call, InvalidAnswer, json_in};
use uncaged_workflow::llm::{Client, Provider};

use crate::support::chat_server::{ChatServer, Reply};

/// One for all tests: a client reads the machine's certificates once.
static CLIENT: LazyLock<Client> = LazyLock::new(Client::default);

async fn read(reply: Reply) -> Result<Answer, InvalidAnswer> {
    let server = ChatServer::scripted([reply]);
    let provider = Provider {
        base_url: server.base_url(),
        api_key: "sk-0123456789".to_owned(),
        model: "small".to_owned(),
    };
    let body = json!({ "messages": [] });
    answer::parse(&CLIENT.chat(&provider, &body).await.unwrap(), 1)
}

fn calling(arguments: Value) -> Value {
    let function = json!({ "name": "extract", "arguments": arguments });
    let call = json!({ "id": "call_a", "type": "function", "function": function });
    json!({ "role": "assistant", "content": null, "tool_calls": [call] })
}

async fn arguments(sent: Value, finish_reason: &str) -> Result<Value, BadArguments> {
    let answer = read(Reply::message(calling(sent), finish_reason)).await.unwrap();
    assert_eq!(answer.calls.len(), 1);
    answer.calls.into_iter().next().unwrap().arguments
}

#[tokio::test]
async fn a_tool_call_as_openai_sends_it() {
    let reply = Reply::message(calling(json!("{\"phases\": [1]}")), "tool_calls");
    assert_eq!(
        read(reply).await,
        Ok(Answer {
            message: json!({ "role": "assistant", "content": null, "tool_calls": [{
                "id": "call_a", "type": "function",
                "function": { "name": "extract", "arguments": "{\"phases\":[1]}" },
            }] }),
            text: String::new(),
            calls: vec![Call {
                id: "call_a".to_owned(),
                name: "extract".to_owned(),
                arguments: Ok(json!({ "phases": [1] })),
            }],
            cut: false,
        })
    );
}

#[tokio::test]
async fn arguments_may_be_an_object_a_string_or_a_string_in_a_string() {
    let object = json!({ "a": { "b": "c" } });
    for sent in [
        object.clone(),
        Value::from(object.to_string()),
        Value::from(Value::from(object.to_string()).to_string()),
        Value::from(format!("\n {object} \n")),
    ] {
        assert_eq!(arguments(sent, "tool_calls").await, Ok(object.clone()));
    }
}

#[tokio::test]
async fn empty_arguments_are_an_empty_object() {
    for sent in [json!(""), json!("  "), json!(null), json!("{}"), json!({})] {
        assert_eq!(arguments(sent, "tool_calls").await, Ok(json!({})));
    }
    let call = json!({ "id": "call_a", "function": { "name": "extract" } });
    let message = json!({ "role": "assistant", "tool_calls": [call] });
    let answer = read(Reply::message(message, "tool_calls")).await.unwrap();
    assert_eq!(answer.calls[0].arguments, Ok(json!({})));
}

#[tokio::test]
async fn cut_arguments_are_named_as_cut_and_go_back_as_valid_json() {
    let answer = read(Reply::message(calling(json!("{\"text\": \"half")), "length")).await.unwrap();
    let error = answer.calls[0].arguments.clone().unwrap_err();
    assert_eq!(
        (answer.cut, error.cut, error.to_string().as_str()),
        (
            true,
            true,
            "the arguments were cut off by the token limit: EOF while parsing a string at line 1 column 14"
        )
    );
    assert_eq!(answer.message["tool_calls"][0]["function"]["arguments"], "{}");
    assert!(arguments(json!(""), "length").await.unwrap_err().cut);
    assert_eq!(arguments(json!("{\"a\":1}"), "length").await, Ok(json!({ "a": 1 })));
}

#[tokio::test]
async fn arguments_that_are_no_json_are_named_as_that() {
    let error = arguments(json!("{'a': 1}"), "tool_calls").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the arguments are not valid JSON: key must be a string at line 1 column 2"
    );
}

#[tokio::test]
async fn several_calls_keep_their_order_and_get_ids_of_their_own() {
    let call =
        |id: Value, name: &str| json!({ "id": id, "index": 0, "function": { "name": name } });
    let message = json!({ "role": "assistant", "content": "let me look", "tool_calls": [
        call(json!("x"), "one"), call(json!("x"), "two"), call(json!(""), "three"),
        call(json!(null), " four "), { "function": {} },
    ] });
    let answer = read(Reply::message(message, "tool_calls")).await.unwrap();
    let calls: Vec<_> =
        answer.calls.iter().map(|call| (call.id.as_str(), call.name.as_str())).collect();
    let expected = [
        ("x", "one"),
        ("call01001", "two"),
        ("call01002", "three"),
        ("call01003", "four"),
        ("call01004", ""),
    ];
    assert_eq!(calls, expected);
    let echoed = expected.map(|(id, name)| {
        let function = json!({ "name": name, "arguments": "{}" });
        json!({ "id": id, "type": "function", "function": function })
    });
    assert_eq!(
        answer.message,
        json!({ "role": "assistant", "content": "let me look", "tool_calls": echoed })
    );
}

#[tokio::test]
async fn what_models_want_back_goes_back_and_nothing_else() {
    let mut message = calling(json!("{}"));
    message["reasoning_content"] = json!("hm");
    message["refusal"] = json!(null);
    message["annotations"] = json!([]);
    message["tool_calls"][0]["extra_content"] = json!({ "google": { "thought_signature": "abc" } });
    let answer = read(Reply::message(message, "tool_calls")).await.unwrap();
    assert_eq!(
        answer.message,
        json!({ "role": "assistant", "content": null, "reasoning_content": "hm", "tool_calls": [{
            "id": "call_a", "type": "function",
            "function": { "name": "extract", "arguments": "{}" },
            "extra_content": { "google": { "thought_signature": "abc" } },
        }] })
    );
    let plain = json!({ "role": "assistant", "content": "yes", "reasoning_content": "hm" });
    let answer = read(Reply::message(plain, "stop")).await.unwrap();
    assert_eq!(answer.message, json!({ "role": "assistant", "content": "yes" }));
}

#[tokio::test]
async fn content_may_be_text_parts_null_missing_or_a_refusal() {
    let text = |message: Value| async move {
        let answer = read(Reply::message(message, "stop")).await.unwrap();
        (answer.text, answer.message["content"].as_str().unwrap().to_owned())
    };
    let parts = json!([{ "type": "text", "text": "a" }, { "type": "image" }, "b"]);
    let both = |text: &str| (text.to_owned(), text.to_owned());
    let nothing = (String::new(), "(no content)".to_owned());
    assert_eq!(
        [
            text(json!({ "content": "said", "tool_calls": null })).await,
            text(json!({ "content": parts, "tool_calls": [] })).await,
            text(json!({ "content": null })).await,
            text(json!({})).await,
            text(json!({ "content": null, "refusal": "I will not" })).await,
        ],
        [both("said"), both("ab"), nothing.clone(), nothing, both("I will not")]
    );
}

#[tokio::test]
async fn no_choices_is_no_answer() {
    let mut lines = Vec::new();
    for body in [
        json!({ "id": "x" }),
        json!({ "choices": null }),
        json!({ "choices": [] }),
        json!({ "choices": [null] }),
        json!({ "choices": [{ "finish_reason": "stop" }] }),
        json!({ "choices": [{ "message": null }] }),
        json!([]),
        json!("text"),
    ] {
        lines.push(read(Reply::json(body)).await.unwrap_err().to_string());
    }
    let line = |body: &str| format!("the server's answer has no message in `choices`: {body}");
    assert_eq!(
        lines,
        [
            line(r#"{"id":"x"}"#),
            line(r#"{"choices":null}"#),
            line(r#"{"choices":[]}"#),
            line(r#"{"choices":[null]}"#),
            line(r#"{"choices":[{"finish_reason":"stop"}]}"#),
            line(r#"{"choices":[{"message":null}]}"#),
            line("[]"),
            line(r#""text""#),
        ]
    );
}

#[tokio::test]
async fn an_error_object_is_an_error_whatever_the_status() {
    let message = json!({ "content": "" });
    let mut lines = Vec::new();
    for body in [
        json!({ "error": { "message": "no credit\nleft", "code": 402 } }),
        json!({ "error": "model not found", "choices": [] }),
        json!({ "error": { "code": 500 } }),
        json!({ "object": "error", "message": "too long", "code": 400 }),
        json!({ "choices": [{ "message": message, "error": { "message": "upstream" } }] }),
        json!({ "choices": [{ "message": message, "finish_reason": "error" }] }),
    ] {
        lines.push(read(Reply::json(body)).await.unwrap_err().to_string());
    }
    let line = |message: &str| format!("the server answered with an error: {message}");
    assert_eq!(
        lines,
        [
            line("no credit left"),
            line("model not found"),
            line(r#"{"code":500}"#),
            line("too long"),
            line("upstream"),
            line("the model's turn ended with an error"),
        ]
    );
}

#[tokio::test]
async fn an_error_that_is_null_beside_a_message_is_none() {
    let choice = json!({ "message": { "content": "fine" }, "error": null });
    let reply = Reply::json(json!({ "error": null, "choices": [choice] }));
    assert_eq!(read(reply).await.unwrap().text, "fine");
}

#[tokio::test]
async fn a_web_page_is_named_as_that() {
    for page in ["<!DOCTYPE html>\n<html>Sign in</html>", "\n<HTML>Sign in</HTML>"] {
        let error = read(Reply::raw(page).header("content-type", "text/html")).await.unwrap_err();
        let shown = page.trim().replace('\n', " ");
        assert_eq!(
            error.to_string(),
            format!("the server answered with a web page instead of JSON: {shown}")
        );
    }
}

#[tokio::test]
async fn a_stream_and_other_text_are_not_json() {
    let mut lines = Vec::new();
    for body in ["data: {\"choices\":[]}\n\ndata: [DONE]", "", "{\"choices\": [", "upstream down"] {
        lines.push(read(Reply::raw(body)).await.unwrap_err().to_string());
    }
    assert_eq!(
        lines,
        [
            "the server's answer is not JSON (expected value at line 1 column 1): data: {\"choices\":[]} data: [DONE]",
            "the server's answer is not JSON (it is empty): ",
            "the server's answer is not JSON (EOF while parsing a list at line 1 column 13): {\"choices\": [",
            "the server's answer is not JSON (expected value at line 1 column 1): upstream down",
        ]
    );
}

#[tokio::test]
async fn white_space_and_a_byte_order_mark_around_the_json_do_not_matter() {
    let body = json!({ "choices": [{ "message": { "content": "fine" } }] });
    let answer = read(Reply::raw(format!("\u{feff}\n\n   {body}\n"))).await.unwrap();
    assert_eq!(answer.text, "fine");
}

/// What is found in a reply with this text, sent through a server.
async fn found(text: &str) -> Option<Value> {
    json_in(&read(Reply::text(text)).await.unwrap().text)
}

#[tokio::test]
async fn json_is_found_whole_in_a_fence_after_prose_and_after_thinking() {
    for text in [
        "{\"a\": 1}",
        " \n{\"a\": 1}\n",
        "```json\n{\"a\": 1}\n```",
        "```\n{\"a\": 1}\n```",
        "```JSON\r\n\r\n  {\"a\": 1}\r\n```\r\n",
        "Here is the result:\n\n```json\n{\"a\": 1}\n```\nAnything else?",
        "```json\n{\"a\": 1}",
        "```json {\"a\": 1} ```",
        "Sure! {\"a\": 1}",
        "Sure: {\"a\": 1} — done.",
        "<think>Maybe {\"a\": 2}?\nNo.</think>\n{\"a\": 1}",
        "<thinking>\n```json\n{\"a\": 2}\n```\n</thinking>\n\n```json\n{\"a\": 1}\n```",
        "I think {\"a\": 2}\n```json\n{\"a\": 3}\n```\n</think>\n{\"a\": 1}",
        "First I thought {\"a\": 2}, but it is {\"a\": 1}",
        "```json\n{\"a\": 1}\n```\nThe shape was {\"type\": \"object\"}.",
        "A set {x, y} and a list [z], so {\"a\": 1}",
        "Nothing {\"a\"} of this { is: {\"a\": 1}",
        &format!("{}{{\"a\": 1}}", "open { ".repeat(50)),
        "See [1] and [2]: {\"a\": 1}",
    ] {
        assert_eq!(found(text).await, Some(json!({ "a": 1 })), "{text}");
    }
}

#[tokio::test]
async fn a_fence_or_a_think_tag_inside_a_string_is_a_part_of_the_string() {
    let value = json!({ "code": "```js\nlet a = {};\n```\n", "tag": "</think> {\"a\": 1}" });
    for text in [
        value.to_string(),
        format!("```json\n{value}\n```"),
        format!("Here:\n```json\n{value:#}\n```\nDone."),
        format!("<think>hm</think>Here: {value:#} Done."),
    ] {
        assert_eq!(found(&text).await, Some(value.clone()), "{text}");
    }
}

#[tokio::test]
async fn lists_and_plain_values_are_found_where_there_is_no_object() {
    assert_eq!(
        [
            found("[1, 2]").await,
            found("The list: [1, 2].").await,
            found("```json\n[{\"a\": 1}]\n```").await,
            found("true").await,
            found("\"word\"").await,
        ],
        [
            Some(json!([1, 2])),
            Some(json!([1, 2])),
            Some(json!([{ "a": 1 }])),
            Some(json!(true)),
            Some(json!("word")),
        ]
    );
}

#[tokio::test]
async fn there_is_no_json_in_prose_in_unfinished_thinking_or_in_a_part_of_broken_json() {
    for text in [
        "I could not do it.",
        "<think>Maybe {\"a\": 1}",
        "Use {braces} and [brackets].",
        "{\"a\": {\"b\": 1}, \"c\": \"unfin",
        "{\"list\": [{\"a\": 1},]}",
        "{'a': {\"b\": 1}}",
        "[{\"a\": 1}, {\"a\": ",
        &"{x ".repeat(100_000),
    ] {
        assert_eq!(found(text).await, None, "{text}");
    }
}
