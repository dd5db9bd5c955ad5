//! Symbolic heaps whose terms are densely numbered variables, the representation of this folder.
//!
//! The first variables are the nils, one for each sort of locations. Nil therefore needs no special
//! treatment, except that it is never bound, allocated or replaced. A compound integer term becomes
//! a variable with an equation.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::arithmetic::{Constraint, Row};
use crate::formula::{Linear, Pure, Sort, Spatial, Term, Variable};
use crate::limits;
use crate::signature::Signature;
use crate::symbolic_heap::SymbolicHeap;

/// A variable, or the nil of a sort of locations.
pub type Var = u32;

/// The domain of a variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// Locations of a sort.
    Location(u32),
    /// Integers.
    Integer,
}

/// A cell with its fields.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell {
    pub root: Var,
    pub fields: Vec<Var>,
}

/// A predicate with its arguments.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Call {
    pub predicate: usize,
    pub arguments: Vec<Var>,
}

/// A symbolic heap.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Flat {
    /// Pairs of equal locations.
    pub equal: Vec<(Var, Var)>,
    /// Pairs of distinct locations.
    pub distinct: Vec<(Var, Var)>,
    /// The integer constraints.
    pub numbers: Vec<Constraint>,
    pub cells: Vec<Cell>,
    pub calls: Vec<Call>,
    /// Whether the heap may contain more cells.
    pub rest: bool,
}

/// A case of a definition. Its variables are the nils, the parameters and then its locals.
#[derive(Clone, Debug)]
pub struct Case {
    /// The kinds of the local variables.
    pub locals: Vec<Kind>,
    pub heap: Flat,
}

/// The definition of a predicate.
#[derive(Clone, Debug)]
pub struct Definition {
    pub parameters: Vec<Kind>,
    pub cases: Vec<Case>,
}

/// All definitions of a problem.
#[derive(Clone, Debug, Default)]
pub struct Definitions {
    /// The number of nils, which is the number of location sorts.
    pub nils: u32,
    pub predicates: Vec<Definition>,
}

/// The kinds of all variables.
#[derive(Clone, Debug)]
pub struct Variables {
    kinds: Vec<Kind>,
}

impl Variables {
    /// Creates the nils.
    pub fn new(nils: u32) -> Self {
        Self { kinds: (0..nils).map(Kind::Location).collect() }
    }

    /// Creates a fresh variable.
    pub fn fresh(&mut self, kind: Kind) -> Var {
        self.kinds.push(kind);
        self.kinds.len() as Var - 1
    }

    /// Returns the kind of a variable.
    pub fn kind(&self, var: Var) -> Kind {
        self.kinds[var as usize]
    }

    /// Returns the number of variables, including the nils.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }
}

impl Flat {
    /// Renames every variable; returns `None` on overflow.
    pub fn renamed(&self, mut rename: impl FnMut(Var) -> Var) -> Option<Flat> {
        let mut pairs = |list: &[(Var, Var)]| list.iter().map(|&(a, b)| (rename(a), rename(b))).collect();
        let equal = pairs(&self.equal);
        let distinct = pairs(&self.distinct);
        Some(Flat {
            equal,
            distinct,
            numbers: self.numbers.iter().map(|c| c.renamed(&mut rename)).collect::<Option<_>>()?,
            cells: self
                .cells
                .iter()
                .map(|c| Cell { root: rename(c.root), fields: c.fields.iter().map(|&f| rename(f)).collect() })
                .collect(),
            calls: self
                .calls
                .iter()
                .map(|c| Call { predicate: c.predicate, arguments: c.arguments.iter().map(|&a| rename(a)).collect() })
                .collect(),
            rest: self.rest,
        })
    }

    /// Forms the separating conjunction with another heap.
    pub fn append(&mut self, other: Flat) {
        self.equal.extend(other.equal);
        self.distinct.extend(other.distinct);
        self.numbers.extend(other.numbers);
        self.cells.extend(other.cells);
        self.calls.extend(other.calls);
        self.rest |= other.rest;
    }

