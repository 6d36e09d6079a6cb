/// What holds the joints of bodies together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum JointSolver {
    /// Each joint is a constraint between two free rigid bodies (`joints: impulse`). Fast; joints part by some 10 µm.
    /// Rotor inertias act on both sides of their joints; what a contact or a stop does to a geared joint, its rotor feels
    /// some steps later. Bodies with joints that are prescribed when they are taken in
    /// ([`bunraku_body::Actuation::is_prescribed`]) are held together as with [`JointSolver::Multibody`].
    #[default]
    Impulse,
    /// A body is one system in the coordinates of its joints (`joints: multibody`). Joints cannot part and rotor inertias
    /// are exact; the cost grows with the cube of the number of joints. Continuous tracks are held by impulse joints all the
    /// same.
    Multibody,
    /// Our own solver in generalized coordinates (`joints: reduced`); in the making.
    Reduced,
}
