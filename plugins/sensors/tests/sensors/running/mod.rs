//! Sensors in a running simulation.

mod force;
mod images;
mod motion;
mod published;
mod rolling;
mod state;
mod touch;

use std::sync::Arc;

use bevy::prelude::*;
use bunraku_body::{Body, BodyModel, BodyPlugin, BodyState, Device, DeviceKind, Drive, LoadOptions, spawn_body};
use bunraku_document::{Reporter, SourceFile};
use bunraku_motion::MotionPlugin;
use bunraku_physics::{JointSolver, PhysicsParameters, PhysicsPlugin};
use bunraku_sensors::{
    BodySensors, ForceReading, Measurement, Sample, SampleRate, Sensor, SensorEntities, SensorKind, SensorModel,
    SensorReading, SensorsPlugin, ValuesKind,
};
use bunraku_simulation::{Pace, SimulationClock, SimulationStatus};
use nalgebra::{Isometry3, Vector3, convert};

pub const G: f64 = 9.80665;

pub const SOLVERS: [JointSolver; 2] = [JointSolver::Impulse, JointSolver::Multibody];

/// A model from the text of its links.
pub fn model(name: &str, links: &str) -> Arc<Body> {
    let text = format!("format: ChoreonoidBody\nformat_version: 2.0\nname: {name}\nlinks:\n{links}");
    let reporter = Reporter::strict();
    let body = bunraku_body::read(&SourceFile::from_text("x.body", text), &LoadOptions::default(), &reporter);
    Arc::new(body.unwrap_or_else(|| panic!("{:?}", reporter.diagnostics())))
}

/// A body with sensors added to a link, 0.5 m below its origin.
pub fn with_sensors(body: &Arc<Body>, link: &str, kinds: &[(ValuesKind, SensorKind)]) -> (Arc<Body>, BodySensors) {
    let mut body = (**body).clone();
    let mut sensors = Vec::new();
    for (values, kind) in kinds {
        let device = Device {
            name: values.device_type().to_owned(),
            id: None,
            link: body.find_link(link).unwrap(),
            transform: convert(Isometry3::translation(0.0, 0.0, -0.5)),
            enabled: true,
            kind: DeviceKind::Other(values.device_type().to_owned()),
            info: Vec::new(),
        };
        let index = body.devices.len();
        sensors.push(Sensor::added(index, &device, SampleRate::EveryStep, kind.clone()).unwrap());
        body.devices.push(device);
    }
    (Arc::new(body), BodySensors { sensors, seed: 0 })
}

/// A world with sensors that is stepped by the test.
pub struct World {
    pub app: App,
}

impl World {
    pub fn new(time_step: f64, joints: JointSolver) -> Self {
        let mut app = App::new();
        app.add_plugins((
            MinimalPlugins,
            TransformPlugin,
            BodyPlugin,
            MotionPlugin,
            PhysicsPlugin::default(),
            SensorsPlugin,
        ));
        app.insert_resource(SimulationClock::new(time_step));
        app.insert_resource(PhysicsParameters { joints, ..PhysicsParameters::default() });
        Self { app }
    }

    /// Spawns a body with all its sensors, named after its model.
    pub fn add_at(&mut self, body: &Arc<Body>, state: BodyState, drive: Drive) -> Entity {
        let entity = spawn_body(&mut self.app.world_mut().commands(), Arc::clone(body), state, drive);
        let (sensors, diagnostics) = BodySensors::all(body);
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        self.app.world_mut().flush();
        self.app.world_mut().entity_mut(entity).insert(sensors);
        entity
    }

    pub fn add(&mut self, body: &Arc<Body>, drive: Drive) -> Entity {
        self.add_at(body, BodyState::initial(body), drive)
    }

    pub fn run(&mut self, steps: u64) {
        self.app.insert_resource(Pace::Steps(steps));
        self.app.update();
        assert_eq!(*self.app.world().resource::<SimulationStatus>(), SimulationStatus::Running);
    }

    pub fn sensor(&self, body: Entity, label: &str) -> Entity {
        let world = self.app.world();
        let entities = world.get::<SensorEntities>(body).unwrap();
        entities.iter().find(|&sensor| world.get::<SensorModel>(sensor).unwrap().label() == label).unwrap()
    }

    /// Last sample of a sensor.
    pub fn last(&self, body: Entity, label: &str) -> Option<Sample> {
        self.app.world().get::<SensorReading>(self.sensor(body, label)).unwrap().0.clone()
    }

    pub fn imu(&self, body: Entity, label: &str) -> (Vector3<f64>, Vector3<f64>) {
        match self.last(body, label).unwrap().measurement {
            Measurement::Imu { acceleration, angular_velocity } => (acceleration, angular_velocity),
            other => panic!("{other:?}"),
        }
    }

    pub fn force(&self, body: Entity, label: &str) -> ForceReading {
        match self.last(body, label).unwrap().measurement {
            Measurement::Force(reading) => reading,
            other => panic!("{other:?}"),
        }
    }

    pub fn model(&self, body: Entity) -> Arc<Body> {
        Arc::clone(&self.app.world().get::<BodyModel>(body).unwrap().0)
    }
}

#[track_caller]
pub fn assert_near(found: Vector3<f64>, expected: [f64; 3], tolerance: f64) {
    let expected = Vector3::from(expected);
    assert!((found - expected).norm() <= tolerance, "{found} instead of {expected}");
}
