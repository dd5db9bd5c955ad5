//! From files to a program: preprocessing, compiling, and showing what is wrong.

use std::path::{Path, PathBuf};

use cairn_frontend::Input;
use cairn_ir::Program;
use cairn_ir::diagnostic::{Diagnostic, Severity};
use cairn_ir::program::Signature;
use cairn_ir::source::SourceMap;
use cairn_report::{Texts, diagnostic};

use crate::arguments::COptions;
use crate::files::{self, Originals};
use crate::preprocess::preprocess;
use crate::terminal::Terminal;

/// Errors shown before the rest is only counted.
const SHOWN_ERRORS: usize = 50;

/// A program with what reports on it need.
pub(crate) struct Loaded {
    pub(crate) program: Program,
    pub(crate) sources: Option<SourceMap>,
    pub(crate) originals: Originals,
    /// The functions that nobody defines.
    pub(crate) undefined: Vec<(String, Signature)>,
}

impl Loaded {
    /// Calls `draw` with the texts that excerpts are taken from.
    pub(crate) fn with_texts<T>(&self, draw: impl FnOnce(Texts<'_>) -> T) -> T {
        draw(Texts { read: &|name| self.originals.read(name), sources: self.sources.as_ref() })
    }
}

/// Reads the files into one program. `None` when something is wrong with them, all of which has been reported then: one bad
/// file does not keep the others from being looked at.
pub(crate) fn load(paths: &[PathBuf], options: &COptions, terminal: &Terminal) -> Option<Loaded> {
    if let [path] = paths
        && path.extension().is_some_and(|e| e == "ir")
    {
        return load_ir(path, terminal);
    }
    let mut inputs = Vec::new();
    let mut failed = false;
    for path in paths {
        match read_c(path, options) {
            Ok(input) => inputs.push(input),
            Err(message) => {
                failed = true;
                if let Some(message) = message {
                    terminal.report(&message);
                }
            }
        }
    }
    if inputs.is_empty() {
        return None;
    }
    let compilation = cairn_frontend::compile(inputs, options.data_model.into());
    let originals = Originals::default();
    show(&compilation.diagnostics, &compilation.sources, &originals, options, terminal);
    let program = compilation.program.filter(|_| !failed)?;
    Some(Loaded { program, sources: Some(compilation.sources), originals, undefined: compilation.undefined })
}

/// One translation unit. The error is a message, or nothing when the preprocessor has said what is wrong.
fn read_c(path: &Path, options: &COptions) -> Result<Input, Option<String>> {
    let name = if path == Path::new("-") { "<stdin>".to_owned() } else { path.to_string_lossy().into_owned() };
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    let bytes = match extension {
        "ir" => {
            return Err(Some(format!(
                "cairn: {name}: a file of textual IR is a whole program and must be given alone"
            )));
        }
        // The preprocessor's own message would not say that it is cairn's argument that is wrong.
        "c" | "h" => {
            if let Err(error) = std::fs::File::open(path).and_then(|file| file.metadata()) {
                return Err(Some(format!("cairn: {name}: {error}")));
            }
            preprocess(path, options).ok_or(None)?
        }
        "i" => files::read_bytes(path).map_err(|error| Some(format!("cairn: {name}: {error}")))?,
        _ if path == Path::new("-") => preprocess(path, options).ok_or(None)?,
        _ => return Err(Some(format!("cairn: {name}: expected a file that ends in .c, .i or .ir"))),
    };
    Ok(Input { name, text: files::c_text(bytes) })
}

fn load_ir(path: &Path, terminal: &Terminal) -> Option<Loaded> {
    let name = path.display();
    let text = match files::read_bytes(path).map(String::from_utf8) {
        Ok(Ok(text)) => text,
        Ok(Err(_)) => {
            terminal.report(&format!("cairn: {name}: not UTF-8 text"));
            return None;
        }
        Err(error) => {
            terminal.report(&format!("cairn: {name}: {error}"));
            return None;
        }
    };
    let program = match cairn_ir::parse::parse(&text) {
        Ok(program) => program,
        Err(error) => {
            terminal.report(&format!("{name}:{}:{}: error: {}", error.line, error.column, error.message));
            return None;
        }
    };
    let mistakes = cairn_ir::verify::verify(&program);
    if !mistakes.is_empty() {
        for mistake in mistakes.iter().take(SHOWN_ERRORS) {
            terminal.report(&format!("{name}: error: {mistake}"));
        }
        return None;
    }
    Some(Loaded { program, sources: None, originals: Originals::default(), undefined: Vec::new() })
}

/// Shows all errors, and the warnings about the user's own files.
fn show(
    diagnostics: &[Diagnostic],
    sources: &SourceMap,
    originals: &Originals,
    options: &COptions,
    terminal: &Terminal,
) {
    let texts = Texts { read: &|name| originals.read(name), sources: Some(sources) };
    let mut errors = 0;
    for diagnostic in diagnostics {
        match diagnostic.severity {
            Severity::Error => errors += 1,
            Severity::Warning if options.no_warnings || is_system(diagnostic, sources) => continue,
            Severity::Warning => {}
        }
        if errors <= SHOWN_ERRORS {
            terminal.report(&diagnostic::render(diagnostic, sources, texts, terminal.colour));
            terminal.report("");
        }
    }
    if errors > SHOWN_ERRORS {
        terminal.report(&format!("cairn: {} more errors are not shown", errors - SHOWN_ERRORS));
    }
}

fn is_system(diagnostic: &Diagnostic, sources: &SourceMap) -> bool {
    let file = sources.file_name(sources.locate(diagnostic.span.start).file);
    file.starts_with("/usr/") || file.starts_with("<cairn/")
}
