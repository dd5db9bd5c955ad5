//! What formulas are made of: sorts of locations and what their cells hold, predicates with their definitions, and the names of it
//! all.

use crate::formula::{Formula, Fresh, LocationSort, PredicateId, Sort, Term, Variable};
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

/// A definition with more cases than this is kept as a formula only.
const MOST_CASES: usize = 1000;
