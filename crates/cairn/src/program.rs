//! Loads a program from files: preprocesses, compiles, and reports diagnostics.

use std::path::{Path, PathBuf};

use cairn_frontend::{Input, Overflow};
use cairn_ir::Program;
use cairn_ir::diagnostic::{Diagnostic, Severity};
use cairn_ir::layout;
use cairn_ir::program::Signature;
use cairn_ir::source::SourceMap;
use cairn_report::{Texts, diagnostic};

use crate::arguments::COptions;
use crate::configuration::functions::{self, Functions};
use crate::limits::SHOWN_ERRORS;
use crate::project::unit::Target;
use crate::system::files;
use crate::system::originals::Originals;
use crate::system::preprocess::preprocess;
use crate::system::supervise::Guard;
use crate::system::terminal::Terminal;

impl From<&COptions> for cairn_frontend::Options {
    fn from(options: &COptions) -> Self {
        let overflow = if options.overflow { Overflow::Everything } else { Overflow::Unchecked };
        let described = functions::described(&options.functions);
        Self { overflow, described, ..layout::Target::from(options.data_model).into() }
    }
}

/// A program with everything that reports about it need.
pub(crate) struct Loaded {
    pub(crate) program: Program,
    pub(crate) sources: Option<SourceMap>,
    pub(crate) originals: Originals,
    /// The functions without a definition.
    pub(crate) undefined: Vec<(String, Signature)>,
    /// The target of a project that the program is.
    pub(crate) target: Option<Target>,
    /// What functions do with memory, from the configuration.
    pub(crate) functions: Functions,
}

impl Loaded {
    /// Calls `draw` with the texts that excerpts are taken from.
    pub(crate) fn with_texts<T>(&self, draw: impl FnOnce(Texts<'_>) -> T) -> T {
        draw(Texts { read: &|name| self.originals.read(name), sources: self.sources.as_ref() })
    }
}

/// Reads the files into one program that `cairn run` or an engine without inputs executes on one machine.
///
/// SV-COMP's error functions are errors.
///
/// Returns `None` after reporting every mistake in the files: one bad file does not keep the others from being read.
pub(crate) fn load(paths: &[PathBuf], options: &COptions, guard: &Guard, terminal: &Terminal) -> Option<Loaded> {
    load_with(&Source::all(paths, options), options.into(), guard, terminal)
}

/// A file with the options for reading it.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    pub(crate) options: COptions,
}

impl Source {
    /// Returns files that are read with the same options.
    pub(crate) fn all(paths: &[PathBuf], options: &COptions) -> Vec<Source> {
        paths.iter().map(|path| Source { path: path.clone(), options: options.clone() }).collect()
    }

    /// Returns the folders of headers of a project. A compilation database names them for the preprocessor.
    fn header_folders(&self) -> impl Iterator<Item = &Path> {
        let named = self.options.include_dirs.iter().map(Path::new);
        let of_project = self.options.flags.windows(2).filter(|pair| pair[0] == "-I").map(|pair| Path::new(&pair[1]));
        named.chain(of_project)
    }
}

/// Reads the files into one program, with the front-end's options.
pub(crate) fn load_with(
    sources: &[Source],
    frontend: cairn_frontend::Options,
    guard: &Guard,
    terminal: &Terminal,
) -> Option<Loaded> {
    if let [Source { path, .. }] = sources
        && path.extension().is_some_and(|e| e == "ir")
    {
        return load_ir(path, guard, terminal);
    }
    let mut inputs = Vec::new();
    let mut failed = false;
    for source in sources {
        match read_c(&source.path, &source.options, guard) {
            Ok(input) => {
                guard.keep_input(&input.name, &input.text);
                inputs.push(input);
            }
            Err(message) => {
                failed = true;
                if let Some(message) = message {
                    terminal.error(&message);
                }
            }
        }
    }
    if inputs.is_empty() {
        return None;
    }
    let compilation = cairn_frontend::compile(inputs, frontend);
    let paths: Vec<PathBuf> = sources.iter().map(|source| source.path.clone()).collect();
    let originals = Originals::new(&paths, sources.iter().flat_map(Source::header_folders));
    let hides_warnings = sources.iter().all(|source| source.options.no_warnings);
    show(&compilation.diagnostics, &compilation.sources, &originals, hides_warnings, terminal);
    let program = compilation.program.filter(|_| !failed)?;
    Some(Loaded {
        program,
        sources: Some(compilation.sources),
        originals,
        undefined: compilation.undefined,
        target: None,
        functions: sources.first().map(|source| source.options.functions.clone()).unwrap_or_default(),
    })
}

/// Reads one translation unit. The error is a message, or `None` when the preprocessor has reported it.
pub(crate) fn read_c(path: &Path, options: &COptions, guard: &Guard) -> Result<Input, Option<String>> {
    let name = if path == Path::new("-") { "<stdin>".to_owned() } else { path.to_string_lossy().into_owned() };
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    let bytes = match extension {
        "ir" => {
            return Err(Some(format!("'{name}' must be the only input: a file of textual IR is a whole program")));
        }
        // The preprocessor's own message would not name cairn's argument.
        "c" | "h" => {
            if let Err(error) = std::fs::File::open(path).and_then(|file| file.metadata()) {
                return Err(Some(format!("cannot read '{name}': {}", files::describe(&error))));
            }
            preprocess(path, options, guard)?
        }
        "i" => files::read(path).map_err(Some)?,
        _ if path == Path::new("-") => preprocess(path, options, guard)?,
        _ => return Err(Some(format!("unknown file type '{name}': expected .c, .i or .ir"))),
    };
    Ok(Input { name, text: files::c_text(bytes) })
}

fn load_ir(path: &Path, guard: &Guard, terminal: &Terminal) -> Option<Loaded> {
    let name = path.display();
    let utf8 = |bytes| String::from_utf8(bytes).map_err(|_| format!("cannot read '{name}': not valid UTF-8"));
    let text = match files::read(path).and_then(utf8) {
        Ok(text) => text,
        Err(message) => {
            terminal.error(&message);
            return None;
        }
    };
    guard.keep_input(&path.to_string_lossy(), &text);
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
    let originals = Originals::new(&[path.to_path_buf()], std::iter::empty());
    let (undefined, functions) = (Vec::new(), Functions::new());
    Some(Loaded { program, sources: None, originals, undefined, target: None, functions })
}

/// Reports all errors, and the warnings about the user's own files.
fn show(
    diagnostics: &[Diagnostic],
    sources: &SourceMap,
    originals: &Originals,
    hides_warnings: bool,
    terminal: &Terminal,
) {
    let texts = Texts { read: &|name| originals.read(name), sources: Some(sources) };
    let mut errors = 0;
    for diagnostic in diagnostics {
        match diagnostic.severity {
            Severity::Error => errors += 1,
            Severity::Warning if hides_warnings || is_system(diagnostic, sources) => continue,
            Severity::Warning => {}
        }
        if errors <= SHOWN_ERRORS {
            terminal.report(&diagnostic::render(diagnostic, sources, texts, terminal.colour));
            terminal.report("");
        }
    }
    if errors > SHOWN_ERRORS {
        terminal.note(&format!("{} more errors not shown", errors - SHOWN_ERRORS));
    }
}

fn is_system(diagnostic: &Diagnostic, sources: &SourceMap) -> bool {
    let file = sources.file_name(sources.locate(diagnostic.span.start).file);
    file.starts_with("/usr/") || file.starts_with("<cairn/")
}
