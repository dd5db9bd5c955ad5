//! Symbolic heaps with acyclic list segments: satisfiability and entailment by normalisation and matching.
//!
//! `components` splits a question into independent parts, and [`shape`] recognises the
//! predicates. [`state`] computes normal forms of the left side, and [`matching`] matches the right
//! side with a normal form. `models` constructs the model that an answer rests on.

mod components;
pub mod matching;
mod models;
pub mod shape;
pub mod state;

use rustc_hash::FxHashMap;

use self::components::components;
use self::matching::{Goal, GoalAtom, Match, Place, Refutation};
use self::shape::{ListShape, list_shape};
use self::state::{Edge, Node, State};
use super::{Question, any_sat};
use crate::budget::{Answer, Budget, Reason};
use crate::formula::{Linear, PredicateId, Pure, Spatial, Term, Variable};
use crate::model::Model;
use crate::signature::Signature;
use crate::symbolic_heap::SymbolicHeap;

/// The name of the procedure.
pub const NAME: &str = "lists";

/// Decides a question about list segments.
pub fn decide(signature: &Signature, question: &Question, budget: &Budget) -> Answer {
    let outcome = match question {
        Question::Satisfiability(heaps) => {
            let each = |heap| satisfiable(signature, heap, budget);
            heaps.iter().map(each).collect::<Result<Vec<_>, _>>().map(any_sat)
        }
        Question::Entailment(left, right) => {
            let each = |heap| entailment(signature, heap, right, budget);
            left.iter().map(each).collect::<Result<Vec<_>, _>>().map(any_sat)
        }
    };
    outcome.unwrap_or_else(Answer::Unknown)
}

/// Decides whether a symbolic heap has a model.
fn satisfiable(signature: &Signature, heap: &SymbolicHeap, budget: &Budget) -> Result<Answer, Reason> {
    for part in components(&[heap]) {
        let state = Translation::new(signature).state(&part[0])?;
        if state.normal_form(budget)?.is_none() {
            return Ok(Answer::Unsat);
        }
    }
    Ok(Answer::Sat)
}

/// Decides whether a symbolic heap has a model that is not a model of the right side.
fn entailment(
    signature: &Signature,
    left: &SymbolicHeap,
    right: &[SymbolicHeap],
    budget: &Budget,
) -> Result<Answer, Reason> {
    let [right] = right else {
        let found = refutation(&mut Translation::new(signature), left, right, budget)?;
        return Ok(if found.is_some() { Answer::Sat } else { Answer::Unsat });
    };
    let parts = components(&[left, right]);
    // If the left side of one part is unsatisfiable, the entailment holds regardless of the other parts.
    for part in &parts {
        let state = Translation::new(signature).state(&part[0])?;
        if state.normal_form(budget)?.is_none() {
            return Ok(Answer::Unsat);
        }
    }
    let mut undecided = None;
    for part in &parts {
        match refutation(&mut Translation::new(signature), &part[0], &part[1..], budget) {
            Ok(Some(_)) => return Ok(Answer::Sat),
            Ok(None) => {}
            Err(reason) => undecided = Some(reason),
        }
    }
    undecided.map_or(Ok(Answer::Unsat), Err)
}

