//! The control-flow graph of a body, and its depth-first traversal.

use crate::ids::Block as BlockId;
use crate::program::Body;

/// The edges between the blocks of a body, in both directions.
#[derive(Clone, Debug)]
pub struct Cfg {
    successors: Vec<Vec<BlockId>>,
    predecessors: Vec<Vec<BlockId>>,
}

impl Cfg {
    /// Builds the graph of a body.
    pub fn of(body: &Body) -> Self {
        let mut successors = vec![Vec::new(); body.blocks.len()];
        let mut predecessors = vec![Vec::new(); body.blocks.len()];
        for (index, block) in body.blocks.iter().enumerate() {
            block.end.for_successors(&mut |next| {
                successors[index].push(next);
                predecessors[next.index()].push(BlockId::new(index));
            });
        }
        Self { successors, predecessors }
    }

    /// Returns the number of blocks.
    pub fn len(&self) -> usize {
        self.successors.len()
    }

    /// Returns whether there is no block.
    pub fn is_empty(&self) -> bool {
        self.successors.is_empty()
    }

    /// Returns all blocks, reachable or not.
    pub fn blocks(&self) -> impl Iterator<Item = BlockId> + use<> {
        (0..self.successors.len()).map(BlockId::new)
    }

    /// Returns the successors of a block, one for each edge, in the order of its terminator.
    pub fn successors(&self, block: BlockId) -> &[BlockId] {
        &self.successors[block.index()]
    }

    /// Returns the predecessors of a block, one for each edge.
    pub fn predecessors(&self, block: BlockId) -> &[BlockId] {
        &self.predecessors[block.index()]
    }
}

/// A depth-first traversal from the entry block.
#[derive(Clone, Debug)]
pub struct DepthFirst {
    order: Vec<BlockId>,
    positions: Vec<Option<u32>>,
    back_edges: Vec<(BlockId, BlockId)>,
}

/// The progress of a traversal at one block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    Open,
    Done,
}

impl DepthFirst {
    /// Traverses a graph such that the first successor of a block comes first in reverse postorder.
    pub fn of(cfg: &Cfg) -> Self {
        Self::traverse(cfg, |block| cfg.successors(block).iter().rev().copied().collect())
    }

    /// Traverses a graph, taking the successors of a block by ascending key and, for equal keys, in their order.
    ///
    /// A successor that is taken first comes last in reverse postorder.
    pub fn by_key(cfg: &Cfg, mut key: impl FnMut(BlockId, BlockId) -> usize) -> Self {
        Self::traverse(cfg, |block| {
            let mut next = cfg.successors(block).to_vec();
            next.sort_by_key(|&to| key(block, to));
            next
        })
    }

    fn traverse(cfg: &Cfg, mut successors: impl FnMut(BlockId) -> Vec<BlockId>) -> Self {
        let mut marks = vec![Mark::New; cfg.len()];
        let mut order = Vec::with_capacity(cfg.len());
        let mut back_edges = Vec::new();
        let mut stack = Vec::new();
        if let Some(entry) = cfg.blocks().next() {
            marks[entry.index()] = Mark::Open;
            stack.push((entry, successors(entry).into_iter()));
        }
        while let Some((block, rest)) = stack.last_mut() {
            let block = *block;
            match rest.next() {
                Some(next) => match marks[next.index()] {
                    Mark::New => {
                        marks[next.index()] = Mark::Open;
                        stack.push((next, successors(next).into_iter()));
                    }
                    Mark::Open => back_edges.push((block, next)),
                    Mark::Done => {}
                },
                None => {
                    marks[block.index()] = Mark::Done;
                    order.push(block);
                    stack.pop();
                }
            }
        }
        order.reverse();
        let mut positions = vec![None; cfg.len()];
        for (position, block) in order.iter().enumerate() {
            positions[block.index()] = Some(position as u32);
        }
        Self { order, positions, back_edges }
    }

    /// Returns the reachable blocks in reverse postorder: every edge but the back edges goes forward.
    pub fn reverse_postorder(&self) -> &[BlockId] {
        &self.order
    }

    /// Returns the position of a block in reverse postorder; `None` for a block that the entry does not reach.
    pub fn position(&self, block: BlockId) -> Option<usize> {
        self.positions[block.index()].map(|position| position as usize)
    }

    /// Returns the edges to a block that the traversal had entered and not left. Every cycle contains one.
    pub fn back_edges(&self) -> &[(BlockId, BlockId)] {
        &self.back_edges
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::graph;
    use super::*;

    fn numbers(blocks: &[BlockId]) -> Vec<usize> {
        blocks.iter().map(|block| block.index()).collect()
    }

    #[test]
    fn edges_have_both_directions() {
        let cfg = Cfg::of(&graph(&[&[1, 2], &[3], &[3], &[]]));
        assert_eq!(numbers(cfg.successors(BlockId(0))), [1, 2]);
        assert_eq!(numbers(cfg.predecessors(BlockId(3))), [1, 2]);
        assert!(cfg.predecessors(BlockId(0)).is_empty());
        assert_eq!(cfg.len(), 4);
    }

    #[test]
    fn first_successors_come_first_in_reverse_postorder() {
        let cfg = Cfg::of(&graph(&[&[2, 1], &[3], &[3], &[]]));
        assert_eq!(numbers(DepthFirst::of(&cfg).reverse_postorder()), [0, 2, 1, 3]);
        assert_eq!(numbers(DepthFirst::by_key(&cfg, |_, _| 0).reverse_postorder()), [0, 1, 2, 3]);
        assert_eq!(numbers(DepthFirst::by_key(&cfg, |_, to| to.index()).reverse_postorder()), [0, 2, 1, 3]);
    }

    #[test]
    fn unreachable_blocks_have_no_position() {
        let traversal = DepthFirst::of(&Cfg::of(&graph(&[&[2], &[2], &[]])));
        assert_eq!(traversal.position(BlockId(1)), None);
        assert_eq!(traversal.position(BlockId(2)), Some(1));
    }

    #[test]
    fn back_edges_close_cycles() {
        let cfg = Cfg::of(&graph(&[&[1], &[2, 3], &[2, 1], &[]]));
        let mut edges = DepthFirst::of(&cfg).back_edges().to_vec();
        edges.sort_unstable();
        assert_eq!(edges, [(BlockId(2), BlockId(1)), (BlockId(2), BlockId(2))]);
    }

    #[test]
    fn edges_that_are_no_back_edges_go_forward() {
        let cfg = Cfg::of(&graph(&[&[1, 2], &[3, 4], &[4, 1], &[5, 2], &[5, 0], &[]]));
        let traversal = DepthFirst::of(&cfg);
        for from in cfg.blocks() {
            for &to in cfg.successors(from) {
                let is_back = traversal.back_edges().contains(&(from, to));
                assert_eq!(traversal.position(to) <= traversal.position(from), is_back, "{from:?} to {to:?}");
            }
        }
    }
}
