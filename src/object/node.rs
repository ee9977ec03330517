use serde_json::{Map, Value, json};

use super::Hash;
use super::blob::refs_of;
use super::yaml;

/// Role of the state that ends a thread.
pub const END_ROLE: &str = "__end__";
/// Role of the marker state that begins a fork.
pub const FORK_ROLE: &str = "__fork__";
/// Role of the first entry that a bundle sees, `thread.start`; no node has it.
pub const START_ROLE: &str = "__start__";
/// Most entries in [`StateNode::ancestors`].
pub const MAX_ANCESTORS: usize = 11;

/// What a blob of the store means.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// The parameters of a thread.
    Start(StartNode),
    /// One step of a thread.
    State(StateNode),
    /// Text, with the hashes of artifacts it stands for.
    Content(ContentNode),
    /// A node of another kind (`step`, `thread`, or one we do not know); kept as it is.
    Other {
        /// The whole document.
        value: Value,
        /// Its `refs`, or `children` where there are none.
        refs: Vec<String>,
    },
}

/// The parameters of a thread. Shared by its forks, so it holds no thread id.
#[derive(Debug, Clone, PartialEq)]
pub struct StartNode {
    /// The workflow's name when the thread was started.
    pub name: String,
    /// The bundle.
    pub hash: Hash,
    /// Steps allowed in one execution; absent in nodes of the third age.
    pub max_rounds: Option<u64>,
    /// 0 for a thread that a person started, one more for each workflow between.
    pub depth: u64,
    /// The parent's state that asked for this thread, where there is one.
    pub parent_state: Option<Hash>,
    /// The content node with the prompt.
    pub prompt: Hash,
}

/// One step of a thread.
#[derive(Debug, Clone, PartialEq)]
pub struct StateNode {
    /// The role, [`END_ROLE`] or [`FORK_ROLE`].
    pub role: String,
    /// The typed answer, keys in the bundle's order.
    pub meta: Map<String, Value>,
    /// The thread's start node.
    pub start: Hash,
    /// The content node.
    pub content: Hash,
    /// Parent, grandparent and so on, newest first, at most [`MAX_ANCESTORS`].
    pub ancestors: Vec<Hash>,
    /// A summary of all states before this one.
    pub compact: Option<Hash>,
    /// Milliseconds since 1970.
    pub timestamp: i64,
    /// The root of the thread that answered for this step, where one did.
    pub child_thread: Option<Hash>,
}

/// Text, with the hashes of artifacts it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentNode {
    /// The text.
    pub text: String,
    /// Hashes of artifacts. Not parsed: bundles of older ages put other names here.
    pub refs: Vec<String>,
}

/// A blob that should be a node and is not.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// Not YAML.
    #[error(transparent)]
    Yaml(#[from] yaml::ParseError),
    /// YAML, but not a mapping with a string `type`.
    #[error("not a node: expected a mapping with `type`, `payload` and `refs`")]
    NotANode,
    /// A field is missing or of the wrong type.
    #[error("field `{field}` of a `{node}` node is missing or of the wrong type")]
    Field {
        /// The node's `type`.
        node: &'static str,
        /// The field's name.
        field: &'static str,
    },
}

impl Node {
    /// Reads a node from its YAML text, in any layout.
    pub fn decode(text: &str) -> Result<Node, DecodeError> {
        let value = yaml::decode(text)?;
        Node::from_value(value)
    }

    /// Reads a node from its document.
    pub fn from_value(value: Value) -> Result<Node, DecodeError> {
        let kind = value.get("type").and_then(Value::as_str).ok_or(DecodeError::NotANode)?;
        match kind {
            "start" => StartNode::from_value(&value).map(Node::Start),
            "state" => StateNode::from_value(&value).map(Node::State),
            "content" => match value.get("payload") {
                Some(Value::String(text)) => {
                    Ok(Node::Content(ContentNode { text: text.clone(), refs: refs_of(&value) }))
                }
                _ => Err(DecodeError::Field { node: "content", field: "payload" }),
            },
            _ => Ok(Node::Other { refs: refs_of(&value), value }),
        }
    }

    /// The node's document: `type`, `payload`, `refs`.
    pub fn to_value(&self) -> Value {
        match self {
            Node::Start(node) => node.to_value(),
            Node::State(node) => node.to_value(),
            Node::Content(node) => {
                json!({ "type": "content", "payload": node.text, "refs": node.refs })
            }
            Node::Other { value, .. } => value.clone(),
        }
    }

    /// The node's canonical text, whose hash is the node's hash.
    pub fn encode(&self) -> String {
        yaml::encode(&self.to_value())
    }
}

impl From<StartNode> for Node {
    fn from(node: StartNode) -> Node {
        Node::Start(node)
    }
}

impl From<StateNode> for Node {
    fn from(node: StateNode) -> Node {
        Node::State(node)
    }
}

