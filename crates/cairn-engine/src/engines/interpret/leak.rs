//! What is still allocated when the program ends: what nothing points to any more is a leak, the rest was not freed.

use cairn_ir::program::Origin;
use cairn_ir::source::StackPlace;
use cairn_ir::{CheckKind, Checks};
use rustc_hash::FxHashMap;

use super::machine::{Machine, bytes_text};
use super::translate::{check_of, is_wide};
use super::value::Value;
use super::{Event, Fault};
use crate::memory::store::Moment;
use crate::memory::{ObjectId, ObjectKind};

/// Objects that were allocated at one place and have the same fate.
struct Group {
    kind: CheckKind,
    place: Option<StackPlace>,
    moment: Moment,
    count: u64,
    bytes: u64,
    /// The numbers of the first ones.
    numbers: Vec<u32>,
}

/// So many objects of a group are named.
const NAMED: usize = 4;

impl Machine<'_> {
    /// The heap objects that are alive, by whether they can be reached and where they were allocated.
    pub fn leaks(&self) -> Vec<Fault> {
        let reached = self.reached();
        let mut groups: Vec<Group> = Vec::new();
        let mut known: FxHashMap<(CheckKind, Moment), usize> = FxHashMap::default();
        for (id, kind) in self.memory.live_objects() {
            if kind != ObjectKind::Heap {
                continue;
            }
            let Some(info) = self.memory.info(id, u32::MAX) else { continue };
            let kind = if reached[id.0 as usize] { CheckKind::Unfreed } else { CheckKind::Leak };
            // Stacks are only looked at once per moment: there may be millions of objects.
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
            if groups[index].numbers.len() < NAMED {
                groups[index].numbers.push(info.site.0);
            }
        }
        groups.into_iter().map(|group| self.leak(&group)).collect()
    }

    fn leak(&self, group: &Group) -> Fault {
        let checks = match group.moment.instruction.checked_sub(1) {
            Some(position) => self.code.info(position).checks,
            None => Checks::NONE,
        };
        let what = match group.count {
            1 if self.options.trace => format!("heap object #{} ({}) is", group.numbers[0], bytes_text(group.bytes)),
            1 => format!("a heap object of {} is", bytes_text(group.bytes)),
            count if self.options.trace => {
                let numbers: Vec<String> = group.numbers.iter().map(|number| format!("#{number}")).collect();
                let more = if count > NAMED as u64 { ", …" } else { "" };
                let numbers = numbers.join(", ") + more;
                format!("{count} heap objects ({numbers}; {} together) are", bytes_text(group.bytes))
            }
            count => format!("{count} heap objects of {} together are", bytes_text(group.bytes)),
        };
        let message = match group.kind {
            CheckKind::Leak => format!("{what} lost: nothing points there any more, and nothing freed it"),
            _ => format!("{what} still allocated when the program ends"),
        };
        let message = if group.count > 1 { message.replace("nothing freed it", "nothing freed them") } else { message };
        let stack = self.stack_of(group.moment);
        Fault {
            kind: group.kind,
            check: check_of(self.program, checks, group.kind),
            message,
            access: None,
            history: vec![Event { what: "allocated here".to_owned(), stack: stack.clone() }],
            stack,
        }
    }

    /// The innermost place in a function that the user wrote.
    pub fn user_place(&self, stack: &[StackPlace]) -> Option<StackPlace> {
        let user = stack
            .iter()
            .find(|p| self.program.functions.get(p.function.index()).is_some_and(|f| f.origin == Origin::User));
        user.or(stack.first()).copied()
    }

    /// The values of the variables in registers of the frames that are still there. Temporaries are no way for the program to
    /// reach an object: they keep what an expression computed long after it was used.
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

    /// Which objects can be reached from globals and from the frames that are still there.
    fn reached(&self) -> Vec<bool> {
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
            if kind != ObjectKind::Heap {
                mark(id, &mut waiting);
            }
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
                        // Most words are numbers, and nobody needs to know whether those are initialised.
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
