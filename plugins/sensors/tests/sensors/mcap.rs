//! MCAP files, read with the descriptions they contain.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read as _, Seek, SeekFrom, Write};

use bunraku_render::{Lens, View};
use bunraku_sensors::ForceReading;
use bunraku_sensors::log::{Cloud, LogError, McapLog, McapProfile, ScanRow, Surface, WORLD};
use bunraku_test_support::Random;
use mcap::read::LinearReader;
use mcap::records::Record;
use nalgebra::{Isometry3, Vector3};
use prost_reflect::{DescriptorPool, DynamicMessage, ReflectMessage, Value};
use ruzstd::decoding::StreamingDecoder;

/// Topic, schema, time in ns and content of a message.
type Read = (String, String, u64, DynamicMessage);

/// The content of a Zstandard frame, by a decoder that is not that of the encoder.
fn decompress(frame: &[u8]) -> Vec<u8> {
    let mut content = Vec::new();
    StreamingDecoder::new(frame).unwrap().read_to_end(&mut content).unwrap();
    content
}

/// The messages of a file that is complete: it ends with a footer, as readers that seek require.
fn read(bytes: &[u8]) -> Vec<Read> {
    let mut messages = Vec::new();
    let (mut schemas, mut channels) = (BTreeMap::new(), BTreeMap::new());
    let mut has_footer = false;
    let mut add = |record: Record<'_>| match record {
        Record::Schema { header, data } => {
            assert_eq!(header.encoding, "protobuf");
            schemas.insert(header.id, (header.name, data.into_owned()));
        }
        Record::Channel(channel) => {
            assert_eq!(channel.message_encoding, "protobuf");
            channels.insert(channel.id, (channel.topic, channel.schema_id));
        }
        Record::Message { header, data } => {
            let (topic, schema) = &channels[&header.channel_id];
            let (name, description) = &schemas[schema];
            let descriptor = DescriptorPool::decode(&description[..]).unwrap().get_message_by_name(name).unwrap();
            let content = DynamicMessage::decode(descriptor, &data[..]).unwrap();
            assert_eq!(content.unknown_fields().count(), 0, "{name}");
            messages.push((topic.clone(), name.clone(), header.log_time, content));
        }
        _ => {}
    };
    for record in LinearReader::new(bytes).unwrap() {
        match record.unwrap() {
            Record::Chunk { header, data } => {
                assert_eq!(header.compression, "zstd");
                let records = decompress(&data);
                assert_eq!(
                    (records.len() as u64, crc32fast::hash(&records)),
                    (header.uncompressed_size, header.uncompressed_crc)
                );
                LinearReader::sans_magic(&records).for_each(|record| add(record.unwrap()));
            }
            Record::Footer(_) => has_footer = true,
            record => add(record),
        }
    }
    assert!(has_footer);
    messages
}

fn write<W: Write + Seek>(log: &mut McapLog<W>, time: f64) -> Result<(), LogError> {
    let pose = Isometry3::new(Vector3::new(1.0, 2.0, 3.0), Vector3::new(0.0, 0.0, std::f64::consts::PI));
    log.poses(time, [(WORLD, "Tank/CHASSIS", pose), ("Tank/CHASSIS", "Tank/Kinect", pose)])?;
    log.imu("/SR1/Imu", time, "SR1/Imu", Some(Vector3::new(0.0, 0.0, 9.8)), Some(Vector3::x()))?;
    log.wrench("/SR1/Foot", time, "SR1/Foot", &ForceReading { force: Vector3::z() * 600.0, torque: Vector3::y() })?;
    log.joints("/SR1/joints", time, &["HIP".to_owned()], [&[0.0], &[1.5], &[]])?;
    log.picture("/Tank/Theta/color", time, "Tank/Theta", &[[1, 2, 3]], (1, 1))?;
    log.depth("/Tank/Kinect/depth", time, "Tank/Kinect", &[1.0, f32::INFINITY], (2, 1))?;
    let cloud = Cloud { points: &[Vector3::new(1.0, 2.0, 3.0)], colors: &[[9, 8, 7]], ..Cloud::default() };
    log.cloud("/Tank/Kinect/points", time, "Tank/Kinect", &cloud)?;
    let row = ScanRow {
        distances: &[1.0, f64::INFINITY],
        intensities: &[],
        angles: [-0.5, 0.5],
        limits: [0.1, 10.0],
        period: 0.1,
    };
    log.scan("/Tank/VLP-16", time, ("Tank/VLP-16", &pose), &row)?;
    let lens = Lens::Normal { field_of_view: std::f64::consts::FRAC_PI_2 };
    let view = View { width: 640, height: 480, lens, near: 0.1, far: 10.0 };
    log.calibration("/Tank/Kinect/calibration", time, "Tank/Kinect", &view)?;
    let surface = [Surface { points: vec![Vector3::x(); 3], color: [1.0, 0.5, 0.0, 1.0] }];
    log.scene(time, [("Tank/CHASSIS", &surface[..]), ("Tank/TURRET", &surface[..])])
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
    let mut log = McapLog::new(&mut bytes, "run.mcap".into(), McapProfile::Foxglove).unwrap();
    write(&mut log, 0.0).unwrap();
    write(&mut log, 1.25).unwrap();
    log.finish().unwrap();
    drop(log);
    let messages = read(bytes.get_ref());
    assert_eq!(messages.len(), 20);
    assert!(
        messages[..10].iter().all(|message| message.2 == 0)
            && messages[10..].iter().all(|message| message.2 == 1_250_000_000)
    );
    let of = |schema: &str| &messages[10..].iter().find(|message| message.1 == schema).unwrap().3;
    let transforms = of("foxglove.FrameTransforms");
    assert_eq!(field(transforms, "transforms.1.child_frame_id"), Value::String("Tank/Kinect".to_owned()));
    assert_eq!(field(transforms, "transforms.1.parent_frame_id"), Value::String("Tank/CHASSIS".to_owned()));
    assert_eq!(field(transforms, "transforms.1.translation.y"), Value::F64(2.0));
    assert_eq!(field(transforms, "transforms.1.rotation.z"), Value::F64(1.0));
    assert_eq!(field(transforms, "transforms.1.timestamp.seconds"), Value::I64(1));
    assert_eq!(field(transforms, "transforms.1.timestamp.nanos"), Value::I32(250_000_000));
    assert_eq!(field(of("bunraku.Imu"), "linear_acceleration.z"), Value::F64(9.8));
    assert_eq!(field(of("bunraku.Wrench"), "torque.y"), Value::F64(1.0));
    let joint = field(of("foxglove.JointStates"), "joints.0");
    let joint = joint.as_message().unwrap();
    assert_eq!(field(joint, "velocity"), Value::F64(1.5));
    // A displacement of zero is a value; an effort that is not given is absent.
    assert!(joint.has_field_by_name("position") && !joint.has_field_by_name("effort"));
    // A field of view of 90° over 480 pixels.
    let calibration = of("foxglove.CameraCalibration");
    let Value::F64(focal_length) = field(calibration, "K.4") else { panic!() };
    assert!((focal_length - 240.0).abs() < 1e-9);
    assert_eq!((field(calibration, "K.2"), field(calibration, "P.6")), (Value::F64(319.5), Value::F64(239.5)));
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
    assert_eq!(field(of("foxglove.SceneUpdate"), "entities.1.triangles.0.points.2.x"), Value::F64(1.0));
}

