use bevy::prelude::*;

pub use bunraku_multibody::LawResiduals;

/// How well contacts meet the laws of contact: insert it, and every step adds an entry for each of its contacts without restitution. With
/// [`JointSolver::Multibody`](crate::JointSolver::Multibody) only. The caller takes the entries out.
#[derive(Resource, Clone, Debug, Default)]
pub struct ContactResiduals(pub Vec<LawResiduals>);
