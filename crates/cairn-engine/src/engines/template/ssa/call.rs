//! Calls and the operations that C has no operator for. Allocation chooses an instance of its site (FMCAD §III-B1); what is not
//! modelled ends the path as a gap.

use std::collections::BTreeSet;

use cairn_ir::inst::{Call, Passing, VariableClass};
use cairn_ir::{Callee, CheckKind, Checks, FuncId, Intrinsic, Loc, Operand, Reg, Ty};
use cairn_smt::Term;

use super::Event;
use super::access::Access;
use super::build::{Builder, Failure, State};
use super::knowledge::{ObjectKey, Part, Place};
use super::value::{Base, DEAD, NOTHING, ObjectNumber, Pointee, Target, Value, objects, only};

impl Builder<'_, '_> {
    pub(super) fn call(
        &mut self,
        mut state: State,
        call: &Call,
        loc: Loc,
        place: Place,
    ) -> Result<Option<State>, Failure> {
        let mut args = Vec::with_capacity(call.args.len());
        for arg in &call.args {
            let ty = match arg.passing {
                Passing::Scalar(ty) => ty,
                Passing::Memory { .. } => Ty::Ptr,
            };
            args.push(self.operand(&mut state, arg.value, ty));
        }
        match call.callee {
            Callee::Function(id) => self.call_function(state, id, call, args, loc, place),
            Callee::Pointer(operand) => {
                let pointer = self.operand(&mut state, operand, Ty::Ptr);
                self.call_through(state, &pointer, call, &args, loc, &place)
            }
        }
    }

    /// A call through a pointer: every function that it may lead to is called where it does.
    fn call_through(
        &mut self,
        state: State,
        pointer: &Value,
        call: &Call,
        args: &[Value],
        loc: Loc,
        place: &Place,
    ) -> Result<Option<State>, Failure> {
        let pointee = pointer.pointee(&mut self.terms);
        let mut elsewhere = state.guard;
        let mut after: Option<State> = None;
        for target in pointee.targets.iter() {
            let Target { base: Base::Object(object), offset: Some(0) } = *target else { continue };
            let ObjectKey::Function(id) = self.knowledge.info(object).key else { continue };
            let number = self.numbers(object)[0];
            let (there, start) = (self.is(pointee.id, number), self.terms.constant(0, self.pointer_bits));
            let start = self.terms.eq(pointer.bits, start);
            let here = self.terms.and(there, start);
            let not_here = self.terms.not(here);
            elsewhere = self.terms.and(elsewhere, not_here);
            let guard = self.terms.and(state.guard, here);
            if self.terms.is_false(guard) {
                continue;
            }
            let (state, place) = (State { guard, ..state.clone() }, Place { callee: Some(id), ..place.clone() });
            let returned = self.call_function(state, id, call, args.to_vec(), loc, place)?;
            after = match (after, returned) {
                (Some(known), Some(state)) => Some(self.join(known, state)),
                (known, state) => known.or(state),
            };
        }
        self.gap_where(elsewhere, "a call through a pointer that may not lead to a function that is known", loc);
        Ok(after)
    }

    fn call_function(
        &mut self,
        state: State,
        callee: FuncId,
        call: &Call,
        mut args: Vec<Value>,
        loc: Loc,
        place: Place,
    ) -> Result<Option<State>, Failure> {
        let function = &self.program.functions[callee.index()];
        if function.body.is_none() {
            self.assumed_harmless.insert(function.name.clone());
            let Some(dst) = call.dst else { return Ok(Some(state)) };
            let frame = self.frames.last().expect("a function is being inlined");
            let ty = frame.body.regs[dst.index()].ty;
            let value = Value::anything(&mut self.terms, &function.name, ty.bits(self.program.target));
            self.event(state.guard, Event::Value(value.bits));
            return Ok(Some(self.finish(state, Some(dst), value, loc)));
        }
        let params = &function.signature.params;
        let target = self.program.target;
        let fits = |arg: Passing, param: Passing| match (arg, param) {
            (Passing::Scalar(a), Passing::Scalar(b)) => {
                a.is_float() == b.is_float() && a.bits(target) == b.bits(target)
            }
            (Passing::Memory { size: a, .. }, Passing::Memory { size: b, .. }) => a == b,
            _ => false,
        };
        let mismatch = args.len() < params.len()
            || (args.len() > params.len() && !function.signature.variadic)
            || call.args.iter().zip(params).any(|(arg, param)| !fits(arg.passing, *param))
            || match (call.ret, function.signature.ret) {
                (Some(a), Some(b)) => !fits(Passing::Scalar(a), Passing::Scalar(b)),
                (Some(_), None) => call.dst.is_some(),
                (None, _) => false,
            };
        if mismatch {
            self.gap(&state, "a call that does not match the function", loc);
            return Ok(None);
        }
        // An argument that is a pointer is one in the callee, and the other way round.
        for (arg, param) in args.iter_mut().zip(params) {
            if let Passing::Scalar(ty) = param
                && *ty != Ty::Ptr
            {
                *arg = Value::integer(arg.number(&mut self.terms));
            }
        }
        let variadic = call.args[params.len()..].iter().map(|arg| arg.passing).collect();
        let fixed = params.len();
        let (state, value) = if self.has_summary(callee) {
            self.placeholder(state, callee, &args[..fixed], loc, place)
        } else {
            let context = self.knowledge.context(place);
            match self.function(state, callee, context, &args[..fixed], variadic)? {
                Some(returned) => returned,
                None => return Ok(None),
            }
        };
        let Some(dst) = call.dst else { return Ok(Some(state)) };
        let frame = self.frames.last().expect("a function is being inlined");
        let width = frame.body.regs[dst.index()].ty.bits(target);
        let value = value.filter(|value| self.terms.width(value.bits) == width);
        let value = value.unwrap_or_else(|| Value::anything(&mut self.terms, "uninitialised", width));
        Ok(Some(self.finish(state, Some(dst), value, loc)))
    }

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

