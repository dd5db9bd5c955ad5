//! Laws of strided intervals, on all small ones.

use super::*;

const WIDTH: u32 = 4;

fn all() -> Vec<Num> {
    let mut found = vec![];
    for lo in 0..16 {
        found.push(Num::constant(lo, WIDTH));
        for stride in 1..8u64 {
            for steps in 1..16 {
                let span = stride * steps;
                if span < 16 {
                    found.push(Num::arc(lo, span, stride, WIDTH));
                }
            }
        }
    }
    found.sort_by_key(|n| (n.lo, n.span, n.stride));
    found.dedup();
    found
}

fn values(num: Num, width: u32) -> impl Iterator<Item = u64> + Clone {
    (0..=mask(width)).filter(move |&v| num.contains(v, width))
}

#[test]
fn lattice_operations_cover() {
    let thresholds = [0, 3, 7, 8, 15];
    for &a in &all() {
        for &b in &all() {
            let (join, widened) = (a.join(b, WIDTH), a.widen(b, WIDTH, &thresholds));
            for v in values(a, WIDTH).chain(values(b, WIDTH)) {
                assert!(join.contains(v, WIDTH), "{a:?} join {b:?} = {join:?} lacks {v}");
                assert!(widened.contains(v, WIDTH), "{a:?} widen {b:?} = {widened:?} lacks {v}");
            }
            assert!(!a.covers(b, WIDTH) || values(b, WIDTH).all(|v| a.contains(v, WIDTH)), "{a:?} {b:?}");
            for v in values(a, WIDTH).filter(|&v| b.contains(v, WIDTH)) {
                assert!(a.meet(b, WIDTH).is_some_and(|m| m.contains(v, WIDTH)), "{a:?} meet {b:?} lacks {v}");
            }
        }
        for v in 0..16 {
            for x in values(a, WIDTH).filter(|&x| x != v) {
                assert!(a.without(v, WIDTH).is_some_and(|n| n.contains(x, WIDTH)), "{a:?} without {v}");
            }
        }
    }
}

#[test]
fn widening_ends() {
    let thresholds = [0, 3, 7, 8, 15];
    for &a in &all() {
        let mut now = a;
        let mut changes = 0;
        for _ in 0..40 {
            let step = now.add(Num::between(0, 1), WIDTH);
            let next = now.widen(step, WIDTH, &thresholds);
            changes += u32::from(next != now);
            now = next;
        }
        assert!(changes <= 8, "{a:?} takes {changes} steps");
    }
}

#[test]
fn arithmetic_covers_all_results() {
    type Op = (&'static str, fn(Num, Num) -> Num, fn(u64, u64) -> Option<u64>);
    let s = |v: u64| signed(v, WIDTH);
    let _ = s;
    let ops: [Op; 13] = [
        ("add", |a, b| a.add(b, WIDTH), |a, b| Some(a.wrapping_add(b))),
        ("sub", |a, b| a.sub(b, WIDTH), |a, b| Some(a.wrapping_sub(b))),
        ("mul", |a, b| a.mul(b, WIDTH), |a, b| Some(a.wrapping_mul(b))),
        ("and", |a, b| a.and(b, WIDTH), |a, b| Some(a & b)),
        ("or", |a, b| a.or(b, WIDTH, false), |a, b| Some(a | b)),
        ("xor", |a, b| a.or(b, WIDTH, true), |a, b| Some(a ^ b)),
        ("shl", |a, b| a.shl(b, WIDTH), |a, b| Some(a << (b % 4))),
        ("lshr", |a, b| a.lshr(b, WIDTH), |a, b| Some(a >> (b % 4))),
        ("ashr", |a, b| a.ashr(b, WIDTH), |a, b| Some((signed(a, WIDTH) >> (b % 4)) as u64)),
        ("udiv", |a, b| a.udiv(b, WIDTH), |a, b| a.checked_div(b)),
        ("urem", |a, b| a.urem(b, WIDTH), |a, b| a.checked_rem(b)),
        (
            "sdiv",
            |a, b| a.sdiv(b, WIDTH),
            |a, b| {
                let (a, b) = (signed(a, WIDTH), signed(b, WIDTH));
                (b != 0 && !(a == -8 && b == -1)).then(|| (a / b) as u64)
            },
        ),
        (
            "srem",
            |a, b| a.srem(b, WIDTH),
            |a, b| {
                let (a, b) = (signed(a, WIDTH), signed(b, WIDTH));
                (b != 0).then(|| (a % b) as u64)
            },
        ),
    ];
    for (name, op, concrete) in ops {
        for &a in &all() {
            for &b in all().iter().step_by(3) {
                if b.value() == Some(0) && name.ends_with(['v', 'm']) {
                    continue;
                }
                let result = op(a, b);
                for x in values(a, WIDTH) {
                    for y in values(b, WIDTH) {
                        if let Some(z) = concrete(x, y) {
                            assert!(
                                result.contains(z & 15, WIDTH),
                                "{name} {a:?} {b:?} = {result:?} lacks {z} of {x}, {y}"
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn conversions_and_bounds_cover() {
    for &a in &all() {
        let ((low, high), (least, most)) = (a.unsigned(WIDTH), a.signed(WIDTH));
        for v in values(a, WIDTH) {
            assert!(low <= v && v <= high);
            assert!(least <= signed(v, WIDTH) && signed(v, WIDTH) <= most);
            assert!(a.truncate(2).contains(v & 3, 2), "{a:?} {v}");
            assert!(a.zero_extend(WIDTH).contains(v, 8), "{a:?} {v}");
            assert!(a.sign_extend(WIDTH, 8).contains(signed(v, WIDTH) as u64 & 255, 8), "{a:?} {v}");
            assert!(a.neg(WIDTH).contains(v.wrapping_neg() & 15, WIDTH));
        }
    }
}