    /// Calls the function for every variable occurrence.
    pub fn each_variable(&self, mut f: impl FnMut(Var)) {
        for &(a, b) in self.equal.iter().chain(&self.distinct) {
            f(a);
            f(b);
        }
        for &(u, _) in self.numbers.iter().flat_map(|c| &c.row.terms) {
            f(u);
        }
        self.each_spatial_variable(f);
    }

    /// Calls the function for every variable occurrence in a cell or a call.
    pub fn each_spatial_variable(&self, mut f: impl FnMut(Var)) {
        for cell in &self.cells {
            f(cell.root);
            cell.fields.iter().copied().for_each(&mut f);
        }
        self.calls.iter().flat_map(|c| &c.arguments).copied().for_each(&mut f);
    }

    /// Returns whether there are neither cells nor calls.
    pub fn has_no_heap(&self) -> bool {
        self.cells.is_empty() && self.calls.is_empty()
    }
}

impl Definitions {
    /// Instantiates a case with the arguments of a call and fresh locals; also returns the locals.
    pub fn unfold(&self, call: &Call, case: usize, variables: &mut Variables) -> Option<(Flat, Vec<Var>)> {
        let definition = &self.predicates[call.predicate];
        let case = &definition.cases[case];
        let first = variables.len() as Var;
        for &kind in &case.locals {
            variables.fresh(kind);
        }
        let parameters = self.nils + definition.parameters.len() as Var;
        let nils = self.nils;
        let flat = case.heap.renamed(|v| match v {
            v if v < nils => v,
            v if v < parameters => call.arguments[(v - nils) as usize],
            v => first + (v - parameters),
        })?;
        Some((flat, (first..variables.len() as Var).collect()))
    }
}

/// A translation of symbolic heaps to the flat representation.
pub struct Translation {
    pub variables: Variables,
    map: FxHashMap<u32, Var>,
}

impl Translation {
    pub fn new(nils: u32) -> Self {
        Self { variables: Variables::new(nils), map: FxHashMap::default() }
    }

    fn kind(sort: Sort) -> Kind {
        match sort {
            Sort::Location(sort) => Kind::Location(sort.0),
            // Heaps with truth values are not translated.
            Sort::Int | Sort::Bool => Kind::Integer,
        }
    }

    /// Returns the number of a variable, and assigns one if it has none.
    pub fn variable(&mut self, variable: Variable) -> Var {
        let variables = &mut self.variables;
        *self.map.entry(variable.number).or_insert_with(|| variables.fresh(Self::kind(variable.sort)))
    }

