//! Deviations from the laws of contacts, limits and closures.

use std::collections::BTreeMap;

use bevy::prelude::*;
use bunraku_body::{BodyModel, LinkIndex};

use super::joint_name::JointName;

/// A law that constraints keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConstraintLaw {
    /// Contacts do not penetrate: the error is the velocity with which surfaces approach that should not, m/s.
    Penetration,
    /// Contacts do not pull: the error is the velocity with which surfaces part that still push each other, m/s.
    Separation,
    /// Friction is within its cone: the error is the excess, N, and the velocity that it makes, m/s.
    FrictionCone,
    /// Contacts whose friction is inside its cone stick: the error is the velocity of their slip, m/s.
    Sticking,
    /// Joints keep their enforced ranges, hard velocity limits and dry friction: the error is a velocity, rad/s or m/s.
    Joint,
    /// Extra joints hold their ends together: the error is a velocity, rad/s or m/s.
    Closure,
}

impl ConstraintLaw {
    /// The name in files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Penetration => "penetration",
            Self::Separation => "separation",
            Self::FrictionCone => "friction_cone",
            Self::Sticking => "sticking",
            Self::Joint => "joint",
            Self::Closure => "closure",
        }
    }
}

/// The largest deviation from each law after a step so far, of [`JointSolver::Multibody`](crate::JointSolver::Multibody).
///
/// The solver iterates until all are below [`ConstraintErrors::TOLERANCE`]. Larger ones are left where many contacts slide at once
/// or bodies jam, and in a step that reaches the limit of iterations.
#[derive(Resource, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(opaque, Resource)]
pub struct ConstraintErrors(BTreeMap<ConstraintLaw, ConstraintError>);

/// A deviation from a law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConstraintError {
    /// m/s or rad/s.
    pub velocity: f64,
    /// Friction beyond the cone, N; `None` of other laws.
    pub force: Option<f64>,
    /// Simulated time at the end of the step, s.
    pub time: f64,
    constraint: ConstraintName,
}

/// Identifies a constraint in a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ConstraintName {
    /// Body and link on either side of a contact; `None` for a collider of no body.
    Contact([Option<(Entity, LinkIndex)>; 2]),
    Joint(JointName),
}

impl ConstraintErrors {
    /// Errors up to this are normal, m/s or rad/s.
    pub const TOLERANCE: f64 = 1e-6;

    /// The errors by law.
    pub fn iter(&self) -> impl Iterator<Item = (ConstraintLaw, &ConstraintError)> {
        self.0.iter().map(|(law, error)| (*law, error))
    }

    /// The largest error of all laws, m/s or rad/s.
    pub fn largest(&self) -> f64 {
        self.0.values().map(|error| error.velocity).fold(0.0, f64::max)
    }

    /// Adds an error of a step, whose constraint is found if it is the largest so far.
    pub(crate) fn add(
        &mut self,
        law: ConstraintLaw,
        velocity: f64,
        force: Option<f64>,
        time: f64,
        constraint: impl FnOnce() -> Option<ConstraintName>,
    ) {
        if velocity > self.0.get(&law).map_or(0.0, |known| known.velocity)
            && let Some(constraint) = constraint()
        {
            self.0.insert(law, ConstraintError { velocity, force, time, constraint });
        }
    }
}

impl ConstraintError {
    /// The constraint in words, by the names of bodies in the scene: "`Arm/HAND` on `Box`", "joint `ELBOW` of `Arm`".
    pub fn constraint_name(&self, world: &World) -> String {
        let link_name = |side: Option<(Entity, LinkIndex)>| {
            let Some((body, link)) = side else { return "a collider that is not of a body".to_owned() };
            let model = world.get::<BodyModel>(body).map(|model| &model.0);
            model.map_or_else(|| "a body".to_owned(), |model| link_name(model, world.get::<Name>(body), link))
        };
        match self.constraint {
            ConstraintName::Contact([first, second]) => format!("{} on {}", link_name(first), link_name(second)),
            ConstraintName::Joint(joint) => joint.in_world(world),
        }
    }
}

/// A link in messages: `Arm/HAND`, or the body alone if it has one link.
pub(crate) fn link_name(model: &bunraku_body::Body, name: Option<&Name>, link: LinkIndex) -> String {
    let name = name.map_or(model.name.as_str(), Name::as_str);
    if model.links().len() == 1 { format!("`{name}`") } else { format!("`{name}/{}`", model.link(link).name) }
}
