//! The loops of a function, and a block order in which all edges except back edges go forward.

use std::collections::BTreeSet;

use cairn_ir::analysis::{self, Cfg, DepthFirst};
use cairn_ir::{BlockId, Body};

/// A natural loop.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The head.
    pub head: usize,
    /// All blocks of the loop, including the head.
    pub blocks: BTreeSet<usize>,
    /// Whether an edge leads out of the loop.
    pub may_end: bool,
}

/// The loops of a function and an order of its blocks.
#[derive(Clone, Debug)]
pub struct Loops {
    /// The position of each block in the order; `usize::MAX` for unreachable blocks.
    pub position: Vec<usize>,
    /// The block at each position.
    pub order: Vec<usize>,
    /// The loops.
    pub loops: Vec<Loop>,
    /// Whether some loop can be entered other than at its head.
    pub irreducible: bool,
}

impl Loops {
    /// Computes the loops of a function.
    pub fn of(body: &Body) -> Self {
        let cfg = Cfg::of(body);
        let traversal = DepthFirst::of(&cfg);
        let found = analysis::Loops::new(&cfg, &traversal);
        let natural = found.iter().filter(|found| found.is_natural).map(|found| Loop {
            head: found.head.index(),
            blocks: found.blocks().map(BlockId::index).collect(),
            may_end: found.may_end(&cfg),
        });
        Self {
            position: cfg.blocks().map(|block| traversal.position(block).unwrap_or(usize::MAX)).collect(),
            order: traversal.reverse_postorder().iter().map(|block| block.index()).collect(),
            loops: natural.collect(),
            irreducible: !found.is_reducible(),
        }
    }

    /// Returns the loop with the given head.
    pub fn at(&self, block: usize) -> Option<&Loop> {
        self.loops.iter().find(|l| l.head == block)
    }
}
