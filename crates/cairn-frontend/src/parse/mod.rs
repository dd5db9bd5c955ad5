//! The parser.

use cairn_ir::diagnostic::Diagnostic;

use crate::ast::Unit;
use crate::symbol::Interner;

/// Parses a preprocessed translation unit whose first byte has the global offset `base`. Errors are recovered from.
pub fn parse(_text: &str, _base: u32, _interner: &mut Interner, _diagnostics: &mut Vec<Diagnostic>) -> Unit {
    todo!()
}
