//! Segments in the pairing of two states, and where the shapes of two states differ.

use std::rc::Rc;

use cairn_smt::Term;
use rustc_hash::FxHashSet;

use super::pair::{Pairing, Purpose};
use crate::engines::shape::Explorer;
use crate::engines::shape::state::State;
use crate::memory::pointer::ObjectId;
use crate::memory::segment::Segment;
use crate::memory::symbolic::{Object, SymbolicMemory};

/// Whether two objects play the same part. A node and the pattern of a segment become one pattern.
pub(super) fn same_role(purpose: Purpose, x: &Object, y: &Object) -> Option<()> {
    let same = x.segment.is_some() == y.segment.is_some() && (x.pattern == y.pattern || purpose == Purpose::Merge);
    same.then_some(())
}

/// The result's term for two values of which at least one is a pointer, and which are not two pointers to plain objects.
pub(super) fn pair_unequal(_: &mut Explorer<'_>, _: &mut Pairing<'_>, _: Term, _: Term) -> Option<Term> {
    None
}

impl Explorer<'_> {
    /// Pairs two segments: their ends, their lengths and the patterns of their nodes.
    pub(super) fn pair_segments(&mut self, p: &mut Pairing<'_>, a: ObjectId, b: ObjectId) -> Option<()> {
        let (x, y) = (p.new.memory.get(a).segment.clone()?, p.old.memory.get(b).segment.clone()?);
        let alike = x.links.len() == y.links.len()
            && x.at == y.at
            && x.owned.len() == y.owned.len()
            && x.back_link.is_some() == y.back_link.is_some()
            && x.last().is_some() == y.last().is_some();
        if !alike || (p.purpose == Purpose::Cover && x.min < y.min) {
            return None;
        }
        // Nodes that hang together by other cells are other nodes.
        let offsets = |segment: &Segment, memory: &SymbolicMemory| -> Vec<Option<u64>> {
            let node = memory.get(segment.node);
            let offset = |link: &Term| node.cells().find(|(_, _, value)| value == link).map(|(at, ..)| at);
            segment.links.iter().chain(&segment.back_link).map(offset).collect()
        };
        if offsets(&x, &p.new.memory) != offsets(&y, &p.old.memory) {
            return None;
        }
        let links = x.links.iter().zip(&y.links).chain(x.back_link.iter().zip(&y.back_link));
        for (&new, &old) in links {
            if p.purpose != Purpose::Merge && !p.claim(old, new) {
                return None;
            }
            p.seed(new, old, old);
        }
        if let (Some(new), Some(old)) = (x.last(), y.last())
            && p.purpose != Purpose::Merge
            && !p.claim(old, new)
        {
            return None;
        }
        self.pair_objects(p, x.node, y.node)?;
        let mut result = (*y).clone();
        result.min = x.min.min(y.min);
        result.next = self.pair_values(p, x.next, y.next)?;
        if let (Some(new), Some(old), Some(back)) = (x.back, y.back, &mut result.back) {
            back.prev = self.pair_values(p, new.prev, old.prev)?;
        }
        // Lengths are counted, never told apart.
        let counting = std::mem::replace(&mut p.counting, true);
        result.length = self.pair_values(p, x.length, y.length)?;
        p.counting = counting;
        if p.purpose != Purpose::Cover {
            p.result.memory.get_mut(b).segment = Some(Rc::new(result));
        }
        Some(())
    }

    /// Says of each variable of the result whether it is local to a segment: it is when what it stands for is in one of the two
    /// states. A state does not cover another in which nodes have values of their own where its nodes share one.
    pub(super) fn settle_locals(&mut self, p: &mut Pairing<'_>) -> Option<()> {
        let segments = |state: &State| state.memory.iter().any(|(_, object)| object.segment.is_some());
        if !segments(p.new) && !segments(p.old) {
            return Some(());
        }
        let (new_locals, old_locals) = (locals_in(&p.new.memory), locals_in(&p.old.memory));
        if p.purpose == Purpose::Cover {
            let claims: Vec<(Term, Term)> = p.in_new.iter().map(|(&old, &new)| (old, new)).collect();
            let shared = |explorer: &mut Self, (old, new): (Term, Term)| {
                !old_locals.contains(&old) && explorer.mentions(new, &new_locals)
            };
            return (!claims.into_iter().any(|claim| shared(self, claim))).then_some(());
        }
        let pairs: Vec<(ObjectId, ObjectId)> = p.partners.iter().map(|(&a, &b)| (a, b)).collect();
        for (a, b) in pairs {
            if p.result.memory.get(b).segment.is_some() {
                self.settle_segment(p, a, b)?;
            }
        }
        Some(())
    }

    /// The locals of one segment of the result.
    fn settle_segment(&mut self, p: &mut Pairing<'_>, a: ObjectId, b: ObjectId) -> Option<()> {
        let (x, y) = (p.new.memory.get(a).segment.clone()?, p.old.memory.get(b).segment.clone()?);
        let (own_new, own_old) = (own_locals(&x, &p.new.memory), own_locals(&y, &p.old.memory));
        let deeper = |segment: &Segment, memory: &SymbolicMemory| -> FxHashSet<Term> {
            let inner = segment.owned.iter().filter_map(|&id| memory.get(id).segment.clone());
            inner.flat_map(|inner| inner.variables(memory)).collect()
        };
        let (deep_new, deep_old) = (deeper(&x, &p.new.memory), deeper(&y, &p.old.memory));
        let mut segment = (*p.result.memory.get(b).segment.clone()?).clone();
        let mut met = FxHashSet::default();
        for id in segment.patterns(&p.result.memory) {
            let object = p.result.memory.get(id);
            met.extend(self.variables_of(object.size).iter().copied());
            let mut values = Vec::new();
            object.for_values(&mut |value| values.push(value));
            values.into_iter().for_each(|value| met.extend(self.variables_of(value).iter().copied()));
        }
        let fixed: FxHashSet<Term> = segment.links.iter().chain(&segment.back_link).copied().collect();
        let bases: FxHashSet<Term> =
            segment.patterns(&p.result.memory).iter().map(|&id| p.result.memory.get(id).base).collect();
        segment.locals.clear();
        for variable in met {
            if fixed.contains(&variable) || bases.contains(&variable) {
                continue;
            }
            let in_new = p.in_new.get(&variable).copied().unwrap_or(variable);
            let in_old = p.in_old.get(&variable).copied().unwrap_or(variable);
            let own = self.mentions(in_new, &own_new) || self.mentions(in_old, &own_old);
            let deep = self.mentions(in_new, &deep_new) || self.mentions(in_old, &deep_old);
            if own && !deep {
                segment.locals.push(variable);
            }
        }
        segment.locals.sort_unstable();
        p.result.memory.get_mut(b).segment = Some(Rc::new(segment));
        Some(())
    }

    fn mentions(&mut self, term: Term, among: &FxHashSet<Term>) -> bool {
        !among.is_empty() && self.variables_of(term).iter().any(|variable| among.contains(variable))
    }
}

/// The local variables of a segment itself, without those of segments that its nodes own.
fn own_locals(segment: &Segment, memory: &SymbolicMemory) -> FxHashSet<Term> {
    let bases = std::iter::once(segment.node).chain(segment.owned.iter().copied()).flat_map(|id| {
        let object = memory.get(id);
        [Some(object.base), object.segment.as_ref().and_then(|inner| inner.last())].into_iter().flatten()
    });
    segment.locals.iter().chain(&segment.links).chain(&segment.back_link).copied().chain(bases).collect()
}

/// All local variables of a memory.
pub(super) fn locals_in(memory: &SymbolicMemory) -> FxHashSet<Term> {
    let segments = memory.iter().filter_map(|(_, object)| object.segment.as_deref());
    segments.flat_map(|segment| own_locals(segment, memory)).collect()
}
