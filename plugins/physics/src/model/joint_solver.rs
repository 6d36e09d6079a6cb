/// The solver of joints and contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum JointSolver {
    /// Rapier's own step, as rapier has it (`joints: impulse`), for a second opinion: each joint is a constraint between two free rigid
    /// bodies, and a servo is rapier's motor. [`Limitation`](crate::Limitation) lists the features that it does not have.
    Impulse,
    /// The default: the solver of `bunraku_multibody`, in double precision, in joint coordinates (`joints: multibody`).
    /// Joints cannot separate, rotor inertias are exact, servos are stable at any stiffness, and prescribed joints
    /// ([`bunraku_body::Actuation::is_prescribed`]) follow their motion under any load.
    #[default]
    Multibody,
}
