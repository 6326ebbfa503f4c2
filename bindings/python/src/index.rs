//! Indices that a network keeps.

use std::sync::Arc;

use hfy::retrieval::Index;

use crate::patterns::Number;

/// An index in the type of its patterns.
pub(crate) enum AnyIndex {
    F32(Arc<Index<f32>>),
    F64(Arc<Index<f64>>),
}

/// How indices of a type are kept.
pub(crate) trait Indexed: Number {
    fn kept(index: &AnyIndex) -> Option<&Arc<Index<Self>>>;
    fn any(index: Arc<Index<Self>>) -> AnyIndex;
}

macro_rules! indexed {
    ($($t:ty => $variant:ident),*) => {$(
        impl Indexed for $t {
            fn kept(index: &AnyIndex) -> Option<&Arc<Index<Self>>> {
                match index {
                    AnyIndex::$variant(index) => Some(index),
                    _ => None,
                }
            }
            fn any(index: Arc<Index<Self>>) -> AnyIndex {
                AnyIndex::$variant(index)
            }
        }
    )*};
}

indexed!(f32 => F32, f64 => F64);
