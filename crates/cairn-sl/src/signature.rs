//! What formulas are made of: sorts of locations and what their cells hold, predicates with their definitions, and the names of it
//! all.

use crate::formula::{Formula, Fresh, LocationSort, PredicateId, Pure, Sort, Term, Variable};
use crate::symbolic_heap::SymbolicHeap;

/// The names and types of a problem.
#[derive(Clone, Debug, Default)]
pub struct Signature {
    locations: Vec<Locations>,
    predicates: Vec<Predicate>,
    variables: Vec<(String, Sort)>,
}

/// A sort of locations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Locations {
    /// The sort's name.
    pub name: String,
    /// What a cell holds, where the heap has cells of this sort.
    pub cell: Option<Cell>,
}

/// What a cell holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    /// The record's name and that of its constructor; none where the cell holds a bare value.
    pub record: Option<(String, String)>,
    /// The fields, flat.
    pub fields: Vec<Field>,
}

/// A field of a cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its sort.
    pub sort: Sort,
}

/// An inductive predicate.
#[derive(Clone, Debug)]
pub struct Predicate {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub parameters: Vec<Variable>,
    /// Its definition: the least relation with `name(parameters) = body`.
    pub body: Formula,
    /// The definition as cases, where it is a disjunction of symbolic heaps; else the reason why not.
    pub cases: Result<Vec<SymbolicHeap>, String>,
}

impl Predicate {
    /// The cases of a definition that has cases.
    pub fn cases(&self) -> &[SymbolicHeap] {
        self.cases.as_deref().unwrap_or(&[])
    }
}

impl Signature {
    /// Nothing but the built-in sorts.
    pub fn new() -> Self {
        Self::default()
    }

    /// A new sort of locations.
    pub fn add_locations(&mut self, name: &str) -> LocationSort {
        let sort = LocationSort(self.locations.len() as u32);
        self.locations.push(Locations { name: name.to_owned(), cell: None });
        sort
    }

    /// Says what cells at these locations hold.
    pub fn set_cell(&mut self, sort: LocationSort, cell: Cell) {
        self.locations[sort.0 as usize].cell = Some(cell);
    }

    /// A sort of locations whose cells have these fields: what most callers want.
    pub fn add_record(&mut self, name: &str, fields: impl FnOnce(LocationSort) -> Vec<(String, Sort)>) -> LocationSort {
        let sort = self.add_locations(name);
        let fields = fields(sort).into_iter().map(|(name, sort)| Field { name, sort }).collect();
        let record = Some((format!("{name}_cell"), format!("{name}_record")));
        self.set_cell(sort, Cell { record, fields });
        sort
    }

    /// What there is to know about a sort of locations.
    pub fn locations(&self, sort: LocationSort) -> &Locations {
        &self.locations[sort.0 as usize]
    }

    /// All sorts of locations.
    pub fn location_sorts(&self) -> impl Iterator<Item = (LocationSort, &Locations)> {
        self.locations.iter().enumerate().map(|(i, l)| (LocationSort(i as u32), l))
    }

    /// The fields of the cell at a location.
    pub fn fields(&self, sort: LocationSort) -> &[Field] {
        self.locations(sort).cell.as_ref().map_or(&[], |cell| &cell.fields)
    }

    /// A new variable with a name, which need not be unique.
    pub fn variable(&mut self, name: &str, sort: Sort) -> Variable {
        let number = self.variables.len() as u32;
        self.variables.push((name.to_owned(), sort));
        Variable { number, sort }
    }

    /// The name of a variable; one made by a procedure has none.
    pub fn variable_name(&self, variable: Variable) -> Option<&str> {
        self.variables.get(variable.number as usize).map(|(name, _)| name.as_str())
    }

    /// How many variables have names.
    pub fn variable_count(&self) -> u32 {
        self.variables.len() as u32
    }

    /// Makes variables that the signature does not know.
    pub fn fresh(&self) -> Fresh {
        Fresh::starting_at(self.variables.len() as u32)
    }

    /// Declares a predicate whose definition follows with [`Self::define`]: definitions may be mutually recursive.
    pub fn declare_predicate(&mut self, name: &str, parameters: Vec<Variable>) -> PredicateId {
        let id = PredicateId(self.predicates.len() as u32);
        let cases = Ok(Vec::new());
        self.predicates.push(Predicate { name: name.to_owned(), parameters, body: Formula::False, cases });
        id
    }

    /// Defines a predicate that was declared. The body has no free variables but the parameters.
    pub fn define(&mut self, id: PredicateId, body: Formula) {
        let cases = SymbolicHeap::disjuncts(&body, MOST_CASES);
        let predicate = &mut self.predicates[id.0 as usize];
        predicate.body = body;
        predicate.cases = cases;
    }

