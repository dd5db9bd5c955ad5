//! Paths through trees: from the root down to a node that a variable points to.
//!
//! Such a path is a list whose link is in one of two cells of each node. A local variable, the *fork*, selects the
//! cell: the first cell holds the link if the fork is 1, the second cell if it is 0. The other cell points to a tree
//! that the node owns. This is a tree with a hole, like the partial inductive predicates of Chang and Rival.
//! Otherwise a path is treated like a list. When no other pointer leads to the end of a path any more, the whole path
//! becomes a tree segment again.

use std::rc::Rc;

use cairn_smt::term::Node;
use cairn_smt::{Substitution, Term};

use crate::Lattice;
use crate::State;
use crate::fold::lists::Forked;
use crate::fold::neighbours::Neighbours;
use crate::fold::references::{References, Source, is_node};
use crate::fold::tree_segments::{Merged, TreeShape};
use cairn_exec::allocation::Target;
use cairn_exec::planted;
use cairn_memory::pointer::ObjectId;
use cairn_memory::segment::{Back, Segment, Side};
use cairn_memory::symbolic::{Initial, Object};

/// The step of a path through one node.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// The offset of the link on the path.
    link: u64,
    /// The value of that link.
    onward: Term,
    /// The offset of the other link.
    other: u64,
}

