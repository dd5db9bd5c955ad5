//! The concrete memory: a table of objects with their bytes.
//!
//! [`Memory::read`] and [`Memory::write`] check an access and give access to the bytes. The typed loads and stores do
//! the same for common sizes, but return `None` instead of a fault.

use cairn_ir::layout::Target;

use super::bytes::Bytes;
use super::fault::{Access, MemoryFault, classify};
use super::object::{End, ObjectKind, Shape};
use super::pointer::{ObjectId, Pointer};
use super::space::AddressSpace;

/// The value of `live` for a dead object; no pointer has this as its `life`.
const DEAD: u32 = 0x7fff_ffff;

/// The memory that the table needs per object besides its bytes, so that many small objects count as well.
const ENTRY_BYTES: u64 = 160;

/// A moment of the execution: a node in the tree of calls and an instruction. The engine interprets both.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Moment {
    /// The chain of calls.
    pub node: u32,
    /// The number of the instruction, from 1; 0 for none.
    pub instruction: u32,
}

/// The parameters of an allocation.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// The kind of the object.
    pub kind: ObjectKind,
    /// The size in bytes.
    pub size: u64,
    /// The alignment in bytes.
    pub align: u64,
    /// Whether the object starts as zeros instead of uninitialised.
    pub zeroed: bool,
    /// The variable, function or label of the object. The meaning depends on the kind and on the engine.
    pub site: (u32, u32),
    /// The moment of the allocation.
    pub moment: Moment,
}

/// Why an allocation failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The address space of the target is exhausted.
    AddressSpace,
    /// The host machine lacks the memory.
    Host,
    /// There are too many objects to number them.
    Objects,
}

#[derive(Clone, Debug)]
struct Object {
    base: u64,
    /// The number of the current lifetime; [`DEAD`] if there is none.
    live: u32,
    /// The number of the last lifetime.
    last: u32,
    kind: ObjectKind,
    end: End,
    constant: bool,
    /// Whether a pointer to the object was stored, cast to an integer or returned.
    ///
    /// Such an object cannot be revived in place.
    exposed: bool,
    bytes: Bytes,
}

/// Properties of an object that are rarely needed.
#[derive(Clone, Copy, Debug)]
struct Past {
    size: u64,
    site: (u32, u32),
    made: Moment,
    ended: Moment,
}

/// The description of an object, for messages.
#[derive(Clone, Copy, Debug)]
pub struct ObjectInfo {
    /// Kind, address, size and lifetime.
    pub shape: Shape,
    /// The site given in the [`Request`].
    pub site: (u32, u32),
    /// The moment of the allocation.
    pub made: Moment,
    /// The moment at which the lifetime ended.
    pub ended: Moment,
}

/// All objects of an execution.
#[derive(Clone, Debug)]
pub struct Memory {
    objects: Vec<Object>,
    past: Vec<Past>,
    /// The base addresses in ascending order, with their objects.
    index: Vec<(u64, u32)>,
    space: AddressSpace,
    pointer_bytes: u8,
    /// Whether only pointers with a link lead to objects, and all other bytes of addresses are uninitialised.
    hides_addresses: bool,
    live_bytes: u64,
    /// Table entries that no pointer refers to any more.
    spare: Vec<u32>,
    dead: usize,
}

impl Memory {
    /// Creates a memory without objects.
    pub fn new(target: Target) -> Self {
        let mut memory = Self {
            objects: Vec::new(),
            past: Vec::new(),
            index: Vec::new(),
            space: AddressSpace::new(target),
            pointer_bytes: (target.pointer_bits() / 8) as u8,
            hides_addresses: false,
            live_bytes: 0,
            spare: Vec::new(),
            dead: 0,
        };
        // Entry 0 stands for "no object": every access to it fails.
        memory.objects.push(Object {
            base: 0,
            live: DEAD,
            last: 0,
            kind: ObjectKind::Static,
            end: End::OutOfScope,
            constant: false,
            exposed: true,
            bytes: Bytes::default(),
        });
        memory.past.push(Past { size: 0, site: (0, 0), made: Moment::default(), ended: Moment::default() });
        memory
    }

