//! Nondeterministic values, from a file or from a seeded generator.

use cairn_ir::Ty;
use cairn_ir::layout::Target;
use rustc_apfloat::{Float, Round, ieee};

/// A source of nondeterministic values.
#[derive(Debug)]
pub(crate) enum Inputs {
    /// An endless sequence from a seed.
    Generated(Generator),
    /// A list from the user.
    Listed {
        /// The values.
        values: Vec<Value>,
        /// The number of values that were used.
        used: usize,
    },
}

impl Inputs {
    /// Returns the next value as the bits of a type, or `None` when the list is used up.
    pub(crate) fn next(&mut self, ty: Ty, target: Target) -> Option<u128> {
        match self {
            Inputs::Generated(generator) => Some(generator.next(ty, target)),
            Inputs::Listed { values, used } => {
                let value = values.get(*used)?;
                *used += 1;
                Some(value.bits(ty, target))
            }
        }
    }
}

/// A number of an input file. It takes the type that the program asks for.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Value {
    /// An integer.
    Int(i128),
    /// The text of a floating-point number.
    Float(String),
}

impl Value {
    fn bits(&self, ty: Ty, target: Target) -> u128 {
        let bits = match self {
            Value::Int(value) => match ty {
                Ty::F16 => ieee::Half::from_i128(*value).value.to_bits(),
                Ty::F32 => ieee::Single::from_i128(*value).value.to_bits(),
                Ty::F64 => ieee::Double::from_i128(*value).value.to_bits(),
                Ty::F80 => ieee::X87DoubleExtended::from_i128(*value).value.to_bits(),
                Ty::F128 => ieee::Quad::from_i128(*value).value.to_bits(),
                _ => *value as u128,
            },
            Value::Float(text) => match ty {
                Ty::F16 => float::<ieee::Half>(text).to_bits(),
                Ty::F32 => float::<ieee::Single>(text).to_bits(),
                Ty::F64 => float::<ieee::Double>(text).to_bits(),
                Ty::F80 => float::<ieee::X87DoubleExtended>(text).to_bits(),
                Ty::F128 => float::<ieee::Quad>(text).to_bits(),
                _ => float::<ieee::Quad>(text).to_i128(128).value as u128,
            },
        };
        low_bits(bits, ty.bits(target))
    }
}

/// Parses a floating-point number, which was checked before.
fn float<F: Float>(text: &str) -> F {
    F::from_str_r(text, Round::NearestTiesToEven).map_or(F::ZERO, |parsed| parsed.value)
}

fn low_bits(value: u128, bits: u32) -> u128 {
    value & u128::MAX.checked_shr(128 - bits.min(128)).unwrap_or(0)
}

/// Reads an input file: one value per line, `#` begins a comment. The error names the line.
pub(crate) fn parse(text: &str) -> Result<Vec<Value>, String> {
    let mut values = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let word = line.split('#').next().unwrap_or("").trim();
        if word.is_empty() {
            continue;
        }
        let value = parse_value(word).ok_or_else(|| {
            format!("line {}: expected a number (42, -7, 0xff, 2.5, inf), found `{}`", index + 1, word.escape_debug())
        })?;
        values.push(value);
    }
    Ok(values)
}

/// Reads an input file and uses each of its values as every type, for fuzzing.
pub(crate) fn read_and_use(text: &str) {
    for value in parse(text).unwrap_or_default() {
        for ty in [Ty::I8, Ty::I16, Ty::I32, Ty::I64, Ty::I128, Ty::F16, Ty::F32, Ty::F64, Ty::F80, Ty::F128, Ty::Ptr] {
            value.bits(ty, Target::Lp64);
            value.bits(ty, Target::Ilp32);
        }
    }
}

