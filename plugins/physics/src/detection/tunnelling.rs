//! Parts that pass through something within a step.
//!
//! Contacts are detected where parts are in the middle of a step, with a [prediction distance](super::prediction). A part that moves farther in
//! a step than it is thick may be in front of a thin wall in one step and behind it in the next. Such a part is cast from its pose at the
//! beginning of the step to that at the end. It has passed through a collider if the cast hits it, no contact held the part back, and the two
//! do not overlap at the end.

use bevy::prelude::*;
use bevy_rapier3d::parry::query::{DefaultQueryDispatcher, ShapeCastOptions, contact, intersection_test};
use bevy_rapier3d::rapier::dynamics::RigidBodySet;
use bevy_rapier3d::rapier::geometry::{BroadPhaseBvh, Collider, ColliderHandle, ColliderSet};
use bevy_rapier3d::rapier::math::Pose;
use bevy_rapier3d::rapier::pipeline::QueryFilter;

use bunraku_body::BodyModel;

use super::reported_contact::ReportedContact;
use super::state::{Detection, FastPart, Poses};
use crate::model::constraint_errors::link_name;
use crate::world::contacts::{ContactRules, LinkOfBody};
use crate::world::convert::{from_vec3, to_pose};

/// Colliders that overlap by more than this at the beginning of a step, m, are not merely in contact.
const DEEP: f32 = 1e-3;

/// A part that has passed through a collider.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passage {
    pub moving: LinkOfBody,
    /// `None` for a collider that is not ours.
    pub passed: Option<LinkOfBody>,
    /// Distance that the part has moved in the step, m.
    pub distance: f32,
}

impl Detection {
    /// Notes the parts that move farther in this step of `time_step` seconds than they are thick, before the step is solved.
    pub(super) fn find_fast_parts(&mut self, poses: Poses<'_>, time_step: f64) {
        self.fast.clear();
        let fast = self.parts.iter().filter(|entry| 2.0 * self.half_steps[entry.part] > f64::from(entry.thickness));
        self.fast.extend(fast.map(|part| {
            let mut start = poses.solver.pose(part.part);
            start.translation.vector -= poses.solver.velocity(poses.system, part.part) * (0.5 * time_step);
            FastPart { body: part.body, part: part.part, start: to_pose(&start) }
        }));
    }

    /// Finds those of them that have passed through something in the step that was solved, with the contacts `reported`.
    pub fn passages(
        &self,
        (poses, reported): (Poses<'_>, &[ReportedContact]),
        broad_phase: &BroadPhaseBvh,
        bodies: &RigidBodySet,
        colliders: &ColliderSet,
        rules: &ContactRules,
    ) -> Vec<Passage> {
        let find = |fast: &FastPart| {
            let own = bodies.get(fast.body)?.colliders();
            own.iter()
                .find_map(|&handle| passage((poses, reported), fast, handle, (broad_phase, bodies, colliders), rules))
        };
        self.fast.iter().filter_map(find).collect()
    }
}

fn passage(
    (poses, reported): (Poses<'_>, &[ReportedContact]),
    fast: &FastPart,
    handle: ColliderHandle,
    (broad_phase, bodies, colliders): (&BroadPhaseBvh, &RigidBodySet, &ColliderSet),
    rules: &ContactRules,
) -> Option<Passage> {
    let moving = rules.owner(handle)?;
    let collider = colliders.get(handle).filter(|collider| !collider.is_sensor())?;
    let offset = collider.position_wrt_parent().copied().unwrap_or(Pose::IDENTITY);
    let [start, end] = [fast.start, to_pose(&poses.solver.end_pose(fast.part))].map(|pose| pose * offset);
    let way = end.translation - start.translation;
    let moved = from_vec3(way);
    // A contact that does not act against the motion may be on the far side of a wall.
    let is_held_back = |other: ColliderHandle| {
        reported.iter().any(|reported| {
            let force = match reported.colliders {
                [first, second] if [first, second] == [handle, other] => reported.force,
                [first, second] if [first, second] == [other, handle] => -reported.force,
                _ => return false,
            };
            force.dot(&moved) < 0.0
        })
    };
    let may_hit = |other: ColliderHandle, of_other: &Collider| {
        let owners = [Some(fast.body), of_other.parent()];
        rules.may_touch([handle, other], owners) && !is_held_back(other)
    };
    let filter = QueryFilter::default()
        .exclude_sensors()
        .exclude_rigid_body(fast.body)
        .groups(collider.collision_groups())
        .predicate(&may_hit);
    let pipeline = broad_phase.as_query_pipeline(&DefaultQueryDispatcher, bodies, colliders, filter);
    let options = ShapeCastOptions {
        max_time_of_impact: 1.0,
        // Colliders that overlap at the start are tested below.
        stop_at_penetration: false,
        ..ShapeCastOptions::default()
    };
    let is_in_at_end = |passed: &Collider| {
        intersection_test(&end, collider.shape(), passed.position(), passed.shape()).unwrap_or(true)
    };
    let is_deep_at_start = |passed: &Collider| {
        let found = contact(&start, collider.shape(), passed.position(), passed.shape(), 0.0);
        found.ok().flatten().is_some_and(|found| found.dist < -DEEP)
    };
    let ahead = pipeline.cast_shape(&start, way, collider.shape(), options);
    let ahead = ahead.and_then(|(other, _)| Some((other, colliders.get(other)?)));
    let mut within = pipeline.intersect_shape(start, collider.shape());
    let within = within.find(|(_, passed)| is_deep_at_start(passed) && !is_in_at_end(passed));
    let (other, _) = ahead.filter(|(_, passed)| !is_in_at_end(passed)).or(within)?;
    Some(Passage { moving, passed: rules.owner(other), distance: way.length() })
}

/// The warning about a passage at a time, s, in words; bodies and links are named by `name`.
pub(crate) fn describe(passage: &Passage, time: f64, time_step: f64, name: impl Fn(LinkOfBody) -> String) -> String {
    let through = passage.passed.map_or_else(|| "a collider that is not of a body".to_owned(), &name);
    let distance = f64::from(passage.distance);
    format!(
        "{} passed through {through} at t = {time:.4} s: at {:.4} m/s it moves by {:.4} m in a step and was never found in it; a shorter time step \
         or a thicker obstacle stops it",
        name(passage.moving),
        distance / time_step,
        distance
    )
}

/// Name of a link in messages.
pub(crate) fn name_of(link: LinkOfBody, models: &Query<(&BodyModel, Option<&Name>)>) -> String {
    let model = models.get(link.body).ok();
    model.map_or_else(|| "a body".to_owned(), |(BodyModel(model), name)| link_name(model, name, link.link))
}
