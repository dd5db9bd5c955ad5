//! Rules as data, and their textual form.

use std::fmt::Write as _;

/// A predicate symbol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Predicate(pub(crate) u32);

/// A variable of a rule plus a constant, or just a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pattern {
    /// The number of the variable; `None` for a constant.
    pub(crate) var: Option<u8>,
    pub(crate) offset: i64,
}

impl Pattern {
    /// Creates a variable. If it occurs in no head, it stands for a fresh value.
    pub const fn var(number: u8) -> Self {
        Self { var: Some(number), offset: 0 }
    }

    /// Creates a constant.
    pub const fn constant(value: i64) -> Self {
        Self { var: None, offset: value }
    }

    /// Adds a constant to the pattern.
    pub const fn plus(self, offset: i64) -> Self {
        Self { var: self.var, offset: self.offset + offset }
    }
}

/// A literal in a head or a body of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Atom {
    /// A constraint that holds.
    Constraint(Predicate, Vec<Pattern>),
    /// A constraint that does not hold.
    Not(Predicate, Vec<Pattern>),
    /// The terms are equal; only in bodies.
    Equal(Pattern, Pattern),
    /// The terms differ; only in bodies.
    Differ(Pattern, Pattern),
    /// The first term is at most the second; only in bodies.
    AtMost(Pattern, Pattern),
    /// A contradiction; only in bodies.
    False,
}

impl Predicate {
    /// Creates a constraint of this predicate.
    pub fn of<const N: usize>(self, args: [Pattern; N]) -> Atom {
        Atom::Constraint(self, args.to_vec())
    }

    /// Creates the negation of a constraint of this predicate.
    pub fn not<const N: usize>(self, args: [Pattern; N]) -> Atom {
        Atom::Not(self, args.to_vec())
    }
}

/// A condition that must be entailed, not merely consistent, for a rule to apply.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Guard {
    /// The difference of the terms is known and within these bounds (inclusive).
    Between(Pattern, Pattern, i64, i64),
    /// The difference of the terms is known and one of these values.
    OneOf(Pattern, Pattern, Vec<i64>),
    /// The difference of the terms is known, within these bounds (inclusive), and none of these values.
    BetweenExcept(Pattern, Pattern, i64, i64, Vec<i64>),
}

/// A disjunction of conjunctions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Body(pub(crate) Vec<Vec<Atom>>);

impl Body {
    /// Creates a single conjunction.
    pub fn all(atoms: Vec<Atom>) -> Self {
        Body(vec![atoms])
    }

    /// Creates a disjunction; the search tries the conjunctions in this order.
    pub fn any(cases: Vec<Vec<Atom>>) -> Self {
        Body(cases)
    }

    /// Creates the body of a rule whose heads contradict each other.
    pub fn contradiction() -> Self {
        Body(Vec::new())
    }
}

/// A constraint handling rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    pub(crate) name: String,
    pub(crate) heads: Vec<Atom>,
    /// The number of heads, counted from the last, that are removed from the store.
    pub(crate) removed: usize,
    pub(crate) guards: Vec<Guard>,
    pub(crate) body: Body,
}

impl Rule {
    /// Creates the rule `heads ==> body`.
    pub fn propagation(name: &str, heads: Vec<Atom>, body: Body) -> Self {
        Self { name: name.to_owned(), heads, removed: 0, guards: Vec::new(), body }
    }

    /// Creates the rule `heads <=> body`.
    pub fn simplification(name: &str, heads: Vec<Atom>, body: Body) -> Self {
        let removed = heads.len();
        Self { name: name.to_owned(), heads, removed, guards: Vec::new(), body }
    }

    /// Creates the rule `kept \ removed <=> body`.
    pub fn simpagation(name: &str, kept: Vec<Atom>, removed: Vec<Atom>, body: Body) -> Self {
        let count = removed.len();
        let heads = kept.into_iter().chain(removed).collect();
        Self { name: name.to_owned(), heads, removed: count, guards: Vec::new(), body }
    }

    /// Adds a guard to the rule.
    #[must_use]
    pub fn when(mut self, guard: Guard) -> Self {
        self.guards.push(guard);
        self
    }
}

/// The declaration of a predicate.
#[derive(Clone, Debug)]
pub(crate) struct PredicateInfo {
    pub name: String,
    pub arity: usize,
    /// The index of an argument that is always a constant and serves as a lookup key.
    pub key: Option<usize>,
}

/// The predicates and rules of a theory.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    pub(crate) predicates: Vec<PredicateInfo>,
    pub(crate) rules: Vec<Rule>,
    /// For each predicate and sign, the rules and head positions that it can match.
    pub(crate) occurrences: Vec<[Vec<(u32, u8)>; 2]>,
}

