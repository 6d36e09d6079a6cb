use bevy::prelude::*;

/// How often rapier's world shows where the bodies are that [`JointSolver::Multibody`](super::joint_solver::JointSolver) moves: the
/// positions of their rigid bodies and colliders, for ray casts and other queries. Rapier itself is told only of what could touch
/// anything. The motion is the same, to the bit.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Resource)]
pub enum RapierPoses {
    /// At the end of each step: systems of [`SimulationStep`](bunraku_simulation::SimulationStep) may ask rapier.
    #[default]
    EveryStep,
    /// At the end of each update of the app, before transforms are propagated: faster where nobody asks rapier in a step. In between
    /// its poses may be some centimetres old.
    EveryUpdate,
    /// Not at all, nor are transforms written of rigid bodies of one's own: fastest where nobody asks rapier or shows such bodies.
    Never,
}
