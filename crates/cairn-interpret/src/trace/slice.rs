//! The steps that a fault depends on: a dynamic slice over data, pointers and control.
//!
//! The slice (Korel and Laski, "Dynamic program slicing", 1988) walks the log backwards from the fault, with the registers and bytes
//! whose values matter, and with the blocks whose execution matters. An operation that wrote such a value matters, and so do the values
//! that it read and the branch that decided to execute it. Each step has a distance, the number of visible steps between it and the
//! fault. For a leak, the relevant assignments are those that stored or overwrote a pointer to the object.

use cairn_ir::FuncId;
use rustc_hash::FxHashMap;

use crate::arithmetic::value::Value;
use crate::limits::{LOOP_CONDITION, MAX_COPIED_BYTES, RETURNED_CALL, SHOWN_ASSIGNMENTS};
use crate::run::machine::Machine;
use crate::trace::TraceStep;
use crate::trace::control::Control;
use crate::trace::log::{Entry, Log, What, decides, parts};
use crate::translate::op::{At, NOWHERE, Op, ParamPlace};

/// The object that a slice is about, and the steps at which its life began and ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subject {
    /// The steps that allocated or freed the object of the fault, each with its distance.
    pub events: FxHashMap<u64, u32>,
    /// Objects all of whose pointers matter, wherever they are stored.
    pub objects: Vec<u32>,
    /// Whether the execution has ended, so that its last operation is no fault.
    pub ended: bool,
}

/// The steps that matter.
#[derive(Debug, Default)]
pub(crate) struct Slice {
    /// The distance of each step that matters, by its number.
    pub distances: FxHashMap<u64, u32>,
    /// The assignments of the user's code that matter, with their step numbers.
    pub assignments: Vec<(u64, TraceStep)>,
}

/// The values and blocks that matter at a point of the backward walk, each with its distance.
#[derive(Default)]
struct Wanted {
    registers: FxHashMap<usize, u32>,
    bytes: FxHashMap<u64, u32>,
    objects: Vec<u32>,
    /// For each frame, by its first value: the blocks that are executed later.
    blocks: FxHashMap<usize, FxHashMap<u32, u32>>,
    distances: FxHashMap<u64, u32>,
}

fn lower<K: std::hash::Hash + Eq>(map: &mut FxHashMap<K, u32>, key: K, distance: u32) {
    map.entry(key).and_modify(|known| *known = (*known).min(distance)).or_insert(distance);
}

impl Wanted {
    fn read(&mut self, base: usize, reads: &[At], distance: u32) {
        for at in reads.iter().filter(|at| **at != NOWHERE) {
            lower(&mut self.registers, base + *at as usize, distance);
        }
    }

    fn read_bytes(&mut self, at: u64, size: u64, distance: u32) {
        for index in 0..size {
            lower(&mut self.bytes, at.wrapping_add(index), distance);
        }
    }

    /// Removes bytes from the set, and returns the least distance of those that were in it.
    fn take_bytes(&mut self, at: u64, size: u64) -> Option<u32> {
        if self.bytes.is_empty() {
            return None;
        }
        let mut least: Option<u32> = None;
        let mut found = |distance: u32| least = Some(least.map_or(distance, |known| known.min(distance)));
        if size > self.bytes.len() as u64 {
            self.bytes.retain(|byte, distance| {
                let keeps = byte.wrapping_sub(at) >= size;
                if !keeps {
                    found(*distance);
                }
                keeps
            });
        } else {
            (0..size).filter_map(|index| self.bytes.remove(&at.wrapping_add(index))).for_each(found);
        }
        least
    }

    fn mark(&mut self, step: u64, distance: u32) {
        lower(&mut self.distances, step, distance);
    }

    fn is_wanted(&self, entry: &Entry) -> bool {
        !self.objects.is_empty()
            && (self.objects.contains(&entry.value.object()) || self.objects.contains(&entry.before))
    }
}

