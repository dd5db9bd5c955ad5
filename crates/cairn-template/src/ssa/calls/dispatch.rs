//! Calls by name and through pointers, inlined or as placeholders for summaries.

use cairn_ir::inst::{Call, Passing};
use cairn_ir::{Callee, FuncId, Loc, Ty};

use crate::reason::Reason;
use crate::ssa::Event;
use crate::ssa::builder::{Builder, Failure, State};
use crate::ssa::knowledge::{ObjectKey, Place};
use crate::ssa::value::{Base, Target, Value};

impl Builder<'_, '_> {
    pub(in crate::ssa) fn call(
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

    /// Encodes a call through a pointer: each possible target is called under the condition that the pointer points to
    /// it.
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
        self.incomplete_where(elsewhere, Reason::UnknownCallTarget, loc);
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
            self.out.assumed_harmless.insert(function.name.clone());
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
            self.incomplete(&state, Reason::CallMismatch, loc);
            return Ok(None);
        }
        // A pointer argument for an integer parameter becomes a number.
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
}
