//! Reading a scene file.

use std::path::Path;
use std::sync::Arc;

use bunraku_body::{ContactMaterials, Drive, JointKind, LoadOptions};
use bunraku_document::yaml::Document;
use bunraku_document::{Diagnostic, FoundFiles, Mapping, Reporter, Result, SourceFile, Span, Value};
use bunraku_motion::Recording;
use bunraku_physics::{ContactLaw, JointSolver, PhysicsParameters};
use bunraku_sensors::JointChannels;
use bunraku_sensors::{SurroundingLight, VisualModels};
use nalgebra::{Point3, Vector3};

use super::body_entry::{Bodies, LimitsOfBodies};
use super::context::{DEFAULT_TIME_STEP, SceneContext, SceneOptions, positive};
use super::model::{RecordSettings, RecordedLinks, Scene, SceneBody};
use super::words::read_word;
use super::{
    body_entry, cnoid::is_project, external_forces, extra_joints, limitations, other_files, resolved, ros2, sensors,
};

impl Scene {
    /// Loads the scene from this text; `path` is its file.
    pub(super) fn load_source(
        path: &Path,
        source: &Arc<SourceFile>,
        options: &SceneOptions,
        reporter: &Reporter,
    ) -> Option<Self> {
        let limits = &options.load.limits;
        let mut document = reporter.keep(Document::parse(source, limits, reporter))?;
        document.require_known_keys();
        for (path, value) in &options.overrides {
            let name = format!("--set {path}={value}");
            reporter.keep(document.set(path, value, &name, limits, reporter))?;
        }
        let found = FoundFiles::default();
        let load = LoadOptions { roots: options.load.roots.clone().noting(&found), ..options.load.clone() };
        let shared = options.shared.clone().unwrap_or_default();
        let may_be_empty = options.leaves_out_missing && is_project(path);
        let context = SceneContext { may_be_empty, ..SceneContext::new(source, &load, reporter, shared) };
        let scene = read_top(path, &document, &context).map(|mut scene| {
            scene.sources.extend(found.files());
            scene
        });
        if let Some(Self { duration: None, .. }) = scene
            && options.needs_end
        {
            let place = document.root().get("simulation").unwrap_or_else(|| document.root());
            let start = Span { end: place.span().start, ..place.span() };
            let (message, help) = match is_project(path) {
                true => (
                    "this project runs until it is stopped, and a run without a window needs an end",
                    "pass `--duration S`",
                ),
                false => (
                    "the scene has no `simulation.duration`, and a run without a window needs an end",
                    "add it to the scene, or pass `--duration S`",
                ),
            };
            let diagnostic = Diagnostic::error("no-duration", message).at(place.source(), start);
            // An error in a project may be the reason why it has no end.
            if !(is_project(path) && reporter.has_errors()) {
                reporter.report(diagnostic.help(help));
            }
        }
        if let Some(scene) = &scene {
            report_no_steps(scene, &document, reporter);
        }
        if reporter.has_errors() { None } else { scene }
    }
}

/// Reports a run without steps, which ends before anything has moved.
fn report_no_steps(scene: &Scene, document: &Document, reporter: &Reporter) {
    if scene.num_steps() == Some(0) {
        let simulation = document.root().get("simulation");
        let place = simulation.and_then(|simulation| simulation.get("duration")).or(simulation);
        let (duration, time_step) = (scene.duration.unwrap_or(0.0), scene.time_step);
        let message = format!("a run of {duration} s has no steps: each is {time_step} s long");
        let diagnostic = place.unwrap_or_else(|| document.root()).error("no-steps", message);
        reporter.report(diagnostic.help("let it last longer, or shorten `simulation.time_step`"));
    }
}

