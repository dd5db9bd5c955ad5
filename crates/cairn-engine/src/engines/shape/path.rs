//! The path condition of a state, and what it tells without a solver.

use cairn_smt::evaluate::Assignment;
use cairn_smt::facts::Facts;
use cairn_smt::persistent::{List, Map};
use cairn_smt::term::{Node, Op, signed};
use cairn_smt::{Substitution, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is assumed on the way to a state. Clones share everything until one of them assumes more.
#[derive(Clone, Debug, Default)]
pub struct Path {
    conditions: List<Term>,
    /// Which conditions speak of a variable.
    mentions: Map<List<Mention>>,
    /// The closest bounds of terms, by the number of the term and the side.
    bounds: Map<Term>,
    /// Bounds and bits that the conditions imply for terms that occur in them.
    refined: Map<Facts>,
    /// Values of the variables under which all conditions hold.
    model: Assignment,
}

/// A condition that speaks of a variable.
#[derive(Clone, Copy, Debug)]
enum Mention {
    /// This one.
    Condition(Term),
    /// The closest bound under this key: a loop that counts up to an input makes one at each turn, of which only the last says
    /// anything.
    Bound(u64),
}

impl Path {
    /// A path with these conditions, which the model satisfies.
    pub fn with(terms: &Terms, conditions: impl IntoIterator<Item = Term>, model: Assignment) -> Self {
        let mut path = Self { model, ..Self::default() };
        for condition in conditions {
            path.assume(terms, condition, None);
        }
        // That a number is not the least one of its range narrows the range only once that is known.
        for &condition in path.conditions.iter() {
            if let Node::Not(inner) = *terms.node(condition)
                && let Node::Binary(Op::Eq, ..) = terms.node(inner)
            {
                refine(terms, &mut path.refined, inner, false);
            }
        }
        path
    }

    /// All conditions, the last one first.
    pub fn conditions(&self) -> Vec<Term> {
        self.conditions.iter().copied().collect()
    }

    /// Values under which all conditions hold.
    pub fn model(&self) -> &Assignment {
        &self.model
    }

    /// Assumes a condition; `model` satisfies it and everything before. Without one the model at hand must do.
    pub fn assume(&mut self, terms: &Terms, condition: Term, model: Option<Assignment>) {
        if terms.is_true(condition) {
            return;
        }
        if let Some(model) = model {
            self.model = model;
        }
        debug_assert_eq!(terms.evaluate(condition, &self.model), 1, "the model satisfies the path");
        self.note(terms, condition);
    }

    fn note(&mut self, terms: &Terms, condition: Term) {
        self.conditions.push(condition);
        self.mention(terms, condition);
        refine(terms, &mut self.refined, condition, true);
    }

    /// Notes the condition with the variables that it speaks of.
    fn mention(&mut self, terms: &Terms, condition: Term) {
        if let Node::Binary(Op::And, a, b) = *terms.node(condition) {
            self.mention(terms, a);
            self.mention(terms, b);
            return;
        }
        let mut mention = Mention::Condition(condition);
        if let Some(Bound { term, side, limit }) = bound_of(terms, condition) {
            let key = u64::from(u32::try_from(term.index()).unwrap_or(u32::MAX)) << 2 | side as u64;
            match self.bounds.get(key) {
                Some(&known) if bound_of(terms, known).is_some_and(|old| side.is_closer(old.limit, limit)) => return,
                Some(_) => {
                    self.bounds.insert(key, condition);
                    return;
                }
                None => {
                    self.bounds.insert(key, condition);
                    mention = Mention::Bound(key);
                }
            }
        }
        for variable in &*terms.variables_of(condition) {
            let key = variable.index() as u64;
            let mut list = self.mentions.get(key).cloned().unwrap_or_default();
            list.push(mention);
            self.mentions.insert(key, list);
        }
    }

    /// The conditions that share variables with these terms, directly or through others, and all of these variables. The path's
    /// model satisfies the other conditions whatever these variables are.
    pub fn relevant(&self, terms: &Terms, about: &[Term]) -> (Vec<Term>, Vec<Term>) {
        let mut conditions = Vec::new();
        let mut seen: FxHashSet<Term> = FxHashSet::default();
        let mut variables = Vec::new();
        let mut known: FxHashSet<Term> = FxHashSet::default();
        let mut add = |term: Term, variables: &mut Vec<Term>| {
            if let Node::Var(_) = terms.node(term) {
                if known.insert(term) {
                    variables.push(term);
                }
                return;
            }
            variables.extend(terms.variables_of(term).iter().copied().filter(|&v| known.insert(v)));
        };
        about.iter().for_each(|&term| add(term, &mut variables));
        let mut next = 0;
        while let Some(&variable) = variables.get(next) {
            next += 1;
            let Some(mentions) = self.mentions.get(variable.index() as u64) else { continue };
            for mention in mentions.iter() {
                let condition = match *mention {
                    Mention::Condition(condition) => condition,
                    Mention::Bound(key) => match self.bounds.get(key) {
                        Some(&condition) => condition,
                        None => continue,
                    },
                };
                if seen.insert(condition) {
                    conditions.push(condition);
                    add(condition, &mut variables);
                }
            }
        }
        (conditions, variables)
    }

    /// The same with terms replaced, and whether its model satisfies it; `None` where nothing can. Assumes nothing more.
    pub fn substitute(&self, terms: &mut Terms, map: &mut Substitution) -> Option<(Self, bool)> {
        let before = self.conditions();
        let after: Vec<Term> = before.iter().map(|&condition| map.apply(terms, condition)).collect();
        // Addresses are replaced most of the time, and conditions speak of numbers.
        if before == after {
            return Some((self.clone(), true));
        }
        let mut path = Self { model: self.model.clone(), ..Self::default() };
        let mut satisfied = true;
        let mut known = FxHashMap::default();
        for condition in after.into_iter().rev() {
            if terms.is_false(condition) {
                return None;
            }
            if terms.is_true(condition) {
                continue;
            }
            satisfied &= terms.evaluate_with(condition, &path.model, &mut known) == 1;
            path.note(terms, condition);
        }
        Some((path, satisfied))
    }

    /// Gives a variable that no condition speaks of a value in the model.
    pub fn give(&mut self, variable: Term, value: u128) {
        self.model.insert(variable, value);
    }

    /// Takes another model, which satisfies all conditions.
    pub fn set_model(&mut self, terms: &Terms, model: Assignment) {
        debug_assert!(
            self.conditions().iter().all(|&c| terms.evaluate(c, &model) == 1),
            "the model satisfies the path"
        );
        self.model = model;
    }

    /// What is known of a term on this path.
    pub fn facts(&self, terms: &Terms, term: Term) -> Facts {
        let known = terms.facts(term);
        match self.refined.get(term.index() as u64) {
            _ if known.value().is_some() => known,
            // What a condition says of a sum does not say what others say of its parts.
            Some(&refined) => self.derive(terms, term, 3).meet(refined, terms.width(term)),
            None => self.derive(terms, term, 3),
        }
    }

    /// Facts from the refined facts of the operands, a few levels down.
    fn derive(&self, terms: &Terms, term: Term, depth: u32) -> Facts {
        let known = terms.facts(term);
        if depth == 0 || self.refined.is_empty() || matches!(terms.node(term), Node::Const(_) | Node::Var(_)) {
            return known;
        }
        let facts = Facts::from_operands(terms, terms.width(term), terms.node(term), &|operand| {
            let derived = self.derive(terms, operand, depth - 1);
            match self.refined.get(operand.index() as u64) {
                Some(&refined) => derived.meet(refined, terms.width(operand)),
                None => derived,
            }
        });
        known.meet(facts, terms.width(term))
    }

    /// The value that a term has on this path, when that is known without a solver.
    pub fn value(&self, terms: &Terms, term: Term) -> Option<u128> {
        terms.as_const(term).or_else(|| self.facts(terms, term).value())
    }
}

/// A bound of a term by a constant: on which side, and the last value that it admits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    pub(super) term: Term,
    pub(super) side: Side,
    pub(super) limit: i128,
}

