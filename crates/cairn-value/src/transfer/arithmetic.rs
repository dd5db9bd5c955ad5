//! Arithmetic on abstract values.

use cairn_ir::Ty;
use cairn_ir::inst::{BinaryOp, CompareOp, ConvertOp, DivideOp, UnaryOp};

use crate::analysis::state::State;
use crate::domain::number::{Num, mask};
use crate::domain::value::{Flags, NULL_PAGE, Obj, Text, Value, is_near};

/// Between any two objects there are at least this many bytes (`cairn_memory::space::GAP`).
pub const GAP: i64 = 16;

/// Whether a 64-bit distance is so small that no execution leaves the neighbourhood of an object by adding it again and again.
fn is_small(distance: u64) -> bool {
    (distance as i64).unsigned_abs() < NULL_PAGE
}

/// Returns the result of an operation that follows no addresses: any number, with the objects of the operands.
pub fn mixed(a: &Value, b: &Value, width: u32, pointer: u32) -> Value {
    let mut value = a.join(b, width, pointer);
    value.num = Some(Num::full(width));
    for target in &mut value.targets {
        (target.offset, target.text) = (Num::full(pointer), Text::Unknown);
    }
    value
}

/// Applies a binary operation on integers of at most 64 bits.
pub fn binary(op: BinaryOp, ty: Ty, width: u32, pointer: u32, a: &Value, b: &Value) -> Value {
    if width > 64 || ty.is_float() {
        return mixed(a, b, width, pointer);
    }
    match op {
        BinaryOp::Add => return add(a, b, width, pointer),
        BinaryOp::Sub => return subtract(a, b, width, pointer),
        _ => {}
    }
    if a.has_objects() || b.has_objects() || a.may_be_uninit() || b.may_be_uninit() {
        if let (BinaryOp::And, true, Some(bits)) = (op, !b.has_objects(), b.plain().and_then(Num::value)) {
            return masked(a, bits, width, pointer);
        }
        return mixed(a, b, width, pointer);
    }
    let (Some(x), Some(y)) = (a.num, b.num) else { return Value::none() };
    Value::num(match op {
        BinaryOp::Mul => x.mul(y, width),
        BinaryOp::And => x.and(y, width),
        BinaryOp::Or => x.or(y, width, false),
        BinaryOp::Xor => x.or(y, width, true),
        BinaryOp::Shl => x.shl(y, width),
        BinaryOp::LShr => x.lshr(y, width),
        BinaryOp::AShr => x.ashr(y, width),
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::FDiv => Num::full(width),
    })
}

/// Clears bits: rounding an address down moves its offset by less than the cleared bits.
fn masked(a: &Value, bits: u64, width: u32, pointer: u32) -> Value {
    let cleared = !bits & mask(width);
    let mut value = mixed(a, &Value::none(), width, pointer);
    if width == pointer && cleared < NULL_PAGE && !a.may_be_uninit() {
        let down = Num::between(0, cleared).neg(width);
        value.num = a.num.map(|num| num.and(Num::constant(bits, width), width));
        for (target, old) in value.targets.iter_mut().zip(&a.targets) {
            target.offset = old.offset.add(down, width);
        }
    } else if a.may_be_uninit() {
        let (_, high) = a.num.unwrap_or(Num::full(width)).unsigned(width);
        value.num =
            Some(if a.has_objects() { Num::between(0, bits) } else { Num::between(0, bits.min(high.max(bits))) });
    } else {
        value.num = Some(Num::between(0, bits & mask(width)));
    }
    value
}

fn add(a: &Value, b: &Value, width: u32, pointer: u32) -> Value {
    if a.has_objects() && b.has_objects() {
        return mixed(a, b, width, pointer);
    }
    let (base, other) = if b.has_objects() { (b, a) } else { (a, b) };
    let flags = a.flags.with(b.flags);
    let mut value = base.clone();
    value.flags = flags;
    value.num = match (base.num, other.num) {
        (Some(x), Some(y)) => Some(x.add(y, width)),
        _ => None,
    };
    let distance = other.num;
    let stays = distance.and_then(Num::value).is_some_and(|by| by == 0 || (pointer == 64 && is_small(by)));
    if base.flags.has(Flags::FREED.with(Flags::ENDED).with(Flags::ANYWHERE)) && distance.is_some() && !stays {
        // The pointers that the flags stand for may leave the neighbourhood of their objects.
        value.num = Some(Num::full(width));
    }
    match distance {
        Some(distance) if width == pointer => {
            for target in &mut value.targets {
                target.offset = target.offset.add(distance, width);
                target.text = target.text.after(distance.value());
            }
        }
        Some(_) if base.has_objects() => return mixed(a, b, width, pointer),
        Some(_) => {}
        // Only an uninitialised distance is possible.
        None => value.targets.clear(),
    }
    value
}

