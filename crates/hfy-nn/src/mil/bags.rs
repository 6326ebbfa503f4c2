//! Bags of instances that lie in a pool of rows.

use burn::tensor::{Device, Tensor, TensorData};
use ndarray::{ArrayView1, ArrayView2};

use crate::error::{Error, Result, ensure};

/// Bags of rows of a matrix, with a label for each bag. A row may be in several bags.
#[derive(Debug, Clone)]
pub struct Bags<'a> {
    pool: ArrayView2<'a, f32>,
    members: Vec<usize>,
    offsets: Vec<usize>,
    positive: Vec<bool>,
}

impl<'a> Bags<'a> {
    /// Bag `i` has the rows `members[offsets[i]..offsets[i + 1]]` of the pool.
    ///
    /// ```
    /// use hfy_nn::mil::Bags;
    /// use ndarray::array;
    ///
    /// let pool = array![[1.0], [2.0], [3.0]];
    /// let bags = Bags::new(pool.view(), vec![0, 2, 2], vec![0, 2, 3], vec![true, false])?;
    /// assert_eq!((bags.len(), bags.size(0)), (2, 2));
    /// # Ok::<(), hfy_nn::Error>(())
    /// ```
    pub fn new(
        pool: ArrayView2<'a, f32>,
        members: Vec<usize>,
        offsets: Vec<usize>,
        positive: Vec<bool>,
    ) -> Result<Self> {
        let rises = offsets.first() == Some(&0)
            && offsets.last() == Some(&members.len())
            && offsets.windows(2).all(|pair| pair[0] < pair[1]);
        ensure(rises, || {
            let rule = format!("they must rise from 0 to {}, as no bag is empty", members.len());
            Error::argument("offsets", format!("{} numbers", offsets.len()), rule)
        })?;
        ensure(positive.len() + 1 == offsets.len(), || {
            Error::argument(
                "labels",
                positive.len(),
                format!("there must be one for each of {} bags", offsets.len() - 1),
            )
        })?;
        if let Some(&member) = members.iter().find(|member| **member >= pool.nrows()) {
            return Err(Error::argument("members", member, format!("the pool has {} rows", pool.nrows())));
        }
        Ok(Bags { pool, members, offsets, positive })
    }

    /// Bags whose rows lie one after the other.
    pub fn consecutive(pool: ArrayView2<'a, f32>, offsets: &[usize], positive: &[bool]) -> Result<Self> {
        Bags::new(pool, (0..pool.nrows()).collect(), offsets.to_vec(), positive.to_vec())
    }

    /// How many bags there are.
    pub fn len(&self) -> usize {
        self.positive.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.positive.is_empty()
    }

    /// How many numbers an instance has.
    pub fn features(&self) -> usize {
        self.pool.ncols()
    }

    /// How many instances a bag has.
    pub fn size(&self, bag: usize) -> usize {
        self.offsets[bag + 1] - self.offsets[bag]
    }

    /// The labels.
    pub fn positive(&self) -> &[bool] {
        &self.positive
    }

    /// The rows of a bag in the pool.
    pub fn members(&self, bag: usize) -> &[usize] {
        &self.members[self.offsets[bag]..self.offsets[bag + 1]]
    }

    /// The instances of a bag.
    pub(super) fn instances(&self, bag: usize) -> impl Iterator<Item = ArrayView1<'_, f32>> {
        self.members(bag).iter().map(|&member| self.pool.row(member))
    }

    /// Some of the bags.
    pub fn select(&self, bags: &[usize]) -> Self {
        let (mut members, mut offsets) = (Vec::new(), vec![0]);
        for &bag in bags {
            members.extend_from_slice(self.members(bag));
            offsets.push(members.len());
        }
        Bags { pool: self.pool, members, offsets, positive: bags.iter().map(|&bag| self.positive[bag]).collect() }
    }

    /// The instances of some bags one after the other, and where each bag begins.
    pub(crate) fn batch(&self, bags: &[usize], device: &Device) -> (Tensor<2>, Vec<usize>) {
        let (mut values, mut offsets) = (Vec::<f32>::new(), vec![0]);
        for &bag in bags {
            self.instances(bag).for_each(|instance| values.extend(instance));
            offsets.push(offsets[offsets.len() - 1] + self.size(bag));
        }
        let shape = [offsets[offsets.len() - 1], self.features()];
        (Tensor::from_data(TensorData::new(values, shape), device), offsets)
    }
}
