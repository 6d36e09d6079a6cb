//! The key `bodies` of a scene.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use bunraku_body::{Body, BodyState, Drive, JointIndex, JointKind};
use bunraku_document::{Mapping, Reporter, Result, Value};
use bunraku_physics::{BodyCollision, JointLimits, JointSolver, VelocityLimits};
use bunraku_task::robot::{RobotMapping, RobotSetup, load_mapping};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use super::context::SceneContext;
use super::controller::{load_motion, read_controller};
use super::copies::Copies;
use super::drive;
use super::joint_values::{self, Forms};
use super::loops;
use super::model::{SceneBody, SceneController, SceneDrive};
use super::names;
use super::one_place;
use super::ranges;
use super::totals::Totals;
use super::words::read_word;
use super::{body_start, collision_shapes, shape, tracks};

/// The bodies of a scene.
#[derive(Default)]
pub(super) struct Bodies<'a> {
    pub(super) bodies: Vec<SceneBody>,
    /// Location of each body in the file.
    pub(super) places: Vec<Value<'a>>,
    /// Whether no body was left out because of an error.
    pub(super) are_complete: bool,
}

pub(super) fn read_bodies<'a>(
    value: Value<'a>,
    (limits, solver): (LimitsOfBodies, JointSolver),
    context: &SceneContext<'_>,
) -> Bodies<'a> {
    let Some(items) = value.items() else {
        context.reporter.report(value.expected("a list of bodies"));
        return Bodies::default();
    };
    if items.len() == 0 && !context.may_be_empty {
        context.reporter.report(value.error("no-bodies", "a scene needs at least one body"));
    }
    let mut names: BTreeMap<String, u32> = BTreeMap::new();
    let mut recorded = names::RecordedNames::default();
    let mut totals = Totals::default();
    let mut found = Bodies { are_complete: true, ..Bodies::default() };
    for item in items {
        let Some((name_node, bodies)) = read_body(item, (limits, solver), &mut totals, context) else {
            found.are_complete = false;
            continue;
        };
        for body in bodies {
            if let Some(line) = names.insert(body.name.clone(), name_node.span().start.line) {
                let message = format!("body name `{}` is already taken on line {line}", body.name);
                let help = "recordings are called after bodies, so each needs its own name";
                context.reporter.report(name_node.error("duplicate-body-name", message).help(help));
            } else {
                recorded.add(name_node, &body, context.reporter);
            }
            found.bodies.push(body);
            found.places.push(name_node);
        }
    }
    one_place::report(&found.bodies, value, context.reporter);
    found
}

/// The keys of a body; the others of an entry whose model cannot be read are unknown.
const KEYS: &[&str] = &[
    "angular_velocity",
    "collision",
    "collision_shape",
    "controller",
    "count",
    "drive",
    "file",
    "fixed",
    "joint_damping",
    "joint_displacements",
    "joint_friction",
    "joint_rest",
    "joint_stiffness",
    "joint_velocities",
    "keyframe",
    "limits",
    "linear_velocity",
    "motion",
    "name",
    "robot",
    "rotation",
    "self_collision",
    "shape",
    "spacing",
    "translation",
    "velocity_limits",
];

