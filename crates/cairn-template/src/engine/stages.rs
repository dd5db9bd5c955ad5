//! The stages of the engine: unwinding depths, template sets, and their order.

use std::collections::VecDeque;

use crate::synthesis::Bounds;

/// One stage of the search.
#[derive(Clone, Debug)]
pub(super) struct Stage {
    /// The unwinding depth of loops.
    pub(super) unwind: u32,
    /// The templates; empty for a stage that only does bounded model checking.
    pub(super) templates: Vec<&'static str>,
    /// How bounds are computed.
    pub(super) bounds: Bounds,
    /// The largest number of queries that was not enough for the stage.
    pub(super) tried: u64,
    /// How often the stage has run out of budget.
    pub(super) trials: u32,
}

impl Stage {
    fn new(unwind: u32, templates: Vec<&'static str>, bounds: Bounds) -> Self {
        Self { unwind, templates, bounds, tried: 0, trials: 0 }
    }
}

/// The cheap templates, which are part of every set.
const FEW: &[&str] = &["points-to", "intervals", "kept", "fresh"];
/// Adds differences of numbers.
pub(crate) const RELATED: &[&str] = &["points-to", "intervals", "kept", "fresh", "zones"];
/// Adds differences and sums of numbers.
const ADDED: &[&str] = &["points-to", "intervals", "kept", "fresh", "zones", "octagons"];
/// Adds properties of pointed-to objects.
const POINTED: &[&str] = &["points-to", "intervals", "kept", "fresh", "zones", "pointed"];
/// Adds relations between the nodes of a list.
const LINKED: &[&str] =
    &["points-to", "intervals", "kept", "fresh", "nullness", "relative", "neighbours", "access-paths", "freed"];
/// Adds properties of the nodes behind a cursor.
const WALKED: &[&str] = &["points-to", "intervals", "kept", "fresh", "passed", "cases"];
const RELATED_BY_PATHS: &[&str] = &["points-to", "intervals", "kept", "fresh", "zones", "paths"];
const POINTED_BY_PATHS: &[&str] = &["points-to", "intervals", "kept", "fresh", "zones", "pointed", "paths"];
const ALL_BY_PATHS: &[&str] = &["points-to", "intervals", "kept", "fresh", "zones", "octagons", "pointed", "paths"];

/// The stages: unwinding depth, templates, and precision of bounds.
const STAGES: [(u32, &[&str], Bounds); 14] = [
    (1, FEW, Bounds::AtThresholds),
    (1, RELATED, Bounds::AtThresholds),
    (1, LINKED, Bounds::AtThresholds),
    (1, POINTED, Bounds::AtThresholds),
    (2, FEW, Bounds::AtThresholds),
    (1, WALKED, Bounds::AtThresholds),
    (1, POINTED_BY_PATHS, Bounds::Exact),
    (3, FEW, Bounds::AtThresholds),
    (4, FEW, Bounds::AtThresholds),
    (2, RELATED_BY_PATHS, Bounds::Exact),
    (1, ALL_BY_PATHS, Bounds::Exact),
    (2, ALL_BY_PATHS, Bounds::Exact),
    (6, FEW, Bounds::AtThresholds),
    (8, FEW, Bounds::AtThresholds),
];

/// The position of the octagon stage, which is added when no other engine competes for time.
const OCTAGON_POSITION: usize = 3;

/// Unwinding depths of the stages that only search for violations.
const BOUNDED_DEPTHS: [u32; 5] = [4, 8, 16, 32, 64];

/// The number of such stages that follow each proving stage.
const BOUNDED_PER_PROOF: usize = 2;

/// Returns the stages of an engine that uses the given templates, or chooses templates if none are given.
pub(super) fn all(names: &[&'static str]) -> VecDeque<Stage> {
    let mut stages: VecDeque<Stage> = VecDeque::new();
    for (unwind, templates, bounds) in STAGES {
        let templates = if names.is_empty() { templates.to_vec() } else { names.to_vec() };
        // With user-chosen templates, many stages coincide.
        let known = |stage: &Stage| (stage.unwind, stage.bounds) == (unwind, bounds) && stage.templates == templates;
        if !stages.iter().any(known) {
            stages.push_back(Stage::new(unwind, templates, bounds));
        }
    }
    stages
}

/// Inserts the octagon stage.
pub(super) fn add_octagons(stages: &mut VecDeque<Stage>) {
    stages.insert(OCTAGON_POSITION, Stage::new(1, ADDED.to_vec(), Bounds::AtThresholds));
}

/// Inserts stages that only do bounded model checking between the proving stages.
pub(super) fn add_bounded(stages: &mut VecDeque<Stage>) {
    // Most violations need few iterations, and bounded model checking is cheap compared to proofs with unwinding.
    let mut deeper = BOUNDED_DEPTHS.map(|unwind| Stage::new(unwind, Vec::new(), Bounds::AtThresholds)).into_iter();
    for proof in std::mem::take(stages) {
        stages.push_back(proof);
        stages.extend(deeper.by_ref().take(BOUNDED_PER_PROOF));
    }
    stages.extend(deeper);
}
