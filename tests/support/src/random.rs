//! Pseudorandom numbers, the same in every run.

use std::ops::Range;

/// Steele, Lea and Flood's generator SplitMix64 ("Fast splittable pseudorandom number generators", 2014). It is
/// implemented here, in eight lines, because the numbers of a test must not change with a version of a crate.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator with this seed; the same seed gives the same numbers, and all seeds are equally good.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number less than `limit`; 0 if that is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.bits() % limit.max(1) as u64) as usize
    }

    /// True with a probability of one in `one_in`.
    pub fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    /// A number from 0, inclusive, to 1, exclusive.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number from -`size` to `size`.
    pub fn within(&mut self, size: f64) -> f64 {
        (2.0 * self.unit() - 1.0) * size
    }

    /// One of `choices`.
    ///
    /// # Panics
    /// If `choices` is empty.
    pub fn of<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }

    /// `count` random bytes.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.bits() as u8).collect()
    }

    /// A range of at most `longest` elements of a list with `length` elements; it may be empty.
    pub fn range(&mut self, length: usize, longest: usize) -> Range<usize> {
        let start = self.below(length + 1);
        start..(start + self.below(longest)).min(length)
    }

    /// A random direction.
    #[cfg(feature = "poses")]
    pub fn direction(&mut self) -> nalgebra::Unit<nalgebra::Vector3<f64>> {
        loop {
            let vector = nalgebra::Vector3::from_fn(|_, _| self.within(1.0));
            // Points in the whole cube would favour its corners.
            if vector.norm() > 0.1 && vector.norm() < 1.0 {
                return nalgebra::Unit::new_normalize(vector);
            }
        }
    }

    /// A random rotation, and an origin up to `farthest` m away along each axis.
    #[cfg(feature = "poses")]
    pub fn pose(&mut self, farthest: f64) -> nalgebra::Isometry3<f64> {
        let rotation = nalgebra::Quaternion::from_vector(nalgebra::Vector4::from_fn(|_, _| self.within(1.0)));
        let origin = nalgebra::Vector3::from_fn(|_, _| self.within(farthest));
        nalgebra::Isometry3::from_parts(origin.into(), nalgebra::UnitQuaternion::from_quaternion(rotation))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_match_the_paper() {
        // The first outputs of the reference implementation for this seed.
        let mut random = Random::new(1_234_567);
        assert_eq!(
            [random.bits(), random.bits(), random.bits()],
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn numbers_are_in_their_ranges() {
        let mut random = Random::new(7);
        for _ in 0..1000 {
            assert!(random.below(3) < 3 && random.below(0) == 0);
            assert!((0.0..1.0).contains(&random.unit()));
            assert!(random.within(2.0).abs() <= 2.0);
            let range = random.range(10, 4);
            assert!(range.start <= range.end && range.end <= 10 && range.len() < 4);
        }
    }
}
