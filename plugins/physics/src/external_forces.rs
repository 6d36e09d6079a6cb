//! Forces that act on bodies from outside.

use bevy::prelude::*;
use bevy_rapier3d::prelude::RapierRigidBodySet;
use bunraku_body::dynamics::Wrench;
use bunraku_body::simulation::SimulationClock;
use bunraku_body::{BodyModel, BodyState, Drive, LinkIndex};
use bunraku_motion::Sequence;
use nalgebra::{Point3, Vector3};

use crate::SimulatedBody;
use crate::convert::to_vec3;

/// The axes along which a force is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ForceFrame {
    /// Those of the world.
    #[default]
    World,
    /// Those of the link, so that the force turns with it.
    Link,
}

/// A force and a torque on a link.
#[derive(Clone, Debug)]
pub struct ExternalForce {
    /// The link that it acts on.
    pub link: LinkIndex,
    /// Where the force acts, m, in the link frame; `None`: at the centre of mass of the link.
    pub point: Option<Point3<f64>>,
    /// The axes of force and torque.
    pub frame: ForceFrame,
    /// Force (N) over time (s). Between two frames it is on the line between them, and outside it is the first or the last.
    pub force: Option<Sequence<Vector3<f64>>>,
    /// Torque (N·m) over time (s), in the same way.
    pub torque: Option<Sequence<Vector3<f64>>>,
    /// When it begins to act, s.
    pub start: f64,
    /// From when on it does not act any more, s.
    pub end: f64,
}

impl ExternalForce {
    /// Where the force acts in the world, m, force (N) and torque (N·m), world axes, in a step that begins at `time` with the
    /// link's body in `state`; `None` where nothing acts.
    fn at(&self, time: f64, body: &BodyModel, state: &BodyState) -> Option<(Point3<f64>, Wrench)> {
        // A step that begins within rounding of the start or the end is at it.
        let tolerance = 1e-9;
        if time < self.start - tolerance || time >= self.end - tolerance {
            return None;
        }
        let pose = state.link_poses.get(self.link.0)?;
        let sample = |sequence: &Option<Sequence<Vector3<f64>>>| {
            let mut now = [Vector3::zeros()];
            if let Some(sequence) = sequence {
                sequence.sample(time, &mut now);
            }
            match self.frame {
                ForceFrame::World => now[0],
                ForceFrame::Link => pose.rotation * now[0],
            }
        };
        let point = pose * self.point.unwrap_or(body.0.link(self.link).mass.center_of_mass);
        Some((point, Wrench { force: sample(&self.force), torque: sample(&self.torque) }))
    }
}

/// What acts on the links of a body from outside, besides gravity and contacts. Put it on a body entity.
///
/// A step takes forces at its beginning, and they keep their direction and place in the world while it lasts.
#[derive(Component, Clone, Debug, Default)]
pub struct ExternalForces {
    /// All of them act.
    pub forces: Vec<ExternalForce>,
    /// What acts in this step, about the link origin, world axes.
    acting: Vec<(LinkIndex, Wrench)>,
}

impl ExternalForces {
    /// These forces.
    pub fn new(forces: Vec<ExternalForce>) -> Self {
        Self { forces, acting: Vec::new() }
    }

    /// What acted in the last step on each of the links: force (N) and torque about the link origin (N·m), world axes. A link may be
    /// there several times.
    pub fn acting(&self) -> &[(LinkIndex, Wrench)] {
        &self.acting
    }
}

/// Puts the forces of a step on rapier's bodies, beside those of the joints.
pub(crate) fn apply(
    clock: Res<SimulationClock>,
    mut bodies: Query<(&BodyModel, &SimulatedBody, &BodyState, &Drive, &mut ExternalForces)>,
    mut contexts: Query<&mut RapierRigidBodySet>,
) -> Result {
    if bodies.is_empty() {
        return Ok(());
    }
    let set = &mut contexts.single_mut()?.bodies;
    for (body, simulated, state, drive, mut external) in &mut bodies {
        let ExternalForces { forces, acting } = &mut *external;
        acting.clear();
        if *drive != Drive::Physics {
            continue;
        }
        if simulated.joints.is_empty() {
            // Nobody else writes forces of such a body anew.
            for &part in &simulated.parts {
                if let Some(part) = set.get_mut(part) {
                    part.reset_forces(false);
                    part.reset_torques(false);
                }
            }
        }
        for force in forces.iter() {
            let Some((point, wrench)) = force.at(clock.time(), body, state) else { continue };
            let (part, _) = simulated.rigid_body(force.link);
            if let Some(part) = set.get_mut(part) {
                part.add_force_at_point(to_vec3(&wrench.force), to_vec3(&point.coords), true);
                part.add_torque(to_vec3(&wrench.torque), true);
            }
            let lever = point.coords - state.link_poses[force.link.0].translation.vector;
            let torque = wrench.torque + lever.cross(&wrench.force);
            acting.push((force.link, Wrench { force: wrench.force, torque }));
        }
    }
    Ok(())
}
