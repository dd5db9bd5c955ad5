//! Guided exploration: follows only paths that can still reach an alarm of a proof.
//!
//! A proof that has terminated has proved every check without an alarm. A path that cannot reach an alarm any more
//! therefore need not be explored.

use cairn_ir::inst::Intrinsic;
use cairn_ir::{BlockId, Body, Callee, FuncId, Inst, Program};

use crate::{Explorer, State};
use cairn_portfolio::alarm::{Alarm, Site};

/// The blocks of each function from which an alarm can be reached, in the same call or in a call that it makes.
///
/// `None` stands for all blocks.
#[derive(Debug)]
pub struct Guide {
    leads: Option<Vec<Vec<bool>>>,
}

impl Guide {
    /// Creates a guide to alarms, which are the only checks left to decide.
    pub fn new<'a>(program: &Program, alarms: impl IntoIterator<Item = (&'a Alarm, &'a Site)>) -> Self {
        let mut sites = Vec::new();
        let mut local = !jumps(program);
        for (alarm, site) in alarms {
            local &= !alarm.kind.is_of_the_end() && site.is_some();
            sites.extend(*site);
        }
        Self { leads: local.then(|| leads(program, &sites)).flatten() }
    }
}

impl Explorer<'_> {
    /// Restricts the exploration to paths that can reach the alarms of a guide.
    pub fn follow(&mut self, guide: Guide) {
        self.guide = Some(guide);
    }

    /// Returns whether a state can still reach an alarm in one of its calls.
    ///
    /// An outer call continues after the inner ones have returned, so every frame counts.
    pub(super) fn is_wanted(&self, state: &State) -> bool {
        let Some(leads) = self.guide.as_ref().and_then(|guide| guide.leads.as_ref()) else { return true };
        state.frames.iter().any(|frame| leads[frame.function.index()][frame.block.index()])
    }
}

/// Returns whether a program uses `setjmp`, so that the call stack does not determine the continuation.
fn jumps(program: &Program) -> bool {
    let is_jump = |inst: &Inst| matches!(inst, Inst::Intrinsic { op: Intrinsic::Setjmp | Intrinsic::Longjmp, .. });
    bodies(program).any(|(_, body)| body.blocks.iter().any(|block| block.insts.iter().any(is_jump)))
}

fn bodies(program: &Program) -> impl Iterator<Item = (usize, &Body)> {
    program.functions.iter().enumerate().filter_map(|(index, function)| Some((index, function.body.as_ref()?)))
}

/// Returns the blocks of each function from which one of the sites can be reached.
///
/// This is the least fixpoint over blocks and calls. A call through a pointer may enter any function whose address is
/// taken. Returns `None` if a site can be reached from `exit`, which every program calls in the end.
fn leads(program: &Program, sites: &[(FuncId, BlockId)]) -> Option<Vec<Vec<bool>>> {
    let blocks = |function: &cairn_ir::Function| function.body.as_ref().map_or(0, |body| body.blocks.len());
    let mut leads: Vec<Vec<bool>> = program.functions.iter().map(|f| vec![false; blocks(f)]).collect();
    for &(function, block) in sites {
        leads[function.index()][block.index()] = true;
    }
    let addressed: Vec<usize> =
        (0..).zip(program.addressed()).filter_map(|(index, taken)| taken.then_some(index)).collect();
    let enters = |leads: &[Vec<bool>], callee: usize| leads[callee].first() == Some(&true);
    let mut changed = true;
    while changed {
        changed = false;
        for (index, body) in bodies(program) {
            for (number, block) in body.blocks.iter().enumerate().rev() {
                if leads[index][number] {
                    continue;
                }
                let mut found = block.insts.iter().any(|inst| match inst {
                    Inst::Call(call) => match call.callee {
                        Callee::Function(callee) => enters(&leads, callee.index()),
                        Callee::Pointer(_) => addressed.iter().any(|&callee| enters(&leads, callee)),
                    },
                    _ => false,
                });
                block.end.for_successors(&mut |next| found |= leads[index][next.index()]);
                leads[index][number] = found;
                changed |= found;
            }
        }
    }
    let exit = program.function_named("exit");
    exit.is_none_or(|exit| !enters(&leads, exit.index())).then_some(leads)
}

#[cfg(test)]
mod tests {
    use cairn_frontend::{Input, compile};
    use cairn_ir::layout::Target;

    use super::*;

    fn program(text: &str) -> Program {
        let compilation = compile(vec![Input { name: "test.c".to_owned(), text: text.to_owned() }], Target::Lp64);
        compilation.program.unwrap_or_else(|| panic!("{:?}", compilation.diagnostics))
    }

    /// Returns the functions named `at…` from whose entry `wanted` can be reached within the same call.
    fn leading(text: &str) -> Option<Vec<String>> {
        let program = program(text);
        let wanted = program.function_named("wanted").expect("the program has it");
        let leads = leads(&program, &[(wanted, BlockId(0))])?;
        let named = program.functions.iter().zip(&leads).filter(|(function, _)| function.name.starts_with("at"));
        Some(named.filter(|(_, blocks)| blocks[0]).map(|(function, _)| function.name.clone()).collect())
    }

    #[test]
    fn calls_lead_to_sites_in_callees() {
        let text = "void wanted(void) {} void at1(void) { wanted(); } void at2(int n) { if (n) at1(); } void at3(void) {} \
                    int main(void) { at2(1); at3(); return 0; }";
        assert_eq!(leading(text), Some(vec!["at1".to_owned(), "at2".to_owned()]));
    }

    #[test]
    fn calls_through_pointers_lead_to_addressed_functions() {
        let calls =
            "void wanted(void) {} void (*p)(void); void at(void) { p(); } int main(void) { ADDRESS at(); return 0; }";
        assert_eq!(leading(&calls.replace("ADDRESS", "")), Some(vec![]));
        assert_eq!(leading(&calls.replace("ADDRESS", "p = wanted;")), Some(vec!["at".to_owned()]));
    }

    #[test]
    fn mutual_recursion_leads_to_the_sites_of_both_functions() {
        let text = "void wanted(void) {} void at2(int); void at1(int n) { if (n) at2(n - 1); } \
                    void at2(int n) { if (n) at1(n); else wanted(); } int main(void) { at1(3); return 0; }";
        assert_eq!(leading(text), Some(vec!["at1".to_owned(), "at2".to_owned()]));
    }

    #[test]
    fn loops_lead_back_but_code_after_a_site_does_not() {
        let program = program(
            "int nd(void); void wanted(void) {} int main(void) { while (nd()) { wanted(); nd(); } while (nd()) nd(); return 0; }",
        );
        let (wanted, main) = (program.function_named("wanted").unwrap(), program.function_named("main").unwrap());
        let leads = leads(&program, &[(wanted, BlockId(0))]).expect("nothing runs at the end");
        let body = program.functions[main.index()].body.as_ref().unwrap();
        let mut counts = [0, 0];
        for (block, &leads) in body.blocks.iter().zip(&leads[main.index()]) {
            let calls = block
                .insts
                .iter()
                .any(|inst| matches!(inst, Inst::Call(call) if call.callee == Callee::Function(wanted)));
            assert!(leads || !calls);
            counts[usize::from(leads)] += 1;
        }
        // The first loop and the code after it.
        assert!(counts[0] >= 2 && counts[1] >= 2, "{counts:?}");
    }

    #[test]
    fn exit_handlers_can_always_be_reached() {
        let text = "int atexit(void (*)(void)); void wanted(void) {} int main(void) { atexit(wanted); return 0; }";
        assert_eq!(leading(text), None);
    }
}
