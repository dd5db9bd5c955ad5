//! The limits of reports, each with the reason for its value.

/// Characters of a condition that are shown: a trace step stays on one line of a terminal.
pub(crate) const SHOWN_CONDITION: usize = 60;

/// Calls shown at each end of a stack that is longer than both together: the innermost ones say what happened, the outermost
/// ones how the program got there, and those between are mostly recursion.
pub(crate) const SHOWN_CALLS_AT_EACH_END: usize = 6;

/// Lines shown of a trace: about one screen.
pub(crate) const SHOWN_STEPS: usize = 48;

/// Lines shown of the start of a long trace. The rest of [`SHOWN_STEPS`] shows its end, which explains the fault.
pub(crate) const SHOWN_STEPS_AT_START: usize = 16;

/// Visits of a location shown at each end of its list: the first and the last iteration of a loop.
pub(crate) const SHOWN_VISITS: usize = 1;

/// Inputs shown at each end of their list: more than of other steps, because they reproduce the execution.
pub(crate) const SHOWN_INPUTS: usize = 4;

/// Lines shown of a path through one function.
pub(crate) const SHOWN_PATH_LINES: usize = 40;

/// Calls in a witness; the validator has to find the rest. A longer witness takes more time to read than the program takes to
/// execute.
pub(crate) const WITNESS_CALLS: usize = 5_000;

/// Bytes of a message of the front-end that are shown. A message quotes names and constants, which may be megabytes long.
pub(crate) const SHOWN_MESSAGE: usize = 2_000;

/// The assumptions that a summary names; more of them get a line each.
pub(crate) const NAMED_ASSUMPTIONS: usize = 2;

/// The lines with unknown checks that a report shows without `--unknown`, so that they fit on a screen.
pub(crate) const UNKNOWN_LINES: usize = 10;

/// The objects in a drawing with characters: as many as fit side by side on a terminal of 100 columns.
pub(crate) const DRAWN_OBJECTS: usize = 4;

/// The fields of an object in a drawing with characters.
pub(crate) const DRAWN_CELLS: usize = 5;

/// The characters of a value in a drawing with characters.
pub(crate) const DRAWN_TEXT: usize = 18;

/// The lines of code before and after that of a step on the page of a finding.
pub(crate) const CODE_LINES: u32 = 7;

/// The size to which a drawing shrinks on a narrow page, as a part of its natural size. Smaller text would be hard to read.
pub(crate) const SHRINKS_TO: f64 = 0.75;

/// The largest class `least-N` of the style sheet. Wider drawings shrink more; nobody reads them on a phone.
pub(crate) const LARGEST_LEAST: u32 = 24;
