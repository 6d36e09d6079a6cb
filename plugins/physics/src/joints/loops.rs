//! Extra joints: connections beyond the tree, which close loops.
//!
//! A loop often holds part of itself: in a planar mechanism no joint can leave the plane, and a hinge that closes it asks
//! for three things too many. Such a row of the constraint moves nothing, its Jacobian is rounding noise, and rapier 0.35
//! divides by it: loops closed onto a fixed root explode in any orientation that is not along the axes. Rows that the tree
//! and the loops before already hold are therefore left out.

use bevy_rapier3d::prelude::{JointAxesMask, RapierContextJoints};
use bevy_rapier3d::rapier::dynamics::{
    GenericJoint as RapierJoint, ImpulseJointHandle, RigidBodyBuilder, RigidBodyHandle, RigidBodySet,
};
use bunraku_body::dynamics::Configuration;
use bunraku_body::{Body, ExtraJoint, ExtraJointKind, JointKind, LinkIndex};
use nalgebra::{DMatrix, DVector, Isometry3, Matrix3, Point3, Rotation3, UnitQuaternion, Vector3};

use super::JointSolver;
use crate::convert::{to_quat, to_vec3};
use crate::rigid_parts::RigidParts;

/// A closed loop in rapier's world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SimulatedLoop {
    pub handle: ImpulseJointHandle,
    /// The links it connects.
    pub links: [LinkIndex; 2],
}

/// What an extra joint asks of rapier: rows in a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Closure {
    /// The frame of the rows in each link's frame.
    frames: [Isometry3<f64>; 2],
    locked: JointAxesMask,
}

/// Puts the extra joints of a body into rapier's world.
pub(crate) fn insert(
    solver: JointSolver,
    body: &Body,
    displacements: &[f64],
    parts: &RigidParts,
    handles: &[RigidBodyHandle],
    set: &mut RigidBodySet,
    joints: &mut RapierContextJoints,
) -> Vec<SimulatedLoop> {
    let mut proxy = None;
    let mut loops = Vec::new();
    for (extra, closure) in body.extra_joints.iter().zip(closures(body, displacements)) {
        let places = extra.links.map(|link| parts.links[link.0]);
        if places[0].part == places[1].part || closure.locked.is_empty() {
            continue;
        }
        let ends = places.map(|place| {
            let is_fixed_root = place.part == 0 && body.is_fixed();
            if is_fixed_root && solver == JointSolver::Multibody {
                *proxy.get_or_insert_with(|| stand_in(handles[0], set, joints))
            } else {
                handles[place.part]
            }
        });
        let mut data = RapierJoint::new(closure.locked);
        let [first, second] = [0, 1].map(|end| places[end].pose * closure.frames[end]);
        data.local_frame1 = to_pose(&first);
        data.local_frame2 = to_pose(&second);
        data.set_contacts_enabled(false);
        let handle = joints.impulse_joints.insert(ends[0], ends[1], data, true);
        loops.push(SimulatedLoop { handle, links: extra.links });
    }
    loops
}

fn to_pose(pose: &Isometry3<f64>) -> bevy_rapier3d::rapier::math::Pose {
    bevy_rapier3d::rapier::math::Pose::from_parts(to_vec3(&pose.translation.vector), to_quat(&pose.rotation))
}

/// A body welded to the fixed root of a multibody. Rapier sorts out rows of pure noise between two links of a multibody, but
/// takes a fixed root for the world.
fn stand_in(root: RigidBodyHandle, set: &mut RigidBodySet, joints: &mut RapierContextJoints) -> RigidBodyHandle {
    let pose = set.get(root).map(|root| *root.position()).unwrap_or_default();
    let body = RigidBodyBuilder::dynamic().pose(pose).additional_mass(1.0).can_sleep(false).build();
    let stand_in = set.insert(body);
    joints.multibody_joints.insert(root, stand_in, RapierJoint::new(JointAxesMask::LOCKED_FIXED_AXES), true);
    stand_in
}

/// Postures at which rows are looked at, beside the given one.
const POSTURES: usize = 5;
/// How far the postures are from the given one, rad or m: farther than any row is zero by chance.
const SPREAD: f64 = 0.4;
/// A row with this share of itself, or less, left by the rows before says nothing new.
const REDUNDANT: f64 = 1e-6;

/// The rows of each extra joint that hold something that nothing else holds.
fn closures(body: &Body, displacements: &[f64]) -> Vec<Closure> {
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    let mut postures = vec![displacements.to_vec()];
    for _ in 0..POSTURES {
        let near = displacements.iter().map(|displacement| {
            // Any numbers that are not special will do, the same ones in every run.
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            #[allow(clippy::cast_precision_loss)]
            let share = (random >> 11) as f64 / (1_u64 << 53) as f64;
            displacement + SPREAD * (2.0 * share - 1.0)
        });
        postures.push(near.collect());
    }
    let configurations: Vec<_> =
        postures.iter().map(|joints| Configuration::new(body, &Isometry3::identity(), joints)).collect();
    // For each posture an orthonormal basis of what is held already.
    let mut held: Vec<Vec<DVector<f64>>> = vec![Vec::new(); configurations.len()];
    body.extra_joints.iter().map(|extra| closure(extra, &configurations, &mut held)).collect()
}

