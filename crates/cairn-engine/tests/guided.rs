//! Exploring along the way to an alarm of a proof: what it finds is there.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cairn_engine::portfolio::{Task, explore_within};
use cairn_engine::verdict::Property;
use cairn_frontend::{Input, compile};
use cairn_ir::CheckKind;
use cairn_ir::layout::Target;

/// Twenty requests of two kinds in turns, and nothing else, lead to the fault; those of the other kinds make new states without end.
const REQUESTS: &str = r#"
extern int __VERIFIER_nondet_int(void);
int main(void) {
    unsigned noise = 0;
    int row = 0;
    while (noise != 77) {
        switch (__VERIFIER_nondet_int()) {
        case 1:
            row = row % 2 == 0 ? row + 1 : 0;
            break;
        case 2:
            row = row % 2 == 1 ? row + 1 : 0;
            break;
        case 3:
            noise += __VERIFIER_nondet_int();
            row = 0;
            break;
        case 4:
            noise ^= __VERIFIER_nondet_int();
            row = 0;
            break;
        default:
            noise = noise * 3 + 1;
            row = 0;
        }
        if (row == 20)
            *(int *)0 = 1;
    }
    return 0;
}
"#;

fn found(text: &str, states: u64, guided: bool) -> Option<CheckKind> {
    let input = Input { name: "requests.c".to_owned(), text: text.to_owned() };
    let program = compile(vec![input], Target::Lp64).program.expect("the program compiles");
    let task = Task {
        entry: "main".to_owned(),
        properties: vec![Property::ValidDeref, Property::ValidFree],
        besides: Vec::new(),
        malloc_fails: false,
        assert_faults: false,
    };
    let cancel = Arc::new(AtomicBool::new(false));
    let violation = explore_within(&program, &task, states, guided, &cancel).expect("there is a main function");
    violation.map(|violation| violation.fault.kind)
}

#[test]
fn a_fault_is_found_along_the_way_to_the_alarm_and_without() {
    let shallow = REQUESTS.replace("row == 20", "row == 3");
    for guided in [false, true] {
        assert_eq!(found(&shallow, 20_000, guided), Some(CheckKind::NullDeref), "guided: {guided}");
    }
}

/// The alarm is about nothing that can happen: the guide is no reason to say that it does.
#[test]
fn an_alarm_that_nothing_leads_to_stays_one() {
    let right = REQUESTS.replace("row % 2 == 1 ? row + 1 : 0", "row % 2 == 1 ? 6 : 0");
    assert_ne!(right, REQUESTS);
    assert_eq!(found(&right, 1_000, true), None);
}
