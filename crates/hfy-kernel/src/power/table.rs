//! Powers by a table, for processors that look sixteen numbers up at once.
//!
//! A number up to one is `2^e c (1 + f)`, `c` the middle of one of 32 bins between 1 and 2: its power is that of `2^e`,
//! that of `c`, and a short binomial series in `f`. There is neither a logarithm nor an exponential, whose errors would
//! grow with the exponent.

use super::{Distance, Raise};
use crate::elementary::Elementary;
use crate::{InOut, Number};

/// Numbers in a table.
pub(super) const SIZE: usize = 32;

/// How large `f` becomes.
const HALF_BIN: f64 = 0.5 / (SIZE as f64 + 0.5);

/// Powers of two are lifted by this, so that none that matters is below the normal numbers.
const LIFT: f64 = 96.0;
const FAR_LIFT: f64 = 16.0;

/// Powers by this and more of numbers below the scales are no normal numbers.
const FAR: f32 = 4.1;

/// A table for one exponent.
#[derive(Debug, Clone)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
pub struct Table {
    pub(super) p: f32,
    /// Numbers up to this have a power that is not a normal number.
    pub(super) least: f32,
    /// `1 / c`.
    pub(super) inverses: [f32; SIZE],
    /// `c^p`.
    pub(super) powers: [f32; SIZE],
    /// `2^(p e + LIFT)`, from `e = 1 - SIZE` up to zero.
    pub(super) scales: [f32; SIZE],
    /// `2^(p e + FAR_LIFT)` for the `e` that are multiples of `SIZE`, by the bits of an exponent before the last five.
    pub(super) far: [f32; 16],
    /// The series, divided by the lifts.
    pub(super) series: Series,
}

#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
impl Table {
    /// The table for an exponent; `None` where the series would not be as good as single precision.
    pub(super) fn new(p: f32) -> Option<Self> {
        let wide = f64::from(p);
        if !(p > 0.0 && Series::suffices(wide)) {
            return None;
        }
        let mut scales = std::array::from_fn(|i| {
            let log = wide * (i as f64 + 1.0 - SIZE as f64) + LIFT;
            // Numbers below the normal ones take many times as long.
            if log < -126.0 { 0.0 } else { log.exp2() as f32 }
        });
        let far = std::array::from_fn(|high| {
            let log = wide * SIZE as f64 * ((high % 8) as f64 - 3.0) + FAR_LIFT;
            if (-126.0..=FAR_LIFT).contains(&log) { log.exp2() as f32 } else { 0.0 }
        });
        // One alone has the last scale, and its power must not round below one: the lookup takes the lesser of the two.
        if p >= FAR {
            scales[SIZE - 1] *= 1.0 + 8.0 * f32::EPSILON;
        }
        let inverses: [f32; SIZE] = std::array::from_fn(|i| (1.0 / (1.0 + (i as f64 + 0.5) / SIZE as f64)) as f32);
        Some(Table {
            p,
            least: f32::least_base(p),
            inverses,
            powers: inverses.map(|inverse| f64::from(inverse).powf(-wide) as f32),
            scales,
            far,
            series: Series::new(wide, if p < FAR { LIFT + FAR_LIFT } else { LIFT }),
        })
    }

    /// Whether numbers below the scales have a power that matters.
    #[inline(always)]
    pub(super) fn reaches_far(&self) -> bool {
        self.p < FAR
    }
}

/// The first terms of `(1 + f)^p`.
#[derive(Debug, Clone)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
pub(super) struct Series {
    pub(super) terms: [f32; MOST_TERMS],
    /// Whether the first [`FEW_TERMS`] are all.
    pub(super) is_short: bool,
}

pub(super) const FEW_TERMS: usize = 6;
pub(super) const MOST_TERMS: usize = 11;

#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
impl Series {
    /// Whether there are enough terms: the error of this many is below single precision up to `p f = 1.6`.
    fn suffices(p: f64) -> bool {
        p * HALF_BIN <= 1.6
    }

