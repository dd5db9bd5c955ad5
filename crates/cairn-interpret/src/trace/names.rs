//! Names of objects: how the program reaches them (`list->next`).
//!
//! A best-first search follows pointers from the variables of the active calls, the innermost first, and from the global variables.
//! The types of variables tell where the pointers in an object are and how they are called.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use cairn_ir::analysis::liveness::Liveness;
use cairn_ir::ctype::{Type, TypeId};
use cairn_ir::layout;
use rustc_hash::FxHashSet;

use crate::limits::{NAME_HOP, NAME_OUTER, NAME_STAR, NAMED_HOPS, NAMED_OBJECTS};
use crate::run::machine::{Frame, Machine};
use crate::trace::fields::{Part, parts_of, path_at, pointee};
use crate::translate::is_wide;
use cairn_memory::store::ObjectInfo;
use cairn_memory::{End, ObjectId, ObjectKind, Pointer};

/// The beginning of the description of an object that no variable leads to.
pub(crate) const FROM_LINE: &str = "the object from line ";

/// The place that a name must not use, because it has just received the pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Except {
    Nothing,
    /// A register, by its index in the values of all frames.
    Register(usize),
    /// A pointer in memory, by its address.
    Cell(u64),
}

/// A variable of an active call, or a global variable.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub name: String,
    pub ty: Option<TypeId>,
    pub storage: Storage,
    /// The function, for a local variable.
    pub function: Option<u32>,
    /// The number of user functions that are active inside of that of the variable.
    pub above: u32,
}

/// Where a variable is stored.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Storage {
    /// In a register, by its index in the values of all frames.
    Register(usize),
    /// In the object at this address.
    Object(Pointer),
}

/// A pointer that a name leads to.
struct Lead {
    pointer: Pointer,
    /// The type that it points to.
    to: Option<TypeId>,
    name: Name,
}

/// The pointers that a search has not followed yet. Those with the least cost come first, and then the first ones.
#[derive(Default)]
struct Leads {
    waiting: BTreeMap<(u32, usize), Lead>,
    count: usize,
}

impl Leads {
    fn push(&mut self, cost: u32, lead: Lead) {
        self.count += 1;
        self.waiting.insert((cost, self.count), lead);
    }

    fn pop(&mut self) -> Option<(u32, Lead)> {
        self.waiting.pop_first().map(|((cost, _), lead)| (cost, lead))
    }
}

/// The expression for a pointer.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    text: String,
    /// The function, if the variable belongs to an outer call.
    of: Option<u32>,
    root: String,
    hops: usize,
    /// The field of all hops, as long as it is the same.
    only: Option<String>,
}

impl Name {
    fn of_variable(variable: &Variable) -> Self {
        Name {
            text: variable.name.clone(),
            of: variable.function.filter(|_| variable.above > 0),
            root: variable.name.clone(),
            hops: 0,
            only: None,
        }
    }

    /// Returns the name of a part of the object that this pointer leads to.
    fn member(&self, path: &str) -> Name {
        let text = match path.strip_prefix('.') {
            Some(field) => format!("{}->{field}", self.text),
            None if path.is_empty() => format!("*{}", self.text),
            None => format!("{}{path}", self.text),
        };
        let same = self.hops == 0 || self.only.as_deref() == Some(path);
        Name { text, hops: self.hops + 1, only: same.then(|| path.to_owned()), ..self.clone() }
    }

    /// Returns the name in words: a long way along one field is counted.
    pub(crate) fn quoted(&self, machine: &Machine<'_>) -> String {
        let text = match &self.only {
            Some(_) if self.hops > NAMED_HOPS => format!("node {} of `{}`", self.hops + 1, self.root),
            _ => format!("`{}`", self.text),
        };
        match self.of.and_then(|function| machine.program.functions.get(function as usize)) {
            Some(function) => format!("{text} of `{}`", function.name),
            None => text,
        }
    }
}

