//! The constraint store, and the matching and application of rules.

use crate::limits;
use crate::rule::{Atom, Guard, Pattern, Predicate};
use crate::search::{Conflict, Meaning, Solver, Undo};
use crate::term::{Lit, Term};

/// A partial assignment of terms to the variables of a rule.
#[derive(Clone, Copy, Debug)]
struct Bindings {
    terms: [Term; limits::MAX_RULE_VARIABLES],
    /// A bit set of the variables that are bound.
    bound: u16,
}

impl Bindings {
    const NONE: Self = Self { terms: [Term::constant(0); limits::MAX_RULE_VARIABLES], bound: 0 };

    fn get(&self, var: u8) -> Option<Term> {
        (self.bound >> var & 1 == 1).then(|| self.terms[var as usize])
    }

    fn set(&mut self, var: u8, term: Term) {
        self.bound |= 1 << var;
        self.terms[var as usize] = term;
    }
}

/// A (partial) match of the heads of a rule.
#[derive(Clone, Debug)]
struct Match {
    rule: u32,
    heads: Vec<u32>,
    bindings: Bindings,
    /// Pairs of terms whose known difference the match relies on although they are not syntactically equal.
    used: Vec<(Term, Term)>,
}

impl Match {
    fn resolve(&self, pattern: Pattern) -> Option<Term> {
        match pattern.var {
            None => Some(Term::constant(pattern.offset)),
            Some(var) => self.bindings.get(var).map(|term| term + pattern.offset),
        }
    }
}

fn head_of(atom: &Atom) -> Option<(Predicate, &[Pattern], usize)> {
    match atom {
        Atom::Constraint(predicate, args) => Some((*predicate, args, 0)),
        Atom::Not(predicate, args) => Some((*predicate, args, 1)),
        _ => None,
    }
}

