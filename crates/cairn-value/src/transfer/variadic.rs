//! Variable arguments: the object that holds them, and how a call reads them.

use cairn_ir::inst::{Passing, VariableClass};
use cairn_ir::{CheckKind, Checks, FuncId};

use super::access::Access;
use crate::analysis::Analysis;
use crate::analysis::state::State;
use crate::analysis::world::Kind;
use crate::domain::number::Num;
use crate::domain::object::{Back, Object};
use crate::domain::value::{Flags, Value};

impl Analysis<'_> {
    /// Creates the object of the variable arguments of a call.
    pub fn variable_arguments(&mut self, state: &mut State, function: FuncId, args: &[(Value, Passing)]) {
        let obj = self.table.id(Kind::Variadic(function));
        let size: u64 = args.iter().map(|(_, passing)| passing.variable_room()).sum();
        let mut object = Object::new(Num::constant(size, 64), Back::UNINIT);
        let mut passed = vec![None; (size / 16) as usize];
        let mut at = 0;
        for (value, passing) in args {
            if let Some(unit) = passed.get_mut((at / 16) as usize) {
                *unit = Some(*passing);
            }
            match passing {
                Passing::Scalar(ty) => {
                    let bytes = ty.bytes(self.program.target) as u32;
                    object.store(obj, Num::constant(at, 64), bytes, value, &self.table);
                }
                Passing::Memory { size, .. } => {
                    let none = Checks::NONE;
                    let (places, _) = self.places(state, value, Num::constant(*size, 64), Access::Read, none);
                    let pieces = match places.found[..] {
                        [(from, offset)] => {
                            let source = self.object(&state.memory, from);
                            source.map(|source| source.pieces(from, offset, *size, &self.table))
                        }
                        _ => None,
                    };
                    match pieces {
                        Some(pieces) => object.put_pieces(obj, at, &pieces, &self.table),
                        None => {
                            let byte = self.mixed_bytes(state, &places, Num::constant(*size, 64));
                            object.fill(at, *size, &byte, self.pointer);
                        }
                    }
                }
            }
            at += passing.variable_room();
        }
        object.passed = Some(passed.into());
        if let Some(outer) = state.memory.get(obj.0) {
            object = outer.combine(&object, obj, &self.table, None);
            object.is_single = false;
            object.passed = None;
        }
        self.frame().created.insert(obj.0);
        self.set_object(state, obj, object);
    }

    /// Returns the address of the variable arguments of the call at hand.
    pub fn variable_area(&mut self) -> Value {
        let function = self.function();
        if self.program.functions[function.index()].signature.variadic {
            let obj = self.table.id(Kind::Variadic(function));
            Value::pointer(obj, Num::constant(0, self.pointer))
        } else {
            Value::constant(0, self.pointer)
        }
    }

    /// Checks that a variable argument was passed with the class and size that it is read by.
    pub fn variable_argument(&mut self, state: &State, at: &Value, class: &Value, size: &Value, checks: Checks) {
        let class = class.plain().and_then(Num::value).and_then(|c| VariableClass::from_number(u128::from(c)));
        let size = size.plain().and_then(Num::value);
        let (Some(class), Some(size)) = (class, size) else { return self.alarm(checks, CheckKind::InvalidCall) };
        let is_plain = at.num.is_none() && at.flags == Flags::NONE;
        let mut fits = is_plain;
        for target in &at.targets {
            let Some(object) = self.object(&state.memory, target.obj) else { continue };
            let (Some(passed), (low, high)) = (&object.passed, target.offset.unsigned(self.pointer)) else {
                fits = false;
                continue;
            };
            let step = target.offset.stride.max(1);
            let mut offset = low;
            while offset <= high && offset / 16 < passed.len() as u64 {
                let unit = passed[(offset / 16) as usize];
                fits &= unit.is_none_or(|p| p.variable_argument(self.program.target) == (class, size));
                offset += step;
            }
        }
        if !fits {
            self.alarm(checks, CheckKind::InvalidCall);
        }
    }
}