    /// Hides the addresses that the memory has chosen: as numbers, they are uninitialised.
    pub fn hide_addresses(&mut self) {
        self.hides_addresses = true;
    }

    /// Returns whether addresses are uninitialised as numbers.
    #[inline]
    pub fn hides_addresses(&self) -> bool {
        self.hides_addresses
    }

    /// Returns the memory that all live objects need: their bytes and their table entries.
    pub fn live_bytes(&self) -> u64 {
        self.live_bytes
    }

    /// Returns the number of tombstones in the table.
    pub fn tombstones(&self) -> usize {
        self.dead
    }

    /// Allocates an object.
    ///
    /// # Errors
    /// If there is no room for the object.
    pub fn allocate(&mut self, request: Request) -> Result<Pointer, Refusal> {
        let size = usize::try_from(request.size).map_err(|_| Refusal::Host)?;
        let data = if request.kind.is_data() { size } else { 0 };
        let bytes = Bytes::new(data, request.zeroed, self.pointer_bytes).ok_or(Refusal::Host)?;
        let base = self.space.allocate(request.size, request.align).ok_or(Refusal::AddressSpace)?;
        let object = Object {
            base,
            live: 1,
            last: 1,
            kind: request.kind,
            end: End::Live,
            constant: false,
            exposed: false,
            bytes,
        };
        let past = Past { size: request.size, site: request.site, made: request.moment, ended: Moment::default() };
        let id = match self.spare.pop() {
            Some(id) => {
                self.objects[id as usize] = object;
                self.past[id as usize] = past;
                id
            }
            None => {
                let id = u32::try_from(self.objects.len()).map_err(|_| Refusal::Objects)?;
                self.objects.push(object);
                self.past.push(past);
                id
            }
        };
        self.index.push((base, id));
        self.live_bytes += request.size + ENTRY_BYTES;
        Ok(Pointer { address: base, object: ObjectId(id), life: 1 })
    }

    /// Moves a new object to the address of a heap object that was freed, as an allocator may do that reuses memory.
    ///
    /// Nothing may point to the new object yet. Returns the pointer to use from now on. The object stays where it is if it does not fit,
    /// or if the address is in use again.
    pub fn take_place(&mut self, new: Pointer, freed: ObjectId) -> Pointer {
        let (Some(object), Some(dead)) = (self.objects.get(new.object.0 as usize), self.objects.get(freed.0 as usize))
        else {
            return new;
        };
        let base = dead.base;
        let (size, room) = (self.past[new.object.0 as usize].size, self.past[freed.0 as usize].size);
        let is_free = dead.live == DEAD && dead.kind == ObjectKind::Heap;
        if !is_free || object.live != new.life || object.kind != ObjectKind::Heap || size > room {
            return new;
        }
        let place = |base: u64, index: &[(u64, u32)]| index.binary_search_by_key(&base, |entry| entry.0);
        let (Ok(to), Ok(from)) = (place(base, &self.index), place(object.base, &self.index)) else { return new };
        if self.objects[self.index[to].1 as usize].live != DEAD {
            return new;
        }
        self.index[to].1 = new.object.0;
        self.index.remove(from);
        self.objects[new.object.0 as usize].base = base;
        Pointer { address: base, ..new }
    }

    /// Makes an object read-only.
    pub fn make_constant(&mut self, id: ObjectId) {
        if let Some(object) = self.objects.get_mut(id.0 as usize) {
            object.constant = true;
        }
    }

    /// Ends the lifetime of an object. Its bytes are dropped, unless it is a stack object that may be revived.
    pub fn end(&mut self, id: ObjectId, end: End, moment: Moment) {
        let Some(object) = self.objects.get_mut(id.0 as usize) else { return };
        if object.live == DEAD {
            return;
        }
        object.live = DEAD;
        object.end = end;
        let past = &mut self.past[id.0 as usize];
        past.ended = moment;
        self.live_bytes -= past.size + ENTRY_BYTES;
        if object.exposed || !matches!(object.kind, ObjectKind::Stack | ObjectKind::Variadic) {
            object.bytes = Bytes::default();
            self.dead += 1;
        }
    }

