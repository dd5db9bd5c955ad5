//! The Omega test: decides conjunctions of linear integer constraints by exact elimination of unknowns.
//!
//! The algorithm is that of Pugh, "The Omega test: a fast and practical integer programming
//! algorithm" (1991). Equalities are solved (section 2). Inequalities are eliminated by
//! Fourier-Motzkin where that is exact; otherwise the dark shadow and splinters decide (section 3).
//! A solution is constructed on the way back.

use rustc_hash::FxHashMap;

use super::row::{Constraint, Relation, Row};
use crate::limits;

/// Values of unknowns; a missing unknown may have any value.
pub type Solution = FxHashMap<u32, i128>;

/// The result of a satisfiability check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The conjunction has this solution.
    Feasible(Solution),
    /// The conjunction has no solution.
    Infeasible,
    /// A number overflowed or the work limit was exceeded.
    Unknown,
}

/// Decides a conjunction.
pub fn solve(constraints: &[Constraint]) -> Answer {
    let mut problem = Problem::default();
    let mut next = 0;
    for constraint in constraints {
        next = constraint.row.terms.last().map_or(next, |t| next.max(t.0.saturating_add(1)));
        match constraint.relation {
            Relation::Zero => problem.zero.push(constraint.row.clone()),
            Relation::AtLeastZero => problem.at_least_zero.push(constraint.row.clone()),
            Relation::NonZero => problem.non_zero.push(constraint.row.clone()),
        }
    }
    let mut work = Work { next, rows: 0 };
    match work.with_disequalities(problem) {
        Ok(Some(solution)) => Answer::Feasible(solution),
        Ok(None) => Answer::Infeasible,
        Err(OutOfRange) => Answer::Unknown,
    }
}

/// Decides whether a conjunction implies a constraint; returns `None` if this is unknown.
pub fn entails(constraints: &[Constraint], constraint: &Constraint) -> Option<bool> {
    let mut all = constraints.to_vec();
    all.push(constraint.negated()?);
    match solve(&all) {
        Answer::Feasible(_) => Some(false),
        Answer::Infeasible => Some(true),
        Answer::Unknown => None,
    }
}

#[derive(Clone, Default)]
struct Problem {
    zero: Vec<Row>,
    at_least_zero: Vec<Row>,
    non_zero: Vec<Row>,
}

/// The error for numeric overflow and for too many rows.
struct OutOfRange;

struct Work {
    next: u32,
    rows: usize,
}

impl Work {
    fn spend(&mut self, rows: usize) -> Result<(), OutOfRange> {
        self.rows += rows;
        if self.rows > limits::MAX_OMEGA_ROWS { Err(OutOfRange) } else { Ok(()) }
    }

    /// Solves the problem without disequalities, and splits on a disequality that the solution violates.
    fn with_disequalities(&mut self, problem: Problem) -> Result<Option<Solution>, OutOfRange> {
        self.spend(1)?;
        let relaxed = Problem { non_zero: Vec::new(), ..problem.clone() };
        let Some(solution) = self.equalities(relaxed)? else { return Ok(None) };
        let value = |u: u32| solution.get(&u).copied().unwrap_or(0);
        let mut violated = None;
        for (place, row) in problem.non_zero.iter().enumerate() {
            if row.evaluate(&value).ok_or(OutOfRange)? == 0 {
                violated = Some(place);
                break;
            }
        }
        let Some(place) = violated else { return Ok(Some(solution)) };
        let row = problem.non_zero[place].clone();
        for sign in [1, -1] {
            let mut side = problem.clone();
            side.non_zero.swap_remove(place);
            side.at_least_zero.push(Row::number(-1).plus(&row, sign).ok_or(OutOfRange)?);
            if let Some(solution) = self.with_disequalities(side)? {
                return Ok(Some(solution));
            }
        }
        Ok(None)
    }

