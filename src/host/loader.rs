//! What an import may name: Node built-ins and the host's own modules.

use std::collections::HashMap;
use std::sync::Arc;

use deno_core::error::ModuleLoaderError;
use deno_core::{
    FastString, ModuleLoadOptions, ModuleLoadReferrer, ModuleLoadResponse, ModuleLoader,
    ModuleSource, ModuleSourceCode, ModuleSpecifier, ModuleType, RequestedModuleType,
    ResolutionKind, v8,
};
use deno_error::JsErrorBox;
use deno_runtime::deno_node::is_builtin_node_module;

use super::inspect::IMPORTS;
use super::modules;

/// Serves one bundle; what it may import is in the snapshot or Deno's own, and
/// nothing comes from disk.
pub(super) struct BundleLoader {
    bundle: ModuleSpecifier,
    source: Arc<str>,
}

impl BundleLoader {
    pub(super) fn new(bundle: ModuleSpecifier, source: String) -> Self {
        let source = source.strip_prefix('\u{feff}').unwrap_or(&source).into();
        Self { bundle, source }
    }

    fn resolve_static(&self, specifier: &str, referrer: &str) -> Result<String, JsErrorBox> {
        let is_root = specifier == self.bundle.as_str() || specifier == IMPORTS;
        if is_root && referrer == "." {
            return Ok(specifier.to_string());
        }
        resolve_given(specifier)
    }
}

/// The URL of a module that is given to every bundle.
pub(super) fn resolve_given(specifier: &str) -> Result<String, JsErrorBox> {
    let builtin = specifier.strip_prefix("node:").unwrap_or(specifier);
    if is_builtin_node_module(builtin) {
        return Ok(format!("node:{builtin}"));
    }
    modules::public_url(specifier).ok_or_else(|| refused(specifier))
}

impl ModuleLoader for BundleLoader {
    fn resolve(
        &self,
        specifier: &str,
        referrer: &str,
        kind: ResolutionKind,
    ) -> Result<ModuleSpecifier, ModuleLoaderError> {
        if kind == ResolutionKind::DynamicImport {
            // Whoever gets here wrote `import()` in an eval or a `new Function`.
            return Err(dynamic_import_refused(specifier));
        }
        let resolved = self.resolve_static(specifier, referrer)?;
        ModuleSpecifier::parse(&resolved).map_err(JsErrorBox::from_err)
    }

    fn resolve_with_scope(
        &self,
        _scope: &mut v8::PinScope,
        specifier: &str,
        referrer: &str,
        kind: ResolutionKind,
        attributes: &HashMap<String, String>,
    ) -> Result<ModuleSpecifier, ModuleLoaderError> {
        if let Some(kind) = attributes.get("type") {
            return Err(attribute_refused(specifier, kind));
        }
        self.resolve(specifier, referrer, kind)
    }

    fn load(
        &self,
        specifier: &ModuleSpecifier,
        _referrer: Option<&ModuleLoadReferrer>,
        options: ModuleLoadOptions,
    ) -> ModuleLoadResponse {
        ModuleLoadResponse::Sync(self.load_sync(specifier, options.requested_module_type))
    }

    /// Names in a source map need not exist: a bundle is one file.
    fn source_map_source_exists(&self, _url: &str) -> Option<bool> {
        Some(true)
    }
}

impl BundleLoader {
    fn load_sync(
        &self,
        specifier: &ModuleSpecifier,
        requested: RequestedModuleType,
    ) -> Result<ModuleSource, JsErrorBox> {
        if requested != RequestedModuleType::None {
            return Err(attribute_refused(specifier.as_str(), &requested.to_string()));
        }
        if *specifier != self.bundle {
            return Err(refused(specifier.as_str()));
        }
        let code = ModuleSourceCode::String(FastString::from(self.source.clone()));
        Ok(ModuleSource::new(ModuleType::JavaScript, code, specifier, None))
    }
}

fn refused(specifier: &str) -> JsErrorBox {
    if let Some(name) = specifier.strip_prefix("node:") {
        return JsErrorBox::type_error(format!("there is no Node built-in module \"node:{name}\""));
    }
    if specifier.starts_with("@uncaged/") {
        let names = modules::public_names().collect::<Vec<_>>().join(", ");
        return JsErrorBox::type_error(format!(
            "there is no host module \"{specifier}\"; those are: {names}"
        ));
    }
    if specifier.starts_with("uncaged:") {
        return JsErrorBox::type_error(format!(
            "\"{specifier}\" is internal: import the @uncaged/workflow* modules"
        ));
    }
    JsErrorBox::type_error(format!(
        "cannot import \"{specifier}\": a bundle imports only Node built-ins and \
         @uncaged/workflow* modules; build everything else into the bundle"
    ))
}

fn dynamic_import_refused(specifier: &str) -> JsErrorBox {
    JsErrorBox::type_error(format!(
        "import(\"{specifier}\") is refused: a bundle is one file; import Node built-ins and \
         @uncaged/workflow* modules with an import statement and build everything else in"
    ))
}

fn attribute_refused(specifier: &str, kind: &str) -> JsErrorBox {
    JsErrorBox::type_error(format!(
        "cannot import \"{specifier}\" as {kind}: a bundle is one file; let the bundler inline the data"
    ))
}
