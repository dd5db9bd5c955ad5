//! The options for engines, search and solver, which `check` and `svcomp` share.

use std::path::PathBuf;

use cairn_exec::allocation::AllocationCheck;
use cairn_exec::reach::Order;
use cairn_portfolio::calls::Calls;
use cairn_portfolio::settings::Engines;
use cairn_template::templates;
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};

use crate::arguments::parse_size;

/// The options of the search.
#[derive(Args, Debug)]
pub(crate) struct SearchArguments {
    /// Order in which the engine `explore` follows paths
    #[arg(long, value_name = "ORDER", default_value = "loop-bounded", help_heading = "Search options")]
    pub(crate) search_order: SearchOrder,
    /// Merge operator for states at the same location; chooses the engine
    #[arg(long, value_name = "HOW", help_heading = "Search options")]
    pub(crate) merge: Option<MergeName>,
    /// Termination check for states at the same location; chooses the engine
    #[arg(long, value_name = "WHEN", help_heading = "Search options")]
    pub(crate) stop: Option<StopName>,
    /// Memory limit (512M, 2G) [default: three quarters of the machine's memory]
    #[arg(long, value_name = "SIZE", value_parser = parse_size, help_heading = "Search options")]
    pub(crate) memory_limit: Option<u64>,
    /// Work limit, in states per engine and round; unlike a time limit, it gives the same answer on every machine
    #[arg(long, value_name = "STATES", help_heading = "Search options")]
    pub(crate) work_limit: Option<u64>,
}

/// The options of engines and solver.
#[derive(Args, Debug)]
pub(crate) struct SolverArguments {
    /// Engine that answers
    #[arg(long, value_name = "ENGINE", default_value = "all", help_heading = "Solver options")]
    pub(crate) engine: EngineName,
    /// Templates of the engine `template`, separated by commas [default: chosen by cairn]
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        value_parser = template_names(),
        help_heading = "Solver options"
    )]
    pub(crate) template: Vec<String>,
    /// Treatment of calls in proofs
    #[arg(long, value_name = "HOW", default_value = "auto", help_heading = "Solver options")]
    pub(crate) calls: CallsName,
    /// Whether an independent checker confirms proofs before they are reported
    #[arg(long, value_name = "WHEN", default_value = "always", help_heading = "Solver options")]
    pub(crate) certify: CertifyName,
    /// Write the certificate of a proof to OUT, for `cairn verify-certificate`
    #[arg(long, value_name = "OUT", help_heading = "Solver options")]
    pub(crate) certificate: Option<PathBuf>,
    /// Procedure that resolves a pointer to an object
    #[arg(long, value_name = "HOW", default_value = "fast", help_heading = "Solver options")]
    pub(crate) allocation_check: AllocationCheckName,
    /// Print the cost of the search on standard error
    #[arg(long, help_heading = "Solver options")]
    pub(crate) stats: bool,
    /// Write every query that reaches the solver to a file in DIR, as SMT-LIB
    #[arg(long, value_name = "DIR", help_heading = "Solver options")]
    pub(crate) dump_queries: Option<PathBuf>,
    /// Use this SMT-LIB solver instead of the embedded one, such as "z3 -in"
    #[arg(long, value_name = "COMMAND", help_heading = "Solver options")]
    pub(crate) smt_solver: Option<String>,
}

/// Accepts the names of all templates.
pub(crate) fn template_names() -> PossibleValuesParser {
    PossibleValuesParser::new(templates::all().iter().map(|template| template.name()))
}

/// The engines.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EngineName {
    /// `value`, then `explore`, `prove` and `template` in growing rounds
    All,
    /// Symbolic execution without abstraction: finds violations
    Explore,
    /// Symbolic execution with abstraction: finds proofs (`svcomp` only)
    Prove,
    /// Invariants from templates, and unwinding: finds both (`svcomp` only)
    Template,
    /// Abstract interpretation with intervals and points-to sets: proves single checks
    Value,
    /// Function by function, without a `main`: memory safety and graph integrity (`check` only)
    Integrity,
}

impl EngineName {
    /// Returns the name on the command line.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// Returns the engines of the portfolio, or `None` for an engine that is not part of it.
    pub(crate) fn in_portfolio(self) -> Option<Engines> {
        match self {
            EngineName::All => Some(Engines::All),
            EngineName::Explore => Some(Engines::Explore),
            EngineName::Prove => Some(Engines::Prove),
            EngineName::Template => Some(Engines::Template),
            EngineName::Value => Some(Engines::Value),
            EngineName::Integrity => None,
        }
    }
}

/// When proofs are checked.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CertifyName {
    /// Report only proofs that the checker confirms, where the engine gives a certificate
    Always,
    /// Report proofs as the engines find them
    Never,
}

/// The orders in which paths are followed.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SearchOrder {
    /// All paths side by side
    BreadthFirst,
    /// One path after the other, to its end
    DepthFirst,
    /// Depth-first within a growing number of loop iterations
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
    /// Keep states apart (engine `explore`)
    Sep,
    /// Join states (engine `prove`)
    Join,
}

impl MergeName {
    /// Returns the engine that has this operator.
    pub(crate) fn engine(self) -> EngineName {
        match self {
            MergeName::Sep => EngineName::Explore,
            MergeName::Join => EngineName::Prove,
        }
    }
}

/// The termination checks of configurable program analysis.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StopName {
    /// At a state that equals another one up to names (engine `explore`)
    Equal,
    /// At a state that another one covers (engine `prove`)
    Sep,
}

impl StopName {
    /// Returns the engine that has this termination check.
    pub(crate) fn engine(self) -> EngineName {
        match self {
            StopName::Equal => EngineName::Explore,
            StopName::Sep => EngineName::Prove,
        }
    }
}

/// The treatments of calls in proofs.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CallsName {
    /// Inline them; use summaries for recursive functions and for those that would be inlined too often
    Auto,
    /// Inline them; recursion without a bound stays open
    Inline,
    /// Analyse each function apart from its callers, and use its summaries
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
    /// Read the object off the pointer's normal form
    Fast,
    /// One query for each byte of memory
    Smt,
    /// One query for all bytes of memory, and its model
    SmtModel,
    /// Satisfiability of the heap with one more cell, in separation logic
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
