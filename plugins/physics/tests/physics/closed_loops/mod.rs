//! Extra joints close loops: mechanisms in any orientation, far from the origin, on fixed and floating bases.
//!
//! A loop along the world's axes hides most of what a constraint solver does wrong, so each mechanism runs in many
//! orientations at once.

mod closed_link_sample;
mod mechanism;
mod parallel;
mod planar;
mod run;
mod spatial;
