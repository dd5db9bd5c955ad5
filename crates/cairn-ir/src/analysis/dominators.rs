//! Dominators, by the iteration of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm", 2001).

use super::cfg::{Cfg, DepthFirst};
use crate::ids::Block as BlockId;

/// The dominator tree of a graph.
#[derive(Clone, Debug)]
pub struct Dominators {
    /// The immediate dominator of each block; the entry is its own.
    immediate: Vec<Option<BlockId>>,
    /// The number of blocks between a block and the entry in the tree.
    depth: Vec<u32>,
}

impl Dominators {
    /// Computes the dominators of the blocks that the entry reaches.
    pub fn of(cfg: &Cfg, traversal: &DepthFirst) -> Self {
        let mut immediate: Vec<Option<BlockId>> = vec![None; cfg.len()];
        let mut depth = vec![0; cfg.len()];
        let Some((&entry, rest)) = traversal.reverse_postorder().split_first() else {
            return Self { immediate, depth };
        };
        immediate[entry.index()] = Some(entry);
        let mut changed = true;
        while changed {
            changed = false;
            for &block in rest {
                let known = cfg.predecessors(block).iter().copied().filter(|from| immediate[from.index()].is_some());
                let found = known.reduce(|a, b| meet(a, b, &immediate, traversal));
                if immediate[block.index()] != found {
                    immediate[block.index()] = found;
                    changed = true;
                }
            }
        }
        for &block in rest {
            if let Some(above) = immediate[block.index()] {
                depth[block.index()] = depth[above.index()] + 1;
            }
        }
        Self { immediate, depth }
    }

    /// Returns the immediate dominator of a block; `None` for the entry and for blocks that it does not reach.
    pub fn immediate(&self, block: BlockId) -> Option<BlockId> {
        self.immediate[block.index()].filter(|&above| above != block)
    }

    /// Returns whether every path from the entry to `below` passes `above`. A block dominates itself.
    pub fn dominates(&self, above: BlockId, below: BlockId) -> bool {
        let mut block = below;
        while self.depth[block.index()] > self.depth[above.index()] {
            let Some(next) = self.immediate(block) else { return false };
            block = next;
        }
        block == above
    }
}

/// Returns the closest common dominator of two blocks.
fn meet(mut a: BlockId, mut b: BlockId, immediate: &[Option<BlockId>], traversal: &DepthFirst) -> BlockId {
    while a != b {
        // The block that is later in reverse postorder does not dominate the other one.
        let later = if traversal.position(a) > traversal.position(b) { &mut a } else { &mut b };
        let Some(above) = immediate[later.index()] else { return *later };
        *later = above;
    }
    a
}

#[cfg(test)]
mod tests {
    use super::super::tests::graph;
    use super::*;

    fn dominators(edges: &[&[u32]]) -> (Cfg, Dominators) {
        let cfg = Cfg::of(&graph(edges));
        let found = Dominators::of(&cfg, &DepthFirst::of(&cfg));
        (cfg, found)
    }

    /// Returns whether the entry reaches `to` on a path that avoids `without`.
    fn reaches(cfg: &Cfg, to: BlockId, without: BlockId) -> bool {
        let mut seen = vec![false; cfg.len()];
        let mut waiting = vec![BlockId(0)];
        while let Some(block) = waiting.pop() {
            if block != without && !std::mem::replace(&mut seen[block.index()], true) {
                waiting.extend(cfg.successors(block));
            }
        }
        seen[to.index()]
    }

    #[test]
    fn a_join_is_dominated_by_its_branch() {
        let (_, found) = dominators(&[&[1, 2], &[3], &[3], &[]]);
        assert_eq!(found.immediate(BlockId(3)), Some(BlockId(0)));
        assert!(!found.dominates(BlockId(1), BlockId(3)));
        assert_eq!(found.immediate(BlockId(0)), None);
    }

    #[test]
    fn unreachable_blocks_have_no_dominator() {
        let (_, found) = dominators(&[&[2], &[2], &[]]);
        assert_eq!(found.immediate(BlockId(1)), None);
        assert_eq!(found.immediate(BlockId(2)), Some(BlockId(0)));
        assert!(!found.dominates(BlockId(0), BlockId(1)));
    }

    #[test]
    fn dominators_agree_with_their_definition() {
        let graphs: [&[&[u32]]; 4] = [
            &[&[1], &[2, 3], &[1], &[]],
            // An irreducible loop between blocks 1 and 2.
            &[&[1, 2], &[2, 3], &[1], &[]],
            &[&[1, 2], &[3, 4], &[4, 5], &[6], &[6, 1], &[5, 6], &[0]],
            &[&[1, 3], &[2], &[1, 4], &[4], &[3, 5], &[]],
        ];
        for edges in graphs {
            let (cfg, found) = dominators(edges);
            for above in cfg.blocks() {
                for below in cfg.blocks() {
                    let expected = above == below || !reaches(&cfg, below, above);
                    assert_eq!(found.dominates(above, below), expected, "{above:?} {below:?} in {edges:?}");
                }
            }
        }
    }
}