    /// Solves the equalities one by one (section 2.1), then continues with the inequalities.
    fn equalities(&mut self, mut problem: Problem) -> Result<Option<Solution>, OutOfRange> {
        // The replaced unknowns with their replacements, in order.
        let mut replaced: Vec<(u32, Row)> = Vec::new();
        while let Some(mut row) = problem.zero.pop() {
            self.spend(1 + problem.zero.len() + problem.at_least_zero.len())?;
            let divisor = row.divisor();
            if divisor == 0 {
                if row.constant != 0 {
                    return Ok(None);
                }
                continue;
            }
            if row.constant % divisor != 0 {
                return Ok(None);
            }
            row.terms.iter_mut().for_each(|t| t.1 /= divisor);
            row.constant /= divisor;
            let &(unknown, coefficient) =
                row.terms.iter().min_by_key(|t| t.1.unsigned_abs()).expect("a row with a divisor has a term");
            let by = if coefficient.unsigned_abs() == 1 {
                // ±x + rest = 0, so x = ∓rest.
                let mut rest = row.clone();
                rest.terms.retain(|t| t.0 != unknown);
                rest.times(-coefficient).ok_or(OutOfRange)?
            } else {
                // Let m = |a|+1 for the coefficient a of x. The symmetric remainders of the row
                // modulo m sum up to m·σ for a new unknown σ, and x has the coefficient ∓1 in that
                // equation. The row remains, with smaller coefficients.
                let modulus = coefficient.checked_abs().and_then(|a| a.checked_add(1)).ok_or(OutOfRange)?;
                let sigma = self.next;
                self.next = self.next.checked_add(1).ok_or(OutOfRange)?;
                let mut rest = Row::number(symmetric_remainder(row.constant, modulus));
                for &(u, c) in row.terms.iter().filter(|t| t.0 != unknown) {
                    let remainder = symmetric_remainder(c, modulus);
                    rest = rest
                        .plus(&Row { terms: vec![(u, remainder)], constant: 0 }, i128::from(remainder != 0))
                        .ok_or(OutOfRange)?;
                }
                rest = rest.plus(&Row::unknown(sigma), modulus.checked_neg().ok_or(OutOfRange)?).ok_or(OutOfRange)?;
                problem.zero.push(row.clone());
                rest.times(coefficient.signum()).ok_or(OutOfRange)?
            };
            for other in problem.zero.iter_mut().chain(&mut problem.at_least_zero) {
                *other = other.substitute(unknown, &by).ok_or(OutOfRange)?;
            }
            replaced.push((unknown, by));
        }
        let Some(mut solution) = self.inequalities(problem.at_least_zero)? else { return Ok(None) };
        for (unknown, by) in replaced.into_iter().rev() {
            let value = by.evaluate(&|u| solution.get(&u).copied().unwrap_or(0)).ok_or(OutOfRange)?;
            // From here on, unknowns without a value are 0.
            for &(u, _) in &by.terms {
                solution.entry(u).or_insert(0);
            }
            solution.insert(unknown, value);
        }
        Ok(Some(solution))
    }

