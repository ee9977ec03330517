//! The roles of the descriptor against those that `run` yields.

use serde_json::Value;

use crate::check_rules::{found, report};

#[test]
fn roles_are_judged_only_where_they_are_evident() {
    let descriptor = |roles: &str| {
        format!("export const descriptor = {{ description: 'd', roles: {{ {roles} }} }};\n")
    };
    let a = descriptor("a: { description: 'a', schema: {} }");
    let silent = [
        // Yields that may carry any role.
        format!("{a}export function* run() {{ yield* other(); }}"),
        format!("{a}export function* run() {{ yield step; }}"),
        format!("{a}export function* run(t) {{ yield {{ role: t.role }}; }}"),
        format!("{a}export function* run(t) {{ yield {{ role: 'a', ...t }}; }}"),
        format!("{a}export function* run(t) {{ yield {{ ['role']: t }}; }}"),
        format!("{a}export function* run() {{ yield; }}"),
        // Functions that are no generators, and calls.
        format!("{a}export const run = () => inner();"),
        format!("{a}export const run = createWorkflow({{ roles: {{ b: {{}} }} }});"),
        // All is as it should be.
        format!("{a}export function* run() {{ yield {{ role: 'a' }}; }}"),
        format!("{a}const r = 'a'; export function* run() {{ yield {{ ...x, role: r }}; }}"),
        // A descriptor that may have more.
        "export const descriptor = { description: 'd', roles: { ...others } };\n\
         export function* run() { yield { role: 'b' }; }"
            .into(),
        "export const descriptor = { description: 'd', roles: { [name]: x } };\n\
         export function* run() { yield { role: 'b' }; }"
            .into(),
        "export const descriptor = { description: 'd', roles: {} };\n\
         descriptor.roles.b = {}; export function* run() { yield { role: 'b' }; }"
            .into(),
        "const d = {}; const roles = { a: 5 }; fill(roles);\n\
         export const descriptor = { description: 'd', roles };\n\
         export function* run() { yield { role: 'b' }; }"
            .into(),
        "export const descriptor = { ...base };\nexport function* run() {}".into(),
        "export let descriptor = {}; descriptor = make();\nexport function* run() {}".into(),
        "const base = {}; base.roles = {}; export { base as descriptor };\n\
         export function* run() {}"
            .into(),
    ];
    for source in silent {
        assert_eq!(found(&source), [""; 0], "{source}");
    }
    let spoken: [(String, &[&str]); 6] = [
        (format!("{a}export function* run() {{}}"), &["bundle/unused-role 1:56 a"]),
        (
            format!("{a}export function* run() {{ yield {{ role: 'b' }}; yield other; }}"),
            &["bundle/undescribed-role 2:40 'b'"],
        ),
        (
            format!("{a}export function* run(t) {{ yield {{ role: t ? 'a' : 'c' }}; }}"),
            &["bundle/undescribed-role 2:51 'c'"],
        ),
        (
            format!(
                "{a}const s = {{ role: 'z' }}; export function* run() {{ const t = s; yield {{ role: 'z' }}; }}"
            ),
            &["bundle/unused-role 1:56 a", "bundle/undescribed-role 2:78 'z'"],
        ),
        (
            format!(
                "{a}import {{ createWorkflow as make }} from '@uncaged/workflow';\n\
                 export const run = make({{ roles: {{ b: {{}} }}, moderator }}, binding);"
            ),
            &["bundle/unused-role 1:56 a", "bundle/undescribed-role 3:36 b"],
        ),
        (
            format!(
                "{}export function* run() {{ yield {{ role: 'a' }}; }}",
                descriptor("a: { description: 'a', schema: { type: 'array' } }")
            ),
            &["bundle/role-schema 1:95 'array'"],
        ),
    ];
    for (source, expected) in spoken {
        assert_eq!(found(&source), expected, "{source}");
    }
    let accepted = report(&format!("{a}export function* run() {{}}"));
    assert!(accepted.is_accepted());
    assert_eq!((accepted.errors().count(), accepted.warnings().count()), (0, 1));
    let json = serde_json::to_value(&accepted.findings[0]).unwrap();
    assert_eq!(json["severity"], Value::from("warning"));
}
