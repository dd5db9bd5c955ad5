//! Creates globals: initial values and string literals.

use cairn_ir::ctype::TypeTable;
use cairn_ir::layout;
use cairn_ir::program::{Global, Linkage, Relocation, Symbol};
use cairn_ir::source::Locator;
use cairn_ir::{GlobalId, Loc};

use crate::ast::{StringLiteral, StringPrefix};
use crate::hir::{StaticInit, StaticTarget, StringId, SymbolDef};
use crate::lower::link::{Linker, Unit};

impl Linker {
    /// Returns the object of a string literal; equal literals share one object.
    pub(crate) fn string(&mut self, unit: &mut Unit<'_>, string: StringId, types: &TypeTable) -> GlobalId {
        if let Some(known) = unit.strings[string.0 as usize] {
            return known;
        }
        let (literal, ty) = &unit.hir.strings[string.0 as usize];
        let align = unit_bytes(literal);
        let mut bytes = string_bytes(literal);
        let size = layout::size_of(types, self.program.target, *ty).unwrap_or(bytes.len() as u64);
        bytes.resize(usize::try_from(size).unwrap_or(bytes.len()), 0);
        let key = (bytes, align as u64);
        let id = match self.strings.get(&key) {
            Some(&id) => id,
            None => {
                let global = Global {
                    name: ".str".to_owned(),
                    size,
                    align: key.1,
                    bytes: key.0.clone(),
                    relocations: Vec::new(),
                    constant: true,
                    linkage: Linkage::Internal,
                    defined: true,
                    loc: Loc::NONE,
                    ctype: Some(*ty),
                };
                let id = self.add_constant(global, cairn_ir::source::Span::default());
                self.strings.insert(key, id);
                id
            }
        };
        unit.strings[string.0 as usize] = Some(id);
        id
    }

    /// Sets the initial value of a defined object.
    pub(crate) fn initialise(
        &mut self,
        unit: &mut Unit<'_>,
        types: &TypeTable,
        locator: &mut Locator<'_>,
        definition: &SymbolDef,
        init: &StaticInit,
        id: GlobalId,
    ) {
        let mut relocations = Vec::with_capacity(init.addresses.len());
        for address in &init.addresses {
            let target = match address.target {
                StaticTarget::Symbol(symbol) => self.resolve(unit, symbol, types, locator),
                StaticTarget::String(string) => Symbol::Global(self.string(unit, string, types)),
                StaticTarget::Label(label) => {
                    // The name of a static local is `function.name`.
                    let function = definition.name.rsplit_once('.').map_or("", |(function, _)| function);
                    match unit.labels.get(function) {
                        Some((function, blocks)) => Symbol::Label(*function, blocks[label.0 as usize]),
                        // The function was not lowered because another definition takes precedence, so the object is
                        // unused.
                        None => continue,
                    }
                }
            };
            relocations.push(Relocation { offset: address.offset, target, addend: address.addend });
        }
        let global = &mut self.program.globals[id.index()];
        global.bytes.clone_from(&init.bytes);
        global.relocations = relocations;
    }
}

/// Returns the number of bytes per code unit of a string.
fn unit_bytes(literal: &StringLiteral) -> usize {
    match literal.prefix {
        StringPrefix::None | StringPrefix::Utf8 => 1,
        StringPrefix::Utf16 => 2,
        StringPrefix::Wide | StringPrefix::Utf32 => 4,
    }
}

/// Returns the bytes of a string, including the terminator.
fn string_bytes(literal: &StringLiteral) -> Vec<u8> {
    let width = unit_bytes(literal);
    let mut bytes = Vec::with_capacity((literal.units.len() + 1) * width);
    for &unit in literal.units.iter().chain(&[0]) {
        bytes.extend_from_slice(&unit.to_le_bytes()[..width]);
    }
    bytes
}
