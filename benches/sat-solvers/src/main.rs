//! Which SAT solver suits the queries that cairn asks? Every query that reaches the embedded solver while tasks are verified is
//! also given to CaDiCaL, below the same circuits and with the same rule for starting anew.
//!
//!     cargo run --release --manifest-path benches/sat-solvers/Cargo.toml -- [--limit SECONDS] FILE.i…
//!
//! Files are preprocessed C, taken as ILP32, and verified for memory safety. The solvers have to agree; otherwise the exit status
//! is 1. Queries are grouped by what the slower of the two took.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cairn::schedule::SCHEDULE;
use cairn_portfolio::Task;
use cairn_portfolio::engine::Goal;
use cairn_portfolio::settings::{Settings, Setup};
use cairn_portfolio::verdict::Property;
use cairn_portfolio::verify::verify;
use cairn_frontend::{Input, compile};
use cairn_ir::layout::Target;
use cairn_smt::blast::{Blaster, ClauseSink, Lit};
use cairn_smt::session::{Backend, embedded};
use cairn_smt::{Answer, Session, Term, Terms};

/// Groups of queries: up to this long.
const GROUPS: [(&str, Duration); 5] = [
    ("up to 0.1 ms", Duration::from_micros(100)),
    ("up to 1 ms", Duration::from_millis(1)),
    ("up to 10 ms", Duration::from_millis(10)),
    ("up to 100 ms", Duration::from_millis(100)),
    ("longer", Duration::MAX),
];

#[derive(Clone, Copy, Default)]
struct Group {
    queries: u64,
    batsat: Duration,
    cadical: Duration,
}

#[derive(Default)]
struct Figures {
    groups: [Group; GROUPS.len()],
    disagreements: u64,
}

/// Asks both, answers as the embedded solver does.
struct Both {
    embedded: Box<dyn Backend>,
    cadical: Cadical,
    figures: Rc<RefCell<Figures>>,
}

impl Backend for Both {
    fn solve(&mut self, terms: &Terms, wanted: &[Term]) -> Answer {
        let start = Instant::now();
        let answer = self.embedded.solve(terms, wanted);
        let batsat = start.elapsed();
        if answer == Answer::Unknown {
            return answer;
        }
        let start = Instant::now();
        let other = self.cadical.solve(terms, wanted);
        let cadical = start.elapsed();
        let mut figures = self.figures.borrow_mut();
        if other.is_some_and(|sat| sat != matches!(answer, Answer::Sat(_))) {
            figures.disagreements += 1;
        }
        let index = GROUPS.iter().position(|(_, limit)| batsat.max(cadical) <= *limit).unwrap_or(GROUPS.len() - 1);
        let group = &mut figures.groups[index];
        group.queries += 1;
        group.batsat += batsat;
        group.cadical += cadical;
        answer
    }

    fn set_conflict_budget(&mut self, conflicts: Option<u64>) {
        self.embedded.set_conflict_budget(conflicts);
    }
}

/// CaDiCaL below the blaster, as the embedded solver is.
#[derive(Default)]
struct Cadical {
    sat: Sink,
    blaster: Blaster,
    wasted: usize,
}

#[derive(Default)]
struct Sink(cadical::Solver);

impl ClauseSink for Sink {
    fn new_variable(&mut self) {}

    fn add_clause(&mut self, clause: &[Lit]) {
        if !clause.contains(&Lit::TRUE) {
            self.0.add_clause(clause.iter().filter(|&&lit| lit != Lit::FALSE).map(|&lit| literal(lit)));
        }
    }
}

fn literal(lit: Lit) -> i32 {
    let variable = i32::try_from(lit.node()).expect("fewer gates than that");
    if lit.negated() { -variable } else { variable }
}

