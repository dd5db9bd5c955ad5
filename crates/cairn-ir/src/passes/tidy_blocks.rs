//! Simplifies control-flow graphs.
//!
//! The pass removes unreachable blocks, threads jumps through empty blocks and merges straight-line sequences. It
//! numbers the remaining blocks in reverse postorder, so that dumps read like the source.

use crate::ids::Block;
use crate::inst::{Operand, Terminator};
use crate::program::{self, Body, Program, Symbol};

use super::symbols::block_operands;

/// Runs the pass.
pub fn run(program: &mut Program) {
    // Blocks whose labels occur in initial values of static objects are kept.
    let mut labels: Vec<(usize, Block)> = Vec::new();
    for relocation in program.globals.iter().flat_map(|global| &global.relocations) {
        if let Symbol::Label(function, block) = relocation.target {
            labels.push((function.index(), block));
        }
    }
    let mut renumbered: Vec<(usize, Vec<Option<Block>>)> = Vec::new();
    for (index, function) in program.functions.iter_mut().enumerate() {
        let Some(body) = &mut function.body else { continue };
        let kept: Vec<Block> = labels.iter().filter(|(f, _)| *f == index).map(|&(_, block)| block).collect();
        let numbers = tidy(body, &kept);
        if !kept.is_empty() {
            renumbered.push((index, numbers));
        }
    }
    for relocation in program.globals.iter_mut().flat_map(|global| &mut global.relocations) {
        if let Symbol::Label(function, block) = &mut relocation.target {
            let numbers = renumbered.iter().find(|(index, _)| *index == function.index());
            if let Some(new) = numbers.and_then(|(_, numbers)| numbers[block.index()]) {
                *block = new;
            }
        }
    }
}

/// Simplifies one body and returns the new number of each block.
fn tidy(body: &mut Body, kept: &[Block]) -> Vec<Option<Block>> {
    let count = body.blocks.len();
    // Blocks whose address is taken can be reached by edges that the graph does not show.
    let mut addressed = vec![false; count];
    for &block in kept {
        addressed[block.index()] = true;
    }
    for block in &mut body.blocks {
        block_operands(block, &mut |operand| {
            if let Operand::Label(label) = operand {
                addressed[label.index()] = true;
            }
        });
    }
    thread(body);
    let roots: Vec<Block> = (0..count).filter(|&i| i == 0 || addressed[i]).map(Block::new).collect();
    let order = reverse_postorder(body, &roots);
    join(body, &order, &addressed);
    let order = reverse_postorder(body, &roots);
    let mut numbers = vec![None; count];
    for (new, old) in order.iter().enumerate() {
        numbers[old.index()] = Some(Block::new(new));
    }
    let mut blocks: Vec<Option<program::Block>> = std::mem::take(&mut body.blocks).into_iter().map(Some).collect();
    body.blocks.reserve_exact(order.len());
    for old in &order {
        if let Some(block) = blocks[old.index()].take() {
            body.blocks.push(block);
        }
    }
    let renumber = |block: &mut Block| {
        if let Some(new) = numbers[block.index()] {
            *block = new;
        }
    };
    let any_address = addressed.contains(&true);
    for block in &mut body.blocks {
        targets_mut(&mut block.end, renumber);
        if any_address {
            block_operands(block, &mut |operand| {
                if let Operand::Label(label) = operand {
                    renumber(label);
                }
            });
        }
    }
    numbers
}

/// Redirects jumps to empty blocks to the successors of those blocks.
fn thread(body: &mut Body) {
    let count = body.blocks.len();
    let next = |body: &Body, block: Block| match &body.blocks[block.index()] {
        program::Block { insts, end: Terminator::Jump(to), .. } if insts.is_empty() && *to != block => Some(*to),
        _ => None,
    };
    for index in 0..count {
        // The targets of computed jumps are addresses and must not change.
        if matches!(body.blocks[index].end, Terminator::JumpTo { .. } | Terminator::Return(_) | Terminator::Unreachable)
        {
            continue;
        }
        let mut end = std::mem::replace(&mut body.blocks[index].end, Terminator::Unreachable);
        targets_mut(&mut end, |to| {
            // Bound the number of steps, since empty blocks may form a cycle.
            for _ in 0..16 {
                match next(body, *to) {
                    Some(further) => *to = further,
                    None => break,
                }
            }
        });
        body.blocks[index].end = end;
    }
}

