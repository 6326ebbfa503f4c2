//! One suite that every separation map runs, in double and in single precision, against its definition.

#[path = "../common/mod.rs"]
mod common;

mod conjugacy;
mod derivatives;
mod extremes;
mod limits;
mod margins;
mod masks;
mod optimality;

/// Instantiates generic tests for both types.
macro_rules! in_both_types {
    ($($test:ident),* $(,)?) => {
        mod double {
            $(#[test] fn $test() { super::$test::<f64>(); })*
        }
        mod single {
            $(#[test] fn $test() { super::$test::<f32>(); })*
        }
    };
}
pub(crate) use in_both_types;
