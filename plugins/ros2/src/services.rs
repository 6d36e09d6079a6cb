//! Services of the package `simulation_interfaces` 1.x: requests and replies as bytes.

use bunraku_body::dynamics::Twist;
use bunraku_sensors::log::Cdr;
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};

use super::decode::{MessageError, Payload, Reader};

/// A service of a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Service {
    GetSimulatorFeatures,
    GetSimulationState,
    SetSimulationState,
    StepSimulation,
    ResetSimulation,
    GetEntities,
    GetEntityState,
    SetEntityState,
    SpawnEntity,
    DeleteEntity,
}

impl Service {
    pub const ALL: [Self; 10] = [
        Self::GetSimulatorFeatures,
        Self::GetSimulationState,
        Self::SetSimulationState,
        Self::StepSimulation,
        Self::ResetSimulation,
        Self::GetEntities,
        Self::GetEntityState,
        Self::SetEntityState,
        Self::SpawnEntity,
        Self::DeleteEntity,
    ];

    /// Its name, and that of its type.
    pub fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::GetSimulatorFeatures => ("get_simulator_features", "GetSimulatorFeatures"),
            Self::GetSimulationState => ("get_simulation_state", "GetSimulationState"),
            Self::SetSimulationState => ("set_simulation_state", "SetSimulationState"),
            Self::StepSimulation => ("step_simulation", "StepSimulation"),
            Self::ResetSimulation => ("reset_simulation", "ResetSimulation"),
            Self::GetEntities => ("get_entities", "GetEntities"),
            Self::GetEntityState => ("get_entity_state", "GetEntityState"),
            Self::SetEntityState => ("set_entity_state", "SetEntityState"),
            Self::SpawnEntity => ("spawn_entity", "SpawnEntity"),
            Self::DeleteEntity => ("delete_entity", "DeleteEntity"),
        }
    }
}

/// A request to a service.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    GetFeatures,
    GetState,
    SetState(u8),
    Step(u64),
    /// The scope, a bit set.
    Reset(u8),
    GetEntities(Filters),
    GetEntityState(String),
    SetEntityState(String, EntityState),
    Spawn(Box<SpawnRequest>),
    /// The name.
    Delete(String),
}

/// A body to spawn.
#[derive(Clone, Debug, PartialEq)]
pub struct SpawnRequest {
    /// Its name; empty: that of the model.
    pub name: String,
    /// Whether it may get another name.
    pub is_renaming_allowed: bool,
    /// The file of its model.
    pub uri: String,
    /// The model itself, if there is no file.
    pub text: String,
    /// Namespace of its topics.
    pub namespace: String,
    /// Frame of the pose.
    pub frame: String,
    pub pose: Isometry3<f64>,
}

/// Filters of entities.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filters {
    /// Pattern of names; empty: all.
    pub names: String,
    /// Whether it filters by categories, tags or bounds, too.
    pub has_others: bool,
}

/// State of an entity in a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct EntityState {
    pub frame: String,
    pub pose: Isometry3<f64>,
    pub twist: Twist,
}

impl Request {
    /// Reads a request; `reader` is at its first field.
    pub fn read(service: Service, reader: &mut Reader<'_>) -> Result<Self, MessageError> {
        Ok(match service {
            Service::GetSimulatorFeatures => Self::GetFeatures,
            Service::GetSimulationState => Self::GetState,
            Service::SetSimulationState => Self::SetState(reader.u8()?),
            Service::StepSimulation => Self::Step(reader.u64()?),
            Service::ResetSimulation => Self::Reset(reader.u8()?),
            Service::GetEntities => Self::GetEntities(filters(reader)?),
            Service::GetEntityState => Self::GetEntityState(reader.text()?.to_owned()),
            Service::SetEntityState => {
                let name = reader.text()?.to_owned();
                Self::SetEntityState(name, entity_state(reader)?)
            }
            Service::SpawnEntity => Self::Spawn(Box::new(spawn_request(reader)?)),
            Service::DeleteEntity => Self::Delete(reader.text()?.to_owned()),
        })
    }
}

fn filters(reader: &mut Reader<'_>) -> Result<Filters, MessageError> {
    let names = reader.text()?.to_owned();
    let categories = reader.length(1)?;
    for _ in 0..categories {
        reader.u8()?;
    }
    let tags = reader.length(4)?;
    for _ in 0..tags {
        reader.text()?;
    }
    // Mode of the tags and type of the bounds.
    reader.u8()?;
    reader.u8()?;
    let points = reader.length(24)?;
    Ok(Filters { names, has_others: categories + tags + points > 0 })
}

fn spawn_request(reader: &mut Reader<'_>) -> Result<SpawnRequest, MessageError> {
    Ok(SpawnRequest {
        name: reader.text()?.to_owned(),
        is_renaming_allowed: reader.u8()? != 0,
        uri: reader.text()?.to_owned(),
        text: reader.text()?.to_owned(),
        namespace: reader.text()?.to_owned(),
        frame: reader.header()?.to_owned(),
        pose: pose(reader)?,
    })
}