    /// `(1 + f)^p 2^-lift`. Terms that would follow are spread over these as Chebyshev's polynomials have it, which
    /// leaves next to nothing of them.
    fn new(p: f64, lift: f64) -> Self {
        const ALL: usize = MOST_TERMS + 3;
        // The error of six is below single precision up to here.
        let is_short = p * HALF_BIN <= 0.27;
        let count = if is_short { FEW_TERMS } else { MOST_TERMS };
        let mut terms = [(-lift).exp2(); ALL];
        for k in 1..ALL {
            terms[k] = terms[k - 1] * (p - k as f64 + 1.0) / k as f64;
        }
        for n in (count..count + 3).rev() {
            let mut spread = -std::mem::take(&mut terms[n]);
            for k in 1..=n / 2 {
                let (above, k) = ((n - 2 * k) as f64, k as f64);
                spread *= -(above + 2.0) * (above + 1.0) / (4.0 * k * (n as f64 - k)) * HALF_BIN * HALF_BIN;
                terms[above as usize] += spread;
            }
        }
        Series { terms: std::array::from_fn(|k| if k < count { terms[k] as f32 } else { 0.0 }), is_short }
    }
}

/// A type whose powers some processors look up.
pub trait Tabled: Sized {
    /// Lends the table for an exponent, where this machine has such.
    fn with_table<R>(p: Self, work: impl FnOnce(Option<&Table>) -> R) -> R;

    /// `Σ y t^(K-1), …, Σ y` over numbers `t` and their powers `y`.
    fn table_sums<const K: usize>(table: &Table, distance: Distance<Self>, row: &[Self]) -> [f64; K];

    /// Writes powers over scores in whole blocks; where they are sparse, of the blocks alone that hold one with weight.
    fn table_raise(table: &Table, distance: Distance<Self>, row: InOut<'_, Self>, is_sparse: bool);
}

/// No tables are lent.
macro_rules! without_tables {
    ($t:ident) => {
        impl Tabled for $t {
            #[inline(always)]
            fn with_table<R>(_p: $t, work: impl FnOnce(Option<&Table>) -> R) -> R {
                work(None)
            }

            fn table_sums<const K: usize>(table: &Table, _distance: Distance<$t>, _row: &[$t]) -> [f64; K] {
                unreachable!("no table was lent, but here is {table:?}");
            }

            fn table_raise(table: &Table, _distance: Distance<$t>, _row: InOut<'_, $t>, _is_sparse: bool) {
                unreachable!("no table was lent, but here is {table:?}");
            }
        }
    };
}

// More terms would be needed than pay.
without_tables!(f64);
#[cfg(not(target_arch = "x86_64"))]
without_tables!(f32);

/// Powers by a table.
pub(super) struct ByTable<'t, T>(pub(super) &'t Table, pub(super) Distance<T>);

impl<T: Number + Tabled> Raise<T> for ByTable<'_, T> {
    const DENSE: f64 = 0.05;

    fn sums<const K: usize>(&self, row: &[T]) -> [f64; K] {
        T::table_sums(self.0, self.1, row)
    }

    fn raise(&self, row: InOut<'_, T>, is_sparse: bool) {
        T::table_raise(self.0, self.1, row, is_sparse);
    }

    #[inline(always)]
    fn weighs(&self, x: T) -> bool {
        self.1.base + self.1.of(x) > T::from_double(f64::from(self.0.least))
    }
}

#[cfg(test)]
mod tests {
    use super::super::add_one;
    use super::*;