fn subtract(a: &Value, b: &Value, width: u32, pointer: u32) -> Value {
    if !b.has_objects() {
        let negated = Value { num: b.num.map(|num| num.neg(width)), ..b.clone() };
        return add(a, &negated, width, pointer);
    }
    if is_of_one_object(a, b) { difference(a, b, width) } else { mixed(a, b, width, pointer) }
}

/// Returns whether two addresses lie in one object for certain.
fn is_of_one_object(a: &Value, b: &Value) -> bool {
    let is_only = |value: &Value| {
        value.num.is_none() && value.targets.len() == 1 && value.flags.without(Flags::UNINIT) == Flags::NONE
    };
    is_only(a) && is_only(b) && a.targets[0].obj == b.targets[0].obj
}

/// Returns the distance of two addresses as a number that keeps their objects.
pub fn distance_between(a: &Value, b: &Value, width: u32, pointer: u32) -> Value {
    mixed(a, b, width, pointer)
}

/// Returns the difference of two addresses. If they may lie in different objects, it keeps both objects: added to one address, it gives the other.
pub fn difference(a: &Value, b: &Value, width: u32) -> Value {
    if !is_of_one_object(a, b) {
        return subtract(a, b, width, width);
    }
    let mut result = Value::num(a.targets[0].offset.sub(b.targets[0].offset, width));
    if a.may_be_uninit() || b.may_be_uninit() {
        result.flags = Flags::UNINIT;
    }
    result
}

/// Applies a unary operation.
pub fn unary(op: UnaryOp, ty: Ty, width: u32, pointer: u32, a: &Value) -> Value {
    if let (Some(num), false) = (a.plain(), ty.is_float() || width > 64) {
        return Value::num(match op {
            UnaryOp::Neg => num.neg(width),
            // The complement of x is -1 - x.
            UnaryOp::Not => num.neg(width).add(Num::constant(u64::MAX, width), width),
            UnaryOp::CountLeadingZeros | UnaryOp::CountTrailingZeros | UnaryOp::PopCount => {
                Num::between(0, u64::from(width))
            }
            UnaryOp::ByteSwap => Num::full(width),
        });
    }
    mixed(a, &Value::none(), width, pointer)
}

/// Applies a division whose divisor is not 0.
pub fn divide(op: DivideOp, width: u32, pointer: u32, a: &Value, b: &Value) -> Value {
    let (Some(x), Some(y), false) = (a.plain(), b.plain(), width > 64) else { return mixed(a, b, width, pointer) };
    // Without 0, only the ends of the divisor are known to shrink.
    let Some(y) = y.without(0, width) else { return Value::none() };
    Value::num(match op {
        DivideOp::SDiv => x.sdiv(y, width),
        DivideOp::UDiv => x.udiv(y, width),
        DivideOp::SRem => x.srem(y, width),
        DivideOp::URem => x.urem(y, width),
    })
}

/// Converts a value.
pub fn convert(op: ConvertOp, from: u32, to: u32, pointer: u32, a: &Value) -> Value {
    match op {
        ConvertOp::PtrToInt => a.clone(),
        ConvertOp::IntToPtr => {
            let mut value = a.clone();
            if value.num.is_some_and(|num| may_be_address(num, to)) {
                value.flags = value.flags.with(Flags::ANYWHERE);
            }
            value
        }
        ConvertOp::Trunc | ConvertOp::ZExt | ConvertOp::SExt => {
            if a.has_objects() {
                return mixed(a, &Value::none(), to, pointer);
            }
            let Some(num) = a.num else { return a.clone() };
            let num = match op {
                _ if to > 64 || from > 64 && num.value().is_none() => Num::full(to),
                ConvertOp::Trunc => num.truncate(to),
                ConvertOp::ZExt => num.zero_extend(from),
                _ => num.sign_extend(from, to),
            };
            // The sign of a partly initialised value is unknown.
            Value { num: Some(num), ..a.clone() }
        }
        ConvertOp::FloatToSInt
        | ConvertOp::FloatToUInt
        | ConvertOp::FloatCast
        | ConvertOp::SIntToFloat
        | ConvertOp::UIntToFloat => mixed(a, &Value::none(), to, pointer),
    }
}

/// Returns whether a number may be the address of an object.
fn may_be_address(num: Num, pointer: u32) -> bool {
    let (low, high) = num.signed(pointer);
    low < -(NULL_PAGE as i64) || high >= NULL_PAGE as i64
}

