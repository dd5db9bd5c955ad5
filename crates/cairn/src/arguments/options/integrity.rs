//! The options of `--engine integrity`.

use cairn_integrity::{Allocator, Deallocator, Options};
use clap::Args;

/// The options of the engine `integrity`.
#[derive(Args, Debug)]
pub(crate) struct IntegrityArguments {
    /// Assume that all allocated memory is zero
    #[arg(long, help_heading = "Options for --engine integrity")]
    pub(crate) zero_allocation: bool,
    /// Add an allocator: its size argument (or two that are multiplied), and `zero` if it clears the memory
    #[arg(
        long = "allocator",
        value_name = "NAME[:SIZE[*COUNT]][:zero]",
        value_parser = Allocator::parse,
        help_heading = "Options for --engine integrity"
    )]
    pub(crate) allocators: Vec<Allocator>,
    /// Add a deallocator, and its pointer argument
    #[arg(
        long = "deallocator",
        value_name = "NAME[:POINTER]",
        value_parser = Deallocator::parse,
        help_heading = "Options for --engine integrity"
    )]
    pub(crate) deallocators: Vec<Deallocator>,
    /// Assume that loops which only the graph bounds make at most N iterations
    #[arg(long, value_name = "N", help_heading = "Options for --engine integrity")]
    pub(crate) longest_path: Option<u32>,
    /// Print the rules that are generated from the struct types instead of answers
    #[arg(long, conflicts_with = "format", help_heading = "Options for --engine integrity")]
    pub(crate) dump_rules: bool,
}

impl IntegrityArguments {
    /// Returns the options in the form of the engine.
    pub(crate) fn options(&self) -> Options {
        Options {
            zero_allocation: self.zero_allocation,
            allocators: self.allocators.clone(),
            deallocators: self.deallocators.clone(),
            longest_path: self.longest_path,
        }
    }
}
