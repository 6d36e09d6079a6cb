//! Six numbers of a twist or a wrench, and what is computed with them.

pub mod pair;
pub mod rows;
pub mod spatial;
