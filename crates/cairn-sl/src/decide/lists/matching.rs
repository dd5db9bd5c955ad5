//! Entailment between symbolic heaps with list segments, by matching with a normal form of the left side.
//!
//! A normal form has a model in which all classes differ and every segment has at least two cells.
//! In that model every atom of the right side can only match the part of the heap that starts at
//! its address. If it does not match, the entailment is invalid (Cook, Haase, Ouaknine, Parkinson,
//! Worrell, CONCUR'11: a graph homomorphism).
//!
//! A match carries over to the other models with one exception. A chain of atoms from `x` to `y` is
//! the segment `ls(x, y)` only if `y` is not one of its cells. Each chain is checked for this
//! separately, because a model in which one chain is not a segment already violates the right side.

use rustc_hash::FxHashSet;

use super::shape::ListShape;
use super::state::{Edge, Node, State};
use crate::budget::{Budget, Reason};

/// The right side: its variables are nodes of the left side, or holes that matching fills.
#[derive(Clone, Debug)]
pub struct Goal {
    /// Pairs of equal terms.
    pub equal: Vec<(Place, Place)>,
    /// Pairs of distinct terms.
    pub distinct: Vec<(Place, Place)>,
    /// The spatial atoms.
    pub atoms: Vec<GoalAtom>,
    /// Whether the heap may contain more cells.
    pub rest: bool,
    /// The number of holes.
    pub holes: usize,
}

/// A term of the right side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// A term that occurs on the left side.
    Node(Node),
    /// An existential variable.
    Hole(usize),
}

/// A spatial atom of the right side.
#[derive(Clone, Debug)]
pub enum GoalAtom {
    /// A cell with its address and fields.
    Cell(Place, Vec<Place>),
    /// A list segment with its shape, start and end.
    Segment(usize, Place, Place),
}

/// A model of the left side that is not a model of the right side.
///
/// It is the model of a normal form in which all classes differ and all segments have two cells.
#[derive(Clone, Debug)]
pub struct Refutation {
    /// The normal form.
    pub state: State,
    /// If present, the segment at the first node has its second cell at the second node.
    pub second_cell: Option<(Node, Node)>,
}

impl Refutation {
    fn plain(state: &State) -> Match {
        Match::Refuted(Box::new(Refutation { state: state.clone(), second_cell: None }))
    }
}

/// The result of matching with a normal form.
#[derive(Clone, Debug)]
pub enum Match {
    /// Every model of the left side is a model of the right side; contains the unmatched atoms of the state.
    Entailed(Vec<usize>),
    /// Some model of the left side is not a model of the right side.
    Refuted(Box<Refutation>),
    /// The matched cells do not determine an existential variable.
    Undetermined,
}

/// A part of the right side that the left side lacks.
#[derive(Clone, Debug)]
pub enum Missing {
    /// A spatial atom.
    Atom(GoalAtom),
    /// An equality.
    Equal(Node, Node),
    /// A disequality.
    Distinct(Node, Node),
}

/// A match that records missing parts instead of failing.
#[derive(Clone, Debug)]
pub struct PartialMatch {
    /// The parts that the left side lacks.
    pub missing: Vec<Missing>,
    /// The indices of the unmatched atoms of the state.
    pub left_over: Vec<usize>,
    /// The values of the existential variables of the right side.
    pub filled: Vec<Option<Node>>,
}

