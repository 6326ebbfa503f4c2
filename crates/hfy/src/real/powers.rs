//! Whole powers of many numbers.
//!
//! Written on vector types: four of them at a time share the loop over the bits of the exponent and stay in registers.

use pulp::{Simd, WithSimd};

/// What makes `t = base + ((x - shift) scale - value)` of a score, or `least ≥ 0` where that is greater.
#[derive(Debug, Clone, Copy)]
pub struct Affine<T> {
    pub(crate) shift: T,
    pub(crate) scale: T,
    pub(crate) value: T,
    pub(crate) base: T,
    pub(crate) least: T,
}

/// A whole exponent, and how carefully its powers are computed.
#[derive(Debug, Clone, Copy)]
pub struct Whole<T> {
    pub(crate) exponent: u32,
    /// How many squarings, from the first on, are made good for what they round.
    careful: u32,
    /// The exponent for which powers are made good for the digits that `t` loses to its base.
    aim: T,
}

impl<T: num_traits::Float> Whole<T> {
    /// Powers that are needed to the last digits for an exponent of `aim`: this one, or one not far above it.
    pub(crate) fn new(exponent: u32, aim: T) -> Self {
        // What a squaring rounds is raised to all that follow: so many of the first are made good that the rest raise to
        // sixteen at most.
        let doublings = aim.log2().ceil().to_u32().unwrap_or(0);
        Whole { exponent, careful: doublings.saturating_sub(4), aim }
    }
}

/// Rounded as they come.
const NONE: u8 = 0;
/// Right to rounding on average, for sums of powers of which one is aimed at.
const SUMMED: u8 = 1;
/// Right to rounding one by one, so that they rise with the scores.
const ORDERED: u8 = 2;

/// The type-specific work behind [`Real::raise_whole`](super::Real::raise_whole).
pub(super) trait Raise: Sized {
    /// Writes `t` and, over the scores, its power; the power of zero is zero.
    fn raise_whole(y: &mut [Self], t: &mut [Self], affine: Affine<Self>, power: Whole<Self>);
}

macro_rules! raise {
    (
        $t:ident, $vector:ident, $as_mut_simd:ident, $splat:ident, $add:ident, $sub:ident, $neg:ident, $mul:ident, $mul_add:ident,
        $max:ident, $greater:ident, $select:ident
    ) => {
        impl Raise for $t {
            fn raise_whole(y: &mut [$t], t: &mut [$t], affine: Affine<$t>, power: Whole<$t>) {
                struct Work<'w, const CARE: u8>(&'w mut [$t], &'w mut [$t], Affine<$t>, Whole<$t>);

                impl<const CARE: u8> WithSimd for Work<'_, CARE> {
                    type Output = ();

                    #[inline(always)]
                    fn with_simd<S: Simd>(self, simd: S) {
                        let Work(y, t, affine, power) = self;
                        let (y, y_rest) = S::$as_mut_simd(y);
                        let (t, t_rest) = S::$as_mut_simd(t);
                        let (y_fours, y) = y.as_chunks_mut::<4>();
                        let (t_fours, t) = t.as_chunks_mut::<4>();
                        for (y, t) in y_fours.iter_mut().zip(t_fours) {
                            raise::<S, 4, CARE>(simd, y, t, affine, power);
                        }
                        for (y, t) in y.iter_mut().zip(t) {
                            let (mut one_y, mut one_t) = ([*y], [*t]);
                            raise::<S, 1, CARE>(simd, &mut one_y, &mut one_t, affine, power);
                            ([*y], [*t]) = (one_y, one_t);
                        }
                        for (y, t) in y_rest.iter_mut().zip(t_rest) {
                            *t = (affine.base + ((*y - affine.shift) * affine.scale - affine.value)).max(affine.least);
                            *y = if *t > 0.0 { t.powi(power.exponent as i32) } else { 0.0 };
                        }
                    }
                }

                #[inline(always)]
                fn raise<S: Simd, const N: usize, const CARE: u8>(
                    simd: S,
                    y: &mut [S::$vector; N],
                    t: &mut [S::$vector; N],
                    affine: Affine<$t>,
                    whole: Whole<$t>,
                ) {
                    let [zero, base] = [simd.$splat(0.0), simd.$splat(affine.base)];
                    // In variables of their own, which stay in registers.
                    let (mut power, mut lost, mut product) = ([zero; N], [zero; N], [zero; N]);
                    for i in 0..N {
                        let scaled = simd.$mul(simd.$sub(y[i], simd.$splat(affine.shift)), simd.$splat(affine.scale));
                        let distance = simd.$sub(scaled, simd.$splat(affine.value));
                        let distance = simd.$max(distance, simd.$splat(affine.least - affine.base));
                        power[i] = simd.$add(base, distance);
                        if CARE > 0 {
                            lost[i] = simd.$sub(distance, simd.$sub(power[i], base));
                        }
                        if CARE == SUMMED {
                            // The lost digits of all the powers that are left out.
                            let times = simd.$splat(whole.aim - whole.exponent as $t + 1.0);
                            product[i] = simd.$mul_add(times, lost[i], power[i]);
                        }
                    }
                    *t = power;
                    if whole.exponent == 0 {
                        for i in 0..N {
                            y[i] = simd.$select(simd.$greater(power[i], zero), simd.$splat(1.0), zero);
                        }
                        return;
                    }
                    let mut started = CARE == SUMMED;
                    let (mut k, mut care) = (whole.exponent - u32::from(started), whole.careful);
                    loop {
                        if k & 1 == 1 {
                            for i in 0..N {
                                let mut more = simd.$mul(product[i], power[i]);
                                if CARE == SUMMED && care > 0 {
                                    more = simd.$mul_add(product[i], lost[i], more);
                                } else if CARE == ORDERED && care > 0 {
                                    let rounded = simd.$mul_add(product[i], power[i], simd.$neg(more));
                                    more = simd.$add(more, simd.$mul_add(product[i], lost[i], rounded));
                                }
                                product[i] = if started { more } else { power[i] };
                            }
                            started = true;
                        }
                        k >>= 1;
                        if k == 0 {
                            break;
                        }
                        for i in 0..N {
                            let mut square = simd.$mul(power[i], power[i]);
                            if CARE > 0 && care > 0 {
                                let double = simd.$add(power[i], power[i]);
                                if CARE == SUMMED && care == 1 {
                                    square = simd.$mul_add(double, lost[i], square);
                                } else {
                                    let rounded = simd.$mul_add(power[i], power[i], simd.$neg(square));
                                    lost[i] = simd.$mul_add(double, lost[i], rounded);
                                    if care == 1 {
                                        square = simd.$add(square, lost[i]);
                                    }
                                }
                            }
                            power[i] = square;
                        }
                        care = care.saturating_sub(1);
                    }
                    *y = product;
                }

                let arch = pulp::Arch::new();
                if power.careful == 0 {
                    arch.dispatch(Work::<NONE>(y, t, affine, power));
                } else if power.aim == power.exponent as $t {
                    arch.dispatch(Work::<ORDERED>(y, t, affine, power));
                } else {
                    arch.dispatch(Work::<SUMMED>(y, t, affine, power));
                }
            }
        }
    };
}

