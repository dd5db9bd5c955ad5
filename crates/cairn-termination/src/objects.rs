//! The memory that a function accesses at known addresses: variables, globals, and objects that it allocates once.
//!
//! Distinct objects do not overlap, so that a write to one leaves the others alone. A write through an unknown pointer may change every
//! object whose address is *exposed*: stored, passed to a function, or computed with in a way that is not followed.

use std::collections::BTreeSet;

use cairn_ir::analysis::loops::Loops;
use cairn_ir::inst::{Callee, Inst, Local};
use cairn_ir::layout::Target;
use cairn_ir::program::{Body, Param};
use cairn_ir::{GlobalId, Intrinsic, Operand, Reg, SlotId, Ty};

use crate::effects::{Effects, writes_memory};
use crate::limits::CELLS;

/// An object with a name in the function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Base {
    /// A local variable.
    Slot(SlotId),
    /// A global variable.
    Global(GlobalId),
    /// The object that an allocation outside of loops has put into a register.
    Allocated(Reg),
}

/// An address in an object, with its offset if that is constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Address {
    pub base: Base,
    pub offset: Option<i64>,
}

/// A scalar in an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cell {
    pub base: Base,
    pub offset: i64,
    pub ty: Ty,
}

/// The definition of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Definition {
    None,
    One(usize, usize),
    Many,
}

/// The objects of a function.
pub(crate) struct Objects<'p> {
    body: &'p Body,
    effects: &'p Effects,
    target: Target,
    definitions: Vec<Definition>,
    /// Whether each block is in a loop.
    repeated: Vec<bool>,
    exposed: BTreeSet<Base>,
    pub cells: Vec<Cell>,
}

impl<'p> Objects<'p> {
    /// Finds the objects of a function.
    pub fn of(body: &'p Body, effects: &'p Effects, loops: &Loops, target: Target) -> Self {
        let mut definitions = vec![Definition::None; body.regs.len()];
        for param in &body.params {
            if let Param::Reg(reg) = param {
                definitions[reg.index()] = Definition::Many;
            }
        }
        for (index, block) in body.blocks.iter().enumerate() {
            for (at, inst) in block.insts.iter().enumerate() {
                if let Some(dst) = inst.dst() {
                    let known = &mut definitions[dst.index()];
                    *known = if *known == Definition::None { Definition::One(index, at) } else { Definition::Many };
                }
            }
        }
        let repeated = (0..body.blocks.len()).map(|block| loops.depth(cairn_ir::BlockId::new(block)) > 0).collect();
        let (exposed, cells) = (BTreeSet::new(), Vec::new());
        let mut objects = Self { body, effects, target, definitions, repeated, exposed, cells };
        objects.find_exposed();
        objects.find_cells();
        objects
    }

    /// Returns the instruction that alone defines a register.
    fn definition(&self, reg: Reg) -> Option<(usize, &'p Inst)> {
        match self.definitions[reg.index()] {
            Definition::One(block, at) => Some((block, &self.body.blocks[block].insts[at])),
            _ => None,
        }
    }

    /// Returns the object that an operand points into, if that is known.
    pub fn resolve(&self, operand: Operand) -> Option<Address> {
        self.resolve_within(operand, 16)
    }

    fn resolve_within(&self, operand: Operand, depth: u32) -> Option<Address> {
        let start = |base| Some(Address { base, offset: Some(0) });
        let reg = match operand {
            Operand::Slot(slot) => return start(Base::Slot(slot)),
            Operand::Global(global) => return start(Base::Global(global)),
            Operand::Reg(reg) if depth > 0 => reg,
            _ => return None,
        };
        let (block, inst) = self.definition(reg)?;
        match *inst {
            Inst::Move { src, .. } => self.resolve_within(src, depth - 1),
            Inst::PtrAdd { base, index, scale, .. } => {
                let Address { base, offset } = self.resolve_within(base, depth - 1)?;
                let distance = match index {
                    Operand::Int(index) => index.checked_mul(scale),
                    _ => None,
                };
                Some(Address { base, offset: offset.zip(distance).and_then(|(at, by)| at.checked_add(by)) })
            }
            Inst::Intrinsic {
                op:
                    Intrinsic::HeapAlloc | Intrinsic::HeapAllocZeroed | Intrinsic::HeapAllocAligned | Intrinsic::StackAlloc,
                ..
            } if !self.repeated[block] => start(Base::Allocated(reg)),
            _ => None,
        }
    }

    /// Returns the address of an access.
    fn accessed(&self, addr: Operand, offset: i64) -> Option<Address> {
        let address = self.resolve(addr)?;
        Some(Address { offset: address.offset.and_then(|at| at.checked_add(offset)), ..address })
    }

