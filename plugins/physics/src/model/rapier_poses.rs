use bevy::prelude::*;

/// When the poses of bodies that [`JointSolver::Multibody`](super::joint_solver::JointSolver) moves are written to rapier's rigid bodies and
/// colliders, for ray casts and other queries. Contacts of these bodies are not in rapier's narrow phase. The motion is the same bit for
/// bit.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Resource)]
pub enum RapierPoses {
    /// At the end of each step, so that systems of [`SimulationStep`](bunraku_simulation::SimulationStep) may query rapier.
    #[default]
    EveryStep,
    /// At the end of each update of the app, before transforms are propagated: faster. Within an update poses may be outdated by some
    /// centimetres.
    EveryUpdate,
    /// Never. Also skips `Transform` write-back of user rigid bodies; fastest.
    Never,
}
