//! An open document, and the answers that follow from its results.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use cairn_report::Report;
use lsp_server::Request;
use lsp_types::{HoverParams, InlayHintParams, Uri};
use serde_json::{Value, json};

use super::hints::{self, Contracts};
use super::hover::{self, LineStates};
use super::job::{Job, Kind};
use super::position;
use super::server::read;
use crate::commands::project::deliver::write_pages;
use crate::project::store;

/// An open document.
pub(super) struct Document {
    pub(super) uri: Uri,
    pub(super) path: PathBuf,
    pub(super) text: Arc<str>,
    /// Grows with every change.
    pub(super) version: i64,
    /// The version of the client.
    pub(super) client_version: Option<i32>,
    pub(super) is_saved: bool,
    /// When the next check is due.
    pub(super) due: Option<Instant>,
    pub(super) jobs: HashMap<Kind, (i64, Job)>,
    pub(super) report: Option<(Report, PathBuf)>,
    pub(super) states: Option<(i64, Vec<LineStates>)>,
    pub(super) contracts: Option<(i64, Contracts)>,
    /// The files that have diagnostics of this document.
    pub(super) published: BTreeSet<String>,
    /// Requests that wait for states or contracts.
    pub(super) waiting: Vec<(Kind, Request)>,
}

/// Returns the answer to a request for a hover text.
pub(super) fn hovered(document: &Document, parameters: Value) -> Option<Value> {
    let at = read::<HoverParams>(parameters)?.text_document_position_params.position;
    let (_, states) = document.states.as_ref()?;
    let word = position::word(&document.text, at)?;
    let text = hover::text(states, at.line + 1, &word)?;
    Some(json!({"contents": {"kind": "markdown", "value": text}}))
}

/// Returns the answer to a request for inlay hints.
pub(super) fn hinted(document: &Document, parameters: Value) -> Option<Value> {
    let range = read::<InlayHintParams>(parameters)?.range;
    let (_, contracts) = document.contracts.as_ref()?;
    serde_json::to_value(contracts.hints(&document.text, range)).ok()
}

/// Writes the HTML report of a document, and returns the page of a finding as a path and as a URI.
pub(super) fn timeline(document: &Document, fingerprint: &str) -> Result<(String, String), String> {
    let (report, folder) = document.report.as_ref().ok_or("the document was not checked yet")?;
    let base = store::default_folder().unwrap_or_else(std::env::temp_dir);
    let name = crate::sha256::hex(document.path.to_string_lossy().as_bytes());
    let html = base.join("html").join(&name[..16]);
    let read = |file: &str| match folder.join(file) {
        path if path == document.path => Some(Arc::clone(&document.text)),
        path => std::fs::read_to_string(path).ok().map(Arc::from),
    };
    let pages = cairn_report::html::pages(report, &read, env!("CARGO_PKG_VERSION"));
    write_pages(&html, &pages)?;
    let found = report.findings.iter().position(|finding| finding.fingerprint == fingerprint);
    let page = match found {
        Some(index) => html.join("finding").join(format!("{}.html", index + 1)),
        None => html.join("index.html"),
    };
    let uri = position::uri_of(&page).ok_or("the folder of the report has no name in UTF-8")?;
    Ok((page.to_string_lossy().into_owned(), uri.as_str().to_owned()))
}

/// Returns the counts and the contract of a function, in Markdown.
pub(super) fn shown_function(document: &Document, function: &str) -> String {
    let mut out = format!("### `{function}`\n");
    if let Some((report, folder)) = &document.report {
        let counts = hints::counts(report, &|file| folder.join(file) == document.path);
        if let Some(counts) = counts.get(function) {
            out.push_str(&format!("\n{}\n", counts.text()));
        }
    }
    if let Some((_, contracts)) = &document.contracts
        && let Some(words) = contracts.of(function)
    {
        out.push('\n');
        words.iter().for_each(|sentence| out.push_str(&format!("- {sentence}\n")));
    }
    out
}
