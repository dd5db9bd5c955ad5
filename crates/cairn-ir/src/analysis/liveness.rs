//! Which temporaries are still needed: a register that is read again before it is assigned. A temporary that is done with
//! keeps its last value, but the program can't reach anything through it.

use crate::{Block, Body, Operand, Reg};

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
                block.end.for_successors(&mut |next| {
                    live.iter_mut().zip(&at_start[next.index()]).for_each(|(l, &n)| *l |= n);
                });
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
    block.end.for_operands(&mut |operand| read(operand, live));
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
