//! Entries that something is made of, one by one, and where that goes.

use super::Real;
use crate::error::{Result, check_len};

/// In place, or from one place into another: what is kept needs no copy first.
#[derive(Debug)]
pub struct Rewrite<'r, T> {
    /// `None` where they lie in the place that is written to.
    pub(crate) from: Option<&'r [T]>,
    pub(crate) to: &'r mut [T],
}

impl<'r, T: Real> Rewrite<'r, T> {
    #[inline(always)]
    pub(crate) fn in_place(entries: &'r mut [T]) -> Self {
        Rewrite { from: None, to: entries }
    }

    /// Into an argument of that name, which must be as long.
    #[inline(always)]
    pub(crate) fn into(argument: &'static str, from: &'r [T], to: &'r mut [T]) -> Result<Self> {
        check_len(argument, to.len(), from.len())?;
        Ok(Rewrite { from: Some(from), to })
    }

    /// Nothing is made of them.
    #[inline(always)]
    pub(crate) fn only_read(from: &'r [T]) -> Self {
        Rewrite { from: Some(from), to: &mut [] }
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.read().len()
    }

    /// The entries as they are.
    #[inline(always)]
    pub(crate) fn read(&self) -> &[T] {
        self.from.unwrap_or(self.to)
    }

    /// The entries, and room for a copy of them, unless they lie there already or nothing goes there.
    #[inline(always)]
    pub(crate) fn read_and_room(&mut self) -> (&[T], &mut [T]) {
        match self.from {
            Some(from) => (from, self.to),
            None => (self.to, &mut []),
        }
    }

    /// They were copied.
    #[inline(always)]
    pub(crate) fn settle(&mut self) {
        if !self.to.is_empty() {
            self.from = None;
        }
    }

    /// The place that is written to, whatever it holds.
    #[inline(always)]
    pub(crate) fn place(self) -> &'r mut [T] {
        self.to
    }

    /// The entries in the place that is written to.
    #[inline(always)]
    pub(crate) fn placed(self) -> &'r mut [T] {
        if let Some(from) = self.from {
            self.to.copy_from_slice(from);
        }
        self.to
    }

    /// The same, to be used once more.
    #[inline(always)]
    pub(crate) fn again(&mut self) -> Rewrite<'_, T> {
        Rewrite { from: self.from, to: self.to }
    }

    /// Those up to a number of entries, and the others.
    #[inline(always)]
    pub(crate) fn split_at(self, count: usize) -> (Self, Self) {
        let (first, second) = self.to.split_at_mut(count);
        let from = self.from.map(|from| from.split_at(count));
        (
            Rewrite { from: from.map(|parts| parts.0), to: first },
            Rewrite { from: from.map(|parts| parts.1), to: second },
        )
    }

    /// Each by itself.
    #[inline(always)]
    pub(crate) fn each(self, make: impl Fn(T) -> T) {
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

    /// Each with the one in the same place of another row.
    #[inline(always)]
    pub(crate) fn each_with(self, other: &[T], make: impl Fn(T, T) -> T) {
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

    /// As many together, of which there must be a multiple; the compiler knows how many.
    #[inline(always)]
    pub(crate) fn blocks<const N: usize>(self, mut make: impl FnMut(Rewrite<'_, T>)) {
        let to = self.to.as_chunks_mut::<N>().0.iter_mut();
        match self.from {
            Some(from) => {
                for (to, from) in to.zip(from.as_chunks::<N>().0) {
                    make(Rewrite { from: Some(from), to });
                }
            }
            None => {
                for to in to {
                    make(Rewrite::in_place(to));
                }
            }
        }
    }

    /// As many together.
    #[inline(always)]
    pub(crate) fn chunks(self, count: usize, mut make: impl FnMut(Rewrite<'_, T>)) {
        match self.from {
            Some(from) => {
                for (to, from) in self.to.chunks_mut(count).zip(from.chunks(count)) {
                    make(Rewrite { from: Some(from), to });
                }
            }
            None => {
                for to in self.to.chunks_mut(count) {
                    make(Rewrite::in_place(to));
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
        let work = |entries: Rewrite<'_, f64>| {
            assert_eq!((entries.len(), entries.read()[3]), (11, 3.0));
            let (first, second) = entries.split_at(4);
            first.each(|x| x + 100.0);
            second.chunks(3, |part| {
                let least = part.read()[0];
                for x in part.placed() {
                    *x -= least;
                }
            });
        };
        let expected = [100.0, 101.0, 102.0, 103.0, 0.0, 1.0, 2.0, 0.0, 1.0, 2.0, 0.0];
        let (mut place, mut elsewhere) = (x.clone(), vec![-1.0; 11]);
        work(Rewrite::in_place(&mut place));
        work(Rewrite::into("y", &x, &mut elsewhere).unwrap());
        assert_eq!((place, elsewhere), (expected.to_vec(), expected.to_vec()));
        let (mut place, mut elsewhere) = (x.clone(), vec![-1.0; 11]);
        Rewrite::in_place(&mut place).each_with(&x, |x, other| 10.0 * x + other);
        Rewrite::into("y", &x, &mut elsewhere).unwrap().each_with(&x, |x, other| 10.0 * x + other);
        assert!(place == elsewhere && place[3] == 33.0);
        let mut place = vec![-1.0; 11];
        let mut entries = Rewrite::into("y", &x, &mut place).unwrap();
        let (from, room) = entries.read_and_room();
        room.copy_from_slice(from);
        entries.settle();
        assert!(entries.read_and_room().1.is_empty() && entries.read() == x);
        let mut entries = Rewrite::only_read(&x);
        assert!(entries.read_and_room().1.is_empty());
        entries.settle();
        assert_eq!((entries.len(), entries.read()), (11, &x[..]));
        assert!(Rewrite::into("y", &x, &mut [0.0]).unwrap_err().to_string().contains('y'));
    }
}