    /// Returns whether a dead object can be revived in place, because no pointer to it was stored.
    #[inline]
    pub fn can_revive(&self, id: ObjectId) -> bool {
        self.objects
            .get(id.0 as usize)
            .is_some_and(|o| o.live == DEAD && !o.exposed && matches!(o.kind, ObjectKind::Stack | ObjectKind::Variadic))
    }

    /// Makes a dead object a permanent tombstone, which cannot be revived.
    pub fn bury(&mut self, id: ObjectId) {
        if self.can_revive(id) {
            let object = &mut self.objects[id.0 as usize];
            object.exposed = true;
            object.bytes = Bytes::default();
            self.dead += 1;
        }
    }

    /// Begins a new lifetime of a dead object, uninitialised and at the same address.
    ///
    /// Pointers to earlier lifetimes are dangling.
    pub fn revive(&mut self, id: ObjectId) -> Pointer {
        let object = &mut self.objects[id.0 as usize];
        object.last = object.last % (DEAD - 1) + 1;
        object.live = object.last;
        object.end = End::Live;
        object.bytes.forget();
        self.live_bytes += object.bytes.len() as u64 + ENTRY_BYTES;
        Pointer { address: object.base, object: id, life: object.last }
    }

    /// Records that a pointer to an object was stored where it may outlive every register.
    #[inline]
    pub fn expose(&mut self, id: ObjectId) {
        if let Some(object) = self.objects.get_mut(id.0 as usize) {
            object.exposed = true;
        }
    }

    /// Returns whether the object of a pointer is live, in the lifetime that the pointer refers to.
    #[inline]
    pub fn is_live(&self, pointer: Pointer) -> bool {
        self.objects.get(pointer.object.0 as usize).is_some_and(|o| o.live == pointer.life)
    }

    /// Returns the description of an object, as seen by a pointer to the given lifetime.
    pub fn info(&self, id: ObjectId, life: u32) -> Option<ObjectInfo> {
        if !id.is_some() {
            return None;
        }
        let object = self.objects.get(id.0 as usize)?;
        let past = self.past.get(id.0 as usize)?;
        let end = match object.end {
            End::Live if object.live != life => End::OutOfScope,
            end => end,
        };
        let shape = Shape { kind: object.kind, base: object.base, size: past.size, end, constant: object.constant };
        Some(ObjectInfo { shape, site: past.site, made: past.made, ended: past.ended })
    }

    /// Returns a pointer to the object that contains an address or ends at it. Tombstones count.
    ///
    /// If addresses are hidden, no number leads to an object.
    pub fn find(&self, address: u64) -> Pointer {
        if self.hides_addresses {
            return Pointer::without_object(address);
        }
        let after = self.index.partition_point(|&(base, _)| base <= address);
        let found = after.checked_sub(1).and_then(|i| self.index.get(i)).map(|&(_, id)| id);
        if let Some(id) = found {
            let (object, past) = (&self.objects[id as usize], &self.past[id as usize]);
            if address - object.base <= past.size {
                return Pointer { address, object: ObjectId(id), life: object.last };
            }
        }
        Pointer::without_object(address)
    }

    /// Returns the fault of an access that was refused.
    pub fn explain(&self, pointer: Pointer, offset: i64, size: u64, access: Access) -> MemoryFault {
        let address = pointer.address.wrapping_add(offset as u64);
        let info = self.info(pointer.object, pointer.life);
        let kind = classify(address, size, access, info.as_ref().map(|i| &i.shape));
        // If the classification finds no fault in a refused access, the two contradict each other. The safe answer is
        // an invalid pointer.
        let kind = kind.unwrap_or(cairn_ir::CheckKind::InvalidDeref);
        MemoryFault { kind, access, address, size, object: pointer.object }
    }

