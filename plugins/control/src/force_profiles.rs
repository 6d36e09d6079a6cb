use bevy::prelude::*;
use bunraku_body::LinkIndex;
use bunraku_motion::Sequence;
use bunraku_physics::{ExternalForce, ExternalForces, ForceFrame};
use bunraku_simulation::SimulationClock;
use nalgebra::{Point3, Vector3};

/// A force and a torque on a link over time.
#[derive(Clone, Debug)]
pub struct ForceProfile {
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

/// Forces over time on a body: all of them act. Put it on a body entity.
///
/// A step takes the forces at its beginning, and they keep their direction and point in the world while it lasts. They are what
/// [`ExternalForces`] of the body are in each step; forces put there by others are overwritten.
#[derive(Component, Clone, Debug, Default, Reflect)]
#[reflect(opaque, Component)]
#[require(ExternalForces)]
pub struct ForceProfiles(pub Vec<ForceProfile>);

impl ForceProfile {
    /// The force in a step that begins at `time`, s; `None` where it does not act.
    fn at(&self, time: f64) -> Option<ExternalForce> {
        // A step that begins within rounding of the start or the end is at it.
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
