//! Bit-blasting: translates terms into a structurally hashed and-inverter graph, and the graph into clauses.
//!
//! Each gate is encoded once and stays valid for the lifetime of the solver. A later query
//! therefore only pays for the gates that it adds.

use rustc_hash::FxHashMap;

use crate::term::{Node, Op, Term, Terms};

/// A literal of the graph: twice the node number, plus 1 if negated. Node 0 is the constant 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lit(u32);

impl Lit {
    /// The constant 0.
    pub const FALSE: Lit = Lit(0);
    /// The constant 1.
    pub const TRUE: Lit = Lit(1);

    /// Creates a literal of a node.
    pub fn of(node: u32, negated: bool) -> Lit {
        Lit(node << 1 | u32::from(negated))
    }

    /// Returns the node number.
    pub fn node(self) -> u32 {
        self.0 >> 1
    }

    /// Returns whether the literal is negated.
    pub fn negated(self) -> bool {
        self.0 & 1 == 1
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// A consumer of the generated clauses.
pub trait ClauseSink {
    /// Adds a variable; variables are numbered consecutively from 1.
    fn new_variable(&mut self);
    /// Adds a clause over existing variables; a literal of node `n` stands for variable `n`.
    fn add_clause(&mut self, clause: &[Lit]);
}

/// The translation state: all gates created so far, indexed for reuse.
#[derive(Debug)]
pub struct Blaster {
    next: u32,
    ands: FxHashMap<(Lit, Lit), Lit>,
    xors: FxHashMap<(Lit, Lit), Lit>,
    choices: FxHashMap<(Lit, Lit, Lit), Lit>,
    bits: FxHashMap<Term, Box<[Lit]>>,
    /// Circuits shared by the quotient and the remainder of the same operands.
    divisions: FxHashMap<(Term, Term), Division>,
}

type Division = (Box<[Lit]>, Box<[Lit]>);

impl Default for Blaster {
    fn default() -> Self {
        Self {
            next: 1,
            ands: FxHashMap::default(),
            xors: FxHashMap::default(),
            choices: FxHashMap::default(),
            bits: FxHashMap::default(),
            divisions: FxHashMap::default(),
        }
    }
}

impl Blaster {
    /// Returns the number of gates and variables, including the constant node.
    pub fn gates(&self) -> usize {
        self.next as usize
    }

    /// Returns the bits of a term that was blasted before, lowest bit first.
    pub fn bits_of(&self, term: Term) -> Option<&[Lit]> {
        self.bits.get(&term).map(|bits| &**bits)
    }

    /// Translates a truth value and returns its literal.
    pub fn truth(&mut self, terms: &Terms, term: Term, sink: &mut impl ClauseSink) -> Lit {
        debug_assert_eq!(terms.width(term), 1);
        self.blast(terms, term, sink)[0]
    }

    /// Translates a term and returns its bits, lowest bit first.
    pub fn blast(&mut self, terms: &Terms, term: Term, sink: &mut impl ClauseSink) -> &[Lit] {
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            if self.bits.contains_key(&top) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            terms.for_operands(top, |operand| {
                if !self.bits.contains_key(&operand) {
                    stack.push(operand);
                }
            });
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let bits = self.circuit(terms, top, sink);
            self.bits.insert(top, bits.into_boxed_slice());
        }
        &self.bits[&term]
    }

    fn circuit(&mut self, terms: &Terms, term: Term, sink: &mut impl ClauseSink) -> Vec<Lit> {
        let width = terms.width(term) as usize;
        let get = |blaster: &Self, t: Term| blaster.bits[&t].to_vec();
        match *terms.node(term) {
            Node::Const(bits) => constant(bits, width),
            Node::Var(_) => (0..width).map(|_| self.fresh(sink)).collect(),
            Node::Sum(ref sum) => {
                let mut total = constant(sum.constant, width);
                for &(t, coefficient) in &sum.monomials {
                    let bits = get(self, t);
                    total = self.add_scaled(total, &bits, coefficient, width, sink);
                }
                total
            }
            Node::Binary(op, a, b) => self.binary(terms, op, a, b, sink),
            Node::Not(a) => self.bits[&a].iter().map(|&l| !l).collect(),
            Node::SExt(a) => {
                let mut bits = get(self, a);
                let sign = bits[bits.len() - 1];
                bits.resize(width, sign);
                bits
            }
            Node::Extract(a, low) => self.bits[&a][low as usize..low as usize + width].to_vec(),
            Node::Ite(c, a, b) => {
                let (c, a, b) = (self.bits[&c][0], get(self, a), get(self, b));
                a.iter().zip(&b).map(|(&x, &y)| self.choice(c, x, y, sink)).collect()
            }
        }
    }

    fn binary(&mut self, terms: &Terms, op: Op, a: Term, b: Term, sink: &mut impl ClauseSink) -> Vec<Lit> {
        let (x, y) = (self.bits[&a].to_vec(), self.bits[&b].to_vec());
        let width = x.len();
        match op {
            Op::Mul => self.multiply(&x, &y, sink),
            Op::And => x.iter().zip(&y).map(|(&p, &q)| self.and(p, q, sink)).collect(),
            Op::Xor => x.iter().zip(&y).map(|(&p, &q)| self.xor(p, q, sink)).collect(),
            Op::Concat => y.iter().chain(&x).copied().collect(),
            Op::Eq => vec![self.equal(&x, &y, sink)],
            Op::ULt => vec![self.less(&x, &y, sink)],
            Op::SLt => {
                let (mut x, mut y) = (x, y);
                // Flipping the sign bits maps the signed order to the unsigned order.
                x[width - 1] = !x[width - 1];
                y[width - 1] = !y[width - 1];
                vec![self.less(&x, &y, sink)]
            }
            Op::Shl | Op::LShr | Op::AShr => self.shift(op, x, &y, sink),
            Op::UDiv => self.divide(terms, a, b, &x, &y, sink).0.to_vec(),
            Op::URem => self.divide(terms, a, b, &x, &y, sink).1.to_vec(),
            Op::SDiv | Op::SRem => {
                let (sx, sy) = (x[width - 1], y[width - 1]);
                let (x, y) = (self.negate_if(sx, &x, sink), self.negate_if(sy, &y, sink));
                let (quotient, remainder) = self.divide_bits(&x, &y, sink);
                if op == Op::SDiv {
                    let sign = self.xor(sx, sy, sink);
                    self.negate_if(sign, &quotient, sink)
                } else {
                    self.negate_if(sx, &remainder, sink)
                }
            }
        }
    }

    // ---- Gates ----

    fn fresh(&mut self, sink: &mut impl ClauseSink) -> Lit {
        sink.new_variable();
        let lit = Lit(self.next << 1);
        self.next += 1;
        lit
    }

    fn and(&mut self, a: Lit, b: Lit, sink: &mut impl ClauseSink) -> Lit {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == Lit::FALSE || a == !b {
            return Lit::FALSE;
        }
        if a == Lit::TRUE || a == b {
            return b;
        }
        if let Some(&gate) = self.ands.get(&(a, b)) {
            return gate;
        }
        let gate = self.fresh(sink);
        sink.add_clause(&[!gate, a]);
        sink.add_clause(&[!gate, b]);
        sink.add_clause(&[gate, !a, !b]);
        self.ands.insert((a, b), gate);
        gate
    }

    fn or(&mut self, a: Lit, b: Lit, sink: &mut impl ClauseSink) -> Lit {
        !self.and(!a, !b, sink)
    }

    fn xor(&mut self, a: Lit, b: Lit, sink: &mut impl ClauseSink) -> Lit {
        // Move negations to the output, so that the four polarities share one gate.
        let flip = a.negated() ^ b.negated();
        let (a, b) = (Lit(a.0 & !1), Lit(b.0 & !1));
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        let gate = if a == b {
            Lit::FALSE
        } else if a == Lit::FALSE {
            b
        } else if let Some(&gate) = self.xors.get(&(a, b)) {
            gate
        } else {
            let gate = self.fresh(sink);
            sink.add_clause(&[!gate, a, b]);
            sink.add_clause(&[!gate, !a, !b]);
            sink.add_clause(&[gate, !a, b]);
            sink.add_clause(&[gate, a, !b]);
            self.xors.insert((a, b), gate);
            gate
        };
        if flip { !gate } else { gate }
    }

    fn choice(&mut self, c: Lit, a: Lit, b: Lit, sink: &mut impl ClauseSink) -> Lit {
        if a == b || c == Lit::TRUE {
            return a;
        }
        if c == Lit::FALSE {
            return b;
        }
        if c.negated() {
            return self.choice(!c, b, a, sink);
        }
        if a == Lit::TRUE || a == c {
            return self.or(c, b, sink);
        }
        if a == Lit::FALSE || a == !c {
            return self.and(!c, b, sink);
        }
        if b == Lit::TRUE || b == !c {
            return self.or(!c, a, sink);
        }
        if b == Lit::FALSE || b == c {
            return self.and(c, a, sink);
        }
        if a == !b {
            return !self.xor(c, a, sink);
        }
        if let Some(&gate) = self.choices.get(&(c, a, b)) {
            return gate;
        }
        let gate = self.fresh(sink);
        sink.add_clause(&[!c, !a, gate]);
        sink.add_clause(&[!c, a, !gate]);
        sink.add_clause(&[c, !b, gate]);
        sink.add_clause(&[c, b, !gate]);
        // These two clauses are redundant, but let unit propagation set the gate when both branches agree.
        sink.add_clause(&[!a, !b, gate]);
        sink.add_clause(&[a, b, !gate]);
        self.choices.insert((c, a, b), gate);
        gate
    }

    /// Returns the sum bit and the carry bit of three bits.
    fn full_adder(&mut self, a: Lit, b: Lit, c: Lit, sink: &mut impl ClauseSink) -> (Lit, Lit) {
        let half = self.xor(a, b, sink);
        let sum = self.xor(half, c, sink);
        // The carry is `c` if the other two bits differ, and their common value otherwise.
        let carry = self.choice(half, c, a, sink);
        (sum, carry)
    }

    fn add(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit, sink: &mut impl ClauseSink) -> Vec<Lit> {
        let mut sum = Vec::with_capacity(a.len());
        for (&x, &y) in a.iter().zip(b) {
            let (bit, next) = self.full_adder(x, y, carry, sink);
            sum.push(bit);
            carry = next;
        }
        sum
    }

    /// Computes `total + coefficient · bits`.
    ///
    /// The non-adjacent form of the coefficient minimises the number of additions and subtractions.
    fn add_scaled(
        &mut self,
        mut total: Vec<Lit>,
        bits: &[Lit],
        coefficient: u128,
        width: usize,
        sink: &mut impl ClauseSink,
    ) -> Vec<Lit> {
        let mut rest = coefficient;
        let mut at = 0;
        while rest != 0 && at < width {
            if rest & 1 == 1 {
                let shifted: Vec<Lit> =
                    std::iter::repeat_n(Lit::FALSE, at).chain(bits.iter().copied()).take(width).collect();
                if rest & 2 == 0 {
                    total = self.add(&total, &shifted, Lit::FALSE, sink);
                    rest -= 1;
                } else {
                    let inverted: Vec<Lit> = shifted.iter().map(|&l| !l).collect();
                    total = self.add(&total, &inverted, Lit::TRUE, sink);
                    rest = rest.wrapping_add(1);
                }
            }
            rest >>= 1;
            at += 1;
        }
        total
    }

    fn multiply(&mut self, a: &[Lit], b: &[Lit], sink: &mut impl ClauseSink) -> Vec<Lit> {
        let width = a.len();
        let mut total = vec![Lit::FALSE; width];
        for (at, &bit) in b.iter().enumerate() {
            if bit == Lit::FALSE {
                continue;
            }
            let row: Vec<Lit> = std::iter::repeat_n(Lit::FALSE, at)
                .chain(a.iter().take(width - at).map(|&x| self.and(x, bit, sink)))
                .collect();
            total = self.add(&total, &row, Lit::FALSE, sink);
        }
        total
    }

    fn negate_if(&mut self, condition: Lit, bits: &[Lit], sink: &mut impl ClauseSink) -> Vec<Lit> {
        let flipped: Vec<Lit> = bits.iter().map(|&l| self.xor(l, condition, sink)).collect();
        let zero = vec![Lit::FALSE; bits.len()];
        self.add(&flipped, &zero, condition, sink)
    }

    fn divide(
        &mut self,
        _terms: &Terms,
        a: Term,
        b: Term,
        x: &[Lit],
        y: &[Lit],
        sink: &mut impl ClauseSink,
    ) -> &Division {
        if !self.divisions.contains_key(&(a, b)) {
            let (quotient, remainder) = self.divide_bits(x, y, sink);
            self.divisions.insert((a, b), (quotient.into_boxed_slice(), remainder.into_boxed_slice()));
        }
        &self.divisions[&(a, b)]
    }

    /// Builds a restoring divider.
    ///
    /// For a divisor of 0 the circuit yields all ones and the dividend, as SMT-LIB demands, without special treatment.
    fn divide_bits(&mut self, x: &[Lit], y: &[Lit], sink: &mut impl ClauseSink) -> (Vec<Lit>, Vec<Lit>) {
        let width = x.len();
        let mut quotient = vec![Lit::FALSE; width];
        // One extra bit, so that shifting the partial remainder cannot overflow.
        let mut rest = vec![Lit::FALSE; width + 1];
        let divisor: Vec<Lit> = y.iter().copied().chain([Lit::FALSE]).collect();
        let inverted: Vec<Lit> = divisor.iter().map(|&l| !l).collect();
        for at in (0..width).rev() {
            rest.pop();
            rest.insert(0, x[at]);
            let smaller = self.less(&rest, &divisor, sink);
            let difference = self.add(&rest, &inverted, Lit::TRUE, sink);
            quotient[at] = !smaller;
            rest = rest.iter().zip(&difference).map(|(&r, &d)| self.choice(smaller, r, d, sink)).collect();
        }
        rest.truncate(width);
        (quotient, rest)
    }

    fn equal(&mut self, a: &[Lit], b: &[Lit], sink: &mut impl ClauseSink) -> Lit {
        let mut all = Lit::TRUE;
        for (&x, &y) in a.iter().zip(b) {
            let same = !self.xor(x, y, sink);
            all = self.and(all, same, sink);
        }
        all
    }

    fn less(&mut self, a: &[Lit], b: &[Lit], sink: &mut impl ClauseSink) -> Lit {
        let mut less = Lit::FALSE;
        for (&x, &y) in a.iter().zip(b) {
            let differ = self.xor(x, y, sink);
            less = self.choice(differ, y, less, sink);
        }
        less
    }

    fn shift(&mut self, op: Op, mut bits: Vec<Lit>, amount: &[Lit], sink: &mut impl ClauseSink) -> Vec<Lit> {
        let width = bits.len();
        let fill = if op == Op::AShr { bits[width - 1] } else { Lit::FALSE };
        let mut beyond = Lit::FALSE;
        for (stage, &bit) in amount.iter().enumerate() {
            let distance = 1usize.checked_shl(stage as u32).unwrap_or(usize::MAX);
            if distance >= width {
                beyond = self.or(beyond, bit, sink);
                continue;
            }
            bits = (0..width)
                .map(|i| {
                    let from = match op {
                        Op::Shl => i.checked_sub(distance).map_or(fill, |j| bits[j]),
                        _ => bits.get(i + distance).copied().unwrap_or(fill),
                    };
                    self.choice(bit, from, bits[i], sink)
                })
                .collect();
        }
        bits.into_iter().map(|b| self.choice(beyond, fill, b, sink)).collect()
    }
}

fn constant(bits: u128, width: usize) -> Vec<Lit> {
    (0..width).map(|i| if bits >> i & 1 == 1 { Lit::TRUE } else { Lit::FALSE }).collect()
}
