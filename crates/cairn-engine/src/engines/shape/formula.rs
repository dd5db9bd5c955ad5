//! A state as a formula of separation logic, in the notation of the paper (papers: sl-dataflow, table 4.1.1): pure equations of
//! the variables, then what lies where, joined by `*`. Names come from the program; whatever has none there is `f0`, `f1`, … in
//! the order of the text, so the same state always reads the same.

use std::fmt::Write;

use cairn_ir::program::Origin;
use cairn_ir::{FuncId, Ty};
use cairn_smt::term::{Node, Op, signed};
use cairn_smt::{Term, Terms};
use rustc_hash::FxHashMap;

use super::Explorer;
use super::state::State;
use crate::memory::object::{End, ObjectKind};
use crate::memory::pointer::ObjectId;
use crate::memory::symbolic::Object;

/// The names that a text has given so far.
struct Names<'t> {
    terms: &'t Terms,
    of: FxHashMap<Term, String>,
    fresh: usize,
}

impl Names<'_> {
    fn fresh(&mut self) -> String {
        self.fresh += 1;
        format!("f{}", self.fresh - 1)
    }

    /// The name of a variable or address.
    fn name(&mut self, term: Term) -> String {
        if let Some(known) = self.of.get(&term) {
            return known.clone();
        }
        let name = self.fresh();
        self.of.insert(term, name.clone());
        name
    }

    /// A value as text.
    fn text(&mut self, term: Term) -> String {
        if let Some(known) = self.of.get(&term) {
            return known.clone();
        }
        let width = self.terms.width(term);
        match self.terms.node(term).clone() {
            Node::Const(bits) => signed(bits, width).to_string(),
            Node::Sum(sum) => {
                let mut text = String::new();
                for &(part, factor) in &sum.monomials {
                    let factor = signed(factor, width);
                    let part = self.text(part);
                    let sign = if factor < 0 { "-" } else { "+" };
                    if !text.is_empty() || factor < 0 {
                        text.push_str(sign);
                    }
                    if factor.unsigned_abs() != 1 {
                        let _ = write!(text, "{}·", factor.unsigned_abs());
                    }
                    text.push_str(&part);
                }
                if sum.constant != 0 {
                    let _ = write!(text, "{:+}", signed(sum.constant, width));
                }
                text
            }
            Node::Binary(op, a, b) => {
                let (a, b) = (self.text(a), self.text(b));
                let sign = match op {
                    Op::Eq => "=",
                    Op::ULt => "<u",
                    Op::SLt => "<",
                    Op::And => "&",
                    Op::Xor => "^",
                    Op::Mul => "·",
                    Op::UDiv | Op::SDiv => "/",
                    Op::URem | Op::SRem => "%",
                    Op::Shl => "<<",
                    Op::LShr | Op::AShr => ">>",
                    Op::Concat => "++",
                };
                format!("({a} {sign} {b})")
            }
            Node::Not(inner) => match self.terms.node(inner).clone() {
                Node::Binary(Op::Eq, a, b) => format!("({} ≠ {})", self.text(a), self.text(b)),
                Node::Binary(Op::ULt, a, b) => format!("({} ≤u {})", self.text(b), self.text(a)),
                Node::Binary(Op::SLt, a, b) => format!("({} ≤ {})", self.text(b), self.text(a)),
                _ => format!("¬{}", self.text(inner)),
            },
            Node::SExt(inner) => self.text(inner),
            Node::Extract(inner, low) => format!("{}[{low}+{width}]", self.text(inner)),
            Node::Ite(c, a, b) => format!("({} ? {} : {})", self.text(c), self.text(a), self.text(b)),
            Node::Var(_) => self.name(term),
        }
    }
}

