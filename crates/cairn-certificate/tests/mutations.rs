//! Certificates of proofs are accepted; damaged ones and those of other programs are not.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cairn_certificate::{Budget, Rejection, check};
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

fn judge(program: &Program, certificate: &Certificate) -> Result<(), Rejection> {
    let budget = Budget { effort: 3_000, cancel: Arc::new(AtomicBool::new(false)) };
    check(program, certificate, &budget).map(|_| ())
}

#[test]
fn certificates_of_proofs_are_accepted_and_say_nothing_about_other_programs() {
    for (text, right, wrong) in PAIRS {
        let good = program(text, right);
        let proof = certificate(&good).unwrap_or_else(|| panic!("not proved: {text}"));
        assert_eq!(judge(&good, &proof), Ok(()), "{text}");
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

/// Damages a certificate. Returns the kind of damage, or `None` if there was nothing to damage.
fn mutate(certificate: &mut Certificate, random: &mut Random) -> Option<&'static str> {
    let kind = random.below(16);
    let terms = certificate.terms.len();
    if kind == 0 {
        let place = random.below(certificate.places.len());
        let states = &mut certificate.places.get_mut(place)?.states;
        if states.is_empty() {
            return None;
        }
        states.remove(random.below(states.len()));
        return Some("a state is dropped");
    }
    if kind == 1 {
        let index = random.below(terms);
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

/// Damages certificates so often; returns how many were rejected, and describes those that were accepted.
fn damaged(rounds: usize) -> (usize, Vec<String>) {
    let mut random = Random(1);
    let cases: Vec<(Program, Program, Certificate)> = PAIRS
        .iter()
        .map(|(text, right, wrong)| {
            let good = program(text, right);
            let proof = certificate(&good).expect("proved");
            (good, program(text, wrong), proof)
        })
        .collect();
    let (mut rejected, mut accepted, mut done) = (0, Vec::new(), 0);
    while done < rounds {
        let (good, bad, proof) = &cases[random.below(cases.len())];
        let mut mutant = proof.clone();
        let Some(kind) = mutate(&mut mutant, &mut random) else { continue };
        if mutant == *proof {
            continue;
        }
        done += 1;
        // Whatever the damage, a certificate never proves a program that is wrong.
        assert!(judge(bad, &mutant).is_err(), "{kind}: a wrong program is proved");
        match judge(good, &mutant) {
            Ok(()) => accepted.push(kind.to_owned()),
            Err(_) => rejected += 1,
        }
    }
    (rejected, accepted)
}

#[test]
fn damaged_certificates_prove_nothing_wrong() {
    let (rejected, accepted) = damaged(150);
    assert!(rejected >= 75, "accepted: {accepted:?}");
}

/// The whole sweep, for `scripts/mutate-certificates`.
#[test]
#[ignore = "takes minutes"]
fn many_damaged_certificates_prove_nothing_wrong() {
    let (rejected, mut accepted) = damaged(10_000);
    accepted.sort_unstable();
    let count = accepted.len();
    let mut kinds: Vec<(usize, String)> = Vec::new();
    for kind in accepted {
        match kinds.last_mut() {
            Some((count, known)) if *known == kind => *count += 1,
            _ => kinds.push((1, kind)),
        }
    }
    println!("{rejected} of 10000 rejected; {count} still prove the right program: {kinds:?}");
}
