//! The variables, uses and sources of calling contexts and summaries; see [`crate::ssa::calls::summaries`].
//!
//! A calling context covers only the inputs that the body reads.

use cairn_ir::Ty;
use cairn_smt::Term;
use rustc_hash::FxHashSet;

use crate::ssa::builder::{Builder, Cell};
use crate::ssa::calls::summaries::{Built, Callee, Cells, Given, Placeholder};
use crate::ssa::control_flow::loop_cut::part_label;
use crate::ssa::knowledge::{Name, ObjectKey, Part};
use crate::ssa::value::{Base, ID_BITS, ObjectNumber, Pointee, Value, only};
use crate::ssa::{Kind, Location, Point, Variable};

impl Builder<'_, '_> {
    /// Completes the entry and exit locations of functions after all bodies have been built.
    pub(in crate::ssa) fn relate_calls(&mut self) {
        let callees = std::mem::take(&mut self.callees);
        let placeholders = std::mem::take(&mut self.out.placeholders);
        let read = self.read_in_bodies(&callees, &placeholders);
        for (number, callee) in callees.iter().enumerate() {
            let Some(built) = &callee.built else { continue };
            let calls: Vec<&Placeholder> = placeholders.iter().filter(|call| call.callee == number).collect();
            self.relate_entry(built, &calls, &read[number]);
            self.relate_exit(callee, built, &calls, &read[number]);
            self.forget_unread(built, &read[number]);
        }
        self.out.placeholders = placeholders;
    }

    /// Completes a calling context: the inputs that the body reads.
    fn relate_entry(&mut self, built: &Built, calls: &[&Placeholder], read: &FxHashSet<Term>) {
        let given: Vec<&Given> = built.given.iter().filter(|g| is_read(&g.value, read)).collect();
        let allocated = self.allocated(&built.start.cells);
        let values: Vec<Value> = given.iter().map(|g| g.value.clone()).collect();
        let guard = built.start.guard;
        let start = Point { body: built.body, guard, values: values.clone(), allocated, around: vec![built.entry] };
        let mut sources = Vec::new();
        for call in calls {
            let values = given.iter().map(|g| self.actual(call, g)).collect();
            let allocated = self.allocated(&call.before);
            sources.push(Point { body: call.body, guard: call.guard, values, allocated, around: call.around.clone() });
        }
        let location = &mut self.out.locations[built.entry];
        location.variables = given.iter().map(|g| g.variable.clone()).collect();
        location.heads = values;
        location.uses.push(start);
        location.sources = sources;
    }