fn read_top(path: &Path, document: &Document, context: &SceneContext<'_>) -> Option<Scene> {
    let reporter = context.reporter;
    if let Some(error) = other_files::report_content(document.root()) {
        reporter.report(error);
        return None;
    }
    let top = Mapping::new(document.root(), "the scene", reporter)?;
    read_format(&top)?;
    let mut simulation = top.get(&["simulation"]).map_or_else(
        || Some(Simulation::default()),
        |value| Some(read_simulation(Mapping::new(value, "`simulation`", reporter)?)),
    )?;
    context.time_step.set(simulation.time_step);
    let materials = match top.get(&["materials"]) {
        None => ContactMaterials::default(),
        Some(value) => read_materials(value, context),
    };
    let bodies = top.required(&["bodies"]);
    let solver = simulation.joints.unwrap_or_default();
    simulation.parameters.joints = solver;
    let Bodies { mut bodies, places, are_complete: bodies_are_complete } =
        bodies.map(|value| body_entry::read_bodies(value, (simulation.limits, solver), context)).unwrap_or_default();
    let has_law = simulation.parameters.contacts != ContactLaw::Rigid;
    if solver == JointSolver::Impulse {
        limitations::report(&places, &bodies, &materials, reporter);
    }
    if has_law && solver == JointSolver::Impulse {
        let node = top.get(&["simulation"]).unwrap_or_else(|| top.node());
        let message = "`contacts` are those of rapier with impulse joints, whatever is said of them here";
        reporter.report(node.warning("no-effect", message).help("write `joints: multibody`"));
    }
    let extra_joints = top.get(&["extra_joints"]).map_or_else(Vec::new, |value| {
        extra_joints::read_extra_joints(value, &bodies, bodies_are_complete, solver, context)
    });
    let external_forces = top.get(&["external_forces"]).map_or_else(Vec::new, |value| {
        external_forces::read_external_forces(value, &bodies, bodies_are_complete, context)
    });
    let record = top.get(&["record"]).and_then(|value| Mapping::new(value, "`record`", reporter));
    let lighting = sensors::read_sensors(
        &top,
        record.as_ref().and_then(|mapping| mapping.get(&["sensors"])),
        &mut bodies,
        bodies_are_complete,
        context,
    );
    if let Some(value) = record.as_ref().and_then(|mapping| mapping.get(&["contacts"])) {
        choose(value, &mut bodies, bodies_are_complete, reporter, &|body| &mut body.records_contacts);
    }
    if let Some(value) = record.as_ref().and_then(|mapping| mapping.get(&["balance"])) {
        choose(value, &mut bodies, bodies_are_complete, reporter, &|body| &mut body.records_balance);
    }
    let record = record.map_or_else(RecordSettings::default, |mapping| read_record(mapping, simulation.time_step));
    warn_of_unrecorded_links(&bodies, record.links, &top);
    let ros2 = top.get(&["ros2"]).map(|value| ros2::read_ros2(value, &bodies, bodies_are_complete, context));
    let view = top.get(&["view"]).and_then(|view| Mapping::new(view, "`view`", reporter)).and_then(|view| {
        let (eye, target) = (view.array::<3>(&["eye"]), view.array::<3>(&["target"]));
        view.finish();
        Some([Point3::from(eye?), Point3::from(target.unwrap_or_default())])
    });
    top.finish();
    Some(Scene {
        file: path.to_owned(),
        sources: context.sources.take(),
        simulator: None,
        missing: Vec::new(),
        resolved: resolved::json(document.root()),
        time_step: simulation.time_step,
        duration: simulation.duration,
        parameters: simulation.parameters,
        materials,
        bodies,
        extra_joints,
        external_forces,
        record,
        ros2: ros2.unwrap_or_default(),
        view,
        lighting: lighting.map(SurroundingLight),
        visual_models: VisualModels::default(),
    })
}

/// Checks the format and its version; `None` if it is another one.
fn read_format(top: &Mapping<'_, '_>) -> Option<()> {
    let reporter = top.reporter();
    let Some(format) = top.get(&["format"]) else {
        let help = "a scene begins with the lines `format: BunrakuScene` and `format_version: 1`";
        reporter.report(top.node().error("missing-key", "the scene has no `format`").help(help));
        return None;
    };
    if format.text() != Some("BunrakuScene") {
        reporter
            .report(format.error("unknown-format", "this is not a scene file").help("write `format: BunrakuScene`"));
        return None;
    }
    if let Some(version) = top.required(&["format_version"])
        && reporter.keep(version.as_number(reporter)).is_some_and(|version| version > 1.0)
    {
        reporter.report(version.error("unknown-version", "the newest version of scene files that is known is 1"));
    }
    Some(())
}

/// A material table, or several, of which the last takes precedence.
fn read_materials(value: Value<'_>, context: &SceneContext<'_>) -> ContactMaterials {
    let load = |value: Value<'_>| {
        let file = context.file(value)?;
        let table = ContactMaterials::load(&file, context.options, context.reporter)?;
        Some((table, context.reporter.quotes(&file)))
    };
    let Some(items) = value.items() else { return load(value).map(|(table, _)| table).unwrap_or_default() };
    let mut table = ContactMaterials::default();
    for item in items {
        let Some((later, is_quoted)) = load(item) else { continue };
        let different = table.merge(later);
        if let Some(first) = different.first() {
            let first = if is_quoted { first.as_str() } else { "a material" };
            let others = match different.len() {
                1 => String::new(),
                many => format!(" and {} more", many - 1),
            };
            let message =
                format!("this table says otherwise of {first}{others} than those before: it has the last word");
            context.reporter.report(item.note("material-conflict", message));
        }
    }
    table
}

