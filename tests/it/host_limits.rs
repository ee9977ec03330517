//! Ends that the bundle did not choose.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use uncaged_workflow::host::{Awaited, HostError, Next};

use crate::support::services::{Bench, Outcome, bundle, on_isolate_thread, run, run_with, script};

/// Terminates a bundle once it logs "now"; then lets it run its `finally` blocks,
/// which are terminated as well if they do not come back. Gives the error, what
/// those blocks came to and the log.
fn killed(source: &str) -> (HostError, Result<(), HostError>, Vec<String>) {
    let source = source.to_string();
    on_isolate_thread(move || {
        Box::pin(async move {
            let mut bench = Bench::new(&source, |_| ()).unwrap();
            let error = match terminated(&mut bench, Stage::Load).await {
                Some(error) => error,
                None => terminated(&mut bench, Stage::Step).await.expect("it ends by force"),
            };
            let finally = terminated(&mut bench, Stage::Finally).await.map_or(Ok(()), Err);
            let log = bench.services.log.take().into_iter().map(|(_, text)| text).collect();
            (error, finally, log)
        })
    })
}

enum Stage {
    Load,
    Step,
    Finally,
}

/// The error of a stage while someone else waits for the bundle's word; during
/// `finally` blocks, for a second.
async fn terminated(bench: &mut Bench, stage: Stage) -> Option<HostError> {
    let (interrupt, now) = (bench.host.interrupt_handle(), bench.services.now.clone());
    let latest = matches!(stage, Stage::Finally).then(|| Instant::now() + Duration::from_secs(1));
    let (stop, stopped) = mpsc::channel::<()>();
    let watch = std::thread::spawn(move || {
        while stopped.recv_timeout(Duration::from_millis(2)) == Err(RecvTimeoutError::Timeout) {
            let due = match latest {
                Some(latest) => Instant::now() > latest,
                None => now.load(Ordering::SeqCst),
            };
            if due {
                return interrupt.terminate();
            }
        }
    });
    let error = match stage {
        Stage::Load => bench.host.load().await.err(),
        Stage::Step => {
            bench.host.start(&json!({})).await.unwrap();
            bench.host.next().await.err()
        }
        Stage::Finally => bench.host.finish().await.err(),
    };
    drop(stop);
    watch.join().unwrap();
    error
}

#[test]
fn terminate_ends_an_endless_loop_wherever_it_is() {
    let ended = &[Ok(())][..];
    let stuck = &[Err(HostError::Stalled(Awaited::Finally))][..];
    // Whether V8 ends the loop itself or only one turn of it depends on where in
    // it the termination comes; what is left runs until the next one.
    let turning = &[Err(HostError::Stalled(Awaited::Finally)), Err(HostError::Terminated)][..];
    let now = "console.log('now');";
    let cases = [
        (bundle(&format!("{now} for (;;);"), ""), ended),
        (bundle("", &format!("{now} for (;;);")), stuck),
        (
            bundle("", &format!("{now} try {{ for (;;); }} catch {{ console.log('caught') }}")),
            stuck,
        ),
        (bundle("", &format!("await null; {now} for (;;);")), stuck),
        (
            bundle(
                "",
                &format!(
                    "await new Promise((r) => setTimeout(() => {{ {now} for (;;); r() }}, 1));"
                ),
            ),
            stuck,
        ),
        (bundle("", &format!("{now} for (;;) await null;")), turning),
        // V8's TurboFan leaves the check for termination out of this one.
        (bundle("", &format!("{now} for (;;) [].push(new Array(1000).fill({{ x: 1 }}));")), stuck),
        (
            bundle(
                "",
                &format!("{now} const re = /^(a+)+$/; for (;;) re.test('a'.repeat(28) + 'b');"),
            ),
            stuck,
        ),
    ];
    for (source, finally) in cases {
        let (error, came_to, log) = killed(&source);
        assert_eq!((error, log), (HostError::Terminated, vec!["now".to_owned()]), "{source}");
        assert!(finally.contains(&came_to), "{source}: {came_to:?}");
    }
}

#[test]
fn finally_blocks_run_after_a_termination_when_the_generator_can_run() {
    let (error, log) = on_isolate_thread(|| {
        Box::pin(async {
            let source = bundle(
                "",
                "try { yield 1; await new Promise((r) => setTimeout(r, 60_000)); }
                 finally { await null; console.log('cleaned up'); yield 'ignored'; }",
            );
            let mut bench = Bench::new(&source, |_| ()).unwrap();
            bench.host.load().await.unwrap();
            bench.host.start(&json!({})).await.unwrap();
            assert_eq!(bench.host.next().await, Ok(Next::Yielded(json!(1))));
            bench.host.interrupt_handle().terminate();
            let error = bench.host.next().await.unwrap_err();
            bench.host.finish().await.unwrap();
            (error, bench.services.log.take())
        })
    });
    assert_eq!(error, HostError::Terminated);
    assert_eq!(log.into_iter().map(|(_, text)| text).collect::<Vec<_>>(), ["cleaned up"]);
}

