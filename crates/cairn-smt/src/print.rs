//! SMT-LIB output of terms, for query logs and external solvers.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use crate::term::{Node, Op, Term, Terms};

impl Terms {
    /// Prints an SMT-LIB script that checks the conjunction of the assertions.
    ///
    /// The symbol of a variable is `t` followed by its term index.
    pub fn to_smt_lib(&self, assertions: &[Term]) -> String {
        let mut out = String::from("(set-logic QF_BV)\n");
        let mut names: FxHashMap<Term, String> = FxHashMap::default();
        let mut stack: Vec<Term> = assertions.iter().rev().copied().collect();
        while let Some(&top) = stack.last() {
            if names.contains_key(&top) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            self.for_operands(top, |operand| {
                if !names.contains_key(&operand) {
                    stack.push(operand);
                }
            });
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let width = self.width(top);
            if let Node::Const(bits) = *self.node(top) {
                names.insert(top, literal(bits, width));
                continue;
            }
            let name = format!("t{}", top.index());
            match self.node(top) {
                Node::Var(number) => {
                    // The original name goes into a comment, so that the symbol needs no quoting.
                    let _ = writeln!(
                        out,
                        "(declare-const {name} (_ BitVec {width})) ; {}",
                        self.variable_name(*number).escape_debug()
                    );
                }
                _ => {
                    let _ = writeln!(out, "(define-fun {name} () (_ BitVec {width}) {})", self.body(top, &names));
                }
            }
            names.insert(top, name);
        }
        for assertion in assertions {
            let _ = writeln!(out, "(assert (= {} #b1))", names[assertion]);
        }
        out.push_str("(check-sat)\n");
        out
    }

    fn body(&self, term: Term, names: &FxHashMap<Term, String>) -> String {
        let width = self.width(term);
        match self.node(term) {
            Node::Const(bits) => literal(*bits, width),
            Node::Var(_) => names[&term].clone(),
            Node::Sum(sum) => {
                let mut text = String::from("(bvadd");
                for (t, c) in &sum.monomials {
                    let _ = match c {
                        1 => write!(text, " {}", names[t]),
                        _ => write!(text, " (bvmul {} {})", literal(*c, width), names[t]),
                    };
                }
                let _ = write!(text, " {})", literal(sum.constant, width));
                text
            }
            Node::Binary(op, a, b) => {
                let name = match op {
                    Op::Mul => "bvmul",
                    Op::UDiv => "bvudiv",
                    Op::URem => "bvurem",
                    Op::SDiv => "bvsdiv",
                    Op::SRem => "bvsrem",
                    Op::And => "bvand",
                    Op::Xor => "bvxor",
                    Op::Shl => "bvshl",
                    Op::LShr => "bvlshr",
                    Op::AShr => "bvashr",
                    Op::Concat => "concat",
                    Op::Eq => return format!("(ite (= {} {}) #b1 #b0)", names[a], names[b]),
                    Op::ULt => return format!("(ite (bvult {} {}) #b1 #b0)", names[a], names[b]),
                    Op::SLt => return format!("(ite (bvslt {} {}) #b1 #b0)", names[a], names[b]),
                };
                format!("({name} {} {})", names[a], names[b])
            }
            Node::Not(a) => format!("(bvnot {})", names[a]),
            Node::SExt(a) => format!("((_ sign_extend {}) {})", width - self.width(*a), names[a]),
            Node::Extract(a, low) => format!("((_ extract {} {low}) {})", low + width - 1, names[a]),
            Node::Ite(c, a, b) => format!("(ite (= {} #b1) {} {})", names[c], names[a], names[b]),
        }
    }
}

fn literal(bits: u128, width: u32) -> String {
    format!("#b{bits:0width$b}", width = width as usize)
}
