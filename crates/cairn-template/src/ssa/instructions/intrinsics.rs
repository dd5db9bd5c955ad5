//! Intrinsic operations. An operation that is not modelled ends the path and makes the formula incomplete.

use cairn_ir::inst::VariableClass;
use cairn_ir::{CheckKind, Intrinsic, Operand, Ty};

use crate::reason::Reason;
use crate::ssa::Event;
use crate::ssa::builder::{Builder, Operation, State};
use crate::ssa::knowledge::ObjectKey;
use crate::ssa::memory::access::Access;
use crate::ssa::memory::allocation::Contents;
use crate::ssa::value::{Base, Target, Value};

/// The contents that fill a range of memory.
enum Fill {
    /// A byte; `None` if it is not constant.
    Byte(Option<u8>),
    /// Inputs, one per byte.
    Inputs,
}

impl Builder<'_, '_> {
    /// Encodes an intrinsic operation. Returns the state after it; `None` if no execution continues.
    pub(in crate::ssa) fn intrinsic(
        &mut self,
        mut state: State,
        op: Intrinsic,
        args: &[Operand],
        at: Operation,
    ) -> Option<State> {
        let target = self.program.target;
        let frame = self.frames.last().expect("a function is being inlined");
        let result_ty = at.dst.map(|dst| frame.body.regs[dst.index()].ty);
        let mut values = Vec::with_capacity(args.len());
        for (index, &arg) in args.iter().enumerate() {
            let shape = op.params().get(index).copied();
            let ty = shape.and_then(|s| s.ty(target, result_ty)).unwrap_or(Ty::Ptr);
            values.push(self.operand(&mut state, arg, ty));
        }
        let width = result_ty.map_or(1, |ty| ty.bits(target));
        match op {
            Intrinsic::HeapAlloc => {
                let size = values[0].number(&mut self.terms);
                Some(self.allocate(state, size, Contents::Uninitialised, at))
            }
            Intrinsic::HeapAllocZeroed => self.allocate_zeroed(state, &values, at),
            Intrinsic::HeapFree => {
                self.free(&mut state, &values[0], at.checks, at.loc);
                Some(state)
            }
            Intrinsic::HeapRealloc => {
                let size = values[1].number(&mut self.terms);
                self.reallocate(state, &values[0], size, at)
            }
            Intrinsic::CopyBytes | Intrinsic::MoveBytes => self.copy_bytes(state, &values, &at),
            Intrinsic::FillBytes => {
                let byte = self.terms.as_const(values[1].bits).map(|byte| byte as u8);
                self.fill_bytes(state, &values[0], &values[2], Fill::Byte(byte), &at)
            }
            Intrinsic::NondetBytes => self.fill_bytes(state, &values[0], &values[1], Fill::Inputs, &at),
            Intrinsic::Nondet => {
                let value = Value::anything(&mut self.terms, "nondet", width);
                if at.dst.is_some() {
                    self.event(state.guard, Event::Value(value.bits));
                }
                Some(self.finish(state, at.dst, value, at.loc))
            }
            Intrinsic::Assume => {
                let condition = values[0].number(&mut self.terms);
                let zero = self.terms.constant(0, self.terms.width(condition));
                let holds = self.terms.ne(condition, zero);
                state.guard = self.terms.and(state.guard, holds);
                Some(state)
            }
            Intrinsic::AssertFail if !self.options.assert_faults => None,
            Intrinsic::AssertFail | Intrinsic::ReachError => {
                if self.options.kinds.contains(&CheckKind::Assertion) {
                    let never = self.terms.falsity();
                    self.require(&mut state, never, CheckKind::Assertion, at.checks, at.loc);
                }
                None
            }
            Intrinsic::Exit | Intrinsic::Abort => None,
            Intrinsic::ReadChar => {
                let value = self.terms.variable("input", 32);
                let (least, greatest) = (self.terms.constant(u128::MAX, 32), self.terms.constant(255, 32));
                let (above, below) = (self.terms.sle(least, value), self.terms.sle(value, greatest));
                let inside = self.terms.and(above, below);
                self.event(state.guard, Event::Value(value));
                state.guard = self.terms.and(state.guard, inside);
                Some(self.finish(state, at.dst, Value::integer(value), at.loc))
            }
            Intrinsic::Math(_) | Intrinsic::Time | Intrinsic::Clock | Intrinsic::Vary => {
                let value = Value::anything(&mut self.terms, "anything", width);
                Some(self.finish(state, at.dst, value, at.loc))
            }
            Intrinsic::Order => {
                let number = values[0].number(&mut self.terms);
                let order = self.terms.variable("order", 32);
                let zero = self.terms.constant(0, 32);
                let (below, own_below) = (self.terms.slt(number, zero), self.terms.slt(order, zero));
                let (equal, own_equal) = (self.terms.eq(number, zero), self.terms.eq(order, zero));
                let (same_below, same_equal) = (self.terms.eq(below, own_below), self.terms.eq(equal, own_equal));
                let same = self.terms.and(same_below, same_equal);
                state.guard = self.terms.and(state.guard, same);
                Some(self.finish(state, at.dst, Value::integer(order), at.loc))
            }
            Intrinsic::VaStart => {
                let value = self.unknown_pointer();
                Some(self.finish(state, at.dst, value, at.loc))
            }
            Intrinsic::FormatFile => {
                if !self.prints_numbers(&values[1]) {
                    self.incomplete(&state, Reason::UnsupportedFormat, at.loc);
                    return None;
                }
                let value = Value::anything(&mut self.terms, "printed", width);
                Some(self.finish(state, at.dst, value, at.loc))
            }
            _ => {
                self.incomplete(&state, Reason::UnsupportedIntrinsic(op.name()), at.loc);
                None
            }
        }
    }

