//! Volumes and inertias of meshes, in the ways that MuJoCo offers.

use bunraku_document::Diagnostic;
use nalgebra::{Matrix3, Point3, Vector3};

use super::view::View;

/// How the mass of a mesh is spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MeshInertia {
    /// Over the volume that the triangles enclose.
    Exact,
    /// Over pyramids on all triangles, whichever way they face: holes are filled twice.
    Legacy,
    /// Over the volume of the convex hull.
    Convex,
    /// Over the surface.
    Shell,
}

impl MeshInertia {
    /// Attribute of a mesh; older versions of MuJoCo had no other than the default.
    pub(super) fn read(view: &View<'_>) -> Self {
        match view.text("inertia") {
            None | Some("legacy") => Self::Legacy,
            Some("exact") => Self::Exact,
            Some("convex") => Self::Convex,
            Some("shell") => Self::Shell,
            Some(other) => {
                let error =
                    Diagnostic::error("expected", format!("`{}` is no `inertia`", super::findings::short(other)));
                view.report("inertia", error.help("write one of convex, exact, legacy, shell"));
                Self::Legacy
            }
        }
    }
}

/// Volume, m³ (or area, m²), centre, and inertia about it for a density of 1.
pub(super) struct MeshMass {
    pub(super) volume: f64,
    pub(super) center: Point3<f64>,
    pub(super) inertia: Matrix3<f64>,
}

/// Twice the vector area of a triangle.
fn normal([a, b, c]: &[Point3<f64>; 3]) -> Vector3<f64> {
    (b - a).cross(&(c - a))
}

fn middle([a, b, c]: &[Point3<f64>; 3]) -> Vector3<f64> {
    (a.coords + b.coords + c.coords) / 3.0
}

/// Mass of triangles, counter-clockwise from outside. `None` if they enclose nothing.
pub(super) fn of_triangles(triangles: &[[Point3<f64>; 3]], mode: MeshInertia) -> Option<MeshMass> {
    let area: f64 = triangles.iter().map(|triangle| 0.5 * normal(triangle).norm()).sum();
    let weighted: Vector3<f64> =
        triangles.iter().map(|triangle| middle(triangle) * (0.5 * normal(triangle).norm())).sum();
    if !(area > 0.0 && area.is_finite()) {
        return None;
    }
    let face_center = weighted / area;
    // Volume of the pyramid on a triangle with its tip at a point; of a shell the area.
    let size = |triangle: &[Point3<f64>; 3], tip: &Vector3<f64>| {
        let signed = (middle(triangle) - tip).dot(&normal(triangle)) / 6.0;
        match mode {
            MeshInertia::Shell => 0.5 * normal(triangle).norm(),
            MeshInertia::Legacy => signed.abs(),
            MeshInertia::Exact | MeshInertia::Convex => signed,
        }
    };
    let is_shell = mode == MeshInertia::Shell;
    let mut volume = 0.0;
    let mut moment = Vector3::zeros();
    for triangle in triangles {
        let own = size(triangle, &face_center);
        volume += own;
        let center = middle(triangle);
        moment += own * if is_shell { center } else { center * 0.75 + face_center * 0.25 };
    }
    if !(volume > 0.0 && volume.is_finite()) {
        return None;
    }
    let center = moment / volume;
    let mut second = Matrix3::zeros();
    // Pyramids that are all filled have another volume from here: this one counts.
    let mut volume = 0.0;
    for triangle in triangles {
        let own = size(triangle, &center);
        volume += own;
        let corners = triangle.map(|corner| corner.coords - center);
        let sum: Vector3<f64> = corners.iter().sum();
        let squares: Matrix3<f64> = corners.iter().map(|corner| corner * corner.transpose()).sum();
        let divisor = if is_shell { 12.0 } else { 20.0 };
        second += (squares + sum * sum.transpose()) * (own / divisor);
    }
    let inertia = Matrix3::identity() * second.trace() - second;
    Some(MeshMass { volume, center: Point3::from(center), inertia })
}
