//! The limits of the text form.

/// The maximum size of an initial value with repetitions that the parser expands, in bytes.
///
/// A few characters of text can ask for any size, so that the parser rejects larger ones rather than exhausting memory.
pub(crate) const MAX_REPEATED_VALUE: u64 = 1 << 30;

/// The size in bytes from which on initial values are printed with repetitions. Smaller ones are readable in full.
pub(crate) const LARGE_VALUE: usize = 1024;

/// The pattern lengths to try in repetitions: common element sizes.
pub(crate) const PATTERN_LENGTHS: [usize; 11] = [1, 2, 4, 8, 12, 16, 20, 24, 32, 48, 64];

/// The number of bytes that a repetition must save: about as many as its notation takes on the reader's side.
pub(crate) const MIN_SAVED_BYTES: usize = 64;
