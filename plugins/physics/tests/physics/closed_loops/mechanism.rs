//! A mechanism with loops, and how well they are closed.

use std::sync::Arc;

use bunraku_body::dynamics::Configuration;
use bunraku_body::{Body, ExtraJointKind};
use nalgebra::{DMatrix, DVector, Isometry3, Vector3};

use crate::common::body;

/// Actuation of a mechanism.
#[derive(Clone, Copy, Debug)]
pub enum Motor {
    /// Joint 0 is pushed to one turn a second with this many N·m for each rad/s that it is too slow.
    Crank(f64),
    /// Joint 0 is pushed to and fro once a second with this torque, N·m; springs (N·m/rad) hold all joints at the start.
    Sway { torque: f64, spring: f64 },
    /// The sliding joints are held by springs, N/m, at targets that sway by this much, m, once a second.
    Legs { spring: f64, stroke: f64 },
}

pub struct Mechanism {
    pub name: &'static str,
    pub body: Arc<Body>,
    /// Joint displacements that close the loops.
    pub start: Vec<f64>,
    pub motor: Motor,
}

impl Mechanism {
    /// A mechanism from its links and extra joints, closed from a guess of its displacements.
    pub fn new(name: &'static str, links: &[String], loops: &[String], guess: &[f64], motor: Motor) -> Self {
        let mut text = links.concat();
        text.push_str("extra_joints:\n");
        text.push_str(&loops.concat());
        let body = body(&text);
        let start = closed(&body, guess);
        Self { name, body, start, motor }
    }

    /// The same on a base that is fixed or floats.
    pub fn on_base(&self, fixed: bool) -> Arc<Body> {
        let mut body = Body::clone(&self.body);
        body.set_fixed(fixed);
        Arc::new(body)
    }

    pub fn efforts(&self, time: f64, displacements: &[f64], velocities: &[f64]) -> Vec<f64> {
        let turn = std::f64::consts::TAU * time;
        let mut efforts = vec![0.0; displacements.len()];
        match self.motor {
            Motor::Crank(gain) => efforts[0] = gain * (std::f64::consts::TAU - velocities[0]),
            Motor::Sway { torque, spring } => {
                for (joint, effort) in efforts.iter_mut().enumerate() {
                    *effort = spring * (self.start[joint] - displacements[joint]) - 0.02 * spring * velocities[joint];
                }
                efforts[0] += torque * turn.sin();
            }
            Motor::Legs { spring, stroke } => {
                for (leg, joint) in self.sliding().enumerate() {
                    let target = self.start[joint] + stroke * ((turn + leg as f64).sin() - (leg as f64).sin());
                    efforts[joint] =
                        spring * (target - displacements[joint]) - 0.02 * spring * velocities[joint] + 20.0;
                }
            }
        }
        efforts
    }

    fn sliding(&self) -> impl Iterator<Item = usize> {
        let joints = self.body.joints().len();
        let slides = |joint: &usize| {
            let joint = self.body.joint(bunraku_body::JointIndex(*joint));
            joint.is_some_and(|joint| joint.kind == bunraku_body::JointKind::Prismatic)
        };
        (0..joints).filter(slides)
    }
}

/// A uniform bar along X of its frame.
pub struct Bar {
    pub name: &'static str,
    pub parent: &'static str,
    pub at: [f64; 3],
    pub joint: &'static str,
    pub axis: [f64; 3],
    pub length: f64,
    /// Side of its square cross-section, m.
    pub thickness: f64,
    pub mass: f64,
}

impl Bar {
    pub fn text(&self, id: usize) -> String {
        let Self { name, parent, at, joint, axis, length, thickness, mass } = self;
        let square = thickness * thickness;
        let (along, across) = (mass * square / 6.0, mass * (length * length + square) / 12.0);
        format!(
            "  - {{ name: {name}, parent: {parent}, translation: {at:?}, joint_type: {joint}, joint_axis: {axis:?}, joint_id: {id}, \
             mass: {mass}, center_of_mass: [ {}, 0, 0 ], inertia: [ {along}, 0, 0, {across}, 0, {across} ] }}\n",
            length / 2.0
        )
    }
}

