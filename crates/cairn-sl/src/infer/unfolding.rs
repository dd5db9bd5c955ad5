//! Guesses for heaps with arbitrary predicates, by matching atoms and unfolding predicates.
//!
//! A predicate is unfolded if the other side has a cell at a location that the predicate may start
//! with. If both sides call the same predicate at the same location, the longer one may be the
//! shorter one plus an appended part. Atoms that remain unmatched are missing or belong to the
//! frame.

use super::{Guess, with_own_existentials};
use crate::budget::{Budget, Reason};
use crate::formula::{Fresh, Pure, Spatial, Substitution, Term, Variable};
use crate::limits;
use crate::signature::Signature;
use crate::symbolic_heap::SymbolicHeap;

/// Returns guesses for the missing heap and the frame, best first.
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
    guesses.truncate(limits::MAX_GUESSES);
    Ok(guesses)
}

/// Returns all frames that consist of atoms of the left side, if there are few.
pub(super) fn divisions(left: &SymbolicHeap) -> Vec<Guess> {
    if left.spatial.len() > limits::MAX_DIVIDED_ATOMS || left.rest {
        return Vec::new();
    }
    let frame = |taken: u32| SymbolicHeap {
        spatial: (0..left.spatial.len()).filter(|i| taken & (1 << i) == 0).map(|i| left.spatial[i].clone()).collect(),
        ..SymbolicHeap::emp()
    };
    let all = (0..1u32 << left.spatial.len()).rev();
    all.map(|taken| Guess { missing: SymbolicHeap::emp(), frame: frame(taken) }).collect()
}

/// Solves the equalities of a heap for variables; returns `None` on overflow.
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

/// A partial match.
#[derive(Clone)]
struct Attempt {
    left: Vec<Spatial>,
    right: Vec<Spatial>,
    /// Existential variables of the right side without a value, including those of unfolded predicates.
    holes: Vec<Variable>,
    /// Existential variables of unfolded predicates of the left side, which are unknown outside the match.
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
        if self.ended.len() >= limits::MAX_GUESSES || attempt.match_atoms().is_none() {
            return Ok(());
        }
        if attempt.unfoldings < limits::MAX_GUESS_UNFOLDINGS {
            for (place, with) in attempt.meetings() {
                self.unfolded(&attempt, place, with)?;
            }
        }
        self.ended.push(attempt);
        Ok(())
    }

    /// Unfolds the predicate of a pair of atoms at the same location, for every case with a cell there.
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
            // The pure part of the case is assumed, or follows from the left side.
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

    /// Equates two terms: substitutes an existential variable if possible, otherwise records a missing equality.
    fn unify(&mut self, right: &Term, left: &Term) -> Option<()> {
        if right == left {
            return Some(());
        }
        // Prefer to replace a variable of an unfolded predicate of the left side. Only variables of
        // the right side may occur in the result.
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

    /// Removes matching atoms from both sides; returns `None` if they contradict each other.
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
                    // Apply the substitution to the remaining pairs of this atom, too.
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

    /// Finds two cells at the same location, or two calls that may be equal.
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

    /// Finds pairs of a cell on one side and a call with its location as an argument on the other side.
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
        found.truncate(limits::MAX_MEETINGS);
        found
    }

    /// Returns the guesses for a final match, including those with an appended segment.
    fn guesses(&self, signature: &Signature, left: &SymbolicHeap, right: &SymbolicHeap) -> Vec<Guess> {
        let mut all = Vec::new();
        let frame = SymbolicHeap { spatial: self.left.clone(), rest: left.rest, ..SymbolicHeap::emp() };
        let mut add = |spatial: Vec<Spatial>, pure: Vec<Pure>, frame: &SymbolicHeap| {
            let missing = SymbolicHeap { existentials: self.holes.clone(), pure, spatial, rest: false };
            // Reject the guess if the missing heap mentions existential variables of the left side,
            // or the frame those of an unfolding of the right side.
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
                    // An acyclic list must not be continued at one of its own cells.
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
        // Usually the left side implies the assumed pure atoms. Otherwise they are part of the missing heap.
        add(self.right.clone(), Vec::new(), &frame);
        add(self.right.clone(), pure, &frame);
        all
    }
}

/// Guesses the calls that must follow `given` so that both together are `wanted`.
///
/// Both are calls of the same predicate at the same location. The appended call starts at an
/// argument of `given` and ends like `wanted`.
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
        // An unchanged argument may describe the first cell. In the appended call it then describes the preceding cell.
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