impl From<ContentNode> for Node {
    fn from(node: ContentNode) -> Node {
        Node::Content(node)
    }
}

impl StartNode {
    fn to_value(&self) -> Value {
        let mut payload = Map::new();
        payload.insert("name".into(), json!(self.name));
        payload.insert("hash".into(), json!(self.hash));
        if let Some(rounds) = self.max_rounds {
            payload.insert("maxRounds".into(), json!(rounds));
        }
        payload.insert("depth".into(), json!(self.depth));
        let mut refs = vec![self.prompt];
        if let Some(parent) = self.parent_state {
            payload.insert("parentState".into(), json!(parent));
            refs.push(parent);
        }
        json!({ "type": "start", "payload": payload, "refs": refs })
    }

    fn from_value(value: &Value) -> Result<StartNode, DecodeError> {
        let fields = Fields { node: "start", payload: &value["payload"] };
        let prompt = refs_of(value).first().and_then(|hash| hash.parse().ok());
        Ok(StartNode {
            name: fields.string("name")?,
            hash: fields.hash("hash")?,
            max_rounds: fields.optional("maxRounds", Value::as_u64)?,
            depth: fields.optional("depth", Value::as_u64)?.unwrap_or(0),
            parent_state: fields.optional("parentState", as_hash)?,
            prompt: prompt.ok_or(DecodeError::Field { node: "start", field: "refs" })?,
        })
    }
}

impl StateNode {
    /// The direct parent; none for the first state of a thread.
    pub fn parent(&self) -> Option<Hash> {
        self.ancestors.first().copied()
    }

    /// The `ancestors` of a state that follows this one, whose own hash is `hash`.
    pub fn ancestors_of_child(&self, hash: Hash) -> Vec<Hash> {
        let mut ancestors = vec![hash];
        ancestors.extend(self.ancestors.iter().take(MAX_ANCESTORS - 1));
        ancestors
    }

    /// Every hash that the payload names, in the order of SPEC section 4.
    pub fn refs(&self) -> Vec<Hash> {
        let mut refs = vec![self.start, self.content];
        refs.extend(&self.ancestors);
        refs.extend(self.compact);
        refs.extend(self.child_thread);
        refs
    }

    fn to_value(&self) -> Value {
        let mut payload = Map::new();
        payload.insert("role".into(), json!(self.role));
        payload.insert("meta".into(), Value::Object(self.meta.clone()));
        payload.insert("start".into(), json!(self.start));
        payload.insert("content".into(), json!(self.content));
        payload.insert("ancestors".into(), json!(self.ancestors));
        payload.insert("compact".into(), json!(self.compact));
        payload.insert("timestamp".into(), json!(self.timestamp));
        if let Some(child) = self.child_thread {
            payload.insert("childThread".into(), json!(child));
        }
        json!({ "type": "state", "payload": payload, "refs": self.refs() })
    }

    fn from_value(value: &Value) -> Result<StateNode, DecodeError> {
        let fields = Fields { node: "state", payload: &value["payload"] };
        let ancestors = fields
            .get("ancestors")
            .and_then(Value::as_array)
            .and_then(|list| list.iter().map(as_hash).collect::<Option<Vec<Hash>>>());
        Ok(StateNode {
            role: fields.string("role")?,
            meta: fields
                .get("meta")
                .and_then(Value::as_object)
                .cloned()
                .ok_or_else(|| fields.error("meta"))?,
            start: fields.hash("start")?,
            content: fields.hash("content")?,
            ancestors: ancestors.ok_or_else(|| fields.error("ancestors"))?,
            compact: fields.optional("compact", as_hash)?,
            timestamp: fields
                .get("timestamp")
                .and_then(Value::as_f64)
                .map(|ms| ms as i64)
                .ok_or_else(|| fields.error("timestamp"))?,
            child_thread: fields.optional("childThread", as_hash)?,
        })
    }
}

/// Reads the fields of one payload, naming node and field in the error.
struct Fields<'a> {
    node: &'static str,
    payload: &'a Value,
}

impl Fields<'_> {
    fn error(&self, field: &'static str) -> DecodeError {
        DecodeError::Field { node: self.node, field }
    }

    fn get(&self, field: &'static str) -> Option<&Value> {
        self.payload.get(field)
    }

    fn string(&self, field: &'static str) -> Result<String, DecodeError> {
        let text = self.get(field).and_then(Value::as_str);
        text.map(str::to_owned).ok_or_else(|| self.error(field))
    }

    fn hash(&self, field: &'static str) -> Result<Hash, DecodeError> {
        self.get(field).and_then(as_hash).ok_or_else(|| self.error(field))
    }

    fn optional<T>(
        &self,
        field: &'static str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<Option<T>, DecodeError> {
        match self.get(field) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => read(value).map(Some).ok_or_else(|| self.error(field)),
        }
    }
}

fn as_hash(value: &Value) -> Option<Hash> {
    value.as_str()?.parse().ok()
}
