//! State of detection.

use bevy_rapier3d::rapier::dynamics::RigidBodyHandle;
use bevy_rapier3d::rapier::geometry::ColliderHandle;
use bevy_rapier3d::rapier::math::Pose;
use bevy_rapier3d::rapier::pipeline::CollisionPipeline;
use bunraku_multibody::{Contact, Moved, PartIndex, Solver, System};
use nalgebra::{Isometry3, Vector3};
use typed_index_collections::TiVec;

use super::flagged_pairs::FlaggedPairs;
use super::patches::Patches;
use super::reported_contact::ReportedContact;
use super::shapes::Shapes;

/// The parts whose contacts are detected, and the contacts of this step.
///
/// Contacts depend on the poses of this step alone; everything else here saves time.
#[derive(Default)]
pub(crate) struct Detection {
    /// Contacts of this step.
    pub contacts: Vec<Contact>,
    /// Their colliders.
    pub colliders: Vec<[ColliderHandle; 2]>,
    pub(super) parts: Vec<DetectedPart>,
    /// By the index of the rigid body's handle.
    part_of: Vec<Option<(RigidBodyHandle, PartIndex)>>,
    /// No point of the colliders of a part moves farther in the first half of this step, m.
    pub(super) half_steps: TiVec<PartIndex, f64>,
    /// [`DetectedPart::travelled`].
    pub(super) travelled: TiVec<PartIndex, f64>,
    /// Parts that may pass through something in this step.
    pub(super) fast: Vec<FastPart>,
    /// Pairs that the broad phase found, sorted by their handles: independent of what came and went elsewhere.
    pub(super) candidates: Vec<Candidate>,
    pub(super) pipeline: CollisionPipeline,
    pub(super) flagged_pairs: FlaggedPairs,
    pub(super) shapes: Shapes,
    pub(super) patches: Patches,
}

/// Where the parts are.
#[derive(Clone, Copy)]
pub(crate) struct Poses<'a> {
    pub system: &'a System,
    pub solver: &'a Solver,
}

/// A part of the solver as a rigid body of rapier.
#[derive(Clone, Copy, Debug)]
pub(super) struct DetectedPart {
    pub body: RigidBodyHandle,
    pub part: PartIndex,
    /// No point of its colliders is farther from its origin, m.
    pub radius: f32,
    /// The smallest extent of its colliders, m.
    pub thickness: f32,
    /// Whether the rigid body is user-defined; its pose is written in every step.
    pub is_users: bool,
    /// Whether a user's sensor may detect it.
    pub is_sensed: bool,
    /// Pose in the middle of the last step.
    last: Isometry3<f64>,
    /// Upper bound of the distance that any point of its colliders has travelled in all steps, m.
    pub travelled: f64,
    /// `None` if the broad phase must be updated with its pose.
    pub enclosed: Option<Enclosed>,
}

/// A part whose colliders are within the boxes that the broad phase has about them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Enclosed {
    /// In rapier's world.
    pub pose: Pose,
    /// They are until the part has [travelled](DetectedPart::travelled) as far as this, m.
    pub until: f64,
    pub num_colliders: usize,
}

/// Two colliders that may touch, and what does not change while nobody changes them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub colliders: [ColliderHandle; 2],
    pub owners: [Option<RigidBodyHandle>; 2],
    /// One of them at least.
    pub parts: [Option<PartIndex>; 2],
    /// Sum of the contact skins of the colliders, m.
    pub skin: f64,
    /// Friction and restitution where the colliders are not ours.
    pub usual: [f64; 2],
    /// The two are not in contact until their parts have [travelled](DetectedPart::travelled) as far as this together, m, less their prediction
    /// distance.
    pub apart_until: f64,
}

/// A part that moves farther in this step than it is thick.
#[derive(Clone, Copy, Debug)]
pub(super) struct FastPart {
    pub body: RigidBodyHandle,
    pub part: PartIndex,
    /// At the beginning of the step.
    pub start: Pose,
}

impl Detection {
    /// The part of a rigid body; `None` for one that does not move or is not ours.
    pub fn part_of(&self, body: RigidBodyHandle) -> Option<PartIndex> {
        let (known, part) = self.part_of.get(body.into_raw_parts().0 as usize).copied().flatten()?;
        (known == body).then_some(part)
    }

    /// Adds a part whose colliders reach `radius`, m, from its origin and are `thickness`, m, thick at least.
    pub fn add_part(&mut self, body: RigidBodyHandle, part: PartIndex, [radius, thickness]: [f32; 2], is_users: bool) {
        let index = body.into_raw_parts().0 as usize;
        if self.part_of.len() <= index {
            self.part_of.resize(index + 1, None);
        }
        self.part_of[index] = Some((body, part));
        self.parts.push(DetectedPart {
            body,
            part,
            radius,
            thickness,
            is_users,
            is_sensed: false,
            last: Isometry3::identity(),
            travelled: 0.0,
            enclosed: None,
        });
    }

    /// Follows the system after parts were removed.
    pub fn follow(&mut self, moved: &Moved) {
        self.parts.retain_mut(|entry| match moved.part(entry.part) {
            Some(part) => {
                entry.part = part;
                true
            }
            None => false,
        });
        for known in &mut self.part_of {
            *known = known.and_then(|(body, part)| Some((body, moved.part(part)?)));
        }
    }

    /// Forgets what the broad phase knew, after a snapshot was restored.
    pub fn restart(&mut self) {
        self.parts.iter_mut().for_each(|entry| entry.enclosed = None);
    }

    /// Reports the contacts with their impulses, N·s, in a step of `time_step` seconds.
    pub fn report(&self, impulses: &[Vector3<f64>], time_step: f64, reported: &mut Vec<ReportedContact>) {
        reported.clear();
        let contacts = self.contacts.iter().zip(&self.colliders).zip(impulses);
        reported.extend(contacts.map(|((contact, &colliders), impulse)| {
            let Contact { point, normal, gap, .. } = *contact;
            ReportedContact { colliders, point, normal, force: impulse / time_step, gap }
        }));
    }
}

impl DetectedPart {
    /// Notes its pose in the middle of this step.
    pub fn travel_to(&mut self, pose: &Isometry3<f64>) {
        let turn = 2.0 * (self.last.rotation.inverse() * pose.rotation).imag().norm();
        let moved = (pose.translation.vector - self.last.translation.vector).norm();
        self.travelled += moved + turn * f64::from(self.radius);
        self.last = *pose;
    }
}
