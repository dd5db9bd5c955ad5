//! The arguments of the command line. Every option is declared here and nowhere else.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use cairn_engine::calls::Calls;
use cairn_engine::engines::integrity::{Allocator, Deallocator};
use cairn_engine::engines::shape::allocation::AllocationCheck;
use cairn_engine::portfolio::Engines;
use cairn_engine::reach::Order;
use cairn_ir::layout::Target;
use cairn_sl::Semantics;
use clap::{Args, Parser, Subcommand, ValueEnum};

/// A memory-safety verifier for C.
#[derive(Parser, Debug)]
#[command(name = "cairn", version, about, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// When to colour reports
    #[arg(long, alias = "colour", global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: When,
}

const EXIT_CODES: &str = "\
Exit codes: 0 nothing wrong, 1 a violation, 2 undecided, 3 the tool could not do its job.
`cairn run` passes on the status of the program when the program ends by itself and nothing is wrong.";

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Run a C program and stop at the first memory fault
    Run(RunArguments),
    /// Show what the program becomes inside
    Dump(DumpArguments),
    /// Say what a check means, with an example that has it and one that has not
    Explain {
        /// The check, as in `error[use-after-free]`; without it all checks are listed
        check: Option<String>,
    },
    /// Verify a C program: find violations of every property, or prove that there are none
    Check(CheckArguments),
    /// Verify one SV-COMP task; the last line of the output is TRUE, FALSE(sub-property) or UNKNOWN(reason)
    Svcomp {
        /// The property file
        #[arg(long, value_name = "FILE.prp")]
        property: PathBuf,
        /// Sizes of int, long and pointers
        #[arg(long, value_name = "MODEL")]
        data_model: DataModel,
        /// Where to write the witness of a violation (none is written for TRUE yet)
        #[arg(long, value_name = "OUT")]
        witness: Option<PathBuf>,
        /// The format of the witness [default: graphml for names that end in .graphml, yaml for all others]
        #[arg(long, value_name = "FORMAT", requires = "witness")]
        witness_format: Option<WitnessFormat>,
        /// Where to write a C program that fails under a sanitizer at the violation that was found
        #[arg(long, value_name = "OUT.c")]
        harness: Option<PathBuf>,
        /// Seconds after which the answer is UNKNOWN
        #[arg(long, value_name = "S")]
        time_limit: Option<u64>,
        #[command(flatten)]
        search: SearchArguments,
        #[command(flatten)]
        solver: SolverArguments,
        /// The program
        file: PathBuf,
    },
    /// Measure parts of cairn against each other
    Bench {
        #[command(subcommand)]
        what: Bench,
    },
    /// Decide a separation-logic problem in the format of SL-COMP
    Sl(SlArguments),
    /// Serve an editor (not available yet)
    Lsp,
}

/// What is measured.
#[derive(Subcommand, Debug)]
pub(crate) enum Bench {
    /// Compare the procedures of --allocation-check on every .c and .i file of a folder
    AllocationCheck(BenchArguments),
    /// Measure how the cost of proofs grows with generated programs
    Growth(GrowthArguments),
}

/// `cairn bench growth`.
#[derive(Args, Debug)]
pub(crate) struct GrowthArguments {
    /// Also draw the result into this file, as SVG
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Seconds for each program
    #[arg(long, value_name = "S", default_value_t = 60)]
    pub(crate) time_limit: u64,
}

/// `cairn bench allocation-check`.
#[derive(Args, Debug)]
pub(crate) struct BenchArguments {
    /// The folder with the tasks; what is asked is memory safety
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Sizes of int, long and pointers
    #[arg(long, value_name = "MODEL", default_value = "ILP32")]
    pub(crate) data_model: DataModel,
    /// Seconds for each task
    #[arg(long, value_name = "S", default_value_t = 60)]
    pub(crate) time_limit: u64,
}

/// `cairn sl`.
#[derive(Args, Debug)]
pub(crate) struct SlArguments {
    /// The problem, or `-` for standard input
    #[arg(value_name = "FILE.smt2")]
    pub(crate) file: PathBuf,
    /// What `(= x y)` says about the heap
    #[arg(long, value_name = "WHICH", default_value = "slcomp")]
    pub(crate) semantics: SemanticsName,
    /// Show a model after every `sat`: the stack and the heap
    #[arg(long)]
    pub(crate) model: bool,
    /// How models are shown
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ModelFormat,
    /// Answer `sat` also where a `wand` stands inside of another one; without this such an answer is unknown, because other solvers
    /// and published answers disagree about them
    #[arg(long)]
    pub(crate) nested_wands: bool,
    /// Seconds after which the answer is unknown
    #[arg(long, value_name = "S")]
    pub(crate) time_limit: Option<u64>,
    /// Say on standard error which procedure answered, in how many steps, and why an answer is unknown
    #[arg(long)]
    pub(crate) stats: bool,
}

