//! Tests of the parser: all syntactic forms, ambiguities, errors and their locations, limits, and mutated programs.

mod dump;
mod errors;
mod forms;
mod limits;
mod mutations;
mod scopes;

use cairn_ir::diagnostic::{Diagnostic, Severity};
use cairn_ir::source::SourceMap;
use expect_test::Expect;

use crate::ast::Unit;
use crate::symbol::Interner;

/// Parses a text at a nonzero base offset, so that a forgotten base shows.
fn parse(text: &str) -> (Unit, Interner, Vec<Diagnostic>, SourceMap) {
    let mut sources = SourceMap::default();
    sources.add("before.c", "int before;\n".into());
    sources.add("t.c", text.into());
    let mut interner = Interner::default();
    let mut diagnostics = Vec::new();
    let unit = super::parse(text, sources.texts[1].base, &mut interner, &mut diagnostics);
    (unit, interner, diagnostics, sources)
}

/// Formats diagnostics as `line:column: message`, with their notes.
fn describe(diagnostics: &[Diagnostic], sources: &SourceMap) -> String {
    let mut out = String::new();
    for d in diagnostics {
        let at = sources.locate(d.span.start);
        let severity = if d.severity == Severity::Error { "" } else { "warning: " };
        out += &format!("{}:{}: {severity}{}\n", at.line, at.column, d.message);
        for (span, note) in &d.notes {
            let at = sources.locate(span.start);
            out += &format!("  {}:{}: {note}\n", at.line, at.column);
        }
    }
    out
}

/// Asserts that the text parses without diagnostics and has the expected tree.
fn check(text: &str, expected: Expect) {
    let (unit, interner, diagnostics, sources) = parse(text);
    assert_eq!(describe(&diagnostics, &sources), "", "in {text}");
    expected.assert_eq(&dump::Dump(&interner).unit(&unit));
}

/// Asserts that the text, as the body of a function, parses without diagnostics and has the expected tree.
fn check_body(text: &str, expected: Expect) {
    check(&format!("void f() {{ {text} }}"), expected);
}

/// Asserts that the text has exactly the expected diagnostics.
fn check_errors(text: &str, expected: Expect) {
    let (_, _, diagnostics, sources) = parse(text);
    expected.assert_eq(&describe(&diagnostics, &sources));
}
