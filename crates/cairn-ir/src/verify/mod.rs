//! Checks that a program is well-formed. Runs after every pass in debug builds.
//!
//! The verifier checks the invariants that every engine relies on: ids are in range, operands and results have the
//! types that instructions declare, checks belong to their function, and constants are canonical. It does not analyse
//! the program's behaviour.

mod inst;
#[cfg(test)]
mod tests;

use std::fmt;

use rustc_hash::FxHashSet;

use crate::check::Checks;
use crate::ids::{self, FuncId, GlobalId};
use crate::inst::{Operand, Passing, Ty};
use crate::program::{Block, Body, Function, Global, Linkage, Param, Program, Symbol};
use crate::source::Loc;

/// Returns all violations of well-formedness, one line each; empty for a well-formed program.
pub fn verify(program: &Program) -> Vec<String> {
    let mut complaints = Vec::new();
    for (index, global) in program.globals.iter().enumerate() {
        verify_global(program, GlobalId::new(index), global, &mut complaints);
    }
    for (index, check) in program.checks.iter().enumerate() {
        if check.function.index() >= program.functions.len() {
            complaints.push(format!("c{index}: its function {} does not exist", check.function));
        }
        if !known_file(program, check.loc) {
            complaints.push(format!("c{index}: its file {} does not exist", check.loc.file.0));
        }
    }
    let mut names = FxHashSet::default();
    for (index, function) in program.functions.iter().enumerate() {
        if function.linkage == Linkage::External && !names.insert(function.name.as_str()) {
            complaints.push(format!("f{index} {}: another function has that name and external linkage", function.name));
        }
        let mut verifier = FunctionVerifier {
            program,
            function,
            id: FuncId::new(index),
            body: function.body.as_ref(),
            place: Place::Header,
            complaints: &mut complaints,
        };
        verifier.header();
        if let Some(body) = &function.body {
            verifier.body(body);
        }
    }
    complaints
}

fn known_file(program: &Program, loc: Loc) -> bool {
    !loc.is_some() || (loc.file.0 as usize) < program.files.len()
}

fn verify_global(program: &Program, id: GlobalId, global: &Global, complaints: &mut Vec<String>) {
    let mut complain = |what: String| complaints.push(format!("{id} {}: {what}", global.name));
    if !global.align.is_power_of_two() {
        complain(format!("alignment {} is no power of two", global.align));
    }
    if global.bytes.len() as u64 > global.size {
        complain(format!("{} bytes of initial value in {} bytes", global.bytes.len(), global.size));
    }
    if !known_file(program, global.loc) {
        complain(format!("its file {} does not exist", global.loc.file.0));
    }
    let pointer = u64::from(program.target.pointer_bits() / 8);
    let mut free_from = 0;
    for relocation in &global.relocations {
        let end = relocation.offset.checked_add(pointer);
        if end.is_none_or(|end| end > global.size) {
            complain(format!("relocation at {} is outside of {} bytes", relocation.offset, global.size));
        }
        if relocation.offset < free_from {
            complain(format!("relocation at {} overlaps the one before or is out of order", relocation.offset));
        }
        free_from = end.unwrap_or(u64::MAX);
        let exists = match relocation.target {
            Symbol::Global(target) => target.index() < program.globals.len(),
            Symbol::Function(target) => target.index() < program.functions.len(),
            Symbol::Label(target, block) => program
                .functions
                .get(target.index())
                .and_then(|f| f.body.as_ref())
                .is_some_and(|b| block.index() < b.blocks.len()),
        };
        if !exists {
            complain(format!(
                "relocation at {} points to {:?}, which does not exist",
                relocation.offset, relocation.target
            ));
        }
    }
}

/// The part of a function that a complaint is about.
#[derive(Clone, Copy)]
enum Place {
    Header,
    Inst(usize, usize),
    End(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Header => Ok(()),
            Place::Inst(block, inst) => write!(f, " b{block}[{inst}]"),
            Place::End(block) => write!(f, " b{block} end"),
        }
    }
}

/// The verifier of one function.
struct FunctionVerifier<'a> {
    program: &'a Program,
    function: &'a Function,
    id: FuncId,
    body: Option<&'a Body>,
    place: Place,
    complaints: &'a mut Vec<String>,
}

