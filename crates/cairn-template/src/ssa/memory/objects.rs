//! Objects: their numbers and names, the initial contents of globals, and the scopes of local variables.

use std::rc::Rc;

use cairn_ir::program::Symbol;
use cairn_smt::Term;

use crate::ssa::builder::{Builder, Cell, State};
use crate::ssa::knowledge::{Name, ObjectKey, Part};
use crate::ssa::value::{Base, DEAD, ID_BITS, NOTHING, ObjectNumber, Pointee, Target, UNKNOWN, Value, has, only};

impl Builder<'_, '_> {
    /// Returns the object numbers of the instances of an object. For a site in a loop, the last one is the rest.
    pub(in crate::ssa) fn numbers(&mut self, object: ObjectNumber) -> Vec<u32> {
        let info = self.knowledge.info(object);
        let count = if info.many { info.instances + 1 } else { 1 };
        let first = match self.numbering.first.get(&object) {
            Some(&first) => first,
            None => {
                let first = self.numbering.next;
                self.numbering.first.insert(object, first);
                self.numbering.owners.insert(first, object);
                self.numbering.next += count;
                first
            }
        };
        (first..first + count).collect()
    }

    /// Returns the first number of an object, if it has been assigned.
    pub(in crate::ssa) fn first_number(&self, object: ObjectNumber) -> Option<u32> {
        self.numbering.first.get(&object).copied()
    }

    /// Returns the object that an instance belongs to.
    pub(in crate::ssa) fn owner_of(&self, id: u32) -> Option<ObjectNumber> {
        self.numbering.owners.range(..=id).next_back().map(|(_, &object)| object)
    }

    /// Returns the instances that have contents.
    pub(in crate::ssa) fn tracked(&mut self, object: ObjectNumber) -> Vec<u32> {
        let mut numbers = self.numbers(object);
        if self.knowledge.info(object).many {
            numbers.pop();
        }
        numbers
    }

    /// Returns the number of the rest of a site in a loop.
    pub(in crate::ssa) fn rest(&mut self, object: ObjectNumber) -> Option<u32> {
        if self.knowledge.info(object).many { self.numbers(object).pop() } else { None }
    }

    pub(in crate::ssa) fn number(&mut self, id: u32) -> Term {
        self.terms.constant(u128::from(id), ID_BITS)
    }

    pub(in crate::ssa) fn is(&mut self, id: Term, number: u32) -> Term {
        let number = self.number(number);
        self.terms.eq(id, number)
    }

    /// Returns all object numbers of a base.
    pub(in crate::ssa) fn expand(&mut self, base: Base) -> Vec<u32> {
        match base {
            Base::Nothing => vec![NOTHING],
            Base::Unknown => vec![UNKNOWN],
            Base::Dead => vec![DEAD],
            Base::Object(object) => self.numbers(object),
        }
    }

    /// Returns a pointer to the start of an object with a single instance.
    pub(in crate::ssa) fn address(&mut self, object: ObjectNumber) -> Value {
        let id = self.numbers(object)[0];
        let id = self.number(id);
        let bits = self.terms.constant(0, self.pointer_bits);
        Value { bits, object: Some(Pointee { id, targets: only(Base::Object(object), Some(0)) }) }
    }

    /// Returns the name of an instance: `ao_13` for the site in line 13, with an instance number if there are several.
    pub(in crate::ssa) fn instance_name(&mut self, number: u32) -> String {
        let Some(object) = self.owner_of(number) else { return "?".to_owned() };
        let first = self.numbers(object)[0];
        let info = self.knowledge.info(object);
        if !info.many {
            info.name.clone()
        } else if number - first == info.instances {
            format!("{}^*", info.name)
        } else {
            format!("{}^{}", info.name, number - first + 1)
        }
    }

    pub(in crate::ssa) fn slot_object(&mut self, slot: cairn_ir::SlotId) -> ObjectNumber {
        let frame = self.frames.last().expect("a function is being inlined");
        let (context, info) = (frame.context, &frame.body.slots[slot.index()]);
        self.knowledge.object(ObjectKey::Slot(context, slot), || {
            let name = info.name.as_deref().unwrap_or("temporary").to_owned();
            (name, Some(info.size), false)
        })
    }

