//! The reachability loop, written once (papers: slcpa, Algorithm 2): a domain says how a state steps, whether two states merge
//! and whether one is covered; the loop owns the waiting list, its order, the budget and the cancelling.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::{FxHashMap, FxHashSet};

/// What merging a new state with an old one gives.
#[derive(Debug)]
pub enum Merge<S> {
    /// They stay apart (the paper's merge-sep).
    Apart,
    /// This one takes the place of both: it covers both.
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
    /// The place where this state is to be compared with others; `None` where it is not, which is everywhere unless said.
    fn place(&self, _: &Self::State) -> Option<Self::Place> {
        None
    }
    /// Combines a new state with one of the `known` ones that were reached before at its place.
    fn merge(&mut self, _new: &Self::State, _old: &Self::State, _known: usize) -> Merge<Self::State> {
        Merge::Apart
    }
    /// Tells a state at a place the number by which it is known from now on.
    fn number(&self, _: &mut Self::State, _: u64) {}
    /// The numbers of the states at places that a new one comes from, where these are two and not only the one that was stepped:
    /// it is needed while both are.
    fn origins(&self, _: &Self::State) -> Option<(u64, u64)> {
        None
    }
    /// Says that another state has taken the place of the one with this number.
    fn replaced(&mut self, _: u64) {}
    /// Whether the states reached before cover the new one.
    fn covered(&mut self, _new: &Self::State, _reached: &[Self::State]) -> bool {
        false
    }
    /// How many loop iterations lie behind a state, for orders that bound them.
    fn depth(&self, state: &Self::State) -> u32;
    /// Where a state stands in the program, for orders that go along it.
    fn rank(&self, _: &Self::State) -> Vec<u32> {
        Vec::new()
    }
    /// How often the place of a state was passed before, for orders that stay in loops.
    fn turns(&self, _: &Self::State) -> u32 {
        0
    }
    /// How many steps the last one counts for, where steps differ much in what they take.
    fn effort(&mut self) -> u64 {
        1
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
    /// The one with the least rank first, so that loops are finished before what follows them; of those the newest.
    Ranked,
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
    Reach::new(domain, order).run(domain, budget)
}

/// The loop between two runs: it can go on with another budget.
#[derive(Debug)]
pub struct Reach<D: Domain> {
    order: Order,
    /// What waits, by what the order looks at: the rank, and the turn in which it came.
    waiting: BTreeMap<(Vec<u32>, u64), Waiting<D::State>>,
    /// What lies beyond the bound.
    later: VecDeque<Waiting<D::State>>,
    /// The state that dives.
    diver: Option<Waiting<D::State>>,
    /// Whether it is the turn of dives, how many such turns there were, and the step at which it changes.
    diving: bool,
    dives: u64,
    change: u64,
    steps: u64,
    /// Whether states were dropped for want of memory.
    cut: bool,
    reached: FxHashMap<D::Place, Reached<D::State>>,
    /// States at places that another one has taken the place of.
    replaced: FxHashSet<u64>,
    support: Support<D::State>,
    bound: u32,
    turn: u64,
}

#[derive(Debug)]
struct Waiting<S> {
    state: S,
    /// The number of the last state at a place that it comes from, itself included. When that one is replaced,
    /// nothing needs to come of this any more: what comes of the other covers it.
    origin: u64,
}

/// The number of what the program starts with, which is always needed.
const ENTRY: u64 = 0;

/// Which states at places are needed: those that come from the entry by way of states that were not replaced. A loop in a loop, for
/// instance, is not finished for a state of the outer one that another has taken the place of meanwhile.
///
/// Every concrete state is covered by a needed one: where the step of a needed state leads is covered by, or merged into, a
/// state that has it as an origin and so is needed, too.
#[derive(Debug)]
struct Support<S> {
    /// For each state at a place, the states that lead to it or to what it covers, two together where it comes from both.
    origins: FxHashMap<u64, Vec<(u64, u64)>>,
    needed: FxHashSet<u64>,
    /// Whether `needed` must be computed again.
    changed: bool,
    /// What comes of states that are not needed, by their numbers: it goes on when they are needed again.
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

