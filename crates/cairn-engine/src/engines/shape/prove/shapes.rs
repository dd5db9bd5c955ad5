//! Segments in the pairing of two states, and where the shapes of two states differ.

use std::rc::Rc;

use cairn_smt::Term;
use rustc_hash::{FxHashMap, FxHashSet};

use super::pair::{Meeting, Pairing, Purpose};
use crate::engines::shape::Explorer;
use crate::engines::shape::allocation::Target;
use crate::engines::shape::state::State;
use crate::memory::object::End;
use crate::memory::pointer::ObjectId;
use crate::memory::segment::{Segment, Side};
use crate::memory::symbolic::{Object, SymbolicMemory};

/// Whether two objects play the same part. A node and the pattern of a segment become one pattern, and where states are paired
/// an object may be the only node of a segment, with what it owns.
pub(super) fn same_role(purpose: Purpose, x: &Object, y: &Object) -> Option<()> {
    let same = match purpose {
        Purpose::Merge => x.segment.is_some() == y.segment.is_some(),
        Purpose::Cover | Purpose::Join => (x.segment.is_none() || y.segment.is_some()) && (!x.pattern || y.pattern),
    };
    same.then_some(())
}

/// Whether a segment of the old state has no node in the new one, because what the pointer to it leads to there is something else.
pub(super) fn is_absent(p: &Pairing<'_>, a: ObjectId, b: ObjectId) -> bool {
    p.purpose != Purpose::Merge && (p.absent.contains(&b) || p.partners.get(&a).is_some_and(|&partner| partner != b))
}

/// The result's term for two values of which at least one is a pointer, and which are not two pointers to plain objects nor to the
/// same ends of segments: the old one leads to a segment, which in the new state has one node, or none.
pub(super) fn pair_unequal(explorer: &mut Explorer<'_>, p: &mut Pairing<'_>, x: Term, y: Term) -> Option<Term> {
    if p.purpose == Purpose::Merge {
        return None;
    }
    let Target::Segment(b, side, at_b) = explorer.target(p.old, y) else { return None };
    let left = explorer.target(p.new, x);
    if let Target::Object(a, at_a) = left {
        let fits = match p.partners.get(&a) {
            Some(&partner) => partner == b,
            None => {
                p.meeting == Meeting::Node
                    && !p.taken.contains_key(&b)
                    && !p.absent.contains(&b)
                    && explorer.may_be_node(p, a, b)
            }
        };
        if fits {
            explorer.pair_objects(p, a, b)?;
            let at = explorer.pair_values(p, at_a, at_b)?;
            let base = explorer.end_of(&p.result, b, side)?;
            return Some(explorer.terms.add(base, at));
        }
    }
    // A tree that is gone is none that has no nodes: what would its absent children be?
    let links = p.old.memory.get(b).segment.as_ref()?.links.len();
    match left {
        Target::Object(a, _) if links > 1 && p.new.memory.get(a).end != End::Live => None,
        Target::Constant(_) | Target::Object(..) | Target::Segment(..) => explorer.pair_absent(p, x, b, side, at_b, y),
        // A list between two nodes of another one that is empty, or something that a flag says is not there.
        Target::Wild if p.links.contains(&x) || p.old.memory.get(b).segment.as_ref()?.links.is_empty() => {
            explorer.pair_absent(p, x, b, side, at_b, y)
        }
        Target::Either(_) | Target::Wild => None,
    }
}

