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