/// Warns of links that are not attached to their parent by a joint: a recording of the root alone loses their poses.
fn warn_of_unrecorded_links(bodies: &[SceneBody], links: RecordedLinks, top: &Mapping<'_, '_>) {
    for body in bodies.iter().filter(|body| links == RecordedLinks::Root && body.drive.of_body() == Drive::Physics) {
        let inner = body.body.links().iter().skip(1).find(|link| link.joint.kind == JointKind::Free);
        if let Some(link) = inner {
            let message = format!("link `{}` of `{}` moves on its own and is not recorded", link.name, body.name);
            let node = top.get(&["record"]).or_else(|| top.get(&["bodies"])).unwrap_or_else(|| top.node());
            let diagnostic = node.warning("unrecorded-link", message);
            top.reporter().report(diagnostic.help("write `record: { links: all }`"));
        }
    }
}

struct Simulation {
    time_step: f64,
    duration: Option<f64>,
    parameters: PhysicsParameters,
    joints: Option<JointSolver>,
    limits: LimitsOfBodies,
}

impl Default for Simulation {
    fn default() -> Self {
        Self {
            time_step: DEFAULT_TIME_STEP,
            duration: None,
            parameters: PhysicsParameters::default(),
            joints: None,
            limits: LimitsOfBodies::default(),
        }
    }
}

fn read_simulation(mapping: Mapping<'_, '_>) -> Simulation {
    let mut simulation = Simulation::default();
    if let Some(time_step) = mapping.read(&["time_step"], |value, reporter| positive(value, "time step", "s", reporter))
    {
        simulation.time_step = time_step;
    }
    simulation.duration = mapping.read(&["duration"], |value, reporter| positive(value, "duration", "s", reporter));
    if let Some(gravity) = mapping.array::<3>(&["gravity"]) {
        simulation.parameters.gravity = Vector3::from(gravity);
    }
    let iterations = mapping.read(&["iterations"], |value, reporter| {
        let iterations = value.as_integer(reporter)?;
        match usize::try_from(iterations) {
            Ok(iterations @ 1..=1000) => Ok(iterations),
            _ => Err(Box::new(value.error("out-of-range", "the number of solver iterations is from 1 to 1000"))),
        }
    });
    simulation.parameters.iterations = iterations.unwrap_or(simulation.parameters.iterations);
    let joints = mapping.read(&["joints"], |value, _| match value.text() {
        Some("impulse") => Ok(JointSolver::Impulse),
        Some("multibody") => Ok(JointSolver::Multibody),
        _ => Err(Box::new(value.expected("`impulse` or `multibody`"))),
    });
    simulation.joints = joints;
    let contacts = mapping.read(&["contacts"], read_contact_law);
    simulation.parameters.contacts = contacts.unwrap_or_default();
    simulation.limits = LimitsOfBodies::default().read(&mapping);
    mapping.finish();
    simulation
}

/// `rigid`, `choreonoid`, or Choreonoid's law with values of the project.
fn read_contact_law(value: Value<'_>, reporter: &Reporter) -> Result<ContactLaw> {
    let expected = || Err(Box::new(value.expected("`rigid`, `choreonoid` or a mapping of its values")));
    if value.entries().is_some() {
        let Some(mapping) = Mapping::new(value, "`contacts`", reporter) else { return expected() };
        let depth = mapping.read(&["correction_depth"], |value, reporter| positive(value, "depth", "m", reporter));
        let ratio = mapping
            .read(&["correction_velocity_ratio"], |value, reporter| positive(value, "velocity ratio", "1/s", reporter));
        mapping.finish();
        return Ok(ContactLaw::Choreonoid {
            correction_depth: depth.unwrap_or(ContactLaw::CORRECTION_DEPTH),
            correction_velocity_ratio: ratio.unwrap_or(ContactLaw::CORRECTION_VELOCITY_RATIO),
        });
    }
    match value.text() {
        Some("rigid") => Ok(ContactLaw::Rigid),
        Some("choreonoid") => Ok(ContactLaw::CHOREONOID),
        _ => expected(),
    }
}

