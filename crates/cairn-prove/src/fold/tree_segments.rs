//! Folding of trees: a node whose links lead to trees or nowhere is the root of a tree segment.
//!
//! The heap shows which cells are links: a node with the only pointers to two other nodes of its size defines the
//! offsets of the links. From then on, nodes with one child at these offsets are folded too. If the children point
//! back to their parent from a cell that the parent also has, that cell is the back link. As for lists, nodes are
//! merged into one pattern by pairing them, so folding only weakens a state and never adds a fact.

use std::rc::Rc;

use cairn_smt::{Substitution, Term};
use rustc_hash::FxHashSet;

use crate::Lattice;
use crate::State;
use crate::fold::references::{References, Source, is_node, is_owned};
use crate::join::pairing::{Pairing, Purpose};
use crate::limits::MAX_TREE_SHAPES;
use cairn_exec::allocation::Target;
use cairn_exec::planted;
use cairn_memory::pointer::ObjectId;
use cairn_memory::segment::{Back, Segment, Side};
use cairn_memory::symbolic::{Initial, Object};
/// The layout of a tree's nodes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TreeShape {
    /// The size of a node in bytes.
    pub(crate) size: u128,
    /// The offset in a node that links point to.
    pub(crate) at: u64,
    /// The offsets of the links, ascending.
    pub(crate) links: Vec<u64>,
    /// The offset of the link to the parent.
    pub(crate) back: Option<u64>,
}

/// A child that only its parent points to.
#[derive(Clone, Copy, Debug)]
struct Child {
    /// The offset of the link in the parent.
    link: u64,
    /// The child: a node or a segment.
    id: ObjectId,
}

/// The nodes of a future tree segment while they are merged.
pub(crate) struct Merged {
    pub(crate) state: State,
    /// The pattern of the merged nodes.
    pub(crate) node: ObjectId,
    pub(crate) owned: Vec<ObjectId>,
    pub(crate) locals: Vec<Term>,
    pub(crate) links: Vec<Term>,
    pub(crate) back_link: Option<Term>,
}