raise!(
    f32,
    f32s,
    as_mut_simd_f32s,
    splat_f32s,
    add_f32s,
    sub_f32s,
    neg_f32s,
    mul_f32s,
    mul_add_e_f32s,
    max_f32s,
    greater_than_f32s,
    select_f32s
);
raise!(
    f64,
    f64s,
    as_mut_simd_f64s,
    splat_f64s,
    add_f64s,
    sub_f64s,
    neg_f64s,
    mul_f64s,
    mul_add_e_f64s,
    max_f64s,
    greater_than_f64s,
    select_f64s
);

#[cfg(test)]
mod tests {
    use super::*;

    const LARGE: Affine<f32> = Affine { shift: 0.0, scale: 1.0, value: 0.05, base: 1.0, least: 0.0 };

    #[test]
    fn whole_powers_are_powers() {
        for exponent in (0..=40).chain([64, 100, 255]) {
            let affine = Affine { base: if exponent > 16 { 1.0 } else { 0.0 }, ..LARGE };
            let mut y: Vec<f32> = (0..160).map(|i| 1.05 - affine.base - i as f32 / 150.0).collect();
            let scores = y.clone();
            let mut t = vec![0.0; y.len()];
            f32::raise_whole(&mut y, &mut t, affine, Whole::new(exponent, exponent as f32));
            for (&x, (&y, &t)) in scores.iter().zip(y.iter().zip(&t)) {
                let base = f64::from(affine.base) + (f64::from(x) - f64::from(0.05_f32));
                let exact = if base > 0.0 { base.powi(exponent as i32) } else { 0.0 };
                // The distance itself is rounded once.
                let slack = 1e-6 + f64::from(exponent) * 6e-8 * (1.0 - base).abs() / base;
                assert!((f64::from(y) - exact).abs() <= slack * exact + 1e-40, "{base}^{exponent}: {y} {exact}");
                assert!((f64::from(t) - base.max(0.0)).abs() < 1e-7);
            }
        }
    }

    #[test]
    fn careful_powers_rise_with_scores() {
        for exponent in [17, 20, 25, 50, 100, 200] {
            // Neighbouring numbers, many of which have the same t.
            let mut y: Vec<f32> = (0..4096).map(|i| f32::from_bits((0.011_f32).to_bits() + i)).collect();
            let mut t = vec![0.0; y.len()];
            f32::raise_whole(&mut y, &mut t, LARGE, Whole::new(exponent, exponent as f32));
            assert!(y.is_sorted(), "{exponent}");
            assert!(y[4095] > y[0], "{exponent}");
        }
    }
}
