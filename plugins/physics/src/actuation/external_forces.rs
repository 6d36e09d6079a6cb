//! External forces on links.

use bevy::prelude::*;
use bevy_rapier3d::prelude::RapierRigidBodySet;
use bunraku_body::dynamics::Wrench;
use bunraku_body::{BodyModel, BodyState, Drive, LinkIndex};
use nalgebra::{Point3, Vector3};
use serde::{Deserialize, Serialize};

use crate::model::simulated_body::SimulatedBody;
use crate::world::convert::to_vec3;

/// The axes along which a force is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ForceFrame {
    /// World axes.
    #[default]
    World,
    /// Axes of the link: the force turns with it.
    Link,
}

/// A force and a torque on a link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExternalForce {
    /// The link.
    pub link: LinkIndex,
    /// Point of application, m, in the link frame; `None` is the centre of mass of the link.
    pub point: Option<Point3<f64>>,
    /// The axes of force and torque.
    pub frame: ForceFrame,
    /// N
    pub force: Vector3<f64>,
    /// N·m
    pub torque: Vector3<f64>,
}

impl ExternalForce {
    /// Point of application, m, force, N, and torque, N·m, in the world.
    fn in_world(&self, body: &BodyModel, state: &BodyState) -> Option<(Point3<f64>, Wrench)> {
        let pose = state.link_poses.get(self.link.0)?;
        let turned = |vector: Vector3<f64>| match self.frame {
            ForceFrame::World => vector,
            ForceFrame::Link => pose.rotation * vector,
        };
        let point = pose * self.point.unwrap_or(body.0.link(self.link).mass.center_of_mass);
        Some((point, Wrench { force: turned(self.force), torque: turned(self.torque) }))
    }
}

/// External forces on the links of a body; a component of the body entity. They act until they are changed.
///
/// Direction and point of application in the world are those of the beginning of each step.
#[derive(Component, Clone, Debug, Default, PartialEq, Serialize, Deserialize, Reflect)]
#[reflect(opaque, Component)]
pub struct ExternalForces {
    /// Forces; all of them act.
    pub forces: Vec<ExternalForce>,
    /// Wrenches of this step about the link origin, world axes.
    #[serde(skip)]
    acting: Vec<(LinkIndex, Wrench)>,
}

impl ExternalForces {
    /// External forces that act from the next step on.
    pub fn new(forces: Vec<ExternalForce>) -> Self {
        Self { forces, acting: Vec::new() }
    }

    /// Wrenches of the last step by link: force, N, and torque about the link origin, N·m, world axes. A link may be listed
    /// several times.
    pub fn acting(&self) -> &[(LinkIndex, Wrench)] {
        &self.acting
    }
}

/// Adds the forces of a step to rapier's bodies.
pub(crate) fn apply(
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
            // The forces of a body with joints are reset where its motors are set.
            for &part in &simulated.parts {
                if let Some(part) = set.get_mut(part) {
                    part.reset_forces(false);
                    part.reset_torques(false);
                }
            }
        }
        for force in forces.iter() {
            let Some((point, wrench)) = force.in_world(body, state) else { continue };
            let (part, _) = simulated.rigid_body(force.link);
            if let Some(part) = set.get_mut(part) {
                part.add_force_at_point(to_vec3(&wrench.force), to_vec3(&point.coords), true);
                part.add_torque(to_vec3(&wrench.torque), true);
            }
            let lever = point.coords - state.link_pose(force.link).translation.vector;
            let torque = wrench.torque + lever.cross(&wrench.force);
            acting.push((force.link, Wrench { force: wrench.force, torque }));
        }
    }
    Ok(())
}
