//! Controllers whose law is known.

use std::path::PathBuf;

use bunraku_document::{Diagnostic, Reporter};
use bunraku_motion::BodyMotion;

use super::body_item::{Controller, ProjectBody};
use super::project::Project;

/// What a controller does to its body.
pub(super) struct Command {
    pub(super) law: Law,
    /// The motion: as a scene names it, and the directory that is relative to.
    pub(super) motion: (String, PathBuf),
    /// Frames of the motion: each step takes one.
    pub(super) frames: usize,
}

/// How a motion is followed.
pub(super) enum Law {
    /// Efforts kp·Δq + kd·Δq̇.
    Pd { kp: Vec<f64>, kd: f64 },
    /// The displacements of the motion, with any effort: Choreonoid's high-gain mode.
    Prescribed,
}

/// The walking controller of Choreonoid's samples.
const SR1_WALK: &str = "SR1WalkPatternController";
/// Its proportional gains of legs and waist and of arms, N·m/rad.
const SR1_LEGS: f64 = 8000.0;
const SR1_ARMS: f64 = 3000.0;
/// Its derivative gain of all joints, N·m·s/rad.
const SR1_DAMPING: f64 = 100.0;
/// Joints of SR1, and the IDs of those of its arms.
const SR1_JOINTS: usize = 29;
const SR1_ARM_IDS: [std::ops::RangeInclusive<usize>; 2] = [6..=12, 19..=25];

/// What the controllers of a body come to; of those without a counterpart, a warning each. `options` are those of the
/// simulator, which stand before a controller's own.
pub(super) fn command(body: &ProjectBody, options: &str, project: &Project, reporter: &Reporter) -> Option<Command> {
    // That a model cannot be read is told, and says nothing of its controllers.
    body.model.as_ref()?;
    let mut found = None;
    for controller in &body.controllers {
        let report = |diagnostic: Diagnostic| {
            let mut diagnostic = diagnostic;
            diagnostic.place = Some(controller.place.clone());
            reporter.report(diagnostic);
        };
        let name = &controller.name;
        let command = match (controller.class.as_str(), controller.program.as_str()) {
            ("SimpleControllerItem", SR1_WALK) => sr1_walk(controller, body, options, project),
            ("BodyMotionControllerItem", _) => match &controller.motion {
                Some(file) => played(file, body, project),
                None => Err(format!("`{name}` has no motion to play: nothing moves the joints of `{}`", body.name)),
            },
            ("SimpleControllerItem", program) => Err(format!(
                "`{name}` is a program of Choreonoid's, `{program}`, and not run: nothing commands `{}`",
                body.name
            )),
            (class, _) => Err(format!("`{name}` ({class}) has no counterpart: it does nothing to `{}`", body.name)),
        };
        match command {
            Ok(command) if found.is_none() => found = Some(command),
            Ok(_) => report(Diagnostic::warning(
                "several-controllers",
                format!("`{name}` is another controller: the first is taken"),
            )),
            Err(message) => {
                let help = "`convert` the project to a scene, and give the body a `controller` there";
                report(Diagnostic::warning("no-counterpart", message).help(help));
            }
        }
    }
    found
}

fn sr1_walk(controller: &Controller, body: &ProjectBody, options: &str, project: &Project) -> Result<Command, String> {
    let joints = body.model.as_ref().map_or(0, |model| model.num_joints());
    if joints != SR1_JOINTS {
        return Err(format!(
            "`{}` walks robots with {SR1_JOINTS} joints, and `{}` has {joints}",
            controller.name, body.name
        ));
    }
    let options = format!("{options} {}", controller.options);
    let high_gain = options.split_whitespace().any(|option| option == "position" || option == "velocity");
    let pattern = if high_gain { "SR1WalkPattern2.seq" } else { "SR1WalkPattern1.seq" };
    // Installed there; in the sources it stands beside the project.
    let names = [format!("${{SHARE}}/motion/SR1/{pattern}"), pattern.to_owned()];
    let found = names.into_iter().find_map(|name| load(&name, body, project));
    let Some((motion, frames)) = found else {
        return Err(format!(
            "`{}` follows `{pattern}`, which is neither in ${{SHARE}}/motion/SR1 nor beside the project",
            controller.name
        ));
    };
    let is_arm = |joint: &usize| SR1_ARM_IDS.iter().any(|ids| ids.contains(joint));
    let gain = |joint: usize| if is_arm(&joint) { SR1_ARMS } else { SR1_LEGS };
    let law = match high_gain {
        true => Law::Prescribed,
        false => Law::Pd { kp: (0..joints).map(gain).collect(), kd: SR1_DAMPING },
    };
    Ok(Command { law, motion, frames })
}

fn played(file: &str, body: &ProjectBody, project: &Project) -> Result<Command, String> {
    match load(file, body, project) {
        Some((motion, frames)) => Ok(Command { law: Law::Prescribed, motion, frames }),
        None => Err(format!("the motion `{file}` of `{}` cannot be read", body.name)),
    }
}

/// A motion as it is named and its frames, if it can be read.
fn load(name: &str, body: &ProjectBody, project: &Project) -> Option<((String, PathBuf), usize)> {
    let path = project.load.roots.resolve(&body.directory, name).ok().filter(|path| path.is_file())?;
    let motion = BodyMotion::load(&path, &Reporter::new()).ok()?;
    Some(((name.to_owned(), body.directory.clone()), motion.num_frames()))
}
