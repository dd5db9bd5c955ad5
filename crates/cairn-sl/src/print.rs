//! Output of formulas and scripts in the SL-COMP format.
//!
//! Reading and printing the output again yields the same text.

use std::fmt::Write;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::formula::{Formula, Linear, Pure, Sort, Spatial, Term, Variable};
use crate::script::{Command, Script};
use crate::signature::Signature;
use crate::symbolic_heap::SymbolicHeap;

/// A printer that keeps variable names unique: the first variable with a name keeps the name.
#[derive(Debug)]
pub struct Printer<'s> {
    signature: &'s Signature,
    names: FxHashMap<Variable, String>,
    taken: FxHashSet<String>,
}

/// Prints a formula.
pub fn formula(signature: &Signature, formula: &Formula) -> String {
    Printer::new(signature).formula(formula)
}

/// Prints a symbolic heap.
pub fn symbolic_heap(signature: &Signature, heap: &SymbolicHeap) -> String {
    formula(signature, &heap.to_formula())
}

/// Prints a script.
pub fn script(script: &Script) -> String {
    let signature = &script.signature;
    let mut text = String::new();
    if let Some(logic) = &script.logic {
        let _ = writeln!(text, "(set-logic {})", quoted(logic));
    }
    if let Some(status) = &script.status {
        let _ = writeln!(text, "(set-info :status {})", quoted(status));
    }
    for (_, locations) in signature.location_sorts() {
        let _ = writeln!(text, "(declare-sort {} 0)", quoted(&locations.name));
    }
    let sort_name = |sort: Sort| sort_name(signature, sort);
    let cells = || signature.location_sorts().filter_map(|(_, l)| l.cell.as_ref().map(|cell| (l, cell)));
    let mut heaps = String::new();
    let mut records = FxHashSet::default();
    for (locations, cell) in cells() {
        let data = match &cell.record {
            Some((record, constructor)) => {
                if records.insert(record) {
                    let fields: String =
                        cell.fields.iter().map(|f| format!(" ({} {})", quoted(&f.name), sort_name(f.sort))).collect();
                    let (record, constructor) = (quoted(record), quoted(constructor));
                    let _ = writeln!(text, "(declare-datatypes (({record} 0)) ((({constructor}{fields}))))");
                }
                quoted(record)
            }
            None => cell.fields.first().map(|f| sort_name(f.sort)).unwrap_or_default(),
        };
        let _ = write!(heaps, " ({} {data})", quoted(&locations.name));
    }
    if !heaps.is_empty() {
        let _ = writeln!(text, "(declare-heap{heaps})");
    }
    let mut printer = Printer::new(signature);
    for &constant in &script.constants {
        printer.name(constant);
    }
    printer.definitions(&mut text);
    for &constant in &script.constants {
        let _ = writeln!(text, "(declare-const {} {})", printer.name(constant), sort_name(constant.sort));
    }
    for command in &script.commands {
        let _ = match command {
            Command::Assert(formula) => writeln!(text, "(assert {})", printer.formula(formula)),
            Command::CheckSat => writeln!(text, "(check-sat)"),
            Command::GetModel => writeln!(text, "(get-model)"),
            Command::Push(levels) => writeln!(text, "(push {levels})"),
            Command::Pop(levels) => writeln!(text, "(pop {levels})"),
        };
    }
    text
}

/// Prints the name of a sort.
pub fn sort_name(signature: &Signature, sort: Sort) -> String {
    match sort {
        Sort::Bool => "Bool".to_owned(),
        Sort::Int => "Int".to_owned(),
        Sort::Location(sort) => quoted(&signature.locations(sort).name),
    }
}

/// Prints a symbol, quoted with bars if necessary.
fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c);
    if !name.is_empty() && name.chars().all(plain) && !name.starts_with(|c: char| c.is_ascii_digit()) {
        name.to_owned()
    } else {
        format!("|{}|", name.replace('|', "!"))
    }
}

impl<'s> Printer<'s> {
    /// Creates a printer for formulas of a signature.
    pub fn new(signature: &'s Signature) -> Self {
        let taken = signature.predicates().map(|(_, p)| p.name.clone()).collect();
        Self { signature, names: FxHashMap::default(), taken }
    }

    /// Returns the unique name of a variable.
    pub fn name(&mut self, variable: Variable) -> String {
        if let Some(name) = self.names.get(&variable) {
            return name.clone();
        }
        let base =
            self.signature.variable_name(variable).map_or_else(|| format!("v!{}", variable.number), str::to_owned);
        let mut name = base.clone();
        let mut suffix = 1;
        while !self.taken.insert(name.clone()) {
            name = format!("{base}!{suffix}");
            suffix += 1;
        }
        let name = quoted(&name);
        self.names.insert(variable, name.clone());
        name
    }

    fn binders(&mut self, variables: &[Variable]) -> String {
        let parts: Vec<String> =
            variables.iter().map(|&v| format!("({} {})", self.name(v), sort_name(self.signature, v.sort))).collect();
        format!("({})", parts.join(" "))
    }

