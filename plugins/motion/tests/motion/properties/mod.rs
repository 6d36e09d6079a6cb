//! What holds for any motion, tried on made-up ones. A failure names the seed that it comes from.

mod bits;
mod random;
mod recording;
mod sampling;
mod writing;
