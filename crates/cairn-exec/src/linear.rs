//! A solver front-end that decides linear questions over the integers.
//!
//! The proof that an index `i + j` stays below a bound takes the Omega test a few rows, but a SAT solver many
//! thousand conflicts.
//!
//! Each term becomes the integer that it denotes as a signed number. If a sum may leave the range of its width, a
//! further unknown counts how often it wraps around. Every assignment of the variables is therefore a solution of the
//! rows, and if the rows have no solution, the conditions contradict each other. Conditions without a linear form are
//! left out, which only adds solutions.

use cairn_sl::arithmetic::{self, Constraint, Row};
use cairn_smt::evaluate::Assignment;
use cairn_smt::session::Backend;
use cairn_smt::term::{Node, Op, mask, signed};
use cairn_smt::{Answer, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::limits::{BOUND_ROUNDS, EASY_CONFLICTS, MAX_CASES, MAX_LINEAR_WIDTH};

/// A solver that decides linear questions itself and leaves the others to an inner solver.
pub struct LinearFirst {
    inner: Box<dyn Backend>,
    conflicts: Option<u64>,
}

impl LinearFirst {
    /// Wraps a solver so that linear questions are decided over the integers.
    pub fn before(inner: Box<dyn Backend>) -> Box<dyn Backend> {
        Box::new(Self { inner, conflicts: None })
    }
}

impl Backend for LinearFirst {
    fn solve(&mut self, terms: &Terms, wanted: &[Term]) -> Answer {
        self.inner
            .set_conflict_budget(Some(self.conflicts.map_or(EASY_CONFLICTS, |budget| budget.min(EASY_CONFLICTS))));
        let answer = self.inner.solve(terms, wanted);
        if answer != Answer::Unknown {
            return answer;
        }
        match decide(terms, wanted) {
            Some(answer) => answer,
            None => {
                self.inner.set_conflict_budget(self.conflicts);
                self.inner.solve(terms, wanted)
            }
        }
    }

    fn set_conflict_budget(&mut self, conflicts: Option<u64>) {
        self.conflicts = conflicts;
    }
}

/// Decides whether all conditions can hold at once; `None` if the integers do not tell.
fn decide(terms: &Terms, wanted: &[Term]) -> Option<Answer> {
    let mut question = Question::new(terms);
    let mut asserted = FxHashSet::default();
    let mut atoms = Vec::new();
    for &condition in wanted {
        flatten(terms, condition, &mut asserted, &mut atoms);
    }
    // The bounds from one condition tighten those from others; a few rounds find most of them.
    for _ in 0..BOUND_ROUNDS {
        atoms.iter().for_each(|&atom| question.note_bounds(atom));
    }
    let mut clauses = Vec::new();
    for &atom in &atoms {
        match *terms.node(atom) {
            Node::Not(inner) if matches!(terms.node(inner), Node::Binary(Op::And, ..)) => clauses.push(inner),
            _ => question.assume(atom),
        }
    }
    clauses.sort_unstable_by(|a, b| b.cmp(a));
    let mut alternatives = Vec::new();
    for clause in clauses {
        let mut parts = Vec::new();
        flatten(terms, clause, &mut FxHashSet::default(), &mut parts);
        let contrary = |part: Term| match *terms.node(part) {
            Node::Not(inner) => asserted.contains(&inner),
            _ => asserted.iter().any(|&other| matches!(*terms.node(other), Node::Not(inner) if inner == part)),
        };
        if parts.iter().any(|&part| contrary(part)) {
            continue;
        }
        parts.retain(|part| !asserted.contains(part));
        match parts[..] {
            [] => return Some(Answer::Unsat(wanted.to_vec())),
            [part] => question.assume_not(part),
            _ => alternatives.push(parts),
        }
    }
    let mut cases = MAX_CASES;
    match question.contradicts(&alternatives, &mut cases) {
        true => Some(Answer::Unsat(wanted.to_vec())),
        false => question.model(wanted).map(Answer::Sat),
    }
}

/// Collects the conjuncts of a condition, each once.
fn flatten(terms: &Terms, condition: Term, seen: &mut FxHashSet<Term>, parts: &mut Vec<Term>) {
    match *terms.node(condition) {
        Node::Binary(Op::And, a, b) if terms.width(condition) == 1 => {
            flatten(terms, a, seen, parts);
            flatten(terms, b, seen, parts);
        }
        _ if seen.insert(condition) => parts.push(condition),
        _ => {}
    }
}

/// Conditions as constraints on integers.
#[derive(Clone)]
struct Question<'t> {
    terms: &'t Terms,
    constraints: Vec<Constraint>,
    /// The signed value of each term.
    values: FxHashMap<Term, Row>,
    /// The least and the greatest signed value of each term, as far as single conditions tell.
    bounds: FxHashMap<Term, (i128, i128)>,
    /// The least and the greatest value of each unknown.
    ranges: Vec<(i128, i128)>,
    solution: Option<arithmetic::Solution>,
}

