//! Finding what a user named: by its whole name, or by a unique beginning of it.

use crate::bundle::{Registry, RegistryError, closest_beginning};
use crate::object::{Hash, InvalidHash, InvalidThreadId, InvalidWorkflowName};
use crate::object::{ThreadId, WorkflowName};
use crate::store::{Damage, Listing, Record, Store, StoreError};

/// Characters of a whole hash.
const HASH_LENGTH: usize = 13;

/// A thread with the bundle whose index has it.
pub type IndexedThread = (Hash, ThreadId, Record);

/// What a user named was not found.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// The store refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The registry cannot be read.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The text cannot name a thread.
    #[error(transparent)]
    InvalidThread(#[from] InvalidThreadId),
    /// The text cannot name a blob.
    #[error(transparent)]
    InvalidHash(#[from] InvalidHash),
    /// The text cannot name a workflow.
    #[error(transparent)]
    InvalidWorkflow(#[from] InvalidWorkflowName),
    /// No thread has this id or beginning.
    #[error("there is no thread {text}")]
    UnknownThread {
        /// What was asked for.
        text: String,
        /// The id, or its beginning, that may have been meant.
        near: Option<String>,
        /// Parts of the index that cannot be read, where it may stand.
        damage: Vec<Damage>,
    },
    /// More than one thread begins so.
    #[error("{text} is the beginning of several threads")]
    SeveralThreads {
        /// What was asked for.
        text: String,
        /// Those that begin so.
        threads: Vec<ThreadId>,
    },
    /// No blob has this hash or beginning.
    #[error("there is no blob {text}")]
    UnknownBlob {
        /// What was asked for.
        text: String,
        /// The hash, or its beginning, that may have been meant.
        near: Option<String>,
    },
    /// More than one blob begins so.
    #[error("`{text}` is the beginning of several blobs")]
    SeveralBlobs {
        /// What was asked for.
        text: String,
        /// Those that begin so.
        blobs: Vec<Hash>,
    },
    /// No workflow has this name.
    #[error("no workflow is named `{name}`")]
    UnknownWorkflow {
        /// What was asked for.
        name: String,
        /// The names there are, sorted.
        known: Vec<String>,
    },
}

/// The thread that `text` names: its id in any case, or a unique beginning of it.
pub fn find_thread(store: &Store, text: &str) -> Result<ThreadId, FindError> {
    let id: ThreadId = text.parse()?;
    if matches!(store.find_thread(&id), Ok(Some(_))) {
        return Ok(id);
    }
    let all = all_threads(store)?;
    let mut known: Vec<ThreadId> = all.records.into_iter().map(|(_, known, _)| known).collect();
    known.dedup();
    let begin = known.iter().filter(|known| starts_with(known.as_str(), text));
    let threads: Vec<ThreadId> = begin.cloned().collect();
    match threads.as_slice() {
        [one] => Ok(one.clone()),
        [] => Err(FindError::UnknownThread {
            text: text.to_owned(),
            near: closest_beginning(text, known.iter().map(ThreadId::as_str)).map(str::to_owned),
            damage: all.damage,
        }),
        _ => Err(FindError::SeveralThreads { text: text.to_owned(), threads }),
    }
}

/// Every thread, by id, and what of the index is damaged.
pub fn all_threads(store: &Store) -> Result<Listing<IndexedThread>, StoreError> {
    let mut all = Listing { records: Vec::new(), damage: Vec::new() };
    for bundle in store.bundles_with_threads()? {
        let listing = store.threads_of(&bundle)?;
        all.damage.extend(listing.damage);
        let records = listing.records.into_iter();
        all.records.extend(records.map(|(thread, record)| (bundle, thread, record)));
    }
    all.records.sort_by(|(_, a, _), (_, b, _)| a.cmp(b));
    Ok(all)
}

/// The blob that `text` names: its hash in any case, or a unique beginning of it.
pub fn find_blob(store: &Store, text: &str) -> Result<Hash, FindError> {
    let whole = text.parse::<Hash>();
    if let Ok(hash) = whole
        && !matches!(store.get(&hash), Ok(None))
    {
        return Ok(hash);
    }
    if whole.is_err() && text.len() >= HASH_LENGTH {
        return Ok(whole?);
    }
    let all = store.list()?;
    let begin = all.iter().filter(|hash| starts_with(hash.as_str(), text));
    let blobs: Vec<Hash> = begin.copied().collect();
    match blobs.as_slice() {
        [one] if !text.is_empty() => Ok(*one),
        [] => Err(FindError::UnknownBlob {
            text: text.to_owned(),
            near: closest_beginning(text, all.iter().map(Hash::as_str)).map(str::to_owned),
        }),
        _ => Err(FindError::SeveralBlobs { text: text.to_owned(), blobs }),
    }
}

/// The registered workflow of this name.
pub fn find_workflow(registry: &Registry, text: &str) -> Result<WorkflowName, FindError> {
    let name: WorkflowName = text.parse()?;
    if registry.get(&name).is_some() {
        return Ok(name);
    }
    let known = registry.names().map(|n| n.to_string()).collect();
    Err(FindError::UnknownWorkflow { name: text.to_owned(), known })
}

fn starts_with(whole: &str, beginning: &str) -> bool {
    whole.get(..beginning.len()).is_some_and(|w| w.eq_ignore_ascii_case(beginning))
}
