//! The two types that commands compute in, as one trait over the library's and the store's.

use ndarray::{ArrayView2, CowArray, Ix2};

use crate::io::{Float, Numbers, array};

/// `f32` or `f64`: computed with, stored, written and serialised.
pub(crate) trait Number:
    hfy::Real + hfy::Element<Compute = Self> + hfy_store::Storable + serde::Serialize
{
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
                    Numbers::$other(other) => {
                        array::owned(other.iter().map(|&value| value as $type).collect(), dim).into()
                    }
                }
            }
        }
    };
}

number!(f32, F32, F64);
number!(f64, F64, F32);

/// Runs a generic call with the type that a [`Float`] names.
macro_rules! with_float {
    ($float:expr, $t:ident => $body:expr) => {
        match $float {
            $crate::io::Float::F32 => {
                type $t = f32;
                $body
            }
            $crate::io::Float::F64 => {
                type $t = f64;
                $body
            }
        }
    };
}
pub(crate) use with_float;
