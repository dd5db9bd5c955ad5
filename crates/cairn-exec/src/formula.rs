//! Prints a state as a formula of separation logic.
//!
//! The notation is that of the paper (papers: sl-dataflow, table 4.1.1): equations of the variables, spatial atoms
//! for the objects, and path conditions, joined by `*`. Names come from the program. Everything without a name is
//! `f0`, `f1`, … in the order of the text, so that the same state always yields the same formula.

use std::fmt::Write;

use std::collections::BTreeMap;

use cairn_ir::{FuncId, Loc, Ty};
use cairn_smt::term::{Node, Op, signed};
use cairn_smt::{Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::allocation::Target;
use super::path::{self, Bound};
use super::state::State;
use super::{Machine, Mode};
use cairn_memory::object::{End, ObjectKind};
use cairn_memory::pointer::ObjectId;
use cairn_memory::segment::Segment;
use cairn_memory::symbolic::Object;

/// The heap of a state as a graph, with the names that its formula uses.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct HeapGraph {
    /// The variables that hold pointers, each with the name of the node that it points to.
    pub variables: Vec<(String, String)>,
    /// The live objects and segments.
    pub nodes: Vec<HeapNode>,
}

/// An object or a segment.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct HeapNode {
    /// The name of the node in the formula.
    pub name: String,
    /// The predicate of a segment: `ls`, `dls`, `tree` or `optional`; `None` for a single object.
    pub predicate: Option<&'static str>,
    /// The cells by offset, and the ends of a segment by name.
    ///
    /// Each has its value and whether the value is the name of a node.
    pub cells: Vec<(String, String, bool)>,
}

/// The names that a formula has used so far.
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

    /// Returns the name of a variable or an address.
    fn name(&mut self, term: Term) -> String {
        if let Some(known) = self.of.get(&term) {
            return known.clone();
        }
        let name = self.fresh();
        self.of.insert(term, name.clone());
        name
    }

    /// Prints a value.
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
            // Zero extension does not change the number.
            Node::Binary(Op::Concat, a, b) if self.terms.as_const(a) == Some(0) => self.text(b),
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

