//! Parses instructions and terminators.

use super::{Result, passing, result, ty};
use crate::check::Checks;
use crate::ids::{self, CheckId, FuncId, GlobalId, Reg, Slot, WideId};
use crate::inst::{
    Arg, BinaryOp, BitRange, Call, Callee, Case, CompareOp, ConvertOp, DivideOp, FitsOp, Inst, Intrinsic, Local,
    Operand, Terminator, UnaryOp,
};
use crate::parse::cursor::Cursor;

/// One line of a block, without its location.
pub(super) enum Line {
    /// An instruction.
    Inst(Inst),
    /// The terminator of the block.
    End(Terminator),
}

/// Parses an instruction or a terminator.
pub(super) fn line(cursor: &mut Cursor<'_>) -> Result<Line> {
    if let Some(id) = cursor.eat_id('v') {
        cursor.expect("=")?;
        return with_result(cursor, Reg(id)).map(Line::Inst);
    }
    let end = match cursor.word() {
        "jump" => Terminator::Jump(block(cursor)?),
        "branch" => {
            let cond = operand(cursor)?;
            cursor.expect(",")?;
            let then = block(cursor)?;
            cursor.expect(",")?;
            let other = block(cursor)?;
            Terminator::Branch { cond, then, other, checks: checks(cursor)? }
        }
        "switch" => switch(cursor)?,
        "jump_to" => jump_to(cursor)?,
        "return" if cursor.at_place_or_end() => Terminator::Return(None),
        "return" => Terminator::Return(Some(operand(cursor)?)),
        "unreachable" => Terminator::Unreachable,
        name => return without_result(cursor, name).map(Line::Inst),
    };
    Ok(Line::End(end))
}

fn with_result(cursor: &mut Cursor<'_>, dst: Reg) -> Result<Inst> {
    let inst = match cursor.word() {
        "move" => Inst::Move { dst, src: operand(cursor)? },
        "undef" => Inst::Undef { dst },
        "ptr_add" => {
            let (base, index) = pair(cursor)?;
            cursor.expect("*")?;
            Inst::PtrAdd { dst, base, index, scale: cursor.integer()? }
        }
        "ptr_sub" => {
            let (lhs, rhs) = pair(cursor)?;
            Inst::PtrSub { dst, lhs, rhs }
        }
        "load" => {
            let ty = ty(cursor)?;
            let (addr, offset) = address(cursor)?;
            Inst::Load { dst, ty, addr, offset, checks: checks(cursor)? }
        }
        "load_bits" => {
            let ty = ty(cursor)?;
            let (addr, offset) = address(cursor)?;
            let bits = bits(cursor)?;
            let signed = cursor.eat_word("signed");
            Inst::LoadBits { dst, ty, addr, offset, bits, signed, checks: checks(cursor)? }
        }
        name @ ("call" | "call_ptr") => call(cursor, Some(dst), name)?,
        "intrinsic" => intrinsic(cursor, Some(dst))?,
        name => {
            if let Some(op) = UnaryOp::from_name(name) {
                Inst::Unary { op, ty: ty(cursor)?, dst, src: operand(cursor)? }
            } else if let Some(op) = BinaryOp::from_name(name) {
                let ty = ty(cursor)?;
                let (lhs, rhs) = pair(cursor)?;
                Inst::Binary { op, ty, dst, lhs, rhs }
            } else if let Some(op) = DivideOp::from_name(name) {
                let ty = ty(cursor)?;
                let (lhs, rhs) = pair(cursor)?;
                Inst::Divide { op, ty, dst, lhs, rhs, checks: checks(cursor)? }
            } else if let Some(op) = CompareOp::from_name(name) {
                let ty = ty(cursor)?;
                let (lhs, rhs) = pair(cursor)?;
                Inst::Compare { op, ty, dst, lhs, rhs }
            } else if let Some(op) = ConvertOp::from_name(name) {
                let from = ty(cursor)?;
                let src = operand(cursor)?;
                cursor.keyword("to")?;
                Inst::Convert { op, from, to: ty(cursor)?, dst, src }
            } else {
                return cursor.fail_at_word("an operation with a result");
            }
        }
    };
    Ok(inst)
}

