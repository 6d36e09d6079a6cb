//! Motion of a body in the step that has just ended, and exact values of the vectors that sensors measure.

use bunraku_body::dynamics::Wrench;
use bunraku_body::{Body, BodyState, Drive, JointKind, LinkIndex};
use bunraku_motion::MotionPlayer;
use bunraku_physics::{JointReadings, JointSolver, LinkMotions};
use nalgebra::{Isometry3, Vector3};

use super::link_motions::{PastMotion, amid_step, of_player, reaction};
use super::reading::Measurement;
use crate::{
    ChannelState, ForceReading, LinkMotion, Sensor, SensorKind, Values, ValuesKind, angular_velocity, force_reading,
    specific_force,
};

/// Exact values of the at most two vectors that a sensor measures.
pub(super) fn exact(sensor: &Sensor, moving: &mut Moving<'_>) -> [Vector3<f64>; 2] {
    let Sensor { link, mounting, .. } = sensor;
    let none = Vector3::zeros();
    match &sensor.kind {
        SensorKind::Acceleration(_) => {
            let motion = moving.motion(link.0);
            [specific_force(mounting, &moving.mean(&motion), moving.gravity), none]
        }
        SensorKind::RateGyro(_) => [angular_velocity(mounting, &moving.motion(link.0)), none],
        SensorKind::Imu { .. } => {
            let motion = moving.motion(link.0);
            let force = specific_force(mounting, &moving.mean(&motion), moving.gravity);
            [force, angular_velocity(mounting, &motion)]
        }
        SensorKind::Force { .. } => {
            let reaction = moving.reaction(*link);
            let motion = moving.motion(link.0);
            let ForceReading { force, torque } = force_reading(mounting, &moving.mean(&motion).pose, &reaction);
            [force, torque]
        }
        SensorKind::Magnetometer { environment, .. } => {
            [(moving.pose(link.0) * mounting).rotation.inverse() * environment.magnetic_field, none]
        }
        SensorKind::Gnss { .. } => {
            let motion = moving.motion(link.0);
            let lever = motion.pose.rotation * mounting.translation.vector;
            [motion.pose.translation.vector + lever, motion.twist.velocity_at(&lever)]
        }
        SensorKind::Barometer { environment, .. } => {
            let height = (moving.pose(link.0) * mounting).translation.z;
            [Vector3::new(environment.pressure(height), 0.0, 0.0), none]
        }
        SensorKind::Touch { .. } => {
            [(moving.pose(link.0) * mounting).rotation.inverse() * moving.touching(*link).force, none]
        }
        SensorKind::Range(_) | SensorKind::Camera(_) | SensorKind::Encoder(..) => [none; 2],
    }
}

/// Values behind the filters of a sensor.
pub(super) fn filter(
    sensor: &Sensor,
    mut values: [Vector3<f64>; 2],
    step: f64,
    states: &mut [ChannelState; 2],
) -> [Vector3<f64>; 2] {
    for ((channel, value), state) in sensor.kind.channels().into_iter().zip(&mut values).zip(states) {
        if let Some(channel) = channel {
            *value = channel.filter(*value, step, state);
        }
    }
    values
}

/// The measurement of a sensor of vectors; `None` for other sensors.
pub(super) fn of_vectors(kind: &SensorKind, [first, second]: [Vector3<f64>; 2]) -> Option<Measurement> {
    let values = |kind, numbers: Vec<f64>| Measurement::Values(Values { kind, numbers });
    Some(match kind {
        SensorKind::Acceleration(_) => Measurement::Acceleration(first),
        SensorKind::RateGyro(_) => Measurement::AngularVelocity(first),
        SensorKind::Imu { .. } => Measurement::Imu { acceleration: first, angular_velocity: second },
        SensorKind::Force { .. } => Measurement::Force(ForceReading { force: first, torque: second }),
        SensorKind::Magnetometer { .. } => values(ValuesKind::Magnetometer, first.iter().copied().collect()),
        SensorKind::Gnss { environment, .. } => {
            let [latitude, longitude, altitude] = environment.geodetic(&first);
            let place = [latitude.to_degrees(), longitude.to_degrees(), altitude];
            values(ValuesKind::Gnss, place.into_iter().chain(second.iter().copied()).collect())
        }
        SensorKind::Touch { threshold, .. } => {
            let force = first.norm();
            values(ValuesKind::TouchSensor, vec![f64::from(u8::from(force > *threshold)), force])
        }
        SensorKind::Barometer { .. } => values(ValuesKind::Barometer, vec![first.x]),
        SensorKind::Range(_) | SensorKind::Camera(_) | SensorKind::Encoder(..) => return None,
    })
}

