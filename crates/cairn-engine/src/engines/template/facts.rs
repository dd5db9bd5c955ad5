//! What an invariant says at the heads of loops, as C can say it: bounds of variables and of their differences, and which pointers are
//! null. A row speaks about the end of a loop's body; what is told here was asked of the head, to which one comes from before the loop,
//! too.

use std::collections::BTreeMap;

use cairn_ir::program::Origin;
use cairn_ir::{BlockId, FuncId, Program, Terminator, Ty};
use cairn_smt::Term;

use super::ssa::Kind;
use super::ssa::knowledge::Name;
use super::ssa::value::{Base, ID_BITS, NOTHING, has};
use super::synthesis::{Stop, Synthesis};
use super::templates::Moment;
use super::templates::bound::Limit;
use crate::engines::shape::prove::invariant::{Fact, LoopInvariant, constant, is_name, signed_type};

/// Constants of the program beyond a row's limit that are tried.
const MAX_MORE: usize = 4;

impl Synthesis<'_> {
    /// The invariants of the loops in the user's code. A function that is inlined in several places has those that hold in all.
    ///
    /// # Errors
    /// When the solver gives up.
    pub fn facts(&mut self, program: &Program) -> Result<Vec<LoopInvariant>, Stop> {
        let mut heads: BTreeMap<(FuncId, usize), Vec<Fact>> = BTreeMap::new();
        for index in 0..self.formula.locations.len() {
            let location = &self.formula.locations[index];
            let (function, head) = (location.function, location.block);
            if location.kind != Kind::Loop {
                continue;
            }
            if program.functions[function.index()].origin != Origin::User {
                continue;
            }
            let here = self.facts_of(program, index)?;
            heads.entry((function, head)).and_modify(|known| known.retain(|fact| here.contains(fact))).or_insert(here);
        }
        let invariant = |((function, head), facts): ((FuncId, usize), Vec<Fact>)| {
            let mut entries = Vec::new();
            for block in program.functions[function.index()].body.iter().flat_map(|body| &body.blocks) {
                let enters = matches!(block.end, Terminator::Jump(next) if next == BlockId::new(head));
                if enters && !entries.contains(&block.end_loc) {
                    entries.push(block.end_loc);
                }
            }
            LoopInvariant { function, entries, facts, formulas: Vec::new() }
        };
        Ok(heads.into_iter().map(invariant).collect())
    }

    fn facts_of(&mut self, program: &Program, index: usize) -> Result<Vec<Fact>, Stop> {
        let Some(body) = &program.functions[self.formula.locations[index].function.index()].body else {
            return Ok(Vec::new());
        };
        // Variables by the entry of the schema that they are, with a name that means only them.
        let mut names: BTreeMap<usize, (String, Ty)> = BTreeMap::new();
        for (entry, of) in self.schemas[index].entries.iter().enumerate() {
            let Name::Reg(reg) = of.name else { continue };
            let register = &body.regs[reg as usize];
            let Some(name) = register.name.as_deref().filter(|name| is_name(name)) else { continue };
            let others = body.regs.iter().map(|r| &r.name).chain(body.slots.iter().map(|s| &s.name));
            if others.filter(|other| other.as_deref() == Some(name)).count() == 1 {
                names.insert(entry, (name.to_owned(), register.ty));
            }
        }
        let mut facts = Vec::new();
        for number in 0..self.rows.len() {
            if self.rows[number].schema != index || !self.rows[number].path.is_empty() {
                continue;
            }
            let Some(bound) = self.rows[number].row.as_bound() else { continue };
            let Limit::AtMost(limit) = bound.limit else { continue };
            let bound = bound.clone();
            let summands: Option<Vec<_>> =
                bound.sum.iter().map(|summand| Some((summand.plus, names.get(&summand.entry)?))).collect();
            let Some(summands) = summands.filter(|_| bound.signed && bound.is_plain()) else { continue };
            // Before the loop the sum may be a little more than it is after a turn.
            let more = self.hints.thresholds.iter().copied().filter(|&step| limit < step && step < bound.greatest());
            let limits: Vec<i128> = std::iter::once(limit).chain(more.take(MAX_MORE)).collect();
            let at = self.at(index, &[], Moment::Head);
            for limit in limits {
                let holds = bound.at_most(&mut self.formula.terms, &self.formula.instances, &at, limit);
                if self.always_at_head(index, holds)? {
                    facts.extend(in_c(&summands, limit));
                    break;
                }
            }
        }
        for (&entry, (name, _)) in names.iter().filter(|(_, (_, ty))| *ty == Ty::Ptr) {
            let at = self.at(index, &[], Moment::Head);
            let Some(value) = at.value(0, entry) else { continue };
            let terms = &mut self.formula.terms;
            let pointee = value.pointee(terms);
            // Of a pointer to what is gone, or that is not followed, nothing is said.
            if has(&pointee.targets, Base::Dead) || has(&pointee.targets, Base::Unknown) {
                continue;
            }
            let (nothing, zero) =
                (terms.constant(u128::from(NOTHING), ID_BITS), terms.constant(0, terms.width(value.bits)));
            let (plain, zero) = (terms.eq(pointee.id, nothing), terms.eq(value.bits, zero));
            let null = terms.and(plain, zero);
            let not_null = terms.not(null);
            let variables = vec![name.clone()];
            if self.always_at_head(index, not_null)? {
                facts.push(Fact { text: format!("{name} != 0"), variables });
            } else if self.always_at_head(index, null)? {
                facts.push(Fact { text: format!("{name} == 0"), variables });
            }
        }
        Ok(facts)
    }

    /// Whether something holds whenever the head of a loop is reached.
    fn always_at_head(&mut self, index: usize, holds: Term) -> Result<bool, Stop> {
        let head = self.formula.locations[index].head;
        let terms = &mut self.formula.terms;
        let fails = terms.not(holds);
        let question = terms.and(head, fails);
        let (mut around, body) = (self.formula.chain(index), self.formula.locations[index].body);
        around.pop();
        Ok(self.query(body, &around, 0, question)?.is_none())
    }
}

