//! The reachability loop that the engines share (papers: slcpa, Algorithm 2).
//!
//! A [`Domain`] defines how a state steps, when two states merge and when a state is covered. The loop owns the
//! waiting list, its order, the budget and cancellation.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub use cairn_portfolio::settings::Order;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::limits::FIRST_DIVE;

/// The result of merging a new state with an old one.
#[derive(Debug)]
pub enum Merge<S> {
    /// The states stay separate (the paper's merge-sep).
    Apart,
    /// This state covers both and replaces them.
    Into(S),
}

/// An analysis: its states and the operations on them.
pub trait Domain {
    /// A state: an immutable value.
    type State: Clone;
    /// A location where states are compared: only states at the same location merge or cover each other.
    type Place: Eq + std::hash::Hash;

    /// Returns the states that the program starts in.
    fn entry(&mut self) -> Vec<Self::State>;

    /// Adds the successors of a state to the list. A state without successors has ended.
    fn transfer(&mut self, state: Self::State, out: &mut Vec<Self::State>);

    /// Merges a new state with one of the `known` states at its location.
    fn merge(&mut self, _new: &Self::State, _old: &Self::State, _known: usize) -> Merge<Self::State> {
        Merge::Apart
    }

    /// Returns whether the states that were reached before cover the new one.
    fn stop(&mut self, _new: &Self::State, _reached: &[Self::State]) -> bool {
        false
    }

    /// Returns whether the domain has its answer, so that the loop may stop.
    fn done(&self) -> bool;
}

/// The facts about states that the loop needs to order, compare and replace them.
///
/// The defaults suit a domain whose states are never compared.
pub trait Bookkeeping: Domain {
    /// Returns the location at which a state is compared with others; `None` if it is not compared.
    fn place(&self, _: &Self::State) -> Option<Self::Place> {
        None
    }

    /// Tells a state at a location the number that identifies it from now on.
    fn number(&self, _: &mut Self::State, _: u64) {}

    /// Returns the numbers of the two states that a new state comes from, if it has two origins.
    ///
    /// The new state is needed only while both are. By default, the one origin is the state that was stepped.
    fn origins(&self, _: &Self::State) -> Option<(u64, u64)> {
        None
    }

    /// Notifies the domain that the state with this number was replaced by another.
    fn replaced(&mut self, _: u64) {}

    /// Returns the number of loop iterations on the path to a state, for orders that bound them.
    fn depth(&self, _: &Self::State) -> u32 {
        0
    }

    /// Returns the position of a state in the program, for orders that follow it.
    fn rank(&self, _: &Self::State) -> Vec<u32> {
        Vec::new()
    }

    /// Returns how often a path has visited the location of its state, for orders that stay in loops.
    fn turns(&self, _: &Self::State) -> u32 {
        0
    }

    /// Returns the cost of the last step in steps of average cost, where costs vary a lot.
    fn effort(&mut self) -> u64 {
        1
    }
}

/// When to give up.
#[derive(Clone, Debug)]
pub struct Budget {
    /// The number of states that may be stepped.
    pub states: u64,
    /// The number of states that may wait, since each of them takes memory.
    pub waiting: usize,
    /// Set from outside to stop the loop, for example when the time is up.
    pub cancel: Arc<AtomicBool>,
}

/// How the loop ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// Every reachable state was stepped.
    Complete,
    /// The domain has its answer.
    Done,
    /// The budget is exhausted.
    OutOfBudget,
}

/// Runs the loop once.
pub fn reach<D: Bookkeeping>(domain: &mut D, order: Order, budget: &Budget) -> Ended {
    Reach::new(domain, order).run(domain, budget)
}

/// The reachability loop. It can be continued with another budget.
#[derive(Debug)]
pub struct Reach<D: Domain> {
    order: Order,
    /// The waiting states, by their rank and their order of arrival.
    waiting: BTreeMap<(Vec<u32>, u64), Waiting<D::State>>,
    /// The waiting states beyond the bound.
    later: VecDeque<Waiting<D::State>>,
    /// The state that is diving.
    diver: Option<Waiting<D::State>>,
    /// Whether dives are being made, how many periods of dives there were, and the step at which the period ends.
    diving: bool,
    dives: u64,
    change: u64,
    steps: u64,
    /// The cost of all steps.
    spent: u64,
    /// Whether states were dropped for lack of memory.
    cut: bool,
    reached: FxHashMap<D::Place, Reached<D::State>>,
    /// The numbers of states that were replaced by others.
    replaced: FxHashSet<u64>,
    support: Support<D::State>,
    bound: u32,
    turn: u64,
}

