//! SV-COMP witnesses, which validators check.
//!
//! The witness of a violation has the values that calls return, and the location where the property is violated. The witness
//! of a proof has loop invariants. [`yaml`] writes both; [`graphml`] writes the older format, for violations only.

pub mod graphml;
mod place;
pub mod yaml;

use std::collections::HashMap;

use cairn_ir::inst::{Callee, Intrinsic};
use cairn_ir::source::StackPlace;
use cairn_ir::{FuncId, Inst, Loc, Program, Ty};
use cairn_portfolio::verdict::{Asked, Violation};

use crate::Texts;
use crate::limits::WITNESS_CALLS;
use place::{InputText, Place};

/// The metadata of a witness.
#[derive(Clone, Debug)]
pub struct Metadata {
    /// The time of creation, in UTC: `2026-01-31T23:59:59Z`.
    pub creation_time: String,
    /// The unique identifier.
    pub uuid: String,
    /// The version of cairn.
    pub version: String,
    /// The program's file, as it was given.
    pub input_file: String,
    /// The SHA-256 of that file, in hexadecimal.
    pub input_hash: String,
    /// The lines of the property file.
    pub specification: String,
    /// Whether pointers have 64 bits.
    pub lp64: bool,
}

/// A call that returned a known value.
struct Returned {
    /// The call's closing parenthesis.
    place: Place,
    /// The calling function.
    function: String,
    callee: String,
    /// The constraint on `\result`.
    constraint: String,
}

/// The contents of a witness, for both formats.
struct Path {
    returned: Vec<Returned>,
    target: Place,
    target_function: String,
}

impl Path {
    fn of(violation: &Violation, program: &Program, metadata: &Metadata, texts: Texts<'_>) -> Path {
        let input = InputText::new(&metadata.input_file, texts);
        // A leak is reported at the allocation, but the property is violated when the program ends.
        let leak = violation.fault.kind.is_of_the_end();
        let stack = if leak && !violation.end.is_empty() { &violation.end } else { &violation.fault.stack };
        let target = user_place(stack, program);
        let loc = target.map_or(Loc::NONE, |place| place.loc);
        let function = target.and_then(|place| program.functions.get(place.function.index()));
        Path {
            returned: returned(&violation.asked, program, &input, texts),
            target: input.statement(loc, program.file_name(loc), texts),
            target_function: function.map_or_else(String::new, |f| f.name.clone()),
        }
    }
}

/// Returns the innermost place of a stack in a user function.
pub(crate) fn user_place<'a>(stack: &'a [StackPlace], program: &Program) -> Option<&'a StackPlace> {
    let is_user = |f: &&StackPlace| {
        f.loc.is_some() && program.functions.get(f.function.index()).is_some_and(|f| f.origin.is_of_user())
    };
    stack.iter().find(is_user).or(stack.first())
}

/// Returns the calls whose results are known.
///
/// A validator counts the calls at a location. When the value of one of them cannot be written, all calls at that location are
/// omitted.
fn returned(asked: &[Asked], program: &Program, input: &InputText, texts: Texts<'_>) -> Vec<Returned> {
    // A loop has many inputs at the same location.
    let mut sites: HashMap<Loc, Option<Site>> = HashMap::new();
    let mut told = Vec::new();
    for one in asked {
        let site = sites.entry(one.loc).or_insert_with(|| Site::at(one.loc, program, input, texts));
        match site.as_ref().and_then(|site| constraint(one, &site.callee, program)) {
            Some(constraint) => told.push((one.loc, constraint)),
            None => *site = None,
        }
    }
    let call = |(loc, constraint)| {
        let site = sites.get(&loc)?.as_ref()?;
        let Site { place, function, callee } = site.clone();
        Some(Returned { place, function, callee, constraint })
    };
    told.into_iter().filter_map(call).take(WITNESS_CALLS).collect()
}

/// A call in the user's text that returns an unmodified input.
#[derive(Clone)]
struct Site {
    place: Place,
    function: String,
    callee: String,
}

