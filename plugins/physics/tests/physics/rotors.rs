//! Rotors behind gears: the inertia that a motor adds to its joint, with the multibody solver.

use std::fmt::Write;
use std::sync::Arc;

use bevy::prelude::*;
use bunraku_body::dynamics::{Configuration, Twist};
use bunraku_body::{Actuation, Body, BodyState, Drive, JointActuation, JointTargets};
use bunraku_physics::{JointReadings, KinematicRoot};
use nalgebra::{DMatrix, DVector, Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};

use crate::common::{G, World, body};

/// Two links that turn about Y on a fixed base; the second has a motor with a gear.
fn geared(second: &str, third: &str) -> Arc<Body> {
    body(&format!(
        "  - name: BASE\n  - {{ name: FIRST, parent: BASE, joint_type: revolute, joint_axis: Y, joint_id: 0, mass: 1, center_of_mass: [ 0, \
         0, -0.25 ], inertia: [ 0.02, 0, 0, 0.02, 0, 0.02 ] }}\n  - {{ name: SECOND, parent: FIRST, translation: [ 0, 0, -0.5 ], \
         joint_type: revolute, joint_axis: Y, joint_id: 1, mass: 0.5, center_of_mass: [ 0, 0, -0.2 ], inertia: [ 0.01, 0, 0, 0.01, 0, 0.01 \
         ]{second} }}\n{third}"
    ))
}

const GEAR: f64 = 2000.0;
/// So that the rotor is 0.05 kg·m² at the joint.
const ROTOR_INERTIA: f64 = 0.05 / GEAR / GEAR;

/// Where the two joints are after a second of 0.2 N·m at the second: by the classical Runge–Kutta method on a body whose rotor is a
/// link of its own, geared to the second joint.
fn with_explicit_rotor() -> [f64; 2] {
    let body = geared(
        "",
        &format!(
            "  - {{ name: ROTOR, parent: FIRST, translation: [ 0, 0, -0.5 ], joint_type: revolute, joint_axis: Y, joint_id: 2, mass: 0.000001, \
             inertia: [ 0, 0, 0, {ROTOR_INERTIA}, 0, 0 ] }}\n"
        ),
    );
    let gear = DMatrix::from_row_slice(3, 2, &[1.0, 0.0, 0.0, 1.0, 0.0, GEAR]);
    let accelerations = |q: [f64; 2], v: [f64; 2]| {
        let displacements = [q[0], q[1], GEAR * q[1]];
        let velocities = [v[0], v[1], GEAR * v[1]];
        let configuration = Configuration::new(&body, &Isometry3::identity(), &displacements);
        let bias =
            configuration.inverse_dynamics(&Twist::ZERO, &Twist::ZERO, &velocities, &[0.0; 3], &Vector3::zeros(), &[]);
        let mass = gear.transpose() * configuration.mass_matrix() * &gear;
        let forces = gear.transpose() * -DVector::from_vec(bias.efforts) + nalgebra::dvector![0.0, 0.2];
        let a = mass.cholesky().unwrap().solve(&forces);
        [a[0], a[1]]
    };
    let (mut q, mut v, h) = ([0.0, 1.0], [0.0, 0.0], 0.002);
    for _ in 0..500 {
        let add = |x: [f64; 2], y: [f64; 2], h: f64| [x[0] + h * y[0], x[1] + h * y[1]];
        let (v1, a1) = (v, accelerations(q, v));
        let (v2, a2) = (add(v, a1, h / 2.0), accelerations(add(q, v1, h / 2.0), add(v, a1, h / 2.0)));
        let (v3, a3) = (add(v, a2, h / 2.0), accelerations(add(q, v2, h / 2.0), add(v, a2, h / 2.0)));
        let (v4, a4) = (add(v, a3, h), accelerations(add(q, v3, h), add(v, a3, h)));
        for joint in 0..2 {
            q[joint] += h / 6.0 * (v1[joint] + 2.0 * v2[joint] + 2.0 * v3[joint] + v4[joint]);
            v[joint] += h / 6.0 * (a1[joint] + 2.0 * a2[joint] + 2.0 * a3[joint] + a4[joint]);
        }
    }
    q
}