#[derive(Debug)]
struct Waiting<S> {
    state: S,
    /// The number of the last state at a location on the path to this state, itself included.
    ///
    /// If that state is replaced, this one can be dropped: the successors of the replacement cover it.
    origin: u64,
}

/// The number that stands for the start of the program, which is always needed.
const ENTRY: u64 = 0;

/// The states at locations that are needed: those that the entry reaches through states that were not replaced.
///
/// For example, an inner loop need not be finished for a state of the outer loop that was replaced meanwhile.
///
/// Every concrete state is covered by a needed one: a successor of a needed state is covered by, or merged into, a
/// state that has it as an origin and is therefore needed, too.
#[derive(Debug)]
struct Support<S> {
    /// For each state at a location, the pairs of states that lead to it or to a state that it covers.
    ///
    /// Both are the same state where there is only one origin.
    origins: FxHashMap<u64, Vec<(u64, u64)>>,
    needed: FxHashSet<u64>,
    /// Whether `needed` must be computed again.
    changed: bool,
    /// The waiting states whose origin is not needed, by that origin. They continue when it is needed again.
    parked: FxHashMap<u64, Vec<Waiting<S>>>,
}

impl<S> Support<S> {
    fn new() -> Self {
        Self {
            origins: FxHashMap::default(),
            needed: FxHashSet::from_iter([ENTRY]),
            changed: false,
            parked: FxHashMap::default(),
        }
    }

    /// Recomputes the needed states, and returns the parked states that continue.
    fn refresh(&mut self) -> Vec<Waiting<S>> {
        if !std::mem::take(&mut self.changed) {
            return Vec::new();
        }
        let mut leads_to: FxHashMap<u64, Vec<(u64, u64)>> = FxHashMap::default();
        for (&number, origins) in &self.origins {
            for &(one, other) in origins {
                leads_to.entry(one).or_default().push((other, number));
                if other != one {
                    leads_to.entry(other).or_default().push((one, number));
                }
            }
        }
        self.needed = FxHashSet::from_iter([ENTRY]);
        let mut waiting = vec![ENTRY];
        while let Some(number) = waiting.pop() {
            for &(other, next) in leads_to.get(&number).into_iter().flatten() {
                if self.needed.contains(&other) && self.needed.insert(next) {
                    waiting.push(next);
                }
            }
        }
        let mut again: Vec<u64> = self.parked.keys().copied().filter(|number| self.needed.contains(number)).collect();
        again.sort_unstable();
        again.iter().flat_map(|number| self.parked.remove(number).unwrap_or_default()).collect()
    }
}

#[derive(Debug)]
struct Reached<S> {
    states: Vec<S>,
    numbers: Vec<u64>,
}

impl<D: Bookkeeping> Reach<D> {
    /// Creates a loop before its first step.
    pub fn new(domain: &mut D, order: Order) -> Self {
        let mut reach = Self {
            order,
            waiting: BTreeMap::new(),
            later: VecDeque::new(),
            diver: None,
            diving: false,
            dives: 0,
            change: FIRST_DIVE,
            steps: 0,
            spent: 0,
            cut: false,
            reached: FxHashMap::default(),
            replaced: FxHashSet::default(),
            support: Support::new(),
            bound: 1,
            turn: 0,
        };
        for state in domain.entry() {
            reach.wait(domain, Waiting { state, origin: ENTRY });
        }
        reach
    }

    fn wait(&mut self, domain: &D, entry: Waiting<D::State>) {
        self.turn += 1;
        let key = match self.order {
            Order::BreadthFirst => (Vec::new(), self.turn),
            Order::DepthFirst | Order::LoopBounded => (Vec::new(), u64::MAX - self.turn),
            Order::Ranked => (domain.rank(&entry.state), u64::MAX - self.turn),
        };
        self.waiting.insert(key, entry);
    }