impl Lattice<'_> {
    /// Folds one node with its children, if a node has children that can be folded.
    pub(crate) fn fold_tree(&mut self, state: &State) -> Option<State> {
        if !self.seeks_trees {
            return None;
        }
        let plain = |object: &Object| is_node(object) && object.segment.is_none();
        let nodes: Vec<ObjectId> = state.memory.iter().filter(|(_, object)| plain(object)).map(|(id, _)| id).collect();
        if nodes.is_empty() {
            return None;
        }
        let references = self.references(state);
        nodes.into_iter().find_map(|root| {
            let (shape, children) = self.tree_at(state, &references, root)?;
            self.fold_root(state, &references, root, &shape, &children)
        })
    }

    /// Returns whether a cell of a node is a link of a tree with that root, and therefore no link of a list.
    pub(crate) fn is_tree_link(&mut self, state: &State, references: &References, root: ObjectId, link: u64) -> bool {
        !self.trees.is_empty()
            && self.tree_at(state, references, root).is_some_and(|(shape, _)| shape.links.contains(&link))
    }

    /// Returns the shape of the tree with a root, and the root's children, of which there is at least one.
    fn tree_at(&mut self, state: &State, references: &References, root: ObjectId) -> Option<(TreeShape, Vec<Child>)> {
        let size = self.machine.terms.as_const(state.memory.get(root).size)?;
        let cells: Vec<(u64, u32, Term)> = state.memory.get(root).cells().collect();
        let mut children = Vec::new();
        let mut place = None;
        for (link, len, value) in cells {
            if 8 * len == self.machine.pointer_bits
                && let Some((id, at)) = self.child_at(state, references, root, link, value)
                && *place.get_or_insert(at) == at
            {
                children.push(Child { link, id });
            }
        }
        let at = place?;
        let links: Vec<u64> = children.iter().map(|child| child.link).collect();
        let known = self
            .trees
            .iter()
            .find(|shape| shape.size == size && shape.at == at && links.iter().all(|link| shape.links.contains(link)));
        let shape = match known.cloned() {
            Some(shape) => shape,
            None if links.len() > 1 && self.trees.len() < MAX_TREE_SHAPES => {
                let back = self.parent_link(state, root, at, &links, &children);
                let shape = TreeShape { size, at, links, back };
                self.trees.push(shape.clone());
                shape
            }
            None => self.likely_tree(state, root, (size, at), &links, &children)?,
        };
        // Every other link must be null.
        let object = state.memory.get(root);
        let absent = |link: u64| object.cell_at(link).is_some_and(|(at, _, value)| at == link && self.is_nil(value));
        let is_child = |link: u64| children.iter().any(|child| child.link == link);
        shape.links.iter().all(|&link| is_child(link) || absent(link)).then_some((shape, children))
    }

    /// Returns the shape of a tree whose root has one child, if the program descends trees by that link and others.
    ///
    /// This excludes nodes of doubly linked lists, whose child points back by one of these links.
    fn likely_tree(
        &mut self,
        state: &State,
        root: ObjectId,
        (size, at): (u128, u64),
        links: &[u64],
        children: &[Child],
    ) -> Option<TreeShape> {
        let (&[link], [child]) = (links, children) else { return None };
        let child_object = state.memory.get(child.id);
        let node = child_object.segment.as_ref().map_or(child_object, |segment| state.memory.get(segment.node));
        let own = |value: Term| child_object.segment.as_ref().is_some_and(|segment| segment.links.contains(&value));
        let bytes = self.machine.pointer_bits / 8;
        let ends = |object: &Object, offset: u64| {
            let cell = object.cell_at(offset).filter(|cell| (cell.0, cell.1) == (offset, bytes));
            cell.is_some_and(|cell| self.is_nil(cell.2) || own(cell.2))
        };
        let fits = |fork: &&[u64]| {
            let root = state.memory.get(root);
            fork.iter().all(|&offset| (offset == link || ends(root, offset)) && ends(node, offset))
        };
        let links = self.links.forks_with(link).find(fits)?.to_vec();
        if self.trees.len() == MAX_TREE_SHAPES {
            return None;
        }
        let back = self.parent_link(state, root, at, &links, children);
        let shape = TreeShape { size, at, links, back };
        self.trees.push(shape.clone());
        Some(shape)
    }

    pub(crate) fn is_nil(&self, value: Term) -> bool {
        self.machine.terms.as_const(value) == Some(0) && self.machine.terms.width(value) == self.machine.pointer_bits
    }

    /// Returns the node or segment that a cell points to, if no other pointer leads to it, and the offset in it.
    pub(crate) fn child_at(
        &mut self,
        state: &State,
        references: &References,
        root: ObjectId,
        link: u64,
        value: Term,
    ) -> Option<(ObjectId, u64)> {
        let (id, offset) = match self.any_target(state, value) {
            Target::Object(id, offset) | Target::Segment(id, Side::First, offset) => (id, offset),
            _ => return None,
        };
        let offset = self.machine.terms.as_const(offset)? as u64;
        let object = state.memory.get(id);
        let fits = id != root
            && is_node(object)
            && object.size == state.memory.get(root).size
            && !self.classes.differ(&object.born, &state.memory.get(root).born)
            && object
                .segment
                .as_ref()
                .is_none_or(|s| !s.links.is_empty() && s.fork.is_none() && s.at == offset && self.is_nil(s.next));
        let alone = references.to.get(&id).into_iter().flatten().all(|r| r.source == Source::Cell(root, link));
        (fits && planted!(2, alone, true) && planted!(3, !references.hidden.contains(&id), true))
            .then_some((id, offset))
    }

    /// Returns the offset of a cell by which all children point back to a node, and which the node itself has.
    fn parent_link(
        &mut self,
        state: &State,
        root: ObjectId,
        at: u64,
        links: &[u64],
        children: &[Child],
    ) -> Option<u64> {
        let here = self.pointer_at(state, root, at);
        let offsets: Vec<u64> = state.memory.get(root).cells().map(|(offset, ..)| offset).collect();
        offsets.into_iter().find(|&offset| {
            !links.contains(&offset) && children.iter().all(|child| self.points_back(state, child.id, offset, here))
        })
    }

    /// Returns whether the root of a child points back to its parent.
    pub(crate) fn points_back(&self, state: &State, child: ObjectId, offset: u64, parent: Term) -> bool {
        let object = state.memory.get(child);
        match &object.segment {
            None => object.cell_at(offset).is_some_and(|(at, _, value)| (at, value) == (offset, parent)),
            Some(segment) => {
                let cell = state.memory.get(segment.node).cell_at(offset);
                segment.back.is_some_and(|back| back.prev == parent)
                    && segment
                        .back_link
                        .is_some_and(|link| cell.is_some_and(|(at, _, value)| (at, value) == (offset, link)))
            }
        }
    }

    /// Folds a node and its children into one tree segment if they match and nothing outside tells them apart.
    fn fold_root(
        &mut self,
        state: &State,
        references: &References,
        root: ObjectId,
        shape: &TreeShape,
        children: &[Child],
    ) -> Option<State> {
        let prev = match shape.back {
            Some(offset) => state.memory.get(root).cell_at(offset).filter(|&(at, ..)| at == offset).map(|cell| cell.2),
            None => None,
        };
        if prev.is_some() != shape.back.is_some() || !self.may_fold_root(state, references, root, shape, children) {
            return None;
        }
        let mut work = state.clone();
        let min = self.havoc_child_links(&mut work, shape, children)?;
        self.havoc_links(&mut work, root, shape);
        let mut merged = None;
        for child in children {
            let (current, from, own) = match merged.take() {
                None => (work.clone(), root, None),
                Some(Merged { state, node, owned, .. }) => (state, node, Some(owned)),
            };
            merged = Some(self.merge_nodes(&current, references, from, own.as_deref(), child.id, shape)?);
        }
        let Merged { state: mut folded, node, owned, locals, links, back_link } = merged?;

        let mut outside = Substitution::default();
        let mut whole = state.memory.get(root).clone();
        let base = self.machine.terms.variable("address", self.machine.pointer_bits);
        folded.path.give(base, self.machine.terms.evaluate(whole.base, folded.path.model()));
        self.map_base(&mut outside, whole.base, base);
        whole.base = base;
        whole.forget(Initial::Undefined);
        // Only the least number of nodes is kept. No program path relates the sizes of the subtrees to the whole.
        let length = self.machine.terms.variable("length", self.machine.pointer_bits);
        folded.path.give(length, u128::from(min));
        let next = self.machine.terms.constant(0, self.machine.pointer_bits);
        let back = prev.map(|prev| Back { prev, last: None });
        let (at, fork) = (shape.at, None);
        whole.segment = Some(Rc::new(Segment {
            node,
            owned,
            locals,
            links,
            back_link,
            fork,
            at,
            next,
            back,
            min,
            length,
            sequences: Vec::new(),
        }));
        self.put(&mut folded, whole);
        self.replace(folded, &mut outside)
    }

    /// Returns whether only the links of a root and its children tell them apart.
    fn may_fold_root(
        &mut self,
        state: &State,
        references: &References,
        root: ObjectId,
        shape: &TreeShape,
        children: &[Child],
    ) -> bool {
        if references.hidden.contains(&root) {
            return false;
        }
        let here = self.pointer_at(state, root, shape.at);
        if let Some(offset) = shape.back
            && !children.iter().all(|child| self.points_back(state, child.id, offset, here))
        {
            return false;
        }
        // Pointers to the root from inside the tree must be back links.
        let inside: FxHashSet<ObjectId> = children
            .iter()
            .flat_map(|child| {
                let segment = state.memory.get(child.id).segment.clone();
                let patterns = segment.map_or_else(Vec::new, |segment| segment.patterns(&state.memory));
                patterns.into_iter().chain([child.id])
            })
            .chain([root])
            .collect();
        // A pointer to a link cell of the root means that the program is about to access that link. Its value must
        // stay known.
        let onward = |offset: u64| offset != shape.at && shape.links.contains(&offset);
        references.to.get(&root).into_iter().flatten().all(|r| match r.source {
            _ if r.offset.is_some_and(onward) => false,
            Source::Prev(_) | Source::Root => true,
            Source::Cell(id, at) => !inside.contains(&id) || (id != root && Some(at) == shape.back),
            Source::Next(id) => !inside.contains(&id),
        })
    }

    /// Replaces the links of all children by fresh variables, and returns the least number of nodes of the tree.
    ///
    /// The tree segment itself describes the links. Returns `None` if a child does not have the links of the tree.
    fn havoc_child_links(&mut self, work: &mut State, shape: &TreeShape, children: &[Child]) -> Option<u32> {
        let mut min = 1u32;
        for child in children {
            if !self.has_links_of(work, child.id, shape) {
                return None;
            }
            let (node, least) = match &work.memory.get(child.id).segment {
                None => (child.id, 1),
                Some(segment) => (segment.node, segment.min),
            };
            min = min.saturating_add(planted!(8, least, least + 1));
            self.havoc_links(work, node, shape);
        }
        Some(min)
    }

    /// Returns whether a leaf or the nodes of a segment have no other links than those of a tree.
    ///
    /// Every link of the segment is in exactly one link cell of the tree: a link in another cell would lead to nodes
    /// that the tree does not reach, and a link in two cells to a child that both share. All other link cells are
    /// null.
    pub(crate) fn has_links_of(&self, state: &State, id: ObjectId, shape: &TreeShape) -> bool {
        let object = state.memory.get(id);
        let (node, links) = match &object.segment {
            None => (object, &[][..]),
            Some(segment) => (state.memory.get(segment.node), &segment.links[..]),
        };
        let cell = |at: u64| node.cell_at(at).filter(|cell| cell.0 == at).map(|cell| cell.2);
        let holders = |link: Term| shape.links.iter().filter(|&&at| cell(at) == Some(link)).count();
        planted!(1, links.iter().all(|&link| holders(link) == 1), true)
            && shape.links.iter().all(|&at| cell(at).is_some_and(|value| self.is_nil(value) || links.contains(&value)))
    }

    /// Writes fresh variables to the link cells of a node.
    pub(crate) fn havoc_links(&mut self, state: &mut State, node: ObjectId, shape: &TreeShape) {
        for &offset in shape.links.iter().chain(&shape.back) {
            let variable = self.machine.terms.variable("link", self.machine.pointer_bits);
            state.path.give(variable, 0);
            state.memory.get_mut(node).write(offset, variable, &mut self.machine.terms);
        }
    }

    /// Merges a node or pattern with the nodes of a child into one pattern.
    pub(crate) fn merge_nodes(
        &mut self,
        state: &State,
        references: &References,
        from: ObjectId,
        owned: Option<&[ObjectId]>,
        child: ObjectId,
        shape: &TreeShape,
    ) -> Option<Merged> {
        let segment = state.memory.get(child).segment.clone();
        let to = segment.as_ref().map_or(child, |segment| segment.node);
        let cell = |id: ObjectId, at: u64| state.memory.get(id).cell_at(at).map(|(_, _, value)| value);
        let mut pairing = Pairing::new(state, state, Purpose::Merge);
        let mut link = |lattice: &mut Self, offset: u64| {
            let variable = lattice.machine.terms.variable("link", lattice.machine.pointer_bits);
            pairing.seed(cell(from, offset)?, cell(to, offset)?, variable);
            Some(variable)
        };
        let links: Vec<Term> = shape.links.iter().map(|&offset| link(self, offset)).collect::<Option<_>>()?;
        let back_link = match shape.back {
            Some(offset) => Some(link(self, offset)?),
            None => None,
        };
        self.pair_objects(&mut pairing, from, to)?;
        self.pair_pending(&mut pairing)?;
        self.assign_locals(&mut pairing)?;
        if planted!(4, !pairing.merges_levels(from, to), false) {
            return None;
        }
        let lefts: FxHashSet<ObjectId> = pairing.partners.keys().copied().collect();
        let rights: FxHashSet<ObjectId> = pairing.taken.keys().copied().collect();
        // Only the node itself points to the parts that it owns. For patterns and for parts merged earlier this is
        // known. An object that many nodes point to and that is no pattern is shared by them.
        let alone = |group: &FxHashSet<ObjectId>, node: ObjectId, many: bool| {
            group.iter().filter(|&&id| id != node).all(|&id| {
                let known = state.memory.get(id).pattern || owned.is_some_and(|owned| owned.contains(&id));
                let inside = references
                    .to
                    .get(&id)
                    .into_iter()
                    .flatten()
                    .all(|r| r.source.object().is_some_and(|source| source == node || group.contains(&source)));
                is_owned(state.memory.get(id)) && !references.hidden.contains(&id) && (known || (inside && !many))
            })
        };
        let apart = lefts.iter().all(|id| !rights.contains(id));
        // A part that every node owns must not get lost because another node has no such part.
        let kept = owned.into_iter().flatten().all(|&id| id == child || lefts.contains(&id))
            && segment.iter().flat_map(|segment| &segment.owned).all(|id| rights.contains(id));
        if planted!(5, !apart, false)
            || planted!(6, !kept, false)
            || !alone(&lefts, from, planted!(7, owned.is_some(), false))
            || !alone(&rights, to, segment.is_some())
        {
            return None;
        }
        let path = self.joined_path(&pairing);
        let inner: FxHashSet<Term> = rights
            .iter()
            .filter_map(|&id| pairing.result.memory.get(id).segment.as_ref())
            .flat_map(|segment| segment.locals.clone())
            .collect();
        let locals: Vec<Term> = pairing.fresh.iter().copied().filter(|variable| !inner.contains(variable)).collect();
        let mut folded = pairing.result;
        folded.path = path;
        let nested: FxHashSet<ObjectId> = rights
            .iter()
            .filter_map(|&id| folded.memory.get(id).segment.clone())
            .flat_map(|segment| std::iter::once(segment.node).chain(segment.owned.clone()).collect::<Vec<_>>())
            .collect();
        let owned: Vec<ObjectId> = rights.iter().copied().filter(|id| *id != to && !nested.contains(id)).collect();
        self.make_patterns(&mut folded, &rights);
        for id in lefts {
            folded.memory.remove(id);
        }
        if segment.is_some() {
            folded.memory.remove(child);
        }
        Some(Merged { state: folded, node: to, owned, locals, links, back_link })
    }
}
