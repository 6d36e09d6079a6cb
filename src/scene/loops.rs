//! What can be said about the extra joints of a body before it runs.

use bunraku_body::Body;
use bunraku_document::{Diagnostic, Reporter, Value};
use bunraku_physics::{LoopFinding, LoopTrouble, loop_findings};

/// Reports loops that do not close, joints that do nothing and joints that hold less than they say, at the body's place in
/// the scene.
pub(super) fn report(place: Value<'_>, name: &str, body: &Body, displacements: &[f64], reporter: &Reporter) {
    for finding in loop_findings(body, displacements) {
        if let Some(diagnostic) = diagnostic(place, name, body, &finding) {
            reporter.report(diagnostic);
        }
    }
}

fn diagnostic(place: Value<'_>, name: &str, body: &Body, finding: &LoopFinding) -> Option<Diagnostic> {
    let extra = body.extra_joints.get(finding.extra_joint)?;
    let [first, second] = extra.links.map(|link| &body.link(link).name);
    let kind = extra.kind.as_str();
    let joint =
        format!("extra joint {} of `{name}` ({kind} between `{first}` and `{second}`)", finding.extra_joint + 1);
    Some(match finding.trouble {
        LoopTrouble::NothingMoves => {
            let message = format!("{joint} has no effect: no joint lets these links move against each other");
            place.warning("idle-extra-joint", message)
        }
        LoopTrouble::Open { gap, angle } => {
            let mut open = Vec::new();
            if gap > 0.0 {
                open.push(format!("{:.3} mm", gap * 1e3));
            }
            if angle > 0.0 {
                open.push(format!("{:.2}°", angle.to_degrees()));
            }
            let message = format!("{joint} is open by {} at the start", open.join(" and "));
            let help = "it closes with a jerk; `joint_displacements` that close it let the body start at rest";
            place.warning("open-loop", message).help(help)
        }
        LoopTrouble::HeldAlready { asked, left: 0 } => {
            let message = format!("the other joints already hold all {asked} directions that {joint} constrains");
            place.note("redundant-constraints", message).help("the body moves the same without it")
        }
        LoopTrouble::HeldAlready { asked, left } => {
            let message = format!(
                "the other joints already hold {} of the {asked} directions that {joint} constrains",
                asked - left
            );
            let help =
                "usual where a loop moves in a plane; `joints: multibody` leaves these redundant constraints out";
            place.note("redundant-constraints", message).help(help)
        }
    })
}
