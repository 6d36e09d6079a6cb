//! Messages of ROS 2 that a running simulation hands over.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bunraku_body::dynamics::Twist;
use bunraku_body::{BodyState, Drive};
use bunraku_physics::{InitialTwist, JointSolver, LinkMotions};
use bunraku_sensors::MessagePublisher;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use super::{G, World, model};

const CART: &str = "
  - { name: BASE, joint_type: free, mass: 1, inertia: [ 0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1 ] }
  - name: MAST
    parent: BASE
    joint_type: fixed
    translation: [ 0, 0, 0.5 ]
    elements: [ { type: Imu, name: IMU } ]
  - name: WHEEL
    parent: BASE
    joint_type: revolute
    joint_axis: Y
    joint_id: 0
    mass: 0.1
    inertia: [ 0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01 ]
";

/// Numbers and texts of a message, read from its start.
struct Reading<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl Reading<'_> {
    fn number<const N: usize>(&mut self) -> [u8; N] {
        let start = self.position.next_multiple_of(N);
        self.position = start + N;
        self.bytes[start..self.position].try_into().unwrap()
    }

    fn time(&mut self) -> f64 {
        let seconds = i32::from_le_bytes(self.number());
        f64::from(seconds) + f64::from(u32::from_le_bytes(self.number())) * 1e-9
    }

    fn text(&mut self) -> String {
        let length = u32::from_le_bytes(self.number()) as usize;
        let text = std::str::from_utf8(&self.bytes[self.position..self.position + length - 1]).unwrap().to_owned();
        self.position += length;
        text
    }

    fn numbers<const N: usize>(&mut self) -> [f64; N] {
        std::array::from_fn(|_| f64::from_le_bytes(self.number()))
    }
}

/// A frame of a `tf2_msgs/TFMessage`.
struct Frame {
    time: f64,
    parent: String,
    name: String,
    /// Position in the parent's axes and a quaternion, x, y, z, w.
    pose: [f64; 7],
}

fn frames(message: &[u8]) -> Vec<Frame> {
    let mut reading = Reading { bytes: &message[4..], position: 0 };
    let count = u32::from_le_bytes(reading.number());
    let one = |_| {
        let (time, parent, name) = (reading.time(), reading.text(), reading.text());
        Frame { time, parent, name, pose: reading.numbers() }
    };
    (0..count).map(one).collect()
}

/// The parents of the frames of a message, by their names.
fn parents(message: &[u8]) -> BTreeMap<String, String> {
    frames(message).into_iter().map(|frame| (frame.name, frame.parent)).collect()
}

#[track_caller]
fn assert_at(message: &[u8], name: &str, position: impl Fn(f64) -> [f64; 3]) {
    let found = frames(message).into_iter().find(|frame| frame.name == name).unwrap();
    let [x, y, z] = position(found.time);
    let expected = [x, y, z, 0.0, 0.0, 0.0, 1.0];
    let is_near = found.pose.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-3);
    assert!(is_near, "{name}: {:?} at {} s", found.pose, found.time);
}

fn of(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, parent)| ((*name).to_owned(), (*parent).to_owned())).collect()
}

#[test]
fn what_never_moves_is_published_once_and_a_base_is_in_its_odometry() {
    let mut world = World::new(0.001, JointSolver::Multibody);
    let cart = model("Cart", CART);
    // It looks along +Y, where it starts at 2 m/s.
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::FRAC_PI_2);
    let start = Isometry3::from_parts(Translation3::new(3.0, 4.0, 5.0), turn);
    let cart = world.add_at(&cart, BodyState::at_rest(&cart, &start, vec![0.0]), Drive::Physics);
    let twist = Twist { linear: Vector3::new(0.0, 2.0, 0.0), ..Twist::ZERO };
    world.app.world_mut().entity_mut(cart).insert((InitialTwist(twist), LinkMotions::default()));
    let messages = Arc::new(Mutex::new(Vec::<(String, Vec<u8>)>::new()));
    let sent = Arc::clone(&messages);
    let sink = Box::new(move |topic: &str, _: &'static str, message: &[u8]| {
        sent.lock().unwrap().push((topic.to_owned(), message.to_vec()));
    });
    world.app.insert_resource(MessagePublisher::new(10, sink).with_odometry(cart, "/odom", "odom"));
    world.run(100);
    let messages = messages.lock().unwrap();
    let on = |topic: &str| messages.iter().filter(|(of, _)| of == topic).map(|(_, bytes)| bytes).collect::<Vec<_>>();
    let fixed = of(&[("odom", "world"), ("Cart/MAST", "Cart/BASE"), ("Cart/MAST/IMU", "Cart/MAST")]);
    assert_eq!(on("/tf_static").into_iter().map(|bytes| parents(bytes)).collect::<Vec<_>>(), [fixed]);
    let moving = of(&[("Cart/BASE", "odom"), ("Cart/WHEEL", "Cart/BASE")]);
    assert!(on("/tf").len() >= 10 && on("/tf").iter().all(|bytes| parents(bytes) == moving));
    assert_at(on("/tf_static")[0], "Cart/MAST", |_| [0.0, 0.0, 0.5]);
    for message in on("/tf") {
        assert_at(message, "Cart/BASE", |time| [2.0 * time, 0.0, -0.5 * G * time * time]);
        assert_at(message, "Cart/WHEEL", |_| [0.0; 3]);
    }
    let last = on("/odom").pop().unwrap();
    let mut reading = Reading { bytes: &last[4..], position: 0 };
    let time = reading.time();
    assert_eq!((reading.text(), reading.text()), ("odom".to_owned(), "Cart/BASE".to_owned()));
    let [x, y, z, _, _, _, w] = reading.numbers();
    reading.numbers::<36>();
    let [ahead, left, up, ..] = reading.numbers::<6>();
    assert!((time - 0.1).abs() < 0.011 && (x - 2.0 * time).abs() < 1e-6 && y.abs() < 1e-6, "{time}: {x} {y}");
    assert!((z + 0.5 * G * time * time).abs() < 1e-3 && (w - 1.0).abs() < 1e-6, "{z} {w}");
    assert!((ahead - 2.0).abs() < 1e-6 && left.abs() < 1e-6 && (up + G * time).abs() < 0.02, "{ahead} {left} {up}");
}
