//! A scene made around a model: a ground, and servos that hold its joints.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use bunraku_body::dynamics::{BodyMotionState, InverseDynamics};
use bunraku_body::{Body, Joint, JointIndex, JointKind, LinkIndex, ModelFormat, SuggestedDynamics, kinematics};
use bunraku_document::yaml::quoted;
use bunraku_document::{Reporter, SourceFile};
use bunraku_physics::{JointSolver, LARGEST_GAIN, PhysicsParameters, massless_links};
use nalgebra::{Isometry3, Vector3};

use super::context::{SceneContext, SceneOptions};
use super::model::Scene;
use super::relative::relative_to;
use super::shared_files::SharedFiles;

/// Length of its run, s.
const DURATION: f64 = 5.0;
/// Gap between the lowest point of a free body and the ground, m: it is not in the ground by rounding.
const GAP: f64 = 1e-4;
/// How stiffly servos hold joints.
#[derive(Clone, Copy)]
pub(super) struct Hold {
    /// Largest displacement of a revolute joint by weight, rad.
    pub(super) angle: f64,
    /// Largest displacement of a slide by weight, m.
    pub(super) length: f64,
    /// Least angular frequency of a joint on its servo, rad/s.
    pub(super) frequency: f64,
}

/// 4 Hz.
pub(super) const HOLD: Hold = Hold { angle: 0.01, length: 1e-3, frequency: 8.0 * std::f64::consts::PI };

