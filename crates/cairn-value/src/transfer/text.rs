//! Strings and formatted output.

use cairn_ir::{CheckKind, Checks};

use super::access::Access;
use crate::analysis::state::State;
use crate::analysis::{Analysis, Stop};
use crate::domain::number::Num;
use crate::domain::object::Object;
use crate::domain::value::{Flags, Text, Value};

/// The longest string that is read byte by byte.
const MAX_TEXT: u64 = 512;

impl Analysis<'_> {
    /// Returns the lengths of a string; `None` if no execution goes on.
    pub fn string_length(&mut self, state: &mut State, address: &Value, checks: Checks) -> Option<Num> {
        let (places, _) = self.places(state, address, Num::constant(1, 64), Access::Read, checks);
        if places.is_empty() {
            return None;
        }
        let mut result: Option<Num> = None;
        let mut add = |num: Num| result = Some(result.map_or(num, |old: Num| old.join(num, 64)));
        if places.anywhere {
            add(Num::between(0, (1 << (self.pointer - 1)) - 1));
        }
        for &(obj, offset) in &places.found {
            let Some(object) = self.object(&state.memory, obj) else { continue };
            // A zero byte counts only if it is inside of the smallest object.
            let (least, most) = object.size.unsigned(64);
            let (low, high) = offset.unsigned(self.pointer);
            let is_text = self.wild.stores_nothing()
                && (address.targets.iter().any(|t| t.obj == obj && t.text != Text::Unknown)
                    || object.zero_from.is_some_and(|zero| high <= zero));
            if let Some(start) = offset.value()
                && let Some(length) = self.scan(state, obj, start, least, checks)
            {
                add(length);
                continue;
            }
            if !is_text {
                self.alarm(checks, CheckKind::OutOfBounds);
            }
            let bytes = self.contents(&object, obj, Num::between(low, most.max(low + 1) - 1), 1);
            if bytes.may_be_uninit() {
                self.alarm(checks, CheckKind::Uninitialised);
            }
            add(Num::between(0, most.saturating_sub(low + 1)));
        }
        result
    }

    /// Reads a string byte by byte; `None` if its end is not found.
    fn scan(
        &mut self,
        state: &State,
        obj: crate::domain::value::Obj,
        start: u64,
        size: u64,
        checks: Checks,
    ) -> Option<Num> {
        let object = self.object(&state.memory, obj)?;
        let mut least = None;
        let mut uninit = false;
        for index in 0..MAX_TEXT.min(size.checked_sub(start)?) {
            let byte = self.contents(&object, obj, Num::constant(start + index, 64), 1);
            uninit |= byte.may_be_uninit();
            match byte.plain().map(|num| (num.value(), num.contains(0, 8))) {
                Some((Some(0), _)) => {
                    if uninit {
                        self.alarm(checks, CheckKind::Uninitialised);
                    }
                    return Some(Num::between(least.unwrap_or(index), index));
                }
                Some((_, false)) => {}
                _ => least = least.or(Some(index)),
            }
        }
        None
    }

    /// Checks the arguments of formatted output.
    ///
    /// Their accesses are checks of the library model, which are not followed further.
    pub fn format(&mut self, state: &mut State, format: &Value, arguments: &Value, checks: Checks) -> Result<(), Stop> {
        use CheckKind::{
            InvalidCall, InvalidDeref, NullDeref, OutOfBounds, Overlap, Uninitialised, UseAfterFree, UseAfterScope,
        };
        for kind in
            [NullDeref, UseAfterFree, UseAfterScope, OutOfBounds, InvalidDeref, Uninitialised, InvalidCall, Overlap]
        {
            self.alarm(checks, kind);
        }
        // `%n` writes through an argument.
        if self.may_store_count(state, format) {
            match self.reachable(state, std::slice::from_ref(arguments)) {
                Some(reached) => self.havoc(state, &reached, &Value::any(self.pointer)),
                None => self.write_anywhere(state, &Value::any(32)),
            }
        }
        Ok(())
    }

    /// Returns whether a format may contain `%n`.
    fn may_store_count(&mut self, state: &State, format: &Value) -> bool {
        if format.flags.has(Flags::ANYWHERE) {
            return true;
        }
        for target in &format.targets {
            let (Some(object), Some(start)) = (self.object(&state.memory, target.obj), target.offset.value()) else {
                return true;
            };
            let mut is_conversion = false;
            for index in 0.. {
                let at = Num::constant(start.wrapping_add(index), 64);
                let byte = self.contents(&object, target.obj, at, 1).plain().and_then(Num::value);
                match byte {
                    Some(0) => break,
                    Some(b) if is_conversion => match b as u8 {
                        b'n' => return true,
                        b'0'..=b'9' | b'.' | b'*' | b'$' | b'-' | b'+' | b' ' | b'#' | b'\'' | b'I' => {}
                        b'h' | b'l' | b'q' | b'j' | b'z' | b't' | b'L' => {}
                        _ => is_conversion = false,
                    },
                    Some(b) => is_conversion = b as u8 == b'%',
                    None => return true,
                }
                if index > MAX_TEXT {
                    return true;
                }
            }
        }
        false
    }

    /// Writes any text to a buffer.
    pub fn format_to_buffer(&mut self, state: &mut State, buffer: &Value, capacity: Num, checks: Checks) -> bool {
        let (least, most) = capacity.unsigned(64);
        if most == 0 {
            return true;
        }
        // At least the terminator is written, at most the whole buffer.
        let size = Num::between(least.min(1), most);
        let (places, _) = self.places(state, buffer, Num::constant(1, 64), Access::Write, checks);
        if places.is_empty() {
            return least == 0;
        }
        if !self.fill(state, buffer, &Value::any(8), size, checks) {
            return false;
        }
        // The terminator is somewhere in the buffer.
        if let ([(obj, offset)], false, true) = (&places.found[..], places.anywhere, least > 0)
            && let Some(object) = state.memory.get(obj.0).filter(|object| object.is_single)
        {
            let mut new = Object::clone(object);
            new.zero_from = Some(offset.unsigned(self.pointer).0);
            self.set_object(state, *obj, new);
        }
        true
    }

    /// Executes `strtod`.
    pub fn parse_float(&mut self, state: &mut State, text: &Value, end: &Value, checks: Checks) -> bool {
        let Some(length) = self.string_length(state, text, checks) else { return false };
        let may_be_null = end.num.is_some_and(|num| num.contains(0, self.pointer)) || end.may_be_uninit();
        if end.plain().and_then(Num::value) == Some(0) {
            return true;
        }
        let size = Num::constant(u64::from(self.pointer / 8), 64);
        let address = Value { num: None, flags: end.flags.without(Flags::UNINIT), ..end.clone() };
        let (mut places, _) = self.places(state, &address, size, Access::Write, checks);
        if places.is_empty() {
            return may_be_null;
        }
        let distance = Value::num(Num::between(0, length.unsigned(64).1));
        let value = self.add_to_pointer(text, &distance);
        if may_be_null && let [(obj, at)] = places.found[..] {
            // Null leaves the variable as it is.
            places.found.push((obj, at));
        }
        self.write(state, &places, self.pointer / 8, &value);
        true
    }
}
