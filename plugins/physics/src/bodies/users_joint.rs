//! An impulse joint of a user in the solver's system.

use bevy_rapier3d::rapier::dynamics::ImpulseJointHandle;
use bunraku_multibody::{ClosureIndex, Moved};

/// A joint of a user, and its closures.
#[derive(Clone, Debug)]
pub(super) struct UsersJoint {
    pub handle: ImpulseJointHandle,
    pub closures: Vec<ClosureIndex>,
}

impl UsersJoint {
    /// Updates indices after a removal.
    pub fn follow(&mut self, moved: &Moved) {
        self.closures = self.closures.iter().filter_map(|closure| moved.closure(*closure)).collect();
    }
}
