//! The two types that commands compute in, as one trait over the library's and the store's.

/// `f32` or `f64`: computed with, stored, read, written and serialised.
pub(crate) trait Number:
    hfy_io::Number + hfy::Real + hfy::Element<Compute = Self> + hfy_store::Storable + serde::Serialize
{
}

impl Number for f32 {}
impl Number for f64 {}

/// Runs a generic call with the type that a [`Float`](crate::io::Float) names.
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