fn without_result(cursor: &mut Cursor<'_>, name: &str) -> Result<Inst> {
    let inst = match name {
        "store" => {
            let ty = ty(cursor)?;
            let (addr, offset) = address(cursor)?;
            cursor.expect(",")?;
            let src = operand(cursor)?;
            Inst::Store { ty, addr, offset, src, checks: checks(cursor)? }
        }
        "store_bits" => {
            let ty = ty(cursor)?;
            let (addr, offset) = address(cursor)?;
            let bits = bits(cursor)?;
            cursor.expect(",")?;
            let src = operand(cursor)?;
            Inst::StoreBits { ty, addr, offset, bits, src, checks: checks(cursor)? }
        }
        "use" => Inst::Use { ty: ty(cursor)?, src: operand(cursor)?, checks: checks(cursor)? },
        "fits" => {
            let Some(op) = FitsOp::from_name(cursor.word()) else { return cursor.fail_at_word("a requirement") };
            let ty = ty(cursor)?;
            let (lhs, rhs) = pair(cursor)?;
            Inst::Fits { op, ty, lhs, rhs, checks: checks(cursor)? }
        }
        "copy" => {
            let size = cursor.number()?;
            cursor.keyword("to")?;
            let dst = operand(cursor)?;
            let dst_checks = checks(cursor)?;
            cursor.keyword("from")?;
            let src = operand(cursor)?;
            Inst::Copy { dst, src, size, dst_checks, src_checks: checks(cursor)? }
        }
        "zero" => {
            let (dst, offset) = address(cursor)?;
            cursor.keyword("size")?;
            Inst::Zero { dst, offset, size: cursor.number()? }
        }
        "enter" => Inst::Enter(local(cursor)?),
        "enter_vla" => {
            let slot = Slot(cursor.id('s', "a slot")?);
            cursor.keyword("size")?;
            Inst::EnterVla { slot, size: operand(cursor)? }
        }
        "leave" => Inst::Leave(local(cursor)?),
        "call" | "call_ptr" => call(cursor, None, name)?,
        "intrinsic" => intrinsic(cursor, None)?,
        "unsupported" => {
            let what = cursor.text()?.into();
            Inst::Unsupported { what, checks: checks(cursor)? }
        }
        _ => return cursor.fail_at_word("an instruction or the end of the block"),
    };
    Ok(inst)
}

fn switch(cursor: &mut Cursor<'_>) -> Result<Terminator> {
    let ty = ty(cursor)?;
    let signed = cursor.eat_word("signed");
    let value = operand(cursor)?;
    cursor.expect("{")?;
    let mut cases = Vec::new();
    while !cursor.eat_word("else") {
        if !cursor.at_integer() {
            return cursor.fail("a constant or `else`");
        }
        let low = cursor.integer()?;
        let high = if cursor.eat("..") { cursor.integer()? } else { low };
        cursor.expect_one_of(":", "`..` or `:`")?;
        cases.push(Case { low, high, target: block(cursor)? });
        cursor.expect(",")?;
    }
    cursor.expect(":")?;
    let default = block(cursor)?;
    cursor.expect("}")?;
    Ok(Terminator::Switch { ty, signed, value, cases, default, checks: checks(cursor)? })
}

fn jump_to(cursor: &mut Cursor<'_>) -> Result<Terminator> {
    let addr = operand(cursor)?;
    cursor.expect("[")?;
    let mut targets = Vec::new();
    if !cursor.eat("]") {
        loop {
            targets.push(block(cursor)?);
            if cursor.eat("]") {
                break;
            }
            cursor.expect_one_of(",", "`,` or `]`")?;
        }
    }
    Ok(Terminator::JumpTo { addr, targets, checks: checks(cursor)? })
}