/// A bar on a hinge about Z.
pub fn bar(name: &'static str, parent: &'static str, at: [f64; 3], length: f64) -> Bar {
    Bar { name, parent, at, joint: "revolute", axis: [0.0, 0.0, 1.0], length, thickness: 0.06, mass: length }
}

/// A base of 10 kg.
pub fn base() -> String {
    "  - { name: BASE, joint_type: fixed, mass: 10, inertia: [ 0.5, 0, 0, 0.5, 0, 0.5 ] }\n".to_owned()
}

/// The base and bars with joint numbers in their order.
pub fn links(bars: &[Bar]) -> Vec<String> {
    std::iter::once(base()).chain(bars.iter().enumerate().map(|(id, bar)| bar.text(id))).collect()
}

pub fn extra(kind: &str, axis: [f64; 3], first: (&str, [f64; 3]), second: (&str, [f64; 3])) -> String {
    let ((link1, at1), (link2, at2)) = (first, second);
    format!(
        "  - {{ link1_name: {link1}, link2_name: {link2}, joint_type: {kind}, axis: {axis:?}, translation_in_link1: {at1:?}, \
         translation_in_link2: {at2:?} }}\n"
    )
}

/// Errors of the extra joints: the widest gap of anchors (across the axis for a piston), m, and the largest
/// angle between axes, rad.
pub fn errors(body: &Body, poses: &[Isometry3<f64>]) -> (f64, f64) {
    let mut widest = (0.0_f64, 0.0_f64);
    for extra in 0..body.extra_joints.len() {
        let (gap, turn) = error(body, poses, extra);
        widest = (widest.0.max(gap.norm()), widest.1.max(turn.norm()));
    }
    widest
}

fn error(body: &Body, poses: &[Isometry3<f64>], extra: usize) -> (Vector3<f64>, Vector3<f64>) {
    let extra = &body.extra_joints[extra];
    let [first, second] = [0, 1].map(|end| poses[extra.links[end].0] * extra.frames[end]);
    let gap = second.translation.vector - first.translation.vector;
    let Some(axis) = extra.kind.axis() else { return (gap, Vector3::zeros()) };
    let axis = first.rotation * axis.into_inner();
    let turn = axis.cross(&(second.rotation * extra.kind.axis().unwrap().into_inner()));
    match extra.kind {
        ExtraJointKind::Piston { .. } => (gap - axis * axis.dot(&gap), turn),
        ExtraJointKind::PointOnLine { .. } => (gap - axis * axis.dot(&gap), Vector3::zeros()),
        ExtraJointKind::PointOnPlane { .. } => (axis * axis.dot(&gap), Vector3::zeros()),
        _ => (gap, turn),
    }
}

/// Joint displacements near a guess that close all loops; joint 0 stays.
fn closed(body: &Body, guess: &[f64]) -> Vec<f64> {
    let residual = |joints: &[f64]| {
        let configuration = Configuration::new(body, &Isometry3::identity(), joints);
        let poses = configuration.link_poses();
        let all = (0..body.extra_joints.len()).flat_map(|extra| {
            let (gap, turn) = error(body, poses, extra);
            gap.iter().chain(turn.iter()).copied().collect::<Vec<_>>()
        });
        DVector::from_vec(all.collect())
    };
    let mut joints = guess.to_vec();
    for _ in 0..100 {
        let now = residual(&joints);
        if now.norm() < 1e-12 {
            return joints;
        }
        let mut slope = DMatrix::zeros(now.len(), joints.len() - 1);
        for joint in 1..joints.len() {
            let mut near = joints.clone();
            near[joint] += 1e-6;
            slope.set_column(joint - 1, &((residual(&near) - &now) / 1e-6));
        }
        let step = slope.svd(true, true).solve(&now, 1e-6).unwrap();
        let scale = (0.3 / step.amax()).min(1.0);
        for (joint, change) in step.iter().enumerate() {
            joints[joint + 1] -= scale * change;
        }
    }
    panic!("the loops of {} do not close: {} {joints:?}", body.name, residual(&joints).norm());
}