#[test]
fn a_killed_run_leaves_a_file_that_readers_open_up_to_its_last_whole_chunk() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let mut log = McapLog::create(&path, McapProfile::Foxglove).unwrap();
    assert_eq!(read(&std::fs::read(&path).unwrap()).len(), 0);
    let mut written = 0;
    for step in 0..2500_u32 {
        log.imu("/Robot/Imu", f64::from(step) * 1e-3, "Robot", Some(Vector3::z()), None).unwrap();
        written += 1;
        if step % 1000 == 0 {
            let found = read(&std::fs::read(&path).unwrap());
            assert!(found.len() <= written && found.len() + 1001 >= written, "{} of {written}", found.len());
        }
    }
    // It was killed: nobody ends the file.
    std::mem::forget(log);
    let found = read(&std::fs::read(&path).unwrap());
    assert!(found.len() >= 2000, "{}", found.len());
    assert!(found.iter().zip(0_u64..).all(|(message, step)| message.2 == step * 1_000_000));
}

#[test]
fn the_index_leads_to_every_message() {
    let mut bytes = Cursor::new(Vec::new());
    let mut log = McapLog::new(&mut bytes, "run.mcap".into(), McapProfile::Foxglove).unwrap();
    (0..5).for_each(|second| write(&mut log, f64::from(second)).unwrap());
    log.finish().unwrap();
    drop(log);
    let bytes = bytes.into_inner();
    let summary = mcap::Summary::read(&bytes).unwrap().unwrap();
    let statistics = summary.stats.unwrap();
    assert_eq!((statistics.message_count, statistics.schema_count), (50, 10));
    assert_eq!((statistics.message_start_time, statistics.message_end_time), (0, 4_000_000_000));
    assert_eq!(statistics.channel_message_counts.values().sum::<u64>(), 50);
    assert_eq!((summary.channels.len(), statistics.chunk_count as usize), (10, summary.chunk_indexes.len()));
    assert!(summary.chunk_indexes.len() >= 4);
    for chunk in &summary.chunk_indexes {
        let at = |offset: u64| bytes[usize::try_from(offset).unwrap()];
        assert_eq!(at(chunk.chunk_start_offset), 0x06);
        assert!(chunk.message_index_offsets.values().all(|offset| at(*offset) == 0x07));
        let end = chunk.chunk_start_offset + chunk.chunk_length + chunk.message_index_length;
        assert!([0x06, 0x0F].contains(&at(end)));
    }
}

#[test]
fn the_same_messages_make_the_same_bytes() {
    let bytes = || {
        let mut bytes = Cursor::new(Vec::new());
        let mut log = McapLog::new(&mut bytes, "run.mcap".into(), McapProfile::Foxglove).unwrap();
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
    let mut log = McapLog::new(disk, "run.mcap".into(), McapProfile::Foxglove).unwrap();
    // Points that cannot be compressed.
    let mut random = Random::new(1);
    let points: Vec<_> = (0..50_000).map(|_| Vector3::from_fn(|_, _| random.unit() as f32)).collect();
    let cloud = Cloud { points: &points, ..Cloud::default() };
    let errors: Vec<LogError> =
        (0..20).filter_map(|time| log.cloud("/points", f64::from(time), "world", &cloud).err()).collect();
    assert_eq!(errors.len(), 1);
    let message = errors[0].to_string();
    assert!(message.starts_with("run.mcap cannot be written: "), "{message}");
    log.finish().unwrap();
}