    /// Returns the bytes of an object and the offset in them, if `size` bytes may be read through a pointer.
    ///
    /// # Errors
    /// The fault of the access. Reading zero bytes from inside or the end of a live object succeeds.
    pub fn read(&self, pointer: Pointer, size: u64) -> Result<(&Bytes, usize), MemoryFault> {
        match self.objects.get(pointer.object.0 as usize) {
            Some(object) if object.live == pointer.life => {
                let at = pointer.address.wrapping_sub(object.base);
                let len = object.bytes.len() as u64;
                if at <= len && len - at >= size && object.kind.is_data() {
                    return Ok((&object.bytes, at as usize));
                }
            }
            _ => {}
        }
        Err(self.explain(pointer, 0, size, Access::Read))
    }

    /// Returns the bytes of an object and the offset in them, if `size` bytes may be written through a pointer.
    ///
    /// # Errors
    /// The fault of the access.
    pub fn write(&mut self, pointer: Pointer, size: u64) -> Result<(&mut Bytes, usize), MemoryFault> {
        let allowed = match self.objects.get(pointer.object.0 as usize) {
            Some(object) if object.live == pointer.life && !object.constant => {
                let at = pointer.address.wrapping_sub(object.base);
                let len = object.bytes.len() as u64;
                at <= len && len - at >= size && object.kind.is_data()
            }
            _ => false,
        };
        if !allowed {
            return Err(self.explain(pointer, 0, size, Access::Write));
        }
        let object = &mut self.objects[pointer.object.0 as usize];
        let at = pointer.address.wrapping_sub(object.base) as usize;
        Ok((&mut object.bytes, at))
    }

    /// Returns the bytes of a live object, without a pointer to it.
    ///
    /// This is for the initialisation of globals and for walking the heap at exit.
    pub fn bytes_of(&self, id: ObjectId) -> Option<&Bytes> {
        self.objects.get(id.0 as usize).filter(|o| o.live != DEAD).map(|o| &o.bytes)
    }

    /// Like [`Memory::bytes_of`], to fill in initial values.
    pub fn bytes_of_mut(&mut self, id: ObjectId) -> Option<&mut Bytes> {
        self.objects.get_mut(id.0 as usize).filter(|o| o.live != DEAD).map(|o| &mut o.bytes)
    }

