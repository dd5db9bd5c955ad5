//! The search for the terms of `S` that the variables of `R` stand for.
//!
//! Nothing here is trusted: every pair of values is checked when the search has ended.

use cairn_exec::{Machine, Mode};
use cairn_memory::pointer::ObjectId;
use cairn_smt::term::{Node, Op};
use cairn_smt::{Substitution, Term};
use rustc_hash::FxHashSet;

use super::{Matching, Task};
use crate::limits::MAX_COMPARISONS;

/// How variables are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Guess {
    /// An equation determines the variable.
    Determined,
    /// The two sides of an equation have the same form.
    ByForm,
}

/// How the variables are chosen that nothing determines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Choosing {
    /// A variable that `S` constrains keeps its meaning: recorded states share variables.
    SameMeaning,
    /// All variables get a value that satisfies the path condition of `R`.
    AnyModel,
    /// Conditions of `R` that look like conditions of `S` are the same, and variables keep their meaning.
    SameConditions,
}

impl<M: Mode> Matching<M> {
    /// Notes that a value of `R` is a value of `S`, and guesses variables from that.
    pub(super) fn match_value(&mut self, machine: &mut Machine<'_, M>, wanted: Term, value: Term) -> Option<()> {
        if machine.terms.width(wanted) != machine.terms.width(value) {
            return None;
        }
        self.pairs.push((wanted, value));
        if !self.solve(machine, wanted, value) {
            self.later.push((wanted, value));
        }
        Some(())
    }

    /// Lets a variable stand for a term, unless it stands for one already.
    pub(super) fn bind(&mut self, machine: &Machine<'_, M>, variable: Term, value: Term) {
        if self.values.contains_key(&variable) || machine.terms.width(variable) != machine.terms.width(value) {
            return;
        }
        self.values.insert(variable, value);
        if let Some(&id) = self.owners.get(&variable) {
            self.tasks.push(Task::Object(id));
        }
    }

    /// Lets the variable of an address stand for its value.
    pub(super) fn bind_base(&mut self, machine: &mut Machine<'_, M>, base: Term, value: Term) {
        self.solve(machine, base, value);
    }

    /// Returns whether all variables of a term stand for something.
    pub(super) fn is_known(&self, machine: &Machine<'_, M>, term: Term) -> bool {
        machine.terms.variables_of(term).iter().all(|variable| self.values.contains_key(variable))
    }

    /// Returns the term of `S` for a term of `R` whose variables are known.
    pub(super) fn image(&self, machine: &mut Machine<'_, M>, term: Term) -> Term {
        let variables = machine.terms.variables_of(term);
        let known = variables.iter().filter_map(|variable| Some((*variable, *self.values.get(variable)?)));
        Substitution::new(known).apply(&mut machine.terms, term)
    }

    /// Determines variables from an equation. Returns false if that should be tried again later.
    pub(super) fn solve(&mut self, machine: &mut Machine<'_, M>, wanted: Term, value: Term) -> bool {
        self.solve_by(machine, wanted, value, Guess::Determined)
    }

