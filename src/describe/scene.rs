use bunraku_document::Diagnostic;
use bunraku_physics::{JointEnd, JointLimits, VelocityLimits};
use serde_json::{Value, json};

use crate::scene::{MissingPart, Scene, SceneDrive, SceneExtraJoint, SceneForce};

/// The `drive` of a body, as in a scene file.
fn describe_drive(drive: &SceneDrive) -> Value {
    match drive {
        SceneDrive::Physics => json!("physics"),
        SceneDrive::Motion(_) => json!("motion"),
        SceneDrive::Static => json!("static"),
        SceneDrive::KinematicRoot(_) => json!({ "root": "motion", "joints": "physics" }),
        SceneDrive::PrescribedJoints(_) => json!({ "root": "physics", "joints": "motion" }),
        SceneDrive::Task => json!("task"),
    }
}

/// A scene: time step and duration in s, and its bodies.
pub fn scene(scene: &Scene, diagnostics: &[Diagnostic]) -> Value {
    let bodies = scene.bodies.iter().map(|body| {
        json!({
            "name": body.name,
            "model_name": body.body.name,
            "num_links": body.body.links().len(),
            "num_joints": body.body.num_joints(),
            "mass": body.body.mass(),
            "drive": describe_drive(&body.drive),
            "controlled": body.controller.is_some(),
            "robot": body.robot.is_some(),
            "limits": match body.joint_limits {
                JointLimits::Report => "report",
                JointLimits::Enforce => "enforce",
            },
            "velocity_limits": match body.velocity_limits {
                VelocityLimits::Commands => "commands",
                VelocityLimits::Hard => "hard",
            },
        })
    });
    json!({
        "format": "BunrakuScene",
        "simulator": scene.simulator,
        "time_step": scene.time_step,
        "duration": scene.duration,
        "num_steps": scene.num_steps(),
        "bodies": bodies.collect::<Vec<_>>(),
        "missing": missing(&scene.missing),
        "extra_joints": scene.extra_joints.iter().map(|joint| describe_extra_joint(scene, joint)).collect::<Vec<_>>(),
        "external_forces": scene.external_forces.iter().map(|force| describe_force(scene, force)).collect::<Vec<_>>(),
        "diagnostics": super::diagnostics(diagnostics),
    })
}

/// The missing parts of a project. A world has neither name nor file.
fn missing(parts: &[MissingPart]) -> Vec<Value> {
    let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let part = |part: &MissingPart| {
        let span = part.place.as_ref().and_then(|place| place.span);
        json!({
            "kind": part.kind.as_str(),
            "name": some(&part.name),
            "file": some(&part.file),
            "reason": part.reason,
            "project": part.place.as_ref().map(|place| place.source.path()),
            "line": span.map(|span| span.start.line),
            "column": span.map(|span| span.start.column),
        })
    };
    parts.iter().map(part).collect()
}

/// An external force: its link and the time interval in which it acts, s; `null` is the start or the end of the run.
fn describe_force(scene: &Scene, force: &SceneForce) -> Value {
    let end = JointEnd::Link { body: force.body, link: force.force.link };
    let finite = |time: f64| time.is_finite().then_some(time);
    json!({
        "link": SceneExtraJoint::end_name(end, &scene.bodies),
        "start": finite(force.force.start),
        "end": finite(force.force.end),
    })
}

/// An extra joint, with its frames as in a model; an end on the world is `null`, with its frame in the world.
fn describe_extra_joint(scene: &Scene, extra: &SceneExtraJoint) -> Value {
    let form = &extra.joint.form;
    let [link1, link2] = extra.joint.ends.map(|end| SceneExtraJoint::end_name(end, &scene.bodies));
    let mut description = super::model::describe_extra_joint_form(form);
    description["name"] = json!(extra.name);
    description["link1"] = json!(link1);
    description["link2"] = json!(link2);
    description
}
