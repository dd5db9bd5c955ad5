//! The operators that every file can use: connectives, points-to, comparisons and arithmetic.

use super::ReadError;
use super::commands::exactly;
use super::declarations::{Reader, Type, Value, flat_terms};
use super::expression::Expression;
use crate::formula::{Formula, Linear, Pure, Sort, Term};
use crate::limits;

impl Reader {
    pub(super) fn built_in(
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
                // Implication associates to the right: all operands except the last are premises.
                let last = formulas.split_off(formulas.len() - 1);
                Formula::or(formulas.into_iter().map(Formula::not).chain(last))
            }
            ("xor", 2) => {
                let (a, b) = (formulas[0].clone(), formulas[1].clone());
                let (c, d) = (self.again(whole, &a)?, self.again(whole, &b)?);
                Formula::or([Formula::and([a, Formula::not(b)]), Formula::and([Formula::not(c), d])])
            }
            ("ite", 3) => {
                let [condition, yes, no] = [formulas[0].clone(), formulas[1].clone(), formulas[2].clone()];
                let again = self.again(whole, &condition)?;
                Formula::or([Formula::and([condition, yes]), Formula::and([Formula::not(again), no])])
            }
            _ => return Err(whole.error(format!("`{name}` can't have {} operands", formulas.len()))),
        };
        Ok(Value::Formula(formula))
    }

    /// Copies a formula, with fresh binders, for a second occurrence.
    ///
    /// The copy counts towards the work limit, because nested connectives of this kind double the
    /// formula at every level.
    fn again(&mut self, whole: &Expression, formula: &Formula) -> Result<Formula, ReadError> {
        fn size(formula: &Formula) -> u64 {
            1 + formula.children().map(size).sum::<u64>()
        }
        self.work += size(formula);
        if self.work > limits::MAX_EXPANDED_EXPRESSIONS {
            return Err(whole.error("the formula is too large when its connectives are expanded"));
        }
        Ok(match self.with_own_binders(Value::Formula(formula.clone())) {
            Value::Formula(formula) => formula,
            _ => Formula::False,
        })
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
                let (c, d) = (self.again(whole, a)?, self.again(whole, b)?);
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