fn read_body<'a>(
    value: Value<'a>,
    (limits, solver): (LimitsOfBodies, JointSolver),
    totals: &mut Totals,
    context: &SceneContext<'_>,
) -> Option<(Value<'a>, Vec<SceneBody>)> {
    let reporter = context.reporter;
    let mut mapping = Mapping::new(value, "a body", reporter)?;
    let name_node = mapping.get(&["name"]);
    let place = name_node.unwrap_or(value);
    let name = mapping.text(&["name"]);
    if let Some(name) = name {
        mapping.rename(format!("body `{name}`"));
    }
    let Some(body) = read_model(&mapping, name, context) else {
        // Errors in the model have been reported; the keys of the scene can still be checked.
        mapping.accept(KEYS);
        mapping.finish();
        return None;
    };
    let name = name.map_or_else(|| body.name.clone(), str::to_owned);
    names::report(place, &name, reporter);
    let motion =
        mapping.get(&["motion"]).and_then(|value| load_motion(value, &body, context)).map(|(motion, _)| motion);
    let drive = drive::read_drive(&mapping, motion);
    drive.report_idle_keys(&mapping, &body);
    let collision = read_collision(&mapping);
    let robot = mapping.get(&["robot"]).and_then(|value| read_mapping(value, mapping.get(&["file"]), context));
    let (root, mut displacements) = read_pose(&mapping, &body, robot.as_ref());
    let controller = read_used_controller(&mapping, (&name, &body), &drive, &mut displacements, context);
    drive.report_other_modes(&mapping, place, &body, controller.as_ref());
    tracks::report_idle(&mapping, place, &name, &body, &drive, controller.as_ref());
    let mut initial = BodyState::at_rest(&body, &root, displacements);
    drive.begin(&body, &mut initial);
    let limits = limits.read(&mapping);
    let started_at = mapping.get(&["joint_displacements"]).unwrap_or(place);
    body_start::report_outside_limits(
        started_at,
        &name,
        &body,
        (&drive, limits.joints, solver),
        &initial.displacements,
        reporter,
    );
    let velocities = body_start::read_velocities(&mapping, &body, &drive);
    initial.velocities = velocities.joints;
    body.follow_velocities(&initial.displacements, &mut initial.velocities);
    let losses = body_start::read_losses(&mapping, &body, &drive);
    let springs = body_start::read_springs(&mapping, &body, &drive);
    if drive.of_body() == Drive::Physics {
        report_dynamics(place, &name, (&body, &initial.displacements), solver, reporter);
    }
    if collision.enabled {
        collision_shapes::report(place, &name, &body, drive.of_body(), reporter);
    }
    let robot = robot.and_then(|robot| RobotSetup::new(Arc::clone(&body), &robot, reporter)).map(Arc::new);
    ranges::report(place, &name, &body, &initial, &drive, reporter);
    let body = SceneBody {
        name,
        body,
        initial,
        drive,
        controller,
        collision,
        initial_twist: velocities.root,
        joint_limits: limits.joints,
        velocity_limits: limits.velocities,
        losses,
        springs,
        sensors: None,
        switches: None,
        records_contacts: false,
        records_balance: false,
        robot,
    };
    Some((place, copy(body, mapping, place, totals)?))
}

/// A body and its copies; `None` if the scene would be too large. Ends the reading of the entry.
fn copy<'a>(
    body: SceneBody,
    mapping: Mapping<'a, '_>,
    place: Value<'a>,
    totals: &mut Totals,
) -> Option<Vec<SceneBody>> {
    let reporter = mapping.reporter();
    let copies = Copies::read(&mapping);
    let number = copies.as_ref().map_or(1, Copies::total);
    let has_room = totals.take(&body.body, number, mapping.get(&["count"]).unwrap_or(place), reporter);
    mapping.finish();
    if !has_room {
        return None;
    }
    Some(match copies {
        Some(copies) => copies.of(body, place, reporter),
        None => vec![body],
    })
}

/// The model of a body: a file or a shape, with what the scene changes in it.
fn read_model(mapping: &Mapping<'_, '_>, name: Option<&str>, context: &SceneContext<'_>) -> Option<Arc<Body>> {
    shape::report_both(mapping);
    let model = match (mapping.get(&["file"]), mapping.get(&["shape"])) {
        (Some(file), _) => context.file(file).and_then(|file| context.model(&file, read_keyframe(mapping, &file))),
        (None, Some(value)) => shape::read_shape(value, name.unwrap_or("Body"), context).map(Arc::new),
        (None, None) => {
            context.reporter.report(shape::missing(mapping));
            None
        }
    };
    let mut body = model?;
    if let Some(fixed) = mapping.bool(&["fixed"]) {
        Arc::make_mut(&mut body).set_fixed(fixed);
    }
    if let Some(shapes) = mapping.get(&["collision_shape"]) {
        collision_shapes::read(shapes, Arc::make_mut(&mut body), context.reporter);
    }
    Some(body)
}

/// The keyframe in which a model starts; a warning for a model of another format, which has none.
fn read_keyframe<'a>(mapping: &Mapping<'a, '_>, file: &Path) -> Option<&'a str> {
    let value = mapping.get(&["keyframe"])?;
    let name = mapping.text(&["keyframe"]);
    if !file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("xml")) {
        let warning =
            value.warning("idle-keyframe", "`keyframe` does nothing: only MJCF models (`.xml`) have keyframes");
        mapping.reporter().report(warning.help("write `joint_displacements`"));
        return None;
    }
    name
}