impl<M: Mode> Machine<'_, M> {
    /// Records a state after a line of the user's code.
    pub(crate) fn record_state(&mut self, state: &State<M>, function: FuncId, line: u32) {
        if line != 0 && self.program.functions[function.index()].origin.is_of_user() {
            M::record(self, state, function, line);
        }
    }

    /// Records a state after a call has returned, if the call is the last instruction of its line.
    pub fn record_return(&mut self, state: &State<M>, called_at: Loc) {
        let frame = state.top();
        let code = &self.body(frame.function).blocks[frame.block.index()];
        if code.locs.get(frame.inst).is_none_or(|next| next.line != called_at.line) {
            self.record_state(state, frame.function, called_at.line);
        }
    }

    /// Returns the formula of a state.
    pub fn formula(&mut self, state: &State<M>) -> String {
        self.describe(state).0
    }

    /// Returns the formula of a state, and its heap as a graph.
    pub fn describe(&mut self, state: &State<M>) -> (String, HeapGraph) {
        let mut pointers = Vec::new();
        let (text, names) = self.write_formula(state, &mut pointers);
        let mut graph = HeapGraph::default();
        for (variable, value) in pointers {
            if let Some((to, _)) = self.node_named(state, value, &names) {
                graph.variables.push((variable, to));
            }
        }
        let shown = |object: &Object| object.end == End::Live && !object.pattern;
        for (_, object) in state.memory.iter().filter(|(_, object)| shown(object)) {
            let Some(name) = names.get(&object.base).cloned() else { continue };
            let mut cells = Vec::new();
            let mut held: Vec<(String, Term)> = object.cells().map(|(at, _, value)| (at.to_string(), value)).collect();
            if let Some(segment) = &object.segment {
                held.push(("next".to_owned(), segment.next));
                held.extend(segment.back.map(|back| ("prev".to_owned(), back.prev)));
            }
            for (at, value) in held {
                let mut texts = Names { terms: &self.terms, of: names.clone(), fresh: names.len() };
                let text = self.value_text(value, &mut texts);
                let node = self.node_named(state, value, &names);
                cells.push((at, node.as_ref().map_or(text, |(name, _)| name.clone()), node.is_some()));
            }
            let predicate = object.segment.as_deref().map(predicate_of);
            if !cells.is_empty() || object.kind == ObjectKind::Heap {
                graph.nodes.push(HeapNode { name, predicate, cells });
            }
        }
        (text, graph)
    }

    /// Returns the name of the live object that a value points to.
    fn node_named(
        &mut self,
        state: &State<M>,
        value: Term,
        names: &FxHashMap<Term, String>,
    ) -> Option<(String, ObjectId)> {
        let (Target::Object(id, _) | Target::Segment(id, ..)) = self.target(state, value) else { return None };
        let object = state.memory.get(id);
        let name = names.get(&object.base)?;
        (object.end == End::Live).then(|| (name.clone(), id))
    }

    fn write_formula(&self, state: &State<M>, pointers: &mut Vec<(String, Term)>) -> (String, FxHashMap<Term, String>) {
        let mut names = Names { terms: &self.terms, of: FxHashMap::default(), fresh: 0 };
        let mut atoms = Vec::new();
        for (depth, frame) in state.frames.iter().enumerate() {
            let Some(body) = &self.program.functions[frame.function.index()].body else { continue };
            let mut declared: FxHashMap<&str, u32> = FxHashMap::default();
            for (register, value) in body.regs.iter().zip(&frame.regs) {
                let Some(name) = register.name.as_deref() else { continue };
                let count = declared.entry(name).or_default();
                *count += 1;
                let Some(value) = *value else { continue };
                // Variables in different scopes may have the same name in the source.
                let name = if *count > 1 { format!("{name}#{count}") } else { name.to_owned() };
                let name = if depth + 1 < state.frames.len() {
                    format!("{}.{name}", self.program.functions[frame.function.index()].name)
                } else {
                    name
                };
                if register.ty == Ty::Ptr {
                    pointers.push((name.clone(), value));
                }
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
        let conditions = self.conditions_shown(state, &names);
        self.condition_atoms(&conditions, &mut names, &mut atoms);
        (if atoms.is_empty() { String::from("emp") } else { atoms.join(" * ") }, names.of)
    }

    /// Returns the path conditions about variables of the formula, directly or through other conditions.
    fn conditions_shown(&self, state: &State<M>, names: &Names<'_>) -> Vec<Term> {
        let mut shown: FxHashSet<Term> = FxHashSet::default();
        names.of.keys().for_each(|&term| shown.extend(self.terms.variables_of(term).iter().copied()));
        let mut conditions = state.path.conditions();
        conditions.reverse();
        let mut kept: FxHashSet<Term> = FxHashSet::default();
        loop {
            let before = kept.len();
            for &condition in &conditions {
                let own = self.terms.variables_of(condition);
                if !kept.contains(&condition) && own.iter().any(|variable| shown.contains(variable)) {
                    kept.insert(condition);
                    shown.extend(own.iter().copied());
                }
            }
            if kept.len() == before {
                break;
            }
        }
        conditions.retain(|condition| kept.contains(condition));
        conditions
    }

    /// Prints conditions, without those that others imply: only the tightest bounds and the strictest orders.
    fn condition_atoms(&self, conditions: &[Term], names: &mut Names<'_>, atoms: &mut Vec<String>) {
        let mut bounds: BTreeMap<usize, (Term, [Option<i128>; 4])> = BTreeMap::new();
        let mut rest = Vec::new();
        for &condition in conditions {
            let Some(Bound { term, side, limit }) = path::bound_of(&self.terms, condition) else {
                rest.push(condition);
                continue;
            };
            // Every segment has fewer nodes than that, so this bound tells nothing.
            if limit == (1 << (self.pointer_bits - 4)) - 1 {
                continue;
            }
            let known = &mut bounds.entry(term.index()).or_insert((term, [None; 4])).1[side as usize];
            if known.is_none_or(|known| side.is_closer(limit, known)) {
                *known = Some(limit);
            }
        }
        for (term, [mut above, mut below, signed_above, signed_below]) in bounds.into_values() {
            // For a term that is not negative, the signed and the unsigned order agree.
            if let Some(low) = signed_below.filter(|&low| low >= 0) {
                below = below.filter(|&b| b > low);
                above = above.filter(|&a| signed_above.is_none_or(|high| a < high));
            }
            let text = names.text(term);
            for (low, high, sign) in [(signed_below, signed_above, "≤"), (below, above, "≤u")] {
                match (low, high) {
                    (Some(low), Some(high)) if low == high => atoms.push(format!("({text} = {low})")),
                    (Some(low), Some(high)) => atoms.push(format!("({low} {sign} {text} {sign} {high})")),
                    (Some(low), None) => atoms.push(format!("({low} {sign} {text})")),
                    (None, Some(high)) => atoms.push(format!("({text} {sign} {high})")),
                    (None, None) => {}
                }
            }
        }
        let mut texts: Vec<String> = Vec::new();
        for condition in rest {
            let text = names.text(condition);
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        let said: FxHashSet<String> = texts.iter().cloned().collect();
        let better = |text: &str| {
            let inner = text.strip_prefix('(')?.strip_suffix(')')?;
            let (a, sign, b) = ["≤u", "≤", "<u"].iter().find_map(|sign| {
                let (a, b) = inner.split_once(&format!(" {sign} "))?;
                Some((a, *sign, b))
            })?;
            let stricter: &[&str] = match sign {
                "≤u" => &["=", "≤", "<u", "<"],
                "≤" => &["=", "<"],
                _ => &["<"],
            };
            let equal = said.contains(&format!("({b} = {a})"));
            (equal || stricter.iter().any(|sign| said.contains(&format!("({a} {sign} {b})")))).then_some(())
        };
        texts.retain(|text| better(text).is_none());
        atoms.extend(texts);
    }

    /// Returns the spatial atom of an object.
    fn atom(&self, state: &State<M>, id: ObjectId, object: &Object, names: &mut Names<'_>) -> Option<String> {
        let name = names.name(object.base);
        let Some(segment) = &object.segment else {
            if object.values().next().is_none() && object.kind != ObjectKind::Heap {
                return None;
            }
            return Some(format!("{name} ↦ {}", self.contents(object, names)));
        };
        let predicate = predicate_of(segment);
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
        let _ = (id, write!(text, "{}", parts.join(" * ")));
        for sequence in &segment.sequences {
            let steps: Vec<String> = sequence.steps.iter().map(|(from, to)| format!("{from}→{to}")).collect();
            let (before, last) = (names.text(sequence.before), names.text(sequence.last));
            let _ = write!(text, "; {} from {before} to {last}: {}", sequence.at, steps.join(" "));
        }
        text.push(']');
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

/// Returns the name of the predicate of a segment.
fn predicate_of(segment: &Segment) -> &'static str {
    match (segment.links.len(), segment.back.is_some()) {
        (0, _) => "optional",
        (1, false) => "ls",
        (1, true) => "dls",
        _ => "tree",
    }
}
