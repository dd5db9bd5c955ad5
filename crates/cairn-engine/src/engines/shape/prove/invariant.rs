//! What a proof knows at the heads of loops, as C can say it: bounds of variables, their order, and which pointers are null. It
//! holds in every state that the proof has met there, so it holds whenever the program comes by.
//!
//! The IR's integers have no sign. Where a value can't be negative, its name alone says it under either reading; where it can,
//! the expression converts it to the signed type of its width first.

use cairn_ir::ctype::Type;
use cairn_ir::program::Origin;
use cairn_ir::{BlockId, FuncId, Loc, Terminator, Ty};
use cairn_smt::Term;
use cairn_smt::term::{mask, signed};
use rustc_hash::FxHashMap;

use super::{Place, Prover};
use crate::engines::shape::Explorer;
use crate::engines::shape::allocation::Target;
use crate::engines::shape::state::State;
use crate::memory::object::End;

/// Variables of one loop that are compared with each other.
const COMPARED: usize = 12;

/// What holds whenever control is at the head of a loop, before its condition is evaluated.
#[derive(Clone, Debug)]
pub struct LoopInvariant {
    /// The function that has the loop.
    pub function: FuncId,
    /// The places from which control enters the loop's head; that of the loop's statement is among them where it has one.
    pub entries: Vec<Loc>,
    /// What C can say.
    pub facts: Vec<Fact>,
    /// The formulas of the states, of which one holds.
    pub formulas: Vec<String>,
}

/// A C expression that is not zero.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fact {
    /// The expression.
    pub text: String,
    /// The variables in it.
    pub variables: Vec<String>,
}

/// A variable of the source with its value in each state.
struct Variable {
    name: String,
    ty: Ty,
    values: Vec<Term>,
}

impl Prover<'_> {
    /// The invariants of all loops in the user's code, from the states that were met at places.
    pub fn invariants<'s>(&mut self, reached: impl Iterator<Item = (&'s Place, &'s [State])>) -> Vec<LoopInvariant> {
        let mut heads: FxHashMap<(FuncId, BlockId), Vec<&State>> = FxHashMap::default();
        for (_, states) in reached {
            for state in states {
                let frame = state.top();
                if self.is_head(state) && self.explorer.program.functions[frame.function.index()].origin == Origin::User
                {
                    heads.entry((frame.function, frame.block)).or_default().push(state);
                }
            }
        }
        let mut heads: Vec<_> = heads.into_iter().collect();
        heads.sort_unstable_by_key(|&(head, _)| head);
        heads.into_iter().map(|((function, head), states)| self.explorer.invariant(function, head, &states)).collect()
    }
}

