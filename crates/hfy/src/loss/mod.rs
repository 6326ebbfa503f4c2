//! Fenchel-Young losses over batches.

use ndarray::{Array2, ArrayView2};

use crate::batch::{Lanes, Maps, Mask, drive};
use crate::convex::Convex;
use crate::error::{Error, Result, check_len};
use crate::real::{Element, Real, with_zeros};

/// How the losses of the rows become one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reduction {
    /// The mean over the rows that are not ignored.
    #[default]
    Mean,
    /// Their sum.
    Sum,
    /// No reduction: the number is the sum, and gradients are not scaled.
    None,
}

/// What the rows should have been.
#[derive(Debug, Clone)]
pub enum Targets<'a, T> {
    /// One class a row.
    OneHot(&'a [i64]),
    /// A set of classes a row. For maps onto the simplex the mass is spread evenly over them.
    KHot(&'a [Vec<usize>]),
    /// A point of the map's domain a row.
    Dense(ArrayView2<'a, T>),
}

/// The losses of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct Losses<T> {
    /// The reduced loss; zero where no row counts.
    pub value: T,
    /// The loss of each row; zero for rows that do not count.
    pub rows: Vec<T>,
    /// How many rows count: neither ignored nor entirely masked.
    pub counted: usize,
}

/// The Fenchel-Young loss of a map, `Ω(y) + Ω*(θ) - θ·y`, over the rows of a matrix of scores.
///
/// ```
/// use hfy::{Entmax, FenchelYoung, Targets};
/// use ndarray::array;
///
/// let scores = array![[2.0, 0.0, 0.0], [0.0, 0.5, 0.0], [9.0, 9.0, 9.0]];
/// let loss = FenchelYoung::new(&Entmax::SPARSEMAX).ignore_index(-100);
/// let targets = Targets::OneHot(&[0, 1, -100]);
/// let losses = loss.evaluate(scores.view(), &targets)?;
/// assert_eq!(losses.rows[0], 0.0); // a lead of 2 is beyond the margin
/// assert_eq!(losses.counted, 2);
/// let gradient = loss.gradient(scores.view(), &targets)?;
/// assert_eq!(gradient.row(2).sum(), 0.0);
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct FenchelYoung<'a, F: ?Sized> {
    maps: Maps<'a, F>,
    reduction: Reduction,
    ignore_index: Option<i64>,
    ignore_rows: Option<&'a [bool]>,
    mask: Option<Mask<'a>>,
}

impl<'a, F: ?Sized> FenchelYoung<'a, F> {
    /// The mean loss over all rows.
    pub fn new(map: &'a F) -> Self {
        Self::of(Maps::One(map))
    }

    /// The same with a map for each row: the i-th row by the i-th map.
    pub fn each(maps: &'a [&'a F]) -> Self {
        Self::of(Maps::Each(maps))
    }

    fn of(maps: Maps<'a, F>) -> Self {
        FenchelYoung { maps, reduction: Reduction::Mean, ignore_index: None, ignore_rows: None, mask: None }
    }

    /// With another reduction.
    pub fn reduction(mut self, reduction: Reduction) -> Self {
        self.reduction = reduction;
        self
    }

    /// Rows whose class is `index` do not count.
    pub fn ignore_index(mut self, index: i64) -> Self {
        self.ignore_index = Some(index);
        self
    }

    /// Rows marked `true` do not count.
    pub fn ignore_rows(mut self, rows: &'a [bool]) -> Self {
        self.ignore_rows = Some(rows);
        self
    }

    /// With some scores hidden.
    pub fn mask<'m: 'a>(mut self, mask: Mask<'m>) -> Self {
        self.mask = Some(mask.shortened());
        self
    }

    fn ignores<T>(&self, row: usize, targets: &Targets<'_, T>) -> bool {
        let by_class = matches!(targets, Targets::OneHot(classes) if Some(classes[row]) == self.ignore_index);
        by_class || self.ignore_rows.is_some_and(|rows| rows[row])
    }
}

