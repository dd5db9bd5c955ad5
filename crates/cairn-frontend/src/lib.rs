//! From C text to IR: `lex` → `parse` → `check` → `lower`, and the models of the C library.

pub mod ast;
pub mod check;
pub mod hir;
pub mod lex;
pub mod library;
pub mod lower;
pub mod parse;
pub mod symbol;

use cairn_ir::Program;
use cairn_ir::ctype::TypeTable;
use cairn_ir::diagnostic::{Diagnostic, Severity};
use cairn_ir::layout::Target;
use cairn_ir::program::Origin;
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
}

/// Compiles and links translation units, adds the library models that they need, and runs the passes of the IR.
pub fn compile(inputs: Vec<Input>, target: Target) -> Compilation {
    let mut sources = SourceMap::default();
    let mut interner = symbol::Interner::default();
    let mut types = TypeTable::default();
    let mut diagnostics = Vec::new();
    let mut linker = lower::Linker::new(target);
    for input in inputs {
        add_unit(
            &input.name,
            input.text,
            Origin::User,
            target,
            &mut sources,
            &mut interner,
            &mut types,
            &mut diagnostics,
            &mut linker,
        );
    }
    let mut failed = diagnostics.iter().any(|d| d.severity == Severity::Error);
    if !failed {
        // A model may call functions that another model defines, so this goes on until nothing is missing.
        let mut added = Vec::new();
        while let Some(model) = library::missing_model(&linker.undefined_names(), &mut added) {
            add_unit(
                model.name,
                model.text.to_owned(),
                Origin::Model,
                target,
                &mut sources,
                &mut interner,
                &mut types,
                &mut diagnostics,
                &mut linker,
            );
        }
        failed = diagnostics.iter().any(|d| d.severity == Severity::Error);
    }
    let program = (!failed).then(|| {
        let mut program = linker.finish(types, &sources);
        cairn_ir::passes::run(&mut program);
        program
    });
    Compilation { program, diagnostics, sources }
}

#[expect(clippy::too_many_arguments, reason = "the state of one compilation")]
fn add_unit(
    name: &str,
    text: String,
    origin: Origin,
    target: Target,
    sources: &mut SourceMap,
    interner: &mut symbol::Interner,
    types: &mut TypeTable,
    diagnostics: &mut Vec<Diagnostic>,
    linker: &mut lower::Linker,
) {
    let Some(index) = sources.add(name, text) else {
        diagnostics.push(Diagnostic::error(
            cairn_ir::source::Span::default(),
            format!("{name}: more than 4 GiB of source text"),
        ));
        return;
    };
    let text = &sources.texts[index];
    let before = diagnostics.len();
    let unit = parse::parse(&text.text, text.base, interner, diagnostics);
    let unit = check::check(&unit, interner, types, target, diagnostics);
    if diagnostics[before..].iter().all(|d| d.severity != Severity::Error) {
        linker.add_unit(&unit, origin, types, sources, diagnostics);
    }
}
