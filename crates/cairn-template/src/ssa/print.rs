//! Printing of formulas in the notation of the papers.
//!
//! `x_7` is the value that line 7 assigns to `x`, `x^phi_5` the value at the loop head in line 5, `x^lb_5` the
//! loop-back variable, `g_5` a guard, `g^ls_5` a loop-select guard, and `ao_13^2` the second instance of the allocation
//! site in line 13.

use std::fmt::Write as _;

use cairn_ir::Program;
use cairn_smt::term::{Node, Op, signed};
use cairn_smt::{Term, Terms};
use rustc_hash::FxHashMap;

use crate::limits::MAX_PRINT_DEPTH;
use crate::ssa::builder::{Beyond, Builder, State};
use crate::ssa::control_flow::loop_cut::part_label;
use crate::ssa::value::{Base, Value, objects};
use crate::ssa::{Formula, Obligation};

/// A definition for printing.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The defined name.
    pub name: String,
    /// The number, or the offset of a pointer.
    pub bits: Term,
    /// The object number of a pointer.
    pub object: Option<Term>,
    /// The placeholder that takes the place of a definition, by index.
    pub call: Option<usize>,
}

impl Builder<'_, '_> {
    pub(super) fn define(&mut self, name: String, bits: Term, object: Option<Term>) {
        // Formulas of bounded executions are never printed.
        if self.unwinding.beyond == Beyond::LeftOut {
            return;
        }
        self.out.bodies[self.body].definitions.push(Definition { name, bits, object, call: None });
    }

    /// Adds a placeholder for a summary.
    pub(super) fn define_call(&mut self, number: usize) {
        let (name, bits) = (String::new(), self.terms.falsity());
        self.out.bodies[self.body].definitions.push(Definition { name, bits, object: None, call: Some(number) });
    }

    pub(super) fn define_value(&mut self, name: String, value: &Value) {
        // The offset is omitted for a pointer to the start of an object.
        let start =
            |p: &crate::ssa::value::Pointee| p.targets.iter().all(|t| t.offset == Some(0) || t.base == Base::Unknown);
        let bits = if value.object.as_ref().is_some_and(start) { self.terms.constant(0, 1) } else { value.bits };
        self.define(name, bits, value.object.as_ref().map(|pointee| pointee.id));
    }

    /// Adds definitions for the cells that a write through a pointer may change.
    pub(super) fn define_write(&mut self, state: &State, pointer: &Value, line: u32) {
        let Some(pointee) = pointer.object.clone().filter(|_| self.unwinding.beyond == Beyond::Cut) else { return };
        for object in objects(&pointee.targets) {
            for number in self.tracked(object) {
                let cells: Vec<_> =
                    state.cells.iter().filter(|(cell, _)| cell.0 == number).map(|(c, v)| (*c, v.clone())).collect();
                for (cell, value) in cells {
                    let name = format!("{}{}_{line}", self.instance_name(number), part_label(cell.1));
                    let id = value.object.as_ref().map(|pointee| pointee.id);
                    let same = |d: &Definition| d.object == id && (id.is_some() || d.bits == value.bits);
                    if !self.out.bodies[self.body].definitions.iter().any(same) {
                        self.define_value(name, &value);
                    }
                }
            }
        }
    }
}

/// Prints terms, using the names of defined terms.
pub(super) struct Writer<'f> {
    terms: &'f Terms,
    objects: &'f [String],
    names: FxHashMap<Term, String>,
    depth: std::cell::Cell<u32>,
}