impl Machine<'_> {
    /// Returns the variables that a user sees: those of the innermost call first, then those of its callers, then global ones.
    pub fn variables_in_scope(&self) -> Vec<Variable> {
        let mut found = Vec::new();
        let mut above = 0;
        let mut next = self.position;
        for frame in self.frames.iter().rev() {
            let position = std::mem::replace(&mut next, frame.return_to).saturating_sub(1);
            let is_user = self.program.functions.get(frame.function.index()).is_some_and(|f| f.origin.is_of_user());
            if is_user {
                self.variables_of(frame, (position, above), &mut found);
                above += 1;
            }
        }
        for (id, kind) in self.memory.live_objects() {
            if kind != ObjectKind::Static {
                continue;
            }
            let Some(info) = self.memory.info(id, 1) else { continue };
            let Some(global) = self.program.globals.get(info.site.0 as usize) else { continue };
            // Variables of library models and of the system's headers are not the user's.
            let file = self.program.file_name(global.loc);
            if global.name == ".str"
                || !global.loc.is_some()
                || file.starts_with("<cairn/")
                || file.starts_with("/usr/")
            {
                continue;
            }
            let storage = Storage::Object(Pointer { address: info.shape.base, object: id, life: 1 });
            let name = global.name.rsplit('.').next().unwrap_or(&global.name).to_owned();
            found.push(Variable { name, ty: global.ctype, storage, function: None, above: 0 });
        }
        found
    }

    fn variables_of(&self, frame: &Frame, (position, above): (u32, u32), found: &mut Vec<Variable>) {
        let function = Some(frame.function.0);
        let Some(body) = self.program.functions[frame.function.index()].body.as_ref() else { return };
        let mut at = frame.base;
        // A null pointer that is not read any more belongs to a variable that is out of scope, or not declared yet.
        let block =
            self.block_of(position).map_or(0, |(_, block)| block as usize).min(body.blocks.len().saturating_sub(1));
        let live = OnceCell::new();
        let is_live = |index: usize| {
            let (start, end): &(Vec<bool>, Vec<bool>) = live.get_or_init(|| {
                let liveness = Liveness::of(body);
                let end = body.blocks.get(block).map_or(0, |block| block.insts.len());
                (liveness.before(body, block, 0), liveness.before(body, block, end))
            });
            start.get(index) == Some(&true) || end.get(index) == Some(&true)
        };
        for (index, register) in body.regs.iter().enumerate() {
            if let Some(name) = &register.name
                && let Some(value) = self.values.get(at).filter(|value| !value.is_undefined())
                && (value.bits != 0 || value.object() != 0 || is_live(index))
            {
                let ty = body.ctypes.regs.get(index).copied().flatten();
                let storage = Storage::Register(at);
                found.push(Variable { name: name.to_string(), ty, storage, function, above });
            }
            at += if is_wide(register.ty) { 2 } else { 1 };
        }
        let slots = &self.code.functions[frame.function.index()].slots;
        for (index, (slot, code)) in body.slots.iter().zip(slots).enumerate() {
            let Some(value) = self.values.get(frame.base + code.at as usize) else { continue };
            if let Some(name) = &slot.name
                && !value.is_undefined()
                && self.memory.is_live(value.pointer())
            {
                let ty = body.ctypes.slots.get(index).copied().flatten();
                let storage = Storage::Object(value.pointer());
                found.push(Variable { name: name.to_string(), ty, storage, function, above });
            }
        }
    }

    /// Returns the pointers in an object, with the parts that hold them. The type is that of the bytes at the pointer.
    pub fn pointers_in(&self, at: Pointer, ty: TypeId) -> Vec<(Part, Pointer)> {
        let is_pointer = |part: &Part| matches!(self.program.types.get(part.ty), Type::Pointer(_));
        let parts = parts_of(self.program, ty).into_iter().filter(is_pointer);
        parts.filter_map(|part| Some((self.pointer_at(at.plus(part.at))?, part))).map(|(p, part)| (part, p)).collect()
    }

    /// Returns the initialised pointer that is stored at an address.
    pub fn pointer_at(&self, at: Pointer) -> Option<Pointer> {
        let (pointer, undefined) = match self.program.target.pointer_bits() {
            64 => self.memory.load_pointer::<8>(at, 0)?,
            _ => self.memory.load_pointer::<4>(at, 0)?,
        };
        (undefined == 0).then_some(pointer)
    }

    /// Returns the shortest name of an object, with the pointer and the type that the name stands for.
    fn search(&self, object: ObjectId, except: Except) -> Option<(Name, Pointer, Option<TypeId>)> {
        let mut seen: FxHashSet<(u32, u64)> = FxHashSet::default();
        let mut waiting = Leads::default();
        let mut inside = None;
        for variable in self.variables_in_scope() {
            let cost = if variable.above > 0 || variable.function.is_none() { NAME_OUTER } else { 0 };
            match variable.storage {
                Storage::Register(at) if except != Except::Register(at) => {
                    let pointer = self.values[at].pointer();
                    let to = variable.ty.and_then(|ty| pointee(self.program, ty));
                    waiting.push(cost, Lead { pointer, to, name: Name::of_variable(&variable) });
                }
                Storage::Object(at) => {
                    let Some(ty) = variable.ty else { continue };
                    for (part, pointer) in self.pointers_in(at, ty) {
                        if except == Except::Cell(at.address + part.at) {
                            continue;
                        }
                        let mut name = Name::of_variable(&variable);
                        name.text.push_str(&part.path);
                        waiting.push(cost, Lead { pointer, to: pointee(self.program, part.ty), name });
                    }
                }
                Storage::Register(_) => {}
            }
        }
        while let Some((cost, lead)) = waiting.pop() {
            if !lead.pointer.object.is_some() || seen.len() > NAMED_OBJECTS {
                continue;
            }
            let Some(info) = self.memory.info(lead.pointer.object, lead.pointer.life) else { continue };
            if lead.pointer.object == object {
                if lead.pointer.address == info.shape.base {
                    return Some((lead.name, lead.pointer, lead.to));
                }
                inside.get_or_insert((lead.name.clone(), lead.pointer, lead.to));
            }
            let Some(to) = lead.to.filter(|_| seen.insert((lead.pointer.object.0, lead.pointer.address))) else {
                continue;
            };
            for (part, pointer) in self.pointers_in(lead.pointer, to) {
                if except != Except::Cell(lead.pointer.address + part.at) {
                    let more = if part.path.is_empty() { NAME_STAR } else { NAME_HOP };
                    let name = lead.name.member(&part.path);
                    waiting.push(cost + more, Lead { pointer, to: pointee(self.program, part.ty), name });
                }
            }
        }
        inside
    }

    /// Returns the name of an object, if the program reaches its start.
    pub fn object_name(&self, info: &ObjectInfo, object: ObjectId, except: Except) -> Option<String> {
        let (name, pointer, _) = self.search(object, except)?;
        (pointer.address == info.shape.base).then(|| name.quoted(self))
    }

    /// Returns the name of another pointer to an object, besides the one that has the shortest name.
    pub fn other_name(&self, object: ObjectId) -> Option<(String, String)> {
        let (first, pointer, _) = self.search(object, Except::Nothing)?;
        let cell = self.variables_in_scope().iter().find_map(|variable| match variable.storage {
            Storage::Register(at) if variable.name == first.root && first.hops == 0 => Some(Except::Register(at)),
            _ => None,
        })?;
        let (second, other, _) = self.search(object, cell)?;
        (other.address == pointer.address && second.text != first.text)
            .then(|| (first.quoted(self), second.quoted(self)))
    }

    /// Returns the expression for bytes of an object: `task->next`, `a[3]`.
    pub fn place_name(&self, at: Pointer, size: u64) -> Option<String> {
        for variable in self.variables_in_scope() {
            if let Storage::Object(start) = variable.storage
                && start.object == at.object
            {
                let path = path_at(self.program, variable.ty?, at.address.checked_sub(start.address)?, size)?;
                let mut name = Name::of_variable(&variable);
                name.text.push_str(&path);
                return Some(name.quoted(self));
            }
        }
        let (name, pointer, to) = self.search(at.object, Except::Nothing)?;
        let to = to?;
        let whole = layout::size_of(&self.program.types, self.program.target, to).filter(|&size| size > 0)?;
        let distance = at.address.wrapping_sub(pointer.address) as i64;
        let (index, rest) = (distance.div_euclid(whole as i64), distance.rem_euclid(whole as i64) as u64);
        let path = path_at(self.program, to, rest, size)?;
        let member = match index {
            0 => name.member(&path),
            index => name.member(&format!("[{index}]{path}")),
        };
        Some(member.quoted(self))
    }

    /// Describes an object that no variable leads to by the line of its allocation.
    pub fn unreached_name(&self, info: &ObjectInfo) -> Option<String> {
        if info.shape.kind != ObjectKind::Heap {
            return None;
        }
        let made = self.user_place(&self.stack_of(info.made)).filter(|place| place.loc.is_some())?;
        let here = self.user_place(&self.stack());
        let size = crate::run::machine::bytes_text(info.shape.size);
        Some(match here {
            Some(here) if here.loc.line == made.loc.line && info.shape.end == End::Live => {
                format!("a new object of {size}")
            }
            _ => format!("{FROM_LINE}{}", made.loc.line),
        })
    }
}
