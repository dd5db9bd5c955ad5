//! Writes and frees through pointers that may point anywhere.
//!
//! Such a write may change every object. Instead of changing all objects of a state, the analysis starts again with the knowledge that every
//! load may give what such writes store.

use super::Analysis;
use super::state::State;
use crate::domain::number::Num;
use crate::domain::object::Object;
use crate::domain::value::{Flags, Obj, Value};

/// What is stored through pointers that may point anywhere. The order is that of generality.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
enum Stored {
    /// Nothing.
    #[default]
    Nothing,
    /// Numbers.
    Numbers,
    /// Pointers as well.
    Anything,
}

/// The effects of pointers that may point anywhere, wherever they are in the program.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Wild {
    stored: Stored,
    stores_uninit: bool,
    frees: bool,
    exposes: bool,
}

impl Wild {
    /// Returns all effects.
    pub fn everything() -> Self {
        Wild { stored: Stored::Anything, stores_uninit: true, frees: true, exposes: true }
    }

    /// Returns whether nothing is stored.
    pub fn stores_nothing(self) -> bool {
        self.stored == Stored::Nothing
    }

    /// Returns whether uninitialised bytes may be stored.
    pub fn stores_uninit(self) -> bool {
        self.stores_uninit || self.stored == Stored::Anything
    }

    /// Returns whether pointers may be stored.
    pub fn stores_pointers(self) -> bool {
        self.stored == Stored::Anything
    }

    /// Returns whether any heap object may be freed.
    pub fn frees(self) -> bool {
        self.frees
    }

    /// Returns whether the program has numbers that were made of addresses.
    pub fn exposes(self) -> bool {
        self.exposes
    }

    /// Returns what a load of some bits may give because of stores anywhere.
    fn value(self, width: u32) -> Option<Value> {
        let flags = if self.stores_uninit { Flags::UNINIT } else { Flags::NONE };
        match self.stored {
            Stored::Nothing => None,
            Stored::Numbers => Some(Value { flags, ..Value::any(width) }),
            Stored::Anything => Some(Value::anything(width)),
        }
    }
}

impl Analysis<'_> {
    /// Records a write of a value through a pointer that may point anywhere.
    pub fn write_anywhere(&mut self, state: &mut State, value: &Value) {
        let mut new = self.wild;
        let stored = if value.has_objects() { Stored::Anything } else { Stored::Numbers };
        new.stored = new.stored.max(stored);
        new.stores_uninit |= value.may_be_uninit();
        self.extend_wild(new);
        state.filled = std::rc::Rc::default();
        state.writes_anywhere = true;
        state.forget_loads(&|_| true);
    }

    /// Records that a pointer that may point anywhere is freed.
    pub fn free_anywhere(&mut self, state: &mut State) {
        self.extend_wild(Wild { frees: true, ..self.wild });
        state.forget_loads(&|_| true);
    }

    /// Records that an address becomes a number.
    pub fn expose(&mut self, address: &Value) {
        if address.has_objects() && !self.wild.exposes {
            self.extend_wild(Wild { exposes: true, ..self.wild });
        }
    }

    fn extend_wild(&mut self, new: Wild) {
        self.has_new_wild |= new != self.wild;
        self.wild = new;
    }

    /// Returns the value of some bytes of an object.
    pub fn contents(&self, object: &Object, obj: Obj, offset: Num, size: u32) -> Value {
        let value = object.load(obj, offset, size, &self.table);
        let width = (size * 8).min(128);
        match self.wild.value(width) {
            // A store may also overwrite a part of the bytes.
            Some(other) if !self.table.is_constant(obj) => {
                value.smear(width, self.pointer).join(&other, width, self.pointer)
            }
            _ => value,
        }
    }
}