    /// Returns all translated variables with their original numbers.
    pub fn translated(&self) -> impl Iterator<Item = (u32, Var)> + '_ {
        self.map.iter().map(|(&number, &var)| (number, var))
    }

    fn row(&mut self, linear: &Linear) -> Option<Row> {
        let mut row = Row::number(linear.constant.into());
        for &(variable, coefficient) in &linear.monomials {
            row = row.plus(&Row::unknown(self.variable(variable)), coefficient.into())?;
        }
        Some(row)
    }

    fn term(&mut self, term: &Term, flat: &mut Flat) -> Option<Var> {
        Some(match term {
            Term::Nil(sort) => sort.0,
            Term::Variable(variable) => self.variable(*variable),
            Term::Integer(linear) => match linear.as_variable() {
                Some(variable) => self.variable(variable),
                None => {
                    let row = self.row(linear)?;
                    let var = self.variables.fresh(Kind::Integer);
                    flat.numbers.push(Constraint::zero(row.plus(&Row::unknown(var), -1)?));
                    var
                }
            },
        })
    }

    /// Translates a heap; returns `None` on overflow. Compound integer terms get additional variables.
    pub fn heap(&mut self, heap: &SymbolicHeap) -> Option<Flat> {
        let mut flat = Flat { rest: heap.rest, ..Flat::default() };
        for pure in &heap.pure {
            match pure {
                Pure::Equal(a, b) => {
                    let pair = (self.term(a, &mut flat)?, self.term(b, &mut flat)?);
                    match self.variables.kind(pair.0) {
                        Kind::Location(_) => flat.equal.push(pair),
                        Kind::Integer => flat.numbers.push(Constraint::zero(Row::difference(pair.0, pair.1))),
                    }
                }
                Pure::Distinct(a, b) => {
                    let pair = (self.term(a, &mut flat)?, self.term(b, &mut flat)?);
                    match self.variables.kind(pair.0) {
                        Kind::Location(_) => flat.distinct.push(pair),
                        Kind::Integer => flat.numbers.push(Constraint::non_zero(Row::difference(pair.0, pair.1))),
                    }
                }
                Pure::Zero(linear) => flat.numbers.push(Constraint::zero(self.row(linear)?)),
                Pure::NonZero(linear) => flat.numbers.push(Constraint::non_zero(self.row(linear)?)),
                Pure::AtMostZero(linear) => flat.numbers.push(Constraint::at_least_zero(self.row(linear)?.times(-1)?)),
                // Heaps with truth values are rejected earlier.
                Pure::Truth(..) => return None,
            }
        }
        for spatial in &heap.spatial {
            match spatial {
                Spatial::PointsTo(root, fields) => {
                    let root = self.term(root, &mut flat)?;
                    let fields = fields.iter().map(|f| self.term(f, &mut flat)).collect::<Option<_>>()?;
                    flat.cells.push(Cell { root, fields });
                }
                Spatial::Predicate(predicate, arguments) => {
                    let arguments = arguments.iter().map(|a| self.term(a, &mut flat)).collect::<Option<_>>()?;
                    flat.calls.push(Call { predicate: predicate.0 as usize, arguments });
                }
            }
        }
        Some(flat)
    }
}

/// Translates the definitions that the given predicates need, or returns why they are not supported.
pub fn definitions(signature: &Signature, needed: impl IntoIterator<Item = usize>) -> Result<Definitions, String> {
    let nils = signature.location_sorts().count() as u32;
    let mut result = Definitions { nils, predicates: Vec::new() };
    let all: Vec<_> = signature.predicates().map(|(_, p)| p).collect();
    for predicate in &all {
        let parameters = predicate.parameters.iter().map(|v| Translation::kind(v.sort)).collect();
        result.predicates.push(Definition { parameters, cases: Vec::new() });
    }
    let mut todo: Vec<usize> = needed.into_iter().collect();
    let mut seen = vec![false; all.len()];
    while let Some(index) = todo.pop() {
        if std::mem::replace(&mut seen[index], true) {
            continue;
        }
        let predicate = all[index];
        let cases = predicate.cases.as_ref().map_err(|why| format!("`{}`: {why}", predicate.name))?;
        for case in cases {
            let mut truth_values = predicate.parameters.iter().chain(&case.existentials).any(|v| v.sort == Sort::Bool);
            case.each_variable(&mut |v| truth_values |= v.sort == Sort::Bool);
            if truth_values {
                return Err(format!("`{}` is about truth values", predicate.name));
            }
            if case.rest {
                return Err(format!("a case of `{}` says nothing about the heap", predicate.name));
            }
            let mut translation = Translation::new(nils);
            for &parameter in &predicate.parameters {
                translation.variable(parameter);
            }
            let own = translation.variables.len();
            for &local in &case.existentials {
                translation.variable(local);
            }
            let heap = translation.heap(case).ok_or("a number is too large")?;
            todo.extend(heap.calls.iter().map(|c| c.predicate));
            let locals = translation.variables.kinds[own..].to_vec();
            if let Some(case) = tidy(Case { locals, heap }, nils + predicate.parameters.len() as u32) {
                result.predicates[index].cases.push(case);
            }
        }
    }
    result.inline();
    Ok(result)
}