    /// Determines or guesses variables from an equation. Returns false if that should be tried again later.
    pub(super) fn solve_by(&mut self, machine: &mut Machine<'_, M>, wanted: Term, value: Term, guess: Guess) -> bool {
        match machine.terms.node(wanted).clone() {
            Node::Const(_) => true,
            Node::Var(_) => {
                self.bind(machine, wanted, value);
                true
            }
            Node::Not(inner) => {
                let value = machine.terms.not(value);
                self.solve_by(machine, inner, value, guess)
            }
            Node::SExt(inner) => {
                let value = machine.terms.extract(value, 0, machine.terms.width(inner));
                self.solve_by(machine, inner, value, guess)
            }
            Node::Binary(Op::Concat, high, low) => {
                let (width_high, width_low) = (machine.terms.width(high), machine.terms.width(low));
                let upper = machine.terms.extract(value, width_low, width_high);
                let lower = machine.terms.extract(value, 0, width_low);
                self.solve_by(machine, high, upper, guess) & self.solve_by(machine, low, lower, guess)
            }
            Node::Ite(condition, then, other) => {
                if let (Node::Ite(own, a, b), Guess::ByForm) = (machine.terms.node(value).clone(), guess) {
                    return self.solve_by(machine, condition, own, guess)
                        & self.solve_by(machine, then, a, guess)
                        & self.solve_by(machine, other, b, guess);
                }
                if !self.is_known(machine, condition) {
                    return false;
                }
                let truth = self.image(machine, condition);
                match self.s.path.value(&machine.terms, truth) {
                    Some(1) => self.solve_by(machine, then, value, guess),
                    Some(_) => self.solve_by(machine, other, value, guess),
                    None => false,
                }
            }
            Node::Binary(op, a, b) => match *machine.terms.node(value) {
                Node::Binary(own, c, d)
                    if own == op && guess == Guess::ByForm && machine.terms.width(a) == machine.terms.width(c) =>
                {
                    if op == Op::Eq && self.solve_equation(machine, (a, b), (c, d)) {
                        return true;
                    }
                    // The operands of an equation are in the order of their numbers, which differs between the states.
                    let is_number = |term: Term| machine.terms.as_const(term).is_some();
                    let swaps = op == Op::Eq && is_number(a) != is_number(c) && is_number(a) == is_number(d);
                    let (c, d) = if swaps { (d, c) } else { (c, d) };
                    self.solve_by(machine, a, c, guess) & self.solve_by(machine, b, d, guess)
                }
                _ => self.is_known(machine, wanted),
            },
            Node::Extract(inner, low) => match *machine.terms.node(value) {
                Node::Extract(own, at)
                    if at == low
                        && guess == Guess::ByForm
                        && machine.terms.width(own) == machine.terms.width(inner) =>
                {
                    self.solve_by(machine, inner, own, guess)
                }
                _ => self.is_known(machine, wanted),
            },
            Node::Sum(sum) => {
                let mut open = None;
                let mut rest = machine.terms.constant(sum.constant, machine.terms.width(wanted));
                for &(part, factor) in &sum.monomials {
                    if self.is_known(machine, part) {
                        let part = self.image(machine, part);
                        let part = machine.terms.scale(part, factor);
                        rest = machine.terms.add(rest, part);
                    } else if open.is_none() {
                        open = Some((part, factor));
                    } else {
                        return false;
                    }
                }
                let Some((part, factor)) = open else { return true };
                let value = machine.terms.sub(value, rest);
                match divided(machine, value, factor) {
                    Some(value) => self.solve_by(machine, part, value, guess),
                    None => false,
                }
            }
        }
    }

