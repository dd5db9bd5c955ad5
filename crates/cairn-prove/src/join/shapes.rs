//! The pairing of segments, and of segments with a single node or with nothing.

use std::rc::Rc;

use cairn_smt::Term;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Lattice;
use crate::State;
use crate::join::pairing::{Pairing, Purpose, Role};
use cairn_exec::allocation::Target;
use cairn_exec::planted;
use cairn_memory::object::End;
use cairn_memory::pointer::ObjectId;
use cairn_memory::segment::{Segment, Side};
use cairn_memory::symbolic::{Object, SymbolicMemory};

/// Checks that two objects may be paired by their roles: segment, pattern or plain object.
///
/// Merging turns a node and the pattern of a segment into one pattern. For two states, a plain object may be the only
/// node of a segment, and the objects that it owns are then paired with patterns.
pub(crate) fn same_role(purpose: Purpose, x: &Object, y: &Object) -> Option<()> {
    let same = match purpose {
        Purpose::Merge => x.segment.is_some() == y.segment.is_some(),
        Purpose::Cover | Purpose::Join => (x.segment.is_none() || y.segment.is_some()) && (!x.pattern || y.pattern),
    };
    same.then_some(())
}

/// Returns whether an old segment is empty in the new state, where its pointer leads to something else.
pub(crate) fn is_absent(p: &Pairing<'_>, a: ObjectId, b: ObjectId) -> bool {
    p.purpose != Purpose::Merge && (p.absent.contains(&b) || p.partners.get(&a).is_some_and(|&partner| partner != b))
}

/// Pairs two values of which at least one is a pointer and which have different kinds of targets.
///
/// The old value must point to a segment, which has one node or none in the new state.
pub(crate) fn pair_with_segment(lattice: &mut Lattice<'_>, p: &mut Pairing<'_>, x: Term, y: Term) -> Option<Term> {
    if p.purpose == Purpose::Merge {
        return None;
    }
    let Target::Segment(b, side, at_b) = lattice.any_target(p.old, y) else { return None };
    let left = lattice.any_target(p.new, x);
    if let Target::Object(a, at_a) = left {
        let fits = match p.partners.get(&a) {
            Some(&partner) => partner == b,
            None => {
                p.segments.role == Role::Node
                    && !p.taken.contains_key(&b)
                    && !p.absent.contains(&b)
                    && lattice.may_be_node(p, a, b)
            }
        };
        if fits {
            lattice.pair_objects(p, a, b)?;
            let at = lattice.pair_values(p, at_a, at_b)?;
            let base = lattice.end_of(&p.result, b, side)?;
            return Some(lattice.machine.terms.add(base, at));
        }
    }
    // A freed node cannot stand for an empty tree, because it gives no value for the absent children.
    let links = p.old.memory.get(b).segment.as_ref()?.links.len();
    match left {
        Target::Object(a, _) if links > 1 && p.new.memory.get(a).end != End::Live => None,
        Target::Constant(_) | Target::Object(..) | Target::Segment(..) => lattice.pair_absent(p, x, b, side, at_b, y),
        // The value is the link of a node that owns an empty list, or an optional object that a flag declares absent.
        Target::Wild if p.links.contains(&x) || p.old.memory.get(b).segment.as_ref()?.links.is_empty() => {
            lattice.pair_absent(p, x, b, side, at_b, y)
        }
        Target::Either(_) | Target::Wild => None,
    }
}

