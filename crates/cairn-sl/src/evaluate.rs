//! The reference semantics: decides whether a formula holds in a model, directly by definition.
//!
//! Evaluation is slow and exact. It checks answers that come with a model, and the tests compare
//! every procedure with it. Separating implications are supported if the stack determines the heap
//! that they add. A location quantifier ranges over the locations of the model plus one more per
//! bound variable, because all other locations behave alike. Quantifiers over integers are not
//! supported.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::budget::{Budget, Reason};
use crate::decide::lists::shape::{ListShape, list_shape};
use crate::formula::{Formula, Linear, PredicateId, Pure, Sort, Spatial, Term, Variable};
use crate::limits;
use crate::model::{Model, Value};
use crate::signature::Signature;
use crate::symbolic_heap::SymbolicHeap;

/// An evaluator for formulas in one model.
#[derive(Debug)]
pub struct Evaluator<'a> {
    signature: &'a Signature,
    budget: &'a Budget,
    model: Model,
    /// The cells of the heap, followed by those that separating implications add.
    cells: Vec<(Value, Vec<Value>)>,
    whole: u64,
    universe: Vec<Value>,
    /// Predicate instances that are being unfolded. A derivation in the least fixpoint never depends on itself.
    open: FxHashSet<(PredicateId, Vec<Value>, u64)>,
    /// Cached results by formula address and heap part, recorded only outside quantifiers and unfoldings.
    known: FxHashMap<(usize, u64), bool>,
    bound: usize,
    /// The predicates that are acyclic list segments.
    lists: FxHashMap<PredicateId, ListShape>,
}

impl<'a> Evaluator<'a> {
    /// Creates an evaluator for a model.
    pub fn new(signature: &'a Signature, model: &Model, budget: &'a Budget) -> Result<Self, Reason> {
        if model.heap.len() > limits::MAX_EVALUATED_CELLS {
            return Err(Reason::Uncovered("the model is too large to be evaluated".to_owned()));
        }
        let cells: Vec<(Value, Vec<Value>)> = model.heap.iter().map(|(l, f)| (*l, f.clone())).collect();
        let mut universe: Vec<Value> = model.stack.values().copied().collect();
        for (location, fields) in &cells {
            universe.push(*location);
            universe.extend(fields);
        }
        universe.retain(|v| matches!(v, Value::Location(..)));
        universe.sort();
        universe.dedup();
        let whole = mask_of(cells.len());
        Ok(Self {
            signature,
            budget,
            model: model.clone(),
            cells,
            whole,
            universe,
            open: FxHashSet::default(),
            known: FxHashMap::default(),
            bound: 0,
            lists: signature.predicates().filter_map(|(id, _)| Some((id, list_shape(signature, id)?))).collect(),
        })
    }

    /// Decides whether the formula holds in the whole heap.
    pub fn holds(&mut self, formula: &Formula) -> Result<bool, Reason> {
        // The cache is keyed by formula addresses, which are only valid during one call.
        self.known.clear();
        self.formula(formula, self.whole)
    }

    /// Splits the heap among the parts of a separating conjunction; returns the locations of each part.
    pub fn division(&mut self, parts: &[Formula]) -> Result<Option<Vec<Vec<Value>>>, Reason> {
        self.known.clear();
        let mut masks = Vec::new();
        if !self.separated(parts, self.whole, &mut masks)? {
            return Ok(None);
        }
        masks.reverse();
        let locations =
            |mask: u64| (0..self.cells.len()).filter(|i| mask & (1 << i) != 0).map(|i| self.cells[i].0).collect();
        Ok(Some(masks.into_iter().map(locations).collect()))
    }

    fn value(&self, term: &Term) -> Result<Value, Reason> {
        self.model.value(term).ok_or_else(|| Reason::Uncovered("a variable has no value in the model".to_owned()))
    }

    fn integer(&self, linear: &Linear) -> Result<i64, Reason> {
        self.model.integer(linear).ok_or_else(|| Reason::Uncovered("an integer has no value in the model".to_owned()))
    }

    fn pure(&self, pure: &Pure) -> Result<bool, Reason> {
        Ok(match pure {
            Pure::Equal(a, b) => self.value(a)? == self.value(b)?,
            Pure::Distinct(a, b) => self.value(a)? != self.value(b)?,
            Pure::Zero(linear) => self.integer(linear)? == 0,
            Pure::NonZero(linear) => self.integer(linear)? != 0,
            Pure::AtMostZero(linear) => self.integer(linear)? <= 0,
            Pure::Truth(variable, value) => self.value(&Term::Variable(*variable))? == Value::Truth(*value),
        })
    }

