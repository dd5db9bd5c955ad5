//! Allocation and deallocation.
//!
//! An allocation site has two objects: the newest one, which stands for a single object, and one for all older ones (Balakrishnan and
//! Reps, "Recency-Abstraction for Heap-Allocated Storage", 2006). A further allocation turns the newest object into an older one.

use cairn_ir::{CheckKind, Checks, Intrinsic, Reg};

use crate::analysis::Analysis;
use crate::analysis::state::State;
use crate::analysis::world::{Age, Kind, Site};
use crate::domain::memory::{Fate, Rename};
use crate::domain::number::Num;
use crate::domain::object::{Back, Life, Object};
use crate::domain::value::{Flags, Obj, Value};

/// What `free` or `fclose` may be applied to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Freed {
    /// A heap object.
    Heap,
    /// A stream or folder.
    Resource,
}

impl Freed {
    const fn is(self, kind: &Kind) -> bool {
        match self {
            Freed::Heap => matches!(kind, Kind::Heap(..)),
            Freed::Resource => matches!(kind, Kind::Resource(..)),
        }
    }
}

impl Analysis<'_> {
    fn largest(&self) -> u64 {
        (1u64 << (self.pointer - 1)) - 1
    }

    /// Executes `malloc`, `calloc` or `aligned_alloc`.
    pub fn allocation(&mut self, state: &mut State, op: Intrinsic, values: &[Value]) -> Value {
        let none = Value::none();
        let arg = |index: usize| values.get(index).unwrap_or(&none);
        // The checks of allocations are about the end of the program.
        if values.iter().any(Value::may_be_uninit) {
            self.frame().has_other_faults = true;
        }
        let number = |value: &Value| {
            let num = value.number(self.pointer);
            if self.pointer < 64 { num.zero_extend(self.pointer) } else { num }
        };
        let (size, back, mut may_fail) = match op {
            Intrinsic::HeapAllocZeroed => {
                let (count, size) = (number(arg(0)), number(arg(1)));
                let most = count.unsigned(64).1.checked_mul(size.unsigned(64).1);
                match most.filter(|&most| most <= self.largest()) {
                    Some(_) => (count.mul(size, 64), Back::ZERO, false),
                    None => (Num::between(0, self.largest()), Back::ZERO, true),
                }
            }
            Intrinsic::HeapAllocAligned => {
                let is_power = number(arg(0)).value().is_some_and(u64::is_power_of_two);
                (number(arg(1)), Back::UNINIT, !is_power)
            }
            _ => (number(arg(0)), Back::UNINIT, false),
        };
        may_fail |= self.options.malloc_fails || size.unsigned(64).1 > self.largest();
        let Some(size) = size.meet(Num::between(0, self.largest()), 64) else {
            return Value::constant(0, self.pointer);
        };
        let size = if size.unsigned(64).1 > self.largest() { Num::between(0, self.largest()) } else { size };
        let site = self.allocation_site();
        let obj = self.allocate(state, &|age| Kind::Heap(site, age), size, back);
        let mut value = Value::pointer(obj, Num::constant(0, self.pointer));
        if may_fail {
            value.num = Some(Num::constant(0, self.pointer));
        }
        value
    }

    /// Creates the newest object of a site.
    pub fn allocate(&mut self, state: &mut State, kind: &dyn Fn(Age) -> Kind, size: Num, back: Back) -> Obj {
        self.allocate_anew(state, kind, size, back).0
    }

    /// Creates an object. Also returns how pointers to the object that was the newest one before are renamed.
    fn allocate_anew(
        &mut self,
        state: &mut State,
        kind: &dyn Fn(Age) -> Kind,
        size: Num,
        back: Back,
    ) -> (Obj, Option<Rename>) {
        let mut renamed = None;
        let (newest, older) = (self.table.id(kind(Age::Newest)), self.table.id(kind(Age::Older)));
        self.touch(newest);
        self.touch(older);
        self.frame().created.extend([newest.0, older.0]);
        if let Some(object) = state.memory.get(newest.0).cloned() {
            if object.life == Life::FREED {
                let rename = Rename { from: newest, to: None, fate: Fate::Freed };
                self.rename(state, rename);
                renamed = Some(rename);
            } else {
                let rename = Rename { from: newest, to: Some(older), fate: Fate::Moves };
                self.rename(state, rename);
                renamed = Some(rename);
                // The renaming may have changed the object itself.
                let object = state.memory.get(newest.0).cloned().unwrap_or(object);
                let mut folded = match state.memory.get(older.0) {
                    Some(old) => old.combine(&object, older, &self.table, None),
                    None => Object::clone(&object),
                };
                folded.is_single = false;
                self.set_object(state, older, folded);
            }
            state.forget_loads(&|_| true);
        }
        self.set_object(state, newest, Object::new(size, back));
        (newest, renamed)
    }

    /// Executes `alloca`.
    pub fn stack_allocation(&mut self, state: &mut State, size: Num) -> Value {
        let site = self.allocation_site();
        let obj = self.allocate(state, &|age| Kind::Alloca(site, age), size, Back::UNINIT);
        let older = self.table.id(Kind::Alloca(site, Age::Older));
        self.frame().allocas.extend([obj, older]);
        Value::pointer(obj, Num::constant(0, self.pointer))
    }

    /// Executes `mmap` of fresh pages.
    pub fn mapping(&mut self, state: &mut State, size: Num) -> Value {
        let site = self.allocation_site();
        let obj = self.allocate(state, &|age| Kind::Mapping(site, age), size, Back::ZERO);
        Value::pointer(obj, Num::constant(0, self.pointer))
    }

    /// Opens a stream or folder.
    pub fn resource(&mut self, state: &mut State, size: Num) -> Value {
        let site = self.allocation_site();
        let obj = self.allocate(state, &|age| Kind::Resource(site, age), size, Back::ZERO);
        Value::pointer(obj, Num::constant(0, self.pointer))
    }

    /// Executes `munmap`.
    pub fn unmap(&mut self, state: &mut State, address: &Value) {
        let is_anywhere = address.flags.has(Flags::ANYWHERE);
        let mut objects: Vec<Obj> = address.targets.iter().map(|target| target.obj).collect();
        if is_anywhere {
            objects.clear();
            self.free_anywhere(state);
        }
        for obj in objects {
            if matches!(self.table.kind(obj), Kind::Mapping(..))
                && let Some(object) = self.object(&state.memory, obj)
            {
                let mut new = Object::clone(&object);
                new.life = new.life.or(Life::FREED);
                self.set_object(state, obj, new);
            }
        }
    }

    /// Checks that a pointer may be freed or closed. Returns the objects that it may point to, and whether it may be null.
    fn freeable(&mut self, state: &State, address: &Value, checks: Checks, freed: Freed) -> (Vec<Obj>, bool) {
        use CheckKind::{DoubleFree, InvalidFree, Uninitialised};
        if address.may_be_uninit() {
            self.alarm(checks, Uninitialised);
        }
        if address.flags.has(Flags::FREED.with(Flags::ANYWHERE)) {
            self.alarm(checks, DoubleFree);
            self.alarm(checks, InvalidFree);
        }
        if address.flags.has(Flags::ENDED) || address.num.is_some_and(|num| num.value() != Some(0)) {
            self.alarm(checks, InvalidFree);
        }
        let may_be_null = address.num.is_some_and(|num| num.contains(0, self.pointer));
        let mut found = Vec::new();
        for target in &address.targets {
            let is_wanted = freed.is(self.table.kind(target.obj));
            if !is_wanted || target.offset.value() != Some(0) {
                self.alarm(checks, InvalidFree);
            }
            if !is_wanted || !target.offset.contains(0, self.pointer) {
                continue;
            }
            let Some(object) = self.object(&state.memory, target.obj) else {
                self.alarm(checks, DoubleFree);
                continue;
            };
            if object.life.may_be(Life::FREED) || self.wild.frees() {
                self.alarm(checks, DoubleFree);
            }
            if object.life.may_be(Life::LIVE) {
                found.push(target.obj);
            }
        }
        (found, may_be_null)
    }

    /// Ends the life of heap objects.
    fn end_heap(&mut self, state: &mut State, objects: &[Obj], is_certain: bool) {
        for &obj in objects {
            let Some(object) = self.object(&state.memory, obj) else { continue };
            let mut new = Object::clone(&object);
            let is_only = objects.len() == 1 && is_certain && new.is_single;
            new.life = if is_only { Life::FREED } else { new.life.or(Life::FREED) };
            if is_only {
                // Nothing reads the contents any more.
                new = Object::new(new.size, Back::UNINIT);
                new.life = Life::FREED;
            }
            self.set_object(state, obj, new);
        }
        state.forget_loads(&|obj| objects.contains(&obj));
    }

    /// Executes `free`, or closes a resource. Returns whether an execution goes on after it.
    pub fn free(&mut self, state: &mut State, address: &Value, checks: Checks, freed: Freed) -> bool {
        let (objects, may_be_null) = self.freeable(state, address, checks, freed);
        let is_anywhere = address.flags.has(Flags::ANYWHERE);
        if is_anywhere {
            self.free_anywhere(state);
        }
        if objects.is_empty() && !may_be_null {
            return is_anywhere;
        }
        let is_certain = !may_be_null && !address.flags.has(Flags::ANYWHERE);
        self.end_heap(state, &objects, is_certain);
        true
    }

    /// Executes `realloc`.
    pub fn reallocate(&mut self, state: &mut State, old: &Value, size: Num, checks: Checks, dst: Option<Reg>) -> bool {
        let (objects, may_be_null) = self.freeable(state, old, checks, Freed::Heap);
        let is_anywhere = old.flags.has(Flags::ANYWHERE);
        if is_anywhere {
            self.free_anywhere(state);
        }
        if objects.is_empty() && !may_be_null && !is_anywhere {
            return false;
        }
        let may_be_zero = size.contains(0, 64);
        let may_fail = self.options.malloc_fails || size.unsigned(64).1 > self.largest();
        let mut contents: Option<Object> = None;
        for &obj in &objects {
            if let Some(object) = self.object(&state.memory, obj) {
                contents = Some(match contents {
                    Some(other) => other.combine(&object, obj, &self.table, None),
                    None => Object::clone(&object),
                });
            }
        }
        if is_anywhere {
            let mut unknown = Object::new(Num::between(0, self.largest()), Back::ANY);
            unknown.forget();
            contents = Some(unknown);
        }
        // If the allocation fails, the object stays.
        let is_too_large = size.unsigned(64).0 > self.largest();
        if may_fail {
            let mut failed = state.clone();
            if let Some(dst) = dst {
                failed.assign(dst, Value::constant(0, self.pointer));
            }
            if is_too_large {
                *state = failed;
                return true;
            }
            self.alternatives.push(failed);
        }
        let is_certain = !may_be_null && !old.flags.has(Flags::ANYWHERE);
        self.end_heap(state, &objects, is_certain);
        let site = self.allocation_site();
        let size = size.meet(Num::between(0, self.largest()), 64).unwrap_or(Num::constant(0, 64));
        let size = if size.unsigned(64).1 > self.largest() { Num::between(0, self.largest()) } else { size };
        let (obj, renamed) = self.allocate_anew(state, &|age| Kind::Heap(site, age), size, Back::UNINIT);
        if let Some(contents) = contents {
            let mut new = contents;
            let pointer = self.pointer;
            if let Some(rename) = renamed {
                // The contents may point to the object that was the newest one.
                new.map_values(&|value, _| rename.apply(value, pointer).unwrap_or_else(|| value.clone()));
            }
            // Only the bytes that the old and the new object have for certain keep their values.
            let kept = new.size.unsigned(64).0.min(size.unsigned(64).0);
            let end = new.size.unsigned(64).1.max(size.unsigned(64).1);
            if end > kept || may_be_null {
                new.back = new.back.or(Back::UNINIT);
                new.is_single = false;
                new.fill(kept, end - kept, &Value::uninit(), pointer);
            }
            new.init_to = new.init_to.min(kept);
            if may_be_null {
                let fresh = Object::new(size, Back::UNINIT);
                new = new.combine(&fresh, obj, &self.table, None);
            }
            new.life = Life::LIVE;
            new.is_single = true;
            new.size = size;
            new.zero_from = None;
            self.set_object(state, obj, new);
        }
        let mut value = Value::pointer(obj, Num::constant(0, self.pointer));
        if may_be_zero {
            value.num = Some(Num::constant(0, self.pointer));
        }
        if let Some(dst) = dst {
            state.assign(dst, value);
        }
        true
    }

    fn allocation_site(&mut self) -> Site {
        let mut points = self.frame().call_string.clone();
        points.push(self.point());
        self.table.site(points)
    }
}
