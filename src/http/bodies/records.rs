use serde::Serialize;
use serde_json::{Map, Value};

use crate::engine::{Followed, ending};
use crate::object::{FORK_ROLE, Hash, ThreadId};

/// What happens in a thread, as `live` shows it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Record {
    /// The first record.
    ThreadStart {
        /// The thread.
        thread_id: ThreadId,
        /// Its bundle.
        hash: Hash,
    },
    /// A step.
    Role {
        /// The state.
        hash: Hash,
        /// Its role.
        role: String,
        /// The content node.
        content_hash: Hash,
        /// Its text.
        content: String,
        /// The typed answer.
        meta: Map<String, Value>,
        /// The artifacts that the text stands for.
        refs: Vec<String>,
        /// The last state of the thread that did this step.
        child_thread: Option<Hash>,
        /// Milliseconds since 1970.
        timestamp: i64,
    },
    /// The last record.
    WorkflowResult {
        /// The thread.
        thread_id: ThreadId,
        /// 0 where all went well.
        return_code: i64,
        /// In a line.
        summary: String,
    },
}

impl Record {
    /// The record of a state; none for a marker that nobody wants to see.
    pub fn of(thread: &ThreadId, step: &Followed) -> Option<Record> {
        let Followed { hash, state, content, refs } = step;
        if let Some(end) = ending(state) {
            return Some(Record::WorkflowResult {
                thread_id: thread.clone(),
                return_code: end.return_code,
                summary: end.summary,
            });
        }
        (state.role != FORK_ROLE).then(|| Record::Role {
            hash: *hash,
            role: state.role.clone(),
            content_hash: state.content,
            content: content.clone(),
            meta: state.meta.clone(),
            refs: refs.clone(),
            child_thread: state.child_thread,
            timestamp: state.timestamp,
        })
    }
}
