use std::sync::Arc;

use bevy::prelude::*;
use bunraku_body::simulation::SimulationClock;
use bunraku_body::{Body, BodyState, JointEfforts, JointIndex, Range};
use bunraku_motion::JointDisplacements;

use crate::VelocityCommands;
use crate::velocity_limits::{approached, is_limiting};

/// Gains of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gains {
    /// Effort per displacement error, N·m/rad or N/m, not negative.
    pub proportional: f64,
    /// Effort per velocity error, N·m·s/rad or N·s/m, not negative.
    pub derivative: f64,
}

/// Why gains do not fit a body.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there are {found} pairs of gains for {expected} joints")]
pub struct GainsError {
    /// Gains given.
    pub found: usize,
    /// Places in the body's joint vector.
    pub expected: usize,
}

/// Holds each joint at its reference by effort: a motion, or else the displacements it starts with.
///
/// At step k, with reference r and displacement q, the effort is
/// Kp·(rₖ − qₖ) + Kd·((rₖ − rₖ₋₁) − (qₖ − qₖ₋₁))/dt, where the values before the first step equal those of the first:
/// the torque law of Choreonoid's SR1 walk controller. The actuation limits it to the model's effort range.
///
/// The reference moves no faster than the model's velocity range allows, and from where the joint starts on. That bounds what
/// is asked for and not what the joint does: an effort may make it overshoot.
#[derive(Component, Clone, Debug)]
pub struct PdController {
    gains: Vec<Gains>,
    motion: Option<Arc<JointDisplacements>>,
    reference: Vec<f64>,
    previous_reference: Vec<f64>,
    previous_displacements: Vec<f64>,
    /// In joint order; `None` for a joint whose velocity range bounds nothing.
    velocity_ranges: Vec<Option<Range>>,
}

impl PdController {
    /// A controller for `body` with one pair of gains for each place of its joint vector. Without a `motion` it holds
    /// the displacements of the first step.
    ///
    /// # Errors
    /// If the number of gains is not that of the joints.
    pub fn new(body: &Body, gains: Vec<Gains>, motion: Option<Arc<JointDisplacements>>) -> Result<Self, GainsError> {
        if gains.len() != body.num_joints() {
            return Err(GainsError { found: gains.len(), expected: body.num_joints() });
        }
        Ok(Self {
            gains,
            motion,
            reference: Vec::new(),
            previous_reference: Vec::new(),
            previous_displacements: Vec::new(),
            velocity_ranges: velocity_ranges(body),
        })
    }

    /// One pair for each place of the joint vector.
    pub(crate) fn gains(&self) -> &[Gains] {
        &self.gains
    }

    /// The efforts for one step of `time_step` seconds that begins at `time` in `state`.
    fn efforts(
        &mut self,
        (time, time_step): (f64, f64),
        state: &BodyState,
        commands: Option<&VelocityCommands>,
        efforts: &mut [f64],
    ) {
        let displacements = &state.displacements;
        let first = self.reference.is_empty();
        if first {
            // Joints the motion does not reach keep their place.
            self.reference.extend_from_slice(displacements);
        }
        if let Some(motion) = &self.motion {
            motion.sample(time, &mut self.reference);
        }
        if let Some(commands) = commands {
            for (joint, reference) in self.reference.iter_mut().enumerate() {
                *reference = commands.reference(joint).unwrap_or(*reference);
            }
        }
        if first {
            self.previous_reference.clone_from(&self.reference);
            let before = displacements.iter().zip(&state.velocities).map(|(now, velocity)| now - velocity * time_step);
            self.previous_displacements.extend(before);
        }
        let limited =
            self.velocity_ranges.iter().enumerate().filter_map(|(joint, range)| Some((joint, range.as_ref()?)));
        for (joint, range) in limited {
            let before = &mut self.previous_reference[joint];
            if first {
                // The motion may begin elsewhere.
                *before = displacements[joint];
            }
            self.reference[joint] = approached(range, *before, self.reference[joint], time_step);
        }
        for (joint, gains) in self.gains.iter().enumerate() {
            let (reference, displacement) = (self.reference[joint], displacements[joint]);
            let reference_velocity = (reference - self.previous_reference[joint]) / time_step;
            let velocity = (displacement - self.previous_displacements[joint]) / time_step;
            efforts[joint] =
                gains.proportional * (reference - displacement) + gains.derivative * (reference_velocity - velocity);
        }
        self.previous_reference.copy_from_slice(&self.reference);
        self.previous_displacements.copy_from_slice(displacements);
    }
}

/// For each joint the velocity range that its reference has to keep.
fn velocity_ranges(body: &Body) -> Vec<Option<Range>> {
    let range = |place| body.joint(JointIndex(place)).map(|joint| joint.velocity_range).filter(is_limiting);
    (0..body.num_joints()).map(range).collect()
}

pub(crate) fn control(
    clock: Res<SimulationClock>,
    mut bodies: Query<(&mut PdController, &BodyState, &mut JointEfforts, Option<&VelocityCommands>)>,
) {
    for (mut controller, state, mut efforts, commands) in &mut bodies {
        controller.efforts((clock.time(), clock.time_step()), state, commands, &mut efforts.0);
    }
}
