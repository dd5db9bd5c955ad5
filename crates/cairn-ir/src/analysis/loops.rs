//! The loops of a body.
//!
//! A loop is the set of blocks from which a back edge to its head can be taken without passing the head. It is *natural* if its
//! head dominates the sources of its back edges, so that the head is its only entry. A body whose loops are all natural is
//! reducible; C needs `goto` to be anything else.

use super::cfg::{Cfg, DepthFirst};
use super::dominators::Dominators;
use crate::ids::Block as BlockId;
use crate::program::Body;

/// A loop.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The target of its back edges.
    pub head: BlockId,
    /// Whether the head is the only entry.
    pub is_natural: bool,
    inside: Vec<bool>,
}

impl Loop {
    /// Returns whether a block lies in the loop. The head does.
    pub fn contains(&self, block: BlockId) -> bool {
        self.inside[block.index()]
    }

    /// Returns for each block whether it lies in the loop.
    pub fn inside(&self) -> &[bool] {
        &self.inside
    }

    /// Returns the blocks of the loop by ascending number.
    pub fn blocks(&self) -> impl Iterator<Item = BlockId> {
        self.inside.iter().enumerate().filter(|&(_, &inside)| inside).map(|(index, _)| BlockId::new(index))
    }

    /// Returns whether an edge leads out of the loop.
    pub fn may_end(&self, cfg: &Cfg) -> bool {
        self.blocks().any(|block| cfg.successors(block).iter().any(|&next| !self.contains(next)))
    }
}

/// The loops of a body, in reverse postorder of the source of their first back edge.
#[derive(Clone, Debug)]
pub struct Loops {
    loops: Vec<Loop>,
}

impl Loops {
    /// Finds the loops of a body.
    pub fn of(body: &Body) -> Self {
        let cfg = Cfg::of(body);
        let traversal = DepthFirst::of(&cfg);
        Self::new(&cfg, &traversal)
    }

    /// Finds the loops that the back edges of a traversal close.
    pub fn new(cfg: &Cfg, traversal: &DepthFirst) -> Self {
        let mut back_edges = traversal.back_edges().to_vec();
        if back_edges.is_empty() {
            return Self { loops: Vec::new() };
        }
        let dominators = Dominators::of(cfg, traversal);
        back_edges.sort_by_key(|&(from, _)| traversal.position(from));
        let mut loops: Vec<Loop> = Vec::new();
        for (from, head) in back_edges {
            let known = loops.iter().position(|found| found.head == head).unwrap_or_else(|| {
                let mut inside = vec![false; cfg.len()];
                inside[head.index()] = true;
                loops.push(Loop { head, is_natural: true, inside });
                loops.len() - 1
            });
            let found = &mut loops[known];
            found.is_natural &= dominators.dominates(head, from);
            let mut waiting = vec![from];
            while let Some(block) = waiting.pop() {
                if !std::mem::replace(&mut found.inside[block.index()], true) {
                    let before = cfg.predecessors(block).iter().copied();
                    waiting.extend(before.filter(|&block| traversal.position(block).is_some()));
                }
            }
        }
        Self { loops }
    }

    /// Returns the loops.
    pub fn iter(&self) -> impl Iterator<Item = &Loop> {
        self.loops.iter()
    }

    /// Returns the loop with this head.
    pub fn at(&self, head: BlockId) -> Option<&Loop> {
        self.loops.iter().find(|found| found.head == head)
    }

    /// Returns the number of loops that a block lies in.
    pub fn depth(&self, block: BlockId) -> usize {
        self.loops.iter().filter(|found| found.contains(block)).count()
    }

    /// Returns whether there is no loop.
    pub fn is_empty(&self) -> bool {
        self.loops.is_empty()
    }

    /// Returns whether every loop is natural.
    pub fn is_reducible(&self) -> bool {
        self.loops.iter().all(|found| found.is_natural)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::graph;
    use super::*;

    fn blocks(found: &Loop) -> Vec<usize> {
        found.blocks().map(BlockId::index).collect()
    }

    #[test]
    fn nested_loops_have_depths() {
        // 1 heads the outer loop, 2 the inner one.
        let body = graph(&[&[1], &[2, 5], &[3, 4], &[2], &[1], &[]]);
        let loops = Loops::of(&body);
        assert_eq!(loops.at(BlockId(1)).map(blocks), Some(vec![1, 2, 3, 4]));
        assert_eq!(loops.at(BlockId(2)).map(blocks), Some(vec![2, 3]));
        assert!(loops.at(BlockId(3)).is_none());
        let depths: Vec<usize> = (0..6).map(|block| loops.depth(BlockId(block))).collect();
        assert_eq!(depths, [0, 1, 2, 2, 1, 0]);
        assert!(loops.is_reducible());
    }

    #[test]
    fn back_edges_to_one_head_are_one_loop() {
        let loops = Loops::of(&graph(&[&[1], &[2, 4], &[1, 3], &[1], &[]]));
        assert_eq!(loops.iter().map(blocks).collect::<Vec<_>>(), [[1, 2, 3]]);
    }

    #[test]
    fn a_loop_with_two_entries_is_not_natural() {
        let loops = Loops::of(&graph(&[&[1, 2], &[2, 3], &[1], &[]]));
        assert_eq!(loops.iter().count(), 1);
        assert!(!loops.is_reducible());
    }

    #[test]
    fn endless_loops_have_no_exit() {
        let body = graph(&[&[1], &[2], &[1]]);
        let (cfg, loops) = (Cfg::of(&body), Loops::of(&body));
        assert!(!loops.at(BlockId(1)).is_none_or(|found| found.may_end(&cfg)));
        let body = graph(&[&[1], &[1, 2], &[]]);
        let (cfg, loops) = (Cfg::of(&body), Loops::of(&body));
        assert!(loops.at(BlockId(1)).is_some_and(|found| found.may_end(&cfg)));
    }

    #[test]
    fn straight_code_has_no_loops() {
        assert!(Loops::of(&graph(&[&[1, 2], &[2], &[]])).is_empty());
    }
}