    /// Continues until no state waits, the domain has its answer or the budget is exhausted.
    pub fn run(&mut self, domain: &mut D, budget: &Budget) -> Ended {
        let mut steps = 0;
        let mut out = Vec::new();
        loop {
            if domain.done() {
                return Ended::Done;
            }
            self.refresh(domain);
            if steps >= budget.states || budget.cancel.load(Ordering::Relaxed) {
                let nothing_left = self.waiting.is_empty() && self.later.is_empty() && self.diver.is_none();
                return if nothing_left && !self.cut { Ended::Complete } else { Ended::OutOfBudget };
            }
            self.take_turns();
            let next = self.diver.take().or_else(|| Some(self.waiting.pop_first()?.1));
            let Some(entry) = next else {
                if self.later.is_empty() {
                    self.keep_needed();
                    return if self.cut { Ended::OutOfBudget } else { Ended::Complete };
                }
                self.bound += self.bound.div_ceil(2);
                for entry in std::mem::take(&mut self.later) {
                    self.wait(domain, entry);
                }
                continue;
            };
            if self.replaced.contains(&entry.origin) {
                continue;
            }
            if !self.support.needed.contains(&entry.origin) {
                self.support.parked.entry(entry.origin).or_default().push(entry);
                continue;
            }
            if self.order == Order::LoopBounded && !self.diving && domain.depth(&entry.state) > self.bound {
                self.later.push_back(entry);
                continue;
            }
            self.steps += 1;
            domain.transfer(entry.state, &mut out);
            out.retain(|state| !domain.stop(state, &[]));
            let effort = domain.effort();
            steps += effort;
            self.spent += effort;
            if self.diving {
                // The dive continues with the path that has visited its location most often; the others wait.
                let best = (0..out.len()).max_by_key(|&i| domain.turns(&out[i]));
                self.diver = best.map(|best| Waiting { state: out.remove(best), origin: entry.origin });
            }
            // If memory is short, new states are dropped. The search continues, but is no longer complete.
            if !out.is_empty() && self.waiting.len() + self.later.len() > budget.waiting {
                self.cut = true;
                out.clear();
            }
            for state in out.drain(..) {
                if self.diving {
                    self.later.push_back(Waiting { state, origin: entry.origin });
                } else {
                    self.arrive(domain, state, entry.origin);
                }
            }
        }
    }

    /// Returns the cost of all steps so far.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// Returns the states at each location, which cover all states that were reached there.
    pub fn reached(&self) -> impl Iterator<Item = (&D::Place, &[D::State])> {
        self.reached.iter().map(|(place, reached)| (place, &reached.states[..]))
    }

    /// Alternates between dives and the search within the bound.
    ///
    /// Dives start alternately with the oldest and the newest state beyond the bound. If a dive ends early, the next
    /// one begins.
    fn take_turns(&mut self) {
        if self.order != Order::LoopBounded {
            return;
        }
        if self.steps >= self.change {
            self.later.extend(self.diver.take());
            self.diving = !self.diving;
            self.dives += u64::from(self.diving);
            self.change = self.steps + (FIRST_DIVE << (self.dives / 2).min(40));
        }
        if self.diving && self.diver.is_none() {
            self.diver = if self.dives % 2 == 1 { self.later.pop_front() } else { self.later.pop_back() };
            self.diving = self.diver.is_some();
        }
    }

    fn refresh(&mut self, domain: &D) {
        for entry in self.support.refresh() {
            self.wait(domain, entry);
        }
    }

    /// Drops reached states that are not needed, at the end of the search.
    fn keep_needed(&mut self) {
        let needed = &self.support.needed;
        for known in self.reached.values_mut() {
            let mut keep = known.numbers.iter().map(|number| needed.contains(number));
            known.states.retain(|_| keep.next().unwrap_or(true));
            known.numbers.retain(|number| needed.contains(number));
        }
    }

