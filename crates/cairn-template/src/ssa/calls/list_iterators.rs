//! List iterators (thesis §3.7.3): a pointer that a loop moves along a field of its target.
//!
//! An iterator stands for the node that the pointer points to in one iteration. The reads and writes of the loop
//! through the pointer are its accesses.
//!
//! The thesis introduces an object for an iterator. In every iteration it binds that object to the current node: `p =
//! &r => it = r` with equal fields, for every reachable object `r` of the calling context (Algorithm 11). Writes
//! through the iterator are bound back to these objects (Algorithm 12).
//!
//! The encoding here needs no such object. The objects of all bodies share one numbering, so the pointer at the loop
//! head has the number of the caller's object, and `p = &r => p->f = r.f` is the meaning of a dereference. A tracked
//! instance is one concrete object. The node of an iteration is therefore one of the instances of the query, and a
//! write is a strong update of that node alone. Substituting `r` for `it` in Algorithm 11 gives this formula, so the
//! two are equivalent for one iterator. For two iterators the encoding is more precise: in the thesis they are
//! different objects even when they are at the same node. The names that Algorithms 9 and 10 create for objects behind
//! an iterator (`it.next^obj`) are object numbers here.
//!
//! This module only finds the iterating pointers (Algorithm 8) and their accesses, for printing bindings.

use std::collections::{BTreeMap, BTreeSet};

use cairn_ir::program::Param;
use cairn_ir::{Body, Inst, Operand, Ty};

use crate::limits::MAX_ITERATOR_FIELDS;
use crate::ssa::control_flow::natural_loops::{Loop, Loops};

/// A pointer that iterates over a list in a loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::ssa) struct Iterator {
    /// The head of the loop.
    pub(in crate::ssa) head: usize,
    /// The induction pointer, a register.
    pub(in crate::ssa) pointer: u32,
    /// The name of the induction pointer.
    pub(in crate::ssa) name: String,
    /// The pointer to the initial node: a parameter, or the induction pointer itself before the loop.
    pub(in crate::ssa) initial: String,
    /// The iterator field.
    pub(in crate::ssa) field: u64,
    /// The accesses of the loop through the iterator.
    pub(in crate::ssa) accesses: BTreeSet<Access>,
}

/// An iterator access: the followed fields, and the line of a write.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(in crate::ssa) struct Access {
    pub(in crate::ssa) fields: Vec<u64>,
    pub(in crate::ssa) written: Option<u32>,
}

/// The access path of each register of a loop: the induction pointer at the loop head and the fields followed from it.
type AccessPaths = BTreeMap<u32, (u32, Vec<u64>)>;

/// Returns the iterators of a function.
pub(in crate::ssa) fn iterators(body: &Body, loops: &Loops) -> Vec<Iterator> {
    loops.loops.iter().flat_map(|l| of_loop(body, l)).collect()
}

fn of_loop(body: &Body, inside: &Loop) -> Vec<Iterator> {
    // How often the loop assigns each register.
    let mut assigned: BTreeMap<u32, u32> = BTreeMap::new();
    let insts = || inside.blocks.iter().flat_map(|&b| body.blocks[b].insts.iter().zip(&body.blocks[b].locs));
    for (inst, _) in insts() {
        if let Some(dst) = inst.dst() {
            *assigned.entry(dst.0).or_default() += 1;
        }
    }
    let pointers = |reg: u32| body.regs[reg as usize].ty == Ty::Ptr;
    let once = |reg: u32| assigned.get(&reg) == Some(&1);
    // A pointer that is assigned once per iteration may be an induction pointer. Registers computed from it by single
    // assignments have an access path.
    let candidates =
        assigned.keys().copied().filter(|&reg| once(reg) && pointers(reg) && body.regs[reg as usize].name.is_some());
    let mut found = Vec::new();
    for pointer in candidates {
        let mut paths: AccessPaths = BTreeMap::from([(pointer, (pointer, Vec::new()))]);
        let mut moved = None;
        loop {
            let before = paths.len();
            for (inst, _) in insts() {
                let (dst, path) = match *inst {
                    Inst::Move { dst, src: Operand::Reg(src) } => (dst.0, paths.get(&src.0).cloned()),
                    Inst::Load { dst, ty: Ty::Ptr, addr: Operand::Reg(addr), offset, .. } if offset >= 0 => {
                        let longer = |(root, fields): &(u32, Vec<u64>)| {
                            (*root, fields.iter().copied().chain([offset as u64]).collect::<Vec<_>>())
                        };
                        (dst.0, paths.get(&addr.0).map(longer))
                    }
                    _ => continue,
                };
                let Some(path) = path.filter(|(_, fields)| fields.len() <= MAX_ITERATOR_FIELDS) else { continue };
                if dst == pointer {
                    moved = Some(path.1);
                } else if once(dst) {
                    paths.entry(dst).or_insert(path);
                }
            }
            if paths.len() == before {
                break;
            }
        }
        // Algorithm 8: the target moved by one field.
        let Some([field]) = moved.as_deref().map(<[u64]>::to_vec).and_then(|fields| <[u64; 1]>::try_from(fields).ok())
        else {
            continue;
        };
        let mut accesses = BTreeSet::new();
        for (inst, loc) in insts() {
            let (addr, offset, written) = match *inst {
                Inst::Load { addr: Operand::Reg(addr), offset, .. } => (addr, offset, None),
                Inst::Store { addr: Operand::Reg(addr), offset, .. } => (addr, offset, Some(loc.line)),
                _ => continue,
            };
            if let (Some((_, fields)), true) = (paths.get(&addr.0), offset >= 0) {
                let fields = fields.iter().copied().chain([offset as u64]).collect();
                accesses.insert(Access { fields, written });
            }
        }
        let name = body.regs[pointer as usize].name.as_deref().unwrap_or_default().to_owned();
        let initial = initial(body, inside, pointer).unwrap_or_else(|| name.clone());
        found.push(Iterator { head: inside.head, pointer, name, initial, field, accesses });
    }
    found
}

/// Returns the parameter that an induction pointer is initialised with, if any.
fn initial(body: &Body, inside: &Loop, pointer: u32) -> Option<String> {
    let outside = (0..body.blocks.len()).filter(|block| !inside.blocks.contains(block));
    let insts = outside.flat_map(|block| &body.blocks[block].insts);
    let mut before = insts.filter(|inst| inst.dst().is_some_and(|dst| dst.0 == pointer));
    let Some(Inst::Move { src: Operand::Reg(from), .. }) = before.next() else { return None };
    if before.next().is_some() {
        return None;
    }
    let param = body.params.iter().any(|param| matches!(param, Param::Reg(reg) if reg == from));
    if param { body.regs[from.index()].name.as_deref().map(str::to_owned) } else { None }
}