/// After one second, rad. The gear's own inertia at the first joint is 1/2000 of the rotor's at the second.
const ROTOR: f64 = 1e-3;

#[test]
fn the_inertia_of_a_rotor_is_that_of_a_rotor_with_a_gear() {
    let expected = with_explicit_rotor();
    let mut world = World::weightless();
    let body = geared(&format!(", rotor_inertia: {ROTOR_INERTIA}, gear_ratio: {GEAR}"), "");
    let entity = world.add(&body, Isometry3::identity(), &[0.0, 1.0], Drive::Physics);
    world.set_efforts(entity, &[0.0, 0.2]);
    world.run(1000);
    let state = world.state(entity);
    let off = [state.displacements[0] - expected[0], state.displacements[1] - expected[1]];
    println!("  {expected:.4?} rad, off by {:.1e} and {:.1e}", off[0], off[1]);
    assert!(off.iter().all(|off| off.abs() < ROTOR), "{off:?}");
}

/// A chain of three links that turn about different axes, each with a rotor of `share` times its own inertia.
fn chain(is_floating: bool, share: f64) -> Arc<Body> {
    let root = if is_floating { ", joint_type: free" } else { "" };
    let mut links = format!("  - {{ name: ROOT{root}, mass: 2, inertia: [ 0.03, 0, 0, 0.03, 0, 0.03 ] }}\n");
    let mut parent = "ROOT".to_owned();
    for (number, axis) in ["Y", "X", "Y"].into_iter().enumerate() {
        let z = if number == 0 { 0.0 } else { -0.3 };
        let rotor = share * LINK_INERTIA;
        writeln!(
            links,
            "  - {{ name: L{number}, parent: {parent}, translation: [ 0, 0, {z} ], joint_type: revolute, joint_axis: {axis}, joint_id: {number}, \
             mass: 0.5, center_of_mass: [ 0, 0.02, -0.15 ], inertia: [ 0.01, 0, 0, 0.01, 0, 0.008 ], rotor_inertia: {rotor} }}"
        )
        .unwrap();
        parent = format!("L{number}");
    }
    body(&links)
}

/// Of a link of [`chain`] about its joint, kg·m².
const LINK_INERTIA: f64 = 0.01 + 0.5 * 0.15 * 0.15;

/// The state of a body in free motion.
#[derive(Clone)]
struct Free {
    root: Isometry3<f64>,
    twist: Twist,
    displacements: DVector<f64>,
    velocities: DVector<f64>,
}

/// Its rate of change.
struct Rate {
    turn: Quaternion<f64>,
    twist: Twist,
    acceleration: Twist,
    velocities: DVector<f64>,
    accelerations: DVector<f64>,
}

impl Free {
    fn rate(&self, body: &Body, efforts: &[f64], gravity: &Vector3<f64>) -> Rate {
        let joints = body.num_joints();
        let configuration = Configuration::new(body, &self.root, self.displacements.as_slice());
        let mass = configuration.mass_matrix();
        let velocities = self.velocities.as_slice();
        let bias =
            configuration.inverse_dynamics(&self.twist, &Twist::ZERO, velocities, &vec![0.0; joints], gravity, &[]);
        let root = mass.nrows() - joints;
        let mut forces = DVector::zeros(mass.nrows());
        if root > 0 {
            forces.fixed_rows_mut::<3>(0).copy_from(&-bias.root_wrench.force);
            forces.fixed_rows_mut::<3>(3).copy_from(&-bias.root_wrench.torque);
        }
        for joint in 0..joints {
            forces[root + joint] = efforts[joint] - bias.efforts[joint];
        }
        let accelerations = mass.cholesky().unwrap().solve(&forces);
        let acceleration = if root > 0 {
            Twist { linear: accelerations.fixed_rows::<3>(0).into(), angular: accelerations.fixed_rows::<3>(3).into() }
        } else {
            Twist::ZERO
        };
        Rate {
            turn: Quaternion::from_imag(self.twist.angular * 0.5) * self.root.rotation.into_inner(),
            twist: self.twist,
            acceleration,
            velocities: self.velocities.clone(),
            accelerations: accelerations.rows(root, joints).into(),
        }
    }

