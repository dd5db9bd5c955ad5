//! The targets: each takes bytes and panics if cairn breaks a law.
//!
//! The laws are: no input makes a reader panic, a text that was printed is read back, the verifier of the IR accepts what the front-end
//! makes, and no execution contradicts a verdict.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cairn_certificate::Budget;
use cairn_frontend::symbol::Interner;
use cairn_frontend::{Input, compile, lex};
use cairn_interpret::{Ending, Host};
use cairn_ir::layout::Target;
use cairn_ir::{Loc, Program, Ty};
use cairn_portfolio::Task;
use cairn_portfolio::certificate::Certificate;
use cairn_portfolio::engine::Goal;
use cairn_portfolio::settings::{Engines, Settings, Setup};
use cairn_portfolio::verdict::{Property, Verdict};
use cairn_portfolio::verify::verify;
use cairn_sl::script::{Assertions, Command};
use cairn_smt::Session;

use super::generate;

/// A target.
pub type Run = fn(&[u8]);

/// All targets by name.
pub const ALL: [(&str, Run); 17] = [
    ("plain", plain),
    ("lex", lex),
    ("frontend", frontend),
    ("ir", ir),
    ("sl_read", sl_read),
    ("sl_decide", sl_decide),
    ("property", property),
    ("inputs", inputs),
    ("witness", witness),
    ("task", task),
    ("certificate", certificate),
    ("settings", settings),
    ("database", database),
    ("log", log),
    ("report", report),
    ("program", program),
    ("generated", generated),
];

/// Splits a text into tokens.
pub fn lex(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    lex::lex(&text, 0, &mut Interner::default(), &mut Vec::new());
}

/// Expands a text without a preprocessor. The expansion keeps the lines.
pub fn plain(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Some(expanded) = cairn_frontend::plain::without_preprocessor(&text) {
        let lines = |text: &str| text.matches('\n').count();
        assert_eq!(lines(&expanded), lines(&text));
    }
}

/// Compiles a text. The first byte chooses the data model.
pub fn frontend(data: &[u8]) {
    if let Some(program) = compiled(data) {
        assert_eq!(cairn_ir::verify::verify(&program), Vec::<String>::new());
        assert_is_read_back(&program);
    }
}

/// Reads the text form of the IR.
pub fn ir(data: &[u8]) {
    if let Ok(program) = cairn_ir::parse::parse(&String::from_utf8_lossy(data)) {
        assert_is_read_back(&program);
        // The verifier must survive any program that can be written down.
        cairn_ir::verify::verify(&program);
    }
}

/// Reads a script of separation logic.
pub fn sl_read(data: &[u8]) {
    let _ = cairn_sl::read::read(&String::from_utf8_lossy(data));
}

/// Runs a script of separation logic, within a small budget.
pub fn sl_decide(data: &[u8]) {
    let Ok(script) = cairn_sl::read::read(&String::from_utf8_lossy(data)) else { return };
    let budget = cairn_sl::Budget::new(SL_STEPS, Arc::default());
    let mut assertions = Assertions::default();
    for command in &script.commands {
        match command {
            Command::CheckSat => {
                cairn_sl::decide::decide(&script.signature, assertions.formulas(), &budget);
            }
            Command::GetModel => {}
            Command::Assert(_) | Command::Push(_) | Command::Pop(_) => assertions.run(command),
        }
    }
}

/// Reads a property file of SV-COMP.
pub fn property(data: &[u8]) {
    cairn::fuzzing::property_file(&String::from_utf8_lossy(data));
}

/// Reads a file of inputs for `cairn run`.
pub fn inputs(data: &[u8]) {
    cairn::fuzzing::input_file(&String::from_utf8_lossy(data));
}

/// Reads the settings of a project.
pub fn settings(data: &[u8]) {
    cairn::fuzzing::settings(&String::from_utf8_lossy(data));
}

/// Reads a compilation database. No option that is taken over can execute or write anything.
pub fn database(data: &[u8]) {
    cairn::fuzzing::database(data);
}

/// Reads a SARIF log.
pub fn log(data: &[u8]) {
    cairn::fuzzing::log(&String::from_utf8_lossy(data));
}

/// Reads a report and a baseline.
pub fn report(data: &[u8]) {
    cairn::fuzzing::report(&String::from_utf8_lossy(data));
}

/// Reads a witness.
pub fn witness(data: &[u8]) {
    let _ = cairn_witness::read::read(&String::from_utf8_lossy(data));
}

/// Reads a task definition.
pub fn task(data: &[u8]) {
    let _ = cairn_witness::task_definition::read(&String::from_utf8_lossy(data));
}

