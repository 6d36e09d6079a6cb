//! The summary of a run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bunraku::body::{Body, BodyModel, BodyState, JointKind};
use bunraku::physics::{
    ConstraintError, ConstraintErrors, ContactLaw, JointGap, JointSolver, JointsBeyondRange, PhysicsParameters,
    in_digits,
};
use bunraku::scene::{HandNote, Hashes, Repeat};
use bunraku::simulation::{StepPart, StepTimes};
use serde::Serialize;

use super::super::common::Failure;
use super::super::directory::{OutDirectory, SUMMARY_NAME};
use super::super::messages;
use super::super::output::{document, line};
use super::hash;
use super::task_summary::TaskSummary;

/// Joint gaps up to this, m, are normal for impulse joints. With wider ones the links are noticeably not where the
/// joints place them.
const WIDE_GAP: f64 = 1e-3;

/// The summary of a run. It is also written as `summary.json`, without the wall time and with the names of the files
/// relative to it, so that identical runs write identical files in every directory.
#[derive(Clone, Serialize)]
pub struct Summary {
    /// The program that ran it, and its version.
    pub program: String,
    pub scene: PathBuf,
    /// s
    pub time_step: f64,
    pub solver: SolverSummary,
    pub steps: u64,
    /// s
    pub simulated_time: f64,
    /// Why the run ended early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// The widest gap of a joint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest_joint_gap: Option<GapSummary>,
    /// The largest deviation from each law of contacts, limits and closures.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub largest_constraint_errors: BTreeMap<&'static str, ErrorSummary>,
    /// Joints that left their displacement ranges, which `limits: enforce` would have prevented.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub joints_beyond_range: Vec<BeyondSummary>,
    /// Warnings of the run.
    pub warnings: Vec<String>,
    /// The interactions; `run --hands` repeats them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hands: Vec<HandNote>,
    /// The final state of each recorded body.
    pub end: BTreeMap<String, EndState>,
    /// Complete recordings.
    pub files: Vec<PathBuf>,
    /// Partial files of recordings that could not be finished.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unfinished: Vec<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<Speed>,
    /// The summary of its task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskSummary>,
    /// The arguments that `bunraku rerun` repeats.
    pub repeat: Repeat,
    /// SHA-256 of inputs and results, as `sha256sum` prints it.
    pub sha256: Hashes,
    /// The scene file with all overrides.
    pub resolved_scene: serde_json::Value,
}

/// The solver of joints and contacts.
#[derive(Clone, Copy, Serialize)]
pub struct SolverSummary {
    pub joints: &'static str,
    pub iterations: usize,
    /// The contact law.
    pub contacts: &'static str,
}

impl SolverSummary {
    pub fn of(parameters: &PhysicsParameters) -> Self {
        let (joints, contacts) = match (parameters.joints, parameters.contacts) {
            (JointSolver::Impulse, _) => ("impulse", "rapier"),
            (JointSolver::Multibody, ContactLaw::Rigid) => ("multibody", "rigid"),
            (JointSolver::Multibody, ContactLaw::Choreonoid { .. }) => ("multibody", "choreonoid"),
        };
        Self { joints, iterations: parameters.iterations, contacts }
    }
}

/// State of a body: position in m, unit quaternion w, x, y, z, and displacements in rad or m: in joint order, and by
/// name.
#[derive(Clone, Serialize)]
pub struct EndState {
    pub translation: [f64; 3],
    pub rotation: [f64; 4],
    pub joint_displacements: Vec<f64>,
    pub joints: serde_json::Map<String, serde_json::Value>,
}

impl EndState {
    pub fn of(body: &Body, state: &BodyState) -> Option<Self> {
        let root = state.link_poses.first()?;
        let rotation = root.rotation.quaternion();
        let joints = body.indexed_joints().zip(&state.displacements);
        let joints = joints.map(|((joint, _), value)| (body.joint_name(joint).to_owned(), (*value).into()));
        // An ID without a joint has no name.
        let joints = joints.filter(|(name, _): &(String, _)| !name.is_empty());
        Some(Self {
            translation: root.translation.vector.into(),
            rotation: [rotation.w, rotation.i, rotation.j, rotation.k],
            joint_displacements: state.displacements.clone(),
            joints: joints.collect(),
        })
    }
}

/// The largest deviation from a law of contacts, limits or closures.
#[derive(Clone, Serialize)]
pub struct ErrorSummary {
    /// m/s or rad/s
    pub velocity: f64,
    /// Friction beyond its cone, N.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub force: Option<f64>,
    /// s
    pub time: f64,
    /// The contact or joint, as text.
    pub constraint: String,
}

