//! Guesses for heaps with predicates of any definition: atoms are matched, predicates unfolded where a cell meets them.
//!
//! A cell of the right side that a predicate of the left side may begin with unfolds that predicate, and the other way round. Of two
//! calls of the same predicate at the same location the longer one may be the shorter one with something appended. Whatever is
//! not matched in the end is missing, or left over.

use super::{Guess, with_own_existentials};
use crate::budget::{Budget, Reason};
use crate::formula::{Fresh, Pure, Spatial, Substitution, Term, Variable};
use crate::signature::Signature;
use crate::symbolic_heap::SymbolicHeap;

/// Guesses that are worth a check.
const MOST_GUESSES: usize = 24;

/// Predicates that are unfolded on one way.
const MOST_UNFOLDINGS: usize = 3;

/// What the left side may lack and leave over, the best guesses first.
pub(super) fn guesses(
    signature: &Signature,
    left: &SymbolicHeap,
    right: &SymbolicHeap,
    budget: &Budget,
) -> Result<Vec<Guess>, Reason> {
    let mut first = signature.variable_count();
    for heap in [left, right] {
        heap.each_variable(&mut |v| first = first.max(v.number + 1));
    }
    let Some(known) = solved_equalities(left) else { return Ok(Vec::new()) };
    let (Some(start), Some(goal)) = (left.substitute(&known), right.substitute(&known)) else { return Ok(Vec::new()) };
    let attempt = Attempt {
        left: start.spatial,
        right: goal.spatial,
        holes: right.existentials.clone(),
        made: Vec::new(),
        missing: SymbolicHeap::emp(),
        unfoldings: 0,
    };
    let mut search = Search { signature, fresh: Fresh::starting_at(first), ended: Vec::new(), budget };
    search.go(attempt)?;
    let mut guesses = Vec::new();
    for attempt in search.ended {
        guesses.extend(attempt.guesses(signature, left, right));
    }
    guesses.truncate(MOST_GUESSES);
    Ok(guesses)
}

/// Left sides with more atoms than this are not divided by trying.
const MOST_DIVIDED: usize = 6;

/// Frames that are some atoms of the left side, as long as those are few.
pub(super) fn divisions(left: &SymbolicHeap) -> Vec<Guess> {
    if left.spatial.len() > MOST_DIVIDED || left.rest {
        return Vec::new();
    }
    let frame = |taken: u32| SymbolicHeap {
        spatial: (0..left.spatial.len()).filter(|i| taken & (1 << i) == 0).map(|i| left.spatial[i].clone()).collect(),
        ..SymbolicHeap::emp()
    };
    let all = (0..1u32 << left.spatial.len()).rev();
    all.map(|taken| Guess { missing: SymbolicHeap::emp(), frame: frame(taken) }).collect()
}

/// Terms for variables that a heap says are equal to something else; `None` when a number leaves the range.
fn solved_equalities(heap: &SymbolicHeap) -> Option<Substitution> {
    let mut known = Substitution::default();
    for pure in &heap.pure {
        let Pure::Equal(a, b) = pure.substitute(&known)? else { continue };
        let ((Term::Variable(variable), value) | (value, Term::Variable(variable))) = (a, b) else { continue };
        if value.as_variable() == Some(variable) {
            continue;
        }
        let step = Substitution::from_iter([(variable, value.clone())]);
        for term in known.values_mut() {
            *term = term.substitute(&step)?;
        }
        known.insert(variable, value);
    }
    Some(known)
}

/// A match that is not finished.
#[derive(Clone)]
struct Attempt {
    left: Vec<Spatial>,
    right: Vec<Spatial>,
    /// Bound variables of the right side without a value, those of unfolded predicates among them.
    holes: Vec<Variable>,
    /// Variables that an unfolded predicate of the left side binds: nobody outside knows them.
    made: Vec<Variable>,
    missing: SymbolicHeap,
    unfoldings: usize,
}

struct Search<'a> {
    signature: &'a Signature,
    fresh: Fresh,
    ended: Vec<Attempt>,
    budget: &'a Budget,
}

fn root(atom: &Spatial) -> Option<&Term> {
    atom.terms().next()
}