#[test]
fn terminate_wakes_a_bundle_that_waits() {
    let error = on_isolate_thread(|| {
        Box::pin(async {
            let source = bundle("await new Promise((r) => setTimeout(r, 60_000));", "");
            let mut bench = Bench::new(&source, |_| ()).unwrap();
            let interrupt = bench.host.interrupt_handle();
            let load = bench.host.load();
            tokio::pin!(load);
            let waited = tokio::time::timeout(Duration::from_millis(20), &mut load).await;
            assert!(waited.is_err());
            std::thread::spawn(move || interrupt.terminate());
            load.await
        })
    });
    assert_eq!(error, Err(HostError::Terminated));
}

#[test]
fn reaching_the_heap_limit_fails_that_bundle_with_its_own_message() {
    const LIMIT: usize = 64 * 1024 * 1024;
    for grow in [
        "for (;;) all.push(new Array(1000).fill({ x: 1 }));",
        "try { for (;;) all.push({ x: [1, 2, 3] }) } catch { console.log('caught') }",
        "for (;;) all.push(JSON.stringify(all));",
        "const text = 'x'.repeat(1000); for (let i = 0; ; i++) all.push(`${text}${i}`.split('x'));",
    ] {
        let source = bundle("const all = [];", grow);
        let outcome = run_with(&source, |options| options.heap_limit = LIMIT);
        let expected =
            Outcome { steps: vec![], end: Err(HostError::HeapLimit { limit: LIMIT }), log: vec![] };
        assert_eq!(outcome, expected, "{grow}");
        let message = "out of memory: the heap limit of 64 MB was reached";
        assert_eq!(outcome.error().to_string(), message);
    }
}

#[test]
fn process_exit_cannot_be_caught() {
    let exit = |code| Outcome { steps: vec![], end: Err(HostError::Exit { code }), log: vec![] };
    let quiet = "try { process.exit(3) } catch (e) { console.log(e) } finally { console.log(1) }";
    assert_eq!(script("", quiet), exit(3));
    assert_eq!(run(&bundle("process.exit();", "")), exit(0));
    assert_eq!(
        script(
            "",
            "setTimeout(() => process.exit(5)); await new Promise((r) => setTimeout(r, 6e4));"
        ),
        exit(5)
    );
    assert_eq!(script("", "process.exitCode = 6; process.exit();"), exit(6));
}

#[test]
fn exit_listeners_run() {
    let outcome =
        script("", "process.on('exit', (code) => console.log('bye', code)); process.exit(2);");
    assert_eq!(outcome.end, Err(HostError::Exit { code: 2 }));
    assert_eq!(outcome.log[0].1, "bye 2");
}

#[test]
fn what_can_never_settle_is_found() {
    let never = "await new Promise(() => {});";
    assert_eq!(run(&bundle(never, "")).end, Err(HostError::Stalled(Awaited::Module)));
    assert_eq!(script("", never).end, Err(HostError::Stalled(Awaited::Step)));
    let unref = "await new Promise((resolve) => setTimeout(resolve, 60_000).unref());";
    assert_eq!(script("", unref).end, Err(HostError::Stalled(Awaited::Step)));
    assert_eq!(
        HostError::Stalled(Awaited::Step).to_string(),
        "the generator awaits something that can never settle: nothing is left that could wake it"
    );
}

#[test]
fn a_result_does_not_wait_for_timers_servers_and_children() {
    let started = Instant::now();
    let outcome = script(
        "import { spawn } from 'node:child_process'; import { createServer } from 'node:http';",
        "setInterval(() => {}, 1000);
         await new Promise((resolve) => createServer().listen(0, '127.0.0.1', resolve));
         const child = spawn('sleep', ['60']);
         await new Promise((resolve) => child.on('spawn', resolve));
         return child.pid;",
    );
    assert!(started.elapsed() < Duration::from_secs(30));
    let pid = outcome.value().as_i64().unwrap() as i32;
    // Ending children is the worker's business; here nobody else does.
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
}

#[test]
fn two_isolates_share_nothing() {
    let source = bundle(
        "globalThis.mark = (globalThis.mark ?? 0) + 1; let count = 0;",
        "count += 1; Array.prototype.mark = (Array.prototype.mark ?? 0) + 1;
         return [globalThis.mark, count, [].mark];",
    );
    let runs = [0; 4].map(|_| {
        let source = source.clone();
        std::thread::spawn(move || run(&source).end)
    });
    for run in runs {
        assert_eq!(run.join().unwrap(), Ok(json!([1, 1, 1]) as Value));
    }
}