    fn find_exposed(&mut self) {
        let mut exposed: BTreeSet<Base> = self.effects.exposed.iter().map(|&id| Base::Global(id)).collect();
        let mut note = |operand: Operand| {
            if let Some(address) = self.resolve(operand) {
                exposed.insert(address.base);
            }
        };
        for block in &self.body.blocks {
            for inst in &block.insts {
                match inst {
                    Inst::Load { .. } | Inst::LoadBits { .. } | Inst::Zero { .. } | Inst::Compare { .. } => {}
                    Inst::Intrinsic { op: Intrinsic::HeapFree, .. } => {}
                    // The result leads to the object as well.
                    Inst::Move { dst, .. } | Inst::PtrAdd { dst, .. } if self.resolve(Operand::Reg(*dst)).is_some() => {
                    }
                    Inst::Store { src, .. } | Inst::StoreBits { src, .. } => note(*src),
                    _ => inst.for_operands(&mut note),
                }
            }
            block.end.for_operands(&mut note);
        }
        self.exposed = exposed;
    }

    fn find_cells(&mut self) {
        let mut cells = Vec::new();
        for inst in self.body.blocks.iter().flat_map(|block| &block.insts) {
            let (Inst::Load { ty, addr, offset, .. } | Inst::Store { ty, addr, offset, .. }) = *inst else { continue };
            if ty.bits(self.target) > 64 {
                continue;
            }
            if let Some(Address { base, offset: Some(offset) }) = self.accessed(addr, offset) {
                let cell = Cell { base, offset, ty };
                if !cells.contains(&cell) && cells.len() < CELLS {
                    cells.push(cell);
                }
            }
        }
        self.cells = cells;
    }

    /// Returns the cell that an access reads or writes exactly.
    pub fn cell(&self, addr: Operand, offset: i64, ty: Ty) -> Option<usize> {
        let Address { base, offset: Some(offset) } = self.accessed(addr, offset)? else { return None };
        self.cells.iter().position(|cell| *cell == Cell { base, offset, ty })
    }

    /// Returns the cell that the value of an operand was loaded from.
    pub fn loaded(&self, operand: Operand) -> Option<usize> {
        let Operand::Reg(reg) = operand else { return None };
        match *self.definition(reg)?.1 {
            Inst::Load { ty, addr, offset, .. } => self.cell(addr, offset, ty),
            Inst::Move { src, .. } => self.loaded(src),
            _ => None,
        }
    }

    /// Returns the cells that an instruction may change.
    pub fn changed(&self, inst: &Inst) -> Vec<usize> {
        match inst {
            Inst::Store { ty, addr, offset, .. } => self.at(*addr, *offset, ty.bytes(self.target)),
            Inst::StoreBits { addr, offset, .. } => self.at(*addr, *offset, 32),
            Inst::Copy { dst, size, .. } => self.at(*dst, 0, *size),
            Inst::Zero { dst, offset, size } => self.at(*dst, *offset, *size),
            Inst::Enter(Local::Slot(slot)) | Inst::Leave(Local::Slot(slot)) | Inst::EnterVla { slot, .. } => {
                self.where_holds(|cell| cell.base == Base::Slot(*slot))
            }
            Inst::Call(call) => {
                let is_harmless = matches!(call.callee, Callee::Function(id) if !self.effects.writes(id));
                if is_harmless { Vec::new() } else { self.where_holds(|cell| self.is_visible(cell.base)) }
            }
            Inst::Intrinsic { op, args, .. } if writes_memory(*op) => {
                let named: Vec<Base> =
                    args.iter().filter_map(|&arg| self.resolve(arg)).map(|address| address.base).collect();
                self.where_holds(|cell| self.is_visible(cell.base) || named.contains(&cell.base))
            }
            _ => Vec::new(),
        }
    }

    /// Returns whether code outside of the function, or an unknown pointer, may lead to an object.
    fn is_visible(&self, base: Base) -> bool {
        matches!(base, Base::Global(_)) || self.exposed.contains(&base)
    }

    fn where_holds(&self, holds: impl Fn(&Cell) -> bool) -> Vec<usize> {
        self.cells.iter().enumerate().filter(|(_, cell)| holds(cell)).map(|(index, _)| index).collect()
    }

    /// Returns the cells that a write of some bytes may change.
    fn at(&self, addr: Operand, offset: i64, size: u64) -> Vec<usize> {
        match self.accessed(addr, offset) {
            None => self.where_holds(|cell| self.exposed.contains(&cell.base)),
            Some(Address { base, offset: None }) => self.where_holds(|cell| cell.base == base),
            Some(Address { base, offset: Some(start) }) => self.where_holds(|cell| {
                let (start, at) = (i128::from(start), i128::from(cell.offset));
                let (end, cell_end) = (start + i128::from(size), at + i128::from(cell.ty.bytes(self.target)));
                cell.base == base && start < cell_end && at < end
            }),
        }
    }
}
