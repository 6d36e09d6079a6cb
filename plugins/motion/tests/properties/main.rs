//! What holds for any motion, tried on made-up ones. A failure names the seed that it comes from.

// A test that cannot go on should say so loudly.
#![allow(clippy::unwrap_used, clippy::panic)]

mod bits;
mod random;
mod recording;
mod sampling;
mod writing;
