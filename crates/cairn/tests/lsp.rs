//! `cairn lsp`, spoken to over standard input and output as an editor does.

mod support;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::{cairn, scratch};

/// A wait that only ends a test that hangs.
const SAFETY_NET: Duration = Duration::from_secs(300);

/// A client.
struct Client {
    server: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// Messages that were received and not looked at yet.
    kept: Vec<Value>,
    next: i64,
}

impl Client {
    /// Starts a server with settings.
    fn start(folder: &Path, settings: Value) -> Self {
        let mut server = cairn()
            .arg("lsp")
            .env("XDG_CACHE_HOME", folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut output = BufReader::new(server.stdout.take().expect("the output is piped"));
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let input = server.stdin.take();
        let mut client = Client { server, input, messages, kept: Vec::new(), next: 0 };
        let id = client.request(
            "initialize",
            json!({"capabilities": {"window": {"showDocument": {"support": true}}}, "initializationOptions": settings}),
        );
        let answer = client.answer(id);
        assert!(answer["result"]["capabilities"]["hoverProvider"] == json!(true), "{answer}");
        client.notify("initialized", json!({}));
        client
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        let input = self.input.as_mut().expect("the server was not stopped");
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server reads");
        input.flush().expect("the server reads");
    }

    fn notify(&mut self, method: &str, parameters: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": parameters}));
    }

    fn request(&mut self, method: &str, parameters: Value) -> i64 {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}));
        id
    }

    /// Waits for a message.
    fn wait(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(index) = self.kept.iter().position(&is_wanted) {
            return self.kept.remove(index);
        }
        let deadline = Instant::now() + SAFETY_NET;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let message = self.messages.recv_timeout(left).expect("the server answers");
            if is_wanted(&message) {
                return message;
            }
            self.kept.push(message);
        }
    }

    fn answer(&mut self, id: i64) -> Value {
        self.wait(|message| message["id"] == json!(id) && message.get("method").is_none())
    }

    fn open(&mut self, uri: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": "c", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    fn change(&mut self, uri: &str, version: i64, text: &str) {
        let document = json!({"uri": uri, "version": version});
        self.notify("textDocument/didChange", json!({"textDocument": document, "contentChanges": [{"text": text}]}));
    }

    /// Waits for the diagnostics of a version of a document.
    fn diagnostics(&mut self, uri: &str, version: i64) -> Vec<Value> {
        let message = self.wait(|message| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri
                && message["params"]["version"] == json!(version)
        });
        message["params"]["diagnostics"].as_array().cloned().unwrap_or_default()
    }

    /// Ends the server, and returns its exit code.
    fn stop(mut self) -> Option<i32> {
        let id = self.request("shutdown", Value::Null);
        self.answer(id);
        self.notify("exit", Value::Null);
        self.input = None;
        self.server.wait().expect("the server ends").code()
    }
}