impl<'t> Question<'t> {
    fn new(terms: &'t Terms) -> Self {
        Self {
            terms,
            constraints: Vec::new(),
            values: FxHashMap::default(),
            bounds: FxHashMap::default(),
            ranges: Vec::new(),
            solution: None,
        }
    }

    /// Returns the least and the greatest signed value of a term.
    fn bounds_of(&self, term: Term) -> (i128, i128) {
        let facts = self.terms.facts(term);
        let (low, high) = self.bounds.get(&term).copied().unwrap_or((i128::MIN, i128::MAX));
        (low.max(facts.signed_min), high.min(facts.signed_max))
    }

    fn narrow(&mut self, term: Term, low: i128, high: i128) {
        let known = self.bounds.entry(term).or_insert((i128::MIN, i128::MAX));
        *known = (known.0.max(low), known.1.min(high));
    }

    /// Records the bounds of single terms that a condition implies.
    fn note_bounds(&mut self, atom: Term) {
        let terms = self.terms;
        let (inner, truth) = match *terms.node(atom) {
            Node::Not(inner) => (inner, false),
            _ => (atom, true),
        };
        match *terms.node(inner) {
            Node::Extract(number, low) if low + 1 == terms.width(number) && terms.width(inner) == 1 => {
                let (low, high) = if truth { (i128::MIN, -1) } else { (0, i128::MAX) };
                self.narrow(number, low, high);
            }
            Node::Binary(op @ (Op::SLt | Op::ULt), a, b) => {
                let (low, high, strict) = if truth { (a, b, 1) } else { (b, a, 0) };
                let (bounds_low, bounds_high) = (self.bounds_of(low), self.bounds_of(high));
                // A number that is unsigned-below a non-negative one is non-negative itself.
                if op == Op::SLt || bounds_high.0 >= 0 {
                    self.narrow(low, if op == Op::ULt { 0 } else { i128::MIN }, bounds_high.1.saturating_sub(strict));
                }
                if op == Op::SLt || bounds_high.0 >= 0 && bounds_low.0 >= 0 {
                    self.narrow(high, bounds_low.0.saturating_add(strict), i128::MAX);
                }
            }
            Node::Binary(Op::Eq, a, b) if truth && terms.width(a) > 1 => {
                let ((a_low, a_high), (b_low, b_high)) = (self.bounds_of(a), self.bounds_of(b));
                self.narrow(a, b_low, b_high);
                self.narrow(b, a_low, a_high);
            }
            _ => {}
        }
    }

    fn unknown(&mut self, low: i128, high: i128) -> Row {
        let number = self.ranges.len() as u32;
        self.ranges.push((low, high));
        let row = Row::unknown(number);
        self.at_least(&row, low);
        self.at_most(&row, high);
        row
    }

    fn at_least(&mut self, row: &Row, low: i128) {
        if let Some(row) = Row::number(0).plus(row, 1).and_then(|row| row.plus(&Row::number(low), -1)) {
            self.constraints.push(Constraint::at_least_zero(row));
        }
    }

    fn at_most(&mut self, row: &Row, high: i128) {
        if let Some(row) = Row::number(high).plus(row, -1) {
            self.constraints.push(Constraint::at_least_zero(row));
        }
    }