    /// Completes a summary: the values that the body changes or returns, and the inputs that they depend on.
    fn relate_exit(&mut self, callee: &Callee, built: &Built, calls: &[&Placeholder], read: &FxHashSet<Term>) {
        let key = callee.exit_key();
        let of = &self.program.functions[callee.function.index()];
        let (name, loc) = (of.name.clone(), of.loc);
        let mut results: Vec<(Variable, Option<Cell>)> = Vec::new();
        let is_pointer = |builder: &Self, name: Name| builder.knowledge.points_to(&key, name).is_some();
        if let Some(ty) = of.signature.ret {
            let width = ty.bits(self.program.target);
            let pointer = ty == Ty::Ptr || is_pointer(self, Name::Result);
            let variable = Variable { name: Name::Result, label: name, instance: None, fixed: false, width, pointer };
            results.push((variable, None));
        }
        let changed = self.knowledge.changed(&key);
        for &name in &changed {
            let Name::Part(object, part) = name else { continue };
            let gone = matches!(self.knowledge.info(object).key, ObjectKey::Slot(of, _) | ObjectKey::Argument(of, _)
                if self.knowledge.root(of) == callee.context);
            if gone || !self.is_cell(object, part) {
                continue;
            }
            let (many, pointer) = (self.knowledge.info(object).many, is_pointer(self, name));
            for (instance, id) in self.tracked(object).into_iter().enumerate() {
                let label = format!("{}{}", self.instance_name(id), part_label(part));
                let width = self.width_of(object, part);
                let instance = many.then_some((object, instance as u32));
                let variable = Variable { name, label, instance, fixed: false, width, pointer };
                results.push((variable, Some((id, part))));
            }
        }
        let matters = |g: &&Given| {
            let flag = matches!(g.variable.name, Name::Part(_, Part::Allocated));
            flag || changed.contains(&g.variable.name) || is_read(&g.value, read)
        };
        let given: Vec<&Given> = built.given.iter().filter(matters).collect();
        let old = given.iter().map(|g| {
            let name = match g.variable.name {
                Name::Part(object, part) => Name::Old(object, part),
                other => other,
            };
            let label = if g.cell.is_some() { format!("{}^in", g.variable.label) } else { g.variable.label.clone() };
            Variable { name, label, fixed: true, ..g.variable.clone() }
        });
        let variables = results.iter().map(|(variable, _)| variable.clone()).chain(old).collect();
        let mut sources = Vec::new();
        if let Some((state, result)) = &built.exit {
            let mut values = self.outcome(&results, &state.cells, result.as_ref());
            values.extend(given.iter().map(|g| g.value.clone()));
            let allocated = self.allocated(&state.cells);
            sources.push(Point { body: built.body, guard: state.guard, values, allocated, around: vec![built.entry] });
        }
        let mut uses = Vec::new();
        for call in calls {
            let mut values = self.outcome(&results, &call.after, call.result.as_ref());
            values.extend(given.iter().map(|g| self.actual(call, g)));
            values.iter_mut().for_each(|value| self.leave_open(value));
            let allocated = self.allocated(&call.after);
            uses.push(Point { body: call.body, guard: call.returns, values, allocated, around: call.around.clone() });
        }
        let exit = self.out.locations.len();
        self.out.locations.push(Location {
            kind: Kind::Exit,
            loc,
            function: callee.function,
            body: built.body,
            block: 0,
            parent: Some(built.entry),
            select: self.terms.truth(),
            head: self.terms.falsity(),
            variables,
            heads: Vec::new(),
            uses,
            sources,
        });
        self.out.bodies[built.body].summary = Some((built.entry, exit));
    }

    /// Lets a value whose target is unknown point to any object.
    ///
    /// A call need not have all cells that the summary relates: private variables are hidden from the callee, and variables of other
    /// calls do not exist. The body holds for all values of such a cell, so that the rows about it hold for some value. A fixed
    /// target would contradict them, as if the call never returned.
    fn leave_open(&mut self, value: &mut Value) {
        if value.object.is_none() && self.terms.as_const(value.bits).is_none() {
            let id = self.terms.variable("any_object", ID_BITS);
            value.object = Some(Pointee { id, targets: only(Base::Unknown, None) });
        }
    }

    /// Returns the actual value of an input at a call.
    fn actual(&mut self, call: &Placeholder, given: &Given) -> Value {
        let found = match (given.variable.name, given.cell) {
            (Name::Param(index), _) => call.args.get(index as usize).cloned(),
            (_, Some(cell)) => call.before.get(&cell).cloned().or_else(|| self.default_of(cell.1)),
            _ => None,
        };
        found.unwrap_or_else(|| Value::anything(&mut self.terms, "anything", given.variable.width))
    }

    /// Returns the values of the outputs after a function.
    fn outcome(&mut self, results: &[(Variable, Option<Cell>)], cells: &Cells, result: Option<&Value>) -> Vec<Value> {
        let mut values = Vec::new();
        for (variable, cell) in results {
            let found = match cell {
                None => result.cloned(),
                Some(cell) => cells.get(cell).cloned().or_else(|| self.default_of(cell.1)),
            };
            let found = found.filter(|value| self.terms.width(value.bits) == variable.width);
            values.push(found.unwrap_or_else(|| Value::anything(&mut self.terms, "anything", variable.width)));
        }
        values
    }

    /// Returns whether the instances of each site are allocated.
    fn allocated(&mut self, cells: &Cells) -> Vec<(ObjectNumber, Vec<Term>)> {
        let manys: Vec<ObjectNumber> =
            self.numbering.first.keys().copied().filter(|&o| self.knowledge.info(o).many).collect();
        let mut result = Vec::new();
        for object in manys {
            let mut flags = Vec::new();
            for id in self.tracked(object) {
                let flag = cells.get(&(id, Part::Allocated)).map(|value| value.bits);
                flags.push(flag.unwrap_or_else(|| self.terms.falsity()));
            }
            result.push((object, flags));
        }
        result
    }