impl Rules {
    /// Declares a predicate.
    ///
    /// `key` is the index of an argument that is a constant in every constraint; constraints are looked up by it.
    pub fn predicate(&mut self, name: &str, arity: usize, key: Option<usize>) -> Predicate {
        self.predicates.push(PredicateInfo { name: name.to_owned(), arity, key });
        self.occurrences.push([Vec::new(), Vec::new()]);
        Predicate(self.predicates.len() as u32 - 1)
    }

    /// Adds a rule; heads that are not constraints never match.
    pub fn add(&mut self, rule: Rule) {
        let number = self.rules.len() as u32;
        for (position, head) in rule.heads.iter().enumerate() {
            let (predicate, sign) = match head {
                Atom::Constraint(predicate, _) => (*predicate, 0),
                Atom::Not(predicate, _) => (*predicate, 1),
                _ => continue,
            };
            self.occurrences[predicate.0 as usize][sign].push((number, position as u8));
        }
        self.rules.push(rule);
    }

    /// Returns the number of arguments of a predicate.
    pub fn arity(&self, predicate: Predicate) -> usize {
        self.predicates[predicate.0 as usize].arity
    }

    /// Returns the name of a predicate.
    pub fn name(&self, predicate: Predicate) -> &str {
        &self.predicates[predicate.0 as usize].name
    }

    /// Prints the rules in the notation of constraint handling rules, one per line.
    pub fn print(&self) -> String {
        let mut out = String::new();
        for rule in &self.rules {
            self.print_rule(rule, &mut out);
        }
        out
    }

    fn print_rule(&self, rule: &Rule, out: &mut String) {
        let join = |atoms: &[Atom]| atoms.iter().map(|atom| self.atom(atom)).collect::<Vec<_>>().join(", ");
        let kept = &rule.heads[..rule.heads.len() - rule.removed];
        let removed = &rule.heads[rule.heads.len() - rule.removed..];
        let _ = write!(out, "{} @ {}", rule.name, join(kept));
        if removed.is_empty() {
            out.push_str(" ==> ");
        } else {
            let _ = write!(out, "{}{} <=> ", if kept.is_empty() { "" } else { " \\ " }, join(removed));
        }
        if !rule.guards.is_empty() {
            let guards: Vec<String> = rule.guards.iter().map(guard).collect();
            let _ = write!(out, "{} | ", guards.join(", "));
        }
        let cases: Vec<String> = match rule.body.0.as_slice() {
            [] => vec!["false".to_owned()],
            [one] if one.is_empty() => vec!["true".to_owned()],
            [one] => vec![join(one)],
            many => many.iter().map(|case| format!("({})", join(case))).collect(),
        };
        let _ = writeln!(out, "{}.", cases.join(" ; "));
    }

    fn atom(&self, atom: &Atom) -> String {
        let constraint = |predicate: &Predicate, args: &[Pattern]| {
            let args: Vec<String> = args.iter().map(|&arg| pattern(arg)).collect();
            format!("{}({})", self.name(*predicate), args.join(", "))
        };
        match atom {
            Atom::Constraint(predicate, args) => constraint(predicate, args),
            Atom::Not(predicate, args) => format!("not {}", constraint(predicate, args)),
            Atom::Equal(a, b) => format!("{} = {}", pattern(*a), pattern(*b)),
            Atom::Differ(a, b) => format!("{} != {}", pattern(*a), pattern(*b)),
            Atom::AtMost(a, b) => format!("{} <= {}", pattern(*a), pattern(*b)),
            Atom::False => "false".to_owned(),
        }
    }
}

fn pattern(pattern: Pattern) -> String {
    const NAMES: [&str; 10] = ["P", "V", "F", "G", "Q", "W", "A", "B", "S", "T"];
    let Some(var) = pattern.var else { return pattern.offset.to_string() };
    let name = NAMES.get(var as usize).map_or_else(|| format!("X{var}"), |name| (*name).to_owned());
    match pattern.offset {
        0 => name,
        offset if offset < 0 => format!("{name}-{}", -offset),
        offset => format!("{name}+{offset}"),
    }
}

fn guard(guard: &Guard) -> String {
    match guard {
        Guard::Between(a, b, i64::MIN, high) => format!("{} <= {}", pattern(*a), pattern(b.plus(*high))),
        Guard::Between(a, b, low, high) => format!("{}-{} in {low}..{high}", pattern(*a), pattern(*b)),
        Guard::OneOf(a, b, values) => format!("{}-{} in {values:?}", pattern(*a), pattern(*b)),
        Guard::BetweenExcept(a, b, low, high, except) => {
            format!("{}-{} in {low}..{high} except {except:?}", pattern(*a), pattern(*b))
        }
    }
}
