//! An external SMT-LIB solver behind a pipe: `--smt-solver "z3 -in"`.
//!
//! Each query has a scope of its own (`push`, `check-sat`, `pop`). A thread reads the answers, so that waiting for one ends
//! when the search is cancelled.

use std::io::{BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};

use cairn_smt::evaluate::Assignment;
use cairn_smt::session::Backend;
use cairn_smt::{Answer, Term, Terms};
use rustc_hash::FxHashMap;

use crate::limits::SOLVER_POLL_INTERVAL;
use crate::solver::Watch;
use crate::system::files::describe;

/// A running solver.
pub(crate) struct External {
    command: String,
    process: Child,
    input: Option<ChildStdin>,
    /// The complete expressions of the solver's output.
    replies: Receiver<String>,
    interrupt: Arc<AtomicBool>,
    watch: Watch,
}

impl External {
    /// Starts a solver. The command is split at blanks, without a shell.
    pub(crate) fn start(command: &str, interrupt: Arc<AtomicBool>, watch: Watch) -> Result<Self, String> {
        let mut words = command.split_whitespace();
        let program = words.next().ok_or("empty command for '--smt-solver'")?;
        let mut process = Command::new(program)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("cannot start solver `{command}`: {}", describe(&error)))?;
        let (send, replies) = channel();
        if let Some(output) = process.stdout.take() {
            std::thread::spawn(move || {
                let mut reader = Expressions { bytes: BufReader::new(output).bytes() };
                while let Some(expression) = reader.next_expression() {
                    if send.send(expression).is_err() {
                        break;
                    }
                }
            });
        }
        let input = process.stdin.take();
        let mut solver = Self { command: command.to_owned(), process, input, replies, interrupt, watch };
        solver.send("(set-option :print-success false)\n(set-option :produce-models true)\n(set-logic QF_BV)\n")?;
        Ok(solver)
    }

    fn send(&mut self, text: &str) -> Result<(), String> {
        let broken = |error: &str| format!("cannot write to solver `{}`: {error}", self.command);
        let input = self.input.as_mut().ok_or_else(|| broken("its input is closed"))?;
        input.write_all(text.as_bytes()).and_then(|()| input.flush()).map_err(|error| broken(&describe(&error)))
    }

    /// Waits for the solver's next expression. Returns `None` when the search is cancelled.
    fn receive(&mut self) -> Result<Option<String>, String> {
        loop {
            match self.replies.recv_timeout(SOLVER_POLL_INTERVAL) {
                Ok(reply) => return Ok(Some(reply)),
                Err(RecvTimeoutError::Timeout) if self.interrupt.load(Ordering::Relaxed) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(format!("solver `{}` exited without an answer", self.command));
                }
            }
        }
    }

    fn ask(&mut self, terms: &Terms, wanted: &[Term]) -> Result<Answer, String> {
        let script = terms.to_smt_lib(wanted);
        // The logic is set once, at the start.
        let body = script.split_once('\n').map_or("", |(_, body)| body);
        self.send(&format!("(push 1)\n{body}"))?;
        let Some(reply) = self.receive()? else { return Ok(Answer::Unknown) };
        let answer = match reply.as_str() {
            "sat" => self.model(terms, wanted)?,
            // All assumptions together are an unsatisfiable core, if not a small one.
            "unsat" => Answer::Unsat(wanted.to_vec()),
            "unknown" | "timeout" => Answer::Unknown,
            other => return Err(format!("unexpected answer from solver `{}`: {}", self.command, other.escape_debug())),
        };
        self.send("(pop 1)\n")?;
        Ok(answer)
    }

    fn model(&mut self, terms: &Terms, wanted: &[Term]) -> Result<Answer, String> {
        let mut declared: Vec<Term> = wanted.iter().flat_map(|&t| terms.variables_of(t).to_vec()).collect();
        declared.sort_unstable();
        declared.dedup();
        if declared.is_empty() {
            return Ok(Answer::Sat(Assignment::default()));
        }
        let names: Vec<String> = declared.iter().map(|v| format!("t{}", v.index())).collect();
        self.send(&format!("(get-value ({}))\n", names.join(" ")))?;
        let Some(reply) = self.receive()? else { return Ok(Answer::Unknown) };
        let values = parse_values(&reply);
        let mut model = Assignment::default();
        for (variable, name) in declared.iter().zip(&names) {
            let value = values.get(name.as_str()).ok_or_else(|| {
                format!("no value for {name} from solver `{}`: {}", self.command, reply.escape_debug())
            })?;
            model.insert(*variable, *value);
        }
        if wanted.iter().any(|&t| terms.evaluate(t, &model) != 1) {
            return Err(format!("model from solver `{}` does not satisfy the query", self.command));
        }
        Ok(Answer::Sat(model))
    }
}

impl Backend for External {
    fn solve(&mut self, terms: &Terms, wanted: &[Term]) -> Answer {
        if self.watch.trouble().is_some() {
            return Answer::Unknown;
        }
        self.ask(terms, wanted).unwrap_or_else(|message| {
            self.watch.complain(message);
            Answer::Unknown
        })
    }
}

