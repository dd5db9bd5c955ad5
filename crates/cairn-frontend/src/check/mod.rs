//! The type checker: from the syntax tree to the typed tree.

use cairn_ir::ctype::TypeTable;
use cairn_ir::diagnostic::Diagnostic;
use cairn_ir::layout::Target;

use crate::symbol::Interner;
use crate::{ast, hir};

/// Checks a translation unit.
pub fn check(
    _unit: &ast::Unit,
    _interner: &mut Interner,
    _types: &mut TypeTable,
    _target: Target,
    _diagnostics: &mut Vec<Diagnostic>,
) -> hir::Unit {
    todo!()
}
