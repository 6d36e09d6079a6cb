//! DDS on threads of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustdds::bytes::Bytes;
use rustdds::mio1::{Events, Interest, Poll, Token};
use rustdds::no_key::{self, DataReader, DataWriter};
use rustdds::policy::{Durability, History, Reliability};
use rustdds::rpc::SampleIdentity;
use rustdds::{
    DomainParticipant, DomainParticipantBuilder, GUID, QosPolicies, QosPolicyBuilder, RepresentationIdentifier,
    TopicDescription, TopicKind, WriteOptionsBuilder,
};

use super::decode::{MessageError, Payload};
use super::inbox::Inbox;
use super::messages::{BaseVelocity, JOINT_STATE, JointCommand, TWIST};
use super::names::{ServiceNames, dds_topic, dds_type};
use super::services::{self, CycloneHeader, Request, Service};
use crate::Ros2Error;

/// Messages that wait to be sent; more are dropped.
const MOST_WAITING: usize = 8192;
/// Time between two looks whether the simulation has ended.
const LOOK: Duration = Duration::from_millis(100);
/// Time that a lost message can still be repeated in: that many messages are kept.
const KEPT: i32 = 200;
/// The same for images and point clouds, which take megabytes.
const KEPT_LARGE: i32 = 10;

/// What arrives.
pub enum Incoming {
    Joints(JointCommand),
    Base(BaseVelocity),
    Request(Request, ReplyTo),
    /// A message that cannot be read: its topic, and why.
    Malformed(&'static str, MessageError),
}

/// Where a reply goes.
#[derive(Clone, Copy, Debug)]
pub struct ReplyTo {
    service: Service,
    identity: SampleIdentity,
    pub header: Option<CycloneHeader>,
}

impl ReplyTo {
    pub fn new(service: Service, identity: SampleIdentity, header: Option<CycloneHeader>) -> Self {
        Self { service, identity, header }
    }
}

enum Outgoing {
    Message { topic: String, kind: &'static str, bytes: Vec<u8> },
    Reply { to: ReplyTo, bytes: Vec<u8> },
}

/// Hands messages to the network.
#[derive(Clone)]
pub struct Outbox {
    sender: SyncSender<Outgoing>,
    dropped: Arc<AtomicU64>,
    waits: Arc<AtomicBool>,
}

impl Outbox {
    /// Sends an encoded message, with the header of its encoding. Drops it if the network does not keep up, except while
    /// a service steps.
    pub fn send(&self, topic: String, kind: &'static str, message: &[u8]) {
        let message = Outgoing::Message { topic, kind, bytes: message.to_vec() };
        if self.waits.load(Ordering::Relaxed) {
            let _ = self.sender.send(message);
        } else if let Err(TrySendError::Full(_)) = self.sender.try_send(message) {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub fn reply(&self, to: ReplyTo, bytes: Vec<u8>) {
        let _ = self.sender.send(Outgoing::Reply { to, bytes });
    }

    /// Whether messages are waited for instead of dropped.
    pub fn wait(&self, waits: bool) {
        self.waits.store(waits, Ordering::Relaxed);
    }

    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }
}

/// Bytes as they are.
struct Raw;

impl no_key::SerializerAdapter<Bytes> for Raw {
    type Error = MessageError;

    fn output_encoding() -> RepresentationIdentifier {
        RepresentationIdentifier::CDR_LE
    }

    fn to_bytes(value: &Bytes) -> Result<Bytes, MessageError> {
        Ok(value.clone())
    }
}

impl no_key::DeserializerAdapter<Payload> for Raw {
    type Error = MessageError;
    type Decoded = Payload;

    fn supported_encodings() -> &'static [RepresentationIdentifier] {
        &[RepresentationIdentifier::CDR_LE, RepresentationIdentifier::CDR_BE]
    }

    fn transform_decoded(decoded: Payload) -> Payload {
        decoded
    }
}

#[derive(Clone)]
struct RawDecoder;

impl no_key::Decode<'_, Payload> for RawDecoder {
    type Error = MessageError;

