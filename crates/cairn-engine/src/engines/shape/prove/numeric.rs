//! The numeric part of joining: which conditions the result's variables satisfy in both states.
//!
//! Nothing is computed by transfer functions of an abstract domain. Conditions are guessed from a finite set of forms (bounds at
//! constants of the program, order and linear equality between two values, a common step), and what a guess is worth is asked
//! of the solver, in both states. A condition of an old state that the new one does not share is dropped and does not come
//! back: that is the widening.

use std::collections::BTreeSet;

use cairn_smt::term::{mask, signed};
use cairn_smt::{Answer, Substitution, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use super::pair::Pairing;
use crate::engines::shape::path::Path;
use crate::engines::shape::state::State;
use crate::engines::shape::{Explorer, Possible};

/// Values that a fresh variable is compared with.
const MAX_PEERS: usize = 32;

/// Bounds on each side of a value that are guessed.
const BOUNDS: usize = 4;

/// Joins of one state after which nothing new is guessed, so that joining comes to an end.
pub(super) const PATIENCE: u32 = 12;

impl Explorer<'_> {
    /// Whether a condition holds in every model of a state's path.
    pub(in crate::engines::shape) fn follows(&mut self, state: &State, condition: Term) -> bool {
        if let Some(value) = state.path.value(&self.terms, condition) {
            return value == 1;
        }
        if self.terms.evaluate(condition, state.path.model()) == 0 {
            return false;
        }
        let otherwise = self.terms.not(condition);
        let (query, _) = self.relevant(state, otherwise);
        matches!(self.session.check(&self.terms, &query), Answer::Unsat(_))
    }

    /// Whether all conditions hold in every model of a state's path.
    pub(super) fn all_follow(&mut self, state: &State, conditions: &[Term]) -> bool {
        let mut known = FxHashMap::default();
        if conditions.iter().any(|&c| self.terms.evaluate_with(c, state.path.model(), &mut known) == 0) {
            return false;
        }
        let given: FxHashSet<Term> = state.path.conditions().into_iter().collect();
        let mut all = self.terms.truth();
        for &condition in conditions {
            if !given.contains(&condition) && state.path.value(&self.terms, condition) != Some(1) {
                all = self.terms.and(all, condition);
            }
        }
        self.follows(state, all)
    }

    /// Those of the conditions that hold in every model of a state's path: one question for all, and again for the rest
    /// while an answer shows that some do not.
    pub(super) fn those_that_follow(&mut self, state: &State, conditions: &[Term]) -> Vec<bool> {
        let given: FxHashSet<Term> = state.path.conditions().into_iter().collect();
        let mut known = FxHashMap::default();
        let mut holds = vec![true; conditions.len()];
        let mut open = Vec::new();
        for (index, &condition) in conditions.iter().enumerate() {
            if given.contains(&condition) || self.terms.is_true(condition) {
                continue;
            }
            if self.terms.evaluate_with(condition, state.path.model(), &mut known) == 0 {
                holds[index] = false;
            } else if state.path.value(&self.terms, condition) != Some(1) {
                open.push(index);
            }
        }
        while !open.is_empty() {
            let mut all = self.terms.truth();
            for &index in &open {
                all = self.terms.and(all, conditions[index]);
            }
            let otherwise = self.terms.not(all);
            match self.possible(state, otherwise) {
                Possible::No => break,
                Possible::Yes(model) => {
                    let mut known = FxHashMap::default();
                    let terms = &self.terms;
                    open.retain(|&index| {
                        let holds_here = terms.evaluate_with(conditions[index], &model, &mut known) == 1;
                        holds[index] &= holds_here;
                        holds_here
                    });
                }
                Possible::Unknown => {
                    // Too much at once; one by one the easy ones are still won.
                    for index in std::mem::take(&mut open) {
                        holds[index] = !self.session.interrupted() && self.follows(state, conditions[index]);
                    }
                }
            }
        }
        holds
    }

    /// Whether the old state's conditions, and the equalities that the pairing takes, follow from the new state.
    pub(super) fn is_covered_by(&mut self, pairing: &Pairing<'_>) -> bool {
        let mut in_new = Substitution::new(pairing.in_new.clone());
        let mut goals = Vec::new();
        for &(new, old) in &pairing.equalities {
            let wanted = in_new.apply(&mut self.terms, old);
            goals.push(self.terms.eq(new, wanted));
        }
        for condition in pairing.old.path.conditions() {
            goals.push(in_new.apply(&mut self.terms, condition));
        }
        self.all_follow(pairing.new, &goals)
    }

    /// The path of the result: the conditions that hold of both states.
    pub(super) fn joined_path(&mut self, pairing: &Pairing<'_>) -> Path {
        // What the old state knows, of its variables and of those that were split off from them.
        let mut conditions = pairing.old.path.conditions();
        conditions.reverse();
        let mut guesses = Vec::new();
        for &fresh in &pairing.fresh {
            let stands_for = pairing.in_old[&fresh];
            if self.terms.as_const(stands_for).is_none() {
                guesses.push(self.terms.eq(fresh, stands_for));
            }
            let about: Vec<Term> =
                conditions.iter().copied().filter(|&c| self.variables_of(c).contains(&stands_for)).collect();
            for condition in about {
                let mut instead = Substitution::new([(stands_for, fresh)]);
                guesses.push(instead.apply(&mut self.terms, condition));
            }
        }
        if pairing.old.joins < PATIENCE {
            self.guess(pairing, &mut guesses);
        }
        let mut seen: FxHashSet<Term> = conditions.iter().copied().collect();
        guesses.retain(|&guess| !self.terms.is_true(guess) && seen.insert(guess));
        let mut in_old = Substitution::new(pairing.in_old.clone());
        let asked: Vec<Term> = guesses.iter().map(|&g| in_old.apply(&mut self.terms, g)).collect();
        let holds = self.those_that_follow(pairing.old, &asked);
        conditions.extend(guesses.iter().zip(holds).filter_map(|(&guess, holds)| holds.then_some(guess)));
        let mut in_new = Substitution::new(pairing.in_new.clone());
        let asked: Vec<Term> = conditions.iter().map(|&c| in_new.apply(&mut self.terms, c)).collect();
        let holds = self.those_that_follow(pairing.new, &asked);
        let kept: Vec<Term> = conditions.iter().zip(holds).filter_map(|(&c, holds)| holds.then_some(c)).collect();

        // The new state's model satisfies them all once each variable has the value of what it stands for.
        let mut model = pairing.new.path.model().clone();
        let mut values = FxHashMap::default();
        for (&variable, &term) in &pairing.in_new {
            let value = self.terms.evaluate_with(term, pairing.new.path.model(), &mut values);
            model.insert(variable, value);
        }
        Path::with(&self.terms, kept, model)
    }

    /// Conditions that fresh variables may satisfy.
    fn guess(&mut self, pairing: &Pairing<'_>, guesses: &mut Vec<Term>) {
        // The new state mostly comes from the old one, so its model has values for the old one's variables, too, and shows how
        // far numbers have moved.
        let model = pairing.new.path.model();
        let mut values = FxHashMap::default();
        let mut numbers: Vec<Number> = Vec::new();
        let mut seen = FxHashSet::default();
        for &(result, new, old) in &pairing.numbers {
            if self.terms.width(result) >= 8 && seen.insert(result) {
                let value_new = self.terms.evaluate_with(new, model, &mut values);
                let value_old = self.terms.evaluate_with(old, model, &mut values);
                numbers.push(Number { result, new, old, value_new, value_old });
            }
        }
        // Offsets at which something is known: the end of a string.
        let mut in_new = Substitution::new(pairing.in_new.clone());
        let mut offsets = Vec::new();
        for &id in pairing.taken.keys() {
            offsets.extend(pairing.old.memory.get(id).indexed().iter().map(|indexed| indexed.at));
        }
        offsets.sort_unstable();
        for at in offsets {
            if seen.insert(at) {
                let new = in_new.apply(&mut self.terms, at);
                let value_new = self.terms.evaluate_with(new, model, &mut values);
                let value_old = self.terms.evaluate_with(at, model, &mut values);
                numbers.push(Number { result: at, new, old: at, value_new, value_old });
            }
        }
        let fresh: FxHashSet<Term> = pairing.fresh.iter().copied().collect();
        let moving: Vec<Number> =
            numbers.iter().copied().filter(|n| fresh.contains(&n.result)).take(MAX_PEERS).collect();
        for &number in &moving {
            self.guess_bounds(pairing, number, guesses);
            self.guess_step(number, guesses);
            for &peer in numbers.iter().filter(|peer| peer.result != number.result).take(MAX_PEERS) {
                self.guess_relation(number, peer, guesses);
                self.guess_conserved(pairing, number, peer, guesses);
            }
            // Where it started, when that is no constant.
            if self.terms.as_const(number.old).is_none() {
                let start = Number { result: number.old, value_new: number.value_old, ..number };
                self.guess_order(number, start, guesses);
            }
        }
    }

    /// Two numbers that move by constant steps: a linear combination of them stays what it was.
    fn guess_conserved(&mut self, pairing: &Pairing<'_>, number: Number, peer: Number, guesses: &mut Vec<Term>) {
        let width = self.terms.width(number.result);
        if self.terms.width(peer.result) > width {
            return;
        }
        let step = |explorer: &mut Self, n: Number| {
            let moved = explorer.terms.sub(n.new, n.old);
            explorer.terms.as_const(moved).map(|bits| signed(bits, explorer.terms.width(moved)))
        };
        let (Some(own), Some(other)) = (step(self, number), step(self, peer)) else { return };
        if own == 0 || other == 0 || own.unsigned_abs() > 1 << 20 || other.unsigned_abs() > 1 << 20 {
            return;
        }
        let mine = pairing.in_new.clone();
        let stays = |variable: &Term| mine.get(variable).is_none_or(|stands_for| stands_for == variable);
        let variables = [self.variables_of(number.old), self.variables_of(peer.old)];
        if !variables.iter().flat_map(|v| v.iter()).all(stays) {
            return;
        }
        let divisor = gcd(own.unsigned_abs(), other.unsigned_abs()) as i128;
        let (own, other) = (own / divisor, other / divisor);
        for signed_peer in [true, false] {
            let combination = |explorer: &mut Self, a: Term, b: Term| {
                let b = explorer.terms.resize(b, width, signed_peer);
                let (a, b) =
                    (explorer.terms.scale(a, other as u128), explorer.terms.scale(b, own.wrapping_neg() as u128));
                explorer.terms.add(a, b)
            };
            let now = combination(self, number.result, peer.result);
            let then = combination(self, number.old, peer.old);
            guesses.push(self.terms.eq(now, then));
        }
    }

    /// Bounds at the program's constants, the tightest that both states may keep and a few beyond.
    fn guess_bounds(&mut self, pairing: &Pairing<'_>, number: Number, guesses: &mut Vec<Term>) {
        let Number { result: number, value_new, value_old, .. } = number;
        let width = self.terms.width(number);
        let (seen_new, seen_old) = (signed(value_new, width), signed(value_old, width));
        let (seen_low, seen_high) = (seen_new.min(seen_old), seen_new.max(seen_old));
        let new = pairing.new.path.facts(&self.terms, pairing.in_new[&number]);
        let old = pairing.old.path.facts(&self.terms, pairing.in_old[&number]);
        let (low, high) = (new.signed_min.min(old.signed_min), new.signed_max.max(old.signed_max));
        let thresholds = self.thresholds.clone();
        let (least, greatest) = (signed(1 << (width - 1), width), signed(mask(width) >> 1, width));
        let mut below: BTreeSet<i128> = thresholds.range(..=low).rev().take(BOUNDS).copied().collect();
        below.extend(thresholds.range(..=seen_low).rev().take(BOUNDS));
        below.insert(low);
        let mut above: BTreeSet<i128> = thresholds.range(high..).take(BOUNDS).copied().collect();
        above.extend(thresholds.range(seen_high..).take(BOUNDS));
        above.insert(high);
        for bound in below.into_iter().filter(|&c| c > least) {
            let bound = self.terms.constant(bound as u128, width);
            guesses.push(self.terms.sle(bound, number));
        }
        for bound in above.into_iter().filter(|&c| c < greatest) {
            let bound = self.terms.constant(bound as u128, width);
            guesses.push(self.terms.sle(number, bound));
        }
        // Unsigned bounds say more only where the sign is not known.
        let high = new.max.max(old.max);
        if low < 0 && high < mask(width) {
            let above = thresholds.range(i128::try_from(high).unwrap_or(i128::MAX)..).take(BOUNDS).copied();
            for bound in above.chain(i128::try_from(high).ok()) {
                let bound = self.terms.constant(bound as u128, width);
                guesses.push(self.terms.ule(number, bound));
            }
        }
    }

    /// The steps of a counter, as far as they are a power of two: the low bits stay.
    fn guess_step(&mut self, number: Number, guesses: &mut Vec<Term>) {
        let width = self.terms.width(number.result);
        let bits = (number.value_new.wrapping_sub(number.value_old) & mask(width)).trailing_zeros();
        if bits > 0 && bits < width {
            let distance = self.terms.sub(number.result, number.old);
            let low = self.terms.extract(distance, 0, bits);
            let zero = self.terms.constant(0, bits);
            guesses.push(self.terms.eq(low, zero));
        }
    }

    /// How a number may be related to another: in order, or one a linear function of the other.
    fn guess_relation(&mut self, number: Number, peer: Number, guesses: &mut Vec<Term>) {
        let (width, peer_width) = (self.terms.width(number.result), self.terms.width(peer.result));
        // Characters are contents, not counts.
        if peer_width > width || peer_width == 8 && width > 8 {
            return;
        }
        let mut peers = vec![peer];
        if peer_width < width {
            let wide = self.terms.sext(peer.result, width);
            let value = |v: u128| signed(v, peer_width) as u128 & mask(width);
            let (value_new, value_old) = (value(peer.value_new), value(peer.value_old));
            peers = vec![Number { result: wide, value_new, value_old, ..peer }];
            let zero_extended = self.terms.zext(peer.result, width);
            if zero_extended != wide {
                peers.push(Number { result: zero_extended, ..peer });
            }
        }
        for other in peers {
            self.guess_order(number, other, guesses);
            let moved = signed(number.value_new.wrapping_sub(number.value_old) & mask(width), width);
            let other_moved = signed(other.value_new.wrapping_sub(other.value_old) & mask(width), width);
            if other_moved != 0 && moved % other_moved == 0 && moved != 0 {
                let factor = (moved / other_moved) as u128;
                let constant = number.value_old.wrapping_sub(factor.wrapping_mul(other.value_old));
                let constant = self.terms.constant(constant, width);
                let scaled = self.terms.scale(other.result, factor);
                let line = self.terms.add(scaled, constant);
                guesses.push(self.terms.eq(number.result, line));
            }
        }
    }

    /// The orders of two numbers that their values show.
    fn guess_order(&mut self, a: Number, b: Number, guesses: &mut Vec<Term>) {
        if self.terms.width(a.result) != self.terms.width(b.result) {
            return;
        }
        let width = self.terms.width(a.result);
        let sign = |n: Number| (signed(n.value_new, width), signed(n.value_old, width));
        for (x, y) in [(a, b), (b, a)] {
            let (sx, sy) = (sign(x), sign(y));
            if sx.0 <= sy.0 && sx.1 <= sy.1 {
                guesses.push(self.terms.sle(x.result, y.result));
            }
            if sx.0 < sy.0 && sx.1 < sy.1 {
                guesses.push(self.terms.slt(x.result, y.result));
            }
            // One apart: a loop that is about to go on.
            if sx.0 + 1 < sy.0 && sx.1 + 1 < sy.1 {
                let one = self.terms.constant(1, width);
                let next = self.terms.add(x.result, one);
                guesses.push(self.terms.slt(next, y.result));
            }
            if x.value_new <= y.value_new && x.value_old <= y.value_old {
                guesses.push(self.terms.ule(x.result, y.result));
            }
            if x.value_new < y.value_new && x.value_old < y.value_old {
                guesses.push(self.terms.ult(x.result, y.result));
            }
        }
    }
}

/// A number of the result with the terms that it stands for and their values in a model.
#[derive(Clone, Copy)]
struct Number {
    result: Term,
    new: Term,
    old: Term,
    value_new: u128,
    value_old: u128,
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}
