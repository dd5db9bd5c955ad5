//! Pictures of memory: the objects that the variables of the active calls lead to, at one step of an execution.

use std::collections::VecDeque;

use cairn_ir::ctype::{Type, TypeId};
use cairn_ir::layout;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::limits::{
    PICTURED_BYTES, PICTURED_CELLS, PICTURED_OBJECTS, PICTURED_STRING_BYTES, PICTURED_VARIABLES, SHOWN_STRING_BYTES,
};
use crate::run::machine::Machine;
use crate::trace::fields::{Part, is_character, parts_of, pointee, type_name};
use crate::trace::names::Storage;
use cairn_memory::bytes::Bytes;
use cairn_memory::{End, Memory, ObjectId, ObjectKind, Pointer};

/// The memory at one step.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Picture {
    /// The variables that hold pointers, those of the innermost call first.
    pub variables: Vec<PictureVariable>,
    /// The objects, in the order in which the variables lead to them.
    pub nodes: Vec<PictureNode>,
    /// The object of the fault or of the step, if it is among the nodes.
    pub focus: Option<u32>,
    /// Whether there are objects that are not shown.
    pub is_cut: bool,
}

/// A variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PictureVariable {
    /// The name.
    pub name: String,
    /// The function of a local variable.
    pub function: String,
    /// The number of active calls of user functions inside of that function.
    pub above: u32,
    /// The value.
    pub value: PictureValue,
}

/// A value in a picture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PictureValue {
    /// A number or a text.
    Text(String),
    /// The null pointer.
    Null,
    /// Nothing was stored.
    Uninitialised,
    /// A pointer into a node.
    Pointer {
        /// The node.
        node: u32,
        /// The offset in it.
        offset: u64,
    },
}

/// An object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PictureNode {
    /// A number that stays the same in all pictures of an execution.
    pub id: u32,
    /// The type, or the kind of the object.
    pub title: String,
    /// The size in bytes.
    pub size: u64,
    /// Whether the object is on the heap.
    pub is_heap: bool,
    /// The life of the object.
    pub life: PictureLife,
    /// The contents, by offset.
    pub cells: Vec<PictureCell>,
}

/// Whether an object can still be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PictureLife {
    /// It is live.
    Live,
    /// It was freed, or its variable went out of scope.
    Ended,
    /// It is live, but no variable leads to it.
    Lost,
}

/// A part of an object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PictureCell {
    /// The name of the field, or the offset.
    pub name: String,
    /// The offset.
    pub offset: u64,
    /// The value.
    pub value: PictureValue,
}

/// What pictures of an execution remember from step to step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Album {
    /// The types of objects, as the pointers to them say.
    types: FxHashMap<u32, TypeId>,
    /// The last contents of objects that were freed.
    ended: FxHashMap<u32, Bytes>,
    /// The objects of earlier pictures, which are still shown when nothing leads to them any more.
    known: Vec<Pointer>,
}

impl Album {
    /// Keeps the contents of an object that is about to end.
    pub(crate) fn bury(&mut self, memory: &Memory, id: ObjectId) {
        if let Some(bytes) = memory.bytes_of(id)
            && bytes.len() <= PICTURED_BYTES
        {
            self.ended.insert(id.0, bytes.clone());
        }
    }
}