/// How a model is shown.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ModelFormat {
    /// A line for each variable and each cell
    Text,
    /// A graph in the language of DOT, with answers as comments
    Dot,
}

/// The readings of pure atoms.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SemanticsName {
    /// Nothing
    Slcomp,
    /// That the heap is empty
    Strict,
}

impl From<SemanticsName> for Semantics {
    fn from(name: SemanticsName) -> Self {
        match name {
            SemanticsName::Slcomp => Semantics::SlComp,
            SemanticsName::Strict => Semantics::Strict,
        }
    }
}

/// How paths are followed.
#[derive(Args, Debug)]
pub(crate) struct SearchArguments {
    /// Which path is followed next when exploring
    #[arg(long, value_name = "ORDER", default_value = "loop-bounded", help_heading = "Search options")]
    pub(crate) search_order: SearchOrder,
    /// How states at the same place are combined; each operator belongs to one use of the engine, which is chosen by it
    #[arg(long, value_name = "HOW", help_heading = "Search options")]
    pub(crate) merge: Option<MergeName>,
    /// When a state is not followed because of others at the same place
    #[arg(long, value_name = "WHEN", help_heading = "Search options")]
    pub(crate) stop: Option<StopName>,
    /// The memory after which the search is given up (512M, 2G) [default: three quarters of what the machine has]
    #[arg(long, value_name = "SIZE", value_parser = parse_size, help_heading = "Search options")]
    pub(crate) memory_limit: Option<u64>,
}

/// The orders in which paths are followed.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SearchOrder {
    /// All paths side by side
    BreadthFirst,
    /// One path after the other, to its end
    DepthFirst,
    /// Depth-first within a number of loop iterations that grows
    LoopBounded,
}

impl From<SearchOrder> for Order {
    fn from(order: SearchOrder) -> Self {
        match order {
            SearchOrder::BreadthFirst => Order::BreadthFirst,
            SearchOrder::DepthFirst => Order::DepthFirst,
            SearchOrder::LoopBounded => Order::LoopBounded,
        }
    }
}

/// The merge operators of configurable program analysis.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MergeName {
    /// They stay apart: exploring
    Sep,
    /// One state stands for both: proving
    Join,
}

/// The termination checks of configurable program analysis.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StopName {
    /// One that is the same as another but for names is not: exploring
    Equal,
    /// One that another covers is not: proving
    Sep,
}

/// How queries are asked and answered.
#[derive(Args, Debug)]
pub(crate) struct SolverArguments {
    /// What searches for the answer
    #[arg(long, value_name = "WHICH", default_value = "all", help_heading = "Solver options")]
    pub(crate) engine: EngineName,
    /// The templates of the engine `template`: points-to, intervals, zones, octagons, pointed,
    /// nullness, relative, neighbours, freed, passed, cases, access-paths, kept, fresh, and paths, which has the
    /// rows of the others once for each way through the loops before; by default it chooses
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "Solver options")]
    pub(crate) template: Vec<String>,
    /// What becomes of calls in proofs
    #[arg(long, value_name = "HOW", default_value = "auto", help_heading = "Solver options")]
    pub(crate) calls: CallsName,
    /// How a pointer is resolved to an object
    #[arg(long, value_name = "HOW", default_value = "fast", help_heading = "Solver options")]
    pub(crate) allocation_check: AllocationCheckName,
    /// Say at the end on standard error what the search took
    #[arg(long, help_heading = "Solver options")]
    pub(crate) stats: bool,
    /// Write every query that the solver has to decide to a file in this folder, as SMT-LIB
    #[arg(long, value_name = "DIR", help_heading = "Solver options")]
    pub(crate) dump_queries: Option<PathBuf>,
    /// Ask this SMT-LIB solver instead of the built-in one, such as "z3 -in"
    #[arg(long, value_name = "COMMAND", help_heading = "Solver options")]
    pub(crate) smt_solver: Option<String>,
}

