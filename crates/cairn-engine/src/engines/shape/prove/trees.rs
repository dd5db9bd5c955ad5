//! Folding trees: a node whose links lead to trees of their own, or nowhere, is the root of a tree.
//!
//! Which cells are links is read off the heap: a node that alone points to two others of its own size shows by which offsets the
//! nodes of a tree hang together; from then on, nodes with one child there are folded, too. Where the children point back to their
//! parent from a cell that the parent has as well, that cell is the back link. As for lists, neighbours become one pattern by pairing
//! them, so folding weakens a state and never invents anything.

use std::rc::Rc;

use cairn_smt::{Substitution, Term};
use rustc_hash::FxHashSet;

use super::pair::{Pairing, Purpose};
use super::references::{References, Source, is_node, is_owned};
use crate::engines::shape::Explorer;
use crate::engines::shape::allocation::Target;
use crate::engines::shape::state::State;
use crate::memory::pointer::ObjectId;
use crate::memory::segment::{Back, Segment, Side};
use crate::memory::symbolic::{Initial, Object};

/// Shapes of trees that one program has at most.
const MAX_SHAPES: usize = 8;

/// How the nodes of a tree hang together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::engines::shape) struct TreeShape {
    /// Bytes of a node.
    pub(super) size: u128,
    /// Where links point in a node.
    pub(super) at: u64,
    /// The offsets of the links, ascending.
    pub(super) links: Vec<u64>,
    /// The offset of the link to the parent.
    pub(super) back: Option<u64>,
}

/// A child that only its parent points to.
#[derive(Clone, Copy, Debug)]
struct Child {
    /// Where the parent's link is.
    link: u64,
    /// The node or the tree.
    id: ObjectId,
}

/// The nodes of a future tree while they become one.
pub(super) struct Merged {
    pub(super) state: State,
    /// The pattern.
    pub(super) node: ObjectId,
    pub(super) owned: Vec<ObjectId>,
    pub(super) locals: Vec<Term>,
    pub(super) links: Vec<Term>,
    pub(super) back_link: Option<Term>,
}

