//! Extra joints between bodies, and between bodies and the world.
//!
//! Between rigid bodies that are free to move nothing is special. With `joints: multibody` it matters what an end hangs on:
//! a row that nothing can move is pure rounding noise, and rapier 0.35 divides by it. On a body that floats every row moves
//! something; on trees with fixed roots the rows are judged over all such trees that the joints tie together, side by side.

mod findings;
mod fit;
mod insert;

pub use findings::extra_joint_findings;
pub use fit::Party;
pub(crate) use insert::insert_extra_joints;