impl Machine<'_> {
    /// Returns the steps that matter for the end of an execution.
    pub fn slice(&self, log: &Log, subject: &Subject) -> Slice {
        let mut walk = Walk { machine: self, controls: FxHashMap::default(), wanted: Wanted::default(), recent: 0 };
        walk.wanted.objects.clone_from(&subject.objects);
        let mut entries = log.entries.iter().rev().peekable();
        if !subject.ended
            && let Some(fault) = entries.next_if(|entry| !matches!(entry.what, What::Calls { .. }))
        {
            walk.wants(fault, 0);
        }
        let mut assignments = Vec::new();
        // The calls that are still active at the end are always part of the story.
        let mut active = self.frames.len() as u32;
        for entry in entries {
            let op = self.code.ops.get(entry.position as usize).copied();
            let event = subject.events.get(&entry.step).copied();
            if let Some(distance) = event {
                walk.wanted.mark(entry.step, distance);
                match entry.what {
                    What::Returns { from, .. } => walk.executes(entry.base, from, distance + 1),
                    _ => walk.wants(entry, distance + 1),
                }
            }
            if let Some(distance) = walk.step(entry, op) {
                walk.wanted.mark(entry.step, distance);
                if assignments.len() < SHOWN_ASSIGNMENTS {
                    assignments.extend(self.assignment(entry, op).map(|step| (entry.step, step)));
                }
            }
            if let What::Calls { .. } = entry.what
                && entry.depth == active
            {
                walk.wanted.mark(entry.step, 1);
                walk.executes(entry.base, entry.position, 2);
                active -= 1;
            }
        }
        assignments.reverse();
        Slice { distances: walk.wanted.distances, assignments }
    }

    /// Returns the block of an operation.
    pub fn block_of(&self, position: u32) -> Option<(FuncId, u32)> {
        let function = self.code.function_at(position);
        let starts = &self.code.functions.get(function.index())?.block_starts;
        Some((function, starts.partition_point(|&start| start <= position).checked_sub(1)? as u32))
    }
}

/// The backward walk.
struct Walk<'m, 'p> {
    machine: &'m Machine<'p>,
    controls: FxHashMap<u32, Control>,
    wanted: Wanted,
    /// The number of pointers to wanted objects that were stored so far, the last ones first.
    recent: u32,
}

impl Walk<'_, '_> {
    /// Marks all registers that an operation reads, for a store only those of its address, and the branch that led to it.
    fn wants(&mut self, entry: &Entry, distance: u32) {
        if let Some(&op) = self.machine.code.ops.get(entry.position as usize) {
            self.wanted.read(entry.base, &parts(op, &self.machine.code.slow).reads, distance);
        }
        self.executes(entry.base, entry.position, distance);
    }

    /// Marks the execution of an operation.
    fn executes(&mut self, base: usize, position: u32, distance: u32) {
        if let Some((_, block)) = self.machine.block_of(position) {
            lower(self.wanted.blocks.entry(base).or_default(), block, distance);
        }
    }

    /// Returns the distance of an operation that matters, and marks the values and branches that it depends on.
    fn step(&mut self, entry: &Entry, op: Option<Op>) -> Option<u32> {
        if let Some(op) = op.filter(|op| decides(*op))
            && matches!(entry.what, What::Computes)
        {
            return self.branch(entry, op);
        }
        let found = self.data(entry, op);
        if let (Some(distance), false) = (found, matches!(entry.what, What::Calls { .. } | What::Returns { .. })) {
            self.executes(entry.base, entry.position, distance + 1);
        }
        found
    }

    /// Handles a branch: it matters if it decided about a block that matters.
    fn branch(&mut self, entry: &Entry, op: Op) -> Option<u32> {
        let (function, branch) = self.machine.block_of(entry.position)?;
        let blocks = self.wanted.blocks.get_mut(&entry.base).filter(|blocks| !blocks.is_empty())?;
        let body = self.machine.program.functions.get(function.index())?.body.as_ref()?;
        let control = self.controls.entry(function.0).or_insert_with(|| Control::of(body));
        let mut least: Option<u32> = None;
        blocks.retain(|&block, distance| {
            let decided = control.decides(branch, block);
            if decided {
                least = Some(least.map_or(*distance, |known| known.min(*distance)));
            }
            !decided
        });
        let distance = least? + 1;
        lower(blocks, branch, distance);
        // What a loop counts says less than what its body does.
        let further = if control.iterates(branch) { LOOP_CONDITION } else { 1 };
        self.wanted.read(entry.base, &parts(op, &self.machine.code.slow).reads, distance + further);
        Some(distance)
    }

