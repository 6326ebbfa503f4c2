//! The table in registers: sixteen scores at a time.

use std::cell::Cell;

use pulp::x86::V4;
use pulp::{Simd, cast, f32x16};

use super::table::{FEW_TERMS, MOST_TERMS, SIZE, Table, Tabled};
use super::{Distance, add_chain, add_run};
use crate::maxima::BLOCK;
use crate::sums::RUN;
use crate::{InOut, tier};

/// Vectors that are raised together: those of a block.
const TOGETHER: usize = BLOCK / 16;

thread_local! {
    static LAST_TABLES: Cell<Vec<Table>> = const { Cell::new(Vec::new()) };
}

/// A row takes powers by an exponent, by one that is less, for its sums, and by that of its slopes.
const KEPT_TABLES: usize = 4;

impl Tabled for f32 {
    fn with_table<R>(p: f32, work: impl FnOnce(Option<&Table>) -> R) -> R {
        if tier::avx512().is_none() {
            return work(None);
        }
        let mut tables = LAST_TABLES.take();
        let place = tables.iter().position(|table| table.p == p).or_else(|| {
            let table = Table::new(p)?;
            if tables.len() == KEPT_TABLES {
                tables.remove(0);
            }
            tables.push(table);
            Some(tables.len() - 1)
        });
        let result = work(place.map(|place| &tables[place]));
        LAST_TABLES.set(tables);
        result
    }

    fn table_sums<const K: usize>(table: &Table, distance: Distance<f32>, row: &[f32]) -> [f64; K] {
        with_lookup(table, distance, Sums::<K>(row))
    }

    fn table_raise(table: &Table, distance: Distance<f32>, row: InOut<'_, f32>, is_sparse: bool) {
        with_lookup(table, distance, Powers(row, is_sparse));
    }
}

/// Work that raises.
trait Work {
    type Output;

    fn with<const PRECISE: bool, const FAR: bool, const TERMS: usize>(
        self,
        simd: V4,
        lookup: Lookup<PRECISE, FAR, TERMS>,
    ) -> Self::Output;
}

/// Does the work with the lookup that suits the exponent.
#[inline(always)]
fn with_lookup<W: Work>(table: &Table, distance: Distance<f32>, work: W) -> W::Output {
    let simd = tier::avx512().expect("tables are lent where there are such vectors");
    simd.vectorize(
        #[inline(always)]
        || {
            if distance.base == 1.0 {
                work.with(simd, Lookup::<true, false, MOST_TERMS>::new(simd, table, distance))
            } else if table.reaches_far() {
                work.with(simd, Lookup::<false, true, FEW_TERMS>::new(simd, table, distance))
            } else if table.series.is_short {
                work.with(simd, Lookup::<false, false, FEW_TERMS>::new(simd, table, distance))
            } else {
                work.with(simd, Lookup::<false, false, MOST_TERMS>::new(simd, table, distance))
            }
        },
    )
}

/// A table as vectors. `PRECISE` where numbers are `1 + d`, for large exponents: the digits that are lost are made
/// good. `FAR` for small ones, of which powers of any number matter.
#[derive(Clone, Copy)]
struct Lookup<const PRECISE: bool, const FAR: bool, const TERMS: usize> {
    shift: f32x16,
    scale: f32x16,
    value: f32x16,
    least: f32x16,
    zero: f32x16,
    one: f32x16,
    inverses: [f32x16; 2],
    powers: [f32x16; 2],
    scales: [f32x16; 2],
    far: f32x16,
    terms: [f32x16; TERMS],
}

impl<const PRECISE: bool, const FAR: bool, const TERMS: usize> Lookup<PRECISE, FAR, TERMS> {
    #[inline(always)]
    fn new(simd: V4, table: &Table, distance: Distance<f32>) -> Self {
        let mut terms = [simd.splat_f32s(0.0); TERMS];
        for (term, &number) in terms.iter_mut().zip(&table.series.terms) {
            *term = simd.splat_f32s(number);
        }
        Lookup {
            shift: simd.splat_f32s(distance.shift),
            scale: simd.splat_f32s(distance.scale),
            value: simd.splat_f32s(distance.value),
            least: simd.splat_f32s(table.least),
            zero: simd.splat_f32s(0.0),
            one: simd.splat_f32s(1.0),
            inverses: halves(&table.inverses),
            powers: halves(&table.powers),
            scales: halves(&table.scales),
            far: cast(table.far),
            terms,
        }
    }

    /// `t`.
    #[inline(always)]
    fn number(&self, simd: V4, x: f32x16) -> (f32x16, f32x16) {
        let d = simd.sub_f32s(simd.mul_f32s(simd.sub_f32s(x, self.shift), self.scale), self.value);
        (d, simd.max_f32s(if PRECISE { simd.add_f32s(self.one, d) } else { d }, self.zero))
    }

