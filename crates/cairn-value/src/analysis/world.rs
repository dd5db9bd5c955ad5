//! The table of abstract objects.

use cairn_ir::program::Symbol;
use cairn_ir::{BlockId, FuncId, GlobalId, Program, SlotId};
use rustc_hash::FxHashMap;

use crate::domain::memory;
use crate::domain::number::Num;
use crate::domain::object::{Back, Initial, Object};
use crate::domain::value::{Obj, Target, Text, Value};
use crate::limits::MAX_INITIAL_ELEMENTS;

/// What an abstract object stands for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// The code of a function.
    Function(FuncId),
    /// A global variable or a string literal.
    Global(GlobalId),
    /// The address of a label.
    Label(FuncId, BlockId),
    /// A local variable in memory.
    Slot(FuncId, SlotId),
    /// The variable arguments of a call.
    Variadic(FuncId),
    /// The newest object of an allocation site, or all older ones.
    Heap(Site, Age),
    /// The newest `alloca` object of a site, or all older ones.
    Alloca(Site, Age),
    /// A mapping of pages.
    Mapping(Site, Age),
    /// A stream or folder of the system.
    Resource(Site, Age),
    /// The array of program arguments.
    Arguments,
    /// The strings in the array of program arguments.
    ArgumentText,
    /// Memory of functions without a body.
    Foreign,
}

/// Whether an abstract object stands for the newest object of its site.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Age {
    /// The object that was allocated last.
    Newest,
    /// All earlier objects.
    Older,
}

/// An allocation site: the instruction, and the calls of allocation wrappers that lead to it, as an index.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Site(pub u32);

/// A program point: function, block and instruction.
pub type Point = (FuncId, u32, u32);

/// The table of objects.
pub struct Table<'p> {
    program: &'p Program,
    kinds: Vec<Kind>,
    ids: FxHashMap<Kind, Obj>,
    sites: FxHashMap<Vec<Point>, Site>,
}

impl<'p> Table<'p> {
    /// Creates the table with the functions and global variables of a program.
    pub fn new(program: &'p Program) -> Self {
        let mut table = Table { program, kinds: Vec::new(), ids: FxHashMap::default(), sites: FxHashMap::default() };
        for index in 0..program.functions.len() {
            table.id(Kind::Function(FuncId::new(index)));
        }
        for index in 0..program.globals.len() {
            table.id(Kind::Global(GlobalId::new(index)));
        }
        for global in &program.globals {
            for relocation in &global.relocations {
                if let Symbol::Label(function, block) = relocation.target {
                    table.id(Kind::Label(function, block));
                }
            }
        }
        table
    }

    /// Returns the object of a kind.
    pub fn id(&mut self, kind: Kind) -> Obj {
        let next = Obj(self.kinds.len() as u32);
        let id = *self.ids.entry(kind.clone()).or_insert(next);
        if id == next {
            self.kinds.push(kind);
        }
        id
    }

    /// Returns the object of a kind that was asked for before.
    pub fn find(&self, kind: &Kind) -> Option<Obj> {
        self.ids.get(kind).copied()
    }

    /// Returns the site of an allocation.
    pub fn site(&mut self, points: Vec<Point>) -> Site {
        let next = Site(self.sites.len() as u32);
        *self.sites.entry(points).or_insert(next)
    }

    /// Returns what an object stands for.
    pub fn kind(&self, obj: Obj) -> &Kind {
        &self.kinds[obj.0 as usize]
    }

    /// Returns the object of a function.
    pub fn function(&self, function: FuncId) -> Obj {
        Obj(function.0)
    }

    /// Returns the object of a global variable.
    pub fn global(&self, global: GlobalId) -> Obj {
        Obj(self.program.functions.len() as u32 + global.0)
    }

    /// Returns whether writing to the object is a fault.
    pub fn is_constant(&self, obj: Obj) -> bool {
        matches!(self.kind(obj), Kind::Global(id) if self.program.globals[id.index()].constant)
    }

    /// Returns whether the object holds data.
    pub fn is_data(&self, obj: Obj) -> bool {
        !matches!(self.kind(obj), Kind::Function(_) | Kind::Label(..))
    }

