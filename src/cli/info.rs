//! `bunraku info`: the contents of a file.

use std::path::{Path, PathBuf};

use bunraku::body::{Body, Joint, JointIndex, JointKind, Link, Range, kinematics};
use bunraku::describe;
use bunraku::document::{Reporter, Severity};
use bunraku::mesh::{Geometry, Primitive, Shape};
use bunraku::motion::{BodyMotion, Channel, LongMotion};
use bunraku::scene::{Scene, SceneDrive, SceneExtraJoint};
use bunraku::task::model::{ParameterValue, StateKind, Task};
use bunraku::task::robot::RobotSetup;
use clap::Args;
use serde_json::json;

use super::common::{CommonArgs, Failure};
use super::files::{self, Loaded};
use super::messages;
use super::missing;
use super::output::{document, line};
use super::panics::caught;
use super::table;

#[derive(Args)]
pub struct InfoArgs {
    /// A model (.body, .urdf, .wrl), motion (.seq), scene (.scene.yaml), project (.cnoid), task or robot for tasks
    /// (.yaml)
    file: PathBuf,
    /// Print one JSON document instead of a summary
    #[arg(long)]
    pub(super) json: bool,
}

pub fn info(arguments: &InfoArgs, common: &CommonArgs) -> Result<(), Failure> {
    if let Some(columns) = columns_of_no_motion(&arguments.file, common) {
        return tell_table(&columns, arguments.json);
    }
    let reporter = common.reporter([&arguments.file]);
    let loaded = load(&arguments.file, common, &reporter);
    let diagnostics = reporter.into_diagnostics();
    // In JSON the findings are part of the document. The errors that make the command fail are printed to stderr as
    // well.
    let least = if arguments.json && loaded.is_some() { Severity::Error } else { Severity::Warning };
    messages::diagnostics(&diagnostics, least);
    let Some(loaded) = loaded else {
        if arguments.json {
            document(&describe::failure("the file cannot be read", &diagnostics))?;
        }
        return Err(Failure::Reported);
    };
    if arguments.json {
        return document(&match &loaded {
            Contents::Long(motion) => describe::long_motion(motion, &diagnostics),
            Contents::Loaded(Loaded::Model(body)) => describe::model(body, &diagnostics),
            Contents::Loaded(Loaded::Motion(motion)) => describe::motion(motion, &diagnostics),
            Contents::Loaded(Loaded::Scene(scene)) => describe::scene(scene, &diagnostics),
            Contents::Loaded(Loaded::Tasks(tasks)) => describe::tasks(tasks, &diagnostics),
            Contents::Loaded(Loaded::Robot(setup)) => describe::robot(setup, &diagnostics),
        });
    }
    match &loaded {
        Contents::Long(motion) => print_motion(motion.first(), motion.num_frames(), motion.duration()),
        Contents::Loaded(Loaded::Model(body)) => print_model(body),
        Contents::Loaded(Loaded::Motion(motion)) => print_motion(motion, motion.num_frames(), motion.duration()),
        Contents::Loaded(Loaded::Scene(scene)) => print_scene(scene),
        Contents::Loaded(Loaded::Tasks(tasks)) => tasks.iter().try_for_each(print_task),
        Contents::Loaded(Loaded::Robot(setup)) => print_robot(setup),
    }
}

/// A file of any kind, or a recording that need not fit into memory.
enum Contents {
    Long(Box<LongMotion>),
    Loaded(Loaded),
}

fn load(path: &Path, common: &CommonArgs, reporter: &Reporter) -> Option<Contents> {
    let Some(motion) = files::open_long(path, reporter) else {
        return files::load(path, common, reporter).map(Contents::Loaded);
    };
    caught(path, reporter, || reporter.keep(motion.check(reporter)))?;
    (!reporter.has_errors()).then(|| Contents::Long(Box::new(motion)))
}

/// The columns of a table that is not a motion: efforts, contacts, sensor values.
fn columns_of_no_motion(file: &Path, common: &CommonArgs) -> Option<Vec<Channel>> {
    if !files::is_table(file) {
        return None;
    }
    let is_motion = match files::load(file, common, &Reporter::new()) {
        Some(Loaded::Motion(motion)) => {
            motion.link_positions.is_some() || motion.joint_displacements.is_some() || motion.zmp.is_some()
        }
        _ => false,
    };
    if is_motion { None } else { table::channels(file).ok().filter(|columns| !columns.is_empty()) }
}

fn tell_table(columns: &[Channel], as_json: bool) -> Result<(), Failure> {
    let times = || columns.iter().flat_map(|column| &column.points).map(|point| point.0);
    let (start, end) = (times().fold(f64::INFINITY, f64::min), times().fold(f64::NEG_INFINITY, f64::max));
    let rows = columns.first().map_or(0, |column| column.points.len());
    let finite = |time: f64| time.is_finite().then_some(time);
    if as_json {
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        return document(&json!({ "rows": rows, "start": finite(start), "end": finite(end), "columns": names }));
    }
    let span = if rows > 0 { format!(", from {start:.4} s to {end:.4} s") } else { String::new() };
    line(format!("table      {rows} rows{span}"))?;
    line(format!("columns    {}", columns.len()))?;
    columns.iter().try_for_each(|column| line(format!("  {}", column.name)))
}

