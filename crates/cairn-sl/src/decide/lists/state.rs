//! The normal form of a symbolic heap with list segments: which terms are the same, which differ, and at most one atom at every
//! address.
//!
//! Segments `ls(x, y)` and `ls(x, z)` at one address can't both have cells. Where nothing says which of them is empty, the normal
//! form splits into two; everything else is propagated without a choice.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::budget::{Budget, Reason};

/// A class of equal terms, by one of them.
pub type Node = u32;

/// A part of the heap.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Edge {
    /// A cell with its fields.
    Cell(Vec<Node>),
    /// A list segment, of a shape by its number, up to this node.
    Segment(usize, Node),
}

/// What is known of a heap. Addresses, targets and fields are nodes as they were read; [`State::find`] tells their classes.
#[derive(Clone, Debug)]
pub struct State {
    parents: Vec<Node>,
    distinct: Vec<(Node, Node)>,
    /// Atoms that are not known to be empty.
    atoms: Vec<(Node, Edge)>,
    /// Nodes that are some sort's `nil`.
    nils: Vec<Node>,
    /// By class of the address, in a normal form.
    at: FxHashMap<Node, usize>,
    /// Disequalities between classes, smaller first, in a normal form.
    differ: FxHashSet<(Node, Node)>,
    /// Classes of `nil`, in a normal form.
    nil_classes: FxHashSet<Node>,
}

/// What propagation came to.
enum Closed {
    Contradiction,
    /// At most one atom at every address.
    Normal,
    /// Of these two atoms, one is empty.
    Pending(usize),
}

impl State {
    /// A state with so many nodes, of which these are `nil`.
    pub fn new(nodes: u32, nils: Vec<Node>) -> Self {
        Self {
            parents: (0..nodes).collect(),
            distinct: Vec::new(),
            atoms: Vec::new(),
            nils,
            at: FxHashMap::default(),
            differ: FxHashSet::default(),
            nil_classes: FxHashSet::default(),
        }
    }

    /// Adds an atom.
    pub fn add_atom(&mut self, address: Node, edge: Edge) {
        self.atoms.push((address, edge));
    }

    /// Says that two nodes are the same.
    pub fn equate(&mut self, a: Node, b: Node) {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a.max(b) as usize] = a.min(b);
    }

    /// Says that two nodes differ.
    pub fn separate(&mut self, a: Node, b: Node) {
        self.distinct.push((a, b));
    }

    /// The class of a node.
    pub fn find(&self, mut node: Node) -> Node {
        while self.parents[node as usize] != node {
            node = self.parents[node as usize];
        }
        node
    }

    /// The atom at an address, in a normal form.
    pub fn at(&self, node: Node) -> Option<usize> {
        self.at.get(&self.find(node)).copied()
    }

    /// The atoms of the normal form: all are at different addresses, and no segment is known to be empty.
    pub fn atoms(&self) -> &[(Node, Edge)] {
        &self.atoms
    }

    /// Whether the node is `nil`, in a normal form.
    pub fn is_nil(&self, node: Node) -> bool {
        self.nil_classes.contains(&self.find(node))
    }

    /// Whether two classes are known to differ by a disequality, in a normal form.
    pub fn known_distinct(&self, a: Node, b: Node) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        self.differ.contains(&(a.min(b), a.max(b)))
    }

    /// A normal form, if there is a model.
    pub fn normal_form(&self, budget: &Budget) -> Result<Option<State>, Reason> {
        let mut found = None;
        self.clone().each_normal_form(budget, &mut |normal| {
            found = Some(normal.clone());
            Ok(false)
        })?;
        Ok(found)
    }

    /// Calls the function with normal forms whose models are, together, those of this state, until it returns `false`. A normal
    /// form always has a model: one in which all classes differ and all segments have cells.
    pub fn each_normal_form(
        mut self,
        budget: &Budget,
        f: &mut impl FnMut(&State) -> Result<bool, Reason>,
    ) -> Result<bool, Reason> {
        budget.spend(1 + (self.atoms.len() + self.distinct.len()) as u64 / 8)?;
        match self.close() {
            Closed::Contradiction => Ok(true),
            Closed::Normal => f(&self),
            Closed::Pending(index) => {
                let (address, Edge::Segment(_, target)) = self.atoms[index].clone() else { return Ok(true) };
                let mut empty = self.clone();
                empty.equate(address, target);
                if !empty.each_normal_form(budget, f)? {
                    return Ok(false);
                }
                self.separate(address, target);
                self.each_normal_form(budget, f)
            }
        }
    }

    /// Propagates until nothing changes.
    fn close(&mut self) -> Closed {
        loop {
            for node in 0..self.parents.len() as Node {
                self.parents[node as usize] = self.find(node);
            }
            self.nil_classes = self.nils.iter().map(|&n| self.find(n)).collect();
            self.differ.clear();
            for &(a, b) in &self.distinct {
                let (a, b) = (self.find(a), self.find(b));
                if a == b {
                    return Closed::Contradiction;
                }
                self.differ.insert((a.min(b), a.max(b)));
            }
            let parents = &self.parents;
            self.atoms.retain(|(address, edge)| match edge {
                Edge::Cell(_) => true,
                Edge::Segment(_, target) => parents[*address as usize] != parents[*target as usize],
            });
            let mut merged = false;
            let mut pending = None;
            self.at.clear();
            for index in 0..self.atoms.len() {
                let (address, edge) = &self.atoms[index];
                let address = self.parents[*address as usize];
                let is_cell = matches!(edge, Edge::Cell(_));
                if self.nil_classes.contains(&address) {
                    // No cell is at nil, so a segment from there is empty.
                    match edge {
                        Edge::Cell(_) => return Closed::Contradiction,
                        Edge::Segment(_, target) => {
                            let target = *target;
                            self.equate(address, target);
                            merged = true;
                            break;
                        }
                    }
                }
                let Some(&other) = self.at.get(&address) else {
                    self.at.insert(address, index);
                    continue;
                };
                match (self.has_cells(other), is_cell || self.has_cells(index)) {
                    (true, true) => return Closed::Contradiction,
                    (true, false) => merged |= self.make_empty(index),
                    (false, true) => {
                        merged |= self.make_empty(other);
                        self.at.insert(address, index);
                    }
                    (false, false) => pending = Some(index),
                }
                if merged {
                    break;
                }
            }
            if !merged {
                return pending.map_or(Closed::Normal, Closed::Pending);
            }
        }
    }

    /// Whether the atom is known to have a cell.
    pub fn has_cells(&self, index: usize) -> bool {
        let (address, edge) = &self.atoms[index];
        match edge {
            Edge::Cell(_) => true,
            Edge::Segment(_, target) => self.known_distinct(*address, *target),
        }
    }

    fn make_empty(&mut self, index: usize) -> bool {
        if let (address, Edge::Segment(_, target)) = self.atoms[index].clone() {
            self.equate(address, target);
        }
        true
    }
}