    /// Iterates over the live objects with their kinds.
    pub fn live_objects(&self) -> impl Iterator<Item = (ObjectId, ObjectKind)> + '_ {
        self.objects
            .iter()
            .enumerate()
            .skip(1)
            .filter(|(_, o)| o.live != DEAD)
            .map(|(i, o)| (ObjectId(i as u32), o.kind))
    }

    /// Returns the number of entries of the object table. All ids are below it.
    pub fn table_len(&self) -> usize {
        self.objects.len()
    }

    /// Loads `N` bytes with a mask of their uninitialised bits; `None` if the access is a fault.
    #[inline(always)]
    pub fn load<const N: usize>(&self, pointer: Pointer, offset: i64) -> Option<(u64, u64)> {
        let object = self.objects.get(pointer.object.0 as usize)?;
        if object.live != pointer.life {
            return None;
        }
        object.bytes.load::<N>(pointer.address.wrapping_add(offset as u64).wrapping_sub(object.base))
    }

    /// Stores `N` bytes with a mask of their uninitialised bits; `None` if the access is a fault.
    #[inline(always)]
    pub fn store<const N: usize>(&mut self, pointer: Pointer, offset: i64, bits: u64, undefined: u64) -> Option<()> {
        let object = self.objects.get_mut(pointer.object.0 as usize)?;
        if object.live != pointer.life || object.constant {
            return None;
        }
        object.bytes.store::<N>(pointer.address.wrapping_add(offset as u64).wrapping_sub(object.base), bits, undefined)
    }

    /// Loads a pointer of `N` bytes with a mask of its uninitialised bits; `None` if the access is a fault.
    #[inline(always)]
    pub fn load_pointer<const N: usize>(&self, pointer: Pointer, offset: i64) -> Option<(Pointer, u64)> {
        let object = self.objects.get(pointer.object.0 as usize)?;
        if object.live != pointer.life {
            return None;
        }
        let at = pointer.address.wrapping_add(offset as u64).wrapping_sub(object.base);
        let (address, undefined) = object.bytes.load::<N>(at)?;
        if address == 0 || (undefined != 0 && !self.hides_addresses) {
            return Some((Pointer::without_object(address), undefined));
        }
        if let Some(id) = object.bytes.link(at) {
            let life = self.objects.get(id as usize).map_or(0, |o| o.last);
            return Some((Pointer { address, object: ObjectId(id), life }, 0));
        }
        Some((self.find(address), undefined))
    }

    /// Stores a pointer of `N` bytes with its link; `None` if the access is a fault.
    #[inline(always)]
    pub fn store_pointer<const N: usize>(&mut self, pointer: Pointer, offset: i64, value: Pointer) -> Option<()> {
        let object = self.objects.get_mut(pointer.object.0 as usize)?;
        if object.live != pointer.life || object.constant {
            return None;
        }
        let at = pointer.address.wrapping_add(offset as u64).wrapping_sub(object.base);
        let hidden = if self.hides_addresses && value.object.is_some() { u64::MAX } else { 0 };
        object.bytes.store::<N>(at, value.address, hidden)?;
        if value.object.is_some() {
            object.bytes.set_link(at, value.object.0);
            if let Some(named) = self.objects.get_mut(value.object.0 as usize) {
                named.exposed = true;
                if named.last != value.life {
                    self.link_to_earlier_life(pointer, at, value);
                }
            }
        }
        Some(())
    }

    /// Links a stored pointer to a tombstone of its own, because it refers to an earlier lifetime of its object.
    ///
    /// Stored pointers do not record a lifetime, and this case is rare.
    #[cold]
    fn link_to_earlier_life(&mut self, pointer: Pointer, at: u64, value: Pointer) {
        let named = value.object.0 as usize;
        let Ok(id) = u32::try_from(self.objects.len()) else { return };
        let earlier = Object {
            live: DEAD,
            end: End::OutOfScope,
            bytes: Bytes::default(),
            exposed: true,
            ..self.objects[named].clone()
        };
        self.objects.push(earlier);
        self.past.push(self.past[named]);
        self.objects[pointer.object.0 as usize].bytes.set_link(at, id);
    }

    /// Copies bytes with their initialisation and links. The ranges may overlap.
    ///
    /// # Errors
    /// The fault of the source or of the target; the source is checked first.
    pub fn copy(&mut self, to: Pointer, from: Pointer, size: u64) -> Result<(), MemoryFault> {
        self.read(from, size)?;
        self.write(to, size)?;
        let (target, source) = (to.object.0 as usize, from.object.0 as usize);
        let at = to.address.wrapping_sub(self.objects[target].base) as usize;
        let start = from.address.wrapping_sub(self.objects[source].base) as usize;
        let len = size as usize;
        if target == source {
            self.objects[target].bytes.copy_within(at, start, len);
        } else if let Ok([target, source]) = self.objects.get_disjoint_mut([target, source]) {
            target.bytes.copy_from(at, &source.bytes, start, len);
        }
        Ok(())
    }

    /// Frees the table entries of tombstones that are not marked in `named`.
    ///
    /// Their addresses are not reused any more: a pointer made from such an integer has no object, and its use is a fault
    /// all the same.
    pub fn sweep(&mut self, named: &[bool]) {
        let objects = &mut self.objects;
        let spare = &mut self.spare;
        let before = spare.len();
        self.index.retain(|&(_, id)| {
            let object = &mut objects[id as usize];
            let keep = object.live != DEAD
                || named.get(id as usize).copied().unwrap_or(true)
                || (!object.exposed && matches!(object.kind, ObjectKind::Stack | ObjectKind::Variadic));
            if !keep {
                spare.push(id);
            }
            keep
        });
        self.dead = self.dead.saturating_sub(spare.len() - before);
    }
}
