//! Values beyond the numerical range of the engine.

use bunraku_body::{Body, BodyState, Geometry, LinkIndex, RigidPartIndex, RigidParts, Shape};
use bunraku_mesh::Primitive;
use nalgebra::{Isometry3, SymmetricEigen, Vector3};

use crate::model::joint_solver::JointSolver;

/// Largest coordinate and size, m. Rapier's collision detection multiplies four lengths in f32, which overflows at 4·10⁹ m and ends in
/// panics and NaN states.
pub const FARTHEST: f64 = 1e9;
/// Range of masses of dynamic parts, kg. To rapier a mass below 10⁻²⁰, or whose inverse is, is immovable; the margin is for products of
/// masses and lengths.
pub const MASSES: [f64; 2] = [1e-12, 1e15];
/// Range of principal moments of inertia, kg·m². Zero is a point mass, which does not turn.
pub const MOMENTS: [f64; 2] = [1e-18, 1e18];
/// Largest gain of controllers, N·m/rad, N·m·s/rad, N/m or N·s/m. In a step of 1 ms it acts like 10⁹ kg·m², beside which moments of links
/// of 10⁻⁶ kg·m² are lost in the 16 digits of an f64.
pub const LARGEST_GAIN: f64 = 1e15;

/// Tolerance of negative principal moments, relative to the largest: files have about six digits.
const MOMENT_TOLERANCE: f64 = 1e-5;

/// A value of a body beyond the numerical range of the engine.
#[derive(Clone, Debug, PartialEq)]
pub struct RangeFinding {
    /// The link.
    pub link: LinkIndex,
    /// Code of the diagnostic.
    pub code: &'static str,
    /// Description that continues the link's name.
    pub what: String,
}

/// Values of a body in an initial state that are beyond these ranges; masses and moments only if the body is dynamic (`moves_by_forces`).
pub fn range_findings(body: &Body, state: &BodyState, moves_by_forces: bool) -> Vec<RangeFinding> {
    let mut findings = Vec::new();
    if moves_by_forces {
        check_masses(body, &mut findings);
    }
    for ((link, model), pose) in body.indexed_links().zip(&state.link_poses) {
        if let Some(coordinate) = too_far(pose) {
            let what =
                format!("starts at a coordinate of {coordinate:e} m, beyond the {FARTHEST:e} m that can be simulated");
            findings.push(RangeFinding { link, code: "too-far", what });
        }
        let farthest = model.collision.iter().map(reach).find(|reach| !within(*reach));
        if let Some(size) = farthest {
            let what = format!(
                "has a collision shape that may reach {size:.1e} m, beyond the {FARTHEST:e} m that can be simulated"
            );
            findings.push(RangeFinding { link, code: "too-large", what });
        }
    }
    findings
}

/// Dynamic links that forces cannot move because they have no mass. With `joints: multibody` a link is moved by the masses of the links
/// below it; with `joints: impulse` each link needs its own.
pub fn massless_links(body: &Body, solver: JointSolver) -> Vec<LinkIndex> {
    let all = RigidParts::of(body);
    let skipped = usize::from(body.is_fixed());
    let parts: Vec<RigidPartIndex> = match solver {
        JointSolver::Impulse => all.parts.keys().filter(|part| all.parts[*part].mass.mass <= 0.0).collect(),
        JointSolver::Multibody => all.without_mass().collect(),
    };
    parts.into_iter().filter(|part| part.0 >= skipped).map(|part| all.parts[part].carrier).collect()
}

/// The largest coordinate of a pose, m, if it is beyond [`FARTHEST`].
pub fn too_far(pose: &Isometry3<f64>) -> Option<f64> {
    let coordinate = pose.translation.vector.amax();
    (!within(coordinate)).then_some(coordinate)
}

fn within(length: f64) -> bool {
    length <= FARTHEST
}

/// Upper bound of the distance of a shape's points from its frame, m, without tessellation.
fn reach(shape: &Shape) -> f64 {
    let own = match &shape.geometry {
        Geometry::Primitive { primitive, .. } => match *primitive {
            Primitive::Box { size } => size.norm() / 2.0,
            Primitive::Sphere { radius } => radius,
            Primitive::Cylinder { radius, height, .. }
            | Primitive::Cone { radius, height, .. }
            | Primitive::Capsule { radius, height } => radius + height,
        },
        Geometry::Mesh(mesh) => {
            let farther = |most: f64, length: f64| if length > most || length.is_nan() { length } else { most };
            mesh.vertices.iter().map(|vertex| vertex.cast::<f64>().coords.norm()).fold(0.0, farther)
        }
    };
    let matrix = shape.transform.matrix();
    matrix.fixed_view::<3, 3>(0, 0).norm() * own + matrix.fixed_view::<3, 1>(0, 3).norm()
}

fn check_masses(body: &Body, findings: &mut Vec<RangeFinding>) {
    let skipped = usize::from(body.is_fixed());
    for part in RigidParts::of(body).parts.iter().skip(skipped) {
        let link = part.carrier;
        let mut report = |code, what| findings.push(RangeFinding { link, code, what });
        let mass = part.mass.mass;
        let [lightest, heaviest] = MASSES;
        // A mass of zero is a separate finding.
        if mass > 0.0 && !(lightest..=heaviest).contains(&mass) {
            report(
                "mass-range",
                format!("weighs {mass:e} kg; masses from {lightest:e} to {heaviest:e} kg can be simulated"),
            );
        }
        let inertia = (part.mass.inertia + part.mass.inertia.transpose()) / 2.0;
        if !inertia.iter().all(|value| value.is_finite()) {
            report("inertia-range", "has an inertia that is NaN or infinite".to_owned());
            continue;
        }
        let moments: Vector3<f64> = SymmetricEigen::new(inertia).eigenvalues;
        let (least, most) = (moments.min(), moments.max());
        let [smallest, greatest] = MOMENTS;
        if least < -MOMENT_TOLERANCE * moments.amax() {
            let what =
                format!("has a negative principal moment of inertia, {least:.3e} kg·m²: nothing turns like that");
            report("inertia-not-positive", what);
        } else if most > greatest || (most > 0.0 && most < smallest) {
            let what = format!(
                "has a principal moment of inertia of {most:e} kg·m²; moments from {smallest:e} to {greatest:e} kg·m² can be simulated"
            );
            report("inertia-range", what);
        }
    }
}
