//! Looks at every byte of the store and says what is missing or damaged.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use rayon::prelude::*;

use super::error::{Damage, IoError, StoreError};
use super::graph::{self, Blob, Graph};
use super::lock::FileLock;
use super::{Store, durable};
use crate::object::{Hash, Node, ThreadId};

/// What was looked at and what was found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// Blobs read.
    pub blobs: usize,
    /// Threads walked.
    pub threads: usize,
    /// Bundles read.
    pub bundles: usize,
    /// What is wrong; empty for a sound store.
    pub problems: Vec<Problem>,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// A part of the thread index cannot be read.
    Index(Damage),
    /// A blob's bytes are not those that its name says.
    DamagedBlob {
        /// The blob.
        hash: Hash,
        /// Its file.
        path: PathBuf,
        /// Who needs it; empty where nobody does.
        referrers: Vec<Referrer>,
    },
    /// A blob that somebody needs is not there.
    MissingBlob {
        /// The blob.
        hash: Hash,
        /// Who needs it.
        referrers: Vec<Referrer>,
    },
    /// A thread's head or start is there but is no state or start node.
    WrongNode {
        /// The blob.
        hash: Hash,
        /// Who takes it for one.
        referrers: Vec<Referrer>,
    },
    /// A bundle's bytes are not those that its name says.
    DamagedBundle {
        /// The bundle.
        hash: Hash,
        /// Its file.
        path: PathBuf,
    },
}

/// Who refers to a blob.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Referrer {
    /// A thread whose head it is.
    Head(ThreadId),
    /// A thread whose start it is.
    Start(ThreadId),
    /// A blob that a thread leads to.
    Blob(Hash),
}

/// Looks at everything. Waits for a collection under way; running threads go on.
pub fn verify(
    store: &Store,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Report, StoreError> {
    let cas_is_there = store.cas().dir().is_dir();
    let _lock = match cas_is_there {
        true => FileLock::shared_if_writable(&store.cas().gc_lock())?,
        false => None,
    };
    let (roots, damage) = graph::roots(store, FileLock::shared_if_writable)?;
    let graph = Graph::load(store.cas(), progress)?;
    let mut problems: Vec<Problem> = damage.into_iter().map(Problem::Index).collect();

    let mut needed = Needed::default();
    let mut marked = vec![false; graph.hashes.len()];
    for root in &roots {
        let head = (root.head, Referrer::Head(root.thread.clone()));
        let start = (root.start, Referrer::Start(root.thread.clone()));
        for (hash, referrer) in [head, start] {
            let Some(number) = graph.number(&hash) else {
                needed.missing.entry(hash).or_default().push(referrer);
                continue;
            };
            if matches!(graph.blob(number), Blob::Damaged) {
                needed.damaged.entry(hash).or_default().push(referrer);
            } else if !fits(store.node(&hash), &referrer) {
                needed.wrong.entry(hash).or_default().push(referrer);
            }
            needed.walk(&graph, graph.mark([number], &mut marked));
        }
    }
    for number in 0..graph.hashes.len() as u32 {
        if matches!(graph.blob(number), Blob::Damaged) {
            needed.damaged.entry(graph.hash(number)).or_default();
        }
    }
    needed.report(store, &mut problems);
    let bundles = bundles(store, &mut problems)?;
    let threads: std::collections::HashSet<_> =
        roots.iter().map(|root| (&root.bundle, &root.thread)).collect();
    Ok(Report { blobs: graph.hashes.len(), threads: threads.len(), bundles, problems })
}

/// Blobs at fault and who needs them.
#[derive(Default)]
struct Needed {
    damaged: BTreeMap<Hash, Vec<Referrer>>,
    missing: BTreeMap<Hash, Vec<Referrer>>,
    wrong: BTreeMap<Hash, Vec<Referrer>>,
}

impl Needed {
    /// Notes what the newly marked blobs lack.
    fn walk(&mut self, graph: &Graph, marked: Vec<u32>) {
        for number in marked {
            let Blob::Intact { refs, missing } = graph.blob(number) else { continue };
            let referrer = Referrer::Blob(graph.hash(number));
            for hash in missing {
                self.missing.entry(*hash).or_default().push(referrer.clone());
            }
            for to in refs {
                let fault = match graph.blob(*to) {
                    Blob::Intact { .. } => continue,
                    Blob::Damaged => &mut self.damaged,
                    Blob::Gone => &mut self.missing,
                };
                fault.entry(graph.hash(*to)).or_default().push(referrer.clone());
            }
        }
    }

    fn report(self, store: &Store, problems: &mut Vec<Problem>) {
        let sorted = |mut referrers: Vec<Referrer>| {
            referrers.sort();
            referrers.dedup();
            referrers
        };
        for (hash, referrers) in self.damaged {
            let path = store.layout().blob(&hash);
            problems.push(Problem::DamagedBlob { hash, path, referrers: sorted(referrers) });
        }
        for (hash, referrers) in self.missing {
            problems.push(Problem::MissingBlob { hash, referrers: sorted(referrers) });
        }
        for (hash, referrers) in self.wrong {
            problems.push(Problem::WrongNode { hash, referrers: sorted(referrers) });
        }
    }
}

/// Whether a thread can have this node there.
fn fits(node: Result<Option<Node>, StoreError>, referrer: &Referrer) -> bool {
    match (node, referrer) {
        (Ok(Some(Node::Start(_))), _) => true,
        (Ok(Some(Node::State(_))), referrer) => matches!(referrer, Referrer::Head(_)),
        _ => false,
    }
}

fn bundles(store: &Store, problems: &mut Vec<Problem>) -> Result<usize, StoreError> {
    let names = durable::names(&store.layout().bundles_dir())?;
    let hashes = names.iter().filter_map(|name| name.strip_suffix(".esm.js")?.parse().ok());
    let hashes: Vec<Hash> = hashes.collect();
    let damaged = hashes.par_iter().map(|hash| {
        let path = store.layout().bundle(hash);
        let bytes = fs::read(&path).map_err(IoError::at("read", &path))?;
        let hash = *hash;
        Ok((Hash::of(&bytes) != hash).then_some(Problem::DamagedBundle { hash, path }))
    });
    let damaged = damaged.collect::<Result<Vec<_>, StoreError>>()?;
    problems.extend(damaged.into_iter().flatten());
    Ok(hashes.len())
}
