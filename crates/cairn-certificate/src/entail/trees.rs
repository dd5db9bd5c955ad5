//! Trees of `R` as trees of objects, trees and paths of `S`.

use std::collections::VecDeque;

use cairn_exec::{Machine, Mode};
use cairn_memory::pointer::ObjectId;
use cairn_memory::segment::{Segment, Side};
use cairn_smt::Term;

use super::segments::Choice;
use super::{Matching, OUTSIDE, Task};

/// A subtree of a tree of `R`, or an optional object.
#[derive(Clone, Debug)]
pub(super) struct Subtree {
    pub(super) id: ObjectId,
    /// The address of its root in `S`.
    pub(super) from: Term,
    /// The pointer to the parent, in `R`.
    pub(super) prev: Option<Term>,
    pub(super) scope: u32,
    pub(super) is_whole: bool,
    pub(super) choice: Option<Choice>,
}

impl<M: Mode> Matching<M> {
    /// Matches a subtree.
    pub(super) fn match_tree(
        &mut self,
        machine: &mut Machine<'_, M>,
        subtree: Subtree,
        alternatives: &mut VecDeque<Self>,
    ) -> Option<()> {
        let segment = self.r.memory.get(subtree.id).segment.clone()?;
        let may_be_empty = !subtree.is_whole || segment.min == 0;
        let choice = match subtree.choice {
            Some(choice) => choice,
            None => {
                let choices = self.choices(machine, &segment, (subtree.from, Side::First), may_be_empty);
                self.choose(&choices, alternatives, |choice| {
                    Task::Tree(Subtree { choice: Some(choice), ..subtree.clone() })
                })?
            }
        };
        let at = machine.terms.constant(u128::from(segment.at), machine.pointer_bits);
        let zero = machine.terms.constant(0, machine.pointer_bits);
        let scope = subtree.scope;
        match choice {
            Choice::Stop => {
                let end = machine.terms.add(subtree.from, at);
                self.tasks.push(Task::Value(segment.next, end));
                if subtree.is_whole {
                    self.tasks.push(Task::Value(segment.length, zero));
                }
            }
            Choice::Node(own, _) => {
                self.count_nodes(&subtree, 1);
                let mut given = Vec::new();
                let mut links = Vec::new();
                for &local in &segment.links {
                    let link = self.fresh(machine, "link", machine.pointer_bits, scope);
                    given.push((local, link));
                    links.push(link);
                }
                given.extend(segment.back_link.zip(subtree.prev));
                let node = self.node_of_r(machine, &segment, given, scope).node;
                self.match_node(machine, node, own)?;
                let base = self.r.memory.get(node).base;
                for link in links {
                    let child = self.linked(machine, node, own, link)?;
                    let (from, prev) = (machine.terms.sub(child, at), machine.terms.add(base, at));
                    let prev = subtree.prev.map(|_| prev);
                    self.tasks.push(Task::Tree(Subtree { from, prev, is_whole: false, choice: None, ..subtree }));
                }
                if subtree.is_whole {
                    self.demand_nodes(machine, &segment);
                }
            }
            Choice::Path(own) => {
                let part = self.s.memory.get(own).segment.clone()?;
                if subtree.is_whole {
                    (part.min > 0).then_some(())?;
                    self.demand_nodes(machine, &segment);
                }
                self.count_nodes(&subtree, part.min);
                self.match_path(machine, &segment, own, &subtree)?;
                let mut prev = None;
                if let Some(wanted) = subtree.prev {
                    self.tasks.push(Task::Value(wanted, part.back?.prev));
                    let last = machine.terms.add(part.last()?, at);
                    let variable = self.fresh(machine, "last", machine.pointer_bits, scope);
                    self.bind(machine, variable, last);
                    prev = Some(variable);
                }
                let from = machine.terms.sub(part.next, at);
                self.tasks.push(Task::Tree(Subtree { from, prev, is_whole: false, choice: None, ..subtree }));
            }
            Choice::Segment(own) => {
                let part = self.s.memory.get(own).segment.clone()?;
                self.count_nodes(&subtree, part.min);
                self.match_any_node(machine, &segment, own, scope)?;
                self.tasks.push(Task::Value(segment.next, part.next));
                if let (Some(prev), Some(back)) = (subtree.prev, part.back) {
                    self.tasks.push(Task::Value(prev, back.prev));
                }
                if subtree.is_whole {
                    self.tasks.push(Task::Value(segment.length, part.length));
                    self.bound_count(machine, part.length, part.min)?;
                }
            }
        }
        Some(())
    }

