//! The modules that bundles import. Their claims are bundles themselves, under
//! `tests/modules`, and are held by the real host: one thread a claim.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::chat_server::{ChatServer, Reply, Request};
use crate::support::env::{TestEnv, output};

fn bundle(name: &str) -> PathBuf {
    let file = format!("tests/modules/{name}.esm.js");
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file)
}

#[track_caller]
fn holds(name: &str, claim: &str, variables: &[(&str, &str)]) {
    let env = TestEnv::new();
    let mut command = env.command();
    command.envs(variables.iter().copied());
    command.arg("run").arg(bundle(name)).args(["--wait", "--prompt", claim]);
    let output = output(&mut command);
    assert_eq!(output.code, Some(0), "{}{}", output.stdout, output.stderr);
    assert!(
        output.stdout.ends_with("completed: returnCode=0 \u{2014} held\n"),
        "{}",
        output.stdout
    );
}

/// The claims that a bundle makes, by their order in the file.
fn claims_of(name: &str) -> Vec<String> {
    let source = std::fs::read_to_string(bundle(name)).unwrap();
    let methods = source.lines().filter_map(|line| {
        let name = line.strip_prefix("  ")?.strip_suffix(") {")?;
        let name = name.strip_prefix("async ").unwrap_or(name).split_once('(')?.0;
        let is_name = name.contains('_') && !name.starts_with(' ');
        is_name.then(|| name.to_owned())
    });
    methods.collect()
}

/// A test for each claim of a bundle, and one that none was forgotten.
macro_rules! claims {
    ($bundle:ident, $variables:expr, $($claim:ident)*) => {
        mod $bundle {
            $(#[test]
            fn $claim() {
                super::holds(stringify!($bundle), stringify!($claim), &$variables);
            })*

            #[test]
            fn every_claim_is_held() {
                let held = [$(stringify!($claim)),*];
                assert_eq!(super::claims_of(stringify!($bundle)), held);
            }
        }
    };
}

claims! { words, [],
    results_are_plain_objects
    a_table_takes_the_first_transition_that_holds
    base32_keeps_the_most_significant_bit_first
    base32_is_read_back_in_any_case_and_refused_when_wrong
    ulids_carry_their_time_and_sort_by_it
    a_log_tag_that_is_none_throws
    a_file_sink_appends_lines
    paths_follow_the_storage_root
    lists_of_hashes_hold_each_once
    an_unset_or_empty_variable_falls_back
}

claims! { nodes, [("GOLDEN", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/golden"))],
    hashes_are_the_golden_ones
    nodes_are_written_byte_for_byte_as_the_golden_ones
    a_chain_is_read_back_as_a_thread_context
    a_summary_stops_the_context
    links_are_written_last_and_only_when_there_are_any
    what_is_no_node_is_wrapped
    merkle_nodes_of_older_bundles_keep_working
    what_no_thread_needs_is_collected
    reachability_passes_over_what_is_missing_and_ends_in_cycles
}

claims! { definitions, [],
    develop_goes_from_plan_to_commit
    develop_ends_one_round_before_the_limit
    solve_issue_takes_each_role_once
    descriptors_of_the_templates_are_valid
    edges_come_from_a_table_or_a_graph
    a_descriptor_is_refused_for_the_first_thing_wrong
    our_schemas_parse_as_zods_do
    our_schemas_can_be_made_into_others
    a_schema_becomes_a_function_with_an_object_for_arguments
    a_scene_finds_its_model
    the_registry_lists_what_is_registered
    a_registry_that_cannot_be_read_is_an_error
    another_bundle_is_evaluated_for_its_descriptor
    a_bundle_is_checked_without_being_run
}

claims! { declarations, [("TYPES", concat!(env!("CARGO_MANIFEST_DIR"), "/js/types"))],
    every_export_is_declared_and_nothing_else
}

claims! { agents, [],
    a_first_step_is_told_role_and_task
    one_earlier_step_is_told_in_full
    of_several_steps_only_the_last_is_told_in_full
    a_command_gives_its_output_or_says_what_failed
    a_timeout_ends_a_command_whose_children_stay
    much_output_arrives_whole
    hermes_is_called_with_the_prompt
    hermes_failures_begin_with_its_name
    cursor_works_in_the_folder_that_extract_finds
    cursor_failures_begin_with_its_name
    wrong_configurations_are_refused
    an_agent_becomes_an_adapter
    workspace_tools_read_write_patch_and_run
}

claims! { models, [("MODEL_URL", super::scripted_server().base_url().as_str())],
    the_llm_agent_asks_once
    a_failed_question_throws_json
    an_llm_function_gives_the_body_or_says_why_not
    a_reactor_calls_tools_until_the_answer_fits
    a_reactor_gives_up_after_its_rounds
    what_a_tool_throws_is_told_to_the_model
    text_alone_is_extracted
    an_extract_of_ones_own_reads_the_store
    a_react_adapter_gives_the_meta
}

/// A server whose answers stand in the user's message: the first line of it
/// that is a JSON list. What it has said already tells which of them is next.
fn scripted_server() -> ChatServer {
    ChatServer::answering(|request| {
        let messages = request.body["messages"].as_array().unwrap();
        let said = messages.iter().filter(|message| message["role"] == "assistant").count();
        let users = messages.iter().filter(|message| message["role"] == "user");
        let script = users.filter_map(|message| script_in(message["content"].as_str()?)).next();
        reply(request, &script.expect("a script")[said])
    })
}

fn script_in(text: &str) -> Option<Vec<Value>> {
    text.lines().find_map(|line| serde_json::from_str(line).ok())
}

fn reply(request: &Request, answer: &Value) -> Reply {
    if let Some(text) = answer["text"].as_str() {
        return Reply::text(text);
    }
    if let Some(status) = answer["status"].as_u64() {
        return Reply::error(status as u16, answer["message"].as_str().unwrap());
    }
    if answer["echo"] == true {
        let authorization = request.header("authorization");
        let seen = json!({ "authorization": authorization, "body": request.body });
        return Reply::text(&seen.to_string());
    }
    Reply::call(answer["call"][0].as_str().unwrap(), answer["call"][1].clone())
}
