//! What layers do: shapes, errors, bags, masks, reports, dropout, hostile input.

#[path = "../common/mod.rs"]
mod common;

mod attention;
mod bags;
mod configs;
mod dropout;
mod energy;
mod hostile;
mod lstm;
mod masked;
mod reports;
mod states;
mod weights;
