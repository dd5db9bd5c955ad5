//! Places: the registers and memory that lvalues denote, and the checks of their accesses.
//!
//! A named object at a constant offset inside it needs no check. At a computed offset, the access may be out of bounds.
//! An access through a pointer needs all checks.

use cairn_ir::check::{self, Checks};
use cairn_ir::ctype::{IntKind, Type, TypeId};
use cairn_ir::inst::{BinaryOp, BitRange, Inst, Operand, Ty};
use cairn_ir::program::Symbol;
use cairn_ir::{Reg, layout};

use crate::hir::{Expr, ExprKind, Place, PlaceKind, Scale, SymbolId};
use crate::lower::builder::{Builder, Home};
use crate::lower::expressions::value::Scalar;

/// The kind of an address, which determines its checks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    /// A named object with the given size in bytes; no check is needed while the offset is in bounds.
    Named(u64),
    /// A named object at a computed offset, or of a size unknown to this unit.
    Bounds,
    /// An arbitrary pointer.
    Deref,
}

/// An address: `base + offset`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mem {
    pub base: Operand,
    pub offset: i64,
    pub access: Access,
    /// Whether the address is inside an object that must not be written to.
    pub constant: bool,
}

/// The location of a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Spot {
    Reg(Reg),
    Memory(Mem),
    /// A bit-field, with its signedness.
    Bits(Mem, BitRange, bool),
}

impl Mem {
    /// Creates the address of a named object of the given size.
    pub fn named(base: Operand, size: u64) -> Self {
        Self { base, offset: 0, access: Access::Named(size), constant: false }
    }

    /// Creates the address that an arbitrary pointer holds.
    pub fn deref(base: Operand) -> Self {
        Self { base, offset: 0, access: Access::Deref, constant: false }
    }

    /// Returns the address `bytes` further on.
    #[must_use]
    pub fn plus(self, bytes: i64) -> Self {
        Self { offset: self.offset.wrapping_add(bytes), ..self }
    }
}

impl<'u> Builder<'_, 'u, '_> {
    /// Returns the location of a place. Side effects of its evaluation are emitted.
    pub fn spot(&mut self, place: &'u Place) -> Spot {
        if !self.descend() {
            let base = self.undefined(Ty::Ptr);
            return Spot::Memory(Mem::deref(base));
        }
        let spot = self.spot_inner(place);
        self.ascend();
        spot
    }

    /// Returns the location of a scalar place. In memory, a `_BitInt` occupies only its bits.
    pub fn scalar_spot(&mut self, place: &'u Place) -> Spot {
        match self.spot(place) {
            Spot::Memory(mem) => self.scalar_in(mem, place.ty.ty),
            other => other,
        }
    }

    /// Returns the location of a scalar in memory.
    pub fn scalar_in(&mut self, mem: Mem, ty: TypeId) -> Spot {
        match *self.types.get(ty) {
            Type::Int(IntKind::BitInt { width, signed }) => Spot::Bits(mem, BitRange { start: 0, width }, signed),
            _ => Spot::Memory(mem),
        }
    }

