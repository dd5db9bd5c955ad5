//! Certificates of proofs are accepted; damaged ones and those of other programs are not.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cairn_certificate::{Budget, Rejection, Work, check, covers_proof};
use cairn_exec::Options;
use cairn_exec::limits::MAX_WAITING;
use cairn_exec::reach::{self, Ended, Order, Reach};
use cairn_frontend::{Input, compile};
use cairn_ir::Program;
use cairn_ir::layout::Target;
use cairn_portfolio::Task;
use cairn_portfolio::certificate::{Certificate, Claim, Method, StateRecord, TermRecord};
use cairn_portfolio::verdict::Property;
use cairn_prove::Prover;
use cairn_smt::Session;

const LIST: &str = "
    void *malloc(unsigned long); void free(void *); extern int __VERIFIER_nondet_int(void);
    struct node { struct node *next; int *data; };";

/// Programs with a part that is right and one that is wrong, with the same control flow.
const PAIRS: &[(&str, &str, &str)] = &[
    (
        "int main(void) { struct node *list = 0;
            while (__VERIFIER_nondet_int()) {
                struct node *n = malloc(sizeof *n); n->data = malloc(SIZE); *n->data = 1; n->next = list; list = n; }
            while (list) { struct node *n = list->next; free(list->data); free(list); list = n; } return 0; }",
        "sizeof(int)",
        "2",
    ),
    (
        "int main(void) { struct node *list = 0; int *shared = malloc(sizeof(int));
            while (__VERIFIER_nondet_int()) {
                struct node *n = malloc(sizeof *n); int *own = malloc(sizeof(int)); n->data = OWN; free(OTHER);
                n->next = list; list = n; }
            while (list) { struct node *n = list->next; free(list->data); free(list); list = n; }
            free(shared); return 0; }",
        "OWN=own OTHER=0",
        "OWN=shared OTHER=own",
    ),
    (
        "static void release(struct node *n) { if (n) { release(n->next); free(n->data); free(WHAT); } }
         int main(void) { struct node *list = 0;
            while (__VERIFIER_nondet_int()) {
                struct node *n = malloc(sizeof *n); n->data = 0; n->next = list; list = n; }
            release(list); return 0; }",
        "WHAT=n",
        "WHAT=n->data",
    ),
    (
        "static struct node *push(struct node *list) { struct node *n = malloc(sizeof *n); n->next = LINK; n->data = 0; return n; }
         int main(void) { struct node *a = 0, *b = 0;
            while (__VERIFIER_nondet_int()) { a = push(a); b = push(b); b = push(b); }
            while (a) { struct node *n = a->next; free(a); a = n; }
            while (b) { struct node *n = b->next; free(b); b = n; } return 0; }",
        "LINK=list",
        "LINK=0",
    ),
    (
        "int main(void) { int a[8]; int i; for (i = 0; i < LIMIT; i++) a[i] = i; return a[3]; }",
        "LIMIT=8",
        "LIMIT=9",
    ),
];

fn program(text: &str, choice: &str) -> Program {
    let mut text = format!("{LIST}{text}");
    if choice.contains('=') {
        for (name, value) in choice.split(' ').filter_map(|part| part.split_once('=')) {
            text = text.replace(name, value);
        }
    } else {
        text = text.replace("SIZE", choice);
    }
    let compilation = compile(vec![Input { name: "test.c".to_owned(), text }], Target::Lp64);
    compilation.program.unwrap_or_else(|| panic!("{:?}", compilation.diagnostics))
}

fn task() -> Task {
    Task {
        entry: "main".to_owned(),
        properties: vec![Property::ValidDeref, Property::ValidFree, Property::ValidMemtrack],
        besides: Vec::new(),
        malloc_fails: false,
        assert_faults: false,
    }
}