/// Whether physics provides readings of a dynamic body. Our solver leaves out bodies that cannot move at all.
pub(super) fn is_measured_by_physics(body: &Body, joints: JointSolver) -> bool {
    let moves = |kind: JointKind| kind == JointKind::Free || kind.has_displacement();
    joints != JointSolver::Multibody || body.links().iter().any(|link| moves(link.joint.kind))
}

/// Motion of a body in the step that has just ended.
pub(super) struct Moving<'a> {
    pub body: &'a Body,
    pub state: &'a BodyState,
    pub step: f64,
    pub gravity: &'a Vector3<f64>,
    pub drive: Drive,
    pub motions: Option<&'a LinkMotions>,
    pub readings: Option<&'a JointReadings>,
    pub player: Option<&'a MotionPlayer>,
    pub past: Option<&'a PastMotion>,
    /// Whether physics provides its motion and joint loads.
    pub is_by_forces: bool,
    /// Wrenches of contacts on the links about their origins, world axes; missing ones are zero.
    pub touching: &'a [Wrench],
    /// External wrenches, each on a link about its origin, world axes.
    pub external: &'a [(LinkIndex, Wrench)],
    /// Link motions of a body that is not dynamic, computed on first use.
    pub found: Option<Vec<LinkMotion>>,
}

impl Moving<'_> {
    /// Whether there is anything to measure yet.
    pub fn is_known(&self) -> bool {
        let measured = |motions: &LinkMotions| motions.twists().len() == self.state.link_poses.len();
        !self.is_by_forces || self.motions.is_some_and(measured)
    }

    /// Motions of all links of a body that is not dynamic.
    fn of_others(&mut self) -> &[LinkMotion] {
        self.found.get_or_insert_with(|| match (self.drive, self.player) {
            (Drive::Motion, Some(player)) => of_player(self.body, player, self.state, self.step),
            _ => self.past.map(|past| past.of_states(&self.state.link_poses, self.step)).unwrap_or_default(),
        })
    }

    /// Pose of a link at the end of the step.
    pub fn pose(&self, link: usize) -> Isometry3<f64> {
        self.state.link_poses.get(link).copied().unwrap_or_default()
    }

    /// Motion of a link at the end of the step.
    fn motion(&mut self, link: usize) -> LinkMotion {
        let pose = self.pose(link);
        let still = LinkMotion { pose, twist: Default::default(), acceleration: Default::default() };
        if let Some(motions) = self.motions.filter(|_| self.is_by_forces) {
            let twist = motions.twists().get(link).copied().unwrap_or_default();
            let acceleration = motions.accelerations().get(link).copied().unwrap_or_default();
            return LinkMotion { pose, twist, acceleration };
        }
        self.of_others().get(link).copied().unwrap_or(still)
    }

    /// Motion of a link for forces and accelerations, given that at the end of the step: for a dynamic body the mean over
    /// the step.
    fn mean(&self, motion: &LinkMotion) -> LinkMotion {
        if self.is_by_forces {
            amid_step(&motion.pose, &motion.twist, &motion.acceleration, self.step)
        } else {
            *motion
        }
    }

    /// Wrench of contacts on a link about its origin, world axes.
    fn touching(&self, link: LinkIndex) -> Wrench {
        self.touching.get(link.0).copied().unwrap_or_default()
    }

    /// Wrench of the parent on a link, about the link origin, world axes.
    fn reaction(&mut self, link: LinkIndex) -> Wrench {
        if let Some(readings) = self.readings.filter(|_| self.is_by_forces) {
            return readings.reactions().get(link.0).copied().unwrap_or_default();
        }
        let (body, gravity, touching, external) = (self.body, self.gravity, self.touching, self.external);
        let outside = |link: LinkIndex| {
            let acting = external.iter().filter(|(other, _)| *other == link);
            acting.fold(touching.get(link.0).copied().unwrap_or_default(), |sum, (_, more)| Wrench {
                force: sum.force + more.force,
                torque: sum.torque + more.torque,
            })
        };
        reaction(body, self.of_others(), link, gravity, outside)
    }
}
