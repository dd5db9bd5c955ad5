//! The concrete memory: a table of objects with their bytes. [`Memory::read`] and [`Memory::write`] are the doors to the
//! bytes; the typed loads and stores are the same doors for the common sizes, and say `None` where those would fail.

use cairn_ir::layout::Target;

use super::bytes::Bytes;
use super::fault::{Access, MemoryFault, classify};
use super::object::{End, ObjectKind, Shape};
use super::pointer::{ObjectId, Pointer};
use super::space::AddressSpace;

/// The `live` of an object that is not alive: the `life` of no pointer.
const DEAD: u32 = 0x7fff_ffff;

/// What the table needs for an object besides its bytes: many small objects fill a machine, too.
const ENTRY_BYTES: u64 = 160;

/// A moment in the run: a node of the tree of calls and an instruction. What they mean is the engine's business.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Moment {
    /// The chain of calls.
    pub node: u32,
    /// The instruction, from 1; 0 for none.
    pub instruction: u32,
}

/// What is asked of memory when an object is made.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// What it is.
    pub kind: ObjectKind,
    /// Bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// Whether it starts as zeros instead of uninitialised.
    pub zeroed: bool,
    /// Which variable, function or label it is: the meaning depends on the kind and is the engine's business.
    pub site: (u32, u32),
    /// When it is made.
    pub moment: Moment,
}

/// Why an object could not be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The address space of the target has no room.
    AddressSpace,
    /// The machine that runs the program has not that much memory.
    Host,
    /// There are too many objects to name them.
    Objects,
}

#[derive(Clone, Debug)]
struct Object {
    base: u64,
    /// The number of its life while it is alive, else [`DEAD`].
    live: u32,
    /// The number of its last life.
    last: u32,
    kind: ObjectKind,
    end: End,
    constant: bool,
    /// Whether a pointer to it was stored, made an integer or returned: it can't be brought back to life in place.
    exposed: bool,
    bytes: Bytes,
}

/// What is seldom needed of an object.
#[derive(Clone, Copy, Debug)]
struct Past {
    size: u64,
    site: (u32, u32),
    made: Moment,
    ended: Moment,
}

/// What is known of an object, for messages.
#[derive(Clone, Copy, Debug)]
pub struct ObjectInfo {
    /// Kind, place, size and life.
    pub shape: Shape,
    /// As given in the [`Request`].
    pub site: (u32, u32),
    /// When it was made.
    pub made: Moment,
    /// When its life ended.
    pub ended: Moment,
}

/// All objects of a run.
#[derive(Clone, Debug)]
pub struct Memory {
    objects: Vec<Object>,
    past: Vec<Past>,
    /// Bases in ascending order, with their objects.
    index: Vec<(u64, u32)>,
    space: AddressSpace,
    pointer_bytes: u8,
    live_bytes: u64,
    /// Entries that no pointer can name any more.
    spare: Vec<u32>,
    dead: usize,
}

