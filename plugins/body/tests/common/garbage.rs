//! Bytes that mean nothing, the same in every run.

#![allow(dead_code)] // Each test file uses its part.

/// A linear congruential generator with Knuth's constants for MMIX; numbers of 31 bits.
pub fn random() -> impl FnMut() -> u64 {
    let mut state = 1_u64;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    }
}

/// So many bytes.
pub fn bytes(count: usize) -> Vec<u8> {
    let mut random = random();
    // The highest bits are the most random ones.
    (0..count).map(|_| (random() >> 23) as u8).collect()
}