impl Search<'_> {
    fn go(&mut self, mut attempt: Attempt) -> Result<(), Reason> {
        self.budget.spend(10)?;
        if self.ended.len() >= MOST_GUESSES || attempt.match_atoms().is_none() {
            return Ok(());
        }
        if attempt.unfoldings < MOST_UNFOLDINGS {
            for (place, with) in attempt.meetings() {
                self.unfolded(&attempt, place, with)?;
            }
        }
        self.ended.push(attempt);
        Ok(())
    }

    /// Unfolds the one of two atoms at the same location that is a call, where a case of it has a cell there.
    fn unfolded(&mut self, attempt: &Attempt, place: usize, with: usize) -> Result<(), Reason> {
        let on_the_left = matches!(attempt.left[with], Spatial::Predicate(..));
        let call = if on_the_left { &attempt.left[with] } else { &attempt.right[place] };
        let Spatial::Predicate(id, arguments) = call else { return Ok(()) };
        let Some(cases) = self.signature.unfold(*id, arguments, &mut self.fresh) else { return Ok(()) };
        let location = root(&attempt.right[place]).cloned();
        for case in cases {
            let begins = |atom: &Spatial| matches!(atom, Spatial::PointsTo(at, _) if Some(at) == location.as_ref());
            if !case.spatial.iter().any(begins) {
                continue;
            }
            let mut next = attempt.clone();
            next.unfoldings += 1;
            // What the case says of the stack is assumed, or follows from what is assumed.
            next.missing.pure.extend(case.pure);
            if on_the_left {
                next.left.swap_remove(with);
                next.left.extend(case.spatial);
                next.made.extend(case.existentials);
            } else {
                next.right.swap_remove(place);
                next.right.extend(case.spatial);
                next.holes.extend(case.existentials);
            }
            self.go(next)?;
        }
        Ok(())
    }
}

impl Attempt {
    fn replace(&mut self, variable: Variable, term: &Term) -> Option<()> {
        let substitution = Substitution::from_iter([(variable, term.clone())]);
        let all = |atoms: &[Spatial]| atoms.iter().map(|a| a.substitute(&substitution)).collect::<Option<Vec<_>>>();
        self.left = all(&self.left)?;
        self.right = all(&self.right)?;
        self.missing = self.missing.substitute(&substitution)?;
        Some(())
    }

    /// Makes two terms the same: a variable that is bound takes the other's place, else the equality is missing.
    fn unify(&mut self, right: &Term, left: &Term) -> Option<()> {
        if right == left {
            return Some(());
        }
        // A variable of the right side can be said outside, one of an unfolded predicate of the left side can't.
        if let Some(variable) = left.as_variable().filter(|v| self.made.contains(v)) {
            self.made.retain(|v| *v != variable);
            return self.replace(variable, right);
        }
        if let Some(variable) = right.as_variable().filter(|v| self.holes.contains(v)) {
            self.holes.retain(|v| *v != variable);
            return self.replace(variable, left);
        }
        self.missing.pure.push(Pure::equal(right, left)?);
        Some(())
    }

    /// Takes off what both sides have at the same location; `None` when they contradict each other.
    fn match_atoms(&mut self) -> Option<()> {
        while let Some((place, with)) = self.pair() {
            let right = self.right.remove(place);
            let left = self.left.remove(with);
            let mut pairs: Vec<(Term, Term)> = right.terms().cloned().zip(left.terms().cloned()).collect();
            while !pairs.is_empty() {
                let (a, b) = pairs.remove(0);
                let before = (self.holes.len(), self.made.len());
                self.unify(&a, &b)?;
                if before != (self.holes.len(), self.made.len()) {
                    // One of them is gone everywhere, so it is in the rest of these atoms.
                    let gone = if before.1 != self.made.len() { (&b, &a) } else { (&a, &b) };
                    let substitution = Substitution::from_iter([(gone.0.as_variable()?, gone.1.clone())]);
                    for (a, b) in &mut pairs {
                        *a = a.substitute(&substitution)?;
                        *b = b.substitute(&substitution)?;
                    }
                }
            }
        }
        Some(())
    }

    /// Two cells at one location, or two calls that may be the same.
    fn pair(&self) -> Option<(usize, usize)> {
        let open = |term: &Term| term.as_variable().is_some_and(|v| self.holes.contains(&v) || self.made.contains(&v));
        for (place, right) in self.right.iter().enumerate() {
            for (with, left) in self.left.iter().enumerate() {
                let same = match (right, left) {
                    (Spatial::PointsTo(a, _), Spatial::PointsTo(b, _)) => a == b,
                    (Spatial::Predicate(p, a), Spatial::Predicate(q, b)) => {
                        p == q && a.first() == b.first() && a.iter().zip(b).all(|(a, b)| a == b || open(a) || open(b))
                    }
                    _ => false,
                };
                if same {
                    return Some((place, with));
                }
            }
        }
        None
    }

