//! The rule solver between two cut-points, with everything that is known of its variables.
//!
//! [`PathSolver`] wraps the constraint-handling-rules solver: it makes variables and remembers where they come from
//! ([`Origin`]), makes literals of the theory's predicates, assumes path conditions and proves verification conditions
//! by refuting their negation. `addresses` has the questions about pointers, `elements` those about elements of arrays
//! by variable indices, `bounds` the search for bounds of integers.

mod addresses;
mod bounds;
mod elements;
mod origin;

use cairn_ir::Operand;
use cairn_rules::{Answer, Lit, Model, Predicate, Solver, Term};
use rustc_hash::FxHashMap;

use super::limits::SOLVER_STEPS;
use super::theory::Theory;
use super::types::{ClassId, NodeId, NodeTypes};

pub(super) use bounds::{Landmarks, Range};
pub(super) use elements::{IndexBounds, Spread};
pub(super) use origin::{Element, Origin, Reach, Site, Untyped};

/// Why the execution of a path does not go on.
#[derive(Debug)]
pub(super) enum Stop {
    /// The path is infeasible, complete, or cannot be followed.
    PathEnd,
    /// An allocation was given a type: the function is executed anew.
    Restart,
}

/// The outcome of a step on a path.
pub(super) type Flow<T = ()> = Result<T, Stop>;

/// The outcome of a proof: a model on failure, or nothing when the solver ran out of steps.
pub(super) type Proof = Result<(), Option<Box<Model>>>;

/// The solver of the paths from one cut-point.
pub(super) struct PathSolver<'c, 'p> {
    types: &'c NodeTypes<'p>,
    theory: &'c Theory,
    rules: Solver<'c>,
    origins: Vec<Option<Origin>>,
    /// The addresses of elements, so that the same element has the same variable.
    elements: FxHashMap<Element, Term>,
    /// The addresses of globals, functions and labels.
    statics: FxHashMap<Operand, Term>,
    next_heap: i64,
    conditions: usize,
}

impl<'c, 'p> PathSolver<'c, 'p> {
    pub fn new(types: &'c NodeTypes<'p>, theory: &'c Theory) -> Self {
        Self {
            types,
            theory,
            rules: Solver::new(theory.rules()),
            origins: Vec::new(),
            elements: FxHashMap::default(),
            statics: FxHashMap::default(),
            next_heap: 1,
            conditions: 0,
        }
    }

    /// Forgets everything, at a new cut-point.
    pub fn reset(&mut self) {
        self.rules = Solver::new(self.theory.rules());
        self.rules.set_budget(SOLVER_STEPS);
        self.origins.clear();
        self.elements.clear();
        self.statics.clear();
        self.next_heap = 1;
    }

    pub fn types(&self) -> &'c NodeTypes<'p> {
        self.types
    }

    pub fn theory(&self) -> &'c Theory {
        self.theory
    }

    /// Returns how many conditions were asked so far.
    pub fn conditions(&self) -> usize {
        self.conditions
    }
}

/// Variables.
impl PathSolver<'_, '_> {
    /// Makes a variable of this origin.
    pub fn variable(&mut self, origin: Origin) -> Term {
        let term = self.rules.fresh();
        let index = term.var.0 as usize;
        if self.origins.len() <= index {
            self.origins.resize(index + 1, None);
        }
        self.origins[index] = Some(origin);
        term
    }

    /// Makes a variable of which nothing is known.
    pub fn unknown(&mut self) -> Term {
        self.variable(Origin::default())
    }

    /// Makes a variable without an origin, for a query.
    pub fn any(&mut self) -> Term {
        self.rules.fresh()
    }

    /// Makes a variable for an integer between two bounds.
    pub fn between(&mut self, low: i64, high: i64) -> Term {
        let term = self.unknown();
        for bound in [self.at_most(Term::constant(low), term), self.at_most(term, Term::constant(high))] {
            self.note(bound);
        }
        term
    }

    /// Returns the name of a new heap.
    pub fn new_heap(&mut self) -> i64 {
        self.next_heap += 1;
        self.next_heap - 1
    }

    /// Returns the variable of a static address, which `make` describes on its first use.
    pub fn static_address(&mut self, operand: Operand, make: impl FnOnce() -> Origin) -> Term {
        if let Some(&term) = self.statics.get(&operand) {
            return term;
        }
        let term = self.variable(make());
        self.statics.insert(operand, term);
        term
    }

    pub fn origin(&self, term: Term) -> Option<&Origin> {
        self.origins.get(term.var.0 as usize).and_then(Option::as_ref)
    }

    /// Returns the node type that the declaration of a pointer promises.
    pub fn hint(&self, term: Term) -> Option<NodeId> {
        self.origin(term).and_then(|origin| origin.hint)
    }