/// Returns whether a value is a mixture of bytes, so that its numbers are no addresses of other objects.
pub fn is_mixture(value: &Value, pointer: u32) -> bool {
    let any = Num::full(pointer);
    value.targets.iter().any(|target| target.offset == any)
}

/// Returns a value that was read from memory as a pointer in a program that has numbers of addresses.
///
/// A number in memory may have been computed from an address in a way that the analysis does not follow, bit by bit for example. So it may
/// point to any object.
pub fn as_address(mut value: Value, pointer: u32) -> Value {
    if !is_mixture(&value, pointer) && value.num.is_some_and(|num| may_be_address(num, pointer)) {
        value.flags = value.flags.with(Flags::ANYWHERE);
        value.num = Some(Num::full(pointer));
    }
    value
}

/// Returns the outcome of a comparison, if it is the same for all values.
pub fn compare(op: CompareOp, ty: Ty, width: u32, pointer: u32, a: &Value, b: &Value) -> Option<bool> {
    if width > 64 || ty.is_float() || a.may_be_uninit() || b.may_be_uninit() {
        return None;
    }
    if let (Some(x), Some(y)) = (a.plain(), b.plain()) {
        return compare_numbers(op, width, x, y);
    }
    let outcome = match op {
        CompareOp::Eq => true,
        CompareOp::Ne => false,
        _ => return compare_offsets(op, pointer, a, b),
    };
    for (pointer_side, number_side) in [(a, b), (b, a)] {
        if number_side.plain().and_then(Num::value) == Some(0) && is_never_null(pointer_side, pointer) {
            return Some(!outcome);
        }
    }
    compare_offsets(op, pointer, a, b)
}

/// Returns whether a value is a pointer to an object and not null.
pub fn is_never_null(value: &Value, pointer: u32) -> bool {
    value.num.is_none_or(|num| !num.contains(0, pointer))
        && !value.flags.has(Flags::FREED.with(Flags::ENDED).with(Flags::ANYWHERE).with(Flags::UNINIT))
        && value.targets.iter().all(|target| is_near(target.offset, pointer))
}

/// Whether two pointers may point into different objects for which one abstract object stands.
///
/// Their offsets say nothing about their order and distance.
pub fn is_ambiguous(state: &State, a: &Value, b: &Value) -> bool {
    let is_many = |obj: Obj| state.memory.get(obj.0).is_some_and(|object| !object.is_single);
    a.targets.iter().any(|x| is_many(x.obj) && b.targets.iter().any(|y| x.obj == y.obj))
}

/// Compares two pointers into one object, unless the object stands for several ([`is_ambiguous`]).
fn compare_offsets(op: CompareOp, pointer: u32, a: &Value, b: &Value) -> Option<bool> {
    let ([x], [y]) = (&a.targets[..], &b.targets[..]) else { return None };
    let is_only = |value: &Value| value.num.is_none() && value.flags == Flags::NONE;
    if x.obj != y.obj || !is_only(a) || !is_only(b) || !is_near(x.offset, pointer) || !is_near(y.offset, pointer) {
        return None;
    }
    let op = match op {
        CompareOp::ULt => CompareOp::SLt,
        CompareOp::ULe => CompareOp::SLe,
        other => other,
    };
    compare_numbers(op, pointer, x.offset, y.offset)
}

fn compare_numbers(op: CompareOp, width: u32, x: Num, y: Num) -> Option<bool> {
    let decide = |always: bool, never: bool| {
        if always {
            Some(true)
        } else if never {
            Some(false)
        } else {
            None
        }
    };
    match op {
        CompareOp::Eq | CompareOp::Ne => {
            let equal = match (x.value(), y.value()) {
                (Some(a), Some(b)) => Some(a == b),
                _ if x.meet(y, width).is_none() => Some(false),
                _ => None,
            }?;
            Some(equal == (op == CompareOp::Eq))
        }
        CompareOp::SLt => {
            let ((a, b), (c, d)) = (x.signed(width), y.signed(width));
            decide(b < c, a >= d)
        }
        CompareOp::SLe => {
            let ((a, b), (c, d)) = (x.signed(width), y.signed(width));
            decide(b <= c, a > d)
        }
        CompareOp::ULt => {
            let ((a, b), (c, d)) = (x.unsigned(width), y.unsigned(width));
            decide(b < c, a >= d)
        }
        CompareOp::ULe => {
            let ((a, b), (c, d)) = (x.unsigned(width), y.unsigned(width));
            decide(b <= c, a > d)
        }
        _ => None,
    }
}
