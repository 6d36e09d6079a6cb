//! Each fuzz target on a fixed number of damaged files, the same in every run: no panic, no hang, no large memory.
// Tests panic and print on purpose when they cannot continue.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;

use bunraku_fuzzing::{TARGETS, Target, mutated, target};
use bunraku_test_support::Random;

/// Number of damaged files of each target; the variable `BUNRAKU_FUZZ_ROUNDS` sets another.
const ROUNDS: usize = 400;

fn rounds() -> usize {
    std::env::var("BUNRAKU_FUZZ_ROUNDS").map_or(ROUNDS, |rounds| rounds.parse().expect("a number"))
}

/// Runs a target; the bytes of a failure are kept for analysis.
fn check(target: &Target, bytes: &[u8], what: &str) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| (target.check)(bytes))) {
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("broken.{}", target.name));
        std::fs::write(&kept, bytes).unwrap();
        println!("{} of {what}: {} bytes, kept as {}", target.name, bytes.len(), kept.display());
        resume_unwind(panic);
    }
}

fn check_damaged(name: &str) {
    let target = target(name).expect("the name of a target");
    let seeds = target.seeds();
    assert!(!seeds.is_empty(), "{name} has no seeds");
    for (index, seed) in seeds.iter().enumerate() {
        check(target, seed, &format!("seed {index}"));
    }
    let mut random = Random::new(name.bytes().fold(1, |sum, byte| sum * 31 + u64::from(byte)));
    for round in 0..rounds() {
        let seed = &seeds[random.below(seeds.len())];
        let other = &seeds[random.below(seeds.len())];
        check(target, &mutated(seed, other, &mut random), &format!("round {round}"));
    }
}

macro_rules! targets {
    ($($name:ident),* $(,)?) => {
        $(
            #[test]
            fn $name() {
                check_damaged(stringify!($name));
            }
        )*

        #[test]
        fn each_target_is_tested() {
            let mut tested = vec![$(stringify!($name)),*];
            if !cfg!(feature = "scene") {
                tested.retain(|name| target(name).is_some());
            }
            assert_eq!(tested, TARGETS.iter().map(|target| target.name).collect::<Vec<_>>());
        }
    };
}

#[cfg(feature = "scene")]
targets!(
    body,
    cnoid,
    csv,
    dae,
    expression,
    glb,
    gltf,
    heightfield,
    mapping,
    materials,
    mcap,
    mjcf,
    mtl,
    obj,
    partial,
    pattern,
    picture,
    scene,
    seq,
    solver,
    stl,
    summary,
    task,
    urdf,
    vrml,
    xacro,
    yaml,
);
#[cfg(not(feature = "scene"))]
targets!(
    body, csv, dae, expression, glb, gltf, mapping, materials, mcap, mjcf, mtl, obj, partial, pattern, picture, seq,
    solver, stl, task, urdf, vrml, xacro, yaml,
);
