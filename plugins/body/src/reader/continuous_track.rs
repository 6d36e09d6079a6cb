//! `type: ContinuousTrack`: one entry for a chain of equal links.

use bunraku_document::{Mapping, Value};
use nalgebra::{Isometry3, Translation3, Vector3};

use super::allowance::own_text;
use super::budget::Budget;
use super::link::read_link;
use super::link_entry::{LinkEntry, Parent};
use super::reading::Reading;
use crate::model::CONTINUOUS_TRACK;
use crate::{JointKind, Property};

/// Minimum number of links of a track.
const FEWEST: i32 = 3;
/// Maximum number of links of a track; a real one has a few dozen.
const MOST: i32 = 1_000;

/// Links of a track, named after the entry and numbered from 0.
///
/// The first is attached to the parent by a free joint, each other one to the link before it by a revolute joint. The
/// first is marked; see [`begins_continuous_track`](crate::Link::begins_continuous_track).
pub(super) fn read_continuous_track<'a>(
    value: Value<'a>,
    mut track: Mapping<'a, '_>,
    reading: &Reading<'_>,
    budget: &mut Budget,
) -> Option<Vec<LinkEntry<'a>>> {
    let reporter = reading.reporter;
    track.rename("a ContinuousTrack");
    track.required(&["parent"])?;
    let count = track.required(&["numJoints", "num_joints"])?;
    let number = reporter.keep(count.as_integer(reporter))?;
    if !(FEWEST..=MOST).contains(&number) {
        let message = format!("a track has {FEWEST} to {MOST} links, not {number}");
        reporter.report(count.error("out-of-range", message).help("write how many links the track consists of"));
        return None;
    }
    let offset = track.required(&["joint_offset", "jointOffset"])?;
    let offset = Vector3::from(reporter.keep(offset.as_array::<3>(reporter))?);
    let angles = track.read(&["initialJointAngles", "initial_joint_angles"], Value::as_numbers).unwrap_or_default();

    let copies = usize::try_from(number).unwrap_or_default();
    if !budget.left.take_links(copies, own_text(value), value, reporter) {
        return None;
    }
    let properties = budget.left.properties;
    let model = read_link(value, track, reading, budget);
    // The contents of the link were counted once.
    let elements = model.link.visual.len() + model.link.collision.len() + model.devices.len();
    let properties = copies * (properties - budget.left.properties);
    if !budget.left.take_elements(copies * elements, 0, value, reporter)
        || !budget.left.take_properties(properties, value, reporter)
    {
        return None;
    }
    let name = |index: i32| format!("{}{index}", model.link.name);
    let first_parent = model.parent.as_ref();
    if let (Some(id), Some(node)) = (model.link.joint.id, model.joint_id_node) {
        let message = format!("joint ID {id} is that of the first link of the track; the others have none");
        let help = "a joint ID stands for one joint: leave it out of the track, or take it as that of the first link";
        reporter.report(node.warning("duplicate-joint-id", message).help(help));
    }
    let links = (0..number).map(|index| {
        let mut link = model.link.clone();
        link.name = name(index);
        let parent = if index == 0 {
            link.joint.kind = JointKind::Free;
            // As the original does, for engines that close the ring.
            link.info.push((CONTINUOUS_TRACK.to_owned(), Property::Text("true".to_owned())));
            first_parent.map(|parent| Parent { name: parent.name.clone(), node: parent.node })
        } else {
            link.joint.kind = JointKind::Revolute;
            link.joint.id = None;
            let angle = usize::try_from(index - 1).ok().and_then(|index| angles.get(index)).copied().unwrap_or(0.0);
            link.joint.initial_displacement = reading.unit.to_radian(angle);
            // As in the original, each link is rotated relative to the one before, as the first is relative to the
            // parent.
            link.offset = Isometry3::from_parts(Translation3::from(offset), model.link.offset.rotation);
            Some(Parent { name: name(index - 1), node: value })
        };
        LinkEntry {
            link,
            devices: model.devices.clone(),
            inherited: None,
            parent,
            name_node: model.name_node,
            own_node: model.own_node,
            has_guessed_inertia: model.has_guessed_inertia,
            joint_id_node: model.joint_id_node.filter(|_| index == 0),
        }
    });
    Some(links.collect())
}
