//! Drives one bundle: load it, ask its generator for steps.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;

use deno_core::error::{CoreError, CoreErrorKind, JsError};
use deno_core::{ModuleId, ModuleSpecifier, PollEventLoopOptions, v8};
use deno_runtime::worker::MainWorker;
use serde::Deserialize;
use serde_json::Value;

use super::error::{Awaited, HostError, Thrown};
use super::import_meta;
use super::interrupt::InterruptHandle;
use super::isolate::{self, IsolateOptions};
use super::loader::BundleLoader;
use super::memory::Buffers;
use super::ops::{Around, Functions, Verdict};
use super::options::{HostOptions, Inspect, Permissions};
use super::{inspect, permissions, thrown};
use crate::object::Hash;

/// How often the heap may grow by its limit while a bundle that reached the
/// limit is being stopped.
const HEAP_GRACE: usize = 3;

/// What the generator answered.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// It yielded a step.
    Yielded(Value),
    /// It returned.
    Returned(Value),
}

/// One isolate with one bundle.
///
/// Every method needs a current-thread tokio runtime and may be cancelled by
/// dropping its future; the bundle then stays where it is. After any error but
/// [`HostError::Terminated`], only dropping makes sense.
pub struct Host {
    worker: MainWorker,
    functions: Functions,
    url: ModuleSpecifier,
    module: Option<ModuleId>,
    interrupt: InterruptHandle,
    verdict: Rc<Verdict>,
    heap_limit: usize,
    /// The bundle's source and how to be found, until a debugger has been waited for.
    inspect: Option<(String, Inspect)>,
    buffers: Arc<Buffers>,
}

impl Host {
    /// Makes the isolate; runs nothing of the bundle.
    pub fn new(options: HostOptions) -> Result<Self, HostError> {
        let no_url = || HostError::Path(options.bundle_path.clone());
        let url = ModuleSpecifier::from_file_path(&options.bundle_path).map_err(|()| no_url())?;
        // Without `..` in it, as V8 will name it.
        let url = ModuleSpecifier::parse(url.as_str()).map_err(|_| no_url())?;
        let inspect = options.inspect.map(|inspect| (options.source.clone(), inspect));
        let verdict = Rc::new(Verdict::default());
        let buffers = Buffers::new(options.heap_limit);
        let bundle_hash = Hash::of(&options.source).to_string();
        let mut worker = isolate::make(IsolateOptions {
            url: url.clone(),
            loader: BundleLoader::new(url.clone(), options.source),
            permissions: permissions::container(&options.permissions)?,
            heap_limit: options.heap_limit,
            buffers: buffers.clone(),
            around: Around {
                services: options.services,
                bundle_hash,
                run: options.permissions.run(),
                limited: options.permissions != Permissions::All,
            },
            verdict: verdict.clone(),
        });
        let isolate = worker.js_runtime.v8_isolate().thread_safe_handle();
        let interrupt = InterruptHandle::new(isolate);
        limit_heap(&mut worker, interrupt.clone());
        buffers.watch(interrupt.clone());
        import_meta::install(&mut worker.js_runtime, &url);
        let functions = worker.js_runtime.op_state().borrow().borrow::<Functions>().clone();
        let mut host = Self {
            worker,
            functions,
            url,
            module: None,
            interrupt,
            verdict,
            heap_limit: options.heap_limit,
            inspect,
            buffers,
        };
        let prepare = host.functions.prepare.clone();
        host.call_now(&prepare, &[])?;
        Ok(host)
    }

    /// Evaluates the module, its top-level `await` included, and checks that
    /// `run` can be called.
    pub async fn load(&mut self) -> Result<(), HostError> {
        let id = match self.worker.preload_main_module(&self.url.clone()).await {
            Ok(id) => id,
            Err(error) => {
                return Err(self.verdict_or(thrown::module_error(error, self.url.as_str())));
            }
        };
        if let Some((source, inspect)) = self.inspect.take() {
            self.wait_for_debugger(&source, inspect).await?;
        }
        let turn = self.interrupt.turn();
        let evaluated = self.worker.js_runtime.mod_evaluate(id);
        drop(turn);
        self.drive(evaluated, Awaited::Module).await?;
        self.module = Some(id);
        let check = self.functions.check_exports.clone();
        let namespace = self.namespace()?;
        let problem = self.call_now(&check, &[namespace])?;
        match split(&problem) {
            Some(('r', refusal)) => Err(export_error("run", refusal)?),
            _ => Ok(()),
        }
    }