    /// Returns, for each function, the variables that its body or its callees read.
    fn read_in_bodies(&mut self, callees: &[Callee], placeholders: &[Placeholder]) -> Vec<FxHashSet<Term>> {
        let mut read: Vec<FxHashSet<Term>> = Vec::new();
        for built in callees.iter().map(|callee| callee.built.as_ref()) {
            let mut roots: Vec<Term> = Vec::new();
            let Some(built) = built else {
                read.push(FxHashSet::default());
                continue;
            };
            let mut value = |value: &Value| {
                roots.push(value.bits);
                roots.extend(value.object.iter().map(|pointee| pointee.id));
            };
            for location in self.out.locations.iter().filter(|l| l.body == built.body && l.kind == Kind::Loop) {
                let points = location.uses.iter().chain(&location.sources);
                let rows = points.map(|point| &point.values).chain([&location.heads]);
                for values in rows {
                    let changed = location.variables.iter().zip(values).filter(|(variable, _)| !variable.fixed);
                    changed.for_each(|(_, of)| value(of));
                }
            }
            if let Some((state, result)) = &built.exit {
                result.iter().for_each(&mut value);
                let changed = state.cells.iter().filter(|(cell, value)| built.start.cells.get(cell) != Some(value));
                changed.for_each(|(_, of)| value(of));
                roots.push(state.guard);
            }
            for location in self.out.locations.iter().filter(|l| l.body == built.body && l.kind == Kind::Loop) {
                roots.push(location.head);
                roots.extend(location.sources.iter().map(|point| point.guard));
            }
            roots.extend(self.out.obligations.iter().filter(|o| o.body == built.body).map(|o| o.bad));
            roots.extend(placeholders.iter().filter(|call| call.body == built.body).map(|call| call.guard));
            read.push(self.variables_in(&roots));
        }
        // An input is also read if it is passed on to a function that reads it.
        loop {
            let mut grown = false;
            for call in placeholders.iter().filter(|call| call.body > 0) {
                let Some(built) = &callees[call.callee].built else { continue };
                let passed = built.given.iter().filter(|g| is_read(&g.value, &read[call.callee]));
                let mut roots = Vec::new();
                for g in passed {
                    let actual = match (g.variable.name, g.cell) {
                        (Name::Param(index), _) => call.args.get(index as usize),
                        (_, Some(cell)) => call.before.get(&cell),
                        _ => None,
                    };
                    if let Some(value) = actual {
                        roots.push(value.bits);
                        roots.extend(value.object.iter().map(|pointee| pointee.id));
                    }
                }
                let found = self.variables_in(&roots);
                let known = &mut read[call.body - 1];
                let before = known.len();
                known.extend(found);
                grown |= known.len() > before;
            }
            if !grown {
                return read;
            }
        }
    }

    fn variables_in(&self, roots: &[Term]) -> FxHashSet<Term> {
        let mut found = FxHashSet::default();
        self.terms.for_subterms(roots, |term| {
            if matches!(self.terms.node(term), cairn_smt::term::Node::Var(_)) {
                found.insert(term);
            }
        });
        found
    }

    /// Removes inputs that a body never reads from the variables of its loops.
    fn forget_unread(&mut self, built: &Built, read: &FxHashSet<Term>) {
        let unread: FxHashSet<Term> =
            built.given.iter().filter(|g| !is_read(&g.value, read)).map(|g| g.value.bits).collect();
        for location in self.out.locations.iter_mut().filter(|l| l.body == built.body && l.kind == Kind::Loop) {
            let keep: Vec<bool> = (location.variables.iter().zip(&location.heads))
                .map(|(variable, head)| !(variable.fixed && unread.contains(&head.bits)))
                .collect();
            let mut kept = keep.iter();
            location.variables.retain(|_| kept.next() == Some(&true));
            for values in location
                .uses
                .iter_mut()
                .chain(&mut location.sources)
                .map(|point| &mut point.values)
                .chain([&mut location.heads])
            {
                let mut kept = keep.iter();
                values.retain(|_| kept.next() == Some(&true));
            }
        }
    }
}

/// Returns whether a function reads an input.
fn is_read(value: &Value, read: &FxHashSet<Term>) -> bool {
    read.contains(&value.bits) || value.object.as_ref().is_some_and(|pointee| read.contains(&pointee.id))
}