    fn after(&self, rate: &Rate, time: f64) -> Self {
        Self {
            root: Isometry3::from_parts(
                Translation3::from(self.root.translation.vector + rate.twist.linear * time),
                UnitQuaternion::from_quaternion(self.root.rotation.into_inner() + rate.turn * time),
            ),
            twist: Twist {
                linear: self.twist.linear + rate.acceleration.linear * time,
                angular: self.twist.angular + rate.acceleration.angular * time,
            },
            displacements: &self.displacements + &rate.velocities * time,
            velocities: &self.velocities + &rate.accelerations * time,
        }
    }
}

/// Where a body is after a second of constant efforts from rest: by the classical Runge–Kutta method on our own equations of
/// motion, which are proved against Pinocchio.
fn by_equations(body: &Body, start: &[f64], efforts: &[f64], gravity: &Vector3<f64>) -> Free {
    let mut state = Free {
        root: Isometry3::identity(),
        twist: Twist::ZERO,
        displacements: DVector::from_column_slice(start),
        velocities: DVector::zeros(start.len()),
    };
    let h = 0.001;
    for _ in 0..1000 {
        let first = state.rate(body, efforts, gravity);
        let second = state.after(&first, h / 2.0).rate(body, efforts, gravity);
        let third = state.after(&second, h / 2.0).rate(body, efforts, gravity);
        let fourth = state.after(&third, h).rate(body, efforts, gravity);
        for (rate, weight) in [(first, 1.0), (second, 2.0), (third, 2.0), (fourth, 1.0)] {
            state = state.after(&rate, h / 6.0 * weight);
        }
    }
    state
}

/// After a second of moving by about 1 rad, rad: what the integrator loses with one substep a step, with or without rotors.
const CHAIN: f64 = 1.5e-3;
/// Nothing turns as a whole, but rotors of thirty times the inertia of the links are asked to cancel out.
const CHAIN_ROOT: f64 = 2.5e-3;
/// Mean effort, against the scale of the efforts.
const CHAIN_EFFORT: f64 = 2e-3;

#[test]
fn chains_with_rotors_move_as_the_equations_say() {
    for is_floating in [false, true] {
        for share in [0.0, 0.1, 1.0, 10.0, 30.0] {
            let chain = chain(is_floating, share);
            let start = [0.3, -0.4, 0.5];
            let scale = 0.02 + share * LINK_INERTIA;
            let efforts = [2.0 * scale, -1.5 * scale, scale];
            let expected = by_equations(&chain, &start, &efforts, &Vector3::zeros());
            let mut world = World::new(0.001, Vector3::zeros(), 4);
            let entity = world.add(&chain, Isometry3::identity(), &start, Drive::Physics);
            world.app.world_mut().entity_mut(entity).insert(JointReadings::default());
            world.set_efforts(entity, &efforts);
            let mut read = [0.0; 3];
            for _ in 0..1000 {
                world.run(1);
                let readings = world.app.world().get::<JointReadings>(entity).unwrap();
                for (sum, effort) in read.iter_mut().zip(readings.efforts()) {
                    *sum += effort / 1000.0;
                }
            }
            let state = world.state(entity);
            let off = state.displacements.iter().zip(expected.displacements.iter());
            let off = off.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let turn = state.link_poses[0].rotation.angle_to(&expected.root.rotation);
            let misread = read.iter().zip(&efforts).map(|(read, effort)| (read - effort).abs() / scale);
            let misread = misread.fold(0.0, f64::max);
            println!(
                "  floating {is_floating}, rotor {share} × link: {:.2?} rad, joints off by {off:.1e}, root by {turn:.1e} rad, efforts misread by {misread:.1e}",
                expected.displacements.as_slice()
            );
            assert!(off < CHAIN, "the joints are {off} rad off");
            assert!(turn < CHAIN_ROOT, "the root is {turn} rad off");
            assert!(misread < CHAIN_EFFORT, "the efforts are {misread} off");
        }
    }
}