impl ErrorSummary {
    /// The errors of a run, by law.
    pub fn all(world: &bevy::prelude::World) -> BTreeMap<&'static str, Self> {
        let errors = world.resource::<ConstraintErrors>().iter();
        let summaries = errors.map(|(law, error)| {
            let ConstraintError { velocity, force, time, .. } = *error;
            (law.name(), Self { velocity, force, time, constraint: error.constraint_name(world) })
        });
        summaries.collect()
    }

    /// The errors beyond the solver's tolerance, as text.
    fn beyond_tolerance(errors: &BTreeMap<&'static str, Self>) -> Vec<String> {
        let large = errors.iter().filter(|(_, error)| error.velocity > ConstraintErrors::TOLERANCE);
        let described = large.map(|(law, Self { velocity, force, time, constraint })| {
            let force = force.map_or_else(String::new, |force| format!(" ({force:.1e} N)"));
            format!("{} up to {velocity:.1e} m/s{force} of {constraint} at t = {time:.4} s", law.replace('_', " "))
        });
        described.collect()
    }
}

/// A joint that left its displacement range.
#[derive(Clone, Serialize)]
pub struct BeyondSummary {
    pub body: String,
    pub joint: String,
    /// End of the first step outside, s.
    pub time: f64,
    /// The displacement farthest outside, rad or m.
    pub farthest: f64,
    /// Lower and upper limit, rad or m; `null` if unlimited.
    pub range: [Option<f64>; 2],
    /// The excess, as text.
    #[serde(skip)]
    excess: String,
}

impl BeyondSummary {
    /// All such joints of a run, by body and joint.
    pub fn all(world: &bevy::prelude::World) -> Vec<Self> {
        let beyond = world.resource::<JointsBeyondRange>().iter();
        let summaries = beyond.filter_map(|(entity, index, beyond)| {
            let (body, joint) = JointsBeyondRange::names(world, entity, index)?;
            let slides = world.get::<BodyModel>(entity)?.0.joint(index)?.kind == JointKind::Prismatic;
            let excess = beyond.excess();
            let shown = if slides { excess } else { excess.to_degrees() };
            let (digits, unit) = if slides { (4, " m") } else { (2, "°") };
            // A smaller number is shown with a power of ten.
            let excess = if shown < 0.1_f64.powi(digits) {
                format!("{shown:.1e}{unit}")
            } else {
                format!("{shown:.*}{unit}", usize::try_from(digits).unwrap_or_default())
            };
            let range = [beyond.range.lower, beyond.range.upper].map(|limit| limit.is_finite().then_some(limit));
            Some(Self { body, joint, time: beyond.time, farthest: beyond.farthest, range, excess })
        });
        summaries.collect()
    }
}

/// The widest gap of a joint.
#[derive(Clone, Serialize)]
pub struct GapSummary {
    /// m
    pub gap: f64,
    /// s
    pub time: f64,
    pub joint: String,
    #[serde(skip)]
    is_of_impulse_tree: bool,
}

#[derive(Clone, Serialize)]
pub struct Speed {
    /// s
    pub wall_time: f64,
    pub microseconds_per_step: f64,
    pub real_time_factor: f64,
    /// The time of the parts of a step, µs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts: Option<BTreeMap<&'static str, f64>>,
    /// s
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_picture: Option<f64>,
}

/// The time of the steps of a run, without drawing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stepping {
    pub wall: Duration,
    /// All steps calculated: a window may go back and calculate some again.
    pub steps: u64,
    /// From the start of the program to the first picture of a window, s.
    pub first_picture: Option<f64>,
    /// The time of the parts of the steps, if that was measured.
    pub parts: Option<StepTimes>,
}

impl GapSummary {
    pub fn new(gap: &JointGap, world: &bevy::prelude::World) -> Self {
        let joint = gap.joint_name(world);
        Self { gap: gap.gap, time: gap.time, joint, is_of_impulse_tree: gap.is_of_impulse_tree() }
    }

    /// Warns of a gap wider than an intact joint has.
    pub fn warn(&self, solver: JointSolver) {
        if self.gap <= WIDE_GAP {
            return;
        }
        let Self { gap, time, joint, .. } = self;
        let way_out = if self.is_of_impulse_tree {
            "light links part between impulse joints under heavy loads and stiff servos: `joints: multibody` under `simulation` holds them"
        } else {
            match solver {
                JointSolver::Multibody => {
                    "it pulls harder than the solver holds: a shorter `simulation.time_step` narrows it"
                }
                JointSolver::Impulse => {
                    "it pulls harder than the solver holds: a shorter `simulation.time_step` or more `iterations` narrow it"
                }
            }
        };
        let millimetres = in_digits(gap * 1e3, 1);
        messages::warning(&format!("{joint} parted by {millimetres} mm (at t = {time:.4} s); {way_out}"));
    }
}

