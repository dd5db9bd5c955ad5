//! Data-structure integrity for any graph, function by function (papers/shape-neutral).
//!
//! `types` reads the struct declarations, `theory` makes rules of them, `execute` computes strongest postconditions from one
//! cut-point to the next (entry, exit, loop heads, calls), `cut` states the conditions there and weakens what loops assume until
//! it is inductive. `report` is what comes out.
//!
//! What *proved* means: whatever valid graph a function is given, accesses stay inside of nodes, variables and blocks (M), and the
//! graph is valid again at calls and at the end (D). As in the paper, an access through null stops the program, what was freed
//! (or went out of scope) is not used, and a callee (also one that is not there) is taken to keep the graph valid; it is checked itself.

mod access;
mod ahead;
mod allocators;
mod bytes;
mod call;
mod checker;
mod contracts;
mod cut;
mod elements;
mod entry;
mod execute;
mod filled;
mod invariant;
mod path;
mod picture;
mod replay;
mod report;
mod state;
mod tags;
mod theory;
mod types;

pub use allocators::{Allocator, Deallocator};
pub use replay::refute;
pub use report::{FunctionReport, GraphNode, Report, Status, Violation};

use cairn_ir::program::Linkage;
use cairn_ir::{Callee, FuncId, Inst, Operand, Program};

use checker::Checker;
use contracts::Contracts;
use tags::Demands;
use theory::Theory;
use types::NodeTypes;

/// How the engine looks at a program.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Every allocation is taken to be zero-initialised (the paper's `zmalloc`).
    pub zero_allocation: bool,
    /// Functions that return new memory, beside those that are known.
    pub allocators: Vec<Allocator>,
    /// Functions that take memory back, beside those that are known.
    pub deallocators: Vec<Deallocator>,
    /// How many turns loops make at most that only the graph bounds; without it, any number.
    pub longest_path: Option<u32>,
}

/// What the whole program says about a function.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Summary {
    /// It has no loops and is small enough to be executed in place.
    pub small: bool,
    /// It is small and only computes, without a branch: nothing is in memory, and nobody is called.
    pub pure: bool,
    /// All of its loops count to a constant, and it is not long: it is executed in place where it may initialise what it is given.
    pub short: bool,
    /// It returns memory that is not (fully) initialised: what it does is seen in its callers.
    pub in_callers: bool,
    /// Others than the functions of this program may call it.
    pub open: bool,
}

/// What is asked, and everything that the answers depend on.
pub(crate) struct Asked<'a, 'p> {
    program: &'p Program,
    types: &'a mut NodeTypes<'p>,
    theory: &'a Theory,
    summaries: &'a [Summary],
    options: &'a Options,
    stop: &'a dyn Fn() -> bool,
}

impl<'p> Asked<'_, 'p> {
    /// The same once more.
    fn again(&mut self) -> Asked<'_, 'p> {
        Asked { types: self.types, ..*self }
    }
}

/// How often everything is executed anew because the code shows more about its cells.
const ROUNDS: usize = 6;

/// Checks every function of a program. `stop` is asked now and then.
pub fn check(program: &Program, options: &Options, stop: &dyn Fn() -> bool) -> Report {
    let mut types = NodeTypes::new(program);
    collect(program, &mut types);
    let strangers = strangers(program);
    let mut demands = Demands::default();
    let mut report;
    let mut rounds = 0;
    let none = Contracts::default();
    loop {
        let theory = Theory::new(&types, &demands.maps);
        let mut summaries = summarise(program);
        report = Report::default();
        let mut models = Vec::new();
        let mut more = false;
        for id in order(program) {
            if program.functions[id.index()].origin == cairn_ir::program::Origin::Model || strangers[id.index()] {
                continue;
            }
            let asked = Asked { program, types: &mut types, theory: &theory, summaries: &summaries, options, stop };
            let checker = Checker::new(asked, &none);
            let (checked, found) = checker.function(id);
            summaries[id.index()].in_callers = checked.in_callers;
            more |= demands.join(found.demands);
            report.functions.push(checked);
            models.push(found.inputs);
        }
        if !more {
            let asked = Asked { program, types: &mut types, theory: &theory, summaries: &summaries, options, stop };
            for (checked, found) in contracts::infer(asked, &report.functions).into_iter().flatten() {
                more |= demands.join(found.demands);
                // Who is safe whatever is passed relies on nothing.
                let same = |known: &FunctionReport| known.function == checked.function && !known.is_safe();
                if let Some(at) = report.functions.iter().position(same) {
                    report.functions[at] = checked;
                    models[at] = found.inputs;
                }
            }
        }
        rounds += 1;
        if more && rounds < ROUNDS && !stop() {
            demands.apply(&mut types);
            continue;
        }
        if !report.functions.iter().any(FunctionReport::is_doubted) {
            break;
        }
        let staged = replay::with_stranger(program);
        for (index, inputs) in models.iter().enumerate() {
            let mut checked = report.functions[index].clone();
            if !checked.is_doubted() {
                continue;
            }
            let id = checked.function;
            let open = summaries[id.index()].open || contracts::count_calls(program, id) == 0;
            replay::confirm(&staged, &mut types, options, &mut checked, inputs, (&report.functions, open), stop);
            report.functions[index] = checked;
        }
        break;
    }
    report.functions.sort_by_key(|function| function.function);
    report.assumptions = assumptions(program, options);
    report.demands = demands;
    report
}