impl Lattice<'_> {
    /// Folds two nodes of a path through a tree, if there are any.
    pub(crate) fn fold_path(&mut self, state: &State) -> Option<State> {
        if !self.seeks_trees {
            return None;
        }
        let shapes: Vec<TreeShape> = self.trees.iter().filter(|shape| shape.links.len() == 2).cloned().collect();
        if shapes.is_empty() {
            return None;
        }
        let references = self.references(state);
        let nodes: Vec<ObjectId> =
            state.memory.iter().filter(|(_, object)| is_node(object)).map(|(id, _)| id).collect();
        for shape in &shapes {
            for &first in &nodes {
                if let Some(folded) = self.fold_steps(state, &references, first, shape) {
                    return Some(folded);
                }
            }
        }
        None
    }

    fn fold_steps(
        &mut self,
        state: &State,
        references: &References,
        first: ObjectId,
        shape: &TreeShape,
    ) -> Option<State> {
        let segment = state.memory.get(first).segment.clone();
        let (link, onward) = match &segment {
            None => {
                let step = self.step_at(state, references, first, shape)?;
                (step.link, step.onward)
            }
            Some(segment) => {
                let cells = fork_cells(self, state, segment)?;
                let fits =
                    cells == shape.links[..] && segment.at == shape.at && has_back_link_of(state, segment, shape);
                fits.then_some((shape.links[0], segment.next))?
            }
        };
        let (second, at) = self.node_at(state, onward)?;
        if second == first || at != shape.at || state.memory.get(second).segment.is_some() {
            return None;
        }
        let to = self.step_at(state, references, second, shape)?;
        let mut work = state.clone();
        let (mut left_fork, mut left_end) = (None, None);
        if segment.is_none() {
            let from = self.step_at(state, references, first, shape)?;
            left_fork = Some(self.fork(&mut work, first, shape, from)?);
            left_end = Some(from.onward);
        }
        let right_fork = self.fork(&mut work, second, shape, to)?;
        let left_fork = left_fork.or(segment.as_ref().and_then(|segment| segment.fork))?;
        let left_end = left_end.or(segment.as_ref().and_then(|segment| segment.links.first().copied()))?;
        let references = self.references(&work);
        let pair = Neighbours { first, second, link, back: shape.back, at: shape.at };
        let forked = Forked { forks: (left_fork, right_fork), ends: (left_end, to.onward) };
        self.fold_forked(&work, &references, pair, forked)
    }

    /// Returns the step of a path through a node: one link leads to another node, the other to a tree or nowhere.
    fn step_at(&mut self, state: &State, references: &References, id: ObjectId, shape: &TreeShape) -> Option<Step> {
        let object = state.memory.get(id);
        if object.segment.is_some() || self.machine.terms.as_const(object.size) != Some(shape.size) {
            return None;
        }
        let cell = |at: u64| object.cell_at(at).filter(|cell| cell.0 == at).map(|cell| cell.2);
        let (one, two) = (shape.links[0], shape.links[1]);
        let values = (cell(one)?, cell(two)?);
        let trees = (
            self.is_subtree(state, references, (id, one), values.0, shape),
            self.is_subtree(state, references, (id, two), values.1, shape),
        );
        match trees {
            (false, true) => {
                self.node_at(state, values.0)?;
                Some(Step { link: one, onward: values.0, other: two })
            }
            (true, false) => {
                self.node_at(state, values.1)?;
                Some(Step { link: two, onward: values.1, other: one })
            }
            _ => None,
        }
    }

    /// Returns whether a cell holds null or the only pointer to a tree or leaf.
    fn is_subtree(
        &mut self,
        state: &State,
        references: &References,
        (holder, at): (ObjectId, u64),
        value: Term,
        shape: &TreeShape,
    ) -> bool {
        if self.is_nil(value) {
            return true;
        }
        let Some((id, place)) = self.child_at(state, references, holder, at, value) else { return false };
        let parent = self.pointer_at(state, holder, shape.at);
        place == shape.at && self.is_tree_below(state, id, parent, shape)
    }

    /// Returns whether an object is a leaf or a tree segment of a shape, and points back to its parent if the shape's
    /// nodes do.
    fn is_tree_below(&self, state: &State, id: ObjectId, parent: Term, shape: &TreeShape) -> bool {
        let is_tree = match &state.memory.get(id).segment {
            Some(segment) => {
                segment.links.len() == 2
                    && segment.fork.is_none()
                    && segment.at == shape.at
                    && self.is_nil(segment.next)
            }
            None => true,
        };
        is_tree
            && self.has_links_of(state, id, shape)
            && planted!(9, shape.back.is_none_or(|offset| self.points_back(state, id, offset, parent)), true)
    }

    /// Describes the step of a path through a node by a fork, and returns the fork. The state stays equivalent.
    fn fork(&mut self, state: &mut State, id: ObjectId, shape: &TreeShape, step: Step) -> Option<Term> {
        let tree = self.make_subtree(state, id, shape, step.other)?;
        let fork = self.machine.terms.variable("fork", 1);
        let first = step.link == shape.links[0];
        state.path.give(fork, u128::from(first));
        let said = if first { fork } else { self.machine.terms.not(fork) };
        state.path.assume(&self.machine.terms, said, None);
        let one = self.machine.terms.ite(fork, step.onward, tree);
        let two = self.machine.terms.ite(fork, tree, step.onward);
        let object = state.memory.get_mut(id);
        object.write(shape.links[0], one, &mut self.machine.terms);
        object.write(shape.links[1], two, &mut self.machine.terms);
        Some(fork)
    }

    /// Makes a cell that holds null or points to a leaf point to a tree segment, and returns the pointer.
    ///
    /// The tree segment is empty or has the leaf as its only node. The leaf has the shape's links, see
    /// [`Self::is_subtree`].
    fn make_subtree(&mut self, state: &mut State, holder: ObjectId, shape: &TreeShape, at: u64) -> Option<Term> {
        let value = state.memory.get(holder).cell_at(at)?.2;
        let leaf = match self.any_target(state, value) {
            Target::Segment(..) => return Some(value),
            Target::Object(id, _) => Some(id),
            _ => None,
        };
        // The pattern is read off the leaf. Without a leaf it is read off the node itself: an empty segment has no
        // nodes that could contradict it.
        let mut node = state.memory.get(leaf.unwrap_or(holder)).clone();
        let size = node.size;
        // The segment describes the links.
        let is_link = |at: u64| shape.links.contains(&at) || shape.back == Some(at);
        let values: Vec<Term> = node.cells().filter(|cell| !is_link(cell.0)).map(|cell| cell.2).collect();
        if !node.indexed().is_empty() || values.iter().any(|&value| self.mentions_heap(state, value)) {
            return None;
        }
        let zero = self.machine.terms.constant(0, self.machine.pointer_bits);
        let mut link = |lattice: &mut Self, at: u64| {
            let variable = lattice.machine.terms.variable("link", lattice.machine.pointer_bits);
            state.path.give(variable, 0);
            node.write(at, variable, &mut lattice.machine.terms);
            variable
        };
        let links: Vec<Term> = shape.links.iter().map(|&at| link(self, at)).collect();
        let back_link = shape.back.map(|at| link(self, at));
        let mut whole = state.memory.get(leaf.unwrap_or(holder)).clone();
        whole.base = self.machine.terms.variable("address", self.machine.pointer_bits);
        whole.size = size;
        whole.forget(Initial::Undefined);
        let base = self.machine.terms.variable("address", self.machine.pointer_bits);
        node.base = base;
        node.pattern = true;
        let node = self.put(state, node);
        let back = shape.back.map(|_| Back { prev: self.pointer_at(state, holder, shape.at), last: None });
        let (min, length) = if leaf.is_some() { (1, 1) } else { (0, 0) };
        let length = self.machine.terms.constant(length, self.machine.pointer_bits);
        let start = self.machine.terms.constant(u128::from(shape.at), self.machine.pointer_bits);
        let address = self.machine.terms.sub(value, start);
        let here = self.machine.terms.evaluate(address, state.path.model());
        state.path.give(whole.base, here);
        state.path.give(base, here);
        let pointer = self.machine.terms.add(whole.base, start);
        whole.segment = Some(Rc::new(Segment {
            node,
            owned: Vec::new(),
            locals: Vec::new(),
            links,
            back_link,
            fork: None,
            at: shape.at,
            next: zero,
            back,
            min,
            length,
            sequences: Vec::new(),
        }));
        self.put(state, whole);
        if let Some(leaf) = leaf {
            state.memory.remove(leaf);
        }
        state.memory.get_mut(holder).write(at, pointer, &mut self.machine.terms);
        Some(pointer)
    }

    /// Returns whether a value mentions the address of a live heap object.
    fn mentions_heap(&mut self, state: &State, value: Term) -> bool {
        if self.machine.terms.as_const(value).is_some() {
            return false;
        }
        let mut found = false;
        self.mentioned(value, &mut rustc_hash::FxHashSet::default(), |id| {
            found |= state.memory.find(id).is_some_and(crate::fold::references::is_owned);
        });
        found
    }

    /// Folds a path and the tree at its end into one tree segment.
    ///
    /// A list along one link of a tree is such a path too. It was folded before the tree had other nodes.
    pub(crate) fn fold_whole_path(&mut self, state: &State) -> Option<State> {
        if !self.seeks_trees || self.trees.is_empty() {
            return None;
        }
        let list = |object: &Object| object.segment.as_ref().is_some_and(|segment| segment.links.len() == 1);
        let paths: Vec<ObjectId> =
            state.memory.iter().filter(|(_, o)| is_node(o) && list(o)).map(|(id, _)| id).collect();
        if paths.is_empty() {
            return None;
        }
        let references = self.references(state);
        paths.into_iter().find_map(|path| self.fold_path_to_tree(state, &references, path))
    }

    fn fold_path_to_tree(&mut self, state: &State, references: &References, path: ObjectId) -> Option<State> {
        let object = state.memory.get(path);
        let segment = object.segment.clone()?;
        let (shape, side_tree) = self.path_shape(state, &segment, object)?;
        if !has_back_link_of(state, &segment, &shape) || references.hidden.contains(&path) {
            return None;
        }
        if let Some(tree) = side_tree {
            let parent = self.pointer_at(state, segment.node, shape.at);
            if !self.is_tree_below(state, tree, parent, &shape) {
                return None;
            }
        }
        let end = if self.is_nil(segment.next) {
            None
        } else {
            Some(self.end_of_path(state, references, path, &segment, &shape)?)
        };
        let inside = |source: Source| end.is_some() && source.object() == end;
        let fine = |side: Side, source: Source| match side {
            Side::First => !inside(source),
            Side::Last => inside(source),
        };
        if !references.to.get(&path).into_iter().flatten().all(|r| fine(r.side, r.source)) {
            return None;
        }
        let prev = segment.back.map(|back| back.prev);
        let mut min = segment.min;
        let mut work = state.clone();
        let mut whole = object.clone();
        work.memory.remove(path);
        let children: Vec<ObjectId> = side_tree.into_iter().chain(end).collect();
        for &child in &children {
            let node = work.memory.get(child).segment.as_ref().map_or(child, |segment| segment.node);
            self.havoc_links(&mut work, node, &shape);
        }
        self.havoc_links(&mut work, segment.node, &shape);
        if let Some(end) = end {
            min = min.saturating_add(state.memory.get(end).segment.as_ref().map_or(1, |tree| tree.min));
        }
        let opened = |at: u64| work.memory.get(segment.node).cell_at(at).map(|cell| cell.2);
        let mut merged = Merged {
            node: segment.node,
            owned: segment.owned.clone(),
            locals: segment.locals.clone(),
            links: shape.links.iter().map(|&at| opened(at)).collect::<Option<_>>()?,
            back_link: match shape.back {
                Some(at) => Some(opened(at)?),
                None => None,
            },
            state: work,
        };
        for child in children {
            let Merged { state, node, owned, .. } = merged;
            merged = self.merge_nodes(&state, references, node, Some(&owned), child, &shape)?;
        }
        let old = whole.base;
        let mut folded = merged.state;
        whole.base = self.machine.terms.variable("address", self.machine.pointer_bits);
        folded.path.give(whole.base, self.machine.terms.evaluate(old, folded.path.model()));
        let length = self.machine.terms.variable("length", self.machine.pointer_bits);
        folded.path.give(length, u128::from(min));
        let back = prev.map(|prev| Back { prev, last: None });
        let mut outside = Substitution::new([(old, whole.base)]);
        whole.segment = Some(Rc::new(Segment {
            node: merged.node,
            owned: merged.owned,
            locals: merged.locals,
            links: merged.links,
            back_link: merged.back_link,
            fork: None,
            at: shape.at,
            next: self.machine.terms.constant(0, self.machine.pointer_bits),
            back,
            min,
            length,
            sequences: Vec::new(),
        }));
        self.put(&mut folded, whole);
        self.replace(folded, &mut outside)
    }

    /// Returns the shape of the trees that a list is a path of, and the trees that the path's nodes own, if any.
    fn path_shape(
        &mut self,
        state: &State,
        segment: &Segment,
        object: &Object,
    ) -> Option<(TreeShape, Option<ObjectId>)> {
        let size = self.machine.terms.as_const(object.size)?;
        let mut shapes = self.trees.iter().filter(|s| s.size == size && s.at == segment.at && s.links.len() == 2);
        if segment.fork.is_some() {
            let cells = fork_cells(self, state, segment)?;
            let shape = shapes.find(|shape| shape.links == cells)?.clone();
            return Some((shape, Some(self.side_tree(state, segment)?)));
        }
        // All nodes continue by the same link, and their other link is null.
        let node = state.memory.get(segment.node);
        let link = *segment.links.first()?;
        let cell = |at: u64| node.cell_at(at).filter(|cell| cell.0 == at).map(|cell| cell.2);
        let shape = shapes.find(|shape| {
            let (one, two) = (cell(shape.links[0]), cell(shape.links[1]));
            let other = if one == Some(link) { two } else { one };
            [one, two].contains(&Some(link)) && other.is_some_and(|other| self.is_nil(other))
        })?;
        Some((shape.clone(), None))
    }

    /// Returns the tree or leaf at the end of a path, if no other pointer leads to it.
    fn end_of_path(
        &mut self,
        state: &State,
        references: &References,
        path: ObjectId,
        segment: &Segment,
        shape: &TreeShape,
    ) -> Option<ObjectId> {
        let (end, at) = self.node_at(state, segment.next)?;
        let alone = references.to.get(&end).into_iter().flatten().all(|r| r.source == Source::Next(path));
        let same = end != path && at == shape.at && state.memory.get(end).size == state.memory.get(path).size;
        if !same || planted!(10, !alone, false) || references.hidden.contains(&end) {
            return None;
        }
        // The end must point back to the last node of the path.
        let last = match shape.back {
            Some(_) => segment.last()?,
            None => state.memory.get(path).base,
        };
        let start = self.machine.terms.constant(u128::from(at), self.machine.pointer_bits);
        let parent = self.machine.terms.add(last, start);
        if !self.is_tree_below(state, end, parent, shape) {
            return None;
        }
        Some(end)
    }

    /// Returns the tree that every node of a path owns.
    fn side_tree(&mut self, state: &State, segment: &Segment) -> Option<ObjectId> {
        let fork = segment.fork?;
        let cells: Vec<Term> = state.memory.get(segment.node).cells().map(|cell| cell.2).collect();
        let tree = cells.into_iter().find_map(|value| match *self.machine.terms.node(value) {
            Node::Ite(condition, _, tree) if condition == fork => Some(tree),
            _ => None,
        })?;
        match self.any_target(state, tree) {
            Target::Segment(id, Side::First, _) => Some(id),
            _ => None,
        }
    }
}

/// Returns the offsets of the two cells of which one is on the path.
fn fork_cells(lattice: &Lattice<'_>, state: &State, segment: &Segment) -> Option<Vec<u64>> {
    let fork = segment.fork?;
    let forked =
        |value: Term| matches!(*lattice.machine.terms.node(value), Node::Ite(condition, ..) if condition == fork);
    let cells = state.memory.get(segment.node).cells().filter(|cell| forked(cell.2)).map(|cell| cell.0);
    let cells: Vec<u64> = cells.collect();
    (cells.len() == 2).then_some(cells)
}

/// Returns whether the nodes of a path have the back link of a tree, or neither has one.
fn has_back_link_of(state: &State, segment: &Segment, shape: &TreeShape) -> bool {
    let cell = |at: u64| state.memory.get(segment.node).cell_at(at).filter(|cell| cell.0 == at).map(|cell| cell.2);
    match (shape.back, segment.back, segment.back_link) {
        (None, None, None) => true,
        (Some(at), Some(_), Some(link)) => cell(at) == Some(link),
        _ => false,
    }
}