impl Explorer<'_> {
    /// Keeps the formula of a state after a line of the user's code.
    pub(super) fn record_state(&mut self, state: &State, function: FuncId, line: u32) {
        if line == 0 || self.program.functions[function.index()].origin != Origin::User {
            return;
        }
        let formula = self.formula(state);
        if let Some(record) = &mut self.record {
            record.entry((function, line)).or_default().insert(formula);
        }
    }

    /// The formula of a state.
    pub(super) fn formula(&self, state: &State) -> String {
        let mut names = Names { terms: &self.terms, of: FxHashMap::default(), fresh: 0 };
        let mut atoms = Vec::new();
        for (depth, frame) in state.frames.iter().enumerate() {
            let Some(body) = &self.program.functions[frame.function.index()].body else { continue };
            for (register, value) in body.regs.iter().zip(&frame.regs) {
                let (Some(name), Some(value)) = (&register.name, *value) else { continue };
                let name = if depth + 1 < state.frames.len() {
                    format!("{}.{name}", self.program.functions[frame.function.index()].name)
                } else {
                    name.to_string()
                };
                if self.terms.as_const(value) == Some(0) && register.ty == Ty::Ptr {
                    atoms.push(format!("{name} = nil"));
                } else if self.bases.contains_key(&value) || matches!(self.terms.node(value), Node::Var(_)) {
                    match names.of.get(&value) {
                        Some(known) => atoms.push(format!("{name} = {known}")),
                        None => {
                            names.of.insert(value, name);
                        }
                    }
                } else {
                    atoms.push(format!("{name} = {}", names.text(value)));
                }
            }
        }
        for (_, object) in state.memory.iter() {
            if !object.name.is_empty() {
                names.of.entry(object.base).or_insert_with(|| format!("&{}", object.name));
            }
        }
        for (id, object) in state.memory.iter() {
            let silent = matches!(object.kind, ObjectKind::Function) || object.constant || object.pattern;
            if object.end == End::Live && !silent {
                let atom = self.atom(state, id, object, &mut names);
                atoms.extend(atom);
            }
        }
        let mut conditions = state.path.conditions();
        conditions.reverse();
        atoms.extend(conditions.into_iter().map(|condition| names.text(condition)));
        if atoms.is_empty() { String::from("emp") } else { atoms.join(" * ") }
    }

    /// What one object is.
    fn atom(&self, state: &State, id: ObjectId, object: &Object, names: &mut Names<'_>) -> Option<String> {
        let name = names.name(object.base);
        let Some(segment) = &object.segment else {
            if object.values().next().is_none() && object.kind != ObjectKind::Heap {
                return None;
            }
            return Some(format!("{name} ↦ {}", self.contents(object, names)));
        };
        let predicate = match (segment.links.len(), segment.back.is_some()) {
            (0, _) => "optional",
            (1, false) => "ls",
            (1, true) => "dls",
            _ => "tree",
        };
        let mut text = format!("{predicate}({name}, {}", self.value_text(segment.next, names));
        if let Some(back) = segment.back {
            let _ = write!(text, "; {}", self.value_text(back.prev, names));
            if let Some(last) = back.last {
                let _ = write!(text, ", {}", names.name(last));
            }
        }
        let _ = write!(text, ") [{} nodes, at least {}: ", names.text(segment.length), segment.min);
        let mut parts = Vec::new();
        for pattern in std::iter::once(segment.node).chain(segment.owned.iter().copied()) {
            parts.extend(self.atom(state, pattern, state.memory.get(pattern), names));
        }
        let _ = (id, write!(text, "{}]", parts.join(" * ")));
        Some(text)
    }

    fn contents(&self, object: &Object, names: &mut Names<'_>) -> String {
        let cells: Vec<(u64, u32, Term)> = object.cells().collect();
        let indexed = object.indexed();
        match *cells {
            [] if indexed.is_empty() => names.fresh(),
            [(0, len, value)] if indexed.is_empty() && self.terms.as_const(object.size) == Some(u128::from(len)) => {
                self.value_text(value, names)
            }
            _ => {
                let mut parts: Vec<String> =
                    cells.iter().map(|&(at, _, value)| format!("{at}: {}", self.value_text(value, names))).collect();
                for known in indexed {
                    let at = names.text(known.at);
                    parts.push(format!("[{at}]: {}", self.value_text(known.term, names)));
                }
                format!("{{{}}}", parts.join(", "))
            }
        }
    }

    fn value_text(&self, value: Term, names: &mut Names<'_>) -> String {
        if self.terms.as_const(value) == Some(0) && self.terms.width(value) == self.pointer_bits {
            String::from("nil")
        } else if self.bases.contains_key(&value) {
            names.name(value)
        } else {
            names.text(value)
        }
    }
}