/// What searches for an answer.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EngineName {
    /// Exploring and proving in turns
    All,
    /// Follow every path as it is: finds violations
    Explore,
    /// Follow all paths at once, with abstraction: finds proofs
    Prove,
    /// Find invariants of templates with the solver, and unwind loops: finds both (`cairn svcomp` only)
    Template,
    /// Check each function by itself, without a `main`: memory safety and integrity of graphs (`cairn check` only)
    Integrity,
}

impl TryFrom<EngineName> for Engines {
    type Error = String;

    fn try_from(name: EngineName) -> Result<Self, String> {
        match name {
            EngineName::All => Ok(Engines::All),
            EngineName::Explore => Ok(Engines::Explore),
            EngineName::Prove => Ok(Engines::Prove),
            EngineName::Template => Ok(Engines::Template),
            EngineName::Integrity => Err("the engine `integrity` answers `cairn check` only".to_owned()),
        }
    }
}

/// What becomes of calls in proofs.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CallsName {
    /// Follow them; use summaries for functions that call themselves, and for those that would be followed too often
    Auto,
    /// Follow them; what functions that call themselves do without end stays open
    Inline,
    /// Analyse each function apart from its callers, and use its summaries where it is called
    Summaries,
}

impl From<CallsName> for Calls {
    fn from(name: CallsName) -> Self {
        match name {
            CallsName::Auto => Calls::Auto,
            CallsName::Inline => Calls::Inline,
            CallsName::Summaries => Calls::Summaries,
        }
    }
}

/// The procedures that resolve a pointer to an object.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AllocationCheckName {
    /// Read it off the pointer's normal form
    Fast,
    /// One query for each byte of memory
    Smt,
    /// One query for all bytes of memory, and its model
    SmtModel,
    /// Satisfiability of the heap and one cell more, in separation logic
    Sl,
}

impl From<AllocationCheckName> for AllocationCheck {
    fn from(name: AllocationCheckName) -> Self {
        match name {
            AllocationCheckName::Fast => AllocationCheck::Fast,
            AllocationCheckName::Smt => AllocationCheck::Smt,
            AllocationCheckName::SmtModel => AllocationCheck::SmtModel,
            AllocationCheckName::Sl => AllocationCheck::Sl,
        }
    }
}

/// How C files are read.
#[derive(Args, Debug)]
pub(crate) struct COptions {
    /// Sizes of int, long and pointers
    #[arg(long, value_name = "MODEL", default_value = "LP64", help_heading = "C options")]
    pub(crate) data_model: DataModel,
    /// Add a folder to search for headers
    #[arg(short = 'I', value_name = "DIR", help_heading = "C options")]
    pub(crate) include_dirs: Vec<OsString>,
    /// Define a macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]", help_heading = "C options")]
    pub(crate) defines: Vec<OsString>,
    /// Undefine a macro
    #[arg(short = 'U', value_name = "NAME", help_heading = "C options")]
    pub(crate) undefines: Vec<OsString>,
    /// Include a file before each source file (also `-include FILE`)
    #[arg(long = "include", value_name = "FILE", help_heading = "C options")]
    pub(crate) includes: Vec<OsString>,
    /// The language standard for the preprocessor, such as gnu11 (also `-std=STD`)
    #[arg(long = "std", value_name = "STD", help_heading = "C options")]
    pub(crate) standard: Option<OsString>,
    /// The C compiler that preprocesses `.c` files [default: $CC or `cc`]
    #[arg(long, value_name = "COMMAND", help_heading = "C options")]
    pub(crate) cc: Option<OsString>,
    /// Hide warnings
    #[arg(short = 'w', help_heading = "C options")]
    pub(crate) no_warnings: bool,
}

impl COptions {
    /// No options but the data model.
    pub(crate) fn plain(data_model: DataModel) -> Self {
        Self {
            data_model,
            include_dirs: Vec::new(),
            defines: Vec::new(),
            undefines: Vec::new(),
            includes: Vec::new(),
            standard: None,
            cc: None,
            no_warnings: true,
        }
    }
}