impl Solver<'_> {
    fn args(&self, atom: u32) -> &[Term] {
        match &self.atoms[atom as usize] {
            Meaning::Constraint(_, args) => args,
            _ => &[],
        }
    }

    fn key(&self, predicate: Predicate, atom: u32) -> Option<i64> {
        let key = self.rules.predicates[predicate.0 as usize].key?;
        self.args(atom).get(key)?.as_constant()
    }

    /// Adds a decided constraint to the store.
    pub(crate) fn store(&mut self, atom: u32) {
        let Meaning::Constraint(predicate, _) = self.atoms[atom as usize] else { return };
        let sign = usize::from(!self.holds(Lit::new(atom, false)));
        self.store.live[predicate.0 as usize][sign].push(atom);
        if let Some(key) = self.key(predicate, atom) {
            self.store.keyed.entry((predicate.0, sign as u8, key)).or_default().push(atom);
        }
        self.undo.push(Undo::Live(atom));
    }

    /// Removes the constraint that was added last.
    pub(crate) fn forget(&mut self, atom: u32) {
        let Meaning::Constraint(predicate, _) = self.atoms[atom as usize] else { return };
        let key = self.key(predicate, atom);
        for sign in 0..2 {
            if self.store.live[predicate.0 as usize][sign].last() == Some(&atom) {
                self.store.live[predicate.0 as usize][sign].pop();
                if let Some(list) = key.and_then(|key| self.store.keyed.get_mut(&(predicate.0, sign as u8, key))) {
                    list.pop();
                }
                return;
            }
        }
    }

    /// Fires all rule applications in which a constraint of the store takes part.
    pub(crate) fn activate(&mut self, atom: u32) -> Option<Conflict> {
        let Meaning::Constraint(predicate, _) = self.atoms[atom as usize] else { return None };
        let sign = match self.value(Lit::new(atom, false)) {
            Some(true) => 0,
            Some(false) => 1,
            None => return None,
        };
        if let Some(conflict) = self.clash(predicate, atom, 1 - sign) {
            return Some(conflict);
        }
        let rules = self.rules;
        for &(rule, position) in &rules.occurrences[predicate.0 as usize][sign] {
            if self.store.removed[atom as usize] {
                return None;
            }
            let mut found = Vec::new();
            let heads = &rules.rules[rule as usize].heads;
            let mut start =
                Match { rule, heads: vec![u32::MAX; heads.len()], bindings: Bindings::NONE, used: Vec::new() };
            if let Some((_, patterns, _)) = head_of(&heads[position as usize]) {
                start.heads[position as usize] = atom;
                if self.unify(&mut start, patterns, atom) {
                    self.join(&mut start, 0, &mut found);
                }
            }
            for one in found {
                if let Some(conflict) = self.fire(one) {
                    return Some(conflict);
                }
            }
        }
        None
    }

    /// Adds a clause if the store contains the constraint with the opposite sign.
    fn clash(&mut self, predicate: Predicate, atom: u32, other: usize) -> Option<Conflict> {
        for index in 0..self.store.live[predicate.0 as usize][other].len() {
            let rival = self.store.live[predicate.0 as usize][other][index];
            let pairs = self.args(atom).iter().zip(self.args(rival));
            if !pairs.clone().all(|(&a, &b)| self.equality.difference(a, b) == Some(0)) {
                continue;
            }
            let mut reasons = Vec::new();
            for (a, b) in pairs {
                self.equality.explain(a.var, b.var, &mut reasons);
            }
            let (mine, theirs) = (Lit::new(atom, other == 0), Lit::new(rival, other == 1));
            let clause = [!mine, !theirs].into_iter().chain(reasons.into_iter().map(|lit| !lit)).collect();
            return self.add_clause(clause);
        }
        None
    }

    /// Matches the patterns of a head with the arguments of a constraint, binding variables.
    fn unify(&self, one: &mut Match, patterns: &[Pattern], atom: u32) -> bool {
        for (&pattern, &arg) in patterns.iter().zip(self.args(atom)) {
            match one.resolve(pattern) {
                Some(term) if term == arg => {}
                Some(term) => {
                    if self.equality.difference(term, arg) != Some(0) {
                        return false;
                    }
                    one.used.push((term, arg));
                }
                None => {
                    if let Some(var) = pattern.var {
                        one.bindings.set(var, arg - pattern.offset);
                    }
                }
            }
        }
        true
    }

    /// Extends a match to all heads from `position` on, and collects the complete matches.
    ///
    /// The match is restored before the function returns.
    fn join(&self, one: &mut Match, position: usize, found: &mut Vec<Match>) {
        let rule = &self.rules.rules[one.rule as usize];
        let used = one.used.len();
        let Some(head) = rule.heads.get(position) else {
            if rule.guards.iter().all(|guard| self.guard(guard, one)) {
                found.push(one.clone());
            }
            one.used.truncate(used);
            return;
        };
        if one.heads[position] != u32::MAX {
            return self.join(one, position + 1, found);
        }
        let Some((predicate, patterns, sign)) = head_of(head) else { return };
        let key = self.rules.predicates[predicate.0 as usize].key;
        let key = key.and_then(|key| one.resolve(patterns[key])).and_then(|term| self.constant(term));
        let list = match key {
            Some(key) => self.store.keyed.get(&(predicate.0, sign as u8, key)).map_or(&[][..], Vec::as_slice),
            None => self.store.live[predicate.0 as usize][sign].as_slice(),
        };
        let bound = one.bindings.bound;
        for &atom in list {
            if self.store.removed[atom as usize] || one.heads.contains(&atom) {
                continue;
            }
            if self.unify(one, patterns, atom) {
                one.heads[position] = atom;
                self.join(one, position + 1, found);
                one.heads[position] = u32::MAX;
            }
            one.bindings.bound = bound;
            one.used.truncate(used);
        }
    }

    fn guard(&self, guard: &Guard, one: &mut Match) -> bool {
        let (a, b) = match guard {
            Guard::Between(a, b, ..) | Guard::OneOf(a, b, _) | Guard::BetweenExcept(a, b, ..) => (*a, *b),
        };
        let (Some(a), Some(b)) = (one.resolve(a), one.resolve(b)) else { return false };
        let Some(difference) = self.equality.difference(a, b) else { return false };
        let holds = match guard {
            Guard::Between(_, _, low, high) => (*low..=*high).contains(&difference),
            Guard::OneOf(_, _, values) => values.contains(&difference),
            Guard::BetweenExcept(_, _, low, high, except) => {
                (*low..=*high).contains(&difference) && !except.contains(&difference)
            }
        };
        if holds && a.var != b.var {
            one.used.push((a, b));
        }
        holds
    }

    /// Applies a rule: adds its clause and removes its removed heads.
    fn fire(&mut self, one: Match) -> Option<Conflict> {
        let rules = self.rules;
        let rule = &rules.rules[one.rule as usize];
        let heads: Box<[u32]> = one.heads.clone().into();
        if heads.iter().any(|&head| self.store.removed[head as usize])
            || self.store.fired.contains(&(one.rule, heads.clone()))
        {
            return None;
        }
        self.steps += 1;
        self.store.fired.insert((one.rule, heads.clone()));
        self.undo.push(Undo::Fired((one.rule, heads.clone())));
        let mut premise = Vec::new();
        for &head in &*heads {
            premise.push(Lit::new(head, self.holds(Lit::new(head, false))));
        }
        let mut reasons = Vec::new();
        for &(a, b) in &one.used {
            self.equality.explain(a.var, b.var, &mut reasons);
        }
        premise.extend(reasons.into_iter().map(|lit| !lit));
        let mut bound = one.bindings;
        let mut cases = Vec::with_capacity(rule.body.0.len());
        for case in &rule.body.0 {
            let lits: Vec<Lit> = case.iter().map(|atom| self.instance(atom, &mut bound, one.rule, &heads)).collect();
            cases.push(lits);
        }
        for &head in &heads[heads.len() - rule.removed..] {
            self.store.removed[head as usize] = true;
            self.undo.push(Undo::Removed(head));
        }
        if let [only] = cases.as_slice() {
            for &lit in only {
                let mut clause = premise.clone();
                clause.push(lit);
                if let Some(conflict) = self.add_clause(clause) {
                    return Some(conflict);
                }
            }
            return None;
        }
        let cases: Vec<Lit> = cases.into_iter().map(|lits| self.conjunction(lits)).collect();
        if cases.contains(&Lit::TRUE) {
            return None;
        }
        let conflict = self.add_clause(premise.iter().chain(&cases).copied().collect());
        self.store.pending.push(cases.into());
        self.undo.push(Undo::Pending);
        conflict
    }

    fn instance(&mut self, atom: &Atom, bound: &mut Bindings, rule: u32, heads: &[u32]) -> Lit {
        match atom {
            Atom::Constraint(predicate, args) | Atom::Not(predicate, args) => {
                let args: Vec<Term> = args.iter().map(|&arg| self.place(arg, bound, rule, heads)).collect();
                let lit = self.constraint(*predicate, &args);
                if matches!(atom, Atom::Not(..)) { !lit } else { lit }
            }
            Atom::Equal(a, b) | Atom::Differ(a, b) | Atom::AtMost(a, b) => {
                let (a, b) = (self.place(*a, bound, rule, heads), self.place(*b, bound, rule, heads));
                match atom {
                    Atom::Equal(..) => self.equal(a, b),
                    Atom::Differ(..) => !self.equal(a, b),
                    _ => self.at_most(a, b),
                }
            }
            Atom::False => Lit::FALSE,
        }
    }

    /// Instantiates a pattern of a body.
    ///
    /// A variable that occurs in no head is existential. The same rule application always uses the
    /// same fresh variable for it.
    fn place(&mut self, arg: Pattern, bound: &mut Bindings, rule: u32, heads: &[u32]) -> Term {
        let Some(var) = arg.var else { return Term::constant(arg.offset) };
        let term = match bound.get(var) {
            Some(term) => term,
            None => {
                let key = (rule, Box::from(heads), var);
                let known = self.store.skolems.get(&key).copied();
                let term = known.unwrap_or_else(|| {
                    let term = self.fresh();
                    self.store.skolems.insert(key, term);
                    term
                });
                bound.set(var, term);
                term
            }
        };
        term + arg.offset
    }
}
