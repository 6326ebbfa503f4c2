//! Energies of many states, from the same tiles as retrieval.

use std::ops::ControlFlow;

use ndarray::ArrayView2;

use super::Retriever;
use super::answer::Wanted;
use super::associate::{BATCH, check_finite};
use super::sums::Origins;
use crate::convex::Convex;
use crate::error::{Error, Result};
use crate::network::{Network, Parts};
use crate::progress::Progress;
use crate::real::Real;
use crate::separation::Separation;

impl<T: Real, O: Separation<T>, P: Convex<T>> Network<'_, T, O, P> {
    /// `-Ω*(X q)` and `Ψ(q)` of every row of `states`: [`energy_parts`](Network::energy_parts) of each, in parallel and
    /// from tiles of the product, so that the scores of all states are never stored. See [`Retriever::energies`].
    ///
    /// ```
    /// use hfy::Network;
    /// use ndarray::array;
    ///
    /// let network = Network::sparse(1.0, array![[2.0, 0.0], [0.0, 2.0]])?;
    /// let energies = network.energies(array![[2.0, 0.0], [1.0, 1.0]].view())?;
    /// assert_eq!((energies[0].total(), energies[1].total()), (-2.0, -1.25));
    /// # Ok::<(), hfy::Error>(())
    /// ```
    pub fn energies(&self, states: ArrayView2<'_, T>) -> Result<Vec<Parts<T>>> {
        Retriever::new(self)?.energies(states)
    }
}

impl<T: Real> Retriever<'_, T> {
    /// The two parts of the energy of every row of `states`, by the engine of retrieval, index included.
    ///
    /// They agree with [`Network::energy_parts`] up to the rounding of the scores. **Cost.** One product of states and
    /// patterns; memory of a tile for each thread, for maps over structures of a block of rows.
    pub fn energies(&self, states: ArrayView2<'_, T>) -> Result<Vec<Parts<T>>> {
        self.energies_with(states, &|_, _| ControlFlow::Continue(()))
    }

    /// The same, with progress, counted in states. Stopping is [`Error::Interrupted`].
    pub fn energies_with(&self, states: ArrayView2<'_, T>, progress: Progress<'_>) -> Result<Vec<Parts<T>>> {
        self.compute_energies(states, progress)
    }

    pub(crate) fn compute_energies(&self, states: ArrayView2<'_, T>, progress: Progress<'_>) -> Result<Vec<Parts<T>>> {
        let (model, width, total) = (&self.model, self.model.width(), states.nrows());
        if !model.auto_associative {
            return Err(Error::Unsupported { function: "a network with separate values", what: "an energy" });
        }
        if states.ncols() != width {
            return Err(Error::shape("states", states.shape(), &[total, width]));
        }
        check_finite("states", states)?;
        let states = states.as_standard_layout();
        let slice = states.as_slice().expect("the states are in standard order");
        let wanted = Wanted { projection: false, conjugate: true, floor: self.settings.blend_floor };
        let mut energies = Vec::with_capacity(total);
        for batch in slice.chunks(BATCH * width) {
            let first = energies.len();
            let answers = self.answers(batch, Origins::none(), wanted).map_err(|(q, e)| e.in_row(first + q))?;
            energies.extend(answers.iter().zip(batch.chunks(width)).map(|(answer, state)| {
                let conjugate = answer.conjugate.expect("it was asked for");
                Parts { concave: -conjugate, convex: model.psi.value(state) }
            }));
            if progress(energies.len(), total).is_break() && energies.len() < total {
                return Err(Error::Interrupted { done: energies.len(), total });
            }
        }
        Ok(energies)
    }
}
