//! Reports for people and for other tools, as pure functions of diagnostics, faults and results.
//!
//! `format/` holds the output formats of `cairn check`, each a function of [`Results`]. `witness/` writes SV-COMP witnesses,
//! `harness.rs` C programs that fail under a sanitizer, `states.rs` symbolic states. `diagnostic.rs`, `fault.rs`,
//! `violation.rs` and `trace.rs` draw the parts of text reports, with source lines from `excerpt.rs`.
//!
//! The crate opens no file: the caller passes a function that returns the text of a file ([`Texts`]).

mod condition;
pub mod diagnostic;
mod excerpt;
pub mod fault;
mod format;
pub mod harness;
mod json_value;
mod limits;
mod results;
pub mod states;
mod tokens;
mod trace;
pub mod violation;
pub mod witness;

use std::fmt;

use annotate_snippets::Renderer;
use cairn_ir::source::SourceMap;

pub use format::{Context, Format};
pub use results::Results;

/// The texts that excerpts are taken from.
#[derive(Clone, Copy)]
pub struct Texts<'a> {
    /// Returns the text of a file by its name, or `None` when it cannot be read.
    pub read: &'a dyn Fn(&str) -> Option<String>,
    /// The preprocessed texts, if any: for files that cannot be read, and for expanded macros.
    pub sources: Option<&'a SourceMap>,
}

impl fmt::Debug for Texts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Texts").field("sources", &self.sources.is_some()).finish_non_exhaustive()
    }
}

/// Whether reports contain the colour codes of terminals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colour {
    /// With colour codes.
    On,
    /// Plain text.
    Off,
}

fn renderer(colour: Colour) -> Renderer {
    match colour {
        Colour::On => Renderer::styled(),
        Colour::Off => Renderer::plain(),
    }
}

/// Escapes the control characters of a message, which may quote the user's text.
fn printable(text: &str) -> String {
    if !text.chars().any(char::is_control) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}
