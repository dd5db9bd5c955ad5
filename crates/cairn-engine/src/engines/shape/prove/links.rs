//! Which cells of a node are links, where the heap does not show it: a single node whose pointers are all null may be the only one of a list
//! by any of them.
//!
//! What was a link of nodes of the same size before is one again, and what the program steps or pushes along is likely one. This is only
//! a preference among cells that would all do: taking the wrong one costs a proof, not its soundness.

use cairn_ir::{Body, Inst, Operand, Program, Reg, Ty};
use rustc_hash::FxHashSet;

use crate::engines::shape::Explorer;
use crate::memory::symbolic::Object;

/// Cells that are or may be links.
#[derive(Default, Debug)]
pub(in crate::engines::shape) struct Links {
    /// Sizes of nodes and offsets of cells that lists were folded along.
    folded: FxHashSet<(u128, u64)>,
    /// Offsets that the program steps or pushes along.
    used: FxHashSet<u64>,
}

impl Links {
    /// What a program says of its links.
    pub(super) fn of(program: &Program) -> Self {
        let bodies = program.functions.iter().filter_map(|function| function.body.as_ref());
        Self { folded: FxHashSet::default(), used: bodies.flat_map(used_in).collect() }
    }
}

impl Explorer<'_> {
    /// Remembers that nodes like this one were folded along a cell.
    pub(super) fn remember_link(&mut self, node: &Object, link: u64) {
        if let Some(size) = self.terms.as_const(node.size) {
            self.links.folded.insert((size, link));
        }
    }

    /// The cell that is most likely the link, of some that would all do.
    pub(super) fn likely_link(&self, node: &Object, cells: impl Iterator<Item = u64>) -> Option<u64> {
        let size = self.terms.as_const(node.size);
        cells.min_by_key(|&at| {
            let folded = size.is_some_and(|size| self.links.folded.contains(&(size, at)));
            (!folded, !self.links.used.contains(&at), at)
        })
    }
}

/// The offsets by which a function goes from a node to the next one, `p = p->next`, or puts a node in front of a list,
/// `p->next = list; list = p`.
fn used_in(body: &Body) -> Vec<u64> {
    let insts = || body.blocks.iter().flat_map(|block| &block.insts);
    let mut moves: FxHashSet<(Reg, Reg)> = FxHashSet::default();
    let mut loads: Vec<(Reg, Reg, i64)> = Vec::new();
    let mut stores: Vec<(Reg, i64, Reg)> = Vec::new();
    for inst in insts() {
        match *inst {
            Inst::Move { dst, src: Operand::Reg(src) } => {
                moves.insert((dst, src));
            }
            Inst::Load { dst, ty: Ty::Ptr, addr: Operand::Reg(from), offset, .. } => loads.push((dst, from, offset)),
            Inst::Store { ty: Ty::Ptr, addr: Operand::Reg(to), offset, src: Operand::Reg(src), .. } => {
                stores.push((to, offset, src));
            }
            _ => {}
        }
    }
    let stepped = loads.iter().filter(|&&(dst, from, _)| dst == from || moves.contains(&(from, dst)));
    let pushed = stores.iter().filter(|&&(node, _, list)| {
        let in_memory = |&(dst, from, at): &(Reg, Reg, i64)| dst == list && stores.contains(&(from, at, node));
        moves.contains(&(list, node)) || loads.iter().any(in_memory)
    });
    let offsets = stepped.map(|load| load.2).chain(pushed.map(|store| store.1));
    offsets.filter_map(|offset| u64::try_from(offset).ok()).collect()
}
