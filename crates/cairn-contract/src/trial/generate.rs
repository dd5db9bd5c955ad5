//! Random inputs that meet the requirements of a contract.

use std::collections::BTreeMap;

use cairn_ir::ctype::{Type, TypeId};
use cairn_ir::inst::Passing;
use cairn_ir::{FuncId, Program, layout};

use crate::contract::types::Names;
use crate::contract::{Contract, Length, Place, Requirement, Root, Shape};
use crate::infer::path_end::signedness;
use crate::scenario::{Contents, Given, Scenario};

/// An input, and the parts of it that a contract speaks of.
#[derive(Debug)]
pub(super) struct Input {
    /// The input.
    pub scenario: Scenario,
    /// The objects that were made for each place, and the value of the first pointer there.
    pub objects: BTreeMap<Place, Vec<usize>>,
    /// The pointers and integers at each place.
    pub values: BTreeMap<Place, Contents>,
}

/// Makes an input; `None` if the contract has a requirement that cannot be met by construction.
pub(super) fn input(program: &Program, function: FuncId, contract: &Contract, seed: u64) -> Option<Input> {
    let names = Names::of(program, function);
    let signature = &program.functions[function.index()].signature;
    if signature.variadic || signature.params.iter().any(|passing| !matches!(passing, Passing::Scalar(_))) {
        return None;
    }
    let numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let input = Input { scenario: Scenario::default(), objects: BTreeMap::new(), values: BTreeMap::new() };
    let mut maker = Maker { program, names, contract, numbers, input, links: 0 };
    // Lengths are integers, and come first.
    let types: Vec<(usize, TypeId)> =
        maker.names.parameters().enumerate().map(|(index, (_, ty))| Some((index, ty?))).collect::<Option<_>>()?;
    let (pointers, integers): (Vec<_>, Vec<_>) = types.iter().copied().partition(|(_, ty)| maker.is_pointer(*ty));
    for (index, ty) in integers {
        let value = maker.number(ty)?;
        maker.input.values.insert(maker.names.parameter(index), value);
    }
    for (index, ty) in pointers {
        let place = maker.names.parameter(index);
        maker.pointer(&place, ty)?;
    }
    for (index, global) in program.globals.iter().enumerate() {
        let is_it = |one: &&Requirement| matches!(&one.place.root, Root::Variable(name) if *name == global.name);
        let required = contract.requires.iter().filter(is_it).filter(|one| one.place.steps.len() == 1);
        for place in required.map(|one| one.place.clone()).collect::<Vec<_>>() {
            let value = maker.pointer(&place, maker.names.type_of(&place)?)?;
            maker.input.scenario.globals.push((index, place.steps[0], value));
        }
    }
    let places = (0..types.len()).map(|index| maker.names.parameter(index));
    maker.input.scenario.arguments =
        places.map(|place| maker.input.values.get(&place).cloned()).collect::<Option<_>>()?;
    maker.input.scenario.allocations = (0..8).map(|_| maker.numbers.below(6) > 0).collect();
    Some(maker.input)
}

/// The number of elements of arrays and of nodes, at most.
const MOST: u64 = 7;

struct Maker<'p> {
    program: &'p Program,
    names: Names<'p>,
    contract: &'p Contract,
    numbers: Numbers,
    input: Input,
    /// The number of nodes that were made, which ends trees.
    links: u64,
}