fn read(input: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line.trim().is_empty() {
            break;
        }
        if let Some(number) = line.strip_prefix("Content-Length: ") {
            length = number.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    input.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

fn codes(diagnostics: &[Value]) -> Vec<(String, u64)> {
    let line = |d: &Value| d["range"]["start"]["line"].as_u64().unwrap_or(0);
    diagnostics.iter().map(|d| (d["code"].as_str().unwrap_or("").to_owned(), line(d))).collect()
}

const FAULT: &str = "#include <stdlib.h>
struct node { struct node *next; };
int main(void) {
    struct node *list = malloc(sizeof *list);
    list->next = NULL;
    free(list);
    return list->next != NULL;
}
";

fn fixed() -> String {
    FAULT.replace(
        "    free(list);\n    return list->next != NULL;",
        "    int more = list->next != NULL;\n    free(list);\n    return more;",
    )
}

fn file(folder: &Path, text: &str) -> (PathBuf, String) {
    let path = folder.join("a.c");
    std::fs::write(&path, text).expect("the folder is writable");
    let path = path.canonicalize().expect("written above");
    let uri = format!("file://{}", path.display());
    (path, uri)
}

#[test]
fn a_document_is_checked_as_it_changes() {
    let folder = scratch("lsp-changes");
    let (_, uri) = file(&folder, FAULT);
    let mut client = Client::start(&folder, json!({"delay": 10, "timeLimit": 60}));
    client.open(&uri, FAULT);
    let found = client.diagnostics(&uri, 1);
    assert_eq!(codes(&found), [("use-after-free".to_owned(), 6)], "{found:?}");
    let related = found[0]["relatedInformation"].as_array().map_or(0, Vec::len);
    assert!(related >= 3, "the trace is related information: {found:?}");
    // The text in the editor counts, not the file.
    client.change(&uri, 2, &fixed());
    assert_eq!(codes(&client.diagnostics(&uri, 2)), []);
    // Half-typed code.
    client.change(&uri, 3, &fixed().replace("int more =", "int more = ="));
    let found = client.diagnostics(&uri, 3);
    assert!(!found.is_empty() && found.iter().all(|d| d["code"] == "compile"), "{found:?}");
    client.change(&uri, 4, FAULT);
    assert_eq!(codes(&client.diagnostics(&uri, 4)), [("use-after-free".to_owned(), 6)]);
    // Closing removes the diagnostics.
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    let cleared = client.wait(|message| {
        message["method"] == "textDocument/publishDiagnostics"
            && message["params"]["diagnostics"] == json!([])
            && message["params"].get("version").is_none_or(Value::is_null)
    });
    assert_eq!(cleared["params"]["uri"], json!(uri));
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn hover_lenses_hints_actions_and_the_timeline() {
    let folder = scratch("lsp-answers");
    let (_, uri) = file(&folder, FAULT);
    let mut client = Client::start(&folder, json!({"delay": 10, "timeLimit": 60}));
    client.open(&uri, FAULT);
    let found = client.diagnostics(&uri, 1);
    let document = json!({"uri": uri});
    let id = client
        .request("textDocument/hover", json!({"textDocument": document, "position": {"line": 4, "character": 5}}));
    let hover = client.answer(id)["result"]["contents"]["value"].as_str().unwrap_or("").to_owned();
    assert!(hover.contains("`list`") && hover.contains("not null"), "{hover}");
    let id = client.request("textDocument/codeLens", json!({"textDocument": document}));
    let lenses = client.answer(id)["result"].clone();
    assert!(lenses[0]["command"]["title"].as_str().is_some_and(|title| title.contains("checks proved")), "{lenses}");
    assert_eq!(lenses[0]["range"]["start"]["line"], json!(2));
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}});
    let id = client.request("textDocument/inlayHint", json!({"textDocument": document, "range": range}));
    assert!(client.answer(id)["result"].is_array());
    let context = json!({"diagnostics": found});
    let id = client
        .request("textDocument/codeAction", json!({"textDocument": document, "range": range, "context": context}));
    let actions = client.answer(id)["result"].clone();
    let titles: Vec<&str> =
        actions.as_array().into_iter().flatten().filter_map(|action| action["title"].as_str()).collect();
    assert!(
        titles.contains(&"show how it happens") && titles.iter().any(|title| title.starts_with("accept this")),
        "{titles:?}"
    );
    let command = &actions[0]["command"];
    let id = client
        .request("workspace/executeCommand", json!({"command": command["command"], "arguments": command["arguments"]}));
    let answer = client.answer(id);
    let page = answer["result"]["html"].as_str().unwrap_or("").to_owned();
    assert!(page.ends_with("finding/1.html") && Path::new(&page).is_file(), "{answer}");
    client.wait(|message| message["method"] == "window/showDocument");
    let id = client.request("workspace/executeCommand", json!({"command": "cairn.nothing", "arguments": []}));
    assert!(client.answer(id).get("error").is_some());
    let id = client.request("cairn/report", json!({"uri": uri}));
    assert_eq!(client.answer(id)["result"]["version"], json!(2));
    assert_eq!(client.stop(), Some(0));
}

/// A check that never ends is stopped by the next change, and a request that waits is cancelled.
#[test]
fn a_change_stops_the_check_before() {
    let folder = scratch("lsp-cancel");
    let hard = "int f(int x, int y) { return x * y; }
int __VERIFIER_nondet_int(void);
int main(void) {
    unsigned a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = 0;
    for (unsigned i = 0; i < a * b + 77; i++)
        c = c * 31 + (a ^ i) % (b | 1);
    int t[4] = {0};
    return t[c * c * 7 == 1000003u ? 9 : 0];
}
";
    let (_, uri) = file(&folder, hard);
    let mut client = Client::start(&folder, json!({"delay": 10, "timeLimit": 3000}));
    client.open(&uri, hard);
    client.wait(|message| message["method"] == "cairn/status" && message["params"]["state"] == "checking");
    let id = client
        .request("textDocument/hover", json!({"textDocument": {"uri": uri}, "position": {"line": 5, "character": 8}}));
    client.notify("$/cancelRequest", json!({"id": id}));
    client.change(&uri, 2, FAULT);
    assert_eq!(codes(&client.diagnostics(&uri, 2)), [("use-after-free".to_owned(), 6)]);
    client.answer(id);
    assert_eq!(client.stop(), Some(0));
}

