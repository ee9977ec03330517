//! The dashboard: files of `js/dashboard`, part of the program.

use axum::Router;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::routing::get;

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

/// Path, type and text.
const FILES: [(&str, &str, &str); 8] = [
    ("/", HTML, include_str!("../../js/dashboard/index.html")),
    ("/style.css", STYLE, include_str!("../../js/dashboard/style.css")),
    ("/app.js", SCRIPT, include_str!("../../js/dashboard/app.js")),
    ("/api.js", SCRIPT, include_str!("../../js/dashboard/api.js")),
    ("/dom.js", SCRIPT, include_str!("../../js/dashboard/dom.js")),
    ("/lists.js", SCRIPT, include_str!("../../js/dashboard/lists.js")),
    ("/thread.js", SCRIPT, include_str!("../../js/dashboard/thread.js")),
    ("/blob.js", SCRIPT, include_str!("../../js/dashboard/blob.js")),
];

/// The routes of the page.
pub fn router<S: Clone + Send + Sync + 'static>() -> Router<S> {
    FILES.into_iter().fold(Router::new(), |router, (path, kind, text)| {
        // Asked for again each time: the next version may be another program.
        let headers = [(CONTENT_TYPE, kind), (CACHE_CONTROL, "no-cache")];
        router.route(path, get(move || async move { (headers, text) }))
    })
}
