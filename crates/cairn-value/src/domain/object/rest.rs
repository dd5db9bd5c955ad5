//! The values of array elements at inexact offsets.

use super::bits;
use crate::domain::number::Num;
use crate::domain::value::Value;

/// A value of all elements at one position within the stride.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Part {
    pub(super) phase: u64,
    pub(super) size: u32,
    pub(super) value: Value,
}

/// The values of elements at inexact offsets.
#[derive(Clone, PartialEq, Debug)]
pub struct Rest {
    pub(super) stride: u64,
    pub(super) parts: Vec<Part>,
}

const fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Rest {
    pub(super) fn add(rest: Option<&Rest>, offset: Num, size: u32, value: &Value, pointer: u32) -> Rest {
        let step = offset.stride;
        let mut result = match rest {
            Some(rest) => rest.clone(),
            None => {
                let stride = if step >= u64::from(size) { step } else { u64::from(if step == 0 { size } else { 1 }) };
                Rest { stride, parts: Vec::new() }
            }
        };
        let common = gcd(result.stride, step).max(1);
        if common < result.stride {
            result.narrow(common, pointer);
        }
        if u64::from(size) > result.stride {
            result.narrow(1, pointer);
        }
        let part = if result.stride == 1 && size > 1 {
            Part { phase: 0, size: 1, value: value.smear(8, pointer) }
        } else {
            Part { phase: offset.lo % result.stride, size, value: value.clone() }
        };
        result.put(part, pointer);
        result
    }

    fn put(&mut self, part: Part, pointer: u32) {
        match self.parts.iter_mut().find(|p| p.phase == part.phase && p.size == part.size) {
            Some(old) => old.value = old.value.join(&part.value, bits(part.size), pointer),
            None => {
                self.parts.push(part);
                self.parts.sort_by_key(|p| (p.phase, p.size));
            }
        }
    }

    fn narrow(&mut self, stride: u64, pointer: u32) {
        let parts = std::mem::take(&mut self.parts);
        let fits = parts.iter().all(|p| p.phase % stride + u64::from(p.size) <= stride);
        self.stride = if fits { stride } else { 1 };
        for mut part in parts {
            if fits {
                part.phase %= stride;
            } else if part.size > 1 {
                part = Part { phase: 0, size: 1, value: part.value.smear(8, pointer) };
            } else {
                part.phase = 0;
            }
            self.put(part, pointer);
        }
    }

    /// Joins what an access may read into a value.
    ///
    /// Returns whether the access may read a part of an element only, and thus bytes of several values.
    pub(super) fn read(&self, offset: Num, size: u32, into: &mut Value, pointer: u32) -> bool {
        let grid = gcd(self.stride, offset.stride).max(1);
        let mut is_mixed = false;
        for part in &self.parts {
            let ahead = (part.phase % grid + grid - offset.lo % grid) % grid;
            if part.size == size && ahead == 0 && grid >= u64::from(size) {
                *into = into.join(&part.value, bits(size), pointer);
            } else if ahead < u64::from(size) || grid - ahead < u64::from(part.size) {
                *into = into.join(&part.value.smear(bits(size), pointer), bits(size), pointer);
                is_mixed = true;
            }
        }
        is_mixed
    }

    pub(super) fn join(&self, other: &Rest, pointer: u32) -> Rest {
        let mut result = self.clone();
        let common = gcd(self.stride, other.stride);
        let mut other = other.clone();
        if common < self.stride {
            result.narrow(common, pointer);
        }
        if common < other.stride {
            other.narrow(common, pointer);
        }
        if result.stride != other.stride {
            result.narrow(1, pointer);
            other.narrow(1, pointer);
        }
        other.parts.into_iter().for_each(|part| result.put(part, pointer));
        result
    }

    pub(super) fn widen(&self, other: &Rest, pointer: u32, thresholds: &[u64]) -> Rest {
        let mut result = self.join(other, pointer);
        if result.stride == self.stride {
            for part in &mut result.parts {
                if let Some(old) = self.parts.iter().find(|p| p.phase == part.phase && p.size == part.size) {
                    part.value = old.value.widen(&part.value, bits(part.size), pointer, thresholds);
                }
            }
        }
        result
    }

    pub(super) fn map_values(&self, change: &dyn Fn(&Value, u32) -> Value) -> Rest {
        let parts = self.parts.iter().map(|p| Part { value: change(&p.value, bits(p.size)), ..p.clone() }).collect();
        Rest { stride: self.stride, parts }
    }
}
