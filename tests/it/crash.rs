//! Durable execution: whatever is killed at whatever moment, no step that was
//! announced is lost and no persisted step is done again.

use std::collections::HashMap;
use std::time::Duration;

use uncaged_workflow::object::ThreadId;
use uncaged_workflow::store::Record;

use crate::support::env::{TestEnv, kill, wait_until};

const STEPS: usize = 6;

/// Each step's body leaves a line in a side file: which execution did it, how
/// many steps that execution was given, and which step it did.
fn bundle(variant: usize, side: &str) -> String {
    let body = match variant {
        0 => "",
        1 => "await new Promise((resolve) => setTimeout(resolve, 3));",
        _ => "await cas.put(`artifact ${number} of ${thread.threadId}`);",
    };
    format!(
        r#"
import {{ appendFileSync }} from "node:fs";
import {{ putContentMerkleNode }} from "@uncaged/workflow-cas";
export const descriptor = {{ description: "variant {variant}", roles: {{}} }};
export async function* run(thread, {{ cas }}) {{
  const given = thread.steps.length;
  for (let number = given + 1; number <= {STEPS}; number++) {{
    appendFileSync({side:?}, `${{thread.threadId}} ${{process.pid}} ${{given}} ${{number}}\n`);
    {body}
    const contentHash = await putContentMerkleNode(cas, `step ${{number}}`);
    yield {{ role: "worker", contentHash, meta: {{ number }}, refs: [contentHash] }};
  }}
  return {{ returnCode: 0, summary: "all done" }};
}}
"#
    )
}

/// How many role steps the thread's head announces.
fn announced(env: &TestEnv, thread: &ThreadId) -> usize {
    let store = env.store();
    let found = store.find_thread(thread).unwrap().unwrap();
    let chain = uncaged_workflow::history::Chain::load(&store, found.record.head()).unwrap();
    chain.steps().count()
}

fn kills() -> usize {
    std::env::var("UNCAGED_TEST_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(25)
}

#[test]
fn no_step_is_lost_or_repeated_by_sigkill_at_random_moments() {
    let env = TestEnv::new();
    let side = env.work().join("side");
    std::fs::write(&side, "").unwrap();
    for variant in 0..3 {
        env.add(&format!("variant-{variant}"), &bundle(variant, side.to_str().unwrap()));
    }
    let seed: u64 = std::process::id().into();
    let mut random = seed;
    let mut next = |below: u64| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 33) % below
    };

    let mut interrupted = 0;
    let mut threads: Vec<ThreadId> = Vec::new();
    for round in 0..kills() {
        let thread = env.start(&format!("variant-{}", round % 3), &[]);
        let moment = Duration::from_micros(next(250_000));
        std::thread::park_timeout(moment);
        // The worker and all its threads at once, as a power cut would.
        for pid in env.processes() {
            kill(pid);
        }
        wait_until("the processes are gone", || env.processes().is_empty().then_some(()));
        let before = announced(&env, &thread);
        let store = env.store();
        let ended =
            matches!(store.find_thread(&thread).unwrap().unwrap().record, Record::Completed(_));
        if !ended {
            interrupted += 1;
            let listed = env.run(["ps"]).ok();
            assert!(listed.contains(&format!("{thread}\t")), "{listed}");
            env.run(["resume", thread.as_str()]).ok();
        }
        let end = env.ended(&thread);
        assert_eq!(
            end,
            serde_json::json!({ "returnCode": 0, "summary": "all done" }),
            "seed {seed}"
        );
        assert!(announced(&env, &thread) >= before, "seed {seed}: steps were lost");
        let numbers: Vec<u64> = env.show(&thread)["steps"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|step| step["meta"]["number"].as_u64())
            .collect();
        assert_eq!(numbers, (1..=STEPS as u64).collect::<Vec<_>>(), "seed {seed}");
        check_bodies(&env, &thread, before, seed);
        threads.push(thread);
    }
    let verified = env.run(["cas", "verify"]);
    assert!(verified.stdout.ends_with(": 0 problems\n"), "{}", verified.stdout);
    println!("{} kills, {interrupted} threads interrupted and resumed", threads.len());
}

/// No execution did a step that it was given, and what the resumed one was given
/// is all that had been announced.
fn check_bodies(env: &TestEnv, thread: &ThreadId, before: usize, seed: u64) {
    let mut executions: HashMap<usize, Vec<(usize, usize)>> = HashMap::new();
    for line in env.read("work/side").lines() {
        let mut words = line.split(' ');
        if words.next() != Some(thread.as_str()) {
            continue;
        }
        let numbers: Vec<usize> = words.map(|word| word.parse().unwrap()).collect();
        executions.entry(numbers[0]).or_default().push((numbers[1], numbers[2]));
    }
    let mut given: Vec<usize> = executions.values().map(|bodies| bodies[0].0).collect();
    given.sort();
    for bodies in executions.values() {
        let done: Vec<usize> = bodies.iter().map(|(_, number)| *number).collect();
        let first = bodies[0].0 + 1;
        let expected: Vec<usize> = (first..first + done.len()).collect();
        assert_eq!(done, expected, "seed {seed}: {bodies:?}");
    }
    if executions.len() == 2 {
        assert_eq!(
            given,
            [0, before],
            "seed {seed}: the resumed execution got all that was announced"
        );
    }
}
