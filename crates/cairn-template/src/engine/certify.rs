//! Certification: the invariants behind a proof are checked again on freshly built formulas.
//!
//! A proof consists of the invariants of one or several stages, each with the checks that it excludes, as data
//! ([`InvariantRecord`]). The check builds the formula of each stage again, with a term table and a solver session of its own, and asks
//! one query per loop entry and per loop body: whether some execution leads out of the invariant. The growth of the rows, their
//! bisection, the splitting of contexts and everything that the solver has learned are therefore not trusted. The encoding of the
//! program and the meaning of the rows are.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cairn_ir::{CheckId, CheckKind, Loc, Program};
use cairn_portfolio::calls::Calls;
use cairn_portfolio::certificate::{CallSiteRecord, Certificate, Claim, InvariantRecord, Method, RowRecord};
use cairn_smt::{Answer, Session, Term, Terms};

use crate::engine::staged::{Key, Templates, is_gap};
use crate::hints::hints;
use crate::limits::{CERTIFICATION_CONFLICTS, MAX_CERTIFIED_SUBJECTS, MAX_CERTIFIED_UNWINDING};
use crate::ssa::calls::context_assignment::{CallSite, Contexts};
use crate::ssa::{Formula, Obligation, Options};
use crate::synthesis::{Placed, Synthesis};
use crate::templates::rows::record;
use crate::templates::{Hints, Schema};

/// The invariant of one stage and the obligations that it excludes.
pub(super) struct Shown {
    pub(super) options: Options,
    pub(super) unwind: u32,
    pub(super) subjects: u32,
    pub(super) rows: Vec<Placed>,
    pub(super) excluded: BTreeSet<Key>,
}

impl Shown {
    /// Returns the invariant as data. Gaps are not listed, because every stage has to exclude its own.
    fn record(&self) -> InvariantRecord {
        let context = |(site, &number): (&CallSite, &u32)| CallSiteRecord {
            body: site.body,
            function: site.function,
            at: (site.block as u64, site.inst as u64),
            callee: (site.callee, number),
        };
        let row = |placed: &Placed| {
            let (form, numbers) = placed.row.record();
            let path = placed.path.iter().map(|&(index, taken)| (index as u32, taken)).collect();
            RowRecord { location: placed.schema as u32, path, form, numbers }
        };
        let proved = self.excluded.iter().filter(|(kind, _, gap, _)| gap.is_none() && *kind != CheckKind::Unsupported);
        InvariantRecord {
            unwind: self.unwind,
            is_bounded: false,
            subjects: self.subjects,
            calls: number_of(self.options.calls),
            contexts: self.options.contexts.iter().map(context).collect(),
            rows: self.rows.iter().map(row).collect(),
            proved: proved.map(|&(kind, check, _, loc)| (kind, check, loc)).collect(),
        }
    }
}

const CALLS: [Calls; 3] = [Calls::Auto, Calls::Inline, Calls::Summaries];

fn number_of(calls: Calls) -> u8 {
    CALLS.iter().position(|&known| known == calls).unwrap_or_default() as u8
}

impl Templates<'_> {
    /// Records the proof that the stages so far make up together.
    pub(super) fn record(&mut self) {
        self.recorded = std::mem::take(&mut self.shown).iter().map(Shown::record).collect();
    }

    /// Records the proof that no execution violates an obligation or exceeds the unwinding depth.
    pub(super) fn record_bounded(&mut self, unwind: u32) {
        self.recorded = vec![InvariantRecord {
            unwind,
            is_bounded: true,
            subjects: 1,
            calls: number_of(self.options.calls),
            contexts: Vec::new(),
            rows: Vec::new(),
            proved: Vec::new(),
        }];
    }

    /// Checks the recorded proof.
    pub(super) fn is_certified(&self) -> bool {
        let claim = Claim {
            engine: super::NAME.to_owned(),
            entry: self.options.entry.clone(),
            kinds: self.options.kinds.clone(),
            granted: Vec::new(),
            malloc_fails: self.options.malloc_fails,
            assert_faults: self.options.assert_faults,
            alarms: Vec::new(),
            harmless: self.assumed_harmless.iter().cloned().collect(),
            reads_uninitialised: true,
            program: None,
            method: Method::Invariants,
        };
        judge(self.program, &claim, &self.recorded, &|| self.session.fresh()).is_ok()
    }
}

/// Checks a certificate of a proof by templates.
///
/// # Errors
/// If the invariants do not prove the claim, or the solver gives up.
pub fn check(program: &Program, certificate: &Certificate, cancel: Arc<AtomicBool>) -> Result<(), String> {
    let session = Session::new(cancel);
    judge(program, &certificate.claim, &certificate.invariants, &|| session.fresh())
}

