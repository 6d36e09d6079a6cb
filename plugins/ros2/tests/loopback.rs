//! Two participants in one process, on the loopback device: a simulation and its client.

#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bevy::prelude::*;
use bunraku_body::{Actuation, Body, BodyModel, BodyPlugin, BodyState, Drive, JointActuation, LoadOptions, spawn_body};
use bunraku_control::ControlPlugin;
use bunraku_document::{Reporter, SourceFile};
use bunraku_physics::PhysicsPlugin;
use bunraku_ros2::{ModelSource, Progress, Ros2Settings, SpawnError, Spawner, connect};
use bunraku_sensors::SensorsPlugin;
use bunraku_sensors::log::Cdr;
use bunraku_simulation::{Pace, RunSteps, SimulationClock, SimulationPlugin, SimulationWarnings};
use nalgebra::Isometry3;
use rustdds::bytes::Bytes;
use rustdds::no_key::{self, DataReader, DataWriter};
use rustdds::policy::{History, Reliability};
use rustdds::{
    DomainParticipant, DomainParticipantBuilder, QosPolicies, QosPolicyBuilder, RepresentationIdentifier, TopicKind,
    WriteOptionsBuilder,
};

/// Raw bytes of a message.
struct Raw;

impl no_key::SerializerAdapter<Bytes> for Raw {
    type Error = std::fmt::Error;

    fn output_encoding() -> RepresentationIdentifier {
        RepresentationIdentifier::CDR_LE
    }

    fn to_bytes(value: &Bytes) -> Result<Bytes, std::fmt::Error> {
        Ok(value.clone())
    }
}

/// The same in an encoding that ROS 2 does not have.
struct Foreign;

impl no_key::SerializerAdapter<Bytes> for Foreign {
    type Error = std::fmt::Error;

    fn output_encoding() -> RepresentationIdentifier {
        RepresentationIdentifier::XML
    }

    fn to_bytes(value: &Bytes) -> Result<Bytes, std::fmt::Error> {
        Ok(value.clone())
    }
}

impl no_key::DeserializerAdapter<Bytes> for Raw {
    type Error = std::fmt::Error;
    type Decoded = Bytes;

    fn supported_encodings() -> &'static [RepresentationIdentifier] {
        &[RepresentationIdentifier::CDR_LE]
    }

    fn transform_decoded(decoded: Bytes) -> Bytes {
        decoded
    }
}

#[derive(Clone)]
struct Decoder;

impl no_key::Decode<'_, Bytes> for Decoder {
    type Error = std::fmt::Error;

    fn decode_bytes(self, bytes: &[u8], _: RepresentationIdentifier) -> Result<Bytes, std::fmt::Error> {
        Ok(Bytes::copy_from_slice(bytes))
    }
}

impl no_key::DefaultDecoder<Bytes> for Raw {
    type Decoder = Decoder;
    const DECODER: Decoder = Decoder;
}

fn quality() -> QosPolicies {
    QosPolicyBuilder::new()
        .reliability(Reliability::Reliable { max_blocking_time: rustdds::Duration::from_millis(100) })
        .history(History::KeepLast { depth: 1000 })
        .build()
}

/// A client with raw messages.
struct Client(DomainParticipant);

impl Client {
    fn reader(&self, topic: &str, kind: &str) -> DataReader<Bytes, Raw> {
        let topic = self.0.create_topic(topic.to_owned(), kind.to_owned(), &quality(), TopicKind::NoKey).unwrap();
        self.0.create_subscriber(&quality()).unwrap().create_datareader_no_key(&topic, None).unwrap()
    }

    fn writer<A: no_key::SerializerAdapter<Bytes>>(&self, topic: &str, kind: &str) -> DataWriter<Bytes, A> {
        wait_for("a reader", || {
            let readers = self.0.discovered_readers();
            let is_read = readers.iter().any(|reader| reader.subscription_topic_data.topic_name() == topic);
            is_read.then_some(())
        });
        let topic = self.0.create_topic(topic.to_owned(), kind.to_owned(), &quality(), TopicKind::NoKey).unwrap();
        let writer = self.0.create_publisher(&quality()).unwrap().create_datawriter_no_key(&topic, None).unwrap();
        // The known reader is matched in another thread.
        std::thread::sleep(Duration::from_millis(500));
        writer
    }
}

