//! Loop invariants in C: bounds of variables, their order, and which pointers are null.
//!
//! An invariant holds in every state that the proof has reached at the loop head, and therefore in every execution.
//!
//! The integers of the IR have no sign. The name of a value that cannot be negative is correct under either reading.
//! A value that may be negative is first converted to the signed type of its width.

use cairn_ir::ctype::Type;
use cairn_ir::program::Origin;
use cairn_ir::{BlockId, FuncId, Function, Terminator, Ty};
use cairn_smt::Term;
use cairn_smt::term::{mask, signed};
use rustc_hash::FxHashMap;

use crate::Lattice;
use crate::State;
use crate::limits::MAX_COMPARED_VARIABLES;
use crate::{Place, Prover};
use cairn_exec::allocation::Target;
use cairn_memory::object::End;
use cairn_portfolio::invariant::{Fact, LoopInvariant, constant, is_name, signed_type};
/// A variable of the source with its value in each state.
struct Variable {
    name: String,
    ty: Ty,
    values: Vec<Term>,
}

impl Prover<'_> {
    /// Returns the invariants of all loops in user code, from the states that were reached at program points.
    pub fn invariants<'s>(&mut self, reached: impl Iterator<Item = (&'s Place, &'s [State])>) -> Vec<LoopInvariant> {
        let mut heads: FxHashMap<(FuncId, BlockId), Vec<&State>> = FxHashMap::default();
        for (_, states) in reached {
            for state in states {
                let frame = state.top();
                if self.is_head(state)
                    && self.lattice.machine.program.functions[frame.function.index()].origin.is_of_user()
                {
                    heads.entry((frame.function, frame.block)).or_default().push(state);
                }
            }
        }
        let mut heads: Vec<_> = heads.into_iter().collect();
        heads.sort_unstable_by_key(|&(head, _)| head);
        heads.into_iter().map(|((function, head), states)| self.lattice.invariant(function, head, &states)).collect()
    }
}

