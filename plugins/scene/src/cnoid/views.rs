//! The camera of the scene view.

use bunraku_document::{Reporter, Value};
use nalgebra::Vector3;

/// Position of a camera and its direction of view.
pub(super) struct View {
    /// m
    pub(super) eye: Vector3<f64>,
    pub(super) direction: Vector3<f64>,
}

fn views(root: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    root.get("views").and_then(Value::items).into_iter().flatten()
}

fn class(view: Value<'_>) -> &str {
    view.get("class").and_then(Value::text).unwrap_or_default()
}

/// The camera that a scene view uses, or the first one with a pose.
pub(super) fn read_camera(root: Value<'_>) -> Option<View> {
    let scene_views = views(root).filter(|view| class(*view) == "SceneView");
    let cameras = scene_views.filter_map(|view| view.get("state")?.get("cameras")?.items()).flatten();
    let (current, others): (Vec<_>, Vec<_>) = cameras.partition(|camera| {
        ["is_current", "isCurrent"].iter().any(|key| camera.get(key).and_then(Value::text) == Some("true"))
    });
    current.into_iter().chain(others).find_map(|camera| {
        let quiet = Reporter::new();
        let vector = |key| Some(Vector3::from(camera.get(key)?.as_array::<3>(&quiet).ok()?));
        Some(View { eye: vector("eye")?, direction: vector("direction")?.try_normalize(1e-9)? })
    })
}

/// Notes the views without a counterpart in a scene.
pub(super) fn note_others(root: Value<'_>, reporter: &Reporter) {
    let mut names: Vec<&str> = views(root).map(class).filter(|class| !matches!(*class, "" | "SceneView")).collect();
    names.sort_unstable();
    names.dedup();
    if let (Some(node), false) = (root.get("views"), names.is_empty()) {
        let message = format!("the layout of the window is left out: {}", names.join(", "));
        reporter.report(node.note("no-counterpart", message));
    }
}