    /// A cell on one side and a call on the other that speak of the same location.
    fn meetings(&self) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for (place, right) in self.right.iter().enumerate() {
            for (with, left) in self.left.iter().enumerate() {
                let meets = match (right, left) {
                    (Spatial::PointsTo(at, _), Spatial::Predicate(_, arguments)) => arguments.contains(at),
                    (Spatial::Predicate(_, arguments), Spatial::PointsTo(at, _)) => arguments.contains(at),
                    _ => false,
                };
                if meets {
                    found.push((place, with));
                }
            }
        }
        found.truncate(3);
        found
    }

    /// What is missing and left over now, and where a call may be another one with something appended.
    fn guesses(&self, signature: &Signature, left: &SymbolicHeap, right: &SymbolicHeap) -> Vec<Guess> {
        let mut all = Vec::new();
        let frame = SymbolicHeap { spatial: self.left.clone(), rest: left.rest, ..SymbolicHeap::emp() };
        let mut add = |spatial: Vec<Spatial>, pure: Vec<Pure>, frame: &SymbolicHeap| {
            let missing = SymbolicHeap { existentials: self.holes.clone(), pure, spatial, rest: false };
            // Nobody outside knows what an unfolded predicate binds: what is missing can't speak of that of the left side, nor
            // what is left over of that of the right side.
            let mut leaks = false;
            missing.each_variable(&mut |v| leaks |= self.made.contains(&v));
            let mut frame = frame.clone();
            let mut used = Vec::new();
            frame.each_variable(&mut |v| {
                leaks |= self.holes.contains(&v) && !right.existentials.contains(&v);
                used.push(v);
            });
            if leaks {
                return;
            }
            frame.existentials = self.made.iter().copied().filter(|v| used.contains(v)).collect();
            if let Some(missing) = with_own_existentials(signature, missing, left, right) {
                all.push(Guess { missing, frame });
            }
        };
        let mut pure = self.missing.pure.clone();
        pure.retain(|p| !matches!(p, Pure::Equal(a, b) if a == b) && !left.pure.contains(p));
        for (place, wanted) in self.right.iter().enumerate() {
            for (with, given) in self.left.iter().enumerate() {
                for rest in appended(wanted, given) {
                    let mut spatial = self.right.clone();
                    spatial[place] = rest;
                    let mut frame = frame.clone();
                    frame.spatial.remove(with);
                    add(spatial.clone(), pure.clone(), &frame);
                    // An acyclic list is no longer one when it is continued with one of its own cells.
                    if let (Some(from), Spatial::Predicate(_, wanted)) = (root(given), wanted) {
                        for end in wanted.iter().filter(|t| *t != from && t.sort() == from.sort()) {
                            let mut pure = pure.clone();
                            pure.push(Pure::Distinct(from.clone(), end.clone()));
                            add(spatial.clone(), pure, &frame);
                        }
                    }
                }
            }
        }
        // Mostly what was assumed on the way follows from the left side; where it does not, it is missing.
        add(self.right.clone(), Vec::new(), &frame);
        add(self.right.clone(), pure, &frame);
        all
    }
}

/// What comes after a call to make it another one of the same predicate that begins at the same location: it begins where an
/// argument of the first says, and ends as the second does.
fn appended(wanted: &Spatial, given: &Spatial) -> Vec<Spatial> {
    let (Spatial::Predicate(p, wanted), Spatial::Predicate(q, given)) = (wanted, given) else { return Vec::new() };
    if p != q || wanted.first() != given.first() {
        return Vec::new();
    }
    let differ: Vec<usize> = (1..wanted.len()).filter(|&i| wanted[i] != given[i]).collect();
    let mut found = Vec::new();
    for &place in &differ {
        if given[place].sort() != given[0].sort() {
            continue;
        }
        let mut rest = wanted.clone();
        rest[0] = given[place].clone();
        found.push(Spatial::Predicate(*p, rest.clone()));
        // What both have in the same place may be about the first cell: in the rest it is about the last one before it.
        for &other in differ.iter().filter(|&&o| o != place) {
            for kept in (1..wanted.len()).filter(|i| !differ.contains(i)) {
                if wanted[kept].sort() == given[other].sort() {
                    let mut rest = rest.clone();
                    rest[kept] = given[other].clone();
                    found.push(Spatial::Predicate(*p, rest));
                }
            }
        }
    }
    found
}