/// The rules that the declarations of a program give, with the tags that its code shows, as text.
pub fn rules(program: &Program, options: &Options, stop: &dyn Fn() -> bool) -> String {
    let demands = check(program, options, stop).demands;
    let mut types = NodeTypes::new(program);
    collect(program, &mut types);
    demands.apply(&mut types);
    Theory::new(&types, &demands.maps).rules.print()
}

/// Makes the node types of everything that the functions of the user declare.
fn collect(program: &Program, types: &mut NodeTypes<'_>) {
    use cairn_ir::ctype::Type;
    let signature = |ty: Option<cairn_ir::ctype::TypeId>, types: &mut NodeTypes<'_>| {
        if let Some(Type::Function(function)) = ty.map(|ty| program.types.get(ty)) {
            for &ty in function.params.iter().chain([&function.ret.ty]) {
                types.pointee(ty);
                if !matches!(program.types.get(ty), Type::Pointer(_)) {
                    types.of(ty);
                }
            }
        }
    };
    for global in &program.globals {
        global.ctype.map(|ty| types.of(ty));
    }
    for function in &program.functions {
        if function.origin == cairn_ir::program::Origin::Model {
            continue;
        }
        let Some(body) = &function.body else { continue };
        signature(body.ctypes.function, types);
        for ty in body.ctypes.regs.iter().flatten() {
            types.pointee(*ty);
        }
        for ty in body.ctypes.slots.iter().flatten() {
            types.of(*ty);
            types.pointee(*ty);
        }
        for inst in body.blocks.iter().flat_map(|block| &block.insts) {
            if let Inst::Call(call) = inst {
                signature(call.ctype, types);
            }
        }
    }
}

fn callees(program: &Program, id: FuncId) -> Vec<FuncId> {
    let insts = program.functions[id.index()].body.iter().flat_map(|body| &body.blocks).flat_map(|block| &block.insts);
    insts
        .filter_map(|inst| match inst {
            Inst::Call(call) => match call.callee {
                Callee::Function(callee) => Some(callee),
                Callee::Pointer(_) => None,
            },
            _ => None,
        })
        .collect()
}

/// Functions with bodies, callees before their callers where there is no recursion.
fn order(program: &Program) -> Vec<FuncId> {
    let mut out = Vec::new();
    let mut seen = vec![false; program.functions.len()];
    for root in 0..program.functions.len() {
        let mut stack = vec![(FuncId::new(root), false)];
        while let Some((id, done)) = stack.pop() {
            if done {
                out.push(id);
            } else if !std::mem::replace(&mut seen[id.index()], true) && program.functions[id.index()].body.is_some() {
                stack.push((id, true));
                stack.extend(callees(program, id).into_iter().map(|callee| (callee, false)));
            }
        }
    }
    out
}