/// `cairn run`.
#[derive(Args, Debug)]
pub(crate) struct RunArguments {
    /// C files (.c, or preprocessed .i), one file of textual IR (.ir), or `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Arguments of the program
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) args: Vec<OsString>,
    /// Where the nondeterministic values come from
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Take the nondeterministic values from a file, one per line
    #[arg(long, value_name = "FILE", conflicts_with = "seed")]
    pub(crate) inputs: Option<PathBuf>,
    /// Let the N-th allocation fail (counted from 1; may be repeated)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) malloc_fails: Vec<u64>,
    /// Give up after this many instructions
    #[arg(long, value_name = "N")]
    pub(crate) max_steps: Option<u64>,
    /// Give up when live objects need more memory than this (512M, 2G)
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "4G")]
    pub(crate) max_memory: u64,
    /// What to do about heap objects that are left when the program ends
    #[arg(long, value_name = "WHAT", default_value = "report")]
    pub(crate) leaks: Leaks,
    /// Also fail when the program ends with objects that it could still have freed
    #[arg(long)]
    pub(crate) error_on_unfreed: bool,
    #[command(flatten)]
    pub(crate) c: COptions,
}

/// `cairn check`.
#[derive(Args, Debug)]
pub(crate) struct CheckArguments {
    /// The C files of one program with a `main` (.c, or preprocessed .i), one file of textual IR (.ir), or `-` for standard
    /// input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// How to print what was found
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,
    /// Take all allocated memory to be zero (with `--engine integrity`)
    #[arg(long)]
    pub(crate) zero_allocation: bool,
    /// A function that returns new memory: its name, the argument that is the size (1 unless given), or two whose product it is,
    /// and `:zero` if it is zero (with `--engine integrity`). GLib's, the kernel's and some others are known, and those with the
    /// attributes `malloc` and `alloc_size`
    #[arg(long = "allocator", value_name = "NAME[:SIZE[*COUNT]][:zero]", value_parser = Allocator::parse)]
    pub(crate) allocators: Vec<Allocator>,
    /// A function that takes memory back: its name, and the argument that points to it (with `--engine integrity`)
    #[arg(long = "deallocator", value_name = "NAME[:POINTER]", value_parser = Deallocator::parse)]
    pub(crate) deallocators: Vec<Deallocator>,
    /// Assume that loops which only the graph bounds make at most so many turns, so that arrays with an element for each of them
    /// are long enough (with `--engine integrity`)
    #[arg(long, value_name = "TURNS")]
    pub(crate) longest_path: Option<u32>,
    /// Print the rules that are generated from the struct types, and no answers (with `--engine integrity`)
    #[arg(long)]
    pub(crate) dump_rules: bool,
    /// Let allocations fail, too. Without it malloc, calloc and realloc always succeed: most programs do not survive a failure,
    /// and their other mistakes would be hard to see
    #[arg(long)]
    pub(crate) malloc_fails: bool,
    /// Allow the program to end with heap objects that it could still have freed
    #[arg(long)]
    pub(crate) allow_unfreed: bool,
    /// Where to write a C program that fails under a sanitizer at the violation that was found; the second one goes to
    /// OUT-2.c, and so on
    #[arg(long, value_name = "OUT.c")]
    pub(crate) harness: Option<PathBuf>,
    /// Seconds after which what is not decided stays undecided
    #[arg(long, value_name = "S", default_value_t = 60)]
    pub(crate) time_limit: u64,
    #[command(flatten)]
    pub(crate) search: SearchArguments,
    #[command(flatten)]
    pub(crate) solver: SolverArguments,
    #[command(flatten)]
    pub(crate) c: COptions,
}

/// How findings are printed.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    /// For people
    Text,
    /// One JSON object
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations in the log of a GitHub workflow
    Github,
}

