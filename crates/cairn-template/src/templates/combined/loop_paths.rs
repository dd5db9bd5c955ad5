//! Symbolic loop paths (FMCAD §IV-C), a power template (§IV-D1).
//!
//! The template has no rows of its own. It duplicates the rows of the other templates for each combination of
//! loop-select guards of the preceding loops. This distinguishes, for example, whether an earlier loop allocated an
//! object.

use std::collections::BTreeSet;

use crate::limits::MAX_PATH_LOOPS;
use crate::templates::{Hints, Row, Schema, Template};

/// A symbolic loop path: loops, each with whether its loop-select guard holds.
pub type Path = Vec<(usize, bool)>;

/// The power template of symbolic loop paths.
#[derive(Clone, Copy, Debug)]
pub struct Paths;

impl Template for Paths {
    fn name(&self) -> &'static str {
        "paths"
    }

    fn rows(&self, _: &Schema, _: &Hints) -> Vec<Box<dyn Row>> {
        Vec::new()
    }

    fn paths(&self, earlier: &BTreeSet<usize>) -> Vec<Path> {
        let mut paths = vec![Path::new()];
        // The nearest loops are the most informative.
        for &index in earlier.iter().rev().take(MAX_PATH_LOOPS) {
            let longer = |path: &Path| [true, false].map(|taken| [path.as_slice(), &[(index, taken)]].concat());
            paths = paths.iter().flat_map(longer).collect();
        }
        paths
    }
}

/// Returns the symbolic loop paths to a location that the given templates distinguish together.
pub fn distinguished(templates: &[&dyn Template], earlier: &BTreeSet<usize>) -> Vec<Path> {
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
    use crate::templates::numeric::intervals::Intervals;

    /// The law of a power template: exactly one path is taken for each valuation of the loop-select guards.
    #[test]
    fn every_valuation_takes_exactly_one_path() {
        for earlier in [BTreeSet::new(), BTreeSet::from([3]), BTreeSet::from([1, 2]), BTreeSet::from([0, 4, 7])] {
            for run in 0..256u32 {
                let is_taken = |path: &Path| path.iter().all(|&(index, taken)| (run >> index & 1 == 1) == taken);
                assert_eq!(Paths.paths(&earlier).iter().filter(|path| is_taken(path)).count(), 1, "{earlier:?}");
            }
        }
    }

    #[test]
    fn other_templates_have_a_single_path() {
        let earlier = BTreeSet::from([1, 2]);
        assert_eq!(distinguished(&[&Intervals], &earlier), [vec![]]);
        assert_eq!(distinguished(&[&Intervals, &Paths], &earlier).len(), 4);
    }
}
