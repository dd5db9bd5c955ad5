//! Conversion of expressions to formulas: resolves names, checks sorts, and expands binders and macros.

use super::ReadError;
use super::commands::{Scope, exactly};
use super::declarations::{Global, Reader, Type, Value, flat_terms};
use super::expression::{Expression, Kind};
use crate::formula::{Formula, Linear, Sort, Term};
use crate::limits;

impl Reader {
    pub(super) fn formula(&mut self, expression: &Expression) -> Result<Formula, ReadError> {
        let value = self.value(expression, &Scope::default())?;
        self.expect_formula(expression, value)
    }

    pub(super) fn expect_formula(&self, place: &Expression, value: Value) -> Result<Formula, ReadError> {
        match value {
            Value::Formula(formula) => Ok(formula),
            other => Err(place.error(format!("expected a formula, found {}", self.describe(&other)))),
        }
    }

    pub(super) fn describe(&self, value: &Value) -> String {
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

    pub(super) fn type_of(&self, value: &Value) -> Type {
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

    pub(super) fn check_type(&self, place: &Expression, value: &Value, expected: Type) -> Result<(), ReadError> {
        if self.type_of(value) == expected {
            return Ok(());
        }
        Err(place.error(format!("expected the sort `{}`, found {}", self.type_name(expected), self.describe(value))))
    }

    pub(super) fn value(&mut self, expression: &Expression, scope: &Scope<Value>) -> Result<Value, ReadError> {
        self.work += 1;
        self.depth += 1;
        if self.work > limits::MAX_EXPANDED_EXPRESSIONS {
            return Err(expression.error("the formula is too large when its definitions are expanded"));
        }
        if self.depth > limits::MAX_EXPANSION_DEPTH {
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

    /// Gives the copy of a value fresh binders, because a variable is bound at most once.
    pub(super) fn with_own_binders(&mut self, value: Value) -> Value {
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

    /// Reports a compound head such as `((as nil L))` or `((as c T) …)`, which has no meaning.
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
}
