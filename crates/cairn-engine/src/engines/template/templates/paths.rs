//! Symbolic loop paths (FMCAD §IV-C): a power template that has the rows of another once for each way through the loops before, as
//! their loop-select guards tell it. What was or was not allocated by an earlier loop is told apart so.

use std::collections::BTreeSet;

/// A symbolic loop path: loops with whether their bodies were run through.
pub type Path = Vec<(usize, bool)>;

/// Loops whose paths are told apart at most: each doubles the rows.
const MAX_LOOPS: usize = 2;

/// The paths to a loop, by the loops that come before it.
pub fn paths(earlier: &BTreeSet<usize>) -> Vec<Path> {
    let mut paths = vec![Path::new()];
    // The nearest loops tell most.
    for &index in earlier.iter().rev().take(MAX_LOOPS) {
        paths = paths
            .into_iter()
            .flat_map(|path| {
                [true, false].map(|taken| {
                    let mut longer = path.clone();
                    longer.push((index, taken));
                    longer
                })
            })
            .collect();
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_is_a_path() {
        assert_eq!(paths(&BTreeSet::new()), [vec![]]);
        assert_eq!(paths(&BTreeSet::from([3])), [vec![(3, true)], vec![(3, false)]]);
        assert_eq!(paths(&BTreeSet::from([1, 2])).len(), 4);
    }
}