    fn definitions(&mut self, text: &mut String) {
        let mut heads = Vec::new();
        let mut bodies = Vec::new();
        let signature = self.signature;
        for (_, predicate) in signature.predicates() {
            heads.push(format!("  ({} {} Bool)", quoted(&predicate.name), self.binders(&predicate.parameters)));
            bodies.push(format!("  {}", self.formula(&predicate.body)));
        }
        if !heads.is_empty() {
            let _ = writeln!(text, "(define-funs-rec (\n{}\n) (\n{}\n))", heads.join("\n"), bodies.join("\n"));
        }
    }

    /// Prints a formula.
    pub fn formula(&mut self, formula: &Formula) -> String {
        match formula {
            Formula::True => "true".to_owned(),
            Formula::False => "false".to_owned(),
            Formula::Pure(pure) => self.pure(pure),
            Formula::Emp => self.emp(),
            Formula::Spatial(spatial) => self.spatial(spatial),
            Formula::Sep(parts) => self.list("sep", parts),
            Formula::And(parts) => self.list("and", parts),
            Formula::Or(parts) => self.list("or", parts),
            Formula::Wand(a, b) => format!("(wand {} {})", self.formula(a), self.formula(b)),
            Formula::Septraction(a, b) => format!("(septraction {} {})", self.formula(a), self.formula(b)),
            Formula::Not(inner) => format!("(not {})", self.formula(inner)),
            Formula::Exists(variables, inner) => {
                format!("(exists {} {})", self.binders(variables), self.formula(inner))
            }
            Formula::Forall(variables, inner) => {
                format!("(forall {} {})", self.binders(variables), self.formula(inner))
            }
        }
    }

    fn list(&mut self, head: &str, parts: &[Formula]) -> String {
        let mut text = format!("({head}");
        for part in parts {
            text.push(' ');
            text.push_str(&self.formula(part));
        }
        text.push(')');
        text
    }

    fn emp(&self) -> String {
        let mut sorts = self.signature.location_sorts().filter_map(|(_, l)| l.cell.as_ref().map(|cell| (l, cell)));
        match sorts.next() {
            Some((locations, cell)) => {
                let data = match &cell.record {
                    Some((record, _)) => quoted(record),
                    None => cell.fields.first().map(|f| sort_name(self.signature, f.sort)).unwrap_or_default(),
                };
                format!("(_ emp {} {data})", quoted(&locations.name))
            }
            None => "emp".to_owned(),
        }
    }

    fn spatial(&mut self, spatial: &Spatial) -> String {
        match spatial {
            Spatial::PointsTo(location, fields) => {
                let record = match location.sort() {
                    Sort::Location(sort) => {
                        self.signature.locations(sort).cell.as_ref().and_then(|c| c.record.as_ref())
                    }
                    _ => None,
                };
                let location = self.term(location);
                let values: Vec<String> = fields.iter().map(|f| self.term(f)).collect();
                match record {
                    Some((_, constructor)) if !values.is_empty() => {
                        format!("(pto {location} ({} {}))", quoted(constructor), values.join(" "))
                    }
                    Some((_, constructor)) => format!("(pto {location} {})", quoted(constructor)),
                    None => format!("(pto {location} {})", values.join(" ")),
                }
            }
            Spatial::Predicate(id, arguments) => {
                let name = quoted(&self.signature.predicate(*id).name);
                if arguments.is_empty() {
                    return name;
                }
                let arguments: Vec<String> = arguments.iter().map(|a| self.term(a)).collect();
                format!("({name} {})", arguments.join(" "))
            }
        }
    }

    /// Prints a term.
    pub fn term(&mut self, term: &Term) -> String {
        match term {
            Term::Nil(sort) => format!("(as nil {})", quoted(&self.signature.locations(*sort).name)),
            Term::Variable(variable) => self.name(*variable),
            Term::Integer(linear) => self.linear(linear),
        }
    }

    fn linear(&mut self, linear: &Linear) -> String {
        let mut parts: Vec<String> = linear
            .monomials
            .iter()
            .map(|&(variable, coefficient)| match coefficient {
                1 => self.name(variable),
                _ => format!("(* {} {})", number(coefficient), self.name(variable)),
            })
            .collect();
        if linear.constant != 0 || parts.is_empty() {
            parts.push(number(linear.constant));
        }
        match parts.len() {
            1 => parts.swap_remove(0),
            _ => format!("(+ {})", parts.join(" ")),
        }
    }

    fn pure(&mut self, pure: &Pure) -> String {
        match pure {
            Pure::Equal(a, b) => format!("(= {} {})", self.term(a), self.term(b)),
            Pure::Distinct(a, b) => format!("(distinct {} {})", self.term(a), self.term(b)),
            Pure::Zero(linear) => format!("(= {} 0)", self.linear(linear)),
            Pure::NonZero(linear) => format!("(distinct {} 0)", self.linear(linear)),
            Pure::AtMostZero(linear) => format!("(<= {} 0)", self.linear(linear)),
            Pure::Truth(variable, true) => self.name(*variable),
            Pure::Truth(variable, false) => format!("(not {})", self.name(*variable)),
        }
    }
}

fn number(value: i64) -> String {
    if value < 0 { format!("(- {})", value.unsigned_abs()) } else { value.to_string() }
}
