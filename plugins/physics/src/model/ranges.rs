//! Numbers that the engine cannot calculate with.

use bunraku_body::{Body, BodyState, Geometry, LinkIndex, Shape};
use bunraku_mesh::Primitive;
use nalgebra::{Isometry3, SymmetricEigen, Vector3};

use crate::model::rigid_parts::RigidParts;

/// Coordinates and sizes beyond this, m, do not go into rapier's world. It calculates in f32, and its collision detection with
/// products of four lengths, which overflow at 4·10⁹ m; what comes of that are panics and states that are not numbers.
pub const FARTHEST: f64 = 1e9;
/// Masses of what moves by forces, kg. Rapier takes a mass below 10⁻²⁰, and one whose inverse is below that, for one that nothing
/// moves, gravity included; a margin is left for products of masses and lengths.
pub const MASSES: [f64; 2] = [1e-12, 1e15];
/// The same of principal moments of inertia, kg·m². Zero is that of a point, which does not turn.
pub const MOMENTS: [f64; 2] = [1e-18, 1e18];
/// Gains of controllers beyond this, N·m/rad and N·m·s/rad, N/m and N·s/m, have no effect that can be calculated: in a step of 1 ms
/// they stand for 10⁹ kg·m² and more, beside which the moments of a robot's links, 10⁻⁶ kg·m² and more, are lost in the 16 digits of an f64.
pub const LARGEST_GAIN: f64 = 1e15;

/// How far below zero a principal moment may be, relative to the largest: files give some six digits.
const MOMENT_TOLERANCE: f64 = 1e-5;

/// A number of a body that the engine cannot calculate with.
#[derive(Clone, Debug, PartialEq)]
pub struct RangeFinding {
    /// The link it belongs to.
    pub link: LinkIndex,
    /// A short word for it, as diagnostics have.
    pub code: &'static str,
    /// What is wrong, to be read after the link's name.
    pub what: String,
}

/// What of a body that starts like this is out of the ranges above: masses and moments only where it `moves_by_forces`.
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

/// The largest coordinate of a pose, m, if the engine cannot calculate with it.
pub fn too_far(pose: &Isometry3<f64>) -> Option<f64> {
    let coordinate = pose.translation.vector.amax();
    (!within(coordinate)).then_some(coordinate)
}

fn within(length: f64) -> bool {
    length <= FARTHEST
}

/// No point of a shape is farther than this from the frame that holds it, m. Nothing is tessellated for it.
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
        // Without a mass at all it has a finding of its own.
        if mass > 0.0 && !(lightest..=heaviest).contains(&mass) {
            report(
                "mass-range",
                format!("weighs {mass:e} kg; masses from {lightest:e} to {heaviest:e} kg can be simulated"),
            );
        }
        let inertia = (part.mass.inertia + part.mass.inertia.transpose()) / 2.0;
        if !inertia.iter().all(|value| value.is_finite()) {
            report("inertia-range", "has an inertia that is not a number".to_owned());
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