    /// Allocates an object: one of the instances of the site that was not allocated yet, or one of the rest.
    fn allocate(
        &mut self,
        mut state: State,
        size: Term,
        zeroed: bool,
        dst: Option<Reg>,
        loc: Loc,
        place: Place,
    ) -> State {
        self.allocates = true;
        let constant = self.terms.as_const(size).map(|size| size as u64);
        let object = self.knowledge.object(ObjectKey::Site(place), || (format!("ao_{}", loc.line), constant, false));
        if self.knowledge.info(object).size != constant {
            self.knowledge.forget_size(object);
        }
        if !self.around.is_empty() {
            self.knowledge.set_many(object);
        }
        let many = self.knowledge.info(object).many;
        let numbers = self.numbers(object);
        let tracked = self.tracked(object);
        let mut id = self.number(numbers[numbers.len() - 1]);
        let mut rest = state.guard;
        for &number in tracked.iter().rev() {
            let chosen = if many {
                let free = self.terms.variable(&format!("g^os_{}", loc.line), 1);
                let before = self.flag(&state, (number, Part::Allocated));
                let unused = self.terms.not(before);
                self.terms.and(free, unused)
            } else {
                self.terms.truth()
            };
            let this = self.number(number);
            id = self.terms.ite(chosen, this, id);
        }
        for &number in &tracked {
            let here = self.is(id, number);
            let elsewhere = self.terms.not(here);
            rest = self.terms.and(rest, elsewhere);
            if many {
                let before = self.flag(&state, (number, Part::Allocated));
                let after = self.terms.or(before, here);
                self.set_cell(&mut state, object, (number, Part::Allocated), Value::integer(after));
            }
            if self.knowledge.info(object).may_be_freed {
                let before = self.flag(&state, (number, Part::Freed));
                let after = self.terms.and(before, elsewhere);
                self.set_cell(&mut state, object, (number, Part::Freed), Value::integer(after));
            }
            if self.knowledge.info(object).size.is_none() {
                let value = Value::integer(size);
                self.set_new(&mut state, object, number, Part::Size, here, value);
            }
            for (at, bytes) in self.knowledge.info(object).cells.clone() {
                let width = 8 * bytes as u32;
                let value = if zeroed {
                    Value::integer(self.terms.constant(0, width))
                } else {
                    Value::anything(&mut self.terms, "uninitialised", width)
                };
                self.set_new(&mut state, object, number, Part::Bytes(at), here, value);
            }
        }
        if many && self.body == 0 {
            self.untracked.push(rest);
        }
        let targets = only(Base::Object(object), Some(0));
        let bits = self.terms.constant(0, self.pointer_bits);
        let mut value = Value { bits, object: Some(Pointee { id, targets }) };
        if self.options.malloc_fails {
            let succeeds = self.terms.variable("allocated", 1);
            let null = Value::null(&mut self.terms, self.pointer_bits);
            value = Value::choose(&mut self.terms, succeeds, &value, &null);
            self.event(state.guard, Event::Allocation(succeeds));
        } else {
            let truth = self.terms.truth();
            self.event(state.guard, Event::Allocation(truth));
        }
        self.finish(state, dst, value, loc)
    }