/// Pose of the root and displacements of the joints at the start.
fn read_pose(mapping: &Mapping<'_, '_>, body: &Body, robot: Option<&RobotMapping>) -> (Isometry3<f64>, Vec<f64>) {
    let model_root = body.root().offset;
    let default_root = robot.map_or(model_root, |robot| robot.root(&model_root));
    let root = read_root_pose(mapping, &default_root);
    let mut displacements = body.initial_displacements();
    if let Some(value) = mapping.get(&["joint_displacements"]) {
        let reporter = mapping.reporter();
        if reporter.keep(read_displacements(value, body, &mut displacements, reporter)).is_some() {
            follow_leaders(value, body, &mut displacements, reporter);
        }
    }
    (root, displacements)
}

/// Largest difference from the place where a leader puts a joint that is a rounding error of the file, rad or m.
const COUPLED: f64 = 1e-6;

/// Moves joints that follow others to where their leaders put them, and warns of displacements that say otherwise.
fn follow_leaders(value: Value<'_>, body: &Body, displacements: &mut [f64], reporter: &Reporter) {
    let of_model = body.initial_displacements();
    let written = displacements.to_vec();
    body.follow_leaders(displacements);
    for (index, ((&now, &written), &of_model)) in displacements.iter().zip(&written).zip(&of_model).enumerate() {
        // Followers that are not named have the displacement of the model.
        if (now - written).abs() <= COUPLED || written == of_model {
            continue;
        }
        let joint = JointIndex(index);
        let turns = body.joint(joint).is_some_and(|joint| joint.kind == JointKind::Revolute);
        let (now, unit) = if turns { (now.to_degrees(), "°") } else { (now, " m") };
        let message = format!("joint `{}` follows another one and starts at {now:.6}{unit}", body.joint_name(joint));
        let help = "leave it out: its leader's displacement determines it";
        reporter.report(value.warning("coupled-displacement", message).help(help));
    }
}

/// The controller of a body; a warning if it does nothing. With `start: motion` the displacements at the start are those
/// of its motion.
fn read_used_controller(
    mapping: &Mapping<'_, '_>,
    (name, body): (&str, &Arc<Body>),
    drive: &SceneDrive,
    displacements: &mut [f64],
    context: &SceneContext<'_>,
) -> Option<SceneController> {
    let value = mapping.get(&["controller"])?;
    let found = read_controller(value, body, context)?;
    match drive.idles_controllers() {
        Some(why) => {
            let message = format!("the controller does nothing: {why}");
            context.reporter.report(value.warning("idle-controller", message));
        }
        None => found.begin(value, name, body, displacements, context.reporter),
    }
    Some(found.controller)
}

/// Reports what a dynamic body lacks or cannot do: masses, inertias, loops.
fn report_dynamics(
    place: Value<'_>,
    name: &str,
    (body, displacements): (&Body, &[f64]),
    solver: JointSolver,
    reporter: &Reporter,
) {
    for link in bunraku_physics::massless_links(body, solver) {
        let message = format!("link `{}` of `{name}` must move by forces but has no mass", body.link(link).name);
        reporter.report(place.error("no-mass", message));
    }
    report_guessed_inertias(place, name, body, reporter);
    loops::report(place, name, (body, displacements), solver, reporter);
}

/// Warns of links without an inertia in the model: they rotate with a guessed one, like discs of two metres.
fn report_guessed_inertias(place: Value<'_>, name: &str, body: &Body, reporter: &Reporter) {
    let links: Vec<_> = body.guessed_inertias().collect();
    let Some(first) = links.first().map(|link| body.link(*link)) else { return };
    let others = match links.len() {
        1 => String::new(),
        2 => " (and so has one more link)".to_owned(),
        many => format!(" (and so have {} more links)", many - 1),
    };
    let message = format!(
        "link `{}` of `{name}` has a mass of {} kg and no `inertia`{others}: it turns with 1 kg·m² about each axis",
        first.name, first.mass.mass
    );
    let help = "write `inertia: from_shapes` in the model, which takes it from the shapes, or its numbers in kg·m²";
    reporter.report(place.warning("no-inertia", message).help(help));
}