    /// Counts nodes of a tree of `R`. Those beside an arbitrary node of a path do not count, since the path may be empty.
    fn count_nodes(&mut self, subtree: &Subtree, more: u32) {
        if self.scope_of_r.get(&subtree.id).copied().unwrap_or(OUTSIDE) == subtree.scope {
            let nodes = self.nodes.entry(subtree.id).or_default();
            *nodes = nodes.saturating_add(more);
        }
    }

    /// Demands that a tree of `R` has nodes. The execution relates its length to its nodes only by whether there are any.
    fn demand_nodes(&mut self, machine: &mut Machine<'_, M>, tree: &Segment) {
        let (zero, one) =
            (machine.terms.constant(0, machine.pointer_bits), machine.terms.constant(1, machine.pointer_bits));
        self.solve(machine, tree.length, one);
        let some = machine.terms.ne(tree.length, zero);
        self.conditions.push(some);
    }

    /// Matches the nodes of a list of `S`, which may be a path through a tree, with nodes of a tree of `R`.
    ///
    /// An arbitrary node of the list is a node of the tree: one of its links is the list's, and its other children are trees. Both
    /// choices of the link of a path are matched, each with a node of its own.
    fn match_path(
        &mut self,
        machine: &mut Machine<'_, M>,
        tree: &Segment,
        own: ObjectId,
        subtree: &Subtree,
    ) -> Option<()> {
        let part = self.s.memory.get(own).segment.clone()?;
        let alike = part.links.len() == 1
            && part.at == tree.at
            && part.back_link.is_some() == tree.back_link.is_some()
            && part.back.is_some() == tree.back.is_some()
            && self.scope_of_s.get(&own).copied().unwrap_or(OUTSIDE) == subtree.scope
            && self.taken.insert(own);
        if !alike {
            return None;
        }
        let at = machine.terms.constant(u128::from(tree.at), machine.pointer_bits);
        let ways = if part.fork.is_some() { 0..2 } else { 0..1 };
        for way in ways {
            let inner = self.parents.len() as u32;
            self.parents.push(subtree.scope);
            let way = machine.terms.constant(way, 1);
            let path = self.fresh(machine, "link", machine.pointer_bits, inner);
            let mut given_s = vec![(part.links[0], path)];
            given_s.extend(part.fork.map(|fork| (fork, way)));
            let mut given_r = Vec::new();
            let mut links = Vec::new();
            for &local in &tree.links {
                let link = self.fresh(machine, "link", machine.pointer_bits, inner);
                given_r.push((local, link));
                links.push(link);
            }
            if let (Some(one), Some(other)) = (tree.back_link, part.back_link) {
                let (wanted, value) = (
                    self.fresh(machine, "link", machine.pointer_bits, inner),
                    self.fresh(machine, "link", machine.pointer_bits, inner),
                );
                self.bind(machine, wanted, value);
                given_r.push((one, wanted));
                given_s.push((other, value));
            }
            let node_s = self.node_of_s(machine, &part, given_s, inner)?.node;
            let node_r = self.node_of_r(machine, tree, given_r, inner).node;
            self.match_node(machine, node_r, node_s)?;
            let base = self.r.memory.get(node_r).base;
            let mut continues = 0;
            for link in links {
                let child = self.linked(machine, node_r, node_s, link)?;
                if child == path {
                    continues += 1;
                    continue;
                }
                let from = machine.terms.sub(child, at);
                let prev = machine.terms.add(base, at);
                let prev = subtree.prev.map(|_| prev);
                let (scope, is_whole, choice) = (inner, false, None);
                self.tasks.push(Task::Tree(Subtree { id: subtree.id, from, prev, scope, is_whole, choice }));
            }
            (continues == 1).then_some(())?;
        }
        Some(())
    }
}
