use std::sync::Arc;

use bevy::prelude::*;
use bunraku_body::simulation::SimulationClock;
use bunraku_body::{Body, BodyState, JointEfforts};
use bunraku_motion::JointDisplacements;

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
#[derive(Component, Clone, Debug)]
pub struct PdController {
    gains: Vec<Gains>,
    motion: Option<Arc<JointDisplacements>>,
    reference: Vec<f64>,
    previous_reference: Vec<f64>,
    previous_displacements: Vec<f64>,
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
        })
    }

    /// One pair for each place of the joint vector.
    pub(crate) fn gains(&self) -> &[Gains] {
        &self.gains
    }

    /// The efforts for one step of `time_step` seconds that begins at `time` with the joints at `displacements`.
    fn efforts(&mut self, time: f64, time_step: f64, displacements: &[f64], efforts: &mut [f64]) {
        let first = self.reference.is_empty();
        if first {
            // Joints the motion does not reach keep their place.
            self.reference.extend_from_slice(displacements);
        }
        if let Some(motion) = &self.motion {
            motion.sample(time, &mut self.reference);
        }
        if first {
            self.previous_reference.clone_from(&self.reference);
            self.previous_displacements.extend_from_slice(displacements);
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

pub(crate) fn control(
    clock: Res<SimulationClock>,
    mut bodies: Query<(&mut PdController, &BodyState, &mut JointEfforts)>,
) {
    for (mut controller, state, mut efforts) in &mut bodies {
        controller.efforts(clock.time(), clock.time_step(), &state.displacements, &mut efforts.0);
    }
}
