//! The inputs that a path has asked for: objects behind pointers, contents of memory, and answers of unknown functions.
//!
//! A pointer of unknown origin is a variable. When it is first dereferenced, the variable becomes the address of a new
//! object, whose contents are variables again. The objects of different variables are separate unless the path says that
//! the variables are equal.

use std::rc::Rc;

use cairn_exec::{Carried, Role, StateData};
use cairn_ir::{BlockId, FuncId};
use cairn_memory::pointer::ObjectId;
use cairn_smt::{Substitution, Term, Terms};
use rustc_hash::FxHashMap;

use crate::descriptors::Descriptor;

/// The holder of unknown bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Holder {
    /// An object that the function was given, by its number.
    Object(usize),
    /// A global variable, by its number.
    Global(usize),
    /// An object that an unknown function wrote to.
    Written(Rc<Route>),
}

/// The way from an argument of an unknown call to an object that the call may write.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Route {
    /// The number of the unknown call on the path.
    pub call: usize,
    /// The argument.
    pub argument: usize,
    /// The offset of the argument in its object.
    pub offset: u64,
    /// The pointers to follow.
    pub chain: Vec<Link>,
}

/// A pointer to follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// The offset of the pointer in its object.
    pub at: u64,
    /// The offset in the object that it points to.
    pub offset: u64,
}

/// An object behind an unknown pointer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GivenObject {
    /// The variable that is its address.
    pub pointer: Term,
    /// The object.
    pub id: ObjectId,
}

/// Unknown bytes that the path has read.
#[derive(Clone, Debug)]
pub(crate) struct GivenCell {
    /// The holder.
    pub holder: Holder,
    /// The offset in the holder.
    pub at: u64,
    /// The variable that stands for the bytes.
    pub value: Term,
}

/// An unknown call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answered {
    /// The function, if its name is known.
    pub function: Option<FuncId>,
    /// The values of the arguments that the callee may keep or free.
    pub passed: Vec<Term>,
    /// The result.
    pub result: Option<Term>,
    /// The arguments that the callee may keep or free, and whether only if it has not failed.
    pub taken: Vec<(usize, bool)>,
    /// The new object that is the result.
    pub made: Option<MadeObject>,
    /// The condition under which the callee has failed, and has therefore kept nothing.
    pub failed: Option<Term>,
    /// The objects that the callee keeps unless it has failed.
    pub kept: Vec<Term>,
    /// The descriptors that the callee closes or keeps, unless it has failed.
    pub released: Vec<u64>,
}

/// An object that an unknown function has made for its caller.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MadeObject {
    /// The object.
    pub id: ObjectId,
    /// The condition under which the function has failed instead.
    pub fails: Option<Term>,
}

/// The argument of a route that begins at the result of a call.
pub(crate) const RESULT: usize = usize::MAX;

/// A program point in a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Point {
    /// The depth of the call.
    pub depth: usize,
    /// The function.
    pub function: FuncId,
    /// The block.
    pub block: BlockId,
    /// The instruction.
    pub inst: usize,
}

/// The inputs of a path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unknowns {
    /// The objects behind unknown pointers.
    pub objects: Rc<Vec<GivenObject>>,
    /// The unknown bytes.
    pub cells: Rc<Vec<GivenCell>>,
    /// The objects with unknown bytes.
    pub holders: Rc<FxHashMap<ObjectId, Holder>>,
    /// Pointer variables that are assumed not to be null, because the path follows them without a test.
    pub not_null: Rc<Vec<Term>>,
    /// Pointer variables that equal the address of a given object.
    pub aliases: Rc<Vec<(Term, ObjectId)>>,
    /// Variables that were called as functions.
    pub code: Rc<Vec<Term>>,
    /// The unknown calls, in order.
    pub answers: Rc<Vec<Answered>>,
    /// The pointers that keep objects reachable: given objects, and objects that an unknown function may have kept.
    pub carried: Rc<Vec<Carried>>,
    /// The descriptors that are open.
    pub descriptors: Rc<Vec<Descriptor>>,
    /// Objects that a callee has lost; the fault is the callee's.
    pub lost: Rc<Vec<ObjectId>>,
    /// The point at which the target of a pointer was split into cases.
    ///
    /// A fault in one of them depends on a value that no branch of the code has decided.
    pub cases: Option<Point>,
    /// How often a size, an offset or the length of a string was chosen without a branch of the code.
    pub choices: u32,
    /// Whether inputs have decided the number of iterations of a loop in a call that has returned.
    pub has_looped: bool,
}

impl Unknowns {
    /// Adds an object behind an unknown pointer.
    pub fn add_object(&mut self, pointer: Term, id: ObjectId) {
        let number = self.objects.len();
        Rc::make_mut(&mut self.objects).push(GivenObject { pointer, id });
        Rc::make_mut(&mut self.holders).insert(id, Holder::Object(number));
        self.keep(pointer);
    }

    /// Returns whether a size, an offset or the length of a string was chosen.
    pub fn has_chosen(&self) -> bool {
        self.choices > 0
    }

    /// Takes note that an object stays reachable.
    pub fn keep(&mut self, pointer: Term) {
        let known = |carried: &Carried| carried.value == pointer;
        if !self.carried.iter().any(known) {
            Rc::make_mut(&mut self.carried).push(Carried { value: pointer, role: Role::Root });
        }
    }
}

impl StateData for Unknowns {
    fn substitute(&mut self, _: &mut Terms, _: &mut Substitution) {
        // Only folding and unfolding substitute terms, and this mode does neither.
    }

    fn carried(&self) -> &[Carried] {
        &self.carried
    }
}
