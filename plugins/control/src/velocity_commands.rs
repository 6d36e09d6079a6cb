use bevy::prelude::*;
use bunraku_body::{Body, BodyModel, BodyState, JointIndex, JointTargets};
use bunraku_motion::Sequence;
use bunraku_physics::{JointLimits, Teleported, limit_velocity};
use bunraku_simulation::{SimulationClock, SimulationState};

/// Velocities commanded at some joints of a body, instead of those of its motion.
///
/// A servo or a [`PdController`](crate::PdController) follows the integrated displacement, starting at that of the
/// joint; the surface of a pseudo continuous track moves at the velocity. Commands are clamped to the velocity range of
/// the joint, and with [`JointLimits::Enforce`] the displacement is clamped to the displacement range.
#[derive(Component, Clone, Debug, Reflect)]
#[reflect(opaque, Component)]
pub struct VelocityCommands {
    /// In joint order.
    commands: Vec<Option<Sequence<f64>>>,
    /// Integrated displacements; empty before the first step.
    displacements: Vec<f64>,
}

impl SimulationState for VelocityCommands {
    /// Integrated displacements.
    type Saved = Vec<f64>;

    fn save(&self) -> Vec<f64> {
        self.displacements.clone()
    }

    fn restore(&mut self, saved: &Vec<f64>) {
        self.displacements.clone_from(saved);
    }
}

impl VelocityCommands {
    /// One command for each entry of the joint vector, rad/s or m/s over time (s); `None` for joints without a command.
    /// Values are interpolated linearly between frames and constant outside.
    pub fn new(commands: Vec<Option<Sequence<f64>>>) -> Self {
        Self { commands, displacements: Vec::new() }
    }

    /// Current reference displacement of a joint, rad or m, if it is commanded.
    pub(crate) fn reference(&self, joint: usize) -> Option<f64> {
        self.commands.get(joint)?.as_ref()?;
        self.displacements.get(joint).copied()
    }

    /// Advances by a step that begins at `time`.
    fn advance(
        &mut self,
        (body, limits): (&Body, JointLimits),
        state: &BodyState,
        (time, time_step): (f64, f64),
        targets: &mut JointTargets,
    ) {
        if self.displacements.is_empty() {
            self.displacements.clone_from(&state.displacements);
        }
        for (place, command) in self.commands.iter().enumerate() {
            let (Some(command), Some(joint)) = (command, body.joint(JointIndex(place))) else { continue };
            let (Some(displacement), Some(target), Some(velocity)) = (
                self.displacements.get_mut(place),
                targets.displacements.get_mut(place),
                targets.velocities.get_mut(place),
            ) else {
                continue;
            };
            let mut wanted = [0.0];
            command.sample(time, &mut wanted);
            *velocity = limit_velocity(&joint.velocity_range, wanted[0]);
            let next = *displacement + *velocity * time_step;
            let range = &joint.displacement_range;
            // The displacement may begin outside the range and enter it.
            let leaves = (next > range.upper && next > *displacement) || (next < range.lower && next < *displacement);
            if limits == JointLimits::Enforce && leaves && joint.kind.has_displacement() {
                *velocity = 0.0;
            } else {
                *displacement = next;
            }
            *target = *displacement;
        }
    }
}

/// Resets the commands of a teleported body.
pub(crate) fn forget(teleported: On<Teleported>, mut commands: Query<&mut VelocityCommands>) {
    if let Ok(mut commands) = commands.get_mut(teleported.entity) {
        commands.displacements.clear();
    }
}

/// Writes the commands of a step to the targets, replacing those of a motion.
pub(crate) fn command_velocities(
    clock: Res<SimulationClock>,
    mut bodies: Query<(&BodyModel, &BodyState, &mut VelocityCommands, &mut JointTargets, Option<&JointLimits>)>,
) {
    for (BodyModel(body), state, mut commands, mut targets, limits) in &mut bodies {
        let limits = limits.copied().unwrap_or_default();
        commands.advance((body, limits), state, (clock.time(), clock.time_step()), &mut targets);
    }
}
