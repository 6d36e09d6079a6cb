use bevy::prelude::*;
use bunraku_body::LinkIndex;
use bunraku_motion::Sequence;
use bunraku_physics::{ExternalForce, ExternalForces, ForceFrame};
use bunraku_simulation::SimulationClock;
use nalgebra::{Point3, Vector3};

/// A force and a torque on a link over time.
#[derive(Clone, Debug)]
pub struct ForceProfile {
    /// Link on which it acts.
    pub link: LinkIndex,
    /// Point of application, m, in the link frame; `None` is the centre of mass of the link.
    pub point: Option<Point3<f64>>,
    /// Axes of force and torque.
    pub frame: ForceFrame,
    /// Force (N) over time (s), interpolated linearly between frames and constant outside.
    pub force: Option<Sequence<Vector3<f64>>>,
    /// Torque (N·m) over time (s), interpolated like the force.
    pub torque: Option<Sequence<Vector3<f64>>>,
    /// Time from which it acts, s.
    pub start: f64,
    /// Time until which it acts, s.
    pub end: f64,
}

/// Forces over time on a body, which all act together. Insert it into a body entity.
///
/// A step uses the forces at its beginning; their direction and point are constant in the world during the step. They
/// are written to [`ExternalForces`] of the body in each step and overwrite forces from other sources.
#[derive(Component, Clone, Debug, Default, Reflect)]
#[reflect(opaque, Component)]
#[require(ExternalForces)]
pub struct ForceProfiles(pub Vec<ForceProfile>);

impl ForceProfile {
    /// Force in a step that begins at `time`, s; `None` if it does not act.
    fn at(&self, time: f64) -> Option<ExternalForce> {
        // A step that begins within rounding of the start or the end counts as being at it.
        let tolerance = 1e-9;
        if time < self.start - tolerance || time >= self.end - tolerance {
            return None;
        }
        let sample = |sequence: &Option<Sequence<Vector3<f64>>>| {
            let mut now = [Vector3::zeros()];
            if let Some(sequence) = sequence {
                sequence.sample(time, &mut now);
            }
            now[0]
        };
        let (force, torque) = (sample(&self.force), sample(&self.torque));
        Some(ExternalForce { link: self.link, point: self.point, frame: self.frame, force, torque })
    }
}

pub(crate) fn apply(clock: Res<SimulationClock>, mut bodies: Query<(&ForceProfiles, &mut ExternalForces)>) {
    for (ForceProfiles(profiles), mut forces) in &mut bodies {
        forces.forces.clear();
        forces.forces.extend(profiles.iter().filter_map(|profile| profile.at(clock.time())));
    }
}