/// Searches for a refutation of an entailment.
fn refutation(
    translation: &mut Translation<'_>,
    left: &SymbolicHeap,
    right: &[SymbolicHeap],
    budget: &Budget,
) -> Result<Option<Refutation>, Reason> {
    let goals: Vec<Goal> = right.iter().map(|heap| translation.goal(heap)).collect::<Result<_, _>>()?;
    let state = translation.state(left)?;
    let mut refuted = None;
    let mut undecided = false;
    state.each_normal_form(budget, &mut |normal| {
        let mut found = Some(Refutation { state: normal.clone(), second_cell: None });
        for goal in &goals {
            // If only the left side permits additional cells, a heap with or without an additional
            // cell is a counterexample.
            if left.rest && !goal.rest {
                continue;
            }
            match matching::entails(normal, goal, &translation.shapes, budget)? {
                Match::Entailed(_) => return Ok(true),
                Match::Refuted(refutation) => found = found.map(|_| *refutation),
                Match::Undetermined => found = None,
            }
        }
        // Different goals may be refuted by different models, so refuting each of several goals is not sufficient.
        if goals.len() > 1 {
            found = None;
        }
        undecided |= found.is_none();
        refuted = found;
        Ok(refuted.is_none())
    })?;
    if refuted.is_none() && undecided {
        let what = "the right side has bound variables or disjuncts that matching does not decide";
        return Err(Reason::Uncovered(what.to_owned()));
    }
    Ok(refuted)
}

/// Returns a candidate for a model, which the caller must evaluate.
pub fn model(signature: &Signature, question: &Question, budget: &Budget) -> Result<Option<Model>, Reason> {
    match question {
        Question::Satisfiability(heaps) => {
            for heap in heaps {
                let mut translation = Translation::new(signature);
                let state = translation.state(heap)?;
                if let Some(normal) = state.normal_form(budget)? {
                    return Ok(Some(models::model_of(&translation, &normal, 1)));
                }
            }
        }
        Question::Entailment(left, right) => {
            for heap in left {
                let mut translation = Translation::new(signature);
                if let Some(refutation) = refutation(&mut translation, heap, right, budget)? {
                    return Ok(Some(models::countermodel(&translation, &refutation)));
                }
            }
        }
    }
    Ok(None)
}

/// A translation from terms to nodes.
#[derive(Debug)]
pub struct Translation<'s> {
    signature: &'s Signature,
    nodes: FxHashMap<Term, Node>,
    nils: Vec<Node>,
    /// The shapes of the predicates that occur, indexed by [`Edge::Segment`] and [`GoalAtom::Segment`].
    pub shapes: Vec<ListShape>,
    shape_of: FxHashMap<PredicateId, usize>,
}

impl<'s> Translation<'s> {
    /// Creates an empty translation.
    pub fn new(signature: &'s Signature) -> Self {
        Self {
            signature,
            nodes: FxHashMap::default(),
            nils: Vec::new(),
            shapes: Vec::new(),
            shape_of: FxHashMap::default(),
        }
    }

    /// Returns a term for a node, preferring variables of the input over generated ones.
    pub fn term(&self, node: Node, state: &State) -> Term {
        let class = state.find(node);
        let age = |term: &Term| term.as_variable().map_or(0, |variable| 1 + variable.number);
        let members = self.nodes.iter().filter(|(_, n)| state.find(**n) == class).map(|(term, _)| term);
        members.min_by_key(|term| age(term)).cloned().unwrap_or(Term::Integer(Linear::default()))
    }

    /// Returns a predicate with this shape.
    pub fn predicate(&self, shape: usize) -> PredicateId {
        self.shape_of.iter().find(|(_, s)| **s == shape).map_or(PredicateId(0), |(id, _)| *id)
    }

    fn node(&mut self, term: &Term) -> Result<Node, Reason> {
        match term {
            Term::Integer(linear) if linear.as_variable().is_none() => {
                return Err(Reason::Uncovered("arithmetic in a heap of list segments".to_owned()));
            }
            _ => {}
        }
        if let Some(&node) = self.nodes.get(term) {
            return Ok(node);
        }
        let node = self.nodes.len() as Node;
        self.nodes.insert(term.clone(), node);
        if matches!(term, Term::Nil(_)) {
            self.nils.push(node);
        }
        Ok(node)
    }