#[test]
fn a_rotor_feels_how_a_guided_root_turns() {
    // A balanced wheel on a root that starts to turn about the same axis keeps behind by I/(I + J).
    let (inertia, rotor, pushed) = (0.02, 0.05, 2.0);
    let wheel = body(&format!(
        "  - name: BASE\n  - {{ name: WHEEL, parent: BASE, joint_type: revolute, joint_axis: Y, joint_id: 0, mass: 1, inertia: [ 0.01, 0, \
         0, {inertia}, 0, 0.01 ], rotor_inertia: {rotor} }}\n"
    ));
    let mut world = World::weightless();
    let entity = world.add(&wheel, Isometry3::identity(), &[0.0], Drive::Physics);
    world.app.world_mut().entity_mut(entity).insert(KinematicRoot::default());
    for step in 1..=1000 {
        let time = f64::from(step) * 0.001;
        let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.5 * pushed * time * time);
        world.app.world_mut().get_mut::<KinematicRoot>(entity).unwrap().0 =
            Some(Isometry3::from_parts(Translation3::identity(), turn));
        world.run(1);
    }
    let angle = world.state(entity).displacements[0];
    let expected = -0.5 * pushed * inertia / (inertia + rotor);
    println!("  {angle:.5} rad of {expected:.5}");
    assert!((angle / expected - 1.0).abs() < GUIDED, "{angle} rad instead of {expected} rad");
}

/// A step of lag in a second, and what a multibody's root is behind its guide.
const GUIDED: f64 = 0.01;

#[test]
fn a_rotor_of_a_sliding_joint_is_mass_that_only_the_joint_feels() {
    // A sled of 2 kg with a slider of 1 kg: the force between them meets their reduced mass and the rotor.
    let reduced = 2.0 / 3.0;
    for rotor in [0.1, 1.0, 3.0, 10.0, 30.0] {
        let sled = body(&format!(
            "  - {{ name: SLED, joint_type: free, mass: 2, inertia: [ 0.1, 0, 0, 0.1, 0, 0.1 ] }}\n  - {{ name: SLIDER, parent: SLED, \
             joint_type: prismatic, joint_axis: X, joint_id: 0, mass: 1, inertia: [ 0.1, 0, 0, 0.1, 0, 0.1 ], rotor_inertia: {rotor} }}\n"
        ));
        let mut world = World::new(0.001, Vector3::zeros(), 4);
        let entity = world.add(&sled, Isometry3::identity(), &[0.0], Drive::Physics);
        let force = 2.0 * (reduced + rotor);
        world.set_efforts(entity, &[force]);
        world.app.world_mut().entity_mut(entity).insert(JointReadings::default());
        world.run(1000);
        let read = world.app.world().get::<JointReadings>(entity).unwrap().efforts()[0] / force - 1.0;
        let state = world.state(entity);
        let off = state.displacements[0] - 1.0;
        let center = state.link_poses[0].translation.x * 2.0 + state.link_poses[1].translation.x;
        println!(
            "  rotor {rotor} kg: off by {off:.1e} m of 1 m, the whole by {:.1e} m, effort misread by {read:.1e}",
            center / 3.0
        );
        assert!(read.abs() < SLIDING && off.abs() < SLIDING && center.abs() < SLIDING, "{off} m");
    }
}

/// ½·a·dt·t for one substep a step, and as much again, m; and as a share of the effort.
const SLIDING: f64 = 2e-3;

#[test]
fn a_slider_with_a_heavy_rotor_rests_at_its_stop() {
    for rotor in [0.3, 3.0, 30.0] {
        let lift = body(&format!(
            "  - name: BASE\n  - {{ name: LIFT, parent: BASE, joint_type: prismatic, joint_axis: Z, joint_id: 0, mass: 1, rotor_inertia: \
             {rotor}, joint_range: [ -0.1, 0.1 ] }}\n"
        ));
        let mut world = World::usual();
        let entity = world.add(&lift, Isometry3::identity(), &[0.1], Drive::Physics);
        let mut lowest = 0.0_f64;
        for _ in 0..5000 {
            world.run(1);
            lowest = lowest.min(world.state(entity).displacements[0]);
        }
        let (place, speed) = (world.state(entity).displacements[0], world.state(entity).velocities[0]);
        println!("  rotor {rotor} kg: at {place:.5} m, {speed:.1e} m/s, lowest at {lowest:.5} m");
        assert!((place + 0.1).abs() < 1e-3 && speed.abs() < AT_STOP && lowest > -0.12, "{place} m, {speed} m/s");
    }
}

