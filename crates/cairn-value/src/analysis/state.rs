//! The abstract state of one function: registers, memory, and facts that relate registers.

use std::rc::Rc;

use cairn_ir::inst::{CompareOp, ConvertOp};
use cairn_ir::{Operand, Reg, Ty};

use super::Forgetting;
use super::relations::{Affine, Relations};
use super::world::Table;
use crate::domain::map::{Map, TEXT_FILTER, filter_of};
use crate::domain::memory::{self, Memory, Rename};
use crate::domain::number::{Num, signed};
use crate::domain::value::{Flags, Obj, Target, Text, Value};
use crate::limits::MAX_FACTS;

/// How a register was computed. The fact holds as long as no register in it is assigned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// A copy of a register.
    Copy(Reg),
    /// A register plus a constant, of this width.
    Sum(Reg, u64, u32),
    /// An element of an array: base, index and scale.
    Element(Operand, Reg, i64),
    /// A register times a constant, of this width.
    Product(Reg, u64, u32),
    /// A conversion between these widths.
    Convert(ConvertOp, u32, u32, Reg),
    /// A comparison of values of this type.
    Compare(CompareOp, Ty, Operand, Operand),
    /// The value in memory at an address; the object, if there is one only, is what a write has to miss.
    Load {
        /// The address.
        addr: Operand,
        /// The bytes added to it.
        offset: i64,
        /// The type of the value.
        ty: Ty,
        /// The only object that the address points to.
        object: Option<Obj>,
        /// The offset in the object, if it is exact and the object is a single one.
        at: Option<u64>,
    },
}

impl Origin {
    fn mentions(&self, reg: Reg) -> bool {
        let is = |operand: &Operand| *operand == Operand::Reg(reg);
        match self {
            Origin::Copy(src) | Origin::Sum(src, ..) | Origin::Product(src, ..) | Origin::Convert(.., src) => {
                *src == reg
            }
            Origin::Element(base, index, _) => is(base) || *index == reg,
            Origin::Compare(_, _, lhs, rhs) => is(lhs) || is(rhs),
            Origin::Load { addr, .. } => is(addr),
        }
    }
}

/// A fact about a register.
pub type Fact = (Reg, Origin);

/// The abstract state of a function at a program point.
#[derive(Clone, Debug)]
pub struct State {
    /// The registers that were assigned.
    pub regs: Map<Value>,
    /// The memory.
    pub memory: Memory,
    /// How registers were computed, the oldest first.
    pub facts: Rc<Vec<Fact>>,
    /// What has become of pointers that existed when the function was called, by their object: objects and flags of a pointer
    /// to offset 0. Pointers to other objects are as they were.
    pub fates: Map<Value>,
    /// Whether an assumption was made on the way here.
    pub is_tainted: bool,
    /// Whether the function has written through a pointer that may point anywhere.
    pub writes_anywhere: bool,
    /// Relations between registers, sizes and elements.
    pub relations: Rc<Relations>,
    /// Arrays that a loop has written from their start.
    pub filled: Rc<Vec<Filled>>,
}

/// The first elements of an array are written: as many as a counter says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Filled {
    /// The array.
    pub obj: Obj,
    /// The counter.
    pub counter: Reg,
    /// The size of an element in bytes.
    pub size: u32,
    /// Whether the element with the number of the counter is written, too.
    pub is_inclusive: bool,
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.regs == other.regs
            && self.is_tainted == other.is_tainted
            && self.writes_anywhere == other.writes_anywhere
            && self.fates == other.fates
            && self.filled == other.filled
            && self.relations == other.relations
            && (Rc::ptr_eq(&self.facts, &other.facts) || self.facts == other.facts)
            && (self.memory.is_same(&other.memory) || self.memory == other.memory)
    }
}

impl State {
    /// Creates a state without registers.
    pub fn new(memory: Memory) -> Self {
        State {
            regs: Map::default(),
            memory,
            facts: Rc::default(),
            fates: Map::default(),
            is_tainted: false,
            writes_anywhere: false,
            filled: Rc::default(),
            relations: Rc::default(),
        }
    }

    /// Assigns a register and forgets what was known about its old value.
    pub fn assign(&mut self, reg: Reg, value: Value) {
        if self.facts.iter().any(|(r, origin)| *r == reg || origin.mentions(reg)) {
            Rc::make_mut(&mut self.facts).retain(|(r, origin)| *r != reg && !origin.mentions(reg));
        }
        if self.relations.mentions(reg) {
            Rc::make_mut(&mut self.relations).forget(reg);
        }
        if self.filled.iter().any(|filled| filled.counter == reg) {
            Rc::make_mut(&mut self.filled).retain(|filled| filled.counter != reg);
        }
        self.regs.insert(reg.0, value);
    }

