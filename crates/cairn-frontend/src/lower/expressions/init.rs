//! Lowers the initial values of locals.

use cairn_ir::check::Checks;
use cairn_ir::inst::{BinaryOp, BitRange, CompareOp, Inst, Intrinsic, Operand, Terminator};
use cairn_ir::source::Span;

use crate::hir::{AggregateInit, InitPart, InitValue, LocalId, LocalInit, StringId};
use crate::limits::MAX_UNROLLED_REPETITIONS;
use crate::lower::builder::{Builder, Class, Home};
use crate::lower::expressions::place::{Mem, Spot};

impl<'u> Builder<'_, 'u, '_> {
    /// Initialises a local.
    pub fn initialise_local(&mut self, local: LocalId, init: &'u LocalInit) {
        let declared = self.local(local);
        match (self.home(local), init) {
            (Home::Reg(reg), LocalInit::Value(value)) => {
                let value = self.rvalue(value);
                self.loc = self.place_of(declared.span);
                self.assign(reg, value);
            }
            (Home::Slot(slot) | Home::Vla(slot), LocalInit::Value(value)) => {
                let mem = Mem::named(Operand::Slot(slot), self.body.slots[slot.index()].size);
                match self.class(declared.ty.ty) {
                    Class::Scalar(ty) => {
                        let value = self.rvalue(value);
                        self.loc = self.place_of(declared.span);
                        let spot = self.scalar_in(mem, declared.ty.ty);
                        self.write(spot, ty, value);
                    }
                    // Without a pointer to the variable, its initialiser cannot observe it, so no copy is needed.
                    Class::Memory { .. } if !declared.address_taken => self.aggregate_into(value, mem),
                    Class::Memory { size, .. } => {
                        let from = self.aggregate(value);
                        self.loc = self.place_of(declared.span);
                        self.copy(mem, from, size);
                    }
                    Class::Void => self.effect(value),
                }
            }
            // `int x = { 5 };`
            (Home::Reg(reg), LocalInit::Aggregate(init)) => {
                if init.zero || init.parts.is_empty() {
                    self.push(Inst::Move { dst: reg, src: Operand::Int(0) });
                }
                for part in &init.parts {
                    if let InitValue::Expr(value) = &part.value {
                        let value = self.rvalue(value);
                        self.assign(reg, value);
                    }
                }
            }
            (Home::Slot(slot) | Home::Vla(slot), LocalInit::Aggregate(init)) => {
                let size = self.body.slots[slot.index()].size.max(init.size);
                // The initialiser of a flexible array member makes the variable larger than its type.
                self.body.slots[slot.index()].size = size;
                self.initialise_aggregate(Operand::Slot(slot), size, init, declared.span);
            }
        }
    }

    fn initialise_aggregate(&mut self, base: Operand, size: u64, init: &'u AggregateInit, declared: Span) {
        if init.zero && init.size > 0 {
            self.push(Inst::Zero { dst: base, offset: 0, size: init.size });
        }
        for part in &init.parts {
            let mem = Mem::named(base, size).plus(part.offset as i64);
            if matches!(part.value, InitValue::Unspecified(_)) {
                // Not the location of a call in the initialiser: reports tell inputs apart by their locations.
                self.loc = self.place_of(declared);
            }
            self.initialise_part(mem, part);
        }
    }

    fn initialise_part(&mut self, mem: Mem, part: &'u InitPart) {
        let (count, distance) = part.repeat;
        match &part.value {
            InitValue::String(string, size) => {
                self.repeat(mem, count, distance, |b, mem| b.write_string(mem, *string, *size));
            }
            InitValue::Unspecified(size) => {
                self.repeat(mem, count, distance, |b, mem| b.write_unspecified(mem, *size));
            }
            InitValue::Expr(expr) => match self.class(expr.ty) {
                Class::Scalar(ty) => {
                    let value = self.rvalue(expr);
                    self.loc = self.place_of(expr.span);
                    let bits = part.bits.map(|(start, width)| BitRange {
                        start,
                        width: u8::try_from(width.clamp(1, 128)).unwrap_or(128),
                    });
                    self.repeat(mem, count, distance, |b, mem| {
                        let spot = match bits {
                            Some(bits) => Spot::Bits(mem, bits, false),
                            None => b.scalar_in(mem, expr.ty),
                        };
                        b.write(spot, ty, value);
                    });
                }
                Class::Memory { size, .. } => {
                    let from = self.aggregate(expr);
                    self.loc = self.place_of(expr.span);
                    self.repeat(mem, count, distance, |b, mem| b.copy(mem, from, size));
                }
                Class::Void => self.effect(expr),
            },
        }
    }

    /// Calls `write` for `count` addresses, `distance` bytes apart. Emits a loop if there are many.
    fn repeat(&mut self, mem: Mem, count: u64, distance: u64, mut write: impl FnMut(&mut Self, Mem)) {
        if count <= MAX_UNROLLED_REPETITIONS {
            for index in 0..count {
                write(self, mem.plus(index.wrapping_mul(distance) as i64));
            }
            return;
        }
        let ty = self.size_ty();
        let index = self.temporary(ty);
        let (head, exit) = (self.new_block(), self.new_block());
        self.push(Inst::Move { dst: index, src: Operand::Int(0) });
        self.jump(head);
        self.start(head);
        let base = self.ptr_add(mem.base, Operand::Reg(index), distance as i64);
        // The checker ensures that all repetitions are inside the object.
        write(self, Mem { base, ..mem });
        let next = self.binary(BinaryOp::Add, ty, Operand::Reg(index), Operand::Int(1));
        self.push(Inst::Move { dst: index, src: next });
        let limit = self.int(count.into(), ty);
        let more = self.compare_by(CompareOp::ULt, ty, Operand::Reg(index), limit);
        self.end(Terminator::Branch { cond: more, then: head, other: exit, checks: Checks::NONE });
        self.start(exit);
    }

    /// Writes any bytes. They are inputs of the program, and the access is inside its object and needs no check.
    fn write_unspecified(&mut self, mem: Mem, size: u64) {
        let address = match mem.offset {
            0 => mem.base,
            offset => self.ptr_add(mem.base, Operand::Int(offset), 1),
        };
        let ty = self.size_ty();
        let args = Box::new([address, self.int(size.into(), ty)]);
        self.push(Inst::Intrinsic { op: Intrinsic::NondetBytes, dst: None, args, checks: Checks::NONE });
    }

    /// Writes a string into a char array of `size` bytes.
    fn write_string(&mut self, mem: Mem, string: StringId, size: u64) {
        let global = self.linker.string(self.unit, string, self.types);
        let length = self.linker.program.globals[global.index()].size.min(size);
        self.copy(mem, Mem::named(Operand::Global(global), length), length);
        if length < size {
            let rest = mem.plus(length as i64);
            self.push(Inst::Zero { dst: rest.base, offset: rest.offset, size: size - length });
        }
    }
}