    /// Determines the only open variable of an equation that is the same as an equation of `S`.
    ///
    /// The two sides of an equation depend on the order of terms, which differs between the states. The difference of the sides
    /// depends on it only by its sign.
    fn solve_equation(&mut self, machine: &mut Machine<'_, M>, wanted: (Term, Term), own: (Term, Term)) -> bool {
        let [wanted, own] = [wanted, own].map(|(one, other)| machine.terms.sub(one, other));
        let opposite = machine.terms.neg(own);
        let factors = |machine: &Machine<'_, M>, term: Term| {
            let mut factors: Vec<u128> = match machine.terms.node(term) {
                Node::Sum(sum) => sum.monomials.iter().map(|monomial| monomial.1).collect(),
                _ => vec![1],
            };
            factors.sort_unstable();
            factors
        };
        let goal = factors(machine, wanted);
        let value = [own, opposite].into_iter().find(|&value| factors(machine, value) == goal);
        value.is_some_and(|value| self.solve(machine, wanted, value)) && self.is_known(machine, wanted)
    }

    /// Matches the values at symbolic offsets. Most variables of the offsets are known by now.
    pub(super) fn match_indexed(&mut self, machine: &mut Machine<'_, M>) -> bool {
        for (own, at, wanted) in std::mem::take(&mut self.indexed) {
            let width = machine.terms.width(wanted);
            let object = self.s.memory.get(own).clone();
            if !self.is_known(machine, at) {
                // An entry with the same value at the same offset is the most likely one.
                let mut entries: Vec<_> = object.indexed().iter().rev().collect();
                entries.sort_by_key(|known| (known.term != wanted, known.at != at));
                entries.into_iter().any(|known| self.recognise(machine, at, known.at));
            }
            let offset = self.image(machine, at);
            let same = |offset: Term| move |known: &&cairn_memory::symbolic::Indexed| known.at == offset;
            let found = object.indexed().iter().rev().find(same(offset)).map(|known| known.term);
            let found = found.filter(|&value| machine.terms.width(value) == width);
            let exact = self.s.path.value(&machine.terms, offset).filter(|&at| at < 1 << 40);
            let value = match (found, exact) {
                (Some(value), _) => value,
                (None, Some(at)) if object.is_set(at as u64, width / 8) => {
                    machine.read(&mut self.s, own, at as u64, width / 8)
                }
                _ => return false,
            };
            if self.match_value(machine, wanted, value).is_none() {
                return false;
            }
        }
        true
    }

    /// Chooses terms for the variables that nothing determines.
    ///
    /// A local variable of a segment is that of one of its nodes. Equations determine further variables. All others get a value that
    /// satisfies the path condition of `R`, unless they are chosen in another way.
    pub(super) fn choose_rest(&mut self, machine: &mut Machine<'_, M>, conditions: &[Term], how: Choosing) {
        let mut open: FxHashSet<Term> = FxHashSet::default();
        for &term in conditions.iter().chain(self.pairs.iter().map(|pair| &pair.0)) {
            let variables = machine.terms.variables_of(term);
            open.extend(variables.iter().filter(|variable| !self.values.contains_key(variable)));
        }
        let mut open: Vec<Term> = open.into_iter().collect();
        open.sort_unstable();
        for &variable in &open {
            let mut instance = self.instances.get(&variable);
            while let Some(now) = instance {
                if let Some(&value) = self.values.get(now) {
                    self.values.insert(variable, value);
                    self.aliases.insert(variable);
                    break;
                }
                instance = self.instances.get(now);
            }
        }
        open.retain(|variable| !self.values.contains_key(variable));
        for &variable in open.iter().filter(|_| how != Choosing::AnyModel) {
            let is_constrained = !self.s.path.relevant(&machine.terms, &[variable]).0.is_empty();
            if is_constrained && !self.instances.contains_key(&variable) {
                self.values.insert(variable, variable);
            }
        }
        for &condition in conditions {
            if let Node::Binary(Op::Eq, a, b) = *machine.terms.node(condition) {
                for (one, other) in [(a, b), (b, a)] {
                    if !self.is_known(machine, one) && self.is_known(machine, other) {
                        let value = self.image(machine, other);
                        self.solve(machine, one, value);
                    }
                }
            }
        }
        if how == Choosing::SameConditions {
            self.recognise_conditions(machine, conditions);
        }
        for variable in open {
            if self.values.contains_key(&variable) {
                continue;
            }
            let bits = machine.terms.evaluate(variable, self.r.path.model());
            let value = machine.terms.constant(bits, machine.terms.width(variable));
            self.values.insert(variable, value);
            // In a sum of several variables, this one may have been the last but one.
            for (wanted, value) in self.later.clone() {
                self.solve(machine, wanted, value);
            }
        }
        self.tasks.clear();
    }

    /// Determines variables that only conditions mention, by finding these conditions in the path condition of `S`.
    fn recognise_conditions(&mut self, machine: &mut Machine<'_, M>, conditions: &[Term]) {
        let mut open: Vec<Term> = conditions.iter().copied().filter(|&c| !self.is_known(machine, c)).collect();
        let given = if open.is_empty() { Vec::new() } else { self.s.path.conditions() };
        if open.len() * given.len() > MAX_COMPARISONS {
            return;
        }
        loop {
            let found = open.iter().position(|&wanted| given.iter().any(|&own| self.recognise(machine, wanted, own)));
            let Some(found) = found else { return };
            open.remove(found);
            open.retain(|&condition| !self.is_known(machine, condition));
        }
    }

    /// Lets variables stand for terms such that a condition of `R` is one of `S`. Returns whether that is possible.
    fn recognise(&mut self, machine: &mut Machine<'_, M>, wanted: Term, own: Term) -> bool {
        let values = self.values.clone();
        self.solve_by(machine, wanted, own, Guess::ByForm);
        if self.is_known(machine, wanted) && self.image(machine, wanted) == own && self.keeps_scopes(machine) {
            return true;
        }
        self.values = values;
        false
    }

    /// Notes the scope of an object that `R` has besides its recorded objects, and its address.
    pub(super) fn own(&mut self, machine: &Machine<'_, M>, id: ObjectId, scope: u32) {
        self.scope_of_r.insert(id, scope);
        let object = self.r.memory.get(id);
        let last = object.segment.as_ref().and_then(|segment| segment.last());
        for address in std::iter::once(object.base).chain(last) {
            self.owners.extend(machine.terms.variables_of(address).iter().map(|&variable| (variable, id)));
        }
    }
}

/// Returns a term that is another one when it is multiplied with a factor, if one is obvious.
fn divided<M: Mode>(machine: &mut Machine<'_, M>, value: Term, factor: u128) -> Option<Term> {
    let width = machine.terms.width(value);
    if factor % 2 == 1 {
        // The inverse of an odd number by Newton's iteration: each step doubles the number of correct bits.
        let inverse = (0..7).fold(factor, |x, _| x.wrapping_mul(2_u128.wrapping_sub(factor.wrapping_mul(x))));
        return Some(machine.terms.scale(value, inverse));
    }
    match machine.terms.node(value).clone() {
        Node::Const(bits) if bits % factor == 0 => Some(machine.terms.constant(bits / factor, width)),
        Node::Sum(sum) if sum.constant % factor == 0 && sum.monomials.iter().all(|part| part.1 % factor == 0) => {
            let start = machine.terms.constant(sum.constant / factor, width);
            Some(sum.monomials.iter().fold(start, |total, &(part, own)| {
                let part = machine.terms.scale(part, own / factor);
                machine.terms.add(total, part)
            }))
        }
        _ => None,
    }
}