impl<F: ?Sized> FenchelYoung<'_, F> {
    /// The loss of each row and their reduction.
    pub fn evaluate<E: Element>(
        &self,
        scores: ArrayView2<'_, E>,
        targets: &Targets<'_, E>,
    ) -> Result<Losses<E::Compute>>
    where
        F: Convex<E::Compute>,
    {
        let mut rows = scores.as_standard_layout().into_owned();
        let losses = self.on_rows(&mut rows, targets, |map, scores, target| map.loss(scores, target))?;
        Ok(self.reduced(losses))
    }

    /// The gradient of the reduced loss in the scores.
    pub fn gradient<E: Element>(&self, scores: ArrayView2<'_, E>, targets: &Targets<'_, E>) -> Result<Array2<E>>
    where
        F: Convex<E::Compute>,
    {
        let mut rows = scores.as_standard_layout().into_owned();
        let counts = self.on_rows(&mut rows, targets, |map, scores, target| map.loss_gradient(scores, target))?;
        self.shared_out(&mut rows, counts.iter().flatten().count());
        Ok(rows)
    }

    /// [`evaluate`](Self::evaluate) and [`gradient`](Self::gradient) in one pass over the scores.
    pub fn with_gradient<E: Element>(
        &self,
        scores: ArrayView2<'_, E>,
        targets: &Targets<'_, E>,
    ) -> Result<(Losses<E::Compute>, Array2<E>)>
    where
        F: Convex<E::Compute>,
    {
        let mut rows = scores.as_standard_layout().into_owned();
        let losses = self.on_rows(&mut rows, targets, |map, scores, target| {
            let loss = map.loss(scores, target)?;
            map.loss_gradient(scores, target)?;
            Ok(loss)
        })?;
        let losses = self.reduced(losses);
        self.shared_out(&mut rows, losses.counted);
        Ok((losses, rows))
    }

    fn reduced<T: Real>(&self, losses: Vec<Option<T>>) -> Losses<T> {
        let counted = losses.iter().flatten().count();
        let total: T = losses.iter().flatten().copied().sum();
        let value = match self.reduction {
            Reduction::Mean if counted > 0 => total / T::of(counted as f64),
            _ => total,
        };
        Losses { value, rows: losses.into_iter().map(|l| l.unwrap_or(T::zero())).collect(), counted }
    }

    /// What a mean makes of the gradients of the rows that count.
    fn shared_out<E: Element>(&self, rows: &mut Array2<E>, counted: usize) {
        if self.reduction == Reduction::Mean {
            let scale = E::Compute::of(1.0 / counted.max(1) as f64);
            rows.mapv_inplace(|g| E::store(g.load() * scale));
        }
    }

    /// Runs `work` on each row that counts, with its target as a dense row; sets the others to zero.
    fn on_rows<E: Element, R: Send>(
        &self,
        rows: &mut Array2<E>,
        targets: &Targets<'_, E>,
        work: impl Fn(&F, &mut [E::Compute], &[E::Compute]) -> Result<R> + Sync,
    ) -> Result<Vec<Option<R>>>
    where
        F: Convex<E::Compute>,
    {
        let (count, n) = rows.dim();
        let given = match targets {
            Targets::OneHot(classes) => classes.len(),
            Targets::KHot(sets) => sets.len(),
            Targets::Dense(y) => {
                if y.dim() != (count, n) {
                    return Err(Error::shape("targets", y.shape(), &[count, n]));
                }
                count
            }
        };
        check_len("targets", given, count)?;
        self.maps.check(count)?;
        if let Some(ignored) = self.ignore_rows {
            check_len("ignore_rows", ignored.len(), count)?;
        }
        let hidden = self.mask.as_ref().map(|m| m.hidden(&[count, n], 1)).transpose()?;
        let lanes = Lanes::new(&[count, n], 1, false, hidden);
        let slice = rows.as_slice_mut().expect("the rows were laid out in standard order");
        drive(&lanes, [], slice, |row, [], scores| {
            lanes.hide(row, scores);
            let masked = scores.iter().all(|&s| s == E::Compute::of(f64::NEG_INFINITY));
            if masked || self.ignores(row, targets) {
                scores.fill(E::Compute::of(0.0));
                return Ok(None);
            }
            with_zeros(n, |target| {
                self.write_dense(row, targets, target)?;
                let map = self.maps.of(row);
                if map.value(target) == E::Compute::of(f64::INFINITY) {
                    let rule = "a target must lie in the domain of the map";
                    return Err(Error::parameter("targets", format!("row {row}"), rule));
                }
                work(map, scores, target).map(Some)
            })
        })
    }

    /// A target as a point of the domain, over zeros.
    fn write_dense<E: Element>(&self, row: usize, targets: &Targets<'_, E>, target: &mut [E::Compute]) -> Result<()>
    where
        F: Convex<E::Compute>,
    {
        let rule = "a class must be an index into the row";
        let wrong = |value: f64| Error::Entry { argument: "targets", row: Some(row), index: 0, value, rule };
        match targets {
            Targets::OneHot(classes) => {
                let class = classes[row];
                let slot = usize::try_from(class).ok().and_then(|c| target.get_mut(c));
                *slot.ok_or_else(|| wrong(class as f64))? = E::Compute::of(1.0);
            }
            Targets::KHot(sets) => {
                let set = &sets[row];
                let share = E::Compute::of(self.maps.of(row).mass().map_or(1.0, |mass| mass / set.len() as f64));
                for &class in set {
                    *target.get_mut(class).ok_or_else(|| wrong(class as f64))? = share;
                }
            }
            Targets::Dense(y) => {
                target.iter_mut().zip(y.row(row)).for_each(|(t, y)| *t = y.load());
                if let Some(mass) = self.maps.of(row).mass() {
                    settle::<E>(target, mass);
                }
            }
        }
        Ok(())
    }
}

/// A point of the domain that was rounded to a half type misses its mass by more than a computation would: what
/// that rounding explains is made good by a common factor.
fn settle<E: Element>(target: &mut [E::Compute], mass: f64) {
    if E::as_compute(&[]).is_some() {
        return;
    }
    let one = E::Compute::of(1.0);
    let unit = (1..24).map(|bits| 0.5f64.powi(bits)).find(|&unit| E::store(one + E::Compute::of(unit)).load() == one);
    let total: f64 = target.iter().map(|t| t.wide()).sum();
    let rounding = unit.unwrap_or(0.0) * mass;
    if total > 0.0 && (total - mass).abs() <= rounding {
        let factor = E::Compute::of(mass / total);
        target.iter_mut().for_each(|t| *t *= factor);
    }
}