impl FunctionVerifier<'_> {
    #[cold]
    fn complain(&mut self, what: impl fmt::Display) {
        self.complaints.push(format!("{} {}{}: {what}", self.id, self.function.name, self.place));
    }

    fn header(&mut self) {
        self.loc(self.function.loc);
        for (index, param) in self.function.signature.params.iter().enumerate() {
            self.passing(*param, &format!("parameter {index}"));
        }
        if self.function.signature.ret == Some(Ty::I1) {
            self.complain("the result has type i1, which no C type has");
        }
    }

    fn body(&mut self, body: &Body) {
        for (index, slot) in body.slots.iter().enumerate() {
            if !slot.align.is_power_of_two() {
                self.complain(format_args!("alignment {} of s{index} is no power of two", slot.align));
            }
            self.loc(slot.loc);
        }
        self.params(body);
        if body.blocks.is_empty() {
            self.complain("it has no entry block");
        }
        for (index, block) in body.blocks.iter().enumerate() {
            self.block(index, block);
        }
        self.place = Place::Header;
    }

    fn params(&mut self, body: &Body) {
        let declared = &self.function.signature.params;
        if body.params.len() != declared.len() {
            self.complain(format_args!("{} parameters in the body, {} declared", body.params.len(), declared.len()));
        }
        let mut seen = FxHashSet::default();
        for (index, (param, &passing)) in body.params.iter().zip(declared).enumerate() {
            match (*param, passing) {
                (Param::Reg(reg), Passing::Scalar(ty)) => {
                    self.target(reg, ty);
                    if !seen.insert((false, reg.0)) {
                        self.complain(format_args!("{reg} takes two parameters"));
                    }
                }
                (Param::Slot(slot), Passing::Memory { size, .. }) => {
                    if self.slot(slot) && body.slots[slot.index()].size != size {
                        let own = body.slots[slot.index()].size;
                        self.complain(format_args!("parameter {index} has {size} bytes, its {slot} has {own}"));
                    }
                    if !seen.insert((true, slot.0)) {
                        self.complain(format_args!("{slot} takes two parameters"));
                    }
                }
                (Param::Reg(_), Passing::Memory { .. }) => {
                    self.complain(format_args!("parameter {index} is passed in memory but goes to a register"));
                }
                (Param::Slot(_), Passing::Scalar(_)) => {
                    self.complain(format_args!("parameter {index} is a scalar but goes to a slot"));
                }
            }
        }
    }

    fn block(&mut self, index: usize, block: &Block) {
        self.place = Place::End(index);
        if block.locs.len() != block.insts.len() {
            self.complain(format_args!("{} instructions but {} places", block.insts.len(), block.locs.len()));
        }
        for (at, inst) in block.insts.iter().enumerate() {
            self.place = Place::Inst(index, at);
            self.inst(inst);
            if let Some(&loc) = block.locs.get(at) {
                self.loc(loc);
            }
        }
        self.place = Place::End(index);
        self.terminator(&block.end);
        self.loc(block.end_loc);
    }

    fn loc(&mut self, loc: Loc) {
        if !known_file(self.program, loc) {
            self.complain(format_args!("its file {} does not exist", loc.file.0));
        }
    }

    fn passing(&mut self, passing: Passing, what: &str) {
        match passing {
            Passing::Scalar(Ty::I1) => self.complain(format_args!("{what} has type i1, which no C type has")),
            Passing::Scalar(_) => {}
            Passing::Memory { align, .. } => {
                if !align.is_power_of_two() {
                    self.complain(format_args!("alignment {align} of {what} is no power of two"));
                }
            }
        }
    }

    /// Returns the type of a register; complains if the register does not exist.
    fn reg(&mut self, reg: ids::Reg) -> Option<Ty> {
        let ty = self.body.and_then(|b| b.regs.get(reg.index())).map(|info| info.ty);
        if ty.is_none() {
            self.complain(format_args!("{reg} does not exist"));
        }
        ty
    }

    /// Verifies that a register can be assigned a value of type `ty`.
    fn target(&mut self, reg: ids::Reg, ty: Ty) {
        if let Some(own) = self.reg(reg)
            && own != ty
        {
            self.complain(format_args!("{reg} has type {} but is assigned {}", own.name(), ty.name()));
        }
    }

    fn slot(&mut self, slot: ids::Slot) -> bool {
        let exists = self.body.is_some_and(|b| slot.index() < b.slots.len());
        if !exists {
            self.complain(format_args!("{slot} does not exist"));
        }
        exists
    }

    fn target_block(&mut self, block: ids::Block) {
        if self.body.is_none_or(|b| block.index() >= b.blocks.len()) {
            self.complain(format_args!("{block} does not exist"));
        }
    }

    fn called(&mut self, function: FuncId) -> Option<&Function> {
        let found = self.program.functions.get(function.index());
        if found.is_none() {
            self.complain(format_args!("{function} does not exist"));
        }
        found
    }

    /// Verifies that an operand can be read as a value of type `ty`.
    fn operand(&mut self, operand: Operand, ty: Ty) {
        match operand {
            Operand::Reg(reg) => {
                if let Some(own) = self.reg(reg)
                    && own != ty
                {
                    self.complain(format_args!("{reg} has type {} but is used as {}", own.name(), ty.name()));
                }
            }
            Operand::Int(value) => {
                if !self.canonical(value, ty) {
                    self.complain(format_args!("{value} is no constant of type {}", ty.name()));
                }
            }
            Operand::Wide(id) => {
                if id.index() >= self.program.wide.len() {
                    self.complain(format_args!("{id} does not exist"));
                }
                if !matches!(ty, Ty::I128 | Ty::F80 | Ty::F128) {
                    self.complain(format_args!("{id} is no constant of type {}", ty.name()));
                }
            }
            Operand::Slot(slot) => {
                self.slot(slot);
                self.address(slot, ty);
            }
            Operand::Global(global) => {
                if global.index() >= self.program.globals.len() {
                    self.complain(format_args!("{global} does not exist"));
                }
                self.address(global, ty);
            }
            Operand::Function(function) => {
                self.called(function);
                self.address(function, ty);
            }
            Operand::Label(block) => {
                self.target_block(block);
                self.address(block, ty);
            }
        }
    }

    fn address(&mut self, what: impl fmt::Display, ty: Ty) {
        if ty != Ty::Ptr {
            self.complain(format_args!("the address of {what} is used as {}", ty.name()));
        }
    }

    /// Returns whether a constant has the form that [`Operand::Int`] prescribes for the type.
    fn canonical(&self, value: i64, ty: Ty) -> bool {
        match ty {
            // True is represented as 1 or, sign-extended from its single bit, as -1.
            Ty::I1 => (-1..=1).contains(&value),
            Ty::I8 => i8::try_from(value).is_ok(),
            Ty::I16 => i16::try_from(value).is_ok(),
            Ty::I32 => i32::try_from(value).is_ok(),
            Ty::I64 | Ty::I128 | Ty::F64 => true,
            Ty::F16 => u16::try_from(value).is_ok(),
            Ty::F32 => u32::try_from(value).is_ok(),
            Ty::F80 | Ty::F128 => false,
            Ty::Ptr => match self.program.target {
                crate::layout::Target::Lp64 => true,
                crate::layout::Target::Ilp32 => i32::try_from(value).is_ok() || u32::try_from(value).is_ok(),
            },
        }
    }

    /// Verifies the checks of an instruction: they exist, belong to this function and have distinct kinds.
    fn checks(&mut self, checks: Checks) {
        if checks.is_empty() {
            return;
        }
        let first = checks.first.index();
        let run = first.checked_add(checks.count as usize).and_then(|end| self.program.checks.get(first..end));
        let Some(run) = run else {
            self.complain(format_args!("checks from {} on, {} of them, do not exist", checks.first, checks.count));
            return;
        };
        let mut seen = 0u64;
        for (offset, check) in run.iter().enumerate() {
            let id = first + offset;
            if check.function != self.id {
                self.complain(format_args!("c{id} belongs to {}", check.function));
            }
            let bit = 1 << (check.kind as u8);
            if seen & bit != 0 {
                self.complain(format_args!("c{id} is a second {} check", check.kind));
            }
            seen |= bit;
        }
    }
}
