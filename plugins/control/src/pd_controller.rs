use std::sync::Arc;

use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;
use bunraku_body::{Body, BodyState, JointEfforts, JointIndex, JointTargets, Range};
use bunraku_motion::JointDisplacements;
use bunraku_physics::{EffortGains, Gains, GainsError, Teleported, is_limiting, limited_approach};
use bunraku_simulation::{SimulationClock, SimulationState};
use serde::{Deserialize, Serialize};

use crate::VelocityCommands;

/// Controls each joint by effort towards its reference: a motion, or else the initial displacements.
///
/// At step k, with reference r and displacement q, the effort is Kp·(rₖ − qₖ) + Kd·((rₖ − rₖ₋₁) − (qₖ − qₖ₋₁))/dt,
/// where the values before the first step equal those of the first: the torque law of Choreonoid's SR1 walk controller.
/// The actuation limits it to the model's effort range.
///
/// A controller that [follows targets](PdController::following_targets) takes its reference from [`JointTargets`]
/// instead.
///
/// The reference moves within the model's velocity range, starting at the initial displacement. This limits the
/// reference and not the joint, which may overshoot.
#[derive(Component, Clone, Debug, Reflect)]
#[reflect(opaque, Component)]
#[component(on_insert = show_gains)]
pub struct PdController {
    gains: EffortGains,
    reference: Reference,
    past: PdState,
    /// In joint order; `None` for a joint with an unlimited velocity range.
    velocity_ranges: Vec<Option<Range>>,
}

/// Source of the reference displacements of a [`PdController`].
#[derive(Clone, Debug)]
enum Reference {
    /// The displacements of the first step.
    Start,
    Motion(Arc<JointDisplacements>),
    /// [`JointTargets`], read in each step.
    Targets,
}

/// State of a [`PdController`] between steps; empty before the first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PdState {
    reference: Vec<f64>,
    previous_reference: Vec<f64>,
    previous_displacements: Vec<f64>,
}

impl SimulationState for PdController {
    type Saved = PdState;

    fn save(&self) -> PdState {
        self.past.clone()
    }

    fn restore(&mut self, saved: &PdState) {
        self.past.clone_from(saved);
    }
}

/// Physics reports the gains when a run diverges because of them.
fn show_gains(mut world: DeferredWorld<'_>, context: HookContext) {
    if let Some(controller) = world.get::<PdController>(context.entity) {
        let gains = controller.gains.clone();
        world.commands().entity(context.entity).insert(gains);
    }
}

impl PdController {
    /// A controller for `body` with one pair of gains for each joint, in joint order. Without a `motion` it holds
    /// the displacements of the first step.
    ///
    /// # Errors
    /// If the number of gains is not that of the joints.
    pub fn new(body: &Body, gains: Vec<Gains>, motion: Option<Arc<JointDisplacements>>) -> Result<Self, GainsError> {
        let gains = EffortGains::new(body, gains)?;
        let velocity_ranges = velocity_ranges(body);
        let reference = motion.map_or(Reference::Start, Reference::Motion);
        Ok(Self { gains, reference, past: PdState::default(), velocity_ranges })
    }

    /// Uses the displacements of [`JointTargets`] as reference instead of a motion, for systems that set targets in
    /// each step before [`FollowReferences`](crate::FollowReferences).
    #[must_use]
    pub fn following_targets(self) -> Self {
        Self { reference: Reference::Targets, ..self }
    }

    /// Reference displacements of the last step, rad or m, in joint order; empty before the first.
    pub fn reference(&self) -> &[f64] {
        &self.past.reference
    }

    /// The efforts for one step of `time_step` seconds that begins at `time` in `state`.
    fn efforts(
        &mut self,
        (time, time_step): (f64, f64),
        (state, targets): (&BodyState, &JointTargets),
        commands: Option<&VelocityCommands>,
        efforts: &mut [f64],
    ) {
        let displacements = &state.displacements;
        let PdState { reference: references, previous_reference, previous_displacements } = &mut self.past;
        let first = references.is_empty();
        if first {
            // Joints without data in the motion hold their displacement.
            references.extend_from_slice(displacements);
        }
        match &self.reference {
            Reference::Start => {}
            Reference::Motion(motion) => motion.sample(time, references),
            Reference::Targets => {
                for (reference, target) in references.iter_mut().zip(&targets.displacements) {
                    *reference = *target;
                }
            }
        }
        if let Some(commands) = commands {
            for (joint, reference) in references.iter_mut().enumerate() {
                *reference = commands.reference(joint).unwrap_or(*reference);
            }
        }
        if first {
            previous_reference.clone_from(references);
            let before = displacements.iter().zip(&state.velocities).map(|(now, velocity)| now - velocity * time_step);
            previous_displacements.extend(before);
        }
        let limited =
            self.velocity_ranges.iter().enumerate().filter_map(|(joint, range)| Some((joint, range.as_ref()?)));
        for (joint, range) in limited {
            let before = &mut previous_reference[joint];
            if first {
                // The motion may begin at another displacement.
                *before = displacements[joint];
            }
            references[joint] = limited_approach(range, *before, references[joint], time_step);
        }
        for (joint, gains) in self.gains.as_slice().iter().enumerate() {
            let (reference, displacement) = (references[joint], displacements[joint]);
            let reference_velocity = (reference - previous_reference[joint]) / time_step;
            let velocity = (displacement - previous_displacements[joint]) / time_step;
            efforts[joint] =
                gains.proportional * (reference - displacement) + gains.derivative * (reference_velocity - velocity);
        }
        previous_reference.copy_from_slice(references);
        previous_displacements.copy_from_slice(displacements);
    }
}

/// Velocity range of the reference of each joint.
fn velocity_ranges(body: &Body) -> Vec<Option<Range>> {
    let range = |joint| body.joint(JointIndex(joint)).map(|joint| joint.velocity_range).filter(is_limiting);
    (0..body.num_joints()).map(range).collect()
}

/// Resets the controller of a teleported body.
pub(crate) fn forget(teleported: On<Teleported>, mut controllers: Query<&mut PdController>) {
    if let Ok(mut controller) = controllers.get_mut(teleported.entity) {
        controller.past = PdState::default();
    }
}

pub(crate) fn control(
    clock: Res<SimulationClock>,
    mut bodies: Query<(&mut PdController, &BodyState, &JointTargets, &mut JointEfforts, Option<&VelocityCommands>)>,
) {
    for (mut controller, state, targets, mut efforts, commands) in &mut bodies {
        controller.efforts((clock.time(), clock.time_step()), (state, targets), commands, &mut efforts.0);
    }
}
