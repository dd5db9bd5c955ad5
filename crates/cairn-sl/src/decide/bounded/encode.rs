//! The SMT encoding of the question whether a formula has a model of bounded size.
//!
//! Locations are slots. Slot 0 of a sort is its `nil`. Every variable has a slot of its own, which
//! it occupies unless it equals an earlier variable. Some further slots are unnamed cells. A heap
//! consists of an allocation bit for each slot and the fields of the named cells. A location that
//! no variable names is represented by any other number, because formulas cannot distinguish such
//! locations.
//!
//! [`super::bounds`] computes how many slots and bits suffice.

use rustc_hash::FxHashMap;

use cairn_smt::{Term as Bits, Terms};

use super::bounds;
use crate::budget::Reason;
use crate::evaluate::determined_heaps;
use crate::formula::{Formula, Linear, LocationSort, Pure, Sort, Spatial, Term, Variable};
use crate::limits;
use crate::signature::Signature;

/// A heap: the allocated slots, and the version of the fields. Parts of a heap share the fields.
#[derive(Clone, Debug)]
pub(super) struct Heap {
    pub(super) allocated: Vec<Bits>,
    pub(super) fields: usize,
}

/// A separating conjunction without determined footprints, with its truth value.
#[derive(Debug)]
pub(super) struct Separation {
    pub(super) truth: Bits,
    pub(super) heap: Heap,
    pub(super) parts: Vec<Formula>,
    /// The divisions added so far: for each part except the last, the slots it contains.
    pub(super) tried: Vec<Vec<Vec<bool>>>,
}

/// A location of the encoding.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) sort: LocationSort,
    /// The variable that names the slot.
    pub(super) variable: Option<Variable>,
    pub(super) is_nil: bool,
}

pub(super) struct Encoder<'s> {
    pub(super) signature: &'s Signature,
    pub(super) terms: Terms,
    pub(super) slots: Vec<Slot>,
    pub(super) width: u32,
    integer_width: u32,
    pub(super) variables: FxHashMap<Variable, Bits>,
    /// The fields of the slots, by version; separating implications create new versions.
    pub(super) fields: Vec<Vec<Vec<Bits>>>,
    pub(super) separations: Vec<Separation>,
    /// Constraints that hold in addition to the formula.
    pub(super) constraints: Vec<Bits>,
    /// Whether the fields of unnamed cells matter.
    linked: bool,
}

impl<'s> Encoder<'s> {
    /// Creates an encoder for a formula and models with that many unnamed cells.
    pub(super) fn new(signature: &'s Signature, formula: &Formula, unnamed: usize) -> Result<Self, Reason> {
        let mut variables = Vec::new();
        formula.each_variable(&mut |v| variables.push(v));
        variables.sort_unstable();
        variables.dedup();
        let mut slots = Vec::new();
        for (sort, _) in signature.location_sorts() {
            slots.push(Slot { sort, variable: None, is_nil: true });
        }
        for &variable in &variables {
            if let Sort::Location(sort) = variable.sort {
                slots.push(Slot { sort, variable: Some(variable), is_nil: false });
            }
        }
        for (sort, locations) in signature.location_sorts() {
            if locations.cell.is_some() {
                slots.extend((0..unnamed).map(|_| Slot { sort, variable: None, is_nil: false }));
            }
        }
        // Reserve one more number for locations outside all slots.
        let width = u64::BITS - (slots.len() as u64).leading_zeros();
        let named = slots.iter().filter(|s| s.variable.is_some()).count();
        let integer_width = bounds::integer_width(signature, formula, named)?;
        let mut encoder = Self {
            signature,
            terms: Terms::new(),
            slots,
            width,
            integer_width,
            variables: FxHashMap::default(),
            fields: Vec::new(),
            separations: Vec::new(),
            constraints: Vec::new(),
            linked: bounds::has_lists(formula),
        };
        encoder.declare(&variables);
        Ok(encoder)
    }