    fn decode_bytes(self, bytes: &[u8], encoding: RepresentationIdentifier) -> Result<Payload, MessageError> {
        Ok(Payload::new(Bytes::copy_from_slice(bytes), encoding))
    }
}

impl no_key::DefaultDecoder<Payload> for Raw {
    type Decoder = RawDecoder;
    const DECODER: RawDecoder = RawDecoder;
}

type PayloadReader = DataReader<Payload, Raw>;
type BytesWriter = DataWriter<Bytes, Raw>;

/// The threads of a participant.
pub struct Network {
    pub outbox: Outbox,
    pub inbox: Arc<Inbox>,
    is_over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Network {
    /// Joins a domain. `namespace` is that of commands and services, with its slashes.
    pub fn join(domain: u16, namespace: &str, all_networks: bool) -> Result<Self, Ros2Error> {
        /// By the ports of DDS: 7400 + 250·domain and some more.
        const LAST_DOMAIN: u16 = 232;
        if domain > LAST_DOMAIN {
            return Err(Ros2Error::Domain(domain));
        }
        let builder = DomainParticipantBuilder::new(domain);
        let builder =
            if all_networks { builder } else { builder.with_only_networks([IpAddr::V4(Ipv4Addr::LOCALHOST)]) };
        let participant = builder.build().map_err(failed)?;
        let is_over = Arc::new(AtomicBool::new(false));
        let inbox = Arc::new(Inbox::default());
        let (sender, outgoing) = sync_channel(MOST_WAITING);
        let inputs = Inputs::open(&participant, namespace)?;
        let outputs = Outputs::open(participant, namespace)?;
        let [over, ended] = [Arc::clone(&is_over), Arc::clone(&is_over)];
        let arrived = Arc::clone(&inbox);
        let receive = move || inputs.run(&arrived, &over);
        let send = move || outputs.run(&outgoing, &ended);
        let threads = vec![spawn("ros2 in", receive)?, spawn("ros2 out", send)?];
        let outbox = Outbox { sender, dropped: Arc::default(), waits: Arc::default() };
        Ok(Self { outbox, inbox, is_over, threads })
    }

    /// Ends the threads once all waiting messages are sent.
    pub fn close(self) {
        self.is_over.store(true, Ordering::Relaxed);
        for thread in self.threads {
            let _ = thread.join();
        }
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, Ros2Error> {
    let spawned = std::thread::Builder::new().name(name.to_owned()).spawn(work);
    spawned.map_err(|error| Ros2Error::Network(error.to_string()))
}

fn failed(error: impl std::fmt::Display) -> Ros2Error {
    Ros2Error::Network(error.to_string())
}

fn quality(kept: i32) -> QosPolicies {
    lasting(kept, Durability::Volatile)
}

fn lasting(kept: i32, durability: Durability) -> QosPolicies {
    QosPolicyBuilder::new()
        .reliability(Reliability::Reliable { max_blocking_time: rustdds::Duration::from_millis(100) })
        .durability(durability)
        .history(History::KeepLast { depth: kept })
        .build()
}

/// A source of messages.
#[derive(Clone, Copy)]
enum Input {
    Joints,
    Base,
    Service(Service),
}

/// What is read: commands first, so that those that came before the request of a step are in effect in it.
struct Inputs {
    poll: Poll,
    readers: Vec<(Input, PayloadReader)>,
    /// It lives as long as its readers.
    _participant: DomainParticipant,
}

impl Inputs {
    fn open(participant: &DomainParticipant, namespace: &str) -> Result<Self, Ros2Error> {
        let poll = Poll::new().map_err(failed)?;
        let subscriber = participant.create_subscriber(&quality(KEPT)).map_err(failed)?;
        let mut readers = Vec::new();
        let mut open = |input, topic: &str, kind: &str| {
            let topic = participant.create_topic(topic.to_owned(), kind.to_owned(), &quality(KEPT), TopicKind::NoKey);
            let reader = subscriber.create_datareader_no_key::<Payload, Raw>(&topic.map_err(failed)?, None);
            let mut reader = reader.map_err(failed)?;
            let registered = poll.registry().register(&mut reader, Token(readers.len()), Interest::READABLE);
            registered.map_err(failed)?;
            readers.push((input, reader));
            Ok(())
        };
        open(Input::Joints, &dds_topic(&format!("{namespace}/robot_joint_command")), &dds_type(JOINT_STATE))?;
        open(Input::Base, &dds_topic(&format!("{namespace}/cmd_vel")), &dds_type(TWIST))?;
        for service in Service::ALL {
            let names = service_names(service, namespace);
            open(Input::Service(service), &names.request, &names.request_type)?;
        }
        Ok(Self { poll, readers, _participant: participant.clone() })
    }

    fn run(mut self, arrived: &Inbox, is_over: &AtomicBool) {
        let mut events = Events::with_capacity(64);
        while !is_over.load(Ordering::Relaxed) {
            // An interrupted wait is one that found nothing.
            let _ = self.poll.poll(&mut events, Some(LOOK));
            for (input, reader) in &mut self.readers {
                drain(*input, reader, arrived);
            }
        }
    }
}

/// Passes on the messages of a reader.
fn drain(input: Input, reader: &mut PayloadReader, arrived: &Inbox) {
    loop {
        let sample = match reader.take_next_sample() {
            Ok(Some(sample)) => sample,
            Ok(None) => return,
            // Of another encoding: it has been taken, and the next one may be right.
            Err(rustdds::dds::result::ReadError::Deserialization { .. }) => continue,
            Err(_) => return,
        };
        let identity = sample.sample_info().sample_identity();
        let payload = sample.value();
        let read = match input {
            Input::Joints => JointCommand::read(payload).map(Incoming::Joints),
            Input::Base => BaseVelocity::read(payload).map(Incoming::Base),
            Input::Service(service) => services::read(service, payload, has_cyclone_header(&identity))
                .map(|(header, request)| Incoming::Request(request, ReplyTo::new(service, identity, header))),
        };
        let topic = match input {
            Input::Joints => "/robot_joint_command",
            Input::Base => "/cmd_vel",
            Input::Service(service) => service.names().0,
        };
        arrived.put(read.unwrap_or_else(|error| Incoming::Malformed(topic, error)));
    }
}

/// Whether a client writes its identity into its requests, as ROS 2's middleware for Cyclone DDS does. Those for Fast DDS
/// and RustDDS use that of the sample; the first bytes of a GUID are their vendor's.
fn has_cyclone_header(identity: &SampleIdentity) -> bool {
    const FAST_DDS: [u8; 2] = [0x01, 0x0f];
    const RUST_DDS: [u8; 2] = [0x01, 0x12];
    let guid = identity.writer_guid.to_bytes();
    ![FAST_DDS, RUST_DDS].iter().any(|vendor| guid.starts_with(vendor))
}

fn service_names(service: Service, namespace: &str) -> ServiceNames {
    let (name, kind) = service.names();
    ServiceNames::new(&format!("{namespace}/{name}"), &format!("simulation_interfaces/srv/{kind}"))
}

/// What is written.
struct Outputs {
    participant: DomainParticipant,
    publisher: rustdds::Publisher,
    topics: BTreeMap<String, BytesWriter>,
    replies: Vec<(Service, BytesWriter)>,
    /// Clients that replies of a service reach, by the first bytes of their GUIDs.
    reached: BTreeSet<(String, [u8; GUID_PREFIX])>,
}

impl Outputs {
    fn open(participant: DomainParticipant, namespace: &str) -> Result<Self, Ros2Error> {
        let publisher = participant.create_publisher(&quality(KEPT)).map_err(failed)?;
        let mut outputs =
            Self { participant, publisher, topics: BTreeMap::new(), replies: Vec::new(), reached: BTreeSet::new() };
        for service in Service::ALL {
            let names = service_names(service, namespace);
            let writer = outputs.writer(names.reply, names.reply_type, &quality(KEPT))?;
            outputs.replies.push((service, writer));
        }
        Ok(outputs)
    }

    fn writer(&self, topic: String, kind: String, quality: &QosPolicies) -> Result<BytesWriter, Ros2Error> {
        let topic = self.participant.create_topic(topic, kind, quality, TopicKind::NoKey).map_err(failed)?;
        self.publisher.create_datawriter_no_key::<Bytes, Raw>(&topic, Some(quality.clone())).map_err(failed)
    }

    /// Waits for the discovery of the reader of a new client: a reply before that would be lost.
    fn reach(&mut self, to: ReplyTo) {
        const LONGEST: Duration = Duration::from_secs(1);
        /// Between discovery and the first message that the reader gets.
        const MATCHING: Duration = Duration::from_millis(30);
        let Some((_, writer)) = self.replies.iter().find(|(service, _)| *service == to.service) else { return };
        let topic = writer.topic().name();
        let prefix = prefix(to.identity.writer_guid);
        if self.reached.contains(&(topic.clone(), prefix)) {
            return;
        }
        let begun = Instant::now();
        let is_known = || {
            let readers = self.participant.discovered_readers();
            let mut of_topic = readers.iter().filter(|reader| *reader.subscription_topic_data.topic_name() == topic);
            of_topic.any(|reader| self::prefix(reader.reader_proxy.remote_reader_guid) == prefix)
        };
        while begun.elapsed() < LONGEST && !is_known() {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(MATCHING);
        self.reached.insert((topic, prefix));
    }

    fn run(mut self, outgoing: &Receiver<Outgoing>, is_over: &AtomicBool) {
        loop {
            let message = match outgoing.recv_timeout(LOOK) {
                Ok(message) => message,
                Err(RecvTimeoutError::Timeout) if !is_over.load(Ordering::Relaxed) => continue,
                Err(_) => break,
            };
            match message {
                Outgoing::Message { topic, kind, bytes } => {
                    if !self.topics.contains_key(&topic) {
                        let quality = match (topic.as_str(), kind) {
                            // A subscriber that joins later gets the last message, too.
                            ("/tf_static", _) => lasting(1, Durability::TransientLocal),
                            (_, "sensor_msgs/msg/Image" | "sensor_msgs/msg/PointCloud2") => quality(KEPT_LARGE),
                            _ => quality(KEPT),
                        };
                        match self.writer(dds_topic(&topic), dds_type(kind), &quality) {
                            Ok(writer) => drop(self.topics.insert(topic.clone(), writer)),
                            Err(error) => log::warn!("{topic} cannot be published: {error}"),
                        }
                    }
                    if let Some(writer) = self.topics.get(&topic) {
                        write(writer, bytes, None);
                    }
                }
                Outgoing::Reply { to, bytes } => {
                    self.reach(to);
                    let writer = self.replies.iter().find(|(service, _)| *service == to.service);
                    if let Some((_, writer)) = writer {
                        write(writer, bytes, Some(to.identity));
                    }
                }
            }
        }
        // The last messages, such as the reply to a request to quit, are on their way.
        for (_, writer) in &self.replies {
            let _ = writer.wait_for_acknowledgments(LOOK);
        }
    }
}

/// Bytes of a GUID that are those of its participant.
const GUID_PREFIX: usize = 12;

fn prefix(guid: GUID) -> [u8; GUID_PREFIX] {
    let mut prefix = [0; GUID_PREFIX];
    prefix.copy_from_slice(&guid.to_bytes()[..GUID_PREFIX]);
    prefix
}

/// Writes a message without the header of its encoding, which DDS writes itself.
fn write(writer: &BytesWriter, message: Vec<u8>, related: Option<SampleIdentity>) {
    const HEADER: usize = 4;
    let bytes = Bytes::from(message);
    if bytes.len() < HEADER {
        return;
    }
    let options = WriteOptionsBuilder::new().related_sample_identity_opt(related).build();
    if let Err(error) = writer.write_with_options(bytes.slice(HEADER..), options) {
        log::warn!("a message of ROS 2 is not sent: {error}");
    }
}

#[cfg(test)]
#[allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]
mod tests {
    use std::net::{SocketAddr, UdpSocket};

    use super::*;

    /// Addresses at which a participant of this machine reads commands, as it announces them to others.
    fn announced(all_networks: bool) -> BTreeSet<IpAddr> {
        let domain = 50 + u16::try_from(std::process::id() % 50).unwrap();
        let namespace = format!("/announced_{}_{all_networks}", std::process::id());
        let network = Network::join(domain, &namespace, all_networks).unwrap();
        let local = [IpAddr::V4(Ipv4Addr::LOCALHOST)];
        let client = DomainParticipantBuilder::new(domain).with_only_networks(local).build().unwrap();
        let topic = dds_topic(&format!("{namespace}/cmd_vel"));
        let begun = Instant::now();
        let found = loop {
            let readers = client.discovered_readers();
            if let Some(found) = readers.iter().find(|it| it.subscription_topic_data.topic_name() == &topic) {
                break found.reader_proxy.unicast_locator_list.clone();
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "it is not discovered");
            std::thread::sleep(Duration::from_millis(10));
        };
        network.close();
        found.into_iter().map(|locator| SocketAddr::from(locator).ip()).collect()
    }

    /// Address of this machine in the network of its default route. Nothing is sent.
    fn own_address() -> Option<IpAddr> {
        let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
        // An address for documentation, which no machine has.
        socket.connect("198.51.100.1:9").ok()?;
        socket.local_addr().ok().map(|address| address.ip()).filter(|address| !address.is_loopback())
    }

    #[test]
    fn others_reach_a_simulation_by_all_networks_on_request_only() {
        assert_eq!(announced(false), BTreeSet::from([IpAddr::V4(Ipv4Addr::LOCALHOST)]));
        let all = announced(true);
        assert!(own_address().is_none_or(|own| all.contains(&own)), "{all:?}");
    }
}