fn print_model(body: &Body) -> Result<(), Failure> {
    let poses = kinematics::link_poses(body, &body.root().offset, &body.initial_displacements());
    let center = body.center_of_mass(&poses);
    line(format!("model      {}", body.name))?;
    line(format!("root       {} ({})", body.root().name, if body.is_fixed() { "fixed" } else { "free" }))?;
    line(format!(
        "mass       {:.6} kg, centre of mass [{:.4}, {:.4}, {:.4}] m",
        body.mass(),
        center.x,
        center.y,
        center.z
    ))?;
    line(format!("links      {}", body.links().len()))?;
    for (index, link) in body.indexed_links() {
        let parent = link.parent.map_or("-", |parent| &body.link(parent).name);
        line(format!(
            "  {:>3}  {:<24} {:<10} on {:<24} {:>10.4} kg  {}",
            index.0,
            link.name,
            link.joint.kind.as_str(),
            parent,
            link.mass.mass,
            shapes(link)
        ))?;
    }
    line(format!("joints     {}", body.num_joints()))?;
    for joint in 0..body.num_joints() {
        let name = body.joint_name(JointIndex(joint));
        line(match body.joint(JointIndex(joint)) {
            Some(model) => format!("  {joint:>3}  {name:<24} {}", describe_joint(model)),
            None => format!("  {joint:>3}  (no joint has this ID)"),
        })?;
    }
    line(format!("devices    {}", body.devices.len()))?;
    for device in &body.devices {
        line(format!("       {:<24} {} on {}", device.name, device.type_name(), body.link(device.link).name))?;
    }
    Ok(())
}

/// The shapes of a link: visible ones, and those for collisions if they are others.
fn shapes(link: &Link) -> String {
    let [visual, collision] = [&link.visual, &link.collision].map(|shapes| kinds(shapes));
    match link.visual == link.collision {
        true => visual,
        false => format!("{visual}; for collisions {collision}"),
    }
}

/// The kinds of shapes in order, with their numbers.
fn kinds(shapes: &[Shape]) -> String {
    let mut found: Vec<(&str, usize)> = Vec::new();
    for shape in shapes {
        let kind = match &shape.geometry {
            Geometry::Mesh(_) => "mesh",
            Geometry::Primitive { primitive, .. } => match primitive {
                Primitive::Box { .. } => "box",
                Primitive::Sphere { .. } => "sphere",
                Primitive::Cylinder { .. } => "cylinder",
                Primitive::Cone { .. } => "cone",
                Primitive::Capsule { .. } => "capsule",
            },
        };
        match found.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, count)) => *count += 1,
            None => found.push((kind, 1)),
        }
    }
    if found.is_empty() {
        return "no shape".to_owned();
    }
    let kinds =
        found.iter().map(|(kind, count)| if *count == 1 { (*kind).to_owned() } else { format!("{count} × {kind}") });
    kinds.collect::<Vec<_>>().join(", ")
}

/// The kind, axis and limits of a joint.
fn describe_joint(joint: &Joint) -> String {
    let (scale, unit, effort) = match joint.kind {
        JointKind::Revolute => (1_f64.to_degrees(), "°", "N·m"),
        _ => (1.0, " m", "N"),
    };
    let short = |value: f64| (value * 1e4).round() / 1e4 + 0.0;
    let limits = |Range { lower, upper }: Range, scale: f64, unit: &str| {
        let end =
            |value: f64| if value.is_finite() { format!("{}{unit}", short(value * scale)) } else { "∞".to_owned() };
        match (lower, upper) {
            (f64::NEG_INFINITY, f64::INFINITY) => "unlimited".to_owned(),
            _ if lower == -upper => format!("±{}", end(upper)),
            _ => format!("{} to {}", if lower.is_finite() { end(lower) } else { "−∞".to_owned() }, end(upper)),
        }
    };
    let [x, y, z] = [joint.axis.x, joint.axis.y, joint.axis.z].map(short);
    format!(
        "{:<10} axis [{x}, {y}, {z}], range {}, velocity {}, effort {}",
        joint.kind.as_str(),
        limits(joint.displacement_range, scale, unit),
        limits(joint.velocity_range, scale, &format!("{unit}/s")),
        limits(joint.effort_range, 1.0, &format!(" {effort}"))
    )
}

