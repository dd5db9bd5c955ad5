//! The operations that C has no operator for; what is not modelled ends the path as a gap.

use cairn_ir::inst::VariableClass;
use cairn_ir::{CheckKind, Checks, Intrinsic, Loc, Operand, Reg, Ty};

use super::Event;
use super::access::Access;
use super::build::{Builder, Failure, State};
use super::knowledge::{ObjectKey, Place};
use super::value::{Base, Target, Value};

impl Builder<'_, '_> {
    #[expect(clippy::too_many_arguments, reason = "the parts of the instruction")]
    pub(super) fn intrinsic(
        &mut self,
        mut state: State,
        op: Intrinsic,
        dst: Option<Reg>,
        args: &[Operand],
        checks: Checks,
        loc: Loc,
        place: Place,
    ) -> Result<Option<State>, Failure> {
        let target = self.program.target;
        let frame = self.frames.last().expect("a function is being inlined");
        let result_ty = dst.map(|dst| frame.body.regs[dst.index()].ty);
        let mut values = Vec::with_capacity(args.len());
        for (index, &arg) in args.iter().enumerate() {
            let shape = op.params().get(index).copied();
            let ty = shape.and_then(|s| s.ty(target, result_ty)).unwrap_or(Ty::Ptr);
            values.push(self.operand(&mut state, arg, ty));
        }
        let width = result_ty.map_or(1, |ty| ty.bits(target));
        Ok(match op {
            Intrinsic::HeapAlloc => {
                let size = values[0].number(&mut self.terms);
                Some(self.allocate(state, size, false, dst, loc, place))
            }
            Intrinsic::HeapAllocZeroed => {
                let (count, size) = (values[0].number(&mut self.terms), values[1].number(&mut self.terms));
                // One of them is a size of a type mostly, so that it is plain when the product is too large.
                let (number, factor) = match (self.terms.as_const(count), self.terms.as_const(size)) {
                    (_, Some(size)) => (count, size),
                    (Some(count), None) => (size, count),
                    (None, None) => {
                        self.gap(&state, "calloc of two unknown numbers", loc);
                        return Ok(None);
                    }
                };
                let most = ((1u128 << (self.pointer_bits - 1)) - 1).checked_div(factor).unwrap_or(u128::MAX);
                let most = most.min((1u128 << self.pointer_bits) - 1);
                let most = self.terms.constant(most, self.pointer_bits);
                let fits = self.terms.ule(number, most);
                let too_large = self.terms.not(fits);
                let too_large = self.terms.and(state.guard, too_large);
                self.gap_where(too_large, "calloc of a size that is too large", loc);
                state.guard = self.terms.and(state.guard, fits);
                let size = self.terms.scale(number, factor);
                Some(self.allocate(state, size, true, dst, loc, place))
            }
            Intrinsic::HeapFree => {
                self.free(&mut state, &values[0], checks, loc);
                Some(state)
            }
            Intrinsic::HeapRealloc => {
                let size = values[1].number(&mut self.terms);
                self.reallocate(state, &values[0], size, dst, checks, loc, place)
            }
            Intrinsic::CopyBytes | Intrinsic::MoveBytes => {
                let len = values[2].number(&mut self.terms);
                if self.terms.as_const(len) == Some(0) {
                    return Ok(Some(state));
                }
                let zero = self.terms.constant(0, self.pointer_bits);
                let nothing = self.terms.eq(len, zero);
                if !self.terms.is_false(nothing) {
                    self.gap(&state, "a copy of a size that may be 0", loc);
                    return Ok(None);
                }
                let from = self.check_access(&mut state, &values[1], len, Access::Read, checks, loc);
                let to = self.check_access(&mut state, &values[0], len, Access::Write, checks, loc);
                match self.terms.as_const(len) {
                    Some(len) => self.copy(&mut state, &to, &from, len as u64),
                    None => self.forget(&mut state, &to, None),
                }
                Some(state)
            }
            Intrinsic::FillBytes | Intrinsic::NondetBytes => {
                let fills = op == Intrinsic::FillBytes;
                let len = values[if fills { 2 } else { 1 }].number(&mut self.terms);
                if self.terms.as_const(len) == Some(0) {
                    return Ok(Some(state));
                }
                if self.terms.as_const(len).is_none() {
                    self.gap(&state, "filling memory of an unknown size", loc);
                    return Ok(None);
                }
                let to = self.check_access(&mut state, &values[0], len, Access::Write, checks, loc);
                let byte = if fills { self.terms.as_const(values[1].bits).map(|byte| byte as u8) } else { None };
                let len = self.terms.as_const(len).map(|len| len as u64);
                if !fills {
                    for _ in 0..len.unwrap_or(0) {
                        // The bytes are asked for one by one; which is which is for the replay to find out.
                        let byte = self.terms.variable("nondet", 8);
                        self.event(state.guard, Event::Value(byte));
                    }
                }
                self.overwrite(&mut state, &to, len, byte);
                Some(state)
            }
            Intrinsic::Nondet => {
                let value = Value::anything(&mut self.terms, "nondet", width);
                if dst.is_some() {
                    self.event(state.guard, Event::Value(value.bits));
                }
                Some(self.finish(state, dst, value, loc))
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
                    self.require(&mut state, never, CheckKind::Assertion, checks, loc);
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
                Some(self.finish(state, dst, Value::integer(value), loc))
            }
            Intrinsic::Math(_) | Intrinsic::Time | Intrinsic::Clock => {
                let value = Value::anything(&mut self.terms, "anything", width);
                Some(self.finish(state, dst, value, loc))
            }
            Intrinsic::VaStart => {
                let value = self.unknown_pointer();
                Some(self.finish(state, dst, value, loc))
            }
            Intrinsic::FormatFile => {
                if !self.prints_numbers(&values[1]) {
                    self.gap(&state, "printing something other than numbers", loc);
                    return Ok(None);
                }
                let value = Value::anything(&mut self.terms, "printed", width);
                Some(self.finish(state, dst, value, loc))
            }
            _ => {
                self.gap(&state, &format!("{} is not modelled by templates", op.name()), loc);
                None
            }
        })
    }

    /// Whether a format is constant and prints only numbers, of which enough are passed.
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
        // The variable arguments are those of the model that prints, or of who called it.
        let frame = self.frames.last().expect("a function is being inlined");
        let passed = frame.variadic.iter().map(|passing| passing.variable_argument(self.program.target));
        terminated
            && frame.variadic.len() >= wanted.len()
            && passed.zip(wanted).all(|(passed, wanted)| passed == wanted)
    }
}
