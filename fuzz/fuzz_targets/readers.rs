//! Any bytes in the reader that the environment variable `BUNRAKU_FUZZ_TARGET` names.
#![no_main]

use std::sync::LazyLock;

use bunraku_fuzzing::{Target, mutated, target};
use bunraku_test_support::Random;
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var("BUNRAKU_FUZZ_TARGET").unwrap_or_default();
    target(&name).unwrap_or_else(|| panic!("BUNRAKU_FUZZ_TARGET names no target: `{name}`"))
});
static SEEDS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| TARGET.seeds());

fuzz_target!(|bytes: &[u8]| (TARGET.check)(bytes));

// Half of the mutations are libFuzzer's own; the others exchange words and numbers.
fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let mut random = Random::new(u64::from(seed));
    if random.chance(2) || SEEDS.is_empty() {
        return fuzzer_mutate(data, size, max_size);
    }
    let other = &SEEDS[random.below(SEEDS.len())];
    let mut new = mutated(&data[..size], other, &mut random);
    new.truncate(max_size);
    data[..new.len()].copy_from_slice(&new);
    new.len()
});