    /// Brings up to date what is needed, and returns what goes on again.
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

impl<D: Domain> Reach<D> {
    /// The loop before its first step.
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

    /// Goes on until nothing waits, the domain has its answer or the budget is used up.
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
            domain.step(entry.state, &mut out);
            steps += domain.effort();
            if self.diving {
                // The path that stays where it was most often goes on; the others wait.
                let best = (0..out.len()).max_by_key(|&i| domain.turns(&out[i]));
                self.diver = best.map(|best| Waiting { state: out.remove(best), origin: entry.origin });
            }
            // Where memory is short, what is new is dropped: the search is no longer complete, but it goes on.
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

    /// The states at each place that cover all that were met there.
    pub fn reached(&self) -> impl Iterator<Item = (&D::Place, &[D::State])> {
        self.reached.iter().map(|(place, reached)| (place, &reached.states[..]))
    }

    /// Dives and the search within the bound take turns. A dive begins now with the oldest state beyond the bound, now with the
    /// newest; when it ends before its time, the next one begins.
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

    /// At the end only what is needed counts as reached.
    fn keep_needed(&mut self) {
        let needed = &self.support.needed;
        for known in self.reached.values_mut() {
            let mut keep = known.numbers.iter().map(|number| needed.contains(number));
            known.states.retain(|_| keep.next().unwrap_or(true));
            known.numbers.retain(|number| needed.contains(number));
        }
    }

    /// A new state joins those at its place, if it has one, and waits.
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
        // States that are not needed any more still cover, and are needed again then.
        let (needed, others): (Vec<usize>, Vec<usize>) =
            (0..known.states.len()).partition(|&index| is_needed(&known.numbers[index]));
        for index in needed.iter().copied().chain(others) {
            if domain.covered(&new, std::slice::from_ref(&known.states[index])) {
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

    /// A call and a return that come to a place each; what follows comes from both. The call, and what takes its place, come in turns.
    struct Calls {
        /// Whether another state takes the place of the first call before the return is there.
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

        fn step(&mut self, state: Self::State, out: &mut Vec<Self::State>) {
            self.followed.push(state);
            match state {
                "start" if self.replaced => out.extend(["call", "more general call", "return"]),
                "start" => out.extend(["call", "return"]),
                "return" => out.push("after"),
                _ => {}
            }
        }

        fn place(&self, state: &Self::State) -> Option<Self::Place> {
            match *state {
                "start" => None,
                "more general call" => Some("call"),
                place => Some(place),
            }
        }

        fn merge(&mut self, new: &Self::State, _: &Self::State, _: usize) -> Merge<Self::State> {
            Merge::Into(new)
        }

        fn number(&self, state: &mut Self::State, number: u64) {
            self.numbers.borrow_mut().insert(state, number);
        }

        fn origins(&self, state: &Self::State) -> Option<(u64, u64)> {
            let numbers = self.numbers.borrow();
            (*state == "after").then(|| (numbers["call"], numbers["return"]))
        }

        fn depth(&self, _: &Self::State) -> u32 {
            0
        }

        fn done(&self) -> bool {
            false
        }
    }

    fn followed(replaced: bool) -> Vec<&'static str> {
        let mut calls = Calls { replaced, numbers: std::cell::RefCell::default(), followed: Vec::new() };
        let budget = Budget { states: 100, waiting: 100, cancel: Arc::new(AtomicBool::new(false)) };
        assert_eq!(reach(&mut calls, Order::BreadthFirst, &budget), Ended::Complete);
        calls.followed
    }

    #[test]
    fn what_comes_of_two_states_is_followed_while_both_are_there() {
        assert_eq!(followed(false), ["start", "call", "return", "after"]);
    }

    #[test]
    fn what_comes_of_two_states_goes_with_the_one_that_is_replaced() {
        assert_eq!(followed(true), ["start", "more general call", "return"]);
    }
}
