//! The bodies of a project.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bunraku_body::{Body, JointIndex, JointKind, LoadOptions};
use bunraku_document::{Place, Reporter};
use nalgebra::{Matrix3, Rotation3, UnitQuaternion};

use super::items::Item;
use super::missing;
use super::settings::Settings;

/// A body of a project.
pub(super) struct ProjectBody {
    pub(super) place: Place,
    pub(super) name: String,
    /// The model as the project names it, and the directory that the name is relative to.
    pub(super) file: String,
    pub(super) directory: PathBuf,
    /// The model, if it can be read; errors are reported when the scene is read.
    pub(super) model: Option<Arc<Body>>,
    /// Why there is no model.
    pub(super) missing: Option<String>,
    /// m
    pub(super) translation: Option<[f64; 3]>,
    /// Axis and angle, degrees.
    pub(super) rotation: Option<[f64; 4]>,
    pub(super) fixed: Option<bool>,
    /// Whether an older project makes the whole body static, including its joints.
    all_static: bool,
    /// Degrees or m, one for each joint of the model.
    pub(super) displacements: Option<Vec<f64>>,
    pub(super) collision: bool,
    pub(super) self_collision: bool,
    pub(super) controllers: Vec<Controller>,
}

/// A controller below a body in the item tree.
pub(super) struct Controller {
    pub(super) place: Place,
    pub(super) name: String,
    pub(super) class: String,
    /// The controller program of a SimpleController.
    pub(super) program: String,
    pub(super) options: String,
    /// The motion item below it: the checked one, or else the first.
    pub(super) motion: Option<String>,
}

impl ProjectBody {
    /// Whether items of this class are read together with the body above them.
    pub(super) fn reads(class: &str) -> bool {
        class.ends_with("ControllerItem") && class != "GRobotControllerItem"
    }

    pub(super) fn read(item: Item<'_>, directory: &Path, load: &LoadOptions, reporter: &Reporter) -> Option<Self> {
        let settings = item.settings();
        let Some(file) = settings.text(&["file", "model_file", "modelFile"]).filter(|file| !file.is_empty()) else {
            let message = format!("the body `{}` names no model: it is left out", item.name());
            reporter.report(item.value().warning("no-model", message).help("save the model to a file in Choreonoid"));
            return None;
        };
        let (model, missing) = match missing::model(directory, file, load) {
            Ok(model) => (Some(Arc::new(model)), None),
            Err(reason) => (None, Some(reason)),
        };
        let mut controllers = Vec::new();
        collect_controllers(item, &mut controllers, 0);
        let fix_root = settings.flag(&["fix_root"], reporter);
        let static_model = if fix_root.is_none() { settings.flag(STATIC_MODEL, reporter) } else { None };
        Some(Self {
            place: item.place(),
            name: item.name().to_owned(),
            file: file.to_owned(),
            directory: directory.to_owned(),
            displacements: model.as_ref().and_then(|model| displacements(settings, model, reporter)),
            translation: settings.array(
                &["initial_root_translation", "initialRootPosition", "root_translation", "rootPosition"],
                reporter,
            ),
            rotation: rotation(settings, reporter),
            fixed: fix_root.or_else(|| root_of_static_model(static_model?, model.as_deref())),
            all_static: static_model == Some(true),
            collision: settings.flag(&["collision_detection", "collisionDetection"], reporter).unwrap_or(true),
            self_collision: settings
                .flag(&["self_collision_detection", "selfCollisionDetection"], reporter)
                .unwrap_or(false),
            controllers,
            model,
            missing,
        })
    }

    /// Whether no part of it can ever move.
    pub(super) fn is_static(&self) -> bool {
        let Some(model) = &self.model else { return false };
        let moves = |kind| !matches!(kind, JointKind::Fixed);
        let joints_move = model.links().iter().skip(1).any(|link| moves(link.joint.kind));
        self.all_static || self.fixed.unwrap_or(model.is_fixed()) && !joints_move
    }
}

/// Keys of older projects that do more than `fix_root`: `true` fixes all joints.
const STATIC_MODEL: &[&str] = &["static_model", "staticModel"];

/// The effect of `staticModel` on the root. `true` fixes it. `false` makes it free only if no joint of the model moves
/// and the root is its only link. With more links Choreonoid cannot know which types their fixed joints should get, and
/// a model with a joint that moves is not static anyway (BodyItem.cpp: makeBodyStatic, makeBodyDynamic).
fn root_of_static_model(is_static: bool, model: Option<&Body>) -> Option<bool> {
    let is_single = model.is_some_and(|model| model.links().len() == 1);
    (is_static || is_single).then_some(is_static)
}

fn collect_controllers(item: Item<'_>, controllers: &mut Vec<Controller>, depth: usize) {
    for child in item.children() {
        let class = child.class();
        if ProjectBody::reads(class) {
            let settings = child.settings();
            let motions: Vec<Item<'_>> = child.children().filter(|child| child.class() == "BodyMotionItem").collect();
            let motion = motions.iter().find(|motion| motion.is_checked()).or(motions.first());
            controllers.push(Controller {
                place: child.place(),
                name: child.name().to_owned(),
                class: class.to_owned(),
                program: settings.text(&["controller"]).unwrap_or_default().to_owned(),
                options: settings.text(&["controller_options", "controllerOptions"]).unwrap_or_default().to_owned(),
                motion: motion.and_then(|motion| motion.settings().text(&["file", "filename"])).map(str::to_owned),
            });
        }
        // Controllers may be in folders and below each other; a body below a body has its own.
        if class != "BodyItem" && depth < 8 {
            collect_controllers(child, controllers, depth + 1);
        }
    }
}

