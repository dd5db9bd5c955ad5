//! Certificates of proofs: the check of every proof, and `cairn verify-certificate`.

use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use cairn_certificate::limits::{COST_RATIO, MIN_BUDGET, PATHS_COST_RATIO};
use cairn_certificate::{Budget, check};
use cairn_frontend::Overflow;
use cairn_frontend::library::{Face, ReallocZero, Unmodelled};
use cairn_ir::Program;
use cairn_portfolio::certificate::{Certificate, Method, fingerprint};
use cairn_portfolio::settings::Certifier;
use cairn_template::engine::check_certificate;

use crate::arguments::{COptions, CertifyName, SolverArguments, VerifyCertificateArguments};
use crate::exit::Exit;
use crate::program::{self, Source};
use crate::system::files;
use crate::system::supervise::Guard;
use crate::system::terminal::{self, Terminal};

/// Returns the checker of proofs that the arguments ask for; it adds its time to `spent`.
pub(crate) fn chosen(
    arguments: &SolverArguments,
    cancel: &Arc<AtomicBool>,
    spent: &Rc<Cell<Duration>>,
) -> Option<Certifier> {
    if arguments.certify == CertifyName::Never {
        return None;
    }
    let (checker, spent) = (certifier(cancel.clone()), Rc::clone(spent));
    Some(Certifier(Rc::new(move |program, certificate, cost| {
        let started = Instant::now();
        let outcome = (checker.0)(program, certificate, cost);
        spent.set(spent.get() + started.elapsed());
        outcome
    })))
}

/// Returns the checker of proofs.
pub fn certifier(cancel: Arc<AtomicBool>) -> Certifier {
    Certifier(Rc::new(move |program, certificate, cost| {
        let ratio = match certificate.claim.method {
            Method::States => COST_RATIO,
            Method::Paths => PATHS_COST_RATIO,
            Method::Invariants => return check_certificate(program, certificate, cancel.clone()),
        };
        let budget = Budget { effort: cost.max(MIN_BUDGET).saturating_mul(ratio), cancel: cancel.clone() };
        check(program, certificate, &budget).map(|_| ()).map_err(|rejection| rejection.to_string())
    }))
}

/// Writes the certificate of a proof.
pub(crate) fn write(file: &Path, certificate: Option<&Certificate>, program: &Program) -> Result<(), String> {
    let Some(certificate) = certificate else {
        return Err(String::from("no certificate written: the engine that found the proof gives none"));
    };
    let mut certificate = certificate.clone();
    certificate.claim.program = Some(fingerprint(program));
    files::write(file, &certificate.to_text())
}

/// How a command prepares a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Preparation {
    /// `cairn svcomp`, with the operations that are checked for overflow.
    Svcomp(Overflow),
    /// `cairn check`, with a treatment of `realloc(p, 0)`.
    Check(ReallocZero),
}

/// The ways in which commands prepare the programs of their proofs.
const PREPARATIONS: [Preparation; 4] = [
    Preparation::Svcomp(Overflow::Unchecked),
    Preparation::Svcomp(Overflow::Signed),
    Preparation::Check(ReallocZero::Any),
    Preparation::Check(ReallocZero::Glibc),
];

impl Preparation {
    fn options(self, c: &COptions) -> cairn_frontend::Options {
        let mut options = cairn_frontend::Options { face: Face::World, ..c.into() };
        match self {
            Preparation::Svcomp(overflow) => options.overflow = overflow,
            Preparation::Check(realloc_zero) => {
                (options.realloc_zero, options.unmodelled) = (realloc_zero, Unmodelled::UnknownInLibraries);
            }
        }
        options
    }

    fn finish(self, program: &mut Program) {
        if matches!(self, Preparation::Check(_)) {
            cairn_ir::passes::end_in_main::run(program);
        }
    }
}

/// `cairn verify-certificate`: checks a certificate that another process has written.
pub(crate) fn verify(arguments: &VerifyCertificateArguments, guard: &Guard, terminal: &Terminal) -> Exit {
    guard.limit(arguments.time_limit, None);
    let text = match files::read(&arguments.certificate) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(message) => {
            terminal.error(&message);
            return Exit::Failure;
        }
    };
    let certificate = match Certificate::from_text(&text) {
        Ok(certificate) => certificate,
        Err(damaged) => {
            terminal.error(&format!("{}: {damaged}", arguments.certificate.display()));
            return Exit::Failure;
        }
    };
    let claim = &certificate.claim;
    let sources = Source::all(&arguments.files, &arguments.c);
    let mut loaded = None;
    for preparation in PREPARATIONS {
        let frontend = preparation.options(&arguments.c);
        let Some(mut found) = program::load_with(&sources, frontend, guard, terminal) else { return Exit::Failure };
        preparation.finish(&mut found.program);
        let is_same = claim.program.is_none_or(|known| known == fingerprint(&found.program));
        if is_same || loaded.is_none() {
            loaded = Some((found, is_same));
        }
        if is_same {
            break;
        }
    }
    let Some((loaded, is_same)) = loaded else { return Exit::Failure };
    if !is_same {
        terminal.warning("certificate was written for another program or with other options");
    }
    let judged = match claim.method {
        Method::Invariants => check_certificate(&loaded.program, &certificate, guard.cancel()).map(|()| None),
        Method::States | Method::Paths => {
            let budget = Budget { effort: u64::MAX, cancel: guard.cancel() };
            check(&loaded.program, &certificate, &budget).map(Some).map_err(|rejection| rejection.to_string())
        }
    };
    match judged {
        Ok(work) => {
            let list =
                |kinds: &[cairn_ir::CheckKind]| kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(" ");
            let mut text = format!("VERIFIED\nentry: {}\nchecks: {}\n", claim.entry, list(&claim.kinds));
            if !claim.granted.is_empty() {
                text.push_str(&format!("assumption: no violation of {}\n", list(&claim.granted)));
            }
            for name in &claim.harmless {
                text.push_str(&format!("assumption: `{name}` has no effect\n"));
            }
            if !claim.malloc_fails {
                text.push_str("assumption: allocations succeed\n");
            }
            for alarm in &claim.alarms {
                text.push_str(&format!("open: {alarm}\n"));
            }
            match work {
                Some(work) => text.push_str(&format!("blocks: {}, entailments: {}\n", work.blocks, work.entailments)),
                None => text.push_str(&format!("invariants: {}\n", certificate.invariants.len())),
            }
            terminal::print(text.as_bytes());
            Exit::Fine
        }
        Err(rejection) => {
            terminal::print(format!("REJECTED({rejection})\n").as_bytes());
            Exit::Undecided
        }
    }
}
