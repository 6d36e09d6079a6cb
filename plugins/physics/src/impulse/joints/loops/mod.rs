//! Extra joints: connections beyond the tree, which close loops.
//!
//! Between free rigid bodies every row of an extra joint holds something, and all are needed: where the rows that a planar
//! mechanism holds by itself were left out, a four-bar of 0.4 m sagged out of its plane by 10 mm. Such rows are known all
//! the same: the frames are shifted by what is open along them, which nothing can close.

pub(super) mod findings;
pub(super) mod geometry;
pub(crate) mod rows;
mod rows_of_kind;
mod tracks;

use bevy_rapier3d::prelude::RapierContextJoints;
use bevy_rapier3d::rapier::dynamics::{GenericJoint as RapierJoint, RigidBodyHandle};
use bunraku_body::Body;
use typed_index_collections::TiSlice;

pub use findings::{LoopFinding, LoopTrouble, loop_findings};
pub(super) use tracks::is_on_track;
pub use tracks::track_closures;

use crate::model::index::RigidPartIndex;
use crate::model::rigid_parts::RigidParts;
use crate::model::simulated_body::SimulatedLoop;
use crate::world::convert::to_pose;
use rows::closures;

/// Puts the extra joints of a body into rapier's world, and the hinges that close its tracks.
pub(crate) fn insert(
    body: &Body,
    displacements: &[f64],
    (parts, handles): (&RigidParts, &TiSlice<RigidPartIndex, RigidBodyHandle>),
    joints: &mut RapierContextJoints,
) -> Vec<SimulatedLoop> {
    let body = &*tracks::with_tracks_closed(body);
    let mut loops = Vec::new();
    for (extra, closure) in body.extra_joints.iter().zip(closures(body, displacements)) {
        let sides = extra.links.map(|link| parts.links[link]);
        if sides[0].part == sides[1].part {
            continue;
        }
        let ends = sides.map(|side| handles[side.part]);
        let mut data = RapierJoint::new(rows::asked(extra.kind));
        let [first, second] = [0, 1].map(|end| sides[end].pose * closure.frames[end]);
        data.local_frame1 = to_pose(&first);
        data.local_frame2 = to_pose(&second);
        data.set_contacts_enabled(false);
        let handle = joints.impulse_joints.insert(ends[0], ends[1], data, true);
        loops.push(SimulatedLoop { handle, links: extra.links.map(Some) });
    }
    loops
}
