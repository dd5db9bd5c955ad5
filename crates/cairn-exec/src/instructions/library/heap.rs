//! Allocation: `malloc`, `calloc`, `realloc`, `free` and `alloca`.

use std::ops::ControlFlow::{Break, Continue};
use std::rc::Rc;

use cairn_ir::{CheckKind, Loc};
use cairn_memory::object::{End, ObjectKind};
use cairn_memory::pointer::ObjectId;
use cairn_memory::symbolic::Initial;
use cairn_portfolio::Reason;
use cairn_smt::Term;

use super::IntrinsicCall;
use crate::allocation::Target;
use crate::state::{Choice, State};
use crate::step::{Flow, Step, Stop, or_stop};
use crate::{Machine, Mode};

impl<M: Mode> Machine<'_, M> {
    /// Allocates a heap object, and adds the state where the allocation fails if that is possible.
    pub(super) fn allocate(
        &mut self,
        mut state: State<M>,
        call: &IntrinsicCall,
        size: Term,
        initial: Initial,
        out: &mut Vec<State<M>>,
    ) -> Step<M> {
        self.add_failed_allocation(&state, call, out);
        state.choices.push(Choice::Allocation(true));
        let id = self.heap_object(&mut state, size, initial, call.loc);
        let base = state.memory.get(id).base;
        self.finish(state, call.dst, base)
    }

    /// Adds the state where an allocation fails, if that is possible.
    fn add_failed_allocation(&mut self, state: &State<M>, call: &IntrinsicCall, out: &mut Vec<State<M>>) {
        if self.options.malloc_fails {
            let mut failed = state.clone();
            failed.choices.push(Choice::Allocation(false));
            let null = self.terms.constant(0, self.pointer_bits);
            out.extend(self.finish(failed, call.dst, null).continue_value());
        }
    }

    pub(super) fn allocate_aligned(
        &mut self,
        state: State<M>,
        call: &IntrinsicCall,
        out: &mut Vec<State<M>>,
    ) -> Step<M> {
        // An alignment that is not a power of two fails.
        let (state, align) = self.concrete(state, call.values[0], out)?;
        if align.is_power_of_two() {
            self.allocate(state, call, call.values[1], Initial::Undefined, out)
        } else {
            let null = self.terms.constant(0, self.pointer_bits);
            self.finish(state, call.dst, null)
        }
    }

    pub(super) fn allocate_zeroed(
        &mut self,
        mut state: State<M>,
        call: &IntrinsicCall,
        out: &mut Vec<State<M>>,
    ) -> Step<M> {
        let (count, width) = (call.values[0], call.values[1]);
        let size = self.terms.mul(count, width);
        // The product must not wrap: computed in twice the width, its high half is zero.
        let wide = 2 * self.pointer_bits;
        if wide <= 128 {
            let (x, y) = (self.terms.zext(count, wide), self.terms.zext(width, wide));
            let product = self.terms.mul(x, y);
            let high = self.terms.extract(product, self.pointer_bits, self.pointer_bits);
            let zero = self.terms.constant(0, self.pointer_bits);
            let fits = self.terms.eq(high, zero);
            let (good, bad) = self.branch(state, fits);
            if let Some(bad) = bad {
                out.extend(self.finish(bad, call.dst, zero).continue_value());
            }
            state = or_stop(good, Stop::Split)?;
        }
        self.allocate(state, call, size, Initial::Bytes(Rc::from([])), out)
    }

    pub(super) fn allocate_on_stack(&mut self, mut state: State<M>, call: &IntrinsicCall) -> Step<M> {
        let born = state.stack(call.loc).into();
        let shape = (call.values[0], 16);
        let name = Rc::from("alloca");
        let id = self.add_object(&mut state.memory, ObjectKind::Alloca, shape, Initial::Undefined, name, born);
        state.top_mut().owned.push(id);
        self.begin_life(&mut state, id);
        let base = state.memory.get(id).base;
        self.finish(state, call.dst, base)
    }

    /// Adds a heap object of zero bytes that a function without a body has made.
    pub fn new_heap_object(&mut self, state: &mut State<M>, size: u64, loc: Loc) -> ObjectId {
        let size = self.terms.constant(u128::from(size), self.pointer_bits);
        self.heap_object(state, size, Initial::Bytes(Rc::from([])), loc)
    }

    /// Creates an object that belongs to the system: it is neither leaked nor freed.
    pub(super) fn map_memory(&mut self, state: State<M>, call: &IntrinsicCall) -> Step<M> {
        self.zeroed_object(state, call, ObjectKind::Mapping, 1)
    }

    /// Creates a stream or folder, which the program must close.
    pub(super) fn open_resource(&mut self, state: State<M>, call: &IntrinsicCall) -> Step<M> {
        self.zeroed_object(state, call, ObjectKind::Resource, 16)
    }

    fn zeroed_object(&mut self, mut state: State<M>, call: &IntrinsicCall, kind: ObjectKind, align: u64) -> Step<M> {
        let born = state.stack(call.loc).into();
        let zeros = Initial::Bytes(Rc::from([]));
        let id = self.add_object(&mut state.memory, kind, (call.values[0], align), zeros, Rc::from(""), born);
        let base = state.memory.get(id).base;
        self.finish(state, call.dst, base)
    }

    /// Ends the life of memory of the system; the result is 0 if the pointer is not the start of such memory of this size.
    pub(super) fn unmap_memory(
        &mut self,
        mut state: State<M>,
        call: &IntrinsicCall,
        out: &mut Vec<State<M>>,
    ) -> Step<M> {
        let mut found = None;
        match self.locate(&state, call.values[0]) {
            Target::Either(condition) => return self.split(state, condition, out),
            Target::Segment(id, side, _) => return self.unfold(state, id, side, out),
            Target::Object(id, offset) => {
                let object = state.memory.get(id);
                if object.kind == ObjectKind::Mapping && object.end == End::Live {
                    let zero = self.terms.constant(0, self.pointer_bits);
                    let (starts, whole) = (self.terms.eq(offset, zero), self.terms.eq(object.size, call.values[1]));
                    let matches = self.terms.and(starts, whole);
                    match state.path.value(&self.terms, matches) {
                        None => return self.split(state, matches, out),
                        Some(holds) => found = (holds == 1).then_some(id),
                    }
                }
            }
            Target::Constant(_) | Target::Wild => {}
        }
        if let Some(id) = found {
            let count = state.memory.len() as u32;
            let object = state.memory.get_mut(id);
            (object.end, object.died) = (End::Freed, Some(count));
        }
        let result = self.terms.constant(found.is_some().into(), 32);
        self.finish(state, call.dst, result)
    }

    fn heap_object(&mut self, state: &mut State<M>, size: Term, initial: Initial, loc: Loc) -> ObjectId {
        let is_uninitialised = initial == Initial::Undefined;
        let born = state.stack(loc).into();
        let id = self.add_object(&mut state.memory, ObjectKind::Heap, (size, 16), initial, Rc::from(""), born);
        if is_uninitialised {
            self.begin_life(state, id);
        }
        id
    }

    /// Ends the life of the object of the first argument, which is to be of a kind, and returns it; `None` for a null pointer, which is
    /// valid to free.
    pub(super) fn free(
        &mut self,
        mut state: State<M>,
        call: &IntrinsicCall,
        wanted: ObjectKind,
        end: End,
        out: &mut Vec<State<M>>,
    ) -> Flow<(State<M>, Option<ObjectId>)> {
        let &IntrinsicCall { checks, loc, .. } = call;
        let mut pointer = call.values[0];
        let zero = self.terms.constant(0, self.pointer_bits);
        if M::ASSUMES && matches!(self.target(&state, pointer), Target::Wild) {
            // That null may be freed says nothing about the pointer, so that only the code's own branches make it null.
            let (next, found) = M::materialise(self, state, pointer);
            state = next;
            pointer = found.unwrap_or(pointer);
        }
        let (id, offset) = match self.locate(&state, pointer) {
            Target::Object(id, offset) => (id, offset),
            Target::Segment(id, side, _) => return self.unfold(state, id, side, out),
            Target::Constant(0) => return Continue((state, None)),
            Target::Either(condition) => return self.split(state, condition, out),
            Target::Constant(_) | Target::Wild => {
                let null = self.terms.eq(pointer, zero);
                let state = self.require(state, null, CheckKind::InvalidFree, checks, loc)?;
                return Continue((state, None));
            }
        };
        let start = self.terms.eq(offset, zero);
        state = self.require(state, start, CheckKind::InvalidFree, checks, loc)?;
        let object = state.memory.get(id);
        let fault = match (object.kind == wanted, object.end) {
            (true, End::Live) => None,
            (true, _) => Some(CheckKind::DoubleFree),
            _ => Some(CheckKind::InvalidFree),
        };
        if let Some(kind) = fault {
            self.report(&state, kind, checks, loc);
            return Break(Stop::Ended);
        }
        let count = state.memory.len() as u32;
        let object = state.memory.get_mut(id);
        object.end = end;
        object.died = Some(count);
        Continue((state, Some(id)))
    }

    pub(super) fn reallocate(&mut self, state: State<M>, call: &IntrinsicCall, out: &mut Vec<State<M>>) -> Step<M> {
        let (pointer, size) = (call.values[0], call.values[1]);
        let zero = self.terms.constant(0, self.pointer_bits);
        match self.target(&state, pointer) {
            Target::Constant(0) => return self.allocate(state, call, size, Initial::Undefined, out),
            Target::Either(condition) => return self.split(state, condition, out),
            Target::Segment(id, side, _) => return self.unfold(state, id, side, out),
            Target::Wild if M::ASSUMES => {
                let null = self.terms.eq(pointer, zero);
                if state.path.value(&self.terms, null).is_none() {
                    return self.split(state, null, out);
                }
            }
            _ => {}
        }
        // `realloc(p, 0)` frees the object and returns null. If any behaviour is permitted, a new object is the other one.
        let any = self.terms.as_const(call.values[2]) == Some(1);
        let empty = self.terms.eq(size, zero);
        let empty = match state.path.value(&self.terms, empty) {
            // Callers are expected to ask for some bytes, unless the code shows otherwise.
            None if M::ASSUMES
                && let (_, Some(state)) = self.branch(state.clone(), empty) =>
            {
                M::note_assumed(self, None);
                return self.reallocate(state, call, out);
            }
            None => return self.split(state, empty, out),
            Some(empty) => empty == 1,
        };
        if empty {
            let (mut freed, old) = self.free(state.clone(), call, ObjectKind::Heap, End::Freed, out)?;
            match (old, any) {
                (None, false) => return self.allocate(freed, call, size, Initial::Undefined, out),
                (Some(_), false) => return self.finish(freed, call.dst, zero),
                (None, true) => {}
                (Some(_), true) => {
                    freed.choices.push(Choice::Allocation(false));
                    out.extend(self.finish(freed, call.dst, zero).continue_value());
                }
            }
            // The first input chooses the new object, the second one whether its allocation succeeds.
            let mut chosen = state.clone();
            chosen.choices.push(Choice::Allocation(true));
            self.add_failed_allocation(&chosen, call, out);
        } else {
            self.add_failed_allocation(&state, call, out);
        }
        let (state, new_size) = self.length(state, size, out)?;
        let (mut state, old) = self.free(state, call, ObjectKind::Heap, End::Reallocated, out)?;
        // Only the solver could tell that the pointer is null.
        let Some(old) = old else { return self.allocate(state, call, size, Initial::Undefined, out) };
        if empty {
            state.choices.push(Choice::Allocation(true));
        }
        let old_size = state.memory.get(old).size;
        let (new_size, old_size) = match (self.terms.as_const(new_size), state.path.value(&self.terms, old_size)) {
            (Some(new_size), Some(old_size)) => (new_size, old_size),
            _ if M::ABSTRACTS => {
                let id = self.heap_object(&mut state, size, Initial::Undefined, call.loc);
                self.keep_cells(&mut state, id, old);
                let base = state.memory.get(id).base;
                return self.finish(state, call.dst, base);
            }
            _ => {
                self.gaps.insert(Reason::NotModelled("`realloc` of an object of symbolic size".to_owned()));
                return Break(Stop::Ended);
            }
        };
        state.choices.push(Choice::Allocation(true));
        let id = self.heap_object(&mut state, size, Initial::Undefined, call.loc);
        let len = old_size.min(new_size) as u64;
        if len > 0 {
            self.copy(&mut state, (id, 0), (old, 0), len);
        }
        let base = state.memory.get(id).base;
        self.finish(state, call.dst, base)
    }
}
