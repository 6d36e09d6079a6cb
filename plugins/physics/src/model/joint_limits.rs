use std::collections::BTreeMap;

use bevy::prelude::*;
use bunraku_body::{BodyModel, JointIndex, Range};

/// Effect of the displacement ranges of a body's joints. Put it on a body entity; without it, they are reported.
///
/// The limits of a model are data for controllers: the OpenHRP manual says that a simulation does not use them, and Choreonoid's
/// simulator does not.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component)]
pub enum JointLimits {
    /// The joints move freely; [`JointsBeyondRange`] lists those that leave their range.
    #[default]
    Report,
    /// The joints stop at the ends of their range. A joint that is outside returns slowly; with
    /// [`JointSolver::Impulse`](crate::JointSolver::Impulse) at up to 3 rad/s or 3 m/s.
    Enforce,
}

impl JointLimits {
    /// The range that the solver enforces; a range whose ends are crossed is unlimited.
    pub(crate) fn enforced(self, range: &Range) -> Range {
        if self == Self::Enforce && range.lower <= range.upper { *range } else { Range::UNLIMITED }
    }
}

/// Joints of bodies with [`JointLimits::Report`] that have left their displacement range.
#[derive(Resource, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(opaque, Resource)]
pub struct JointsBeyondRange(BTreeMap<(Entity, JointIndex), BeyondRange>);

/// Excess of a joint that left its range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeyondRange {
    /// Simulated time at the end of the first step that ended outside, s.
    pub time: f64,
    /// The displacement farthest outside, rad or m.
    pub farthest: f64,
    /// The range, rad or m.
    pub range: Range,
}

impl BeyondRange {
    /// Largest distance from the range, rad or m.
    pub fn excess(&self) -> f64 {
        excess(&self.range, self.farthest)
    }
}

/// Beyond a limit by no more than this is rounding, rad or m.
const ROUNDING: f64 = 1e-6;

/// Distance of a displacement from a range; not positive inside.
fn excess(range: &Range, displacement: f64) -> f64 {
    (range.lower - displacement).max(displacement - range.upper)
}

impl JointsBeyondRange {
    /// Adds the displacement (rad or m) of a joint at a time (s) if it is outside a valid range.
    pub(crate) fn add(&mut self, body: Entity, joint: JointIndex, range: &Range, displacement: f64, time: f64) {
        if range.lower > range.upper || excess(range, displacement) <= ROUNDING {
            return;
        }
        let new = BeyondRange { time, farthest: displacement, range: *range };
        let known = self.0.entry((body, joint)).or_insert(new);
        if new.excess() > known.excess() {
            known.farthest = displacement;
        }
    }

    /// The joints, by body entity and joint index.
    pub fn iter(&self) -> impl Iterator<Item = (Entity, JointIndex, &BeyondRange)> {
        self.0.iter().map(|((body, joint), beyond)| (*body, *joint, beyond))
    }

    /// Names of a body in the scene and of one of its joints.
    pub fn names(world: &World, body: Entity, joint: JointIndex) -> Option<(String, String)> {
        let BodyModel(model) = world.get::<BodyModel>(body)?;
        let name = world.get::<Name>(body).map_or(model.name.as_str(), Name::as_str);
        Some((name.to_owned(), model.joint_name(joint).to_owned()))
    }
}