    fn spot_inner(&mut self, place: &'u Place) -> Spot {
        match &place.kind {
            PlaceKind::Local(local) => match self.home(*local) {
                Home::Reg(reg) => Spot::Reg(reg),
                Home::Slot(slot) => Spot::Memory(Mem::named(Operand::Slot(slot), self.body.slots[slot.index()].size)),
                Home::Vla(slot) => Spot::Memory(Mem { access: Access::Bounds, ..Mem::named(Operand::Slot(slot), 0) }),
            },
            PlaceKind::Symbol(symbol) => Spot::Memory(self.symbol(*symbol)),
            PlaceKind::String(string) => {
                let global = self.linker.string(self.unit, *string, self.types);
                let size = self.linker.program.globals[global.index()].size;
                Spot::Memory(Mem { constant: true, ..Mem::named(Operand::Global(global), size) })
            }
            PlaceKind::Deref(pointer) => Spot::Memory(self.address(pointer)),
            PlaceKind::Field(inner, record, index) => {
                let mem = match self.spot(inner) {
                    Spot::Memory(mem) | Spot::Bits(mem, ..) => mem,
                    // Structs are never in registers.
                    Spot::Reg(_) => Mem::deref(Operand::Int(0)),
                };
                let field = &self.types.record(*record).fields[*index as usize];
                let mem = mem.plus(field.offset as i64);
                match field.bit_width {
                    Some(width) => {
                        let signed = self.scalar(field.ty.ty).is_some_and(|s| s.signed);
                        let width = u8::try_from(width.clamp(1, 128)).unwrap_or(128);
                        Spot::Bits(mem, BitRange { start: field.bit_start, width }, signed)
                    }
                    None => Spot::Memory(mem),
                }
            }
            PlaceKind::Temporary(value) => Spot::Memory(self.aggregate(value)),
            PlaceKind::CompoundLiteral(local, init) => {
                self.initialise_local(*local, init);
                match self.home(*local) {
                    Home::Reg(reg) => Spot::Reg(reg),
                    Home::Slot(slot) | Home::Vla(slot) => {
                        Spot::Memory(Mem::named(Operand::Slot(slot), self.body.slots[slot.index()].size))
                    }
                }
            }
        }
    }

    /// Returns the address of a global or function.
    pub fn symbol(&mut self, symbol: SymbolId) -> Mem {
        match self.linker.resolve(self.unit, symbol, self.types, self.locator) {
            Symbol::Function(id) | Symbol::Label(id, _) => Mem::deref(Operand::Function(id)),
            Symbol::Global(id) => {
                let global = &self.linker.program.globals[id.index()];
                // Another unit may define the object with a smaller size than declared here.
                let access = if global.defined { Access::Named(global.size) } else { Access::Bounds };
                Mem { base: Operand::Global(id), offset: 0, access, constant: global.constant }
            }
        }
    }

    /// Evaluates a pointer to an address. Constant offsets stay separate, and named objects stay known.
    pub fn address(&mut self, pointer: &'u Expr) -> Mem {
        if !self.descend() {
            let base = self.undefined(Ty::Ptr);
            return Mem::deref(base);
        }
        let mem = self.address_inner(pointer);
        self.ascend();
        mem
    }

    fn address_inner(&mut self, pointer: &'u Expr) -> Mem {
        match &pointer.kind {
            ExprKind::AddressOf(place) => match self.spot(place) {
                Spot::Memory(mem) => mem,
                Spot::Reg(_) | Spot::Bits(..) => {
                    self.loc = self.place_of(pointer.span);
                    self.unsupported("address of an expression without one");
                    let base = self.undefined(Ty::Ptr);
                    Mem::deref(base)
                }
            },
            ExprKind::Convert(inner) if matches!(self.types.get(inner.ty), Type::Pointer(_)) => self.address(inner),
            ExprKind::PtrAdd { base, index, scale, negative } => {
                let mem = self.address(base);
                let index = self.rvalue(index);
                self.loc = self.place_of(pointer.span);
                self.step(mem, index, scale, *negative)
            }
            _ => Mem::deref(self.rvalue(pointer)),
        }
    }

    /// Computes `mem + index * scale`, or `mem - index * scale` if `negative` is set.
    pub fn step(&mut self, mem: Mem, index: Operand, scale: &'u Scale, negative: bool) -> Mem {
        let size = Scalar { ty: self.size_ty(), signed: true };
        let (index, unit) = match scale {
            Scale::Fixed(bytes) => (index, *bytes as i64),
            Scale::Variable(bytes) => {
                let bytes = self.rvalue(bytes);
                (self.binary(BinaryOp::Mul, size.ty, index, bytes), 1)
            }
        };
        let unit = if negative { unit.wrapping_neg() } else { unit };
        if let Some(known) = self.known(index, size) {
            return mem.plus((known as i64).wrapping_mul(unit));
        }
        let base = self.ptr_add(mem.base, index, unit);
        let access = if mem.access == Access::Deref { Access::Deref } else { Access::Bounds };
        Mem { base, access, ..mem }
    }

