//! A project as the text of a scene file.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use bunraku_document::yaml::quoted;
use bunraku_document::{Diagnostic, Origins, Place, Reporter};
use bunraku_physics::ContactLaw;
use bunraku_task::draft::in_comment;

use super::super::relative::relative_to;
use super::body_item::ProjectBody;
use super::choice::AIST;
use super::controllers::{self, Command, Law};
use super::missing::MissingKind;
use super::project::Project;
use super::simulator::{Recorded, Simulator, TimeRange};

/// The text, and the items that its lines come from.
pub(super) struct SceneText {
    pub(super) text: String,
    pub(super) origins: Origins,
}

impl SceneText {
    pub(super) fn write(project: &Project, simulator: Option<&Simulator>, base: &Path, reporter: &Reporter) -> Self {
        let mut scene = Self { text: String::new(), origins: Origins::default() };
        let of_simulator = simulator.map(|simulator| simulator.options.as_str()).unwrap_or_default();
        let commands: Vec<Option<Command>> =
            project.bodies.iter().map(|body| controllers::command(body, of_simulator, project, reporter)).collect();
        let name = project.files.first().and_then(|file| file.file_name()).unwrap_or_default();
        scene.line(&format!(
            "# From {}{}.",
            in_comment(&name.to_string_lossy()),
            match simulator {
                Some(simulator) => format!(", simulator {}", in_comment(&simulator.name)),
                None => String::new(),
            }
        ));
        scene.line("format: BunrakuScene\nformat_version: 1\n");
        scene.at(simulator.map(|simulator| &simulator.place).or(project.world.as_ref()));
        scene.simulation(project, simulator, &commands);
        scene.at(project.world.as_ref());
        scene.materials(project, base);
        scene.line("bodies:");
        let mut taken = BTreeSet::new();
        for (body, command) in project.bodies.iter().zip(&commands) {
            scene.at(Some(&body.place));
            scene.body(body, command.as_ref(), project, base, &mut taken, reporter);
        }
        for part in project.missing.iter().filter(|part| part.kind == MissingKind::Model) {
            let (name, file) = (in_comment(&part.name), in_comment(&part.file));
            scene.line(&format!("  # Left out, as its model is missing: {name}, {file}"));
        }
        if project.bodies.is_empty() {
            scene.line("  []");
        }
        scene.at(simulator.map(|simulator| &simulator.place));
        scene.record(project, simulator);
        if let Some(view) = &project.view {
            // The target is ahead of the camera: about as far away as the first body.
            let first = project.bodies.iter().find_map(|body| body.translation).unwrap_or_default();
            let ahead = (nalgebra::Vector3::from(first) - view.eye).dot(&view.direction).max(1.0);
            let target = view.eye + view.direction * ahead;
            let line = format!("view: {{ eye: {}, target: {} }}", list(view.eye.as_slice()), list(&rounded(&target)));
            scene.line(&line);
        }
        scene
    }

    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// Marks the following lines as coming from this item.
    fn at(&mut self, place: Option<&Place>) {
        let line = self.text.bytes().filter(|&byte| byte == b'\n').count() + 1;
        if let Some(place) = place {
            self.origins.add(u32::try_from(line).unwrap_or(u32::MAX), place.clone());
        }
    }

    fn simulation(&mut self, project: &Project, simulator: Option<&Simulator>, commands: &[Option<Command>]) {
        let time_step =
            simulator.and_then(|simulator| simulator.time_step).unwrap_or(1.0 / project.time_bar.frame_rate);
        self.line("simulation:");
        self.line(&format!("  time_step: {time_step}"));
        if let Some(duration) = simulator.and_then(|simulator| duration(project, simulator, commands, time_step)) {
            self.line(&format!("  duration: {duration}"));
        }
        if let Some(gravity) = simulator.and_then(|simulator| simulator.gravity) {
            self.line(&format!("  gravity: {}", list(&gravity)));
        }
        if let Some(simulator) = simulator.filter(|simulator| simulator.class == AIST) {
            let [depth, ratio] = simulator.contact_correction.map(|value| value.filter(|value| *value > 0.0));
            let depth = depth.unwrap_or(ContactLaw::CORRECTION_DEPTH);
            let ratio = ratio.unwrap_or(ContactLaw::CORRECTION_VELOCITY_RATIO);
            self.line(&format!("  contacts: {{ correction_depth: {depth}, correction_velocity_ratio: {ratio} }}"));
        }
        self.line("");
    }

    fn materials(&mut self, project: &Project, base: &Path) {
        let files: Vec<String> =
            project.materials.iter().map(|(file, directory)| quoted(&named(file, directory, project, base))).collect();
        match files.as_slice() {
            [] => {}
            [file] => self.line(&format!("materials: {file}\n")),
            files => self.line(&format!("materials: [ {} ]\n", files.join(", "))),
        }
    }

    fn body(
        &mut self,
        body: &ProjectBody,
        command: Option<&Command>,
        project: &Project,
        base: &Path,
        taken: &mut BTreeSet<String>,
        reporter: &Reporter,
    ) {
        self.line(&format!("  - name: {}", quoted(&unique(body, taken, reporter))));
        self.line(&format!("    file: {}", quoted(&named(&body.file, &body.directory, project, base))));
        if let Some(translation) = body.translation {
            self.line(&format!("    translation: {}", list(&translation)));
        }
        if let Some(rotation) = body.rotation.filter(|rotation| rotation[3] != 0.0) {
            self.line(&format!("    rotation: {}", list(&rotation)));
        }
        if let Some(fixed) = body.fixed {
            self.line(&format!("    fixed: {fixed}"));
        }
        if !body.collision {
            self.line("    collision: false");
        }
        if body.self_collision && body.collision {
            self.line("    self_collision: true");
        }
        if body.is_static() {
            self.line("    drive: static");
            return;
        }
        let is_prescribed = command.is_some_and(|command| matches!(command.law, Law::Prescribed));
        if let Some(displacements) = body.displacements.as_deref().filter(|_| !is_prescribed) {
            self.line(&format!("    joint_displacements: {}", list(displacements)));
        }
        let Some(command) = command else { return };
        let motion = quoted(&named(&command.motion.0, &command.motion.1, project, base));
        match &command.law {
            Law::Pd { kp, kd } => {
                self.line("    controller:\n      type: pd");
                self.line(&format!("      motion: {motion}"));
                self.line(&format!("      kp: {}", list(kp)));
                self.line(&format!("      kd: {kd}"));
            }
            Law::Prescribed => {
                self.line("    drive: { root: physics, joints: motion }");
                self.line(&format!("    motion: {motion}"));
            }
        }
    }

