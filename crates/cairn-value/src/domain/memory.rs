//! Abstract memory: the objects of a state.

use std::rc::Rc;

use super::map::{Entry, Map, TEXT_FILTER, filter_of};
use super::object::{Initial, Object};
use super::value::{Flags, Obj, Target, Text, Value};

/// All objects that differ from their initial state.
pub type Memory = Map<Rc<Object>>;

/// A change of all pointers to an object, wherever they are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rename {
    /// The object that the pointers point to.
    pub from: Obj,
    /// The object that they point to afterwards.
    pub to: Option<Obj>,
    /// What is added to the pointers.
    pub fate: Fate,
}

/// What happens to pointers to an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fate {
    /// The pointers stay valid, as pointers to the new object.
    Moves,
    /// The pointers dangle, because the object was freed.
    Freed,
    /// The pointers dangle, because the lifetime of the object has ended.
    Ended,
    /// The pointers stay, but may dangle.
    MayEnd,
    /// The pointers may be behind the last zero byte.
    LeavesText,
}

impl Rename {
    /// Applies the change to a value; `None` if it is not concerned.
    pub fn apply(&self, value: &Value, pointer: u32) -> Option<Value> {
        let at = value.targets.binary_search_by_key(&self.from, |target| target.obj).ok()?;
        let mut new = value.clone();
        match self.fate {
            Fate::MayEnd => new.flags = new.flags.with(Flags::ENDED),
            Fate::LeavesText => {
                if new.targets[at].text == Text::Unknown {
                    return None;
                }
                new.targets[at].text = Text::Unknown;
            }
            Fate::Moves | Fate::Freed | Fate::Ended => {
                let old = new.targets.remove(at);
                match self.fate {
                    Fate::Freed | Fate::Ended => {
                        let gone = if self.fate == Fate::Freed { Flags::FREED } else { Flags::ENDED };
                        new.flags = new.flags.with(gone);
                        new.forget_target(old, pointer, pointer);
                    }
                    _ => {
                        if let Some(to) = self.to {
                            new.add_target(Target { obj: to, text: Text::Unknown, ..old }, pointer);
                        }
                    }
                }
            }
        }
        Some(new)
    }

    /// Applies the change to all objects that `concerns` selects.
    pub fn apply_to_memory(&self, memory: &mut Memory, pointer: u32, concerns: &mut dyn FnMut(u32) -> bool) {
        memory.replace(filter_of(self.from.0), &mut |key, object| {
            if !concerns(key) || (self.fate == Fate::LeavesText && object.filter() & TEXT_FILTER == 0) {
                return None;
            }
            let mut new = Object::clone(object);
            new.map_values(&|value, _| self.apply(value, pointer).unwrap_or_else(|| value.clone()));
            Some(Rc::new(new))
        });
    }
}

/// Joins or widens two memories.
pub fn combine(a: &Memory, b: &Memory, env: &dyn World, thresholds: Option<&[u64]>) -> Memory {
    a.merge(b, &mut |key, left, right| {
        let obj = Obj(key);
        match (left, right) {
            (Some(left), Some(right)) => Some(merge_objects(left, right, obj, env, thresholds)),
            (Some(one), None) | (None, Some(one)) => match env.unchanged(obj) {
                // The object has its initial value in the other memory.
                Some(initial) => Some(merge_objects(one, &Rc::new(initial), obj, env, thresholds)),
                // The object does not exist in the other memory, and nothing points to it.
                None => Some(one.clone()),
            },
            (None, None) => None,
        }
    })
}

fn merge_objects(
    left: &Rc<Object>,
    right: &Rc<Object>,
    obj: Obj,
    env: &dyn World,
    thresholds: Option<&[u64]>,
) -> Rc<Object> {
    if left == right {
        return left.clone();
    }
    let merged = left.combine(right, obj, env, thresholds);
    // Equal objects are shared, so that later comparisons are fast.
    if merged == **left {
        left.clone()
    } else if merged == **right {
        right.clone()
    } else {
        Rc::new(merged)
    }
}

/// The objects that a memory does not list.
pub trait World: Initial {
    /// Returns the initial state of an object that exists from the start.
    fn unchanged(&self, obj: Obj) -> Option<Object>;
}
