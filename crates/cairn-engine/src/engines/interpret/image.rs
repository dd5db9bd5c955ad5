//! The program's objects before it starts: functions, globals with their initial values, labels, arguments.

use cairn_ir::layout::Target;
use cairn_ir::program::Symbol;
use cairn_ir::{Program, Ty};
use rustc_hash::FxHashMap;

use super::{Host, Options};
use crate::memory::store::{Moment, Refusal, Request};
use crate::memory::{Memory, ObjectKind, Pointer};

/// Marks, in the site of a static object, that it is no global variable but made by the interpreter.
pub(super) const NO_GLOBAL: u32 = u32::MAX;

/// Said when the host has no more values to give.
pub(super) const INPUTS_USED_UP: &str = "the inputs are used up";

/// Memory as it is when the program starts, and where things are.
pub(super) struct Image {
    pub memory: Memory,
    pub functions: Vec<Pointer>,
    pub globals: Vec<Pointer>,
    labels: FxHashMap<u32, Pointer>,
    target: Target,
}

impl Image {
    /// Memory before the program starts; or the limit that it does not fit into.
    pub fn new(program: &Program, options: &Options, host: &mut dyn Host) -> Result<Self, String> {
        let max_memory = options.max_memory;
        let mut image = Image {
            memory: Memory::new(program.target),
            functions: Vec::with_capacity(program.functions.len()),
            globals: Vec::with_capacity(program.globals.len()),
            labels: FxHashMap::default(),
            target: program.target,
        };
        for index in 0..program.functions.len() {
            let pointer = image.make(ObjectKind::Function, 1, 16, (index as u32, 0))?;
            image.functions.push(pointer);
        }
        for (index, global) in program.globals.iter().enumerate() {
            if image.memory.live_bytes().saturating_add(global.size) > max_memory {
                return Err(format!("the global variables need more than {max_memory} bytes"));
            }
            let known = global.defined || options.undefined_names_hold_anything;
            let kind = if known { ObjectKind::Static } else { ObjectKind::Undefined };
            let pointer = image.make(kind, global.size, global.align, (index as u32, 0))?;
            image.globals.push(pointer);
        }
        for (index, global) in program.globals.iter().enumerate() {
            image.fill(program, index, host)?;
            if global.constant {
                image.memory.make_constant(image.globals[index].object);
            }
        }
        Ok(image)
    }

    fn make(&mut self, kind: ObjectKind, size: u64, align: u64, site: (u32, u32)) -> Result<Pointer, String> {
        let request = Request { kind, size, align, zeroed: true, site, moment: Moment::default() };
        self.memory.allocate(request).map_err(|refusal| refusal_text(refusal).to_owned())
    }

    fn fill(&mut self, program: &Program, index: usize, host: &mut dyn Host) -> Result<(), String> {
        let global = &program.globals[index];
        let pointer = self.globals[index];
        if !global.defined {
            // Nobody says what it holds: any value will do, and the same one in a replay.
            if let Some(target) = self.memory.bytes_of_mut(pointer.object) {
                for at in 0..target.len() {
                    let byte = host.nondet(Ty::I8, global.loc).ok_or(INPUTS_USED_UP)? as u8;
                    target.write(at, &[byte]);
                }
            }
            return Ok(());
        }
        let len = global.bytes.len().min(global.size as usize);
        if let Some(target) = self.memory.bytes_of_mut(pointer.object) {
            target.begin_with(&global.bytes[..len]);
        }
        for relocation in &global.relocations {
            let target = match relocation.target {
                Symbol::Global(id) => self.globals.get(id.index()).copied(),
                Symbol::Function(id) => self.functions.get(id.index()).copied(),
                Symbol::Label(function, block) => Some(self.label(program, function.0, block.0)?),
            };
            let Some(target) = target else { continue };
            let target = target.plus(relocation.addend as u64);
            let stored = match self.target {
                Target::Ilp32 => self.memory.store_pointer::<4>(pointer, relocation.offset as i64, target),
                Target::Lp64 => self.memory.store_pointer::<8>(pointer, relocation.offset as i64, target),
            };
            if stored.is_none() {
                return Err(format!("an address in the initial value of `{}` lies outside of it", global.name));
            }
        }
        Ok(())
    }

    /// The pointer that `&&label` is: the labels of a function are one object, a byte for each block, so that programs can
    /// subtract them and add the difference again.
    pub fn label(&mut self, program: &Program, function: u32, block: u32) -> Result<Pointer, String> {
        let labels = match self.labels.get(&function) {
            Some(&labels) => labels,
            None => {
                let blocks = program
                    .functions
                    .get(function as usize)
                    .and_then(|f| f.body.as_ref())
                    .map_or(0, |b| b.blocks.len());
                let labels = self.make(ObjectKind::Label, blocks as u64, 16, (function, 0))?;
                self.labels.insert(function, labels);
                labels
            }
        };
        Ok(labels.plus(u64::from(block)))
    }

    /// Makes `argv` and `envp`: the arguments (or nothing), then null.
    pub fn strings(&mut self, strings: &[Vec<u8>]) -> Result<Pointer, String> {
        let width = u64::from(self.target.pointer_bits() / 8);
        let array = self.make(ObjectKind::Static, (strings.len() as u64 + 1) * width, 16, (NO_GLOBAL, 0))?;
        for (index, string) in strings.iter().enumerate() {
            let text = self.make(ObjectKind::Static, string.len() as u64 + 1, 1, (NO_GLOBAL, 1))?;
            if let Some(bytes) = self.memory.bytes_of_mut(text.object) {
                bytes.write(0, string);
            }
            let offset = (index as u64 * width) as i64;
            match self.target {
                Target::Ilp32 => self.memory.store_pointer::<4>(array, offset, text),
                Target::Lp64 => self.memory.store_pointer::<8>(array, offset, text),
            };
        }
        Ok(array)
    }
}

/// Why memory has no room, for people.
pub(super) fn refusal_text(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::AddressSpace => "the address space of the target is exhausted",
        Refusal::Host => "this machine has not enough memory for the program's objects",
        Refusal::Objects => "the program made more objects than can be told apart",
    }
}