/// Reads a certificate. Its text form leads back to it, and it does not prove a program that is wrong.
pub fn certificate(data: &[u8]) {
    let Ok(certificate) = Certificate::from_text(&String::from_utf8_lossy(data)) else { return };
    assert_eq!(Certificate::from_text(&certificate.to_text()).as_ref(), Ok(&certificate));
    let input = Input { name: "fuzz.i".to_owned(), text: FREES_TWICE.to_owned() };
    let Some(program) = compile(vec![input], Target::Lp64).program else { return };
    let properties = vec![Property::ValidDeref, Property::ValidFree, Property::ValidMemtrack];
    let task =
        Task { entry: "main".to_owned(), properties, besides: Vec::new(), malloc_fails: false, assert_faults: false };
    let budget = Budget { effort: CHECKED_BLOCKS, cancel: Arc::new(AtomicBool::new(false)) };
    let judged = cairn_certificate::check(&program, &certificate, &budget);
    let claim = &certificate.claim;
    assert!(judged.is_err() || !claim.granted.is_empty() || !claim.is_about(&task, &[]), "a wrong program is proved");
}

/// A program that frees the data of each node twice if there is more than one node.
const FREES_TWICE: &str = "
    void *malloc(unsigned long); void free(void *); extern int __VERIFIER_nondet_int(void);
    struct node { struct node *next; int *data; };
    int main(void) { struct node *list = 0; int *data = malloc(4);
        while (__VERIFIER_nondet_int()) {
            struct node *n = malloc(sizeof *n); n->data = data; n->next = list; list = n; }
        while (list) { struct node *n = list->next; free(list->data); free(list); list = n; data = 0; }
        free(data); return 0; }";

/// Compiles a text, verifies the program, and compares the verdict with one execution.
pub fn program(data: &[u8]) {
    let Some(program) = compiled(data) else { return };
    let Some(main) = program.function_named("main") else { return };
    if program.functions[main.index()].body.is_none() {
        return;
    }
    let properties = [Property::ValidDeref, Property::ValidFree];
    let task = Task {
        entry: "main".to_owned(),
        properties: properties.to_vec(),
        besides: Vec::new(),
        malloc_fails: false,
        assert_faults: false,
    };
    let cancel = Arc::new(AtomicBool::new(false));
    let settings = Settings { last_round: Some(STATES), ..Settings::default() };
    let session = Session::new(cancel.clone());
    let setup = Setup::new(&program, task, Goal::FirstAnswer, settings, cancel, session);
    let Ok(found) = verify(cairn::schedule::SCHEDULE, &setup) else { return };
    assert!(found.failures.is_empty(), "{:?}", found.failures);
    if matches!(found.verdict, Verdict::True) {
        let options = cairn_interpret::Options {
            max_steps: Some(EXECUTED_STEPS),
            max_memory: EXECUTED_MEMORY,
            leftovers: Some(Default::default()),
            assert_faults: false,
            error_faults: false,
            undefined_names_hold_anything: true,
            ..cairn_interpret::Options::default()
        };
        let Ok(outcome) = cairn_interpret::run(&program, &options, &mut Zeros) else { return };
        if let Ending::Fault(fault) = outcome.ending {
            let property = Property::of(fault.kind);
            assert!(
                property.is_none_or(|p| !properties.contains(&p)),
                "TRUE, but an execution fails: {}",
                fault.message
            );
        }
    }
}

/// Verifies the generated program of a seed, and compares the verdict with executions.
pub fn generated(data: &[u8]) {
    let mut seed = [0; 8];
    seed.iter_mut().zip(data).for_each(|(to, from)| *to = *from);
    if let Err(broken) = generate::judge(u64::from_le_bytes(seed), 3, STATES, Engines::All) {
        panic!("{broken}");
    }
}

/// States that a verification may step: enough for all engines to take part.
const STATES: u64 = 5_000;

/// Blocks and queries of the check of a certificate.
const CHECKED_BLOCKS: u64 = 2_000;

/// Steps of a decision of separation logic.
const SL_STEPS: u64 = 3_000;

/// Instructions and bytes of an execution.
const EXECUTED_STEPS: u64 = 50_000;
const EXECUTED_MEMORY: u64 = 16 << 20;

fn compiled(data: &[u8]) -> Option<Program> {
    let (model, text) = data.split_first()?;
    let target = if model % 2 == 0 { Target::Lp64 } else { Target::Ilp32 };
    let text = String::from_utf8_lossy(text).into_owned();
    compile(vec![Input { name: "fuzz.i".to_owned(), text }], target).program
}

fn assert_is_read_back(program: &Program) {
    let printed = cairn_ir::print::print(program);
    let again = cairn_ir::parse::parse(&printed).map(|program| cairn_ir::print::print(&program));
    assert_eq!(again.as_deref(), Ok(printed.as_str()), "the text form is read back");
}

/// A world in which every input is 0.
struct Zeros;

impl Host for Zeros {
    fn write(&mut self, _: i32, _: &[u8]) {}

    fn read_byte(&mut self) -> Option<u8> {
        None
    }

    fn nondet(&mut self, _: Ty, _: Loc) -> Option<u128> {
        Some(0)
    }

    fn allocation_fails(&mut self, _: u64) -> bool {
        false
    }

    fn time(&mut self) -> i64 {
        0
    }

    fn clock(&mut self) -> i64 {
        0
    }
}
