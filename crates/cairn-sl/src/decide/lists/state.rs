//! Normal forms of symbolic heaps with list segments.
//!
//! A normal form consists of classes of equal terms, disequalities, and at most one atom per
//! address. Of two segments `ls(x, y)` and `ls(x, z)` at the same address, at least one is empty.
//! If it is not known which, the normal form splits into two cases. All other inferences are
//! propagated without a choice.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::budget::{Budget, Reason};

/// A class of equal terms, identified by a member.
pub type Node = u32;

/// A spatial atom without its address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Edge {
    /// A cell with its fields.
    Cell(Vec<Node>),
    /// A list segment with the index of its shape and its end.
    Segment(usize, Node),
}

/// A symbolic heap over nodes. [`State::find`] maps addresses, targets and fields to their classes.
#[derive(Clone, Debug)]
pub struct State {
    parents: Vec<Node>,
    distinct: Vec<(Node, Node)>,
    /// The atoms that are not known to be empty.
    atoms: Vec<(Node, Edge)>,
    /// The nodes that are the `nil` of a sort.
    nils: Vec<Node>,
    /// In a normal form, the atom at each class.
    at: FxHashMap<Node, usize>,
    /// In a normal form, disequalities between classes, smaller class first.
    differ: FxHashSet<(Node, Node)>,
    /// In a normal form, the classes of `nil`.
    nil_classes: FxHashSet<Node>,
}

/// The result of propagation.
enum Closed {
    Contradiction,
    /// There is at most one atom per address.
    Normal,
    /// This atom shares its address with another one, and at least one of the two is empty.
    Pending(usize),
}

impl State {
    /// Creates a state with that many nodes, of which `nils` are `nil`.
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

    /// Assumes that two nodes are equal.
    pub fn equate(&mut self, a: Node, b: Node) {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a.max(b) as usize] = a.min(b);
    }

    /// Assumes that two nodes differ.
    pub fn separate(&mut self, a: Node, b: Node) {
        self.distinct.push((a, b));
    }

    /// Returns the class of a node.
    pub fn find(&self, mut node: Node) -> Node {
        while self.parents[node as usize] != node {
            node = self.parents[node as usize];
        }
        node
    }

    /// Returns the atom at an address; requires a normal form.
    pub fn at(&self, node: Node) -> Option<usize> {
        self.at.get(&self.find(node)).copied()
    }

    /// Returns the atoms. In a normal form they have distinct addresses, and no segment is known to be empty.
    pub fn atoms(&self) -> &[(Node, Edge)] {
        &self.atoms
    }

    /// Returns whether the node is `nil`; requires a normal form.
    pub fn is_nil(&self, node: Node) -> bool {
        self.nil_classes.contains(&self.find(node))
    }

    /// Returns whether a disequality separates two classes; requires a normal form.
    pub fn known_distinct(&self, a: Node, b: Node) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        self.differ.contains(&(a.min(b), a.max(b)))
    }

    /// Returns a normal form, or `None` if there is no model.
    pub fn normal_form(&self, budget: &Budget) -> Result<Option<State>, Reason> {
        let mut found = None;
        self.clone().each_normal_form(budget, &mut |normal| {
            found = Some(normal.clone());
            Ok(false)
        })?;
        Ok(found)
    }

    /// Calls the function for each normal form until it returns false.
    ///
    /// The normal forms together have the same models as this state. Each has a model in which all
    /// classes differ and all segments are non-empty.
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

    /// Propagates to a fixed point.
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
                    // No cell is at `nil`, so a segment that starts there is empty.
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

    /// Returns whether the atom is known to have a cell.
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