    /// Returns the least and the greatest value of an expression, as far as the ranges of its unknowns tell.
    fn range(&self, row: &Row) -> Option<(i128, i128)> {
        row.terms.iter().try_fold((row.constant, row.constant), |(low, high), &(unknown, factor)| {
            let (least, most) = self.ranges[unknown as usize];
            let (a, b) = (least.checked_mul(factor)?, most.checked_mul(factor)?);
            Some((low.checked_add(a.min(b))?, high.checked_add(a.max(b))?))
        })
    }

    /// Returns the number from `-2^(width-1)` to `2^(width-1) - 1` that an expression equals modulo `2^width`.
    fn around(&mut self, row: Row, width: u32) -> Option<Row> {
        let half = 1i128 << (width - 1);
        let (low, high) = self.range(&row)?;
        let turns = |value: i128| Some(value.checked_add(half)?.div_euclid(2 * half));
        let (least, most) = (turns(low)?, turns(high)?);
        if least == most {
            return row.plus(&Row::number(2 * half), -least);
        }
        let count = self.unknown(least, most);
        let row = row.plus(&count, -2 * half)?;
        self.at_least(&row, -half);
        self.at_most(&row, half - 1);
        Some(row)
    }

    /// Returns the signed value of a term.
    fn signed(&mut self, term: Term) -> Option<Row> {
        if let Some(known) = self.values.get(&term) {
            return Some(known.clone());
        }
        let width = self.terms.width(term);
        if width > MAX_LINEAR_WIDTH {
            return None;
        }
        let linear = self.linear(term, width);
        let (low, high) = self.bounds_of(term);
        let row = match linear {
            Some(row) => row,
            None => self.unknown(low, high),
        };
        self.values.insert(term, row.clone());
        Some(row)
    }

    fn linear(&mut self, term: Term, width: u32) -> Option<Row> {
        let terms = self.terms;
        match terms.node(term) {
            Node::Const(bits) => Some(Row::number(signed(*bits, width))),
            Node::Sum(sum) => {
                let mut row = Row::number(signed(sum.constant, width));
                for &(term, factor) in &sum.monomials {
                    row = row.plus(&self.signed(term)?, signed(factor, width))?;
                }
                self.around(row, width)
            }
            Node::Not(inner) => Row::number(-1).plus(&self.signed(*inner)?, -1),
            Node::SExt(inner) => self.signed(*inner),
            Node::Binary(Op::Concat, high, low) => {
                let row = self.unsigned(*low)?;
                row.plus(&self.signed(*high)?, 1 << terms.width(*low))
            }
            &Node::Extract(inner, 0) => {
                let row = self.signed(inner)?;
                self.around(row, width)
            }
            // A right shift: the number is a multiple of the result plus a remainder.
            &Node::Extract(inner, low) if low + width == terms.width(inner) => {
                let whole = self.signed(inner)?;
                let half = 1i128 << (width - 1);
                let row = self.unknown(-half, half - 1);
                self.divided(&whole, &row, 1 << low)?;
                Some(row)
            }
            &Node::Binary(op @ (Op::UDiv | Op::URem), a, b) => {
                let divisor = i128::try_from(terms.as_const(b)?).ok().filter(|&divisor| divisor > 0)?;
                let whole = self.unsigned(a)?;
                let most = i128::try_from(mask(width)).ok()?;
                let quotient = self.unknown(0, most / divisor);
                self.divided(&whole, &quotient, divisor)?;
                let row = match op {
                    Op::UDiv => quotient,
                    _ => whole.plus(&quotient, -divisor)?,
                };
                self.around(row, width)
            }
            _ => None,
        }
    }

    /// Adds the constraint `0 ≤ whole - divisor · quotient < divisor`.
    fn divided(&mut self, whole: &Row, quotient: &Row, divisor: i128) -> Option<()> {
        let rest = whole.plus(quotient, divisor.checked_neg()?)?;
        self.at_least(&rest, 0);
        self.at_most(&rest, divisor - 1);
        Some(())
    }

    /// Returns the unsigned value of a term.
    fn unsigned(&mut self, term: Term) -> Option<Row> {
        let row = self.signed(term)?;
        let width = self.terms.width(term);
        let (low, high) = self.range(&row)?;
        let known = self.bounds_of(term);
        let (low, high) = (low.max(known.0), high.min(known.1));
        let all = 1i128 << width;
        if low >= 0 {
            return Some(row);
        }
        if high < 0 {
            return row.plus(&Row::number(all), 1);
        }
        let negative = self.unknown(0, 1);
        let row = row.plus(&negative, all)?;
        self.at_least(&row, 0);
        self.at_most(&row, all - 1);
        Some(row)
    }

