//! Bindings of calls in the notation of the thesis (§2.5.3, §3.7.2, §3.7.3), for printing.
//!
//! Parameters are bound to arguments and globals to their versions at the call (Algorithm 1). The objects that they
//! point to are bound to the caller's objects (Algorithms 6 and 7), iterators to the objects that they visit (Algorithm
//! 11), and writes through iterators to the caller's objects after the call (Algorithm 12).
//!
//! `p^obj` is the object that `p` points to. An input has the value from before the call, an output, marked `_out`, the
//! value after it.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use cairn_ir::Program;

use crate::ssa::calls::list_iterators::{Iterator, iterators};
use crate::ssa::calls::summaries::{Cells, Placeholder};
use crate::ssa::control_flow::natural_loops::Loops;
use crate::ssa::knowledge::{Name, Part};
use crate::ssa::print::Writer;
use crate::ssa::value::{ObjectNumber, Value, objects};
use crate::ssa::{Formula, Kind};

/// One side of a call: the memory before it or after it.
struct Side<'f> {
    cells: &'f Cells,
    /// The parts of objects that the function reads or changes.
    parts: BTreeSet<(ObjectNumber, u64)>,
    /// The suffix of the function's variables.
    mark: &'static str,
    /// The suffix of the objects of a site: their version.
    version: String,
}

impl Formula {
    /// Renders the call bindings of each body and the iterators of its loops.
    pub fn bindings(&self, program: &Program) -> Vec<String> {
        let writer = self.writer(program);
        let mut texts = Vec::new();
        for (number, body) in self.bodies.iter().enumerate() {
            let function = &program.functions[body.function.index()];
            let mut text = format!("{}:\n", function.name);
            for (index, call) in self.calls.iter().enumerate().filter(|(_, call)| call.callee + 1 == number) {
                let _ = writeln!(text, "{}:", self.print_call(program, index, &writer));
                for line in self.bind_call(program, call, &writer) {
                    let _ = writeln!(text, "  {line}");
                }
            }
            if let Some(code) = &function.body {
                for iterator in iterators(code, &Loops::of(code)) {
                    self.describe_iterator(number, &iterator, &mut text);
                }
            }
            texts.push(text);
        }
        texts
    }

    fn parts(&self, location: usize) -> BTreeSet<(ObjectNumber, u64)> {
        let changed = self.locations[location].variables.iter().filter(|variable| !variable.fixed);
        let part = |name: Name| match name {
            Name::Part(object, Part::Bytes(at)) => Some((object, at)),
            _ => None,
        };
        changed.filter_map(|variable| part(variable.name)).collect()
    }

    fn bind_call(&self, program: &Program, call: &Placeholder, writer: &Writer<'_>) -> Vec<String> {
        let body = &self.bodies[call.callee + 1];
        let Some((entry, exit)) = body.summary else { return Vec::new() };
        let mut lines = Vec::new();
        let function = &program.functions[body.function.index()];
        let version = format!("_{}", call.loc.line);
        let inputs = Side { cells: &call.before, parts: self.parts(entry), mark: "", version: String::new() };
        let outputs = Side { cells: &call.after, parts: self.parts(exit), mark: "_out", version };
        let names: Vec<String> =
            (0..call.args.len()).map(|index| parameter_name(program, body.function, index)).collect();
        for (name, arg) in names.iter().zip(&call.args) {
            lines.push(format!("{name} == {}", writer.value(arg)));
        }
        for side in [&inputs, &outputs] {
            let mut binder = Binder { formula: self, side, writer, seen: BTreeSet::new(), lines: &mut lines };
            for (name, arg) in names.iter().zip(&call.args) {
                binder.bind_pointed(name, std::slice::from_ref(arg));
            }
            binder.bind_others();
        }
        if let Some(result) = &call.result {
            lines.push(format!("r_{} == {}", function.name, writer.value(result)));
        }
        lines
    }

    /// Renders an iterator with its accesses and its bindings to the objects that it may visit (Algorithm 11).
    fn describe_iterator(&self, body: usize, iterator: &Iterator, text: &mut String) {
        let function = self.bodies[body].function;
        let location = self
            .locations
            .iter()
            .find(|l| l.kind == Kind::Loop && l.body == body && l.function == function && l.block == iterator.head);
        let Some(location) = location else { return };
        let Some(place) = location.variables.iter().position(|v| v.name == Name::Reg(iterator.pointer)) else { return };
        let line = location.loc.line;
        let Iterator { name, initial, field, accesses, .. } = iterator;
        let it = format!("{name}^it");
        let pointer = format!("{name}^phi_{line}");
        let _ = writeln!(text, "{it} = ({pointer}, {initial}^obj, {field})");
        let pointed = location.heads[place].object.iter().flat_map(|pointee| objects(&pointee.targets));
        let visited: Vec<&str> = pointed.filter_map(|o| Some(self.objects.get(&o)?.0.as_str())).collect();
        for access in accesses {
            let fields: Vec<String> = access.fields.iter().map(u64::to_string).collect();
            let _ = writeln!(text, "  ({it}, ({}), {})", fields.join(", "), access.written.unwrap_or(0));
        }
        for access in accesses {
            for object in &visited {
                let bound = bind_iterator(&it, object, &visited, &access.fields, access.written);
                let _ = writeln!(text, "  {pointer} = &{object} => {bound}");
            }
        }
    }
}

