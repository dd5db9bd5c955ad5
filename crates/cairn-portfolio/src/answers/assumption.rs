//! Assumptions: facts that answers rest on without a proof.
//!
//! A function without a definition is assumed to return any value and to do nothing else. The checks that an execution can reach
//! after a call of such a function rest on this assumption. Other checks do not.

use std::collections::BTreeSet;
use std::ops::Range;

use cairn_ir::passes::symbols::block_checks;
use cairn_ir::program::Block;
use cairn_ir::{Callee, CheckId, FuncId, Inst, Intrinsic, Program, Terminator};

/// The prefix of functions without a body whose call in a library model states an assumption.
pub const STATED: &str = "__cairn_assuming_";

/// Returns the assumption about a function without a definition, in words.
pub fn about(function: &str) -> String {
    match function.strip_prefix(STATED) {
        Some(fact) => fact.replace('_', " "),
        None => format!("`{function}` only returns"),
    }
}

/// Returns the checks that an execution can reach after a call of one of the functions.
///
/// The granularity is a block: a check before the call in the same block counts, too.
pub fn checks_after(program: &Program, functions: &BTreeSet<String>) -> BTreeSet<CheckId> {
    let mut search = Search::new(program);
    let is_assumed = |callee: FuncId| functions.contains(&program.functions[callee.index()].name);
    for site in search.sites() {
        let calls = search.block(site).map_or(0, |block| block.insts.len());
        if let Some(first) = (0..calls).find(|&at| search.callees(site, at..at + 1).into_iter().any(is_assumed)) {
            search.called_in.insert(site);
            search.go_on(site, first + 1);
        }
    }
    search.run();
    search.checks()
}

/// Returns whether a block contains an intrinsic.
fn has(block: &Block, wanted: Intrinsic) -> bool {
    block.insts.iter().any(|inst| matches!(inst, Inst::Intrinsic { op, .. } if *op == wanted))
}

/// A block of a function.
type Site = (usize, usize);

/// A search forward through the blocks of a program, into and out of calls.
struct Search<'p> {
    program: &'p Program,
    /// The functions whose address is taken.
    addressed: Vec<FuncId>,
    /// The blocks that may call each function.
    callers: Vec<Vec<Site>>,
    /// The blocks that call `setjmp`.
    jump_targets: Vec<Site>,
    reached: BTreeSet<Site>,
    /// The blocks that call one of the functions.
    called_in: BTreeSet<Site>,
    waiting: Vec<Site>,
}

impl<'p> Search<'p> {
    fn new(program: &'p Program) -> Self {
        let addressed = program.addressed();
        let addressed = (0..addressed.len()).filter(|&index| addressed[index]).map(FuncId::new).collect();
        let callers = vec![Vec::new(); program.functions.len()];
        let mut search = Self {
            program,
            addressed,
            callers,
            jump_targets: Vec::new(),
            reached: BTreeSet::new(),
            called_in: BTreeSet::new(),
            waiting: Vec::new(),
        };
        for site in search.sites() {
            if search.block(site).is_some_and(|block| has(block, Intrinsic::Setjmp)) {
                search.jump_targets.push(site);
            }
            for callee in search.callees(site, 0..usize::MAX) {
                search.callers[callee.index()].push(site);
            }
        }
        search
    }

    /// Returns all blocks.
    fn sites(&self) -> Vec<Site> {
        let blocks = |index: usize| self.program.functions[index].body.as_ref().map_or(0, |body| body.blocks.len());
        (0..self.program.functions.len())
            .flat_map(|index| (0..blocks(index)).map(move |block| (index, block)))
            .collect()
    }

    fn block(&self, (function, block): Site) -> Option<&'p Block> {
        self.program.functions[function].body.as_ref()?.blocks.get(block)
    }

    /// Returns the functions that some instructions of a block may call.
    fn callees(&self, site: Site, range: Range<usize>) -> Vec<FuncId> {
        let mut found = Vec::new();
        let insts = self.block(site).into_iter().flat_map(|block| &block.insts);
        for inst in insts.take(range.end).skip(range.start) {
            let Inst::Call(call) = inst else { continue };
            match call.callee {
                Callee::Function(id) => found.push(id),
                Callee::Pointer(_) => found.extend(&self.addressed),
            }
        }
        found
    }

    fn reach(&mut self, site: Site) {
        if self.reached.insert(site) {
            self.waiting.push(site);
        }
    }

    fn run(&mut self) {
        while let Some(site) = self.waiting.pop() {
            self.go_on(site, 0);
        }
    }

    /// Reaches the blocks that can follow from an instruction of a block.
    fn go_on(&mut self, site: Site, from: usize) {
        let Some(block) = self.block(site) else { return };
        let callees = self.callees(site, from..usize::MAX);
        let mut next: Vec<Site> = callees.into_iter().map(|callee| (callee.index(), 0)).collect();
        block.end.for_successors(&mut |successor| next.push((site.0, successor.index())));
        if matches!(block.end, Terminator::Return(_)) {
            next.extend(&self.callers[site.0]);
            // The program ends with a call of `exit`.
            next.extend(self.program.function_named("exit").map(|exit| (exit.index(), 0)));
        }
        if has(block, Intrinsic::Longjmp) {
            next.extend(self.jump_targets.iter().copied());
        }
        next.into_iter().for_each(|site| self.reach(site));
    }

    fn checks(&self) -> BTreeSet<CheckId> {
        let mut found = BTreeSet::new();
        for block in self.reached.union(&self.called_in).filter_map(|&site| self.block(site)) {
            block_checks(&mut block.clone(), &mut |checks| found.extend(checks.iter()));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assumptions_are_stated_in_words() {
        assert_eq!(about("log_event"), "`log_event` only returns");
        assert_eq!(about("__cairn_assuming_no_signal_arrives"), "no signal arrives");
    }
}
