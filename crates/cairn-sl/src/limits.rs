//! The limits of the separation-logic solver.
//!
//! Exceeding a limit yields an unknown answer or skips a heuristic; no limit affects soundness. Limits
//! on steps are in units of [`crate::Budget`], about a microsecond each.

use crate::decide::inductive::Bounds;

// ---- Reading ----

/// The deepest nesting of lists in a file; trees are traversed recursively and must fit on the stack.
pub(crate) const MAX_LIST_DEPTH: usize = 2000;

/// The deepest nesting of a formula after macro expansion; it is traversed recursively, too.
pub(crate) const MAX_EXPANSION_DEPTH: u32 = 10_000;

/// The number of expressions in a file after macro expansion, which can grow exponentially.
pub(crate) const MAX_EXPANDED_EXPRESSIONS: u64 = 2_000_000;

/// The number of open assertion levels; more are treated as an input error.
pub(crate) const MAX_ASSERTION_LEVELS: u32 = 1_000_000;

/// The number of cases above which a definition is kept only as a formula.
///
/// Disjunctive normal forms can grow exponentially, and procedures enumerate the cases.
pub(crate) const MAX_CASES: usize = 1000;

// ---- Evaluation ----

/// The number of cells in an evaluated model.
///
/// Subsets of cells are 64-bit masks, and separating implications add a few cells.
pub(crate) const MAX_EVALUATED_CELLS: usize = 60;

/// The number of heaps that the left side of a separating implication may describe; all are tried.
pub(crate) const MAX_DETERMINED_HEAPS: usize = 64;

// ---- Arithmetic ----

/// The number of rows that the Omega test processes per query; elimination can square their number.
pub(crate) const MAX_OMEGA_ROWS: usize = 100_000;

// ---- Choice of procedure and search for models ----

/// The number of disjuncts above which a formula is left to the procedure for boolean combinations.
///
/// Questions about symbolic heaps are decided disjunct by disjunct.
pub(crate) const MAX_DISJUNCTS: usize = 64;

/// The number of steps for evaluating a model that a procedure has already checked.
pub(crate) const EVALUATION_STEPS: u64 = 1_000_000;

/// The depth to which predicates are unfolded in search of a model; the formula grows exponentially.
pub(crate) const MAX_UNFOLDING_DEPTH: usize = 3;

/// The number of cases in an unfolded formula, all of which the SMT solver has to encode.
pub(crate) const MAX_UNFOLDED_CASES: usize = 2000;

// ---- Bounded models ----

/// The number of unnamed cells in the encoding of formulas without lists; each is one bit per heap.
pub(crate) const MAX_UNNAMED_CELLS: usize = 200;

/// The number of unnamed cells in the encoding of formulas with lists.
///
/// A path has as many steps as there are cells, so the encoding is quadratic.
pub(crate) const MAX_LINKED_CELLS: usize = 60;

/// The numbers of unnamed cells to try before the bound, because most models are small.
pub(crate) const FIRST_LINKED_SIZES: [usize; 2] = [2, 8];

/// The number of possible footprints of a formula up to which all are encoded.
///
/// Nested separating conjunctions multiply the number of copies of their parts.
pub(crate) const MAX_FOOTPRINTS: usize = 16;

/// The number of instances of a universal quantifier; it grows exponentially with the variables.
pub(crate) const MAX_QUANTIFIER_INSTANCES: usize = 4096;

/// The number of steps that a conflict of the SAT solver counts for, by its approximate duration.
pub(crate) const STEPS_PER_CONFLICT: u64 = 50;

// ---- Chains ----

/// The number of case splits per entailment; each doubles the number of cases.
pub(crate) const MAX_CHAIN_SPLITS: usize = 32;

// ---- Inductive predicates: satisfiability ----

/// The number of cells and calls up to which a case may grow by inlining.
pub(crate) const MAX_INLINED_ATOMS: usize = 200;

/// The number of base pairs up to which subsumed ones are dropped; the comparison is quadratic.
pub(crate) const MAX_SUBSUMED_PAIRS: usize = 200;

