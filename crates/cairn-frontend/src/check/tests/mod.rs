//! Tests of the checker. The programs of `_Static_assert`s and initialisers were compiled with gcc, which agrees.

mod constants;
mod errors;
mod functions;
mod initialisers;
mod limits;
mod types;

use cairn_ir::ctype::TypeTable;
use cairn_ir::diagnostic::{Diagnostic, Severity};
use cairn_ir::layout::Target;
use cairn_ir::source::SourceMap;
use expect_test::Expect;

use crate::hir::{self, StaticTarget, SymbolKind};
use crate::symbol::Interner;

/// The result of checking a text.
struct Checked {
    unit: hir::Unit,
    types: TypeTable,
    diagnostics: Vec<Diagnostic>,
    sources: SourceMap,
}

fn run(text: &str, target: Target) -> Checked {
    let mut sources = SourceMap::default();
    let mut interner = Interner::default();
    let mut types = TypeTable::default();
    let mut diagnostics = Vec::new();
    let index = sources.add("test.c", text.to_owned()).expect("a small text");
    let source = &sources.texts[index];
    let unit = crate::parse::parse(&source.text, source.base, &mut interner, &mut diagnostics);
    let unit = super::check(&unit, &mut interner, &mut types, (target, super::Folding::Wraps), &mut diagnostics);
    Checked { unit, types, diagnostics, sources }
}

impl Checked {
    /// Formats all diagnostics with severity, line, column, message and notes.
    fn messages(&self) -> String {
        let place = |offset| {
            let loc = self.sources.locate(offset);
            format!("{}:{}", loc.line, loc.column)
        };
        let mut text = String::new();
        for diagnostic in &self.diagnostics {
            let word = if diagnostic.severity == Severity::Error { "error" } else { "warning" };
            text += &format!("{} {word}: {}\n", place(diagnostic.span.start), diagnostic.message);
            for (span, note) in &diagnostic.notes {
                text += &format!("    {} note: {note}\n", place(span.start));
            }
        }
        text
    }

    /// Formats the size, bytes and addresses of a defined object.
    fn object(&self, name: &str) -> String {
        let symbol = self.unit.symbols.iter().find(|s| s.name == name).expect("the object exists");
        let SymbolKind::Object { init, .. } = &symbol.kind else { panic!("{name} is not defined: {:?}", symbol.kind) };
        let Some(init) = init else { return "zero".to_owned() };
        let bytes: String = init.bytes.iter().map(|b| format!("{b:02x}")).collect();
        let mut text = format!("{}:{bytes}", init.size);
        for address in &init.addresses {
            let target = match address.target {
                StaticTarget::Symbol(symbol) => self.unit.symbols[symbol.0 as usize].name.clone(),
                StaticTarget::String(_) => "string".to_owned(),
                StaticTarget::Label(label) => format!("label{}", label.0),
            };
            text += &format!(" {}={target}+{}", address.offset, address.addend);
        }
        text
    }

    fn function(&self, name: &str) -> &hir::Function {
        let symbol = self.unit.symbols.iter().find(|s| s.name == name).expect("the function exists");
        let SymbolKind::Function(function) = &symbol.kind else { panic!("{name} is not defined: {:?}", symbol.kind) };
        function
    }
}

/// Checks a text for LP64 and compares its diagnostics.
fn check(text: &str, expect: Expect) {
    expect.assert_eq(&run(text, Target::Lp64).messages());
}

/// Checks a text and asserts that it has no diagnostics.
fn accept(text: &str) -> Checked {
    accept_for(text, Target::Lp64)
}

fn accept_for(text: &str, target: Target) -> Checked {
    let checked = run(text, target);
    assert_eq!(checked.messages(), "");
    checked
}

/// Asserts that every line is a constant expression that is true.
fn all_true(prelude: &str, target: Target, lines: &[&str]) {
    let mut text = prelude.to_owned();
    for line in lines {
        text += &format!("\n_Static_assert({line}, \"\");");
    }
    accept_for(&text, target);
}

/// Asserts that every expression has the given type.
fn all_types(prelude: &str, target: Target, lines: &[(&str, &str)]) {
    let mut text = prelude.to_owned();
    for (expr, ty) in lines {
        text += &format!("\n_Static_assert(__builtin_types_compatible_p(__typeof__({expr}), {ty}), \"{ty}\");");
    }
    accept_for(&text, target);
}
