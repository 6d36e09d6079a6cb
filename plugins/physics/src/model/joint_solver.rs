/// What moves bodies and holds their joints together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum JointSolver {
    /// Rapier's own step, as rapier has it (`joints: impulse`), for a second opinion: each joint is a constraint between two free rigid
    /// bodies, and a servo is rapier's motor. [`Limitation`](crate::Limitation) lists the features that it does not have.
    Impulse,
    /// The default: our own solver, in double precision: a body is one system in the coordinates of its joints (`joints: multibody`).
    /// Joints cannot part, rotor inertias are exact, servos are stable at any stiffness, and joints whose motion is
    /// prescribed ([`bunraku_body::Actuation::is_prescribed`]) are held whatever pulls at them.
    #[default]
    Multibody,
}
