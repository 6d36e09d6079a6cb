//! `bunraku compare`: the differences between two recordings.

use std::path::{Path, PathBuf};

use bunraku::body::{Body, JointIndex, JointKind, kinematics};
use bunraku::motion::{BodyMotion, Extreme, MotionDifference, Sequence, compare_from};
use clap::Args;
use serde_json::{Value, json};

use super::common::{CommonArgs, Failure};
use super::files::Loaded;
use super::messages;
use super::output::{document, line};
use super::replay::{Replay, load};
use super::report;

/// Show the largest differences of two motions by link and by joint, when they are, and their root mean squares
///
/// The motions are compared over the time they have in common, at the frames of the one with fewer of them. With a
/// tolerance the exit code is 1 if a difference exceeds it.
///
/// With `--report` both are shown over each other, in 3D and in plots; A and B may then be directories of results.
#[derive(Args)]
pub struct CompareArgs {
    /// A motion (.seq, or a table .csv), or with `--report` the directory of a run
    #[arg(value_name = "A")]
    one: PathBuf,
    /// The other motion, or directory
    #[arg(value_name = "B")]
    other: PathBuf,
    /// The model that moves: gives names, and the poses of links that follow from root and joints
    #[arg(long, value_name = "MODEL")]
    body: Option<PathBuf>,
    /// Time from which they are compared, s
    #[arg(long, value_name = "S", value_parser = tolerance)]
    from: Option<f64>,
    /// Largest distance of a link, m
    #[arg(long, value_name = "M", value_parser = tolerance)]
    tolerance: Option<f64>,
    /// Largest angle of a link, degrees
    #[arg(long, value_name = "DEG", value_parser = tolerance)]
    angle_tolerance: Option<f64>,
    /// Largest difference of a joint, degrees or m
    #[arg(long, value_name = "X", value_parser = tolerance)]
    joint_tolerance: Option<f64>,
    /// Number of links and joints to show, those with the largest differences
    #[arg(long, value_name = "N", default_value_t = 10)]
    most: usize,
    /// Write both as one HTML page, like `bunraku report`; for motions `--body` is needed
    #[arg(long, value_name = "OUT.html")]
    report: Option<PathBuf>,
    /// Print one JSON document with all of them
    #[arg(long)]
    pub(super) json: bool,
}

fn tolerance(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(value) if value >= 0.0 && f64::is_finite(value) => Ok(value),
        _ => Err("it must be a number that is not negative".to_owned()),
    }
}

pub fn compare(arguments: &CompareArgs, common: &CommonArgs) -> Result<(), Failure> {
    let body = match &arguments.body {
        Some(path) => Some(load_body(path, common)?),
        None => None,
    };
    let paths = [arguments.one.as_path(), arguments.other.as_path()];
    if let (Some(out), true) = (&arguments.report, paths.iter().all(|path| path.is_dir())) {
        return compare_results(paths, out, arguments, common);
    }
    let load = |path: &Path| Ok(with_all_links(load_motion(path, common)?, body.as_ref()));
    let (one, other) = (load(&arguments.one)?, load(&arguments.other)?);
    let difference = compare_from(&one, &other, arguments.from.unwrap_or(f64::NEG_INFINITY)).map_err(|error| {
        let from = arguments.from.map_or_else(String::new, |from| format!(" from {from} s on"));
        Failure::Message(format!("{error}{from}: {} and {}", arguments.one.display(), arguments.other.display()))
    })?;
    if let Some(out) = &arguments.report {
        let Some(body) = &body else {
            let message = "a motion has no shapes: name the model that moves with `--body`";
            return Err(Failure::Usage(message.to_owned()));
        };
        let runs = [(&one, &arguments.one), (&other, &arguments.other)]
            .map(|(motion, path)| report::Run::of_replay(path, Replay::of_model(body.clone(), Some(motion.clone()))));
        report::write(&runs, out, !arguments.json)?;
    }
    let names = Names { body: body.as_ref(), difference: &difference };
    let exceeded = exceeded(arguments, &names);
    if arguments.json {
        document(&describe(&names, &exceeded))?;
    } else {
        print(arguments, &names)?;
    }
    if exceeded.is_empty() {
        return Ok(());
    }
    exceeded.iter().for_each(|message| messages::error(message));
    Err(Failure::Reported)
}

