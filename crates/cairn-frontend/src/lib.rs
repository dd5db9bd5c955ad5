//! From C text to IR: `lex` → `parse` → `check` → `lower`, and the models of the C library.

pub mod ast;
pub mod check;
pub mod hir;
pub mod lex;
pub mod library;
pub mod lower;
pub mod parse;
pub mod plain;
pub mod symbol;

use cairn_ir::Program;
use cairn_ir::ctype::TypeTable;
use cairn_ir::diagnostic::{Diagnostic, Severity};
use cairn_ir::layout::Target;
use cairn_ir::program::{Origin, Signature};
use cairn_ir::source::SourceMap;

/// A preprocessed translation unit.
#[derive(Clone, Debug)]
pub struct Input {
    /// Its name, for diagnostics.
    pub name: String,
    /// Its text, line markers included.
    pub text: String,
}

/// What came out of a compilation.
#[derive(Debug)]
pub struct Compilation {
    /// The program, when there was no error.
    pub program: Option<Program>,
    /// Errors and warnings in the order of their places.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that the spans of the diagnostics point into.
    pub sources: SourceMap,
    /// The functions that nobody defines, neither the user nor a model, as they were declared.
    pub undefined: Vec<(String, Signature)>,
}

/// Compiles and links translation units, adds the library models that they need, and runs the passes of the IR.
pub fn compile(inputs: Vec<Input>, target: Target) -> Compilation {
    let mut session = Session {
        target,
        sources: SourceMap::default(),
        interner: symbol::Interner::default(),
        types: TypeTable::default(),
        diagnostics: Vec::new(),
        linker: lower::Linker::new(target),
    };
    for input in inputs {
        session.add_unit(&input.name, input.text, Origin::User);
    }
    if !has_error(&session.diagnostics) {
        // A model may call functions that another model defines, so this goes on until nothing is missing.
        let mut added = Vec::new();
        while let Some(model) = library::missing_model(&session.linker.undefined_names(), &mut added) {
            session.add_unit(model.name, model.text(), Origin::Model);
        }
    }
    let Session { sources, types, diagnostics, linker, .. } = session;
    let mut undefined = Vec::new();
    let program = (!has_error(&diagnostics)).then(|| {
        let mut program = linker.finish(types, &sources);
        // Binding gives some of them a meaning, and then their declarations are gone.
        let declared = program.functions.iter().filter(|f| f.body.is_none());
        undefined = declared.map(|f| (f.name.clone(), f.signature.clone())).collect();
        cairn_ir::passes::run(&mut program);
        program
    });
    Compilation { program, diagnostics, sources, undefined }
}

fn has_error(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|d| d.severity == Severity::Error)
}

/// What the translation units of one compilation share.
struct Session {
    target: Target,
    sources: SourceMap,
    interner: symbol::Interner,
    types: TypeTable,
    diagnostics: Vec<Diagnostic>,
    linker: lower::Linker,
}

impl Session {
    fn add_unit(&mut self, name: &str, text: String, origin: Origin) {
        let Some(index) = self.sources.add(name, text) else {
            let message = format!("{name}: more than 4 GiB of source text");
            self.diagnostics.push(Diagnostic::error(cairn_ir::source::Span::default(), message));
            return;
        };
        let text = &self.sources.texts[index];
        let before = self.diagnostics.len();
        let unit = parse::parse(&text.text, text.base, &mut self.interner, &mut self.diagnostics);
        let unit = check::check(&unit, &mut self.interner, &mut self.types, self.target, &mut self.diagnostics);
        if !has_error(&self.diagnostics[before..]) {
            self.linker.add_unit(&unit, origin, &mut self.types, &self.sources, &mut self.diagnostics);
        }
    }
}
