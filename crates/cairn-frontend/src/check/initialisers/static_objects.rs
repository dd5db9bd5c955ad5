//! Static initial values: converts initialiser parts with constant values to bytes and addresses.

use std::collections::BTreeMap;

use cairn_ir::source::Span;

use crate::check::Checker;
use crate::check::constants::evaluate::Constant;
use crate::check::initialisers::parts::{Part, PartValue};
use crate::hir::{StaticAddress, StaticInit, StaticTarget, StringId};
use crate::limits::MAX_INITIAL_VALUE;

/// An initial value under construction.
struct Image {
    bytes: Vec<u8>,
    addresses: BTreeMap<u64, (StaticTarget, i64)>,
}

impl Image {
    fn reach(&mut self, end: u64) {
        if self.bytes.len() < end as usize {
            self.bytes.resize(end as usize, 0);
        }
    }

    fn forget_addresses(&mut self, offset: u64, size: u64) {
        if self.addresses.is_empty() {
            return;
        }
        let stale: Vec<u64> = self.addresses.range(offset..offset.saturating_add(size)).map(|(&at, _)| at).collect();
        for at in stale {
            self.addresses.remove(&at);
        }
    }

    fn write(&mut self, offset: u64, value: &[u8]) {
        let end = offset + value.len() as u64;
        self.forget_addresses(offset, value.len() as u64);
        self.reach(end);
        self.bytes[offset as usize..end as usize].copy_from_slice(value);
    }

    /// Repeats the `size` bytes at `offset`, so that they occur `times` times in a row.
    fn repeat(&mut self, offset: u64, size: u64, times: u64) {
        let total = size * times;
        self.forget_addresses(offset, total);
        self.reach(offset + total);
        let run = &mut self.bytes[offset as usize..(offset + total) as usize];
        let mut done = size as usize;
        while done < run.len() {
            let more = done.min(run.len() - done);
            run.copy_within(..more, done);
            done += more;
        }
    }

    fn write_bits(&mut self, offset: u64, first: u8, width: u32, value: i128) {
        let total = u32::from(first) + width;
        self.reach(offset + u64::from(total.div_ceil(8)));
        for bit in 0..width {
            let at = u32::from(first) + bit;
            let byte = &mut self.bytes[offset as usize + (at / 8) as usize];
            let mask = 1u8 << (at % 8);
            if value >> bit & 1 != 0 {
                *byte |= mask;
            } else {
                *byte &= !mask;
            }
        }
    }
}

impl Checker<'_> {
    pub(crate) fn static_bytes(&mut self, mut parts: Vec<Part>, size: u64, span: Span) -> Option<StaticInit> {
        let end = parts.iter().map(|p| {
            let last = p.repeat.0.saturating_sub(1).saturating_mul(p.repeat.1);
            p.offset.saturating_add(last).saturating_add(p.size)
        });
        if end.max().unwrap_or(0) > MAX_INITIAL_VALUE {
            self.error(span, "initializer is larger than 1 GiB");
            return None;
        }
        let mut image = Image { bytes: Vec::new(), addresses: BTreeMap::new() };
        let mut distances: BTreeMap<u64, usize> = BTreeMap::new();
        for (index, part) in parts.iter().enumerate() {
            let (times, distance) = part.repeat;
            let constant = matches!(part.value, PartValue::Constant(Constant::Int(_) | Constant::Float(_)));
            if constant && part.bits.is_none() && distance == part.size && distances.is_empty() {
                self.write_part(&mut image, part, part.offset);
                image.repeat(part.offset, part.size, times);
                continue;
            }
            for at in 0..times {
                let offset = part.offset + at * distance;
                self.write_part(&mut image, part, offset);
                let covered = distances.range(offset..offset.saturating_add(part.size)).map(|(&at, _)| at);
                for at in covered.collect::<Vec<_>>() {
                    distances.remove(&at);
                }
                if matches!(part.value, PartValue::Expr(_)) {
                    distances.insert(offset, index);
                }
            }
        }
        for (offset, index) in distances {
            let part = &mut parts[index];
            match std::mem::replace(&mut part.value, PartValue::Zero) {
                PartValue::Expr(value) if part.repeat.0 == 1 => {
                    self.static_initialiser.label_distances.push((offset, value))
                }
                _ => self.error(part.span, "initializer element is not a compile-time constant"),
            }
        }
        while image.bytes.last() == Some(&0) {
            image.bytes.pop();
        }
        let addresses = image
            .addresses
            .into_iter()
            .map(|(offset, (target, addend))| StaticAddress { offset, target, addend })
            .collect();
        Some(StaticInit { size, bytes: image.bytes, addresses })
    }

    fn write_part(&mut self, image: &mut Image, part: &Part, offset: u64) {
        match part.value {
            PartValue::Constant(Constant::Int(value)) => match part.bits {
                Some((first, width)) => image.write_bits(offset, first, width, value),
                None => {
                    let bytes = value.to_le_bytes();
                    let size = (part.size as usize).min(bytes.len());
                    image.write(offset, &bytes[..size]);
                }
            },
            PartValue::Constant(Constant::Float(bits)) => {
                let bytes = bits.to_le_bytes();
                let size = (part.size as usize).min(bytes.len());
                image.write(offset, &bytes[..size]);
            }
            PartValue::Constant(Constant::Address(target, addend)) => {
                let width = u64::from(self.target.pointer_bits() / 8);
                if part.bits.is_some() || part.size != width {
                    self.error(part.span, "initializer element is not a compile-time constant");
                    return;
                }
                image.write(offset, &[0; 8][..width as usize]);
                image.addresses.insert(offset, (target, addend));
            }
            PartValue::String(id) => {
                let bytes = self.string_bytes(id, part.size);
                image.write(offset, &bytes);
            }
            PartValue::Zero => {
                image.forget_addresses(offset, part.size);
                let end = (offset + part.size).min(image.bytes.len() as u64);
                if offset < end {
                    image.bytes[offset as usize..end as usize].fill(0);
                }
            }
            // Only automatic objects have such parts.
            PartValue::Unspecified => {}
            // A label distance is zero until its function is entered.
            PartValue::Expr(_) => image.write(offset, &[0; 16][..(part.size as usize).min(16)]),
        }
    }

    /// Returns the bytes of a string in an array of `size` bytes, with at most one terminator.
    fn string_bytes(&self, id: StringId, size: u64) -> Vec<u8> {
        let Some((literal, ty)) = self.unit.strings.get(id.0 as usize) else { return Vec::new() };
        let units = literal.units.len() as u64 + 1;
        let width = (self.size_of(*ty).unwrap_or(units) / units).clamp(1, 4) as usize;
        let mut bytes = Vec::with_capacity(literal.units.len() * width);
        for unit in &literal.units {
            bytes.extend_from_slice(&unit.to_le_bytes()[..width]);
        }
        bytes.truncate(size as usize);
        // Write the terminator explicitly, since an earlier part may have set these bytes.
        bytes.resize((size as usize).min(bytes.len() + width), 0);
        bytes
    }
}