    #[test]
    fn powers_by_table_are_powers() {
        let mut tried = 0;
        for p in [
            0.4_f32, 1.1, 1.43, 2.5, 3.3, 3.99, 4.0, 5.3, 7.7, 8.5, 12.5, 16.7, 23.9, 25.0, 33.3, 45.0, 51.0, 100.0,
            103.5,
        ] {
            // Numbers beyond one are those of large exponents.
            for base in [0.0_f32, 1.0].into_iter().filter(|&base| base == 0.0 || p > 24.0) {
                f32::with_table(p, |table| {
                    let Some(table) = table else { return };
                    tried += 1;
                    let distance = Distance { shift: 2.0, scale: 0.125, value: base - 1.0 + 0.01, base };
                    let scores: Vec<f32> = (0..8192).map(|i| 2.0 - i as f32 / 1024.0).collect();
                    let mut y = scores.clone();
                    f32::table_raise(table, distance, InOut::in_place(&mut y), false);
                    let mut total = [0.0; 3];
                    for (&x, &y) in scores.iter().zip(&y) {
                        let d = (f64::from(x) - 2.0) * 0.125 - f64::from(distance.value);
                        let number = (f64::from(base) + d).max(0.0);
                        let is_normal = number > f64::from(f32::least_base(p));
                        let power = if is_normal { number.powf(f64::from(p)) } else { 0.0 };
                        // The distance is rounded twice.
                        let rounding = f64::from(p) * 1.2e-7 * d.abs().max(1e-3) / number.max(1e-3);
                        assert!(
                            (f64::from(y) - power).abs() <= (3e-7 + rounding) * power + 3e-38,
                            "{p}, {base}, {x}: {y} {power}"
                        );
                        add_one(&mut total, power, number);
                    }
                    let sums: [f64; 3] = f32::table_sums(table, distance, &scores);
                    for (sum, total) in sums.into_iter().zip(total) {
                        assert!((sum / total - 1.0).abs() < 1e-6, "{p}, {base}: {sums:?} {total:?}");
                    }
                });
            }
        }
        if tried == 0 {
            eprintln!("SKIPPED: this machine does not look sixteen numbers up at once");
        }
    }

    #[test]
    fn small_exponents_have_powers_of_small_numbers() {
        for p in [0.7_f32, 1.01, 1.43, 2.5, 3.3, 3.99, 4.02, 4.09, 4.11, 12.5] {
            // Down to the least normal number.
            let numbers: Vec<f32> = (0..4032).map(|i| (-f64::from(i) / 32.0).exp2() as f32).collect();
            let distance = Distance { shift: 0.0, scale: 1.0, value: 0.0, base: 0.0 };
            for is_sparse in [false, true] {
                let mut powers = numbers.clone();
                let raised = f32::with_table(p, |table| {
                    let scores = InOut::in_place(&mut powers);
                    table.map(|table| f32::table_raise(table, distance, scores, is_sparse))
                });
                if raised.is_none() {
                    eprintln!("SKIPPED: this machine does not look sixteen numbers up at once");
                    return;
                }
                for (&t, &power) in numbers.iter().zip(&powers) {
                    let exact = f64::from(t).powf(f64::from(p));
                    let is_zero = t <= f32::least_base(p);
                    assert!(!is_zero || power == 0.0, "{t}^{p}: {power}");
                    assert!(is_zero || (f64::from(power) / exact - 1.0).abs() < 4e-7, "{t}^{p}: {power} {exact}");
                }
                assert!(powers.is_sorted_by(|a, b| a >= b), "{p}");
            }
        }
    }

    #[test]
    fn tables_follow_the_exponent_and_one_stays_one() {
        let power = |p: f32| {
            f32::with_table(p, |table| {
                let mut y = [0.5_f32; 32];
                let distance = Distance { shift: 0.0, scale: 1.0, value: 0.0, base: 0.0 };
                table.map(|table| {
                    f32::table_raise(table, distance, InOut::in_place(&mut y), false);
                    y[0]
                })
            })
        };
        let one = |p: f32, base: f32| {
            f32::with_table(p, |table| {
                let mut y = [0.0_f32; 32];
                let distance = Distance { shift: 0.0, scale: 1.0, value: base - 1.0, base };
                table.map(|table| f32::table_raise(table, distance, InOut::in_place(&mut y), false)).is_none()
                    || y == [1.0; 32]
            })
        };
        for p in 1..=104 {
            assert!(one(p as f32, 0.0) && one(p as f32 - 0.3, 0.0), "1^{p} is not one");
            assert!(p < 24 || one(p as f32 + 0.3, 1.0), "1^{p} is not one");
        }
        for p in [5.0_f32, 7.5, 5.0, 3.9, 1.3, 100.0, 60.0, 7.5] {
            if let Some(power) = power(p) {
                assert!((power / 0.5_f32.powf(p) - 1.0).abs() < 1e-6, "{p}: {power}");
            }
        }
        assert_eq!((power(0.0), power(-0.5), power(105.0)), (None, None, None));
        f64::with_table(7.5, |table| assert!(table.is_none()));
    }
}