/// Whether a file is called like a model.
pub(super) fn is_model(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    ["body", "urdf", "wrl", "xacro", "xml"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}

impl Scene {
    /// Whether [`Scene::load`] makes a scene around this file, because it is a model (`.body`, `.urdf`, `.xacro`, `.wrl`, MuJoCo's `.xml`).
    pub fn is_around_model(path: &Path) -> bool {
        is_model(path)
    }

    /// The text of the scene that [`Scene::load`] makes around a model, as a file at `target`.
    ///
    /// Reports to `reporter`; returns `None` after at least one error.
    pub fn text_around_model(
        path: &Path,
        target: &Path,
        options: &SceneOptions,
        reporter: &Reporter,
    ) -> Option<String> {
        reporter.quote_only(&options.load.roots.around(path));
        let body = read_model(path, options, options.shared.clone().unwrap_or_default(), reporter)?;
        let file = relative_to(target.parent().unwrap_or(Path::new("")), path);
        Some(text(&file.display().to_string().replace('\\', "/"), &body))
    }
}

/// A scene of 5 s with the model on a ground. Its joints are held where the model has them, by servos that its weight
/// moves by a hundredth of a radian or a millimetre.
pub(super) fn load(path: &Path, options: &SceneOptions, reporter: &Reporter) -> Option<Scene> {
    let shared = options.shared.clone().unwrap_or_default();
    let options = SceneOptions { shared: Some(shared.clone()), ..options.clone() };
    let body = read_model(path, &options, shared, reporter)?;
    // In the directory of the model, whose file needs no further path then.
    let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let source = SourceFile::from_text(path.with_extension("scene.yaml"), text(&file, &body));
    let mut scene = Scene::load_source(path, &source, &options, reporter)?;
    scene.sources.retain(|source| source != path);
    Some(scene)
}

pub(super) fn read_model(
    path: &Path,
    options: &SceneOptions,
    shared: SharedFiles,
    reporter: &Reporter,
) -> Option<Arc<Body>> {
    let source = SourceFile::from_text(path, "");
    // The findings are reported when the scene is read.
    let silent = Reporter::new();
    let model = SceneContext::new(&source, &options.load, &silent, shared).model(path, None);
    if model.is_none() {
        silent.into_diagnostics().into_iter().for_each(|finding| reporter.report(finding));
    }
    model
}

/// The scene as text.
fn text(file: &str, body: &Body) -> String {
    let name = if body.name.is_empty() { "Model" } else { body.name.as_str() };
    let root = body.root().offset;
    let displacements = body.initial_displacements();
    // Models for ROS often begin with a link without mass, which no force can move.
    let is_massless = massless_links(body, JointSolver::default()).contains(&LinkIndex::ROOT);
    let is_fixed = body.is_fixed() || is_massless;
    let lowest = lowest(body, &root, &displacements).unwrap_or(root.translation.z);
    let mut text = format!(
        "format: BunrakuScene\nformat_version: 1\nsimulation: {{ duration: {DURATION:?} }}\nbodies:\n  - name: {}\n    file: {}\n",
        quoted(name),
        quoted(file)
    );
    // Writing to a string cannot fail.
    if is_massless {
        text.push_str("    fixed: true\n");
    }
    let ground = if is_fixed {
        // The body stays where the model has it, and the ground below it.
        in_micrometres(lowest.min(0.0))
    } else {
        let [x, y, z] = root.translation.vector.into();
        let _ = writeln!(text, "    translation: [ {x:?}, {y:?}, {:?} ]", in_micrometres(z - lowest + GAP));
        0.0
    };
    if body.num_joints() > 0 {
        let (stiffness, damping) = holding_gains((body, is_fixed), &root, &displacements, HOLD);
        text.push_str(&passive(body));
        let _ = writeln!(text, "    controller: {{ type: servo, kp: {stiffness:?}, kd: {damping:?} }}");
    }
    let other = if name == "Ground" { "Floor" } else { "Ground" };
    let _ = writeln!(
        text,
        "  - {{ name: {other}, shape: {{ type: plane }}, translation: [ 0, 0, {ground:?} ], drive: static }}"
    );
    text
}

/// Damping, friction and springs that a model suggests, in joint order.
pub(super) struct SuggestedValues {
    /// N·m·s/rad or N·s/m, not negative.
    pub(super) damping: Vec<f64>,
    /// N·m or N, not negative.
    pub(super) friction: Vec<f64>,
    /// N·m/rad or N/m, not negative.
    pub(super) stiffness: Vec<f64>,
    /// Displacements at which springs are slack, rad or m; 0 without a spring.
    pub(super) rest: Vec<f64>,
}

pub(super) fn suggested_values(body: &Body) -> SuggestedValues {
    let values = |value: &dyn Fn(&SuggestedDynamics) -> f64| {
        let joints = (0..body.num_joints()).map(|index| body.joint(JointIndex(index)));
        joints.map(|joint| joint.map_or(0.0, |joint| value(&joint.suggested))).collect::<Vec<f64>>()
    };
    let not_negative = |value: f64| if value.is_finite() { value.max(0.0) } else { 0.0 };
    SuggestedValues {
        damping: values(&|suggested| not_negative(suggested.damping)),
        friction: values(&|suggested| not_negative(suggested.friction)),
        stiffness: values(&|suggested| not_negative(suggested.stiffness)),
        rest: values(&|suggested| if suggested.stiffness > 0.0 { suggested.rest } else { 0.0 }),
    }
}

/// The keys for damping, friction and springs that the model suggests.
pub(super) fn passive(body: &Body) -> String {
    let SuggestedValues { damping, friction, stiffness, mut rest } = suggested_values(body);
    for (index, rest) in rest.iter_mut().enumerate() {
        // Angles of scenes are in degrees.
        if body.joint(JointIndex(index)).is_some_and(|joint| joint.kind == JointKind::Revolute) {
            *rest = (rest.to_degrees() * 1e9).round() / 1e9;
        }
    }
    let lists = [
        ("joint_damping", damping),
        ("joint_friction", friction),
        ("joint_stiffness", stiffness),
        ("joint_rest", rest),
    ];
    let given = lists.into_iter().filter(|(_, values)| values.iter().any(|value| *value != 0.0));
    given.map(|(key, values)| format!("    {key}: {values:?}\n")).collect()
}

/// Coordinates of shapes are f32.
fn in_micrometres(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

/// The lowest point of the shapes, m; `None` without any.
fn lowest(body: &Body, root: &Isometry3<f64>, displacements: &[f64]) -> Option<f64> {
    let poses = kinematics::link_poses(body, root, displacements);
    let shapes = body.links().iter().zip(&poses).flat_map(|(link, pose)| {
        let shapes = if link.collision.is_empty() { &link.visual } else { &link.collision };
        shapes.iter().map(move |shape| (shape, pose))
    });
    let lowest = shapes.filter_map(|(shape, pose)| {
        let placed = nalgebra::convert::<_, nalgebra::Affine3<f64>>(*pose) * shape.transform;
        Some(shape.geometry.bounding_box(&placed)?.min.z)
    });
    lowest.filter(|z| z.is_finite()).reduce(f64::min)
}

/// Stiffness and damping of each joint: those of its servo in the model, or else those that hold it. Joints that follow
/// another have none, and load it instead; joints without an actuator have none if the model has actuators of others.
pub(super) fn holding_gains(
    (body, is_fixed): (&Body, bool),
    root: &Isometry3<f64>,
    displacements: &[f64],
    hold: Hold,
) -> (Vec<f64>, Vec<f64>) {
    let gravity = PhysicsParameters::default().gravity;
    let rest = BodyMotionState { root_pose: *root, displacements, ..BodyMotionState::default() };
    let weights = InverseDynamics::of(body, &rest, &gravity, &[]).efforts;
    // A free body may stand on any of its links.
    let standing = if is_fixed { 0.0 } else { body.mass() * gravity.norm() };
    let reach = extent(body, root, displacements);
    let followers: Vec<_> =
        body.joint_couplings().iter().filter_map(|coupling| body.joint_of(coupling.follower)).collect();
    let has_actuator = |joint: &Joint| joint.actuation_mode.is_some();
    let has_actuators = body.format == ModelFormat::Mjcf && body.links().iter().any(|link| has_actuator(&link.joint));
    let of_joint = |index: usize| {
        let joint = body.joint(JointIndex(index));
        if let Some(servo) = joint.and_then(|joint| joint.suggested.servo) {
            return servo.map(|gain| if gain.is_finite() { gain.clamp(0.0, LARGEST_GAIN) } else { 0.0 });
        }
        let is_passive = has_actuators && joint.is_some_and(|joint| !has_actuator(joint));
        if followers.contains(&JointIndex(index)) || is_passive {
            return [0.0; 2];
        }
        let alone = |other: usize| if other == index { 1.0 } else { 0.0 };
        let mut accelerations: Vec<f64> = (0..body.num_joints()).map(alone).collect();
        body.follow_velocities(displacements, &mut accelerations);
        let along = |efforts: &[f64]| efforts.iter().zip(&accelerations).map(|(effort, way)| effort * way).sum::<f64>();
        let moving = BodyMotionState { accelerations: &accelerations, ..rest };
        let inertia = along(&InverseDynamics::of(body, &moving, &Vector3::zeros(), &[]).efforts).abs();
        let slides = body.joint(JointIndex(index)).is_some_and(|joint| joint.kind == JointKind::Prismatic);
        let (sag, lever) = if slides { (hold.length, 1.0) } else { (hold.angle, reach / 4.0) };
        let load = along(&weights).abs().max(standing * lever);
        let stiffness = (inertia * hold.frequency * hold.frequency).max(load / sag);
        let damping = 2.0 * (stiffness * inertia).sqrt();
        [stiffness, damping].map(|gain| if gain.is_finite() { rounded(gain).min(LARGEST_GAIN) } else { 0.0 })
    };
    (0..body.num_joints()).map(of_joint).map(|[stiffness, damping]| (stiffness, damping)).unzip()
}

/// Three digits: a scene that is read by people.
fn rounded(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

/// The largest distance of a link from the root, m.
fn extent(body: &Body, root: &Isometry3<f64>, displacements: &[f64]) -> f64 {
    let poses = kinematics::link_poses(body, root, displacements);
    poses.iter().map(|pose| (pose.translation.vector - root.translation.vector).norm()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use bunraku_body::LoadOptions;

    use super::*;

    /// The scene around a model with these links.
    fn scene(links: &str) -> String {
        let model = format!("format: ChoreonoidBody\nformat_version: 2.0\nname: Arm\nlinks:\n{links}");
        let (source, reporter) = (SourceFile::from_text("models/arm.body", model), Reporter::new());
        let body = bunraku_body::read(&source, &LoadOptions::default(), &reporter);
        let body = body.unwrap_or_else(|| panic!("{:?}", reporter.diagnostics()));
        text("arm.body", &body)
    }

    const ARM: &str = "  - { name: ARM, parent: BASE, joint_type: revolute, joint_axis: Y, joint_id: 0, mass: 2, \
                       center_of_mass: [ 0.5, 0, 0 ], inertia: [ 0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1 ], \
                       elements: [ { type: Shape, translation: [ 0, 0, -0.25 ], geometry: { type: Box, size: [ 1, 0.1, 0.1 ] } } ] }\n";

    #[test]
    fn servos_hold_the_weight_and_the_ground_is_below() {
        let text = scene(&format!("  - {{ name: BASE, joint_type: fixed }}\n{ARM}"));
        // The weight of 2 kg at 0.5 m is 9.80665 N·m; the inertia 0.1 + 2·0.5² kg·m².
        assert!(text.contains("kp: [981.0], kd: [48.5]"), "{text}");
        assert!(text.contains("file: \"arm.body\""), "{text}");
        assert!(text.contains("translation: [ 0, 0, -0.3 ], drive: static") && !text.contains("fixed"), "{text}");
    }

    #[test]
    fn a_free_body_stands_on_the_ground_unless_nothing_can_move_it() {
        let heavy = scene(&format!("  - {{ name: BASE, joint_type: free, translation: [ 1, 2, 5 ], mass: 3 }}\n{ARM}"));
        assert!(heavy.contains("translation: [ 1.0, 2.0, 0.3001") && heavy.contains("[ 0, 0, 0.0 ]"), "{heavy}");
        let massless = scene(&format!("  - {{ name: BASE, joint_type: free, mass: 0 }}\n{ARM}"));
        assert!(massless.contains("    fixed: true\n") && massless.contains("kp: [981.0]"), "{massless}");
    }

    #[test]
    fn a_joint_that_follows_another_has_no_servo_and_loads_it() {
        let finger = |name: &str, joint: u32, rest: &str| {
            format!(
                "  - {{ name: {name}, parent: BASE, joint_type: prismatic, joint_axis: Y, joint_id: {joint}, mass: 0.1, \
                 inertia: [ 1e-5, 0, 0, 0, 1e-5, 0, 0, 0, 1e-5 ] }}\n{rest}"
            )
        };
        let couplings = "joint_couplings: [ { joint: B, leader: A, polynomial: [ 0, -2 ] } ]\n";
        let base = "  - { name: BASE, joint_type: fixed }\n";
        let text = scene(&format!("{base}{}{}", finger("A", 0, ""), finger("B", 1, couplings)));
        // 0.1 kg, and 0.1 kg twice as fast, at 4 Hz.
        let stiffness = 0.5 * HOLD.frequency * HOLD.frequency;
        assert!(text.contains(&format!("kp: [{:?}, 0.0]", rounded(stiffness))), "{text}");
    }
}
