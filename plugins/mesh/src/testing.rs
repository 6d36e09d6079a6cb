//! What the tests of several files need.

use crate::TriangleMesh;

/// Volume by the divergence theorem, m³: positive only if the triangles face outwards.
pub fn volume(mesh: &TriangleMesh) -> f64 {
    let corner = |index: u32| mesh.vertices[index as usize].coords.cast::<f64>();
    mesh.triangles.iter().map(|&[a, b, c]| corner(a).dot(&corner(b).cross(&corner(c))) / 6.0).sum()
}

/// A small generator (SplitMix64).
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Less than `limit`.
    pub fn below(&mut self, limit: u32) -> u32 {
        (self.next() % u64::from(limit)) as u32
    }

    /// From 0 to 1.
    pub fn unit(&mut self) -> f64 {
        f64::from(self.below(1 << 30)) / f64::from(1 << 30)
    }

    /// A number likely to make trouble.
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