    fn data(&mut self, entry: &Entry, op: Option<Op>) -> Option<u32> {
        let points = self.wanted.is_wanted(entry);
        let wanted = &mut self.wanted;
        let code = self.machine.code;
        // The last pointers to a lost object say most about its loss.
        let of_object = |recent: &mut u32| {
            *recent += 1;
            *recent
        };
        match entry.what {
            What::Calls { function, base } => {
                let Some(Op::Call { site }) = op else { return None };
                let mut least: Option<u32> = None;
                for ((arg, _), param) in
                    code.calls[site as usize].args.iter().zip(&code.functions[function.index()].params)
                {
                    if let ParamPlace::Reg(at, _) = *param
                        && let Some(distance) = wanted.registers.remove(&(base + at as usize))
                    {
                        wanted.read(entry.base, &[*arg], distance + 1);
                        least = Some(least.map_or(distance, |known| known.min(distance)));
                    }
                }
                // The other values of the frame do not exist before the call.
                wanted.registers.retain(|register, _| *register < base);
                let executed = wanted.blocks.remove(&base).and_then(|blocks| blocks.into_values().min());
                if let Some(distance) = executed {
                    self.executes(entry.base, entry.position, distance);
                    least = Some(least.map_or(distance, |known| known.min(distance)));
                }
                least
            }
            What::Returns { to, src, from } => {
                let found = to.and_then(|to| wanted.registers.remove(&to));
                let found = found.or_else(|| (to.is_some() && points).then(|| of_object(&mut self.recent)));
                if let Some(distance) = found {
                    wanted.read(entry.base, &[src], distance + RETURNED_CALL);
                    self.executes(entry.base, from, distance + RETURNED_CALL + 1);
                }
                found
            }
            What::Copies { to, from, size } => {
                let found = wanted.take_bytes(to.address, size);
                if let Some(distance) = found
                    && size <= MAX_COPIED_BYTES
                {
                    wanted.read_bytes(from, size, distance + 1);
                }
                found
            }
            What::Stores { at, size } => {
                let found = wanted.take_bytes(at.address, size);
                let found = found.or_else(|| points.then(|| of_object(&mut self.recent)));
                if let Some(distance) = found
                    && let Some(access) = op.and_then(|op| parts(op, &code.slow).access)
                {
                    wanted.read(entry.base, &[access.src], distance + 1);
                }
                found
            }
            What::Computes | What::Loads { .. } => {
                let parts = parts(op?, &code.slow);
                if parts.dst == NOWHERE {
                    return None;
                }
                let found = wanted.registers.remove(&(entry.base + parts.dst as usize));
                if found.is_none() && !points {
                    return None;
                }
                let is_named = self.machine.is_named(entry.position, parts.dst);
                if let Some(distance) = found {
                    let next = distance + u32::from(is_named);
                    wanted.read(entry.base, &parts.reads, next);
                    if let What::Loads { at, size } = entry.what {
                        wanted.read_bytes(at, size, next);
                    }
                }
                found.or_else(|| (points && is_named).then(|| of_object(&mut self.recent)))
            }
        }
    }
}

impl Machine<'_> {
    /// Returns whether a register holds a variable.
    pub fn is_named(&self, position: u32, at: At) -> bool {
        self.register_at(self.code.function_at(position), at).is_some_and(|register| register.name.is_some())
    }

    /// Returns the object that the fault is about: that of the access, or the one that the last operation got a pointer to.
    pub fn object_of_fault(&self, log: &Log, access: Option<u32>) -> Option<u32> {
        if let Some(object) = access.filter(|&object| object != 0) {
            return Some(object);
        }
        let last = log.entries.back()?;
        let op = self.code.ops.get(last.position as usize)?;
        let reads = parts(*op, &self.code.slow).reads;
        let value = |at: At| self.values.get(last.base + at as usize).copied().map_or(0, Value::object);
        reads.into_iter().filter(|&at| at != NOWHERE).map(value).find(|&object| object != 0)
    }
}