/// Binds the objects of one side of a call.
struct Binder<'a, 'f> {
    formula: &'f Formula,
    side: &'a Side<'f>,
    writer: &'a Writer<'f>,
    /// The objects that are bound already.
    seen: BTreeSet<ObjectNumber>,
    lines: &'a mut Vec<String>,
}

impl Binder<'_, '_> {
    /// Binds the objects that some values point to, and recursively their targets (Algorithm 7).
    fn bind_pointed(&mut self, name: &str, values: &[Value]) {
        let (formula, side) = (self.formula, self.side);
        let pointed: BTreeSet<ObjectNumber> =
            values.iter().filter_map(|v| v.object.as_ref()).flat_map(|pointee| objects(&pointee.targets)).collect();
        let known: Vec<(ObjectNumber, &str)> =
            pointed.iter().filter_map(|o| Some((*o, formula.objects.get(o)?.0.as_str()))).collect();
        if known.is_empty() || pointed.is_subset(&self.seen) {
            return;
        }
        self.seen.extend(&pointed);
        let pointee = format!("{name}^obj");
        let cases: Vec<String> = known.iter().map(|(_, object)| format!("{pointee} == {object}")).collect();
        if side.mark.is_empty() || name.ends_with("_out") {
            self.lines.push(cases.join(" || "));
        }
        let fields: BTreeSet<u64> =
            side.parts.iter().filter(|(object, _)| pointed.contains(object)).map(|(_, at)| *at).collect();
        for at in fields {
            let field = format!("{pointee}.{at}{}", side.mark);
            let mut next = Vec::new();
            for &(object, _) in &known {
                if side.parts.contains(&(object, at)) {
                    self.bind_field(&field, object, at);
                }
                let numbers = formula.objects[&object].1.iter();
                next.extend(numbers.filter_map(|number| side.cells.get(&(*number, Part::Bytes(at))).cloned()));
            }
            self.bind_pointed(&field, &next);
        }
    }

    /// Binds the objects that are not reached through a parameter, which have the same name on both sides.
    fn bind_others(&mut self) {
        for &(object, at) in &self.side.parts {
            if !self.seen.contains(&object)
                && let Some((name, _)) = self.formula.objects.get(&object)
            {
                let field = format!("{name}.{at}{}", self.side.mark);
                self.bind_field(&field, object, at);
            }
        }
    }

    /// Binds a field of the function's object to that of the caller's object.
    fn bind_field(&mut self, field: &str, object: ObjectNumber, at: u64) {
        let (name, numbers) = &self.formula.objects[&object];
        let value = match numbers.as_slice() {
            [number] => self.side.cells.get(&(*number, Part::Bytes(at))).map(|value| self.writer.value(value)),
            _ => Some(format!("{name}.{at}{}", self.side.version)),
        };
        if let Some(value) = value
            && value != field
        {
            self.lines.push(format!("{field} == {value}"));
        }
    }
}

/// Renders the binding of an iterator access to an object, and recursively to the objects behind it.
fn bind_iterator(it: &str, object: &str, visited: &[&str], fields: &[u64], written: Option<u32>) -> String {
    let Some((field, rest)) = fields.split_first() else { return String::new() };
    let version = match written {
        Some(line) if rest.is_empty() => format!("_{line}"),
        _ => String::new(),
    };
    let mut text = format!("{it} = {object} && {it}.{field}{version} = {object}.{field}{version}");
    if !rest.is_empty() {
        for next in visited {
            let deeper = bind_iterator(&format!("{it}.{field}^obj"), next, visited, rest, written);
            let _ = write!(text, " && ({object}.{field} = &{next} => {deeper})");
        }
    }
    text
}

/// Returns the name of a parameter.
pub(in crate::ssa) fn parameter_name(program: &Program, function: cairn_ir::FuncId, index: usize) -> String {
    use cairn_ir::program::Param;
    let name = program.functions[function.index()].body.as_ref().and_then(|body| match body.params.get(index)? {
        Param::Reg(reg) => body.regs[reg.index()].name.as_deref(),
        Param::Slot(slot) => body.slots[slot.index()].name.as_deref(),
    });
    name.map_or_else(|| format!("param{index}"), str::to_owned)
}