    /// Returns a pointer with the knowledge that it is not behind a zero byte, if another description of the register says so.
    fn in_text(&self, value: &Value, other: &Value, table: &Table<'_>) -> Option<Value> {
        if other.filter() & TEXT_FILTER == 0 {
            return None;
        }
        let pointer = crate::domain::object::Initial::pointer_bits(table);
        let mut new = value.clone();
        for target in new.targets.iter_mut().filter(|target| target.text == Text::Unknown) {
            let is_wanted = other.targets.iter().any(|t| t.obj == target.obj && t.text != Text::Unknown);
            if !is_wanted {
                continue;
            }
            let zero = match self.memory.get(target.obj.0) {
                Some(object) => object.zero_from,
                None => memory::World::unchanged(table, target.obj).and_then(|object| object.zero_from),
            };
            if zero.is_some_and(|zero| target.offset.unsigned(pointer).1 <= zero) {
                target.text = Text::Inside;
            }
        }
        (new != *value).then_some(new)
    }

    /// Adds the pointers that move with counters in a joined state.
    ///
    /// Two states with exact values suggest a relation, and a relation of one state is kept if the exact values of the other satisfy it.
    fn with_affine(&self, other: &State, mut relations: Rc<Relations>, widths: &[u32], pointer: u32) -> Rc<Relations> {
        let point = |state: &State, affine: &Affine| -> Option<bool> {
            let (offset, counter) = (state.exact_offset(affine.pointer)?, state.exact_number(affine.counter, widths)?);
            Some(offset.1 == counter.checked_mul(affine.scale)?.checked_add(affine.add)?)
        };
        let holds = |state: &State, affine: &Affine| {
            state.relations.affine.contains(affine) || point(state, affine) == Some(true)
        };
        let mut found: Vec<Affine> = Vec::new();
        for affine in self.relations.affine.iter().chain(&other.relations.affine) {
            if !found.contains(affine) && holds(self, affine) && holds(other, affine) {
                found.push(*affine);
            }
        }
        // A pointer and a counter that have just been changed for the first time.
        let mut pointers: Vec<(Reg, i64, i64)> = Vec::new();
        let mut counters: Vec<(Reg, i64, i64)> = Vec::new();
        let mut seen = 0;
        let mut changed: Vec<Reg> = Vec::new();
        let _ = self.regs.merge(&other.regs, &mut |key, a, _| {
            seen += 1;
            if seen < 40 {
                changed.push(Reg(key));
            }
            a.cloned()
        });
        for reg in changed {
            if let (Some((obj, a)), Some((same, b))) = (self.exact_offset(reg), other.exact_offset(reg))
                && obj == same
                && a != b
            {
                pointers.push((reg, a, b));
            } else if let (Some(a), Some(b)) = (self.exact_number(reg, widths), other.exact_number(reg, widths))
                && a != b
            {
                counters.push((reg, a, b));
            }
        }
        for &(moved, k0, k1) in pointers.iter().take(4) {
            for &(counter, c0, c1) in counters.iter().take(4) {
                let (Some(rise), Some(run)) = (k1.checked_sub(k0), c1.checked_sub(c0)) else { continue };
                if run == 0 || rise % run != 0 {
                    continue;
                }
                let scale = rise / run;
                let Some(add) = c0.checked_mul(scale).and_then(|product| k0.checked_sub(product)) else { continue };
                let affine = Affine { pointer: moved, counter, scale, add };
                if scale.unsigned_abs() < 1 << 20 && !found.contains(&affine) {
                    found.push(affine);
                }
            }
        }
        let _ = pointer;
        found.truncate(8);
        if found != relations.affine {
            Rc::make_mut(&mut relations).affine = found;
        }
        relations
    }

    /// Returns the object and the offset of a pointer to one place.
    fn exact_offset(&self, reg: Reg) -> Option<(Obj, i64)> {
        let value = self.regs.get(reg.0)?;
        match &value.targets[..] {
            [target] if value.num.is_none() && value.flags == Flags::NONE => {
                Some((target.obj, target.offset.value()? as i64))
            }
            _ => None,
        }
    }

    fn exact_number(&self, reg: Reg, widths: &[u32]) -> Option<i64> {
        let width = widths[reg.index()];
        let value = self.regs.get(reg.0)?.plain()?.value()?;
        (width <= 64).then(|| signed(value, width))
    }

    /// Returns the state without what has changed since an older one, so that iterations end.
    pub fn collapsed(&self, old: &State, widths: &[u32], pointer: u32, how: Forgetting) -> State {
        let mut state = self.clone();
        for (key, value) in self.regs.entries() {
            if old.regs.get(key) != Some(value) {
                let new = how.value(value, widths[key as usize], pointer);
                state.regs.insert(key, new);
            }
        }
        for (key, object) in self.memory.entries() {
            let before = old.memory.get(key);
            if before.is_none_or(|other| **other != **object) {
                let new = how.object(before.map(|object| &**object), object, pointer);
                state.memory.insert(key, Rc::new(new));
            }
        }
        (state.facts, state.filled, state.relations) = (Rc::default(), Rc::default(), Rc::default());
        state
    }