impl Explorer<'_> {
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
        for (index, a) in variables.iter().take(COMPARED).enumerate() {
            for b in variables.iter().take(COMPARED).skip(index + 1).filter(|b| b.ty == a.ty) {
                self.facts_between(states, a, b, &mut facts);
            }
        }
        LoopInvariant { function, entries, facts, formulas }
    }

    /// The variables that have a value in all states and a name that means only them.
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
        for (index, global) in self.program.globals.iter().enumerate() {
            // The variables of the library's models mean nothing in the user's text.
            if self.program.files.get(global.loc.file.0 as usize).is_some_and(|file| file.starts_with("<cairn/")) {
                continue;
            }
            let ty = match global.ctype.map(|id| self.program.types.get(id)) {
                Some(Type::Pointer(_)) => Some(Ty::Ptr),
                Some(Type::Int(_)) => Ty::int(8 * global.size as u32),
                _ => None,
            };
            let (Some(ty), true) = (ty, is_name(&global.name) && !uses.contains_key(global.name.as_str())) else {
                continue;
            };
            let mut value = |state: &&State| {
                let object = state.memory.get(self.globals[index]);
                match object.cell_at(0) {
                    Some((_, len, value)) => (u64::from(len) == global.size).then_some(value),
                    None if object.cells().next().is_none() => {
                        object.known_initial(0, global.size as u32, &mut self.terms)
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

    /// What holds of one variable.
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
        let width = variable.ty.bits(self.program.target);
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

    /// The least and the greatest value of a number, read as signed; `None` when it is no number of a type that C has.
    fn range(&self, states: &[&State], variable: &Variable) -> Option<(i128, i128)> {
        signed_type(variable.ty)?;
        let facts = states.iter().zip(&variable.values).map(|(state, &value)| state.path.facts(&self.terms, value));
        facts.map(|f| (f.signed_min, f.signed_max)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    }

    /// How two variables of one type are ordered.
    fn facts_between(&mut self, states: &[&State], a: &Variable, b: &Variable, facts: &mut Vec<Fact>) {
        let variables = vec![a.name.clone(), b.name.clone()];
        let pairs: Vec<(&State, Term, Term)> =
            states.iter().zip(a.values.iter().zip(&b.values)).map(|(&state, (&x, &y))| (state, x, y)).collect();
        if a.ty == Ty::Ptr {
            // Pointers to what is gone have no value that C lets one look at.
            let live = |explorer: &mut Self, state: &State, value: Term| match explorer.target(state, value) {
                Target::Object(id, _) | Target::Segment(id, ..) => state.memory.get(id).end == End::Live,
                _ => explorer.terms.as_const(value) == Some(0),
            };
            let known = pairs.iter().all(|&(_, x, _)| self.terms.as_const(x) == Some(0));
            if !known && pairs.iter().all(|&(state, x, y)| x == y && live(self, state, x)) {
                facts.push(Fact { text: format!("{} == {}", a.name, b.name), variables });
            }
            return;
        }
        let (Some((low_a, high_a)), Some((low_b, high_b))) = (self.range(states, a), self.range(states, b)) else {
            return;
        };
        // The bounds say it already.
        if high_a < low_b || high_b < low_a || low_a == high_a || low_b == high_b {
            return;
        }
        let low = low_a.min(low_b);
        let (left, right) = (signed_name(a, low), signed_name(b, low));
        let up = pairs.iter().all(|&(state, x, y)| {
            let order = self.terms.sle(x, y);
            self.follows(state, order)
        });
        let down = pairs.iter().all(|&(state, x, y)| {
            let order = self.terms.sle(y, x);
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

    /// Whether a pointer is null, where that is certain.
    fn is_null(&mut self, state: &State, value: Term) -> Option<bool> {
        if let Some(value) = state.path.value(&self.terms, value) {
            return Some(value == 0);
        }
        match self.target(state, value) {
            Target::Object(..) => return Some(false),
            Target::Segment(id, ..) => {
                let segment = state.memory.get(id).segment.as_ref()?;
                return (segment.min > 0).then_some(false);
            }
            _ => {}
        }
        let null = self.terms.constant(0, self.pointer_bits);
        let not_null = self.terms.ne(value, null);
        self.follows(state, not_null).then_some(false)
    }
}

/// The signed integer type of C with the width of a type of the IR.
pub(crate) fn signed_type(ty: Ty) -> Option<&'static str> {
    match ty {
        Ty::I8 => Some("signed char"),
        Ty::I16 => Some("short"),
        Ty::I32 => Some("int"),
        Ty::I64 => Some("long long"),
        _ => None,
    }
}

/// A variable as an expression whose value is that of its bits read as signed, when that is `low` or more.
fn signed_name(variable: &Variable, low: i128) -> String {
    match signed_type(variable.ty) {
        Some(ty) if low < 0 => format!("({ty}){}", variable.name),
        _ => variable.name.clone(),
    }
}

pub(crate) fn constant(value: i128) -> String {
    if i32::try_from(value).is_ok() { value.to_string() } else { format!("{value}LL") }
}

/// Whether this is how C can name a variable: static variables of functions have other names here.
pub(crate) fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}
