//! Which cells of a node are links, where the heap does not show it: a single node whose pointers are all null may be the only one of a list
//! by any of them.
//!
//! What was a link of nodes of the same size before is one again, and what the program steps or pushes along is likely one. This is only
//! a preference among cells that would all do: taking the wrong one costs a proof, not its soundness.

use std::collections::{BTreeMap, BTreeSet};

use cairn_ir::{Body, Callee, FuncId, Inst, Operand, Program, Reg, Ty};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::engines::shape::Explorer;
use crate::memory::symbolic::Object;

/// Cells that are or may be links.
#[derive(Default, Debug)]
pub(in crate::engines::shape) struct Links {
    /// Sizes of nodes and offsets of cells that lists were folded along.
    folded: FxHashSet<(u128, u64)>,
    /// Offsets that the program steps or pushes along, with the size of the nodes where it is seen.
    used: FxHashSet<(Option<u128>, u64)>,
    /// Offsets that the program goes on by from one node, all of them: the links of trees.
    forks: Vec<Vec<u64>>,
}

impl Links {
    /// What a program says of its links.
    pub(super) fn of(program: &Program) -> Self {
        let bodies = program.functions.iter().filter_map(|function| function.body.as_ref());
        let mut forks = Vec::new();
        for (index, function) in program.functions.iter().enumerate() {
            forks.extend(function.body.iter().flat_map(|body| forks_in(FuncId::new(index), body)));
        }
        forks.sort_unstable();
        forks.dedup();
        Self { folded: FxHashSet::default(), used: bodies.flat_map(used_in).collect(), forks }
    }

    /// The links of trees that the program has, if it goes through some by one of these offsets.
    pub(super) fn forks_with(&self, link: u64) -> impl Iterator<Item = &[u64]> {
        self.forks.iter().map(Vec::as_slice).filter(move |fork| fork.contains(&link))
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
            let used = |size: Option<u128>| self.links.used.contains(&(size, at));
            (!folded, !used(size), !used(None), at)
        })
    }
}

/// The offsets by which a function goes from a node to the next one, `p = p->next`, or puts a node in front of a list,
/// `p->next = list; list = p`.
fn used_in(body: &Body) -> Vec<(Option<u128>, u64)> {
    let insts = || body.blocks.iter().flat_map(|block| &block.insts);
    let mut moves: Vec<(Reg, Reg)> = Vec::new();
    let mut loads: Vec<(Reg, Reg, i64)> = Vec::new();
    let mut stores: Vec<(Reg, i64, Reg)> = Vec::new();
    let mut sizes: FxHashMap<Reg, u128> = FxHashMap::default();
    for inst in insts() {
        match inst {
            Inst::Move { dst, src: Operand::Reg(src) } => moves.push((*dst, *src)),
            Inst::Load { dst, ty: Ty::Ptr, addr: Operand::Reg(from), offset, .. } => loads.push((*dst, *from, *offset)),
            Inst::Store { ty: Ty::Ptr, addr: Operand::Reg(to), offset, src: Operand::Reg(src), .. } => {
                stores.push((*to, *offset, *src));
            }
            // What allocates, by itself or by way of another function, is told how much.
            Inst::Intrinsic { dst: Some(dst), args, .. } => {
                sizes.extend(last_number(args.iter().copied()).map(|size| (*dst, size)));
            }
            Inst::Call(call) => {
                let size = last_number(call.args.iter().map(|arg| arg.value));
                sizes.extend(call.dst.zip(size));
            }
            _ => {}
        }
    }
    for &(dst, src) in &moves {
        if let Some(&size) = sizes.get(&src) {
            sizes.entry(dst).or_insert(size);
        }
    }
    let stepped = loads.iter().filter(|&&(dst, from, _)| dst == from || moves.contains(&(from, dst)));
    let pushed = stores.iter().filter(|&&(node, _, list)| {
        let in_memory = |&(dst, from, at): &(Reg, Reg, i64)| dst == list && stores.contains(&(from, at, node));
        moves.contains(&(list, node)) || loads.iter().any(in_memory)
    });
    let stepped = stepped.map(|load| (None, load.2));
    let offsets = stepped.chain(pushed.map(|store| (sizes.get(&store.0).copied(), store.1)));
    offsets.filter_map(|(size, offset)| Some((size, u64::try_from(offset).ok()?))).collect()
}

/// The offsets by which a function goes on from one node: calling itself for what is there, or stepping now by one and now by another.
fn forks_in(own: FuncId, body: &Body) -> Vec<Vec<u64>> {
    let insts = || body.blocks.iter().flat_map(|block| &block.insts);
    let mut passed: FxHashSet<Reg> = FxHashSet::default();
    for inst in insts() {
        if let Inst::Call(call) = inst
            && call.callee == Callee::Function(own)
        {
            passed.extend(call.args.iter().filter_map(|arg| match arg.value {
                Operand::Reg(register) => Some(register),
                _ => None,
            }));
        }
    }
    let mut from: BTreeMap<Reg, BTreeSet<u64>> = BTreeMap::new();
    for inst in insts() {
        if let Inst::Load { dst, ty: Ty::Ptr, addr: Operand::Reg(node), offset, .. } = inst
            && (passed.contains(dst) || dst == node)
            && let Ok(offset) = u64::try_from(*offset)
        {
            from.entry(*node).or_default().insert(offset);
        }
    }
    from.into_values().filter(|offsets| offsets.len() > 1).map(|offsets| offsets.into_iter().collect()).collect()
}

fn last_number(mut operands: impl DoubleEndedIterator<Item = Operand>) -> Option<u128> {
    operands.rfind(|operand| matches!(operand, Operand::Int(_))).and_then(|operand| match operand {
        Operand::Int(value) => u128::try_from(value).ok(),
        _ => None,
    })
}
