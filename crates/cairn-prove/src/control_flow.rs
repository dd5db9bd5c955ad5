//! The loops of a function: the blocks at which states are compared, and the order of the blocks.

use std::ops::Range;
use std::rc::Rc;

use cairn_ir::analysis::{Cfg, DepthFirst, Loop, Loops};
use cairn_ir::layout::Target;
use cairn_ir::{BlockId, Body, Inst, Operand};

use crate::footprint::LoopRegisters;
use crate::limits::DEEP_NESTING;

/// The loops of a body.
#[derive(Debug)]
pub(crate) struct Flow {
    /// Whether each block is the target of a back edge.
    ///
    /// Every cycle contains such a block, also in irreducible loops.
    pub(crate) heads: Vec<bool>,
    /// Whether each block has several incoming edges.
    pub(crate) merges: Vec<bool>,
    /// The rank of each block.
    ///
    /// The blocks of a loop come before the blocks after it, so that the loop is stable before it is left.
    pub(crate) rank: Vec<u32>,
    /// The registers of the innermost loop around each block.
    pub(crate) registers: Vec<LoopRegisters>,
    /// Whether each block is nested in at least [`DEEP_NESTING`] loops.
    pub(crate) deep: Vec<bool>,
    /// The deeply nested loop that each block is the head of.
    pub(crate) nested: Vec<Option<Rc<NestedLoop>>>,
}

/// A deeply nested loop that can be entered only at its head.
#[derive(Debug)]
pub(crate) struct NestedLoop {
    /// Whether each block belongs to the loop.
    pub(crate) inside: Vec<bool>,
    /// The registers that the loop reads or writes.
    pub(crate) registers: Rc<[bool]>,
    /// The bytes that the loop accesses through each register.
    ///
    /// `None` if the loop uses the register for anything else than accesses and comparisons.
    pub(crate) fields: Vec<Option<Vec<Range<i64>>>>,
}
impl Flow {
    pub(crate) fn of(body: &Body, target: Target) -> Self {
        let cfg = Cfg::of(body);
        let merges = cfg.blocks().map(|block| cfg.predecessors(block).len() > 1).collect();
        let loops = Loops::new(&cfg, &DepthFirst::by_key(&cfg, |_, _| 0));
        // The successor that is visited first is ranked last, so edges that leave loops come first, also those into
        // other loops.
        let traversal = DepthFirst::by_key(&cfg, |block, next| {
            loops.iter().filter(|inner| inner.contains(block) && inner.contains(next)).count()
        });
        let rank = |block| traversal.position(block).map_or(u32::MAX, |position| position as u32);
        let rank: Vec<u32> = cfg.blocks().map(rank).collect();
        let loops = Loops::new(&cfg, &traversal);
        let heads = cfg.blocks().map(|block| loops.at(block).is_some()).collect();
        let registers = registers(body, &loops);
        let deep: Vec<bool> = cfg.blocks().map(|block| loops.depth(block) >= DEEP_NESTING).collect();
        let mut nested: Vec<Option<Rc<NestedLoop>>> = vec![None; cfg.len()];
        // If the entry block belongs to a loop with another head, the loop can be entered past its head.
        for inner in loops.iter().filter(|inner| deep[inner.head.index()] && !inner.contains(BlockId(0))) {
            nested[inner.head.index()] = Some(Rc::new(NestedLoop {
                registers: used(body, inner.inside()),
                fields: fields(body, inner.inside(), target),
                inside: inner.inside().to_vec(),
            }));
        }
        Self { heads, merges, rank, registers, deep, nested }
    }
}

/// Returns for each block the registers that the innermost loop around it reads or writes.
fn registers(body: &Body, loops: &Loops) -> Vec<LoopRegisters> {
    let mut smallest_first: Vec<&Loop> = loops.iter().collect();
    smallest_first.sort_by_key(|inner| (inner.blocks().count(), inner.head));
    let mut found: Vec<LoopRegisters> = vec![None; body.blocks.len()];
    for inner in smallest_first {
        let registers = used(body, inner.inside());
        for block in inner.blocks() {
            found[block.index()].get_or_insert_with(|| Rc::clone(&registers));
        }
    }
    found
}

/// Returns the registers that the given blocks read or write.
fn used(body: &Body, inside: &[bool]) -> Rc<[bool]> {
    let mut registers = vec![false; body.regs.len()];
    for (block, _) in body.blocks.iter().zip(inside).filter(|&(_, &inside)| inside) {
        let mut read = |operand: Operand| {
            if let Operand::Reg(register) = operand {
                registers[register.index()] = true;
            }
        };
        block.insts.iter().for_each(|inst| inst.for_operands(&mut read));
        block.end.for_operands(&mut read);
        block.insts.iter().filter_map(|inst| inst.dst()).for_each(|register| registers[register.index()] = true);
    }
    registers.into()
}

/// Returns the bytes that the given blocks access through each register; `None` if they assign or copy it.
fn fields(body: &Body, inside: &[bool], target: Target) -> Vec<Option<Vec<Range<i64>>>> {
    let mut found: Vec<Option<Vec<Range<i64>>>> = vec![Some(Vec::new()); body.regs.len()];
    for (block, _) in body.blocks.iter().zip(inside).filter(|&(_, &inside)| inside) {
        for inst in &block.insts {
            let mut lose = |operand: Operand| {
                if let Operand::Reg(register) = operand {
                    found[register.index()] = None;
                }
            };
            let (addr, ty, offset) = match *inst {
                Inst::Compare { dst, .. } => {
                    lose(Operand::Reg(dst));
                    continue;
                }
                Inst::Load { dst, addr, ty, offset, .. } => {
                    lose(Operand::Reg(dst));
                    (addr, ty, offset)
                }
                Inst::Store { src, addr, ty, offset, .. } => {
                    lose(src);
                    (addr, ty, offset)
                }
                _ => {
                    inst.for_operands(&mut lose);
                    inst.dst().into_iter().for_each(|register| lose(Operand::Reg(register)));
                    continue;
                }
            };
            if let Operand::Reg(register) = addr
                && let Some(fields) = &mut found[register.index()]
            {
                fields.push(offset..offset + i64::from(ty.bits(target).div_ceil(8)));
            }
        }
        block.end.for_operands(&mut |operand| {
            if let Operand::Reg(register) = operand {
                found[register.index()] = None;
            }
        });
    }
    found
}