impl Lattice<'_> {
    /// Pairs two segments: their ends, their lengths and the patterns of their nodes.
    pub(crate) fn pair_segments(&mut self, p: &mut Pairing<'_>, a: ObjectId, b: ObjectId) -> Option<()> {
        let (x, y) = (p.new.memory.get(a).segment.clone()?, p.old.memory.get(b).segment.clone()?);
        // Nodes of the old state may own lists that are absent in the nodes of the new state.
        let owned = match p.purpose {
            // If skip-list levels do not explain the difference, pairing the cells of the nodes may.
            Purpose::Merge if x.owned.len() != y.owned.len() => {
                p.merge.rewrite = p.merge.rewrite.or_else(|| self.rewrite_for_levels(p.old, x.node, y.node, None));
                p.merge.rewrite.is_none()
            }
            Purpose::Merge => true,
            Purpose::Cover | Purpose::Join => planted!(36, x.owned.len() <= y.owned.len(), true),
        };
        let alike = x.links.len() == y.links.len()
            && x.at == y.at
            && planted!(34, same_links(&x, &p.new.memory, &y, &p.old.memory), true)
            && owned
            && x.back_link.is_some() == y.back_link.is_some()
            && x.fork.is_some() == y.fork.is_some()
            && x.last().is_some() == y.last().is_some();
        if !alike || planted!(33, p.purpose == Purpose::Cover && x.min < y.min, false) {
            if p.purpose == Purpose::Merge && p.merge.rewrite.is_none() {
                p.merge.rewrite = self.rewrite_for_levels(p.old, x.node, y.node, None);
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
        result.min = planted!(35, x.min.min(y.min), x.min.max(y.min));
        let Some(next) = self.pair_values(p, x.next, y.next) else {
            if p.purpose == Purpose::Merge && p.merge.rewrite.is_none() {
                p.merge.rewrite = self.rewrite_for_next(p, (a, x.next), (b, y.next));
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

    /// Returns whether everything that the nodes of paired segments own was paired, so that nothing gets lost.
    pub(crate) fn owned_are_paired(p: &Pairing<'_>) -> bool {
        let all = |state: &State, id: ObjectId, paired: &FxHashMap<ObjectId, ObjectId>| {
            let segment = state.memory.get(id).segment.as_ref();
            segment.is_none_or(|s| s.owned.iter().all(|owned| paired.contains_key(owned)))
        };
        p.partners.iter().all(|(&a, &b)| all(p.new, a, &p.partners) && all(p.old, b, &p.taken))
    }

    /// Returns the address of the node at one end of a segment.
    fn end_of(&self, state: &State, id: ObjectId, side: Side) -> Option<Term> {
        let object = state.memory.get(id);
        match side {
            Side::First => Some(object.base),
            Side::Last => object.segment.as_ref()?.last(),
        }
    }

    /// Returns whether an object of the new state may be the only node of a segment of the old state.
    fn may_be_node(&self, p: &Pairing<'_>, a: ObjectId, b: ObjectId) -> bool {
        let (x, y) = (p.new.memory.get(a), p.old.memory.get(b));
        let Some(segment) = &y.segment else { return false };
        let fewest = if planted!(37, p.purpose == Purpose::Cover, false) { segment.min } else { 0 };
        let list = segment.links.len() < 2 && segment.fork.is_none();
        let size = x.size == y.size || segment.links.is_empty();
        x.kind == y.kind && x.end == End::Live && size && list && fewest < 2
    }

    /// Pairs an object with a segment of which it is the only node.
    pub(crate) fn pair_single(&mut self, p: &mut Pairing<'_>, a: ObjectId, b: ObjectId) -> Option<()> {
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
        let one = self.machine.terms.constant(1, self.machine.pointer_bits);
        result.length = self.pair_lengths(p, one, y.length)?;
        result.sequences = self.pair_sequences(p, a, b)?;
        if p.purpose != Purpose::Cover {
            p.result.memory.get_mut(b).segment = Some(Rc::new(result));
        }
        self.pair_cells(p, a, y.node)
    }

    /// Pairs a value with a pointer to a segment that is empty in the new state.
    ///
    /// A pointer to one end of an empty segment equals the value at the other end.
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
        // An empty cycle has no value that a pointer to it could equal.
        if matches!(self.any_target(old, segment.next), Target::Segment(id, ..) if id == b) {
            return None;
        }
        let variable = self.end_of(old, b, side)?;
        let base = self.machine.terms.sub(x, at_b);
        let known = p.in_new.contains_key(&variable);
        if !p.claim(variable, base) {
            return None;
        }
        if known {
            return Some(y);
        }
        if p.absent.insert(b) {
            // Absent nodes may hold any values. The values of the old model satisfy the conditions on local variables
            // alone.
            for local in segment.variables(&old.memory) {
                let value = self.machine.terms.evaluate(local, old.path.model());
                let value = self.machine.terms.constant(value, self.machine.terms.width(local));
                p.claim(local, value);
            }
            p.absent.extend(segment.patterns(&old.memory));
            let zero = self.machine.terms.constant(0, self.machine.pointer_bits);
            let length = self.pair_lengths(p, zero, segment.length)?;
            self.change_segment(p, b, |segment| {
                segment.length = length;
                segment.min = 0;
            });
        }
        let start = self.machine.terms.constant(u128::from(segment.at), self.machine.pointer_bits);
        let beyond = self.machine.terms.add(base, start);
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

    /// Chooses values for the variables that only absent nodes mention.
    pub(crate) fn choose_absent_values(&mut self, p: &mut Pairing<'_>) {
        let mut values = Vec::new();
        for &id in &p.absent {
            p.old.memory.get(id).for_values(&mut |value| values.push(value));
        }
        for value in values {
            for &variable in self.variables_of(value).iter() {
                // A variable that the new state constrains keeps its value there.
                if p.in_new.contains_key(&variable)
                    || !p.new.path.relevant(&self.machine.terms, &[variable]).0.is_empty()
                {
                    continue;
                }
                let bits = self.machine.terms.evaluate(variable, p.old.path.model());
                let constant = self.machine.terms.constant(bits, self.machine.terms.width(variable));
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

    /// Pairs two lengths. Lengths are counters, so different lengths never keep states apart.
    fn pair_lengths(&mut self, p: &mut Pairing<'_>, new: Term, old: Term) -> Option<Term> {
        let counting = std::mem::replace(&mut p.counting, true);
        let length = self.pair_values(p, new, old);
        p.counting = counting;
        length
    }

    /// Decides which variables of the result are local to a segment.
    ///
    /// A variable is local if it stands for a term with a local variable in one of the two states. A state does not
    /// cover another state whose nodes have individual values where its own nodes share one.
    pub(crate) fn assign_locals(&mut self, p: &mut Pairing<'_>) -> Option<()> {
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
                self.assign_segment_locals(p, a, b)?;
            }
        }
        Some(())
    }

    /// Returns whether the old state keeps apart all values that are local in the new state.
    ///
    /// An old variable may stand for a term with local variables of a new segment only if it is local to the partner
    /// of that segment. Segments that the partner's nodes own count as well. Any other old variable has one value for
    /// all nodes, while the new nodes may differ.
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
        // Segments without a partner have local variables as well.
        let rest: FxHashSet<Term> = locals_in(&p.new.memory).difference(&known).copied().collect();
        !claims.iter().any(|&(_, new)| self.mentions(new, &rest))
    }

    /// Collects the local variables of one segment of the result.
    fn assign_segment_locals(&mut self, p: &mut Pairing<'_>, a: ObjectId, b: ObjectId) -> Option<()> {
        // An object that is the only node of a segment has no local variables.
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

/// Returns whether the nodes of two segments have their links in the same cells.
///
/// One common cell is enough: if several cells hold the link, all but one are empty lists of a lower level.
fn same_links(x: &Segment, new: &SymbolicMemory, y: &Segment, old: &SymbolicMemory) -> bool {
    let cells = |memory: &SymbolicMemory, segment: &Segment, variable: Term| -> Vec<u64> {
        let node = memory.get(segment.node);
        node.cells().filter(|cell| cell.2 == variable).map(|cell| cell.0).collect()
    };
    // The link of a path through a tree is in one of two cells, which are compared like any other cell.
    let links = x.links.iter().zip(&y.links).filter(|_| x.fork.is_none());
    let pairs = links.chain(x.back_link.iter().zip(&y.back_link));
    pairs.into_iter().all(|(&a, &b)| {
        let (at_a, at_b) = (cells(new, x, a), cells(old, y, b));
        at_a.iter().any(|at| at_b.contains(at))
    })
}

/// Returns the local variables of a segment, without those of segments that its nodes own.
fn own_locals(segment: &Segment, memory: &SymbolicMemory) -> FxHashSet<Term> {
    let bases = std::iter::once(segment.node).chain(segment.owned.iter().copied()).flat_map(|id| {
        let object = memory.get(id);
        [Some(object.base), object.segment.as_ref().and_then(|inner| inner.last())].into_iter().flatten()
    });
    segment.locals.iter().chain(&segment.links).chain(&segment.back_link).copied().chain(bases).collect()
}

/// Returns all local variables of a memory.
pub(crate) fn locals_in(memory: &SymbolicMemory) -> FxHashSet<Term> {
    let segments = memory.iter().filter_map(|(_, object)| object.segment.as_deref());
    segments.flat_map(|segment| own_locals(segment, memory)).collect()
}