/// The rotation as an axis and degrees; older projects have a matrix, row by row.
fn rotation(settings: Settings<'_>, reporter: &Reporter) -> Option<[f64; 4]> {
    let matrix = |keys: &[&str]| {
        let rows = settings.array::<9>(keys, reporter)?;
        let Some(rotation) = nearest_rotation(&Matrix3::from_row_slice(&rows)) else {
            let value = settings.get(keys)?;
            let help = "its rows are unit vectors at right angles, and its determinant is 1: save the project again";
            reporter.report(value.error("not-a-rotation", "this is not a rotation matrix").help(help));
            return None;
        };
        Some(match rotation.axis_angle() {
            Some((axis, angle)) => [axis.x, axis.y, axis.z, angle.to_degrees()],
            None => [1.0, 0.0, 0.0, 0.0],
        })
    };
    settings
        .array(&["initial_root_rotation"], reporter)
        .or_else(|| matrix(&["initialRootAttitude"]))
        .or_else(|| settings.array(&["root_rotation"], reporter))
        .or_else(|| matrix(&["rootAttitude"]))
}

/// The rotation nearest to a matrix, which may have few digits. `None` if the matrix is not close to any rotation.
fn nearest_rotation(matrix: &Matrix3<f64>) -> Option<UnitQuaternion<f64>> {
    /// Largest accepted element of R·Rᵀ − 1. Choreonoid writes 6 to 9 digits; people write 3.
    const TOLERANCE: f64 = 5e-3;
    /// Many more iterations than a nearly orthogonal matrix needs.
    const MOST_ITERATIONS: usize = 100;
    let is_orthogonal = (matrix * matrix.transpose() - Matrix3::identity()).amax() < TOLERANCE;
    if !is_orthogonal || matrix.determinant() < 0.0 {
        return None;
    }
    // Not `Rotation3::from_matrix_eps`, which loops without bound for some matrices, and is inaccurate by 1e-10 rad for
    // others.
    let parts = matrix.try_svd(true, true, f64::EPSILON, MOST_ITERATIONS)?;
    let rotation = Rotation3::from_matrix_unchecked(parts.u? * parts.v_t?);
    Some(UnitQuaternion::new_normalize(UnitQuaternion::from_rotation_matrix(&rotation).into_inner()))
}

/// The initial displacements of the joints. A project has all of them in degrees, those of prismatic joints too; the
/// oldest projects have radians.
fn displacements(settings: Settings<'_>, model: &Body, reporter: &Reporter) -> Option<Vec<f64>> {
    let degrees = |keys: &[&str]| settings.numbers(keys, reporter);
    let radian = |keys: &[&str]| Some(degrees(keys)?.into_iter().map(f64::to_degrees).collect::<Vec<f64>>());
    let written = degrees(&["initial_joint_displacements", "initialJointDisplacements"])
        .or_else(|| radian(&["initial_joint_positions", "initialJointPositions"]))
        .or_else(|| degrees(&["joint_displacements", "jointDisplacements"]))
        .or_else(|| radian(&["joint_positions", "jointPositions"]))?;
    let slides = |joint: usize| model.joint(JointIndex(joint)).is_some_and(|joint| joint.kind == JointKind::Prismatic);
    let of_model = model.initial_displacements();
    let values = of_model.iter().enumerate().map(|(joint, &initial)| {
        let degrees = written.get(joint).copied().unwrap_or_else(|| initial.to_degrees());
        if slides(joint) { degrees.to_radians() } else { degrees }
    });
    let values: Vec<f64> = values.collect();
    (!values.is_empty()).then_some(values)
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;

    #[test]
    fn the_rotation_of_a_matrix_is_found_also_of_a_half_turn_and_of_few_digits() {
        let axes =
            [Vector3::x(), Vector3::y(), Vector3::z(), Vector3::new(1.0, 2.0, 3.0), Vector3::new(1.0, -1.0, 0.0)];
        for axis in axes.map(nalgebra::Unit::new_normalize) {
            for degrees in [0.0, 1e-9, 30.0, 90.0, 179.0, 180.0] {
                let expected = UnitQuaternion::from_axis_angle(&axis, f64::to_radians(degrees));
                let exact = expected.to_rotation_matrix().into_inner();
                for (digits, tolerance) in [(1e16, 1e-7), (1e6, 2e-6), (1e3, 2e-3)] {
                    let written = exact.map(|element| (element * digits).round() / digits);
                    let found = nearest_rotation(&written).unwrap();
                    assert!(found.angle_to(&expected) < tolerance, "{axis:?} {degrees}° {digits}: {found}");
                }
            }
        }
    }

    #[test]
    fn matrices_that_are_no_rotation_are_refused_and_do_not_hang() {
        let with = |index: usize, value: f64| {
            let mut rows = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
            rows[index] = value;
            Matrix3::from_row_slice(&rows)
        };
        for value in [1e9, -1e9, 1e300, f64::MAX, -1.0, 0.5, 1e-300] {
            for index in 0..9 {
                let matrix = with(index, value);
                let is_nearly_one = index % 4 != 0 && value.abs() < 1e-3;
                assert_eq!(nearest_rotation(&matrix).is_some(), is_nearly_one, "{matrix}");
            }
        }
        assert!(nearest_rotation(&Matrix3::zeros()).is_none());
    }
}
