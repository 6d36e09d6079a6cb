//! Arms and random reachable poses, for the tests and the bench.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::{Path, PathBuf};

use bunraku_body::{Body, LinkIndex, LoadOptions};
use bunraku_document::{Reporter, SearchRoots};
use bunraku_task::inverse_kinematics::{Chain, Options};
use nalgebra::Isometry3;

/// A directory of our own data.
pub fn assets(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets").join(path)
}

/// A model, ignoring parts that the file may lack, such as its meshes.
pub fn body(path: &Path) -> Body {
    let reporter = Reporter::new();
    let options = LoadOptions { roots: SearchRoots::default(), ..LoadOptions::default() };
    bunraku_body::load(path, &options, &reporter).unwrap_or_else(|| panic!("{:?}", reporter.into_diagnostics()))
}

/// Our arm, and those of the corpus if it is available.
pub fn all() -> Vec<(&'static str, Chain)> {
    let chain = |path: &Path, tool: &str| {
        let body = body(path);
        let tool = body.find_link(tool).unwrap();
        Chain::new(&body, LinkIndex::ROOT, tool, &Isometry3::identity()).unwrap()
    };
    let mut arms = vec![("ours", chain(&assets("models/arm.body"), "TOOL"))];
    if let Some(share) = bunraku_test_support::share() {
        let models = share.join("model");
        arms.push(("UR5", chain(&models.join("UniversalRobots/UR5.body"), "FLANGE")));
        arms.push(("PA10", chain(&models.join("PA10/PA10.body"), "J7")));
    }
    arms
}

/// Solver options of the tests and the bench.
pub fn options() -> Options {
    Options::default()
}

/// The middle of every range: a seed that is independent of the solution.
pub fn seed(chain: &Chain, displacements: &mut [f64]) {
    for (slot, joint) in displacements.iter_mut().zip(chain.joints()) {
        let middle = 0.5 * (joint.range.lower + joint.range.upper);
        *slot = if middle.is_finite() { middle } else { 0.0 };
    }
}

/// Poses of the tool at random displacements within the ranges.
pub fn poses(chain: &Chain, count: usize) -> Vec<Isometry3<f64>> {
    let mut random = bunraku_test_support::Random::new(1);
    let mut pose = || {
        let displacement = |joint: &bunraku_task::inverse_kinematics::ChainJoint| {
            let lower = joint.range.lower.max(-std::f64::consts::PI);
            let upper = joint.range.upper.min(std::f64::consts::PI);
            lower + random.unit() * (upper - lower)
        };
        chain.tool_pose(&chain.joints().iter().map(displacement).collect::<Vec<_>>())
    };
    (0..count).map(|_| pose()).collect()
}
