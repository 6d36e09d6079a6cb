//! Seeded errors of sensors.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rand_distr::{Distribution, StandardNormal};

/// Random numbers for the errors of one sample.
///
/// Each sample of a sensor has a separate stream, so its errors depend only on the seed and the number of the sample. A
/// run that continues from a snapshot repeats the same errors, on any machine.
#[derive(Clone, Debug)]
pub struct Random(ChaCha8Rng);

impl Random {
    /// Random numbers of sample `sample` of a sensor with this seed.
    pub fn of_sample(seed: u64, sample: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(sample);
        Self(random)
    }

    /// A normally distributed number with mean 0 and standard deviation 1.
    pub fn normal(&mut self) -> f64 {
        StandardNormal.sample(&mut self.0)
    }

    /// A uniformly distributed number from 0 to 1, 1 excluded.
    pub fn uniform(&mut self) -> f64 {
        /// Spacing of doubles between ½ and 1.
        const STEP: f64 = 1.0 / (1_u64 << 53) as f64;
        (self.0.next_u64() >> 11) as f64 * STEP
    }
}

/// Seed of a sensor, computed from the scene's seed and the sensor's name, so that sensors have independent errors
/// (FNV-1a, a published hash that is the same on every machine).
pub fn seed_of(scene_seed: u64, body: &str, device: &str) -> u64 {
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    let bytes = scene_seed.to_le_bytes().into_iter().chain(body.bytes()).chain([0]).chain(device.bytes());
    bytes.fold(BASIS, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}