/// Checks that the invariants make up a proof together. The last one must leave no obligation open.
fn judge(
    program: &Program,
    claim: &Claim,
    records: &[InvariantRecord],
    session: &dyn Fn() -> Session,
) -> Result<(), String> {
    if !claim.granted.is_empty() || !claim.alarms.is_empty() {
        return Err(String::from("a proof by templates takes nothing for granted and leaves nothing open"));
    }
    let mut proved = BTreeSet::new();
    let mut is_complete = false;
    for record in records {
        if record.unwind > MAX_CERTIFIED_UNWINDING || record.subjects > MAX_CERTIFIED_SUBJECTS {
            return Err(String::from("unwound too often"));
        }
        let mut session = session();
        session.set_conflict_budget(Some(CERTIFICATION_CONFLICTS));
        is_complete = if record.is_bounded {
            judge_bounded(program, claim, record, &mut session)?;
            true
        } else {
            judge_stage(program, claim, record, &mut proved, &mut session)?
        };
    }
    if is_complete { Ok(()) } else { Err(String::from("not all checks are proved")) }
}

fn options_of(claim: &Claim, record: &InvariantRecord) -> Result<Options, String> {
    let mut contexts = Contexts::default();
    for site in &record.contexts {
        let (block, inst) = (site.at.0 as usize, site.at.1 as usize);
        let (callee, number) = site.callee;
        contexts.set(CallSite { body: site.body, function: site.function, block, inst, callee }, number);
    }
    let calls = CALLS.get(usize::from(record.calls)).copied().ok_or("unknown treatment of calls")?;
    let (entry, kinds) = (claim.entry.clone(), claim.kinds.clone());
    Ok(Options { entry, kinds, malloc_fails: claim.malloc_fails, assert_faults: claim.assert_faults, calls, contexts })
}

/// Checks that the claim states what a formula assumes, and is about checks that formulas answer.
fn check_claim(claim: &Claim, formula: &Formula) -> Result<(), String> {
    if let Some(name) = formula.assumed_harmless.iter().find(|name| !claim.harmless.contains(name)) {
        return Err(format!("unstated assumption: `{name}` has no effect"));
    }
    if formula.allocates && claim.kinds.iter().any(|kind| kind.is_of_the_end()) {
        return Err(String::from("templates do not answer questions about leaks"));
    }
    Ok(())
}

/// Checks one invariant, and adds the checks that it proves. Returns whether no check is left.
fn judge_stage(
    program: &Program,
    claim: &Claim,
    record: &InvariantRecord,
    proved: &mut BTreeSet<(CheckKind, Option<CheckId>, Loc)>,
    session: &mut Session,
) -> Result<bool, String> {
    let options = options_of(claim, record)?;
    let built = Formula::of(program, &options, record.unwind, record.subjects, Terms::new());
    let Ok(mut formula) = built else { return Err(String::from("no formula")) };
    check_claim(claim, &formula)?;
    let key = |o: &Obligation| (o.kind, o.check, o.loc);
    let listed: BTreeSet<_> = record.proved.iter().copied().collect();
    // Proofs of several stages may be combined if each stage covers all executions up to their first violation.
    let (own, others): (Vec<Obligation>, Vec<Obligation>) =
        std::mem::take(&mut formula.obligations).into_iter().partition(|o| is_gap(o) || listed.contains(&key(o)));
    let is_complete = others.iter().all(|o| proved.contains(&key(o)));
    let rows = rows_of(program, &formula, &record.rows).ok_or("a row that makes no sense")?;
    let hints = Hints { earlier: vec![BTreeSet::new(); formula.locations.len()], ..Hints::default() };
    let mut check = Synthesis::with_rows(&mut formula, session, &hints, rows);
    match check.is_inductive() {
        Ok(true) => {}
        Ok(false) => return Err(String::from("an execution leads out of the invariant")),
        Err(_) => return Err(String::from("out of budget")),
    }
    match check.not_excluded(own) {
        Ok(open) if open.is_empty() => {}
        Ok(open) => return Err(format!("the invariant does not exclude a violation of `{}`", open[0].kind.name())),
        Err(_) => return Err(String::from("out of budget")),
    }
    proved.extend(listed);
    Ok(is_complete)
}