    /// Adds a new state to those at its location, if it has one, and lets it wait.
    fn arrive(&mut self, domain: &mut D, mut new: D::State, origin: u64) {
        let Some(place) = domain.place(&new) else {
            self.wait(domain, Waiting { state: new, origin });
            return;
        };
        let origins = domain.origins(&new).unwrap_or((origin, origin));
        if self.replaced.contains(&origins.0) || self.replaced.contains(&origins.1) {
            return;
        }
        self.refresh(domain);
        let known = self.reached.entry(place).or_insert_with(|| Reached { states: Vec::new(), numbers: Vec::new() });
        let is_needed = |number: &u64| self.support.needed.contains(number);
        // A state that is no longer needed can still cover another, and is needed again if it does.
        let (needed, others): (Vec<usize>, Vec<usize>) =
            (0..known.states.len()).partition(|&index| is_needed(&known.numbers[index]));
        for index in needed.iter().copied().chain(others) {
            if domain.stop(&new, std::slice::from_ref(&known.states[index])) {
                let all = self.support.origins.entry(known.numbers[index]).or_default();
                if !all.contains(&origins) {
                    all.push(origins);
                    self.support.changed |= !is_needed(&known.numbers[index]);
                }
                return;
            }
        }
        let mut count = needed.len();
        let wanted = is_needed(&origins.0) && is_needed(&origins.1);
        let mut origins = vec![origins];
        let mut index = 0;
        while wanted && index < known.states.len() {
            if !self.support.needed.contains(&known.numbers[index]) {
                index += 1;
                continue;
            }
            match domain.merge(&new, &known.states[index], count) {
                Merge::Apart => index += 1,
                Merge::Into(both) => {
                    new = both;
                    count -= 1;
                    known.states.swap_remove(index);
                    let number = known.numbers.swap_remove(index);
                    self.replaced.insert(number);
                    domain.replaced(number);
                    self.support.parked.remove(&number);
                    origins.extend(self.support.origins.remove(&number).unwrap_or_default());
                    self.support.changed = true;
                }
            }
        }
        self.turn += 1;
        let number = self.turn;
        origins.sort_unstable();
        origins.dedup();
        self.support.origins.insert(number, origins);
        if wanted {
            self.support.needed.insert(number);
        }
        domain.number(&mut new, number);
        known.states.push(new.clone());
        known.numbers.push(number);
        self.wait(domain, Waiting { state: new, origin: number });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A call and a return at a location each, and a state after the return that comes from both.
    struct Calls {
        /// Whether another state replaces the first call before the return arrives.
        replaced: bool,
        numbers: std::cell::RefCell<FxHashMap<&'static str, u64>>,
        followed: Vec<&'static str>,
    }

    impl Domain for Calls {
        type State = &'static str;
        type Place = &'static str;

        fn entry(&mut self) -> Vec<Self::State> {
            vec!["start"]
        }

        fn transfer(&mut self, state: Self::State, out: &mut Vec<Self::State>) {
            self.followed.push(state);
            match state {
                "start" if self.replaced => out.extend(["call", "more general call", "return"]),
                "start" => out.extend(["call", "return"]),
                "return" => out.push("after"),
                _ => {}
            }
        }

        fn merge(&mut self, new: &Self::State, _: &Self::State, _: usize) -> Merge<Self::State> {
            Merge::Into(new)
        }

        fn done(&self) -> bool {
            false
        }
    }

    impl Bookkeeping for Calls {
        fn place(&self, state: &Self::State) -> Option<Self::Place> {
            match *state {
                "start" => None,
                "more general call" => Some("call"),
                place => Some(place),
            }
        }

        fn number(&self, state: &mut Self::State, number: u64) {
            self.numbers.borrow_mut().insert(state, number);
        }

        fn origins(&self, state: &Self::State) -> Option<(u64, u64)> {
            let numbers = self.numbers.borrow();
            (*state == "after").then(|| (numbers["call"], numbers["return"]))
        }
    }

    fn followed(replaced: bool) -> Vec<&'static str> {
        let mut calls = Calls { replaced, numbers: std::cell::RefCell::default(), followed: Vec::new() };
        let budget = Budget { states: 100, waiting: 100, cancel: Arc::new(AtomicBool::new(false)) };
        assert_eq!(reach(&mut calls, Order::BreadthFirst, &budget), Ended::Complete);
        calls.followed
    }

    #[test]
    fn a_state_with_two_origins_is_followed_while_both_exist() {
        assert_eq!(followed(false), ["start", "call", "return", "after"]);
    }

    #[test]
    fn a_state_with_two_origins_is_dropped_when_one_is_replaced() {
        assert_eq!(followed(true), ["start", "more general call", "return"]);
    }
}
