//! Which temporaries are still needed: a register that is read again before it is assigned. A temporary that is done with
//! keeps its last value, but the program can't reach anything through it.

use cairn_ir::{Block, Body, Operand, Reg, Terminator};

/// For each block of a body, the registers that are live at its end.
#[derive(Debug)]
pub struct Liveness {
    at_end: Vec<Vec<bool>>,
}

impl Liveness {
    /// Solves the usual backward equations.
    pub fn of(body: &Body) -> Self {
        let count = body.regs.len();
        let mut at_end = vec![vec![false; count]; body.blocks.len()];
        let mut at_start = at_end.clone();
        let mut changed = true;
        while changed {
            changed = false;
            for (index, block) in body.blocks.iter().enumerate().rev() {
                let mut live = vec![false; count];
                for next in successors(&block.end) {
                    live.iter_mut().zip(&at_start[next]).for_each(|(l, &n)| *l |= n);
                }
                at_end[index].clone_from(&live);
                backward(block, 0, &mut live);
                if live != at_start[index] {
                    at_start[index] = live;
                    changed = true;
                }
            }
        }
        Self { at_end }
    }

    /// The registers that are live before an instruction of a block.
    pub fn before(&self, body: &Body, block: usize, inst: usize) -> Vec<bool> {
        let mut live = self.at_end[block].clone();
        backward(&body.blocks[block], inst, &mut live);
        live
    }
}

/// Goes backward from the end of a block to before the instruction at `from`.
fn backward(block: &Block, from: usize, live: &mut [bool]) {
    end_operands(&block.end, &mut |operand| read(operand, live));
    for inst in block.insts.get(from..).unwrap_or_default().iter().rev() {
        if let Some(Reg(dst)) = inst.dst() {
            live[dst as usize] = false;
        }
        inst.for_operands(&mut |operand| read(operand, live));
    }
}

fn read(operand: Operand, live: &mut [bool]) {
    if let Operand::Reg(reg) = operand {
        live[reg.index()] = true;
    }
}

fn end_operands(end: &Terminator, each: &mut dyn FnMut(Operand)) {
    match *end {
        Terminator::Branch { cond, .. } => each(cond),
        Terminator::Switch { value, .. } => each(value),
        Terminator::JumpTo { addr, .. } => each(addr),
        Terminator::Return(Some(value)) => each(value),
        Terminator::Jump(_) | Terminator::Return(None) | Terminator::Unreachable => {}
    }
}

fn successors(end: &Terminator) -> Vec<usize> {
    match end {
        Terminator::Jump(next) => vec![next.index()],
        Terminator::Branch { then, other, .. } => vec![then.index(), other.index()],
        Terminator::Switch { cases, default, .. } => {
            cases.iter().map(|c| c.target.index()).chain([default.index()]).collect()
        }
        Terminator::JumpTo { targets, .. } => targets.iter().map(|t| t.index()).collect(),
        Terminator::Return(_) | Terminator::Unreachable => Vec::new(),
    }
}
