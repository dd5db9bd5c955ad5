//! The pairing of values: pointers pair their targets, and numbers that differ become a variable.

use std::rc::Rc;

use cairn_ir::{FuncId, Inst, Operand};
use cairn_smt::term::{Node, signed};
use cairn_smt::{Substitution, Term};

use crate::Lattice;
use crate::State;
use crate::join::pairing::{Difference, Pairing, Purpose};
use crate::join::shapes;
use crate::limits::{MAX_FUNCTION_ARGUMENTS, MAX_TABLE_LOOP};
use cairn_exec::allocation::Target;
use cairn_exec::planted;
use cairn_memory::object::End;
use cairn_memory::pointer::ObjectId;
use cairn_memory::segment::Side;
impl Lattice<'_> {
    /// Pairs two values and returns the result's term for them.
    pub(crate) fn pair_values(&mut self, p: &mut Pairing<'_>, x: Term, y: Term) -> Option<Term> {
        if let Some(&known) = p.values.get(&(x, y)) {
            // The same constants may be counters in one place and marks in another.
            if let (Some(a), Some(b), false) =
                (self.machine.terms.as_const(x), self.machine.terms.as_const(y), p.counting)
                && a != b
            {
                let width = self.machine.terms.width(x);
                p.differences.push(Difference { new: signed(a, width), old: signed(b, width), counted: false });
            }
            return Some(known);
        }
        let result = self.pair_unknown_values(p, x, y)?;
        p.values.insert((x, y), result);
        Some(result)
    }

    fn pair_unknown_values(&mut self, p: &mut Pairing<'_>, x: Term, y: Term) -> Option<Term> {
        let width = self.machine.terms.width(x);
        if width != self.machine.terms.width(y) {
            return None;
        }
        let (new, old) = (p.new, p.old);
        // A value that two nodes of one state share has the same meaning for both.
        if p.purpose == Purpose::Merge && x == y {
            return Some(x);
        }
        // A node does not own the object that follows the other node.
        if let Some((left, right)) = planted!(40, p.merge.ends, None)
            && (x == left || (y == right && self.machine.terms.as_const(y).is_none()))
        {
            return None;
        }
        // A cell on a path through a tree holds one of two pointers.
        if let (&Node::Ite(fork, a, b), &Node::Ite(other, c, d)) =
            (self.machine.terms.node(x), self.machine.terms.node(y))
            && let Some(&result) = p.values.get(&(fork, other))
        {
            let (first, second) = (self.pair_values(p, a, c)?, self.pair_values(p, b, d)?);
            return Some(self.machine.terms.ite(result, first, second));
        }
        let (value_x, value_y) = (new.path.value(&self.machine.terms, x), old.path.value(&self.machine.terms, y));
        if let (Some(value), true) = (value_x, value_x == value_y) {
            return Some(self.machine.terms.constant(value, width));
        }
        if planted!(42, width == self.machine.pointer_bits, false) {
            let (left, right) = (self.any_target(new, x), self.any_target(old, y));
            let (left_is_dead, right_is_dead) = (is_dead(new, &left), is_dead(old, &right));
            if left_is_dead || right_is_dead {
                match p.purpose {
                    // No node owns a freed object.
                    Purpose::Merge => return None,
                    Purpose::Join | Purpose::Cover => {
                        let (no_left, no_right) =
                            (left_is_dead || !left.is_object(), right_is_dead || !right.is_object());
                        if left_is_dead != right_is_dead && no_left && no_right {
                            return self.pair_dangling(p, x, y);
                        }
                    }
                }
            }
            match (left, right) {
                (Target::Object(a, at_a), Target::Object(b, at_b)) => {
                    self.pair_objects(p, a, b)?;
                    if p.purpose == Purpose::Join && self.points_to_other_link((new, a, at_a), (old, b, at_b)) {
                        p.differences.push(Difference::POSITION);
                    }
                    let at = self.pair_values(p, at_a, at_b)?;
                    let base = p.result.memory.get(b).base;
                    return Some(self.machine.terms.add(base, at));
                }
                (Target::Segment(a, side, at_a), Target::Segment(b, other, at_b))
                    if side == other && !shapes::is_absent(p, a, b) =>
                {
                    self.pair_objects(p, a, b)?;
                    if p.purpose == Purpose::Join && self.points_to_other_link((new, a, at_a), (old, b, at_b)) {
                        p.differences.push(Difference::POSITION);
                    }
                    let at = self.pair_values(p, at_a, at_b)?;
                    let object = p.result.memory.get(b);
                    let base = match side {
                        Side::First => object.base,
                        Side::Last => object.segment.as_ref()?.last()?,
                    };
                    return Some(self.machine.terms.add(base, at));
                }
                (left, right) if left.is_object() || right.is_object() => {
                    return shapes::pair_with_segment(self, p, x, y);
                }
                _ => {}
            }
        }
        // The link of a segment's nodes is a pointer and must not be paired as a number.
        if planted!(38, p.links.contains(&x) || p.links.contains(&y), false) {
            return None;
        }
        let result = self.pair_numbers(p, x, y, (value_x, value_y));
        if !self.machine.undefined.is_empty() && self.is_undefined(x) && !self.is_undefined(result) {
            if p.purpose == Purpose::Cover {
                return None;
            }
            self.machine.undefined.insert(result);
        }
        if self.machine.terms.as_const(result).is_none() {
            p.numbers.push((result, x, y));
        }
        Some(result)
    }

    /// Returns whether two pointers lead to different cells of one object that both hold pointers.
    ///
    /// The cell is part of the shape: a value that is stored at one of several offsets is no longer a link.
    fn points_to_other_link(&mut self, a: (&State, ObjectId, Term), b: (&State, ObjectId, Term)) -> bool {
        let places = [a, b].map(|(state, id, at)| {
            let at = state.path.value(&self.machine.terms, at)?;
            let object = state.memory.get(id);
            let node = object.segment.as_ref().map_or(object, |segment| state.memory.get(segment.node));
            let cell = node.cell_at(at as u64)?;
            (u128::from(cell.0) == at && 8 * cell.1 == self.machine.pointer_bits).then_some(at)
        });
        places[0] != places[1] && places.iter().all(Option::is_some)
    }

    /// Pairs a dangling pointer with another value that points to no live object.
    ///
    /// Nothing is known of the result.
    fn pair_dangling(&mut self, p: &mut Pairing<'_>, x: Term, y: Term) -> Option<Term> {
        let variable = matches!(self.machine.terms.node(y), Node::Var(_)) && !p.links.contains(&y);
        if p.purpose == Purpose::Cover {
            return planted!(41, variable && p.claim(y, x), true).then_some(y);
        }
        p.dangling |= [x, y].iter().any(|&value| self.machine.terms.as_const(value) == Some(0));
        let fresh = self.machine.terms.variable("anything", self.machine.pointer_bits);
        p.in_new.insert(fresh, x);
        p.in_old.insert(fresh, y);
        p.fresh.push(fresh);
        Some(fresh)
    }

    /// Pairs values that are no pointers.
    fn pair_numbers(&mut self, p: &mut Pairing<'_>, x: Term, y: Term, values: (Option<u128>, Option<u128>)) -> Term {
        let variable = matches!(self.machine.terms.node(y), Node::Var(_));
        if p.purpose == Purpose::Cover {
            if planted!(39, !(variable && p.claim(y, x)), false) {
                p.equalities.push((x, y));
            }
            return y;
        }
        // A variable keeps its meaning, so that a value that changes can be compared with its start. Only variables
        // that joins at this program point created may change their meaning.
        let free = variable && (p.old.extra.join_variables.contains(&y) || x == y);
        if p.purpose == Purpose::Join && free && values.1.is_none() && p.claim(y, x) {
            return y;
        }
        if x == y && self.stands_for_itself(p, x) {
            return y;
        }
        if !variable && let Some(result) = self.pair_functions(p, x, y) {
            return result;
        }
        let width = self.machine.terms.width(x);
        let other = |lattice: &Self, constant: u128, state: &State, term: Term| {
            // The constant is outside the range of the other value.
            let facts = state.path.facts(&lattice.machine.terms, term);
            (constant < facts.min || constant > facts.max).then_some(constant)
        };
        let counted = p.counting;
        let difference =
            |new: u128, old: u128| Difference { new: signed(new, width), old: signed(old, width), counted };
        match values {
            (Some(a), Some(b)) => p.differences.push(difference(a, b)),
            (Some(a), None) => p.differences.extend(other(self, a, p.old, y).map(|a| difference(a, a))),
            (None, Some(b)) => p.differences.extend(other(self, b, p.new, x).map(|b| difference(b, b))),
            (None, None) => {}
        }
        let fresh = self.machine.terms.variable("joined", self.machine.terms.width(x));
        if !self.machine.undefined.is_empty() && (self.is_undefined(x) || self.is_undefined(y)) {
            self.machine.undefined.insert(fresh);
        }
        p.in_new.insert(fresh, x);
        p.in_old.insert(fresh, y);
        p.fresh.push(fresh);
        fresh
    }

    /// Pairs two values that are the same function of paired values.
    ///
    /// The result is that function of the paired results. For example, the size of a buffer stays four times the
    /// count in its node.
    fn pair_functions(&mut self, p: &mut Pairing<'_>, x: Term, y: Term) -> Option<Term> {
        let variables = self.variables_of(y);
        if variables.is_empty() || variables.len() > MAX_FUNCTION_ARGUMENTS {
            return None;
        }
        let known = self.arguments(p, x, y, &variables)?;
        Some(Substitution::new(known).apply(&mut self.machine.terms, y))
    }

    /// Returns the results for the variables of an old value.
    ///
    /// Returns `None` unless the new value is the same function of the values that these variables were paired with.
    fn arguments(&mut self, p: &Pairing<'_>, x: Term, y: Term, variables: &[Term]) -> Option<Vec<(Term, Term)>> {
        let (mut in_new, mut results) = (Substitution::default(), Vec::new());
        for &variable in variables {
            let mut met: Vec<(Term, Term)> = p
                .values
                .iter()
                .filter(|(pair, _)| pair.1 == variable)
                .map(|(pair, &result)| (pair.0, result))
                .collect();
            met.sort_unstable();
            let [(new, result)] = met[..] else { return None };
            in_new.insert(variable, new);
            results.push((variable, result));
        }
        (in_new.apply(&mut self.machine.terms, y) == x).then_some(results)
    }

    /// Returns the registers in which a function counts: their values come from arithmetic.
    pub(crate) fn counter_registers(&mut self, function: FuncId) -> Rc<[bool]> {
        if let Some(known) = self.counters.get(&function) {
            return Rc::clone(known);
        }
        let body = self.machine.program.functions[function.index()].body.as_ref();
        let mut found = vec![false; body.map_or(0, |body| body.regs.len())];
        let insts = || body.into_iter().flat_map(|body| &body.blocks).flat_map(|block| &block.insts);
        for inst in insts() {
            if let Inst::Binary { dst, .. } | Inst::Divide { dst, .. } | Inst::PtrAdd { dst, .. } = inst {
                found[dst.index()] = true;
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            for inst in insts() {
                if let Inst::Move { dst, src: Operand::Reg(src) } | Inst::Convert { dst, src: Operand::Reg(src), .. } =
                    inst
                    && found[src.index()]
                    && !found[dst.index()]
                {
                    found[dst.index()] = true;
                    changed = true;
                }
            }
        }
        let found: Rc<[bool]> = found.into();
        self.counters.insert(function, Rc::clone(&found));
        found
    }

    /// Returns the registers that a function compares with a small constant, like the index of a loop over a table.
    pub(crate) fn bounded_registers(&mut self, function: FuncId) -> Rc<[bool]> {
        if let Some(known) = self.bounded.get(&function) {
            return Rc::clone(known);
        }
        let body = self.machine.program.functions[function.index()].body.as_ref();
        let mut found = vec![false; body.map_or(0, |body| body.regs.len())];
        let insts = || body.into_iter().flat_map(|body| &body.blocks).flat_map(|block| &block.insts);
        for inst in insts() {
            if let Inst::Compare { lhs: Operand::Reg(register), rhs: Operand::Int(limit), .. }
            | Inst::Compare { lhs: Operand::Int(limit), rhs: Operand::Reg(register), .. } = inst
                && (2..=MAX_TABLE_LOOP).contains(limit)
            {
                found[register.index()] = true;
            }
        }
        for inst in insts() {
            if let Inst::Convert { dst, src: Operand::Reg(src), .. } = inst
                && found[dst.index()]
            {
                found[src.index()] = true;
            }
        }
        let found: Rc<[bool]> = found.into();
        self.bounded.insert(function, Rc::clone(&found));
        found
    }

    /// Returns whether every variable of a term can stand for itself in the result, and lets them do so.
    fn stands_for_itself(&mut self, p: &mut Pairing<'_>, term: Term) -> bool {
        let variables = self.variables_of(term);
        let free = variables.iter().all(|v| p.in_new.get(v).is_none_or(|stands| stands == v));
        if free && p.purpose != Purpose::Merge {
            for &variable in variables.iter() {
                p.in_new.insert(variable, variable);
            }
        }
        free
    }
}

/// Returns whether a pointer leads to an object that is no longer live.
fn is_dead(state: &State, target: &Target) -> bool {
    matches!(target, Target::Object(id, _) if state.memory.get(*id).end != End::Live)
}