/// Returns the rows of an invariant; `None` if one is no row of the formula.
fn rows_of(program: &Program, formula: &Formula, records: &[RowRecord]) -> Option<Vec<Placed>> {
    // A path is about loops before the location. The select guards of other loops differ from iteration to iteration.
    let earlier = hints(program, formula).earlier;
    let schemas: Vec<Schema> = (0..formula.locations.len()).map(|index| Schema::of(formula, index)).collect();
    let row = |row: &RowRecord| {
        let location = row.location as usize;
        let schema = schemas.get(location)?;
        let path: Vec<(usize, bool)> = row.path.iter().map(|&(index, taken)| (index as usize, taken)).collect();
        path.iter().all(|(index, _)| earlier[location].contains(index)).then_some(())?;
        let built = record::read(row.form, &row.numbers, schema, &formula.instances)?;
        Some(Placed::new(location, path, built, formula.locations[location].uses.len(), None))
    };
    records.iter().map(row).collect()
}

/// Checks that no execution violates an obligation or exceeds the unwinding depth.
fn judge_bounded(
    program: &Program,
    claim: &Claim,
    record: &InvariantRecord,
    session: &mut Session,
) -> Result<(), String> {
    let built = Formula::of_bounded(program, &options_of(claim, record)?, record.unwind, Terms::new());
    let Ok(mut formula) = built else { return Err(String::from("no formula")) };
    check_claim(claim, &formula)?;
    let bad: Vec<Term> = formula.obligations.iter().map(|o| o.bad).chain(formula.left_out.iter().copied()).collect();
    let terms = &mut formula.terms;
    let any = bad.into_iter().fold(terms.falsity(), |any, term| terms.or(any, term));
    let question: Vec<Term> = formula.bodies[0].axioms.iter().copied().chain([any]).collect();
    match session.check(&formula.terms, &question) {
        Answer::Unsat(_) => Ok(()),
        Answer::Sat(_) => Err(String::from("some execution is not covered")),
        Answer::Unknown => Err(String::from("out of budget")),
    }
}

#[cfg(test)]
mod tests {
    use cairn_frontend::{Input, compile};
    use cairn_ir::layout::Target;
    use cairn_ir::{CheckKind, Program};
    use cairn_smt::Session;

    use super::*;
    use crate::engine::Outcome;
    use crate::ssa::{Calls, Contexts};
    use crate::templates::rows::bound::Limit;

    const COUNTER: &str = "extern int __VERIFIER_nondet_int(void);
        void reach_error(void) { }
        int main(void) {
            int n = 0;
            while (__VERIFIER_nondet_int())
                if (n < 7) n++;
            if (n > 7) reach_error();
            return 0;
        }";

    fn program() -> Program {
        let input = Input { name: "counter.c".to_owned(), text: COUNTER.to_owned() };
        compile(vec![input], Target::Lp64).program.expect("the program compiles")
    }

    /// Proves the program without certification, applies `tamper` to the invariants, and returns whether they are accepted.
    fn is_accepted(tamper: impl Fn(&mut Vec<Shown>)) -> bool {
        let program = program();
        let options = Options {
            entry: "main".to_owned(),
            kinds: vec![CheckKind::Assertion],
            malloc_fails: false,
            assert_faults: false,
            calls: Calls::Auto,
            contexts: Contexts::default(),
        };
        let mut templates = Templates::new(&program, options, Session::default(), &["intervals".to_owned()])
            .expect("the template exists");
        templates.certifies = false;
        while !matches!(templates.turn(), Ok(Outcome::Proved(_))) {
            assert!(!templates.is_done(), "intervals prove the program");
            templates.try_harder();
        }
        tamper(&mut templates.shown);
        templates.record();
        templates.is_certified()
    }

    #[test]
    fn an_inductive_invariant_is_accepted() {
        assert!(is_accepted(|_| {}));
    }

    #[test]
    fn a_bound_that_does_not_hold_is_rejected() {
        assert!(!is_accepted(|shown| {
            for placed in shown.iter_mut().flat_map(|shown| &mut shown.rows) {
                if let Some(bound) = placed.row.as_bound()
                    && let Limit::AtMost(7) = bound.limit
                {
                    bound.limit = Limit::AtMost(6);
                }
            }
        }));
    }

    #[test]
    fn a_bound_that_is_too_weak_is_rejected() {
        assert!(!is_accepted(|shown| {
            for placed in shown.iter_mut().flat_map(|shown| &mut shown.rows) {
                if let Some(bound) = placed.row.as_bound()
                    && let Limit::AtMost(7) = bound.limit
                {
                    bound.limit = Limit::AtMost(8);
                }
            }
        }));
    }

    #[test]
    fn missing_rows_are_noticed() {
        assert!(!is_accepted(|shown| shown.iter_mut().for_each(|shown| shown.rows.clear())));
    }

    #[test]
    fn missing_obligations_are_noticed() {
        assert!(!is_accepted(|shown| shown.iter_mut().for_each(|shown| shown.excluded.clear())));
        assert!(!is_accepted(Vec::clear));
    }
}
