use bunraku_document::Diagnostic;
use serde_json::{Value, json};

use crate::scene::{HybridDrive, Scene, SceneBody};

/// What drives a body, as a scene file says it.
fn drive(body: &SceneBody) -> Value {
    match &body.hybrid {
        None => json!(format!("{:?}", body.drive).to_lowercase()),
        Some(HybridDrive::GuidedRoot(_)) => json!({ "root": "motion", "joints": "physics" }),
        Some(HybridDrive::PrescribedJoints(_)) => json!({ "root": "physics", "joints": "motion" }),
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
            "drive": drive(body),
            "controlled": body.controller.is_some(),
        })
    });
    json!({
        "format": "BunrakuScene",
        "time_step": scene.time_step,
        "duration": scene.duration,
        "num_steps": scene.num_steps(),
        "bodies": bodies.collect::<Vec<_>>(),
        "diagnostics": super::diagnostics(diagnostics),
    })
}
