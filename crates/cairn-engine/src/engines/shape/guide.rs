//! Exploring where a proof has raised alarms. A proof that has come to its end has shown every check that it raised no alarm about;
//! so a path that can't come to an alarm any more needs no further step. And of those that can, the ones that stay on the blocks by
//! which the proof came to its alarms go first.

use cairn_ir::inst::Intrinsic;
use cairn_ir::{BlockId, Body, Callee, FuncId, Inst, Program};
use rustc_hash::FxHashMap;

use super::Explorer;
use super::alarm::{Alarm, Way};
use super::state::State;
use crate::granted::is_of_the_end;

/// Where to look.
#[derive(Debug)]
pub struct Guide {
    /// For each function that the ways to the alarms lead through, the blocks that they take.
    ways: FxHashMap<FuncId, Vec<bool>>,
    /// For each function, the blocks from which an alarm can be reached in this call or in one that it makes; nothing where every
    /// path is wanted.
    leads: Option<Vec<Vec<bool>>>,
}

impl Guide {
    /// A guide to alarms. When they are `all` that is left to decide, what can't lead to one is not wanted.
    pub fn new<'a>(program: &Program, alarms: impl IntoIterator<Item = (&'a Alarm, &'a Way)>, all: bool) -> Self {
        let mut ways: FxHashMap<FuncId, Vec<bool>> = FxHashMap::default();
        let mut places = Vec::new();
        let mut local = all && !jumps(program);
        for (alarm, way) in alarms {
            local &= !is_of_the_end(alarm.kind);
            places.push(way.place);
            for &(function, block) in way.trail.iter().chain([&way.place]) {
                if let Some(body) = &program.functions[function.index()].body {
                    ways.entry(function).or_insert_with(|| vec![false; body.blocks.len()])[block.index()] = true;
                }
            }
        }
        Self { ways, leads: local.then(|| leads(program, &places)).flatten() }
    }

    /// Whether a block is on the way. In functions that no way leads through, nothing is known.
    fn is_on_the_way(&self, function: FuncId, block: BlockId) -> bool {
        self.ways.get(&function).is_none_or(|blocks| blocks[block.index()])
    }

    /// Whether a state can come to an alarm: in one of its calls, the outer ones after the return of the inner ones.
    fn can_lead(&self, state: &State) -> bool {
        let Some(leads) = &self.leads else { return true };
        state.frames.iter().any(|frame| leads[frame.function.index()][frame.block.index()])
    }
}

impl Explorer<'_> {
    /// Has the exploration look for alarms from now on.
    pub fn follow(&mut self, guide: Guide) {
        self.guide = Some(guide);
    }

    /// Notes that a state comes to a block, and says whether it is of use there.
    pub(super) fn is_wanted(&self, state: &mut State, block: BlockId) -> bool {
        let function = state.top().function;
        if self.proving {
            state.trail.push((function, block));
        }
        let Some(guide) = &self.guide else { return true };
        state.strayed += u32::from(!guide.is_on_the_way(function, block));
        guide.can_lead(state)
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

/// For each function, the blocks from which one of the places can be reached: the least fixpoint over blocks and calls. A call by a
/// pointer may be one of any function whose address is taken. Nothing, where a place can be reached from `exit`, which every program calls in the end.
fn leads(program: &Program, places: &[(FuncId, BlockId)]) -> Option<Vec<Vec<bool>>> {
    let blocks = |function: &cairn_ir::Function| function.body.as_ref().map_or(0, |body| body.blocks.len());
    let mut leads: Vec<Vec<bool>> = program.functions.iter().map(|f| vec![false; blocks(f)]).collect();
    for &(function, block) in places {
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
