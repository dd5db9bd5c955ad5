//! What a person or another tool sees: pure functions of diagnostics, faults and verdicts.
