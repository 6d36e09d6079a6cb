//! Features of a scene that rapier's step does not have, reported before the run.

use std::collections::BTreeSet;

use bunraku_body::{Actuation, ContactMaterials, JointActuation};
use bunraku_document::{Reporter, Value};
use bunraku_physics::{BodyUse, Limitation, RapierFinding, first_that_bounces, rapier_findings};

use super::model::{ControllerKind, SceneBody, SceneDrive};

/// Reports each limitation once, at the first body that meets it. `places` are those of the bodies.
pub(super) fn report(places: &[Value<'_>], bodies: &[SceneBody], materials: &ContactMaterials, reporter: &Reporter) {
    let found = find(bodies, materials);
    let mut reported = BTreeSet::new();
    for (index, RapierFinding { limitation, message }) in &found {
        let Some(place) = places.get(*index).filter(|_| reported.insert(*limitation)) else { continue };
        let others = found.iter().filter(|(_, other)| other.limitation == *limitation).count() - 1;
        let message = match others {
            0 => message.clone(),
            1 => format!("{message}; one more body has the same"),
            many => format!("{message}; {many} more bodies have the same"),
        };
        let code = limitation.code();
        let diagnostic = match limitation.is_refused() {
            true => place.error(code, message),
            false => place.warning(code, message),
        };
        reporter.report(diagnostic.help(limitation.help()));
    }
}

/// All limitations that bodies and extra joints meet.
pub(super) fn limitations(bodies: &[SceneBody], materials: &ContactMaterials) -> BTreeSet<Limitation> {
    let found = find(bodies, materials).into_iter().map(|(_, finding)| finding.limitation);
    // Limitations of extra joints between bodies have been reported at their locations.
    found.chain([Limitation::OpenLoop, Limitation::RedundantLoop]).collect()
}

/// Findings by index of the body.
fn find(bodies: &[SceneBody], materials: &ContactMaterials) -> Vec<(usize, RapierFinding)> {
    let mut found = Vec::new();
    for (index, body) in bodies.iter().enumerate() {
        let actuation = match (&body.drive, &body.controller) {
            (SceneDrive::PrescribedJoints(_), _) => {
                JointActuation::all(&body.body, Actuation::PrescribedDisplacement).0
            }
            (_, Some(controller)) => match &controller.kind {
                ControllerKind::Servo(actuation) | ControllerKind::Process { actuation, .. } => actuation.clone(),
                ControllerKind::Pd(_) => Vec::new(),
            },
            _ => Vec::new(),
        };
        let used = BodyUse {
            name: &body.name,
            body: &body.body,
            drive: body.drive.of_body(),
            displacements: &body.initial.displacements,
            actuation: &actuation,
            losses: body.losses.as_ref(),
            springs: body.springs.as_ref(),
            velocities: body.velocity_limits,
            limits: body.joint_limits,
        };
        found.extend(rapier_findings(&used).into_iter().map(|finding| (index, finding)));
    }
    let all: Vec<_> = bodies.iter().map(|body| (&*body.body, body.drive.of_body())).collect();
    if let Some((index, link)) = first_that_bounces(materials, &all)
        && let Some(SceneBody { name, .. }) = bodies.get(index)
    {
        let limitation = Limitation::Impact;
        let message = limitation.message(&format!("link `{link}` of `{name}`"));
        found.push((index, RapierFinding { limitation, message }));
    }
    found
}