fn read_record(mapping: Mapping<'_, '_>, time_step: f64) -> RecordSettings {
    let steps_per_frame = mapping.read(&["frame_rate"], |value, reporter| {
        let frame_rate = positive(value, "frame rate", "Hz", reporter)?;
        steps_per_frame(frame_rate, time_step).ok_or_else(|| {
            let message = format!("a frame rate of {frame_rate} Hz does not fit a time step of {time_step} s");
            let help = format!("the step rate, {} Hz, must be a multiple of it", 1.0 / time_step);
            Box::new(value.error("frame-rate", message).help(help))
        })
    });
    let links = mapping.read(&["links"], |value, _| match value.text() {
        Some("root") => Ok(RecordedLinks::Root),
        Some("all") => Ok(RecordedLinks::All),
        _ => Err(Box::new(value.expected("`root` or `all`"))),
    });
    let named = mapping.get(&["joints"]).map_or_else(JointChannels::default, |value| read_channels(value, &mapping));
    let joints = JointChannels {
        velocities: mapping.bool(&["velocities"]).unwrap_or(named.velocities),
        efforts: mapping.bool(&["efforts"]).unwrap_or(named.efforts),
        forces: named.forces,
    };
    let tail = mapping.read(&["tail"], |value, reporter| positive(value, "length", "s", reporter));
    mapping.finish();
    RecordSettings {
        steps_per_frame: steps_per_frame.unwrap_or(1),
        links: links.unwrap_or_default(),
        joints,
        recording: tail.map_or(Recording::Full, |duration| Recording::Tail { duration }),
    }
}

/// The recorded joint channels: all, none, or those of a list.
fn read_channels(value: Value<'_>, mapping: &Mapping<'_, '_>) -> JointChannels {
    let mut channels = JointChannels::default();
    let set = |channels: &mut JointChannels, word: &str| match word {
        "velocities" => channels.velocities = true,
        "efforts" => channels.efforts = true,
        "forces" => channels.forces = true,
        _ => {}
    };
    let words = ["velocities", "efforts", "forces"].map(|word| (word, word));
    match value.items() {
        Some(items) => {
            for item in items {
                if let Some(word) = mapping.keep(read_word(item, "a channel of joints", &words)) {
                    set(&mut channels, word);
                }
            }
        }
        None => match value.as_bool() {
            Ok(all) => channels = JointChannels { velocities: all, efforts: all, forces: all },
            Err(_) => mapping.reporter().report(value.expected("`true`, `false` or a list of channels")),
        },
    }
    channels
}

/// Selects the bodies of which something is recorded: all that are recorded, none, or those of a list.
fn choose(
    value: Value<'_>,
    bodies: &mut [SceneBody],
    are_complete: bool,
    reporter: &Reporter,
    of: &dyn Fn(&mut SceneBody) -> &mut bool,
) {
    let Some(items) = value.items() else {
        match value.as_bool() {
            Ok(all) => bodies.iter_mut().for_each(|body| *of(body) = all && body.is_recorded()),
            Err(_) => reporter.report(value.expected("`true`, `false` or a list of bodies")),
        }
        return;
    };
    for item in items {
        let Some(name) = reporter.keep(item.as_text()) else { continue };
        match bodies.iter_mut().find(|body| body.name == name) {
            Some(body) => *of(body) = true,
            None if are_complete => {
                reporter.report(item.error("unknown-body", format!("there is no body `{name}`")));
            }
            None => {}
        }
    }
}

/// The number of steps per frame; `None` if it is not a whole number of at least 1.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn steps_per_frame(frame_rate: f64, time_step: f64) -> Option<u64> {
    let steps = 1.0 / (frame_rate * time_step);
    // Rates and steps are decimal numbers: their quotient is an integer up to rounding.
    ((steps - steps.round()).abs() < 1e-6 && steps.round() >= 1.0).then_some(steps.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::steps_per_frame;

    #[test]
    fn frames_are_whole_numbers_of_steps() {
        assert_eq!(steps_per_frame(500.0, 0.002), Some(1));
        assert_eq!(steps_per_frame(100.0, 0.002), Some(5));
        assert_eq!(steps_per_frame(30.0, 1.0 / 300.0), Some(10));
        assert_eq!(steps_per_frame(300.0, 0.002), None);
        assert_eq!(steps_per_frame(1000.0, 0.002), None);
    }
}