impl Memory {
    /// Memory without objects.
    pub fn new(target: Target) -> Self {
        let mut memory = Self {
            objects: Vec::new(),
            past: Vec::new(),
            index: Vec::new(),
            space: AddressSpace::new(target),
            pointer_bytes: (target.pointer_bits() / 8) as u8,
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

    /// What all objects that are alive need: their bytes, and some for each of them.
    pub fn live_bytes(&self) -> u64 {
        self.live_bytes
    }

    /// How many entries are tombstones.
    pub fn tombstones(&self) -> usize {
        self.dead
    }

    /// Makes an object.
    ///
    /// # Errors
    /// When there is no room for it.
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

    /// Forbids writing to an object from now on.
    pub fn make_constant(&mut self, id: ObjectId) {
        if let Some(object) = self.objects.get_mut(id.0 as usize) {
            object.constant = true;
        }
    }

    /// Ends an object's life. Its bytes are dropped, unless it is a stack variable that may be entered again.
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

    /// Whether a dead object can live again in place, because no pointer to it was kept in memory.
    #[inline]
    pub fn can_revive(&self, id: ObjectId) -> bool {
        self.objects
            .get(id.0 as usize)
            .is_some_and(|o| o.live == DEAD && !o.exposed && matches!(o.kind, ObjectKind::Stack | ObjectKind::Variadic))
    }

    /// Makes a dead object a tombstone for good: it will not live again in place.
    pub fn bury(&mut self, id: ObjectId) {
        if self.can_revive(id) {
            let object = &mut self.objects[id.0 as usize];
            object.exposed = true;
            object.bytes = Bytes::default();
            self.dead += 1;
        }
    }

    /// Begins a new life of a dead object, uninitialised and at the same address. Pointers to earlier lives are stale.
    pub fn revive(&mut self, id: ObjectId) -> Pointer {
        let object = &mut self.objects[id.0 as usize];
        object.last = object.last % (DEAD - 1) + 1;
        object.live = object.last;
        object.end = End::Live;
        object.bytes.forget();
        self.live_bytes += object.bytes.len() as u64 + ENTRY_BYTES;
        Pointer { address: object.base, object: id, life: object.last }
    }

    /// Says that a pointer to this object was kept where it may outlive every register.
    #[inline]
    pub fn expose(&mut self, id: ObjectId) {
        if let Some(object) = self.objects.get_mut(id.0 as usize) {
            object.exposed = true;
        }
    }

    /// Whether the pointer's object is alive (in the life that the pointer knows).
    #[inline]
    pub fn is_live(&self, pointer: Pointer) -> bool {
        self.objects.get(pointer.object.0 as usize).is_some_and(|o| o.live == pointer.life)
    }

    /// What is known of an object, as seen by a pointer with that life.
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

    /// The pointer to the object that an address lies in or just behind; tombstones count.
    pub fn find(&self, address: u64) -> Pointer {
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

    /// What is wrong with an access that a door refused.
    pub fn explain(&self, pointer: Pointer, offset: i64, size: u64, access: Access) -> MemoryFault {
        let address = pointer.address.wrapping_add(offset as u64);
        let info = self.info(pointer.object, pointer.life);
        let kind = classify(address, size, access, info.as_ref().map(|i| &i.shape));
        // A refused access that classification finds nothing wrong with would be a contradiction between the two; the
        // safe answer is that the pointer is no good.
        let kind = kind.unwrap_or(cairn_ir::CheckKind::InvalidDeref);
        MemoryFault { kind, access, address, size, object: pointer.object }
    }

    /// The bytes of an object and the offset in them, when `size` bytes may be read through the pointer.
    ///
    /// # Errors
    /// What is wrong with the access. No bytes can be read from anywhere.
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

    /// The bytes of an object and the offset in them, when `size` bytes may be written through the pointer.
    ///
    /// # Errors
    /// What is wrong with the access.
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

    /// The bytes of a live object, whoever points to it. For making globals and for walking the heap at exit.
    pub fn bytes_of(&self, id: ObjectId) -> Option<&Bytes> {
        self.objects.get(id.0 as usize).filter(|o| o.live != DEAD).map(|o| &o.bytes)
    }

    /// As [`Memory::bytes_of`], to fill in initial values.
    pub fn bytes_of_mut(&mut self, id: ObjectId) -> Option<&mut Bytes> {
        self.objects.get_mut(id.0 as usize).filter(|o| o.live != DEAD).map(|o| &mut o.bytes)
    }

    /// Every live object with its kind.
    pub fn live_objects(&self) -> impl Iterator<Item = (ObjectId, ObjectKind)> + '_ {
        self.objects
            .iter()
            .enumerate()
            .skip(1)
            .filter(|(_, o)| o.live != DEAD)
            .map(|(i, o)| (ObjectId(i as u32), o.kind))
    }

    /// How many entries the table of objects has; ids are below it.
    pub fn table_len(&self) -> usize {
        self.objects.len()
    }

    /// Loads `N` bytes, and which of their bits are uninitialised; `None` when that is a fault.
    #[inline(always)]
    pub fn load<const N: usize>(&self, pointer: Pointer, offset: i64) -> Option<(u64, u64)> {
        let object = self.objects.get(pointer.object.0 as usize)?;
        if object.live != pointer.life {
            return None;
        }
        object.bytes.load::<N>(pointer.address.wrapping_add(offset as u64).wrapping_sub(object.base))
    }

    /// Stores `N` bytes, some of their bits uninitialised; `None` when that is a fault.
    #[inline(always)]
    pub fn store<const N: usize>(&mut self, pointer: Pointer, offset: i64, bits: u64, undefined: u64) -> Option<()> {
        let object = self.objects.get_mut(pointer.object.0 as usize)?;
        if object.live != pointer.life || object.constant {
            return None;
        }
        object.bytes.store::<N>(pointer.address.wrapping_add(offset as u64).wrapping_sub(object.base), bits, undefined)
    }

    /// Loads a pointer of `N` bytes, and which of its bits are uninitialised; `None` when that is a fault.
    #[inline(always)]
    pub fn load_pointer<const N: usize>(&self, pointer: Pointer, offset: i64) -> Option<(Pointer, u64)> {
        let object = self.objects.get(pointer.object.0 as usize)?;
        if object.live != pointer.life {
            return None;
        }
        let at = pointer.address.wrapping_add(offset as u64).wrapping_sub(object.base);
        let (address, undefined) = object.bytes.load::<N>(at)?;
        if address == 0 || undefined != 0 {
            return Some((Pointer::without_object(address), undefined));
        }
        if let Some(id) = object.bytes.link(at) {
            let life = self.objects.get(id as usize).map_or(0, |o| o.last);
            return Some((Pointer { address, object: ObjectId(id), life }, 0));
        }
        Some((self.find(address), 0))
    }

    /// Stores a pointer of `N` bytes and remembers its object; `None` when that is a fault.
    #[inline(always)]
    pub fn store_pointer<const N: usize>(&mut self, pointer: Pointer, offset: i64, value: Pointer) -> Option<()> {
        let object = self.objects.get_mut(pointer.object.0 as usize)?;
        if object.live != pointer.life || object.constant {
            return None;
        }
        let at = pointer.address.wrapping_add(offset as u64).wrapping_sub(object.base);
        object.bytes.store::<N>(at, value.address, 0)?;
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

    /// Stored pointers do not say which life of an object they mean. The rare one that means an earlier life gets a
    /// tombstone of its own to point to.
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

    /// Copies bytes with everything they remember; both regions were checked and may overlap.
    ///
    /// # Errors
    /// What is wrong with the target (first) or the source.
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

    /// Forgets the tombstones that `named` does not hold, so that their entries can be used again. Their addresses are
    /// never used again: a pointer made from such an integer points to nothing, which is a fault all the same.
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