    fn declare(&mut self, variables: &[Variable]) {
        for &variable in variables {
            let name = format!("v{}", variable.number);
            let width = match variable.sort {
                Sort::Bool => 1,
                Sort::Int => self.integer_width,
                Sort::Location(_) => self.width,
            };
            let bits = self.terms.variable(&name, width);
            self.variables.insert(variable, bits);
            match variable.sort {
                Sort::Location(sort) => self.restrict(variable, bits, sort),
                Sort::Int => self.bound(bits),
                Sort::Bool => {}
            }
        }
        let mut fields = Vec::new();
        for index in 0..self.slots.len() {
            let slot = self.slots[index];
            let mut values = Vec::new();
            if slot.variable.is_some() || (self.linked && !slot.is_nil) {
                for field in self.signature.fields(slot.sort) {
                    let width = if field.sort == Sort::Int { self.integer_width } else { self.width };
                    let value = self.terms.variable("field", width);
                    if field.sort == Sort::Int {
                        self.bound(value);
                    }
                    values.push(value);
                }
            }
            fields.push(values);
        }
        self.fields.push(fields);
    }

    /// Restricts an integer variable to `-2^(w/2) ≤ x < 2^(w/2)` for the width `w`.
    ///
    /// The sums that occur in the formula then fit into the width.
    fn bound(&mut self, bits: Bits) {
        let magnitude = self.integer_width / 2;
        let half = self.terms.constant(1 << magnitude, self.integer_width);
        let shifted = self.terms.add(bits, half);
        let limit = self.terms.constant(1 << (magnitude + 1), self.integer_width);
        let inside = self.terms.ult(shifted, limit);
        self.constraints.push(inside);
    }

    /// Restricts a variable to `nil`, its own slot, or the slot of an earlier variable that occupies that slot.
    fn restrict(&mut self, variable: Variable, bits: Bits, sort: LocationSort) {
        let mut options = Vec::new();
        for index in 0..self.slots.len() {
            let slot = self.slots[index];
            if slot.sort != sort {
                continue;
            }
            let here = self.at(bits, index);
            if slot.is_nil || slot.variable == Some(variable) {
                options.push(here);
            } else if let Some(earlier) = slot.variable.filter(|v| *v < variable) {
                let earlier = self.variables[&earlier];
                let leads = self.at(earlier, index);
                options.push(self.terms.and(here, leads));
            }
        }
        let constraint = self.any(&options);
        self.constraints.push(constraint);
    }

    pub(super) fn at(&mut self, bits: Bits, slot: usize) -> Bits {
        let number = self.terms.constant(slot as u128, self.width);
        self.terms.eq(bits, number)
    }

    pub(super) fn all(&mut self, parts: &[Bits]) -> Bits {
        let mut sum = self.terms.truth();
        for &part in parts {
            sum = self.terms.and(sum, part);
        }
        sum
    }

    pub(super) fn any(&mut self, parts: &[Bits]) -> Bits {
        let mut sum = self.terms.falsity();
        for &part in parts {
            sum = self.terms.or(sum, part);
        }
        sum
    }

    /// Creates the heap of the model.
    pub(super) fn whole_heap(&mut self) -> Heap {
        let mut allocated = Vec::new();
        let mut previous: Option<(LocationSort, Bits)> = None;
        for index in 0..self.slots.len() {
            let slot = self.slots[index];
            if slot.is_nil || self.signature.locations(slot.sort).cell.is_none() {
                allocated.push(self.terms.falsity());
                continue;
            }
            let bit = self.terms.variable("allocated", 1);
            allocated.push(bit);
            match slot.variable {
                // The slot of a variable with another location is not allocated.
                Some(variable) => {
                    let value = self.variables[&variable];
                    let here = self.at(value, index);
                    let unused = self.terms.not(bit);
                    let constraint = self.terms.or(unused, here);
                    self.constraints.push(constraint);
                }
                // Break the symmetry between unnamed cells by allocating them in order.
                None => {
                    if let Some((sort, earlier)) = previous
                        && sort == slot.sort
                    {
                        let absent = self.terms.not(bit);
                        let constraint = self.terms.or(absent, earlier);
                        self.constraints.push(constraint);
                    }
                    previous = Some((slot.sort, bit));
                }
            }
        }
        Heap { allocated, fields: 0 }
    }

