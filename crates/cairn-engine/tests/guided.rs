//! An alarm of a proof leads exploring to what it is about.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cairn_engine::portfolio::{Task, explore_within};
use cairn_engine::verdict::Property;
use cairn_frontend::{Input, compile};
use cairn_ir::CheckKind;
use cairn_ir::layout::Target;

/// Ten requests of one kind in a row, and nothing else, lead to the fault; those of the other kinds make new states without end.
const REQUESTS: &str = r#"
extern void *malloc(unsigned long);
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int data; };
int main(void) {
    struct node *list = 0;
    int row = 0;
    for (;;) {
        switch (__VERIFIER_nondet_int()) {
        case 1: {
            struct node *node = malloc(sizeof *node);
            node->next = list;
            node->data = __VERIFIER_nondet_int();
            list = node;
            row = 0;
            break;
        }
        case 2:
            if (list)
                list->data = list->data + 1;
            row = 0;
            break;
        case 3:
            row++;
            break;
        default:
            if (list)
                list = list->next;
            row = 0;
        }
        if (row == 10)
            *(int *)0 = 1;
    }
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
fn a_fault_deep_in_a_loop_is_found_along_the_way_to_the_alarm() {
    assert_eq!(found(REQUESTS, 2_000, false), None, "plain exploring finds it as soon");
    assert_eq!(found(REQUESTS, 2_000, true), Some(CheckKind::NullDeref));
}

/// The alarm is about nothing that can happen: the guide is no reason to say that it does.
#[test]
fn an_alarm_that_nothing_leads_to_stays_one() {
    let right = REQUESTS.replace("row++;", "row = 9;");
    assert_ne!(right, REQUESTS);
    assert_eq!(found(&right, 2_000, true), None);
}