    fn formula(&mut self, formula: &Formula, heap: u64) -> Result<bool, Reason> {
        self.budget.spend(1)?;
        match formula {
            Formula::True => return Ok(true),
            Formula::False => return Ok(false),
            Formula::Pure(pure) => return self.pure(pure),
            Formula::Emp => return Ok(heap == 0),
            _ => {}
        }
        let key = (std::ptr::from_ref(formula) as usize, heap);
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        let value = self.compound(formula, heap)?;
        if self.bound == 0 && self.open.is_empty() {
            self.known.insert(key, value);
        }
        Ok(value)
    }

    fn compound(&mut self, formula: &Formula, heap: u64) -> Result<bool, Reason> {
        Ok(match formula {
            Formula::True | Formula::False | Formula::Pure(_) | Formula::Emp => self.formula(formula, heap)?,
            Formula::Spatial(Spatial::PointsTo(location, fields)) => {
                let location = self.value(location)?;
                if heap.count_ones() != 1 {
                    return Ok(false);
                }
                let (found, values) = self.cells[heap.trailing_zeros() as usize].clone();
                let fields: Vec<Value> = fields.iter().map(|f| self.value(f)).collect::<Result<_, _>>()?;
                found == location && values == fields
            }
            Formula::Spatial(Spatial::Predicate(id, arguments)) => {
                let values: Vec<Value> = arguments.iter().map(|a| self.value(a)).collect::<Result<_, _>>()?;
                self.predicate(*id, values, heap)?
            }
            Formula::Sep(parts) => self.separated(parts, heap, &mut Vec::new())?,
            Formula::Wand(added, then) => !self.added(added, then, heap, false)?,
            Formula::Septraction(added, then) => self.added(added, then, heap, true)?,
            Formula::And(parts) => {
                for part in parts {
                    if !self.formula(part, heap)? {
                        return Ok(false);
                    }
                }
                true
            }
            Formula::Or(parts) => {
                for part in parts {
                    if self.formula(part, heap)? {
                        return Ok(true);
                    }
                }
                false
            }
            Formula::Not(inner) => !self.formula(inner, heap)?,
            Formula::Exists(variables, inner) => self.quantified(variables, inner, heap, true)?,
            Formula::Forall(variables, inner) => !self.quantified(variables, inner, heap, false)?,
        })
    }

    /// Decides whether the heap can be split among the parts, and pushes the masks of the parts in reverse order.
    fn separated(&mut self, parts: &[Formula], heap: u64, masks: &mut Vec<u64>) -> Result<bool, Reason> {
        let Some((first, rest)) = parts.split_first() else { return Ok(heap == 0) };
        if rest.is_empty() {
            masks.push(heap);
            let holds = self.formula(first, heap)?;
            if !holds {
                masks.pop();
            }
            return Ok(holds);
        }
        if let Some(part) = self.footprint(first, heap)? {
            let holds = part & !heap == 0 && self.formula(first, part)? && self.separated(rest, heap & !part, masks)?;
            if holds {
                masks.push(part);
            }
            return Ok(holds);
        }
        // Enumerate all subsets, starting with the whole heap.
        let mut part = heap;
        loop {
            if self.formula(first, part)? && self.separated(rest, heap & !part, masks)? {
                masks.push(part);
                return Ok(true);
            }
            if part == 0 {
                return Ok(false);
            }
            part = (part - 1) & heap;
        }
    }

    /// Returns the only part of the heap that can satisfy the formula, if it is easy to determine.
    ///
    /// This avoids the enumeration of all subsets.
    fn footprint(&self, formula: &Formula, heap: u64) -> Result<Option<u64>, Reason> {
        Ok(match formula {
            // The footprint of an acyclic list segment is the cells on the path from its start to its end.
            Formula::Spatial(Spatial::Predicate(id, arguments)) if self.lists.contains_key(id) => {
                let shape = &self.lists[id];
                let end = self.value(&arguments[shape.to])?;
                let mut here = self.value(&arguments[shape.from])?;
                let mut part = 0;
                while here != end {
                    let cell = (0..self.cells.len()).find(|i| heap & !part & (1 << i) != 0 && self.cells[*i].0 == here);
                    let Some(index) = cell else { break };
                    part |= 1 << index;
                    here = self.cells[index].1[shape.next];
                }
                Some(part)
            }
            Formula::Emp => Some(0),
            Formula::Spatial(Spatial::PointsTo(location, _)) => {
                let location = self.value(location)?;
                let cell = (0..self.cells.len()).find(|i| heap & (1 << i) != 0 && self.cells[*i].0 == location);
                // Without such a cell no part satisfies the atom, not even the empty one.
                Some(cell.map_or(0, |i| 1 << i))
            }
            Formula::And(parts) => {
                for part in parts {
                    if let Some(footprint) = self.footprint(part, heap)? {
                        return Ok(Some(footprint));
                    }
                }
                None
            }
            _ => None,
        })
    }

