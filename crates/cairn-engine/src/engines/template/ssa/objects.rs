//! Objects in the formula: their numbers and names, what globals hold at first, how local variables come to life and die.

use std::rc::Rc;

use cairn_ir::program::Symbol;
use cairn_smt::Term;

use super::build::{Builder, Cell, State};
use super::knowledge::{Name, ObjectKey, Part};
use super::value::{Base, DEAD, ID_BITS, NOTHING, ObjectNumber, Pointee, Target, UNKNOWN, Value, has, only};

impl Builder<'_, '_> {
    /// The numbers of the instances of an object; of one that stands for many, the last is that of the rest.
    pub(super) fn numbers(&mut self, object: ObjectNumber) -> Vec<u32> {
        let info = self.knowledge.info(object);
        let count = if info.many { info.instances + 1 } else { 1 };
        let first = match self.ids.get(&object) {
            Some(&first) => first,
            None => {
                let first = self.next_id;
                self.ids.insert(object, first);
                self.owners.insert(first, object);
                self.next_id += count;
                first
            }
        };
        (first..first + count).collect()
    }

    /// The number of an object, where something made one.
    pub(super) fn first_number(&self, object: ObjectNumber) -> Option<u32> {
        self.ids.get(&object).copied()
    }

    /// The object that an instance belongs to.
    pub(super) fn owner_of(&self, id: u32) -> Option<ObjectNumber> {
        self.owners.range(..=id).next_back().map(|(_, &object)| object)
    }

    /// The instances that have contents.
    pub(super) fn tracked(&mut self, object: ObjectNumber) -> Vec<u32> {
        let mut numbers = self.numbers(object);
        if self.knowledge.info(object).many {
            numbers.pop();
        }
        numbers
    }

    /// The number of the rest, for an object that stands for many.
    pub(super) fn rest(&mut self, object: ObjectNumber) -> Option<u32> {
        if self.knowledge.info(object).many { self.numbers(object).pop() } else { None }
    }

    pub(super) fn number(&mut self, id: u32) -> Term {
        self.terms.constant(u128::from(id), ID_BITS)
    }

    pub(super) fn is(&mut self, id: Term, number: u32) -> Term {
        let number = self.number(number);
        self.terms.eq(id, number)
    }

    /// All numbers that a base stands for.
    pub(super) fn expand(&mut self, base: Base) -> Vec<u32> {
        match base {
            Base::Nothing => vec![NOTHING],
            Base::Unknown => vec![UNKNOWN],
            Base::Dead => vec![DEAD],
            Base::Object(object) => self.numbers(object),
        }
    }

    /// A pointer to the start of an object that there is one of.
    pub(super) fn address(&mut self, object: ObjectNumber) -> Value {
        let id = self.numbers(object)[0];
        let id = self.number(id);
        let bits = self.terms.constant(0, self.pointer_bits);
        Value { bits, object: Some(Pointee { id, targets: only(Base::Object(object), Some(0)) }) }
    }

    /// What an instance is called: `ao_13` for what line 13 allocates, with the number of the instance where there are several.
    pub(super) fn instance_name(&mut self, number: u32) -> String {
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

    pub(super) fn slot_object(&mut self, slot: cairn_ir::SlotId) -> ObjectNumber {
        let frame = self.frames.last().expect("a function is being inlined");
        let (context, info) = (frame.context, &frame.body.slots[slot.index()]);
        self.knowledge.object(ObjectKey::Slot(context, slot), || {
            let name = info.name.as_deref().unwrap_or("temporary").to_owned();
            (name, Some(info.size), false)
        })
    }

    pub(super) fn global_object(&mut self, index: usize) -> ObjectNumber {
        let global = &self.program.globals[index];
        let key = ObjectKey::Global(cairn_ir::GlobalId::new(index));
        self.knowledge.object(key, || (global.name.clone(), Some(global.size), global.constant))
    }

    pub(super) fn function_object(&mut self, index: usize) -> ObjectNumber {
        let function = &self.program.functions[index];
        let key = ObjectKey::Function(cairn_ir::FuncId::new(index));
        self.knowledge.object(key, || (function.name.clone(), Some(1), true))
    }

    /// Gives globals their initial contents.
    pub(super) fn set_up_globals(&mut self, state: &mut State) {
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

    /// A local variable comes to life, uninitialised.
    pub(super) fn begin_slot(&mut self, state: &mut State, object: ObjectNumber) {
        self.end_slot(state, object);
        let id = self.numbers(object)[0];
        for (at, len) in self.knowledge.info(object).cells.clone() {
            let value = Value::anything(&mut self.terms, "uninitialised", 8 * len as u32);
            self.set_cell(state, object, (id, Part::Bytes(at)), value);
        }
    }

    /// A local variable dies: pointers to it point to nothing that is alive.
    pub(super) fn end_slot(&mut self, state: &mut State, object: ObjectNumber) {
        // Nobody has its address where it has no number yet.
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