impl Drop for External {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Splits a stream of bytes into expressions: words, and text from a parenthesis to its partner.
struct Expressions<I> {
    bytes: I,
}

impl<I: Iterator<Item = std::io::Result<u8>>> Expressions<I> {
    fn next_expression(&mut self) -> Option<String> {
        let mut text = Vec::new();
        let mut depth = 0u32;
        let mut quoted = false;
        loop {
            let byte = self.bytes.next()?.ok()?;
            quoted ^= byte == b'"';
            match byte {
                b'(' if !quoted => depth += 1,
                b')' if !quoted => depth = depth.saturating_sub(1),
                _ if byte.is_ascii_whitespace() && text.is_empty() => continue,
                _ => {}
            }
            let word_ends = depth == 0 && !quoted && byte.is_ascii_whitespace();
            if !word_ends {
                text.push(byte);
            }
            if word_ends || (depth == 0 && byte == b')' && !quoted) {
                return Some(String::from_utf8_lossy(&text).into_owned());
            }
        }
    }
}

/// Reads `((t1 #b01) (t2 #x0f) (t3 (_ bv5 8)))`.
fn parse_values(text: &str) -> FxHashMap<&str, u128> {
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || "()".contains(c)).filter(|w| !w.is_empty()).collect();
    let mut values = FxHashMap::default();
    let mut name = None;
    for word in words {
        let value = if let Some(bits) = word.strip_prefix("#b") {
            u128::from_str_radix(bits, 2).ok()
        } else if let Some(digits) = word.strip_prefix("#x") {
            u128::from_str_radix(digits, 16).ok()
        } else {
            word.strip_prefix("bv").and_then(|digits| digits.parse().ok())
        };
        match value {
            Some(value) => {
                if let Some(name) = name.take() {
                    values.insert(name, value);
                }
            }
            None if word.starts_with('t') => name = Some(word),
            None => {}
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_split_into_expressions() {
        let text = b"sat\n((t1 #b01)\n (t2 (_ bv5 8)))\n(error \"a ) in it\")\nunsat\n";
        let mut reader = Expressions { bytes: text.iter().map(|&b| Ok(b)) };
        let mut found = Vec::new();
        while let Some(expression) = reader.next_expression() {
            found.push(expression);
        }
        assert_eq!(found, ["sat", "((t1 #b01)\n (t2 (_ bv5 8)))", "(error \"a ) in it\")", "unsat"]);
    }

    #[test]
    fn values_have_three_spellings() {
        let values = parse_values("((t1 #b101)\n (t22 #x0f) (t3 (_ bv7 8)))");
        let expected = [("t1", 5), ("t22", 15), ("t3", 7)];
        assert_eq!(values, expected.into_iter().collect());
    }

    #[test]
    fn a_missing_solver_is_named() {
        let started = External::start("no-such-solver -in", Arc::default(), Watch::default());
        assert!(started.is_err_and(|message| message.contains("no-such-solver -in")));
    }

    /// Random queries get the same answers from the embedded solver and from one that is installed.
    #[test]
    fn an_installed_solver_agrees_with_the_embedded_one() {
        let mut tried = 0;
        for command in ["z3 -in", "cvc5 --incremental --lang smt2", "bitwuzla --lang smt2"] {
            let watch = Watch::default();
            let Ok(external) = External::start(command, Arc::default(), watch.clone()) else { continue };
            tried += 1;
            let mut other = cairn_smt::Session::with_backend(Box::new(external), Arc::default());
            let mut own = cairn_smt::Session::default();
            let mut terms = Terms::new();
            let variables: Vec<Term> = (0..4).map(|_| terms.variable("v", 8)).collect();
            let mut seed = 7u64;
            let mut random = |bound: usize| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (seed >> 33) as usize % bound
            };
            for _ in 0..200 {
                let mut query = Vec::new();
                for _ in 0..3 {
                    let (a, b, c) = (variables[random(4)], variables[random(4)], variables[random(4)]);
                    let constant = terms.constant(random(256) as u128, 8);
                    let left = match random(4) {
                        0 => terms.add(a, b),
                        1 => terms.mul(a, b),
                        2 => terms.udiv(a, b),
                        _ => terms.shl(a, b),
                    };
                    let right = if random(2) == 0 { c } else { constant };
                    query.push(match random(3) {
                        0 => terms.eq(left, right),
                        1 => terms.ult(left, right),
                        _ => terms.slt(right, left),
                    });
                }
                let same = std::mem::discriminant(&own.check(&terms, &query))
                    == std::mem::discriminant(&other.check(&terms, &query));
                assert_eq!(watch.trouble(), None, "{command}");
                assert!(same, "{command} disagrees on\n{}", terms.to_smt_lib(&query));
            }
        }
        if tried == 0 {
            eprintln!("skipped: none of z3, cvc5 and bitwuzla is installed");
        }
    }
}
