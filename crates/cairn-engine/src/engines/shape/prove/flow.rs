//! Where loops are: the blocks at which states are compared, and the order in which blocks are best taken.

use std::ops::Range;
use std::rc::Rc;

use cairn_ir::layout::Target;
use cairn_ir::{BlockId, Body, Inst, Operand};

use super::touched::LoopRegisters;

/// The loops of a body.
#[derive(Debug)]
pub(super) struct Flow {
    /// Whether a block is the target of an edge that closes a cycle. Every cycle has such a block, in loops that one enters at
    /// several places too.
    pub(super) heads: Vec<bool>,
    /// Whether a block can be entered from several others.
    pub(super) meets: Vec<bool>,
    /// The rank of each block: a loop's blocks come before what follows the loop, so that loops are stable before they are left.
    pub(super) rank: Vec<u32>,
    /// For each block, the registers of the innermost loop that it lies in.
    pub(super) registers: Vec<LoopRegisters>,
    /// Whether a block lies in loops in loops.
    pub(super) deep: Vec<bool>,
    /// For the head of each loop that lies in loops in loops, that loop.
    pub(super) inner: Vec<Option<Rc<Inner>>>,
}

/// A loop that lies in others and that one can enter only at its head.
#[derive(Debug)]
pub(super) struct Inner {
    /// Whether a block lies in it.
    pub(super) inside: Vec<bool>,
    /// The registers that it reads or writes.
    pub(super) registers: Rc<[bool]>,
    /// For each register, the bytes behind the pointer in it that the loop reads or writes by way of this register, where the loop does
    /// nothing else with it but compare it.
    pub(super) fields: Vec<Option<Vec<Range<i64>>>>,
}

/// Loops around a block from which on what the innermost one can't touch is told apart from what it can: below, states do not double
/// often enough to matter, and what they know of lists that are empty is worth more.
const DEEP: usize = 3;

impl Flow {
    pub(super) fn of(body: &Body, target: Target) -> Self {
        let successors: Vec<Vec<usize>> = body
            .blocks
            .iter()
            .map(|block| {
                let mut next = Vec::new();
                block.end.for_successors(&mut |b: BlockId| next.push(b.index()));
                next
            })
            .collect();
        let mut entries = vec![0; successors.len()];
        successors.iter().flatten().for_each(|&next| entries[next] += 1);
        let meets = entries.into_iter().map(|count| count > 1).collect();
        let (_, back) = walk(&successors);
        let loops = loops(&successors, &back);
        // What is visited first is ranked last: the successors that leave loops, be it to enter another one.
        let sorted: Vec<Vec<usize>> = successors
            .into_iter()
            .enumerate()
            .map(|(block, mut next)| {
                next.sort_by_key(|&b| loops.iter().filter(|(_, inside)| inside[block] && inside[b]).count());
                next
            })
            .collect();
        let (rank, back) = walk(&sorted);
        let mut heads = vec![false; sorted.len()];
        for &(_, head) in &back {
            heads[head] = true;
        }
        let loops = self::loops(&sorted, &back);
        let registers = registers(body, &loops);
        let depth = |block: usize| loops.iter().filter(|(_, inside)| inside[block]).count();
        let deep: Vec<bool> = (0..sorted.len()).map(|block| depth(block) >= DEEP).collect();
        let mut inner: Vec<Option<Rc<Inner>>> = vec![None; sorted.len()];
        // Where the function's first block lies in a loop with another head, there is a way into the loop past its head.
        for (head, inside) in loops.into_iter().filter(|&(head, ref inside)| deep[head] && !inside[0]) {
            inner[head] =
                Some(Rc::new(Inner { registers: used(body, &inside), fields: fields(body, &inside, target), inside }));
        }
        Self { heads, meets, rank, registers, deep, inner }
    }
}

/// A depth-first walk from block 0: the reverse postorder of the blocks, and the edges back to a block that is being visited.
fn walk(successors: &[Vec<usize>]) -> (Vec<u32>, Vec<(usize, usize)>) {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let count = successors.len();
    let mut mark = vec![Mark::New; count];
    let mut rank = vec![u32::MAX; count];
    let mut back = Vec::new();
    let mut next_rank = count as u32;
    let mut stack: Vec<(usize, usize)> = Vec::new();
    if count > 0 {
        mark[0] = Mark::Open;
        stack.push((0, 0));
    }
    while let Some(top) = stack.last_mut() {
        let block = top.0;
        if let Some(&next) = successors[block].get(top.1) {
            top.1 += 1;
            match mark[next] {
                Mark::New => {
                    mark[next] = Mark::Open;
                    stack.push((next, 0));
                }
                Mark::Open => back.push((block, next)),
                Mark::Done => {}
            }
        } else {
            mark[block] = Mark::Done;
            next_rank -= 1;
            rank[block] = next_rank;
            stack.pop();
        }
    }
    (rank, back)
}

/// The natural loops, each with its head: whether a block lies in it.
fn loops(successors: &[Vec<usize>], back: &[(usize, usize)]) -> Vec<(usize, Vec<bool>)> {
    let count = successors.len();
    let mut predecessors = vec![Vec::new(); count];
    for (block, next) in successors.iter().enumerate() {
        next.iter().for_each(|&n| predecessors[n].push(block));
    }
    let mut heads: Vec<usize> = back.iter().map(|&(_, head)| head).collect();
    heads.sort_unstable();
    heads.dedup();
    let body = |head: usize| {
        let mut inside = vec![false; count];
        inside[head] = true;
        let mut waiting: Vec<usize> = back.iter().filter(|&&(_, h)| h == head).map(|&(from, _)| from).collect();
        while let Some(block) = waiting.pop() {
            if !inside[block] {
                inside[block] = true;
                waiting.extend(&predecessors[block]);
            }
        }
        inside
    };
    heads.into_iter().map(|head| (head, body(head))).collect()
}

/// For each block in loops, the registers that the innermost loop around it reads or writes.
fn registers(body: &Body, loops: &[(usize, Vec<bool>)]) -> Vec<LoopRegisters> {
    let mut smallest_first: Vec<&Vec<bool>> = loops.iter().map(|(_, inside)| inside).collect();
    smallest_first.sort_by_key(|inside| inside.iter().filter(|&&inside| inside).count());
    let mut found: Vec<LoopRegisters> = vec![None; body.blocks.len()];
    for inside in smallest_first {
        let registers = used(body, inside);
        for (block, known) in found.iter_mut().enumerate() {
            if inside[block] {
                known.get_or_insert_with(|| Rc::clone(&registers));
            }
        }
    }
    found
}

/// The registers that these blocks read or write.
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

/// What these blocks read or write behind the pointers that registers hold; `None` for those that they assign or copy.
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
