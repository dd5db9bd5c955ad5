//! The alarms of a proof: checks that some abstract state violates, but perhaps no execution.

use std::collections::BTreeMap;

use cairn_ir::CheckKind;

use crate::State;
use cairn_portfolio::alarm::{Alarm, Site};

/// The alarms of a proof.
#[derive(Clone, Debug, Default)]
pub struct Alarms {
    /// Each alarm with its site.
    pub found: BTreeMap<Alarm, Site>,
    /// Whether the proof may have lost executions at one of the alarms.
    lost_executions: bool,
}

impl Alarms {
    /// Records that a check may fail in a state.
    pub fn raise(&mut self, state: &State, alarm: Alarm, is_certain: bool) {
        let site = state.frames.last().map(|frame| (frame.function, frame.block));
        let kind = alarm.kind;
        self.lost_executions |= !(is_certain && kind.is_followed() && (alarm.check.is_some() || kind.is_of_the_end()));
        self.found.entry(alarm).or_insert(site);
    }

    /// Returns whether some check of this kind may fail.
    pub fn is_raised(&self, kind: CheckKind) -> bool {
        self.found.keys().any(|alarm| alarm.kind == kind)
    }

    /// Returns whether all executions are still followed up to their first violation.
    ///
    /// The proof may then continue, and the checks without an alarm hold.
    pub fn follows_all_executions(&self) -> bool {
        !self.lost_executions
    }
}
