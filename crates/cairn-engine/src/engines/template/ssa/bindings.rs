//! What calls bind, for people, in the notation of the thesis (§2.5.3, §3.7.2, §3.7.3): parameters to arguments and globals to their
//! versions at the call (Algorithm 1), what they point to to the caller's objects (Algorithms 6, 7), iterators to the objects that
//! they visit (Algorithm 11), and what is written through them to what the caller has after the call (Algorithm 12).
//!
//! `p^obj` is what `p` points to. An input has the value from before the call, an output, marked `_out`, the one from after it.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use cairn_ir::Program;

use super::iterators::{Iterator, iterators};
use super::knowledge::{Name, Part};
use super::loops::Loops;
use super::print::Writer;
use super::summary::{Cells, Placeholder};
use super::value::{ObjectNumber, Value, objects};
use super::{Formula, Kind};

/// One side of a call: what is there before it, or after it.
struct Side<'f> {
    cells: &'f Cells,
    /// The parts of objects that the function reads, or changes.
    parts: BTreeSet<(ObjectNumber, u64)>,
    /// What is written behind the names of the function's variables.
    mark: &'static str,
    /// What is written behind the names of the objects of a site: the version that they have.
    version: String,
}

impl Formula {
    /// The bindings of the calls of each body, and the iterators of its loops.
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
            let mut seen = BTreeSet::new();
            for (name, arg) in names.iter().zip(&call.args) {
                self.bind_pointed(name, std::slice::from_ref(arg), side, writer, &mut seen, &mut lines);
            }
            // What is not reached through a parameter has the same name on both sides.
            for &(object, at) in &side.parts {
                if !seen.contains(&object)
                    && let Some((name, numbers)) = self.objects.get(&object)
                {
                    let field = format!("{name}.{at}{}", side.mark);
                    self.bind_field(&field, at, numbers, name, side, writer, &mut lines);
                }
            }
        }
        if let Some(result) = &call.result {
            lines.push(format!("r_{} == {}", function.name, writer.value(result)));
        }
        lines
    }

    /// Binds what some values point to, and what that points to (Algorithm 7).
    fn bind_pointed(
        &self,
        name: &str,
        values: &[Value],
        side: &Side<'_>,
        writer: &Writer<'_>,
        seen: &mut BTreeSet<ObjectNumber>,
        lines: &mut Vec<String>,
    ) {
        let pointed: BTreeSet<ObjectNumber> =
            values.iter().filter_map(|v| v.object.as_ref()).flat_map(|pointee| objects(&pointee.targets)).collect();
        let known: Vec<(ObjectNumber, &str)> =
            pointed.iter().filter_map(|o| Some((*o, self.objects.get(o)?.0.as_str()))).collect();
        if known.is_empty() || pointed.is_subset(seen) {
            return;
        }
        seen.extend(&pointed);
        let pointee = format!("{name}^obj");
        let cases: Vec<String> = known.iter().map(|(_, object)| format!("{pointee} == {object}")).collect();
        if side.mark.is_empty() || name.ends_with("_out") {
            lines.push(cases.join(" || "));
        }
        let fields: BTreeSet<u64> =
            side.parts.iter().filter(|(object, _)| pointed.contains(object)).map(|(_, at)| *at).collect();
        for at in fields {
            let field = format!("{pointee}.{at}{}", side.mark);
            let mut next = Vec::new();
            for (object, name) in &known {
                let numbers = &self.objects[object].1;
                if side.parts.contains(&(*object, at)) {
                    self.bind_field(&field, at, numbers, name, side, writer, lines);
                }
                next.extend(numbers.iter().filter_map(|number| side.cells.get(&(*number, Part::Bytes(at))).cloned()));
            }
            self.bind_pointed(&field, &next, side, writer, seen, lines);
        }
    }

    #[expect(clippy::too_many_arguments, reason = "a field of a function's and of its caller's object")]
    fn bind_field(
        &self,
        field: &str,
        at: u64,
        numbers: &[u32],
        object: &str,
        side: &Side<'_>,
        writer: &Writer<'_>,
        lines: &mut Vec<String>,
    ) {
        let value = match numbers {
            [number] => side.cells.get(&(*number, Part::Bytes(at))).map(|value| writer.value(value)),
            _ => Some(format!("{object}.{at}{}", side.version)),
        };
        if let Some(value) = value
            && value != field
        {
            lines.push(format!("{field} == {value}"));
        }
    }

    /// An iterator with its accesses, and what binds it to the objects that it may be at (Algorithm 11).
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

/// What an access through an iterator is at an object, and on from there.
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

/// What a parameter is called.
pub(super) fn parameter_name(program: &Program, function: cairn_ir::FuncId, index: usize) -> String {
    use cairn_ir::program::Param;
    let name = program.functions[function.index()].body.as_ref().and_then(|body| match body.params.get(index)? {
        Param::Reg(reg) => body.regs[reg.index()].name.as_deref(),
        Param::Slot(slot) => body.slots[slot.index()].name.as_deref(),
    });
    name.map_or_else(|| format!("param{index}"), str::to_owned)
}
