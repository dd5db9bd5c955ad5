//! Compares the outcome of a call with the cases of a contract.

use std::collections::BTreeSet;

use cairn_interpret::Ending;
use cairn_interpret::session::Called;
use cairn_memory::{ObjectId, ObjectKind, Pointer};

use super::generate::Input;
use crate::contract::{Case, Contract, Effect, Place, Value};
use crate::replay::ScenarioCall;
use crate::scenario::Contents;

/// Returns how an outcome contradicts a contract.
pub(super) fn judge(contract: &Contract, input: &Input, call: &ScenarioCall) -> Result<(), String> {
    let called = &call.called;
    match &called.ending {
        Ending::Fault(fault) => return Err(format!("{}: {}", fault.kind.name(), fault.message)),
        Ending::Exited(_) => {}
        Ending::Aborted if contract.never_returns || !contract.ends_in.is_empty() => return Ok(()),
        Ending::Aborted => return Err("it ends the program".to_owned()),
        // The trial is too long, or leaves the model of the interpreter.
        _ => return Ok(()),
    }
    if contract.never_returns {
        return Err("it returns".to_owned());
    }
    let mut contradictions = BTreeSet::new();
    for case in &contract.cases {
        match contradiction(contract, case, input, call) {
            None => return Ok(()),
            Some(text) => drop(contradictions.insert(text)),
        }
    }
    let all: Vec<String> = contradictions.into_iter().collect();
    Err(format!("no case describes the outcome: {}", all.join("; ")))
}

/// Returns how an outcome contradicts a case.
fn contradiction(contract: &Contract, case: &Case, input: &Input, call: &ScenarioCall) -> Option<String> {
    if !has_result(contract, &case.result, input, call) {
        return Some(format!("result is not {:?}", case.result));
    }
    let possible = |place: &Place| {
        let all = case.effects.iter().chain(&case.possible);
        all.into_iter().any(|effect| match effect {
            Effect::Frees(freed) | Effect::FreesSome(freed) | Effect::Gives(freed, _) => freed == place,
            _ => false,
        })
    };
    for (place, objects) in &input.objects {
        let live = objects.iter().filter(|&&number| is_live(&call.called, call.objects[number])).count();
        if case.effects.contains(&Effect::Frees(place.clone())) && live > 0 {
            return Some(format!("`{place}` is not freed"));
        }
        if live < objects.len() && !possible(place) {
            return Some(format!("`{place}` is freed"));
        }
    }
    let leaks = |effect: &Effect| matches!(effect, Effect::Leaks(_));
    if !call.called.leaks.is_empty() && !case.effects.iter().chain(&case.possible).any(leaks) {
        return Some("memory is leaked".to_owned());
    }
    None
}

fn is_live(called: &Called, pointer: Pointer) -> bool {
    called.memory.is_live(pointer)
}

/// Returns whether the result of a call is as described.
fn has_result(contract: &Contract, value: &Value, input: &Input, call: &ScenarioCall) -> bool {
    let called = &call.called;
    let number = called.number.unwrap_or(0);
    let is_given = |id: ObjectId| call.objects.iter().any(|object| object.object == id);
    let is_new = || {
        called.result.is_some_and(|result| {
            let is_heap =
                called.memory.live_objects().any(|(id, kind)| id == result.object && kind == ObjectKind::Heap);
            is_heap && !is_given(result.object)
        })
    };
    match value {
        Value::Nothing | Value::Any | Value::From(_) => true,
        Value::Null => number == 0,
        Value::New { or_null } => (*or_null && number == 0) || is_new(),
        Value::Given(place) => match input.values.get(place) {
            Some(Contents::Address(object)) => {
                called.result.is_some_and(|result| result.address == call.objects[*object].address)
            }
            Some(Contents::Bytes(bytes)) => bytes.iter().zip(number.to_le_bytes()).all(|(a, b)| *a == b),
            _ => true,
        },
        Value::Inside(place) => called.result.is_some_and(|result| {
            let own = input.objects.get(place);
            own.is_none_or(|own| own.iter().any(|&index| call.objects[index].object == result.object))
        }),
        Value::Address(_) => number != 0,
        Value::Numbers(numbers) => numbers.iter().any(|&one| is_number(contract, one, number)),
        Value::Range(low, high) => (*low..=*high).contains(&signed(contract, number)),
    }
}

/// Returns whether the bits of a result are a number of the result's type.
fn is_number(contract: &Contract, one: i128, bits: u64) -> bool {
    signed(contract, bits) == one
}

/// Returns the number that the bits of a result stand for.
fn signed(contract: &Contract, bits: u64) -> i128 {
    match contract.result.as_str() {
        "int" => i128::from(bits as u32 as i32),
        "long" | "long long" => i128::from(bits as i64),
        "short" => i128::from(bits as u16 as i16),
        "char" | "signed char" => i128::from(bits as u8 as i8),
        _ => i128::from(bits),
    }
}