    fn symbol(&self, symbol: Symbol) -> Option<Obj> {
        match symbol {
            Symbol::Global(id) => Some(self.global(id)),
            Symbol::Function(id) => Some(self.function(id)),
            Symbol::Label(function, block) => self.ids.get(&Kind::Label(function, block)).copied(),
        }
    }

    fn element(&self, id: GlobalId, at: u64, size: u32) -> Value {
        let global = &self.program.globals[id.index()];
        let (width, pointer) = ((size * 8).min(128), self.pointer_bits());
        let word = u64::from(pointer / 8);
        let first = global.relocations.partition_point(|r| r.offset + word <= at);
        let mut value = Value::none();
        for relocation in global.relocations[first..].iter().take_while(|r| r.offset < at + u64::from(size)) {
            let Some(obj) = self.symbol(relocation.target) else { return Value::anywhere(width) };
            let offset = if relocation.offset == at && u64::from(size) == word {
                Num::constant(relocation.addend as u64, pointer)
            } else {
                value = value.join(&Value::any(width), width, pointer);
                Num::full(pointer)
            };
            value.add_target(Target { obj, offset, text: Text::Unknown }, pointer);
        }
        if !value.is_none() {
            return value;
        }
        if size > 8 {
            let is_zero = (at..at + u64::from(size)).all(|i| global.bytes.get(i as usize).copied().unwrap_or(0) == 0);
            return if is_zero { Value::constant(0, width) } else { Value::any(width) };
        }
        let byte = |i: u64| u64::from(global.bytes.get((at + i) as usize).copied().unwrap_or(0));
        let bits = (0..u64::from(size)).fold(0, |all, i| all | byte(i) << (8 * i));
        Value::constant(bits, width)
    }
}

impl Initial for Table<'_> {
    fn initial(&self, obj: Obj, offset: Num, size: u32) -> Value {
        let (width, pointer) = ((size * 8).min(128), self.pointer_bits());
        let Kind::Global(id) = *self.kind(obj) else { return Value::anywhere(width) };
        if let Some(at) = offset.value() {
            return self.element(id, at, size);
        }
        let global = &self.program.globals[id.index()];
        let last = global.size.saturating_sub(u64::from(size));
        let (low, high) = offset.unsigned(64);
        let (high, step) = (high.min(last), offset.stride.max(1));
        if low > high {
            return Value::none();
        }
        // The bytes beyond the written ones are zero.
        let known = (global.bytes.len() as u64).max(global.relocations.last().map_or(0, |r| r.offset + 16));
        let end = high.min(known);
        let mut value = if high > known { Value::constant(0, width) } else { Value::none() };
        if low <= end && (end - low) / step > MAX_INITIAL_ELEMENTS {
            value = Value::any(width);
            for relocation in &global.relocations {
                let Some(obj) = self.symbol(relocation.target) else { return Value::anywhere(width) };
                value.add_target(Target { obj, offset: Num::full(pointer), text: Text::Unknown }, pointer);
            }
            return value;
        }
        let mut at = low;
        while at <= end {
            value = value.join(&self.element(id, at, size), width, pointer);
            at += step;
        }
        value
    }

    fn pointer_bits(&self) -> u32 {
        self.program.target.pointer_bits()
    }
}

impl memory::World for Table<'_> {
    fn unchanged(&self, obj: Obj) -> Option<Object> {
        match *self.kind(obj) {
            Kind::Global(id) => {
                let global = &self.program.globals[id.index()];
                let back = if global.defined { Back::INITIAL } else { Back::ANY };
                let mut object = Object::new(Num::constant(global.size, 64), back);
                object.zero_from = zero_from(global);
                Some(object)
            }
            _ => None,
        }
    }
}

/// Returns the offset of the last zero byte of a defined global variable.
fn zero_from(global: &cairn_ir::program::Global) -> Option<u64> {
    if !global.defined || !global.relocations.is_empty() {
        return None;
    }
    if global.size > global.bytes.len() as u64 {
        return Some(global.size - 1);
    }
    global.bytes.iter().rposition(|&byte| byte == 0).map(|at| at as u64)
}
