//! Relations between registers, sizes and array elements.
//!
//! They hold in one function, as long as their registers keep their values. Registers are those at the root of copies and of conversions to
//! wider types.

use cairn_ir::{Operand, Reg, Ty};

use crate::domain::memory::Rename;
use crate::domain::value::{Obj, Value};

/// An order between two registers, as signed numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Order {
    /// The smaller one.
    pub low: Reg,
    /// The greater one.
    pub high: Reg,
    /// Whether they differ.
    pub is_strict: bool,
}

/// The size of an object: a register times a factor plus a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SizeOf {
    /// The object.
    pub obj: Obj,
    /// The register.
    pub reg: Reg,
    /// The factor.
    pub scale: u64,
    /// The constant.
    pub add: u64,
}

/// An element of an array that was written.
#[derive(Clone, PartialEq, Debug)]
pub struct Element {
    /// The address of the array.
    pub base: Operand,
    /// The index.
    pub index: Reg,
    /// The size of an element.
    pub scale: i64,
    /// The type of the value.
    pub ty: Ty,
    /// The width of the type in bits.
    pub width: u32,
    /// The array.
    pub obj: Obj,
    /// Whether the address is the start of the array.
    pub is_start: bool,
    /// The value.
    pub value: Value,
}

/// Two registers that a loop changes together: the offset of a pointer into one object is a counter times a factor plus a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Affine {
    /// The pointer.
    pub pointer: Reg,
    /// The counter.
    pub counter: Reg,
    /// The factor.
    pub scale: i64,
    /// The constant.
    pub add: i64,
}

/// The most relations of a kind. Loops use few arrays and counters.
const MOST: usize = 12;

/// The relations of a state.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Relations {
    /// The orders.
    pub orders: Vec<Order>,
    /// The sizes.
    pub sizes: Vec<SizeOf>,
    /// The elements.
    pub elements: Vec<Element>,
    /// Pointers that move with counters.
    pub affine: Vec<Affine>,
    /// Elements of objects, by the register that holds their index, that were initialised at some time.
    pub written: Vec<(Obj, Reg)>,
}

impl Relations {
    /// Returns whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.orders.is_empty()
            && self.sizes.is_empty()
            && self.elements.is_empty()
            && self.written.is_empty()
            && self.affine.is_empty()
    }

    /// Forgets a register.
    pub fn forget(&mut self, reg: Reg) {
        self.orders.retain(|order| order.low != reg && order.high != reg);
        self.sizes.retain(|size| size.reg != reg);
        self.written.retain(|(_, index)| *index != reg);
        self.affine.retain(|affine| affine.pointer != reg && affine.counter != reg);
        self.elements.retain(|element| element.index != reg && element.base != Operand::Reg(reg));
    }

    /// Returns whether a relation mentions a register.
    pub fn mentions(&self, reg: Reg) -> bool {
        self.orders.iter().any(|order| order.low == reg || order.high == reg)
            || self.sizes.iter().any(|size| size.reg == reg)
            || self.written.iter().any(|(_, index)| *index == reg)
            || self.affine.iter().any(|affine| affine.pointer == reg || affine.counter == reg)
            || self.elements.iter().any(|element| element.index == reg || element.base == Operand::Reg(reg))
    }

    /// Adds an order.
    pub fn add_order(&mut self, order: Order) {
        self.orders.retain(|old| !(old.low == order.low && old.high == order.high && !old.is_strict));
        if order.low != order.high
            && !self.has_order(order.low, order.high, order.is_strict)
            && self.orders.len() < MOST
        {
            self.orders.push(order);
        }
    }

    /// Returns whether an order is known.
    pub fn has_order(&self, low: Reg, high: Reg, is_strict: bool) -> bool {
        self.orders.iter().any(|order| order.low == low && order.high == high && (order.is_strict || !is_strict))
    }

    /// Adds a size.
    pub fn add_size(&mut self, size: SizeOf) {
        self.sizes.retain(|old| old.obj != size.obj);
        if self.sizes.len() < MOST {
            self.sizes.push(size);
        }
    }

    /// Adds an element.
    pub fn add_element(&mut self, element: Element) {
        self.elements
            .retain(|old| !(old.base == element.base && old.index == element.index && old.scale == element.scale));
        if self.elements.len() >= MOST {
            self.elements.remove(0);
        }
        self.elements.push(element);
    }

    /// After a write to an object, only the fact that elements were written is left.
    pub fn forget_elements(&mut self, is_changed: &dyn Fn(Obj) -> bool) {
        self.elements.retain(|element| !is_changed(element.obj));
    }

    /// Calls `each` with every register.
    pub fn for_registers(&self, each: &mut dyn FnMut(Reg)) {
        for order in &self.orders {
            each(order.low);
            each(order.high);
        }
        self.sizes.iter().for_each(|size| each(size.reg));
        self.written.iter().for_each(|(_, index)| each(*index));
        for affine in &self.affine {
            each(affine.pointer);
            each(affine.counter);
        }
        for element in &self.elements {
            each(element.index);
            if let Operand::Reg(reg) = element.base {
                each(reg);
            }
        }
    }

    /// Keeps the relations whose registers are all wanted.
    pub fn retain(&mut self, is_wanted: &dyn Fn(Reg) -> bool) {
        self.orders.retain(|order| is_wanted(order.low) && is_wanted(order.high));
        self.sizes.retain(|size| is_wanted(size.reg));
        self.written.retain(|(_, index)| is_wanted(*index));
        self.affine.retain(|affine| is_wanted(affine.pointer) && is_wanted(affine.counter));
        self.elements.retain(|element| {
            let base = match element.base {
                Operand::Reg(reg) => is_wanted(reg),
                _ => true,
            };
            base && is_wanted(element.index)
        });
    }

    /// Forgets an object.
    pub fn forget_object(&mut self, obj: Obj) {
        self.written.retain(|(other, _)| *other != obj);
        self.sizes.retain(|size| size.obj != obj);
        self.elements.retain(|element| element.obj != obj);
    }

    /// Changes pointers in values.
    pub fn change_values(&mut self, rename: &Rename, pointer: u32) {
        for element in &mut self.elements {
            if let Some(value) = rename.apply(&element.value, pointer) {
                element.value = value;
            }
        }
    }

    /// Changes pointers in values, and forgets the object that loses its name.
    pub fn rename(&mut self, rename: &Rename, pointer: u32) {
        self.change_values(rename, pointer);
        self.forget_object(rename.from);
    }

    /// Returns the relations that hold in both states.
    pub fn join(&self, other: &Relations, pointer: u32) -> Relations {
        let mut result = Relations::default();
        for order in &self.orders {
            for strict in [true, false] {
                if (order.is_strict || !strict) && other.has_order(order.low, order.high, strict) {
                    result.add_order(Order { is_strict: strict, ..*order });
                    break;
                }
            }
        }
        result.written = self.written.iter().filter(|written| other.written.contains(written)).copied().collect();
        result.sizes = self.sizes.iter().filter(|size| other.sizes.contains(size)).copied().collect();
        for element in &self.elements {
            let same = other.elements.iter().find(|e| {
                (e.base, e.index, e.scale, e.ty, e.obj, e.is_start)
                    == (element.base, element.index, element.scale, element.ty, element.obj, element.is_start)
            });
            if let Some(same) = same {
                let value = element.value.join(&same.value, element.width, pointer);
                result.elements.push(Element { value, ..element.clone() });
            }
        }
        result
    }
}
