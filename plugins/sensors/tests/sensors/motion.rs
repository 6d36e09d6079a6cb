//! Motion and force sensors compared with closed formulas.

use bunraku_body::dynamics::{Twist, Wrench};
use bunraku_sensors::{
    Channel, ChannelState, LinkMotion, Random, VectorError, angular_velocity, force_reading, seed_of, specific_force,
};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

const GRAVITY: Vector3<f64> = Vector3::new(0.0, 0.0, -9.80665);

fn still(pose: Isometry3<f64>) -> LinkMotion {
    LinkMotion { pose, twist: Twist::ZERO, acceleration: Twist::ZERO }
}

fn assert_near(found: Vector3<f64>, expected: Vector3<f64>) {
    assert!((found - expected).norm() < 1e-12, "{found} instead of {expected}");
}

/// A link and a sensor on it, both in generic poses.
fn anyhow() -> (Isometry3<f64>, Isometry3<f64>) {
    let link = Isometry3::new(Vector3::new(1.0, -2.0, 0.5), Vector3::new(0.3, -0.7, 1.1));
    let mounting = Isometry3::new(Vector3::new(0.2, 0.1, -0.3), Vector3::new(-1.2, 0.4, 0.6));
    (link, mounting)
}

#[test]
fn at_rest_gravity_is_read_upwards_in_the_sensors_own_frame() {
    let (link, mounting) = anyhow();
    let reading = specific_force(&mounting, &still(link), &GRAVITY);
    assert_near((link * mounting).rotation * reading, -GRAVITY);
    assert_near(angular_velocity(&mounting, &still(link)), Vector3::zeros());
}

#[test]
fn free_fall_reads_nothing() {
    let (link, mounting) = anyhow();
    let twist = Twist { linear: Vector3::new(1.0, 2.0, 3.0), angular: Vector3::zeros() };
    let acceleration = Twist { linear: GRAVITY, angular: Vector3::zeros() };
    assert_near(specific_force(&mounting, &LinkMotion { pose: link, twist, acceleration }, &GRAVITY), Vector3::zeros());
}

#[test]
fn on_a_spinning_arm_the_centripetal_acceleration_is_read() {
    // Sensor 0.5 m out on an arm that rotates about Z at 3 rad/s and accelerates at 2 rad/s²; its X axis points
    // outwards.
    let (spin, speed_up, length) = (3.0, 2.0, 0.5);
    let pose = Isometry3::rotation(Vector3::z() * 0.8);
    let twist = Twist { linear: Vector3::zeros(), angular: Vector3::z() * spin };
    let acceleration = Twist { linear: Vector3::zeros(), angular: Vector3::z() * speed_up };
    let motion = LinkMotion { pose, twist, acceleration };
    let mounting = Isometry3::translation(length, 0.0, 0.0);
    let expected = Vector3::new(-spin * spin * length, speed_up * length, 9.80665);
    assert_near(specific_force(&mounting, &motion, &GRAVITY), expected);
    assert_near(angular_velocity(&mounting, &motion), Vector3::new(0.0, 0.0, spin));
    // The same arm with the sensor's X axis along world Z.
    let turned = mounting * UnitQuaternion::from_axis_angle(&Vector3::y_axis(), -std::f64::consts::FRAC_PI_2);
    assert_near(angular_velocity(&turned, &motion), Vector3::new(spin, 0.0, 0.0));
}

#[test]
fn readings_are_the_second_derivative_of_the_position() {
    // A link in a screw motion of increasing speed, compared with differences of the sensor's position.
    let (_, mounting) = anyhow();
    let axis = Vector3::new(0.2, 0.9, -0.4).normalize();
    let at = |time: f64| {
        let angle = 0.7 * time + 0.4 * time * time;
        let place = Vector3::new(time * time, (2.0 * time).sin(), 0.3 * time);
        Isometry3::from_parts(
            place.into(),
            UnitQuaternion::from_axis_angle(&nalgebra::Unit::new_normalize(axis), angle),
        )
    };
    let (time, step) = (0.6, 1e-4);
    let motion = LinkMotion {
        pose: at(time),
        twist: Twist {
            linear: Vector3::new(2.0 * time, 2.0 * (2.0 * time).cos(), 0.3),
            angular: axis * (0.7 + 0.8 * time),
        },
        acceleration: Twist { linear: Vector3::new(2.0, -4.0 * (2.0 * time).sin(), 0.0), angular: axis * 0.8 },
    };
    let place = |time: f64| (at(time) * mounting).translation.vector;
    let acceleration = (place(time + step) - 2.0 * place(time) + place(time - step)) / (step * step);
    let expected = (at(time) * mounting).rotation.inverse() * (acceleration - GRAVITY);
    let found = specific_force(&mounting, &motion, &GRAVITY);
    assert!((found - expected).norm() < 1e-6, "{found} {expected}");
}