    fn linear(&mut self, linear: &Linear) -> Bits {
        let modulus = |value: i64| value as i128 as u128 & cairn_smt::term::mask(self.integer_width);
        let mut sum = self.terms.constant(modulus(linear.constant), self.integer_width);
        for &(variable, coefficient) in &linear.monomials {
            let scaled = self.terms.scale(self.variables[&variable], modulus(coefficient));
            sum = self.terms.add(sum, scaled);
        }
        sum
    }

    pub(super) fn term(&mut self, term: &Term) -> Bits {
        match term {
            Term::Nil(sort) => {
                let index = self.slots.iter().position(|s| s.is_nil && s.sort == *sort).unwrap_or(0);
                self.terms.constant(index as u128, self.width)
            }
            Term::Variable(variable) => self.variables[variable],
            Term::Integer(linear) => self.linear(linear),
        }
    }

    fn pure(&mut self, pure: &Pure) -> Bits {
        match pure {
            Pure::Equal(a, b) => {
                let (a, b) = (self.term(a), self.term(b));
                self.terms.eq(a, b)
            }
            Pure::Distinct(a, b) => {
                let (a, b) = (self.term(a), self.term(b));
                self.terms.ne(a, b)
            }
            Pure::Zero(linear) | Pure::NonZero(linear) => {
                let sum = self.linear(linear);
                let zero = self.terms.constant(0, self.integer_width);
                let is_zero = self.terms.eq(sum, zero);
                if matches!(pure, Pure::Zero(_)) { is_zero } else { self.terms.not(is_zero) }
            }
            Pure::AtMostZero(linear) => {
                let sum = self.linear(linear);
                let zero = self.terms.constant(0, self.integer_width);
                self.terms.sle(sum, zero)
            }
            Pure::Truth(variable, value) => {
                let bits = self.variables[variable];
                if *value { bits } else { self.terms.not(bits) }
            }
        }
    }

    /// Encodes the truth value of a formula in a heap.
    pub(super) fn formula(&mut self, formula: &Formula, heap: &Heap) -> Result<Bits, Reason> {
        Ok(match formula {
            Formula::True => self.terms.truth(),
            Formula::False => self.terms.falsity(),
            Formula::Pure(pure) => self.pure(pure),
            Formula::Emp => {
                let some = self.any(&heap.allocated);
                self.terms.not(some)
            }
            Formula::Spatial(Spatial::PointsTo(location, fields)) => self.cell(location, fields, heap),
            Formula::And(parts) => {
                let parts = parts.iter().map(|p| self.formula(p, heap)).collect::<Result<Vec<_>, _>>()?;
                self.all(&parts)
            }
            Formula::Or(parts) => {
                let parts = parts.iter().map(|p| self.formula(p, heap)).collect::<Result<Vec<_>, _>>()?;
                self.any(&parts)
            }
            Formula::Not(inner) => {
                let inner = self.formula(inner, heap)?;
                self.terms.not(inner)
            }
            Formula::Sep(parts) => self.separation(parts, heap)?,
            Formula::Wand(added, then) => {
                let counterexample = self.added(added, then, heap, false)?;
                self.terms.not(counterexample)
            }
            Formula::Septraction(added, then) => self.added(added, then, heap, true)?,
            Formula::Spatial(Spatial::Predicate(id, arguments)) => self.segment(*id, arguments, heap)?,
            Formula::Exists(..) | Formula::Forall(..) => {
                return Err(Reason::Uncovered("not in the fragment of bounded models".to_owned()));
            }
        })
    }

