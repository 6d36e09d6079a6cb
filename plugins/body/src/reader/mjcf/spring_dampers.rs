//! `springdamper`: springs and damping of joints by their time constant and damping ratio.

use bunraku_document::Diagnostic;

use super::bodies::Tree;
use super::element::Element;
use super::findings::Findings;
use super::view::View;
use crate::Body;
use crate::dynamics::{Configuration, Coordinate, num_coordinates};

/// Most coordinates of a model whose mass matrix is inverted: it is dense.
const MOST_COORDINATES: usize = 1000;

/// Time constant, s, and damping ratio of a joint; nothing if both are 0.
pub(super) fn of_joint(view: &View<'_>) -> Option<[f64; 2]> {
    let [time_constant, damping_ratio] = view.array("springdamper")?;
    if [time_constant, damping_ratio] == [0.0; 2] {
        return None;
    }
    if !(time_constant > 0.0 && damping_ratio > 0.0) {
        let error = Diagnostic::error("out-of-range", "time constant and damping ratio must be positive, or both 0");
        view.report("springdamper", error.help("write for example `springdamper=\"0.1 1\"`"));
        return None;
    }
    Some([time_constant, damping_ratio])
}

/// Sets the stiffness and damping of joints with a time constant and a damping ratio. As in MuJoCo the inertia of a joint is the inverse of its
/// diagonal entry in the inverse mass matrix in the pose of the file.
pub(super) fn read(tree: &mut Tree<'_>, findings: &Findings<'_>) {
    let Some(first) = tree.order.iter().find(|(entry, _)| entry.spring_damper.is_some()) else { return };
    let first = first.0.element;
    let Some(inertias) = joint_inertias(&tree.body) else {
        ignore(first, "the model has several bodies that move freely, or joints that move nothing", findings);
        return;
    };
    for (entry, link) in &mut tree.order {
        let Some([time_constant, damping_ratio]) = entry.spring_damper else { continue };
        let Some(inertia) = tree.body.joint_of(*link).and_then(|joint| inertias.get(joint.0)) else { continue };
        let product = time_constant * damping_ratio;
        entry.spring[0] = inertia / (product * product);
        entry.damping = 2.0 * inertia / time_constant;
        let suggested = &mut tree.body.link_mut(*link).joint.suggested;
        (suggested.stiffness, suggested.damping) = (entry.spring[0], entry.damping);
    }
}

/// Warns of a `springdamper` that is ignored, at the first of them.
pub(super) fn ignore(element: &Element, reason: &str, findings: &Findings<'_>) {
    let warning = Diagnostic::warning("mjcf-unsupported", format!("`springdamper` is ignored: {reason}"));
    let help = "write the `stiffness` and `damping` that MuJoCo computes (`mujoco.mj_saveLastXML`)";
    findings.once_attribute("springdamper", element, "springdamper", warning.help(help));
}

/// The inertia of each joint, in joint order, kg·m² or kg; none if the mass matrix is singular, as that with a further free body:
/// the matrix has no inertia for its entry in the joint vector.
fn joint_inertias(body: &Body) -> Option<Vec<f64>> {
    if num_coordinates(body) > MOST_COORDINATES {
        return None;
    }
    let configuration = Configuration::new(body, &body.root().offset, &body.initial_displacements());
    let inverse = configuration.mass_matrix().cholesky()?.inverse();
    #[expect(clippy::indexing_slicing, reason = "the matrix has a row for each coordinate of the body")]
    let diagonal = |joint: usize| {
        let Coordinate(index) = Coordinate::of(body, crate::JointIndex(joint));
        1.0 / inverse[(index, index)]
    };
    let inertias: Vec<f64> = (0..body.num_joints()).map(diagonal).collect();
    inertias.iter().all(|inertia| inertia.is_finite()).then_some(inertias)
}
