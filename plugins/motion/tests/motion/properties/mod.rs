//! Properties of any motion, tested with random ones. A failure names its seed.

mod bits;
mod random;
mod recording;
mod sampling;
mod writing;