fn closure(extra: &ExtraJoint, configurations: &[Configuration<'_>], held: &mut [Vec<DVector<f64>>]) -> Closure {
    let turn = row_frame(extra, configurations);
    let frames = extra.frames.map(|frame| frame * turn);
    let wanted = match extra.kind {
        ExtraJointKind::Fixed => JointAxesMask::LOCKED_FIXED_AXES,
        ExtraJointKind::Ball => JointAxesMask::LOCKED_SPHERICAL_AXES,
        ExtraJointKind::Hinge { .. } => JointAxesMask::LOCKED_REVOLUTE_AXES,
        ExtraJointKind::Piston { .. } => {
            JointAxesMask::LIN_Y | JointAxesMask::LIN_Z | JointAxesMask::ANG_Y | JointAxesMask::ANG_Z
        }
    };
    if configurations.first().is_some_and(|configuration| are_free_of_each_other(configuration.body(), extra.links)) {
        return Closure { frames, locked: wanted };
    }
    let rows: Vec<_> =
        configurations.iter().map(|configuration| relative_jacobian(configuration, extra.links, &frames)).collect();
    let mut locked = JointAxesMask::empty();
    for row in 0..6 {
        let axis = JointAxesMask::from_bits_truncate(1 << row);
        if !wanted.contains(axis) {
            continue;
        }
        let mut is_new = false;
        for (jacobian, held) in rows.iter().zip(held.iter_mut()) {
            let full: DVector<f64> = jacobian.row(row).transpose();
            let mut rest = full.clone();
            for basis in held.iter() {
                rest -= basis * basis.dot(&rest);
            }
            if rest.norm() > REDUNDANT * full.norm().max(SMALLEST_ROW) {
                is_new = true;
                held.push(rest.normalize());
            }
        }
        if is_new {
            locked |= axis;
        }
    }
    Closure { frames, locked }
}

/// Whether no joint of the tree ties two links to each other: then nothing of what holds them is held already.
fn are_free_of_each_other(body: &Body, links: [LinkIndex; 2]) -> bool {
    let [first, second] = links.map(|link| {
        let mut top = link;
        while let (Some(parent), false) = (body.link(top).parent, body.link(top).joint.kind == JointKind::Free) {
            top = parent;
        }
        top
    });
    first != second
}

/// A row this small, in m/rad or rad/rad, is rounding.
const SMALLEST_ROW: f64 = 1e-6;

/// How the frame of the rows is turned in the joint frame: X along the axis of the joint. What is left open is chosen so
/// that a direction in which the anchors cannot part anyway is one of the axes, and no axis is special otherwise.
fn row_frame(extra: &ExtraJoint, configurations: &[Configuration<'_>]) -> UnitQuaternion<f64> {
    if let Some(axis) = extra.kind.axis() {
        let along = UnitQuaternion::rotation_between(&Vector3::x(), &axis)
            .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::PI));
        return along * UnitQuaternion::from_axis_angle(&Vector3::x_axis(), 0.6);
    }
    let mut moment = Matrix3::zeros();
    for configuration in configurations {
        let jacobian = relative_jacobian(configuration, extra.links, &extra.frames);
        let linear = jacobian.rows(0, 3).into_owned();
        moment += &linear * linear.transpose();
    }
    let eigen = moment.symmetric_eigen();
    let largest = eigen.eigenvalues.max();
    if eigen.eigenvalues.min() > REDUNDANT * REDUNDANT * largest {
        return UnitQuaternion::from_euler_angles(0.6, 0.4, 0.9);
    }
    let mut axes = eigen.eigenvectors;
    if axes.determinant() < 0.0 {
        axes.column_mut(2).neg_mut();
    }
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes))
}

/// How fast the second link moves against the first at the anchors, by joint velocities: rows 0–2 in m, 3–5 in rad, in the
/// frame of the rows on the first link.
fn relative_jacobian(
    configuration: &Configuration<'_>,
    links: [LinkIndex; 2],
    frames: &[Isometry3<f64>; 2],
) -> DMatrix<f64> {
    let [first, second] = [0, 1].map(|end| {
        let anchor = Point3::from(frames[end].translation.vector);
        configuration.jacobian(links[end], &anchor)
    });
    let relative = second - first;
    let world = configuration.link_poses()[links[0].0].rotation * frames[0].rotation;
    let to_frame = world.inverse().to_rotation_matrix();
    let mut rows = DMatrix::zeros(6, relative.ncols());
    for column in 0..relative.ncols() {
        let linear = to_frame * relative.fixed_view::<3, 1>(0, column);
        let angular = to_frame * relative.fixed_view::<3, 1>(3, column);
        rows.fixed_view_mut::<3, 1>(0, column).copy_from(&linear);
        rows.fixed_view_mut::<3, 1>(3, column).copy_from(&angular);
    }
    rows
}
