//! The left side of an entailment between chains, and matching of the right side.

use rustc_hash::FxHashMap;

use super::shape::{ChainShape, Held, Source};
use crate::formula::{PredicateId, Pure, Sort, Spatial, Term};
use crate::signature::Signature;
use crate::symbolic_heap::SymbolicHeap;

/// A class of equal locations, identified by a member.
type Node = usize;

/// An atom of the left side.
#[derive(Clone, Debug)]
enum Atom {
    Cell { at: Node, fields: Vec<Node> },
    Chain { predicate: PredicateId, arguments: Vec<Node>, nonempty: bool },
}

/// The left side with its known equalities and disequalities.
#[derive(Clone)]
pub(super) struct Left<'s> {
    signature: &'s Signature,
    shapes: FxHashMap<PredicateId, ChainShape>,
    nodes: FxHashMap<Term, Node>,
    parents: Vec<Node>,
    nils: Vec<Node>,
    distinct: Vec<(Node, Node)>,
    atoms: Vec<Atom>,
}

impl<'s> Left<'s> {
    /// Creates the left side; returns `None` if the question contains anything but chains of locations.
    pub(super) fn new(signature: &'s Signature, left: &SymbolicHeap, right: &SymbolicHeap) -> Option<Self> {
        let mut state = Self {
            signature,
            shapes: FxHashMap::default(),
            nodes: FxHashMap::default(),
            parents: Vec::new(),
            nils: Vec::new(),
            distinct: Vec::new(),
            atoms: Vec::new(),
        };
        for (sort, _) in signature.location_sorts() {
            let nil = state.node(&Term::Nil(sort))?;
            state.nils.push(nil);
        }
        for spatial in left.spatial.iter().chain(&right.spatial) {
            for term in spatial.terms() {
                state.node(term)?;
            }
            if let Spatial::Predicate(id, _) = spatial {
                state.add_shape(*id)?;
            }
        }
        for pure in left.pure.iter().chain(&right.pure) {
            let (Pure::Equal(a, b) | Pure::Distinct(a, b)) = pure else { return None };
            state.node(a)?;
            state.node(b)?;
        }
        for pure in &left.pure {
            match pure {
                Pure::Equal(a, b) => state.equate(state.nodes[a], state.nodes[b]),
                Pure::Distinct(a, b) => state.distinct.push((state.nodes[a], state.nodes[b])),
                _ => return None,
            }
        }
        for spatial in &left.spatial {
            let nodes = |terms: &[Term]| terms.iter().map(|t| state.nodes[t]).collect::<Vec<_>>();
            let atom = match spatial {
                Spatial::PointsTo(at, fields) => Atom::Cell { at: state.nodes[at], fields: nodes(fields) },
                Spatial::Predicate(predicate, arguments) => {
                    Atom::Chain { predicate: *predicate, arguments: nodes(arguments), nonempty: false }
                }
            };
            state.atoms.push(atom);
        }
        Some(state)
    }

    /// Returns the cost of one matching attempt, in budget steps.
    pub(super) fn size(&self) -> usize {
        self.atoms.len() * self.atoms.len() + self.nodes.len()
    }

    fn node(&mut self, term: &Term) -> Option<Node> {
        if !matches!(term.sort(), Sort::Location(_)) {
            return None;
        }
        let next = self.parents.len();
        let node = *self.nodes.entry(term.clone()).or_insert(next);
        if node == next {
            self.parents.push(next);
        }
        Some(node)
    }

    /// Adds the shape of a predicate and of all its inner chains.
    fn add_shape(&mut self, id: PredicateId) -> Option<()> {
        if self.shapes.contains_key(&id) {
            return Some(());
        }
        let shape = ChainShape::of(self.signature, id)?;
        let inner: Vec<PredicateId> = shape.inner.iter().map(|i| i.0).collect();
        self.shapes.insert(id, shape);
        inner.into_iter().try_for_each(|id| self.add_shape(id))
    }

    fn find(&self, mut node: Node) -> Node {
        while self.parents[node] != node {
            node = self.parents[node];
        }
        node
    }

