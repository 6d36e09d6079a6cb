//! Files with which a robot does tasks: a draft of its mapping, and a scene with a table before it.

use std::fmt::Write;
use std::path::Path;

use bunraku_body::{Body, JointIndex};
use bunraku_document::yaml::text as yaml_text;
use bunraku_document::{Diagnostic, Reporter};
use bunraku_task::draft::{RobotDraft, TABLE_HEIGHT, draft, in_comment, mapping_text};

use super::around_model::{Hold, holding_gains, passive, read_model};
use super::context::SceneOptions;
use super::relative::relative_to;

/// A tool at the end of an arm of six joints is less than a millimetre from its target, the tolerance of a move, by its
/// weight and at accelerations of some rad/s² (32 Hz).
const HOLD: Hold = Hold { angle: 1e-4, length: 1e-4, frequency: 64.0 * std::f64::consts::PI };
/// Edges of the table, m.
const TABLE: [f64; 3] = [0.9, 1.0, 0.05];

/// Texts of the files of a robot for tasks.
#[derive(Clone, Debug)]
pub struct RobotFiles {
    /// The mapping file.
    pub mapping: String,
    /// The scene file.
    pub scene: String,
    /// Facts that the user must know, one sentence each.
    pub notes: Vec<String>,
}

impl RobotFiles {
    /// Drafts the files of the robot `model`, as the files `mapping` and `scene`, which need not exist.
    ///
    /// Reports to `reporter`; returns `None` after at least one error.
    pub fn draft(
        model: &Path,
        [mapping, scene]: [&Path; 2],
        options: &SceneOptions,
        reporter: &Reporter,
    ) -> Option<Self> {
        reporter.quote_only(&options.load.roots.around(model));
        let body = read_model(model, options, options.shared.clone().unwrap_or_default(), reporter)?;
        let robot = match draft(&body) {
            Ok(robot) => robot,
            Err(error) => {
                let finding = Diagnostic::error("no-draft", error.to_string());
                reporter
                    .report(finding.help("write the mapping by hand: docs/reference/task-format.md, \"The robot\""));
                return None;
            }
        };
        let from = |file: &Path, to: &Path| {
            relative_to(file.parent().unwrap_or(Path::new("")), to).display().to_string().replace('\\', "/")
        };
        Some(Self {
            mapping: mapping_text(&body, &from(mapping, model), &robot),
            scene: scene_text(&body, &robot, &from(scene, model), &from(scene, mapping)),
            notes: robot.notes,
        })
    }
}

/// The scene: the robot, held by servos, a table with its objects, a floor.
fn scene_text(body: &Body, robot: &RobotDraft, model: &str, mapping: &str) -> String {
    let name = if body.name.is_empty() { "Robot" } else { &body.name };
    let (stiffness, damping) = holding_gains((body, robot.is_fixed), &robot.root, &robot.initial, HOLD);
    let by_name = |values: &[f64]| {
        let entry =
            |(index, value): (usize, &f64)| format!("{}: {value:?}", yaml_text(body.joint_name(JointIndex(index))));
        values.iter().enumerate().map(entry).collect::<Vec<_>>().join(", ")
    };
    let mut text = format!(
        "# {} at a table, for tasks:\n#\n#   bunraku task new pick-place fetch.yaml\n#   bunraku task run fetch.yaml --scene THIS_FILE [--physics]\n\
         format: BunrakuScene\nformat_version: 1\nsimulation: {{ time_step: 0.002, duration: 2 }}\nbodies:\n  - name: {}\n    \
         file: {}\n    robot: {}                # pose, tool, gripper\n",
        in_comment(name),
        yaml_text(name),
        yaml_text(model),
        yaml_text(mapping)
    );
    if robot.is_fixed && !body.is_fixed() {
        text.push_str("    fixed: true\n");
    }
    text.push_str(&passive(body));
    let [length, width, thickness] = TABLE;
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "    controller:                     # its weight moves a joint by at most 1e-4 rad or 0.1 mm\n      type: servo\n      \
         kp: {{ {} }}\n      kd: {{ {} }}\n  - name: Table\n    shape: {{ type: box, size: [ {length}, {width}, {thickness} ], color: [ 0.7, 0.55, 0.4 ] }}\n    \
         translation: [ 0.3, 0, {} ]\n    drive: static\n  - {{ name: Floor, shape: {{ type: plane }}, drive: static }}\n\
         record: {{ frame_rate: 100 }}\nview: {{ eye: [ 1.3, 0.9, 1.5 ], target: [ 0.25, 0, 0.95 ] }}\n",
        by_name(&stiffness),
        by_name(&damping),
        TABLE_HEIGHT - thickness / 2.0
    );
    text
}
