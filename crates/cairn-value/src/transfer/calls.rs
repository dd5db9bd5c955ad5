//! Calls.

use std::collections::BTreeSet;

use cairn_ir::inst::{Call, Passing};
use cairn_ir::{Callee, CheckKind, FuncId, Ty};

use super::instructions::Step;
use crate::analysis::state::State;
use crate::analysis::world::Kind;
use crate::analysis::{Analysis, Stop};
use crate::domain::number::Num;
use crate::domain::object::{Back, Object};
use crate::domain::value::{Flags, Obj, Target, Text, Value};

/// Functions without a body whose callback runs beside the caller.
const CONCURRENT: &[&str] =
    &["pthread_create", "thrd_create", "clone", "fork", "vfork", "longjmp", "siglongjmp", "_longjmp"];

impl Analysis<'_> {
    /// Executes a call. Returns whether an execution goes on after it.
    pub fn call(&mut self, state: &mut State, call: &Call) -> Step {
        let args: Vec<(Value, Passing)> = call
            .args
            .iter()
            .map(|arg| {
                let ty = match arg.passing {
                    Passing::Scalar(ty) => ty,
                    Passing::Memory { .. } => Ty::Ptr,
                };
                (self.operand(state, arg.value, ty), arg.passing)
            })
            .collect();
        let functions = match call.callee {
            Callee::Function(function) => vec![function],
            Callee::Pointer(operand) => {
                let value = self.operand(state, operand, Ty::Ptr);
                let found = self.called(&value, call);
                if !found.is_empty() && !value.flags.has(Flags::ANYWHERE) {
                    let mut valid = Value::none();
                    for &function in &found {
                        let obj = self.table.function(function);
                        valid.add_target(
                            Target { obj, offset: Num::constant(0, self.pointer), text: Text::Unknown },
                            self.pointer,
                        );
                    }
                    if let cairn_ir::Operand::Reg(reg) = operand {
                        self.refine(state, reg, valid, 4);
                    }
                }
                found
            }
        };
        let mut results: Vec<(State, Value)> = Vec::new();
        let is_one = functions.len() == 1;
        let widths = self.widths();
        let width = call.ret.map_or(64, |ty| self.width(ty));
        for function in functions {
            for (after, value) in self.call_function(state, call, function, &args)? {
                match results.last_mut() {
                    Some((other, old)) if !is_one => {
                        *other = other.combine(&after, &widths, &self.table, None);
                        *old = old.join(&value, width, self.pointer);
                    }
                    _ => results.push((after, value)),
                }
            }
        }
        let mut results = results.into_iter().map(|(mut after, value)| {
            if let Some(dst) = call.dst {
                after.assign(dst, value);
            }
            after
        });
        let Some(first) = results.next() else { return Ok(false) };
        *state = first;
        self.alternatives.extend(results);
        Ok(true)
    }

    fn widths(&self) -> Vec<u32> {
        let body = self.program.functions[self.function().index()].body.as_ref();
        body.map_or_else(Vec::new, |body| body.regs.iter().map(|reg| self.width(reg.ty)).collect())
    }

    /// Returns the functions that a pointer may point to, and raises alarms for other values.
    fn called(&mut self, value: &Value, call: &Call) -> Vec<FuncId> {
        let checks = call.checks;
        if value.may_be_uninit() {
            self.alarm(checks, CheckKind::Uninitialised);
        }
        if value.num.is_some() || value.flags.has(Flags::FREED.with(Flags::ENDED).with(Flags::ANYWHERE)) {
            self.alarm(checks, CheckKind::InvalidCall);
            if value.num.is_some_and(|num| num.contains(0, self.pointer)) {
                self.alarm(checks, CheckKind::NullDeref);
            }
        }
        let mut found = Vec::new();
        for target in &value.targets {
            match *self.table.kind(target.obj) {
                Kind::Function(function) if target.offset.contains(0, self.pointer) => {
                    if target.offset.value() != Some(0) {
                        self.alarm(checks, CheckKind::InvalidCall);
                    }
                    found.push(function);
                }
                _ => self.alarm(checks, CheckKind::InvalidCall),
            }
        }
        if value.flags.has(Flags::ANYWHERE) {
            let addressed = self.program.addressed();
            found = (0..addressed.len()).filter(|&index| addressed[index]).map(FuncId::new).collect();
        }
        found
    }

    /// Calls one function. Returns the states after it with its results.
    fn call_function(
        &mut self,
        before: &State,
        call: &Call,
        function: FuncId,
        args: &[(Value, Passing)],
    ) -> Result<Vec<(State, Value)>, Stop> {
        let mut state = before.clone();
        let callee = &self.program.functions[function.index()];
        let Some(body) = &callee.body else {
            let value = self.call_unknown(&mut state, call, function, args)?;
            return Ok(value.map(|value| (state, value)).into_iter().collect());
        };
        let wanted = body.params.len();
        let signature = &callee.signature;
        let fits = self.fits(call, function, args);
        if !fits {
            self.alarm(call.checks, CheckKind::InvalidCall);
            return Ok(Vec::new());
        }
        let named = wanted.min(args.len());
        let values: Vec<Value> = args[..named].iter().map(|(value, _)| value.clone()).collect();
        if signature.variadic {
            self.variable_arguments(&mut state, function, &args[named..]);
        }
        let mut results = Vec::new();
        for (memory, returned) in self.enter_function(function, values, &state.memory, state.is_tainted)? {
            let mut after = State { memory, ..state.clone() };
            after.apply_fates(&returned.fates, self.pointer);
            after.is_tainted |= returned.is_tainted;
            if returned.writes_anywhere {
                after.writes_anywhere = true;
                after.forget_loads(&|_| true);
                after.filled = std::rc::Rc::default();
            }
            let written: rustc_hash::FxHashSet<u32> = returned.written.iter().copied().collect();
            after.forget_loads(&|obj| written.contains(&obj.0));
            for &key in &returned.written {
                after.leave_text(Obj(key), self.pointer);
                after.forget_filled(Obj(key));
            }
            results.push((after, returned.value));
        }
        Ok(results)
    }

    /// Returns whether a call matches the parameters and the result of a function.
    fn fits(&self, call: &Call, function: FuncId, args: &[(Value, Passing)]) -> bool {
        let callee = &self.program.functions[function.index()];
        let signature = &callee.signature;
        let wanted = signature.params.len();
        let target = self.program.target;
        let same = |a: Ty, b: Ty| a == b || (a.is_float() == b.is_float() && a.bits(target) == b.bits(target));
        let count = args.len() == wanted
            || (args.len() > wanted && (signature.variadic || !(call.prototyped || signature.prototyped)));
        let arguments = args.iter().zip(&signature.params).all(|((_, given), wanted)| match (given, wanted) {
            (Passing::Scalar(given), Passing::Scalar(wanted)) => same(*given, *wanted),
            (Passing::Memory { size: given, .. }, Passing::Memory { size: wanted, .. }) => given == wanted,
            _ => false,
        });
        let result = match (call.ret, signature.ret) {
            (Some(a), Some(b)) => same(a, b),
            (Some(_), None) => call.dst.is_none(),
            (None, _) => true,
        };
        count && arguments && result
    }

    /// Returns all objects that an unknown function can reach from values, and from what unknown functions have been given before.
    ///
    /// `None` stands for all objects.
    pub fn reachable(&mut self, state: &State, values: &[Value]) -> Option<BTreeSet<Obj>> {
        let mut is_anywhere =
            self.wild.stores_pointers() || values.iter().any(|value| value.flags.has(Flags::ANYWHERE));
        let mut found: BTreeSet<Obj> = BTreeSet::new();
        let mut waiting: Vec<Obj> = values.iter().flat_map(|value| &value.targets).map(|target| target.obj).collect();
        while let Some(obj) = waiting.pop() {
            if !found.insert(obj) || !self.table.is_data(obj) {
                continue;
            }
            if let Some(object) = self.object(&state.memory, obj) {
                let refers = object.references(obj, &self.table);
                is_anywhere |= refers.flags.has(Flags::ANYWHERE);
                waiting.extend(refers.targets.iter().map(|target| target.obj));
            }
        }
        (!is_anywhere).then_some(found)
    }

    /// Replaces the contents of objects.
    pub fn havoc(&mut self, state: &mut State, objects: &BTreeSet<Obj>, anything: &Value) {
        for &obj in objects {
            if !self.table.is_data(obj) || self.table.is_constant(obj) {
                continue;
            }
            if let Some(object) = self.object(&state.memory, obj) {
                let mut new = Object::clone(&object);
                new.havoc(anything, self.pointer);
                self.settle_text(state, obj, &mut new, anything);
                self.set_object(state, obj, new);
            }
        }
        state.forget_loads(&|obj| objects.contains(&obj));
    }

    /// Calls a function without a body. It is assumed to free nothing, and to write only what it is given.
    fn call_unknown(
        &mut self,
        state: &mut State,
        call: &Call,
        function: FuncId,
        args: &[(Value, Passing)],
    ) -> Result<Option<Value>, Stop> {
        let name = self.program.functions[function.index()].name.clone();
        if CONCURRENT.contains(&name.as_str()) {
            return Err(Stop::NotModelled(format!("`{name}`")));
        }
        state.is_tainted = true;
        let foreign = self.table.id(Kind::Foreign);
        self.touch(foreign);
        if state.memory.get(foreign.0).is_none() {
            let mut object = Object::new(Num::between(0, (1 << (self.pointer - 1)) - 1), Back::ANY);
            object.is_single = false;
            self.frame().created.insert(foreign.0);
            self.set_object(state, foreign, object);
        }
        let mut values: Vec<Value> = args.iter().map(|(value, _)| value.clone()).collect();
        values.push(Value::pointer(foreign, Num::full(self.pointer)));
        let mut anything = Value::any(self.pointer);
        let reached = match self.reachable(state, &values) {
            Some(reached) => {
                for &obj in &reached {
                    let target = Target { obj, offset: Num::full(self.pointer), text: Text::Unknown };
                    anything.add_target(target, self.pointer);
                }
                self.havoc(state, &reached, &anything);
                reached
            }
            None => {
                self.write_anywhere(state, &Value::anything(self.pointer));
                anything = Value::anywhere(self.pointer);
                let addressed = self.program.addressed();
                let functions = (0..addressed.len()).filter(|&index| addressed[index]).map(FuncId::new);
                functions.map(|function| self.table.function(function)).collect()
            }
        };
        self.grounds.assumed.insert(name);
        self.call_back(state, &reached, &anything)?;
        if self.program.functions[function.index()].signature.noreturn {
            return Ok(None);
        }
        Ok(Some(match call.ret {
            Some(Ty::Ptr) => anything,
            Some(ty) => Value::any(self.width(ty)),
            None => Value::none(),
        }))
    }

    /// Calls the functions that an unknown function was given, any number of times.
    fn call_back(&mut self, state: &mut State, reached: &BTreeSet<Obj>, anything: &Value) -> Result<(), Stop> {
        let functions: Vec<FuncId> = reached
            .iter()
            .filter_map(|&obj| match *self.table.kind(obj) {
                Kind::Function(function) => Some(function),
                _ => None,
            })
            .filter(|function| {
                let callee = &self.program.functions[function.index()];
                let is_simple = callee.signature.params.iter().all(|passing| matches!(passing, Passing::Scalar(_)));
                callee.body.is_some() && is_simple && !callee.signature.variadic
            })
            .collect();
        let widths = self.widths();
        for function in functions {
            for _ in 0..2 {
                let params = self.program.functions[function.index()].signature.params.clone();
                let args: Vec<Value> = params
                    .iter()
                    .map(|passing| match passing {
                        Passing::Scalar(Ty::Ptr) => anything.clone(),
                        Passing::Scalar(ty) => Value::any(self.width(*ty)),
                        Passing::Memory { .. } => anything.clone(),
                    })
                    .collect();
                for (memory, returned) in self.enter_function(function, args, &state.memory, true)? {
                    let mut after = State { memory, ..state.clone() };
                    after.apply_fates(&returned.fates, self.pointer);
                    after.writes_anywhere |= returned.writes_anywhere;
                    let thresholds = crate::analysis::bounds();
                    *state = state.combine(&after, &widths, &self.table, Some(&thresholds));
                    state.forget_loads(&|_| true);
                }
            }
        }
        Ok(())
    }
}
