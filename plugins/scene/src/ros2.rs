//! The key `ros2` of a scene: what its bodies are for ROS 2.

use bunraku_body::{JointIndex, JointKind};
use bunraku_document::{Mapping, Value, closest};

use super::context::{SceneContext, positive};
use super::model::{SceneBase, SceneBody, SceneRos2};

/// Reads the key. Unknown names are not reported if bodies are missing because their models could not be read.
pub(super) fn read_ros2(
    value: Value<'_>,
    bodies: &[SceneBody],
    bodies_are_complete: bool,
    context: &SceneContext<'_>,
) -> SceneRos2 {
    let Some(mapping) = Mapping::new(value, "`ros2`", context.reporter) else { return SceneRos2::default() };
    let read = |key: &'static str, mapping: &Mapping<'_, '_>| {
        mapping.get(&[key]).and_then(|name| read_body(name, bodies, bodies_are_complete, context))
    };
    let robot = read("robot", &mapping).map(|(index, _)| index);
    let base =
        mapping.get(&["base"]).and_then(|value| Mapping::new(value, "`base`", context.reporter)).and_then(|base| {
            base.required(&["body"]);
            let body = read("body", &base);
            let side = |key: &'static str| {
                let names = base.required(&[key]);
                let (names, (_, body)) = (names?, body?);
                read_joints(names, body, context)
            };
            let (left, right) = (side("left"), side("right"));
            let has_wheels = body.is_none_or(|(_, body)| {
                let kind = |joint: &JointIndex| body.body.joint(*joint).map(|joint| joint.kind);
                let all = left.iter().chain(&right).flatten();
                all.into_iter().any(|joint| kind(joint) != Some(JointKind::PseudoContinuousTrack))
            });
            let length =
                |key: &'static str| base.read(&[key], |value, reporter| positive(value, "length", "m", reporter));
            if has_wheels {
                base.required(&["wheel_radius"]);
            }
            base.required(&["track_width"]);
            let (wheel_radius, track_width) = (length("wheel_radius"), length("track_width"));
            base.finish();
            let wheel_radius = if has_wheels { wheel_radius? } else { wheel_radius.unwrap_or(1.0) };
            let (body, _) = body?;
            Some(SceneBase { body, left: left?, right: right?, wheel_radius, track_width: track_width? })
        });
    mapping.finish();
    SceneRos2 { robot, base }
}

fn read_body<'b>(
    value: Value<'_>,
    bodies: &'b [SceneBody],
    bodies_are_complete: bool,
    context: &SceneContext<'_>,
) -> Option<(usize, &'b SceneBody)> {
    let name = context.reporter.keep(value.as_text())?;
    let found = bodies.iter().enumerate().find(|(_, body)| body.name == name);
    if found.is_none() && bodies_are_complete {
        let diagnostic = value.error("unknown-body", format!("the scene has no body `{name}`"));
        let known = bodies.iter().map(|body| body.name.as_str());
        context.reporter.report(match closest(name, known) {
            Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
            None => diagnostic.help("write the name of a body"),
        });
    }
    found
}

/// The joints of a side: at least one.
fn read_joints(value: Value<'_>, body: &SceneBody, context: &SceneContext<'_>) -> Option<Vec<JointIndex>> {
    let reporter = context.reporter;
    let Some(items) = value.items().filter(|items| items.len() > 0) else {
        reporter.report(value.expected("a list of joints"));
        return None;
    };
    let read = |item: Value<'_>| {
        let name = reporter.keep(item.as_text())?;
        let joint = body.body.joint_named(name);
        if let Err(error) = &joint {
            reporter.report(item.error("unknown-joint", error.to_string()));
        }
        joint.ok()
    };
    // Each is read, so that each unknown one is reported.
    items.map(read).collect::<Vec<_>>().into_iter().collect()
}