/// Matches a goal with a normal form, where both sides may have unmatched parts.
///
/// Returns `None` if an existential variable is undetermined or a match is impossible.
pub fn partial(
    state: &State,
    goal: &Goal,
    shapes: &[ListShape],
    budget: &Budget,
) -> Result<Option<PartialMatch>, Reason> {
    let mut matcher = Matcher::new(state, goal, shapes);
    matcher.missing = Some(Vec::new());
    matcher.fill_from(&goal.equal);
    let mut chains = Vec::new();
    let mut waiting: Vec<&GoalAtom> = goal.atoms.iter().collect();
    while !waiting.is_empty() {
        let mut later = Vec::new();
        let before = waiting.len();
        for atom in waiting {
            budget.spend(1)?;
            match matcher.atom(atom, &mut chains) {
                Step::Matched => {}
                Step::Waits => later.push(atom),
                Step::Refuted => return Ok(None),
            }
        }
        waiting = later;
        if waiting.len() == before {
            // The left side does not determine these atoms, so they are missing as they are.
            let missing = matcher.missing.get_or_insert_default();
            missing.extend(waiting.into_iter().cloned().map(Missing::Atom));
            break;
        }
    }
    let mut missing = matcher.missing.take().unwrap_or_default();
    for &(a, b) in &goal.equal {
        let (Some(a), Some(b)) = (matcher.node(a), matcher.node(b)) else { return Ok(None) };
        if state.find(a) != state.find(b) {
            missing.push(Missing::Equal(a, b));
        }
    }
    for &(a, b) in &goal.distinct {
        let (Some(a), Some(b)) = (matcher.node(a), matcher.node(b)) else { return Ok(None) };
        let mut same = state.clone();
        same.equate(a, b);
        if same.normal_form(budget)?.is_some() {
            missing.push(Missing::Distinct(a, b));
        }
    }
    for chain in &chains {
        let mut known = state.clone();
        for fact in &missing {
            if let Missing::Distinct(a, b) = fact {
                known.separate(*a, *b);
            }
        }
        let Some(known) = known.normal_form(budget)? else { return Ok(None) };
        if chain.meets_its_end(&known, budget)?.is_some() {
            // Require that the end is not at the start of any atom of the chain. The interior of a
            // segment cannot be constrained.
            for &index in &chain.atoms {
                missing.push(Missing::Distinct(state.atoms()[index].0, chain.end));
            }
        }
    }
    let left_over = (0..matcher.used.len()).filter(|&i| !matcher.used[i]).collect();
    Ok(Some(PartialMatch { missing, left_over, filled: matcher.filled }))
}

/// Decides whether a normal form entails the goal.
pub fn entails(state: &State, goal: &Goal, shapes: &[ListShape], budget: &Budget) -> Result<Match, Reason> {
    let mut matcher = Matcher::new(state, goal, shapes);
    matcher.fill_from(&goal.equal);
    let mut chains = Vec::new();
    let mut waiting: Vec<&GoalAtom> = goal.atoms.iter().collect();
    // Cells fill holes, so an atom is deferred until its address is known.
    loop {
        let before = waiting.len();
        let mut later = Vec::new();
        for atom in waiting {
            budget.spend(1)?;
            match matcher.atom(atom, &mut chains) {
                Step::Matched => {}
                Step::Waits => later.push(atom),
                Step::Refuted => return Ok(Refutation::plain(state)),
            }
        }
        waiting = later;
        if waiting.is_empty() {
            break;
        }
        if waiting.len() == before {
            return Ok(Match::Undetermined);
        }
    }
    for &(a, b) in &goal.equal {
        let (Some(a), Some(b)) = (matcher.node(a), matcher.node(b)) else { return Ok(Match::Undetermined) };
        // In the model in which all classes differ, only members of the same class are equal.
        if state.find(a) != state.find(b) {
            return Ok(Refutation::plain(state));
        }
    }
    for &(a, b) in &goal.distinct {
        let (Some(a), Some(b)) = (matcher.node(a), matcher.node(b)) else { return Ok(Match::Undetermined) };
        let mut same = state.clone();
        same.equate(a, b);
        if state.known_distinct(a, b) {
            continue;
        }
        if let Some(normal) = same.normal_form(budget)? {
            return Ok(Refutation::plain(&normal));
        }
    }
    let left_over: Vec<usize> = (0..matcher.used.len()).filter(|&i| !matcher.used[i]).collect();
    if !goal.rest {
        if !left_over.is_empty() {
            return Ok(Refutation::plain(state));
        }
        // If the right side permits more cells, a chain may contain its end: the initial part of
        // the chain is the segment.
        for chain in &chains {
            if let Some(refutation) = chain.meets_its_end(state, budget)? {
                return Ok(Match::Refuted(Box::new(refutation)));
            }
        }
    }
    Ok(Match::Entailed(left_over))
}