    /// Stops at the bundle's own first statement: what it imports is evaluated
    /// before, or the debugger would stop in the host's modules.
    ///
    /// A debugger can come only when nothing polls the event loop any more, which
    /// would take its wish to go on before anybody waits for that.
    async fn wait_for_debugger(&mut self, source: &str, inspect: Inspect) -> Result<(), HostError> {
        let (url, code) = inspect::imports_alone(source);
        let loaded = self.worker.js_runtime.load_side_es_module_from_code(&url, code).await;
        let id = loaded.map_err(|error| thrown::module_error(error, self.url.as_str()))?;
        let evaluated = self.worker.js_runtime.mod_evaluate(id);
        self.drive(evaluated, Awaited::Module).await?;
        let found_at = inspect::listen(inspect.address, &self.url, &self.worker)?;
        (inspect.tell)(found_at).await;
        self.worker.js_runtime.inspector().wait_for_session_and_break_on_next_statement();
        Ok(())
    }

    /// The `descriptor` export as plain data. Only after [`Host::load`].
    pub fn descriptor(&mut self) -> Result<Value, HostError> {
        let describe = self.functions.describe.clone();
        let namespace = self.namespace()?;
        let answer = self.call_now(&describe, &[namespace])?;
        match split(&answer) {
            Some(('v', text)) => json(text),
            Some(('r', refusal)) => Err(export_error("descriptor", refusal)?),
            _ => Err(unexpected(&answer)),
        }
    }

    /// Calls `run(thread, runtime)`. Only after [`Host::load`].
    pub async fn start(&mut self, thread: &Value) -> Result<(), HostError> {
        let start = self.functions.start.clone();
        let namespace = self.namespace()?;
        let thread = self.string(&thread.to_string());
        let answer = self.call(&start, &[namespace, thread], Awaited::Step).await?;
        match split(&answer) {
            None => Ok(()),
            Some(('n', what)) => Err(HostError::NotAGenerator(what.to_string())),
            _ => Err(unexpected(&answer)),
        }
    }

    /// Asks for the next step. Only after [`Host::start`].
    pub async fn next(&mut self) -> Result<Next, HostError> {
        let next = self.functions.next.clone();
        let answer = self.call(&next, &[], Awaited::Step).await?;
        match split(&answer) {
            Some(('v', text)) => Ok(Next::Yielded(json(text)?)),
            Some(('d', text)) => Ok(Next::Returned(json(text)?)),
            Some(('r', refusal)) => Err(value_error(refusal)?),
            _ => Err(unexpected(&answer)),
        }
    }

    /// Asks the generator to return, so that its `finally` blocks run. Fails
    /// with [`HostError::Stalled`] when it cannot, because it sits in something
    /// that never settles.
    pub async fn finish(&mut self) -> Result<(), HostError> {
        let finish = self.functions.finish.clone();
        self.call(&finish, &[], Awaited::Finally).await?;
        Ok(())
    }

    /// Ends what this host does, from any thread.
    pub fn interrupt_handle(&self) -> InterruptHandle {
        self.interrupt.clone()
    }

    /// Calls a function of ours that does not await.
    fn call_now(
        &mut self,
        function: &v8::Global<v8::Function>,
        args: &[v8::Global<v8::Value>],
    ) -> Result<String, HostError> {
        let _turn = self.interrupt.turn();
        let result =
            futures::FutureExt::now_or_never(self.worker.js_runtime.call_with_args(function, args));
        match result {
            Some(Ok(value)) => self.verdict_or_ok(value),
            Some(Err(error)) => {
                Err(self.verdict_or(self.rejected(CoreErrorKind::Js(error).into_box())))
            }
            None => Err(HostError::Internal("a synchronous function awaits".into())),
        }
    }

    async fn call(
        &mut self,
        function: &v8::Global<v8::Function>,
        args: &[v8::Global<v8::Value>],
        awaited: Awaited,
    ) -> Result<String, HostError> {
        if let Some(error) = self.take_verdict() {
            return Err(error);
        }
        let turn = self.interrupt.turn();
        let result = self.worker.js_runtime.call_with_args(function, args);
        drop(turn);
        let value = self.drive(result, awaited).await?;
        Ok(self.text(&value))
    }

    /// Runs the event loop until `result` is there. Does not wait for the loop
    /// to drain: timers and children that remain are nobody's business.
    async fn drive<T, E: Into<CoreError>>(
        &mut self,
        result: impl Future<Output = Result<T, E>>,
        awaited: Awaited,
    ) -> Result<T, HostError> {
        let mut result = pin!(result);
        poll_fn(|cx| {
            let _turn = self.interrupt.turn();
            self.interrupt.register(cx);
            if let Poll::Ready(result) = result.as_mut().poll(cx) {
                return Poll::Ready(match result {
                    Ok(value) => self.take_verdict().map_or(Ok(value), Err),
                    Err(error) => Err(self.verdict_or(self.rejected(error.into()))),
                });
            }
            let polled =
                self.worker.js_runtime.poll_event_loop(cx, PollEventLoopOptions::default());
            if let Some(error) = self.take_verdict() {
                return Poll::Ready(Err(error));
            }
            match polled {
                Poll::Pending => Poll::Pending,
                Poll::Ready(Ok(())) => Poll::Ready(match result.as_mut().poll(cx) {
                    Poll::Ready(Ok(value)) => Ok(value),
                    Poll::Ready(Err(error)) => Err(self.rejected(error.into())),
                    Poll::Pending => Err(HostError::Stalled(awaited)),
                }),
                Poll::Ready(Err(error)) => Poll::Ready(Err(if thrown::is_stalled_await(&error) {
                    HostError::Stalled(awaited)
                } else {
                    self.thrown_as(error, HostError::Unhandled)
                })),
            }
        })
        .await
    }

