//! External forces on links.

use bevy::prelude::*;
use bunraku_body::dynamics::Wrench;
use bunraku_body::{BodyModel, BodyState, Drive, LinkIndex};
use nalgebra::{Point3, Vector3};
use serde::{Deserialize, Serialize};

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
    /// Force, N, and torque about the link origin, N·m, world axes.
    fn wrench(&self, body: &BodyModel, state: &BodyState) -> Option<Wrench> {
        let pose = state.link_poses.get(self.link.0)?;
        let turned = |vector: Vector3<f64>| match self.frame {
            ForceFrame::World => vector,
            ForceFrame::Link => pose.rotation * vector,
        };
        let point = pose * self.point.unwrap_or(body.0.link(self.link).mass.center_of_mass);
        let lever = point.coords - pose.translation.vector;
        let (force, torque) = (turned(self.force), turned(self.torque));
        Some(Wrench { force, torque: torque + lever.cross(&force) })
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

/// Finds the wrenches of a step.
pub(crate) fn find(mut bodies: Query<(&BodyModel, &BodyState, &Drive, &mut ExternalForces)>) {
    for (body, state, drive, mut external) in &mut bodies {
        let ExternalForces { forces, acting } = &mut *external;
        acting.clear();
        if *drive == Drive::Physics {
            acting.extend(forces.iter().filter_map(|force| Some((force.link, force.wrench(body, state)?))));
        }
    }
}