fn wait_for<T>(what: &str, mut found: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "there is not {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A service as Fast DDS calls it: the reply relates to the identity of the request.
struct Call {
    writer: DataWriter<Bytes, Raw>,
    reader: DataReader<Bytes, Raw>,
}

impl Call {
    fn new(client: &Client, name: &str, kind: &str) -> Self {
        let kind = |end: &str| format!("simulation_interfaces::srv::dds_::{kind}_{end}_");
        let reader = client.reader(&format!("rr/lab/{name}Reply"), &kind("Response"));
        let call = Self { writer: client.writer(&format!("rq/lab/{name}Request"), &kind("Request")), reader };
        // Discovery finds the writer of replies soon after the reader of requests.
        std::thread::sleep(Duration::from_millis(500));
        call
    }

    fn call(&mut self, request: &[u8]) -> Bytes {
        let options = WriteOptionsBuilder::new().build();
        let sent = self.writer.write_with_options(Bytes::copy_from_slice(request), options).unwrap();
        wait_for("a reply", || {
            let sample = self.reader.take_next_sample().unwrap()?;
            (sample.sample_info().related_sample_identity() == Some(sent)).then(|| sample.value().clone())
        })
    }
}

fn app() -> (App, Entity) {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, SimulationPlugin { time_step: 0.002, pace: Pace::Paused }));
    app.add_plugins((BodyPlugin, PhysicsPlugin::default(), ControlPlugin, SensorsPlugin));
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/models/arm.body");
    let model = BodyModel::open(&model).unwrap();
    let servo = Actuation::Displacement { stiffness: 2e4, damping: 200.0 };
    let actuation = JointActuation::all(&model.0, servo);
    let arm = app.world_mut().spawn((model, actuation, Name::new("Arm"), Transform::default())).id();
    app.world_mut().flush();
    (app, arm)
}

fn joint_state(names: &[&str], positions: &[f64]) -> Bytes {
    joint_command(names, [positions, &[], &[]])
}

fn joint_command(names: &[&str], lists: [&[f64]; 3]) -> Bytes {
    let mut cdr = Cdr::new();
    cdr.i32(0);
    cdr.u32(0);
    cdr.text("");
    cdr.length(names.len());
    names.iter().for_each(|name| cdr.text(name));
    lists.iter().for_each(|list| cdr.f64_sequence(list));
    Bytes::copy_from_slice(&cdr.into_bytes()[4..])
}

/// A request to put a body elsewhere, at rest.
fn entity_state(name: &str, position: [f64; 3]) -> Vec<u8> {
    let mut cdr = Cdr::new();
    cdr.text(name);
    cdr.i32(0);
    cdr.u32(0);
    cdr.text("world");
    cdr.f64_array(position.into_iter().chain([0.0, 0.0, 0.0, 1.0]));
    cdr.f64_array([0.0; 12]);
    cdr.into_bytes()[4..].to_vec()
}

/// Reads models from texts.
#[derive(Debug)]
struct TextSpawner;

impl Spawner for TextSpawner {
    fn load(&self, source: ModelSource<'_>) -> Result<Arc<Body>, SpawnError> {
        let ModelSource::Text(text) = source else { return Err(SpawnError::NoResource("no files".to_owned())) };
        let reporter = Reporter::new();
        let source = SourceFile::from_text("spawned", text);
        let body = bunraku_body::read(&source, &LoadOptions::default(), &reporter);
        body.map(Arc::new).ok_or_else(|| SpawnError::Faulty(format!("{:?}", reporter.diagnostics())))
    }

    fn spawn(&self, world: &mut World, name: String, model: Arc<Body>, pose: &Isometry3<f64>) -> Entity {
        let state = BodyState::at_rest(&model, pose, model.initial_displacements());
        let entity = spawn_body(&mut world.commands(), model, state, Drive::Physics);
        world.flush();
        world.entity_mut(entity).insert(Name::new(name));
        entity
    }
}