impl Site {
    fn at(loc: Loc, program: &Program, input: &InputText, texts: Texts<'_>) -> Option<Site> {
        let (function, inst) = instruction_at(loc, program)?;
        let call = input.call(loc, program.file_name(loc), texts)?;
        let known = match inst {
            Inst::Call(inst) => match inst.callee {
                Callee::Function(id) => program.functions.get(id.index()).is_some_and(|f| f.name == call.name),
                Callee::Pointer(_) => false,
            },
            _ => call.name.starts_with(NONDET),
        };
        let function = program.functions.get(function.index())?.name.clone();
        known.then_some(Site { place: call.end, function, callee: call.name })
    }
}

const NONDET: &str = "__VERIFIER_nondet_";

/// Returns the instruction at a location that reads one input: a call of a function without a body, or the intrinsic of a call
/// of `__VERIFIER_nondet_…`. Returns `None` when there are several, because any of them may have read the input.
fn instruction_at(loc: Loc, program: &Program) -> Option<(FuncId, &Inst)> {
    if !loc.is_some() {
        return None;
    }
    let mut found = None;
    for (index, function) in program.functions.iter().enumerate().filter(|(_, f)| f.origin.is_of_user()) {
        for block in function.body.iter().flat_map(|body| &body.blocks) {
            for (inst, _) in block.insts.iter().zip(&block.locs).filter(|(_, at)| **at == loc) {
                let asks = match inst {
                    Inst::Call(call) => match call.callee {
                        Callee::Function(id) => program.functions.get(id.index()).is_none_or(|f| f.body.is_none()),
                        Callee::Pointer(_) => true,
                    },
                    Inst::Intrinsic { op, .. } => *op == Intrinsic::Nondet,
                    _ => false,
                };
                if asks && found.replace((FuncId::new(index), inst)).is_some() {
                    return None;
                }
            }
        }
    }
    found
}

/// Returns the constraint on the result of a call, or `None` when C has no constant for it.
fn constraint(asked: &Asked, callee: &str, program: &Program) -> Option<String> {
    let bits = asked.ty.bits(program.target);
    let mask = if bits >= 128 { u128::MAX } else { (1 << bits) - 1 };
    let value = asked.value & mask;
    let constant = match asked.ty {
        Ty::Ptr if value == 0 => "0".to_owned(),
        // An address has no constant, and a valid program depends on nothing else of it.
        Ty::Ptr => return Some(r"\result != 0".to_owned()),
        Ty::F32 => float(f64::from(f32::from_bits(value as u32)))?,
        Ty::F64 => float(f64::from_bits(value as u64))?,
        Ty::F16 | Ty::F80 | Ty::F128 => return None,
        _ if is_unsigned(callee) || asked.ty == Ty::I1 => value.to_string(),
        _ => {
            let unused = 128 - bits.min(128);
            (((value << unused) as i128) >> unused).to_string()
        }
    };
    Some(format!(r"\result == {constant}"))
}

fn float(value: f64) -> Option<String> {
    value.is_finite().then(|| format!("{value:?}"))
}

/// Returns whether a function of SV-COMP returns an unsigned integer, which the IR does not record.
fn is_unsigned(callee: &str) -> bool {
    let name = callee.strip_prefix(NONDET).unwrap_or(callee);
    let name = name.strip_prefix('_').unwrap_or(name);
    matches!(
        name,
        "bool"
            | "Bool"
            | "uchar"
            | "ushort"
            | "uint"
            | "ulong"
            | "ulonglong"
            | "unsigned"
            | "unsigned_int"
            | "unsigned_char"
            | "unsigned_long"
            | "size_t"
            | "sector_t"
            | "pthread_t"
            | "uint128"
            | "u8"
            | "u16"
            | "u32"
            | "u64"
            | "uint8_t"
            | "uint16_t"
            | "uint32_t"
            | "uint64_t"
            | "U8"
            | "U16"
            | "U32"
            | "U64"
    )
}

#[cfg(test)]
mod tests;