/// A stop of a multibody acts only once it is passed: there is always a substep of free fall, m/s.
const AT_STOP: f64 = G * 0.001 / 4.0;

/// A trunk of 5 kg on a leg with a foot; rotors have `share` times the inertia of the shank about the knee.
fn hopper(share: f64) -> Arc<Body> {
    let rotor = share * (0.005 + 0.5 * 0.1 * 0.1);
    body(&format!(
        "  - {{ name: TRUNK, joint_type: free, mass: 5, center_of_mass: [ 0, 0, 0.1 ], inertia: [ 0.05, 0, 0, 0.05, 0, 0.05 ] }}\n  - {{ \
         name: THIGH, parent: TRUNK, joint_type: revolute, joint_axis: Y, joint_id: 0, mass: 0.8, center_of_mass: [ 0, 0, -0.1 ], inertia: [ \
         0.005, 0, 0, 0.005, 0, 0.005 ], rotor_inertia: {rotor} }}\n  - {{ name: SHANK, parent: THIGH, translation: [ 0, 0, -0.2 ], \
         joint_type: revolute, joint_axis: Y, joint_id: 1, mass: 0.5, center_of_mass: [ 0, 0, -0.1 ], inertia: [ 0.005, 0, 0, 0.005, 0, \
         0.005 ], rotor_inertia: {rotor} }}\n  - {{ name: FOOT, parent: SHANK, translation: [ 0, 0, -0.2 ], joint_type: revolute, joint_axis: \
         Y, joint_id: 2, mass: 0.4, inertia: [ 0.002, 0, 0, 0.002, 0, 0.002 ], rotor_inertia: {rotor}, elements: [ {{ type: Shape, translation: \
         [ 0.02, 0, -0.03 ], geometry: {{ type: Box, size: [ 0.24, 0.2, 0.06 ] }} }} ] }}\n"
    ))
}

#[test]
fn a_leg_with_heavy_rotors_lands_and_comes_to_rest() {
    for share in [0.1, 1.0, 10.0, 30.0] {
        let mut world = World::usual();
        world.add_floor("default");
        let hopper = hopper(share);
        // Knees bent, the foot level and 0.1 m above the floor.
        let bend = 0.4_f64;
        let height = 0.4 * bend.cos() + 0.06 + 0.1;
        let entity =
            world.add(&hopper, Isometry3::translation(0.0, 0.0, height), &[-bend, 2.0 * bend, -bend], Drive::Physics);
        let servo = Actuation::Displacement { stiffness: 1000.0, damping: 30.0 };
        world.app.world_mut().get_mut::<JointActuation>(entity).unwrap().0.fill(servo);
        *world.app.world_mut().get_mut::<JointTargets>(entity).unwrap() =
            JointTargets { displacements: vec![-bend, 2.0 * bend, -bend], velocities: vec![0.0; 3] };
        let mut fastest = 0.0_f64;
        for _ in 0..3000 {
            world.run(1);
            fastest = world.state(entity).velocities.iter().fold(fastest, |fastest, speed| fastest.max(speed.abs()));
        }
        let state: &BodyState = world.state(entity);
        let speed = state.velocities.iter().fold(0.0_f64, |fastest, speed| fastest.max(speed.abs()));
        let sunk = height - 0.1 - state.link_poses[0].translation.z;
        println!(
            "  rotors {share} × shank: at most {fastest:.2} rad/s, in the end {speed:.1e} rad/s and {sunk:.4} m lower"
        );
        assert!(speed < LANDED && sunk.abs() < 0.02, "{speed} rad/s, {sunk} m lower");
        assert!(fastest < FASTEST_LANDING, "{fastest} rad/s");
    }
}

/// At rest two seconds after the landing, rad/s.
const LANDED: f64 = 1e-3;
/// Nothing in a landing at 1.4 m/s with a leg of 0.2 m turns faster, rad/s.
const FASTEST_LANDING: f64 = 30.0;