    fn equate(&mut self, a: Node, b: Node) {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a.max(b)] = a.min(b);
    }

    fn same(&self, a: Node, b: Node) -> bool {
        self.find(a) == self.find(b)
    }

    fn is_nil(&self, node: Node) -> bool {
        self.nils.iter().any(|&nil| self.same(nil, node))
    }

    /// Assumes that a chain is empty.
    pub(super) fn make_empty(&mut self, index: usize) {
        let Atom::Chain { predicate, arguments, .. } = self.atoms.remove(index) else { return };
        for (moving, end, _) in self.shapes[&predicate].moving.clone() {
            self.equate(arguments[moving], arguments[end]);
        }
    }

    /// Assumes that a chain is not empty.
    pub(super) fn make_nonempty(&mut self, index: usize) {
        let Atom::Chain { predicate, arguments, nonempty } = &mut self.atoms[index] else { return };
        *nonempty = true;
        let pairs = self.shapes[predicate].distinct.iter().map(|&(a, b)| (arguments[a], arguments[b]));
        self.distinct.extend(pairs);
    }

    /// Returns a chain that may be empty or not.
    pub(super) fn undecided(&self) -> Option<usize> {
        self.atoms.iter().position(|atom| matches!(atom, Atom::Chain { nonempty: false, .. }))
    }

    /// Returns the locations at which an atom is known to have a cell.
    fn allocated(&self, atom: &Atom) -> Vec<Node> {
        match atom {
            Atom::Cell { at, .. } => vec![*at],
            Atom::Chain { nonempty: false, .. } => Vec::new(),
            Atom::Chain { predicate, arguments, .. } => {
                let shape = &self.shapes[predicate];
                std::iter::once(shape.from).chain(shape.last()).map(|p| arguments[p]).collect()
            }
        }
    }

    /// Returns the atoms that are known to have a cell at a location.
    fn owners(&self, node: Node) -> impl Iterator<Item = usize> + '_ {
        (0..self.atoms.len()).filter(move |&i| self.allocated(&self.atoms[i]).iter().any(|&n| self.same(n, node)))
    }

    /// Returns whether two locations are known to differ.
    fn differ(&self, a: Node, b: Node) -> bool {
        let known =
            |&(c, d): &(Node, Node)| (self.same(a, c) && self.same(b, d)) || (self.same(a, d) && self.same(b, c));
        if self.same(a, b) {
            return false;
        }
        let owned = |n: Node| self.owners(n).next();
        self.distinct.iter().any(known)
            || (self.is_nil(a) && owned(b).is_some())
            || (self.is_nil(b) && owned(a).is_some())
            || owned(a).is_some_and(|first| owned(b).is_some_and(|second| first != second))
    }

    /// Propagates the known facts to a fixed point; returns false if they are contradictory.
    pub(super) fn close(&mut self) -> bool {
        loop {
            if self.distinct.iter().any(|&(a, b)| self.same(a, b)) {
                return false;
            }
            let mut change = None;
            for (index, atom) in self.atoms.iter().enumerate() {
                let places = self.allocated(atom);
                if places.iter().any(|&n| self.is_nil(n) || self.owners(n).any(|other| other != index)) {
                    return false;
                }
                let Atom::Chain { predicate, arguments, nonempty: false } = atom else { continue };
                let shape = &self.shapes[predicate];
                let ends = std::iter::once(shape.from).chain(shape.last()).map(|p| arguments[p]);
                let taken = ends.into_iter().any(|n| self.is_nil(n) || self.owners(n).next().is_some());
                let cut = shape.distinct.iter().any(|&(a, b)| self.same(arguments[a], arguments[b]));
                let differs = shape.moving.iter().any(|m| self.differ(arguments[m.0], arguments[m.1]));
                match (taken || cut, differs) {
                    (true, true) => return false,
                    (true, false) => change = Some((index, true)),
                    (false, true) => change = Some((index, false)),
                    (false, false) => continue,
                }
                break;
            }
            match change {
                Some((index, true)) => self.make_empty(index),
                Some((index, false)) => self.make_nonempty(index),
                None => return true,
            }
        }
    }

    /// Matches the right side; a match proves that it holds in every model.
    pub(super) fn matches(&self, right: &SymbolicHeap) -> bool {
        let shown = |pure: &Pure| match pure {
            Pure::Equal(a, b) => self.same(self.nodes[a], self.nodes[b]),
            Pure::Distinct(a, b) => self.differ(self.nodes[a], self.nodes[b]),
            _ => false,
        };
        let mut used = vec![false; self.atoms.len()];
        right.pure.iter().all(shown)
            && right.spatial.iter().all(|spatial| {
                let nodes = |terms: &[Term]| terms.iter().map(|t| self.nodes[t]).collect::<Vec<_>>();
                match spatial {
                    Spatial::PointsTo(at, fields) => self.cell(self.nodes[at], &nodes(fields), &mut used),
                    Spatial::Predicate(id, arguments) => self.chain(*id, nodes(arguments), &mut used),
                }
            })
            && (right.rest || used.iter().all(|u| *u))
    }

    fn cell_at(&self, at: Node, used: &[bool]) -> Option<usize> {
        (0..self.atoms.len())
            .find(|&i| !used[i] && matches!(&self.atoms[i], Atom::Cell { at: a, .. } if self.same(*a, at)))
    }

    fn cell(&self, at: Node, wanted: &[Node], used: &mut [bool]) -> bool {
        let Some(index) = self.cell_at(at, used) else { return false };
        let Atom::Cell { fields, .. } = &self.atoms[index] else { return false };
        used[index] = true;
        fields.iter().zip(wanted).all(|(&a, &b)| self.same(a, b))
    }

    /// Traces a chain of the right side through the left side, consuming the atoms on the path.
    fn chain(&self, id: PredicateId, mut arguments: Vec<Node>, used: &mut [bool]) -> bool {
        let shape = &self.shapes[&id];
        loop {
            if shape.moving.iter().all(|m| self.same(arguments[m.0], arguments[m.1])) {
                return true;
            }
            let next = match self.follow_chain(id, shape, &arguments, used) {
                Some(next) => Some(next),
                None => self.follow_cell(shape, &arguments, used),
            };
            let Some(next) = next else { return false };
            arguments = next;
        }
    }

    /// Skips a chain of the left side, and returns the arguments of the remaining chain.
    ///
    /// Both chains end at different locations. Disequalities with the end of the wanted chain must
    /// therefore be shown for the cells of the skipped chain.
    fn follow_chain(
        &self,
        id: PredicateId,
        shape: &ChainShape,
        wanted: &[Node],
        used: &mut [bool],
    ) -> Option<Vec<Node>> {
        for (index, atom) in self.atoms.iter().enumerate() {
            let Atom::Chain { predicate, arguments, .. } = atom else { continue };
            if used[index] || *predicate != id {
                continue;
            }
            // Only end parameters may differ, and only if the cells of the chain do not mention them.
            let may_differ = |place: usize| shape.moving.iter().any(|m| m.1 == place) && !shape.mentions(place);
            if !(0..wanted.len()).all(|i| may_differ(i) || self.same(arguments[i], wanted[i])) {
                continue;
            }
            // Whether the location is `nil` or the cell of another atom, and thus not in this chain.
            let elsewhere = |n: Node| self.is_nil(n) || self.owners(n).any(|owner| owner != index);
            let apart = shape.distinct.iter().all(|&(moving, kept)| {
                self.same(arguments[kept], wanted[kept])
                    || (moving == shape.from && elsewhere(wanted[kept]))
                    || (shape.moving.iter().any(|m| m.0 == moving && m.2 == Source::Parameter(shape.from))
                        && self.differ(arguments[moving], wanted[kept])
                        && elsewhere(wanted[kept]))
            });
            if !apart {
                continue;
            }
            used[index] = true;
            let mut next = wanted.to_vec();
            for &(moving, end, _) in &shape.moving {
                next[moving] = arguments[end];
            }
            return Some(next);
        }
        None
    }

    /// Skips one cell together with its inner chains, and returns the arguments of the remaining chain.
    fn follow_cell(&self, shape: &ChainShape, wanted: &[Node], used: &mut [bool]) -> Option<Vec<Node>> {
        let index = self.cell_at(wanted[shape.from], used)?;
        let Atom::Cell { fields, .. } = &self.atoms[index] else { return None };
        let fits = shape.fields.iter().zip(fields).all(|(held, &value)| match held {
            Held::Anything => true,
            Held::Nil => self.is_nil(value),
            Held::Parameter(place) => self.same(value, wanted[*place]),
        });
        let apart = shape.distinct.iter().all(|&(moving, kept)| self.differ(wanted[moving], wanted[kept]));
        if !fits || !apart || fields.len() != shape.fields.len() {
            return None;
        }
        used[index] = true;
        let value = |source: Source| match source {
            Source::Field(field) => fields[field],
            Source::Parameter(place) => wanted[place],
            Source::Nil(sort) => self.nodes[&Term::Nil(sort)],
        };
        for (id, sources) in &shape.inner {
            if !self.chain(*id, sources.iter().map(|&s| value(s)).collect(), used) {
                return None;
            }
        }
        let mut next = wanted.to_vec();
        for &(moving, _, source) in &shape.moving {
            next[moving] = value(source);
        }
        Some(next)
    }
}
