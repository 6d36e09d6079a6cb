//! Extra joints between bodies, and between bodies and the world.
//!
//! Which of their directions a mechanism holds by itself depends on what the ends hang on. Against a body that floats every
//! direction can move; on trees with fixed roots they are judged over all such trees that the joints tie together, side by
//! side.

mod findings;
mod fit;
mod insert;

pub use findings::extra_joint_findings;
pub use fit::Party;
pub(crate) use insert::insert_extra_joints;
