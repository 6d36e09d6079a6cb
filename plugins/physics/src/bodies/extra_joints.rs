//! Extra joints as closures.

use bevy::prelude::*;
use bunraku_body::ExtraJointKind;

use super::MultibodyWorld;
use super::solver_body::{SolverBody, SolverLoop};
use crate::model::extra_joint::{SimulatedEnd, SimulatedExtraJoint};
use crate::model::joint_name::JointName;
use crate::readings::gaps::Gaps;
use bunraku_multibody::{Anchor, Closure, ClosureIndex};

impl MultibodyWorld {
    /// Adds the closure of an extra joint between bodies; `None` if its ends cannot move against each other.
    pub fn join(&mut self, kind: ExtraJointKind, ends: &[SimulatedEnd; 2]) -> Option<ClosureIndex> {
        let sides = ends.map(|SimulatedEnd { held, start }| {
            let part = held.and_then(|(body, frame)| Some(Anchor { part: Some(self.part_of(body)?), frame }));
            // A static body has no part; its pose is constant.
            part.unwrap_or(Anchor { part: None, frame: start })
        });
        (sides[0].part != sides[1].part).then(|| self.system.add_closure(Closure { kind, sides }))
    }
}

/// Measures the gaps of extra joints after a step.
pub(crate) fn see_gaps(
    joints: Query<(Entity, &SimulatedExtraJoint)>,
    bodies: Query<(Entity, &SolverBody)>,
    world: Res<MultibodyWorld>,
    mut gaps: Gaps,
) {
    let between = joints
        .iter()
        .filter_map(|(joint, simulated)| Some((simulated.closure()?, simulated.start_gap, JointName::Between(joint))));
    let within = bodies.iter().flat_map(|(body, own)| own.loops.iter().map(move |own| (body, own)));
    let within = within.map(|(body, &SolverLoop { closure, links, start_gap })| {
        let kind = world.system.closure(closure).kind;
        (closure, start_gap, JointName::Loop { body, kind, links })
    });
    gaps.see(between.chain(within).map(|(closure, start_gap, joint)| (world.gap(closure), start_gap, joint)));
}