    /// Decides whether some heap that satisfies `added` extends this one such that `then` has the value `wanted`.
    fn added(&mut self, added: &Formula, then: &Formula, heap: u64, wanted: bool) -> Result<bool, Reason> {
        for case in determined_heaps(added)? {
            let mut holds = true;
            for pure in &case.pure {
                holds &= self.pure(pure)?;
            }
            let mut larger = heap;
            for spatial in &case.spatial {
                let Spatial::PointsTo(location, fields) = spatial else { continue };
                let location = self.value(location)?;
                let fields: Vec<Value> = fields.iter().map(|f| self.value(f)).collect::<Result<_, _>>()?;
                let taken = (0..self.cells.len()).any(|i| larger & (1 << i) != 0 && self.cells[i].0 == location);
                holds &= !taken && !location.is_nil();
                if holds {
                    let cell = (location, fields);
                    let index = self.cells.iter().position(|c| *c == cell).unwrap_or_else(|| {
                        self.cells.push(cell);
                        self.cells.len() - 1
                    });
                    if index >= 64 {
                        return Err(Reason::Uncovered("the model is too large to be evaluated".to_owned()));
                    }
                    larger |= 1 << index;
                }
            }
            if holds && self.formula(then, larger)? == wanted {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn predicate(&mut self, id: PredicateId, arguments: Vec<Value>, heap: u64) -> Result<bool, Reason> {
        let key = (id, arguments, heap);
        if !self.open.insert(key.clone()) {
            return Ok(false);
        }
        let signature = self.signature;
        let predicate = signature.predicate(id);
        let before: Vec<(Variable, Option<Value>)> =
            predicate.parameters.iter().zip(&key.1).map(|(&p, &v)| (p, self.model.stack.insert(p, v))).collect();
        let holds = self.formula(&predicate.body, heap);
        self.restore(before);
        self.open.remove(&key);
        holds
    }

    fn restore(&mut self, before: Vec<(Variable, Option<Value>)>) {
        for (variable, value) in before {
            match value {
                Some(value) => self.model.stack.insert(variable, value),
                None => self.model.stack.remove(&variable),
            };
        }
    }

    /// Decides whether some values of the variables give the formula the value `wanted`.
    fn quantified(&mut self, variables: &[Variable], inner: &Formula, heap: u64, wanted: bool) -> Result<bool, Reason> {
        let Some((&variable, rest)) = variables.split_first() else { return Ok(self.formula(inner, heap)? == wanted) };
        let Sort::Location(sort) = variable.sort else {
            return Err(Reason::Uncovered("a quantifier over integers or truth values".to_owned()));
        };
        let mut candidates: Vec<Value> =
            self.universe.iter().copied().filter(|v| matches!(v, Value::Location(s, _) if *s == sort)).collect();
        let nil = Value::Location(sort, 0);
        if !candidates.contains(&nil) {
            candidates.push(nil);
        }
        let unused = (1..).find(|&n| !candidates.contains(&Value::Location(sort, n)));
        let fresh = Value::Location(sort, unused.unwrap_or(u32::MAX));
        candidates.push(fresh);
        self.bound += 1;
        let mut found = Ok(false);
        for candidate in candidates {
            // For inner quantifiers, the representative of all other locations belongs to the model.
            let length = self.universe.len();
            if candidate == fresh {
                self.universe.push(fresh);
            }
            let before = vec![(variable, self.model.stack.insert(variable, candidate))];
            found = self.quantified(rest, inner, heap, wanted);
            self.restore(before);
            self.universe.truncate(length);
            if !matches!(found, Ok(false)) {
                break;
            }
        }
        self.bound -= 1;
        found
    }
}

/// Returns the heaps that a formula describes, if the stack determines them.
pub fn determined_heaps(formula: &Formula) -> Result<Vec<SymbolicHeap>, Reason> {
    let undetermined =
        || Reason::Uncovered("a separating implication whose left side is not determined by the stack".to_owned());
    let heaps = SymbolicHeap::disjuncts(formula, limits::MAX_DETERMINED_HEAPS).map_err(|_| undetermined())?;
    let determined = |heap: &SymbolicHeap| {
        !heap.rest && heap.existentials.is_empty() && heap.spatial.iter().all(|s| matches!(s, Spatial::PointsTo(..)))
    };
    if heaps.iter().all(determined) { Ok(heaps) } else { Err(undetermined()) }
}

fn mask_of(cells: usize) -> u64 {
    if cells >= 64 { u64::MAX } else { (1 << cells) - 1 }
}
