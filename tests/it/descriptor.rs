//! What a bundle says of itself, once it was evaluated.

use serde_json::{Value, json};
use uncaged_workflow::bundle::{Descriptor, RoleDescriptor};
use uncaged_workflow::object::yaml;

use crate::support::golden::golden_list;

fn refused(value: Value) -> String {
    Descriptor::from_value(value).unwrap_err().to_string()
}

#[test]
fn its_text_is_the_one_that_stores_hold() {
    for entry in golden_list("descriptor.json") {
        let descriptor = Descriptor::from_value(entry["descriptor"].clone()).unwrap();
        assert_eq!(descriptor.to_text(), entry["yaml"].as_str().unwrap());
        assert_eq!(yaml::decode(&descriptor.to_text()).unwrap(), entry["descriptor"]);
    }
}

#[test]
fn keys_beyond_the_contract_are_kept_in_their_order() {
    let value = json!({
        "version": 2,
        "roles": {
            "coder": {
                "systemPrompt": "Code.",
                "schema": { "type": "object" },
                "description": "codes",
            },
            "planner": { "description": "plans", "schema": {} },
        },
        "graph": { "edges": [] },
        "description": "keeps",
    });
    let descriptor = Descriptor::from_value(value.clone()).unwrap();
    assert_eq!(descriptor.value(), &value);
    assert_eq!(
        descriptor.to_text(),
        r#""version": 2
"roles":
  "coder":
    "systemPrompt": "Code."
    "schema":
      "type": "object"
    "description": "codes"
  "planner":
    "description": "plans"
    "schema": {}
"graph":
  "edges": []
"description": "keeps"
"#
    );
    assert_eq!(descriptor.description(), "keeps");
    let schemas = [json!({ "type": "object" }), json!({})];
    let role = |name, description, schema: usize| RoleDescriptor {
        name,
        description,
        schema: schemas[schema].as_object().unwrap(),
    };
    assert_eq!(
        descriptor.roles().collect::<Vec<_>>(),
        [role("coder", "codes", 0), role("planner", "plans", 1)]
    );
}

#[test]
fn a_refusal_names_every_field_that_is_wrong() {
    assert_eq!(
        refused(json!({
            "description": 5,
            "roles": {
                "planner": { "description": ["plans"], "schema": "object" },
                "code reviewer": { "schema": [] },
                "7": null,
                "tester": { "description": "", "schema": null },
                "fine": { "description": "", "schema": {}, "more": 1 },
            },
        })),
        r#"`description` is a number: expected a string
`roles.planner.description` is a list: expected a string
`roles.planner.schema` is a string: expected a mapping
`roles["code reviewer"].description` is missing: expected a string
`roles["code reviewer"].schema` is a list: expected a mapping
`roles[7]` is null: expected a mapping
`roles.tester.schema` is null: expected a mapping"#
    );
}

#[test]
fn a_descriptor_is_a_mapping_with_a_mapping_of_roles() {
    assert_eq!(refused(Value::Null), "expected a mapping, found null");
    assert_eq!(refused(json!([])), "expected a mapping, found a list");
    assert_eq!(refused(json!("text")), "expected a mapping, found a string");
    assert_eq!(
        refused(json!({})),
        "`description` is missing: expected a string\n`roles` is missing: expected a mapping"
    );
    assert_eq!(
        refused(json!({ "description": "d", "roles": ["planner"] })),
        "`roles` is a list: expected a mapping"
    );
    assert!(Descriptor::from_value(json!({ "description": "", "roles": {} })).is_ok());
}
