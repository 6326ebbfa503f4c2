//! Elements of arrays, and how numpy holds them.

use half::{bf16, f16};
use hfy::Element;
use ndarray::{ArrayD, ArrayViewD, ArrayViewMutD, CowArray, IxDyn};

/// An element of an array, and how numpy holds it.
pub(crate) trait Stored: Element {
    /// What numpy holds.
    type Numpy: numpy::Element + Copy;

    /// The array itself, or a copy where it is only to be had as one.
    fn read<'a>(array: ArrayViewD<'a, Self::Numpy>) -> CowArray<'a, Self, IxDyn>;

    /// Lends an array for writing; `update` says whether its content matters.
    fn write<R>(
        array: ArrayViewMutD<'_, Self::Numpy>,
        update: bool,
        work: impl FnOnce(ArrayViewMutD<'_, Self>) -> hfy::Result<R>,
    ) -> hfy::Result<R>;

    /// A new array as numpy holds it.
    fn give(array: ArrayD<Self>) -> ArrayD<Self::Numpy>;
}

macro_rules! stored {
    ($($t:ty),*) => {$(
        impl Stored for $t {
            type Numpy = $t;

            fn read<'a>(array: ArrayViewD<'a, $t>) -> CowArray<'a, $t, IxDyn> {
                array.into()
            }

            fn write<R>(
                array: ArrayViewMutD<'_, $t>,
                _update: bool,
                work: impl FnOnce(ArrayViewMutD<'_, $t>) -> hfy::Result<R>,
            ) -> hfy::Result<R> {
                work(array)
            }

            fn give(array: ArrayD<$t>) -> ArrayD<$t> {
                array
            }
        }
    )*};
}

stored!(f32, f64, f16);

/// numpy has no type of its own for these: they come and go as the bits they are.
impl Stored for bf16 {
    type Numpy = u16;

    fn read<'a>(array: ArrayViewD<'a, u16>) -> CowArray<'a, bf16, IxDyn> {
        match array.to_slice() {
            Some(bits) => ArrayViewD::from_shape(array.raw_dim(), bytemuck::cast_slice(bits)).expect("as long").into(),
            None => array.mapv(bf16::from_bits).into(),
        }
    }

    fn write<R>(
        mut array: ArrayViewMutD<'_, u16>,
        update: bool,
        work: impl FnOnce(ArrayViewMutD<'_, bf16>) -> hfy::Result<R>,
    ) -> hfy::Result<R> {
        let shape = array.raw_dim();
        if let Some(bits) = array.as_slice_mut() {
            return work(ArrayViewMutD::from_shape(shape, bytemuck::cast_slice_mut(bits)).expect("as long"));
        }
        let mut copy = if update { array.mapv(bf16::from_bits) } else { ArrayD::default(shape) };
        let result = work(copy.view_mut())?;
        array.zip_mut_with(&copy, |to, from| *to = from.to_bits());
        Ok(result)
    }

    fn give(array: ArrayD<bf16>) -> ArrayD<u16> {
        array.mapv_into_any(bf16::to_bits)
    }
}
