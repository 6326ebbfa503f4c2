//! Maps: one suite that every separation map runs, in double and in single precision, against its definition; batches,
//! combinators, losses, and input that is wrong.

#[path = "../common/mod.rs"]
mod common;

mod batches;
mod calculus;
mod conjugacy;
mod derivatives;
mod extremes;
mod hostile_texts;
mod limits;
mod losses;
mod margins;
mod masks;
mod misuse;
mod optimality;
mod properties;

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
