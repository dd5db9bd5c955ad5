//! Term constructors.
//!
//! Every constructor normalises its result, so that many queries become constants and never reach the solver.

use smallvec::SmallVec;

use crate::term::{Node, Op, Sum, Term, Terms, mask, signed};

type Monomials = SmallVec<[(Term, u128); 4]>;

impl Terms {
    /// Creates a constant; bits above the width are dropped.
    pub fn constant(&mut self, bits: u128, width: u32) -> Term {
        self.intern(width, Node::Const(bits & mask(width)))
    }

    /// Creates the truth value 1.
    pub fn truth(&mut self) -> Term {
        self.constant(1, 1)
    }

    /// Creates the truth value 0.
    pub fn falsity(&mut self) -> Term {
        self.constant(0, 1)
    }

    /// Returns whether the term is the truth value 1.
    pub fn is_true(&self, term: Term) -> bool {
        self.width(term) == 1 && self.as_const(term) == Some(1)
    }

    /// Returns whether the term is the truth value 0.
    pub fn is_false(&self, term: Term) -> bool {
        self.width(term) == 1 && self.as_const(term) == Some(0)
    }

    /// Interns a node, or returns a constant if the facts of the node determine its value.
    fn settle(&mut self, width: u32, node: Node) -> Term {
        let term = self.intern(width, node);
        match self.facts(term).value() {
            Some(bits) => self.constant(bits, width),
            None => term,
        }
    }

    // ---- Linear arithmetic ----

    /// Adds `factor · term` to the accumulated constant and monomials.
    fn collect(&self, term: Term, factor: u128, constant: &mut u128, monomials: &mut Monomials) {
        match self.node(term) {
            Node::Const(bits) => *constant = constant.wrapping_add(bits.wrapping_mul(factor)),
            Node::Sum(sum) => {
                *constant = constant.wrapping_add(sum.constant.wrapping_mul(factor));
                monomials.extend(sum.monomials.iter().map(|&(t, c)| (t, c.wrapping_mul(factor))));
            }
            // The complement of `x` is `-1 - x`.
            &Node::Not(inner) if self.width(term) > 1 => {
                let minus = factor.wrapping_neg();
                *constant = constant.wrapping_add(minus);
                self.collect(inner, minus, constant, monomials);
            }
            _ => monomials.push((term, factor)),
        }
    }

    /// Returns the normal form of `constant + Σ monomials`.
    fn linear(&mut self, width: u32, constant: u128, mut monomials: Monomials) -> Term {
        let all = mask(width);
        monomials.sort_unstable_by_key(|&(term, _)| term);
        let mut merged = Monomials::new();
        for (term, coefficient) in monomials {
            match merged.last_mut() {
                Some((last, sum)) if *last == term => *sum = sum.wrapping_add(coefficient) & all,
                _ => merged.push((term, coefficient & all)),
            }
        }
        merged.retain(|&mut (_, coefficient)| coefficient != 0);
        let constant = constant & all;
        match merged[..] {
            [] => self.constant(constant, width),
            [(term, 1)] if constant == 0 => term,
            // `-1 - x` is the complement of `x`.
            [(term, c)] if c == all && constant == all => self.not(term),
            _ => self.settle(width, Node::Sum(Sum { constant, monomials: merged.into_boxed_slice() })),
        }
    }

    /// Returns `a + factor · b`.
    fn add_scaled(&mut self, a: Term, b: Term, factor: u128) -> Term {
        let width = self.width(a);
        debug_assert_eq!(width, self.width(b));
        let (mut constant, mut monomials) = (0, Monomials::new());
        self.collect(a, 1, &mut constant, &mut monomials);
        self.collect(b, factor, &mut constant, &mut monomials);
        self.linear(width, constant, monomials)
    }

    /// Returns `a + b`.
    pub fn add(&mut self, a: Term, b: Term) -> Term {
        self.add_scaled(a, b, 1)
    }

