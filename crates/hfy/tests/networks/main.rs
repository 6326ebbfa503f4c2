//! Networks: energies, updates, post-transformations and derivatives.

#[path = "../common/mod.rs"]
mod common;

mod dynamics;
mod energies;
mod gradients;
mod laws;
mod posttransform_laws;
mod posttransforms;