impl Machine<'_> {
    /// Takes a picture. `focus` is the object that it is about.
    pub fn picture(&self, album: &mut Album, focus: Option<u32>) -> Picture {
        let mut painter =
            Painter { machine: self, album, nodes: Vec::new(), seen: FxHashSet::default(), is_cut: false };
        let mut variables = Vec::new();
        let mut waiting: VecDeque<Pointer> = VecDeque::new();
        for variable in self.variables_in_scope() {
            let (value, pointer, ty) = match variable.storage {
                Storage::Register(at) => {
                    let ty = variable.ty.filter(|ty| matches!(self.program.types.get(*ty), Type::Pointer(_)));
                    let Some(ty) = ty else { continue };
                    (self.values[at].pointer(), None, ty)
                }
                Storage::Object(at) => match variable.ty {
                    Some(ty) if matches!(self.program.types.get(ty), Type::Pointer(_)) => {
                        let Some(value) = self.pointer_at(at) else { continue };
                        (value, Some(at), ty)
                    }
                    Some(ty) => {
                        painter.types_of(at, ty);
                        let leads = !self.pointers_in(at, ty).is_empty();
                        if leads || focus == Some(at.object.0) {
                            waiting.push_back(at);
                        }
                        continue;
                    }
                    None => continue,
                },
            };
            if let Some(to) = pointee(self.program, ty) {
                painter.types_of(value, to);
            }
            if let Some(at) = pointer {
                painter.types_of(at, ty);
            }
            if variables.len() < PICTURED_VARIABLES && (value.object.is_some() || value.address == 0) {
                variables.push((variable, value));
                if value.object.is_some() {
                    waiting.push_back(value);
                }
            }
        }
        painter.follow(waiting);
        let reached = painter.seen.clone();
        let known = painter.album.known.clone();
        let focused = focus.map(|object| Pointer { address: 0, object: ObjectId(object), life: 1 });
        let lost = known.into_iter().chain(focused).filter(|pointer| !reached.contains(&pointer.object.0));
        painter.follow(lost.collect());
        let Painter { mut nodes, is_cut, .. } = painter;
        for node in nodes.iter_mut().filter(|node| node.is_heap && node.life == PictureLife::Live) {
            if !reached.contains(&node.id) {
                node.life = PictureLife::Lost;
            }
        }
        let shown: FxHashSet<u32> = nodes.iter().map(|node| node.id).collect();
        let variables = variables.into_iter().map(|(variable, value)| PictureVariable {
            function: variable
                .function
                .and_then(|f| self.program.functions.get(f as usize))
                .map_or_else(String::new, |f| f.name.clone()),
            above: variable.above,
            name: variable.name,
            value: self.pictured_pointer(value, &shown),
        });
        let variables = variables.collect();
        let mut picture = Picture { variables, nodes, focus: focus.filter(|focus| shown.contains(focus)), is_cut };
        picture.drop_dead_ends(&shown);
        album.known = picture.nodes.iter().filter(|node| node.is_heap).map(|node| self.pointer_to(node.id)).collect();
        picture
    }

    fn pointer_to(&self, id: u32) -> Pointer {
        Pointer {
            address: self.memory.info(ObjectId(id), 1).map_or(0, |info| info.shape.base),
            object: ObjectId(id),
            life: 1,
        }
    }

    fn pictured_pointer(&self, value: Pointer, shown: &FxHashSet<u32>) -> PictureValue {
        if value.address == 0 && !value.object.is_some() {
            return PictureValue::Null;
        }
        if shown.contains(&value.object.0)
            && let Some(info) = self.memory.info(value.object, value.life)
        {
            let offset = value.address.wrapping_sub(info.shape.base);
            return PictureValue::Pointer { node: value.object.0, offset };
        }
        PictureValue::Text(match self.memory.info(value.object, value.life) {
            Some(info) => match info.shape.kind {
                ObjectKind::Function => {
                    self.program.functions.get(info.site.0 as usize).map_or("function", |f| f.name.as_str()).to_owned()
                }
                ObjectKind::Static => self.string_at(value).unwrap_or_else(|| "…".to_owned()),
                _ => "…".to_owned(),
            },
            None => format!("{:#x}", value.address),
        })
    }

    fn string_at(&self, at: Pointer) -> Option<String> {
        let mut bytes = Vec::new();
        while let Some((byte, 0)) = self.memory.load::<1>(at, bytes.len() as i64)
            && byte != 0
            && bytes.len() < SHOWN_STRING_BYTES / 2
        {
            bytes.push(byte as u8);
        }
        (!bytes.is_empty()).then(|| format!("\"{}\"", bytes.escape_ascii()))
    }
}

impl Picture {
    /// Marks pointers to objects that are not shown.
    fn drop_dead_ends(&mut self, shown: &FxHashSet<u32>) {
        for cell in self.nodes.iter_mut().flat_map(|node| &mut node.cells) {
            if matches!(cell.value, PictureValue::Pointer { node, .. } if !shown.contains(&node)) {
                cell.value = PictureValue::Text("…".to_owned());
            }
        }
    }
}

/// The drawing of one picture.
struct Painter<'m, 'a, 'b> {
    machine: &'m Machine<'a>,
    album: &'b mut Album,
    nodes: Vec<PictureNode>,
    seen: FxHashSet<u32>,
    is_cut: bool,
}

