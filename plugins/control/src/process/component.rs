use std::sync::Arc;

use bevy::prelude::*;
use bunraku_body::dynamics::Twist;
use bunraku_body::{Body, BodyModel, BodyState, JointEfforts, JointTargets};
use bunraku_physics::{InitialTwist, LinkMotions};
use bunraku_simulation::{SimulationClock, SimulationFault, SimulationState, SimulationStatus, SimulationWarnings};
use serde::{Deserialize, Serialize};

use super::child::{ProcessError, Program};
use super::description::describe;
use super::layout::{self, Commands, State};
use super::settings::{ControllerProcess, ProcessOutput};

/// Lets a program control the joints of a body.
///
/// The program starts with the first step. It reads a description of the body, and then in each control period the state
/// at the beginning of a step, and writes the commands for it. A program that ends, that does not reply in time or whose
/// reply has no meaning ends the simulation with [`SimulationStatus::Failed`]. It ends with the entity.
///
/// A snapshot does not contain the memory of the program. If one of another moment is restored, the program is started
/// again at that moment, with a warning unless that is the beginning.
#[derive(Component)]
#[require(LinkMotions)]
pub struct ProcessController {
    process: Arc<ControllerProcess>,
    program: Option<Program>,
    past: ProcessState,
    message: Vec<u8>,
}

/// State of a [`ProcessController`] between steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProcessState {
    /// Number of states that the program has replied to.
    exchanges: u64,
    commands: Commands,
}

impl SimulationState for ProcessController {
    type Saved = ProcessState;

    fn save(&self) -> ProcessState {
        self.past.clone()
    }

    fn restore(&mut self, saved: &ProcessState) {
        if saved.exchanges != self.past.exchanges {
            self.program = None;
        }
        self.past.clone_from(saved);
    }
}

/// The state of a body and the clock at the beginning of a step.
struct Moment<'a> {
    body: &'a Body,
    name: &'a str,
    state: State<'a>,
    time_step: f64,
}

impl ProcessController {
    /// A controller that runs this program.
    pub fn new(process: Arc<ControllerProcess>) -> Self {
        Self { process, program: None, past: ProcessState::default(), message: Vec::new() }
    }

    /// Sends the state and keeps the commands of the reply.
    fn exchange(&mut self, Moment { body, name, state, time_step }: &Moment<'_>) -> Result<(), ProcessError> {
        let process = &*self.process;
        self.message.clear();
        let program = match &mut self.program {
            Some(program) => program,
            none => {
                let text = describe((body, name), process, (state.time, *time_step)).map_err(std::io::Error::from)?;
                layout::encode_text(&text, process.layout, &mut self.message)?;
                none.insert(Program::start(process)?)
            }
        };
        state.encode(process.layout, &mut self.message)?;
        self.past.commands = program.exchange(process, body.num_joints(), &self.message)?;
        self.past.exchanges += 1;
        Ok(())
    }

    /// Writes the commands of the last reply.
    fn command(&self, efforts: &mut JointEfforts, targets: &mut JointTargets) {
        let Commands { values, velocities } = &self.past.commands;
        match self.process.output {
            ProcessOutput::Effort => efforts.0.clone_from(values),
            ProcessOutput::Velocity => targets.velocities.clone_from(values),
            ProcessOutput::Displacement => {
                targets.displacements.clone_from(values);
                match velocities.is_empty() {
                    true => targets.velocities.fill(0.0),
                    false => targets.velocities.clone_from(velocities),
                }
            }
        }
    }
}

type Controlled<'a> = (
    Entity,
    &'a mut ProcessController,
    (&'a BodyModel, Option<&'a Name>, &'a BodyState, &'a LinkMotions, Option<&'a InitialTwist>),
    (&'a mut JointEfforts, &'a mut JointTargets),
);

pub(crate) fn control(
    clock: Res<SimulationClock>,
    mut status: ResMut<SimulationStatus>,
    mut warnings: ResMut<SimulationWarnings>,
    mut bodies: Query<Controlled<'_>>,
) {
    for (entity, mut controller, (BodyModel(body), name, state, motions, initial), (mut efforts, mut targets)) in
        &mut bodies
    {
        let name = name.map_or(body.name.as_str(), Name::as_str);
        if clock.step().is_multiple_of(controller.process.period.max(1)) {
            let measured = motions.twists().first();
            let twist = measured.or(initial.map(|InitialTwist(twist)| twist)).copied().unwrap_or(Twist::ZERO);
            let BodyState { link_poses, displacements, velocities } = state;
            let Some(root) = link_poses.first() else { continue };
            let state = State { step: clock.step(), time: clock.time(), displacements, velocities, root, twist };
            if controller.program.is_none() && controller.past.exchanges > 0 {
                warnings.add(entity, "ProcessController", || {
                    let program = controller.process.quoted();
                    format!("the controller of `{name}` ({program}) was started again without its memory of the run")
                });
            }
            let moment = Moment { body, name, state, time_step: clock.time_step() };
            if let Err(error) = controller.exchange(&moment) {
                let message = format!("the controller of `{name}` ({}) {error}", controller.process.quoted());
                *status = SimulationStatus::Failed(SimulationFault { time: clock.time(), message });
                // It ends now, not when the world does.
                controller.program = None;
                return;
            }
        }
        controller.command(&mut efforts, &mut targets);
    }
}
