//! Terms as people write them.

use cairn_smt::term::{Node, Op, signed};
use cairn_smt::{Term, Terms};

/// Operators inside each other that are written out; deeper ones are dots.
const DEEPEST: u32 = 12;

/// A term as an expression; `name` names its variables.
pub(in crate::engines::shape) fn show(terms: &Terms, term: Term, name: &dyn Fn(Term) -> String) -> String {
    inside(terms, term, name, DEEPEST)
}

fn inside(terms: &Terms, term: Term, name: &dyn Fn(Term) -> String, depth: u32) -> String {
    if depth == 0 {
        return "…".to_owned();
    }
    let width = terms.width(term);
    let of = |t: Term| inside(terms, t, name, depth - 1);
    match *terms.node(term) {
        Node::Const(bits) => signed(bits, width.max(2)).to_string(),
        Node::Var(_) => name(term),
        Node::Sum(ref sum) => {
            let mut text = String::new();
            for &(part, factor) in &sum.monomials {
                let factor = signed(factor, width);
                let sign = match (text.is_empty(), factor < 0) {
                    (true, false) => "",
                    (true, true) => "-",
                    (false, false) => " + ",
                    (false, true) => " - ",
                };
                text.push_str(sign);
                if factor.unsigned_abs() != 1 {
                    text.push_str(&format!("{}*", factor.unsigned_abs()));
                }
                text.push_str(&of(part));
            }
            match signed(sum.constant, width) {
                0 => {}
                constant if constant < 0 => text.push_str(&format!(" - {}", constant.unsigned_abs())),
                constant => text.push_str(&format!(" + {constant}")),
            }
            format!("({text})")
        }
        Node::Not(inner) => match *terms.node(inner) {
            Node::Binary(Op::Eq, a, b) => format!("{} ≠ {}", of(a), of(b)),
            Node::Binary(Op::ULt, a, b) => format!("{} ≤ᵤ {}", of(b), of(a)),
            Node::Binary(Op::SLt, a, b) => format!("{} ≤ {}", of(b), of(a)),
            Node::Binary(Op::And, a, b) if width == 1 => {
                let negated = |t: Term| match *terms.node(t) {
                    Node::Not(inner) => of(inner),
                    _ => format!("¬({})", of(t)),
                };
                format!("({} ∨ {})", negated(a), negated(b))
            }
            _ if width == 1 => format!("¬({})", of(inner)),
            _ => format!("~{}", of(inner)),
        },
        Node::Binary(op, a, b) => {
            let sign = match op {
                Op::Mul => "*",
                Op::UDiv => "/ᵤ",
                Op::URem => "%ᵤ",
                Op::SDiv => "/",
                Op::SRem => "%",
                Op::And if width == 1 => "∧",
                Op::And => "&",
                Op::Xor => "^",
                Op::Shl => "<<",
                Op::LShr => ">>ᵤ",
                Op::AShr => ">>",
                Op::Concat => "++",
                Op::Eq => "=",
                Op::ULt => "<ᵤ",
                Op::SLt => "<",
            };
            let text = format!("{} {sign} {}", of(a), of(b));
            if matches!(op, Op::Eq | Op::ULt | Op::SLt) { text } else { format!("({text})") }
        }
        Node::SExt(inner) => of(inner),
        Node::Extract(inner, low) => format!("{}[{}..{}]", of(inner), low, low + width),
        Node::Ite(c, a, b) => format!("({} ? {} : {})", of(c), of(a), of(b)),
    }
}
