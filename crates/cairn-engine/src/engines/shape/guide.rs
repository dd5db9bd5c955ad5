//! Exploring where a proof has raised alarms. A proof that has come to its end has shown every check that it raised no alarm about;
//! so a path that can't come to an alarm any more needs no further step.

use cairn_ir::inst::Intrinsic;
use cairn_ir::{BlockId, Body, Callee, FuncId, Inst, Program};

use super::Explorer;
use super::alarm::{Alarm, Site};
use super::state::State;
use crate::granted::is_of_the_end;

/// Where to look: for each function, the blocks from which an alarm can be reached in this call or in one that it makes; nothing where
/// every path is wanted.
#[derive(Debug)]
pub struct Guide {
    leads: Option<Vec<Vec<bool>>>,
}

impl Guide {
    /// A guide to alarms, which are all that is left to decide.
    pub fn new<'a>(program: &Program, alarms: impl IntoIterator<Item = (&'a Alarm, &'a Site)>) -> Self {
        let mut sites = Vec::new();
        let mut local = !jumps(program);
        for (alarm, site) in alarms {
            local &= !is_of_the_end(alarm.kind) && site.is_some();
            sites.extend(*site);
        }
        Self { leads: local.then(|| leads(program, &sites)).flatten() }
    }
}

impl Explorer<'_> {
    /// Has the exploration look for alarms alone from now on.
    pub fn follow(&mut self, guide: Guide) {
        self.guide = Some(guide);
    }

    /// Whether a state is of use: it can come to an alarm in one of its calls, in the outer ones after the return of the inner ones.
    pub(super) fn is_wanted(&self, state: &State) -> bool {
        let Some(leads) = self.guide.as_ref().and_then(|guide| guide.leads.as_ref()) else { return true };
        state.frames.iter().any(|frame| leads[frame.function.index()][frame.block.index()])
    }
}

/// Whether a program jumps out of calls, so that the call stack does not say what follows.
fn jumps(program: &Program) -> bool {
    let is_jump = |inst: &Inst| matches!(inst, Inst::Intrinsic { op: Intrinsic::Setjmp | Intrinsic::Longjmp, .. });
    bodies(program).any(|(_, body)| body.blocks.iter().any(|block| block.insts.iter().any(is_jump)))
}

fn bodies(program: &Program) -> impl Iterator<Item = (usize, &Body)> {
    program.functions.iter().enumerate().filter_map(|(index, function)| Some((index, function.body.as_ref()?)))
}

/// For each function, the blocks from which one of the sites can be reached: the least fixpoint over blocks and calls. A call by a
/// pointer may be one of any function whose address is taken. Nothing, where a site can be reached from `exit`, which every program calls in the end.
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
    use super::super::prove::tests::program;
    use super::*;

    /// Of the functions whose name begins with `at`, those from whose start the function `wanted` can be reached in the same call.
    fn leading(text: &str) -> Option<Vec<String>> {
        let program = program(text);
        let wanted = program.function_named("wanted").expect("the program has it");
        let leads = leads(&program, &[(wanted, BlockId(0))])?;
        let named = program.functions.iter().zip(&leads).filter(|(function, _)| function.name.starts_with("at"));
        Some(named.filter(|(_, blocks)| blocks[0]).map(|(function, _)| function.name.clone()).collect())
    }

    #[test]
    fn calls_lead_on_whoever_is_called() {
        let text = "void wanted(void) {} void at1(void) { wanted(); } void at2(int n) { if (n) at1(); } void at3(void) {} \
                    int main(void) { at2(1); at3(); return 0; }";
        assert_eq!(leading(text), Some(vec!["at1".to_owned(), "at2".to_owned()]));
    }

    #[test]
    fn pointers_lead_to_what_has_an_address() {
        let calls =
            "void wanted(void) {} void (*p)(void); void at(void) { p(); } int main(void) { ADDRESS at(); return 0; }";
        assert_eq!(leading(&calls.replace("ADDRESS", "")), Some(vec![]));
        assert_eq!(leading(&calls.replace("ADDRESS", "p = wanted;")), Some(vec!["at".to_owned()]));
    }

    #[test]
    fn functions_that_call_each_other_lead_where_one_does() {
        let text = "void wanted(void) {} void at2(int); void at1(int n) { if (n) at2(n - 1); } \
                    void at2(int n) { if (n) at1(n); else wanted(); } int main(void) { at1(3); return 0; }";
        assert_eq!(leading(text), Some(vec!["at1".to_owned(), "at2".to_owned()]));
    }

    #[test]
    fn what_lies_behind_does_not_lead_and_loops_do() {
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
        // The first loop, and what is behind it.
        assert!(counts[0] >= 2 && counts[1] >= 2, "{counts:?}");
    }

    #[test]
    fn what_runs_at_the_end_can_always_be_reached() {
        let text = "int atexit(void (*)(void)); void wanted(void) {} int main(void) { atexit(wanted); return 0; }";
        assert_eq!(leading(text), None);
    }
}
