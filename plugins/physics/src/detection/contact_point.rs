use nalgebra::Vector3;

/// A point in which two colliders touch.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactPoint {
    /// In the middle of the gap, m, world axes.
    pub position: Vector3<f64>,
    /// Distance of the surfaces along the normal, m; negative where they overlap.
    pub gap: f64,
    /// Identifiers of the features that meet: corners, edges, faces.
    pub features: [u32; 2],
    /// Relative weight within the contact patch: see [`Contact::share`](bunraku_multibody::Contact::share).
    pub share: f64,
}