impl Summary {
    /// Adds the wall time.
    #[allow(clippy::cast_precision_loss)]
    pub fn with_speed(self, Stepping { wall, steps, first_picture, parts }: Stepping) -> Self {
        let wall_time = wall.as_secs_f64();
        let speed = (steps > 0 && self.steps > 0 && wall_time > 0.0).then(|| {
            let time_step = self.simulated_time / self.steps as f64;
            let per_step = |time: Duration| time.as_secs_f64() * 1e6 / steps as f64;
            let of_parts =
                |times: StepTimes| StepPart::ALL.map(|part| (part.name(), per_step(times.spent(part)))).into();
            Speed {
                wall_time,
                microseconds_per_step: per_step(wall),
                real_time_factor: time_step * steps as f64 / wall_time,
                parts: parts.map(of_parts),
                first_picture,
            }
        });
        Self { speed, ..self }
    }

    /// Writes `summary.json`.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, out: &OutDirectory) -> Result<(), Failure> {
        let name = |path: &PathBuf| path.strip_prefix(out.path()).map_or_else(|_| path.clone(), PathBuf::from);
        let portable = Self {
            scene: self.scene.file_name().map_or_else(|| self.scene.clone(), PathBuf::from),
            files: self.files.iter().map(name).collect(),
            unfinished: self.unfinished.iter().map(name).collect(),
            sha256: Hashes { files: hash::of_results(&self.files, out.path()), ..self.sha256.clone() },
            task: self.task.clone().map(TaskSummary::portable),
            ..self.clone()
        };
        let text = serde_json::to_string_pretty(&portable).map_err(|error| Failure::Message(error.to_string()))?;
        out.write(SUMMARY_NAME, &format!("{text}\n")).and_then(|()| out.note_scene(&self.scene)).map_err(|error| {
            Failure::Message(format!("cannot write the summary: {error}: {}", out.path().join(SUMMARY_NAME).display()))
        })
    }

    /// Prints the summary as the JSON document of `--json`.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn print_json(&self) -> Result<(), Failure> {
        document(self)
    }

    pub fn print(&self, out: &Path) -> Result<(), Failure> {
        line(format!("steps      {}", self.steps))?;
        line(format!("simulated  {:.4} s", self.simulated_time))?;
        if let Some(speed) = &self.speed {
            line(format!(
                "wall time  {:.3} s: {:.1} µs per step, {:.1} × real time",
                speed.wall_time, speed.microseconds_per_step, speed.real_time_factor
            ))?;
            if let Some(parts) = &speed.parts {
                let named = StepPart::ALL.map(|part| (part.name(), parts[part.name()]));
                let parts = named.map(|(name, time)| format!("{name} {time:.1}"));
                line(format!("a step     {} µs", parts.join(", ")))?;
            }
            if let Some(seconds) = speed.first_picture {
                line(format!("window     first picture {seconds:.2} s after the start of the program"))?;
            }
        }
        if let Some(task) = &self.task {
            task.print()?;
        }
        let errors = ErrorSummary::beyond_tolerance(&self.largest_constraint_errors);
        if !errors.is_empty() {
            line(format!("errors     {}", errors.join("; ")))?;
        }
        if let Some(first) = self.joints_beyond_range.iter().min_by(|a, b| a.time.total_cmp(&b.time)) {
            let BeyondSummary { body, joint, time, excess, .. } = first;
            let others = match self.joints_beyond_range.len() - 1 {
                0 => String::new(),
                1 => "; so did 1 more joint".to_owned(),
                many => format!("; so did {many} more joints"),
            };
            line(format!(
                "ranges     joint `{joint}` of `{body}` left its range by up to {excess}, first at t = {time:.4} s{others}; \
                 `limits: enforce` keeps joints in their ranges"
            ))?;
        }
        if !self.hands.is_empty() {
            line(format!("by hand    {} interactions; `bunraku run --hands` repeats them", self.hands.len()))?;
        }
        for file in &self.files {
            line(format!("written    {}", file.display()))?;
        }
        line(format!("written    {}", out.join(SUMMARY_NAME).display()))
    }
}
