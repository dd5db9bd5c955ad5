//! Calls and returns, the lifetime of stack variables, and jumps across frames.

use cairn_ir::inst::Passing;
use cairn_ir::{CheckKind, FuncId, Intrinsic, Ty};

use crate::arithmetic::definedness::Scalar;
use crate::arithmetic::value::Value;
use crate::limits::{MAX_RESULT_BYTES, POOLED_SIZES};
use crate::run::machine::{Frame, Machine, Step, Trap};
use crate::translate::is_wide;
use crate::translate::op::{At, CallSite, CallTarget, NOWHERE, Op, ParamPlace, SlowOp};
use cairn_memory::store::Request;
use cairn_memory::{End, ObjectId, ObjectKind, Pointer};

impl Machine<'_> {
    /// Pushes a frame for a function with a body.
    pub fn push_frame(&mut self, function: FuncId, dst: At, return_to: u32) -> Step {
        if self.frames.len() >= self.options.max_depth as usize {
            return Err(Trap::Budget(format!("call depth exceeds {}", self.options.max_depth)));
        }
        let code = &self.code.functions[function.index()];
        let base = self.values.len();
        self.values.extend_from_slice(&code.template);
        self.serial += 1;
        self.frames.push(Frame {
            function,
            base,
            return_to,
            dst,
            node: 0,
            serial: self.serial,
            variadic: None,
            owns: false,
        });
        self.position = code.entry.unwrap_or(0);
        Ok(())
    }

    /// Executes a call.
    pub fn call(&mut self, index: u32) -> Step {
        let code = self.code;
        let site = &code.calls[index as usize];
        let CallTarget::Function(function) = site.callee else { return self.call_pointer(site) };
        if !site.simple {
            return self.call_function(site, function, &[]);
        }
        let caller = self.base();
        self.push_frame(function, site.dst, self.position)?;
        let base = self.values.len() - code.functions[function.index()].template.len();
        for ((arg, _), param) in site.args.iter().zip(&code.functions[function.index()].params) {
            if let ParamPlace::Reg(at, _) = param {
                self.values[base + *at as usize] = self.values[caller + *arg as usize];
            }
        }
        Ok(())
    }

    fn call_pointer(&mut self, site: &CallSite) -> Step {
        let CallTarget::Pointer(at) = site.callee else { return Ok(()) };
        let value = self.get(at);
        if value.is_undefined() {
            return Err(self.uninitialised("called pointer"));
        }
        let pointer = value.pointer();
        let Some(info) = self.memory.info(pointer.object, pointer.life) else {
            return Err(match pointer.address {
                0 => self.fault_or(CheckKind::NullDeref, CheckKind::InvalidCall, "call through a null pointer".into()),
                address => self.fault(
                    CheckKind::InvalidCall,
                    format!("call through address {address:#x}, which is not a function"),
                ),
            });
        };
        let name = self.describe(&info);
        match info.shape.kind {
            _ if pointer.address != info.shape.base => {
                let offset = self.offset_in(pointer.address, &info);
                let message = format!("call through a pointer to offset {offset} of {name}");
                Err(self.fault(CheckKind::InvalidCall, message))
            }
            ObjectKind::Function => self.call_function(site, FuncId(info.site.0), &[]),
            ObjectKind::Closure if info.shape.end == End::Live => {
                match self.owned.closures.get(&pointer.object).cloned() {
                    Some(closure) => self.call_function(site, closure.function, &closure.captures),
                    None => Err(self.fault(CheckKind::InvalidCall, "call of an unknown nested function".into())),
                }
            }
            ObjectKind::Closure => {
                let checks = self.code.info(self.current()).checks;
                let message = "call of a nested function after its enclosing function returned".to_owned();
                Err(self.fault_with(CheckKind::InvalidCall, message, checks, self.history(&info)))
            }
            _ => Err(self.fault(CheckKind::InvalidCall, format!("call through a pointer to {name}"))),
        }
    }

    /// Creates a fault of the first kind if the operation has such a check, and of the second kind otherwise.
    fn fault_or(&self, first: CheckKind, second: CheckKind, message: String) -> Trap {
        let checks = self.code.info(self.current()).checks;
        let has = crate::translate::check_of(self.program, checks, first).is_some();
        self.fault(if has { first } else { second }, message)
    }

    /// Calls a function and checks that the arguments match its parameters.
    fn call_function(&mut self, site: &CallSite, function: FuncId, captures: &[Value]) -> Step {
        let code = self.code;
        let callee = &code.functions[function.index()];
        let name = self.program.functions[function.index()].name.as_str();
        if callee.entry.is_none() {
            return self.call_undefined(site, function);
        }
        let given = site.args.len();
        let wanted = callee.params.len().saturating_sub(captures.len());
        let variadic = callee.signature.variadic;
        // If the call sees a prototype of the variadic function without `...`, it passes no variable arguments.
        // Arguments beyond the named ones are still available to the callee.
        let named = if variadic { wanted.min(given) } else { given };
        if given < wanted || (given > wanted && !variadic && (site.prototyped || callee.signature.prototyped)) {
            let message = format!(
                "`{name}` takes {wanted} argument{}, but the call passes {given}",
                if wanted == 1 { "" } else { "s" }
            );
            return Err(self.fault(CheckKind::InvalidCall, message));
        }
        for (index, ((_, passing), param)) in site.args.iter().zip(&callee.params).take(wanted).enumerate() {
            if !self.fits(*passing, param, function) {
                let message = format!("argument {} of the call of `{name}` has an incompatible type", index + 1);
                return Err(self.fault(CheckKind::InvalidCall, message));
            }
        }
        let same = match (site.ret, callee.signature.ret) {
            (Some(a), Some(b)) => self.same_class(a, b),
            (Some(_), None) => site.dst == NOWHERE,
            (None, _) => true,
        };
        if !same {
            let message = format!("return type of `{name}` is incompatible with the call");
            return Err(self.fault(CheckKind::InvalidCall, message));
        }

        let caller = self.base();
        let variables = if variadic { Some(self.variable_arguments(&site.args[named..])?) } else { None };
        let return_to = self.position;
        self.push_frame(function, site.dst, return_to)?;
        let base = self.base();
        if let Some(frame) = self.frames.last_mut() {
            frame.variadic = variables;
        }
        for ((arg, _), param) in site.args.iter().zip(&callee.params).take(wanted) {
            let from = caller + *arg as usize;
            match *param {
                ParamPlace::Reg(at, ty) => {
                    self.values[base + at as usize] = self.values[from];
                    if is_wide(ty) {
                        self.values[base + at as usize + 1] = self.values[from + 1];
                    }
                }
                ParamPlace::Slot(slot) => {
                    let source = self.values[from].pointer();
                    let target = self.enter_slot(slot)?;
                    let size = callee.slots[slot as usize].size;
                    if let Err(fault) = self.memory.copy(target, source, size) {
                        self.drop_frame(End::OutOfScope);
                        self.position = return_to;
                        return Err(self.memory_fault(fault, source));
                    }
                }
            }
        }
        for (value, param) in captures.iter().zip(callee.params.iter().skip(wanted)) {
            if let ParamPlace::Reg(at, _) = *param {
                self.values[base + at as usize] = *value;
            }
        }
        Ok(())
    }

    fn fits(&self, given: Passing, param: &ParamPlace, function: FuncId) -> bool {
        match (given, *param) {
            (Passing::Scalar(given), ParamPlace::Reg(_, wanted)) => self.same_class(given, wanted),
            (Passing::Memory { size, .. }, ParamPlace::Slot(slot)) => {
                self.code.functions[function.index()].slots.get(slot as usize).is_some_and(|s| s.size == size)
            }
            _ => false,
        }
    }

    /// Returns whether two types are passed in the same class of register with the same width.
    fn same_class(&self, a: Ty, b: Ty) -> bool {
        let target = self.program.target;
        a == b || (a.is_float() == b.is_float() && a.bits(target) == b.bits(target))
    }

    /// Calls a function without a definition.
    fn call_undefined(&mut self, site: &CallSite, function: FuncId) -> Step {
        let name = &self.program.functions[function.index()].name;
        if !self.options.undefined_names_hold_anything {
            let message = format!("call of undefined function `{name}`, which cairn does not model");
            return Err(self.fault(CheckKind::Unsupported, message));
        }
        let arguments: Vec<Pointer> = site.args.iter().map(|&(at, _)| self.get(at).pointer()).collect();
        let moment = self.moment();
        if let Some(answer) = self.host.answer(&arguments, &mut self.memory, moment) {
            match site.ret {
                Some(Ty::Ptr) => self.set(site.dst, answer.into()),
                Some(ty) => self.write_scalar(site.dst, ty, Scalar::defined(u128::from(answer.address))),
                None => {}
            }
            return Ok(());
        }
        let is_pointer = |(_, passing): &&(At, Passing)| *passing == Passing::Scalar(Ty::Ptr);
        for &(at, _) in site.args.iter().filter(is_pointer) {
            self.initialise_outside(self.get(at).pointer());
        }
        if let Some(ty) = site.ret {
            let loc = self.code.info(self.current()).loc;
            let value = self.nondet(ty, loc)?;
            self.write_scalar(site.dst, ty, Scalar::defined(value));
        }
        Ok(())
    }

    /// Sets the uninitialised bytes of an object to 0 that a function without a definition gets, because the object may be its result.
    fn initialise_outside(&mut self, pointer: Pointer) {
        if !self.memory.is_live(pointer) {
            return;
        }
        let Some(bytes) = self.memory.bytes_of_mut(pointer.object) else { return };
        let size = bytes.len();
        while size <= MAX_RESULT_BYTES
            && let Some(at) = bytes.first_undefined(0, size)
        {
            let value = bytes.data(at, 1).first().copied().unwrap_or(0) & bytes.defined_bits(at);
            bytes.set_byte(at, value, 0xff);
        }
    }

    /// Stores the variable arguments in an object, each at the next multiple of 16 bytes.
    fn variable_arguments(&mut self, args: &[(At, Passing)]) -> Step<Pointer> {
        let size: u64 = args.iter().map(|(_, passing)| passing.variable_room()).sum();
        let pooled = self.pools.variadic.get_mut((size / 16) as usize).and_then(Vec::pop);
        let area = match pooled {
            Some(id) => self.memory.revive(id),
            None => {
                let kind = ObjectKind::Variadic;
                let moment = self.place();
                self.allocate(Request { kind, size, align: 16, zeroed: false, site: (0, 0), moment })?
            }
        };
        let mut at = area;
        let mut passed = vec![None; (size / 16) as usize];
        for &(arg, passing) in args {
            if let Some(unit) = passed.get_mut(((at.address - area.address) / 16) as usize) {
                *unit = Some(passing);
            }
            let value = self.get(arg);
            match passing {
                Passing::Scalar(Ty::Ptr) => self.place_pointer(at, value),
                Passing::Scalar(ty) => {
                    self.store(at, ty, self.read_scalar(arg, ty))?;
                }
                Passing::Memory { size, .. } => {
                    let source = value.pointer();
                    if let Err(fault) = self.memory.copy(at, source, size) {
                        return Err(self.memory_fault(fault, source));
                    }
                }
            }
            at = at.plus(passing.variable_room());
        }
        self.variadic_passing.insert(area.object, passed);
        Ok(area)
    }

    /// Stores a pointer among variable arguments.
    ///
    /// This does not expose its object, because the area dies with the call.
    fn place_pointer(&mut self, at: Pointer, value: Value) {
        let width = u64::from(self.program.target.pointer_bits() / 8);
        if value.is_undefined() {
            return;
        }
        let hides = self.memory.hides_addresses();
        if let Ok((bytes, start)) = self.memory.write(at, width) {
            bytes.write(start, &value.bits.to_le_bytes()[..width as usize]);
            if value.object() != 0 {
                if hides {
                    bytes.store_bits(start, 0, 8 * width as u32, value.bits.into(), u128::MAX);
                }
                bytes.set_link(start as u64, value.object());
            }
        }
    }

    /// Begins the lifetime of a slot.
    pub fn enter_slot(&mut self, slot: u32) -> Step<Pointer> {
        let Some(frame) = self.frames.last() else { return Ok(Pointer::NULL) };
        let (function, base) = (frame.function, frame.base);
        let info = self.code.functions[function.index()].slots[slot as usize];
        let at = base + info.at as usize;
        let old = ObjectId(self.values[at].object());
        if old.is_some() {
            let moment = self.place();
            self.memory.end(old, End::OutOfScope, moment);
        }
        let again = if self.memory.can_revive(old) {
            Some(old)
        } else if old.is_some() {
            None
        } else {
            self.pools.slots.get_mut(&(function.0, slot)).and_then(Vec::pop)
        };
        let pointer = match again {
            Some(id) => self.memory.revive(id),
            None => self.allocate(Request {
                kind: ObjectKind::Stack,
                size: info.size,
                align: info.align,
                zeroed: false,
                site: (function.0, slot),
                moment: self.place(),
            })?,
        };
        self.values[at] = pointer.into();
        self.strew(pointer, None);
        Ok(pointer)
    }

    /// Begins the lifetime of a variable-length array.
    pub fn enter_vla(&mut self, slot: u32, size: u64) -> Step {
        let Some(frame) = self.frames.last() else { return Ok(()) };
        let (function, base) = (frame.function, frame.base);
        let info = self.code.functions[function.index()].slots[slot as usize];
        let at = base + info.at as usize;
        self.leave_slot(slot);
        self.memory.bury(ObjectId(self.values[at].object()));
        let kind = ObjectKind::Stack;
        let moment = self.place();
        let align = info.align.max(16);
        let pointer = self.allocate(Request { kind, size, align, zeroed: false, site: (function.0, slot), moment })?;
        self.values[at] = pointer.into();
        self.strew(pointer, None);
        Ok(())
    }

    /// Ends the lifetime of a slot.
    pub fn leave_slot(&mut self, slot: u32) {
        let Some(frame) = self.frames.last() else { return };
        let at = frame.base + self.code.functions[frame.function.index()].slots[slot as usize].at as usize;
        let id = ObjectId(self.values[at].object());
        if id.is_some() {
            let moment = self.place();
            self.memory.end(id, End::OutOfScope, moment);
        }
    }

    /// Returns from the innermost function. If that was the outermost one, returns its result.
    pub fn return_value(&mut self, src: At) -> Option<(Value, Value)> {
        let Some(frame) = self.frames.last() else { return Some((Value::unset(64), Value::unset(64))) };
        let ret = self.code.functions[frame.function.index()].signature.ret;
        let (base, dst, return_to) = (frame.base, frame.dst, frame.return_to);
        let width = ret.map_or(64, |ty| ty.bits(self.program.target));
        let (mut low, mut high) = (self.unassigned(width), self.unassigned(width.saturating_sub(64).max(1)));
        let wide = ret.is_some_and(is_wide);
        if src != NOWHERE && ret.is_some() {
            low = self.values[base + src as usize];
            if wide {
                high = self.values[base + src as usize + 1];
            }
            if low.object() != 0 {
                self.memory.expose(ObjectId(low.object()));
            }
        }
        self.drop_frame(End::OutOfScope);
        self.position = return_to;
        if self.frames.is_empty() {
            return Some((low, high));
        }
        if dst != NOWHERE {
            self.set(dst, low);
            if wide {
                self.set(dst + 1, high);
            }
        }
        None
    }

    /// Leaves the innermost frame and ends the lifetime of all objects in it.
    pub fn drop_frame(&mut self, end: End) {
        let Some(frame) = self.frames.pop() else { return };
        let moment = self.place();
        let code = &self.code.functions[frame.function.index()];
        for (index, slot) in code.slots.iter().enumerate() {
            let id = ObjectId(self.values[frame.base + slot.at as usize].object());
            if !id.is_some() {
                continue;
            }
            self.memory.end(id, end, moment);
            if self.memory.can_revive(id) {
                // The declaration of a variable-length array has size 0, unlike its object.
                if slot.size != 0 {
                    self.pools.slots.entry((frame.function.0, index as u32)).or_default().push(id);
                } else {
                    self.memory.bury(id);
                }
            }
        }
        if let Some(pointer) = frame.variadic {
            self.memory.end(pointer.object, end, moment);
            self.variadic_passing.remove(&pointer.object);
            if self.memory.can_revive(pointer.object) {
                let size = self.memory.info(pointer.object, 0).map_or(0, |i| i.shape.size);
                let class = (size / 16) as usize;
                if class < POOLED_SIZES {
                    if self.pools.variadic.len() <= class {
                        self.pools.variadic.resize(class + 1, Vec::new());
                    }
                    self.pools.variadic[class].push(pointer.object);
                } else {
                    self.memory.bury(pointer.object);
                }
            }
        }
        if frame.owns {
            let depth = self.frames.len();
            while let Some(&(owner, id)) = self.owned.objects.last() {
                if owner < depth {
                    break;
                }
                self.owned.objects.pop();
                self.owned.closures.remove(&id);
                self.memory.end(id, end, moment);
            }
        }
        self.values.truncate(frame.base);
    }

    /// Records that an object dies with the innermost frame.
    pub fn own(&mut self, id: ObjectId) {
        let depth = self.frames.len().saturating_sub(1);
        self.owned.objects.push((depth, id));
        if let Some(frame) = self.frames.last_mut() {
            frame.owns = true;
        }
    }

    /// Executes `setjmp`: the buffer holds the serial number of the frame and the position after the call.
    pub fn setjmp(&mut self, buffer: Value, dst: At) -> Step {
        let serial = self.frames.last().map_or(0, |f| f.serial);
        let position = u64::from(self.position);
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&serial.to_le_bytes());
        bytes[8..].copy_from_slice(&position.to_le_bytes());
        self.write_bytes(buffer, &bytes)?;
        self.set(dst, Value::int(0));
        Ok(())
    }

    /// Executes `longjmp`: returns to a frame that is still active.
    pub fn longjmp(&mut self, buffer: Value, value: Value) -> Step {
        let bytes = self.read_bytes(buffer, 16, "the longjmp buffer")?;
        let (Ok(serial), Ok(position)) = (<[u8; 8]>::try_from(&bytes[..8]), <[u8; 8]>::try_from(&bytes[8..16])) else {
            return Ok(());
        };
        let (serial, position) = (u64::from_le_bytes(serial), u64::from_le_bytes(position) as u32);
        if value.is_undefined() {
            return Err(self.uninitialised("longjmp value"));
        }
        let target = self.frames.binary_search_by_key(&serial, |f| f.serial).ok();
        let op = self.code.ops.get(position.wrapping_sub(1) as usize);
        let slow = match op {
            Some(Op::Slow { index }) => self.code.slow.get(*index as usize),
            _ => None,
        };
        let (Some(depth), Some(SlowOp::Intrinsic { op: Intrinsic::Setjmp, dst, .. })) = (target, slow) else {
            let message =
                "longjmp to a function that has returned, or with a buffer that setjmp did not set".to_owned();
            return Err(self.fault(CheckKind::InvalidCall, message));
        };
        while self.frames.len() > depth + 1 {
            self.drop_frame(End::OutOfScope);
        }
        self.position = position;
        let value = if value.bits as u32 == 0 { 1 } else { u64::from(value.bits as u32) };
        self.set(*dst, Value::int(value));
        Ok(())
    }
}
