//! Symbolic loop paths (FMCAD §IV-C): a power template (§IV-D1), which has no rows of its own and has those of all templates next to it
//! once for each way through the loops before, as their loop-select guards tell it. What was or was not allocated by an earlier loop is
//! told apart so.

use std::collections::BTreeSet;

use super::{Hints, Row, Schema, Template};

/// A symbolic loop path: loops with whether their bodies were run through.
pub type Path = Vec<(usize, bool)>;

/// The power template of paths.
#[derive(Clone, Copy, Debug)]
pub struct Paths;

/// Loops whose paths are told apart at most: each doubles the rows.
const MAX_LOOPS: usize = 2;

impl Template for Paths {
    fn name(&self) -> &'static str {
        "paths"
    }

    fn rows(&self, _: &Schema, _: &Hints) -> Vec<Box<dyn Row>> {
        Vec::new()
    }

    fn paths(&self, earlier: &BTreeSet<usize>) -> Vec<Path> {
        let mut paths = vec![Path::new()];
        // The nearest loops tell most.
        for &index in earlier.iter().rev().take(MAX_LOOPS) {
            let longer = |path: &Path| [true, false].map(|taken| [path.as_slice(), &[(index, taken)]].concat());
            paths = paths.iter().flat_map(longer).collect();
        }
        paths
    }
}

/// The ways to a location that some templates tell apart together.
pub fn told_apart(templates: &[&dyn Template], earlier: &BTreeSet<usize>) -> Vec<Path> {
    let mut all = vec![Path::new()];
    for template in templates {
        let paths = template.paths(earlier);
        all = all.iter().flat_map(|path| paths.iter().map(|more| [path.as_slice(), more].concat())).collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::template::templates::interval::Intervals;

    /// The law of a power template: whatever loops were run through, exactly one of its paths says so.
    #[test]
    fn every_way_is_one_path() {
        for earlier in [BTreeSet::new(), BTreeSet::from([3]), BTreeSet::from([1, 2]), BTreeSet::from([0, 4, 7])] {
            for run in 0..256u32 {
                let is_taken = |path: &Path| path.iter().all(|&(index, taken)| (run >> index & 1 == 1) == taken);
                assert_eq!(Paths.paths(&earlier).iter().filter(|path| is_taken(path)).count(), 1, "{earlier:?}");
            }
        }
    }

    #[test]
    fn other_templates_tell_no_paths_apart() {
        let earlier = BTreeSet::from([1, 2]);
        assert_eq!(told_apart(&[&Intervals], &earlier), [vec![]]);
        assert_eq!(told_apart(&[&Intervals, &Paths], &earlier).len(), 4);
    }
}