const CRATE: &str = r#"<robot name="crate"><link name="body"><inertial><mass value="2"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"#;

/// A request to spawn a body, and the code and name of the reply.
fn spawn(service: &mut Call, [name, uri, text]: [&str; 3], x: f64) -> (u8, String) {
    let mut cdr = Cdr::new();
    cdr.text(name);
    cdr.bool(false);
    [uri, text, "one"].iter().for_each(|text| cdr.text(text));
    cdr.i32(0);
    cdr.u32(0);
    cdr.text("world");
    cdr.f64_array([x, 5.0, 5.0, 0.0, 0.0, 0.0, 1.0]);
    let reply = service.call(&cdr.into_bytes()[4..]);
    let text = |start: usize| {
        let start = start.next_multiple_of(4);
        let length = u32::from_le_bytes(reply[start..start + 4].try_into().unwrap()) as usize;
        (String::from_utf8_lossy(&reply[start + 4..start + 3 + length]).into_owned(), start + 4 + length)
    };
    let (_, end) = text(1);
    (reply[0], text(end).0)
}

/// Where a body is, m, world axes; `None` if there is no such body.
fn position(service: &mut Call, name: &str) -> Option<[f64; 3]> {
    /// Of the pose in the reply: after the code, an empty message, the time and the frame `world`.
    const POSE: usize = 32;
    let mut cdr = Cdr::new();
    cdr.text(name);
    let reply = service.call(&cdr.into_bytes()[4..]);
    let number = |index: usize| reply[POSE + 8 * index..POSE + 8 * (index + 1)].try_into().unwrap();
    (reply[0] == 1).then(|| std::array::from_fn(|index| f64::from_le_bytes(number(index))))
}

fn spawn_and_delete(client: &Client, step: &mut Call) {
    let mut service = Call::new(client, "spawn_entity", "SpawnEntity");
    let mut delete = Call::new(client, "delete_entity", "DeleteEntity");
    let mut get = Call::new(client, "get_entity_state", "GetEntityState");
    assert_eq!(spawn(&mut service, ["", "", CRATE], 1.0), (1, "one/crate".to_owned()));
    assert_eq!(spawn(&mut service, ["", "", CRATE], 2.0).0, 101);
    assert_eq!(spawn(&mut service, ["second", "", CRATE], 3.0), (1, "one/second".to_owned()));
    assert_eq!(spawn(&mut service, ["third", "x.urdf", ""], 4.0).0, 104);
    assert_eq!(spawn(&mut service, ["third", "", "<robot/>"], 4.0).0, 106);
    assert_eq!(step.call(&50_u64.to_le_bytes())[0], 1);
    // They fall from where they were requested.
    for (name, start) in [("one/crate", 1.0), ("one/second", 3.0)] {
        let [x, y, z] = position(&mut get, name).unwrap();
        assert!((x, y) == (start, 5.0) && (z - (5.0 - 0.5 * 9.81 * 0.01)).abs() < 2e-3, "{name}: {x} {y} {z}");
    }
    for (name, expected) in [("one/crate", 1), ("one/crate", 2), ("Arm", 4)] {
        let mut cdr = Cdr::new();
        cdr.text(name);
        assert_eq!(delete.call(&cdr.into_bytes()[4..])[0], expected, "{name}");
    }
    assert_eq!(position(&mut get, "one/crate"), None);
    assert_eq!(step.call(&50_u64.to_le_bytes())[0], 1);
}

