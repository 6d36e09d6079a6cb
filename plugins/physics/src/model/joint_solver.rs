/// What moves bodies and holds their joints together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum JointSolver {
    /// Rapier's own step: each joint is a constraint between two free rigid bodies (`joints: impulse`). Joints part by some
    /// 10 µm. Rotor inertias act on both sides of their joints; what a contact or a stop does to a geared joint, its rotor
    /// feels some steps later.
    Impulse,
    /// The default: our own solver, in double precision: a body is one system in the coordinates of its joints (`joints: multibody`).
    /// Joints cannot part, rotor inertias are exact, servos are stable at any stiffness, and joints whose motion is
    /// prescribed ([`bunraku_body::Actuation::is_prescribed`]) are held whatever pulls at them.
    #[default]
    Multibody,
}
