//! Lowering and linking: from typed trees to one program.

use cairn_ir::Program;
use cairn_ir::ctype::TypeTable;
use cairn_ir::diagnostic::Diagnostic;
use cairn_ir::layout::Target;
use cairn_ir::program::Origin;
use cairn_ir::source::SourceMap;

use crate::hir;

/// Collects translation units into one program.
#[derive(Debug)]
pub struct Linker {
    program: Program,
}

impl Linker {
    /// An empty program.
    pub fn new(target: Target) -> Self {
        Self { program: Program { target, ..Program::default() } }
    }

    /// Lowers a translation unit and links it to what is there. Two definitions of one name are an error.
    pub fn add_unit(
        &mut self,
        _unit: &hir::Unit,
        _origin: Origin,
        _types: &mut TypeTable,
        _sources: &SourceMap,
        _diagnostics: &mut Vec<Diagnostic>,
    ) {
        todo!()
    }

    /// The names that are used and not defined so far.
    pub fn undefined_names(&self) -> Vec<String> {
        todo!()
    }

    /// The program.
    pub fn finish(self, types: TypeTable, sources: &SourceMap) -> Program {
        let mut program = self.program;
        program.types = types;
        program.files = sources.files.clone();
        program
    }
}
