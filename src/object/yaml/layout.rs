use serde_json::Value;
pub(super) fn read(_: &str) -> Option<Value> {
    todo!()
}