impl Lattice<'_> {
    fn invariant(&mut self, function: FuncId, head: BlockId, states: &[&State]) -> LoopInvariant {
        let mut entries = Vec::new();
        for block in &self.body(function).blocks {
            if matches!(block.end, Terminator::Jump(next) if next == head) && !entries.contains(&block.end_loc) {
                entries.push(block.end_loc);
            }
        }
        let mut formulas: Vec<String> = states.iter().map(|state| self.formula(state)).collect();
        formulas.sort_unstable();
        formulas.dedup();
        let mut facts = Vec::new();
        let variables = self.variables_at(function, states);
        for variable in &variables {
            self.facts_of(states, variable, &mut facts);
        }
        for (index, a) in variables.iter().take(MAX_COMPARED_VARIABLES).enumerate() {
            for b in variables.iter().take(MAX_COMPARED_VARIABLES).skip(index + 1).filter(|b| b.ty == a.ty) {
                self.facts_between(states, a, b, &mut facts);
            }
        }
        LoopInvariant { function, entries, facts, formulas }
    }

    /// Returns the variables that have a value in all states and a name that is unambiguous.
    fn variables_at(&mut self, function: FuncId, states: &[&State]) -> Vec<Variable> {
        let body = self.body(function);
        let mut uses: FxHashMap<&str, u32> = FxHashMap::default();
        let names = body.regs.iter().map(|r| r.name.as_deref()).chain(body.slots.iter().map(|s| s.name.as_deref()));
        names.flatten().for_each(|name| *uses.entry(name).or_default() += 1);
        let mut found = Vec::new();
        for (index, register) in body.regs.iter().enumerate() {
            let Some(name) = register.name.as_deref().filter(|name| is_name(name) && uses[name] == 1) else { continue };
            let values: Option<Vec<Term>> = states.iter().map(|state| state.top().regs[index]).collect();
            found.extend(values.map(|values| Variable { name: name.to_owned(), ty: register.ty, values }));
        }
        for (index, global) in self.machine.program.globals.iter().enumerate() {
            // Variables of the library models mean nothing in the user's text.
            if self
                .machine
                .program
                .files
                .get(global.loc.file.0 as usize)
                .is_some_and(|file| file.starts_with("<cairn/"))
            {
                continue;
            }
            let ty = match global.ctype.map(|id| self.machine.program.types.get(id)) {
                Some(Type::Pointer(_)) => Some(Ty::Ptr),
                Some(Type::Int(_)) => Ty::int(8 * global.size as u32),
                _ => None,
            };
            let (Some(ty), true) = (ty, is_name(&global.name) && !uses.contains_key(global.name.as_str())) else {
                continue;
            };
            let of_library = |f: &Function| f.origin == Origin::Model && f.loc.file == global.loc.file;
            if self.machine.program.functions.iter().any(of_library) {
                continue;
            }
            let mut value = |state: &&State| {
                let object = state.memory.get(self.machine.globals[index]);
                match object.cell_at(0) {
                    Some((_, len, value)) => (u64::from(len) == global.size).then_some(value),
                    None if object.cells().next().is_none() => {
                        object.known_initial(0, global.size as u32, &mut self.machine.terms)
                    }
                    None => None,
                }
            };
            let values: Option<Vec<Term>> = states.iter().map(&mut value).collect();
            found.extend(values.map(|values| Variable { name: global.name.clone(), ty, values }));
        }
        found.retain(|variable| !variable.values.iter().any(|&value| self.is_undefined(value)));
        found
    }

    /// Collects the facts about one variable.
    fn facts_of(&mut self, states: &[&State], variable: &Variable, facts: &mut Vec<Fact>) {
        let name = &variable.name;
        let mut say = |text: String| facts.push(Fact { text, variables: vec![name.clone()] });
        if variable.ty == Ty::Ptr {
            let nulls: Vec<Option<bool>> =
                states.iter().zip(&variable.values).map(|(state, &value)| self.is_null(state, value)).collect();
            if nulls.iter().all(|&null| null == Some(true)) {
                say(format!("{name} == 0"));
            } else if nulls.iter().all(|&null| null == Some(false)) {
                say(format!("{name} != 0"));
            }
            return;
        }
        let Some((low, high)) = self.range(states, variable) else { return };
        let width = variable.ty.bits(self.machine.program.target);
        let (least, greatest) = (signed(1 << (width - 1), width), signed(mask(width) >> 1, width));
        let shown = signed_name(variable, low);
        if low == high {
            say(format!("{shown} == {}", constant(low)));
            return;
        }
        if low > least {
            say(format!("{shown} >= {}", constant(low)));
        }
        if high < greatest {
            say(format!("{shown} <= {}", constant(high)));
        }
    }

    /// Returns the signed range of a number; `None` if its type is no integer type of C.
    fn range(&self, states: &[&State], variable: &Variable) -> Option<(i128, i128)> {
        signed_type(variable.ty)?;
        let facts =
            states.iter().zip(&variable.values).map(|(state, &value)| state.path.facts(&self.machine.terms, value));
        facts.map(|f| (f.signed_min, f.signed_max)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    }

    /// Collects the facts about the order of two variables of the same type.
    fn facts_between(&mut self, states: &[&State], a: &Variable, b: &Variable, facts: &mut Vec<Fact>) {
        let variables = vec![a.name.clone(), b.name.clone()];
        let pairs: Vec<(&State, Term, Term)> =
            states.iter().zip(a.values.iter().zip(&b.values)).map(|(&state, (&x, &y))| (state, x, y)).collect();
        if a.ty == Ty::Ptr {
            // In C, the value of a dangling pointer is indeterminate.
            let live = |lattice: &mut Self, state: &State, value: Term| match lattice.any_target(state, value) {
                Target::Object(id, _) | Target::Segment(id, ..) => state.memory.get(id).end == End::Live,
                _ => lattice.machine.terms.as_const(value) == Some(0),
            };
            let known = pairs.iter().all(|&(_, x, _)| self.machine.terms.as_const(x) == Some(0));
            if !known && pairs.iter().all(|&(state, x, y)| x == y && live(self, state, x)) {
                facts.push(Fact { text: format!("{} == {}", a.name, b.name), variables });
            }
            return;
        }
        let (Some((low_a, high_a)), Some((low_b, high_b))) = (self.range(states, a), self.range(states, b)) else {
            return;
        };
        // The bounds of the variables already imply their order.
        if high_a < low_b || high_b < low_a || low_a == high_a || low_b == high_b {
            return;
        }
        let low = low_a.min(low_b);
        let (left, right) = (signed_name(a, low), signed_name(b, low));
        let up = pairs.iter().all(|&(state, x, y)| {
            let order = self.machine.terms.sle(x, y);
            self.follows(state, order)
        });
        let down = pairs.iter().all(|&(state, x, y)| {
            let order = self.machine.terms.sle(y, x);
            self.follows(state, order)
        });
        let sign = match (up, down) {
            (true, true) => "==",
            (true, false) => "<=",
            (false, true) => ">=",
            (false, false) => return,
        };
        facts.push(Fact { text: format!("{left} {sign} {right}"), variables });
    }

    /// Returns whether a pointer is null; `None` if that is uncertain.
    fn is_null(&mut self, state: &State, value: Term) -> Option<bool> {
        if let Some(value) = state.path.value(&self.machine.terms, value) {
            return Some(value == 0);
        }
        match self.any_target(state, value) {
            Target::Object(..) => return Some(false),
            Target::Segment(id, ..) => {
                let segment = state.memory.get(id).segment.as_ref()?;
                return (segment.min > 0).then_some(false);
            }
            _ => {}
        }
        let null = self.machine.terms.constant(0, self.machine.pointer_bits);
        let not_null = self.machine.terms.ne(value, null);
        self.follows(state, not_null).then_some(false)
    }
}

/// Returns an expression for the signed value of a variable, which is at least `low`.
fn signed_name(variable: &Variable, low: i128) -> String {
    match signed_type(variable.ty) {
        Some(ty) if low < 0 => format!("({ty}){}", variable.name),
        _ => variable.name.clone(),
    }
}
