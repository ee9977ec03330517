//! Many processes do everything at once to one store.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use uncaged_workflow::history::{self, AppendTo, Chain, HistoryError, Keep, compact, fork};
use uncaged_workflow::object::{END_ROLE, Hash, StateNode, ThreadId};
use uncaged_workflow::store::{Durability, Record, Store, StoreError, ThreadEntry};

use crate::chains::{
    NOON, bundle, gc, process, put_content, put_start, role, step, thread, verified,
};

const PROCESSES: usize = 16;
/// How long they race; `STORE_RACE_SECONDS` sets another.
const SECONDS: u64 = 6;

#[test]
fn processes_that_run_fork_remove_and_collect_at_once_agree_in_the_end() {
    let seconds = std::env::var("STORE_RACE_SECONDS").map_or(SECONDS, |n| n.parse().unwrap());
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path());
    let racers: Vec<Child> = (0..PROCESSES)
        .map(|n| {
            process("race::another_process", &format!("{n} {seconds}"))
                .env("ROOT", dir.path())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    // Each reports at its end, so the pipes cannot fill up before.
    let (mut begun, mut ended, mut removed) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for racer in racers {
        let output = racer.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{text}");
        for line in text.lines().filter_map(|line| Some(line.split_once('@')?.1)) {
            let (what, id) = line.split_once(' ').unwrap();
            let ids = match what {
                "begun" => &mut begun,
                "ended" => &mut ended,
                _ => &mut removed,
            };
            assert!(ids.insert(id.to_owned()), "{line} twice");
        }
    }
    let (active, completed) = (store.active_threads().unwrap(), store.completed_threads().unwrap());
    assert_eq!((active.damage, completed.damage), (vec![], vec![]));
    let active: Vec<_> = active.records.iter().map(|(_, id, _)| id.to_string()).collect();
    let completed: Vec<_> = completed.records.iter().map(|(_, t)| t.thread.to_string()).collect();
    let (number_active, number_completed) = (active.len(), completed.len());
    let (active, completed): (BTreeSet<_>, BTreeSet<_>) =
        (active.into_iter().collect(), completed.into_iter().collect());
    assert_eq!((active.len(), completed.len()), (number_active, number_completed));
    assert_eq!(completed, ended.difference(&removed).cloned().collect());
    let left: BTreeSet<_> = begun.difference(&ended).cloned().collect();
    assert_eq!(active, left.difference(&removed).cloned().collect());
    assert_eq!(store.running_threads().unwrap(), []);

    gc(&store);
    assert_eq!(verified(&store).problems, []);
    for (_, record) in store.threads_of(&bundle()).unwrap().records {
        Chain::load(&store, record.head()).unwrap();
    }
    println!(
        "{PROCESSES} processes for {seconds} s: {} threads begun, {} ended, {} removed, {} left",
        begun.len(),
        ended.len(),
        removed.len(),
        active.len() + completed.len()
    );
}

/// Not a test of its own: see [`process`].
#[test]
fn another_process() {
    let Some(role) = role() else { return };
    let (number, seconds) = role.split_once(' ').unwrap();
    let durability = match number.parse::<usize>().unwrap() % 4 {
        0 => Durability::Synced,
        _ => Durability::Unsynced,
    };
    let store = Store::with_durability(std::env::var_os("ROOT").unwrap(), durability);
    let mut racer = Racer { store, number: number.to_owned(), threads: 0, report: String::new() };
    let end = Instant::now() + Duration::from_secs(seconds.parse().unwrap());
    while Instant::now() < end {
        match random(40) {
            0..18 => racer.run(),
            18..24 => racer.fork(),
            24..34 => racer.remove(),
            34..36 => racer.compact(),
            36..38 => racer.look(),
            38 => assert_eq!(verified(&racer.store).problems, []),
            _ => drop(gc(&racer.store)),
        }
    }
    println!("{}", racer.report);
}

struct Racer {
    store: Store,
    number: String,
    threads: usize,
    report: String,
}

impl Racer {
    fn new_id(&mut self) -> ThreadId {
        self.threads += 1;
        thread(&format!("{}-{}", self.number, self.threads))
    }

    fn report(&mut self, what: &str, id: &ThreadId) {
        self.report.push_str(&format!("@{what} {id}\n"));
    }

    /// A thread from its start to its end, if nobody removes it before.
    fn run(&mut self) {
        let id = self.new_id();
        let claim = self.store.claim(&bundle(), &id).unwrap().expect("a new thread");
        let start = put_start(&self.store, &format!("prompt {}", random(4)));
        let entry = ThreadEntry { head: start, start, updated_at: NOON };
        self.store.begin_thread(&bundle(), &id, entry).unwrap();
        self.report("begun", &id);
        self.go_on(&id, start, None);
        claim.release().unwrap();
    }

    /// Steps whose texts others write as well, then in most cases the end.
    fn go_on(&mut self, id: &ThreadId, start: Hash, head: Option<Hash>) {
        let to = AppendTo { bundle: bundle(), thread: id.clone(), start };
        let mut head = head.map(|hash| (hash, history::state(&self.store, hash).unwrap().unwrap()));
        for n in 0..random(4) {
            let content = self.content();
            let Some(next) = self.append(&to, head.as_ref(), "coder", content, n as i64) else {
                return;
            };
            head = Some(next);
        }
        if random(4) == 0 {
            return;
        }
        let content = put_content(&self.store, "the end", &[]);
        let Some((head, _)) = self.append(&to, head.as_ref(), END_ROLE, content, 9) else { return };
        match self.store.finish_thread(&bundle(), id, head, NOON) {
            Ok(()) => self.report("ended", id),
            Err(StoreError::NotActive { .. }) => {}
            Err(e) => panic!("{e:?}"),
        }
    }

    fn append(
        &self,
        to: &AppendTo,
        parent: Option<&(Hash, StateNode)>,
        role: &str,
        content: Hash,
        n: i64,
    ) -> Option<(Hash, StateNode)> {
        let parent = parent.map(|(hash, state)| (*hash, state));
        let (hash, state) =
            match history::append(&self.store, to, parent, step(role, content, NOON + n)) {
                Ok(head) => head,
                Err(HistoryError::Store(StoreError::NotActive { .. })) => return None,
                Err(e) => panic!("{e:?}"),
            };
        // Our claim protects them, also when the thread has just been removed.
        for needed in [hash, state.content] {
            assert!(self.store.get(&needed).unwrap().is_some(), "{needed} was taken from us");
        }
        Some((hash, state))
    }

    /// One of a few texts, at times referring to whatever blob is there.
    fn content(&self) -> Hash {
        let text = format!("text {}", random(6));
        let all = self.store.list().unwrap();
        let mut refs = Vec::new();
        if random(2) == 0 && !all.is_empty() {
            let picked = all[random(all.len() as u64) as usize];
            if self.store.touch(&picked).unwrap() {
                refs.push(picked);
            }
        }
        let hash = put_content(&self.store, &text, &refs);
        for needed in refs {
            assert!(self.store.get(&needed).unwrap().is_some(), "{needed} was taken from us");
        }
        hash
    }

    fn any(&self) -> Option<ThreadId> {
        let all = self.store.threads_of(&bundle()).unwrap();
        assert_eq!(all.damage, []);
        let mut all = all.records;
        let at = random(all.len().max(1) as u64) as usize;
        (at < all.len()).then(|| all.swap_remove(at).0)
    }

    fn fork(&mut self) {
        let Some(source) = self.any() else { return };
        let id = self.new_id();
        let forked = match fork(&self.store, &source, Keep::AllButLast, &id, NOON) {
            Ok(forked) => forked,
            Err(HistoryError::UnknownThread { .. }) => return,
            Err(e) => panic!("{e:?}"),
        };
        self.report("begun", &id);
        let Some(claim) = self.store.claim(&bundle(), &id).unwrap() else { return };
        // Somebody may have removed it before we claimed it.
        if let Some(located) = self.store.find_thread(&id).unwrap()
            && matches!(located.record, Record::Active(_))
        {
            let head = located.record.head();
            if self.store.touch(&head).unwrap() {
                self.go_on(&id, forked.start, Some(head));
            }
        }
        claim.release().unwrap();
    }

    fn remove(&mut self) {
        let Some(id) = self.any() else { return };
        if self.store.remove_thread(&id).unwrap().is_some() {
            self.report("removed", &id);
        }
    }

    fn compact(&mut self) {
        let Some(id) = self.any() else { return };
        match compact(&self.store, &id, 1, "what was before", NOON) {
            Ok(_)
            | Err(
                HistoryError::UnknownThread { .. }
                | HistoryError::NothingToCompact { .. }
                | HistoryError::Running { .. },
            ) => {}
            Err(e) => panic!("{e:?}"),
        }
    }

    fn look(&self) {
        let active = self.store.active_threads().unwrap();
        let completed = self.store.completed_threads().unwrap();
        assert_eq!((active.damage, completed.damage), (vec![], vec![]));
        for running in self.store.running_threads().unwrap() {
            self.store.find_thread(&running.thread).unwrap();
        }
    }
}

/// Less than `below`.
fn random(below: u64) -> u64 {
    RandomState::new().hash_one(()) % below
}