/// The search reports growth if a state has this factor times the initial number of calls …
pub(crate) const SEARCH_CALL_FACTOR: usize = 4;

/// … plus this number, which leaves room for deep but finite unfoldings of small questions.
pub(crate) const SEARCH_EXTRA_CALLS: usize = 200;

/// The model search for satisfiability with integers.
///
/// Deep unfoldings are necessary to reach integer constants; variants do not matter for satisfiability.
pub(crate) const SATISFIABILITY_SEARCH: Bounds = Bounds { unfoldings: 40, heaps: 4000, variants: 0 };

/// The number of consecutive unfoldings that consume no cell in a model check.
///
/// A definition that exceeds it can unfold forever without progress.
pub(crate) const MAX_IDLE_UNFOLDINGS: usize = 40;

/// The size of a grammar of derivations in nonterminals; productions combine them.
pub(crate) const MAX_NONTERMINALS: usize = 120;

/// The size of a grammar of derivations in productions; each becomes an unknown of a linear system.
pub(crate) const MAX_PRODUCTIONS: usize = 2000;

/// The number of steps for computing a grammar, so that other procedures get a share of the budget.
pub(crate) const GRAMMAR_STEPS: u64 = 500_000;

/// The number of constraints in a case while variables are eliminated, which can square their number.
pub(crate) const MAX_CASE_CONSTRAINTS: usize = 200;

/// The number of case splits per system of counting equations; each solves a linear system.
pub(crate) const MAX_COUNT_SPLITS: usize = 60;

/// The number of steps for checking a model before it is shown.
pub(crate) const WITNESS_CHECK_STEPS: u64 = 1_000_000;

/// The number of cells in a model that is shown; larger models are of no use to a reader.
pub(crate) const MAX_WITNESS_CELLS: usize = 2000;

// ---- Inductive predicates: entailment ----

/// The number of steps for computing base pairs as facts, which are helpful but not required.
pub(crate) const FACT_STEPS: u64 = 300_000;

/// The number of base pairs of a predicate up to which they serve as facts; every goal scans them.
pub(crate) const MAX_FACT_PAIRS: usize = 200;

/// The number of rounds in which base pairs of different calls restrict each other.
pub(crate) const FACT_ROUNDS: usize = 4;

/// The number of combinations of base pairs to try per goal; it is exponential in the calls.
pub(crate) const MAX_PAIR_COMBINATIONS: usize = 300;

/// The counter-model search before a proof attempt, which refutes most invalid entailments cheaply.
pub(crate) const QUICK_COUNTER_MODEL_SEARCH: Bounds = Bounds { unfoldings: 5, heaps: 60, variants: 20 };

/// The counter-model search after a failed proof attempt.
pub(crate) const COUNTER_MODEL_SEARCH: Bounds = Bounds { unfoldings: 12, heaps: 3000, variants: 60 };

/// The number of steps for checking one counter-model; there are others if this one is hard to check.
pub(crate) const REFUTATION_CHECK_STEPS: u64 = 20_000;

/// The fuel of successive proof attempts: most proofs need one or two unfoldings of the left side.
pub(crate) const PROOF_FUELS: [usize; 4] = [1, 2, 3, 5];

/// The number of unfoldings with at most one case on a branch of a proof.
///
/// They do not multiply subgoals, but need not terminate.
pub(crate) const FORCED_UNFOLDINGS: usize = 12;

/// The number of applications of hypotheses and lemmas on a branch, in addition to the fuel.
pub(crate) const EXTRA_USES: usize = 2;

/// The number of consecutive unfoldings of the right side and case splits in a proof.
pub(crate) const PROOF_CHOICES: usize = 12;

/// The number of calls on the left to try for an unfolding with several cases, best first.
pub(crate) const MAX_UNFOLDED_CALLS: usize = 3;

/// The number of bounds of an existential integer to try as its value.
pub(crate) const MAX_TRIED_BOUNDS: usize = 3;

/// The number of locations to try for an existential location.
pub(crate) const MAX_GUESSED_VALUES: usize = 6;

