//! The pairing of two values: pointers lead to objects that are paired, numbers that differ become a variable.

use std::rc::Rc;

use cairn_ir::{FuncId, Inst, Operand};
use cairn_smt::term::{Node, signed};
use cairn_smt::{Substitution, Term};

use super::pair::{Pairing, Purpose};
use super::shapes;
use crate::engines::shape::Explorer;
use crate::engines::shape::allocation::Target;
use crate::engines::shape::state::State;
use crate::memory::object::End;
use crate::memory::pointer::ObjectId;
use crate::memory::segment::Side;

/// Variables of a value that is paired as a function of them.
const MOST_ARGUMENTS: usize = 3;

/// The most cells of a table that a loop goes through one by one.
const SMALL_LIMIT: i64 = 32;

/// What stands for different places among the constants that differ.
pub(super) const MARKED_PLACES: (i128, i128, bool) = (0, 1, false);

impl Explorer<'_> {
    /// Pairs two values: the result's term for them.
    pub(in crate::engines::shape) fn pair_values(&mut self, p: &mut Pairing<'_>, x: Term, y: Term) -> Option<Term> {
        if let Some(&known) = p.values.get(&(x, y)) {
            // The same numbers may be counted in one place and be marks in another.
            if let (Some(a), Some(b), false) = (self.terms.as_const(x), self.terms.as_const(y), p.counting)
                && a != b
            {
                let width = self.terms.width(x);
                p.constants.push((signed(a, width), signed(b, width), false));
            }
            return Some(known);
        }
        let result = self.pair_unknown_values(p, x, y)?;
        p.values.insert((x, y), result);
        Some(result)
    }

    fn pair_unknown_values(&mut self, p: &mut Pairing<'_>, x: Term, y: Term) -> Option<Term> {
        let width = self.terms.width(x);
        if width != self.terms.width(y) {
            return None;
        }
        let (new, old) = (p.new, p.old);
        // Two nodes of one state that hold the same hold it together with everything else of that state.
        if p.purpose == Purpose::Merge && x == y {
            return Some(x);
        }
        // What follows one node is nothing that the other one owns.
        if let Some((left, right)) = p.ends
            && (x == left || (y == right && self.terms.as_const(y).is_none()))
        {
            return None;
        }
        // The two ways of a path through a tree.
        if let (&Node::Ite(fork, a, b), &Node::Ite(other, c, d)) = (self.terms.node(x), self.terms.node(y))
            && let Some(&result) = p.values.get(&(fork, other))
        {
            let (first, second) = (self.pair_values(p, a, c)?, self.pair_values(p, b, d)?);
            return Some(self.terms.ite(result, first, second));
        }
        let (value_x, value_y) = (new.path.value(&self.terms, x), old.path.value(&self.terms, y));
        if let (Some(value), true) = (value_x, value_x == value_y) {
            return Some(self.terms.constant(value, width));
        }
        if width == self.pointer_bits {
            let (left, right) = (self.target(new, x), self.target(old, y));
            let (left_is_gone, right_is_gone) = (is_gone(new, &left), is_gone(old, &right));
            if left_is_gone || right_is_gone {
                match p.purpose {
                    // What was freed belongs to no node.
                    Purpose::Merge => return None,
                    Purpose::Join | Purpose::Cover => {
                        let (no_left, no_right) =
                            (left_is_gone || !left.is_object(), right_is_gone || !right.is_object());
                        if left_is_gone != right_is_gone && no_left && no_right {
                            return self.pair_dangling(p, x, y);
                        }
                    }
                }
            }
            match (left, right) {
                (Target::Object(a, at_a), Target::Object(b, at_b)) => {
                    self.pair_objects(p, a, b)?;
                    if p.purpose == Purpose::Join && self.leads_elsewhere((new, a, at_a), (old, b, at_b)) {
                        p.constants.push(MARKED_PLACES);
                    }
                    let at = self.pair_values(p, at_a, at_b)?;
                    let base = p.result.memory.get(b).base;
                    return Some(self.terms.add(base, at));
                }
                (Target::Segment(a, side, at_a), Target::Segment(b, other, at_b))
                    if side == other && !shapes::is_absent(p, a, b) =>
                {
                    self.pair_objects(p, a, b)?;
                    if p.purpose == Purpose::Join && self.leads_elsewhere((new, a, at_a), (old, b, at_b)) {
                        p.constants.push(MARKED_PLACES);
                    }
                    let at = self.pair_values(p, at_a, at_b)?;
                    let object = p.result.memory.get(b);
                    let base = match side {
                        Side::First => object.base,
                        Side::Last => object.segment.as_ref()?.last()?,
                    };
                    return Some(self.terms.add(base, at));
                }
                (left, right) if left.is_object() || right.is_object() => {
                    return shapes::pair_unequal(self, p, x, y);
                }
                _ => {}
            }
        }
        // Links of nodes that are many are no numbers.
        if p.links.contains(&x) || p.links.contains(&y) {
            return None;
        }
        let result = self.pair_numbers(p, x, y, (value_x, value_y));
        if !self.undefined.is_empty() && self.is_undefined(x) && !self.is_undefined(result) {
            if p.purpose == Purpose::Cover {
                return None;
            }
            self.undefined.insert(result);
        }
        if self.terms.as_const(result).is_none() {
            p.numbers.push((result, x, y));
        }
        Some(result)
    }

    /// Whether two pointers lead to different cells of one object that both hold pointers. Which of them is meant is a part of the shape: what
    /// is stored at one of several offsets is not a link any more.
    fn leads_elsewhere(&mut self, a: (&State, ObjectId, Term), b: (&State, ObjectId, Term)) -> bool {
        let places = [a, b].map(|(state, id, at)| {
            let at = state.path.value(&self.terms, at)?;
            let object = state.memory.get(id);
            let node = object.segment.as_ref().map_or(object, |segment| state.memory.get(segment.node));
            let cell = node.cell_at(at as u64)?;
            (u128::from(cell.0) == at && 8 * cell.1 == self.pointer_bits).then_some(at)
        });
        places[0] != places[1] && places.iter().all(Option::is_some)
    }

    /// Pairs a pointer to what is gone with something that leads nowhere either: no more is known of both.
    fn pair_dangling(&mut self, p: &mut Pairing<'_>, x: Term, y: Term) -> Option<Term> {
        let variable = matches!(self.terms.node(y), Node::Var(_)) && !p.links.contains(&y);
        if p.purpose == Purpose::Cover {
            return (variable && p.claim(y, x)).then_some(y);
        }
        p.dangling |= [x, y].iter().any(|&value| self.terms.as_const(value) == Some(0));
        let fresh = self.terms.variable("anything", self.pointer_bits);
        p.in_new.insert(fresh, x);
        p.in_old.insert(fresh, y);
        p.fresh.push(fresh);
        Some(fresh)
    }

    /// Pairs values that are no pointers.
    fn pair_numbers(&mut self, p: &mut Pairing<'_>, x: Term, y: Term, values: (Option<u128>, Option<u128>)) -> Term {
        let variable = matches!(self.terms.node(y), Node::Var(_));
        if p.purpose == Purpose::Cover {
            if !(variable && p.claim(y, x)) {
                p.equalities.push((x, y));
            }
            return y;
        }
        // A variable keeps its meaning, so that what moves can be compared with where it began. Only those that joins at this
        // place have made have none of their own.
        let free = variable && (p.old.own.contains(&y) || x == y);
        if p.purpose == Purpose::Join && free && values.1.is_none() && p.claim(y, x) {
            return y;
        }
        if x == y && self.stands_for_itself(p, x) {
            return y;
        }
        if !variable && let Some(result) = self.pair_functions(p, x, y) {
            return result;
        }
        let width = self.terms.width(x);
        let other = |explorer: &Self, constant: u128, state: &State, term: Term| {
            // A number that is never what the other one is.
            let facts = state.path.facts(&explorer.terms, term);
            (constant < facts.min || constant > facts.max).then_some(constant)
        };
        match values {
            (Some(a), Some(b)) => p.constants.push((signed(a, width), signed(b, width), p.counting)),
            (Some(a), None) => {
                let apart = other(self, a, p.old, y).map(|a| (signed(a, width), signed(a, width), p.counting));
                p.constants.extend(apart);
            }
            (None, Some(b)) => {
                let apart = other(self, b, p.new, x).map(|b| (signed(b, width), signed(b, width), p.counting));
                p.constants.extend(apart);
            }
            (None, None) => {}
        }
        let fresh = self.terms.variable("joined", self.terms.width(x));
        if !self.undefined.is_empty() && (self.is_undefined(x) || self.is_undefined(y)) {
            self.undefined.insert(fresh);
        }
        p.in_new.insert(fresh, x);
        p.in_old.insert(fresh, y);
        p.fresh.push(fresh);
        fresh
    }

    /// Pairs two values that depend in the same way on values that are paired: the result depends in this way on what those become. So the
    /// size of a buffer stays four times the number that the node says.
    fn pair_functions(&mut self, p: &mut Pairing<'_>, x: Term, y: Term) -> Option<Term> {
        let variables = self.variables_of(y);
        if variables.is_empty() || variables.len() > MOST_ARGUMENTS {
            return None;
        }
        let known = self.arguments(p, x, y, &variables)?;
        Some(Substitution::new(known).apply(&mut self.terms, y))
    }

    /// What the variables of a value of the old state become, if the new state's value is the same function of what they are there.
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
        (in_new.apply(&mut self.terms, y) == x).then_some(results)
    }

    /// The registers of a function in which it counts: what is assigned to them comes from arithmetic.
    pub(super) fn counters_of(&mut self, function: FuncId) -> Rc<[bool]> {
        if let Some(known) = self.counters.get(&function) {
            return Rc::clone(known);
        }
        let body = self.program.functions[function.index()].body.as_ref();
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

    /// The registers of a function that it compares with a small number: those that go through the cells of a table.
    pub(super) fn limited_in(&mut self, function: FuncId) -> Rc<[bool]> {
        if let Some(known) = self.limited.get(&function) {
            return Rc::clone(known);
        }
        let body = self.program.functions[function.index()].body.as_ref();
        let mut found = vec![false; body.map_or(0, |body| body.regs.len())];
        let insts = || body.into_iter().flat_map(|body| &body.blocks).flat_map(|block| &block.insts);
        for inst in insts() {
            if let Inst::Compare { lhs: Operand::Reg(register), rhs: Operand::Int(limit), .. }
            | Inst::Compare { lhs: Operand::Int(limit), rhs: Operand::Reg(register), .. } = inst
                && (2..=SMALL_LIMIT).contains(limit)
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
        self.limited.insert(function, Rc::clone(&found));
        found
    }

    /// Whether every variable of a term can stand for itself in the result; then it does.
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

/// Whether a pointer leads to an object that is gone.
fn is_gone(state: &State, target: &Target) -> bool {
    matches!(target, Target::Object(id, _) if state.memory.get(*id).end != End::Live)
}