    /// Adds a condition; a condition that is not linear is left out.
    fn assume(&mut self, atom: Term) {
        let (inner, truth) = match *self.terms.node(atom) {
            Node::Not(inner) => (inner, false),
            _ => (atom, true),
        };
        self.assume_truth(inner, truth);
    }

    fn assume_not(&mut self, atom: Term) {
        let (inner, truth) = match *self.terms.node(atom) {
            Node::Not(inner) => (inner, true),
            _ => (atom, false),
        };
        self.assume_truth(inner, truth);
    }

    fn assume_truth(&mut self, atom: Term, truth: bool) {
        let constraint = match *self.terms.node(atom) {
            Node::Extract(number, low) if low + 1 == self.terms.width(number) => {
                let Some(row) = self.signed(number) else { return };
                if truth {
                    self.at_most(&row, -1)
                } else {
                    self.at_least(&row, 0)
                }
                return;
            }
            Node::Binary(op @ (Op::SLt | Op::ULt | Op::Eq), a, b) if self.terms.width(a) > 1 => {
                let (a, b) = match op {
                    Op::ULt => (self.unsigned(a), self.unsigned(b)),
                    _ => (self.signed(a), self.signed(b)),
                };
                let Some(distance) = a.zip(b).and_then(|(a, b)| b.plus(&a, -1)) else { return };
                match (op, truth) {
                    (Op::Eq, true) => Some(Constraint::zero(distance)),
                    (Op::Eq, false) => Some(Constraint::non_zero(distance)),
                    (_, true) => distance.plus(&Row::number(-1), 1).map(Constraint::at_least_zero),
                    (_, false) => distance.times(-1).map(Constraint::at_least_zero),
                }
            }
            _ => None,
        };
        self.constraints.extend(constraint);
    }

    /// Returns whether the constraints are infeasible together with one false part of each alternative.
    fn contradicts(&mut self, alternatives: &[Vec<Term>], cases: &mut u32) -> bool {
        *cases = cases.saturating_sub(1);
        match arithmetic::solve(&self.constraints) {
            arithmetic::Answer::Infeasible => return true,
            arithmetic::Answer::Feasible(solution) => self.solution = Some(solution),
            arithmetic::Answer::Unknown => {}
        }
        let Some((parts, rest)) = alternatives.split_first() else { return false };
        for &part in parts {
            if *cases == 0 {
                return false;
            }
            let mut case = self.clone();
            case.assume_not(part);
            if !case.contradicts(rest, cases) {
                self.solution = case.solution;
                return false;
            }
        }
        true
    }