    /// Returns the address as a value.
    pub fn pointer(&mut self, mem: Mem) -> Operand {
        match mem.base {
            base if mem.offset == 0 => base,
            Operand::Int(base) => self.int(i128::from(base) + i128::from(mem.offset), Ty::Ptr),
            base => {
                let ty = self.size_ty();
                let index = self.int(mem.offset.into(), ty);
                self.ptr_add(base, index, 1)
            }
        }
    }

    /// Returns the checks of an access to the given number of bytes.
    pub fn access_checks(&mut self, mem: Mem, bytes: u64) -> Checks {
        match mem.access {
            Access::Named(size) => {
                let end = i128::from(mem.offset) + i128::from(bytes);
                if mem.offset >= 0 && end <= i128::from(size) { Checks::NONE } else { self.checks(check::BOUNDS) }
            }
            Access::Bounds => self.checks(check::BOUNDS),
            Access::Deref => self.checks(check::DEREF),
        }
    }

    /// Returns the checks of a write of the given number of bytes.
    pub fn write_checks(&mut self, mem: Mem, bytes: u64) -> Checks {
        if mem.constant { self.checks(check::DEREF) } else { self.access_checks(mem, bytes) }
    }

    /// Loads a scalar.
    pub fn load(&mut self, mem: Mem, ty: Ty) -> Operand {
        let checks = self.access_checks(mem, ty.bytes(self.target()));
        let dst = self.temporary(ty);
        self.push(Inst::Load { dst, ty, addr: mem.base, offset: mem.offset, checks });
        Operand::Reg(dst)
    }

    /// Stores a scalar.
    pub fn store(&mut self, mem: Mem, ty: Ty, src: Operand) {
        let checks = self.write_checks(mem, ty.bytes(self.target()));
        self.push(Inst::Store { ty, addr: mem.base, offset: mem.offset, src, checks });
    }

    /// Reads a scalar of type `ty` from a place.
    pub fn read(&mut self, spot: Spot, ty: Ty) -> Operand {
        match spot {
            Spot::Reg(reg) => Operand::Reg(reg),
            Spot::Memory(mem) => self.load(mem, ty),
            Spot::Bits(mem, bits, signed) => {
                let checks = self.access_checks(mem, bytes_of(bits));
                let dst = self.temporary(ty);
                let (addr, offset) = (mem.base, mem.offset);
                self.push(Inst::LoadBits { dst, ty, addr, offset, bits, signed, checks });
                Operand::Reg(dst)
            }
        }
    }

    /// Writes a scalar of type `ty` to a place; returns the operand to use for the value afterwards.
    ///
    /// For a bit-field, the returned operand is not truncated.
    pub fn write(&mut self, spot: Spot, ty: Ty, src: Operand) -> Operand {
        match spot {
            Spot::Reg(reg) => self.assign(reg, src),
            Spot::Memory(mem) => {
                self.store(mem, ty, src);
                src
            }
            Spot::Bits(mem, bits, _) => {
                let checks = self.write_checks(mem, bytes_of(bits));
                self.push(Inst::StoreBits { ty, addr: mem.base, offset: mem.offset, bits, src, checks });
                src
            }
        }
    }

    /// Returns the value of a place after `src` was written to it. A bit-field keeps only its own bits.
    pub fn held(&mut self, spot: Spot, ty: Ty, src: Operand) -> Operand {
        let Spot::Bits(_, bits, signed) = spot else { return src };
        self.low_bits(src, ty, bits.width.into(), signed)
    }

    /// Copies a struct.
    pub fn copy(&mut self, to: Mem, from: Mem, size: u64) {
        if size == 0 {
            return;
        }
        let dst = self.pointer(to);
        let src = self.pointer(from);
        let dst_checks = self.write_checks(to, size);
        let src_checks = self.access_checks(from, size);
        self.push(Inst::Copy { dst, src, size, dst_checks, src_checks });
    }

    /// Returns the size of a type in bytes; 0 if it is unknown.
    pub fn size_of(&self, ty: TypeId) -> u64 {
        layout::size_of(self.types, self.target(), ty).unwrap_or(0)
    }
}

/// Returns the number of bytes that hold the bits.
fn bytes_of(bits: BitRange) -> u64 {
    (u64::from(bits.start) + u64::from(bits.width)).div_ceil(8)
}