/// A bound as a C expression; `None` where C has no type that it can be computed in.
fn in_c(sum: &[(bool, &(String, Ty))], limit: i128) -> Option<Fact> {
    let variables = sum.iter().map(|(_, (name, _))| name.clone()).collect();
    let text = match *sum {
        [(plus, (name, ty))] => {
            let shown = format!("({}){name}", signed_type(*ty)?);
            if plus { format!("{shown} <= {}", constant(limit)) } else { format!("{shown} >= {}", constant(-limit)) }
        }
        [(a_plus, (a, a_ty)), (b_plus, (b, b_ty))] => {
            // The sum of two of these fits the widest type.
            let narrow = |ty: Ty| if matches!(ty, Ty::I8 | Ty::I16 | Ty::I32) { signed_type(ty) } else { None };
            let sign = |plus: bool| if plus { "" } else { "-" };
            let (a_type, b_type) = (narrow(*a_ty)?, narrow(*b_ty)?);
            format!(
                "{}(long long)({a_type}){a} {} (long long)({b_type}){b} <= {}",
                sign(a_plus),
                if b_plus { "+" } else { "-" },
                constant(limit)
            )
        }
        _ => return None,
    };
    Some(Fact { text, variables })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_c() {
        let (x, y) = (("x".to_owned(), Ty::I32), ("y".to_owned(), Ty::I32));
        let text = |sum: &[(bool, &(String, Ty))], limit| in_c(sum, limit).map(|fact| fact.text);
        assert_eq!(text(&[(true, &x)], 7).as_deref(), Some("(int)x <= 7"));
        assert_eq!(text(&[(false, &x)], -3).as_deref(), Some("(int)x >= 3"));
        let difference = text(&[(true, &x), (false, &y)], 0);
        assert_eq!(difference.as_deref(), Some("(long long)(int)x - (long long)(int)y <= 0"));
        let wide = ("w".to_owned(), Ty::I64);
        assert_eq!(text(&[(true, &wide), (false, &wide)], 0), None);
    }
}