    /// `t` and its power, step by step for a few vectors: a processor looks no further ahead than a few powers.
    #[inline(always)]
    fn raise<const N: usize>(&self, simd: V4, scores: [f32x16; N]) -> [[f32x16; N]; 2] {
        let v4 = simd.avx512f;
        let (mut t, mut bin, mut f) = (scores, scores, scores);
        for i in 0..N {
            let d;
            (d, t[i]) = self.number(simd, scores[i]);
            bin[i] = cast(v4._mm512_srli_epi32::<18>(cast(t[i])));
            let mantissa = v4._mm512_getmant_ps::<0, 0>(cast(t[i]));
            let inverse = find(simd, self.inverses, bin[i]);
            f[i] = cast(v4._mm512_fmsub_ps(mantissa, cast(inverse), cast(self.one)));
            if PRECISE {
                // Twice, as if every number were between a half and one: below that nothing is lost.
                let lost = simd.sub_f32s(d, simd.sub_f32s(t[i], self.one));
                f[i] = simd.mul_add_e_f32s(simd.add_f32s(lost, lost), inverse, f[i]);
            }
        }
        let mut power = [self.terms[TERMS - 1]; N];
        for k in (0..TERMS - 1).rev() {
            for i in 0..N {
                power[i] = simd.mul_add_e_f32s(power[i], f[i], self.terms[k]);
            }
        }
        for i in 0..N {
            let exponent = cast(v4._mm512_srli_epi32::<23>(cast(t[i])));
            let mut base = simd.mul_f32s(find(simd, self.powers, bin[i]), find(simd, self.scales, exponent));
            if FAR {
                let high = v4._mm512_srli_epi32::<28>(cast(t[i]));
                base = simd.mul_f32s(base, cast(v4._mm512_permutexvar_ps(high, cast(self.far))));
            }
            let weighs = simd.greater_than_f32s(t[i], self.least);
            let raised = v4._mm512_maskz_mul_ps(weighs.0, cast(base), cast(power[i]));
            power[i] = simd.min_f32s(cast(raised), self.one);
            if FAR {
                power[i] = simd.select_f32s(simd.less_than_f32s(t[i], self.one), power[i], self.one);
            }
        }
        [t, power]
    }
}

impl<const PRECISE: bool, const FAR: bool, const TERMS: usize> Lookup<PRECISE, FAR, TERMS> {
    /// The powers of a block; where rows are sparse, zeros without a power where nothing weighs.
    #[inline(always)]
    fn weights(&self, simd: V4, x: [f32x16; TOGETHER], is_sparse: bool) -> [f32x16; TOGETHER] {
        if is_sparse {
            let (_, best) = self.number(simd, simd.max_f32s(x[0], x[1]));
            if simd.greater_than_f32s(best, self.least).0 == 0 {
                return [self.zero; TOGETHER];
            }
        }
        self.raise(simd, x)[1]
    }
}

/// Powers over scores, in whole blocks; where they are sparse, of the blocks alone that hold one with weight.
struct Powers<'w>(InOut<'w, f32>, bool);

impl Work for Powers<'_> {
    type Output = ();

    #[inline(always)]
    fn with<const PRECISE: bool, const FAR: bool, const TERMS: usize>(
        self,
        simd: V4,
        lookup: Lookup<PRECISE, FAR, TERMS>,
    ) {
        let Powers(InOut { from, to }, is_sparse) = self;
        let to = V4::as_mut_simd_f32s(to).0.as_chunks_mut::<TOGETHER>().0;
        match from {
            Some(from) => {
                for (y, &x) in to.iter_mut().zip(V4::as_simd_f32s(from).0.as_chunks::<TOGETHER>().0) {
                    *y = lookup.weights(simd, x, is_sparse);
                }
            }
            None => {
                for y in to {
                    *y = lookup.weights(simd, *y, is_sparse);
                }
            }
        }
    }
}

/// Sums of powers.
struct Sums<'w, const K: usize>(&'w [f32]);

impl<const K: usize> Work for Sums<'_, K> {
    type Output = [f64; K];

    #[inline(always)]
    fn with<const PRECISE: bool, const FAR: bool, const TERMS: usize>(
        self,
        simd: V4,
        lookup: Lookup<PRECISE, FAR, TERMS>,
    ) -> [f64; K] {
        let (head, rest) = V4::as_simd_f32s(self.0);
        let mut total = [0.0; K];
        for run in head.chunks(RUN) {
            let mut sums = [lookup.zero; K];
            let (together, ones) = run.as_chunks::<TOGETHER>();
            for &scores in together {
                let [t, y] = lookup.raise(simd, scores);
                for i in 0..TOGETHER {
                    add_chain::<f32, _, K>(simd, &mut sums, y[i], t[i]);
                }
            }
            for &scores in ones {
                let [[t], [y]] = lookup.raise(simd, [scores]);
                add_chain::<f32, _, K>(simd, &mut sums, y, t);
            }
            add_run::<f32, _, K>(simd, &mut total, sums);
        }
        if !rest.is_empty() {
            let mut scores = [f32::NEG_INFINITY; 16];
            scores[..rest.len()].copy_from_slice(rest);
            let [[t], [y]] = lookup.raise(simd, [cast(scores)]);
            let mut sums = [lookup.zero; K];
            add_chain::<f32, _, K>(simd, &mut sums, y, t);
            add_run::<f32, _, K>(simd, &mut total, sums);
        }
        total
    }
}

/// A table as two vectors.
#[inline(always)]
fn halves(table: &[f32; SIZE]) -> [f32x16; 2] {
    let (halves, _) = table.as_chunks::<16>();
    [cast(halves[0]), cast(halves[1])]
}

/// The numbers of a table that the low bits of indices name.
#[inline(always)]
fn find(simd: V4, table: [f32x16; 2], index: f32x16) -> f32x16 {
    cast(simd.avx512f._mm512_permutex2var_ps(cast(table[0]), cast(index), cast(table[1])))
}