/// `cairn dump`.
#[derive(Args, Debug)]
#[group(id = "form", required = true, multiple = false, args = ["ir", "cfg", "states", "ssa", "invariants", "summaries"])]
pub(crate) struct DumpArguments {
    /// C files (.c, or preprocessed .i), one file of textual IR (.ir), or `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The intermediate representation as text
    #[arg(long)]
    pub(crate) ir: bool,
    /// The control-flow graphs as DOT
    #[arg(long)]
    pub(crate) cfg: bool,
    /// The states after every line, as formulas of separation logic; allocations may fail
    #[arg(long)]
    pub(crate) states: bool,
    /// How states are shown
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text", requires = "states")]
    pub(crate) format: ModelFormat,
    /// Show the states as if allocations never failed
    #[arg(long, requires = "states")]
    pub(crate) malloc_succeeds: bool,
    /// The program as an acyclic formula in single-assignment form: what the engine `template` works on
    #[arg(long)]
    pub(crate) ssa: bool,
    /// The invariants of loops that the engine `template` finds
    #[arg(long)]
    pub(crate) invariants: bool,
    /// The summaries of functions that the engine `template` finds, with what calls pass to them
    #[arg(long)]
    pub(crate) summaries: bool,
    /// What becomes of calls in these [default: auto, and summaries for `--summaries`]
    #[arg(long, value_name = "HOW", conflicts_with_all = ["ir", "cfg", "states"])]
    pub(crate) calls: Option<CallsName>,
    /// The templates of the invariants: points-to, intervals, zones, octagons, pointed, nullness, relative,
    /// neighbours, freed, passed, cases, access-paths, kept, fresh, and paths, which has the rows of the others once
    /// for each way through the loops before; by default the first three, kept and fresh
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with_all = ["ir", "cfg", "states", "ssa"])]
    pub(crate) template: Vec<String>,
    #[command(flatten)]
    pub(crate) c: COptions,
}

/// Sizes of int, long and pointers.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DataModel {
    /// 32-bit int, long and pointers
    #[value(name = "ILP32", alias = "ilp32", alias = "32bit")]
    Ilp32,
    /// 32-bit int, 64-bit long and pointers
    #[value(name = "LP64", alias = "lp64", alias = "64bit")]
    Lp64,
}

impl From<DataModel> for Target {
    fn from(model: DataModel) -> Self {
        match model {
            DataModel::Ilp32 => Target::Ilp32,
            DataModel::Lp64 => Target::Lp64,
        }
    }
}

/// How witnesses are written.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WitnessFormat {
    /// Format 2.0, YAML
    Yaml,
    /// Format 1.0, GraphML
    Graphml,
}

/// Whether reports are coloured.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum When {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// What to do about objects that are left at the end.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Leaks {
    /// Report them; what is lost is an error
    Report,
    /// Say nothing
    Ignore,
}

/// Reads `4096`, `512K`, `512M`, `2G`.
fn parse_size(text: &str) -> Result<u64, String> {
    let (digits, unit) = match text.char_indices().next_back() {
        Some((at, 'K' | 'k')) => (&text[..at], 1 << 10),
        Some((at, 'M' | 'm')) => (&text[..at], 1 << 20),
        Some((at, 'G' | 'g')) => (&text[..at], 1 << 30),
        _ => (text, 1),
    };
    let number: u64 = digits.parse().map_err(|_| "expected a number, with K, M or G behind it at most".to_owned())?;
    number.checked_mul(unit).ok_or_else(|| "too large".to_owned())
}

/// Compilers spell some long options with one dash. They are rewritten here, up to `--`, so that a command line can be taken
/// over from a build.
pub(crate) fn normalised(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut ended = false;
    arguments
        .map(|argument| {
            ended |= argument == "--";
            if ended { argument } else { spelled_for_clap(argument) }
        })
        .collect()
}

fn spelled_for_clap(argument: OsString) -> OsString {
    match argument.to_str() {
        Some("-m32") => "--data-model=ILP32".into(),
        Some("-m64") => "--data-model=LP64".into(),
        Some(text) if text == "-include" || text.starts_with("-std=") => {
            let mut spelled = OsString::from("-");
            spelled.push(OsStr::new(text));
            spelled
        }
        _ => argument,
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_declarations_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse_size("512M"), Ok(512 << 20));
        assert_eq!(parse_size("2g"), Ok(2 << 30));
        assert_eq!(parse_size("77"), Ok(77));
        for bad in ["", "M", "-1", "1T", "99999999999999999999", "18446744073709551615K"] {
            assert!(parse_size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn options_of_compilers_are_understood_before_the_program_arguments() {
        let words = ["cairn", "run", "-m32", "-std=c99", "-include", "a.h", "a.c", "--", "-m32"];
        let cli = Cli::try_parse_from(normalised(words.iter().map(OsString::from))).expect("these are valid");
        let Command::Run(run) = cli.command else { panic!("this is `run`") };
        assert_eq!(run.c.data_model, DataModel::Ilp32);
        assert_eq!(run.c.standard, Some("c99".into()));
        assert_eq!(run.c.includes, ["a.h"]);
        assert_eq!(run.args, ["-m32"]);
    }
}