fn summarise(program: &Program) -> Vec<Summary> {
    /// A function with more instructions than this is not executed in place of its calls.
    const SMALL: usize = 60;
    const SHORT: usize = 200;
    let mut summaries = vec![Summary::default(); program.functions.len()];
    for (index, function) in program.functions.iter().enumerate() {
        let Some(body) = &function.body else { continue };
        let count: usize = body.blocks.iter().map(|block| block.insts.len()).sum();
        // Blocks are numbered in reverse postorder: a jump that does not go forward closes a loop.
        let mut heads = Vec::new();
        for (number, block) in body.blocks.iter().enumerate() {
            block.end.for_successors(&mut |next| heads.extend((next.index() <= number).then_some(next.index())));
        }
        summaries[index].small = count <= SMALL && heads.is_empty();
        let computes = |inst: &Inst| {
            let computes = matches!(
                inst,
                Inst::Move { .. }
                    | Inst::Binary { .. }
                    | Inst::Compare { .. }
                    | Inst::Convert { .. }
                    | Inst::PtrAdd { .. }
            );
            computes || matches!(inst, Inst::Unary { .. } | Inst::Undef { .. } | Inst::Enter(_) | Inst::Leave(_))
        };
        let mut insts = body.blocks.iter().flat_map(|block| &block.insts);
        summaries[index].pure =
            summaries[index].small && body.blocks.len() == 1 && body.slots.is_empty() && insts.all(computes);
        summaries[index].short = count <= SHORT && heads.iter().all(|&head| path::counts_to_a_constant(body, head));
        summaries[index].open = function.linkage == Linkage::External;
    }
    let bodies = (0..program.functions.len()).map(FuncId::new);
    for id in bodies.flat_map(|id| mentioned_in(program, id)).chain(mentioned_in_globals(program)) {
        summaries[id.index()].open = true;
    }
    summaries
}

/// Functions whose address is taken in a body.
fn mentioned_in(program: &Program, id: FuncId) -> Vec<FuncId> {
    let mut out = Vec::new();
    let mut mark = |operand: Operand| {
        if let Operand::Function(id) = operand {
            out.push(id);
        }
    };
    for block in program.functions[id.index()].body.iter().flat_map(|body| &body.blocks) {
        block.insts.iter().for_each(|inst| inst.for_operands(&mut mark));
        block.end.for_operands(&mut mark);
    }
    out
}

/// Functions whose address is in a global variable.
fn mentioned_in_globals(program: &Program) -> impl Iterator<Item = FuncId> {
    program.globals.iter().flat_map(|global| &global.relocations).filter_map(|relocation| match relocation.target {
        cairn_ir::program::Symbol::Function(id) => Some(id),
        _ => None,
    })
}

/// Functions that headers bring along and nobody here uses: not visible outside, from a file in which nothing is visible
/// outside, and not reached from anything else.
fn strangers(program: &Program) -> Vec<bool> {
    let ids = || (0..program.functions.len()).map(FuncId::new);
    let at = |id: FuncId| &program.functions[id.index()];
    let open = |id: FuncId| at(id).body.is_some() && at(id).linkage == Linkage::External;
    let own: Vec<_> = ids().filter(|&id| open(id)).map(|id| at(id).loc.file).collect();
    let mut waiting: Vec<FuncId> = ids().filter(|&id| own.is_empty() || own.contains(&at(id).loc.file)).collect();
    waiting.extend(mentioned_in_globals(program));
    let mut strange = vec![true; program.functions.len()];
    while let Some(id) = waiting.pop() {
        if std::mem::replace(&mut strange[id.index()], false) {
            waiting.extend(callees(program, id));
            waiting.extend(mentioned_in(program, id));
        }
    }
    strange
}

fn assumptions(program: &Program, options: &Options) -> Vec<String> {
    let mut names: Vec<&str> = Vec::new();
    let mut allocators: Vec<&str> = Vec::new();
    for id in (0..program.functions.len()).map(FuncId::new) {
        for callee in callees(program, id) {
            let function = &program.functions[callee.index()];
            if allocators::allocator(program, &options.allocators, callee).is_some() {
                allocators.push(&function.name);
            } else if function.body.is_none() || function.origin == cairn_ir::program::Origin::Model {
                names.push(&function.name);
            }
        }
    }
    names.sort_unstable();
    names.dedup();
    let mut out = vec![
        "an access through a null pointer stops the program".to_owned(),
        "memory is not used after it was freed, or its variable is gone".to_owned(),
    ];
    if let Some(turns) = options.longest_path {
        out.push(format!("an index that counts the turns of a loop which only the graph bounds is at most {turns}"));
    }
    allocators.sort_unstable();
    allocators.dedup();
    if !allocators.is_empty() {
        out.push(format!("what is returned is new memory of the size asked for, or null: {}", allocators.join(", ")));
    }
    if !names.is_empty() {
        out.push(format!("functions without a body here keep graphs valid: {}", names.join(", ")));
    }
    out
}