fn print_motion(motion: &BodyMotion, num_frames: usize, duration: f64) -> Result<(), Failure> {
    let rate = match motion.is_timed() {
        true => format!("with times of their own (to import at {} Hz)", motion.frame_rate),
        false => format!("at {} Hz", motion.frame_rate),
    };
    let start = match motion.start() {
        0.0 => String::new(),
        start => format!(" from {start} s on"),
    };
    line(format!("motion     {num_frames} frames {rate}, {duration:.4} s{start}"))?;
    line(format!("links      {}", motion.link_positions.as_ref().map_or(0, |links| links.num_parts())))?;
    line(format!("joints     {}", motion.joint_displacements.as_ref().map_or(0, |joints| joints.num_parts())))?;
    if motion.zmp.is_some() {
        line("ZMP        yes")?;
    }
    for other in &motion.others {
        line(format!("also       {}", other.content))?;
    }
    Ok(())
}

fn print_scene(scene: &Scene) -> Result<(), Failure> {
    let length = match (scene.duration, scene.num_steps()) {
        (Some(duration), Some(steps)) => format!("{duration} s, {steps} steps"),
        _ => "until it is stopped".to_owned(),
    };
    line(format!("scene      {}", scene.file.display()))?;
    if let Some(simulator) = &scene.simulator {
        line(format!("simulator  {simulator}"))?;
    }
    line(format!("time step  {} s, {length}", scene.time_step))?;
    line(format!("bodies     {}", scene.bodies.len()))?;
    for body in &scene.bodies {
        let controller = if body.controller.is_some() { ", controlled" } else { "" };
        let drive = match body.drive {
            SceneDrive::Physics => "Physics",
            SceneDrive::Motion(_) => "Motion",
            SceneDrive::Static => "Static",
            SceneDrive::KinematicRoot(_) => "root by Motion, joints by Physics",
            SceneDrive::PrescribedJoints(_) => "root by Physics, joints by Motion",
            SceneDrive::Task => "Task",
        };
        line(format!(
            "  {:<20} {} links, {} joints, {drive}{controller}",
            body.name,
            body.body.links().len(),
            body.body.num_joints(),
        ))?;
    }
    if !scene.missing.is_empty() {
        line(format!("missing    {}", scene.missing.len()))?;
        missing::table(&scene.missing).into_iter().try_for_each(line)?;
    }
    if !scene.extra_joints.is_empty() {
        line(format!("joined     {}", scene.extra_joints.len()))?;
    }
    for SceneExtraJoint { name, joint } in &scene.extra_joints {
        let end = |end| SceneExtraJoint::end_name(end, &scene.bodies).unwrap_or_else(|| "world".to_owned());
        let [first, second] = joint.ends.map(end);
        let (name, kind) = (name.as_deref().unwrap_or("-"), joint.form.kind.as_str());
        line(format!("  {name:<20} {kind} between {first} and {second}"))?;
    }
    Ok(())
}

fn print_task(task: &Task) -> Result<(), Failure> {
    line(format!("task       {}", task.name))?;
    for text in task.comment.lines() {
        line(format!("           {text}"))?;
    }
    line(format!("models     {}", task.models.len()))?;
    for model in &task.models {
        let [x, y, z, roll, pitch, yaw] = model.pose.0;
        let (name, role) = (model.name.as_str(), model.role.as_str());
        line(format!("  {name:<20} {role:<5} at ({x}, {y}, {z}) m, ({roll}, {pitch}, {yaw})°"))?;
    }
    line(format!("parameters {}", task.parameters.len()))?;
    for parameter in &task.parameters {
        let value = match &parameter.value {
            ParameterValue::Integer(value) => value.to_string(),
            ParameterValue::Double(value) => value.to_string(),
            ParameterValue::Vector(numbers) => format!("{numbers:?}"),
            ParameterValue::Frame(frame) => format!("{:?}", frame.0),
            ParameterValue::Bound { model, feature: None, .. } => format!("where `{model}` is"),
            ParameterValue::Bound { model, feature: Some(number), .. } => format!("feature {number} of `{model}`"),
        };
        line(format!("  {:<20} {value}", parameter.name.as_str()))?;
    }
    line(format!("states     {}", task.states.len()))?;
    for state in &task.states {
        let what = match &state.kind {
            StateKind::Command(command) => command.command.as_str(),
            other => other.as_str(),
        };
        let next: Vec<String> = task.transitions_from(state.id).map(|way| way.target.to_string()).collect();
        let text = format!("  {:>4}  {what:<20} {}", state.id.0, next.join(", "));
        line(text.trim_end())?;
    }
    Ok(())
}

fn print_robot(setup: &RobotSetup) -> Result<(), Failure> {
    line(format!("robot      {}", setup.body.name))?;
    for (id, tool) in &setup.tools {
        let names = [tool.base, tool.link].map(|link| &setup.body.link(link).name);
        line(format!("tool {id:<5} {} on {}, {} joints", names[1], names[0], tool.chain.joints().len()))?;
    }
    for (id, gripper) in &setup.grippers {
        let names = gripper.joints.iter().map(|finger| setup.body.joint_name(finger.index));
        let [least, most] = gripper.widths;
        line(format!("gripper {id:<2} {}, {least} to {most} m", names.collect::<Vec<_>>().join(", ")))?;
    }
    Ok(())
}
