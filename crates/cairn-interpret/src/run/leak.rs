//! Objects that are still live when the program ends: on the heap, `leak` if unreachable and `unfreed` otherwise; an unreachable stream
//! or folder is a `file-leak`. The end of the program closes those that are reachable.

use cairn_ir::source::StackPlace;
use cairn_ir::{CheckKind, Checks};
use rustc_hash::FxHashMap;

use crate::arithmetic::value::Value;
use crate::limits::{LEFT_OBJECTS, NAMED_LEAKS};
use crate::run::machine::{Machine, bytes_text};
use crate::translate::{check_of, is_wide};
use crate::{Event, Fault};
use cairn_memory::store::Moment;
use cairn_memory::{ObjectId, ObjectKind};

/// Objects of the same kind that were allocated at the same location.
struct Group {
    kind: CheckKind,
    place: Option<StackPlace>,
    moment: Moment,
    count: u64,
    bytes: u64,
    /// The numbers of the first objects.
    numbers: Vec<u32>,
}

impl Machine<'_> {
    /// Returns the live heap objects, grouped by reachability and by the location of their allocation.
    pub fn leaks(&self) -> Vec<Fault> {
        self.leaks_beyond(&[])
    }

    /// Returns the live heap objects, streams and folders that neither the roots nor variables lead to.
    pub fn lost(&self, roots: &[ObjectId]) -> Vec<Fault> {
        let mut lost = self.leaks_beyond(roots);
        lost.retain(|fault| fault.kind != CheckKind::Unfreed);
        lost
    }

    fn leaks_beyond(&self, roots: &[ObjectId]) -> Vec<Fault> {
        let reached = self.reached(roots);
        let mut groups: Vec<Group> = Vec::new();
        let mut known: FxHashMap<(CheckKind, Moment), usize> = FxHashMap::default();
        for (id, kind) in self.memory.live_objects() {
            let kind = match (kind, reached[id.0 as usize]) {
                (ObjectKind::Heap, true) => CheckKind::Unfreed,
                (ObjectKind::Heap, false) => CheckKind::Leak,
                (ObjectKind::Resource, false) => CheckKind::FileLeak,
                _ => continue,
            };
            let Some(info) = self.memory.info(id, u32::MAX) else { continue };
            // The stack is computed once per moment, because there may be millions of objects.
            let index = *known.entry((kind, info.made)).or_insert_with(|| {
                let place = self.user_place(&self.stack_of(info.made));
                let same = groups.iter().position(|g| g.kind == kind && g.place == place);
                same.unwrap_or_else(|| {
                    groups.push(Group { kind, place, moment: info.made, count: 0, bytes: 0, numbers: Vec::new() });
                    groups.len() - 1
                })
            });
            groups[index].count += 1;
            groups[index].bytes += info.shape.size;
            if groups[index].numbers.len() < NAMED_LEAKS {
                groups[index].numbers.push(info.site.0);
            }
        }
        groups.into_iter().map(|group| self.leak(&group)).collect()
    }

    /// Returns whether messages number the objects, because a trace names them by their numbers.
    fn numbers(&self) -> bool {
        self.options.trace && self.options.script.is_none()
    }

    /// Returns the live heap objects that were allocated at a location, or all of them if none was.
    pub fn left_at(&self, stack: Option<&[StackPlace]>) -> Vec<u32> {
        let owned = || self.memory.live_objects().filter(|(_, kind)| kind.is_owned()).map(|(id, _)| id);
        let is_there = |id: &ObjectId| {
            let made = self.memory.info(*id, u32::MAX).map(|info| self.stack_of(info.made));
            stack.is_none_or(|stack| made.as_deref() == Some(stack))
        };
        owned().filter(is_there).take(LEFT_OBJECTS).map(|id| id.0).collect()
    }

    fn leak(&self, group: &Group) -> Fault {
        let checks = match group.moment.instruction.checked_sub(1) {
            Some(position) => self.code.info(position).checks,
            None => Checks::NONE,
        };
        let is_file = group.kind == CheckKind::FileLeak;
        let what = match group.count {
            1 if is_file => "open stream or folder is".to_owned(),
            count if is_file => format!("{count} open streams or folders are"),
            1 if self.numbers() => format!("heap object #{} ({}) is", group.numbers[0], bytes_text(group.bytes)),
            1 => format!("heap object of {} is", bytes_text(group.bytes)),
            count if self.numbers() => {
                let numbers: Vec<String> = group.numbers.iter().map(|number| format!("#{number}")).collect();
                let more = if count > NAMED_LEAKS as u64 { ", …" } else { "" };
                let numbers = numbers.join(", ") + more;
                format!("{count} heap objects ({numbers}; {} together) are", bytes_text(group.bytes))
            }
            count => format!("{count} heap objects of {} together are", bytes_text(group.bytes)),
        };
        let message = match group.kind {
            CheckKind::Leak => format!("{what} unreachable and not freed"),
            CheckKind::FileLeak => format!("{what} unreachable and not closed"),
            _ => format!("{what} still allocated when the program ends"),
        };
        let stack = self.stack_of(group.moment);
        Fault {
            kind: group.kind,
            check: check_of(self.program, checks, group.kind),
            message,
            access: None,
            history: vec![Event {
                what: if is_file { "opened here" } else { "allocated here" }.to_owned(),
                stack: stack.clone(),
            }],
            stack,
        }
    }

    /// Returns the innermost location in a user function.
    pub fn user_place(&self, stack: &[StackPlace]) -> Option<StackPlace> {
        let user = stack
            .iter()
            .find(|p| self.program.functions.get(p.function.index()).is_some_and(|f| f.origin.is_of_user()));
        user.or(stack.first()).copied()
    }

    /// Returns the values of variables in the registers of active frames.
    ///
    /// Temporaries do not keep an object reachable: they hold the value of an expression long after its use.
    fn variables(&self) -> impl Iterator<Item = &Value> {
        self.frames.iter().flat_map(move |frame| {
            let body = self.program.functions[frame.function.index()].body.as_ref();
            let mut at = frame.base;
            body.into_iter().flat_map(|body| &body.regs).filter_map(move |reg| {
                let here = at;
                at += if is_wide(reg.ty) { 2 } else { 1 };
                reg.name.is_some().then(|| self.values.get(here)).flatten()
            })
        })
    }

    /// Returns which objects are reachable from globals, from active frames and from further roots.
    fn reached(&self, roots: &[ObjectId]) -> Vec<bool> {
        let mut reached = vec![false; self.memory.table_len()];
        let mut waiting: Vec<ObjectId> = Vec::new();
        let mut mark = |id: ObjectId, waiting: &mut Vec<ObjectId>| {
            if let Some(entry) = reached.get_mut(id.0 as usize)
                && !*entry
            {
                *entry = true;
                waiting.push(id);
            }
        };
        for (id, kind) in self.memory.live_objects() {
            if !kind.is_owned() {
                mark(id, &mut waiting);
            }
        }
        for &root in roots {
            mark(root, &mut waiting);
        }
        for value in self.variables() {
            if value.object() != 0 {
                mark(ObjectId(value.object()), &mut waiting);
            } else if value.bits != 0 && !value.is_undefined() {
                mark(self.memory.find(value.bits).object, &mut waiting);
            }
        }
        let width = (self.program.target.pointer_bits() / 8) as usize;
        while let Some(id) = waiting.pop() {
            let Some(bytes) = self.memory.bytes_of(id) else { continue };
            let data = bytes.data(0, bytes.len());
            for (index, word) in data.chunks_exact(width).enumerate() {
                if word.iter().all(|&b| b == 0) {
                    continue;
                }
                let target = match bytes.link((index * width) as u64) {
                    Some(id) => ObjectId(id),
                    None => {
                        let address = word.iter().rev().fold(0u64, |bits, &b| bits << 8 | u64::from(b));
                        let found = self.memory.find(address).object;
                        // Most words are numbers, for which the check of initialisation is not needed.
                        if !found.is_some() || bytes.first_undefined(index * width, width).is_some() {
                            continue;
                        }
                        found
                    }
                };
                mark(target, &mut waiting);
            }
        }
        reached
    }
}
