//! The initial memory of a program: functions, globals with their initial values, labels and arguments.

use cairn_ir::layout::Target;
use cairn_ir::program::Symbol;
use cairn_ir::{Program, Ty};
use rustc_hash::FxHashMap;

use crate::{Host, Options};
use cairn_memory::store::{Moment, Refusal, Request};
use cairn_memory::{Memory, ObjectKind, Pointer};

/// The site of a static object that is not a global variable but created by the interpreter.
pub(crate) const NO_GLOBAL: u32 = u32::MAX;

/// The message for a host that has no more inputs.
pub(crate) const INPUTS_USED_UP: &str = "no inputs left";

/// The memory at the start of the program, and the addresses in it.
pub(crate) struct Image {
    pub memory: Memory,
    pub functions: Vec<Pointer>,
    pub globals: Vec<Pointer>,
    labels: FxHashMap<u32, Pointer>,
    target: Target,
}

impl Image {
    /// Creates the initial memory; the error is the limit that it exceeds.
    pub fn new(program: &Program, options: &Options, host: &mut dyn Host) -> Result<Self, String> {
        let max_memory = options.max_memory;
        let mut image = Image {
            memory: Memory::new(program.target),
            functions: Vec::with_capacity(program.functions.len()),
            globals: Vec::with_capacity(program.globals.len()),
            labels: FxHashMap::default(),
            target: program.target,
        };
        if options.representative.is_some() {
            image.memory.hide_addresses();
        }
        for index in 0..program.functions.len() {
            let pointer = image.make(ObjectKind::Function, 1, 16, (index as u32, 0))?;
            image.functions.push(pointer);
        }
        for (index, global) in program.globals.iter().enumerate() {
            if image.memory.live_bytes().saturating_add(global.size) > max_memory {
                return Err(format!("global variables exceed {max_memory} bytes"));
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
            // The contents are inputs: any value is possible, but a replay must use the same.
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
                return Err(format!("address outside of the initial value of `{}`", global.name));
            }
        }
        Ok(())
    }

    /// Returns the address of a label.
    ///
    /// The labels of a function are one object with a byte for each block, so that programs can subtract them and add
    /// the difference again.
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

    /// Creates an array of strings that ends with null, for `argv` and `envp`.
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

/// Returns the message for a failed allocation.
pub(crate) fn refusal_text(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::AddressSpace => "target address space exhausted",
        Refusal::Host => "not enough memory on this machine",
        Refusal::Objects => "too many objects",
    }
}