#[test]
fn readings_saturate_at_the_limits_of_the_model() {
    let channel = Channel::limited(Some(Vector3::new(1.0, -2.0, f64::NAN)));
    let mut none = || -> Random { panic!("no errors, no random numbers") };
    let found = channel.measure(Vector3::new(5.0, -5.0, 5.0), (0, 1.0), &mut ChannelState::default(), &mut none);
    assert_near(found, Vector3::new(1.0, -2.0, 5.0));
    let found = channel.measure(Vector3::new(0.5, -1.5, -7.0), (1, 1.0), &mut ChannelState::default(), &mut none);
    assert_near(found, Vector3::new(0.5, -1.5, -7.0));
}

#[test]
fn errors_have_the_stated_mean_and_deviation_and_depend_on_seed_and_sample_alone() {
    let (bias, deviation) = (Vector3::new(0.1, 0.0, -0.2), Vector3::new(0.0, 0.5, 1.0));
    let error = VectorError { bias, deviation, ..VectorError::default() };
    let channel = Channel { error, ..Channel::default() };
    let read = |seed: u64, sample: u64| {
        let random = &mut || Random::of_sample(seed, sample);
        channel.measure(Vector3::zeros(), (sample, 1.0), &mut ChannelState::default(), random)
    };
    let count = 20_000;
    let samples: Vec<_> = (0..count).map(|sample| read(7, sample)).collect();
    let mean = samples.iter().sum::<Vector3<f64>>() / count as f64;
    let variance =
        samples.iter().map(|sample| (sample - mean).map(|value| value * value)).sum::<Vector3<f64>>() / count as f64;
    // Four standard deviations of the mean of this many numbers.
    assert!((mean - error.bias).amax() < 4.0 / (count as f64).sqrt(), "{mean}");
    assert!((variance.map(f64::sqrt) - error.deviation).amax() < 0.02, "{variance}");
    assert_eq!(read(7, 123), samples[123]);
    assert_ne!(read(8, 123), samples[123]);
    assert_ne!(seed_of(1, "SR1", "Gyro"), seed_of(1, "SR1G", "yro"));
    // The same numbers on every machine.
    assert_eq!(Random::of_sample(7, 3).uniform(), 0.18154186395125538);
}

#[test]
fn a_force_sensor_reads_the_wrench_on_the_parent() {
    // A mass of 2 kg is suspended from the parent: the parent pulls the link up, the link pulls the parent down.
    let weight = 2.0 * 9.80665;
    let (link, mounting) = anyhow();
    let center = link.rotation * Vector3::new(0.0, 0.3, -0.1);
    let reaction = Wrench::from_force_at(Vector3::z() * weight, &center);
    let reading = force_reading(&mounting, &link, &reaction);
    let sensor = link * mounting;
    assert_near(sensor.rotation * reading.force, -Vector3::z() * weight);
    // About the sensor, the weight acts at the centre of mass.
    let lever = link.translation.vector + center - sensor.translation.vector;
    assert_near(sensor.rotation * reading.torque, lever.cross(&(-Vector3::z() * weight)));
}

#[test]
fn a_standing_foot_reads_the_weight_upwards() {
    // The shank pushes the foot down with the weight above it.
    let reaction = Wrench { force: Vector3::new(0.0, 0.0, -1245.0), torque: Vector3::zeros() };
    let reading = force_reading(&Isometry3::identity(), &Isometry3::identity(), &reaction);
    assert_near(reading.force, Vector3::new(0.0, 0.0, 1245.0));
    // At rest the torque about a sensor beside the line of action is lever times force.
    let beside = Isometry3::from(Translation3::new(0.1, 0.0, 0.0));
    let reading = force_reading(&beside, &Isometry3::identity(), &reaction);
    assert_near(reading.torque, Vector3::new(0.0, 124.5, 0.0));
}