fn parse_value(word: &str) -> Option<Value> {
    let (negative, digits) = match word.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, word.strip_prefix('+').unwrap_or(word)),
    };
    let magnitude = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) if !hex.starts_with(['+', '-']) => u128::from_str_radix(hex, 16).ok(),
        Some(_) => None,
        None if digits.bytes().all(|b| b.is_ascii_digit()) => digits.parse().ok(),
        None => None,
    };
    if let Some(magnitude) = magnitude {
        let value = magnitude as i128;
        return Some(Value::Int(if negative { value.wrapping_neg() } else { value }));
    }
    let is_float = ieee::Double::from_str_r(word, Round::NearestTiesToEven).is_ok();
    is_float.then(|| Value::Float(word.to_owned()))
}

/// A generator of values. Half of them are small numbers, because these decide more branches than large ones.
#[derive(Debug)]
pub(crate) struct Generator {
    state: u64,
}

impl Generator {
    /// Returns the generator of a seed. Its sequence is the same on every machine.
    pub(crate) fn new(seed: u64) -> Self {
        Generator { state: seed }
    }

    /// Returns the next word of SplitMix (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
    /// OOPSLA 2014).
    fn word(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = self.state;
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn next(&mut self, ty: Ty, target: Target) -> u128 {
        // Null is the only pointer that is valid in every program.
        if ty == Ty::Ptr {
            return 0;
        }
        let choice = self.word();
        let small = i128::from((choice >> 8) % 21) - 5;
        if choice & 1 == 0 {
            return Value::Int(small).bits(ty, target);
        }
        let random = u128::from(self.word()) << 64 | u128::from(self.word());
        match ty {
            // Random bits are rarely a number, and often an invalid one in the extended format.
            ty if ty.is_float() => Value::Float(format!("{}", f64::from(random as i32) / 64.0)).bits(ty, target),
            ty => low_bits(random, ty.bits(target)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(word: &str, ty: Ty) -> u128 {
        parse_value(word).expect("a number").bits(ty, Target::Lp64)
    }

    #[test]
    fn numbers_take_the_requested_type() {
        assert_eq!(bits("-1", Ty::I8), 0xff);
        assert_eq!(bits("-1", Ty::I128), u128::MAX);
        assert_eq!(bits("0xfF", Ty::I32), 255);
        assert_eq!(bits("300", Ty::I8), 44);
        assert_eq!(bits("2.5", Ty::F64), u128::from(2.5f64.to_bits()));
        assert_eq!(bits("-3", Ty::F32), u128::from((-3f32).to_bits()));
        assert_eq!(bits("2.75", Ty::I32), 2);
        assert_eq!(bits("1", Ty::F80), 0x3fff_8000_0000_0000_0000);
        assert_eq!(bits("3", Ty::I1), 1);
    }

    #[test]
    fn files_have_comments_and_errors_have_lines() {
        assert_eq!(
            parse("# none\n 1 # one\n\n-0x10\n1e3\n"),
            Ok(vec![Value::Int(1), Value::Int(-16), Value::Float("1e3".to_owned())])
        );
        for bad in ["1\nx", "1\n1 2", "1\n0x", "1\n--2", "1\n0x-1", "1\n99999999999999999999999999999999999999999x"] {
            let message = parse(bad).expect_err(bad);
            assert!(message.starts_with("line 2: "), "{message}");
        }
    }

    #[test]
    fn a_list_ends_and_a_generator_does_not() {
        let mut listed = Inputs::Listed { values: vec![Value::Int(7)], used: 0 };
        assert_eq!(listed.next(Ty::I32, Target::Lp64), Some(7));
        assert_eq!(listed.next(Ty::I32, Target::Lp64), None);
        let draw = |seed| {
            let mut generated = Inputs::Generated(Generator::new(seed));
            let values: Vec<_> = (0..100).map(|_| generated.next(Ty::I16, Target::Lp64)).collect();
            assert!(values.iter().all(|v| v.is_some_and(|v| v < 1 << 16)));
            values
        };
        assert_eq!(draw(0), draw(0));
        assert_ne!(draw(0), draw(1));
    }
}