/// Returns the certificate of a program, if the prover proves it.
fn certificate(program: &Program) -> Option<Certificate> {
    let cancel = Arc::new(AtomicBool::new(false));
    let mut prover = Prover::new(program, Options::of(&task()), Session::new(cancel.clone())).ok()?;
    let mut reach = Reach::new(&mut prover, Order::Ranked);
    let budget = reach::Budget { states: 100_000, waiting: MAX_WAITING, cancel };
    if reach.run(&mut prover, &budget) != Ended::Complete || prover.trouble().is_some() {
        return None;
    }
    let mut claim = Claim::of("prove", &task(), Method::States);
    claim.harmless = prover.lattice.machine.assumed_harmless.iter().cloned().collect();
    claim.reads_uninitialised = prover.lattice.machine.reads_uninitialised();
    Some(prover.certificate(claim, reach.reached()))
}

fn judge(program: &Program, certificate: &Certificate) -> Result<Work, Rejection> {
    let budget = Budget { effort: 3_000, cancel: Arc::new(AtomicBool::new(false)) };
    check(program, certificate, &budget)
}

#[test]
fn certificates_of_proofs_are_accepted_and_say_nothing_about_other_programs() {
    for (text, right, wrong) in PAIRS {
        let good = program(text, right);
        let proof = certificate(&good).unwrap_or_else(|| panic!("not proved: {text}"));
        assert!(judge(&good, &proof).is_ok(), "{text}: {:?}", judge(&good, &proof));
        let bad = program(text, wrong);
        assert!(certificate(&bad).is_none(), "proved: {text}");
        assert!(judge(&bad, &proof).is_err(), "{text}");
    }
}

#[test]
fn the_text_form_leads_back_to_the_certificate() {
    for (text, right, _) in PAIRS {
        let proof = certificate(&program(text, right)).expect("proved");
        let written = proof.to_text();
        assert_eq!(Certificate::from_text(&written), Ok(proof));
        // A text that ends early, or whose words are others, is an error or another certificate, never a panic.
        for cut in (0..written.len()).step_by(written.len() / 50 + 1) {
            assert!(Certificate::from_text(&written[..cut]).is_err());
        }
        let words: Vec<&str> = written.split(' ').collect();
        for index in (1..words.len()).step_by(words.len() / 40 + 1) {
            let mut words = words.clone();
            words[index] = "99999999";
            if let Ok(other) = Certificate::from_text(&words.join(" ")) {
                let _ = judge(&program(text, right), &other);
            }
        }
    }
}

/// A pseudo-random sequence: numbers by a linear congruence, of which the upper bits are used.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit.max(1)
    }
}

/// All states of a certificate.
fn states(certificate: &mut Certificate) -> Vec<&mut StateRecord> {
    let places = certificate.places.iter_mut().flat_map(|place| &mut place.states);
    let entries = certificate.contexts.iter_mut().map(|context| &mut context.entry);
    places.chain(entries).chain(certificate.calls.iter_mut().map(|call| &mut call.calling)).collect()
}

/// The parts of a certificate that its check needs. Damage to other parts changes nothing.
struct Needed {
    /// The states, by their position in [`states`].
    states: Vec<bool>,
    /// The terms of these states.
    terms: Vec<bool>,
}

impl Needed {
    fn of(certificate: &Certificate, states_used: Vec<bool>) -> Self {
        let mut needed = Self { states: states_used, terms: vec![false; certificate.terms.len()] };
        let mut copy = certificate.clone();
        let used = needed.states.clone();
        for (state, _) in states(&mut copy).into_iter().zip(used).filter(|(_, used)| *used) {
            terms_of(state).into_iter().for_each(|term| needed.mark(certificate, term));
        }
        for call in &certificate.calls {
            call.cut.iter().for_each(|&term| needed.mark(certificate, term));
        }
        needed
    }

