//! Models, which consist of a stack and a heap, and their text and graph output.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::formula::{Linear, LocationSort, Sort, Term, Variable};
use crate::print::Printer;
use crate::signature::Signature;

/// The value of a term.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// A location; number 0 is the `nil` of its sort.
    Location(LocationSort, u32),
    /// An integer.
    Integer(i64),
    /// A truth value.
    Truth(bool),
}

impl Value {
    /// Returns a default value of a sort, for unconstrained variables.
    pub fn any(sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Truth(false),
            Sort::Int => Value::Integer(0),
            Sort::Location(sort) => Value::Location(sort, 0),
        }
    }

    /// Returns whether the value is the `nil` of a sort.
    pub fn is_nil(self) -> bool {
        matches!(self, Value::Location(_, 0))
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Location(_, 0) => f.write_str("nil"),
            Value::Location(sort, number) if sort.0 == 0 => write!(f, "@{number}"),
            Value::Location(sort, number) => write!(f, "@{}.{number}", sort.0),
            Value::Integer(number) => write!(f, "{number}"),
            Value::Truth(value) => write!(f, "{value}"),
        }
    }
}

/// A stack and a heap.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Model {
    /// The values of the variables.
    pub stack: BTreeMap<Variable, Value>,
    /// The fields of the cells, by location.
    pub heap: BTreeMap<Value, Vec<Value>>,
}

impl Model {
    /// Returns the value of a term, or `None` if a variable has no value or the result overflows.
    pub fn value(&self, term: &Term) -> Option<Value> {
        match term {
            Term::Nil(sort) => Some(Value::Location(*sort, 0)),
            Term::Variable(variable) => self.stack.get(variable).copied(),
            Term::Integer(linear) => self.integer(linear).map(Value::Integer),
        }
    }

    /// Returns the value of an integer term, or `None` if a variable has no value or the result overflows.
    pub fn integer(&self, linear: &Linear) -> Option<i64> {
        let mut sum = i128::from(linear.constant);
        for (variable, coefficient) in &linear.monomials {
            let Some(Value::Integer(value)) = self.stack.get(variable) else { return None };
            sum = sum.checked_add(i128::from(*value) * i128::from(*coefficient))?;
        }
        i64::try_from(sum).ok()
    }

    /// Prints the model, one variable or cell per line, variables first.
    pub fn to_text(&self, signature: &Signature) -> String {
        let mut printer = Printer::new(signature);
        let mut text = String::new();
        for (variable, value) in &self.stack {
            let _ = writeln!(text, "{} = {value}", printer.name(*variable));
        }
        for (location, fields) in &self.heap {
            let _ = writeln!(text, "{location} -> {}", fields_text(signature, *location, fields, ", "));
        }
        text
    }

    /// Prints the model as a graph in the DOT language.
    pub fn to_dot(&self, signature: &Signature) -> String {
        let mut printer = Printer::new(signature);
        let mut text = String::from("digraph model {\n  rankdir=LR;\n  node [shape=record, fontname=monospace];\n");
        let id = |value: &Value| match value {
            Value::Location(sort, number) => format!("l{}_{number}", sort.0),
            other => format!("\"{other}\""),
        };
        let mut drawn: Vec<Value> = Vec::new();
        for (location, fields) in &self.heap {
            let label = fields_text(signature, *location, fields, " | ");
            let _ = writeln!(text, "  {} [label=\"{location} | {}\"];", id(location), escaped(&label));
            drawn.push(*location);
        }
        let mut edges = String::new();
        for (location, fields) in &self.heap {
            let Value::Location(sort, _) = location else { continue };
            for (field, value) in signature.fields(*sort).iter().zip(fields) {
                if let Value::Location(..) = value {
                    let _ =
                        writeln!(edges, "  {} -> {} [label=\"{}\"];", id(location), id(value), escaped(&field.name));
                    if !drawn.contains(value) {
                        drawn.push(*value);
                        let _ = writeln!(text, "  {} [label=\"{value}\", shape=plaintext];", id(value));
                    }
                }
            }
        }
        for (variable, value) in &self.stack {
            let name = escaped(&printer.name(*variable));
            match value {
                Value::Location(..) => {
                    if !drawn.contains(value) {
                        drawn.push(*value);
                        let _ = writeln!(text, "  {} [label=\"{value}\", shape=plaintext];", id(value));
                    }
                    let _ = writeln!(text, "  v{} [label=\"{name}\", shape=plaintext];", variable.number);
                    let _ = writeln!(edges, "  v{} -> {} [style=dashed];", variable.number, id(value));
                }
                other => {
                    let _ = writeln!(text, "  v{} [label=\"{name} = {other}\", shape=plaintext];", variable.number);
                }
            }
        }
        text.push_str(&edges);
        text.push_str("}\n");
        text
    }
}

fn fields_text(signature: &Signature, location: Value, fields: &[Value], between: &str) -> String {
    let Value::Location(sort, _) = location else { return String::new() };
    let known = signature.fields(sort);
    let parts: Vec<String> = fields
        .iter()
        .enumerate()
        .map(|(i, value)| known.get(i).map_or_else(|| value.to_string(), |field| format!("{}: {value}", field.name)))
        .collect();
    parts.join(between)
}

/// Escapes text for use in a DOT string.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '"' | '\\' | '<' | '>' | '{' | '}' => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => out.push('?'),
            c => out.push(c),
        }
    }
    out
}