impl Explorer<'_> {
    /// Pairs two segments: their ends, their lengths and the patterns of their nodes.
    pub(super) fn pair_segments(&mut self, p: &mut Pairing<'_>, a: ObjectId, b: ObjectId) -> Option<()> {
        let (x, y) = (p.new.memory.get(a).segment.clone()?, p.old.memory.get(b).segment.clone()?);
        // Where the nodes of the old state own a list, those of the new one may have nothing.
        let owned = match p.purpose {
            // What levels do not explain, the cells of the nodes may.
            Purpose::Merge if x.owned.len() != y.owned.len() => {
                p.wish = p.wish.or_else(|| self.level_wish(p.old, x.node, y.node, None));
                p.wish.is_none()
            }
            Purpose::Merge => true,
            Purpose::Cover | Purpose::Join => x.owned.len() <= y.owned.len(),
        };
        let alike = x.links.len() == y.links.len()
            && x.at == y.at
            && same_links(&x, &p.new.memory, &y, &p.old.memory)
            && owned
            && x.back_link.is_some() == y.back_link.is_some()
            && x.fork.is_some() == y.fork.is_some()
            && x.last().is_some() == y.last().is_some();
        if !alike || (p.purpose == Purpose::Cover && x.min < y.min) {
            if p.purpose == Purpose::Merge && p.wish.is_none() {
                p.wish = self.level_wish(p.old, x.node, y.node, None);
            }
            return None;
        }
        if let (Some(new), Some(old)) = (x.fork, y.fork) {
            if p.purpose != Purpose::Merge && !p.claim(old, new) {
                return None;
            }
            p.seed(new, old, old);
        }
        let links = x.links.iter().zip(&y.links).chain(x.back_link.iter().zip(&y.back_link));
        for (&new, &old) in links {
            if p.purpose != Purpose::Merge && !p.claim(old, new) {
                return None;
            }
            p.seed(new, old, old);
            p.links.extend([new, old]);
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
        let Some(next) = self.pair_values(p, x.next, y.next) else {
            if p.purpose == Purpose::Merge && p.wish.is_none() {
                p.wish = self.wish_to_follow(p, (a, x.next), (b, y.next));
            }
            return None;
        };
        result.next = next;
        if let (Some(new), Some(old), Some(back)) = (x.back, y.back, &mut result.back) {
            back.prev = self.pair_values(p, new.prev, old.prev)?;
        }
        result.length = self.pair_lengths(p, x.length, y.length)?;
        result.sequences = self.pair_sequences(p, a, b)?;
        if p.purpose != Purpose::Cover {
            p.result.memory.get_mut(b).segment = Some(Rc::new(result));
        }
        Some(())
    }

    /// Whether with each segment everything that its nodes own was paired: what was not would be lost.
    pub(super) fn owned_are_paired(p: &Pairing<'_>) -> bool {
        let all = |state: &State, id: ObjectId, paired: &FxHashMap<ObjectId, ObjectId>| {
            let segment = state.memory.get(id).segment.as_ref();
            segment.is_none_or(|s| s.owned.iter().all(|owned| paired.contains_key(owned)))
        };
        p.partners.iter().all(|(&a, &b)| all(p.new, a, &p.partners) && all(p.old, b, &p.taken))
    }

    /// The address of the node at one end of a segment.
    fn end_of(&self, state: &State, id: ObjectId, side: Side) -> Option<Term> {
        let object = state.memory.get(id);
        match side {
            Side::First => Some(object.base),
            Side::Last => object.segment.as_ref()?.last(),
        }
    }

    /// Whether an object of the new state may be the only node of a segment of the old one.
    fn may_be_node(&self, p: &Pairing<'_>, a: ObjectId, b: ObjectId) -> bool {
        let (x, y) = (p.new.memory.get(a), p.old.memory.get(b));
        let Some(segment) = &y.segment else { return false };
        let fewest = if p.purpose == Purpose::Cover { segment.min } else { 0 };
        let list = segment.links.len() < 2 && segment.fork.is_none();
        let size = x.size == y.size || segment.links.is_empty();
        x.kind == y.kind && x.end == End::Live && size && list && fewest < 2
    }

    /// Pairs an object with a segment of which it is the only node.
    pub(super) fn pair_single(&mut self, p: &mut Pairing<'_>, a: ObjectId, b: ObjectId) -> Option<()> {
        let (x, object) = (p.new.memory.get(a), p.old.memory.get(b));
        let y = object.segment.clone()?;
        if y.links.len() > 1
            || y.fork.is_some()
            || (p.purpose == Purpose::Cover && y.min > 1)
            || p.taken.contains_key(&y.node)
        {
            return None;
        }
        let pattern = p.old.memory.get(y.node);
        if !pattern.indexed().is_empty() {
            return None;
        }
        if p.purpose == Purpose::Join && self.differ_in_level((p.new, a, &None), (p.old, y.node, &Some(y.clone()))) {
            return None;
        }
        let bases = y.last().into_iter().chain([pattern.base]);
        for base in bases {
            if !self.claim_base(p, x.base, base) {
                return None;
            }
        }
        p.taken.insert(y.node, a);
        let size = self.pair_values(p, x.size, pattern.size)?;
        if size != pattern.size {
            p.result.memory.get_mut(y.node).size = size;
        }
        let mut result = (*y).clone();
        let linked = |variable: Term| {
            let at = pattern.cells().find(|cell| cell.2 == variable)?.0;
            let (start, _, value) = x.cell_at(at)?;
            (start == at).then_some(value)
        };
        if let [link] = *y.links {
            let value = linked(link)?;
            p.claim(link, value);
            p.seed(value, link, link);
            result.next = self.pair_values(p, value, y.next)?;
        }
        if let (Some(variable), Some(back), Some(result_back)) = (y.back_link, y.back, &mut result.back) {
            let value = linked(variable)?;
            p.claim(variable, value);
            p.seed(value, variable, variable);
            result_back.prev = self.pair_values(p, value, back.prev)?;
        }
        result.min = y.min.min(1);
        let one = self.terms.constant(1, self.pointer_bits);
        result.length = self.pair_lengths(p, one, y.length)?;
        result.sequences = self.pair_sequences(p, a, b)?;
        if p.purpose != Purpose::Cover {
            p.result.memory.get_mut(b).segment = Some(Rc::new(result));
        }
        self.pair_cells(p, a, y.node)
    }

    /// Pairs a value with a pointer to a segment that has no node in the new state: then the pointer is what lies at the segment's
    /// other end.
    fn pair_absent(
        &mut self,
        p: &mut Pairing<'_>,
        x: Term,
        b: ObjectId,
        side: Side,
        at_b: Term,
        y: Term,
    ) -> Option<Term> {
        let old = p.old;
        let segment = old.memory.get(b).segment.clone()?;
        if p.taken.contains_key(&b) || (p.purpose == Purpose::Cover && segment.min > 0) {
            return None;
        }
        // A cycle without nodes would lead nowhere: what the pointer to it is instead could not be said.
        if matches!(self.target(old, segment.next), Target::Segment(id, ..) if id == b) {
            return None;
        }
        let variable = self.end_of(old, b, side)?;
        let base = self.terms.sub(x, at_b);
        let known = p.in_new.contains_key(&variable);
        if !p.claim(variable, base) {
            return None;
        }
        if known {
            return Some(y);
        }
        if p.absent.insert(b) {
            // Any values will do for nodes that are not there; those at hand satisfy what is said of nodes alone.
            for local in segment.variables(&old.memory) {
                let value = self.terms.evaluate(local, old.path.model());
                let value = self.terms.constant(value, self.terms.width(local));
                p.claim(local, value);
            }
            p.absent.extend(segment.patterns(&old.memory));
            let zero = self.terms.constant(0, self.pointer_bits);
            let length = self.pair_lengths(p, zero, segment.length)?;
            self.change_segment(p, b, |segment| {
                segment.length = length;
                segment.min = 0;
            });
        }
        let start = self.terms.constant(u128::from(segment.at), self.pointer_bits);
        let beyond = self.terms.add(base, start);
        match side {
            Side::First => {
                let next = self.pair_values(p, beyond, segment.next)?;
                self.change_segment(p, b, |segment| segment.next = next);
            }
            Side::Last => {
                let prev = self.pair_values(p, beyond, segment.back?.prev)?;
                self.change_segment(p, b, |segment| {
                    if let Some(back) = &mut segment.back {
                        back.prev = prev;
                    }
                });
            }
        }
        Some(y)
    }

    /// Chooses values for what only nodes hold that are not there.
    pub(super) fn settle_absent(&mut self, p: &mut Pairing<'_>) {
        let mut values = Vec::new();
        for &id in &p.absent {
            p.old.memory.get(id).for_values(&mut |value| values.push(value));
        }
        for value in values {
            for &variable in self.variables_of(value).iter() {
                // A variable of the new state has a value there.
                if p.in_new.contains_key(&variable) || !p.new.path.relevant(&self.terms, &[variable]).0.is_empty() {
                    continue;
                }
                let bits = self.terms.evaluate(variable, p.old.path.model());
                let constant = self.terms.constant(bits, self.terms.width(variable));
                p.claim(variable, constant);
            }
        }
    }

    fn change_segment(&mut self, p: &mut Pairing<'_>, id: ObjectId, change: impl FnOnce(&mut Segment)) {
        if p.purpose != Purpose::Cover
            && let Some(segment) = &mut p.result.memory.get_mut(id).segment
        {
            change(Rc::make_mut(segment));
        }
    }

    /// Lengths are counted, never told apart.
    fn pair_lengths(&mut self, p: &mut Pairing<'_>, new: Term, old: Term) -> Option<Term> {
        let counting = std::mem::replace(&mut p.counting, true);
        let length = self.pair_values(p, new, old);
        p.counting = counting;
        length
    }

    /// Says of each variable of the result whether it is local to a segment: it is when what it stands for is in one of the two
    /// states. A state does not cover another in which nodes have values of their own where its nodes share one.
    pub(super) fn settle_locals(&mut self, p: &mut Pairing<'_>) -> Option<()> {
        let segments = |state: &State| state.memory.iter().any(|(_, object)| object.segment.is_some());
        if !segments(p.new) && !segments(p.old) {
            return Some(());
        }
        let pairs: Vec<(ObjectId, ObjectId)> = p.partners.iter().map(|(&a, &b)| (a, b)).collect();
        if p.purpose == Purpose::Cover {
            return self.covers_locals(p, &pairs).then_some(());
        }
        for (a, b) in pairs {
            if p.result.memory.get(b).segment.is_some() {
                self.settle_segment(p, a, b)?;
            }
        }
        Some(())
    }

    /// Whether no variable of the old state stands for what is local to a segment of the new one, unless it is local to the partner of
    /// that segment, or to one that the partner's nodes own: what all of them share there may differ here.
    fn covers_locals(&mut self, p: &Pairing<'_>, pairs: &[(ObjectId, ObjectId)]) -> bool {
        let claims: Vec<(Term, Term)> = p.in_new.iter().map(|(&old, &new)| (old, new)).collect();
        let mut known: FxHashSet<Term> = FxHashSet::default();
        for &(a, b) in pairs {
            let Some(x) = p.new.memory.get(a).segment.clone() else { continue };
            let own = own_locals(&x, &p.new.memory);
            let allowed: FxHashSet<Term> = match &p.old.memory.get(b).segment {
                Some(y) => y.variables(&p.old.memory).into_iter().collect(),
                None => FxHashSet::default(),
            };
            if claims.iter().any(|&(old, new)| !allowed.contains(&old) && self.mentions(new, &own)) {
                return false;
            }
            known.extend(own);
        }
        // Segments without a partner have locals, too.
        let rest: FxHashSet<Term> = locals_in(&p.new.memory).difference(&known).copied().collect();
        !claims.iter().any(|&(_, new)| self.mentions(new, &rest))
    }

    /// The locals of one segment of the result.
    fn settle_segment(&mut self, p: &mut Pairing<'_>, a: ObjectId, b: ObjectId) -> Option<()> {
        // An object that is the only node of a segment has nothing that is local.
        let (x, y) = (p.new.memory.get(a).segment.clone(), p.old.memory.get(b).segment.clone()?);
        let own_new = x.as_ref().map_or_else(FxHashSet::default, |x| own_locals(x, &p.new.memory));
        let own_old = own_locals(&y, &p.old.memory);
        let deeper = |segment: &Segment, memory: &SymbolicMemory| -> FxHashSet<Term> {
            let inner = segment.owned.iter().filter_map(|&id| memory.get(id).segment.clone());
            inner.flat_map(|inner| inner.variables(memory)).collect()
        };
        let deep_new = x.as_ref().map_or_else(FxHashSet::default, |x| deeper(x, &p.new.memory));
        let deep_old = deeper(&y, &p.old.memory);
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

/// Whether the nodes of two segments have their links in the same cells. One cell is enough: where several hold the link, all but one
/// are lists of a lower level without nodes.
fn same_links(x: &Segment, new: &SymbolicMemory, y: &Segment, old: &SymbolicMemory) -> bool {
    let cells = |memory: &SymbolicMemory, segment: &Segment, variable: Term| -> Vec<u64> {
        let node = memory.get(segment.node);
        node.cells().filter(|cell| cell.2 == variable).map(|cell| cell.0).collect()
    };
    // The link of a path is in one of two cells, which are compared like any other.
    let links = x.links.iter().zip(&y.links).filter(|_| x.fork.is_none());
    let pairs = links.chain(x.back_link.iter().zip(&y.back_link));
    pairs.into_iter().all(|(&a, &b)| {
        let (at_a, at_b) = (cells(new, x, a), cells(old, y, b));
        at_a.iter().any(|at| at_b.contains(at))
    })
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