/// The robot mapping of a body for tasks, if it is a mapping for the model `file`.
fn read_mapping(value: Value<'_>, file: Option<Value<'_>>, context: &SceneContext<'_>) -> Option<RobotMapping> {
    let mapping = load_mapping(&context.file(value)?, context.reporter)?;
    let named = mapping.body.find(&context.options.roots, context.reporter)?;
    let used = file.and_then(|file| context.options.roots.resolve(&context.directory, file.text()?).ok());
    if let Some(used) = used
        && let (Ok(used), Ok(named)) = (used.canonicalize(), named.canonicalize())
        && used != named
    {
        let message = format!("the mapping is of another model: {}", mapping.body.text);
        let help = "the links and joints that it names are looked for in the model of this body";
        context.reporter.report(value.warning("mapping-of-another-model", message).help(help));
    }
    Some(mapping)
}

/// How the limits of joints act, for one body or for all bodies of a scene.
#[derive(Clone, Copy, Default)]
pub(super) struct LimitsOfBodies {
    joints: JointLimits,
    velocities: VelocityLimits,
}

impl LimitsOfBodies {
    /// Reads `limits` and `velocity_limits`; what is not given stays unchanged.
    pub(super) fn read(self, mapping: &Mapping<'_, '_>) -> Self {
        let joints = mapping.read(&["limits"], |value, _| {
            let words = [("report", JointLimits::Report), ("enforce", JointLimits::Enforce)];
            read_word(value, "whether joints stop at the ends of their ranges", &words)
        });
        let velocities = mapping.read(&["velocity_limits"], |value, _| {
            let words = [("commands", VelocityLimits::Commands), ("hard", VelocityLimits::Hard)];
            read_word(value, "what velocity ranges bound", &words)
        });
        Self { joints: joints.unwrap_or(self.joints), velocities: velocities.unwrap_or(self.velocities) }
    }
}

/// The allowed collisions of a body; by default with other bodies, but not with itself.
fn read_collision(mapping: &Mapping<'_, '_>) -> BodyCollision {
    let default = BodyCollision::default();
    let collision = BodyCollision {
        enabled: mapping.bool(&["collision"]).unwrap_or(default.enabled),
        with_itself: mapping.bool(&["self_collision"]).unwrap_or(default.with_itself),
    };
    if let (true, false, Some(node)) = (collision.with_itself, collision.enabled, mapping.get(&["self_collision"])) {
        let message = "`self_collision` does nothing: the body has `collision: false` and touches nothing at all";
        mapping.reporter().report(node.warning("idle-self-collision", message));
    }
    collision
}

/// A pose: that in the scene, else `default`, which for a root link is that of the robot mapping or the model.
pub(super) fn read_root_pose(mapping: &Mapping<'_, '_>, default: &Isometry3<f64>) -> Isometry3<f64> {
    let translation =
        mapping.array::<3>(&["translation"]).map(|translation| Translation3::from(Vector3::from(translation)));
    let rotation = mapping.read(&["rotation"], |value, reporter| {
        let [x, y, z, angle] = value.as_array::<4>(reporter)?;
        match bunraku_mesh::unit_vector(Vector3::new(x, y, z), 1e-6) {
            Some(axis) => Ok(UnitQuaternion::from_axis_angle(&axis, angle.to_radians())),
            None => Err(Box::new(value.error("zero-axis", "the rotation axis is zero"))),
        }
    });
    Isometry3::from_parts(translation.unwrap_or(default.translation), rotation.unwrap_or(default.rotation))
}

/// Reads displacements in degrees for revolute joints and in metres for prismatic ones. Joints that the scene does not
/// name keep the value of the model.
pub(super) fn read_displacements(
    value: Value<'_>,
    body: &Body,
    displacements: &mut [f64],
    reporter: &Reporter,
) -> Result<()> {
    let slides = |joint: usize| body.joint(JointIndex(joint)).is_some_and(|joint| joint.kind == JointKind::Prismatic);
    let given = joint_values::given(value, body, Forms::ListOrMapping, reporter)?;
    for (joint, (slot, given)) in displacements.iter_mut().zip(given).enumerate() {
        if let Some(written) = given {
            *slot = if slides(joint) { written } else { written.to_radians() };
        }
    }
    Ok(())
}