impl Painter<'_, '_, '_> {
    /// Notes the type of an object that a pointer leads to. The type of the start of an object counts most.
    fn types_of(&mut self, at: Pointer, ty: TypeId) {
        let Some(info) = self.machine.memory.info(at.object, at.life) else { return };
        if at.address == info.shape.base && !matches!(self.machine.program.types.get(ty), Type::Function(_)) {
            let size = layout::size_of(&self.machine.program.types, self.machine.program.target, ty).unwrap_or(0);
            let is_better = self.album.types.get(&at.object.0).is_none_or(|known| {
                layout::size_of(&self.machine.program.types, self.machine.program.target, *known).unwrap_or(0) < size
            });
            if size > 0 && size <= info.shape.size && is_better {
                self.album.types.insert(at.object.0, ty);
            }
        }
    }

    fn follow(&mut self, mut waiting: VecDeque<Pointer>) {
        while let Some(pointer) = waiting.pop_front() {
            let Some(info) = self.machine.memory.info(pointer.object, pointer.life) else { continue };
            let is_shown = match info.shape.kind {
                ObjectKind::Heap | ObjectKind::Stack | ObjectKind::Alloca => true,
                ObjectKind::Static => {
                    self.machine.program.globals.get(info.site.0 as usize).is_some_and(|g| g.name != ".str")
                }
                _ => false,
            };
            if !is_shown || self.seen.contains(&pointer.object.0) {
                continue;
            }
            if self.nodes.len() >= PICTURED_OBJECTS {
                self.is_cut = true;
                return;
            }
            self.seen.insert(pointer.object.0);
            let cells = self.cells(pointer, info.shape.size, &mut waiting);
            let ty = self.album.types.get(&pointer.object.0).copied();
            let is_heap = info.shape.kind == ObjectKind::Heap;
            let kind_name = || match info.shape.kind {
                ObjectKind::Heap => format!("{} bytes", info.shape.size),
                kind => kind.name().to_owned(),
            };
            let variable = self.variable_name(pointer.object, info.shape.kind, info.site);
            let title = match (variable, ty.and_then(|ty| type_name(self.machine.program, ty))) {
                (Some(variable), _) => variable,
                (None, Some(ty)) => {
                    let one = ty_size(self.machine, self.album.types.get(&pointer.object.0).copied());
                    match info.shape.size.checked_div(one).unwrap_or(0) {
                        count if count > 1 => format!("{ty}[{count}]"),
                        _ => ty,
                    }
                }
                (None, None) => kind_name(),
            };
            let life = match info.shape.end {
                End::Live => PictureLife::Live,
                _ => PictureLife::Ended,
            };
            self.nodes.push(PictureNode { id: pointer.object.0, title, size: info.shape.size, is_heap, life, cells });
        }
    }

    fn variable_name(&self, _: ObjectId, kind: ObjectKind, site: (u32, u32)) -> Option<String> {
        let program = self.machine.program;
        match kind {
            ObjectKind::Stack => {
                let body = program.functions.get(site.0 as usize)?.body.as_ref()?;
                body.slots.get(site.1 as usize)?.name.as_deref().map(str::to_owned)
            }
            ObjectKind::Static => program.globals.get(site.0 as usize).map(|global| global.name.clone()),
            _ => None,
        }
    }

    /// Returns the contents of an object, and adds the objects that its pointers lead to.
    fn cells(&mut self, object: Pointer, size: u64, waiting: &mut VecDeque<Pointer>) -> Vec<PictureCell> {
        let machine = self.machine;
        let dead = self.album.ended.get(&object.object.0).cloned();
        let live = if machine.memory.is_live(object) || object.life == 1 {
            machine.memory.bytes_of(object.object)
        } else {
            None
        };
        let Some(bytes) = live.or(dead.as_ref()) else { return Vec::new() };
        let ty = self.album.types.get(&object.object.0).copied();
        let parts = self.parts(ty, size);
        let mut cells = Vec::new();
        for part in parts {
            let is_pointer = matches!(machine.program.types.get(part.ty), Type::Pointer(_));
            let value = if is_pointer {
                let width = u64::from(machine.program.target.pointer_bits() / 8);
                let word = match width {
                    8 => bytes.load::<8>(part.at),
                    _ => bytes.load::<4>(part.at),
                };
                match word {
                    None => continue,
                    Some((_, undefined)) if undefined != 0 => PictureValue::Uninitialised,
                    Some((0, _)) => PictureValue::Null,
                    Some((address, _)) => {
                        let to = match bytes.link(part.at) {
                            Some(id) => {
                                let life = machine.memory.find(address).life;
                                Pointer { address, object: ObjectId(id), life: life.max(1) }
                            }
                            None => machine.memory.find(address),
                        };
                        if let Some(ty) = pointee(machine.program, part.ty) {
                            self.types_of(to, ty);
                        }
                        self.pointer(to, waiting)
                    }
                }
            } else {
                PictureValue::Text(self.text(bytes, &part))
            };
            if value == PictureValue::Text(String::new()) {
                continue;
            }
            let name = part.path.strip_prefix('.').unwrap_or(&part.path).to_owned();
            cells.push(PictureCell { name, offset: part.at, value });
        }
        if ty.is_none() {
            let width = u64::from(machine.program.target.pointer_bits() / 8);
            for at in (0..size.min(PICTURED_BYTES as u64) / width).map(|index| index * width) {
                if let Some(id) = bytes.link(at) {
                    let value = self.pointer(self.machine.pointer_to(id), waiting);
                    cells.push(PictureCell { name: format!("+{at}"), offset: at, value });
                }
            }
        }
        if cells.len() > PICTURED_CELLS {
            // Pointers tell most about a large object.
            let is_pointer =
                |cell: &PictureCell| !matches!(cell.value, PictureValue::Text(_) | PictureValue::Uninitialised);
            let mut order: Vec<usize> = (0..cells.len()).collect();
            order.sort_by_key(|&index| (!is_pointer(&cells[index]), index));
            order.truncate(PICTURED_CELLS);
            let mut index = 0;
            cells.retain(|_| {
                index += 1;
                order.contains(&(index - 1))
            });
        }
        cells
    }

    /// Returns the parts of an object of a type; an object that holds several of them is an array.
    fn parts(&self, ty: Option<TypeId>, size: u64) -> Vec<Part> {
        let Some(ty) = ty else { return Vec::new() };
        let program = self.machine.program;
        let one = ty_size(self.machine, Some(ty));
        if one == 0 || size < 2 * one {
            return parts_of(program, ty);
        }
        if is_character(program, ty) {
            return vec![Part { path: String::new(), at: 0, ty, bits: None }];
        }
        let mut parts = Vec::new();
        for index in 0..(size / one).min(crate::limits::NAMED_ELEMENTS) {
            for part in parts_of(program, ty) {
                parts.push(Part { path: format!("[{index}]{}", part.path), at: index * one + part.at, ..part });
            }
        }
        parts.truncate(crate::limits::NAMED_PARTS);
        parts
    }

    fn pointer(&self, to: Pointer, waiting: &mut VecDeque<Pointer>) -> PictureValue {
        let machine = self.machine;
        match machine.memory.info(to.object, to.life) {
            Some(info) if matches!(info.shape.kind, ObjectKind::Heap | ObjectKind::Stack | ObjectKind::Alloca) => {
                waiting.push_back(to);
                PictureValue::Pointer { node: to.object.0, offset: to.address.wrapping_sub(info.shape.base) }
            }
            Some(info) if info.shape.kind == ObjectKind::Static && machine.string_at(to).is_none() => {
                waiting.push_back(to);
                PictureValue::Pointer { node: to.object.0, offset: to.address.wrapping_sub(info.shape.base) }
            }
            _ => machine.pictured_pointer(to, &FxHashSet::default()),
        }
    }

    /// Returns a part that is no pointer as text; empty for one that cannot be shown.
    fn text(&self, bytes: &Bytes, part: &Part) -> String {
        let program = self.machine.program;
        let size = ty_size(self.machine, Some(part.ty));
        let is_text = match *program.types.get(part.ty) {
            Type::Array(element, _) => is_character(program, element.ty),
            _ => is_character(program, part.ty) && part.path.is_empty() && bytes.len() > 1,
        };
        if is_text {
            let end = if part.path.is_empty() { bytes.len() as u64 } else { part.at + size };
            let mut text = Vec::new();
            let length = end.saturating_sub(part.at).min(PICTURED_STRING_BYTES as u64 + 1);
            for at in part.at..part.at + length {
                match bytes.load::<1>(at) {
                    Some((byte, 0)) if byte != 0 => text.push(byte as u8),
                    Some((_, undefined)) if undefined != 0 && at == part.at => return "?".to_owned(),
                    _ => break,
                }
            }
            let is_cut = text.len() > PICTURED_STRING_BYTES;
            text.truncate(PICTURED_STRING_BYTES);
            return format!("\"{}{}\"", text.escape_ascii(), if is_cut { "…" } else { "" });
        }
        let width = part.bits.map_or(size as u32 * 8, |(_, width)| width);
        if width == 0 || width > 64 {
            return String::new();
        }
        let start = part.bits.map_or(0, |(start, _)| start);
        if part.at as usize + (start + width).div_ceil(8) as usize > bytes.len() {
            return String::new();
        }
        let (value, undefined) = bytes.load_bits(part.at as usize, start, width);
        if undefined != 0 {
            return "?".to_owned();
        }
        match *program.types.get(part.ty) {
            Type::Float(_) => match size {
                4 => f32::from_bits(value as u32).to_string(),
                8 => f64::from_bits(value as u64).to_string(),
                _ => String::new(),
            },
            Type::Int(kind) if !layout::int_signed(kind) => value.to_string(),
            Type::Int(_) | Type::Enum(_) => crate::arithmetic::signed(value, width).to_string(),
            _ => String::new(),
        }
    }
}

fn ty_size(machine: &Machine<'_>, ty: Option<TypeId>) -> u64 {
    ty.and_then(|ty| layout::size_of(&machine.program.types, machine.program.target, ty)).unwrap_or(0)
}