    /// Forgets that an array is written from its start.
    pub fn forget_filled(&mut self, obj: Obj) {
        if self.relations.written.iter().any(|(other, _)| *other == obj) {
            Rc::make_mut(&mut self.relations).written.retain(|(other, _)| *other != obj);
        }
        if self.filled.iter().any(|filled| filled.obj == obj) {
            Rc::make_mut(&mut self.filled).retain(|filled| filled.obj != obj);
        }
    }

    /// Returns whether the first elements of an array are written, as many as a counter says.
    pub fn is_filled(&self, obj: Obj, counter: Reg, size: u32) -> bool {
        let is_zero = |reg: Reg| self.regs.get(reg.0).and_then(Value::plain).and_then(Num::value) == Some(0);
        is_zero(counter)
            || self.filled.iter().any(|f| f.obj == obj && f.counter == counter && f.size == size && !f.is_inclusive)
    }

    /// Records how a register was computed.
    pub fn note(&mut self, reg: Reg, origin: Origin) {
        if origin.mentions(reg) {
            return;
        }
        let facts = Rc::make_mut(&mut self.facts);
        if facts.len() >= MAX_FACTS {
            facts.remove(0);
        }
        facts.push((reg, origin));
    }

    /// Returns how a register was computed.
    pub fn origin(&self, reg: Reg) -> Option<Origin> {
        self.facts.iter().rev().find(|(r, _)| *r == reg).map(|(_, origin)| *origin)
    }

    /// Returns the conversion that a register was computed by.
    pub fn conversion(&self, reg: Reg) -> Option<Origin> {
        let is_conversion = |origin: &Origin| matches!(origin, Origin::Convert(..));
        self.facts.iter().rev().find(|(r, origin)| *r == reg && is_conversion(origin)).map(|(_, origin)| *origin)
    }

    /// Returns the register that a register is a copy of.
    pub fn root(&self, mut reg: Reg) -> Reg {
        for _ in 0..8 {
            match self.origin(reg) {
                Some(Origin::Copy(src)) => reg = src,
                _ => break,
            }
        }
        reg
    }

    /// Forgets what was loaded from memory that may have changed.
    pub fn forget_loads(&mut self, is_changed: &dyn Fn(Obj) -> bool) {
        let is_stale = |origin: &Origin| matches!(origin, Origin::Load { object, .. } if object.is_none_or(is_changed));
        if self.facts.iter().any(|(_, origin)| is_stale(origin)) {
            Rc::make_mut(&mut self.facts).retain(|(_, origin)| !is_stale(origin));
        }
        if self.relations.elements.iter().any(|element| is_changed(element.obj)) {
            Rc::make_mut(&mut self.relations).forget_elements(is_changed);
        }
    }

    /// Changes all pointers to an object that are in registers, and what becomes of pointers.
    pub fn rename_registers(&mut self, rename: &Rename, pointer: u32) {
        let filter = filter_of(rename.from.0);
        self.regs.replace(filter, &mut |_, value| rename.apply(value, pointer));
        self.fates.replace(filter, &mut |_, value| rename.apply(value, pointer));
        if !self.relations.is_empty() {
            Rc::make_mut(&mut self.relations).rename(rename, pointer);
        }
        if self.fates.get(rename.from.0).is_none() {
            let itself = Value::pointer(rename.from, Num::constant(0, pointer));
            if let Some(fate) = rename.apply(&itself, pointer) {
                self.fates.insert(rename.from.0, fate);
            }
        }
    }

    /// Forgets that pointers to an object are before its last zero byte.
    pub fn leave_text(&mut self, obj: Obj, pointer: u32) {
        let rename = Rename { from: obj, to: None, fate: memory::Fate::LeavesText };
        if self.regs.filter() & TEXT_FILTER != 0 {
            self.regs.replace(TEXT_FILTER, &mut |_, value| rename.apply(value, pointer));
        }
        if !self.relations.elements.is_empty() {
            Rc::make_mut(&mut self.relations).change_values(&rename, pointer);
        }
    }

