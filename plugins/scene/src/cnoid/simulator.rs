//! Simulator items: time step, end, gravity and contacts.

use bunraku_document::{Diagnostic, Place, Reporter, Value};

use super::items::Item;
use super::vision;

/// Items that add a simulation of something other than bodies to a simulator item.
const SUB_SIMULATORS: &[&str] = &[vision::CLASS];

/// Length of a simulation that specifies none, s.
const DEFAULT_LENGTH: f64 = 300.0;

/// Settings that tune a different kind of solver.
const SOLVER_SETTINGS: &[&str] = &[
    "contactCullingDepth",
    "contact_culling_depth",
    "contact_culling_distance",
    "cullingThresh",
    "dynamicFriction",
    "errorCriterion",
    "error_criterion",
    "maxNumIterations",
    "max_num_contact_points",
    "max_num_iterations",
    "slipFriction",
    "staticFriction",
];

/// The end of a simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TimeRange {
    Unlimited,
    /// s
    Specified(f64),
    TimeBar,
}

/// The part of a run that is recorded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Recorded {
    All,
    Tail,
    Nothing,
}

/// A simulator item.
#[derive(Clone)]
pub(super) struct Simulator {
    pub(super) place: Place,
    pub(super) name: String,
    pub(super) class: String,
    /// s
    pub(super) time_step: Option<f64>,
    pub(super) range: TimeRange,
    /// Whether the simulation ends when all controllers have finished.
    pub(super) ends_with_control: bool,
    /// Length, s; also that of the tail that a recording keeps.
    pub(super) length: f64,
    pub(super) recorded: Recorded,
    pub(super) gravity: Option<[f64; 3]>,
    /// Contact correction: penetration depth, m, and velocity ratio, 1/s.
    pub(super) contact_correction: [Option<f64>; 2],
    pub(super) all_links: bool,
    pub(super) options: String,
    /// Findings to report if this simulator is chosen.
    pub(super) findings: Vec<Diagnostic>,
}

impl Simulator {
    pub(super) fn is_simulator(class: &str) -> bool {
        class.ends_with("SimulatorItem") && !SUB_SIMULATORS.contains(&class)
    }

    pub(super) fn read(item: Item<'_>, reporter: &Reporter) -> Self {
        let settings = item.settings();
        let rate = || settings.number(&["frame_rate", "frameRate", "framerate"], reporter).map(|rate| 1.0 / rate);
        let time_step = settings.number(&["time_step", "timeStep", "timestep"], reporter).or_else(rate);
        let length = settings.number(&["time_length", "timeLength"], reporter).unwrap_or(DEFAULT_LENGTH);
        // The oldest projects have the mode under `recordingMode`.
        let mode = settings.text(&["time_range_mode", "timeRangeMode", "recordingMode"]).unwrap_or_default();
        let range = match mode {
            "specified" | "Specified period" | "Specified time" => TimeRange::Specified(length),
            "timebar" | "TimeBar range" => TimeRange::TimeBar,
            _ => TimeRange::Unlimited,
        };
        let active = ["is_active_control_time_range_mode", "active_control_time_range_mode", "onlyActiveControlPeriod"];
        let recorded = match settings.text(&["recording"]) {
            Some("full") => Recorded::All,
            Some("off") => Recorded::Nothing,
            _ => Recorded::Tail,
        };
        let all_links = settings.flag(&["output_all_link_positions", "allLinkPositionOutputMode"], reporter);
        let options = settings.text(&["controller_options", "controllerOptions"]).unwrap_or_default();
        Self {
            place: item.place(),
            name: item.name().to_owned(),
            class: item.class().to_owned(),
            time_step: time_step.filter(|step| step.is_finite() && *step > 0.0),
            range,
            ends_with_control: mode == "Active control period" || settings.flag(&active, reporter).unwrap_or(false),
            length,
            recorded,
            gravity: settings.array(&["gravity", "Gravity"], reporter),
            contact_correction: [
                settings.number(&["contact_correction_depth", "contactCorrectionDepth"], reporter),
                settings.number(&["contact_correction_velocity_ratio", "contactCorrectionVelocityRatio"], reporter),
            ],
            all_links: all_links.unwrap_or(false),
            options: options.to_owned(),
            findings: findings(item, recorded),
        }
    }
}

/// The settings without a counterpart.
fn findings(item: Item<'_>, recorded: Recorded) -> Vec<Diagnostic> {
    let (settings, name) = (item.settings(), item.name());
    let mut findings = Vec::new();
    let is_on = |keys: &[&str]| settings.get(keys).filter(|value| value.text() == Some("true"));
    let mut warn = |value: Value<'_>, what: &str| {
        findings.push(value.warning("no-counterpart", format!("`{name}` {what}")));
    };
    if let Some(value) = is_on(&["use_2d_mode", "2Dmode"]) {
        warn(value, "holds bodies in the plane y = 0 (2D mode); here they move in all directions");
    }
    if let Some(value) = is_on(&["enable_kinematic_walking", "kinematicWalking"]) {
        warn(value, "hangs bodies on their lowest foot (kinematic walking); here they move by forces");
    }
    let mode = settings.get(&["dynamics_mode", "dynamicsMode"]);
    if let Some(value) = mode.filter(|mode| mode.text().is_some_and(|mode| mode.to_lowercase().contains("kinematics")))
    {
        warn(value, "moves joints without forces (kinematics mode); here they move by forces");
    }
    if recorded == Recorded::Nothing {
        let value = settings.get(&["recording"]).unwrap_or(item.value());
        findings.push(value.note("no-counterpart", format!("`{name}` records nothing; here runs are recorded")));
    }
    let tuned = settings.present(SOLVER_SETTINGS);
    if let Some(first) = tuned.first().and_then(|key| settings.get(&[key])) {
        let message = format!("settings of the solver of `{name}` have no counterpart: {}", tuned.join(", "));
        findings.push(first.note("no-counterpart", message).help("friction is that of the material table"));
    }
    findings
}