impl Cadical {
    /// Whether the truth values can be 1 at once. A model is read as the embedded solver reads it, so that both pay for it.
    fn solve(&mut self, terms: &Terms, wanted: &[Term]) -> Option<bool> {
        let mut bits = 0;
        terms.for_subterms(wanted, |term| bits += terms.width(term) as usize);
        self.wasted += self.blaster.gates().saturating_sub(4 * bits);
        if self.wasted > 50_000.max(4 * bits) {
            *self = Self::default();
        }
        let literals: Vec<Lit> = wanted.iter().map(|&term| self.blaster.truth(terms, term, &mut self.sat)).collect();
        if literals.contains(&Lit::FALSE) {
            return Some(false);
        }
        let assumed = literals.iter().filter(|&&lit| lit != Lit::TRUE).map(|&lit| literal(lit));
        let answer = self.sat.0.solve_with(assumed);
        if answer == Some(true) {
            let mut ones = 0u32;
            terms.for_subterms(wanted, |term| {
                if let cairn_smt::term::Node::Var(_) = terms.node(term) {
                    let bits = self.blaster.bits_of(term).unwrap_or_default();
                    ones += bits.iter().map(|&bit| u32::from(self.sat.0.value(literal(bit)) == Some(true))).sum::<u32>();
                }
            });
            std::hint::black_box(ones);
        }
        answer
    }
}

fn main() {
    let mut limit = Duration::from_secs(10);
    let mut files = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--limit" => limit = Duration::from_secs(arguments.next().and_then(|s| s.parse().ok()).unwrap_or(10)),
            _ => files.push(argument),
        }
    }
    if files.is_empty() {
        eprintln!("usage: sat-solvers [--limit SECONDS] FILE.i…");
        std::process::exit(3);
    }
    let figures = Rc::new(RefCell::new(Figures::default()));
    for file in &files {
        let Ok(bytes) = std::fs::read(file) else {
            eprintln!("{file}: cannot be read");
            continue;
        };
        let input = Input { name: file.clone(), text: String::from_utf8_lossy(&bytes).into_owned() };
        let Some(program) = compile(vec![input], Target::Ilp32).program else {
            eprintln!("{file}: does not compile");
            continue;
        };
        let task = Task {
            entry: "main".to_owned(),
            properties: vec![Property::ValidDeref, Property::ValidFree, Property::ValidMemtrack],
            besides: Vec::new(),
            malloc_fails: false,
            assert_faults: false,
        };
        let cancel = Arc::new(AtomicBool::new(false));
        let (done, wait) = std::sync::mpsc::channel::<()>();
        let flag = cancel.clone();
        let watch = std::thread::spawn(move || {
            if wait.recv_timeout(limit).is_err_and(|e| e == std::sync::mpsc::RecvTimeoutError::Timeout) {
                flag.store(true, Ordering::Relaxed);
            }
        });
        let both = Both { embedded: embedded(cancel.clone()), cadical: Cadical::default(), figures: figures.clone() };
        let session = Session::with_backend(Box::new(both), cancel.clone());
        let setup = Setup::new(&program, task, Goal::FirstAnswer, Settings::default(), cancel.clone(), session);
        let _found = verify(SCHEDULE, &setup);
        drop(done);
        let _ = watch.join();
    }
    let figures = figures.borrow();
    println!("{:14} {:>8} {:>12} {:>12}", "", "queries", "batsat ms", "cadical ms");
    let milliseconds = |time: Duration| time.as_secs_f64() * 1000.0;
    let mut total = Group::default();
    for ((name, _), group) in GROUPS.iter().zip(&figures.groups) {
        let (batsat, cadical) = (milliseconds(group.batsat), milliseconds(group.cadical));
        println!("{name:14} {:>8} {batsat:>12.1} {cadical:>12.1}", group.queries);
        total.queries += group.queries;
        total.batsat += group.batsat;
        total.cadical += group.cadical;
    }
    let (batsat, cadical) = (milliseconds(total.batsat), milliseconds(total.cadical));
    println!("{:14} {:>8} {batsat:>12.1} {cadical:>12.1}", "all", total.queries);
    println!("{} disagreements", figures.disagreements);
    std::process::exit(i32::from(figures.disagreements > 0));
}
