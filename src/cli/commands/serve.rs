use std::io::ErrorKind;
use std::net::SocketAddr;

use clap::Args;
use tokio::net::TcpListener;

use super::super::Context;
use super::super::changes::Stops;
use super::super::error::CommandError;
use super::add::block_on;
use crate::http::{self, KEEP_ALIVE, Server};

/// Serve the HTTP API and the dashboard
///
/// Ctrl-C ends the server; the threads that it started go on.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  uncaged-workflow serve                 open http://127.0.0.1:7860 in a browser
  uncaged-workflow serve --port 0        any free port; it is printed

From a script:
  curl -X POST http://127.0.0.1:7860/api/threads -H 'Content-Type: application/json' \\
      -d '{ \"workflow\": \"hello\", \"prompt\": \"Say hello\" }'")]
pub(in super::super) struct ServeArgs {
    /// The port; 0 takes any free one
    #[arg(long, default_value_t = 7860)]
    port: u16,
    /// The address to listen on; other machines can run workflows here where it is not a local one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    host: String,
}

pub(super) fn cmd_serve(context: &Context, args: &ServeArgs) -> Result<(), CommandError> {
    block_on(serve(context, args))?
}

async fn serve(context: &Context, args: &ServeArgs) -> Result<(), CommandError> {
    let failed = |error: std::io::Error| CommandError::user(format!("cannot serve: {error}"));
    // From here on no signal ends the program in the middle of something.
    let mut stops = Stops::new()?;
    let host = args.host.trim_start_matches('[').trim_end_matches(']');
    let bound = TcpListener::bind((host, args.port)).await;
    let listener = bound.map_err(|error| cannot_listen(args, &error))?;
    let address = listener.local_addr().map_err(failed)?;
    if !address.ip().is_loopback() {
        warn(context, address);
    }
    context.ui.line(format!("listening on http://{address}"))?;
    let server = Server {
        store: context.store.clone(),
        workers: context.workers.clone(),
        host: host.to_owned(),
        keep_alive: KEEP_ALIVE,
    };
    let told_to_stop = async move {
        stops.next().await;
    };
    http::run(listener, server, told_to_stop).await.map_err(failed)
}

fn warn(context: &Context, address: SocketAddr) {
    context.ui.note(format!(
        "warning: everybody who reaches {address} can run workflows here, with your rights"
    ));
}

fn cannot_listen(args: &ServeArgs, error: &std::io::Error) -> CommandError {
    let ServeArgs { host, port } = args;
    let message = CommandError::user(format!("cannot listen on {host}:{port}: {error}"));
    match error.kind() {
        ErrorKind::AddrInUse => message.hint(format!(
            "another program has port {port}, perhaps another `serve`; `--port 0` takes a free one"
        )),
        ErrorKind::PermissionDenied => message.hint("take a port above 1023"),
        _ => message.hint("`--host` takes an address of this machine, such as 127.0.0.1"),
    }
}
