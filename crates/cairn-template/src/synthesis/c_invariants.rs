//! Loop invariants as C expressions: bounds of variables and of their differences, and null or non-null pointers.
//!
//! A row describes the end of a loop body. The facts here are checked at the loop head, which is also reached from
//! before the loop.

use std::collections::BTreeMap;

use cairn_ir::program::Origin;
use cairn_ir::{BlockId, FuncId, Program, Terminator, Ty};
use cairn_smt::Term;

use crate::limits::MAX_HEAD_THRESHOLDS;
use crate::ssa::Kind;
use crate::ssa::knowledge::Name;
use crate::ssa::value::{Base, ID_BITS, NOTHING, has};
use crate::synthesis::{Stop, Synthesis};
use crate::templates::Moment;
use crate::templates::rows::bound::{Limit, Sign, Signedness};
use cairn_portfolio::invariant::{Fact, LoopInvariant, constant, is_name, signed_type};

impl Synthesis<'_> {
    /// Returns the invariants of the loops in user code.
    ///
    /// A function that is inlined several times gets the facts that hold in all of its copies.
    ///
    /// # Errors
    /// Fails if the solver gives up.
    pub fn facts(&mut self, program: &Program) -> Result<Vec<LoopInvariant>, Stop> {
        let mut heads: BTreeMap<(FuncId, usize), Vec<Fact>> = BTreeMap::new();
        for index in 0..self.formula.locations.len() {
            let location = &self.formula.locations[index];
            let (function, head) = (location.function, location.block);
            if location.kind != Kind::Loop {
                continue;
            }
            if program.functions[function.index()].origin == Origin::Model {
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
        // The variables by schema entry, restricted to names that are unique in the function.
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
                bound.sum.iter().map(|summand| Some((summand.sign, names.get(&summand.entry)?))).collect();
            let Some(summands) = summands.filter(|_| bound.signedness == Signedness::Signed && bound.is_plain()) else {
                continue;
            };
            // Before the loop the sum may exceed its bound at the end of the body.
            let more = self.hints.thresholds.iter().copied().filter(|&step| limit < step && step < bound.greatest());
            let limits: Vec<i128> = std::iter::once(limit).chain(more.take(MAX_HEAD_THRESHOLDS)).collect();
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
            // No fact is stated about a pointer to a dead object or with an unknown target.
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

    /// Returns whether a condition holds whenever the head of a loop is reached.
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

/// Renders a bound as a C expression; `None` if no C type can hold its value.
fn in_c(sum: &[(Sign, &(String, Ty))], limit: i128) -> Option<Fact> {
    let variables = sum.iter().map(|(_, (name, _))| name.clone()).collect();
    let text = match *sum {
        [(sign, (name, ty))] => {
            let shown = format!("({}){name}", signed_type(*ty)?);
            match sign {
                Sign::Plus => format!("{shown} <= {}", constant(limit)),
                Sign::Minus => format!("{shown} >= {}", constant(-limit)),
            }
        }
        [(a_sign, (a, a_ty)), (b_sign, (b, b_ty))] => {
            // The sum of two values of these types fits `long long`.
            let narrow = |ty: Ty| if matches!(ty, Ty::I8 | Ty::I16 | Ty::I32) { signed_type(ty) } else { None };
            let sign = |sign: Sign| if sign == Sign::Plus { "" } else { "-" };
            let (a_type, b_type) = (narrow(*a_ty)?, narrow(*b_ty)?);
            format!(
                "{}(long long)({a_type}){a} {} (long long)({b_type}){b} <= {}",
                sign(a_sign),
                if b_sign == Sign::Plus { "+" } else { "-" },
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
    fn bounds_render_as_c() {
        let (x, y) = (("x".to_owned(), Ty::I32), ("y".to_owned(), Ty::I32));
        let text = |sum: &[(Sign, &(String, Ty))], limit| in_c(sum, limit).map(|fact| fact.text);
        assert_eq!(text(&[(Sign::Plus, &x)], 7).as_deref(), Some("(int)x <= 7"));
        assert_eq!(text(&[(Sign::Minus, &x)], -3).as_deref(), Some("(int)x >= 3"));
        let difference = text(&[(Sign::Plus, &x), (Sign::Minus, &y)], 0);
        assert_eq!(difference.as_deref(), Some("(long long)(int)x - (long long)(int)y <= 0"));
        let wide = ("w".to_owned(), Ty::I64);
        assert_eq!(text(&[(Sign::Plus, &wide), (Sign::Minus, &wide)], 0), None);
    }
}
