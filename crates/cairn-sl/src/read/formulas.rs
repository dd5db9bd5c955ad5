//! Formulas: names are resolved, sorts checked, records flattened, macros expanded.

use rustc_hash::FxHashMap;

use super::ReadError;
use super::commands::{Scope, exactly};
use super::expression::{Expression, Kind};
use crate::formula::{Formula, Linear, LocationSort, PredicateId, Pure, Sort, Term, Variable};
use crate::signature::Signature;

/// A sort as files have them: records are not flat there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Type {
    Bool,
    Int,
    Location(LocationSort),
    Record(usize),
}

/// A datatype with one constructor.
#[derive(Clone, Default, Debug)]
struct Record {
    name: String,
    constructor: String,
    fields: Vec<(String, Type)>,
}

/// A function that is replaced by its body.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    pub(super) parameters: Vec<(String, Type)>,
    pub(super) result: Type,
    pub(super) body: Expression,
}

/// What an expression means.
#[derive(Clone, Debug)]
enum Value {
    Formula(Formula),
    Term(Term),
    Record(usize, Vec<Value>),
}

/// What a name stands for, outside of binders.
#[derive(Clone, Debug)]
enum Global {
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
    types: FxHashMap<String, Type>,
    records: Vec<Record>,
    globals: FxHashMap<String, Global>,
    macros: Vec<Definition>,
    /// How predicates take their arguments, before records are flattened.
    predicate_types: FxHashMap<PredicateId, Vec<(String, Type)>>,
    /// Expressions read so far: macros may multiply.
    work: u64,
    depth: u32,
}