    fn record(&mut self, project: &Project, simulator: Option<&Simulator>) {
        let has_inner_free_joints = project
            .bodies
            .iter()
            .filter_map(|body| body.model.as_ref())
            .any(|model| model.links().iter().skip(1).any(|link| link.joint.kind == bunraku_body::JointKind::Free));
        let mut keys = Vec::new();
        if has_inner_free_joints || simulator.is_some_and(|simulator| simulator.all_links) {
            keys.push("links: all".to_owned());
        }
        if let Some(simulator) = simulator
            && simulator.recorded == Recorded::Tail
            && simulator.range == TimeRange::Unlimited
            && !simulator.ends_with_control
        {
            keys.push(format!("tail: {}", simulator.length));
        }
        keys.extend(sensors(project));
        if !keys.is_empty() {
            self.line(&format!("\nrecord: {{ {} }}", keys.join(", ")));
        }
    }
}

/// The key for the sensors that vision simulators record: those of their bodies.
fn sensors(project: &Project) -> Option<String> {
    let recording = &project.vision;
    if recording.iter().any(|vision| vision.bodies.is_empty()) {
        return Some("sensors: true".to_owned());
    }
    let named: BTreeSet<&str> = recording.iter().flat_map(|vision| &vision.bodies).map(String::as_str).collect();
    let known = project.bodies.iter().map(|body| body.name.as_str()).filter(|name| named.contains(name));
    let known: Vec<String> = known.collect::<BTreeSet<_>>().into_iter().map(quoted).collect();
    (!known.is_empty()).then(|| format!("sensors: [ {} ]", known.join(", ")))
}

/// The duration of the run, s; `None` if nothing specifies it.
fn duration(project: &Project, simulator: &Simulator, commands: &[Option<Command>], time_step: f64) -> Option<f64> {
    let end = match simulator.range {
        TimeRange::Unlimited => None,
        TimeRange::Specified(length) => Some(length),
        TimeRange::TimeBar => Some(project.time_bar.max_time),
    };
    if !simulator.ends_with_control {
        return end;
    }
    // The run ends after the step in which the last controller runs out of frames.
    let frames = commands.iter().flatten().map(|command| command.frames).max();
    let all_known =
        project.bodies.iter().zip(commands).all(|(body, command)| body.controllers.is_empty() || command.is_some());
    #[allow(clippy::cast_precision_loss)]
    let control = frames.filter(|_| all_known).map(|frames| round(frames as f64 * time_step));
    match (control, end) {
        (Some(control), Some(end)) => Some(control.min(end)),
        (control, end) => control.or(end),
    }
}

/// The value without the rounding error of a product in its last digits.
fn round(value: f64) -> f64 {
    (value * 1e9).round() / 1e9
}

fn rounded(vector: &nalgebra::Vector3<f64>) -> Vec<f64> {
    vector.iter().map(|value| (value * 1e4).round() / 1e4).collect()
}

/// A name that no other body has: recordings are named after bodies.
fn unique(body: &ProjectBody, taken: &mut BTreeSet<String>, reporter: &Reporter) -> String {
    let plain: String =
        body.name.chars().map(|letter| if matches!(letter, '/' | '\\') { '_' } else { letter }).collect();
    let plain = if plain.is_empty() { "Body".to_owned() } else { plain };
    let mut name = plain.clone();
    let mut number = 1;
    while !taken.insert(name.to_lowercase()) {
        number += 1;
        name = format!("{plain}-{number}");
    }
    if name != body.name {
        let message = format!("the body `{}` is called `{name}` in the scene: each needs a name of its own", body.name);
        let mut note = Diagnostic::note("renamed-body", message);
        note.place = Some(body.place.clone());
        reporter.report(note);
    }
    name
}

/// A path for the scene file: relative paths, and those in `${PROJECT_DIR}`, are relative to the project.
fn named(text: &str, directory: &Path, project: &Project, base: &Path) -> String {
    let in_project = text.strip_prefix("${PROJECT_DIR}").map(|rest| rest.trim_start_matches('/'));
    let is_fixed = text.starts_with("${") || text.contains("://") || Path::new(text).is_absolute();
    let (directory, rest) = match in_project {
        Some(rest) => (project.directory.as_path(), rest),
        None if is_fixed => return text.to_owned(),
        None => (directory, text),
    };
    if directory == base {
        return rest.to_owned();
    }
    relative_to(base, &directory.join(rest)).display().to_string()
}

/// Numbers in brackets; long lists take several lines.
fn list(numbers: &[f64]) -> String {
    const IN_A_LINE: usize = 10;
    let mut text = String::from("[ ");
    for (index, number) in numbers.iter().enumerate() {
        if index > 0 {
            text.push_str(if index % IN_A_LINE == 0 { ",\n        " } else { ", " });
        }
        // Writing to a string cannot fail.
        let _ = write!(text, "{number}");
    }
    text + " ]"
}
