//! The laws of rows: after a join the formula holds in the joined model and in all models joined before.

use std::collections::BTreeSet;

use cairn_smt::evaluate::Assignment;
use cairn_smt::{Term, Terms};

use super::combined::loop_paths;
use super::schema::Seen;
use super::*;
use crate::ssa::knowledge::{Name, Part};
use crate::ssa::value::{ObjectNumber, Value};

/// Checks the laws on pseudo-random models.
pub fn check(template: &dyn Template, schema: &Schema, at: &At, terms: &mut Terms, sites: &Sites, seed: u64) {
    let mut state = seed | 1;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let earlier = vec![BTreeSet::new()];
    let hints = Hints { thresholds: vec![-1, 0, 1, 10], cases: vec![0, 3], unsigned: true, earlier };
    let mut rows = template.rows(schema, &hints);
    assert!(!rows.is_empty(), "{} has rows", template.name());
    assert!(rows.iter().all(|row| !row.is_top()), "every row starts at bottom");
    let variables: Vec<Term> = at
        .seen
        .iter()
        .flat_map(|seen| seen.values.iter().flatten())
        .flat_map(|value| [Some(value.bits), value.object.as_ref().map(|pointee| pointee.id)])
        .flatten()
        .collect();
    let mut models: Vec<Assignment> = Vec::new();
    for _ in 0..20 {
        let mut model = Assignment::default();
        for &variable in &variables {
            let width = terms.width(variable);
            let value = if next() % 2 == 0 { next() % 7 } else { next() };
            model.insert(variable, u128::from(value) & cairn_smt::term::mask(width));
        }
        for row in &mut rows {
            let before = row.holds(terms, sites, at);
            if terms.evaluate(before, &model) == 0 {
                row.join(&mut Model::new(&model), terms, sites, at);
            }
            let after = row.holds(terms, sites, at);
            assert_eq!(terms.evaluate(after, &model), 1, "a row holds in the joined model");
            for earlier in &models {
                assert_eq!(terms.evaluate(after, earlier), 1, "a row holds in every joined model");
            }
        }
        models.push(model);
    }
}

/// A loop with two numbers and two pointers, and with fields, flags and entry values of every object of a site.
fn example(terms: &mut Terms) -> (Schema, At, Sites) {
    use crate::ssa::value::{ID_BITS, Pointee};
    let site = ObjectNumber(0);
    let mut entries = Vec::new();
    let mut seen: Vec<Seen> = (0..3).map(|instance| Seen { instance, values: Vec::new() }).collect();
    let (part, old) = (|at| Name::Part(site, Part::Bytes(at)), |at| Name::Old(site, Part::Bytes(at)));
    let kinds = [
        (Name::Reg(0), None, false),
        (Name::Reg(1), None, false),
        (Name::Reg(2), None, true),
        (Name::Reg(3), None, true),
        (part(32), Some(site), false),
        (part(40), Some(site), true),
        (old(32), Some(site), false),
        (old(40), Some(site), true),
        (Name::Param(0), None, true),
        (Name::Old(site, Part::Allocated), Some(site), false),
        (part(48), Some(site), false),
        (Name::Part(site, Part::Freed), Some(site), false),
    ];
    for (index, (name, object, pointer)) in kinds.into_iter().enumerate() {
        let flag = matches!(name, Name::Old(_, Part::Allocated) | Name::Part(_, Part::Freed));
        let width = if flag { 1 } else { [32, 64][usize::from(pointer)] };
        let (label, places) = (format!("x{index}"), vec![Some(index)]);
        let (fixed, outer) = (matches!(name, Name::Old(..) | Name::Param(_)), false);
        let offset = object.map(|_| 8 * index as u64);
        entries.push(Entry { name, label, object, places, width, pointer, fixed, flag, offset, outer });
        let mut value = || {
            let bits = terms.variable("bits", width);
            let id = pointer.then(|| terms.variable("id", ID_BITS));
            Some(Value { bits, object: id.map(|id| Pointee { id, targets: Default::default() }) })
        };
        let variable = value();
        for seen in &mut seen {
            seen.values.push(if object.is_some() { value() } else { variable.clone() });
        }
    }
    let sites = vec![(site, vec![3, 4, 5, 6])];
    (Schema { index: 0, entries }, At { seen }, sites)
}

#[test]
fn every_template_obeys_the_laws() {
    // The power template has no rows and a law of its own.
    for template in all().into_iter().filter(|template| template.name() != loop_paths::Paths.name()) {
        for seed in 1..20u64 {
            let mut terms = Terms::new();
            let (schema, at, sites) = example(&mut terms);
            check(&*template, &schema, &at, &mut terms, &sites, 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(seed));
        }
    }
}
