//! Extra joints between bodies, and between bodies and the world, before they are simulated.
//!
//! The directions that a mechanism already constrains depend on the supports of the ends. Against a body that floats every
//! direction can move. On trees with fixed roots they are judged over all such trees that the joints tie together, side by
//! side.

mod findings;
mod fit;

pub use findings::extra_joint_findings;
pub use fit::Party;