    /// Defines the acyclic list segment through a field: `name(x, y)` is the cells from `x` up to `y`, which is none of them.
    pub fn add_list_segment(&mut self, name: &str, sort: LocationSort, next: usize) -> PredicateId {
        let location = Sort::Location(sort);
        let [from, to] = ["from", "to"].map(|name| self.variable(name, location));
        let (bound, values) = self.field_variables(sort);
        let id = self.declare_predicate(name, vec![from, to]);
        let [x, y] = [from, to].map(Term::variable);
        let empty = Formula::and([equal(&x, &y), Formula::Emp]);
        let rest = Formula::predicate(id, vec![values[next].clone(), y.clone()]);
        let cell = Formula::points_to(x.clone(), values);
        let more = Formula::and([distinct(&x, &y), Formula::sep([cell, rest])]);
        self.define(id, Formula::or([empty, Formula::Exists(bound, Box::new(more))]));
        id
    }

    /// Defines the doubly linked segment `name(first, last, before, after)`: with what is before its first cell and what is after
    /// its last one.
    pub fn add_doubly_linked_segment(
        &mut self,
        name: &str,
        sort: LocationSort,
        next: usize,
        previous: usize,
    ) -> PredicateId {
        let location = Sort::Location(sort);
        let parameters = ["first", "last", "before", "after"].map(|name| self.variable(name, location));
        let (mut bound, mut values) = self.field_variables(sort);
        let id = self.declare_predicate(name, parameters.to_vec());
        let [first, last, before, after] = parameters.map(Term::variable);
        let empty = Formula::and([equal(&first, &after), equal(&last, &before), Formula::Emp]);
        bound.remove(previous);
        values[previous] = before.clone();
        let rest = Formula::predicate(id, vec![values[next].clone(), last.clone(), first.clone(), after.clone()]);
        let cell = Formula::points_to(first.clone(), values);
        let more = Formula::and([distinct(&first, &after), distinct(&last, &before), Formula::sep([cell, rest])]);
        self.define(id, Formula::or([empty, Formula::Exists(bound, Box::new(more))]));
        id
    }

    /// Defines the list of lists `name(x, y, end)`: cells linked through `next` up to `y`, each with a segment of the inner
    /// predicate from its field `down` to `end`.
    pub fn add_nested_segment(
        &mut self,
        name: &str,
        sort: LocationSort,
        next: usize,
        down: usize,
        inner: PredicateId,
    ) -> PredicateId {
        let location = Sort::Location(sort);
        let [from, to] = ["from", "to"].map(|name| self.variable(name, location));
        let end = self.variable("end", self.fields(sort)[down].sort);
        let (bound, values) = self.field_variables(sort);
        let id = self.declare_predicate(name, vec![from, to, end]);
        let [x, y, end] = [from, to, end].map(Term::variable);
        let empty = Formula::and([equal(&x, &y), Formula::Emp]);
        let below = Formula::predicate(inner, vec![values[down].clone(), end.clone()]);
        let rest = Formula::predicate(id, vec![values[next].clone(), y.clone(), end]);
        let cell = Formula::points_to(x.clone(), values);
        let more = Formula::and([distinct(&x, &y), Formula::sep([cell, below, rest])]);
        self.define(id, Formula::or([empty, Formula::Exists(bound, Box::new(more))]));
        id
    }

    /// A variable for each field of a cell, and the same as terms.
    fn field_variables(&mut self, sort: LocationSort) -> (Vec<Variable>, Vec<Term>) {
        let fields = self.fields(sort).to_vec();
        let variables: Vec<Variable> = fields.iter().map(|field| self.variable(&field.name, field.sort)).collect();
        let terms = variables.iter().copied().map(Term::variable).collect();
        (variables, terms)
    }

    /// A predicate.
    pub fn predicate(&self, id: PredicateId) -> &Predicate {
        &self.predicates[id.0 as usize]
    }

    /// All predicates.
    pub fn predicates(&self) -> impl Iterator<Item = (PredicateId, &Predicate)> {
        self.predicates.iter().enumerate().map(|(i, p)| (PredicateId(i as u32), p))
    }

    /// The predicate of this name that was declared last.
    pub fn predicate_named(&self, name: &str) -> Option<PredicateId> {
        self.predicates.iter().rposition(|p| p.name == name).map(|i| PredicateId(i as u32))
    }

    /// The cases of a predicate for these arguments, with bound variables of their own; `None` when a number in it leaves the
    /// range or the definition has no cases.
    pub fn unfold(&self, id: PredicateId, arguments: &[Term], fresh: &mut Fresh) -> Option<Vec<SymbolicHeap>> {
        let predicate = self.predicate(id);
        let cases = predicate.cases.as_ref().ok()?;
        cases.iter().map(|case| case.instantiate(&predicate.parameters, arguments, fresh)).collect()
    }
}

fn equal(a: &Term, b: &Term) -> Formula {
    Formula::Pure(Pure::Equal(a.clone(), b.clone()))
}

fn distinct(a: &Term, b: &Term) -> Formula {
    Formula::Pure(Pure::Distinct(a.clone(), b.clone()))
}

/// A definition with more cases than this is kept as a formula only.
const MOST_CASES: usize = 1000;
