//! `setjmp` and `longjmp`.
//!
//! The states of all calls of `longjmp` are joined, and every call of `setjmp` may return once more in the joined state. The registers that the
//! function may have assigned in between hold anything, and pointers may have become pointers to older or freed objects.

use std::rc::Rc;

use cairn_ir::{BlockId, Body, CheckKind, Checks, Inst, Reg};
use rustc_hash::FxHashSet;

use crate::analysis::fixpoint::successors;
use crate::analysis::state::State;
use crate::analysis::world::{Age, Kind};
use crate::analysis::{Analysis, Forgetting, Precision, Stop, bounds};
use crate::domain::map::Map;
use crate::domain::memory::{Fate, Memory, Rename, combine};
use crate::domain::number::Num;
use crate::domain::value::{Flags, Obj, Target, Text, Value};
use crate::limits::{EXTENSIONS_BEFORE_COLLAPSE, EXTENSIONS_BEFORE_WIDENING};

/// The states in which `longjmp` was called.
#[derive(Default)]
pub struct Jumps {
    /// The memory, if there was a call.
    memory: Option<Memory>,
    /// Whether an assumption was made before.
    is_tainted: bool,
    /// How often the memory has changed.
    changes: u32,
}

impl Analysis<'_> {
    /// Executes `longjmp`, which does not return.
    pub fn jump(&mut self, state: &State, checks: Checks) -> Result<(), Stop> {
        use CheckKind::{
            InvalidCall, InvalidDeref, NullDeref, OutOfBounds, Uninitialised, UseAfterFree, UseAfterScope,
        };
        // The states of jumps belong to no calling context.
        if self.precision != Precision::Summaries {
            return Err(Stop::NeedsSummaries);
        }
        for kind in [NullDeref, UseAfterFree, UseAfterScope, OutOfBounds, InvalidDeref, InvalidCall, Uninitialised] {
            self.alarm(checks, kind);
        }
        self.frame().depends_on_all = true;
        if self.is_sweep() {
            return Ok(());
        }
        let memory = match &self.jumps.memory {
            None => state.memory.clone(),
            Some(old) => {
                let thresholds = bounds();
                let chosen = (self.jumps.changes > EXTENSIONS_BEFORE_WIDENING).then_some(&thresholds[..]);
                let joined = combine(old, &state.memory, &self.table, chosen);
                if joined == *old && (self.jumps.is_tainted || !state.is_tainted) {
                    return Ok(());
                }
                match Forgetting::after(self.jumps.changes, EXTENSIONS_BEFORE_COLLAPSE) {
                    Some(how) => self.collapsed(old, &joined, how),
                    None => joined,
                }
            }
        };
        self.jumps.memory = Some(memory);
        self.jumps.is_tainted |= state.is_tainted;
        self.jumps.changes += 1;
        self.wake_jump_targets();
        Ok(())
    }

    /// Returns the state in which `setjmp` returns once more.
    pub fn after_jump(&mut self, state: &State, dst: Option<Reg>) -> Option<State> {
        if self.precision != Precision::Summaries {
            return None;
        }
        self.note_jump_target();
        let memory = self.jumps.memory.clone()?;
        let frame = self.frame();
        frame.depends_on_all = true;
        let keys: Vec<u32> = memory.entries().iter().map(|(key, _)| *key).collect();
        frame.written.extend(&keys);
        frame.touched.extend(&keys);
        let mut after = state.clone();
        (after.facts, after.filled, after.relations) = (Rc::default(), Rc::default(), Rc::default());
        after.is_tainted |= self.jumps.is_tainted;
        after.writes_anywhere = true;
        after.memory = self.without_left_locals(memory, state);
        // What has become of the pointers that the caller has in registers.
        let mut fates: Map<Value> = Map::default();
        let known: Vec<u32> = after.fates.entries().iter().map(|(key, _)| *key).chain(keys).collect();
        for key in known {
            let itself = Value::pointer(Obj(key), Num::constant(0, self.pointer));
            let old = state.fates.get(key).unwrap_or(&itself);
            let new = self.weakened(old);
            if new != itself {
                fates.insert(key, new);
            }
        }
        after.fates = fates;
        let (_, block, _) = self.point();
        let program = self.program;
        let body = program.functions[self.function().index()].body.as_ref()?;
        let assigned = assigned_from(body, BlockId(block));
        let mut regs: Map<Value> = Map::default();
        for (key, value) in state.regs.entries() {
            let width = self.width(self.reg_ty(Reg(key)));
            let is_kept = !assigned.contains(&Reg(key));
            regs.insert(key, if is_kept { self.weakened(value) } else { Value::anything(width) });
        }
        // Registers without a value may have got one.
        for &reg in &assigned {
            if state.regs.get(reg.0).is_none() {
                regs.insert(reg.0, Value::anything(self.width(self.reg_ty(reg))));
            }
        }
        after.regs = regs;
        if let Some(dst) = dst {
            let result = Num::full(32).without(0, 32).map_or_else(Value::none, Value::num);
            after.assign(dst, result);
        }
        Some(after)
    }

    /// Marks the pointers to locals whose functions the jump may have left.
    ///
    /// The locals at the `setjmp` stay, unless another call of a recursive function has locals of the same name.
    fn without_left_locals(&self, mut memory: Memory, before: &State) -> Memory {
        let keys: Vec<u32> = memory.entries().iter().map(|(key, _)| *key).collect();
        for key in keys {
            let stays = match *self.table.kind(Obj(key)) {
                Kind::Slot(function, _) | Kind::Variadic(function) => {
                    before.memory.get(key).is_some() && !self.is_recursive(function)
                }
                Kind::Alloca(..) => false,
                _ => true,
            };
            if !stays {
                let rename = Rename { from: Obj(key), to: None, fate: Fate::MayEnd };
                rename.apply_to_memory(&mut memory, self.pointer, &mut |_| true);
            }
        }
        memory
    }

    /// Returns a pointer after any number of allocations and ends of lifetimes.
    fn weakened(&self, value: &Value) -> Value {
        let mut new = value.clone();
        for target in &value.targets {
            let unknown = Target { text: Text::Unknown, ..*target };
            new.add_target(unknown, self.pointer);
            let (older, flag) = match *self.table.kind(target.obj) {
                Kind::Heap(site, Age::Newest) => (Some(Kind::Heap(site, Age::Older)), Flags::FREED),
                Kind::Mapping(site, Age::Newest) => (Some(Kind::Mapping(site, Age::Older)), Flags::FREED),
                Kind::Resource(site, Age::Newest) => (Some(Kind::Resource(site, Age::Older)), Flags::FREED),
                Kind::Alloca(site, Age::Newest) => (Some(Kind::Alloca(site, Age::Older)), Flags::ENDED),
                Kind::Heap(..) | Kind::Mapping(..) | Kind::Resource(..) => (None, Flags::FREED),
                Kind::Alloca(..) | Kind::Slot(..) | Kind::Variadic(_) => (None, Flags::ENDED),
                _ => continue,
            };
            new.flags = new.flags.with(flag);
            if let Some(obj) = older.and_then(|kind| self.table.find(&kind)) {
                new.add_target(Target { obj, ..unknown }, self.pointer);
            }
        }
        new
    }
}

/// Returns the registers that are assigned in a block or after it.
fn assigned_from(body: &Body, block: BlockId) -> FxHashSet<Reg> {
    let mut seen: FxHashSet<BlockId> = FxHashSet::default();
    let mut found: FxHashSet<Reg> = FxHashSet::default();
    let mut waiting = vec![block];
    while let Some(block) = waiting.pop() {
        if !seen.insert(block) {
            continue;
        }
        for inst in &body.blocks[block.index()].insts {
            found.extend(inst.dst());
            if let Inst::Enter(cairn_ir::inst::Local::Reg(reg)) | Inst::Leave(cairn_ir::inst::Local::Reg(reg)) = inst {
                found.insert(*reg);
            }
        }
        waiting.extend(successors(body, block));
    }
    found
}
