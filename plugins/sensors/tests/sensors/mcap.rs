//! MCAP files, read with the descriptions they contain.

use std::io::{self, Cursor, Seek, SeekFrom, Write};

use bunraku_sensors::ForceReading;
use bunraku_sensors::log::{LogError, McapLog, Surface};
use nalgebra::{Isometry3, Vector3};
use prost_reflect::{DescriptorPool, DynamicMessage, ReflectMessage, Value};

/// Topic, schema, time in ns and content of each message.
fn read(bytes: &[u8]) -> Vec<(String, String, u64, DynamicMessage)> {
    let decode = |message: mcap::Message<'_>| {
        let schema = message.channel.schema.clone().unwrap();
        assert_eq!((schema.encoding.as_str(), message.channel.message_encoding.as_str()), ("protobuf", "protobuf"));
        let pool = DescriptorPool::decode(&schema.data[..]).unwrap();
        let descriptor = pool.get_message_by_name(&schema.name).unwrap();
        let content = DynamicMessage::decode(descriptor, &message.data[..]).unwrap();
        assert_eq!(content.unknown_fields().count(), 0, "{}", schema.name);
        (message.channel.topic.clone(), schema.name.clone(), message.log_time, content)
    };
    mcap::MessageStream::new(bytes).unwrap().map(|message| decode(message.unwrap())).collect()
}

fn write<W: Write + Seek>(log: &mut McapLog<W>, time: f64) -> Result<(), LogError> {
    let pose = Isometry3::new(Vector3::new(1.0, 2.0, 3.0), Vector3::new(0.0, 0.0, std::f64::consts::PI));
    log.poses(time, [("Tank/CHASSIS", pose), ("Tank/Kinect", pose)])?;
    log.imu("/SR1/Imu", time, "SR1/Imu", Some(Vector3::new(0.0, 0.0, 9.8)), Some(Vector3::x()))?;
    log.wrench("/SR1/Foot", time, "SR1/Foot", &ForceReading { force: Vector3::z() * 600.0, torque: Vector3::y() })?;
    log.joints("/SR1/joints", time, &["HIP".to_owned()], [&[0.5], &[1.5], &[]])?;
    log.picture("/Tank/Theta/color", time, "Tank/Theta", vec![1, 2, 3])?;
    log.depth("/Tank/Kinect/depth", time, "Tank/Kinect", &[1.0, f32::INFINITY], (2, 1))?;
    log.cloud("/Tank/Kinect/points", time, "Tank/Kinect", &[Vector3::new(1.0, 2.0, 3.0)], &[[9, 8, 7]])?;
    log.scan("/Tank/VLP-16", time, ("Tank/VLP-16", &pose), &[1.0, f64::INFINITY], (-0.5, 0.5))?;
    log.scene(time, "Tank/CHASSIS", &[Surface { points: vec![Vector3::x(); 3], color: [1.0, 0.5, 0.0, 1.0] }])
}

fn field(message: &DynamicMessage, path: &str) -> Value {
    path.split('.').fold(Value::Message(message.clone()), |value, name| match value {
        Value::Message(message) => {
            assert!(message.descriptor().get_field_by_name(name).is_some(), "{name}");
            message.get_field_by_name(name).unwrap().into_owned()
        }
        Value::List(list) => list[name.parse::<usize>().unwrap()].clone(),
        other => panic!("{other:?} has no {name}"),
    })
}

#[test]
fn every_message_reads_back_by_its_own_description() {
    let mut bytes = Cursor::new(Vec::new());
    let mut log = McapLog::new(&mut bytes, "run.mcap".into()).unwrap();
    write(&mut log, 0.0).unwrap();
    write(&mut log, 1.25).unwrap();
    log.finish().unwrap();
    drop(log);
    let messages = read(bytes.get_ref());
    assert_eq!(messages.len(), 18);
    assert!(
        messages[..9].iter().all(|message| message.2 == 0)
            && messages[9..].iter().all(|message| message.2 == 1_250_000_000)
    );
    let of = |schema: &str| &messages[9..].iter().find(|message| message.1 == schema).unwrap().3;
    let transforms = of("foxglove.FrameTransforms");
    assert_eq!(field(transforms, "transforms.1.child_frame_id"), Value::String("Tank/Kinect".to_owned()));
    assert_eq!(field(transforms, "transforms.1.translation.y"), Value::F64(2.0));
    assert_eq!(field(transforms, "transforms.1.rotation.z"), Value::F64(1.0));
    assert_eq!(field(transforms, "transforms.1.timestamp.seconds"), Value::I64(1));
    assert_eq!(field(transforms, "transforms.1.timestamp.nanos"), Value::I32(250_000_000));
    assert_eq!(field(of("bunraku.Imu"), "linear_acceleration.z"), Value::F64(9.8));
    assert_eq!(field(of("bunraku.Wrench"), "torque.y"), Value::F64(1.0));
    assert_eq!(field(of("bunraku.Joints"), "velocities.0"), Value::F64(1.5));
    assert_eq!(field(of("foxglove.CompressedImage"), "format"), Value::String("png".to_owned()));
    assert_eq!(field(of("foxglove.RawImage"), "step"), Value::U32(8));
    let cloud = of("foxglove.PointCloud");
    assert_eq!(field(cloud, "point_stride"), Value::U32(16));
    assert_eq!(field(cloud, "fields.6.offset"), Value::U32(15));
    assert_eq!(field(cloud, "fields.0.type"), Value::EnumNumber(7));
    let expected =
        [1.0_f32, 2.0, 3.0].iter().flat_map(|value| value.to_le_bytes()).chain([9, 8, 7, 255]).collect::<Vec<u8>>();
    assert_eq!(field(cloud, "data"), Value::Bytes(expected.into()));
    assert_eq!(field(of("foxglove.LaserScan"), "ranges.1"), Value::F64(f64::INFINITY));
    assert_eq!(field(of("foxglove.SceneUpdate"), "entities.0.triangles.0.points.2.x"), Value::F64(1.0));
}

#[test]
fn the_same_messages_make_the_same_bytes() {
    let bytes = || {
        let mut bytes = Cursor::new(Vec::new());
        let mut log = McapLog::new(&mut bytes, "run.mcap".into()).unwrap();
        write(&mut log, 0.5).unwrap();
        log.finish().unwrap();
        drop(log);
        bytes.into_inner()
    };
    assert_eq!(bytes(), bytes());
}

/// A disk with a limited number of bytes.
struct Disk {
    bytes: Cursor<Vec<u8>>,
    room: usize,
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.get_ref().len() + bytes.len() > self.room {
            Err(io::ErrorKind::StorageFull.into())
        } else {
            self.bytes.write(bytes)
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Disk {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.bytes.seek(position)
    }
}

#[test]
fn a_full_disk_is_reported_once_without_a_panic() {
    let disk = Disk { bytes: Cursor::new(Vec::new()), room: 3_000_000 };
    let mut log = McapLog::new(disk, "run.mcap".into()).unwrap();
    let points = vec![Vector3::x(); 50_000];
    let errors: Vec<LogError> =
        (0..20).filter_map(|time| log.cloud("/points", f64::from(time), "world", &points, &[]).err()).collect();
    assert_eq!(errors.len(), 1);
    let message = errors[0].to_string();
    assert!(message.starts_with("run.mcap cannot be written: "), "{message}");
    log.finish().unwrap();
}