    /// Encodes `calloc`.
    fn allocate_zeroed(&mut self, mut state: State, values: &[Value], at: Operation) -> Option<State> {
        let (count, size) = (values[0].number(&mut self.terms), values[1].number(&mut self.terms));
        // One factor is usually the constant size of a type, which makes the overflow check a comparison with a
        // constant.
        let (number, factor) = match (self.terms.as_const(count), self.terms.as_const(size)) {
            (_, Some(size)) => (count, size),
            (Some(count), None) => (size, count),
            (None, None) => {
                self.incomplete(&state, Reason::CallocOfUnknownSize, at.loc);
                return None;
            }
        };
        let most = ((1u128 << (self.pointer_bits - 1)) - 1).checked_div(factor).unwrap_or(u128::MAX);
        let most = most.min((1u128 << self.pointer_bits) - 1);
        let most = self.terms.constant(most, self.pointer_bits);
        let fits = self.terms.ule(number, most);
        let too_large = self.terms.not(fits);
        let too_large = self.terms.and(state.guard, too_large);
        self.incomplete_where(too_large, Reason::CallocOverflow, at.loc);
        state.guard = self.terms.and(state.guard, fits);
        let size = self.terms.scale(number, factor);
        Some(self.allocate(state, size, Contents::Zeroed, at))
    }

    /// Encodes `memcpy` and `memmove`.
    fn copy_bytes(&mut self, mut state: State, values: &[Value], at: &Operation) -> Option<State> {
        let len = values[2].number(&mut self.terms);
        if self.terms.as_const(len) == Some(0) {
            return Some(state);
        }
        let zero = self.terms.constant(0, self.pointer_bits);
        let nothing = self.terms.eq(len, zero);
        if !self.terms.is_false(nothing) {
            self.incomplete(&state, Reason::EmptyCopy, at.loc);
            return None;
        }
        let from = self.check_access(&mut state, &values[1], len, Access::Read, at.checks, at.loc);
        let to = self.check_access(&mut state, &values[0], len, Access::Write, at.checks, at.loc);
        match self.terms.as_const(len) {
            Some(len) => self.copy(&mut state, &to, &from, len as u64),
            None => self.forget(&mut state, &to, None),
        }
        Some(state)
    }

    /// Encodes the filling of memory with a byte or with inputs.
    fn fill_bytes(&mut self, mut state: State, to: &Value, len: &Value, fill: Fill, at: &Operation) -> Option<State> {
        let len = len.number(&mut self.terms);
        if self.terms.as_const(len) == Some(0) {
            return Some(state);
        }
        let Some(bytes) = self.terms.as_const(len).map(|bytes| bytes as u64) else {
            self.incomplete(&state, Reason::FillOfUnknownSize, at.loc);
            return None;
        };
        let to = self.check_access(&mut state, to, len, Access::Write, at.checks, at.loc);
        let byte = match fill {
            Fill::Byte(byte) => byte,
            Fill::Inputs => {
                for _ in 0..bytes {
                    // Each byte is a separate input. The replay assigns them to addresses.
                    let byte = self.terms.variable("nondet", 8);
                    self.event(state.guard, Event::Value(byte));
                }
                None
            }
        };
        self.overwrite(&mut state, &to, Some(bytes), byte);
        Some(state)
    }

    /// Returns whether a format is constant and prints only numbers, with matching arguments.
    fn prints_numbers(&mut self, format: &Value) -> bool {
        let pointee = format.pointee(&mut self.terms);
        let (Some(&Target { base: Base::Object(object), offset: Some(start) }), 1) =
            (pointee.targets.first(), pointee.targets.len())
        else {
            return false;
        };
        let ObjectKey::Global(global) = self.knowledge.info(object).key else { return false };
        let global = &self.program.globals[global.index()];
        if !global.constant || !global.defined || !global.relocations.is_empty() {
            return false;
        }
        let mut text = global.bytes.iter().copied().skip(start as usize).take_while(|&byte| byte != 0);
        let word = u64::from(self.pointer_bits / 8);
        let mut wanted = Vec::new();
        while let Some(byte) = text.next() {
            if byte != b'%' {
                continue;
            }
            let mut longs = 0usize;
            loop {
                match text.next() {
                    Some(b'%') => break,
                    Some(b'd' | b'i' | b'u' | b'x' | b'X' | b'o') => {
                        wanted.push((VariableClass::Word, [4, word, 8][longs.min(2)]));
                        break;
                    }
                    Some(b'c') => {
                        wanted.push((VariableClass::Word, 4));
                        break;
                    }
                    Some(b'p') => {
                        wanted.push((VariableClass::Word, word));
                        break;
                    }
                    Some(b'l' | b'z' | b't') => longs += 1,
                    Some(b'0'..=b'9' | b'-' | b'+' | b' ' | b'#' | b'h') => {}
                    _ => return false,
                }
            }
        }
        let terminated = start < global.size && (global.bytes.len() as u64) < global.size
            || global.bytes.iter().skip(start as usize).any(|&byte| byte == 0);
        // The variadic arguments are those of the printing model or of its caller.
        let frame = self.frames.last().expect("a function is being inlined");
        let passed = frame.variadic.iter().map(|passing| passing.variable_argument(self.program.target));
        terminated
            && frame.variadic.len() >= wanted.len()
            && passed.zip(wanted).all(|(passed, wanted)| passed == wanted)
    }
}
