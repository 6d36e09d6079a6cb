//! Extra joints: connections beyond the tree, which close loops.
//!
//! Between free rigid bodies (impulse joints) every row of an extra joint holds something, and all are needed: where the
//! rows that a planar mechanism holds by itself were left out, a four-bar of 0.4 m sagged out of its plane by 10 mm.
//!
//! In a multibody the joints of the tree cannot give way, and a loop often holds part of itself: in a planar mechanism no
//! joint can leave the plane, and a hinge that closes it asks for three things too many. Such rows move nothing or repeat
//! others; rapier 0.35 divides by the first and lets the second fight each other over rounding errors until the mechanism
//! jams. They are left out.

pub(super) mod findings;
pub(super) mod geometry;
pub(crate) mod rows;
mod rows_of_kind;
mod tracks;

use bevy_rapier3d::prelude::{JointAxesMask, RapierContextJoints};
use bevy_rapier3d::rapier::dynamics::{GenericJoint as RapierJoint, RigidBodyBuilder, RigidBodyHandle, RigidBodySet};
use bunraku_body::Body;

pub use findings::{LoopFinding, LoopTrouble, loop_findings};
pub(super) use tracks::is_on_track;
pub use tracks::track_closures;

use super::solver_of_link;
use crate::model::index::RigidPartIndex;
use crate::model::joint_solver::JointSolver;
use crate::model::rigid_parts::RigidParts;
use crate::model::simulated_body::SimulatedLoop;
use crate::world::convert::to_pose;
use rows::closures;

/// Puts the extra joints of a body into rapier's world, and the hinges that close its tracks; gives them, and the rapier body
/// that had to be welded to the root, if any.
pub(crate) fn insert(
    solver: JointSolver,
    body: &Body,
    displacements: &[f64],
    parts: &RigidParts,
    handles: &[RigidBodyHandle],
    set: &mut RigidBodySet,
    joints: &mut RapierContextJoints,
) -> (Vec<SimulatedLoop>, Option<RigidBodyHandle>) {
    let body = &*tracks::with_tracks_closed(body);
    let mut proxy = None;
    let mut loops = Vec::new();
    for (extra, closure) in body.extra_joints.iter().zip(closures(body, displacements)) {
        let places = extra.links.map(|link| parts.links[link.0]);
        let impulse = extra.links.iter().any(|link| solver_of_link(solver, body, *link) == JointSolver::Impulse);
        let locked = if impulse { rows::asked(extra.kind) } else { closure.locked };
        if places[0].part == places[1].part || locked.is_empty() {
            continue;
        }
        let ends = places.map(|place| {
            let is_fixed_root = place.part == RigidPartIndex::ROOT && body.is_fixed();
            if is_fixed_root && closure.is_within_tree && solver == JointSolver::Multibody {
                *proxy.get_or_insert_with(|| stand_in(handles[0], set, joints))
            } else {
                handles[place.part.0]
            }
        });
        let mut data = RapierJoint::new(locked);
        let [first, second] = [0, 1].map(|end| places[end].pose * closure.frames[end]);
        data.local_frame1 = to_pose(&first);
        data.local_frame2 = to_pose(&second);
        data.set_contacts_enabled(false);
        let handle = joints.impulse_joints.insert(ends[0], ends[1], data, true);
        loops.push(SimulatedLoop { handle, links: extra.links.map(Some) });
    }
    (loops, proxy)
}

/// A body welded to the fixed root of a multibody.
///
/// Rapier sorts out rows of pure noise between two links of a multibody, but takes a fixed root for the world. A row that is
/// needed may still move nothing in some pose, where the loop would explode. Its mass does not matter: a welded link has
/// no coordinate (from 1 mg to 1 t a four-bar moves the same).
pub(super) fn stand_in(
    root: RigidBodyHandle,
    set: &mut RigidBodySet,
    joints: &mut RapierContextJoints,
) -> RigidBodyHandle {
    let pose = set.get(root).map(|root| *root.position()).unwrap_or_default();
    let body = RigidBodyBuilder::dynamic().pose(pose).additional_mass(1.0).can_sleep(false).build();
    let stand_in = set.insert(body);
    joints.multibody_joints.insert(root, stand_in, RapierJoint::new(JointAxesMask::LOCKED_FIXED_AXES), true);
    stand_in
}
