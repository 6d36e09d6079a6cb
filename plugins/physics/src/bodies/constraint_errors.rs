//! The largest constraint errors of a run, with the names of the constraints.

use bevy::prelude::*;
use bunraku_simulation::SimulationClock;

use super::MultibodyWorld;
use super::solver_body::SolverBody;
use crate::model::constraint_errors::{ConstraintErrors, ConstraintLaw, ConstraintName};
use crate::model::extra_joint::SimulatedExtraJoint;
use crate::model::joint_name::JointName;
use crate::world::contacts::ContactRules;
use bunraku_multibody::{ClosureIndex, CoordinateIndex, LawErrors};

/// Adds the errors of the last step.
pub(crate) fn note(
    (world, rules, clock): (Res<MultibodyWorld>, Res<ContactRules>, Res<SimulationClock>),
    bodies: Query<(Entity, &SolverBody)>,
    joints: Query<(Entity, &SimulatedExtraJoint)>,
    mut errors: ResMut<ConstraintErrors>,
) {
    let LawErrors { penetration, separation, cone, cone_force, slip, joint, closure } = world.outcome.errors;
    let time = clock.time() + clock.time_step();
    let of_contact = |contact: usize| {
        let owners = world.detection.colliders.get(contact)?.map(|collider| rules.owner(collider));
        Some(ConstraintName::Contact(owners.map(|owner| owner.map(|owner| (owner.body, owner.link)))))
    };
    let of_coordinate = |coordinate: CoordinateIndex| {
        bodies.iter().find_map(|(body, own)| {
            let joint = own.joints.iter().find(|joint| joint.coordinate == coordinate)?;
            Some(ConstraintName::Joint(JointName::Link { body, link: joint.link }))
        })
    };
    let of_closure = |closure: ClosureIndex| {
        let between = joints.iter().find(|(_, joint)| joint.closure() == Some(closure));
        let within = || {
            bodies.iter().find_map(|(body, own)| {
                let own = own.loops.iter().find(|own| own.closure == closure)?;
                let kind = world.system.closure(closure).kind;
                Some(JointName::Loop { body, kind, links: own.links })
            })
        };
        between.map(|(entity, _)| JointName::Between(entity)).or_else(within).map(ConstraintName::Joint)
    };
    let contacts = [
        (ConstraintLaw::Penetration, penetration, None),
        (ConstraintLaw::Separation, separation, None),
        (ConstraintLaw::FrictionCone, cone, Some(cone_force)),
        (ConstraintLaw::Sticking, slip, None),
    ];
    for (law, error, force) in contacts {
        if let Some(error) = error {
            errors.add(law, error.velocity, force, time, || of_contact(error.of));
        }
    }
    if let Some(error) = joint {
        errors.add(ConstraintLaw::Joint, error.velocity, None, time, || of_coordinate(error.of));
    }
    if let Some(error) = closure {
        errors.add(ConstraintLaw::Closure, error.velocity, None, time, || of_closure(error.of));
    }
}