    fn mark(&mut self, certificate: &Certificate, term: u32) {
        if std::mem::replace(&mut self.terms[term as usize], true) {
            return;
        }
        match &certificate.terms[term as usize] {
            TermRecord::Constant(..) | TermRecord::Variable(..) | TermRecord::Fixed(_) | TermRecord::Label(..) => {}
            TermRecord::Sum(_, _, parts) => parts.iter().for_each(|part| self.mark(certificate, part.0)),
            TermRecord::Binary(_, a, b) => [a, b].into_iter().for_each(|part| self.mark(certificate, *part)),
            TermRecord::Not(a) | TermRecord::SignExtend(a, _) | TermRecord::Extract(a, _, _) => {
                self.mark(certificate, *a)
            }
            TermRecord::Ite(c, a, b) => [c, a, b].into_iter().for_each(|part| self.mark(certificate, *part)),
        }
    }
}

/// Returns the terms of a state.
fn terms_of(state: &StateRecord) -> Vec<u32> {
    let mut terms: Vec<u32> = state.frames.iter().flat_map(|frame| frame.regs.iter().map(|pair| pair.1)).collect();
    for object in &state.objects {
        terms.extend([object.base, object.size]);
        terms.extend(object.cells.iter().map(|cell| cell.1));
        terms.extend(object.indexed.iter().flat_map(|indexed| [indexed.0, indexed.1]));
        if let Some(segment) = &object.segment {
            terms.extend(segment.locals.iter().chain(&segment.links).chain(&segment.back_link).chain(&segment.fork));
            terms.extend([segment.next, segment.length]);
            terms.extend(segment.back.iter().flat_map(|back| std::iter::once(back.0).chain(back.1)));
            terms.extend(segment.sequences.iter().flat_map(|sequence| [sequence.2, sequence.3]));
        }
    }
    terms.extend(state.conditions.iter().chain(state.cut.iter().map(|carried| &carried.0)));
    terms
}

/// Damages a part of a certificate that its check needs. Returns the kind of damage, or `None` if there was nothing to damage.
fn mutate(certificate: &mut Certificate, needed: &Needed, random: &mut Random) -> Option<&'static str> {
    let kind = random.below(16);
    let terms = certificate.terms.len();
    if kind == 0 {
        let place = random.below(certificate.places.len());
        let before: usize = certificate.places[..place].iter().map(|place| place.states.len()).sum();
        let states = &mut certificate.places.get_mut(place)?.states;
        let state = random.below(states.len());
        if !*needed.states.get(before + state)? {
            return None;
        }
        states.remove((state < states.len()).then_some(state)?);
        return Some("a state is dropped");
    }
    if kind == 1 {
        let index = random.below(terms);
        if !needed.terms[index] {
            return None;
        }
        let TermRecord::Constant(width, bits) = certificate.terms[index] else { return None };
        certificate.terms[index] = TermRecord::Constant(width, bits.wrapping_add(1) & (u128::MAX >> (128 - width)));
        return Some("a constant is changed");
    }
    if kind == 2 {
        let index = random.below(certificate.calls.len());
        let call = certificate.calls.get_mut(index)?;
        if call.footprint.is_empty() {
            return None;
        }
        call.footprint.remove(random.below(call.footprint.len()));
        return Some("an object of a footprint is dropped");
    }
    if kind == 3 {
        let index = random.below(certificate.calls.len());
        let call = certificate.calls.get_mut(index)?;
        let value = random.below(call.cut.len());
        *call.cut.get_mut(value)? = random.below(terms) as u32;
        return Some("a value of a cut is changed");
    }
    let mut states = states(certificate);
    let index = random.below(states.len());
    if !*needed.states.get(index)? {
        return None;
    }
    let state = states.get_mut(index)?;
    let object = random.below(state.objects.len());
    let condition = random.below(state.conditions.len());
    match kind {
        4 => {
            state.objects.remove((object < state.objects.len()).then_some(object)?);
            Some("an object is dropped")
        }
        5 => {
            let segment = state.objects.iter_mut().find_map(|object| object.segment.as_mut())?;
            segment.min += 1;
            Some("a segment is longer")
        }
        6 => {
            let segment = state.objects.iter_mut().find_map(|object| object.segment.as_mut())?;
            segment.length = random.below(terms) as u32;
            Some("a segment has another length")
        }
        7 => {
            let segment = state.objects.iter_mut().find_map(|object| object.segment.as_mut())?;
            segment.owned.pop()?;
            Some("a node owns less")
        }
        8 => {
            let cells = &mut state.objects.get_mut(object)?.cells;
            let cell = random.below(cells.len());
            cells.get_mut(cell)?.1 = random.below(terms) as u32;
            Some("a cell has another value")
        }
        9 => {
            let cells = &mut state.objects.get_mut(object)?.cells;
            let cell = random.below(cells.len());
            cells.get_mut(cell)?.0 += 8;
            Some("a cell is elsewhere")
        }
        10 => {
            let end = &mut state.objects.get_mut(object)?.end;
            *end = if *end == 0 { 1 } else { 0 };
            Some("an object has ended")
        }
        11 => {
            state.objects.get_mut(object)?.size = random.below(terms) as u32;
            Some("an object has another size")
        }
        12 => {
            let frame = state.frames.last_mut()?;
            let register = random.below(frame.regs.len());
            frame.regs.get_mut(register)?.1 = random.below(terms) as u32;
            Some("a register has another value")
        }
        13 => {
            *state.conditions.get_mut(condition)? = random.below(terms) as u32;
            Some("a condition is another one")
        }
        14 => {
            let segment = state.objects.iter_mut().find_map(|object| object.segment.as_mut())?;
            segment.next = random.below(terms) as u32;
            Some("a segment ends elsewhere")
        }
        _ => {
            let carried = random.below(state.cut.len());
            let role = &mut state.cut.get_mut(carried)?.1;
            *role = (*role + 1) % 3;
            Some("a carried value has another role")
        }
    }
}