    /// Returns a model of all conditions, if the solution over the integers is one or can be repaired to one.
    fn model(&self, wanted: &[Term]) -> Option<Assignment> {
        let solution = self.solution.as_ref()?;
        let mut model = Assignment::default();
        for (&term, row) in &self.values {
            if let (Node::Var(_), [(unknown, 1)], 0) = (self.terms.node(term), &row.terms[..], row.constant) {
                let value = solution.get(unknown).copied().unwrap_or(0);
                model.insert(term, value as u128 & mask(self.terms.width(term)));
            }
        }
        let mut known = FxHashMap::default();
        let satisfied = wanted.iter().all(|&t| self.terms.evaluate_with(t, &model, &mut known) == 1);
        if satisfied { Some(model) } else { self.terms.repair(wanted, &model) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A deterministic pseudo-random number generator.
    struct Dice(u64);

    impl Dice {
        fn roll(&mut self, sides: u64) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0 % sides
        }
    }

    fn number(terms: &mut Terms, dice: &mut Dice, variables: &[Term], depth: u32) -> Term {
        let width = terms.width(variables[0]);
        if depth == 0 || dice.roll(4) == 0 {
            return match dice.roll(3) {
                0 => terms.constant(u128::from(dice.roll(16)), width),
                _ => variables[dice.roll(variables.len() as u64) as usize],
            };
        }
        let (a, b) = (number(terms, dice, variables, depth - 1), number(terms, dice, variables, depth - 1));
        match dice.roll(9) {
            0 | 1 => terms.add(a, b),
            2 | 3 => terms.sub(a, b),
            4 => terms.scale(a, u128::from(dice.roll(5))),
            5 => {
                let divisor = terms.constant(u128::from(1 + dice.roll(5)), width);
                if dice.roll(2) == 0 { terms.udiv(a, divisor) } else { terms.urem(a, divisor) }
            }
            6 => {
                let low = terms.extract(a, 0, width / 2);
                if dice.roll(2) == 0 { terms.sext(low, width) } else { terms.zext(low, width) }
            }
            7 => {
                let high = terms.extract(a, 1, width - 1);
                if dice.roll(2) == 0 { terms.sext(high, width) } else { terms.zext(high, width) }
            }
            _ => terms.not(a),
        }
    }

    fn condition(terms: &mut Terms, dice: &mut Dice, variables: &[Term], depth: u32) -> Term {
        if depth > 0 && dice.roll(4) == 0 {
            let (a, b) = (condition(terms, dice, variables, depth - 1), condition(terms, dice, variables, depth - 1));
            return if dice.roll(2) == 0 { terms.and(a, b) } else { terms.or(a, b) };
        }
        let (a, b) = (number(terms, dice, variables, 2), number(terms, dice, variables, 2));
        let atom = match dice.roll(4) {
            0 => terms.slt(a, b),
            1 => terms.ult(a, b),
            2 => terms.eq(a, b),
            _ => {
                let width = terms.width(a);
                terms.extract(a, width - 1, 1)
            }
        };
        if dice.roll(2) == 0 { atom } else { terms.not(atom) }
    }

    /// Tries every assignment of two four-bit numbers.
    fn satisfiable(terms: &Terms, variables: &[Term], wanted: &[Term]) -> bool {
        (0..256u128).any(|bits| {
            let model: Assignment = variables.iter().enumerate().map(|(i, &v)| (v, bits >> (4 * i) & 15)).collect();
            wanted.iter().all(|&t| terms.evaluate(t, &model) == 1)
        })
    }

    #[test]
    fn integer_contradictions_have_no_model() {
        let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
        let (mut contradictions, mut models) = (0, 0);
        for _ in 0..1000 {
            let mut terms = Terms::new();
            let variables = [terms.variable("x", 4), terms.variable("y", 4)];
            let count = 1 + dice.roll(5);
            let mut wanted: Vec<Term> = (0..count).map(|_| condition(&mut terms, &mut dice, &variables, 2)).collect();
            wanted.retain(|&t| terms.as_const(t).is_none());
            match decide(&terms, &wanted) {
                Some(Answer::Unsat(_)) => {
                    contradictions += 1;
                    assert!(!satisfiable(&terms, &variables, &wanted), "there is a model");
                }
                Some(Answer::Sat(model)) => {
                    models += 1;
                    assert!(wanted.iter().all(|&t| terms.evaluate(t, &model) == 1), "the model does not satisfy");
                }
                _ => {}
            }
        }
        assert!(contradictions > 50 && models > 50, "{contradictions} contradictions, {models} models");
    }

    #[test]
    fn a_sum_of_two_bounded_indices_stays_in_bounds() {
        // `0 ≤ i < first`, `0 ≤ j < second` and `first ≤ size - second` imply `i + j < size`.
        let mut terms = Terms::new();
        let [i, j, first, second, size] = ["i", "j", "first", "second", "size"].map(|name| terms.variable(name, 32));
        let zero = terms.constant(0, 32);
        let mut wanted = Vec::new();
        for number in [i, j, second, size] {
            wanted.push(terms.sle(zero, number));
        }
        wanted.extend([terms.slt(i, first), terms.slt(j, second), terms.sle(second, size)]);
        let room = terms.sub(size, second);
        wanted.push(terms.sle(first, room));
        let sum = terms.add(i, j);
        wanted.push(terms.ule(size, sum));
        assert!(matches!(decide(&terms, &wanted), Some(Answer::Unsat(_))));
        // Without the condition on the room, the sum may exceed the size, or even wrap around.
        wanted.remove(wanted.len() - 2);
        assert!(!matches!(decide(&terms, &wanted), Some(Answer::Unsat(_))));
    }
}
