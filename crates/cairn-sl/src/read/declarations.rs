//! The declarations of a file: sorts, records, constants, predicates and macros.

use rustc_hash::FxHashMap;

use super::ReadError;
use super::commands::{Scope, exactly};
use super::expression::Expression;
use crate::formula::{Formula, Linear, LocationSort, PredicateId, Pure, Sort, Term, Variable};
use crate::signature::Signature;

/// A sort as written in files, where records are not flattened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Type {
    Bool,
    Int,
    Location(LocationSort),
    Record(usize),
}

/// A datatype with one constructor.
#[derive(Clone, Default, Debug)]
pub(super) struct Record {
    pub(super) name: String,
    constructor: String,
    pub(super) fields: Vec<(String, Type)>,
}

/// A macro: a non-recursive function that is replaced by its body.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    pub(super) parameters: Vec<(String, Type)>,
    pub(super) result: Type,
    pub(super) body: Expression,
}

/// The value of an expression.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Formula(Formula),
    Term(Term),
    Record(usize, Vec<Value>),
}

/// The meaning of a global name.
#[derive(Clone, Debug)]
pub(super) enum Global {
    Constant(Value),
    Predicate(PredicateId),
    Macro(usize),
    Constructor(usize),
    Selector(usize, usize),
}

#[derive(Default)]
pub(super) struct Reader {
    pub(super) signature: Signature,
    pub(super) constants: Vec<Variable>,
    pub(super) types: FxHashMap<String, Type>,
    pub(super) records: Vec<Record>,
    pub(super) globals: FxHashMap<String, Global>,
    pub(super) macros: Vec<Definition>,
    /// The parameters of predicates before records are flattened.
    pub(super) predicate_types: FxHashMap<PredicateId, Vec<(String, Type)>>,
    /// The number of expressions read so far; limits the expansion of macros.
    pub(super) work: u64,
    pub(super) depth: u32,
}

impl Reader {
    pub(super) fn add_type(&mut self, name: &Expression, new: Type) -> Result<(), ReadError> {
        let symbol = name.symbol("the name of a sort")?;
        if matches!(symbol, "Bool" | "Int") || self.types.insert(symbol.to_owned(), new).is_some() {
            return Err(name.error(format!("there is a sort `{symbol}` already")));
        }
        Ok(())
    }

    pub(super) fn add_record(&mut self, name: String) -> usize {
        self.records.push(Record { name, ..Record::default() });
        self.records.len() - 1
    }

    pub(super) fn record_names(&self, record: usize) -> (String, String) {
        (self.records[record].name.clone(), self.records[record].constructor.clone())
    }

    pub(super) fn define_record(
        &mut self,
        name: &Expression,
        constructor: &Expression,
        fields: &[(&Expression, Type, &Expression)],
    ) -> Result<(), ReadError> {
        let Type::Record(record) = self.sort(name)? else { return Err(name.expected("a datatype")) };
        for (index, (selector, field, place)) in fields.iter().enumerate() {
            if let Type::Record(inner) = field
                && self.records[*inner].constructor.is_empty()
            {
                return Err(
                    place.error("a record can't be a part of itself: expected a sort of locations, `Int` or a record")
                );
            }
            let selector_name = selector.symbol("the name of a field")?.to_owned();
            self.records[record].fields.push((selector_name, *field));
            self.add_global(selector, Global::Selector(record, index))?;
        }
        self.records[record].constructor = constructor.symbol("the name of a constructor")?.to_owned();
        self.add_global(constructor, Global::Constructor(record))
    }

    /// Returns the flattened fields of a sort when stored in a cell.
    pub(super) fn flat_fields(&self, place: &Expression, data: Type) -> Result<Vec<(String, Sort)>, ReadError> {
        let mut fields = Vec::new();
        self.flatten(data, "value", &mut fields);
        if fields.iter().any(|(_, sort)| *sort == Sort::Bool) {
            return Err(place.error("truth values in cells are not supported"));
        }
        Ok(fields)
    }

    fn flatten(&self, data: Type, name: &str, fields: &mut Vec<(String, Sort)>) {
        match data {
            Type::Bool => fields.push((name.to_owned(), Sort::Bool)),
            Type::Int => fields.push((name.to_owned(), Sort::Int)),
            Type::Location(sort) => fields.push((name.to_owned(), Sort::Location(sort))),
            Type::Record(record) => {
                for (field, inner) in &self.records[record].fields {
                    self.flatten(*inner, field, fields);
                }
            }
        }
    }

    pub(super) fn sort(&self, expression: &Expression) -> Result<Type, ReadError> {
        let name = expression.symbol("the name of a sort")?;
        match name {
            "Bool" => Ok(Type::Bool),
            "Int" => Ok(Type::Int),
            _ => self.types.get(name).copied().ok_or_else(|| {
                expression.error(format!("there is no sort `{name}`: expected `Bool`, `Int` or one that was declared"))
            }),
        }
    }

    fn add_global(&mut self, name: &Expression, global: Global) -> Result<(), ReadError> {
        let symbol = name.symbol("a name")?;
        if RESERVED.contains(&symbol) {
            return Err(name.error(format!("`{symbol}` has a meaning of its own and can't be declared")));
        }
        if self.globals.insert(symbol.to_owned(), global).is_some() {
            return Err(name.error(format!("`{symbol}` was declared already")));
        }
        Ok(())
    }

