//! List iterators (thesis §3.7.3): a pointer that a loop moves along a field of what it points to. An iterator stands for the node that
//! the pointer is at in any one turn; what the loop reads and writes through it are its accesses.
//!
//! The thesis makes an object of an iterator and binds it, in every turn, to whichever node the pointer is at: `p = &r => it = r` with
//! equal fields, for every object `r` of the calling context that is reachable (Algorithm 11); what is written through it is bound back
//! to these objects (Algorithm 12). Here nothing stands between the loop and the node. The objects of all bodies have one numbering, so
//! the pointer at the head of the loop has the number of the caller's object, and `p = &r => p->f = r.f` is what a dereference means; a
//! tracked instance is one concrete object, so that the node of a turn is one of those the question is about, and a write is a strong
//! one to it and to no other. Substituting `r` for `it` in Algorithm 11 gives this formula, so it says the same of one iterator. It says
//! more of two: iterators of the thesis are different objects also where they are at one node. Algorithms 9 and 10 make names for what
//! is behind an iterator (`it.next^obj`), which are numbers of objects here.
//!
//! What is found here is which pointers iterate (Algorithm 8) and what they access, for people who read the bindings.

use std::collections::{BTreeMap, BTreeSet};

use cairn_ir::program::Param;
use cairn_ir::{Body, Inst, Operand, Ty};

use super::loops::{Loop, Loops};

/// A pointer that iterates over a list in a loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Iterator {
    /// The head of the loop.
    pub(super) head: usize,
    /// The induction pointer: a register.
    pub(super) pointer: u32,
    /// What it is called.
    pub(super) name: String,
    /// What points to the initial node: a parameter, or the pointer itself before the loop.
    pub(super) initial: String,
    /// The field by which it moves.
    pub(super) field: u64,
    /// What the loop accesses through it.
    pub(super) accesses: BTreeSet<Access>,
}

/// An access through an iterator: the fields that lead to it, and the line of a write.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Access {
    pub(super) fields: Vec<u64>,
    pub(super) written: Option<u32>,
}

/// Where a register of a loop leads to: the pointer at the head of the loop, and the fields that are followed from it.
type Ways = BTreeMap<u32, (u32, Vec<u64>)>;

/// Fields that are followed from the node of an iterator at most.
const MAX_FIELDS: usize = 4;

/// The iterators of a function.
pub(super) fn iterators(body: &Body, loops: &Loops) -> Vec<Iterator> {
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
    // A pointer that is moved once in a turn may be an induction pointer; everything that is computed once from it has a way.
    let candidates =
        assigned.keys().copied().filter(|&reg| once(reg) && pointers(reg) && body.regs[reg as usize].name.is_some());
    let mut found = Vec::new();
    for pointer in candidates {
        let mut ways: Ways = BTreeMap::from([(pointer, (pointer, Vec::new()))]);
        let mut moved = None;
        loop {
            let before = ways.len();
            for (inst, _) in insts() {
                let (dst, way) = match *inst {
                    Inst::Move { dst, src: Operand::Reg(src) } => (dst.0, ways.get(&src.0).cloned()),
                    Inst::Load { dst, ty: Ty::Ptr, addr: Operand::Reg(addr), offset, .. } if offset >= 0 => {
                        let longer = |(root, fields): &(u32, Vec<u64>)| {
                            (*root, fields.iter().copied().chain([offset as u64]).collect::<Vec<_>>())
                        };
                        (dst.0, ways.get(&addr.0).map(longer))
                    }
                    _ => continue,
                };
                let Some(way) = way.filter(|(_, fields)| fields.len() <= MAX_FIELDS) else { continue };
                if dst == pointer {
                    moved = Some(way.1);
                } else if once(dst) {
                    ways.entry(dst).or_insert(way);
                }
            }
            if ways.len() == before {
                break;
            }
        }
        // Algorithm 8: what it points to moved by one field.
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
            if let (Some((_, fields)), true) = (ways.get(&addr.0), offset >= 0) {
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

/// The parameter that an induction pointer starts with, where it does.
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
