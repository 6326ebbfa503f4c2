//! The binary Hopfield network: units of -1 and 1, all at once or one at a time.

use ndarray::{CowArray, Ix2};

use super::Network;
use crate::error::{Error, Result, check_len};
use crate::post::Sign;
use crate::real::Real;
use crate::separation::Quadratic;

/// In which order units are updated one at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order<'o> {
    /// These units, one after the other. One may come more than once, or not at all.
    Given(&'o [usize]),
    /// Every unit once, shuffled by this seed.
    Random(u64),
}

/// The binary Hopfield network with `W = XᵀX`: states of -1 and 1, where a unit that feels no field keeps its state.
///
/// One at a time the diagonal of `W` is zeroed, and the energy `-s·Ws/2` never increases. All at once it stays, and the
/// energy that never increases is that of the [network](Binary::network) of the quadratic and the sign.
/// Fields are summed in double precision: exactly, for patterns of whole numbers.
///
/// Reference: Hopfield, *Neural networks and physical systems with emergent collective computational abilities*, 1982.
///
/// ```
/// use hfy::{Binary, network::Order};
/// use ndarray::array;
///
/// let memory = Binary::new(array![[1.0, 1.0, 1.0, 1.0], [1.0, -1.0, 1.0, -1.0]])?;
/// let mut state = [1.0, 1.0, 1.0, -1.0];
/// let before = memory.energy(&state)?;
/// assert_eq!(memory.asynchronous(&mut state, Order::Given(&[3, 0, 1, 2]))?, 1);
/// assert_eq!(state, [1.0, 1.0, 1.0, 1.0]);
/// assert!(memory.energy(&state)? < before);
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Binary<'a, T> {
    network: Network<'a, T, Quadratic, Sign>,
    diagonal: Vec<f64>,
}

impl<'a, T: Real> Binary<'a, T> {
    /// The memory of `patterns`, usually of -1 and 1.
    pub fn new(patterns: impl Into<CowArray<'a, T, Ix2>>) -> Result<Self> {
        let network = Network::binary(patterns)?;
        let square = |column: ndarray::ArrayView1<'_, T>| column.iter().map(|x| x.wide() * x.wide()).sum();
        let diagonal = network.keys().columns().into_iter().map(square).collect();
        Ok(Binary { network, diagonal })
    }

    /// The network of the quadratic and the sign over the same patterns.
    pub fn network(&self) -> &Network<'a, T, Quadratic, Sign> {
        &self.network
    }

    /// `-s·Ws/2` with the diagonal of `W` zeroed.
    pub fn energy(&self, state: &[T]) -> Result<f64> {
        self.check(state)?;
        let square: f64 = self.overlaps(state).iter().map(|m| m * m).sum();
        Ok(-0.5 * (square - self.diagonal.iter().sum::<f64>()))
    }

    /// Updates all units at once; returns how many changed.
    pub fn synchronous(&self, state: &mut [T]) -> Result<usize> {
        self.check(state)?;
        let mut fields = vec![0.0; state.len()];
        for (m, row) in self.overlaps(state).into_iter().zip(self.network.keys().rows()) {
            fields.iter_mut().zip(row).for_each(|(field, x)| *field += m * x.wide());
        }
        let mut flips = 0;
        for (unit, field) in state.iter_mut().zip(fields) {
            if field * unit.wide() < 0.0 {
                *unit = -*unit;
                flips += 1;
            }
        }
        Ok(flips)
    }

    /// Updates units one at a time; returns how many changed. An unknown unit is an error that leaves the state alone.
    pub fn asynchronous(&self, state: &mut [T], order: Order<'_>) -> Result<usize> {
        self.check(state)?;
        let shuffled;
        let order = match order {
            Order::Given(order) => order,
            Order::Random(seed) => {
                shuffled = shuffle(state.len(), seed);
                &shuffled
            }
        };
        if let Some(index) = order.iter().position(|&unit| unit >= state.len()) {
            let rule = "an order must name units of the state";
            return Err(Error::Entry { argument: "order", row: None, index, value: order[index] as f64, rule });
        }
        let mut overlaps = self.overlaps(state);
        let mut flips = 0;
        for &unit in order {
            let old = state[unit].wide();
            let field = self.field(&overlaps, unit) - self.diagonal[unit] * old;
            if field * old < 0.0 {
                state[unit] = T::of(-old);
                let column = self.network.keys.column(unit);
                overlaps.iter_mut().zip(column).for_each(|(m, x)| *m -= 2.0 * old * x.wide());
                flips += 1;
            }
        }
        Ok(flips)
    }

    /// Sweeps over all units in random orders until one changes nothing; returns how many sweeps that took, or `None`
    /// where `sweeps` were not enough.
    pub fn settle(&self, state: &mut [T], sweeps: usize, seed: u64) -> Result<Option<usize>> {
        for sweep in 0..sweeps {
            let order = Order::Random(seed.wrapping_add(sweep as u64));
            if self.asynchronous(state, order)? == 0 {
                return Ok(Some(sweep + 1));
            }
        }
        Ok(None)
    }

    /// `X s`.
    fn overlaps(&self, state: &[T]) -> Vec<f64> {
        let inner = |row: ndarray::ArrayView1<'_, T>| row.iter().zip(state).map(|(x, s)| x.wide() * s.wide()).sum();
        self.network.keys().rows().into_iter().map(inner).collect()
    }

    /// One entry of `Xᵀ m`.
    fn field(&self, overlaps: &[f64], unit: usize) -> f64 {
        self.network.keys.column(unit).iter().zip(overlaps).map(|(x, m)| x.wide() * m).sum()
    }

    fn check(&self, state: &[T]) -> Result<()> {
        check_len("state", state.len(), self.network.width())?;
        match state.iter().position(|s| s.abs() != T::one()) {
            None => Ok(()),
            Some(index) => {
                let (value, rule) = (state[index].wide(), "a unit must be -1 or 1");
                Err(Error::Entry { argument: "state", row: None, index, value, rule })
            }
        }
    }
}

/// The numbers below `len` in an order that the seed alone decides (Fisher-Yates on splitmix64).
fn shuffle(len: usize, mut seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    for last in (1..len).rev() {
        seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let mixed = mixed ^ (mixed >> 31);
        order.swap(last, ((u128::from(mixed) * (last as u128 + 1)) >> 64) as usize);
    }
    order
}
