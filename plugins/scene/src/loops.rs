//! Checks of the extra joints of a body before the run.

use bunraku_body::Body;
use bunraku_document::{Diagnostic, Reporter, Value};
use bunraku_physics::{JointSolver, LoopFinding, LoopTrouble, loop_findings, track_closures};

/// Reports loops that do not close, joints that do nothing and joints that hold less than they say, at the body's place in
/// the scene. With rapier's step the first and the last are among its limitations.
pub(super) fn report(
    place: Value<'_>,
    name: &str,
    (body, displacements): (&Body, &[f64]),
    solver: JointSolver,
    reporter: &Reporter,
) {
    for finding in loop_findings(body, displacements) {
        if solver == JointSolver::Impulse && finding.trouble != LoopTrouble::NothingMoves {
            continue;
        }
        if let Some(diagnostic) = diagnostic(place, name, body, &finding) {
            reporter.report(diagnostic);
        }
    }
}

/// An offset below this, m, is a rounding error of the model.
const SEEN: f64 = 1e-5;

fn diagnostic(place: Value<'_>, name: &str, body: &Body, finding: &LoopFinding) -> Option<Diagnostic> {
    let own = body.extra_joints.len();
    let joint = if let Some(extra) = body.extra_joints.get(finding.extra_joint) {
        let [first, second] = extra.links.map(|link| &body.link(link).name);
        let kind = extra.kind.as_str();
        format!("extra joint {} of `{name}` ({kind} between `{first}` and `{second}`)", finding.extra_joint + 1)
    } else {
        let closures = track_closures(body);
        let [last, first] = closures.get(finding.extra_joint.checked_sub(own)?)?.links;
        format!("the track of `{name}` from `{}` to `{}`", body.link(first).name, body.link(last).name)
    };
    Some(describe(place, &joint, finding.trouble))
}

/// The diagnostic for a problem of the extra joint called `joint`.
pub(super) fn describe(place: Value<'_>, joint: &str, trouble: LoopTrouble) -> Diagnostic {
    match trouble {
        LoopTrouble::NothingMoves => {
            let message = format!("{joint} has no effect: no joint lets these links move against each other");
            place.warning("idle-extra-joint", message)
        }
        LoopTrouble::Open { gap, angle } => {
            let mut open = Vec::new();
            if gap > SEEN {
                open.push(format!("{:.3} mm", gap * 1e3));
            }
            if angle > 1e-4 {
                open.push(format!("{:.2}°", angle.to_degrees()));
            }
            let message = format!("{joint} is open by {} at the start", open.join(" and "));
            let help = "it closes slowly while the run begins; poses and `joint_displacements` that close it let it start at rest";
            place.warning("open-loop", message).help(help)
        }
        LoopTrouble::HeldAlready { asked, left, offset } => {
            let held = if left == 0 { "all".to_owned() } else { format!("{} of the", asked - left) };
            let mut message =
                format!("the other joints already hold {held} {asked} directions that {joint} constrains");
            if offset > SEEN {
                message.push_str(&format!("; its ends stay {:.3} mm apart in them", offset * 1e3));
            }
            let help = match left {
                0 => "everything moves the same without it",
                _ => {
                    "usual where a loop moves in a plane; `joints: multibody` shares the load among redundant constraints"
                }
            };
            place.note("redundant-constraints", message).help(help)
        }
    }
}