    /// Eliminates the unknowns of inequalities.
    fn inequalities(&mut self, rows: Vec<Row>) -> Result<Option<Solution>, OutOfRange> {
        self.spend(1 + rows.len())?;
        let Some(Tight { rows, equal }) = tighten(rows).ok_or(OutOfRange)? else { return Ok(None) };
        if !equal.is_empty() {
            return self.equalities(Problem { zero: equal, at_least_zero: rows, non_zero: Vec::new() });
        }
        let Some(choice) = choose(&rows) else { return Ok(Some(Solution::default())) };
        let unknown = choice.unknown;
        let mut lower = Vec::new();
        let mut upper = Vec::new();
        let mut rest = Vec::new();
        for row in rows {
            match row.coefficient(unknown) {
                0 => rest.push(row),
                c if c > 0 => lower.push(row),
                _ => upper.push(row),
            }
        }
        if choice.exact {
            let mut shadow = rest;
            self.combine(&mut shadow, &lower, &upper, unknown, false)?;
            let Some(solution) = self.inequalities(shadow)? else { return Ok(None) };
            return self.place(solution, unknown, &lower, &upper);
        }
        // Section 3.1: a solution of the dark shadow extends to a solution of the problem. If the
        // real shadow has no solution, neither has the problem.
        let mut dark = rest.clone();
        self.combine(&mut dark, &lower, &upper, unknown, true)?;
        if let Some(solution) = self.inequalities(dark)? {
            return self.place(solution, unknown, &lower, &upper);
        }
        let mut real = rest.clone();
        self.combine(&mut real, &lower, &upper, unknown, false)?;
        if self.inequalities(real)?.is_none() {
            return Ok(None);
        }
        // Section 3.2: a solution outside the dark shadow is close to a lower bound.
        let all: Vec<Row> = rest.into_iter().chain(lower.iter().cloned()).chain(upper.iter().cloned()).collect();
        let steepest = upper.iter().map(|r| r.coefficient(unknown).unsigned_abs()).max().unwrap_or(1);
        let steepest = i128::try_from(steepest).map_err(|_| OutOfRange)?;
        for row in &lower {
            let coefficient = row.coefficient(unknown);
            let product = steepest.checked_mul(coefficient).ok_or(OutOfRange)?;
            let last = (product - steepest - coefficient).div_euclid(steepest);
            for distance in 0..=last {
                self.spend(1)?;
                let mut equal = row.clone();
                equal.constant = equal.constant.checked_sub(distance).ok_or(OutOfRange)?;
                let splinter = Problem { zero: vec![equal], at_least_zero: all.clone(), non_zero: Vec::new() };
                if let Some(solution) = self.equalities(splinter)? {
                    return Ok(Some(solution));
                }
            }
        }
        Ok(None)
    }

    /// Adds the combination of every lower with every upper bound, which does not contain the unknown.
    ///
    /// For the dark shadow, the bounds are tightened such that an integer lies between them.
    fn combine(
        &mut self,
        rows: &mut Vec<Row>,
        lower: &[Row],
        upper: &[Row],
        unknown: u32,
        dark: bool,
    ) -> Result<(), OutOfRange> {
        self.spend(lower.len() * upper.len())?;
        for low in lower {
            let a = low.coefficient(unknown);
            for high in upper {
                let b = high.coefficient(unknown).checked_neg().ok_or(OutOfRange)?;
                let mut row = low.times(b).and_then(|r| r.plus(high, a)).ok_or(OutOfRange)?;
                if dark {
                    let room = (a - 1).checked_mul(b - 1).ok_or(OutOfRange)?;
                    row.constant = row.constant.checked_sub(room).ok_or(OutOfRange)?;
                }
                rows.push(row);
            }
        }
        Ok(())
    }

    /// Chooses a value for an eliminated unknown between its bounds.
    fn place(
        &self,
        mut solution: Solution,
        unknown: u32,
        lower: &[Row],
        upper: &[Row],
    ) -> Result<Option<Solution>, OutOfRange> {
        let bound = |row: &Row| -> Result<(i128, i128), OutOfRange> {
            let mut rest = row.clone();
            rest.terms.retain(|t| t.0 != unknown);
            let value = rest.evaluate(&|u| solution.get(&u).copied().unwrap_or(0)).ok_or(OutOfRange)?;
            Ok((value, row.coefficient(unknown)))
        };
        let mut least: Option<i128> = None;
        let mut most: Option<i128> = None;
        for row in lower {
            // a·x + v >= 0, so x >= ceil(-v / a).
            let (value, a) = bound(row)?;
            let limit = -value.div_euclid(a);
            least = Some(least.map_or(limit, |l| l.max(limit)));
        }
        for row in upper {
            // -b·x + v >= 0, so x <= floor(v / b).
            let (value, a) = bound(row)?;
            let limit = value.div_euclid(-a);
            most = Some(most.map_or(limit, |m| m.min(limit)));
        }
        let value = match (least, most) {
            (Some(least), Some(most)) if least > most => return Err(OutOfRange),
            (Some(least), _) if least > 0 => least,
            (_, Some(most)) if most < 0 => most,
            _ => 0,
        };
        for row in lower.iter().chain(upper) {
            for &(u, _) in &row.terms {
                solution.entry(u).or_insert(0);
            }
        }
        solution.insert(unknown, value);
        Ok(Some(solution))
    }
}

