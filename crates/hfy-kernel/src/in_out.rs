//! The input and the output of a function of each entry of a row.

use crate::Number;

/// In place, or from one place into another: an input that is kept needs no copy first.
#[derive(Debug)]
pub struct InOut<'r, T> {
    /// The input; `None` where it lies in the output.
    pub from: Option<&'r [T]>,
    /// The output.
    pub to: &'r mut [T],
}

impl<'r, T: Number> InOut<'r, T> {
    /// In place.
    #[inline(always)]
    pub fn in_place(entries: &'r mut [T]) -> Self {
        InOut { from: None, to: entries }
    }

    /// From one place into another as long.
    #[inline(always)]
    pub fn new(from: &'r [T], to: &'r mut [T]) -> Self {
        assert_eq!(from.len(), to.len(), "the output must be as long as the input");
        InOut { from: Some(from), to }
    }

    /// The number of entries.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.read().len()
    }

    /// Whether there are none.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.to.is_empty()
    }

    /// The input.
    #[inline(always)]
    pub fn read(&self) -> &[T] {
        self.from.unwrap_or(self.to)
    }

    /// The output, whatever it holds.
    #[inline(always)]
    pub fn output(self) -> &'r mut [T] {
        self.to
    }

    /// The output, with the entries in it.
    #[inline(always)]
    pub fn copied_output(self) -> &'r mut [T] {
        if let Some(from) = self.from {
            self.to.copy_from_slice(from);
        }
        self.to
    }

    /// The same for a shorter time, so that it can be used once more.
    #[inline(always)]
    pub fn reborrow(&mut self) -> InOut<'_, T> {
        InOut { from: self.from, to: self.to }
    }

    /// The first `count` entries, and the others.
    #[inline(always)]
    pub fn split_at(self, count: usize) -> (Self, Self) {
        let (first, second) = self.to.split_at_mut(count);
        let from = self.from.map(|from| from.split_at(count));
        (InOut { from: from.map(|parts| parts.0), to: first }, InOut { from: from.map(|parts| parts.1), to: second })
    }

    /// `to ← make(x)`.
    #[inline(always)]
    pub fn each(self, make: impl Fn(T) -> T) {
        match self.from {
            Some(from) => {
                for (to, &x) in self.to.iter_mut().zip(from) {
                    *to = make(x);
                }
            }
            None => {
                for x in self.to.iter_mut() {
                    *x = make(*x);
                }
            }
        }
    }

    /// `to ← make(x, other)` with the entry in the same place of another row.
    #[inline(always)]
    pub fn each_with(self, other: &[T], make: impl Fn(T, T) -> T) {
        match self.from {
            Some(from) => {
                for (to, (&x, &other)) in self.to.iter_mut().zip(from.iter().zip(other)) {
                    *to = make(x, other);
                }
            }
            None => {
                for (x, &other) in self.to.iter_mut().zip(other) {
                    *x = make(*x, other);
                }
            }
        }
    }

    /// Blocks of `N` entries, of a row that is a multiple of them.
    #[inline(always)]
    pub fn blocks<const N: usize>(self, mut make: impl FnMut(InOut<'_, T>)) {
        let to = self.to.as_chunks_mut::<N>().0.iter_mut();
        match self.from {
            Some(from) => {
                for (to, from) in to.zip(from.as_chunks::<N>().0) {
                    make(InOut { from: Some(from), to });
                }
            }
            None => {
                for to in to {
                    make(InOut::in_place(to));
                }
            }
        }
    }

    /// Parts of `count` entries, and the rest.
    #[inline(always)]
    pub fn chunks(self, count: usize, mut make: impl FnMut(InOut<'_, T>)) {
        match self.from {
            Some(from) => {
                for (to, from) in self.to.chunks_mut(count).zip(from.chunks(count)) {
                    make(InOut { from: Some(from), to });
                }
            }
            None => {
                for to in self.to.chunks_mut(count) {
                    make(InOut::in_place(to));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_rewritten_in_place_and_elsewhere() {
        let x: Vec<f64> = (0..11).map(f64::from).collect();
        let work = |entries: InOut<'_, f64>| {
            assert_eq!((entries.len(), entries.read()[3]), (11, 3.0));
            let (first, second) = entries.split_at(4);
            first.each(|x| x + 100.0);
            second.chunks(3, |part| {
                let least = part.read()[0];
                for x in part.copied_output() {
                    *x -= least;
                }
            });
        };
        let expected = [100.0, 101.0, 102.0, 103.0, 0.0, 1.0, 2.0, 0.0, 1.0, 2.0, 0.0];
        let (mut place, mut elsewhere) = (x.clone(), vec![-1.0; 11]);
        work(InOut::in_place(&mut place));
        work(InOut::new(&x, &mut elsewhere));
        assert_eq!((place, elsewhere), (expected.to_vec(), expected.to_vec()));
        let (mut place, mut elsewhere) = (x.clone(), vec![-1.0; 11]);
        InOut::in_place(&mut place).each_with(&x, |x, other| 10.0 * x + other);
        InOut::new(&x, &mut elsewhere).each_with(&x, |x, other| 10.0 * x + other);
        assert!(place == elsewhere && place[3] == 33.0);
    }
}