impl Definitions {
    /// Returns for each predicate the predicates that its unfoldings can call.
    pub fn reachable(&self) -> Vec<FxHashSet<usize>> {
        let mut reaches = vec![FxHashSet::default(); self.predicates.len()];
        for (start, reached) in reaches.iter_mut().enumerate() {
            let mut todo = vec![start];
            while let Some(predicate) = todo.pop() {
                for call in self.predicates[predicate].cases.iter().flat_map(|c| &c.heap.calls) {
                    if reached.insert(call.predicate) {
                        todo.push(call.predicate);
                    }
                }
            }
        }
        reaches
    }

    /// Inlines non-recursive predicates with a single case.
    fn inline(&mut self) {
        let reaches = self.reachable();
        let plain: Vec<bool> = (0..self.predicates.len())
            .map(|p| self.predicates[p].cases.len() == 1 && !reaches[p].contains(&p))
            .collect();
        for index in 0..self.predicates.len() {
            let fixed = self.nils + self.predicates[index].parameters.len() as u32;
            let mut cases = Vec::new();
            for case in &self.predicates[index].cases {
                let mut variables = Variables::new(self.nils);
                variables.kinds.extend(&self.predicates[index].parameters);
                variables.kinds.extend(&case.locals);
                let Some(heap) = self.inlined(case.heap.clone(), &plain, &mut variables) else {
                    cases.push(case.clone());
                    continue;
                };
                let locals = variables.kinds[fixed as usize..].to_vec();
                cases.extend(tidy(Case { locals, heap }, fixed));
            }
            self.predicates[index].cases = cases;
        }
    }

    /// Inlines the marked predicates in a heap; returns `None` if it grows too large.
    fn inlined(&self, mut heap: Flat, plain: &[bool], variables: &mut Variables) -> Option<Flat> {
        while let Some(place) = heap.calls.iter().position(|c| plain[c.predicate]) {
            if heap.cells.len() + heap.calls.len() > limits::MAX_INLINED_ATOMS {
                return None;
            }
            let call = heap.calls.remove(place);
            heap.append(self.unfold(&call, 0, variables)?.0);
        }
        Some(heap)
    }
}

/// Substitutes locals with a known value and drops unused ones; returns `None` if the case is impossible.
fn tidy(case: Case, fixed: u32) -> Option<Case> {
    let total = fixed + case.locals.len() as u32;
    let mut parent: Vec<Var> = (0..total).collect();
    fn find(parent: &[Var], mut v: Var) -> Var {
        while parent[v as usize] != v {
            v = parent[v as usize];
        }
        v
    }
    let mut kept = Vec::new();
    for &(a, b) in &case.heap.equal {
        let (a, b) = (find(&parent, a), find(&parent, b));
        if a == b {
            continue;
        }
        let (low, high) = (a.min(b), a.max(b));
        if high >= fixed {
            parent[high as usize] = low;
        } else {
            kept.push((low, high));
        }
    }
    for constraint in &case.heap.numbers {
        // An equality between integers, one of which is local to the case.
        let row = &constraint.row;
        if constraint.relation == crate::arithmetic::Relation::Zero
            && row.constant == 0
            && let [(a, p), (b, q)] = row.terms[..]
            && p + q == 0
            && p.abs() == 1
        {
            let (a, b) = (find(&parent, a), find(&parent, b));
            let (low, high) = (a.min(b), a.max(b));
            if high >= fixed && low != high {
                parent[high as usize] = low;
            }
        }
    }
    let mut heap = case.heap.renamed(|v| find(&parent, v))?;
    heap.equal = kept;
    heap.numbers.retain(|c| !c.row.terms.is_empty() || c.holds(&|_| 0) != Some(true));
    if heap.numbers.iter().any(|c| c.row.terms.is_empty()) || heap.distinct.iter().any(|(a, b)| a == b) {
        return None;
    }
    let mut used = vec![false; total as usize];
    heap.each_variable(|v| used[v as usize] = true);
    let mut number: Vec<Var> = (0..total).collect();
    let mut locals = Vec::new();
    for v in fixed..total {
        if used[v as usize] {
            number[v as usize] = fixed + locals.len() as u32;
            locals.push(case.locals[(v - fixed) as usize]);
        }
    }
    Some(Case { locals, heap: heap.renamed(|v| number[v as usize])? })
}
