//! What a person or another tool sees: pure functions of diagnostics, faults and verdicts.
//!
//! The crate opens no file: whoever draws a report hands in a function that gives the text of a file ([`Texts`]).

mod condition;
pub mod diagnostic;
mod excerpt;
pub mod fault;
pub mod github;
pub mod harness;
pub mod integrity;
mod json;
pub mod sarif;
pub mod states;
pub mod survey;
mod tokens;
mod trace;
pub mod violation;
pub mod witness;

use std::fmt;

use annotate_snippets::Renderer;
use cairn_ir::source::SourceMap;

/// The texts that excerpts are taken from.
#[derive(Clone, Copy)]
pub struct Texts<'a> {
    /// The text of a file by its name, `None` when it can't be read.
    pub read: &'a dyn Fn(&str) -> Option<String>,
    /// The preprocessed texts, where there are any: for files that can't be read, and for macros that were expanded.
    pub sources: Option<&'a SourceMap>,
}

impl fmt::Debug for Texts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Texts").field("sources", &self.sources.is_some()).finish_non_exhaustive()
    }
}

/// Whether reports carry the colour codes of terminals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colour {
    /// They do.
    On,
    /// They are plain text.
    Off,
}

fn renderer(colour: Colour) -> Renderer {
    match colour {
        Colour::On => Renderer::styled(),
        Colour::Off => Renderer::plain(),
    }
}

/// Messages quote the user's text, which must not reach a terminal with its control characters.
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
