//! Makes an isolate: V8, Deno's runtime from its snapshot, our extension.

use std::rc::Rc;
use std::sync::{Arc, Once};

use deno_core::{Extension, JsRuntime, ModuleSpecifier, v8};
use deno_resolver::npm::{DenoInNpmPackageChecker, NpmResolver};
use deno_runtime::deno_permissions::PermissionsContainer;
use deno_runtime::worker::{MainWorker, WorkerOptions, WorkerServiceOptions};
use deno_runtime::{BootstrapOptions, deno_fs, deno_node, deno_web};
use sys_traits::impls::RealSys;

use super::loader::BundleLoader;
use super::memory::{self, Buffers};
use super::ops::{Around, Verdict, uncaged_host};

/// Deno's runtime and the host modules, evaluated (`build.rs`).
static SNAPSHOT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/snapshot.bin"));

/// What of Deno's is not in the snapshot, as `(specifier, source)`.
static LAZY_SCRIPTS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/lazy_scripts.rs"));
static LAZY_MODULES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/lazy_modules.rs"));

/// Without this, TurboFan leaves the interrupt check out of some endless loops
/// (V8 15.0: one around a loop that it unrolls, as `new Array(1000)` has one),
/// which could then be ended by no kill and no heap limit.
const V8_FLAGS: [&str; 2] = ["uncaged-workflow", "--no-turboshaft-loop-unrolling"];

/// Starts V8. The first call decides: isolates work only on the thread that
/// made it and on threads started from there. [`Host::new`](super::Host::new)
/// calls it too.
pub fn init() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        deno_core::v8_set_flags(V8_FLAGS.map(String::from).to_vec());
        JsRuntime::init_platform(None);
    });
}

pub(super) struct IsolateOptions {
    pub url: ModuleSpecifier,
    pub loader: BundleLoader,
    pub permissions: PermissionsContainer,
    pub heap_limit: usize,
    pub buffers: Arc<Buffers>,
    pub around: Around,
    pub verdict: Rc<Verdict>,
}

pub(super) fn make(options: IsolateOptions) -> MainWorker {
    init();
    // Deno's resolver of npm packages is named by type only: there is none.
    let services = WorkerServiceOptions::<DenoInNpmPackageChecker, NpmResolver<RealSys>, RealSys> {
        blob_store: Arc::new(deno_web::BlobStore::default()),
        broadcast_channel: Default::default(),
        deno_rt_native_addon_loader: None,
        feature_checker: Default::default(),
        fs: Arc::new(deno_fs::RealFs),
        module_loader: Rc::new(options.loader),
        node_services: None,
        npm_process_state_provider: None,
        permissions: options.permissions,
        root_cert_store_provider: None,
        fetch_dns_resolver: Default::default(),
        // Without stores, structuredClone and ports transfer nothing.
        shared_array_buffer_store: Some(Default::default()),
        compiled_wasm_module_store: Some(Default::default()),
        v8_code_cache: None,
        bundle_provider: None,
    };
    let worker_options = WorkerOptions {
        startup_snapshot: Some(SNAPSHOT),
        residual_lazy_js_sources: LAZY_SCRIPTS,
        residual_lazy_esm_sources: LAZY_MODULES,
        extensions: vec![in_snapshot(), uncaged_host::init(options.around, options.verdict)],
        create_params: Some(
            v8::CreateParams::default()
                .heap_limits(0, options.heap_limit)
                .array_buffer_allocator(options.buffers.allocator()),
        ),
        bootstrap: BootstrapOptions { user_agent: user_agent(), ..BootstrapOptions::default() },
        ..WorkerOptions::default()
    };
    let mut worker = MainWorker::bootstrap_from_options(&options.url, services, worker_options);
    worker.js_runtime.v8_isolate().set_oom_error_handler(memory::fatal);
    worker
}

/// The extension that `build.rs` added to the snapshot: V8 matches them by place.
fn in_snapshot() -> Extension {
    Extension { name: "uncaged_modules", ..Extension::default() }
}

/// What `navigator.userAgent` says in Node.
fn user_agent() -> String {
    let major = deno_node::NODE_VERSION.split('.').next().unwrap_or_default();
    format!("Node.js/{major}")
}
