//! Sensors on the bodies of a running simulation.

mod balance_log;
mod body_sensors;
mod contact_log;
mod contact_wrenches;
mod delivery;
mod joint_log;
mod link_motions;
mod look;
mod mcap_recorder;
mod measure;
mod moving;
mod reading;
mod sensor_log;
mod visual_models;
mod visual_scene;

use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use bunraku_simulation::{
    RecordSystems, RegisterSimulationState, SimulationPlugin, SimulationStart, SimulationStep, SimulationSystems,
};

pub use balance_log::{BalanceLog, BalanceLogPlugin};
pub use body_sensors::{BodySensors, DeviceSwitches, RayThreads, ScenePainter, SensorEntities, SensorModel, SensorOf};
pub use contact_log::{ContactLog, ContactLogPlugin};
pub use joint_log::{JointChannels, JointLog, JointLogPlugin};
pub use mcap_recorder::{McapRecorder, MessagePublisher};
pub use reading::{Measured, Measurement, Sample, SensorReading, Shared};
pub use sensor_log::SensorLog;
pub use visual_models::VisualModels;

use body_sensors::{Looks, SensorState, StepStart, Visible};
use contact_wrenches::{ContactWrenches, FeltContacts};
use link_motions::PastMotion;
pub use visual_scene::SurroundingLight;
use visual_scene::VisualScene;

/// Sensors on bodies. Insert [`BodySensors`] into a body entity, and each of its sensors becomes an entity with its
/// last [`SensorReading`].
///
/// Sensors measure in [`SimulationSystems::Sense`], each at its own rate: the state at the end of the step. Cameras and
/// range sensors also measure the initial state. Measurements of motion and force sensors refer to a step, so they
/// begin with the first. [`Measured`] is also sent as a message.
///
/// Needs [`bunraku_body::BodyPlugin`]; for bodies that play motions [`bunraku_motion::MotionPlugin`], for dynamic
/// bodies [`bunraku_physics::PhysicsPlugin`].
///
/// ```
/// use bevy::prelude::*;
/// use bunraku_sensors::{Measured, Measurement, SensorReading};
///
/// fn print(mut measured: MessageReader<Measured>, names: Query<&Name>) {
///     for Measured { sensor, sample } in measured.read() {
///         if let Measurement::Imu { angular_velocity, .. } = &sample.measurement {
///             println!("{:?} at {} s: {angular_velocity}", names.get(*sensor).ok(), sample.time);
///         }
///     }
/// }
///
/// let mut app = App::new();
/// app.add_message::<Measured>().add_systems(Update, print);
/// # app.update();
/// ```
pub struct SensorsPlugin;

/// The part of [`RecordSystems::Readings`] that writes sensor logs.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RecordSensors;

impl Plugin for SensorsPlugin {
    fn build(&self, app: &mut App) {
        SimulationPlugin::ensure(app);
        app.init_resource::<RayThreads>()
            .init_resource::<VisualModels>()
            .init_resource::<VisualScene>()
            .init_resource::<SurroundingLight>()
            .add_message::<Measured>()
            .register_simulation_state::<DeviceSwitches>()
            .register_simulation_state::<SensorState>()
            .register_simulation_state::<SensorReading>()
            .register_simulation_state::<PastMotion>()
            .register_simulation_state::<StepStart>()
            .ignore_simulation_state::<Visible>("sensors that need it are not removed by a step")
            .ignore_simulation_state::<FeltContacts>("sensors that need it are not removed by a step")
            .ignore_simulation_state::<Looks>("a property of a sensor")
            .ignore_simulation_state::<ContactWrenches>("added up in each step before they are read")
            .ignore_simulation_state::<VisualModels>("made of the models of bodies")
            .ignore_simulation_state::<SurroundingLight>("no step writes it")
            .ignore_simulation_state::<VisualScene>("it is made of the states of the bodies")
            .ignore_simulation_state::<Messages<Measured>>("messages are not repeated")
            .ignore_simulation_state::<SensorLog>("a log goes on with the samples that come")
            .ignore_simulation_state::<McapRecorder>("a log goes on with the samples that come")
            .ignore_simulation_state::<MessagePublisher>("messages that are sent cannot be taken back")
            .add_observer(sensor_log::finish_with_sensor)
            .add_observer(sensor_log::rewind)
            .add_observer(mcap_recorder::rewind)
            .add_observer(body_sensors::spawn)
            .add_observer(body_sensors::despawn);
        for schedule in [SimulationStep.intern(), SimulationStart.intern()] {
            let looking = (look::look, body_sensors::keep_poses).chain().run_if(resource_exists::<Visible>);
            let sensing = (contact_wrenches::add_up.run_if(resource_exists::<FeltContacts>), measure::measure, looking);
            // Without sensors their parameters are not even fetched.
            let sensing = (
                sensing.chain().in_set(SimulationSystems::Sense),
                sensor_log::record.in_set(RecordSensors).in_set(RecordSystems::Readings),
            );
            let logs = (
                sensing.chain().run_if(any_with_component::<SensorState>),
                mcap_recorder::record
                    .run_if(resource_exists::<McapRecorder>)
                    .in_set(RecordSensors)
                    .in_set(RecordSystems::Readings),
                mcap_recorder::publish
                    .run_if(resource_exists::<MessagePublisher>)
                    .in_set(RecordSensors)
                    .in_set(RecordSystems::Readings),
            );
            app.add_systems(schedule, logs.chain());
        }
    }
}
