//! Signatures: location sorts with their cell types, predicate definitions, and all names.

use crate::formula::{Formula, Fresh, LocationSort, PredicateId, Pure, Sort, Term, Variable};
use crate::limits;
use crate::symbolic_heap::SymbolicHeap;

/// The declarations of a problem.
#[derive(Clone, Debug, Default)]
pub struct Signature {
    locations: Vec<Locations>,
    predicates: Vec<Predicate>,
    variables: Vec<(String, Sort)>,
}

/// A sort of locations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Locations {
    /// The name of the sort.
    pub name: String,
    /// The contents of a cell, if the heap has cells of this sort.
    pub cell: Option<Cell>,
}

/// The contents of a cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    /// The names of the record and its constructor; `None` for a cell that holds a bare value.
    pub record: Option<(String, String)>,
    /// The flattened fields.
    pub fields: Vec<Field>,
}

/// A field of a cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// The name of the field.
    pub name: String,
    /// The sort of the field.
    pub sort: Sort,
}

/// An inductive predicate.
#[derive(Clone, Debug)]
pub struct Predicate {
    /// The name of the predicate.
    pub name: String,
    /// The parameters.
    pub parameters: Vec<Variable>,
    /// The definition: the predicate is the least relation with `name(parameters) = body`.
    pub body: Formula,
    /// The definition as a disjunction of symbolic heaps, or the reason why it is not one.
    pub cases: Result<Vec<SymbolicHeap>, String>,
}

impl Predicate {
    /// Returns the cases of the definition, or nothing if it is not a disjunction of symbolic heaps.
    pub fn cases(&self) -> &[SymbolicHeap] {
        self.cases.as_deref().unwrap_or(&[])
    }
}

impl Signature {
    /// Creates an empty signature.
    pub fn new() -> Self {
        Self::default()
    }

    /// Declares a sort of locations.
    pub fn add_locations(&mut self, name: &str) -> LocationSort {
        let sort = LocationSort(self.locations.len() as u32);
        self.locations.push(Locations { name: name.to_owned(), cell: None });
        sort
    }

    /// Sets the cell type of a sort of locations.
    pub fn set_cell(&mut self, sort: LocationSort, cell: Cell) {
        self.locations[sort.0 as usize].cell = Some(cell);
    }

    /// Declares a sort of locations together with the fields of its cells.
    pub fn add_record(&mut self, name: &str, fields: impl FnOnce(LocationSort) -> Vec<(String, Sort)>) -> LocationSort {
        let sort = self.add_locations(name);
        let fields = fields(sort).into_iter().map(|(name, sort)| Field { name, sort }).collect();
        let record = Some((format!("{name}_cell"), format!("{name}_record")));
        self.set_cell(sort, Cell { record, fields });
        sort
    }

    /// Returns the declaration of a sort of locations.
    pub fn locations(&self, sort: LocationSort) -> &Locations {
        &self.locations[sort.0 as usize]
    }

    /// Returns all sorts of locations.
    pub fn location_sorts(&self) -> impl Iterator<Item = (LocationSort, &Locations)> {
        self.locations.iter().enumerate().map(|(i, l)| (LocationSort(i as u32), l))
    }

    /// Returns the fields of the cells of a sort; empty if the sort has no cells.
    pub fn fields(&self, sort: LocationSort) -> &[Field] {
        self.locations(sort).cell.as_ref().map_or(&[], |cell| &cell.fields)
    }

    /// Declares a variable; its name need not be unique.
    pub fn variable(&mut self, name: &str, sort: Sort) -> Variable {
        let number = self.variables.len() as u32;
        self.variables.push((name.to_owned(), sort));
        Variable { number, sort }
    }

    /// Returns the name of a variable, or `None` if a procedure generated it.
    pub fn variable_name(&self, variable: Variable) -> Option<&str> {
        self.variables.get(variable.number as usize).map(|(name, _)| name.as_str())
    }

    /// Returns the number of named variables.
    pub fn variable_count(&self) -> u32 {
        self.variables.len() as u32
    }

    /// Returns a generator of variables that the signature does not contain.
    pub fn fresh(&self) -> Fresh {
        Fresh::starting_at(self.variables.len() as u32)
    }

    /// Declares a predicate to be defined later with [`Self::define`].
    ///
    /// Declaring first permits mutually recursive definitions.
    pub fn declare_predicate(&mut self, name: &str, parameters: Vec<Variable>) -> PredicateId {
        let id = PredicateId(self.predicates.len() as u32);
        let cases = Ok(Vec::new());
        self.predicates.push(Predicate { name: name.to_owned(), parameters, body: Formula::False, cases });
        id
    }

    /// Defines a declared predicate; the free variables of the body must be its parameters.
    pub fn define(&mut self, id: PredicateId, body: Formula) {
        let cases = SymbolicHeap::disjuncts(&body, limits::MAX_CASES);
        let predicate = &mut self.predicates[id.0 as usize];
        predicate.body = body;
        predicate.cases = cases;
    }

    /// Defines the acyclic list segment `name(x, y)` over the field `next`.
    ///
    /// It describes the cells from `x` up to, but excluding, `y`; no cell of the segment is at `y`.
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

    /// Defines the doubly linked list segment `name(first, last, before, after)`.
    ///
    /// `before` precedes the first cell and `after` follows the last cell.
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

    /// Defines the nested list segment `name(x, y, end)`.
    ///
    /// It describes cells linked through `next` up to `y`, each with a segment of the inner
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

    /// Declares a variable for each field of a cell, and returns the variables and their terms.
    fn field_variables(&mut self, sort: LocationSort) -> (Vec<Variable>, Vec<Term>) {
        let fields = self.fields(sort).to_vec();
        let variables: Vec<Variable> = fields.iter().map(|field| self.variable(&field.name, field.sort)).collect();
        let terms = variables.iter().copied().map(Term::variable).collect();
        (variables, terms)
    }

    /// Returns a predicate.
    pub fn predicate(&self, id: PredicateId) -> &Predicate {
        &self.predicates[id.0 as usize]
    }

    /// Returns all predicates.
    pub fn predicates(&self) -> impl Iterator<Item = (PredicateId, &Predicate)> {
        self.predicates.iter().enumerate().map(|(i, p)| (PredicateId(i as u32), p))
    }

    /// Returns the last declared predicate of this name.
    pub fn predicate_named(&self, name: &str) -> Option<PredicateId> {
        self.predicates.iter().rposition(|p| p.name == name).map(|i| PredicateId(i as u32))
    }

    /// Instantiates the cases of a predicate with arguments and fresh existential variables.
    ///
    /// Returns `None` on overflow or if the definition is not a disjunction of symbolic heaps.
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
