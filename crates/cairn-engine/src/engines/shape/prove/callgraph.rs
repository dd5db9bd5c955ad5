//! Who calls whom: which functions can come back to themselves, which globals a call can touch, and which calls may not be taken out
//! of their surroundings.

use cairn_ir::inst::Intrinsic;
use cairn_ir::program::{Origin, Symbol};
use cairn_ir::{Callee, FuncId, GlobalId, Inst, Operand, Program};
use rustc_hash::FxHashSet;

/// What is known of one function and of everything that it calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Calls {
    /// Whether it can be called again before it has returned.
    pub(super) recursive: bool,
    /// Whether it can be analysed without its callers: it never jumps out of itself.
    pub(super) alone: bool,
    /// The globals that it mentions.
    pub(super) globals: FxHashSet<GlobalId>,
    /// Whether it, or something that it calls, has a loop.
    pub(super) loops: bool,
    /// How many calls of it the program has, those by a pointer not counted.
    pub(super) sites: usize,
}

/// What one body mentions.
#[derive(Default)]
struct Mentions {
    callees: FxHashSet<usize>,
    sites: Vec<usize>,
    calls_pointers: bool,
    globals: FxHashSet<GlobalId>,
    jumps: bool,
}

/// The calls of every function of a program, and of those that have a loop.
pub(super) fn calls(program: &Program, has_loop: impl Fn(FuncId) -> bool) -> Vec<Calls> {
    let mut all: Vec<Mentions> = Vec::with_capacity(program.functions.len());
    let mut addressed: FxHashSet<usize> = FxHashSet::default();
    for function in &program.functions {
        let mut mentions = Mentions::default();
        for block in function.body.iter().flat_map(|body| &body.blocks) {
            let mut operand = |operand: Operand| match operand {
                Operand::Global(id) => {
                    mentions.globals.insert(id);
                }
                Operand::Function(id) => {
                    addressed.insert(id.index());
                }
                _ => {}
            };
            block.insts.iter().for_each(|inst| inst.for_operands(&mut operand));
            block.end.for_operands(&mut operand);
            for inst in &block.insts {
                match inst {
                    Inst::Call(call) => match call.callee {
                        Callee::Function(id) => {
                            mentions.callees.insert(id.index());
                            mentions.sites.push(id.index());
                        }
                        Callee::Pointer(_) => mentions.calls_pointers = true,
                    },
                    Inst::Intrinsic { op: Intrinsic::Setjmp | Intrinsic::Longjmp, .. } => mentions.jumps = true,
                    _ => {}
                }
            }
        }
        all.push(mentions);
    }
    for relocation in program.globals.iter().flat_map(|global| &global.relocations) {
        if let Symbol::Function(id) = relocation.target {
            addressed.insert(id.index());
        }
    }
    // Where a pointer is called, any function whose address is taken may be.
    for mentions in all.iter_mut().filter(|mentions| mentions.calls_pointers) {
        mentions.callees.extend(&addressed);
    }
    let jumps = all.iter().any(|mentions| mentions.jumps);
    let of = |index: usize| {
        let mut reached: FxHashSet<usize> = FxHashSet::default();
        let mut waiting: Vec<usize> = all[index].callees.iter().copied().collect();
        while let Some(callee) = waiting.pop() {
            if reached.insert(callee) {
                waiting.extend(&all[callee].callees);
            }
        }
        let recursive = reached.contains(&index);
        reached.insert(index);
        let user = program.functions[index].origin == Origin::User;
        let globals = reached.iter().flat_map(|&callee| &all[callee].globals).copied().collect();
        let loops = reached.iter().any(|&callee| has_loop(FuncId::new(callee)));
        let sites = all.iter().flat_map(|mentions| &mentions.sites).filter(|&&site| site == index).count();
        Calls { recursive, alone: user && !jumps, globals, loops, sites }
    };
    (0..all.len()).map(of).collect()
}

/// The calls of a function.
pub(super) fn of(calls: &[Calls], function: FuncId) -> Option<&Calls> {
    calls.get(function.index())
}
