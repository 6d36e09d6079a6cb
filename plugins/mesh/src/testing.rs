//! Helpers shared by tests of several files.

use crate::TriangleMesh;

/// Volume by the divergence theorem, m³: positive only if the triangles face outwards.
pub fn volume(mesh: &TriangleMesh) -> f64 {
    let corner = |index: u32| mesh.vertices[index as usize].coords.cast::<f64>();
    mesh.triangles.iter().map(|&[a, b, c]| corner(a).dot(&corner(b).cross(&corner(c))) / 6.0).sum()
}

/// Random numbers in the types of meshes.
pub struct Random(bunraku_test_support::Random);

impl Random {
    /// A generator that gives the same numbers for the same seed.
    pub fn new(seed: u64) -> Self {
        Self(bunraku_test_support::Random::new(seed))
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u32) -> u32 {
        self.0.below(limit as usize) as u32
    }

    /// A number from 0 to 1.
    pub fn unit(&mut self) -> f64 {
        self.0.unit()
    }

    /// A number that is likely to cause errors.
    pub fn odd(&mut self) -> f64 {
        match self.below(40) {
            0 => f64::NAN,
            1 => f64::INFINITY,
            2 => 1e300,
            3 => -1e38,
            4 => 1e-300,
            5 => 1e-40,
            6..20 => f64::from(self.below(3)),
            _ => self.unit() * 2.0 - 1.0,
        }
    }
}
