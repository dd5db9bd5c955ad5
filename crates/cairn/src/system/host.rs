//! The world as a program under the interpreter sees it: real output, real standard input, chosen values.

use std::collections::HashSet;
use std::io::{self, IsTerminal, Read, StdinLock, Write};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use cairn_interpret::Host;
use cairn_ir::layout::Target;
use cairn_ir::{Loc, Ty};

use crate::inputs::Inputs;
use crate::system::terminal;

/// Bytes of output that are kept before they are written.
const BUFFER: usize = 1 << 16;

/// The host of `cairn run`.
pub(crate) struct ProcessHost {
    target: Target,
    inputs: Inputs,
    failing: HashSet<u64>,
    output: Vec<u8>,
    /// Whether a person watches, who wants to see each line as it is written.
    line_by_line: bool,
    input: io::Bytes<io::BufReader<StdinLock<'static>>>,
    started: Instant,
}

impl ProcessHost {
    /// A host for one run.
    pub(crate) fn new(target: Target, inputs: Inputs, failing: Vec<u64>) -> Self {
        ProcessHost {
            target,
            inputs,
            failing: failing.into_iter().collect(),
            output: Vec::with_capacity(BUFFER),
            line_by_line: io::stdout().is_terminal(),
            input: io::BufReader::new(io::stdin().lock()).bytes(),
            started: Instant::now(),
        }
    }

    /// Writes what is kept. Called before anything is reported, so that output and reports are in order.
    pub(crate) fn flush(&mut self) {
        if !self.output.is_empty() {
            terminal::print(&self.output);
            self.output.clear();
        }
    }
}

impl Host for ProcessHost {
    fn write(&mut self, fd: i32, bytes: &[u8]) {
        if fd > 2 {
            // The only file that a program can write to is /dev/null.
            return;
        }
        if fd == 2 {
            self.flush();
            let _ = io::stderr().lock().write_all(bytes);
            return;
        }
        self.output.extend_from_slice(bytes);
        if self.output.len() >= BUFFER || (self.line_by_line && bytes.contains(&b'\n')) {
            self.flush();
        }
    }

    fn read_byte(&mut self) -> Option<u8> {
        if self.line_by_line {
            self.flush();
        }
        self.input.next()?.ok()
    }

    fn nondet(&mut self, ty: Ty, _loc: Loc) -> Option<u128> {
        self.inputs.next(ty, self.target)
    }

    fn allocation_fails(&mut self, count: u64) -> bool {
        self.failing.contains(&count)
    }

    fn time(&mut self) -> i64 {
        match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => i64::try_from(since.as_secs()).unwrap_or(i64::MAX),
            Err(before) => i64::try_from(before.duration().as_secs()).map_or(i64::MIN, |s| -s),
        }
    }

    fn clock(&mut self) -> i64 {
        i64::try_from(self.started.elapsed().as_micros()).unwrap_or(i64::MAX)
    }
}
