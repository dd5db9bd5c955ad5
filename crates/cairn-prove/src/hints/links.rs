//! Likely link cells, for heaps that do not show which cells of a node are links.
//!
//! A single node whose pointers are all null may be the only node of a list along any of them. A cell that was a link
//! of nodes of the same size before is preferred. Next come cells that the program uses to step along or to extend a
//! list. The choice is only a preference among cells that are all correct, so a wrong one costs precision, not
//! soundness.

use std::collections::{BTreeMap, BTreeSet};

use cairn_ir::{Body, Callee, FuncId, Inst, Operand, Program, Reg, Ty};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Lattice;
use cairn_memory::symbolic::Object;

/// Cells that are or may be links.
#[derive(Default, Debug)]
pub(crate) struct Links {
    /// Node sizes and cell offsets along which lists were folded.
    folded: FxHashSet<(u128, u64)>,
    /// Offsets that the program uses to traverse or extend lists, with the node size if it is known.
    used: FxHashSet<(Option<u128>, u64)>,
    /// Sets of offsets by which the program continues from one node: the links of trees.
    forks: Vec<Vec<u64>>,
}

impl Links {
    /// Collects the likely links of a program.
    pub(crate) fn of(program: &Program) -> Self {
        let bodies = program.functions.iter().filter_map(|function| function.body.as_ref());
        let mut forks = Vec::new();
        for (index, function) in program.functions.iter().enumerate() {
            forks.extend(function.body.iter().flat_map(|body| forks_in(FuncId::new(index), body)));
        }
        forks.sort_unstable();
        forks.dedup();
        Self { folded: FxHashSet::default(), used: bodies.flat_map(used_in).collect(), forks }
    }

    /// Returns the sets of tree links that contain an offset.
    pub(crate) fn forks_with(&self, link: u64) -> impl Iterator<Item = &[u64]> {
        self.forks.iter().map(Vec::as_slice).filter(move |fork| fork.contains(&link))
    }
}

impl Lattice<'_> {
    /// Records that nodes like this one were folded along a cell.
    pub(crate) fn remember_link(&mut self, node: &Object, link: u64) {
        if let Some(size) = self.machine.terms.as_const(node.size) {
            self.links.folded.insert((size, link));
        }
    }

    /// Returns the most likely link among several possible cells.
    pub(crate) fn likely_link(&self, node: &Object, cells: impl Iterator<Item = u64>) -> Option<u64> {
        let size = self.machine.terms.as_const(node.size);
        cells.min_by_key(|&at| {
            let folded = size.is_some_and(|size| self.links.folded.contains(&(size, at)));
            let used = |size: Option<u128>| self.links.used.contains(&(size, at));
            (!folded, !used(size), !used(None), at)
        })
    }
}

/// Returns the offsets by which a function traverses or extends lists.
///
/// It traverses a list by `p = p->next`, and extends one by `p->next = list; list = p`.
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
            // The last constant argument of an allocation, or of a call that may allocate, is taken as the size.
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

/// Returns the sets of offsets by which a function continues from one node.
///
/// The function calls itself on these pointers, or steps sometimes by one and sometimes by another.
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

/// Returns whether some variable descends from a node by different cells.
pub(crate) fn descends_trees(program: &Program) -> bool {
    let descends = |body: &Body| {
        let mut ways: FxHashMap<Reg, i64> = FxHashMap::default();
        body.blocks.iter().flat_map(|block| &block.insts).any(|inst| match *inst {
            Inst::Load { dst, addr: Operand::Reg(from), offset, ty: Ty::Ptr, .. } if dst == from => {
                *ways.entry(dst).or_insert(offset) != offset
            }
            _ => false,
        })
    };
    program.functions.iter().filter_map(|function| function.body.as_ref()).any(descends)
}

fn last_number(mut operands: impl DoubleEndedIterator<Item = Operand>) -> Option<u128> {
    operands.rfind(|operand| matches!(operand, Operand::Int(_))).and_then(|operand| match operand {
        Operand::Int(value) => u128::try_from(value).ok(),
        _ => None,
    })
}
