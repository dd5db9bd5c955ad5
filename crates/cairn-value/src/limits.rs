//! Limits of the value analysis.

/// The most objects that a pointer is followed to. Tables of handlers have some hundred entries; beyond that, a pointer may point anywhere.
pub const MAX_TARGETS: usize = 400;

/// The most cells of an object that are kept apart. Larger arrays are read and written in loops, where one value stands for all elements.
pub const MAX_CELLS: u32 = 512;

/// The most elements of an initial value that one read visits. Larger tables are read as arbitrary numbers and all their addresses.
pub const MAX_INITIAL_ELEMENTS: u64 = 4096;

/// The largest block that is copied piece by piece. Larger ones are copied as a mixture of all their bytes.
pub const MAX_COPY: u64 = 1 << 16;

/// The most facts about registers that a state holds. Conditions depend on values that were computed shortly before.
pub const MAX_FACTS: usize = 64;

/// The most edges to a block that are followed one by one where they decide a condition in the block.
pub const MAX_SPLIT: usize = 6;

/// The most facts about arrays that loops have written. Functions fill few arrays.
pub const MAX_FILLED: usize = 12;

/// The most outcomes of calls for which the rest of a block is executed once more. Few blocks test several error codes.
pub const MAX_ALTERNATIVES: usize = 4;

/// The iterations of a loop that are executed one by one. Tables and constant strings rarely have more elements.
pub const MAX_UNROLLED: u32 = 160;

/// The most visits of blocks while a loop is executed iteration by iteration. Loops that run the whole program have no small bound.
pub const MAX_UNROLLED_VISITS: u64 = 10_000;

/// The visits of blocks after which the iterations of a loop are not executed one by one any more, because that did not lead to its end.
pub const MAX_WASTED_VISITS: u64 = 2000;

/// The iterations of a loop before its bounds are widened. Loops that run once or twice keep their exact bounds.
pub const JOINS_BEFORE_WIDENING: u32 = 3;

/// The iterations of a loop after which what still changes is forgotten: numbers, later the layout of objects, and at last everything.
pub const COLLAPSE_AFTER: u32 = 60;

/// The iterations of a loop after which calling contexts are given up. Before that, everything that changes was forgotten.
pub const MAX_ITERATIONS: u32 = 250;

/// The calling contexts of a function that are kept apart. Further calls share one context.
pub const MAX_CONTEXTS: usize = 80;

/// The most constants of a program that serve as thresholds of widening.
pub const MAX_THRESHOLDS: usize = 200;

/// The deepest nesting of calls that is analysed; deeper chains come from generated code and would exhaust the stack.
pub const MAX_DEPTH: usize = 400;

/// The block visits after which calling contexts are given up, per block of the program. Each of them visits the blocks again. Programs
/// of Unix tools take 20 to 100.
pub const VISITS_PER_BLOCK: u64 = 150;

/// The block visits, per block of the program, after which a restart assumes that pointers that may point anywhere do everything.
pub const VISITS_BEFORE_WORST_CASE: u64 = 100;

/// The block visits that every program may take.
pub const MIN_VISITS: u64 = 20_000;

/// The times that the analysis starts again because a function turns out to be recursive.
pub const MAX_RESTARTS: u32 = 20;

/// The changes of the entry or the outcomes of a summary before they are widened.
pub const EXTENSIONS_BEFORE_WIDENING: u32 = 4;

/// The changes of the entry or the outcomes of a summary after which what still changes is forgotten, step by step as for loops.
pub const EXTENSIONS_BEFORE_COLLAPSE: u32 = 24;

/// The times that all summaries are computed again without widening. More sweeps hardly change anything.
pub const DESCENDING_SWEEPS: u32 = 2;

/// The longest chain of calls that tells summaries apart. Models call each other in chains of three or four.
pub const MAX_CHAIN: usize = 5;

/// The most summaries of one function. Each of them is computed several times.
pub const MAX_CHAINS: usize = 400;

/// The deepest nesting of analyses of summaries; further ones wait until the stack is free.
pub const MAX_NESTED: usize = 200;

/// The blocks of a function that has a summary for each call.
pub const MAX_SMALL_BLOCKS: usize = 6;

/// The analyses of a recursive function before its caller goes on with what is known.
pub const ROUNDS_AT_ONCE: u32 = 8;
