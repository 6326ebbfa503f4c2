//! The two types that numbers are held and written in, as one trait.

use ndarray::{ArrayView2, CowArray, Ix2};

use crate::{Float, Numbers, owned};

/// `f32` or `f64`.
pub trait Number: Copy + std::fmt::Display + std::fmt::Debug + Send + Sync + 'static {
    /// The name of the type at run time.
    const FLOAT: Float;
    /// Bytes of a number.
    const SIZE: usize;

    /// Appends the little-endian bytes.
    fn write_bytes(self, to: &mut Vec<u8>);

    /// A matrix of numbers, without a copy where they are of this type.
    fn matrix(numbers: &Numbers, dim: (usize, usize)) -> CowArray<'_, Self, Ix2>;
}

macro_rules! number {
    ($type:ident, $own:ident, $other:ident) => {
        impl Number for $type {
            const FLOAT: Float = Float::$own;
            const SIZE: usize = size_of::<$type>();

            fn write_bytes(self, to: &mut Vec<u8>) {
                to.extend(self.to_le_bytes());
            }

            fn matrix(numbers: &Numbers, dim: (usize, usize)) -> CowArray<'_, Self, Ix2> {
                match numbers {
                    Numbers::$own(own) => ArrayView2::from_shape(dim, own)
                        .expect("dimensions were checked when the rows were read")
                        .into(),
                    Numbers::$other(other) => owned(other.iter().map(|&value| value as $type).collect(), dim).into(),
                }
            }
        }
    };
}

number!(f32, F32, F64);
number!(f64, F64, F32);
