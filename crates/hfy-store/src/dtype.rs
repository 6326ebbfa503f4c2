//! What a pattern is made of.

use std::fmt;
use std::str::FromStr;

use half::{bf16, f16};

use crate::Error;

/// The element type of a memory's patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dtype {
    /// 32-bit floats.
    F32,
    /// 64-bit floats.
    F64,
    /// 16-bit floats of IEEE 754.
    F16,
    /// 16-bit floats with the exponent of `f32`.
    Bf16,
}

impl Dtype {
    /// Every type.
    pub const ALL: [Dtype; 4] = [Dtype::F32, Dtype::F64, Dtype::F16, Dtype::Bf16];

    /// Bytes of an element, which is also its alignment.
    pub const fn size(self) -> usize {
        match self {
            Dtype::F64 => 8,
            Dtype::F32 => 4,
            Dtype::F16 | Dtype::Bf16 => 2,
        }
    }

    pub(crate) fn to_safetensors(self) -> safetensors::Dtype {
        match self {
            Dtype::F32 => safetensors::Dtype::F32,
            Dtype::F64 => safetensors::Dtype::F64,
            Dtype::F16 => safetensors::Dtype::F16,
            Dtype::Bf16 => safetensors::Dtype::BF16,
        }
    }

    pub(crate) fn from_safetensors(dtype: safetensors::Dtype) -> Option<Self> {
        Dtype::ALL.into_iter().find(|d| d.to_safetensors() == dtype)
    }

    /// The first entry that is not finite, with its position.
    pub(crate) fn first_not_finite(self, bytes: &[u8]) -> Option<(usize, f64)> {
        fn first<T: Storable>(bytes: &[u8]) -> Option<(usize, f64)> {
            let values: &[T] = bytemuck::cast_slice(bytes);
            // No early exit inside a block, so that the compiler may use vectors.
            values.chunks(1024).enumerate().find_map(|(block, values)| {
                if values.iter().fold(true, |all, &v| all & v.is_finite()) {
                    return None;
                }
                let at = values.iter().position(|&v| !v.is_finite())?;
                Some((block * 1024 + at, values[at].to_f64()))
            })
        }
        with_type!(self, T => first::<T>(bytes))
    }

    /// The entries, widened.
    pub(crate) fn widen(self, bytes: &[u8]) -> Vec<f64> {
        fn widen<T: Storable>(bytes: &[u8]) -> Vec<f64> {
            bytemuck::cast_slice::<u8, T>(bytes).iter().map(|&v| v.to_f64()).collect()
        }
        with_type!(self, T => widen::<T>(bytes))
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Dtype::F32 => "f32",
            Dtype::F64 => "f64",
            Dtype::F16 => "f16",
            Dtype::Bf16 => "bf16",
        })
    }
}

impl FromStr for Dtype {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let found = Dtype::ALL.into_iter().find(|d| d.to_string() == text);
        found.ok_or_else(|| Error::argument("dtype", text, "must be f32, f64, f16 or bf16"))
    }
}

/// A type that patterns are stored in. Sealed: the file knows these four.
pub trait Storable: bytemuck::Pod + PartialEq + fmt::Debug + Send + Sync + sealed::Sealed {
    /// Its name at run time.
    const DTYPE: Dtype;

    /// Neither infinite nor no number.
    fn is_finite(self) -> bool;

    /// Widens.
    fn to_f64(self) -> f64;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! storable {
    ($($t:ty, $dtype:ident, $widen:expr;)*) => {$(
        impl sealed::Sealed for $t {}

        impl Storable for $t {
            const DTYPE: Dtype = Dtype::$dtype;

            #[inline(always)]
            fn is_finite(self) -> bool {
                <$t>::is_finite(self)
            }

            #[inline(always)]
            fn to_f64(self) -> f64 {
                $widen(self)
            }
        }
    )*};
}

storable! {
    f32, F32, f64::from;
    f64, F64, f64::from;
    f16, F16, f16::to_f64;
    bf16, Bf16, bf16::to_f64;
}

/// Runs an expression with the static type that a [`Dtype`] names.
macro_rules! with_type {
    ($dtype:expr, $t:ident => $body:expr) => {
        match $dtype {
            $crate::Dtype::F32 => {
                type $t = f32;
                $body
            }
            $crate::Dtype::F64 => {
                type $t = f64;
                $body
            }
            $crate::Dtype::F16 => {
                type $t = half::f16;
                $body
            }
            $crate::Dtype::Bf16 => {
                type $t = half::bf16;
                $body
            }
        }
    };
}
pub(crate) use with_type;