/// Returns the remainder in the range from `-modulus/2` to `modulus/2`.
fn symmetric_remainder(number: i128, modulus: i128) -> i128 {
    let remainder = number.rem_euclid(modulus);
    if remainder >= modulus - remainder { remainder - modulus } else { remainder }
}

struct Tight {
    rows: Vec<Row>,
    equal: Vec<Row>,
}

/// Normalises inequalities.
///
/// Divides each row by the greatest common divisor of its coefficients and keeps only the strongest
/// of parallel rows. Opposite rows that leave a single value become equalities. The outer `None`
/// reports overflow, the inner one a contradiction.
fn tighten(rows: Vec<Row>) -> Option<Option<Tight>> {
    let mut strongest: FxHashMap<Vec<(u32, i128)>, i128> = FxHashMap::default();
    for mut row in rows {
        let divisor = row.divisor();
        if divisor == 0 {
            if row.constant < 0 {
                return Some(None);
            }
            continue;
        }
        row.terms.iter_mut().for_each(|t| t.1 /= divisor);
        let constant = row.constant.div_euclid(divisor);
        strongest.entry(row.terms).and_modify(|c| *c = (*c).min(constant)).or_insert(constant);
    }
    let mut tight = Tight { rows: Vec::with_capacity(strongest.len()), equal: Vec::new() };
    let mut sorted: Vec<(&Vec<(u32, i128)>, i128)> = strongest.iter().map(|(t, c)| (t, *c)).collect();
    sorted.sort_unstable();
    for (terms, constant) in sorted {
        let opposite: Vec<(u32, i128)> =
            terms.iter().map(|&(u, c)| Some((u, c.checked_neg()?))).collect::<Option<_>>()?;
        match strongest.get(&opposite).map(|&c| constant.checked_add(c)) {
            Some(None) => return None,
            Some(Some(room)) if room < 0 => return Some(None),
            Some(Some(0)) => {
                if terms[0].1 > 0 {
                    tight.equal.push(Row { terms: terms.clone(), constant });
                }
            }
            _ => tight.rows.push(Row { terms: terms.clone(), constant }),
        }
    }
    Some(Some(tight))
}

struct Choice {
    unknown: u32,
    exact: bool,
}

/// Chooses the unknown to eliminate: preferably an exact elimination, then the one that yields the fewest rows.
fn choose(rows: &[Row]) -> Option<Choice> {
    #[derive(Default, Clone, Copy)]
    struct Bounds {
        lower: usize,
        upper: usize,
        steep_lower: bool,
        steep_upper: bool,
    }
    let mut bounds: FxHashMap<u32, Bounds> = FxHashMap::default();
    for row in rows {
        for &(unknown, coefficient) in &row.terms {
            let entry = bounds.entry(unknown).or_default();
            if coefficient > 0 {
                entry.lower += 1;
                entry.steep_lower |= coefficient != 1;
            } else {
                entry.upper += 1;
                entry.steep_upper |= coefficient != -1;
            }
        }
    }
    bounds
        .into_iter()
        .map(|(unknown, b)| {
            let exact = b.lower == 0 || b.upper == 0 || !b.steep_lower || !b.steep_upper;
            (!exact, b.lower * b.upper, unknown)
        })
        .min()
        .map(|(inexact, _, unknown)| Choice { unknown, exact: !inexact })
}