/// The number of lower and of upper bounds of an eliminated integer to combine.
pub(crate) const MAX_COMBINED_BOUNDS: usize = 4;

/// The number of instances to try for one hypothesis; each starts a proof attempt.
pub(crate) const MAX_HYPOTHESIS_INSTANCES: usize = 4;

/// The number of partial matches to examine for instances of a hypothesis.
pub(crate) const INSTANCE_TRIES: usize = 2000;

/// The number of choices for the open integers of a hypothesis; each is a separate proof attempt.
pub(crate) const MAX_COMPLETIONS: usize = 6;

/// The number of incomplete argument lists of a condensed call; they multiply with every argument.
pub(crate) const MAX_CONDENSED_LISTS: usize = 2000;

/// The number of calls to try in place of a part of a goal, the most similar ones first.
///
/// Small counter-models refute most of them.
pub(crate) const MAX_CONDENSED_CALLS: usize = 24;

/// The number of steps for the lemma that justifies a condensation; most of them need far fewer.
pub(crate) const CONDENSATION_STEPS: u64 = 200_000;

/// The number of steps for the proof of a condensed goal, which is a question of arithmetic in most cases.
pub(crate) const CONDENSED_PROOF_STEPS: u64 = 500_000;

/// The greatest constant that generalisation keeps, because unfolding can reach it.
pub(crate) const MAX_KEPT_CONSTANT: i128 = 3;

/// The bound that replaces larger ones; it exceeds the number of unfoldings of typical proofs.
pub(crate) const GENERALISED_BOUND: i128 = 8;

/// The number of generalisations to try per goal; each is a separate proof attempt.
pub(crate) const MAX_GENERALISATIONS: usize = 6;

/// The counter-model search that filters lemmas; it must be much cheaper than a proof attempt.
pub(crate) const LEMMA_FILTER: Bounds = Bounds { unfoldings: 10, heaps: 40, variants: 0 };

/// The nesting depth of lemmas; the number of attempts is exponential in it.
pub(crate) const MAX_LEMMA_NESTING: usize = 2;

/// The fuel of the proof of a lemma, which is simpler than the goal.
pub(crate) const LEMMA_FUEL: usize = 2;

/// The number of applications of hypotheses and lemmas on a branch of the proof of a lemma.
pub(crate) const LEMMA_USES: usize = 3;

/// The number of consecutive unfoldings of the right side and case splits in the proof of a lemma.
pub(crate) const LEMMA_CHOICES: usize = 8;

/// The number of calls on the right to try to prove by a lemma, best first.
pub(crate) const MAX_DIVIDED_CALLS: usize = 2;

/// The number of predicates of the right side to fold parts of the left side to.
pub(crate) const MAX_FOLDED_PREDICATES: usize = 3;

/// The number of parts of the left side to try for one call on the right.
pub(crate) const MAX_LEMMA_PARTS: usize = 12;

/// The number of instantiations of existential arguments to try per lemma.
pub(crate) const MAX_LEMMA_CHOICES: usize = 8;

/// The number of incomplete argument lists for a folded call; they multiply with every argument.
pub(crate) const MAX_PARTIAL_BOUNDARIES: usize = 256;

/// The number of complete argument lists to try for a folded call; each is tested as a lemma.
pub(crate) const MAX_BOUNDARIES: usize = 48;

// ---- Inference of frames and missing heaps ----

/// The number of steps for checking one guess, so that a hard guess leaves budget for the others.
pub(crate) const GUESS_CHECK_STEPS: u64 = 300_000;

/// The number of guesses to check; they are ordered best first.
pub(crate) const MAX_GUESSES: usize = 24;

/// The number of predicates to unfold on one search path for a guess; paths branch at each.
pub(crate) const MAX_GUESS_UNFOLDINGS: usize = 3;

/// The number of pairs of a cell and a call to unfold at each point of the search for guesses.
pub(crate) const MAX_MEETINGS: usize = 3;

/// The number of atoms up to which all subsets of the left side are tried as frames.
pub(crate) const MAX_DIVIDED_ATOMS: usize = 6;
