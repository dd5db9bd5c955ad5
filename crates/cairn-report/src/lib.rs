//! Reports for people and for other tools, as pure functions of diagnostics, faults and results.
//!
//! `report/` turns [`Results`] into a [`Report`], which outlives the program. `format/` holds the output formats of `cairn check`, each a
//! function of a report. `contract/` prints contracts of functions, `witness/` writes SV-COMP witnesses,
//! `harness.rs` C programs that fail under a sanitizer, `states.rs` symbolic states. `diagnostic.rs`, `fault.rs`,
//! `violation.rs` and `trace.rs` draw the parts of text reports, with source lines from `excerpt.rs`.
//!
//! The crate opens no file: the caller passes a function that returns the text of a file ([`Texts`]).

mod condition;
mod contract;
pub mod diagnostic;
pub mod difference;
mod draw;
mod excerpt;
pub mod fault;
mod format;
pub mod harness;
mod hint;
pub mod html;
pub mod judge;
mod limits;
pub mod report;
mod results;
pub mod states;
mod tokens;
mod trace;
pub mod violation;
pub mod witness;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use annotate_snippets::Renderer;
use cairn_ir::source::SourceMap;

use excerpt::{ceil_boundary, floor_boundary};

pub use contract::ContractFormat;
pub use format::{Context, Format};
pub use report::Report;
pub use results::{LibraryProof, Results};
pub use trace::Detail;

/// Returns the text of a file by its name, or `None` when it cannot be read or must not be quoted.
pub type Read<'a> = &'a dyn Fn(&str) -> Option<Arc<str>>;

/// The texts that excerpts are taken from.
#[derive(Clone, Copy)]
pub struct Texts<'a> {
    /// Returns the text of a file by its name, or `None` when it cannot be read.
    pub read: Read<'a>,
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

/// Leaves out the middle of a text that is longer than anybody reads.
fn shortened(text: &str) -> Cow<'_, str> {
    if text.len() <= limits::SHOWN_MESSAGE {
        return Cow::Borrowed(text);
    }
    let half = limits::SHOWN_MESSAGE / 2;
    let (first, last) = (floor_boundary(text, half), ceil_boundary(text, text.len() - half));
    Cow::Owned(format!("{}…{}", &text[..first], &text[last..]))
}

/// Escapes the control characters of a message, which may quote the user's text, and leaves out the middle of a very long one.
fn printable(text: &str) -> String {
    let text = &shortened(text);
    if !text.chars().any(char::is_control) {
        return text.clone().into_owned();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}