/// Appends to each block its successor if that has no other predecessor.
fn join(body: &mut Body, order: &[Block], addressed: &[bool]) {
    let mut predecessors = vec![0u32; body.blocks.len()];
    for block in order {
        body.blocks[block.index()].end.for_successors(&mut |to| predecessors[to.index()] += 1);
    }
    let mut gone = vec![false; body.blocks.len()];
    for &block in order {
        if gone[block.index()] {
            continue;
        }
        while let Terminator::Jump(next) = body.blocks[block.index()].end {
            let single = predecessors[next.index()] == 1 && !addressed[next.index()];
            if !single || next.index() == 0 || next == block {
                break;
            }
            gone[next.index()] = true;
            let taken = &mut body.blocks[next.index()];
            let end = std::mem::replace(&mut taken.end, Terminator::Unreachable);
            let (insts, locs, end_loc) =
                (std::mem::take(&mut taken.insts), std::mem::take(&mut taken.locs), taken.end_loc);
            let first = &mut body.blocks[block.index()];
            if first.insts.is_empty() {
                (first.insts, first.locs) = (insts, locs);
            } else {
                first.insts.extend(insts);
                first.locs.extend(locs);
            }
            first.end = end;
            first.end_loc = end_loc;
        }
    }
}

/// Returns the blocks reachable from the roots in reverse postorder.
fn reverse_postorder(body: &Body, roots: &[Block]) -> Vec<Block> {
    let mut seen = vec![false; body.blocks.len()];
    let mut order = Vec::with_capacity(body.blocks.len());
    // Each entry is a block and the number of its successors visited so far. Successors are visited in reverse, so that
    // the first one comes first in the result.
    let mut stack: Vec<(Block, usize)> = Vec::new();
    for &root in roots.iter().rev() {
        if std::mem::replace(&mut seen[root.index()], true) {
            continue;
        }
        stack.push((root, 0));
        while let Some((block, visited)) = stack.last_mut() {
            match successor_from_last(&body.blocks[block.index()].end, *visited) {
                Some(next) => {
                    *visited += 1;
                    if !std::mem::replace(&mut seen[next.index()], true) {
                        stack.push((next, 0));
                    }
                }
                None => {
                    order.push(*block);
                    stack.pop();
                }
            }
        }
    }
    order.reverse();
    // The entry must be block 0, even if other blocks jump to it.
    if let Some(at) = order.iter().position(|block| block.index() == 0) {
        order[..=at].rotate_right(1);
    }
    order
}

/// Returns the successor of a block at `index`, counted from the last successor.
fn successor_from_last(end: &Terminator, index: usize) -> Option<Block> {
    match (end, index) {
        (Terminator::Jump(to), 0) => Some(*to),
        (Terminator::Branch { other, .. }, 0) => Some(*other),
        (Terminator::Branch { then, .. }, 1) => Some(*then),
        (Terminator::Switch { default, .. }, 0) => Some(*default),
        (Terminator::Switch { cases, .. }, _) => {
            cases.len().checked_sub(index).and_then(|i| cases.get(i)).map(|case| case.target)
        }
        (Terminator::JumpTo { targets, .. }, _) => {
            targets.len().checked_sub(index + 1).and_then(|i| targets.get(i)).copied()
        }
        _ => None,
    }
}

/// Calls `visit` on a mutable reference to every successor of a terminator.
fn targets_mut(end: &mut Terminator, mut visit: impl FnMut(&mut Block)) {
    match end {
        Terminator::Jump(to) => visit(to),
        Terminator::Branch { then, other, .. } => {
            visit(then);
            visit(other);
        }
        Terminator::Switch { cases, default, .. } => {
            cases.iter_mut().for_each(|case| visit(&mut case.target));
            visit(default);
        }
        Terminator::JumpTo { targets, .. } => targets.iter_mut().for_each(visit),
        Terminator::Return(_) | Terminator::Unreachable => {}
    }
}
