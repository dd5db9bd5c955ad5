//! The state of the server: open documents, running analyses and their results.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use cairn_report::Report;
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::{
    CodeActionParams, CodeLensParams, Diagnostic, DidChangeTextDocumentParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DidSaveTextDocumentParams, ExecuteCommandParams, HoverParams, InitializeParams,
    InlayHintParams, PublishDiagnosticsParams, Uri,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::document::{Document, hinted, hovered, shown_function, timeline};
use super::hints::{self, Contracts};
use super::job::{self, Kind, Outcome, Subject};
use super::settings::{CheckOn, Settings};
use super::{actions, diagnostics, position};
use crate::limits::{LSP_TEXT, LSP_WAITING};

/// What the server waits for.
pub(super) enum Event {
    Message(Message),
    Disconnected,
    /// The delay of a document is over.
    Tick,
    Done {
        uri: String,
        kind: Kind,
        version: i64,
        outcome: Result<Outcome, String>,
    },
}

/// The server.
pub(super) struct Server {
    client: Client,
    events: Sender<Event>,
    documents: HashMap<String, Document>,
    settings: Settings,
    shows_documents: bool,
    next_request: i32,
    is_shut_down: bool,
}

/// A function that sends messages to the client.
struct Client(Box<dyn Fn(Message) + Send>);

impl Client {
    fn send(&self, message: impl Into<Message>) {
        (self.0)(message.into());
    }
}

impl Server {
    pub(super) fn new(
        send: impl Fn(Message) + Send + 'static,
        events: Sender<Event>,
        parameters: &InitializeParams,
    ) -> Self {
        let window = parameters.capabilities.window.as_ref();
        let mut server = Server {
            client: Client(Box::new(send)),
            events,
            documents: HashMap::new(),
            settings: Settings::default(),
            shows_documents: window.and_then(|window| window.show_document.as_ref()).is_some_and(|show| show.support),
            next_request: 0,
            is_shut_down: false,
        };
        server.configure(parameters.initialization_options.as_ref().unwrap_or(&Value::Null));
        server
    }

    pub(super) fn is_shut_down(&self) -> bool {
        self.is_shut_down
    }

    /// Returns the time until the next check is due.
    pub(super) fn next_deadline(&self) -> Option<Duration> {
        let due = self.documents.values().filter_map(|document| document.due).min()?;
        Some(due.saturating_duration_since(Instant::now()))
    }

    pub(super) fn handle(&mut self, event: Event) {
        match event {
            Event::Message(Message::Request(request)) => self.request(request),
            Event::Message(Message::Notification(note)) => self.notification(note),
            Event::Message(Message::Response(_)) | Event::Tick | Event::Disconnected => {}
            Event::Done { uri, kind, version, outcome } => self.done(&uri, kind, version, outcome),
        }
        let now = Instant::now();
        let due: Vec<String> = self
            .documents
            .iter()
            .filter(|(_, document)| document.due.is_some_and(|due| due <= now))
            .map(|(uri, _)| uri.clone())
            .collect();
        let first = if self.settings.has_quick_check() { Kind::Quick } else { Kind::Check };
        for uri in due {
            self.start(&uri, first);
        }
    }

    fn configure(&mut self, value: &Value) {
        match Settings::read(value) {
            Ok(settings) => self.settings = settings,
            Err(message) => self.notify("window/showMessage", json!({"type": 2, "message": message})),
        }
    }

    fn notify(&self, method: &str, parameters: Value) {
        self.client.send(Notification { method: method.to_owned(), params: parameters });
    }

    fn status(&self, uri: &str, state: &str, message: &str) {
        self.notify("cairn/status", json!({"uri": uri, "state": state, "message": message}));
    }

    fn notification(&mut self, note: Notification) {
        match note.method.as_str() {
            "textDocument/didOpen" => {
                let Some(DidOpenTextDocumentParams { text_document }) = read(note.params) else { return };
                let version = Some(text_document.version);
                self.open(text_document.uri, &text_document.text, version);
            }
            "textDocument/didChange" => {
                let Some(DidChangeTextDocumentParams { text_document, content_changes }) = read(note.params) else {
                    return;
                };
                // The server asks for whole texts.
                let Some(change) = content_changes.into_iter().next_back() else { return };
                self.change(text_document.uri.as_str(), &change.text, Some(text_document.version));
            }
            "textDocument/didSave" => {
                let Some(DidSaveTextDocumentParams { text_document, .. }) = read(note.params) else { return };
                let checks = self.settings.check_on != CheckOn::Never;
                if let Some(document) = self.documents.get_mut(text_document.uri.as_str()) {
                    document.is_saved = true;
                    if checks {
                        document.due = Some(Instant::now());
                    }
                }
            }
            "textDocument/didClose" => {
                let Some(DidCloseTextDocumentParams { text_document }) = read(note.params) else { return };
                if let Some(document) = self.documents.remove(text_document.uri.as_str()) {
                    for uri in &document.published {
                        self.publish(uri, Vec::new(), None);
                    }
                    for (_, request) in document.waiting {
                        self.client.send(Response::new_ok(request.id, Value::Null));
                    }
                }
            }
            "workspace/didChangeConfiguration" => self.configure(&note.params["settings"]),
            "$/cancelRequest" => self.cancel(&note.params["id"]),
            _ => {}
        }
    }

    fn open(&mut self, uri: Uri, text: &str, version: Option<i32>) {
        let Some(path) = position::path_of(&uri).filter(|path| path.is_absolute() && text.len() <= LSP_TEXT) else {
            return;
        };
        let is_saved = std::fs::read_to_string(&path).is_ok_and(|saved| saved == text);
        let checks = self.settings.check_on != CheckOn::Never;
        let document = Document {
            uri: uri.clone(),
            path,
            text: text.into(),
            version: 0,
            client_version: version,
            is_saved,
            due: checks.then(Instant::now),
            jobs: HashMap::new(),
            report: None,
            states: None,
            contracts: None,
            published: BTreeSet::new(),
            waiting: Vec::new(),
        };
        self.documents.insert(uri.as_str().to_owned(), document);
    }

    fn change(&mut self, uri: &str, text: &str, version: Option<i32>) {
        let delay = Duration::from_millis(self.settings.delay.min(60_000));
        let checks = self.settings.check_on == CheckOn::Change;
        let Some(document) = self.documents.get_mut(uri).filter(|_| text.len() <= LSP_TEXT) else { return };
        document.text = text.into();
        document.version += 1;
        document.client_version = version;
        document.is_saved = false;
        // Analyses of the old text are stopped.
        document.jobs.clear();
        document.due = checks.then(|| Instant::now() + delay);
        let waiting = std::mem::take(&mut document.waiting);
        for (_, request) in waiting {
            let message = "the text has changed".to_owned();
            self.client.send(Response::new_err(request.id, ErrorCode::ContentModified as i32, message));
        }
    }

    fn cancel(&mut self, id: &Value) {
        let id = match id {
            Value::Number(number) => number.as_i64().and_then(|id| i32::try_from(id).ok()).map(RequestId::from),
            Value::String(text) => Some(RequestId::from(text.clone())),
            _ => None,
        };
        let Some(id) = id else { return };
        for document in self.documents.values_mut() {
            if let Some(index) = document.waiting.iter().position(|(_, request)| request.id == id) {
                document.waiting.remove(index);
                let message = "cancelled by the client".to_owned();
                self.client.send(Response::new_err(id, ErrorCode::RequestCanceled as i32, message));
                return;
            }
        }
    }

    /// Starts an analysis of a document, unless one of the same text is running.
    fn start(&mut self, uri: &str, kind: Kind) {
        let settings = self.settings.clone();
        let Some(document) = self.documents.get_mut(uri) else { return };
        let version = document.version;
        let is_check = matches!(kind, Kind::Quick | Kind::Check);
        if is_check {
            document.due = None;
        } else if document.jobs.get(&kind).is_some_and(|(running, _)| *running == version) {
            return;
        }
        let unsaved = (!document.is_saved).then(|| Arc::clone(&document.text));
        let subject = Subject { file: document.path.clone(), unsaved, settings };
        let (events, owner) = (self.events.clone(), uri.to_owned());
        let done = move |outcome| {
            let _ = events.send(Event::Done { uri: owner, kind, version, outcome });
        };
        document.jobs.insert(kind, (version, job::start(kind, subject, done)));
        if is_check {
            self.status(uri, "checking", "");
        }
    }

    fn done(&mut self, uri: &str, kind: Kind, version: i64, outcome: Result<Outcome, String>) {
        let Some(document) = self.documents.get_mut(uri).filter(|document| document.version == version) else { return };
        document.jobs.remove(&kind);
        match (kind, outcome) {
            (Kind::Quick, Ok(outcome)) => {
                let report = Report::from_json(&outcome.output).ok();
                let is_decided = match &report {
                    Some(report) => report.checks.unknown == 0 && report.unknown_reasons.is_empty(),
                    None => outcome.is_complete,
                };
                // Findings that the first look misses stay until the whole check is done.
                if is_decided || report.is_some_and(|report| !report.findings.is_empty()) {
                    self.checked(uri, &outcome);
                }
                if !is_decided {
                    self.start(uri, Kind::Check);
                }
            }
            (Kind::Check, Ok(outcome)) => self.checked(uri, &outcome),
            (Kind::Quick | Kind::Check, Err(message)) => self.status(uri, "failed", &message),
            (Kind::States, outcome) => {
                let found = outcome.ok().and_then(|outcome| serde_json::from_str(&outcome.output).ok());
                document.states = Some((version, found.unwrap_or_default()));
                self.answer_waiting(uri, Kind::States);
            }
            (Kind::Contracts, outcome) => {
                let found = outcome.ok().and_then(|outcome| serde_json::from_str(&outcome.output).ok());
                document.contracts = Some((version, found.unwrap_or(Contracts { contracts: Vec::new() })));
                self.answer_waiting(uri, Kind::Contracts);
            }
        }
    }

    /// Publishes the results of a check.
    fn checked(&mut self, uri: &str, outcome: &Outcome) {
        let texts: HashMap<PathBuf, Arc<str>> =
            self.documents.values().map(|document| (document.path.clone(), Arc::clone(&document.text))).collect();
        let read = |path: &Path| match texts.get(path) {
            Some(text) => Some(text.to_string()),
            None => std::fs::read_to_string(path).ok(),
        };
        let mut found = diagnostics::of_messages(&outcome.messages, &outcome.folder, &read);
        let report = Report::from_json(&outcome.output).ok();
        if let Some(report) = &report {
            for (file, more) in diagnostics::of_report(report, &outcome.folder, &read) {
                found.entry(file).or_default().extend(more);
            }
        }
        let all: Vec<(Uri, Vec<Diagnostic>)> = diagnostics::uris(&found).collect();
        let Some(document) = self.documents.get_mut(uri) else { return };
        let client_version = document.client_version;
        let mut published: BTreeSet<String> = all.iter().map(|(uri, _)| uri.as_str().to_owned()).collect();
        published.insert(uri.to_owned());
        let old = std::mem::replace(&mut document.published, published.clone());
        let message = match (&report, outcome.is_complete) {
            (Some(report), _) => {
                let checks = report.checks;
                let counts =
                    format!("{} of {} checks proved", checks.proved, checks.proved + checks.violated + checks.unknown);
                document.report = Some((report.clone(), outcome.folder.clone()));
                Ok(counts)
            }
            (None, true) => Err("the file does not compile"),
            (None, false) => Err("the check was stopped"),
        };
        // A URI that the client spells differently is the same file.
        let own = document.uri.as_str().to_owned();
        for gone in old.difference(&published) {
            self.publish(gone, Vec::new(), None);
        }
        for uri in &published {
            let of_uri = all.iter().find(|(known, _)| known.as_str() == uri).map(|(_, found)| found.clone());
            let version = client_version.filter(|_| *uri == own);
            self.publish(uri, of_uri.unwrap_or_default(), version);
        }
        match message {
            Ok(counts) => self.status(uri, "idle", &counts),
            Err(message) => self.status(uri, "failed", message),
        }
        if self.settings.code_lens {
            self.next_request += 1;
            let id = RequestId::from(format!("cairn-{}", self.next_request));
            self.client.send(Request { id, method: "workspace/codeLens/refresh".to_owned(), params: Value::Null });
        }
    }

    fn publish(&self, uri: &str, diagnostics: Vec<Diagnostic>, version: Option<i32>) {
        let Ok(uri) = uri.parse::<Uri>() else { return };
        let parameters = PublishDiagnosticsParams { uri, diagnostics, version };
        self.notify("textDocument/publishDiagnostics", serde_json::to_value(parameters).unwrap_or_default());
    }

    fn request(&mut self, request: Request) {
        let Request { id, method, params } = request.clone();
        let answer = match method.as_str() {
            "shutdown" => {
                self.is_shut_down = true;
                self.documents.clear();
                Value::Null
            }
            "textDocument/hover" => {
                let Some(HoverParams { text_document_position_params: at, .. }) = read(params) else {
                    return self.reject(id);
                };
                return self.wait_for(at.text_document.uri.as_str(), Kind::States, request);
            }
            "textDocument/inlayHint" => {
                let Some(InlayHintParams { text_document, .. }) = read(params) else { return self.reject(id) };
                if !self.settings.inlay_hints {
                    return self.client.send(Response::new_ok(id, Value::Null));
                }
                return self.wait_for(text_document.uri.as_str(), Kind::Contracts, request);
            }
            "textDocument/codeLens" => {
                let Some(CodeLensParams { text_document, .. }) = read(params) else { return self.reject(id) };
                self.lenses(text_document.uri.as_str())
            }
            "textDocument/codeAction" => {
                let Some(parameters) = read::<CodeActionParams>(params) else { return self.reject(id) };
                self.actions(&parameters)
            }
            "workspace/executeCommand" => {
                let Some(ExecuteCommandParams { command, arguments, .. }) = read(params) else {
                    return self.reject(id);
                };
                match self.execute(&command, &arguments) {
                    Ok(answer) => answer,
                    Err(message) => {
                        return self.client.send(Response::new_err(id, ErrorCode::RequestFailed as i32, message));
                    }
                }
            }
            "cairn/report" => {
                let uri = params["uri"].as_str().unwrap_or("");
                let report = self.documents.get(uri).and_then(|document| document.report.as_ref());
                report.map_or(Value::Null, |(report, _)| serde_json::to_value(report).unwrap_or_default())
            }
            _ => {
                let message = format!("unknown request `{method}`");
                return self.client.send(Response::new_err(id, ErrorCode::MethodNotFound as i32, message));
            }
        };
        self.client.send(Response::new_ok(id, answer));
    }

    fn reject(&self, id: RequestId) {
        self.client.send(Response::new_err(id, ErrorCode::InvalidParams as i32, "invalid parameters".to_owned()));
    }

    /// Answers a request about a document after the analysis that it needs.
    fn wait_for(&mut self, uri: &str, kind: Kind, request: Request) {
        let Some(document) = self.documents.get_mut(uri) else {
            return self.client.send(Response::new_ok(request.id, Value::Null));
        };
        document.waiting.push((kind, request));
        if document.waiting.len() > LSP_WAITING {
            let (_, oldest) = document.waiting.remove(0);
            self.client.send(Response::new_ok(oldest.id, Value::Null));
        }
        let document = &self.documents[uri];
        let known = match kind {
            Kind::States => document.states.as_ref().map(|(version, _)| *version),
            Kind::Contracts => document.contracts.as_ref().map(|(version, _)| *version),
            Kind::Quick | Kind::Check => None,
        };
        if known == Some(document.version) { self.answer_waiting(uri, kind) } else { self.start(uri, kind) }
    }

    fn answer_waiting(&mut self, uri: &str, kind: Kind) {
        let Some(document) = self.documents.get_mut(uri) else { return };
        let all = std::mem::take(&mut document.waiting);
        let (now, later): (Vec<_>, Vec<_>) = all.into_iter().partition(|(wanted, _)| *wanted == kind);
        document.waiting = later;
        let document = &self.documents[uri];
        for (_, request) in now {
            let answer = match kind {
                Kind::States => hovered(document, request.params),
                Kind::Contracts => hinted(document, request.params),
                Kind::Quick | Kind::Check => None,
            };
            self.client.send(Response::new_ok(request.id, answer.unwrap_or(Value::Null)));
        }
    }

    fn lenses(&self, uri: &str) -> Value {
        let found = self.documents.get(uri).filter(|_| self.settings.code_lens);
        let lenses = found.and_then(|document| {
            let (report, folder) = document.report.as_ref()?;
            let counts = hints::counts(report, &|file| folder.join(file) == document.path);
            Some(hints::lenses(&counts, &document.text, uri))
        });
        serde_json::to_value(lenses.unwrap_or_default()).unwrap_or_default()
    }

    fn actions(&self, parameters: &CodeActionParams) -> Value {
        let uri = &parameters.text_document.uri;
        let actions = self.documents.get(uri.as_str()).map(|document| {
            let each = parameters.context.diagnostics.iter();
            each.flat_map(|diagnostic| actions::of(diagnostic, uri, &document.text)).collect::<Vec<_>>()
        });
        serde_json::to_value(actions.unwrap_or_default()).unwrap_or_default()
    }

    fn execute(&mut self, command: &str, arguments: &[Value]) -> Result<Value, String> {
        // The first argument is an object, or the URI followed by the fingerprint or the function.
        let first = arguments.first().unwrap_or(&Value::Null);
        let uri = first["uri"].as_str().or_else(|| first.as_str()).ok_or("the command needs a document")?.to_owned();
        let second = arguments.get(1).and_then(Value::as_str);
        let document = self.documents.get_mut(&uri).ok_or("the document is not open")?;
        match command {
            "cairn.check" => {
                document.due = Some(Instant::now());
                Ok(Value::Null)
            }
            "cairn.openTimeline" | "cairn.timeline" => {
                let fingerprint = first["fingerprint"].as_str().or(second).unwrap_or("").to_owned();
                let (html, page) = timeline(document, &fingerprint)?;
                if self.shows_documents {
                    self.next_request += 1;
                    let id = RequestId::from(format!("cairn-{}", self.next_request));
                    let params = json!({"uri": page, "external": true});
                    self.client.send(Request { id, method: "window/showDocument".to_owned(), params });
                }
                Ok(json!({"html": html, "uri": page}))
            }
            "cairn.showFunction" => {
                let function = first["function"].as_str().or(second).unwrap_or("");
                Ok(json!(shown_function(document, function)))
            }
            _ => Err(format!("unknown command `{command}`")),
        }
    }
}

/// Reads the parameters of a message.
pub(super) fn read<T: DeserializeOwned>(parameters: Value) -> Option<T> {
    serde_json::from_value(parameters).ok()
}