    fn cell(&mut self, location: &Term, fields: &[Term], heap: &Heap) -> Bits {
        let location = self.term(location);
        let fields: Vec<Bits> = fields.iter().map(|f| self.term(f)).collect();
        let mut conditions = Vec::new();
        for index in 0..self.slots.len() {
            let here = self.at(location, index);
            if self.slots[index].is_nil {
                conditions.push(self.terms.not(here));
                continue;
            }
            conditions.push(self.terms.eq(heap.allocated[index], here));
            let elsewhere = self.terms.not(here);
            for (k, &wanted) in fields.iter().enumerate() {
                let Some(&found) = self.fields[heap.fields][index].get(k) else { continue };
                // Slots of another sort never hold this location.
                if self.terms.width(found) == self.terms.width(wanted) {
                    let same = self.terms.eq(found, wanted);
                    conditions.push(self.terms.or(elsewhere, same));
                }
            }
        }
        self.all(&conditions)
    }

    /// Restricts a heap to the footprint or to its complement.
    fn part(&mut self, heap: &Heap, footprint: &[Bits], inside: bool) -> Heap {
        let mut allocated = Vec::new();
        for (&bit, &chosen) in heap.allocated.iter().zip(footprint) {
            let chosen = if inside { chosen } else { self.terms.not(chosen) };
            allocated.push(self.terms.and(bit, chosen));
        }
        Heap { allocated, fields: heap.fields }
    }

