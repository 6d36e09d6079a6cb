use bevy::prelude::*;
use bevy_rapier3d::prelude::RapierRigidBodySet;
use bunraku_body::Drive;

use crate::model::guided_root::GuidedRoot;
use crate::model::simulated_body::SimulatedBody;
use crate::world::driven_bodies::lead_to;

/// Leads guided roots to where they shall be at the end of the step.
pub(crate) fn lead(
    bodies: Query<(&SimulatedBody, &GuidedRoot, &Drive)>,
    mut contexts: Query<&mut RapierRigidBodySet>,
) -> Result {
    let set = &mut contexts.single_mut()?.bodies;
    // A body that forces do not move is not led.
    for (simulated, root, _) in bodies.iter().filter(|(.., drive)| **drive == Drive::Physics) {
        let part = simulated.parts.first().and_then(|root| set.get_mut(*root));
        if let (Some(part), Some(pose)) = (part, root.0) {
            lead_to(part, &pose);
        }
    }
    Ok(())
}
