//! Controllers whose control law is known.

use std::path::PathBuf;

use bunraku_document::{Diagnostic, Reporter};
use bunraku_motion::BodyMotion;

use super::body_item::{Controller, ProjectBody};
use super::project::Project;

/// The action of a controller on its body.
pub(super) struct Command {
    pub(super) law: Law,
    /// The motion: its name in the scene, and the directory that the name is relative to.
    pub(super) motion: (String, PathBuf),
    /// Number of frames of the motion; each step consumes one.
    pub(super) frames: usize,
}

/// How a motion is followed.
pub(super) enum Law {
    /// Efforts kp·Δq + kd·Δq̇.
    Pd { kp: Vec<f64>, kd: f64 },
    /// Joints take the displacements of the motion, with any effort: Choreonoid's high-gain mode.
    Prescribed,
}

/// The walking controller of Choreonoid's samples.
const SR1_WALK: &str = "SR1WalkPatternController";
/// Its proportional gains for legs and waist and for arms, N·m/rad.
const SR1_LEGS: f64 = 8000.0;
const SR1_ARMS: f64 = 3000.0;
/// Its derivative gain for all joints, N·m·s/rad.
const SR1_DAMPING: f64 = 100.0;
/// Number of joints of SR1, and the joint IDs of its arms.
const SR1_JOINTS: usize = 29;
const SR1_ARM_IDS: [std::ops::RangeInclusive<usize>; 2] = [6..=12, 19..=25];

/// The combined action of the controllers of a body, with a warning for each controller without a counterpart.
/// `options` are those of the simulator, which precede a controller's own.
pub(super) fn command(body: &ProjectBody, options: &str, project: &Project, reporter: &Reporter) -> Option<Command> {
    // An unreadable model is reported elsewhere, and provides no information about its controllers.
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
    // An installed Choreonoid has the file in its share directory; in the source tree it is beside the project.
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

/// The motion as named and its number of frames, if it can be read.
fn load(name: &str, body: &ProjectBody, project: &Project) -> Option<((String, PathBuf), usize)> {
    let path = project.load.roots.resolve(&body.directory, name).ok().filter(|path| path.is_file())?;
    let motion = BodyMotion::load(&path, &Reporter::new()).ok()?;
    Some(((name.to_owned(), body.directory.clone()), motion.num_frames()))
}
