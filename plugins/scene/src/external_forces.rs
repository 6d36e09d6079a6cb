//! The key `external_forces` of a scene.

use bunraku_body::Drive;
use bunraku_control::ForceProfile;
use bunraku_document::{Mapping, Value};
use bunraku_motion::{OtherFrames, Sequence};
use bunraku_physics::{ForceFrame, JointEnd};
use nalgebra::{Point3, Vector3};

use super::context::SceneContext;
use super::extra_joints::read_end;
use super::model::{SceneBody, SceneForce};
use super::profiles::{keep_times, load_table_or_motion, read_rows};
use super::words::read_word;

/// Reads the forces on these bodies. Unknown names are not reported if bodies are missing because their models could
/// not be read.
pub(super) fn read_external_forces(
    value: Value<'_>,
    bodies: &[SceneBody],
    bodies_are_complete: bool,
    context: &SceneContext<'_>,
) -> Vec<SceneForce> {
    let Some(items) = value.items() else {
        context.reporter.report(value.expected("a list of external forces"));
        return Vec::new();
    };
    items.filter_map(|item| read_force(item, bodies, bodies_are_complete, context)).collect()
}

fn read_force(
    value: Value<'_>,
    bodies: &[SceneBody],
    bodies_are_complete: bool,
    context: &SceneContext<'_>,
) -> Option<SceneForce> {
    let reporter = context.reporter;
    let mapping = Mapping::new(value, "an external force", reporter)?;
    let link = mapping.required(&["link"]);
    let end = link.and_then(|link| read_end(link, bodies, bodies_are_complete, context));
    let point = mapping.array::<3>(&["point"]).map(Point3::from);
    let frame = mapping.read(&["frame"], |value, _| {
        read_word(value, "a frame", &[("world", ForceFrame::World), ("link", ForceFrame::Link)])
    });
    let read = |key: &'static str| mapping.get(&[key]).and_then(|value| read_vectors(value, context));
    let (mut force, mut torque) = (read("force"), read("torque"));
    let table = mapping.get(&["table"]);
    if let Some(table) = table {
        let (forces, torques) = read_table(table, context)?;
        for (key, found, given) in [("force", &mut force, forces), ("torque", &mut torque, torques)] {
            if let (Some(_), Some(place)) = (&given, mapping.get(&[key])) {
                let message = format!("`{key}` is ignored because the table has one too");
                reporter.report(place.warning("same-key-twice", message).help("keep one of the two"));
            }
            *found = given.or(found.take());
        }
    }
    let start = mapping.number(&["start"]).unwrap_or(f64::NEG_INFINITY);
    let end_time = mapping.number(&["end"]).unwrap_or(f64::INFINITY);
    if let (true, Some(place)) = (end_time <= start, mapping.get(&["end"])) {
        let message = format!("the force ends at {end_time} s, before it begins at {start} s");
        reporter.report(place.error("bad-interval", message));
    }
    if mapping.get(&["force"]).or(mapping.get(&["torque"])).or(table).is_none() {
        let help = "write `force: [ 1, 0, 0 ]` (N), `torque: [ 0, 0, 1 ]` (N·m) or `table: FILE.csv`";
        reporter.report(value.error("missing-key", "an external force has neither `force` nor `torque`").help(help));
    }
    mapping.finish();
    let (Some(JointEnd::Link { body, link: index }), Some(place)) = (end, link) else {
        if end.is_some() {
            reporter.report(value.error("bad-link", "a force on the world moves nothing"));
        }
        return None;
    };
    #[expect(clippy::indexing_slicing, reason = "an end is on one of `bodies`")]
    let owner = &bodies[body];
    let is_still = match owner.drive.of_body() {
        Drive::Physics => false,
        Drive::Motion | Drive::Static => true,
    };
    if is_still {
        let message = format!("the force does nothing: `{}` is not moved by forces", owner.name);
        reporter.report(place.warning("idle-force", message));
    }
    let frame = frame.unwrap_or_default();
    let force = ForceProfile { link: index, point, frame, force, torque, start, end: end_time };
    Some(SceneForce { body, force })
}

/// A vector, or a table with rows `[ time, x, y, z ]`.
fn read_vectors(value: Value<'_>, context: &SceneContext<'_>) -> Option<Sequence<Vector3<f64>>> {
    let reporter = context.reporter;
    if value.items().is_some_and(|mut items| items.any(|item| item.items().is_some())) {
        let (times, rows) = read_rows::<4>(value, context)?;
        let vectors = rows.into_iter().map(|[_, x, y, z]| Vector3::new(x, y, z)).collect();
        return keep_times(value, Sequence::timed(times, 1, vectors), context);
    }
    let vector = reporter.keep(value.as_array::<3>(reporter))?;
    Sequence::timed(vec![0.0], 1, vec![Vector3::from(vector)]).ok()
}

type Vectors = Option<Sequence<Vector3<f64>>>;

/// The columns `force.x` to `force.z` and `torque.x` to `torque.z` of a file; `None` after an error.
fn read_table(value: Value<'_>, context: &SceneContext<'_>) -> Option<(Vectors, Vectors)> {
    let file = context.file(value)?;
    let table = load_table_or_motion(&file, context)?;
    let find = |name: &str| {
        table.others.iter().find_map(|other| match &other.frames {
            OtherFrames::Vectors(vectors) if other.content.eq_ignore_ascii_case(name) => Some(vectors.clone()),
            _ => None,
        })
    };
    let (force, torque) = (find("force"), find("torque"));
    if force.is_none() && torque.is_none() {
        let message = format!("there is neither a force nor a torque in {}", file.display());
        let help = "the columns are `time`, `force.x`, `force.y`, `force.z`, and the same of `torque`";
        context.reporter.report(value.error("no-force", message).help(help));
        return None;
    }
    Some((force, torque))
}
