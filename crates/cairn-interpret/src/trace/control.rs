//! Control dependence: which branches decide whether a block is executed (Ferrante, Ottenstein and Warren, 1987).
//!
//! A block depends on a branch if one side of the branch always leads to the block and the other side may not.

use cairn_ir::analysis::loops::{Loop, Loops};
use cairn_ir::ids::Block as BlockId;
use cairn_ir::program::Body;

/// The branches that each block of a function depends on, and the branches that stay in a loop or leave it.
#[derive(Debug, Default)]
pub(crate) struct Control {
    /// For each block, the blocks whose branches decide about it.
    deciders: Vec<Vec<u32>>,
    /// For each block whose branch continues or leaves a loop, the blocks of the innermost such loop.
    loops: Vec<Option<Box<[bool]>>>,
}

impl Control {
    /// Computes the dependences of a function.
    pub(crate) fn of(body: &Body) -> Self {
        let count = body.blocks.len();
        let mut successors: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (index, block) in body.blocks.iter().enumerate() {
            block.end.for_successors(&mut |next| successors[index].push(next.index()));
        }
        let above = immediate_postdominators(&successors);
        let mut deciders: Vec<Vec<u32>> = vec![Vec::new(); count];
        for (branch, next) in successors.iter().enumerate().filter(|(_, next)| next.len() > 1) {
            for &first in next {
                let mut block = first;
                while block < count && Some(block) != above[branch] {
                    let known = &mut deciders[block];
                    if known.last() != Some(&(branch as u32)) {
                        known.push(branch as u32);
                    }
                    let Some(next) = above[block] else { break };
                    block = next;
                }
            }
        }
        let found = Loops::of(body);
        let loops = (0..count).map(|index| {
            let leaves = |found: &&Loop| {
                let inside = |&&next: &&usize| found.contains(BlockId::new(next));
                let staying = successors[index].iter().filter(inside).count();
                found.contains(BlockId::new(index)) && staying > 0 && staying < successors[index].len()
            };
            let smallest = found.iter().filter(leaves).min_by_key(|found| found.blocks().count());
            smallest.filter(|_| successors[index].len() > 1).map(|found| found.inside().into())
        });
        Self { loops: loops.collect(), deciders }
    }

    /// Returns whether the branch at the end of a block decides if another block is executed.
    pub(crate) fn decides(&self, branch: u32, block: u32) -> bool {
        self.deciders.get(block as usize).is_some_and(|known| known.contains(&branch))
    }

    /// Returns whether the branch at the end of a block continues or leaves a loop.
    pub(crate) fn iterates(&self, block: u32) -> bool {
        self.loops.get(block as usize).is_some_and(Option::is_some)
    }

    /// Returns whether the loop that the branch at the end of a block continues or leaves contains another block.
    pub(crate) fn stays(&self, block: u32, next: BlockId) -> bool {
        let inside = self.loops.get(block as usize).and_then(Option::as_ref);
        inside.is_some_and(|inside| inside.get(next.index()).copied().unwrap_or(false))
    }
}

/// Returns the immediate postdominator of each block; the number of blocks stands for the end of the function.
///
/// Blocks from which no path leads to the end have none.
fn immediate_postdominators(successors: &[Vec<usize>]) -> Vec<Option<usize>> {
    let end = successors.len();
    let mut predecessors: Vec<Vec<usize>> = vec![Vec::new(); end + 1];
    for (block, next) in successors.iter().enumerate() {
        next.iter().for_each(|&next| predecessors[next].push(block));
        if next.is_empty() {
            predecessors[end].push(block);
        }
    }
    // The reverse postorder of the reversed graph.
    let mut position = vec![usize::MAX; end + 1];
    let mut order = Vec::with_capacity(end + 1);
    let mut seen = vec![false; end + 1];
    let mut waiting = vec![(end, 0)];
    seen[end] = true;
    while let Some((block, at)) = waiting.pop() {
        match predecessors[block].get(at) {
            Some(&next) => {
                waiting.push((block, at + 1));
                if !std::mem::replace(&mut seen[next], true) {
                    waiting.push((next, 0));
                }
            }
            None => order.push(block),
        }
    }
    order.reverse();
    for (index, &block) in order.iter().enumerate() {
        position[block] = index;
    }
    let mut immediate: Vec<Option<usize>> = vec![None; end + 1];
    immediate[end] = Some(end);
    let mut changed = true;
    while changed {
        changed = false;
        for &block in order.iter().skip(1) {
            let next: &[usize] = if successors[block].is_empty() { &[end] } else { &successors[block] };
            let known = next.iter().copied().filter(|&next| immediate[next].is_some());
            let found = known.reduce(|mut a, mut b| {
                while a != b {
                    let later = if position[a] > position[b] { &mut a } else { &mut b };
                    *later = immediate[*later].unwrap_or(end);
                }
                a
            });
            if immediate[block] != found {
                immediate[block] = found;
                changed = true;
            }
        }
    }
    immediate.truncate(end);
    immediate
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compiled(text: &str) -> cairn_ir::Program {
        let input = cairn_frontend::Input { name: "t.c".to_owned(), text: text.to_owned() };
        let options = cairn_frontend::Options::from(cairn_ir::layout::Target::default());
        cairn_frontend::compile(vec![input], options).program.expect("the program is valid")
    }

    #[test]
    fn a_join_postdominates_its_branch() {
        // 0 branches to 1 and 2, which meet in 3.
        let found = immediate_postdominators(&[vec![1, 2], vec![3], vec![3], vec![]]);
        assert_eq!(found, [Some(3), Some(3), Some(3), Some(4)]);
    }

    #[test]
    fn an_endless_loop_has_no_postdominator() {
        let found = immediate_postdominators(&[vec![1, 2], vec![1], vec![]]);
        assert_eq!(found, [Some(2), None, Some(3)]);
    }

    #[test]
    fn a_loop_test_decides_about_its_body_and_itself() {
        let text = "int main(void) { int i = 0; while (i < 3) i++; return i; }";
        let program = compiled(text);
        let body = program.functions.iter().find(|f| f.name == "main").and_then(|f| f.body.as_ref()).expect("main");
        let control = Control::of(body);
        let tests: Vec<u32> = (0..body.blocks.len() as u32).filter(|&block| control.iterates(block)).collect();
        let [test] = tests[..] else { panic!("one loop test: {tests:?}") };
        assert!(control.decides(test, test));
        assert!((0..body.blocks.len() as u32).any(|block| block != test && control.decides(test, block)));
        assert!(!control.decides(test, 0));
    }
}
