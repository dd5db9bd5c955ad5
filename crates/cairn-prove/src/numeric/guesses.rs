//! Candidate conditions on the variables of a joined state, from a finite set of forms.
//!
//! The forms are bounds at constants of the program, a common step, order and linear equations between two values,
//! and sums of counters that stay constant. A wrong guess costs only time: a condition that does not follow from both
//! states is not assumed.

use std::collections::BTreeSet;

use cairn_ir::{BinaryOp, Inst, Operand, Reg};
use cairn_smt::evaluate::Assignment;
use cairn_smt::term::{Node, Op, mask, signed};
use cairn_smt::{Substitution, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Lattice;
use crate::State;
use crate::join::pairing::{Pairing, Purpose};
use crate::limits::{BOUNDS_PER_SIDE, MAX_DRIFT, MAX_PEERS, MAX_STEP, MAX_SUMS};
use cairn_exec::allocation::Target;
use cairn_exec::state::Frame;
use cairn_memory::symbolic::Object;
impl Lattice<'_> {
    /// Guesses conditions that fresh variables may satisfy.
    pub(crate) fn guess(&mut self, pairing: &Pairing<'_>, guesses: &mut Vec<Term>) {
        // The new state usually descends from the old one. Its model then has values for the old variables too, and
        // shows how far numbers have moved. Otherwise the old state's own model serves as well for relations of two
        // numbers.
        let model = pairing.new.path.model();
        let knows_all = pairing
            .numbers
            .iter()
            .all(|&(.., old)| self.variables_of(old).iter().all(|variable| model.get(variable).is_some()));
        let old_model = if knows_all { model } else { pairing.old.path.model() };
        let (mut values, mut old_values) = (FxHashMap::default(), FxHashMap::default());
        let mut own_values = FxHashMap::default();
        let mut numbers: Vec<Number> = Vec::new();
        let mut seen = FxHashSet::default();
        for &(result, new, old) in &pairing.numbers {
            if self.machine.terms.width(result) >= 8 && seen.insert(result) {
                let value_new = self.machine.terms.evaluate_with(new, model, &mut values);
                let value_old = self.machine.terms.evaluate_with(old, old_model, &mut old_values);
                let own_old = self.machine.terms.evaluate_with(old, pairing.old.path.model(), &mut own_values);
                let natural = self.is_natural(pairing, new, old);
                numbers.push(Number { result, new, old, value_new, value_old, own_old, natural });
            }
        }
        // Symbolic offsets with a known value, such as the end of a string.
        let mut in_new = Substitution::new(pairing.in_new.clone());
        let mut offsets = Vec::new();
        for &id in pairing.taken.keys() {
            offsets.extend(pairing.old.memory.get(id).indexed().iter().map(|indexed| indexed.at));
        }
        offsets.sort_unstable();
        let own = &pairing.old.extra.join_variables;
        for at in offsets {
            let moves = self.variables_of(at).iter().any(|v| own.contains(v) || pairing.in_old.contains_key(v));
            if !moves && seen.insert(at) {
                let new = in_new.apply(&mut self.machine.terms, at);
                let value_new = self.machine.terms.evaluate_with(new, model, &mut values);
                let value_old = self.machine.terms.evaluate_with(at, old_model, &mut old_values);
                let own_old = self.machine.terms.evaluate_with(at, pairing.old.path.model(), &mut own_values);
                let natural = self.is_natural(pairing, new, at);
                numbers.push(Number { result: at, new, old: at, value_new, value_old, own_old, natural });
            }
        }
        let fresh: FxHashSet<Term> = pairing.fresh.iter().copied().collect();
        let moving: Vec<Number> =
            numbers.iter().copied().filter(|n| fresh.contains(&n.result)).take(MAX_PEERS).collect();
        for sum in self.sums(pairing, old_model) {
            if self.variables_of(sum.result).iter().any(|variable| fresh.contains(variable)) {
                for &peer in numbers.iter().take(MAX_PEERS) {
                    let width = self.machine.terms.width(peer.result);
                    let sum = if self.machine.terms.width(sum.result) < width { self.widened(sum, width) } else { sum };
                    self.guess_order(sum, peer, guesses);
                }
            }
        }
        self.guess_alternatives(pairing, guesses);
        self.guess_drift(pairing, &moving, guesses);
        self.guess_equations(pairing, guesses);
        // The lengths of lists that nodes own are unrelated to the lengths of other lists.
        let segments = || pairing.result.memory.iter().map(|(_, object)| object);
        let length = |object: &Object| Some(object.segment.as_ref()?.length);
        let lengths: FxHashSet<Term> = segments().filter_map(length).collect();
        let inner: FxHashSet<Term> = segments().filter(|object| object.pattern).filter_map(length).collect();
        if let Some(total) = self.total_length(pairing, old_model) {
            for &counter in numbers.iter().filter(|number| !lengths.contains(&number.result)).take(MAX_PEERS) {
                self.guess_counted(total, counter, guesses);
            }
        }
        let apart = |a: Term, b: Term| inner.contains(&a) && lengths.contains(&b);
        for &number in &moving {
            self.guess_bounds(pairing, number, guesses);
            self.guess_step(number, guesses);
            let others = numbers.iter().filter(|peer| {
                let (a, b) = (number.result, peer.result);
                a != b && !apart(a, b) && !apart(b, a)
            });
            for &peer in others.take(MAX_PEERS) {
                self.guess_relation(number, peer, guesses);
                if lengths.contains(&number.result) {
                    self.guess_counted(number, peer, guesses);
                } else if lengths.contains(&peer.result) {
                    self.guess_counted(peer, number, guesses);
                }
                self.guess_conserved(pairing, number, peer, guesses);
            }
            // The initial value of the number, if it is no constant.
            if self.machine.terms.as_const(number.old).is_none() {
                let start = Number { result: number.old, value_new: number.value_old, ..number };
                self.guess_order(number, start, guesses);
            }
        }
    }

    /// Guesses that a linear combination of two numbers with constant steps keeps its value.
    fn guess_conserved(&mut self, pairing: &Pairing<'_>, number: Number, peer: Number, guesses: &mut Vec<Term>) {
        let width = self.machine.terms.width(number.result);
        if self.machine.terms.width(peer.result) > width {
            return;
        }
        let (Some(own), Some(other)) = (self.step(number), self.step(peer)) else { return };
        if own == 0 || other == 0 || own.unsigned_abs() > MAX_STEP || other.unsigned_abs() > MAX_STEP {
            return;
        }
        if !self.is_unchanged(pairing, number.old) || !self.is_unchanged(pairing, peer.old) {
            return;
        }
        let divisor = gcd(own.unsigned_abs(), other.unsigned_abs()) as i128;
        let (own, other) = (own / divisor, other / divisor);
        for signed_peer in [true, false] {
            let combination = |lattice: &mut Self, a: Term, b: Term| {
                let b = lattice.machine.terms.resize(b, width, signed_peer);
                let (a, b) = (
                    lattice.machine.terms.scale(a, other as u128),
                    lattice.machine.terms.scale(b, own.wrapping_neg() as u128),
                );
                lattice.machine.terms.add(a, b)
            };
            let now = combination(self, number.result, peer.result);
            let then = combination(self, number.old, peer.old);
            guesses.push(self.machine.terms.eq(now, then));
        }
    }

    /// Guesses bounds at the program's constants: the tightest that both states satisfy, and a few wider ones.
    fn guess_bounds(&mut self, pairing: &Pairing<'_>, number: Number, guesses: &mut Vec<Term>) {
        let Number { result: number, value_new, value_old, .. } = number;
        let width = self.machine.terms.width(number);
        let (seen_new, seen_old) = (signed(value_new, width), signed(value_old, width));
        let (seen_low, seen_high) = (seen_new.min(seen_old), seen_new.max(seen_old));
        let new = pairing.new.path.facts(&self.machine.terms, pairing.in_new[&number]);
        let old = pairing.old.path.facts(&self.machine.terms, pairing.in_old[&number]);
        let (low, high) = (new.signed_min.min(old.signed_min), new.signed_max.max(old.signed_max));
        let thresholds = self.thresholds.clone();
        let (least, greatest) = (signed(1 << (width - 1), width), signed(mask(width) >> 1, width));
        let mut below: BTreeSet<i128> = thresholds.range(..=low).rev().take(BOUNDS_PER_SIDE).copied().collect();
        below.extend(thresholds.range(..=seen_low).rev().take(BOUNDS_PER_SIDE));
        below.insert(low);
        let mut above: BTreeSet<i128> = thresholds.range(high..).take(BOUNDS_PER_SIDE).copied().collect();
        above.extend(thresholds.range(seen_high..).take(BOUNDS_PER_SIDE));
        above.insert(high);
        // The largest constant of the program keeps sums and products from wrapping around.
        above.extend(thresholds.range(..=greatest >> 2).next_back().filter(|&&bound| bound >= high));
        for bound in below.into_iter().filter(|&c| c > least) {
            let bound = self.machine.terms.constant(bound as u128, width);
            guesses.push(self.machine.terms.sle(bound, number));
        }
        for bound in above.into_iter().filter(|&c| c < greatest) {
            let bound = self.machine.terms.constant(bound as u128, width);
            guesses.push(self.machine.terms.sle(number, bound));
        }
        // Unsigned bounds add information only if the sign is unknown.
        let high = new.max.max(old.max);
        if low < 0 && high < mask(width) {
            let above = thresholds.range(i128::try_from(high).unwrap_or(i128::MAX)..).take(BOUNDS_PER_SIDE).copied();
            for bound in above.chain(i128::try_from(high).ok()) {
                let bound = self.machine.terms.constant(bound as u128, width);
                guesses.push(self.machine.terms.ule(number, bound));
            }
        }
    }

    /// Guesses the step of a counter if it is a multiple of a power of two: the low bits stay constant.
    fn guess_step(&mut self, number: Number, guesses: &mut Vec<Term>) {
        let width = self.machine.terms.width(number.result);
        let bits = (number.value_new.wrapping_sub(number.value_old) & mask(width)).trailing_zeros();
        if bits > 0 && bits < width {
            let distance = self.machine.terms.sub(number.result, number.old);
            let low = self.machine.terms.extract(distance, 0, bits);
            let zero = self.machine.terms.constant(0, bits);
            guesses.push(self.machine.terms.eq(low, zero));
        }
    }

    /// Guesses relations of a number to another: their order, or a linear equation.
    fn guess_relation(&mut self, number: Number, peer: Number, guesses: &mut Vec<Term>) {
        let (width, peer_width) = (self.machine.terms.width(number.result), self.machine.terms.width(peer.result));
        // A byte is a character rather than a count.
        if peer_width == 8 && width > 8 {
            return;
        }
        if peer_width > width {
            let wide = self.widened(number, peer_width);
            self.guess_order(wide, peer, guesses);
            return;
        }
        let mut peers = vec![peer];
        if peer_width < width {
            let wide = self.widened(peer, width);
            peers = vec![wide];
            let zero_extended = self.machine.terms.zext(peer.result, width);
            if zero_extended != wide.result {
                peers.push(Number { result: zero_extended, ..peer });
            }
        }
        for other in peers {
            self.guess_order(number, other, guesses);
            let moved = signed(number.value_new.wrapping_sub(number.value_old) & mask(width), width);
            let other_moved = signed(other.value_new.wrapping_sub(other.value_old) & mask(width), width);
            if other_moved != 0 && moved % other_moved == 0 && moved != 0 {
                let factor = (moved / other_moved) as u128;
                let constant = number.value_old.wrapping_sub(factor.wrapping_mul(other.value_old));
                let constant = self.machine.terms.constant(constant, width);
                let scaled = self.machine.terms.scale(other.result, factor);
                let line = self.machine.terms.add(scaled, constant);
                guesses.push(self.machine.terms.eq(number.result, line));
            }
        }
    }

    /// Returns the total number of nodes in all lists of the result.
    ///
    /// A list that marks divide is represented by several segments, but the program counts all of its nodes.
    fn total_length(&mut self, pairing: &Pairing<'_>, old_model: &Assignment) -> Option<Number> {
        let lists = pairing.result.memory.iter().filter(|(_, object)| !object.pattern);
        let lists = lists.filter_map(|(_, object)| object.segment.as_ref()).filter(|segment| segment.links.len() == 1);
        let lengths: Vec<Term> = lists.map(|segment| segment.length).collect();
        let moves = |length: Term| self.variables_of(length).iter().any(|v| pairing.in_old.contains_key(v));
        if lengths.len() < 2 || pairing.purpose == Purpose::Merge || !lengths.iter().any(|&length| moves(length)) {
            return None;
        }
        let mut result = self.machine.terms.constant(0, self.machine.pointer_bits);
        for length in lengths {
            result = self.machine.terms.add(result, length);
        }
        let new = Substitution::new(pairing.in_new.clone()).apply(&mut self.machine.terms, result);
        let old = Substitution::new(pairing.in_old.clone()).apply(&mut self.machine.terms, result);
        let value_new = self.machine.terms.evaluate(new, pairing.new.path.model());
        let value_old = self.machine.terms.evaluate(old, old_model);
        let own_old = self.machine.terms.evaluate(old, pairing.old.path.model());
        Some(Number { result, new, old, value_new, value_old, own_old, natural: true })
    }

    /// Guesses that a number counts the nodes of a list.
    ///
    /// The counter may be narrower than the length, so it is compared with the low bits of the length.
    fn guess_counted(&mut self, length: Number, counter: Number, guesses: &mut Vec<Term>) {
        let width = self.machine.terms.width(counter.result);
        if !(16..=self.machine.terms.width(length.result)).contains(&width) {
            return;
        }
        let beyond = |length: u128, counter: u128| length.wrapping_sub(counter) & mask(width);
        let constant = beyond(length.value_new, counter.value_new);
        if constant == beyond(length.own_old, counter.own_old) {
            let constant = self.machine.terms.constant(constant, width);
            let counted = self.machine.terms.add(counter.result, constant);
            let low = self.machine.terms.extract(length.result, 0, width);
            guesses.push(self.machine.terms.eq(low, counted));
        }
    }

    /// Returns a number sign-extended to a greater width.
    fn widened(&mut self, number: Number, width: u32) -> Number {
        let own = self.machine.terms.width(number.result);
        let value = |v: u128| signed(v, own) as u128 & mask(width);
        let (value_new, value_old) = (value(number.value_new), value(number.value_old));
        let own_old = value(number.own_old);
        Number { result: self.machine.terms.sext(number.result, width), value_new, value_old, own_old, ..number }
    }

    /// Guesses the orders of two numbers that hold for their values in both models.
    fn guess_order(&mut self, a: Number, b: Number, guesses: &mut Vec<Term>) {
        if self.machine.terms.width(a.result) != self.machine.terms.width(b.result) {
            return;
        }
        let width = self.machine.terms.width(a.result);
        // A number of bytes is not compared with a number of elements.
        let step = |n: Number| (!self.machine.terms.facts(n.result).zeros).trailing_zeros();
        let whole = |n: Number, step: u32| (n.value_new | n.own_old) & mask(step.min(width)) == 0;
        if !whole(a, step(b)) || !whole(b, step(a)) {
            return;
        }
        let sign = |n: Number| (signed(n.value_new, width), signed(n.own_old, width));
        for (x, y) in [(a, b), (b, a)] {
            let (sx, sy) = (sign(x), sign(y));
            if sx.0 <= sy.0 && sx.1 <= sy.1 {
                guesses.push(self.machine.terms.sle(x.result, y.result));
            }
            if sx.0 < sy.0 && sx.1 < sy.1 {
                guesses.push(self.machine.terms.slt(x.result, y.result));
            }
            // A distance of more than one: the loop will run once more.
            if sx.0 + 1 < sy.0 && sx.1 + 1 < sy.1 {
                let one = self.machine.terms.constant(1, width);
                let next = self.machine.terms.add(x.result, one);
                guesses.push(self.machine.terms.slt(next, y.result));
            }
            // For non-negative numbers, the unsigned order says the same.
            if a.natural && b.natural {
                continue;
            }
            if x.value_new <= y.value_new && x.own_old <= y.own_old {
                guesses.push(self.machine.terms.ule(x.result, y.result));
            }
            if x.value_new < y.value_new && x.own_old < y.own_old {
                guesses.push(self.machine.terms.ult(x.result, y.result));
            }
        }
    }

    fn is_natural(&self, pairing: &Pairing<'_>, new: Term, old: Term) -> bool {
        pairing.new.path.facts(&self.machine.terms, new).signed_min >= 0
            && pairing.old.path.facts(&self.machine.terms, old).signed_min >= 0
    }

    /// Returns the constant by which a number has moved.
    fn step(&mut self, number: Number) -> Option<i128> {
        let moved = self.machine.terms.sub(number.new, number.old);
        self.machine.terms.as_const(moved).map(|bits| signed(bits, self.machine.terms.width(moved)))
    }

    /// Returns whether a term of the old state has the same meaning in the new one.
    fn is_unchanged(&self, pairing: &Pairing<'_>, term: Term) -> bool {
        let stays = |variable: &Term| pairing.in_new.get(variable).is_none_or(|stands_for| stands_for == variable);
        self.variables_of(term).iter().all(stays)
    }

    /// Guesses repairs of equations of the old state that are off by a multiple of a number that has begun to move.
    ///
    /// For example, when two lists are merged into a third, sometimes one of them moves and sometimes the other.
    fn guess_drift(&mut self, pairing: &Pairing<'_>, moving: &[Number], guesses: &mut Vec<Term>) {
        let model = pairing.new.path.model();
        let mut in_new = Substitution::new(pairing.in_new.clone());
        for condition in pairing.old.path.conditions() {
            let Node::Binary(Op::Eq, a, b) = *self.machine.terms.node(condition) else { continue };
            let width = self.machine.terms.width(a);
            let distance = self.machine.terms.sub(a, b);
            let now = in_new.apply(&mut self.machine.terms, distance);
            let off = signed(self.machine.terms.evaluate(now, model), width);
            if off == 0 || off.unsigned_abs() > MAX_DRIFT {
                continue;
            }
            for &number in moving {
                if self.machine.terms.width(number.result) != width {
                    continue;
                }
                let moved = signed(number.value_new.wrapping_sub(number.value_old) & mask(width), width);
                if moved != 0 && off % moved == 0 && self.is_unchanged(pairing, number.old) {
                    let way = self.machine.terms.sub(number.result, number.old);
                    let way = self.machine.terms.scale(way, (off / moved) as u128);
                    guesses.push(self.machine.terms.eq(distance, way));
                }
            }
        }
    }

    /// Guesses the equations of the new state. An old state that has not moved yet may satisfy them implicitly.
    fn guess_equations(&mut self, pairing: &Pairing<'_>, guesses: &mut Vec<Term>) {
        if pairing.purpose == Purpose::Merge {
            return;
        }
        // The result's terms for variables of the new state, where a result's variable stands for such a variable
        // plus a constant.
        let mut called: FxHashMap<Term, Term> = FxHashMap::default();
        let mut stands_for: Vec<(Term, Term)> = pairing.in_new.iter().map(|(&result, &new)| (result, new)).collect();
        stands_for.sort_unstable();
        for (result, new) in stands_for {
            let variable = match self.machine.terms.node(new) {
                Node::Var(_) => new,
                Node::Sum(sum) if let [(variable, 1)] = sum.monomials[..] => variable,
                _ => continue,
            };
            if self.machine.terms.width(result) == self.machine.terms.width(variable) {
                let beyond = self.machine.terms.sub(new, variable);
                let name = self.machine.terms.sub(result, beyond);
                called.entry(variable).or_insert(name);
            }
        }
        let mut names = Substitution::new(called);
        for condition in pairing.new.path.conditions() {
            if self.is_linear(condition) {
                let guess = names.apply(&mut self.machine.terms, condition);
                guesses.push(guess);
            }
        }
    }

    /// Returns whether a condition is an equation of sums of variables.
    fn is_linear(&mut self, condition: Term) -> bool {
        let Node::Binary(Op::Eq, a, b) = *self.machine.terms.node(condition) else { return false };
        let distance = self.machine.terms.sub(a, b);
        let Node::Sum(sum) = self.machine.terms.node(distance) else { return false };
        // A value that is extended to a wider type is the same number.
        let simple = |part: Term| {
            matches!(self.machine.terms.node(part), Node::Var(_) | Node::SExt(_) | Node::Binary(Op::Concat, ..))
        };
        sum.monomials.iter().all(|&(part, _)| simple(part) && self.machine.terms.variables_of(part).len() == 1)
    }

    /// Returns the sums and differences that the current function computes from its registers, such as indices.
    fn sums(&mut self, pairing: &Pairing<'_>, old_model: &Assignment) -> Vec<Number> {
        let (Some(result), Some(new), Some(old)) =
            (pairing.result.frames.last(), pairing.new.frames.last(), pairing.old.frames.last())
        else {
            return Vec::new();
        };
        let Some(body) = &self.machine.program.functions[result.function.index()].body else { return Vec::new() };
        let insts = || body.blocks.iter().flat_map(|block| &block.insts);
        // The source of each register that is only a conversion of another.
        let mut source: FxHashMap<Reg, Reg> = FxHashMap::default();
        for inst in insts() {
            if let Inst::Convert { dst, src: Operand::Reg(src), .. } = *inst {
                source.insert(dst, src);
            }
        }
        let mut found = Vec::new();
        for inst in insts() {
            let (a, b, factor) = match *inst {
                Inst::Binary { op: BinaryOp::Add, lhs: Operand::Reg(a), rhs: Operand::Reg(b), .. } => (a, b, 1),
                Inst::Binary { op: BinaryOp::Sub, lhs: Operand::Reg(a), rhs: Operand::Reg(b), .. } => (a, b, -1),
                Inst::PtrAdd { base: Operand::Reg(a), index: Operand::Reg(b), scale, .. } => (a, b, scale),
                _ => continue,
            };
            let mut sum = |state: &State, frame: &Frame| {
                let (x, y) =
                    (frame.regs[a.index()]?, frame.regs[b.index()].or_else(|| frame.regs[source.get(&b)?.index()])?);
                let x = match self.any_target(state, x) {
                    Target::Object(_, at) => at,
                    _ => x,
                };
                let y = self.machine.terms.resize(y, self.machine.terms.width(x), true);
                let y = self.machine.terms.scale(y, i128::from(factor) as u128);
                Some(self.machine.terms.add(x, y))
            };
            let sums = (sum(&pairing.result, result), sum(pairing.new, new), sum(pairing.old, old));
            if let (Some(result), Some(new), Some(old)) = sums
                && self.machine.terms.as_const(result).is_none()
            {
                let model = pairing.new.path.model();
                let (value_new, value_old) =
                    (self.machine.terms.evaluate(new, model), self.machine.terms.evaluate(old, old_model));
                let own_old = self.machine.terms.evaluate(old, pairing.old.path.model());
                let natural = self.is_natural(pairing, new, old);
                found.push(Number { result, new, old, value_new, value_old, own_old, natural });
            }
        }
        found.dedup_by_key(|number| number.result);
        found.truncate(MAX_SUMS);
        found
    }
}

/// A number of the result with the terms that it stands for and their values in a model.
#[derive(Clone, Copy)]
struct Number {
    result: Term,
    new: Term,
    old: Term,
    value_new: u128,
    value_old: u128,
    /// The value in the old state's own model, which satisfies every condition that holds in that state.
    own_old: u128,
    /// Whether the number is known to be non-negative in both states.
    natural: bool,
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}