    fn separation(&mut self, parts: &[Formula], heap: &Heap) -> Result<Bits, Reason> {
        if let [single] = parts {
            return self.formula(single, heap);
        }
        // If a part has few possible footprints, the other parts get the remainder of the heap.
        for (index, part) in parts.iter().enumerate() {
            let Some(footprints) = self.footprints(part, heap) else { continue };
            let mut others = parts.to_vec();
            others.remove(index);
            let mut ways = Vec::new();
            for footprint in footprints {
                let mut conditions = Vec::new();
                for (&bit, &chosen) in heap.allocated.iter().zip(&footprint) {
                    let outside = self.terms.not(chosen);
                    conditions.push(self.terms.or(bit, outside));
                }
                let inside = self.part(heap, &footprint, true);
                let outside = self.part(heap, &footprint, false);
                conditions.push(self.formula(part, &inside)?);
                conditions.push(self.separation(&others, &outside)?);
                ways.push(self.all(&conditions));
            }
            return Ok(self.any(&ways));
        }
        let truth = self.terms.variable("separation", 1);
        // If the conjunction is true, a division exists.
        let mut rest = heap.clone();
        let mut conditions = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            if index + 1 == parts.len() {
                conditions.push(self.formula(part, &rest)?);
                break;
            }
            let choice: Vec<Bits> = (0..self.slots.len()).map(|_| self.terms.variable("part", 1)).collect();
            let mine = self.part(&rest, &choice, true);
            conditions.push(self.formula(part, &mine)?);
            rest = self.part(&rest, &choice, false);
        }
        let divided = self.all(&conditions);
        let untrue = self.terms.not(truth);
        let constraint = self.terms.or(untrue, divided);
        self.constraints.push(constraint);
        // The converse is added only for divisions that occur in candidate models.
        self.separations.push(Separation { truth, heap: heap.clone(), parts: parts.to_vec(), tried: Vec::new() });
        Ok(truth)
    }

    /// Adds the constraint that the conjunction is true if this division satisfies its parts.
    ///
    /// The division lists the slots of each part except the last.
    pub(super) fn add_division(&mut self, index: usize, division: Vec<Vec<bool>>) -> Result<(), Reason> {
        let (truth, heap, parts) = {
            let s = &self.separations[index];
            (s.truth, s.heap.clone(), s.parts.clone())
        };
        let mut rest = heap;
        let mut conditions = Vec::new();
        for (position, part) in parts.iter().enumerate() {
            let mine = match division.get(position) {
                Some(slots) => {
                    let choice: Vec<Bits> = slots
                        .iter()
                        .map(|&chosen| if chosen { self.terms.truth() } else { self.terms.falsity() })
                        .collect();
                    let mine = self.part(&rest, &choice, true);
                    rest = self.part(&rest, &choice, false);
                    mine
                }
                None => rest.clone(),
            };
            conditions.push(self.formula(part, &mine)?);
        }
        let fits = self.all(&conditions);
        let unfit = self.terms.not(fits);
        let constraint = self.terms.or(unfit, truth);
        self.constraints.push(constraint);
        self.separations[index].tried.push(division);
        Ok(())
    }

    /// Returns all parts of the heap that can satisfy the formula, if there are few.
    fn footprints(&mut self, formula: &Formula, heap: &Heap) -> Option<Vec<Vec<Bits>>> {
        let few = |footprints: Vec<Vec<Bits>>| (footprints.len() <= limits::MAX_FOOTPRINTS).then_some(footprints);
        match formula {
            Formula::False => Some(Vec::new()),
            Formula::Emp => {
                let nothing = self.terms.falsity();
                Some(vec![vec![nothing; self.slots.len()]])
            }
            Formula::Spatial(Spatial::PointsTo(location, _)) => {
                let location = self.term(location);
                let footprint = (0..self.slots.len())
                    .map(|index| if self.slots[index].is_nil { self.terms.falsity() } else { self.at(location, index) })
                    .collect();
                Some(vec![footprint])
            }
            // The cells on the path from the start to the end.
            Formula::Spatial(Spatial::Predicate(id, arguments)) => {
                self.walk(*id, arguments, heap).ok().map(|walk| vec![walk.passed])
            }
            Formula::And(parts) => parts.iter().filter_map(|part| self.footprints(part, heap)).min_by_key(Vec::len),
            Formula::Or(parts) => {
                let mut all: Vec<Vec<Bits>> = Vec::new();
                for part in parts {
                    for footprint in self.footprints(part, heap)? {
                        if !all.contains(&footprint) {
                            all.push(footprint);
                        }
                    }
                }
                few(all)
            }
            Formula::Sep(parts) => {
                let nothing = self.terms.falsity();
                let mut all = vec![vec![nothing; self.slots.len()]];
                for part in parts {
                    let choices = self.footprints(part, heap)?;
                    let mut next: Vec<Vec<Bits>> = Vec::new();
                    for one in &all {
                        for other in &choices {
                            let union = one.iter().zip(other).map(|(&a, &b)| self.terms.or(a, b)).collect();
                            if !next.contains(&union) {
                                next.push(union);
                            }
                        }
                    }
                    all = few(next)?;
                }
                Some(all)
            }
            _ => None,
        }
    }

    /// Encodes that a heap satisfying `added` extends this one such that `then` has the value `wanted`.
    fn added(&mut self, added: &Formula, then: &Formula, heap: &Heap, wanted: bool) -> Result<Bits, Reason> {
        let mut ways = Vec::new();
        for case in determined_heaps(added)? {
            let mut conditions: Vec<Bits> = case.pure.iter().map(|p| self.pure(p)).collect();
            let mut larger = heap.clone();
            for spatial in &case.spatial {
                let Spatial::PointsTo(location, fields) = spatial else { continue };
                let location = self.term(location);
                let values: Vec<Bits> = fields.iter().map(|f| self.term(f)).collect();
                let mut version = self.fields[larger.fields].clone();
                for (index, held) in version.iter_mut().enumerate() {
                    let here = self.at(location, index);
                    let elsewhere = self.terms.not(here);
                    if self.slots[index].is_nil {
                        conditions.push(elsewhere);
                        continue;
                    }
                    let free = self.terms.not(larger.allocated[index]);
                    conditions.push(self.terms.or(elsewhere, free));
                    larger.allocated[index] = self.terms.or(larger.allocated[index], here);
                    for (old, &new) in held.iter_mut().zip(&values) {
                        if self.terms.width(*old) == self.terms.width(new) {
                            *old = self.terms.ite(here, new, *old);
                        }
                    }
                }
                self.fields.push(version);
                larger.fields = self.fields.len() - 1;
            }
            let then = self.formula(then, &larger)?;
            conditions.push(if wanted { then } else { self.terms.not(then) });
            ways.push(self.all(&conditions));
        }
        Ok(self.any(&ways))
    }
}