    /// Returns `a - b`.
    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        self.add_scaled(a, b, u128::MAX)
    }

    /// Returns `-a`.
    pub fn neg(&mut self, a: Term) -> Term {
        self.scale(a, u128::MAX)
    }

    /// Returns `factor · a`.
    pub fn scale(&mut self, a: Term, factor: u128) -> Term {
        let (mut constant, mut monomials) = (0, Monomials::new());
        self.collect(a, factor, &mut constant, &mut monomials);
        self.linear(self.width(a), constant, monomials)
    }

    /// Returns `a · b`.
    pub fn mul(&mut self, a: Term, b: Term) -> Term {
        if let Some(factor) = self.as_const(a) {
            return self.scale(b, factor);
        }
        if let Some(factor) = self.as_const(b) {
            return self.scale(a, factor);
        }
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        self.settle(self.width(a), Node::Binary(Op::Mul, a, b))
    }

    // ---- Division ----

    /// Returns the unsigned quotient, which is all ones for a divisor of 0.
    pub fn udiv(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        match (self.as_const(a), self.as_const(b)) {
            (_, Some(0)) => self.constant(mask(width), width),
            (Some(x), Some(y)) => self.constant(x / y, width),
            (_, Some(y)) if y.is_power_of_two() => self.lshr_const(a, y.trailing_zeros()),
            _ => self.settle(width, Node::Binary(Op::UDiv, a, b)),
        }
    }

    /// Returns the unsigned remainder, which is the dividend for a divisor of 0.
    pub fn urem(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        match (self.as_const(a), self.as_const(b)) {
            (_, Some(0)) => a,
            (Some(x), Some(y)) => self.constant(x % y, width),
            (_, Some(y)) if y.is_power_of_two() => {
                let low = self.constant(y - 1, width);
                self.and(a, low)
            }
            (_, Some(y)) if self.facts(a).max < y => a,
            _ => self.settle(width, Node::Binary(Op::URem, a, b)),
        }
    }

    /// Returns the signed quotient, truncated towards 0.
    pub fn sdiv(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let non_negative = |terms: &Self, t| terms.facts(t).zeros & (1 << (width - 1)) != 0;
        match (self.as_const(a), self.as_const(b)) {
            (Some(x), Some(y)) if y != 0 => {
                let quotient = signed(x, width).wrapping_div(signed(y, width));
                self.constant(quotient as u128, width)
            }
            (_, Some(1)) => a,
            _ if non_negative(self, a) && non_negative(self, b) && self.facts(b).min > 0 => self.udiv(a, b),
            _ => self.settle(width, Node::Binary(Op::SDiv, a, b)),
        }
    }

    /// Returns the signed remainder, which has the sign of the dividend.
    pub fn srem(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let non_negative = |terms: &Self, t| terms.facts(t).zeros & (1 << (width - 1)) != 0;
        match (self.as_const(a), self.as_const(b)) {
            (Some(x), Some(y)) if y != 0 => {
                let rest = signed(x, width).wrapping_rem(signed(y, width));
                self.constant(rest as u128, width)
            }
            (_, Some(1)) => self.constant(0, width),
            _ if non_negative(self, a) && non_negative(self, b) && self.facts(b).min > 0 => self.urem(a, b),
            _ => self.settle(width, Node::Binary(Op::SRem, a, b)),
        }
    }

    // ---- Bits ----

    /// Returns the bitwise complement; negates a truth value.
    pub fn not(&mut self, a: Term) -> Term {
        let width = self.width(a);
        match *self.node(a) {
            Node::Const(bits) => self.constant(!bits, width),
            Node::Not(inner) => inner,
            _ => self.settle(width, Node::Not(a)),
        }
    }

    /// Returns the bitwise and; conjoins truth values.
    pub fn and(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == b {
            return a;
        }
        for (x, y) in [(a, b), (b, a)] {
            let (fx, fy) = (self.facts(x), self.facts(y));
            // `x` is 1 wherever `y` can be 1, so masking with `x` is the identity.
            if fx.ones | fy.zeros == u128::MAX {
                return y;
            }
            match *self.node(x) {
                Node::Not(inner) if inner == y => return self.constant(0, width),
                // `x` is a conjunction that already contains `y` or its complement.
                Node::Binary(Op::And, p, q) if p == y || q == y => return x,
                Node::Binary(Op::And, p, q) if self.complementary(p, y) || self.complementary(q, y) => {
                    return self.constant(0, width);
                }
                _ => {}
            }
            // A mask of low bits is an extraction, which equalities and bounds can see through.
            if let Some(bits) = self.as_const(x) {
                let low = bits.trailing_ones();
                if low > 0 && low < width && bits == mask(low) {
                    let part = self.extract(y, 0, low);
                    return self.zext(part, width);
                }
                // Clearing low bits whose value is known is a subtraction. This keeps tagged addresses linear.
                let high = bits.trailing_zeros();
                if high > 0 && high < width && bits == mask(width) & !mask(high) {
                    let part = self.extract(y, 0, high);
                    if self.as_const(part).is_some() {
                        let part = self.zext(part, width);
                        return self.sub(y, part);
                    }
                }
            }
        }
        self.settle(width, Node::Binary(Op::And, a, b))
    }

    fn complementary(&self, a: Term, b: Term) -> bool {
        matches!(*self.node(a), Node::Not(inner) if inner == b)
            || matches!(*self.node(b), Node::Not(inner) if inner == a)
    }

    /// Returns the bitwise or; disjoins truth values.
    pub fn or(&mut self, a: Term, b: Term) -> Term {
        // The or of operands without common bits is a sum. This keeps addresses and assembled bytes linear.
        let width = self.width(a);
        if width > 1 && self.facts(a).zeros | self.facts(b).zeros == u128::MAX {
            return self.add(a, b);
        }
        let (a, b) = (self.not(a), self.not(b));
        let both = self.and(a, b);
        self.not(both)
    }

    /// Returns the bitwise exclusive or.
    pub fn xor(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == b {
            return self.constant(0, width);
        }
        for (x, y) in [(a, b), (b, a)] {
            match self.as_const(x) {
                Some(0) => return y,
                Some(bits) if bits == mask(width) => return self.not(y),
                _ => {}
            }
            if let Node::Not(inner) = *self.node(x) {
                let inner = self.xor(inner, y);
                return self.not(inner);
            }
        }
        self.settle(width, Node::Binary(Op::Xor, a, b))
    }

    /// Concatenates two terms; `hi` provides the high bits.
    pub fn concat(&mut self, hi: Term, lo: Term) -> Term {
        let width = self.width(hi) + self.width(lo);
        if let (Some(h), Some(l)) = (self.as_const(hi), self.as_const(lo)) {
            return self.constant((h << self.width(lo)) | l, width);
        }
        // Merge adjacent extractions from the same term.
        if let (&Node::Extract(x, high), &Node::Extract(y, low)) = (self.node(hi), self.node(lo))
            && x == y
            && low + self.width(lo) == high
        {
            return self.extract(x, low, width);
        }
        // Merge adjacent zeros.
        if let (Some(0), &Node::Binary(Op::Concat, zeros, rest)) = (self.as_const(hi), self.node(lo))
            && self.as_const(zeros) == Some(0)
        {
            return self.zext(rest, width);
        }
        // Nest to the right, so that equal concatenations have equal terms.
        if let Node::Binary(Op::Concat, top, middle) = *self.node(hi) {
            let low = self.concat(middle, lo);
            return self.concat(top, low);
        }
        if let Node::Binary(Op::Concat, middle, low) = *self.node(lo) {
            let joined = match (self.node(hi), self.node(middle)) {
                (&Node::Extract(x, high), &Node::Extract(y, at)) => x == y && at + self.width(middle) == high,
                (Node::Const(_), Node::Const(_)) => true,
                _ => false,
            };
            if joined {
                let top = self.concat(hi, middle);
                return self.concat(top, low);
            }
        }
        self.settle(width, Node::Binary(Op::Concat, hi, lo))
    }

    /// Extracts `width` bits of `a`, starting at bit `low`.
    pub fn extract(&mut self, a: Term, low: u32, width: u32) -> Term {
        let from = self.width(a);
        debug_assert!(low + width <= from);
        if width == from {
            return a;
        }
        match *self.node(a) {
            Node::Const(bits) => return self.constant(bits >> low, width),
            Node::Extract(inner, more) => return self.extract(inner, low + more, width),
            Node::Binary(Op::Concat, hi, lo) => {
                let split = self.width(lo);
                if low >= split {
                    return self.extract(hi, low - split, width);
                }
                if low + width <= split {
                    return self.extract(lo, low, width);
                }
                let top = self.extract(hi, 0, low + width - split);
                let bottom = self.extract(lo, low, split - low);
                return self.concat(top, bottom);
            }
            Node::SExt(inner) => {
                let inner_width = self.width(inner);
                if low + width <= inner_width {
                    return self.extract(inner, low, width);
                }
                if low == 0 {
                    return self.sext(inner, width);
                }
            }
            Node::Not(inner) => {
                let part = self.extract(inner, low, width);
                return self.not(part);
            }
            Node::Binary(op @ (Op::And | Op::Xor), x, y) => {
                let (x, y) = (self.extract(x, low, width), self.extract(y, low, width));
                return if op == Op::And { self.and(x, y) } else { self.xor(x, y) };
            }
            // The low bits of a sum or product depend only on the low bits of its operands.
            Node::Sum(ref sum) if low == 0 => {
                let (constant, monomials) = (sum.constant, sum.monomials.clone());
                let (mut total, mut parts) = (constant, Monomials::new());
                for (term, coefficient) in monomials {
                    let part = self.extract(term, 0, width);
                    self.collect(part, coefficient, &mut total, &mut parts);
                }
                return self.linear(width, total, parts);
            }
            Node::Binary(Op::Mul, x, y) if low == 0 => {
                let (x, y) = (self.extract(x, 0, width), self.extract(y, 0, width));
                return self.mul(x, y);
            }
            Node::Ite(c, x, y) if self.as_const(x).is_some() || self.as_const(y).is_some() => {
                let (x, y) = (self.extract(x, low, width), self.extract(y, low, width));
                return self.ite(c, x, y);
            }
            _ => {}
        }
        self.settle(width, Node::Extract(a, low))
    }

    /// Zero-extends `a` to `width` bits.
    pub fn zext(&mut self, a: Term, width: u32) -> Term {
        let from = self.width(a);
        if width == from {
            return a;
        }
        let zeros = self.constant(0, width - from);
        self.concat(zeros, a)
    }

    /// Sign-extends `a` to `width` bits.
    pub fn sext(&mut self, a: Term, width: u32) -> Term {
        let from = self.width(a);
        if width == from {
            return a;
        }
        if self.facts(a).zeros & (1 << (from - 1)) != 0 {
            return self.zext(a, width);
        }
        match *self.node(a) {
            Node::Const(bits) => self.constant(signed(bits, from) as u128, width),
            Node::SExt(inner) => self.sext(inner, width),
            _ => self.settle(width, Node::SExt(a)),
        }
    }

    /// Truncates or extends `a` to `width` bits.
    pub fn resize(&mut self, a: Term, width: u32, is_signed: bool) -> Term {
        match (width < self.width(a), is_signed) {
            (true, _) => self.extract(a, 0, width),
            (false, true) => self.sext(a, width),
            (false, false) => self.zext(a, width),
        }
    }

    fn lshr_const(&mut self, a: Term, amount: u32) -> Term {
        let width = self.width(a);
        if amount >= width {
            return self.constant(0, width);
        }
        let top = self.extract(a, amount, width - amount);
        self.zext(top, width)
    }

    /// Shifts left; the result is 0 if the amount is at least the width.
    pub fn shl(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        match self.as_const(b) {
            Some(amount) if amount >= u128::from(width) => self.constant(0, width),
            Some(amount) => self.scale(a, 1 << amount),
            None => self.settle(width, Node::Binary(Op::Shl, a, b)),
        }
    }

    /// Shifts right, filling with zeros.
    pub fn lshr(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        match self.as_const(b) {
            Some(amount) => self.lshr_const(a, u32::try_from(amount).unwrap_or(width)),
            None => self.settle(width, Node::Binary(Op::LShr, a, b)),
        }
    }

    /// Shifts right, filling with the sign bit.
    pub fn ashr(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        match self.as_const(b) {
            Some(amount) => {
                let amount = u32::try_from(amount).unwrap_or(width).min(width - 1);
                let top = self.extract(a, amount, width - amount);
                self.sext(top, width)
            }
            None => self.settle(width, Node::Binary(Op::AShr, a, b)),
        }
    }

    // ---- Comparisons ----

    /// Returns `a = b`.
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        debug_assert_eq!(width, self.width(b));
        if a == b {
            return self.truth();
        }
        if width == 1 {
            let different = self.xor(a, b);
            return self.not(different);
        }
        // Compare the difference with 0, because common terms on both sides cancel.
        let difference = self.sub(a, b);
        if let Some(bits) = self.as_const(difference) {
            return self.constant(u128::from(bits == 0), 1);
        }
        let (a, b) = self.split_difference(difference, width);
        if let Some(simpler) = self.eq_by_shape(a, b, width) {
            return simpler;
        }
        if let Some(simpler) = self.eq_by_shape(b, a, width) {
            return simpler;
        }
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        self.settle(1, Node::Binary(Op::Eq, a, b))
    }

    /// Rewrites `difference = 0` as an equation `a = b`.
    ///
    /// The result is the same for a difference and its negation. Monomials with positive
    /// coefficients go to the left side; those with negative coefficients and the constant go to
    /// the right side.
    fn split_difference(&mut self, difference: Term, width: u32) -> (Term, Term) {
        let (mut constant, mut monomials) = (0, Monomials::new());
        self.collect(difference, 1, &mut constant, &mut monomials);
        let half = 1u128 << (width - 1);
        let all = mask(width);
        // Multiply by the inverse of an odd leading coefficient, so that equivalent equations become equal terms.
        if let Some(&(_, lead)) = monomials.first()
            && lead & 1 == 1
            && lead & all != 1
        {
            let inverse = inverse_of_odd(lead);
            constant = constant.wrapping_mul(inverse) & all;
            for (_, c) in &mut monomials {
                *c = c.wrapping_mul(inverse) & all;
            }
        }
        let (left, right): (Monomials, Monomials) = monomials.into_iter().partition(|&(_, c)| c < half);
        let right = right.into_iter().map(|(t, c)| (t, c.wrapping_neg() & all)).collect();
        let left = self.linear(width, 0, left);
        let right = self.linear(width, constant.wrapping_neg(), right);
        (left, right)
    }

    fn eq_by_shape(&mut self, a: Term, b: Term, width: u32) -> Option<Term> {
        if self.facts(a).value().is_some() && self.facts(b).value().is_some() {
            let equal = self.facts(a).min == self.facts(b).min;
            return Some(self.constant(u128::from(equal), 1));
        }
        match (self.node(a).clone(), self.node(b).clone()) {
            // Concatenations of matching widths are compared part by part.
            (Node::Binary(Op::Concat, hi, lo), Node::Const(bits)) => {
                let split = self.width(lo);
                let high = self.constant(bits >> split, width - split);
                let low = self.constant(bits, split);
                let high = self.eq(hi, high);
                let low = self.eq(lo, low);
                Some(self.and(high, low))
            }
            (Node::Binary(Op::Concat, h1, l1), Node::Binary(Op::Concat, h2, l2))
                if self.width(l1) == self.width(l2) =>
            {
                let high = self.eq(h1, h2);
                let low = self.eq(l1, l2);
                Some(self.and(high, low))
            }
            (Node::SExt(x), Node::SExt(y)) if self.width(x) == self.width(y) => Some(self.eq(x, y)),
            (Node::SExt(x), Node::Const(bits)) => {
                let from = self.width(x);
                let fits = signed(bits, from) == signed(bits, width);
                let low = self.constant(bits, from);
                Some(if fits { self.eq(x, low) } else { self.falsity() })
            }
            (Node::Ite(c, x, y), Node::Const(_)) if self.as_const(x).is_some() || self.as_const(y).is_some() => {
                let x = self.eq(x, b);
                let y = self.eq(y, b);
                Some(self.ite(c, x, y))
            }
            (Node::Not(x), Node::Const(bits)) => {
                let flipped = self.constant(!bits, width);
                Some(self.eq(x, flipped))
            }
            _ => None,
        }
    }

    /// Returns `a ≠ b`.
    pub fn ne(&mut self, a: Term, b: Term) -> Term {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    /// Returns `a < b`, unsigned.
    pub fn ult(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            return self.falsity();
        }
        let (fa, fb) = (self.facts(a), self.facts(b));
        let width = self.width(a);
        if fa.max < fb.min {
            return self.truth();
        }
        if fa.min >= fb.max {
            return self.falsity();
        }
        // Next to a bound of the other operand, the comparison is an equality or a disequality.
        if let Some(bits) = self.as_const(b) {
            if fa.min + 1 == bits {
                let least = self.constant(fa.min, width);
                return self.eq(a, least);
            }
            if bits == fa.max {
                let greatest = self.constant(fa.max, width);
                return self.ne(a, greatest);
            }
        }
        if let Some(bits) = self.as_const(a) {
            if fb.max == bits + 1 {
                let greatest = self.constant(fb.max, width);
                return self.eq(b, greatest);
            }
            if bits == fb.min {
                let least = self.constant(fb.min, width);
                return self.ne(b, least);
            }
        }
        if let Some((x, y)) = self.without_extension(a, b) {
            return self.ult(x, y);
        }
        self.settle(1, Node::Binary(Op::ULt, a, b))
    }

    /// Narrows both sides of a comparison if they are zero-extended.
    fn without_extension(&mut self, a: Term, b: Term) -> Option<(Term, Term)> {
        let zero_top = |terms: &Self, t: Term| match *terms.node(t) {
            Node::Binary(Op::Concat, hi, lo) if terms.as_const(hi) == Some(0) => Some(terms.width(lo)),
            Node::Const(bits) => Some((128 - bits.leading_zeros()).max(1)),
            _ => None,
        };
        let narrow = zero_top(self, a)?.max(zero_top(self, b)?);
        (narrow < self.width(a)).then(|| (self.extract(a, 0, narrow), self.extract(b, 0, narrow)))
    }

    /// Returns `a ≤ b`, unsigned.
    pub fn ule(&mut self, a: Term, b: Term) -> Term {
        let greater = self.ult(b, a);
        self.not(greater)
    }

    /// Returns `a < b`, signed.
    pub fn slt(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            return self.falsity();
        }
        let width = self.width(a);
        let (fa, fb) = (self.facts(a), self.facts(b));
        let sign = 1u128 << (width - 1);
        // The signed and the unsigned order agree on operands of the same sign.
        if (fa.zeros & fb.zeros) & sign != 0 || (fa.ones & fb.ones) & sign != 0 {
            return self.ult(a, b);
        }
        // Nothing is less than the least value or greater than the greatest value.
        if self.as_const(b) == Some(sign) || self.as_const(a) == Some(sign - 1) {
            return self.falsity();
        }
        if let (&Node::SExt(x), &Node::SExt(y)) = (self.node(a), self.node(b))
            && self.width(x) == self.width(y)
        {
            return self.slt(x, y);
        }
        // `x < 0` is the sign bit of `x`.
        if self.as_const(b) == Some(0) {
            return self.extract(a, width - 1, 1);
        }
        self.settle(1, Node::Binary(Op::SLt, a, b))
    }

    /// Returns `a ≤ b`, signed.
    pub fn sle(&mut self, a: Term, b: Term) -> Term {
        let greater = self.slt(b, a);
        self.not(greater)
    }

    /// Returns `if c then a else b`.
    pub fn ite(&mut self, c: Term, a: Term, b: Term) -> Term {
        if a == b || self.is_true(c) {
            return a;
        }
        if self.is_false(c) {
            return b;
        }
        if let Node::Not(inner) = *self.node(c) {
            return self.ite(inner, b, a);
        }
        let width = self.width(a);
        if width == 1 {
            // With a constant branch, a choice between truth values is a conjunction or disjunction.
            if self.is_true(a) {
                return self.or(c, b);
            }
            if self.is_false(a) {
                let not_c = self.not(c);
                return self.and(not_c, b);
            }
            if self.is_true(b) {
                let not_c = self.not(c);
                return self.or(not_c, a);
            }
            if self.is_false(b) {
                return self.and(c, a);
            }
        }
        if let Node::Ite(inner, x, _) = *self.node(a)
            && inner == c
        {
            return self.ite(c, x, b);
        }
        if let Node::Ite(inner, _, y) = *self.node(b)
            && inner == c
        {
            return self.ite(c, a, y);
        }
        self.settle(width, Node::Ite(c, a, b))
    }
}

/// Returns the multiplicative inverse of an odd number modulo 2^128, by Newton's iteration.
///
/// The result is also the inverse modulo every smaller power of two.
pub(crate) fn inverse_of_odd(odd: u128) -> u128 {
    let mut inverse = odd;
    for _ in 0..7 {
        inverse = inverse.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    inverse
}