    fn shape(&mut self, id: PredicateId) -> Result<usize, Reason> {
        if let Some(&index) = self.shape_of.get(&id) {
            return Ok(index);
        }
        let Some(shape) = list_shape(self.signature, id) else {
            let name = &self.signature.predicate(id).name;
            return Err(Reason::Uncovered(format!("predicate `{name}` is not an acyclic list segment")));
        };
        if self.shapes.iter().any(|other| other.next != shape.next) {
            return Err(Reason::Uncovered("list segments through different fields".to_owned()));
        }
        self.shapes.push(shape);
        self.shape_of.insert(id, self.shapes.len() - 1);
        Ok(self.shapes.len() - 1)
    }

    /// Translates the left side; existential variables are treated as free variables.
    pub fn state(&mut self, heap: &SymbolicHeap) -> Result<State, Reason> {
        let mut equal = Vec::new();
        let mut distinct = Vec::new();
        for pure in &heap.pure {
            match pure {
                Pure::Equal(a, b) => equal.push((self.node(a)?, self.node(b)?)),
                Pure::Distinct(a, b) => distinct.push((self.node(a)?, self.node(b)?)),
                other => return Err(not_about_locations(other)),
            }
        }
        let mut atoms = Vec::new();
        for spatial in &heap.spatial {
            atoms.push(match spatial {
                Spatial::PointsTo(location, fields) => {
                    let fields = fields.iter().map(|f| self.node(f)).collect::<Result<_, _>>()?;
                    (self.node(location)?, Edge::Cell(fields))
                }
                Spatial::Predicate(id, arguments) => {
                    let index = self.shape(*id)?;
                    let (from, to) = (self.shapes[index].from, self.shapes[index].to);
                    let target = self.node(&arguments[to])?;
                    (self.node(&arguments[from])?, Edge::Segment(index, target))
                }
            });
        }
        let mut state = State::new(self.nodes.len() as u32, self.nils.clone());
        for (a, b) in equal {
            state.equate(a, b);
        }
        for (a, b) in distinct {
            state.separate(a, b);
        }
        for (address, edge) in atoms {
            state.add_atom(address, edge);
        }
        Ok(state)
    }

    /// Translates the right side. This must precede the left side, whose state has to contain all terms.
    pub fn goal(&mut self, heap: &SymbolicHeap) -> Result<Goal, Reason> {
        let holes: FxHashMap<Variable, usize> = heap.existentials.iter().enumerate().map(|(i, &v)| (v, i)).collect();
        let place = |this: &mut Self, term: &Term| -> Result<Place, Reason> {
            match term.as_variable().and_then(|v| holes.get(&v)) {
                Some(&hole) => Ok(Place::Hole(hole)),
                None => Ok(Place::Node(this.node(term)?)),
            }
        };
        let mut goal =
            Goal { equal: Vec::new(), distinct: Vec::new(), atoms: Vec::new(), rest: heap.rest, holes: holes.len() };
        for pure in &heap.pure {
            match pure {
                Pure::Equal(a, b) => goal.equal.push((place(self, a)?, place(self, b)?)),
                Pure::Distinct(a, b) => goal.distinct.push((place(self, a)?, place(self, b)?)),
                other => return Err(not_about_locations(other)),
            }
        }
        for spatial in &heap.spatial {
            goal.atoms.push(match spatial {
                Spatial::PointsTo(location, fields) => {
                    let location = place(self, location)?;
                    GoalAtom::Cell(location, fields.iter().map(|f| place(self, f)).collect::<Result<_, _>>()?)
                }
                Spatial::Predicate(id, arguments) => {
                    let index = self.shape(*id)?;
                    let (from, to) = (self.shapes[index].from, self.shapes[index].to);
                    GoalAtom::Segment(index, place(self, &arguments[from])?, place(self, &arguments[to])?)
                }
            });
        }
        Ok(goal)
    }
}

fn not_about_locations(pure: &Pure) -> Reason {
    let what = match pure {
        Pure::Truth(..) => "truth values",
        _ => "arithmetic",
    };
    Reason::Uncovered(format!("{what} in a heap of list segments"))
}
