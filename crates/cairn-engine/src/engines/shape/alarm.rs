//! What a proof could not rule out: the checks that some state of the abstraction violates, perhaps none of the program.

use std::collections::BTreeMap;

use cairn_ir::{BlockId, CheckId, CheckKind, FuncId, Loc};

use super::state::State;
use crate::granted::{is_grantable, is_of_the_end};

/// A check that may fail.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Alarm {
    /// What may go wrong.
    pub kind: CheckKind,
    /// Where.
    pub loc: Loc,
    /// Its check; none for what is left at the end.
    pub check: Option<CheckId>,
}

impl std::fmt::Display for Alarm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.loc.line {
            0 => write!(f, "an alarm for {} could not be ruled out", self.kind),
            line => write!(f, "an alarm for {} in line {line} could not be ruled out", self.kind),
        }
    }
}

/// The block that an alarm is in; none after the end of the program.
pub type Site = Option<(FuncId, BlockId)>;

/// The alarms of a proof.
#[derive(Clone, Debug, Default)]
pub struct Alarms {
    /// Each with where it is.
    pub found: BTreeMap<Alarm, Site>,
    /// Whether the proof lost sight of runs at one of them.
    blind: bool,
}

impl Alarms {
    /// Takes in that a check may fail in a state.
    pub(super) fn raise(&mut self, state: &State, alarm: Alarm, is_certain: bool) {
        let site = state.frames.last().map(|frame| (frame.function, frame.block));
        self.blind |= !(is_certain && ends_runs(alarm.kind) && (alarm.check.is_some() || is_of_the_end(alarm.kind)));
        self.found.entry(alarm).or_insert(site);
    }

    /// Whether some check of this kind may fail.
    pub(super) fn is_raised(&self, kind: CheckKind) -> bool {
        self.found.keys().any(|alarm| alarm.kind == kind)
    }

    /// Whether all runs are still followed up to their first violation. Then the proof may go on, and what it raises no alarm about
    /// holds.
    pub fn follow_all_runs(&self) -> bool {
        !self.blind
    }
}

/// Whether runs in which a check of this kind is seen to fail end there, or go on in the state that goes on. Other checks fail also
/// where a state has lost track of a pointer that may be fine in the program.
fn ends_runs(kind: CheckKind) -> bool {
    let goes_on = matches!(kind, CheckKind::Overlap | CheckKind::Uninitialised) || is_of_the_end(kind);
    is_grantable(kind) || goes_on || matches!(kind, CheckKind::Assertion | CheckKind::DivisionByZero)
}