    /// Applies what a call has done to pointers: to registers, and to what has become of older pointers.
    pub fn apply_fates(&mut self, fates: &Map<Value>, pointer: u32) {
        if fates.is_empty() {
            return;
        }
        for (key, _) in fates.entries() {
            if self.fates.get(key).is_none() {
                self.fates.insert(key, Value::pointer(Obj(key), Num::constant(0, pointer)));
            }
        }
        let filter = fates.entries().iter().fold(0, |all, (key, _)| all | filter_of(*key));
        self.regs.replace(filter, &mut |_, value| changed(value, fates, pointer));
        if !self.relations.is_empty() {
            let relations = Rc::make_mut(&mut self.relations);
            for (key, _) in fates.entries() {
                relations.forget_object(Obj(key));
            }
            for element in &mut relations.elements {
                if let Some(value) = changed(&element.value, fates, pointer) {
                    element.value = value;
                }
            }
        }
        self.fates.replace(filter, &mut |_, value| changed(value, fates, pointer));
    }

    /// Joins or widens two states. Registers are given by their widths.
    pub fn combine(&self, other: &State, widths: &[u32], table: &Table<'_>, thresholds: Option<&[u64]>) -> State {
        use crate::domain::object::Initial;
        let pointer = table.pointer_bits();
        let regs = self.regs.merge(&other.regs, &mut |key, a, b| {
            let width = widths[key as usize];
            let unset = Value::uninit();
            let (a, b) = (a.unwrap_or(&unset), b.unwrap_or(&unset));
            let (left, right) = (self.in_text(a, b, table), other.in_text(b, a, table));
            let (a, b) = (left.as_ref().unwrap_or(a), right.as_ref().unwrap_or(b));
            Some(match thresholds {
                Some(thresholds) => a.widen(b, width, pointer, thresholds),
                None => a.join(b, width, pointer),
            })
        });
        let memory = if self.memory.is_same(&other.memory) {
            self.memory.clone()
        } else {
            memory::combine(&self.memory, &other.memory, table, thresholds)
        };
        let facts = if Rc::ptr_eq(&self.facts, &other.facts) || self.facts == other.facts {
            self.facts.clone()
        } else {
            Rc::new(self.facts.iter().filter(|fact| other.facts.contains(fact)).copied().collect())
        };
        let fates = self.fates.merge(&other.fates, &mut |key, a, b| {
            let itself = Value::pointer(Obj(key), Num::constant(0, pointer));
            Some(a.unwrap_or(&itself).join(b.unwrap_or(&itself), pointer, pointer))
        });
        let holds = |state: &State, f: &Filled| {
            if f.is_inclusive { state.filled.contains(f) } else { state.is_filled(f.obj, f.counter, f.size) }
        };
        let filled = if self.filled == other.filled {
            self.filled.clone()
        } else {
            let mut filled: Vec<Filled> = self.filled.iter().filter(|f| holds(other, f)).copied().collect();
            filled.extend(other.filled.iter().filter(|f| !self.filled.contains(f) && holds(self, f)).copied());
            filled.sort_by_key(|f| (f.obj, f.counter, f.size, f.is_inclusive));
            filled.dedup();
            Rc::new(filled)
        };
        let relations = if Rc::ptr_eq(&self.relations, &other.relations) || self.relations == other.relations {
            self.relations.clone()
        } else {
            Rc::new(self.relations.join(&other.relations, pointer))
        };
        let relations = self.with_affine(other, relations, widths, pointer);
        let is_tainted = self.is_tainted || other.is_tainted;
        let writes_anywhere = self.writes_anywhere || other.writes_anywhere;
        State { regs, memory, facts, fates, is_tainted, writes_anywhere, relations, filled }
    }
}

/// Returns a value after a change of pointers; `None` if it is not concerned.
pub fn changed(value: &Value, fates: &Map<Value>, pointer: u32) -> Option<Value> {
    if !value.targets.iter().any(|target| fates.get(target.obj.0).is_some()) {
        return None;
    }
    let mut new = Value { targets: smallvec::SmallVec::new(), ..value.clone() };
    for target in &value.targets {
        match fates.get(target.obj.0) {
            None => new.add_target(*target, pointer),
            Some(fate) => {
                new.flags = new.flags.with(fate.flags);
                new.forget_target(*target, pointer, pointer);
                for to in &fate.targets {
                    new.add_target(Target { obj: to.obj, offset: target.offset, text: Text::Unknown }, pointer);
                }
            }
        }
    }
    Some(new)
}

impl Origin {
    /// Returns whether the fact reads a register that `is` selects.
    pub fn reads(&self, is: &dyn Fn(Reg) -> bool) -> bool {
        let reads = |operand: &Operand| matches!(operand, Operand::Reg(reg) if is(*reg));
        match self {
            Origin::Copy(src) | Origin::Sum(src, ..) | Origin::Product(src, ..) | Origin::Convert(.., src) => is(*src),
            Origin::Element(base, index, _) => reads(base) || is(*index),
            Origin::Compare(_, _, lhs, rhs) => reads(lhs) || reads(rhs),
            Origin::Load { addr, .. } => reads(addr),
        }
    }
}