fn pose(reader: &mut Reader<'_>) -> Result<Isometry3<f64>, MessageError> {
    let [x, y, z, i, j, k, w] = reader.finite_array()?;
    let rotation = Quaternion::new(w, i, j, k);
    // An all-zero quaternion is what clients send that set none.
    let rotation = UnitQuaternion::try_new(rotation, 1e-6).unwrap_or_default();
    Ok(Isometry3::from_parts(Translation3::new(x, y, z), rotation))
}

fn entity_state(reader: &mut Reader<'_>) -> Result<EntityState, MessageError> {
    let frame = reader.header()?.to_owned();
    let pose = pose(reader)?;
    let [vx, vy, vz, wx, wy, wz] = reader.finite_array()?;
    // The acceleration follows from forces; ROS allows to ignore it.
    Ok(EntityState {
        frame,
        pose,
        twist: Twist { linear: Vector3::new(vx, vy, vz), angular: Vector3::new(wx, wy, wz) },
    })
}

/// `Result` of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub code: u8,
    pub message: String,
}

impl Outcome {
    pub const UNSUPPORTED: u8 = 0;
    pub const OK: u8 = 1;
    pub const NOT_FOUND: u8 = 2;
    pub const INCORRECT_STATE: u8 = 3;
    pub const FAILED: u8 = 4;
    /// Of `SetSimulationState`.
    pub const ALREADY: u8 = 101;
    /// This one and the following are of `SpawnEntity`.
    pub const NAME_NOT_UNIQUE: u8 = 101;
    pub const NAME_INVALID: u8 = 102;
    pub const UNSUPPORTED_FORMAT: u8 = 103;
    pub const NO_RESOURCE: u8 = 104;
    pub const NAMESPACE_INVALID: u8 = 105;
    pub const PARSE_ERROR: u8 = 106;
    pub const INVALID_POSE: u8 = 109;

    pub fn ok() -> Self {
        Self::new(Self::OK, "")
    }