enum Step {
    Matched,
    Waits,
    Refuted,
}

struct Matcher<'s> {
    state: &'s State,
    shapes: &'s [ListShape],
    filled: Vec<Option<Node>>,
    used: Vec<bool>,
    /// The missing parts, if they are to be recorded.
    missing: Option<Vec<Missing>>,
}

impl<'s> Matcher<'s> {
    fn new(state: &'s State, goal: &Goal, shapes: &'s [ListShape]) -> Self {
        Self { state, shapes, filled: vec![None; goal.holes], used: vec![false; state.atoms().len()], missing: None }
    }

    /// Records a missing part, or fails if missing parts are not permitted.
    fn lacks(&mut self, what: Missing) -> Step {
        match &mut self.missing {
            Some(missing) => {
                missing.push(what);
                Step::Matched
            }
            None => Step::Refuted,
        }
    }

    fn node(&self, place: Place) -> Option<Node> {
        match place {
            Place::Node(node) => Some(node),
            Place::Hole(hole) => self.filled[hole],
        }
    }

    /// Fills holes from equalities.
    fn fill_from(&mut self, equal: &[(Place, Place)]) {
        let mut changed = true;
        while changed {
            changed = false;
            for &(a, b) in equal {
                for (hole, other) in [(a, b), (b, a)] {
                    if let (Place::Hole(hole), None, Some(node)) = (hole, self.node(hole), self.node(other)) {
                        self.filled[hole] = Some(node);
                        changed = true;
                    }
                }
            }
        }
    }

    fn atom(&mut self, atom: &GoalAtom, chains: &mut Vec<Chain>) -> Step {
        match atom {
            GoalAtom::Cell(address, fields) => {
                let Some(address) = self.node(*address) else { return Step::Waits };
                let state = self.state;
                // A segment has two cells in some model, so it does not match a single cell.
                let found = state.at(address).filter(|&i| !self.used[i]).map(|i| (i, &state.atoms()[i].1));
                let Some((index, Edge::Cell(found))) = found else { return self.lacks(Missing::Atom(atom.clone())) };
                self.used[index] = true;
                for (&field, &value) in fields.iter().zip(found) {
                    match (field, self.node(field)) {
                        (_, Some(node)) if state.find(node) != state.find(value) => {
                            if let Step::Refuted = self.lacks(Missing::Equal(node, value)) {
                                return Step::Refuted;
                            }
                        }
                        (Place::Hole(hole), None) => self.filled[hole] = Some(value),
                        _ => {}
                    }
                }
                Step::Matched
            }
            GoalAtom::Segment(shape, from, to) => {
                let (Some(from), Some(to)) = (self.node(*from), self.node(*to)) else { return Step::Waits };
                let (chain, reached) = self.chain(*shape, from, to);
                let step = match reached {
                    None => Step::Matched,
                    Some(here) => {
                        self.lacks(Missing::Atom(GoalAtom::Segment(*shape, Place::Node(here), Place::Node(to))))
                    }
                };
                chains.push(chain);
                step
            }
        }
    }

