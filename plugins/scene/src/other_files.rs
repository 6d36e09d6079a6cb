//! Files of other kinds that are given as scenes.

use std::path::Path;

use bunraku_document::{Diagnostic, Value};

/// The error for a file whose extension is that of another kind; `None` if it may be a scene.
pub(super) fn report(path: &Path) -> Option<Diagnostic> {
    let name = path.file_name()?.to_string_lossy().into_owned();
    let extension = path.extension()?.to_string_lossy().to_lowercase();
    let is_mesh = || bunraku_mesh::extensions().any(|known| known == extension);
    let (what, help) = match extension.as_str() {
        "body" | "urdf" | "xacro" | "scen" => ("a model", around(&name)),
        "sdf" | "world" => (
            "a model of Gazebo (SDF)",
            "convert it to URDF first, then write a scene around that; `sdf2urdf IN.sdf OUT.urdf` of ROS's pysdf does"
                .to_owned(),
        ),
        _ if is_mesh() => ("a model", around(&name)),
        "seq" | "csv" | "partial" => (
            "a motion",
            format!("name it in a scene: `motion: {name}` at a body with `drive: motion`, or in its `controller`"),
        ),
        _ => return None,
    };
    let message = format!("this is {what}, and a scene is needed: {}", path.display());
    Some(Diagnostic::error("not-a-scene", message).help(help))
}

/// The error for a YAML file whose top-level keys are those of another kind; `None` if it may be a scene.
pub(super) fn report_content(top: Value<'_>) -> Option<Diagnostic> {
    let first = top.items().and_then(|mut items| items.next()).unwrap_or(top);
    let is_task = ["taskName", "task_name"].iter().any(|key| first.get(key).is_some());
    let (what, help) = match top.get("format").and_then(Value::text) {
        _ if is_task => ("a task", "`bunraku task run TASK --scene SCENE` carries it out on the robot of a scene"),
        Some("ChoreonoidBody") => ("a model", "write a scene around it, and name it there: `bodies: [ { file: … } ]`"),
        Some("BunrakuRobot") => ("the mapping of a robot for tasks", "name it at a body of a scene: `robot: …`"),
        _ => return None,
    };
    let message = format!("this is {what}, and a scene is needed");
    Some(first.error("not-a-scene", message).help(help))
}

fn around(name: &str) -> String {
    format!(
        "write a file `my.scene.yaml` around it, with `format: BunrakuScene`, `format_version: 1`, `simulation: {{ duration: 2 }}` and \
         `bodies: [ {{ file: {name} }} ]`; `bunraku info {name}` describes it"
    )
}