    pub(in crate::ssa) fn global_object(&mut self, index: usize) -> ObjectNumber {
        let global = &self.program.globals[index];
        let key = ObjectKey::Global(cairn_ir::GlobalId::new(index));
        self.knowledge.object(key, || (global.name.clone(), Some(global.size), global.constant))
    }

    pub(in crate::ssa) fn function_object(&mut self, index: usize) -> ObjectNumber {
        let function = &self.program.functions[index];
        let key = ObjectKey::Function(cairn_ir::FuncId::new(index));
        self.knowledge.object(key, || (function.name.clone(), Some(1), true))
    }

    /// Initialises the globals.
    pub(in crate::ssa) fn set_up_globals(&mut self, state: &mut State) {
        for index in 0..self.program.globals.len() {
            let object = self.global_object(index);
            let global = &self.program.globals[index];
            let id = self.numbers(object)[0];
            for (at, len) in self.knowledge.info(object).cells.clone() {
                let width = 8 * len as u32;
                let relocation = global.relocations.iter().find(|r| {
                    let end = r.offset + u64::from(self.pointer_bits / 8);
                    r.offset < at + len && at < end
                });
                let value = match relocation {
                    _ if !global.defined => Value::anything(&mut self.terms, &global.name, width),
                    Some(r) if r.offset == at && width == self.pointer_bits => {
                        let target = match r.target {
                            Symbol::Global(target) => Some(self.global_object(target.index())),
                            Symbol::Function(target) => Some(self.function_object(target.index())),
                            Symbol::Label(..) => None,
                        };
                        match target {
                            Some(target) => {
                                let start = self.address(target);
                                self.moved(&start, r.addend)
                            }
                            None => Value::anything(&mut self.terms, &global.name, width),
                        }
                    }
                    Some(_) => Value::anything(&mut self.terms, &global.name, width),
                    None => {
                        let byte = |i: u64| global.bytes.get(i as usize).copied().unwrap_or(0);
                        let bits = (0..len).map(|i| u128::from(byte(at + i)) << (8 * i)).sum();
                        Value::integer(self.terms.constant(bits, width))
                    }
                };
                Rc::make_mut(&mut state.cells).insert((id, Part::Bytes(at)), value);
            }
        }
    }

    /// Starts the scope of a local variable, which is uninitialised.
    pub(in crate::ssa) fn begin_slot(&mut self, state: &mut State, object: ObjectNumber) {
        self.end_slot(state, object);
        let id = self.numbers(object)[0];
        for (at, len) in self.knowledge.info(object).cells.clone() {
            let value = Value::anything(&mut self.terms, "uninitialised", 8 * len as u32);
            self.set_cell(state, object, (id, Part::Bytes(at)), value);
        }
    }

    /// Ends the scope of a local variable. Pointers to it become dangling.
    pub(in crate::ssa) fn end_slot(&mut self, state: &mut State, object: ObjectNumber) {
        // An object without a number has never had its address taken.
        let Some(id) = self.first_number(object) else { return };
        let base = Base::Object(object);
        let points = |value: &Value| value.object.as_ref().is_some_and(|p| has(&p.targets, base));
        for reg in 0..state.regs.len() {
            if let Some(value) = &state.regs[reg]
                && points(value)
            {
                let value = self.with_dead(value.clone(), id, base);
                state.regs[reg] = Some(value);
                self.changes(Name::Reg(reg as u32));
            }
        }
        let stale: Vec<(Cell, Value)> =
            state.cells.iter().filter(|(_, value)| points(value)).map(|(&cell, value)| (cell, value.clone())).collect();
        for (cell, value) in stale {
            let value = self.with_dead(value, id, base);
            if let Some(owner) = self.owner_of(cell.0) {
                self.set_cell(state, owner, cell, value);
            }
        }
        if state.cells.keys().any(|cell| cell.0 == id) {
            Rc::make_mut(&mut state.cells).retain(|cell, _| cell.0 != id);
        }
    }

    fn with_dead(&mut self, value: Value, id: u32, base: Base) -> Value {
        let Some(pointee) = value.object else { return value };
        let dies = self.is(pointee.id, id);
        let dead = self.number(DEAD);
        let id = self.terms.ite(dies, dead, pointee.id);
        let mut targets = (*pointee.targets).clone();
        targets.retain(|target| target.base != base);
        targets.insert(Target { base: Base::Dead, offset: None });
        Value { bits: value.bits, object: Some(Pointee { id, targets: Rc::new(targets) }) }
    }
}