/// Shows the results of two runs over each other.
fn compare_results(paths: [&Path; 2], out: &Path, arguments: &CompareArgs, common: &CommonArgs) -> Result<(), Failure> {
    let CompareArgs { body, from, tolerance, angle_tolerance, joint_tolerance, json, .. } = arguments;
    let tolerances = [from, tolerance, angle_tolerance, joint_tolerance];
    if body.is_some() || *json || tolerances.iter().any(|option| option.is_some()) {
        let message = "`--body`, `--from`, `--json` and tolerances go with motions: name a .seq file of each directory";
        return Err(Failure::Usage(message.to_owned()));
    }
    let [one, other] = paths.map(|path| report::Run::of_results(path, None, common));
    report::write(&[one?, other?], out, true)
}

fn load_motion(path: &Path, common: &CommonArgs) -> Result<BodyMotion, Failure> {
    match load(path, common)? {
        Loaded::Motion(motion) => Ok(*motion),
        Loaded::Model(_) => {
            Err(Failure::Usage(format!("this is a model, not a motion: {} (give it as `--body`)", path.display())))
        }
        Loaded::Scene(_) => Err(Failure::Usage(format!(
            "this is a scene, not a motion: {} (`bunraku run` it: its recordings are compared)",
            path.display()
        ))),
        Loaded::Tasks(_) | Loaded::Robot(_) => Err(Failure::Usage(format!(
            "{} is a task: `bunraku task run` it, and compare what it records",
            path.display()
        ))),
    }
}

fn load_body(path: &Path, common: &CommonArgs) -> Result<Body, Failure> {
    match load(path, common)? {
        Loaded::Model(body) => Ok(*body),
        _ => Err(Failure::Usage(format!("`--body` is not a model: {}", path.display()))),
    }
}

/// The motion with the poses of all links, which are calculated if it has only those of the root and the joints.
fn with_all_links(motion: BodyMotion, body: Option<&Body>) -> BodyMotion {
    let Some(body) = body else { return motion };
    let (Some(links), Some(joints)) = (&motion.link_positions, &motion.joint_displacements) else { return motion };
    if links.num_parts() >= body.links().len() {
        return motion;
    }
    let mut displacements = vec![0.0; joints.num_parts()];
    let mut poses = Vec::with_capacity(links.num_frames() * body.links().len());
    let mut times = Vec::with_capacity(links.num_frames());
    for frame in 0..links.num_frames() {
        joints.sample(links.time(frame), &mut displacements);
        let Some(root) = links.frame(frame).first() else { continue };
        poses.extend(kinematics::link_poses(body, root, &displacements));
        times.push(links.time(frame));
    }
    let all = match links.times() {
        Some(_) => Sequence::timed(times, body.links().len(), poses),
        None => {
            let all = Sequence::new(links.frame_rate(), body.links().len(), poses);
            all.and_then(|all| all.with_offset(links.start()))
        }
    };
    BodyMotion { link_positions: all.ok().or_else(|| motion.link_positions.clone()), ..motion }
}

/// The names of links and joints, for printing differences.
struct Names<'n> {
    body: Option<&'n Body>,
    difference: &'n MotionDifference,
}

impl Names<'_> {
    fn link(&self, index: usize) -> String {
        let of_body = self.body.and_then(|body| body.links().get(index)).map(|link| link.name.clone());
        of_body.unwrap_or_else(|| if index == 0 { "root".to_owned() } else { format!("link {index}") })
    }

    fn joint(&self, index: usize) -> String {
        let name = self.body.map(|body| body.joint_name(JointIndex(index))).unwrap_or_default();
        if name.is_empty() { format!("joint {index}") } else { name.to_owned() }
    }

    /// The value to print and its unit: degrees, unless the joint is prismatic or its type is unknown.
    fn joint_value(&self, index: usize, value: f64) -> (f64, &'static str) {
        match self.body.map(|body| body.joint(JointIndex(index)).map(|joint| joint.kind)) {
            Some(Some(JointKind::Revolute)) => (value.to_degrees(), "°"),
            Some(Some(_)) => (value, " m"),
            Some(None) | None => (value, " rad or m"),
        }
    }
}