    pub fn new(code: u8, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    pub fn write(&self, reply: &mut Cdr) {
        reply.u8(self.code);
        reply.text(&self.message);
    }
}

/// States of a simulation.
pub mod state {
    pub const STOPPED: u8 = 0;
    pub const PLAYING: u8 = 1;
    pub const PAUSED: u8 = 2;
    pub const QUITTING: u8 = 3;
}

/// `SimulatorFeatures`: what is offered.
pub fn write_features(reply: &mut Cdr, can_spawn: bool) {
    /// Spawning, deleting, spawning from a text, deleting by a reset.
    const SPAWNING: [u16; 4] = [0, 1, 9, 23];
    /// Entity states are read and set; the simulation is reset, its state is read, set and paused; single and multiple steps.
    const FEATURES: [u16; 8] = [10, 11, 20, 24, 25, 26, 31, 32];
    let spawning = if can_spawn { &SPAWNING[..] } else { &[] };
    reply.length(spawning.len() + FEATURES.len());
    spawning.iter().chain(&FEATURES).for_each(|feature| reply.u16(*feature));
    let formats: &[&str] = if can_spawn { &["urdf", "xacro", "mjcf", "body", "wrl"] } else { &[] };
    reply.length(formats.len());
    formats.iter().for_each(|format| reply.text(format));
    reply.text(concat!("bunraku ", env!("CARGO_PKG_VERSION")));
}

/// An `EntityState` in the world.
pub fn write_entity_state(reply: &mut Cdr, time: f64, pose: &Isometry3<f64>, [twist, acceleration]: [&Twist; 2]) {
    stamp(reply, time);
    reply.text("world");
    reply.f64_array(pose.translation.vector.iter().copied());
    reply.f64_array(pose.rotation.coords.iter().copied());
    for motion in [twist, acceleration] {
        reply.f64_array(motion.linear.iter().chain(&motion.angular).copied());
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn stamp(reply: &mut Cdr, time: f64) {
    let nanoseconds = (time * 1e9).round().max(0.0) as u64;
    reply.i32(i32::try_from(nanoseconds / 1_000_000_000).unwrap_or(i32::MAX));
    reply.u32((nanoseconds % 1_000_000_000) as u32);
}

/// Identity of a request in the messages of Cyclone DDS, before the fields of request and reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CycloneHeader {
    client: u64,
    number: i64,
}

impl CycloneHeader {
    pub fn read(reader: &mut Reader<'_>) -> Result<Self, MessageError> {
        Ok(Self { client: reader.u64()?, number: reader.i64()? })
    }

    pub fn write(self, reply: &mut Cdr) {
        reply.i64(i64::from_le_bytes(self.client.to_le_bytes()));
        reply.i64(self.number);
    }
}

/// Reads a request; with `has_header` it begins with a [`CycloneHeader`].
pub fn read(
    service: Service,
    payload: &Payload,
    has_header: bool,
) -> Result<(Option<CycloneHeader>, Request), MessageError> {
    let mut reader = payload.reader();
    let header = has_header.then(|| CycloneHeader::read(&mut reader)).transpose()?;
    Ok((header, Request::read(service, &mut reader)?))
}

#[cfg(test)]
mod tests {
    use bunraku_test_support::Random;
    use rustdds::bytes::Bytes;

    use super::super::messages::{BaseVelocity, JointCommand};
    use super::*;

    fn payload(cdr: Cdr) -> Payload {
        Payload { bytes: Bytes::copy_from_slice(&cdr.into_bytes()[4..]), is_little_endian: true }
    }

    #[test]
    fn requests_of_cyclone_dds_have_a_header_that_goes_back() {
        let mut cdr = Cdr::new();
        cdr.i64(77);
        cdr.i64(5);
        cdr.i64(250);
        let payload = payload(cdr);
        let (header, request) = read(Service::StepSimulation, &payload, true).unwrap();
        assert_eq!(request, Request::Step(250));
        let mut reply = Cdr::new();
        header.unwrap().write(&mut reply);
        assert_eq!(reply.into_bytes()[4..], payload.bytes[..16]);
        // Without the header the first number is that of the steps.
        assert_eq!(read(Service::StepSimulation, &payload, false).unwrap(), (None, Request::Step(77)));
    }

    fn set_entity_state(rotation: [f64; 4], x: f64) -> Payload {
        let mut cdr = Cdr::new();
        cdr.text("Box");
        stamp(&mut cdr, 0.0);
        cdr.text("world");
        cdr.f64_array([x, 2.0, 3.0].into_iter().chain(rotation));
        cdr.f64_array([0.0, 0.0, 1.0, 0.0, 0.0, 0.5]);
        cdr.f64_array([0.0; 6]);
        payload(cdr)
    }

    #[test]
    fn states_of_entities_are_checked() {
        let read = |rotation, x| read(Service::SetEntityState, &set_entity_state(rotation, x), false);
        let (_, Request::SetEntityState(name, state)) = read([0.0, 0.0, 0.0, 2.0], 1.0).unwrap() else { panic!() };
        assert_eq!((name.as_str(), state.pose), ("Box", Isometry3::translation(1.0, 2.0, 3.0)));
        assert_eq!(state.twist.angular.z, 0.5);
        assert!(read([0.0; 4], 1.0).is_ok());
        assert_eq!(read([0.0, 0.0, 0.0, 1.0], f64::INFINITY), Err(MessageError::NotFinite));
    }

    fn spawn_request(renaming: u8) -> Payload {
        let mut cdr = Cdr::new();
        cdr.text("crate");
        cdr.u8(renaming);
        ["file:///models/crate.urdf", "", "lab"].iter().for_each(|text| cdr.text(text));
        stamp(&mut cdr, 1.5);
        cdr.text("world");
        cdr.f64_array([1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0]);
        payload(cdr)
    }

    #[test]
    fn bodies_to_spawn_are_read() {
        let (_, request) = read(Service::SpawnEntity, &spawn_request(1), false).unwrap();
        let expected = SpawnRequest {
            name: "crate".to_owned(),
            is_renaming_allowed: true,
            uri: "file:///models/crate.urdf".to_owned(),
            text: String::new(),
            namespace: "lab".to_owned(),
            frame: "world".to_owned(),
            pose: Isometry3::translation(1.0, 2.0, 3.0),
        };
        assert_eq!(request, Request::Spawn(Box::new(expected)));
    }

    /// Any message is a request or an error: 5000 damaged ones for each service and each command.
    #[test]
    fn damaged_messages_never_panic() {
        let mut random = Random::new(41);
        let seeds = [set_entity_state([0.0, 0.0, 0.0, 1.0], 1.0), spawn_request(0)];
        for round in 0..5000 {
            let mut bytes = seeds[round % seeds.len()].bytes.to_vec();
            for _ in 0..=random.below(4) {
                let at = random.below(bytes.len());
                match random.below(4) {
                    0 => bytes.truncate(at + 1),
                    1 => bytes[at] = [0, 0x7f, 0x80, 0xff][random.below(4)],
                    2 => bytes.extend_from_within(at..),
                    _ => bytes[at] = u8::try_from(random.below(256)).unwrap(),
                }
            }
            let damaged = Payload { bytes: bytes.into(), is_little_endian: random.below(2) == 0 };
            for service in Service::ALL {
                // No read message is longer than what was sent.
                if let Ok((_, Request::Spawn(request))) = read(service, &damaged, random.below(2) == 0) {
                    assert!(request.uri.len() + request.text.len() + request.name.len() <= damaged.bytes.len());
                    assert!(request.pose.translation.vector.iter().all(|value| value.is_finite()));
                }
            }
            let _ = (JointCommand::read(&damaged), BaseVelocity::read(&damaged));
        }
    }

    #[test]
    fn cut_requests_never_panic() {
        let whole = set_entity_state([0.0, 0.0, 0.0, 1.0], 1.0);
        for service in Service::ALL {
            for end in 0..whole.bytes.len() {
                for has_header in [false, true] {
                    let mut bytes = whole.bytes.to_vec();
                    bytes[end] = 0xff;
                    let _ = read(service, &Payload { bytes: bytes.into(), ..whole }, has_header);
                    let cut = Payload { bytes: whole.bytes.slice(..end), ..whole };
                    let _ = read(service, &cut, has_header);
                }
            }
        }
    }
}