    /// Why execution was terminated, if it was. Lets it go on.
    fn take_verdict(&mut self) -> Option<HostError> {
        let error = if let Some(code) = self.verdict.exit.get() {
            HostError::Exit { code }
        } else if self.interrupt.exhausted() {
            HostError::HeapLimit { limit: self.heap_limit }
        } else if self.interrupt.requested() {
            HostError::Terminated
        } else {
            return None;
        };
        self.interrupt.clear();
        Some(error)
    }

    fn verdict_or(&mut self, error: HostError) -> HostError {
        self.take_verdict().unwrap_or(error)
    }

    fn verdict_or_ok(&mut self, value: v8::Global<v8::Value>) -> Result<String, HostError> {
        match self.take_verdict() {
            Some(error) => Err(error),
            None => Ok(self.text(&value)),
        }
    }

    fn rejected(&self, error: CoreError) -> HostError {
        self.thrown_as(error, HostError::Thrown)
    }

    fn thrown_as(&self, error: CoreError, variant: fn(Thrown) -> HostError) -> HostError {
        match *error.0 {
            // The last buffer that it asked for is what it failed for.
            CoreErrorKind::Js(error) if self.buffers.refused() && is_range_error(&error) => {
                HostError::HeapLimit { limit: self.heap_limit }
            }
            CoreErrorKind::Js(error) => variant(Thrown::new(&error, self.url.as_str())),
            other => HostError::Internal(other.to_string()),
        }
    }

    fn namespace(&mut self) -> Result<v8::Global<v8::Value>, HostError> {
        let id = self.module.ok_or_else(|| HostError::Internal("not loaded".into()))?;
        let namespace = self
            .worker
            .js_runtime
            .get_module_namespace(id)
            .map_err(|error| self.rejected(error))?;
        deno_core::scope!(scope, &mut self.worker.js_runtime);
        let namespace: v8::Local<v8::Value> = v8::Local::new(scope, namespace).into();
        Ok(v8::Global::new(scope, namespace))
    }

    fn string(&mut self, text: &str) -> v8::Global<v8::Value> {
        deno_core::scope!(scope, &mut self.worker.js_runtime);
        let text = v8::String::new(scope, text).expect("shorter than V8's longest string");
        let text: v8::Local<v8::Value> = text.into();
        v8::Global::new(scope, text)
    }

    fn text(&mut self, value: &v8::Global<v8::Value>) -> String {
        deno_core::scope!(scope, &mut self.worker.js_runtime);
        v8::Local::new(scope, value).to_rust_string_lossy(scope)
    }
}

/// Stops the bundle at its heap limit, before V8 ends the process.
fn limit_heap(worker: &mut MainWorker, interrupt: InterruptHandle) {
    worker.js_runtime.add_near_heap_limit_callback(move |current, initial| {
        interrupt.exhaust();
        if current < initial * (HEAP_GRACE + 1) { current + initial } else { current }
    });
}

fn is_range_error(error: &JsError) -> bool {
    error.name.as_deref() == Some("RangeError")
}

/// A refusal by `encode` of `js/host/values.js`.
#[derive(Deserialize)]
struct Refusal {
    path: String,
    reason: String,
}

fn split(answer: &str) -> Option<(char, &str)> {
    let mut chars = answer.chars();
    chars.next().map(|letter| (letter, chars.as_str()))
}

fn json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, HostError> {
    serde_json::from_str(text).map_err(|error| HostError::Internal(error.to_string()))
}

fn value_error(text: &str) -> Result<HostError, HostError> {
    let Refusal { path, reason } = json(text)?;
    Ok(HostError::Value { path, reason })
}

/// The same about an export itself; about a field inside it is a value's error.
fn export_error(name: &'static str, text: &str) -> Result<HostError, HostError> {
    let Refusal { path, reason } = json(text)?;
    Ok(match path == name {
        true => HostError::Export { name, problem: reason },
        false => HostError::Value { path, reason },
    })
}

fn unexpected(answer: &str) -> HostError {
    HostError::Internal(format!("unexpected answer {answer:?}"))
}