/// The differences beyond the tolerances, as text.
fn exceeded(arguments: &CompareArgs, names: &Names<'_>) -> Vec<String> {
    let links = || names.difference.links.iter().enumerate();
    let mut found = Vec::new();
    if let Some(tolerance) = arguments.tolerance {
        let worst = links().max_by(|one, other| one.1.distance.value.total_cmp(&other.1.distance.value));
        if let Some((index, link)) = worst.filter(|(_, link)| link.distance.value > tolerance) {
            let Extreme { value, time, .. } = link.distance;
            found.push(format!(
                "link `{}` is {value:.6} m apart at t = {time:.4} s: {tolerance} m are tolerated",
                names.link(index)
            ));
        }
    }
    if let Some(tolerance) = arguments.angle_tolerance {
        let worst = links().max_by(|one, other| one.1.angle.value.total_cmp(&other.1.angle.value));
        if let Some((index, link)) = worst.filter(|(_, link)| link.angle.value.to_degrees() > tolerance) {
            let (value, time) = (link.angle.value.to_degrees(), link.angle.time);
            found.push(format!(
                "link `{}` is turned by {value:.4}° at t = {time:.4} s: {tolerance}° are tolerated",
                names.link(index)
            ));
        }
    }
    if let Some(tolerance) = arguments.joint_tolerance {
        let shown = |index: usize, joint: &Extreme| match names.body {
            // A value in radians would be compared with degrees.
            None => joint.value.to_degrees(),
            Some(_) => names.joint_value(index, joint.value).0,
        };
        let joints =
            names.difference.joints.iter().enumerate().map(|(index, joint)| (index, shown(index, joint), joint.time));
        let worst = joints.max_by(|one, other| one.1.total_cmp(&other.1));
        if let Some((index, value, time)) = worst.filter(|(_, value, _)| *value > tolerance) {
            let unit = if names.body.is_none() { "°" } else { names.joint_value(index, 0.0).1 };
            found.push(format!(
                "joint `{}` is {value:.4}{unit} apart at t = {time:.4} s: {tolerance} are tolerated",
                names.joint(index)
            ));
        }
    }
    found
}

fn print(arguments: &CompareArgs, names: &Names<'_>) -> Result<(), Failure> {
    let difference = names.difference;
    line(format!(
        "compared   {} frames from {:.4} s to {:.4} s",
        difference.num_frames, difference.start, difference.end
    ))?;
    let unmatched = [("links", difference.unmatched_links), ("joints", difference.unmatched_joints)];
    for (what, count) in unmatched.into_iter().filter(|(_, count)| *count > 0) {
        line(format!("           {count} {what} are in one of the motions only"))?;
    }
    if !difference.links.is_empty() {
        line(format!(
            "links      {:<24} {:>14} {:>11} {:>14} {:>14} {:>12} {:>11} {:>12}",
            "", "distance", "at", "RMS", "at the end", "angle", "at", "RMS"
        ))?;
    }
    let mut links: Vec<_> = difference.links.iter().enumerate().collect();
    links.sort_by(|one, other| other.1.distance.value.total_cmp(&one.1.distance.value).then(one.0.cmp(&other.0)));
    for (index, link) in links.into_iter().take(arguments.most) {
        line(format!(
            "  {index:>3}      {:<24} {:>12.6} m {:>9.4} s {:>12.6} m {:>12.6} m {:>11.4}° {:>9.4} s {:>11.4}°",
            names.link(index),
            link.distance.value,
            link.distance.time,
            link.distance.rms,
            link.distance_at_end,
            link.angle.value.to_degrees(),
            link.angle.time,
            link.angle.rms.to_degrees()
        ))?;
    }
    if !difference.joints.is_empty() {
        line(format!("joints     {:<24} {:>14} {:>11} {:>14}", "", "difference", "at", "RMS"))?;
    }
    let mut joints: Vec<_> = difference.joints.iter().enumerate().collect();
    joints.sort_by(|one, other| other.1.value.total_cmp(&one.1.value).then(one.0.cmp(&other.0)));
    for (index, joint) in joints.into_iter().take(arguments.most) {
        let (value, unit) = names.joint_value(index, joint.value);
        let (rms, _) = names.joint_value(index, joint.rms);
        line(format!(
            "  {index:>3}      {:<24} {:>14} {:>9.4} s {:>14}",
            names.joint(index),
            format!("{value:.6}{unit}"),
            joint.time,
            format!("{rms:.6}{unit}")
        ))?;
    }
    Ok(())
}

/// All differences as JSON, in SI units.
fn describe(names: &Names<'_>, exceeded: &[String]) -> Value {
    let finite = |value: f64| value.is_finite().then_some(value);
    let extreme =
        |extreme: Extreme| json!({ "value": finite(extreme.value), "time": extreme.time, "rms": finite(extreme.rms) });
    let links = names.difference.links.iter().enumerate().map(|(index, link)| {
        json!({
            "name": names.link(index),
            "distance": extreme(link.distance),
            "distance_at_end": finite(link.distance_at_end),
            "angle": extreme(link.angle),
        })
    });
    let joints = names.difference.joints.iter().enumerate();
    let joints = joints.map(|(index, joint)| json!({ "name": names.joint(index), "difference": extreme(*joint) }));
    json!({
        "num_frames": names.difference.num_frames,
        "start": names.difference.start,
        "end": names.difference.end,
        "links": links.collect::<Vec<_>>(),
        "joints": joints.collect::<Vec<_>>(),
        "exceeded": exceeded,
    })
}
