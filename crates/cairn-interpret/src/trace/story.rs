//! Stories: the few steps of a trace that explain a fault, told with names and pictures.
//!
//! A traced execution tells which steps the fault depends on. [`choose`] picks the nearest of them, and a second execution tells these
//! steps: it names objects by how the program reaches them, and takes a picture of memory at each step.

use rustc_hash::FxHashMap;

use crate::limits::{STORY_CALLS, STORY_STEPS};
use crate::trace::picture::Picture;
use crate::trace::words::OUT_OF_SCOPE;
use crate::trace::{TraceKind, TraceStep};

/// The steps that an execution should tell.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Script {
    pub(crate) scenes: Vec<Scene>,
    /// The object of the fault.
    pub(crate) object: Option<u32>,
}

/// A step that an execution should tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Scene {
    pub at: u64,
    pub kind: TraceKind,
    /// The loop iterations that are omitted before the step.
    pub iterations: u64,
}

/// The steps that explain a fault.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Story {
    /// The steps, each with a picture of memory after it.
    pub steps: Vec<TraceStep>,
    /// The memory at the fault.
    pub end: Option<Box<Picture>>,
}

/// Chooses the steps of a story.
pub(crate) fn choose(steps: &[TraceStep]) -> Vec<Scene> {
    let candidates = candidates(steps);
    let mut ranked: Vec<(u32, usize)> =
        candidates.iter().map(|&index| (rank(&steps[index]), usize::MAX - index)).collect();
    ranked.sort_unstable();
    let mut chosen: Vec<usize> = Vec::new();
    let mut calls = 0;
    for (_, reversed) in ranked {
        let index = usize::MAX - reversed;
        if chosen.len() >= STORY_STEPS {
            break;
        }
        // One decision of a loop is enough; the nearest comes first.
        let step = &steps[index];
        let same = |&other: &usize| {
            let other = &steps[other];
            other.iterates.is_some() && other.place == step.place && other.depth == step.depth
        };
        if step.iterates.is_some() && chosen.iter().any(same) {
            continue;
        }
        if step.kind == TraceKind::Call {
            calls += 1;
            if calls > STORY_CALLS {
                continue;
            }
        }
        chosen.push(index);
    }
    chosen.sort_unstable();
    let mut start = 0;
    let scenes = chosen.iter().map(|&index| {
        let step = &steps[index];
        let iterations = if step.kind == TraceKind::Branch && step.iterates == Some(true) {
            // The decision itself begins an iteration.
            iterations(&steps[start..=index])
        } else {
            iterations(&steps[start..index])
        };
        start = index + 1;
        Scene { at: step.at, kind: step.kind, iterations }
    });
    scenes.collect()
}

/// The steps that matter, without those that say the same as their neighbours.
fn candidates(steps: &[TraceStep]) -> Vec<usize> {
    let mut kept: Vec<usize> = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        if step.distance.is_none() || !step.place.loc.is_some() {
            continue;
        }
        if let Some(&last) = kept.last() {
            let before = &steps[last];
            let same_line =
                (before.place.loc.file, before.place.loc.line) == (step.place.loc.file, step.place.loc.line);
            let is_told_by_assignment = match before.kind {
                TraceKind::Allocation => before.object.is_some(),
                TraceKind::Input | TraceKind::Return => true,
                TraceKind::Assignment => before.what == step.what,
                _ => false,
            };
            let is_same_value = same_line || (before.kind == TraceKind::Return && before.at == step.at);
            if step.kind == TraceKind::Assignment && is_told_by_assignment && is_same_value {
                kept.pop();
            }
        }
        kept.push(index);
    }
    kept
}

fn rank(step: &TraceStep) -> u32 {
    let distance = step.distance.unwrap_or(u32::MAX / 2);
    let penalty = match step.kind {
        TraceKind::Branch if step.iterates.is_some() => 3,
        TraceKind::Branch => 1,
        TraceKind::Return => 2,
        TraceKind::Assignment if step.what.ends_with(OUT_OF_SCOPE) => 4,
        _ => 0,
    };
    distance + if distance <= 1 { 0 } else { penalty }
}

/// Returns how many iterations of the outermost loop the omitted steps contain, without the one that is going on after them.
fn iterations(omitted: &[TraceStep]) -> u64 {
    let decisions = || omitted.iter().filter(|step| step.iterates.is_some());
    let Some(outermost) = decisions().min_by_key(|step| step.depth) else { return 0 };
    let key = |step: &TraceStep| (step.place.function.0, step.place.loc.line, step.place.loc.column, step.depth);
    let mut counts: FxHashMap<_, (u64, bool)> = FxHashMap::default();
    for step in decisions().filter(|step| step.depth == outermost.depth) {
        let (count, goes_on) = counts.entry(key(step)).or_default();
        *goes_on = step.iterates == Some(true);
        *count += u64::from(*goes_on);
    }
    let (count, goes_on) = counts.into_values().max().unwrap_or_default();
    count - u64::from(goes_on && count > 0)
}

#[cfg(test)]
mod tests {
    use cairn_ir::source::StackPlace;
    use cairn_ir::{FileId, FuncId, Loc};

    use super::*;

    fn step(at: u64, kind: TraceKind, line: u32, distance: Option<u32>) -> TraceStep {
        let loc = Loc { file: FileId(0), line, column: 1 };
        let place = StackPlace { function: FuncId(0), loc };
        TraceStep { at, distance, object: Some(1), ..TraceStep::new(kind, format!("{at}"), place, 1) }
    }

    #[test]
    fn the_nearest_steps_are_told() {
        let steps: Vec<_> =
            (0..100).map(|at| step(at, TraceKind::Assignment, at as u32 + 1, Some(100 - at as u32))).collect();
        let scenes = choose(&steps);
        assert_eq!(scenes.len(), STORY_STEPS);
        assert!(scenes.iter().all(|scene| scene.at >= 100 - STORY_STEPS as u64));
    }

    #[test]
    fn an_assignment_tells_the_allocation_of_its_line() {
        let steps = [
            step(1, TraceKind::Allocation, 5, Some(2)),
            step(2, TraceKind::Assignment, 5, Some(1)),
            step(3, TraceKind::Free, 6, Some(1)),
            step(4, TraceKind::Branch, 7, None),
        ];
        let kinds: Vec<_> = choose(&steps).iter().map(|scene| scene.at).collect();
        assert_eq!(kinds, [2, 3]);
    }

    #[test]
    fn omitted_iterations_are_counted() {
        let mut steps = Vec::new();
        for at in 0..5 {
            steps.push(TraceStep { iterates: Some(true), ..step(2 * at, TraceKind::Branch, 3, None) });
            steps.push(step(2 * at + 1, TraceKind::Assignment, 4, (at == 4).then_some(1)));
        }
        steps.push(TraceStep { iterates: Some(false), ..step(10, TraceKind::Branch, 3, None) });
        steps.push(step(11, TraceKind::Free, 6, Some(1)));
        let found: Vec<_> = choose(&steps).iter().map(|scene| (scene.at, scene.iterations)).collect();
        assert_eq!(found, [(9, 4), (11, 0)]);
    }
}