/// Where a bound is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    Above,
    Below,
    SignedAbove,
    SignedBelow,
}

impl Side {
    /// Whether the first limit leaves no more room than the second.
    pub(super) fn is_closer(self, first: i128, second: i128) -> bool {
        match self {
            Side::Above | Side::SignedAbove => first <= second,
            Side::Below | Side::SignedBelow => first >= second,
        }
    }
}

/// The bound that a condition is. Terms of 128 bits have none: it would not fit.
pub(super) fn bound_of(terms: &Terms, condition: Term) -> Option<Bound> {
    let (inner, truth) = match *terms.node(condition) {
        Node::Not(inner) => (inner, false),
        _ => (condition, true),
    };
    // The sign of a number is a bound.
    if let Node::Extract(term, low) = *terms.node(inner)
        && low + 1 == terms.width(term)
        && low < 127
    {
        let (side, limit) = if truth { (Side::SignedAbove, -1) } else { (Side::SignedBelow, 0) };
        return Some(Bound { term, side, limit });
    }
    let Node::Binary(op @ (Op::ULt | Op::SLt), a, b) = *terms.node(inner) else { return None };
    let width = terms.width(a);
    if width == 128 {
        return None;
    }
    let is_signed = op == Op::SLt;
    let number = |bits: u128| if is_signed { signed(bits, width) } else { bits as i128 };
    // `a < c`, `a ≥ c`, `c < b`, `c ≥ b`.
    let (term, above, limit) = match (terms.as_const(a), terms.as_const(b)) {
        (None, Some(c)) if truth => (a, true, number(c) - 1),
        (None, Some(c)) => (a, false, number(c)),
        (Some(c), None) if truth => (b, false, number(c) + 1),
        (Some(c), None) => (b, true, number(c)),
        _ => return None,
    };
    let side = match (is_signed, above) {
        (false, true) => Side::Above,
        (false, false) => Side::Below,
        (true, true) => Side::SignedAbove,
        (true, false) => Side::SignedBelow,
    };
    Some(Bound { term, side, limit })
}