/// Formulas that are larger than this when macros are expanded are refused.
const MOST_WORK: u64 = 2_000_000;
const DEEPEST: u32 = 10_000;

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

    /// The fields of a sort when it is stored in a cell.
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

    /// A new variable of a sort: one for each field of a record.
    fn variable(&mut self, name: &str, sort: Type, made: &mut Vec<Variable>) -> Value {
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
        // The body is read once for its mistakes, with parameters that stand for anything.
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

    /// The value of a sort whose parts come from flat terms.
    fn unflatten(&self, sort: Type, terms: &mut impl Iterator<Item = Term>) -> Value {
        match sort {
            Type::Record(record) => {
                let fields = self.records[record].fields.clone();
                Value::Record(record, fields.iter().map(|(_, sort)| self.unflatten(*sort, terms)).collect())
            }
            _ => Value::Term(terms.next().unwrap_or(Term::Integer(Linear::default()))),
        }
    }

    pub(super) fn formula(&mut self, expression: &Expression) -> Result<Formula, ReadError> {
        let value = self.value(expression, &Scope::default())?;
        self.expect_formula(expression, value)
    }

    fn expect_formula(&self, place: &Expression, value: Value) -> Result<Formula, ReadError> {
        match value {
            Value::Formula(formula) => Ok(formula),
            other => Err(place.error(format!("expected a formula, found {}", self.describe(&other)))),
        }
    }

    fn describe(&self, value: &Value) -> String {
        match self.type_of(value) {
            Type::Bool => "a formula".to_owned(),
            Type::Int => "an integer".to_owned(),
            Type::Location(sort) => format!("a location of sort `{}`", self.signature.locations(sort).name),
            Type::Record(record) => format!("a record of sort `{}`", self.records[record].name),
        }
    }

    fn type_name(&self, sort: Type) -> &str {
        match sort {
            Type::Bool => "Bool",
            Type::Int => "Int",
            Type::Location(sort) => &self.signature.locations(sort).name,
            Type::Record(record) => &self.records[record].name,
        }
    }

    fn type_of(&self, value: &Value) -> Type {
        match value {
            Value::Formula(_) => Type::Bool,
            Value::Term(term) => match term.sort() {
                Sort::Bool => Type::Bool,
                Sort::Int => Type::Int,
                Sort::Location(sort) => Type::Location(sort),
            },
            Value::Record(record, _) => Type::Record(*record),
        }
    }

    fn check_type(&self, place: &Expression, value: &Value, expected: Type) -> Result<(), ReadError> {
        if self.type_of(value) == expected {
            return Ok(());
        }
        Err(place.error(format!("expected the sort `{}`, found {}", self.type_name(expected), self.describe(value))))
    }

    fn value(&mut self, expression: &Expression, scope: &Scope<Value>) -> Result<Value, ReadError> {
        self.work += 1;
        self.depth += 1;
        if self.work > MOST_WORK {
            return Err(expression.error("the formula is too large when its definitions are expanded"));
        }
        if self.depth > DEEPEST {
            return Err(expression.error("the formula is nested too deeply when its definitions are expanded"));
        }
        let value = match &expression.kind {
            Kind::Numeral(digits) => match digits.parse() {
                Ok(number) => Ok(Value::Term(Term::Integer(Linear::constant(number)))),
                Err(_) => Err(expression.error("the number is too large: expected one below 2^63")),
            },
            Kind::Literal(_) => Err(expression.expected("a formula or a term")),
            Kind::Symbol(name) => self.named(expression, name, scope),
            Kind::List(items) => self.application(expression, items, scope),
        };
        self.depth -= 1;
        value
    }

    fn named(&mut self, expression: &Expression, name: &str, scope: &Scope<Value>) -> Result<Value, ReadError> {
        if let Some(value) = scope.get(name) {
            let value = value.clone();
            return Ok(self.with_own_binders(value));
        }
        match name {
            "true" => return Ok(Value::Formula(Formula::True)),
            "false" => return Ok(Value::Formula(Formula::False)),
            "emp" | "sep.emp" => return Ok(Value::Formula(Formula::Emp)),
            _ => {}
        }
        match self.globals.get(name) {
            Some(Global::Constant(value)) => Ok(value.clone()),
            Some(Global::Macro(_) | Global::Predicate(_) | Global::Constructor(_)) => {
                self.application(expression, std::slice::from_ref(expression), scope)
            }
            Some(Global::Selector(..)) => {
                Err(expression.error(format!("the field `{name}` needs a record: `({name} …)`")))
            }
            None if name == "nil" || name == "sep.nil" => {
                Err(expression.error("the sort of `nil` is not known here: expected `(as nil SORT)`"))
            }
            None => {
                Err(expression.error(format!("`{name}` was not declared: expected a variable, `true`, `false`, …")))
            }
        }
    }

    /// A value that is used again gets binders of its own, because a variable is bound only once.
    fn with_own_binders(&mut self, value: Value) -> Value {
        match value {
            Value::Formula(formula) => {
                let signature = &mut self.signature;
                Value::Formula(formula.with_new_binders(&mut |old| {
                    let name = signature.variable_name(old).unwrap_or("v").to_owned();
                    signature.variable(&name, old.sort)
                }))
            }
            other => other,
        }
    }

    fn application(
        &mut self,
        whole: &Expression,
        items: &[Expression],
        scope: &Scope<Value>,
    ) -> Result<Value, ReadError> {
        let Some((head, arguments)) = items.split_first() else { return Err(whole.expected("a formula or a term")) };
        let Some(name) = head.as_symbol() else {
            return self.qualified(head, arguments);
        };
        match name {
            "as" => return self.typed(whole, arguments),
            "_" => return self.indexed(whole, arguments),
            "exists" | "forall" => return self.quantified(whole, name, arguments, scope),
            "let" => return self.bound(whole, arguments, scope),
            "!" => {
                let [first, ..] = arguments else { return Err(whole.expected("an annotated formula")) };
                return self.value(first, scope);
            }
            _ => {}
        }
        let global = if scope.contains_key(name) { None } else { self.globals.get(name).cloned() };
        let values: Vec<Value> = arguments.iter().map(|a| self.value(a, scope)).collect::<Result<_, _>>()?;
        match global {
            Some(Global::Macro(index)) => self.expand(whole, index, arguments, values),
            Some(Global::Predicate(id)) => {
                let types = self.predicate_types[&id].clone();
                self.check_arguments(whole, arguments, &values, types.iter().map(|(_, sort)| *sort))?;
                let terms = values.into_iter().flat_map(flat_terms).collect();
                Ok(Value::Formula(Formula::predicate(id, terms)))
            }
            Some(Global::Constructor(record)) => {
                let types = self.records[record].fields.clone();
                self.check_arguments(whole, arguments, &values, types.iter().map(|(_, sort)| *sort))?;
                Ok(Value::Record(record, values))
            }
            Some(Global::Selector(record, index)) => {
                self.check_arguments(whole, arguments, &values, std::iter::once(Type::Record(record)))?;
                match values.into_iter().next() {
                    Some(Value::Record(_, mut fields)) => Ok(fields.swap_remove(index)),
                    _ => Err(whole.expected("a record")),
                }
            }
            Some(Global::Constant(_)) => Err(head.error(format!("`{name}` is no function"))),
            None => self.built_in(whole, head, name, arguments, values),
        }
    }

    /// `((as nil L))` has no meaning, `((as c T) …)` neither.
    fn qualified(&mut self, head: &Expression, _: &[Expression]) -> Result<Value, ReadError> {
        Err(head.expected("a connective, a predicate or a function"))
    }

    fn typed(&mut self, whole: &Expression, arguments: &[Expression]) -> Result<Value, ReadError> {
        let [name, sort] = exactly(whole, arguments, "a name and a sort")?;
        match (name.as_symbol(), self.sort(sort)?) {
            (Some("nil" | "sep.nil"), Type::Location(sort)) => Ok(Value::Term(Term::Nil(sort))),
            (Some("emp" | "sep.emp"), _) => Ok(Value::Formula(Formula::Emp)),
            (Some("nil" | "sep.nil"), _) => Err(sort.expected("a sort of locations")),
            _ => Err(name.expected("`nil`")),
        }
    }

    fn indexed(&mut self, whole: &Expression, arguments: &[Expression]) -> Result<Value, ReadError> {
        match arguments.first().and_then(Expression::as_symbol) {
            Some("emp" | "sep.emp") => {
                for sort in &arguments[1..] {
                    self.sort(sort)?;
                }
                Ok(Value::Formula(Formula::Emp))
            }
            Some("nil") if arguments.len() == 2 => self.typed(whole, arguments),
            _ => Err(whole.error("expected `(_ emp LOCATIONS CELLS)`")),
        }
    }

    fn quantified(
        &mut self,
        whole: &Expression,
        name: &str,
        arguments: &[Expression],
        scope: &Scope<Value>,
    ) -> Result<Value, ReadError> {
        let [binders, body] = exactly(whole, arguments, "a list of variables and a formula")?;
        let mut inner = scope.clone();
        let mut variables = Vec::new();
        for binder in binders.list("a list of variables such as `((x Loc))`")? {
            let items = binder.list("a variable with its sort, such as `(x Loc)`")?;
            let [name, sort] = exactly(binder, items, "a name and a sort")?;
            let name = name.symbol("the name of a variable")?.to_owned();
            let sort = self.sort(sort)?;
            let value = self.variable(&name, sort, &mut variables);
            inner.insert(name, value);
        }
        let value = self.value(body, &inner)?;
        let formula = Box::new(self.expect_formula(body, value)?);
        if variables.is_empty() {
            return Ok(Value::Formula(*formula));
        }
        Ok(Value::Formula(match name {
            "exists" => Formula::Exists(variables, formula),
            _ => Formula::Forall(variables, formula),
        }))
    }

    fn bound(
        &mut self,
        whole: &Expression,
        arguments: &[Expression],
        scope: &Scope<Value>,
    ) -> Result<Value, ReadError> {
        let [bindings, body] = exactly(whole, arguments, "a list of bindings and a body")?;
        let mut inner = scope.clone();
        for binding in bindings.list("a list of bindings such as `((x y))`")? {
            let items = binding.list("a binding such as `(x y)`")?;
            let [name, value] = exactly(binding, items, "a name and a value")?;
            let value = self.value(value, scope)?;
            inner.insert(name.symbol("the name of a variable")?.to_owned(), value);
        }
        self.value(body, &inner)
    }

    fn expand(
        &mut self,
        whole: &Expression,
        index: usize,
        arguments: &[Expression],
        values: Vec<Value>,
    ) -> Result<Value, ReadError> {
        let definition = self.macros[index].clone();
        self.check_arguments(whole, arguments, &values, definition.parameters.iter().map(|(_, sort)| *sort))?;
        let scope = definition.parameters.iter().map(|(name, _)| name.clone()).zip(values).collect();
        self.value(&definition.body, &scope)
    }

    fn check_arguments(
        &self,
        whole: &Expression,
        arguments: &[Expression],
        values: &[Value],
        types: impl ExactSizeIterator<Item = Type>,
    ) -> Result<(), ReadError> {
        if types.len() != values.len() {
            let message = format!("{} takes {} arguments, found {}", whole.found(), types.len(), values.len());
            return Err(whole.error(message));
        }
        for ((argument, value), sort) in arguments.iter().zip(values).zip(types) {
            self.check_type(argument, value, sort)?;
        }
        Ok(())
    }

    fn built_in(
        &mut self,
        whole: &Expression,
        head: &Expression,
        name: &str,
        arguments: &[Expression],
        values: Vec<Value>,
    ) -> Result<Value, ReadError> {
        match name {
            "and" | "or" | "not" | "=>" | "xor" | "sep" | "wand" | "septraction" | "ite" => {}
            "=" | "distinct" => return self.comparison(whole, name, arguments, &values),
            "pto" => return self.points_to(whole, arguments, values),
            "+" | "-" | "*" | "<" | "<=" | ">" | ">=" => return self.arithmetic(whole, name, arguments, &values),
            "emp" => return Ok(Value::Formula(Formula::Emp)),
            _ => {
                return Err(
                    head.error(format!("`{name}` was not declared: expected a connective, a predicate or a function"))
                );
            }
        }
        let mut formulas = Vec::new();
        for (argument, value) in arguments.iter().zip(values) {
            formulas.push(self.expect_formula(argument, value)?);
        }
        let formula = match (name, formulas.len()) {
            ("and", _) => Formula::and(formulas),
            ("or", _) => Formula::or(formulas),
            ("sep", 1..) => Formula::sep(formulas),
            ("not", 1) => Formula::not(formulas.swap_remove(0)),
            ("wand" | "septraction", 2) => {
                let right = Box::new(formulas.swap_remove(1));
                let left = Box::new(formulas.swap_remove(0));
                if name == "wand" { Formula::Wand(left, right) } else { Formula::Septraction(left, right) }
            }
            ("=>", 2..) => {
                // It associates to the right: all but the last are premises.
                let last = formulas.split_off(formulas.len() - 1);
                Formula::or(formulas.into_iter().map(Formula::not).chain(last))
            }
            ("xor", 2) => {
                let (a, b) = (formulas[0].clone(), formulas[1].clone());
                let (c, d) = (self.again(&a), self.again(&b));
                Formula::or([Formula::and([a, Formula::not(b)]), Formula::and([Formula::not(c), d])])
            }
            ("ite", 3) => {
                let [condition, yes, no] = [formulas[0].clone(), formulas[1].clone(), formulas[2].clone()];
                let again = self.again(&condition);
                Formula::or([Formula::and([condition, yes]), Formula::and([Formula::not(again), no])])
            }
            _ => return Err(whole.error(format!("`{name}` can't have {} operands", formulas.len()))),
        };
        Ok(Value::Formula(formula))
    }

    /// The formula with binders of its own, for a second place.
    fn again(&mut self, formula: &Formula) -> Formula {
        match self.with_own_binders(Value::Formula(formula.clone())) {
            Value::Formula(formula) => formula,
            _ => Formula::False,
        }
    }

    fn points_to(
        &mut self,
        whole: &Expression,
        arguments: &[Expression],
        values: Vec<Value>,
    ) -> Result<Value, ReadError> {
        let [location_place, data_place] = exactly(whole, arguments, "a location and what is there")?;
        let mut values = values.into_iter();
        let (Some(location), Some(data)) = (values.next(), values.next()) else {
            return Err(whole.expected("a location and what is there"));
        };
        let (Value::Term(location), Type::Location(sort)) = (location.clone(), self.type_of(&location)) else {
            return Err(location_place.error(format!("expected a location, found {}", self.describe(&location))));
        };
        let Some(cell) = self.signature.locations(sort).cell.clone() else {
            let name = &self.signature.locations(sort).name;
            return Err(
                location_place.error(format!("there is no heap at `{name}`: expected a `declare-heap` before this"))
            );
        };
        let expected = match &cell.record {
            Some((name, _)) => self.types.get(name).copied(),
            None => cell.fields.first().map(|field| match field.sort {
                Sort::Bool => Type::Bool,
                Sort::Int => Type::Int,
                Sort::Location(sort) => Type::Location(sort),
            }),
        };
        if let Some(expected) = expected {
            self.check_type(data_place, &data, expected)?;
        }
        Ok(Value::Formula(Formula::points_to(location, flat_terms(data))))
    }

    fn comparison(
        &mut self,
        whole: &Expression,
        name: &str,
        arguments: &[Expression],
        values: &[Value],
    ) -> Result<Value, ReadError> {
        let [first, rest @ ..] = values else { return Err(whole.error(format!("`{name}` needs operands"))) };
        let expected = self.type_of(first);
        for (argument, value) in arguments.iter().skip(1).zip(rest) {
            self.check_type(argument, value, expected)?;
        }
        let mut parts = Vec::new();
        if name == "=" {
            for pair in values.windows(2) {
                parts.push(self.equal(whole, &pair[0], &pair[1])?);
            }
        } else {
            for (i, a) in values.iter().enumerate() {
                for b in &values[i + 1..] {
                    let equal = self.equal(whole, a, b)?;
                    parts.push(match equal {
                        Formula::Pure(pure) => {
                            Formula::Pure(pure.negated().ok_or_else(|| whole.error("a number is too large"))?)
                        }
                        other => Formula::not(other),
                    });
                }
            }
        }
        Ok(Value::Formula(Formula::and(parts)))
    }

    fn equal(&mut self, whole: &Expression, a: &Value, b: &Value) -> Result<Formula, ReadError> {
        match (a, b) {
            (Value::Term(a), Value::Term(b)) => match Pure::equal(a, b) {
                Some(pure) => Ok(Formula::Pure(pure)),
                None => Err(whole.error("a number is too large")),
            },
            (Value::Formula(a), Value::Formula(b)) => {
                let (c, d) = (self.again(a), self.again(b));
                let both = Formula::and([a.clone(), b.clone()]);
                Ok(Formula::or([both, Formula::and([Formula::not(c), Formula::not(d)])]))
            }
            (Value::Record(_, a), Value::Record(_, b)) => {
                let parts: Result<Vec<_>, _> = a.iter().zip(b).map(|(a, b)| self.equal(whole, a, b)).collect();
                Ok(Formula::and(parts?))
            }
            _ => Err(whole.error("the operands have different sorts")),
        }
    }

    fn arithmetic(
        &mut self,
        whole: &Expression,
        name: &str,
        arguments: &[Expression],
        values: &[Value],
    ) -> Result<Value, ReadError> {
        let mut terms = Vec::new();
        for (argument, value) in arguments.iter().zip(values) {
            match value {
                Value::Term(Term::Integer(linear)) => terms.push(linear.clone()),
                other => return Err(argument.error(format!("expected an integer, found {}", self.describe(other)))),
            }
        }
        let large = || whole.error("a number is too large: coefficients are below 2^63");
        let [first, rest @ ..] = &terms[..] else { return Err(whole.error(format!("`{name}` needs operands"))) };
        let sum = match name {
            "+" => rest.iter().try_fold(first.clone(), |sum, term| sum.add_scaled(term, 1)),
            "-" if rest.is_empty() => first.scaled(-1),
            "-" => rest.iter().try_fold(first.clone(), |sum, term| sum.add_scaled(term, -1)),
            "*" => {
                let mut product = first.clone();
                for factor in rest {
                    product = match (product.as_constant(), factor.as_constant()) {
                        (Some(constant), _) => factor.scaled(constant).ok_or_else(large)?,
                        (None, Some(constant)) => product.scaled(constant).ok_or_else(large)?,
                        (None, None) => {
                            return Err(whole.error("products of variables are not supported: expected a number"));
                        }
                    };
                }
                Some(product)
            }
            _ => {
                if rest.is_empty() {
                    return Err(whole.error(format!("`{name}` needs two operands")));
                }
                let mut parts = Vec::new();
                for pair in terms.windows(2) {
                    let (a, b) = (&pair[0], &pair[1]);
                    // a <= b is a - b <= 0; a < b is a - b + 1 <= 0.
                    let (low, high) = if name.starts_with('<') { (a, b) } else { (b, a) };
                    let strict = i64::from(!name.ends_with('='));
                    let difference = low
                        .add_scaled(high, -1)
                        .and_then(|d| d.add_scaled(&Linear::constant(strict), 1))
                        .ok_or_else(large)?;
                    parts.push(Formula::Pure(Pure::AtMostZero(difference)));
                }
                return Ok(Value::Formula(Formula::and(parts)));
            }
        };
        Ok(Value::Term(Term::Integer(sum.ok_or_else(large)?)))
    }
}

fn flat_terms(value: Value) -> Vec<Term> {
    match value {
        Value::Formula(_) => Vec::new(),
        Value::Term(term) => vec![term],
        Value::Record(_, values) => values.into_iter().flat_map(flat_terms).collect(),
    }
}

/// Names that mean the same in every file.
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
