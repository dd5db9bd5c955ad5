//! Joining and widening of objects.

use std::rc::Rc;

use super::{Cell, Initial, Object, bits};
use crate::domain::number::Num;
use crate::domain::value::{Obj, Value};

impl Object {
    /// Combines two objects. Without `thresholds` this is the join, otherwise widening.
    pub fn combine(&self, other: &Object, obj: Obj, env: &dyn Initial, thresholds: Option<&[u64]>) -> Object {
        let pointer = env.pointer_bits();
        let merge = |a: &Value, b: &Value, width: u32| match thresholds {
            Some(thresholds) => a.widen(b, width, pointer, thresholds),
            None => a.join(b, width, pointer),
        };
        let mut result = self.clone();
        result.life = self.life.or(other.life);
        result.is_single = self.is_single && other.is_single;
        if self.is_unknown || other.is_unknown {
            result.forget();
            return result;
        }
        result.back = self.back.or(other.back);
        result.count = self.count.max(other.count);
        result.longest = self.longest.max(other.longest);
        result.size = match thresholds {
            Some(thresholds) => self.size.widen(other.size, 64, thresholds),
            None => self.size.join(other.size, 64),
        };
        result.rest = match (&self.rest, &other.rest) {
            (Some(a), Some(b)) if Rc::ptr_eq(a, b) => Some(a.clone()),
            (Some(a), Some(b)) => Some(Rc::new(match thresholds {
                Some(thresholds) => a.widen(b, pointer, thresholds),
                None => a.join(b, pointer),
            })),
            (a, b) => a.clone().or_else(|| b.clone()),
        };
        if self.passed != other.passed {
            result.passed = None;
        }
        result.zero_from = match (self.zero_from, other.zero_from) {
            (Some(a), Some(b)) => Some(a.min(b)),
            _ => None,
        };
        result.init_to = self.init_to.min(other.init_to);
        let mut clashes: Vec<u32> = Vec::new();
        result.cells = self.cells.merge(&other.cells, &mut |key, a, b| match (a, b) {
            (Some(a), Some(b)) if a.size == b.size && a.is_run == b.is_run => {
                let width = if a.is_run { 8 } else { bits(a.size) };
                Some(Cell { value: merge(&a.value, &b.value, width), ..a.clone() })
            }
            (a, b) => {
                clashes.push(key);
                a.or(b).cloned()
            }
        });
        self.settle(other, obj, env, &mut result, &clashes, &merge);
        result
    }

    /// Sets the cells that only one of two joined objects has, or that have different sizes.
    fn settle(
        &self,
        other: &Object,
        obj: Obj,
        env: &dyn Initial,
        result: &mut Object,
        clashes: &[u32],
        merge: &dyn Fn(&Value, &Value, u32) -> Value,
    ) {
        let pointer = env.pointer_bits();
        // The bytes of all cells that are not in both objects, as disjoint ranges.
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for &key in clashes {
            for cell in [self.cells.get(key), other.cells.get(key)].into_iter().flatten() {
                ranges.push((u64::from(key), u64::from(key) + u64::from(cell.size)));
            }
        }
        ranges.sort_unstable();
        let mut regions: Vec<(u64, u64, u32)> = Vec::new();
        for (from, to) in ranges {
            match regions.last_mut() {
                Some(last) if from < last.1 => {
                    last.1 = last.1.max(to);
                    last.2 = 0;
                }
                _ => regions.push((from, to, (to - from) as u32)),
            }
        }
        for (from, to, size) in regions {
            let at = from as u32;
            let cell = self.cells.get(at).or(other.cells.get(at));
            let is_plain = size > 0 && size <= 16 && cell.is_some_and(|cell| !cell.is_run);
            // Cells of the other object may reach into the region.
            let mut reach = (from, to);
            for object in [self, other] {
                object.for_overlapping(from, to, &mut |key, cell| {
                    reach = (reach.0.min(key), reach.1.max(key + u64::from(cell.size)));
                });
            }
            let has_partner = |object: &Object| {
                let mut only = true;
                object.for_overlapping(from, to, &mut |key, cell| {
                    only &= (key == from && cell.size == size) || cell.is_run;
                });
                only
            };
            if is_plain && has_partner(self) && has_partner(other) {
                let (a, b) = (self.load_at(obj, from, size, env), other.load_at(obj, from, size, env));
                result.clear(from, to, pointer);
                result.insert(from, Cell { size, is_run: false, value: merge(&a, &b, bits(size)) });
                continue;
            }
            // Different layouts: one run of bytes covers both.
            let (from, to) = reach;
            let span = Num::between(0, (to - from).max(1) - 1).add(Num::constant(from, 64), 64);
            let (a, b) = (self.load(obj, span, 1, env), other.load(obj, span, 1, env));
            result.clear(from, to, pointer);
            result.insert(from, Cell { size: (to - from) as u32, is_run: true, value: merge(&a, &b, 8) });
        }
    }
}