    pub fn reach(&self, term: Term) -> Reach {
        self.origin(term).map_or(Reach::Public, |origin| origin.reach)
    }
}

/// Literals.
impl PathSolver<'_, '_> {
    pub fn equal(&mut self, a: Term, b: Term) -> Lit {
        self.rules.equal(a, b)
    }

    pub fn at_most(&mut self, a: Term, b: Term) -> Lit {
        self.rules.at_most(a, b)
    }

    pub fn is_null(&mut self, term: Term) -> Lit {
        self.rules.equal(term, Term::constant(0))
    }

    pub fn constraint(&mut self, predicate: Predicate, args: &[Term]) -> Lit {
        self.rules.constraint(predicate, args)
    }

    /// `object_T(P)`.
    pub fn object(&mut self, node: NodeId, base: Term) -> Lit {
        self.rules.constraint(self.theory.object(node), &[base])
    }

    /// `cell(F, A, V)`.
    pub fn cell(&mut self, heap: Term, address: Term, value: Term) -> Lit {
        self.rules.constraint(self.theory.heaps().cell, &[heap, address, value])
    }

    /// `fresh(P, E)`.
    pub fn fresh(&mut self, base: Term, epoch: i64) -> Lit {
        self.rules.constraint(self.theory.objects().fresh, &[base, Term::constant(epoch)])
    }

    /// `made(P)`.
    pub fn made(&mut self, base: Term) -> Lit {
        self.rules.constraint(self.theory.objects().made, &[base])
    }
}

/// Assumptions and proofs.
impl PathSolver<'_, '_> {
    /// Returns the truth value of a literal, if the path decides it.
    pub fn value(&self, lit: Lit) -> Option<bool> {
        self.rules.value(lit)
    }

    /// Returns the value of a term, if the path decides it.
    pub fn constant(&self, term: Term) -> Option<i64> {
        self.rules.constant(term)
    }

    /// Returns the difference of two terms, if the path decides it.
    pub fn difference(&self, a: Term, b: Term) -> Option<i64> {
        self.rules.difference(a, b)
    }

    /// Assumes a literal; the path ends where it cannot hold.
    pub fn assume(&mut self, lit: Lit) -> Flow {
        if self.rules.assume(lit) { Ok(()) } else { Err(Stop::PathEnd) }
    }

    /// Assumes a literal and returns whether it can hold, without ending the path.
    pub fn note(&mut self, lit: Lit) -> bool {
        self.rules.assume(lit)
    }

    /// Assumes that a term is null or a node of the start of an epoch.
    pub fn assume_node(&mut self, node: NodeId, term: Term, epoch: i64) -> Flow {
        let lit = self.rules.constraint(self.theory.node(node), &[term, Term::constant(epoch)]);
        self.assume(lit)
    }

    /// Assumes that an address is not null and, if its type is known, that of a node.
    pub fn assume_object(&mut self, node: Option<NodeId>, address: Term) -> Flow {
        let nonnull = !self.is_null(address);
        self.assume(nonnull)?;
        if let Some(node) = node {
            let object = self.object(node, address);
            self.assume(object)?;
        }
        Ok(())
    }

    /// Assumes that a heap is closed, if it is one of links.
    pub fn assume_closed(&mut self, class: ClassId, heap: i64, epoch: i64) -> Flow {
        let Some(closed) = self.theory.closed(class) else { return Ok(()) };
        let lit = self.rules.constraint(closed, &[Term::constant(heap), Term::constant(epoch)]);
        self.assume(lit)
    }

    /// Proves a condition by refuting its negation on this path.
    pub fn prove(&mut self, negated: &[Lit]) -> Proof {
        self.conditions += 1;
        match self.rules.refute(negated) {
            Answer::Refuted => Ok(()),
            Answer::Satisfied(model) => Err(Some(Box::new(model))),
            Answer::Exhausted => Err(None),
        }
    }

    /// Returns whether the literals contradict the path.
    pub fn is_refuted(&mut self, lits: &[Lit]) -> bool {
        self.prove(lits).is_ok()
    }

    /// As [`is_refuted`](Self::is_refuted), with a number of solver steps.
    pub fn is_refuted_within(&mut self, steps: u64, lits: &[Lit]) -> bool {
        self.rules.set_budget(steps);
        let refuted = self.is_refuted(lits);
        self.rules.set_budget(SOLVER_STEPS);
        refuted
    }

    /// Returns the mark of the current assumptions, for [`backtrack`](Self::backtrack).
    pub fn level(&self) -> usize {
        self.rules.level()
    }

    /// Takes back all assumptions since a mark.
    pub fn backtrack(&mut self, level: usize) {
        self.rules.backtrack(level);
    }
}