    /// Moves an object to a new place of another size: null is fine, and like an allocation.
    #[expect(clippy::too_many_arguments, reason = "the parts of the instruction")]
    fn reallocate(
        &mut self,
        mut state: State,
        old: &Value,
        size: Term,
        dst: Option<Reg>,
        checks: Checks,
        loc: Loc,
        place: Place,
    ) -> Option<State> {
        let pointee = old.pointee(&mut self.terms);
        if pointee.targets == only(Base::Nothing, Some(0)) {
            return Some(self.allocate(state, size, false, dst, loc, place));
        }
        let Some(dst) = dst.filter(|_| !self.options.malloc_fails) else {
            self.gap(&state, "realloc that may fail, or whose result is not used", loc);
            return None;
        };
        let zero = self.terms.constant(0, self.pointer_bits);
        let nothing = self.terms.eq(size, zero);
        let unclear = self.terms.and(state.guard, nothing);
        self.gap_where(unclear, "realloc to no bytes at all", loc);
        let old = &self.known(&mut state, old, loc);
        let pointee = old.pointee(&mut self.terms);
        // What the old place holds is read before it is gone.
        let null = self.is(pointee.id, NOTHING);
        let mut kept = Vec::new();
        let places: BTreeSet<(u64, u64)> = objects(&pointee.targets)
            .into_iter()
            .flat_map(|object| self.knowledge.info(object).cells.clone())
            .collect();
        for (at, bytes) in places {
            let from = self.moved(old, at as i64);
            let value = self.read(&mut state, &from, bytes);
            let outside = self.outside(&state, old, at, bytes);
            let lost = self.terms.or(null, outside);
            let anything = Value::anything(&mut self.terms, "uninitialised", 8 * bytes as u32);
            kept.push((at, Value::choose(&mut self.terms, lost, &anything, &value)));
        }
        self.free(&mut state, old, checks, loc);
        let mut state = self.allocate(state, size, false, Some(dst), loc, place);
        let new = state.regs[dst.index()].clone()?;
        for (at, value) in kept {
            let to = self.moved(&new, at as i64);
            self.write(&mut state, &to, &value);
        }
        Some(state)
    }

    /// Whether some bytes are outside of the object that a pointer points to the start of.
    fn outside(&mut self, state: &State, pointer: &Value, at: u64, bytes: u64) -> Term {
        let pointee = pointer.pointee(&mut self.terms);
        let end = self.terms.constant(u128::from(at.saturating_add(bytes)), self.pointer_bits);
        let mut outside = self.terms.falsity();
        for object in objects(&pointee.targets) {
            for number in self.numbers(object) {
                let size = match self.knowledge.info(object).size {
                    Some(size) => self.terms.constant(u128::from(size), self.pointer_bits),
                    // Of the rest nothing is known, and what is read there is anything.
                    None => match state.cells.get(&(number, Part::Size)) {
                        Some(size) => size.bits,
                        None => continue,
                    },
                };
                let here = self.is(pointee.id, number);
                let beyond = self.terms.ult(size, end);
                let beyond = self.terms.and(here, beyond);
                outside = self.terms.or(outside, beyond);
            }
        }
        outside
    }

    /// What a new instance holds.
    fn set_new(&mut self, state: &mut State, object: ObjectNumber, number: u32, part: Part, here: Term, value: Value) {
        let value = match state.cells.get(&(number, part)).cloned() {
            Some(old) => Value::choose(&mut self.terms, here, &value, &old),
            None => value,
        };
        self.set_cell(state, object, (number, part), value);
    }

    /// Frees an object: null is fine.
    fn free(&mut self, state: &mut State, pointer: &Value, checks: Checks, loc: Loc) {
        let pointer = &self.known(state, pointer, loc);
        let Pointee { id, targets } = pointer.pointee(&mut self.terms);
        let zero = self.terms.constant(0, self.pointer_bits);
        let start = self.terms.eq(pointer.bits, zero);
        let mut good = start;
        let mut alive = self.terms.truth();
        let mut maybe_gone = self.terms.falsity();
        for base in targets.iter().map(|target| target.base) {
            match base {
                Base::Unknown | Base::Nothing => {}
                Base::Dead => {
                    let dead = self.is(id, DEAD);
                    let not_dead = self.terms.not(dead);
                    good = self.terms.and(good, not_dead);
                }
                Base::Object(object) => {
                    let heap = self.knowledge.is_heap(object);
                    if heap {
                        self.knowledge.set_freed(object);
                    }
                    let rest = self.rest(object);
                    for number in self.numbers(object) {
                        let here = self.is(id, number);
                        if !heap {
                            let elsewhere = self.terms.not(here);
                            good = self.terms.and(good, elsewhere);
                        } else if Some(number) == rest {
                            maybe_gone = self.terms.or(maybe_gone, here);
                        } else {
                            let freed = self.flag(state, (number, Part::Freed));
                            let bad = self.terms.and(here, freed);
                            let fine = self.terms.not(bad);
                            alive = self.terms.and(alive, fine);
                        }
                    }
                }
            }
        }
        let null = self.is(id, NOTHING);
        let null = self.terms.and(null, start);
        let good = self.terms.or(good, null);
        self.require(state, good, CheckKind::InvalidFree, checks, loc);
        self.require_both(state, (alive, maybe_gone), CheckKind::DoubleFree, checks, loc);
        for object in objects(&targets) {
            if !self.knowledge.is_heap(object) {
                continue;
            }
            for number in self.tracked(object) {
                let here = self.is(id, number);
                let before = self.flag(state, (number, Part::Freed));
                let after = self.terms.or(before, here);
                self.set_cell(state, object, (number, Part::Freed), Value::integer(after));
            }
        }
    }
}
