//! The loops of a function: which blocks each has, and an order of the blocks in which every edge but those back to the head of a
//! loop goes forward.

use std::collections::BTreeSet;

use cairn_ir::{BlockId, Body};

/// A loop: the blocks from which its head is reached without leaving it.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Where it begins.
    pub head: usize,
    /// All of its blocks, the head among them.
    pub blocks: BTreeSet<usize>,
}

impl Loop {
    /// Whether an edge leads out of it.
    pub fn may_end(&self, body: &Body) -> bool {
        self.blocks.iter().any(|&block| successors(body, block).iter().any(|next| !self.blocks.contains(next)))
    }
}

/// The loops of a function and an order of its blocks.
#[derive(Clone, Debug)]
pub struct Loops {
    /// The position of each block in the order; `usize::MAX` for those that are never reached.
    pub position: Vec<usize>,
    /// The block at each position.
    pub order: Vec<usize>,
    /// The loops.
    pub loops: Vec<Loop>,
    /// Whether some loop can be entered elsewhere than at its head.
    pub irreducible: bool,
}

fn successors(body: &Body, block: usize) -> Vec<usize> {
    let mut next = Vec::new();
    body.blocks[block].end.for_successors(&mut |target: BlockId| next.push(target.index()));
    next
}

impl Loops {
    /// Finds them.
    pub fn of(body: &Body) -> Self {
        let order = reverse_postorder(body);
        let mut position = vec![usize::MAX; body.blocks.len()];
        for (at, &block) in order.iter().enumerate() {
            position[block] = at;
        }
        let mut before = vec![Vec::new(); body.blocks.len()];
        for &block in &order {
            for next in successors(body, block) {
                before[next].push(block);
            }
        }
        let dominator = dominators(&order, &position, &before);
        let dominates = |a: usize, mut b: usize| {
            while position[b] > position[a] {
                b = dominator[b];
            }
            a == b
        };
        let mut loops: Vec<Loop> = Vec::new();
        let mut irreducible = false;
        for &block in &order {
            for head in successors(body, block) {
                if position[head] > position[block] {
                    continue;
                }
                if !dominates(head, block) {
                    irreducible = true;
                    continue;
                }
                let mut blocks = BTreeSet::from([head]);
                let mut waiting = vec![block];
                while let Some(member) = waiting.pop() {
                    if blocks.insert(member) {
                        waiting.extend(&before[member]);
                    }
                }
                match loops.iter_mut().find(|l| l.head == head) {
                    Some(known) => known.blocks.extend(blocks),
                    None => loops.push(Loop { head, blocks }),
                }
            }
        }
        Self { position, order, loops, irreducible }
    }

    /// The loop that begins at a block.
    pub fn at(&self, block: usize) -> Option<&Loop> {
        self.loops.iter().find(|l| l.head == block)
    }
}

fn reverse_postorder(body: &Body) -> Vec<usize> {
    let mut seen = vec![false; body.blocks.len()];
    let mut order = Vec::new();
    let mut stack = vec![(0, successors(body, 0))];
    seen[0] = true;
    while let Some((block, rest)) = stack.last_mut() {
        match rest.pop() {
            Some(next) if !seen[next] => {
                seen[next] = true;
                stack.push((next, successors(body, next)));
            }
            Some(_) => {}
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

/// The immediate dominator of each block, by the iteration of Cooper, Harvey and Kennedy.
fn dominators(order: &[usize], position: &[usize], before: &[Vec<usize>]) -> Vec<usize> {
    let mut dominator = vec![usize::MAX; position.len()];
    dominator[order[0]] = order[0];
    let mut changed = true;
    while changed {
        changed = false;
        for &block in &order[1..] {
            let mut best = usize::MAX;
            for &from in &before[block] {
                if dominator[from] == usize::MAX {
                    continue;
                }
                best = if best == usize::MAX { from } else { meet(from, best, &dominator, position) };
            }
            if dominator[block] != best {
                dominator[block] = best;
                changed = true;
            }
        }
    }
    dominator
}

fn meet(mut a: usize, mut b: usize, dominator: &[usize], position: &[usize]) -> usize {
    while a != b {
        while position[a] > position[b] {
            a = dominator[a];
        }
        while position[b] > position[a] {
            b = dominator[b];
        }
    }
    a
}