/// The part of the client: everything that it checks about the network.
fn client(domain: u16) {
    let local = [std::net::IpAddr::from([127, 0, 0, 1])];
    let client = Client(DomainParticipantBuilder::new(domain).with_only_networks(local).build().unwrap());
    let mut clock = client.reader("rt/clock", "rosgraph_msgs::msg::dds_::Clock_");
    let mut step = Call::new(&client, "step_simulation", "StepSimulation");
    let mut reset = Call::new(&client, "reset_simulation", "ResetSimulation");
    assert_eq!(step.call(&100_u64.to_le_bytes())[0], 1);
    let last = wait_for("a clock of 0.2 s", || {
        let sample = clock.take_next_sample().unwrap()?;
        (sample.value()[4..8] == 200_000_000_u32.to_le_bytes()).then(|| sample.value().clone())
    });
    assert_eq!(last[..4], [0; 4]);
    // Too short for its type.
    let command = "rt/lab/robot_joint_command";
    let joints = client.writer::<Raw>(command, "sensor_msgs::msg::dds_::JointState_");
    let foreign = client.writer::<Foreign>(command, "sensor_msgs::msg::dds_::JointState_");
    foreign.write(Bytes::from_static(b"<joints/>"), None).unwrap();
    for bad in [&b""[..], &[255; 40], &joint_state(&["SHOULDER"], &[0.4])[..20]] {
        joints.write(Bytes::copy_from_slice(bad), None).unwrap();
    }
    joints.write(joint_state(&["NOBODY"], &[1.0]), None).unwrap();
    joints.write(joint_state(&["SHOULDER"], &[f64::NAN]), None).unwrap();
    spawn_and_delete(&client, &mut step);
    let mut set = Call::new(&client, "set_entity_state", "SetEntityState");
    assert_eq!(set.call(&entity_state("Arm", [1.0, 2.0, 3.0]))[0], 1);
    assert_eq!(step.call(&20_u64.to_le_bytes())[0], 1);
    // Without the second body, which is still there, and where the arm was.
    assert_eq!(reset.call(&[255])[0], 1);
    assert_eq!(step.call(&100_u64.to_le_bytes())[0], 1);
    // Commands are in effect from the next step on.
    // The velocity is NaN and is ignored; the position is not.
    joints.write(joint_command(&["SHOULDER"], [&[0.4], &[f64::NAN], &[]]), None).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(step.call(&400_u64.to_le_bytes())[0], 1);
}

#[test]
fn a_client_steps_commands_and_resets_a_simulation() {
    let (mut reference, same) = app();
    reference.run_steps(100);
    let (mut app, arm) = app();
    let domain = 100 + u16::try_from(std::process::id() % 100).unwrap();
    let settings = Ros2Settings {
        domain,
        namespace: "lab".to_owned(),
        all_networks: false,
        steps_per_message: 5,
        progress: Progress::Paused,
        robot: Some(arm),
        base: None,
        spawner: Some(Arc::new(TextSpawner)),
    };
    connect(&mut app, settings).unwrap();
    app.finish();
    app.cleanup();
    let is_over = AtomicBool::new(false);
    let found = std::thread::scope(|scope| {
        let client = scope.spawn(|| {
            struct Over<'a>(&'a AtomicBool);
            impl Drop for Over<'_> {
                fn drop(&mut self) {
                    self.0.store(true, Ordering::Relaxed);
                }
            }
            let _over = Over(&is_over);
            client(domain);
        });
        let (mut last, mut found) = (0, Vec::new());
        while !is_over.load(Ordering::Relaxed) {
            app.update();
            let world = app.world();
            let step = world.resource::<SimulationClock>().step();
            if step == 100 && last != 100 {
                found.push(world.get::<BodyState>(arm) == reference.world().get::<BodyState>(same));
            }
            last = step;
        }
        client.join().unwrap();
        found
    });
    assert_eq!(found, [true; 2], "at the start and after a reset, steps of a service are those without it");
    assert_eq!(app.world().resource::<SimulationClock>().step(), 500);
    let state = app.world().get::<BodyState>(arm).unwrap();
    let model = app.world().get::<BodyModel>(arm).unwrap();
    let shoulder = model.0.find_joint("SHOULDER").unwrap();
    assert!((state.displacement(shoulder) - 0.4).abs() < 0.05, "{}", state.displacement(shoulder));
    let warnings: Vec<_> = app
        .world()
        .resource::<SimulationWarnings>()
        .as_slice()
        .iter()
        .map(|warning| warning.message.as_str())
        .collect();
    for expected in ["it ends too early", "no joint `NOBODY`", "NaN"] {
        assert!(warnings.iter().any(|warning| warning.contains(expected)), "{expected}: {warnings:?}");
    }
}