    pub(super) fn declare_constant(&mut self, name: &Expression, sort: &Expression) -> Result<(), ReadError> {
        let symbol = name.symbol("a name")?;
        let sort = self.sort(sort)?;
        let mut variables = Vec::new();
        let value = self.variable(symbol, sort, &mut variables);
        self.constants.extend(variables);
        self.add_global(name, Global::Constant(value))
    }

    /// Declares a variable of a sort; a record sort has one variable per field.
    pub(super) fn variable(&mut self, name: &str, sort: Type, made: &mut Vec<Variable>) -> Value {
        let sort = match sort {
            Type::Record(record) => {
                let fields = self.records[record].fields.clone();
                let values = fields
                    .into_iter()
                    .map(|(field, sort)| self.variable(&format!("{name}.{field}"), sort, made))
                    .collect();
                return Value::Record(record, values);
            }
            Type::Bool => Sort::Bool,
            Type::Int => Sort::Int,
            Type::Location(sort) => Sort::Location(sort),
        };
        let variable = self.signature.variable(name, sort);
        made.push(variable);
        match sort {
            Sort::Bool => Value::Formula(Formula::Pure(Pure::Truth(variable, true))),
            _ => Value::Term(Term::variable(variable)),
        }
    }

    pub(super) fn define(&mut self, name: &Expression, definition: Definition) -> Result<(), ReadError> {
        self.macros.push(definition);
        let index = self.macros.len() - 1;
        // Read the body once with fresh parameters, to report its errors at the definition.
        let mut scope = Scope::default();
        let definition = self.macros[index].clone();
        for (parameter, sort) in &definition.parameters {
            let value = self.variable(parameter, *sort, &mut Vec::new());
            scope.insert(parameter.clone(), value);
        }
        let value = self.value(&definition.body, &scope)?;
        self.check_type(&definition.body, &value, definition.result)?;
        self.add_global(name, Global::Macro(index))
    }

    pub(super) fn declare_predicate(
        &mut self,
        name: &Expression,
        parameters: &Expression,
        sort: &Expression,
    ) -> Result<PredicateId, ReadError> {
        if self.sort(sort)? != Type::Bool {
            return Err(sort.expected("`Bool`: only predicates can be recursive"));
        }
        let symbol = name.symbol("the name of a predicate")?;
        let mut variables = Vec::new();
        let mut types = Vec::new();
        for parameter in parameters.list("a list of parameters such as `((x Loc))`")? {
            let items = parameter.list("a parameter such as `(x Loc)`")?;
            let [name, sort] = exactly(parameter, items, "a name and a sort")?;
            let name = name.symbol("the name of a parameter")?;
            let sort_read = self.sort(sort)?;
            self.variable(name, sort_read, &mut variables);
            if variables.iter().any(|v| v.sort == Sort::Bool) {
                return Err(sort.error("parameters of sort `Bool` are not supported"));
            }
            types.push((name.to_owned(), sort_read));
        }
        let id = self.signature.declare_predicate(symbol, variables);
        self.predicate_types.insert(id, types);
        self.add_global(name, Global::Predicate(id))?;
        Ok(id)
    }

    pub(super) fn define_predicate(&mut self, id: PredicateId, body: &Expression) -> Result<(), ReadError> {
        let parameters = self.signature.predicate(id).parameters.clone();
        let mut terms = parameters.into_iter().map(Term::variable);
        let mut scope = Scope::default();
        for (name, sort) in self.predicate_types[&id].clone() {
            let value = self.unflatten(sort, &mut terms);
            scope.insert(name, value);
        }
        let value = self.value(body, &scope)?;
        let formula = self.expect_formula(body, value)?;
        let mut foreign = None;
        let constants = &self.constants;
        formula.each_variable(&mut |v| {
            if constants.contains(&v) {
                foreign = Some(v);
            }
        });
        if let Some(variable) = foreign {
            let name = self.signature.variable_name(variable).unwrap_or_default();
            return Err(
                body.error(format!("a recursive definition can't use the constant `{name}`: expected a parameter"))
            );
        }
        self.signature.define(id, formula);
        Ok(())
    }

    /// Rebuilds a value of a sort from flattened terms.
    fn unflatten(&self, sort: Type, terms: &mut impl Iterator<Item = Term>) -> Value {
        match sort {
            Type::Record(record) => {
                let fields = self.records[record].fields.clone();
                Value::Record(record, fields.iter().map(|(_, sort)| self.unflatten(*sort, terms)).collect())
            }
            _ => Value::Term(terms.next().unwrap_or(Term::Integer(Linear::default()))),
        }
    }
}

/// Returns the flattened terms of a value.
pub(super) fn flat_terms(value: Value) -> Vec<Term> {
    match value {
        Value::Formula(_) => Vec::new(),
        Value::Term(term) => vec![term],
        Value::Record(_, values) => values.into_iter().flat_map(flat_terms).collect(),
    }
}

/// Names with a fixed meaning that cannot be declared.
const RESERVED: &[&str] = &[
    "true",
    "false",
    "and",
    "or",
    "not",
    "=>",
    "xor",
    "ite",
    "=",
    "distinct",
    "sep",
    "wand",
    "septraction",
    "pto",
    "exists",
    "forall",
    "let",
    "as",
    "_",
    "!",
    "+",
    "-",
    "*",
    "<",
    "<=",
    ">",
    ">=",
];