/// A check that crashes does not end the server.
#[test]
fn the_server_survives_bad_messages_and_files_that_vanish() {
    let folder = scratch("lsp-survives");
    let (path, uri) = file(&folder, FAULT);
    let mut client = Client::start(&folder, json!({"delay": 10, "timeLimit": 60, "arguments": ["--no-such-option"]}));
    client.open(&uri, FAULT);
    client.wait(|message| message["method"] == "cairn/status" && message["params"]["state"] == "failed");
    client.notify("workspace/didChangeConfiguration", json!({"settings": {"cairn": {"delay": "soon"}}}));
    client.wait(|message| message["method"] == "window/showMessage");
    client.notify("workspace/didChangeConfiguration", json!({"settings": {"cairn": {"delay": 10, "timeLimit": 60}}}));
    for (method, parameters) in [
        ("textDocument/didChange", json!({})),
        (
            "textDocument/didOpen",
            json!({"textDocument": {"uri": "untitled:1", "languageId": "c", "version": 1, "text": "x"}}),
        ),
        (
            "textDocument/didOpen",
            json!({"textDocument": {"uri": "file:///no/such/b.c", "languageId": "c", "version": 1, "text": "int x;"}}),
        ),
        ("no/such", Value::Null),
    ] {
        client.notify(method, parameters);
    }
    let id = client.request("textDocument/hover", json!({"nothing": 1}));
    assert!(client.answer(id).get("error").is_some());
    std::fs::remove_file(&path).expect("written above");
    client.change(&uri, 2, &fixed());
    client.diagnostics(&uri, 2);
    std::fs::write(&path, FAULT).expect("the folder is writable");
    client.change(&uri, 3, FAULT);
    assert_eq!(codes(&client.diagnostics(&uri, 3)), [("use-after-free".to_owned(), 6)]);
    assert_eq!(client.stop(), Some(0));
}

/// Random edits. In the end, the diagnostics are those of a fresh check. `CAIRN_SOAK` sets the number of edits (scripts/lsp-soak).
#[test]
fn random_edits_leave_the_server_intact() {
    let count: u64 = std::env::var("CAIRN_SOAK").ok().and_then(|text| text.parse().ok()).unwrap_or(40);
    let folder = scratch("lsp-soak");
    let (_, uri) = file(&folder, FAULT);
    let mut client = Client::start(&folder, json!({"delay": 1, "timeLimit": 20}));
    client.open(&uri, FAULT);
    client.diagnostics(&uri, 1);
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below.max(1) as u64) as usize
    };
    let pieces = [
        "{",
        "}",
        "free(list);\n",
        "*",
        "if (",
        ")",
        ";",
        "list",
        "#define X",
        "\"",
        "/*",
        "*/",
        "\u{1f600}",
        "\n",
        "0",
    ];
    let mut text = FAULT.to_owned();
    let mut most = 0;
    for version in 2..2 + count as i64 {
        let boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let at = boundaries.get(random(boundaries.len())).copied().unwrap_or(0);
        if random(3) == 0 {
            let end = boundaries.iter().copied().find(|&end| end > at + 3).unwrap_or(text.len());
            text.replace_range(at..end, "");
        } else {
            text.insert_str(at, pieces[random(pieces.len())]);
        }
        if random(10) == 0 {
            text = FAULT.to_owned();
        }
        client.change(&uri, version, &text);
        if random(8) == 0 {
            client.request(
                "textDocument/hover",
                json!({"textDocument": {"uri": uri}, "position": {"line": random(9), "character": random(30)}}),
            );
        }
        if random(5) == 0 {
            std::thread::sleep(Duration::from_millis(random(60) as u64));
        }
        // Messages are read, so that a full pipe does not stop the server.
        client.kept.extend(client.messages.try_iter());
        client.kept.retain(|message| message["params"]["version"].as_i64().is_some_and(|v| v == version));
        most = most.max(resident(client.server.id()));
    }
    let last = 2 + count as i64;
    client.change(&uri, last, FAULT);
    assert_eq!(codes(&client.diagnostics(&uri, last)), [("use-after-free".to_owned(), 6)]);
    assert!(most < 400 << 20, "the server used {most} bytes");
    assert_eq!(client.stop(), Some(0));
}

/// Returns the resident bytes of a process, as far as the system tells.
fn resident(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) << 10
}