impl Maker<'_> {
    fn is_pointer(&self, ty: TypeId) -> bool {
        matches!(self.program.types.get(ty), Type::Pointer(_))
    }

    fn size_of(&self, ty: TypeId) -> Option<u64> {
        layout::size_of(&self.program.types, self.program.target, ty)
    }

    /// Returns a number of a type: a small one, most of the time.
    fn number(&mut self, ty: TypeId) -> Option<Contents> {
        let size = self.size_of(ty).filter(|&size| size <= 8)?;
        let value = match self.numbers.below(5) {
            0 => self.numbers.below(1 << 20).wrapping_sub(1 << 19),
            1 => 0,
            _ => self.numbers.below(MOST),
        };
        let is_truth = ty == TypeId::BOOL;
        let value = if is_truth { value & 1 } else { value };
        Some(Contents::Bytes(value.to_le_bytes()[..size as usize].to_vec()))
    }

    /// Makes the pointer at a place and the memory behind it.
    fn pointer(&mut self, place: &Place, ty: TypeId) -> Option<Contents> {
        let required = self.contract.requires.iter().find(|one| one.place == *place).cloned();
        let value = match required {
            None => self.null(),
            Some(one) if one.may_be_null && self.numbers.below(4) == 0 => self.null(),
            Some(one) => self.memory(place, ty, &one)?,
        };
        self.input.values.entry(place.clone()).or_insert_with(|| value.clone());
        Some(value)
    }

    fn null(&self) -> Contents {
        Contents::Bytes(vec![0; self.program.target.pointer_bits() as usize / 8])
    }

    fn object(&mut self, place: &Place, size: u64) -> usize {
        let number = self.input.scenario.objects.len();
        self.input.scenario.objects.push(Given { size, cells: Vec::new() });
        self.input.objects.entry(place.clone()).or_default().push(number);
        number
    }

    /// Makes the memory that a requirement describes.
    fn memory(&mut self, place: &Place, ty: TypeId, required: &Requirement) -> Option<Contents> {
        let Type::Pointer(to) = self.program.types.get(ty) else { return None };
        let to = to.ty;
        let size = self.size_of(to).filter(|&size| size > 0).unwrap_or(1);
        let number = match &required.shape {
            Shape::Unfollowed => return Some(self.null()),
            Shape::Function => return Some(Contents::Code),
            Shape::Allocated => self.object(place, 16),
            Shape::Object => {
                let number = self.object(place, size);
                self.fill(number, 0, to, place)?;
                number
            }
            Shape::Text => self.text(place),
            Shape::Array(length) => {
                let count = match length {
                    Length::Number(count) => *count,
                    Length::Value(length) => self.value(length)?,
                    Length::Accessed => return None,
                };
                if count > 1 << 12 {
                    return None;
                }
                let number = self.object(place, count * size);
                for index in 0..count {
                    self.fill(number, index * size, to, place)?;
                }
                number
            }
            Shape::List { .. } | Shape::Tree { .. } => return self.nodes(place, to, required),
        };
        Some(Contents::Address(number))
    }

    /// Returns the value of an integer at a place; 0 for a negative one.
    fn value(&self, place: &Place) -> Option<u64> {
        let Some(Contents::Bytes(bytes)) = self.input.values.get(place) else { return None };
        let mut value = [0; 8];
        value[..bytes.len()].copy_from_slice(bytes);
        let value = u64::from_le_bytes(value);
        let is_signed = signedness(self.program, self.names.type_of(place)?)?;
        let is_negative = is_signed && bytes.last().is_some_and(|byte| byte & 0x80 != 0);
        Some(if is_negative { 0 } else { value })
    }

    fn text(&mut self, place: &Place) -> usize {
        let length = self.numbers.below(MOST);
        let number = self.object(place, length + 1);
        for at in 0..length {
            let byte = b"ab-+1%\\/"[self.numbers.below(8) as usize];
            self.input.scenario.objects[number].cells.push((at, Contents::Bytes(vec![byte])));
        }
        number
    }

    /// Makes the nodes of a list or tree and returns a pointer to the first.
    fn nodes(&mut self, place: &Place, to: TypeId, required: &Requirement) -> Option<Contents> {
        let Type::Record(record) = self.program.types.get(to) else { return None };
        let fields = &self.program.types.record(*record).fields;
        let offset =
            |name: &String| fields.iter().find(|field| field.name.as_deref() == Some(name)).map(|field| field.offset);
        let (links, back): (Vec<u64>, Vec<u64>) = match &required.shape {
            Shape::List { next, back } => (vec![offset(next)?], back.iter().map(offset).collect::<Option<_>>()?),
            Shape::Tree { links } => (links.iter().map(offset).collect::<Option<_>>()?, Vec::new()),
            _ => return None,
        };
        self.node(place, to, (&links, &back), None)
    }

    fn node(
        &mut self,
        place: &Place,
        to: TypeId,
        (links, back): (&[u64], &[u64]),
        before: Option<usize>,
    ) -> Option<Contents> {
        let number = self.object(place, self.size_of(to)?);
        self.links += 1;
        self.fill(number, 0, to, place)?;
        let own = |at: &u64| links.contains(at) || back.contains(at);
        self.input.scenario.objects[number].cells.retain(|(at, _)| !own(at));
        if let Some(before) = before {
            for &at in back {
                self.input.scenario.objects[number].cells.push((at, Contents::Address(before)));
            }
        }
        for &at in links {
            if self.numbers.below(MOST) > 1 && self.links < 3 * MOST {
                let next = self.node(place, to, (links, back), Some(number))?;
                self.input.scenario.objects[number].cells.push((at, next));
            }
        }
        Some(Contents::Address(number))
    }

    /// Fills a part of an object with values of a type. Integers come before the pointers whose lengths they are.
    fn fill(&mut self, number: usize, start: u64, ty: TypeId, place: &Place) -> Option<()> {
        let mut leaves = Vec::new();
        self.leaves(ty, start, &mut leaves);
        let (pointers, integers): (Vec<_>, Vec<_>) = leaves.into_iter().partition(|(_, ty)| self.is_pointer(*ty));
        for (at, ty) in integers {
            let value = self.number(ty)?;
            let here = self.names.behind(place, at);
            self.input.values.insert(here, value.clone());
            self.input.scenario.objects[number].cells.push((at, value));
        }
        for (at, ty) in pointers {
            let here = self.names.behind(place, at);
            let value = self.pointer(&here, ty)?;
            self.input.scenario.objects[number].cells.push((at, value));
        }
        Some(())
    }

    /// Collects the scalars of a type with their offsets.
    fn leaves(&self, ty: TypeId, start: u64, out: &mut Vec<(u64, TypeId)>) {
        match self.program.types.get(ty) {
            Type::Record(id) => {
                let record = self.program.types.record(*id);
                let plain = record.fields.iter().filter(|field| field.bit_width.is_none());
                for field in plain.take(if record.union { 1 } else { usize::MAX }) {
                    self.leaves(field.ty.ty, start + field.offset, out);
                }
            }
            Type::Array(of, cairn_ir::ctype::ArrayLen::Fixed(count)) => {
                let size = self.size_of(of.ty).unwrap_or(0);
                for index in 0..(*count).min(64) {
                    self.leaves(of.ty, start + index * size, out);
                }
            }
            Type::Int(_) | Type::Enum(_) | Type::Pointer(_) => out.push((start, ty)),
            _ => {}
        }
    }
}

/// A deterministic series of pseudo-random numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, count: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % count.max(1)
    }
}
