//! Assignments in words: "`task` becomes `list->next`".

use cairn_ir::program::RegInfo;
use cairn_ir::source::StackPlace;
use cairn_ir::{FuncId, Ty};

use crate::arithmetic::value::Value;
use crate::run::machine::Machine;
use crate::trace::log::{Entry, What, parts};
use crate::trace::names::{Except, FROM_LINE};
use crate::trace::{TraceKind, TraceStep};
use crate::translate::is_wide;
use crate::translate::op::{At, CallTarget, Op, ParamPlace};
use cairn_memory::{ObjectKind, Pointer};

/// The end of the text about a variable whose scope ends.
pub(crate) const OUT_OF_SCOPE: &str = " goes out of scope";

impl Machine<'_> {
    /// Returns the trace step for an operation that matters, if it is an assignment of the user's code.
    pub fn assignment(&self, entry: &Entry, op: Option<Op>) -> Option<TraceStep> {
        let function = self.code.function_at(entry.position);
        let user = self.program.functions.get(function.index()).is_some_and(|f| f.origin.is_of_user());
        let loc = self.code.info(entry.position).loc;
        if !user || !loc.is_some() {
            return None;
        }
        let what = match entry.what {
            What::Calls { .. } => return None,
            What::Returns { to, .. } => {
                let Some(Op::Call { site }) = op else { return None };
                let site = &self.code.calls[site as usize];
                let text = self.named(function, site.dst, entry.value, to)?;
                match (text.split_once(FROM_LINE), site.callee) {
                    // The line of the allocation says less than the function that returned.
                    (Some((head, _)), CallTarget::Function(callee)) => {
                        format!("{head}the object that `{}` returns", self.program.functions[callee.index()].name)
                    }
                    _ => text,
                }
            }
            What::Copies { to, size, .. } => format!("{} are overwritten by a copy", self.shown_bytes(to, size)?),
            What::Stores { at, size } => {
                let access = op.and_then(|op| parts(op, &self.code.slow).access);
                if access.as_ref().is_some_and(|access| self.is_own_parameter(function, access.src, at)) {
                    // A parameter whose address is taken receives its own value.
                    return None;
                }
                let target = self.shown_bytes(at, size)?;
                let except = Except::Cell(at.address);
                match access {
                    Some(_) if stores_pointer(op) => {
                        format!("{target} becomes {}", self.shown_except(entry.value, Ty::Ptr, except))
                    }
                    Some(_) => format!("{target} becomes {}", self.shown_raw(entry.value, size, except)),
                    None => format!("{target} is overwritten"),
                }
            }
            What::Computes | What::Loads { .. } => {
                let dst = parts(op?, &self.code.slow).dst;
                if let Some(Op::Undef { .. }) = op {
                    let name = self.register_at(function, dst)?.name.as_ref()?;
                    let what = format!("`{name}`{OUT_OF_SCOPE}");
                    let place = StackPlace { function, loc };
                    return Some(TraceStep::new(TraceKind::Assignment, what, place, entry.depth));
                }
                self.named(function, dst, entry.value, Some(entry.base + dst as usize))?
            }
        };
        let place = StackPlace { function, loc };
        Some(TraceStep::new(TraceKind::Assignment, what, place, entry.depth))
    }

    /// Describes a `free`, and the pointer that still leads to the object.
    pub fn freed_text(&self, pointer: Pointer) -> String {
        let Some(info) = self.memory.info(pointer.object, pointer.life) else { return "an object is freed".to_owned() };
        if self.tells() {
            if let Some((first, other)) = self.other_name(pointer.object) {
                return format!("{first} is freed; {other} still points to it");
            }
            if let Some(name) = self.object_name(&info, pointer.object, Except::Nothing) {
                return format!("{name} is freed");
            }
        }
        format!("{} is freed", self.describe(&info))
    }

    /// Describes the end of an object that `realloc` moves.
    pub fn moved_text(&self, pointer: Pointer) -> String {
        let Some(info) = self.memory.info(pointer.object, pointer.life) else { return "an object is moved".to_owned() };
        let name = self.tells().then(|| self.object_name(&info, pointer.object, Except::Nothing)).flatten();
        format!("{} is freed by `realloc`", name.unwrap_or_else(|| self.describe(&info)))
    }

    /// Describes an assignment as "`x` becomes 5", if the register is a variable.
    fn named(&self, function: FuncId, dst: At, value: Value, to: Option<usize>) -> Option<String> {
        let register = self.register_at(function, dst)?;
        let except = to.map_or(Except::Nothing, Except::Register);
        let name = register.name.as_ref()?;
        Some(format!("`{name}` becomes {}", self.shown_except(value, register.ty, except)))
    }

    /// Returns whether a register holds a parameter of a function that is stored at an address.
    fn is_own_parameter(&self, function: FuncId, register: At, at: Pointer) -> bool {
        let params = &self.code.functions[function.index()].params;
        let is_parameter = params.iter().any(|param| matches!(param, ParamPlace::Reg(at, _) if *at == register));
        let Some(info) = self.memory.info(at.object, at.life).filter(|info| info.shape.kind == ObjectKind::Stack)
        else {
            return false;
        };
        let body = self.program.functions.get(info.site.0 as usize).and_then(|f| f.body.as_ref());
        let slot = body.and_then(|body| body.slots.get(info.site.1 as usize)).and_then(|slot| slot.name.as_ref());
        let name = self.register_at(function, register).and_then(|register| register.name.as_ref());
        // A parameter whose address is taken has no name of its own in a register.
        is_parameter && slot.is_some() && (name.is_none() || slot == name)
    }

    /// Returns the register that begins at an index of a frame.
    pub fn register_at(&self, function: FuncId, wanted: At) -> Option<&RegInfo> {
        let body = self.program.functions.get(function.index())?.body.as_ref()?;
        // Most functions have no wide register.
        if let Some(register) = body.regs.get(wanted as usize)
            && body.regs[..wanted as usize].iter().all(|register| !is_wide(register.ty))
        {
            return Some(register);
        }
        let mut at = 0;
        for register in &body.regs {
            if at == wanted {
                return Some(register);
            }
            at += if is_wide(register.ty) { 2 } else { 1 };
        }
        None
    }

    /// Describes a stored value of which only the size is known.
    fn shown_raw(&self, value: Value, size: u64, except: Except) -> String {
        if value.object() != 0 {
            return self.shown_except(value, Ty::Ptr, except);
        }
        let ty = match size {
            1 => Ty::I8,
            2 => Ty::I16,
            4 => Ty::I32,
            _ => Ty::I64,
        };
        self.shown(value, ty)
    }

    /// Describes bytes as "offset 8 of a heap object of 16 bytes", or as the name of a variable that they fill.
    fn shown_bytes(&self, at: Pointer, size: u64) -> Option<String> {
        if self.tells()
            && let Some(name) = self.place_name(at, size)
        {
            return Some(name);
        }
        let info = self.memory.info(at.object, at.life)?;
        let name = self.describe(&info);
        match self.offset_in(at.address, &info) {
            0 if size == info.shape.size => Some(name),
            offset => Some(format!("offset {offset} of {name}")),
        }
    }
}

/// Returns whether an operation stores a pointer.
const fn stores_pointer(op: Option<Op>) -> bool {
    matches!(op, Some(Op::StorePtr32 { .. } | Op::StorePtr64 { .. }))
}