    /// Consumes the atoms on the path from one node to another.
    ///
    /// If the path ends early, also returns the node where it ends.
    fn chain(&mut self, shape: usize, from: Node, to: Node) -> (Chain, Option<Node>) {
        let wanted = &self.shapes[shape];
        let mut chain = Chain { atoms: Vec::new(), end: to };
        let mut here = from;
        while self.state.find(here) != self.state.find(to) {
            let Some(index) = self.state.at(here).filter(|&index| !self.used[index]) else {
                return (chain, Some(here));
            };
            let next = match &self.state.atoms()[index].1 {
                Edge::Cell(fields) => {
                    let fits = wanted.nil.iter().all(|&field| self.state.is_nil(fields[field]));
                    fits.then(|| fields[wanted.next])
                }
                // In the matched model, unconstrained fields hold values that occur nowhere else.
                Edge::Segment(found, target) => wanted.includes(&self.shapes[*found]).then_some(*target),
            };
            let Some(next) = next else { return (chain, Some(here)) };
            self.used[index] = true;
            chain.atoms.push(index);
            here = next;
        }
        (chain, None)
    }
}

/// A path of atoms that was matched with one segment.
struct Chain {
    atoms: Vec<usize>,
    end: Node,
}

impl Chain {
    /// Searches for a model in which the end of the chain is one of its cells.
    ///
    /// If the last atom is a segment, the end is not one of its cells by definition.
    fn meets_its_end(&self, state: &State, budget: &Budget) -> Result<Option<Refutation>, Reason> {
        let Some((&last, before)) = self.atoms.split_last() else { return Ok(None) };
        let mut relevant = before.to_vec();
        if matches!(state.atoms()[last].1, Edge::Cell(_)) {
            relevant.push(last);
        }
        if relevant.is_empty() || self.is_elsewhere(state) {
            return Ok(None);
        }
        for index in relevant {
            budget.spend(1)?;
            let (address, edge) = &state.atoms()[index];
            let address = *address;
            let mut with_cells = state.clone();
            if let Edge::Segment(_, target) = edge {
                with_cells.separate(address, *target);
            }
            if !state.known_distinct(address, self.end) {
                let mut same = with_cells.clone();
                same.equate(address, self.end);
                if let Some(normal) = same.normal_form(budget)? {
                    return Ok(Some(Refutation { state: normal, second_cell: None }));
                }
            }
            // The second cell of a segment may be at any location that is neither allocated
            // elsewhere nor the end of the segment.
            if let Edge::Segment(_, target) = edge {
                with_cells.separate(*target, self.end);
                if let Some(normal) = dangling(&with_cells, self.end, budget)? {
                    return Ok(Some(Refutation { state: normal, second_cell: Some((address, self.end)) }));
                }
            }
        }
        Ok(None)
    }

    /// Returns whether the end is known to be `nil` or a cell outside the chain.
    ///
    /// This follows the possibly empty segments that start at the end, without case splits.
    fn is_elsewhere(&self, state: &State) -> bool {
        let on_the_way: FxHashSet<usize> = self.atoms.iter().copied().collect();
        let mut here = self.end;
        let mut steps = 0;
        while steps <= state.atoms().len() {
            if state.is_nil(here) {
                return true;
            }
            let Some(index) = state.at(here) else { return false };
            if on_the_way.contains(&index) {
                return false;
            }
            if state.has_cells(index) {
                return true;
            }
            match &state.atoms()[index].1 {
                Edge::Cell(_) => return true,
                Edge::Segment(_, target) => here = *target,
            }
            steps += 1;
        }
        false
    }
}

/// Searches for a normal form in which the node is neither `nil` nor allocated.
fn dangling(state: &State, node: Node, budget: &Budget) -> Result<Option<State>, Reason> {
    let mut found = None;
    state.clone().each_normal_form(budget, &mut |normal| {
        if normal.is_nil(node) {
            return Ok(true);
        }
        let Some(index) = normal.at(node) else {
            found = Some(normal.clone());
            return Ok(false);
        };
        // The node is unallocated only if the segment that starts there is empty.
        if let (address, Edge::Segment(_, target)) = &normal.atoms()[index] {
            let mut empty = normal.clone();
            empty.equate(*address, *target);
            found = dangling(&empty, node, budget)?;
        }
        Ok(found.is_none())
    })?;
    Ok(found)
}
