//! Alarms: checks that an over-approximating engine cannot prove.

use cairn_ir::{BlockId, CheckId, CheckKind, FuncId, Loc};

/// A check that may fail in a state of an over-approximation, perhaps in no execution.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Alarm {
    /// The kind of the check.
    pub kind: CheckKind,
    /// Its location.
    pub loc: Loc,
    /// The check; `None` for checks of the program's end.
    pub check: Option<CheckId>,
}

impl Alarm {
    /// Returns whether another alarm is about the same check.
    ///
    /// The location of a check of the program's end is where a proof has noticed the violation, which differs between proofs.
    pub fn is_about_same(&self, other: &Alarm) -> bool {
        (self.kind, self.check) == (other.kind, other.check)
    }
}

impl std::fmt::Display for Alarm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.loc.line {
            0 => write!(f, "`{}` could not be ruled out", self.kind),
            line => write!(f, "`{}` in line {line} could not be ruled out", self.kind),
        }
    }
}

/// The block that an alarm is in; `None` at the program's end.
pub type Site = Option<(FuncId, BlockId)>;
