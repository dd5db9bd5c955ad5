//! Nodes of segments: copies of their patterns with variables of their own.

use cairn_exec::{Machine, Mode};
use cairn_memory::pointer::ObjectId;
use cairn_memory::segment::Segment;
use cairn_memory::symbolic::SymbolicMemory;
use cairn_smt::{Substitution, Term};
use rustc_hash::FxHashSet;

use super::{Matching, OUTSIDE};

impl<M: Mode> Matching<M> {
    /// Matches a node of `R` with an object of `S`.
    pub(super) fn match_node(&mut self, machine: &mut Machine<'_, M>, node: ObjectId, own: ObjectId) -> Option<()> {
        let (base_r, base_s) = (self.r.memory.get(node).base, self.s.memory.get(own).base);
        self.bind_base(machine, base_r, base_s);
        self.match_objects(machine, node, own)
    }

    /// Returns the value in `S` of the cell in which a node of `R` has a link.
    pub(super) fn linked(
        &mut self,
        machine: &mut Machine<'_, M>,
        node: ObjectId,
        own: ObjectId,
        link: Term,
    ) -> Option<Term> {
        let (at, len, _) = self.r.memory.get(node).cells().find(|cell| cell.2 == link)?;
        Some(machine.read(&mut self.s, own, at, len))
    }

    /// Matches an arbitrary node of a segment of `R` with an arbitrary node of a segment of `S`.
    pub(super) fn match_any_node(
        &mut self,
        machine: &mut Machine<'_, M>,
        segment: &Segment,
        own: ObjectId,
        scope: u32,
    ) -> Option<()> {
        let part = self.s.memory.get(own).segment.clone()?;
        let alike = part.links.len() == segment.links.len()
            && depth(&part, &self.s.memory) <= depth(segment, &self.r.memory)
            && part.at == segment.at
            && part.fork.is_some() == segment.fork.is_some()
            && part.back_link.is_some() == segment.back_link.is_some()
            && part.back.is_some() == segment.back.is_some()
            && self.scope_of_s.get(&own).copied().unwrap_or(OUTSIDE) == scope
            && self.taken.insert(own);
        if !alike {
            return None;
        }
        let inner = self.parents.len() as u32;
        self.parents.push(scope);
        let (mut given_r, mut given_s) = (Vec::new(), Vec::new());
        let locals_r = segment.links.iter().chain(&segment.back_link);
        for (&local_r, &local_s) in locals_r.zip(part.links.iter().chain(&part.back_link)) {
            let (one, other) = (
                self.fresh(machine, "link", machine.pointer_bits, inner),
                self.fresh(machine, "link", machine.pointer_bits, inner),
            );
            self.bind(machine, one, other);
            given_r.push((local_r, one));
            given_s.push((local_s, other));
        }
        let copy_s = self.node_of_s(machine, &part, given_s, inner)?;
        let copy_r = self.node_of_r(machine, segment, given_r, inner);
        if let (Some(one), Some(other)) = (copy_r.fork, copy_s.fork) {
            self.bind(machine, one, other);
        }
        self.match_node(machine, copy_r.node, copy_s.node)
    }

    /// Returns a fresh variable of a scope.
    pub(super) fn fresh(&mut self, machine: &mut Machine<'_, M>, name: &str, width: u32, scope: u32) -> Term {
        let variable = machine.terms.variable(name, width);
        self.scope_of_variable.insert(variable, scope);
        variable
    }

    /// Adds a node of a segment of `R`, with fresh local variables except for the given ones.
    pub(super) fn node_of_r(
        &mut self,
        machine: &mut Machine<'_, M>,
        segment: &Segment,
        given: Vec<(Term, Term)>,
        scope: u32,
    ) -> Segment {
        let locals = locals_of(segment, &self.r.memory);
        let chosen: FxHashSet<Term> = given.iter().map(|pair| pair.0).collect();
        let mut map = Substitution::new(given);
        let copy = machine.copy_patterns(&mut self.r, segment, &mut map);
        for id in std::iter::once(copy.node).chain(copy.owned.iter().copied()) {
            self.r.memory.get_mut(id).pattern = false;
            self.own(machine, id, scope);
        }
        for &local in &locals {
            let Some(now) = map.get(local) else { continue };
            if !chosen.contains(&local) {
                self.scope_of_variable.insert(now, scope);
            }
            if machine.terms.variables_of(now).len() == 1 {
                self.instances.entry(local).or_insert(now);
            }
        }
        // The conditions on the local variables of an inner segment were copied with its outer node.
        for condition in self.r.path.conditions().into_iter().chain(self.conditions.clone()) {
            if machine.terms.variables_of(condition).iter().any(|variable| locals.contains(variable)) {
                let condition = map.apply(&mut machine.terms, condition);
                self.conditions.push(condition);
            }
        }
        copy
    }

    /// Adds an arbitrary node of a segment of `S`, about which only the path condition of the local variables is known.
    pub(super) fn node_of_s(
        &mut self,
        machine: &mut Machine<'_, M>,
        segment: &Segment,
        given: Vec<(Term, Term)>,
        scope: u32,
    ) -> Option<Segment> {
        let locals = locals_of(segment, &self.s.memory);
        let mut map = Substitution::new(given);
        for &id in std::iter::once(&segment.node).chain(&segment.owned) {
            let object = self.s.memory.get(id);
            if object.segment.is_none() {
                let (old, kind) = (object.base, object.kind);
                let base = machine.fresh_base(kind);
                map.insert(old, base);
            }
        }
        let copy = machine.copy_patterns(&mut self.s, segment, &mut map);
        for id in std::iter::once(copy.node).chain(copy.owned.iter().copied()) {
            self.s.memory.get_mut(id).pattern = false;
            self.scope_of_s.insert(id, scope);
        }
        for &local in &locals {
            for &variable in map.get(local).map(|now| machine.terms.variables_of(now)).iter().flat_map(|all| all.iter())
            {
                self.scope_of_variable.insert(variable, scope);
            }
        }
        let mut conditions = self.s.path.conditions();
        conditions.reverse();
        for condition in conditions {
            if machine.terms.variables_of(condition).iter().any(|variable| locals.contains(variable)) {
                let condition = map.apply(&mut machine.terms, condition);
                self.s = machine.assume(self.s.clone(), condition)?;
            }
        }
        Some(copy)
    }
}

/// Returns how deeply the objects that a node owns are nested. A node that owns more levels than the nodes of a segment is none of them.
fn depth(segment: &Segment, memory: &SymbolicMemory) -> usize {
    let of = |&id: &ObjectId| 1 + memory.get(id).segment.as_ref().map_or(0, |inner| depth(inner, memory));
    segment.owned.iter().map(of).max().unwrap_or(0)
}

/// Returns the local variables of a segment and of the segments that its nodes own.
fn locals_of(segment: &Segment, memory: &SymbolicMemory) -> FxHashSet<Term> {
    let patterns = segment.patterns(memory);
    let inner = patterns.iter().filter_map(|&id| memory.get(id).segment.as_deref());
    let forks = inner.filter_map(|inner| inner.fork).chain(segment.fork);
    segment.variables(memory).into_iter().chain(forks).collect()
}