/// What came of damaged certificates.
#[derive(Default)]
struct Sweep {
    rejected: usize,
    /// The number of certificates that are accepted, and stand for all states of the original proof.
    equivalent: usize,
    /// The kinds of damage that leave another proof of the same program.
    others: Vec<&'static str>,
}

/// Damages certificates so often.
fn damaged(rounds: usize) -> Sweep {
    let mut random = Random(1);
    let cases: Vec<(Program, Program, Certificate, Needed)> = PAIRS
        .iter()
        .map(|(text, right, wrong)| {
            let good = program(text, right);
            let proof = certificate(&good).expect("proved");
            let needed = Needed::of(&proof, judge(&good, &proof).expect("accepted").used);
            (good, program(text, wrong), proof, needed)
        })
        .collect();
    let (mut sweep, mut done) = (Sweep::default(), 0);
    while done < rounds {
        let (good, bad, proof, needed) = &cases[random.below(cases.len())];
        let mut mutant = proof.clone();
        let Some(kind) = mutate(&mut mutant, needed, &mut random) else { continue };
        if mutant == *proof {
            continue;
        }
        done += 1;
        // Whatever the damage, a certificate never proves a program that is wrong.
        assert!(judge(bad, &mutant).is_err(), "{kind}: a wrong program is proved");
        match judge(good, &mutant) {
            Err(_) => sweep.rejected += 1,
            Ok(_) if covers_proof(good, proof, &mutant) => sweep.equivalent += 1,
            Ok(_) => sweep.others.push(kind),
        }
    }
    sweep
}

#[test]
fn damaged_certificates_prove_nothing_wrong() {
    let sweep = damaged(150);
    assert!(sweep.rejected >= 75, "another proof: {:?}", sweep.others);
}

/// The whole sweep, for `scripts/mutate-certificates`.
#[test]
#[ignore = "takes minutes"]
fn many_damaged_certificates_prove_nothing_wrong() {
    let rounds = 10_000;
    let Sweep { rejected, equivalent, others } = damaged(rounds);
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    others.iter().for_each(|kind| *kinds.entry(kind).or_default() += 1);
    println!(
        "{rejected} of {rounds} rejected, {equivalent} equivalent; {} are another proof of the right program: {kinds:?}",
        others.len()
    );
    assert!(100 * (rejected + equivalent) >= 99 * rounds);
}