impl Explorer<'_> {
    /// Folds one node with its children, if some node has children to be folded with.
    pub(super) fn fold_tree(&mut self, state: &State) -> Option<State> {
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

    /// Whether a cell of a node is a link of a tree that the node is the root of: then it is none of a list.
    pub(super) fn is_tree_link(&mut self, state: &State, references: &References, root: ObjectId, link: u64) -> bool {
        !self.trees.is_empty()
            && self.tree_at(state, references, root).is_some_and(|(shape, _)| shape.links.contains(&link))
    }

    /// The shape of the tree that a node is the root of, and its children; there is at least one.
    fn tree_at(&mut self, state: &State, references: &References, root: ObjectId) -> Option<(TreeShape, Vec<Child>)> {
        let size = self.terms.as_const(state.memory.get(root).size)?;
        let cells: Vec<(u64, u32, Term)> = state.memory.get(root).cells().collect();
        let mut children = Vec::new();
        let mut place = None;
        for (link, len, value) in cells {
            if 8 * len == self.pointer_bits
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
            None if links.len() > 1 && self.trees.len() < MAX_SHAPES => {
                let back = self.parent_link(state, root, at, &links, &children);
                let shape = TreeShape { size, at, links, back };
                self.trees.push(shape.clone());
                shape
            }
            None => self.likely_tree(state, root, (size, at), &links, &children)?,
        };
        // What is no child is absent.
        let object = state.memory.get(root);
        let absent = |link: u64| object.cell_at(link).is_some_and(|(at, _, value)| at == link && self.is_nil(value));
        let is_child = |link: u64| children.iter().any(|child| child.link == link);
        shape.links.iter().all(|&link| is_child(link) || absent(link)).then_some((shape, children))
    }

    /// The shape of a tree whose root has one child, where the program goes through trees by the link to it and by others. A node of a list that
    /// goes both ways has a child that points back by one of them.
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
        let bytes = self.pointer_bits / 8;
        let ends = |object: &Object, offset: u64| {
            let cell = object.cell_at(offset).filter(|cell| (cell.0, cell.1) == (offset, bytes));
            cell.is_some_and(|cell| self.is_nil(cell.2) || own(cell.2))
        };
        let fits = |fork: &&[u64]| {
            let root = state.memory.get(root);
            fork.iter().all(|&offset| (offset == link || ends(root, offset)) && ends(node, offset))
        };
        let links = self.links.forks_with(link).find(fits)?.to_vec();
        if self.trees.len() == MAX_SHAPES {
            return None;
        }
        let back = self.parent_link(state, root, at, &links, children);
        let shape = TreeShape { size, at, links, back };
        self.trees.push(shape.clone());
        Some(shape)
    }

    pub(super) fn is_nil(&self, value: Term) -> bool {
        self.terms.as_const(value) == Some(0) && self.terms.width(value) == self.pointer_bits
    }

    /// The node or segment of nodes that a cell leads to, when nothing else does, and where in it.
    pub(super) fn child_at(
        &mut self,
        state: &State,
        references: &References,
        root: ObjectId,
        link: u64,
        value: Term,
    ) -> Option<(ObjectId, u64)> {
        let (id, offset) = match self.target(state, value) {
            Target::Object(id, offset) | Target::Segment(id, Side::First, offset) => (id, offset),
            _ => return None,
        };
        let offset = self.terms.as_const(offset)? as u64;
        let object = state.memory.get(id);
        let fits = id != root
            && is_node(object)
            && object.size == state.memory.get(root).size
            && !self.kinds.differ(&object.born, &state.memory.get(root).born)
            && object
                .segment
                .as_ref()
                .is_none_or(|s| !s.links.is_empty() && s.fork.is_none() && s.at == offset && self.is_nil(s.next));
        let alone = references.to.get(&id).into_iter().flatten().all(|r| r.source == Source::Cell(root, link));
        (fits && alone && !references.hidden.contains(&id)).then_some((id, offset))
    }

    /// The offset of a cell by which all children point back to a node, and which the node itself has.
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

    /// Whether the root of a child points to its parent.
    pub(super) fn points_back(&self, state: &State, child: ObjectId, offset: u64, parent: Term) -> bool {
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

    /// Makes one tree of a node and its children, if they are alike and nothing else needs to tell them apart.
    fn fold_root(
        &mut self,
        state: &State,
        references: &References,
        root: ObjectId,
        shape: &TreeShape,
        children: &[Child],
    ) -> Option<State> {
        let here = self.pointer_at(state, root, shape.at);
        let back_of = |object: &Object| match shape.back {
            Some(offset) => object.cell_at(offset).filter(|&(at, ..)| at == offset).map(|(_, _, value)| value),
            None => None,
        };
        let prev = back_of(state.memory.get(root));
        if prev.is_some() != shape.back.is_some() || references.hidden.contains(&root) {
            return None;
        }
        if let Some(offset) = shape.back
            && !children.iter().all(|child| self.points_back(state, child.id, offset, here))
        {
            return None;
        }
        // What points to the root from inside is a back link.
        let inside: FxHashSet<ObjectId> = children
            .iter()
            .flat_map(|child| {
                let segment = state.memory.get(child.id).segment.clone();
                let patterns = segment.map_or_else(Vec::new, |segment| segment.patterns(&state.memory));
                patterns.into_iter().chain([child.id])
            })
            .chain([root])
            .collect();
        // Where a pointer leads to one of its links, the program is about to look at what that link holds, and may know it.
        let onward = |offset: u64| offset != shape.at && shape.links.contains(&offset);
        let fine = references.to.get(&root).into_iter().flatten().all(|r| match r.source {
            _ if r.offset.is_some_and(onward) => false,
            Source::Prev(_) | Source::Root => true,
            Source::Cell(id, at) => !inside.contains(&id) || (id != root && Some(at) == shape.back),
            Source::Next(id) => !inside.contains(&id),
        });
        if !fine {
            return None;
        }

        // Links are forgotten: the tree says what they are. In the children's nodes they are absent, or local variables.
        let mut work = state.clone();
        let mut min = 1u32;
        for child in children {
            let node = match work.memory.get(child.id).segment.clone() {
                None => {
                    min = min.saturating_add(1);
                    child.id
                }
                Some(segment) => {
                    min = min.saturating_add(segment.min);
                    segment.node
                }
            };
            let object = work.memory.get(node);
            let own: Vec<Term> =
                work.memory.get(child.id).segment.iter().flat_map(|segment| segment.links.clone()).collect();
            let ends = shape.links.iter().all(|&link| {
                object
                    .cell_at(link)
                    .is_some_and(|(at, _, value)| at == link && (self.is_nil(value) || own.contains(&value)))
            });
            if !ends {
                return None;
            }
            self.open_links(&mut work, node, shape);
        }
        self.open_links(&mut work, root, shape);
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
        let base = self.terms.variable("address", self.pointer_bits);
        folded.path.give(base, self.terms.evaluate(whole.base, folded.path.model()));
        self.instead(&mut outside, whole.base, base);
        whole.base = base;
        whole.forget(Initial::Undefined);
        // Of the number of nodes nothing is kept but the least: what is a child's part of it no path of the program says.
        let length = self.terms.variable("length", self.pointer_bits);
        folded.path.give(length, u128::from(min));
        let next = self.terms.constant(0, self.pointer_bits);
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

    /// Puts new variables in the link cells of a node.
    pub(super) fn open_links(&mut self, state: &mut State, node: ObjectId, shape: &TreeShape) {
        for &offset in shape.links.iter().chain(&shape.back) {
            let variable = self.terms.variable("link", self.pointer_bits);
            state.path.give(variable, 0);
            state.memory.get_mut(node).write(offset, variable, &mut self.terms);
        }
    }

    /// Makes one pattern of a node (or pattern) and of the nodes of a child.
    pub(super) fn merge_nodes(
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
        let mut link = |explorer: &mut Self, offset: u64| {
            let variable = explorer.terms.variable("link", explorer.pointer_bits);
            pairing.seed(cell(from, offset)?, cell(to, offset)?, variable);
            Some(variable)
        };
        let links: Vec<Term> = shape.links.iter().map(|&offset| link(self, offset)).collect::<Option<_>>()?;
        let back_link = match shape.back {
            Some(offset) => Some(link(self, offset)?),
            None => None,
        };
        self.pair_objects(&mut pairing, from, to)?;
        self.pair_what_waits(&mut pairing)?;
        self.settle_locals(&mut pairing)?;
        let lefts: FxHashSet<ObjectId> = pairing.partners.keys().copied().collect();
        let rights: FxHashSet<ObjectId> = pairing.taken.keys().copied().collect();
        // What a node owns nobody else knows; of a pattern that was made on the way this is known.
        let alone = |group: &FxHashSet<ObjectId>, node: ObjectId| {
            group.iter().filter(|&&id| id != node).all(|&id| {
                let known = state.memory.get(id).pattern || owned.is_some_and(|owned| owned.contains(&id));
                let inside = references
                    .to
                    .get(&id)
                    .into_iter()
                    .flatten()
                    .all(|r| r.source.object().is_some_and(|source| source == node || group.contains(&source)));
                is_owned(state.memory.get(id)) && !references.hidden.contains(&id) && (known || inside)
            })
        };
        let apart = lefts.iter().all(|id| !rights.contains(id));
        // What every node owns may not get lost where another one has nothing.
        let kept = owned.into_iter().flatten().all(|&id| id == child || lefts.contains(&id))
            && segment.iter().flat_map(|segment| &segment.owned).all(|id| rights.contains(id));
        if !apart || !kept || !alone(&lefts, from) || !alone(&rights, to) {
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
