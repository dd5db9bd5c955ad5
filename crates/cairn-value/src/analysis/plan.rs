//! The order in which the blocks of a function are visited.

use cairn_ir::analysis::loops::Loop;
use cairn_ir::analysis::{Cfg, DepthFirst, Loops};
use cairn_ir::layout::Target;
use cairn_ir::{BlockId, Body, Operand, Reg, Ty};

use std::rc::Rc;

use crate::limits::MAX_SPLIT;

/// What the analysis of a function needs to know about its body.
#[derive(Debug)]
pub struct Plan {
    /// The blocks that are reachable, in reverse postorder: loops are finished before the code after them.
    pub order: Vec<BlockId>,
    /// The position of each block in the order.
    pub positions: Vec<Option<u32>>,
    /// Whether each block is the target of a back edge.
    pub is_head: Vec<bool>,
    /// The loop of each head that is its only entry.
    pub loops: Vec<Option<Rc<Loop>>>,
    /// The predecessors of each block with the index of the edge.
    pub predecessors: Vec<Vec<(BlockId, usize)>>,
    /// The widths of the registers.
    pub widths: Vec<u32>,
    /// The types of the registers.
    pub types: Vec<Ty>,
    /// Whether each register is read in a block that does not assign it before.
    pub crosses: Vec<bool>,
    /// The registers that each block with several predecessors reads before it assigns them.
    pub reads: Vec<Vec<Reg>>,
}

impl Plan {
    /// Makes the plan for a body.
    pub fn of(body: &Body, target: Target) -> Self {
        let cfg = Cfg::of(body);
        let first = DepthFirst::of(&cfg);
        let loops = Loops::new(&cfg, &first);
        let mut depths = vec![0usize; body.blocks.len()];
        for found in loops.iter() {
            found.blocks().for_each(|block| depths[block.index()] += 1);
        }
        let traversal = DepthFirst::by_key(&cfg, |_, to| depths[to.index()]);
        let mut is_head = vec![false; body.blocks.len()];
        traversal.back_edges().iter().for_each(|(_, head)| is_head[head.index()] = true);
        let order = traversal.reverse_postorder().to_vec();
        let mut positions = vec![None; body.blocks.len()];
        order.iter().enumerate().for_each(|(at, block)| positions[block.index()] = Some(at as u32));
        let mut predecessors = vec![Vec::new(); body.blocks.len()];
        for &block in &order {
            for (edge, next) in cfg.successors(block).iter().enumerate() {
                predecessors[next.index()].push((block, edge));
            }
        }
        let types: Vec<Ty> = body.regs.iter().map(|reg| reg.ty).collect();
        let widths = types.iter().map(|ty| ty.bits(target)).collect();
        let reads = reads(body, &predecessors);
        let mut by_head = vec![None; body.blocks.len()];
        for found in loops.iter().filter(|found| found.is_natural && is_head[found.head.index()]) {
            by_head[found.head.index()] = Some(Rc::new(found.clone()));
        }
        let crosses = crossing(body);
        Plan { order, positions, is_head, loops: by_head, predecessors, widths, types, crosses, reads }
    }
}

/// Returns the registers that each block with several predecessors reads before it assigns them.
fn reads(body: &Body, predecessors: &[Vec<(BlockId, usize)>]) -> Vec<Vec<Reg>> {
    let of_block = |(index, block): (usize, &cairn_ir::Block)| {
        let mut found: Vec<Reg> = Vec::new();
        if !(2..=MAX_SPLIT).contains(&predecessors[index].len()) {
            return found;
        }
        let mut assigned: Vec<Reg> = Vec::new();
        let mut read = |operand: Operand, assigned: &[Reg]| {
            if let Operand::Reg(reg) = operand
                && !assigned.contains(&reg)
                && !found.contains(&reg)
            {
                found.push(reg);
            }
        };
        for inst in &block.insts {
            inst.for_operands(&mut |operand| read(operand, &assigned));
            assigned.extend(inst.dst());
        }
        block.end.for_operands(&mut |operand| read(operand, &assigned));
        found
    };
    body.blocks.iter().enumerate().map(of_block).collect()
}

fn crossing(body: &Body) -> Vec<bool> {
    let mut crosses = vec![false; body.regs.len()];
    let mut assigned_in = vec![usize::MAX; body.regs.len()];
    for (index, block) in body.blocks.iter().enumerate() {
        for inst in &block.insts {
            inst.for_operands(&mut |operand| read(operand, index, &assigned_in, &mut crosses));
            if let Some(dst) = inst.dst() {
                assigned_in[dst.index()] = index;
            }
        }
        block.end.for_operands(&mut |operand| read(operand, index, &assigned_in, &mut crosses));
    }
    crosses
}

fn read(operand: Operand, block: usize, assigned_in: &[usize], crosses: &mut [bool]) {
    if let Operand::Reg(reg) = operand
        && assigned_in[reg.index()] != block
    {
        crosses[reg.index()] = true;
    }
}