fn call(cursor: &mut Cursor<'_>, dst: Option<Reg>, name: &str) -> Result<Inst> {
    let callee = match name {
        "call" => Callee::Function(FuncId(cursor.id('f', "a function")?)),
        _ => Callee::Pointer(operand(cursor)?),
    };
    cursor.expect("(")?;
    let mut args = Vec::new();
    let mut fixed = None;
    if !cursor.eat(")") {
        loop {
            if fixed.is_none() && cursor.eat("...") {
                fixed = Some(args.len());
            } else {
                let passing = passing(cursor)?;
                args.push(Arg { value: operand(cursor)?, passing });
            }
            if cursor.eat(")") {
                break;
            }
            cursor.expect_one_of(",", "`,` or `)`")?;
        }
    }
    // No text can be long enough for the count to overflow.
    let fixed = u32::try_from(fixed.unwrap_or(args.len())).unwrap_or(u32::MAX);
    let ret = result(cursor)?;
    let prototyped = !cursor.eat_word("unprototyped");
    let checks = checks(cursor)?;
    Ok(Inst::Call(Box::new(Call { dst, callee, args, ret, fixed, prototyped, checks, ctype: None })))
}

fn intrinsic(cursor: &mut Cursor<'_>, dst: Option<Reg>) -> Result<Inst> {
    let Some(op) = Intrinsic::from_name(cursor.word()) else {
        return cursor.fail_at_word("the name of an intrinsic");
    };
    cursor.expect("(")?;
    let mut args = Vec::new();
    if !cursor.eat(")") {
        loop {
            args.push(operand(cursor)?);
            if cursor.eat(")") {
                break;
            }
            cursor.expect_one_of(",", "`,` or `)`")?;
        }
    }
    Ok(Inst::Intrinsic { op, dst, args: args.into(), checks: checks(cursor)? })
}

fn operand(cursor: &mut Cursor<'_>) -> Result<Operand> {
    if cursor.at_integer() {
        return cursor.integer().map(Operand::Int);
    }
    if let Some(id) = cursor.eat_id('v') {
        Ok(Operand::Reg(Reg(id)))
    } else if let Some(id) = cursor.eat_id('s') {
        Ok(Operand::Slot(Slot(id)))
    } else if let Some(id) = cursor.eat_id('g') {
        Ok(Operand::Global(GlobalId(id)))
    } else if let Some(id) = cursor.eat_id('f') {
        Ok(Operand::Function(FuncId(id)))
    } else if let Some(id) = cursor.eat_id('w') {
        Ok(Operand::Wide(WideId(id)))
    } else if let Some(id) = cursor.eat_id('b') {
        Ok(Operand::Label(ids::Block(id)))
    } else {
        cursor.fail("an operand")
    }
}

fn pair(cursor: &mut Cursor<'_>) -> Result<(Operand, Operand)> {
    let lhs = operand(cursor)?;
    cursor.expect(",")?;
    Ok((lhs, operand(cursor)?))
}

fn address(cursor: &mut Cursor<'_>) -> Result<(Operand, i64)> {
    let base = operand(cursor)?;
    Ok((base, cursor.offset()?))
}

fn bits(cursor: &mut Cursor<'_>) -> Result<BitRange> {
    cursor.keyword("bits")?;
    let start = cursor.number_u8()?;
    cursor.expect("+")?;
    Ok(BitRange { start, width: cursor.number_u8()? })
}

fn local(cursor: &mut Cursor<'_>) -> Result<Local> {
    if let Some(id) = cursor.eat_id('v') {
        return Ok(Local::Reg(Reg(id)));
    }
    Ok(Local::Slot(Slot(cursor.id('s', "a register or a slot")?)))
}

fn block(cursor: &mut Cursor<'_>) -> Result<ids::Block> {
    cursor.id('b', "a block").map(ids::Block)
}

/// Parses `!c3` or `!c3..c8`, if present.
fn checks(cursor: &mut Cursor<'_>) -> Result<Checks> {
    if !cursor.eat("!") {
        return Ok(Checks::NONE);
    }
    let first = cursor.id('c', "a check")?;
    if !cursor.eat("..") {
        return Ok(Checks { first: CheckId(first), count: 1 });
    }
    let start = cursor.mark();
    let last = cursor.id('c', "a check")?;
    match last.checked_sub(first).and_then(|n| n.checked_add(1)) {
        Some(count) => Ok(Checks { first: CheckId(first), count }),
        None => cursor.fail_at(start, "a check of a higher number"),
    }
}
