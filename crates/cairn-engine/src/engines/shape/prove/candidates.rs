//! Conditions that the variables of a joined state may satisfy, from a finite set of forms: bounds at constants of the program, a
//! common step, order and linear equality between two values, sums of counters that stay what they were.
//!
//! Guesses cost time only: what does not follow from both states is not assumed.

use std::collections::BTreeSet;

use cairn_ir::{BinaryOp, Inst, Operand, Reg};
use cairn_smt::evaluate::Assignment;
use cairn_smt::term::{Node, Op, mask, signed};
use cairn_smt::{Substitution, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use super::pair::{Pairing, Purpose};
use crate::engines::shape::Explorer;
use crate::engines::shape::allocation::Target;
use crate::engines::shape::state::{Frame, State};

/// Values that a fresh variable is compared with.
const MAX_PEERS: usize = 32;

/// How far an equality may be off to be one with another number taken in.
const MAX_DRIFT: u128 = 1 << 20;

/// Sums in the program that are compared with other values.
const MAX_SUMS: usize = 12;

/// Bounds on each side of a value that are guessed.
const BOUNDS: usize = 4;

impl Explorer<'_> {
    /// Conditions that fresh variables may satisfy.
    pub(super) fn guess(&mut self, pairing: &Pairing<'_>, guesses: &mut Vec<Term>) {
        // The new state mostly comes from the old one, so its model has values for the old one's variables, too, and shows how
        // far numbers have moved. Where it has not, the old state's own model is as good for relations of two numbers.
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
            if self.terms.width(result) >= 8 && seen.insert(result) {
                let value_new = self.terms.evaluate_with(new, model, &mut values);
                let value_old = self.terms.evaluate_with(old, old_model, &mut old_values);
                let own_old = self.terms.evaluate_with(old, pairing.old.path.model(), &mut own_values);
                let natural = self.is_natural(pairing, new, old);
                numbers.push(Number { result, new, old, value_new, value_old, own_old, natural });
            }
        }
        // Offsets at which something is known: the end of a string.
        let mut in_new = Substitution::new(pairing.in_new.clone());
        let mut offsets = Vec::new();
        for &id in pairing.taken.keys() {
            offsets.extend(pairing.old.memory.get(id).indexed().iter().map(|indexed| indexed.at));
        }
        offsets.sort_unstable();
        let own = &pairing.old.own;
        for at in offsets {
            let moves = self.variables_of(at).iter().any(|v| own.contains(v) || pairing.in_old.contains_key(v));
            if !moves && seen.insert(at) {
                let new = in_new.apply(&mut self.terms, at);
                let value_new = self.terms.evaluate_with(new, model, &mut values);
                let value_old = self.terms.evaluate_with(at, old_model, &mut old_values);
                let own_old = self.terms.evaluate_with(at, pairing.old.path.model(), &mut own_values);
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
                    let width = self.terms.width(peer.result);
                    let sum = if self.terms.width(sum.result) < width { self.widened(sum, width) } else { sum };
                    self.guess_order(sum, peer, guesses);
                }
            }
        }
        self.guess_alternatives(pairing, guesses);
        self.guess_drift(pairing, &moving, guesses);
        self.guess_equations(pairing, guesses);
        // How long the lists of nodes are has nothing to do with how long other lists are.
        let lists = |pattern: bool| -> FxHashSet<Term> {
            let segments = pairing.result.memory.iter().filter(|(_, object)| object.pattern || !pattern);
            segments.filter_map(|(_, object)| Some(object.segment.as_ref()?.length)).collect()
        };
        let (lengths, inner) = (lists(false), lists(true));
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
            // Where it started, when that is no constant.
            if self.terms.as_const(number.old).is_none() {
                let start = Number { result: number.old, value_new: number.value_old, ..number };
                self.guess_order(number, start, guesses);
            }
        }
    }

    /// Two numbers that move by constant steps: a linear combination of them stays what it was.
    fn guess_conserved(&mut self, pairing: &Pairing<'_>, number: Number, peer: Number, guesses: &mut Vec<Term>) {
        let width = self.terms.width(number.result);
        if self.terms.width(peer.result) > width {
            return;
        }
        let (Some(own), Some(other)) = (self.step(number), self.step(peer)) else { return };
        if own == 0 || other == 0 || own.unsigned_abs() > 1 << 20 || other.unsigned_abs() > 1 << 20 {
            return;
        }
        if !self.stays(pairing, number.old) || !self.stays(pairing, peer.old) {
            return;
        }
        let divisor = gcd(own.unsigned_abs(), other.unsigned_abs()) as i128;
        let (own, other) = (own / divisor, other / divisor);
        for signed_peer in [true, false] {
            let combination = |explorer: &mut Self, a: Term, b: Term| {
                let b = explorer.terms.resize(b, width, signed_peer);
                let (a, b) =
                    (explorer.terms.scale(a, other as u128), explorer.terms.scale(b, own.wrapping_neg() as u128));
                explorer.terms.add(a, b)
            };
            let now = combination(self, number.result, peer.result);
            let then = combination(self, number.old, peer.old);
            guesses.push(self.terms.eq(now, then));
        }
    }

    /// Bounds at the program's constants, the tightest that both states may keep and a few beyond.
    fn guess_bounds(&mut self, pairing: &Pairing<'_>, number: Number, guesses: &mut Vec<Term>) {
        let Number { result: number, value_new, value_old, .. } = number;
        let width = self.terms.width(number);
        let (seen_new, seen_old) = (signed(value_new, width), signed(value_old, width));
        let (seen_low, seen_high) = (seen_new.min(seen_old), seen_new.max(seen_old));
        let new = pairing.new.path.facts(&self.terms, pairing.in_new[&number]);
        let old = pairing.old.path.facts(&self.terms, pairing.in_old[&number]);
        let (low, high) = (new.signed_min.min(old.signed_min), new.signed_max.max(old.signed_max));
        let thresholds = self.thresholds.clone();
        let (least, greatest) = (signed(1 << (width - 1), width), signed(mask(width) >> 1, width));
        let mut below: BTreeSet<i128> = thresholds.range(..=low).rev().take(BOUNDS).copied().collect();
        below.extend(thresholds.range(..=seen_low).rev().take(BOUNDS));
        below.insert(low);
        let mut above: BTreeSet<i128> = thresholds.range(high..).take(BOUNDS).copied().collect();
        above.extend(thresholds.range(seen_high..).take(BOUNDS));
        above.insert(high);
        // The largest number that the program speaks of keeps sums and products from wrapping around.
        above.extend(thresholds.range(..=greatest >> 2).next_back().filter(|&&bound| bound >= high));
        for bound in below.into_iter().filter(|&c| c > least) {
            let bound = self.terms.constant(bound as u128, width);
            guesses.push(self.terms.sle(bound, number));
        }
        for bound in above.into_iter().filter(|&c| c < greatest) {
            let bound = self.terms.constant(bound as u128, width);
            guesses.push(self.terms.sle(number, bound));
        }
        // Unsigned bounds say more only where the sign is not known.
        let high = new.max.max(old.max);
        if low < 0 && high < mask(width) {
            let above = thresholds.range(i128::try_from(high).unwrap_or(i128::MAX)..).take(BOUNDS).copied();
            for bound in above.chain(i128::try_from(high).ok()) {
                let bound = self.terms.constant(bound as u128, width);
                guesses.push(self.terms.ule(number, bound));
            }
        }
    }

    /// The steps of a counter, as far as they are a power of two: the low bits stay.
    fn guess_step(&mut self, number: Number, guesses: &mut Vec<Term>) {
        let width = self.terms.width(number.result);
        let bits = (number.value_new.wrapping_sub(number.value_old) & mask(width)).trailing_zeros();
        if bits > 0 && bits < width {
            let distance = self.terms.sub(number.result, number.old);
            let low = self.terms.extract(distance, 0, bits);
            let zero = self.terms.constant(0, bits);
            guesses.push(self.terms.eq(low, zero));
        }
    }

    /// How a number may be related to another: in order, or one a linear function of the other.
    fn guess_relation(&mut self, number: Number, peer: Number, guesses: &mut Vec<Term>) {
        let (width, peer_width) = (self.terms.width(number.result), self.terms.width(peer.result));
        // Characters are contents, not counts.
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
            let zero_extended = self.terms.zext(peer.result, width);
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
                let constant = self.terms.constant(constant, width);
                let scaled = self.terms.scale(other.result, factor);
                let line = self.terms.add(scaled, constant);
                guesses.push(self.terms.eq(number.result, line));
            }
        }
    }

    /// How many nodes all lists of the result have together: one list that marks divide is several, and its nodes are counted all the same.
    fn total_length(&mut self, pairing: &Pairing<'_>, old_model: &Assignment) -> Option<Number> {
        let lists = pairing.result.memory.iter().filter(|(_, object)| !object.pattern);
        let lists = lists.filter_map(|(_, object)| object.segment.as_ref()).filter(|segment| segment.links.len() == 1);
        let lengths: Vec<Term> = lists.map(|segment| segment.length).collect();
        let moves = |length: Term| self.variables_of(length).iter().any(|v| pairing.in_old.contains_key(v));
        if lengths.len() < 2 || pairing.purpose == Purpose::Merge || !lengths.iter().any(|&length| moves(length)) {
            return None;
        }
        let mut result = self.terms.constant(0, self.pointer_bits);
        for length in lengths {
            result = self.terms.add(result, length);
        }
        let new = Substitution::new(pairing.in_new.clone()).apply(&mut self.terms, result);
        let old = Substitution::new(pairing.in_old.clone()).apply(&mut self.terms, result);
        let value_new = self.terms.evaluate(new, pairing.new.path.model());
        let value_old = self.terms.evaluate(old, old_model);
        let own_old = self.terms.evaluate(old, pairing.old.path.model());
        Some(Number { result, new, old, value_new, value_old, own_old, natural: true })
    }

    /// Nodes that are counted in a number, with fewer bits perhaps than it takes: the low bits of how many there are.
    fn guess_counted(&mut self, length: Number, counter: Number, guesses: &mut Vec<Term>) {
        let width = self.terms.width(counter.result);
        if !(16..=self.terms.width(length.result)).contains(&width) {
            return;
        }
        let beyond = |length: u128, counter: u128| length.wrapping_sub(counter) & mask(width);
        let constant = beyond(length.value_new, counter.value_new);
        if constant == beyond(length.own_old, counter.own_old) {
            let constant = self.terms.constant(constant, width);
            let counted = self.terms.add(counter.result, constant);
            let low = self.terms.extract(length.result, 0, width);
            guesses.push(self.terms.eq(low, counted));
        }
    }

    /// A number with more bits, of the same sign.
    fn widened(&mut self, number: Number, width: u32) -> Number {
        let own = self.terms.width(number.result);
        let value = |v: u128| signed(v, own) as u128 & mask(width);
        let (value_new, value_old) = (value(number.value_new), value(number.value_old));
        let own_old = value(number.own_old);
        Number { result: self.terms.sext(number.result, width), value_new, value_old, own_old, ..number }
    }

    /// The orders of two numbers that their values show.
    fn guess_order(&mut self, a: Number, b: Number, guesses: &mut Vec<Term>) {
        if self.terms.width(a.result) != self.terms.width(b.result) {
            return;
        }
        let width = self.terms.width(a.result);
        // Numbers of bytes are not compared with numbers of elements.
        let step = |n: Number| (!self.terms.facts(n.result).zeros).trailing_zeros();
        let whole = |n: Number, step: u32| (n.value_new | n.own_old) & mask(step.min(width)) == 0;
        if !whole(a, step(b)) || !whole(b, step(a)) {
            return;
        }
        let sign = |n: Number| (signed(n.value_new, width), signed(n.own_old, width));
        for (x, y) in [(a, b), (b, a)] {
            let (sx, sy) = (sign(x), sign(y));
            if sx.0 <= sy.0 && sx.1 <= sy.1 {
                guesses.push(self.terms.sle(x.result, y.result));
            }
            if sx.0 < sy.0 && sx.1 < sy.1 {
                guesses.push(self.terms.slt(x.result, y.result));
            }
            // One apart: a loop that is about to go on.
            if sx.0 + 1 < sy.0 && sx.1 + 1 < sy.1 {
                let one = self.terms.constant(1, width);
                let next = self.terms.add(x.result, one);
                guesses.push(self.terms.slt(next, y.result));
            }
            // Of numbers that are not negative the other order says the same.
            if a.natural && b.natural {
                continue;
            }
            if x.value_new <= y.value_new && x.own_old <= y.own_old {
                guesses.push(self.terms.ule(x.result, y.result));
            }
            if x.value_new < y.value_new && x.own_old < y.own_old {
                guesses.push(self.terms.ult(x.result, y.result));
            }
        }
    }

    fn is_natural(&self, pairing: &Pairing<'_>, new: Term, old: Term) -> bool {
        pairing.new.path.facts(&self.terms, new).signed_min >= 0
            && pairing.old.path.facts(&self.terms, old).signed_min >= 0
    }

    /// The constant by which a number has moved.
    fn step(&mut self, number: Number) -> Option<i128> {
        let moved = self.terms.sub(number.new, number.old);
        self.terms.as_const(moved).map(|bits| signed(bits, self.terms.width(moved)))
    }

    /// Whether a term of the old state means the same in the new one.
    fn stays(&self, pairing: &Pairing<'_>, term: Term) -> bool {
        let stays = |variable: &Term| pairing.in_new.get(variable).is_none_or(|stands_for| stands_for == variable);
        self.variables_of(term).iter().all(stays)
    }

    /// What held of the old state and is off by now, in step with a number that has begun to move: it holds again with that number
    /// taken in. Of two lists that are merged into a third, for instance, now one moves and now the other.
    fn guess_drift(&mut self, pairing: &Pairing<'_>, moving: &[Number], guesses: &mut Vec<Term>) {
        let model = pairing.new.path.model();
        let mut in_new = Substitution::new(pairing.in_new.clone());
        for condition in pairing.old.path.conditions() {
            let Node::Binary(Op::Eq, a, b) = *self.terms.node(condition) else { continue };
            let width = self.terms.width(a);
            let distance = self.terms.sub(a, b);
            let now = in_new.apply(&mut self.terms, distance);
            let off = signed(self.terms.evaluate(now, model), width);
            if off == 0 || off.unsigned_abs() > MAX_DRIFT {
                continue;
            }
            for &number in moving {
                if self.terms.width(number.result) != width {
                    continue;
                }
                let moved = signed(number.value_new.wrapping_sub(number.value_old) & mask(width), width);
                if moved != 0 && off % moved == 0 && self.stays(pairing, number.old) {
                    let way = self.terms.sub(number.result, number.old);
                    let way = self.terms.scale(way, (off / moved) as u128);
                    guesses.push(self.terms.eq(distance, way));
                }
            }
        }
    }

    /// What the new state says in equations. Of an old state that has not moved yet it may be true without being said.
    fn guess_equations(&mut self, pairing: &Pairing<'_>, guesses: &mut Vec<Term>) {
        if pairing.purpose == Purpose::Merge {
            return;
        }
        // Where a variable of the result stands for one of the new state and a constant, that one is called by it.
        let mut called: FxHashMap<Term, Term> = FxHashMap::default();
        let mut stands_for: Vec<(Term, Term)> = pairing.in_new.iter().map(|(&result, &new)| (result, new)).collect();
        stands_for.sort_unstable();
        for (result, new) in stands_for {
            let variable = match self.terms.node(new) {
                Node::Var(_) => new,
                Node::Sum(sum) if let [(variable, 1)] = sum.monomials[..] => variable,
                _ => continue,
            };
            if self.terms.width(result) == self.terms.width(variable) {
                let beyond = self.terms.sub(new, variable);
                let name = self.terms.sub(result, beyond);
                called.entry(variable).or_insert(name);
            }
        }
        let mut names = Substitution::new(called);
        for condition in pairing.new.path.conditions() {
            if self.is_linear(condition) {
                let guess = names.apply(&mut self.terms, condition);
                guesses.push(guess);
            }
        }
    }

    /// Whether a condition is an equation of sums of variables.
    fn is_linear(&mut self, condition: Term) -> bool {
        let Node::Binary(Op::Eq, a, b) = *self.terms.node(condition) else { return false };
        let distance = self.terms.sub(a, b);
        let Node::Sum(sum) = self.terms.node(distance) else { return false };
        // A number in a wider type is the same number.
        let simple =
            |part: Term| matches!(self.terms.node(part), Node::Var(_) | Node::SExt(_) | Node::Binary(Op::Concat, ..));
        sum.monomials.iter().all(|&(part, _)| simple(part) && self.terms.variables_of(part).len() == 1)
    }

    /// Sums and differences that the function at hand computes of what is in its registers: an index is often one of them.
    fn sums(&mut self, pairing: &Pairing<'_>, old_model: &Assignment) -> Vec<Number> {
        let (Some(result), Some(new), Some(old)) =
            (pairing.result.frames.last(), pairing.new.frames.last(), pairing.old.frames.last())
        else {
            return Vec::new();
        };
        let Some(body) = &self.program.functions[result.function.index()].body else { return Vec::new() };
        let insts = || body.blocks.iter().flat_map(|block| &block.insts);
        // Where what is in a register comes from, if that is only a conversion.
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
                let x = match self.target(state, x) {
                    Target::Object(_, at) => at,
                    _ => x,
                };
                let y = self.terms.resize(y, self.terms.width(x), true);
                let y = self.terms.scale(y, i128::from(factor) as u128);
                Some(self.terms.add(x, y))
            };
            let sums = (sum(&pairing.result, result), sum(pairing.new, new), sum(pairing.old, old));
            if let (Some(result), Some(new), Some(old)) = sums
                && self.terms.as_const(result).is_none()
            {
                let model = pairing.new.path.model();
                let (value_new, value_old) = (self.terms.evaluate(new, model), self.terms.evaluate(old, old_model));
                let own_old = self.terms.evaluate(old, pairing.old.path.model());
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
    /// The value in the old state's own model: what is true of that state is true of this.
    own_old: u128,
    /// Whether it is known in both states not to be negative.
    natural: bool,
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}