/// Takes in what a condition says when it is `truth`.
fn refine(terms: &Terms, refined: &mut Map<Facts>, condition: Term, truth: bool) {
    let narrow = |refined: &mut Map<Facts>, term: Term, facts: Facts| {
        let width = terms.width(term);
        let old = refined.get(term.index() as u64).copied().unwrap_or_else(|| terms.facts(term));
        refined.insert(term.index() as u64, old.meet(facts, width));
    };
    narrow(refined, condition, Facts::exactly(u128::from(truth)));
    // What conditions before this one said counts.
    let known = |refined: &Map<Facts>, term: Term| {
        refined.get(term.index() as u64).copied().unwrap_or_else(|| terms.facts(term))
    };
    match *terms.node(condition) {
        Node::Not(inner) => refine(terms, refined, inner, !truth),
        // The sign of a number.
        Node::Extract(number, low) if low + 1 == terms.width(number) => {
            let (least, greatest) = if truth { (i128::MIN, -1) } else { (0, i128::MAX) };
            narrow(refined, number, Facts::signed_between(terms.width(number), least, greatest));
        }
        Node::Binary(Op::And, a, b) if truth => {
            refine(terms, refined, a, true);
            refine(terms, refined, b, true);
        }
        Node::Binary(Op::Eq, a, b) if truth => {
            let common = known(refined, a).meet(known(refined, b), terms.width(a));
            narrow(refined, a, common);
            narrow(refined, b, common);
        }
        Node::Binary(Op::Eq, a, b) => {
            for (x, y) in [(a, b), (b, a)] {
                if let Some(value) = terms.as_const(y) {
                    let old = known(refined, x);
                    refined.insert(x.index() as u64, old.without(value, terms.width(x)));
                }
            }
        }
        Node::Binary(Op::ULt, a, b) => {
            let width = terms.width(a);
            let (low, high, strict) = if truth { (a, b, 1) } else { (b, a, 0) };
            let (fl, fh) = (known(refined, low), known(refined, high));
            narrow(refined, low, Facts::between(width, 0, fh.max.saturating_sub(strict)));
            narrow(refined, high, Facts::between(width, fl.min.saturating_add(strict), u128::MAX));
        }
        Node::Binary(Op::SLt, a, b) => {
            let width = terms.width(a);
            let (low, high, strict) = if truth { (a, b, 1) } else { (b, a, 0) };
            let (fl, fh) = (known(refined, low), known(refined, high));
            narrow(refined, low, Facts::signed_between(width, i128::MIN, fh.signed_max.saturating_sub(strict)));
            narrow(refined, high, Facts::signed_between(width, fl.signed_min.saturating_add(strict), i128::MAX));
        }
        _ => {}
    }
}
