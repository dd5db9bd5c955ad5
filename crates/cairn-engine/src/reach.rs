//! The reachability loop, written once (papers: slcpa, Algorithm 2): a domain says how a state steps, whether two states merge
//! and whether one is covered; the loop owns the waiting list, its order, the budget and the cancelling.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What merging a new state with an old one gives.
#[derive(Debug)]
pub enum Merge<S> {
    /// They stay apart (the paper's merge-sep).
    Apart,
    /// This one takes the place of both.
    Into(S),
}

/// What an analysis says about its states.
pub trait Domain {
    /// A state: a value.
    type State: Clone;
    /// Where states are compared: only states at the same place merge or cover each other.
    type Place: Eq + std::hash::Hash;

    /// The states that the program starts in.
    fn entry(&mut self) -> Vec<Self::State>;
    /// Adds the successors of a state. A state without successors has ended.
    fn step(&mut self, state: Self::State, out: &mut Vec<Self::State>);
    /// The place where this state is to be compared with others; `None` where it is not.
    fn place(&self, state: &Self::State) -> Option<Self::Place>;
    /// Combines a new state with one that was reached before.
    fn merge(&mut self, new: &Self::State, old: &Self::State) -> Merge<Self::State>;
    /// Whether the states reached before cover the new one.
    fn covered(&mut self, new: &Self::State, reached: &[Self::State]) -> bool;
    /// How many loop iterations lie behind a state, for orders that bound them.
    fn depth(&self, state: &Self::State) -> u32;
    /// How often the place of a state was passed before, for orders that stay in loops.
    fn turns(&self, _: &Self::State) -> u32 {
        0
    }
    /// Whether the question is answered and the loop may stop.
    fn done(&self) -> bool;
}

/// The order in which states are taken from the waiting list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// The newest first.
    DepthFirst,
    /// The oldest first.
    BreadthFirst,
    /// The newest first among those within a bound on loop iterations, which grows when they are used up. In turns with it one
    /// path dives beyond the bound and stays in loops as long as it can: what only goes wrong after many turns is found that
    /// way. Dives grow, too.
    LoopBounded,
}

/// When to give up.
#[derive(Clone, Debug)]
pub struct Budget {
    /// States that are stepped.
    pub states: u64,
    /// States that wait: each holds memory.
    pub waiting: usize,
    /// Set from outside to stop, for instance when the time is over.
    pub cancel: Arc<AtomicBool>,
}

/// How the loop ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// Every reachable state was stepped.
    Complete,
    /// The domain has its answer.
    Done,
    /// The budget is used up.
    OutOfBudget,
}

/// Steps of the first dive. Dives grow, and the search between two is as long as they are.
const FIRST_DIVE: u64 = 2_000;

/// Runs the loop.
pub fn reach<D: Domain>(domain: &mut D, order: Order, budget: &Budget) -> Ended {
    let mut waiting: VecDeque<D::State> = domain.entry().into();
    let mut later: VecDeque<D::State> = VecDeque::new();
    let mut reached: rustc_hash::FxHashMap<D::Place, Vec<D::State>> = rustc_hash::FxHashMap::default();
    let mut bound = 1u32;
    let mut steps = 0;
    let mut out = Vec::new();
    // The state that dives; whether it is the turn of dives, how many such turns there were, and the step at which it changes.
    let mut diver: Option<D::State> = None;
    let (mut diving, mut dives, mut turn) = (false, 0, FIRST_DIVE);
    // Whether states were dropped for want of memory.
    let mut cut = false;
    loop {
        if domain.done() {
            return Ended::Done;
        }
        if order == Order::LoopBounded && steps >= turn {
            later.extend(diver.take());
            diving = !diving;
            dives += u64::from(diving);
            turn = steps + (FIRST_DIVE << (dives / 2).min(40));
        }
        if diving && diver.is_none() {
            // A dive begins now with the oldest state that waits, now with the newest.
            diver = if dives % 2 == 1 { later.pop_front() } else { later.pop_back() };
            diving = diver.is_some();
        }
        let next = diver.take().or_else(|| match order {
            Order::BreadthFirst => waiting.pop_front(),
            Order::DepthFirst | Order::LoopBounded => waiting.pop_back(),
        });
        let Some(state) = next else {
            if later.is_empty() {
                return if cut { Ended::OutOfBudget } else { Ended::Complete };
            }
            bound += bound.div_ceil(2);
            waiting.extend(later.drain(..));
            continue;
        };
        if order == Order::LoopBounded && !diving && domain.depth(&state) > bound {
            later.push_back(state);
            continue;
        }
        steps += 1;
        if steps > budget.states || budget.cancel.load(Ordering::Relaxed) {
            return Ended::OutOfBudget;
        }
        domain.step(state, &mut out);
        if diving {
            // The path that stays where it was most often goes on; the others wait.
            let best = (0..out.len()).max_by_key(|&i| domain.turns(&out[i]));
            diver = best.map(|best| out.remove(best));
        }
        let crowded = waiting.len() + later.len() > budget.waiting;
        for mut new in out.drain(..) {
            if crowded {
                cut = true;
                break;
            }
            let Some(place) = domain.place(&new) else {
                if diving { later.push_back(new) } else { waiting.push_back(new) }
                continue;
            };
            let known = reached.entry(place).or_default();
            if domain.covered(&new, known) {
                continue;
            }
            known.retain(|old| match domain.merge(&new, old) {
                Merge::Apart => true,
                Merge::Into(both) => {
                    new = both;
                    false
                }
            });
            known.push(new.clone());
            waiting.push_back(new);
        }
    }
}
