//! The effect of intrinsics, apart from the heap (`heap.rs`) and text (`text.rs`).

use cairn_ir::{CheckKind, Checks, Intrinsic, Operand, Reg, Ty};

use super::access::Access;
use super::heap::Freed;
use super::instructions::Step;
use crate::analysis::relations::SizeOf;
use crate::analysis::state::State;
use crate::analysis::world::Kind;
use crate::analysis::{Analysis, Stop};
use crate::domain::number::{Num, mask};
use crate::domain::value::{Flags, Value};

impl Analysis<'_> {
    /// Executes an intrinsic. Returns whether an execution goes on after it.
    pub fn intrinsic(
        &mut self,
        state: &mut State,
        op: Intrinsic,
        dst: Option<Reg>,
        args: &[Operand],
        checks: Checks,
    ) -> Step {
        let result_ty = dst.map(|reg| self.reg_ty(reg));
        let values: Vec<Value> = args
            .iter()
            .enumerate()
            .map(|(index, &arg)| {
                let shape = op.params().get(index).copied();
                let ty = shape.and_then(|shape| shape.ty(self.program.target, result_ty)).unwrap_or(Ty::Ptr);
                self.operand(state, arg, ty)
            })
            .collect();
        let none = Value::none();
        let arg = |index: usize| values.get(index).unwrap_or(&none);
        // Sizes and other numbers have to be initialised.
        let mut goes_on = true;
        let result = match op {
            Intrinsic::HeapAlloc | Intrinsic::HeapAllocZeroed | Intrinsic::HeapAllocAligned => {
                let form = match (op, args) {
                    (Intrinsic::HeapAlloc, [size]) => self.linear(state, *size),
                    (Intrinsic::HeapAllocZeroed, [count, size]) => {
                        let factor = self.operand(state, *size, self.word()).plain().and_then(Num::value);
                        factor.zip(self.linear(state, *count)).and_then(|(factor, (reg, scale, add))| {
                            Some((reg, scale.checked_mul(factor)?, add.checked_mul(factor)?))
                        })
                    }
                    _ => None,
                };
                let value = self.allocation(state, op, &values);
                if let (Some((reg, scale, add)), [target]) = (form, &value.targets[..])
                    && scale > 0
                {
                    let size = SizeOf { obj: target.obj, reg, scale, add };
                    std::rc::Rc::make_mut(&mut state.relations).add_size(size);
                }
                value
            }
            Intrinsic::HeapRealloc => {
                let size = self.size(arg(1), checks);
                goes_on = self.reallocate(state, arg(0), size, checks, dst);
                return Ok(goes_on);
            }
            Intrinsic::HeapFree => {
                let address = arg(0).clone();
                return Ok(self.free(state, &address, checks, Freed::Heap));
            }
            Intrinsic::OpenResource => {
                let size = self.size(arg(0), checks);
                self.resource(state, size)
            }
            Intrinsic::CloseResource => {
                let address = arg(0).clone();
                return Ok(self.free(state, &address, checks, Freed::Resource));
            }
            Intrinsic::StackAlloc => {
                let size = self.size(arg(0), checks);
                self.stack_allocation(state, size)
            }
            Intrinsic::MapMemory => {
                let size = self.size(arg(0), checks);
                self.mapping(state, size)
            }
            Intrinsic::UnmapMemory => {
                self.require_init(arg(0), checks);
                self.require_init(arg(1), checks);
                let address = arg(0).clone();
                self.unmap(state, &address);
                Value::num(Num::between(0, 1))
            }
            Intrinsic::CopyBytes | Intrinsic::MoveBytes => {
                let size = self.size(arg(2), checks);
                if op == Intrinsic::CopyBytes && self.may_overlap(arg(0), arg(1), size) {
                    self.alarm(checks, CheckKind::Overlap);
                }
                goes_on = self.copy(state, (arg(0), checks), (arg(1), checks), size);
                none.clone()
            }
            Intrinsic::FillBytes => {
                let size = self.size(arg(2), checks);
                let byte =
                    crate::transfer::arithmetic::convert(cairn_ir::ConvertOp::Trunc, 32, 8, self.pointer, arg(1));
                goes_on = self.fill(state, arg(0), &byte, size, checks);
                none.clone()
            }
            Intrinsic::CompareBytes => {
                let size = self.size(arg(2), checks);
                goes_on = self.compare_bytes(state, arg(0), arg(1), size, checks);
                Value::any(32)
            }
            Intrinsic::StringLength => match self.string_length(state, arg(0), checks) {
                Some(length) => Value::num(length),
                None => return Ok(false),
            },
            Intrinsic::ObjectSize => {
                let size = self.object_size(state, arg(0));
                let mut value = Value::num(size);
                if arg(0).may_be_uninit() {
                    value.flags = Flags::UNINIT;
                }
                value
            }
            Intrinsic::Nondet => match result_ty {
                Some(Ty::Ptr) => Value::anywhere(self.pointer),
                Some(ty) => Value::any(self.width(ty)),
                None => none.clone(),
            },
            Intrinsic::NondetBytes => {
                let size = self.size(arg(1), checks);
                goes_on = self.fill(state, arg(0), &Value::any(8), size, checks);
                none.clone()
            }
            Intrinsic::Assume => {
                self.require_init(arg(0), checks);
                return Ok(self.assume_nonzero(state, args.first().copied(), arg(0)));
            }
            Intrinsic::AssertFail | Intrinsic::ReachError => {
                self.alarm(checks, CheckKind::Assertion);
                return Ok(false);
            }
            Intrinsic::Exit => {
                self.require_init(arg(0), checks);
                return Ok(false);
            }
            Intrinsic::Abort => return Ok(false),
            Intrinsic::VaStart => self.variable_area(),
            Intrinsic::VaArg => {
                self.variable_argument(state, arg(0), arg(1), arg(2), checks);
                none.clone()
            }
            Intrinsic::Setjmp => {
                goes_on = self.fill(state, arg(0), &Value::any(8), Num::constant(16, 64), checks);
                let after = self.after_jump(state, dst).filter(|_| goes_on);
                self.alternatives.extend(after);
                Value::constant(0, 32)
            }
            Intrinsic::Longjmp => {
                self.jump(state, checks)?;
                return Ok(false);
            }
            Intrinsic::Closure => return Err(Stop::NotModelled("a nested function".to_owned())),
            Intrinsic::Write => {
                let size = self.size(arg(2), checks);
                self.require_init(arg(0), checks);
                goes_on = self.output(state, arg(1), size, checks);
                Value::any(32)
            }
            Intrinsic::ReadChar => Value::num(Num::between_signed(-1, 255, 32)),
            Intrinsic::FormatFile => {
                self.require_init(arg(0), checks);
                self.format(state, arg(1), arg(2), checks)?;
                Value::any(32)
            }
            Intrinsic::FormatBuffer => {
                self.format(state, arg(2), arg(3), checks)?;
                let size = self.size(arg(1), checks);
                goes_on = self.format_to_buffer(state, arg(0), size, checks);
                Value::any(32)
            }
            Intrinsic::ParseFloat => {
                goes_on = self.parse_float(state, arg(0), arg(1), checks);
                Value::any(result_ty.map_or(64, |ty| self.width(ty)))
            }
            Intrinsic::Math(_) => {
                let mut value = Value::any(result_ty.map_or(64, |ty| self.width(ty)));
                if values.iter().any(Value::may_be_uninit) {
                    value.flags = Flags::UNINIT;
                }
                value
            }
            Intrinsic::Time | Intrinsic::Clock => Value::any(64),
            Intrinsic::Vary | Intrinsic::Order => {
                let flags = if arg(0).may_be_uninit() { Flags::UNINIT } else { Flags::NONE };
                Value { flags, ..Value::any(32) }
            }
            Intrinsic::OneAnswer => {
                self.single_outcome();
                state.is_tainted = true;
                none.clone()
            }
        };
        if let Some(dst) = dst {
            state.assign(dst, result);
        }
        Ok(goes_on)
    }

    /// Raises an alarm if a value may be uninitialised.
    pub fn require_init(&mut self, value: &Value, checks: Checks) {
        if value.may_be_uninit() {
            self.alarm(checks, CheckKind::Uninitialised);
        }
    }

    /// Returns a size, which has to be initialised.
    fn size(&mut self, value: &Value, checks: Checks) -> Num {
        self.require_init(value, checks);
        let num = value.number(self.pointer);
        if self.pointer < 64 { num.zero_extend(self.pointer) } else { num }
    }

    fn assume_nonzero(&mut self, state: &mut State, operand: Option<Operand>, value: &Value) -> bool {
        if value.plain().and_then(Num::value) == Some(0) {
            return false;
        }
        match operand {
            Some(Operand::Reg(reg)) if !value.has_objects() && !value.may_be_uninit() => {
                let num = value.num.and_then(|num| num.without(0, 32));
                self.refine(state, reg, Value { num, ..value.clone() }, 8)
            }
            _ => true,
        }
    }

    fn may_overlap(&self, to: &Value, from: &Value, size: Num) -> bool {
        let most = size.unsigned(64).1;
        if to.flags.has(Flags::ANYWHERE) || from.flags.has(Flags::ANYWHERE) {
            return true;
        }
        to.targets.iter().any(|a| {
            from.targets.iter().filter(|b| a.obj == b.obj).any(|b| {
                let kind = self.table.kind(a.obj);
                let is_one = !matches!(kind, Kind::Heap(_, crate::analysis::world::Age::Older));
                let distance = a.offset.sub(b.offset, self.pointer);
                let (low, high) = distance.signed(self.pointer);
                let is_apart = low >= 0 && low.unsigned_abs() >= most || high <= 0 && high.unsigned_abs() >= most;
                !(is_one && (distance.value() == Some(0) || is_apart))
            })
        })
    }

    fn compare_bytes(&mut self, state: &State, a: &Value, b: &Value, size: Num, checks: Checks) -> bool {
        if size.value() == Some(0) {
            return true;
        }
        for address in [a, b] {
            let (places, _) = self.places(state, address, size.without(0, 64).unwrap_or(size), Access::Read, checks);
            if self.mixed_bytes(state, &places, size).may_be_uninit() {
                self.alarm(checks, CheckKind::Uninitialised);
            }
            if places.is_empty() && !size.contains(0, 64) {
                return false;
            }
        }
        true
    }

    fn output(&mut self, state: &State, address: &Value, size: Num, checks: Checks) -> bool {
        if size.value() == Some(0) {
            return true;
        }
        let (places, _) = self.places(state, address, size.without(0, 64).unwrap_or(size), Access::Read, checks);
        if self.mixed_bytes(state, &places, size).may_be_uninit() {
            self.alarm(checks, CheckKind::Uninitialised);
        }
        !places.is_empty() || size.contains(0, 64)
    }

    fn object_size(&mut self, state: &State, address: &Value) -> Num {
        let everything = Num::between(0, mask(self.pointer));
        if address.flags != Flags::NONE || address.num.is_some() || address.targets.is_empty() {
            return everything;
        }
        let mut result: Option<Num> = None;
        for target in &address.targets {
            let Some(object) = self.object(&state.memory, target.obj) else { return everything };
            let (least, most) = object.size.unsigned(64);
            let (low, high) = target.offset.unsigned(self.pointer);
            let is_live = object.life == crate::domain::object::Life::LIVE && self.table.is_data(target.obj);
            let size = Num::between(if is_live { least.saturating_sub(high) } else { 0 }, most.saturating_sub(low));
            result = Some(result.map_or(size, |old| old.join(size, 64)));
        }
        result.unwrap_or(everything)
    }
}