impl Writer<'_> {
    fn name(&mut self, term: Term, name: &str) {
        if !matches!(self.terms.node(term), Node::Const(_) | Node::Var(_)) {
            self.names.entry(term).or_insert_with(|| name.to_owned());
        }
    }

    fn object(&self, term: Term) -> String {
        match self.terms.node(term) {
            Node::Const(0) => "null".to_owned(),
            Node::Const(number) => {
                format!("&{}", self.objects.get(*number as usize).map_or("?", String::as_str))
            }
            _ => self.term(term),
        }
    }

    /// Prints a value: the object of a pointer, or a number.
    pub(super) fn value(&self, value: &Value) -> String {
        match &value.object {
            Some(pointee) if self.names.contains_key(&pointee.id) => self.term(pointee.id),
            Some(pointee) => self.object(pointee.id),
            None => self.term(value.bits),
        }
    }

    fn term(&self, term: Term) -> String {
        if let Some(name) = self.names.get(&term) {
            return name.clone();
        }
        if self.depth.get() >= MAX_PRINT_DEPTH {
            return "…".to_owned();
        }
        self.depth.set(self.depth.get() + 1);
        let text = self.inside(term);
        self.depth.set(self.depth.get() - 1);
        text
    }

    /// Prints a term by its operator, ignoring its name.
    fn inside(&self, term: Term) -> String {
        let width = self.terms.width(term);
        match self.terms.node(term) {
            Node::Const(bits) if width == 1 => if *bits == 1 { "TRUE" } else { "FALSE" }.to_owned(),
            Node::Const(bits) => signed(*bits, width).to_string(),
            Node::Var(number) => self.terms.variable_name(*number).to_owned(),
            Node::Not(a) if width == 1 => format!("!{}", self.term(*a)),
            Node::Not(a) => format!("~{}", self.term(*a)),
            Node::SExt(a) => format!("sext({})", self.term(*a)),
            Node::Extract(a, low) => format!("{}[{}:{low}]", self.term(*a), low + width - 1),
            Node::Ite(c, a, b) => {
                let show = |t: Term| if width == crate::ssa::value::ID_BITS { self.object(t) } else { self.term(t) };
                format!("({} ? {} : {})", self.term(*c), show(*a), show(*b))
            }
            Node::Sum(sum) => {
                let mut text = String::from("(");
                for (index, (part, factor)) in sum.monomials.iter().enumerate() {
                    let factor = signed(*factor, width);
                    let sign = if factor < 0 {
                        "-"
                    } else if index > 0 {
                        "+"
                    } else {
                        ""
                    };
                    let _ = match factor.unsigned_abs() {
                        1 => write!(text, "{sign}{}", self.term(*part)),
                        size => write!(text, "{sign}{size}*{}", self.term(*part)),
                    };
                }
                let constant = signed(sum.constant, width);
                if constant != 0 {
                    let _ = write!(text, "{constant:+}");
                }
                text.push(')');
                text
            }
            Node::Binary(op, a, b) => {
                let ids = self.terms.width(*a) == crate::ssa::value::ID_BITS;
                let show = |t: Term| if ids { self.object(t) } else { self.term(t) };
                let (a, b) = (show(*a), show(*b));
                match op {
                    Op::Eq => format!("({a} == {b})"),
                    Op::And if width == 1 => format!("({a} && {b})"),
                    op => {
                        let sign = match op {
                            Op::Mul => "*",
                            Op::UDiv => "/u",
                            Op::URem => "%u",
                            Op::SDiv => "/",
                            Op::SRem => "%",
                            Op::And => "&",
                            Op::Xor => "^",
                            Op::Shl => "<<",
                            Op::LShr => ">>u",
                            Op::AShr => ">>",
                            Op::Concat => "::",
                            Op::Eq => "==",
                            Op::ULt => "<u",
                            Op::SLt => "<",
                        };
                        format!("({a} {sign} {b})")
                    }
                }
            }
        }
    }
}

impl Formula {
    /// Prints the definitions and obligations, one per line and body by body.
    pub fn print(&self, program: &Program) -> String {
        let names = FxHashMap::default();
        let mut writer =
            Writer { terms: &self.terms, objects: &self.object_names, names, depth: std::cell::Cell::new(0) };
        let mut text = String::new();
        for (number, body) in self.bodies.iter().enumerate() {
            if number > 0 {
                let _ = writeln!(text, "\n{}:", program.functions[body.function.index()].name);
            }
            self.print_body(program, number, &mut writer, &mut text);
        }
        text
    }

    fn print_body(&self, program: &Program, number: usize, writer: &mut Writer<'_>, text: &mut String) {
        for Definition { name, bits, object, call } in &self.bodies[number].definitions {
            if let Some(call) = call {
                let _ = writeln!(text, "{}", self.print_call(program, *call, writer));
                continue;
            }
            let zero = self.terms.as_const(*bits) == Some(0);
            let right = match object {
                Some(object) if zero => {
                    let right =
                        if writer.names.contains_key(object) { writer.term(*object) } else { writer.object(*object) };
                    writer.name(*object, name);
                    right
                }
                Some(object) => {
                    let right = format!("{} + {}", writer.object(*object), writer.term(*bits));
                    writer.name(*object, name);
                    right
                }
                None => {
                    let right = writer.term(*bits);
                    writer.name(*bits, name);
                    right
                }
            };
            let _ = writeln!(text, "{name} == {right}");
        }
        for Obligation { kind, incomplete, loc, bad, .. } in self.obligations.iter().filter(|o| o.body == number) {
            let what = incomplete.as_ref().map_or_else(|| kind.to_string(), ToString::to_string);
            let _ = writeln!(text, "line {}: never {}: {what}", loc.line, writer.term(*bad));
        }
    }

    /// Returns a writer with the names of all definitions.
    pub(super) fn writer(&self, program: &Program) -> Writer<'_> {
        let names = FxHashMap::default();
        let mut writer =
            Writer { terms: &self.terms, objects: &self.object_names, names, depth: std::cell::Cell::new(0) };
        for number in 0..self.bodies.len() {
            self.print_body(program, number, &mut writer, &mut String::new());
        }
        writer
    }

    /// Prints a placeholder as in the thesis: the arguments and the result.
    pub(super) fn print_call(&self, program: &Program, number: usize, writer: &Writer<'_>) -> String {
        let call = &self.calls[number];
        let args: Vec<String> = call.args.iter().map(|value| writer.value(value)).collect();
        let result: Vec<String> = call.result.iter().map(|value| writer.value(value)).collect();
        let function = &program.functions[self.bodies[call.callee + 1].function.index()].name;
        format!("{function}_{}(({}), ({}))", call.loc.line, args.join(", "), result.join(", "))
    }
}
