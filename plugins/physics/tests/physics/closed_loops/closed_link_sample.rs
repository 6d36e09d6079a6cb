//! Choreonoid's own closed loop, beside Choreonoid's recording of it.

use std::sync::Arc;

use bunraku_body::Drive;
use bunraku_document::Reporter;
use bunraku_motion::BodyMotion;
use bunraku_test_support::{golden, share_model};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use super::mechanism::errors;
use crate::common::{G, World};

/// The recording is Choreonoid's integration with a step of its own; both wander from the truth by about as much, rad.
const APART: f64 = 0.01;

/// Error of the multibody solver against its equations of motion solved with steps a tenth as long, rad. Choreonoid's recording is forty times farther from that.
const FROM_THE_TRUTH: f64 = 2e-4;

/// Its links lie side by side: the anchors of its hinge are 40 mm apart along the axis, where the mechanism cannot move.
#[test]
fn the_closed_link_sample_falls_as_in_choreonoid() {
    let (Some(body), Some(golden)) = (share_model("model/misc/ClosedLinkSample.body"), golden()) else { return };
    let body = Arc::new(body);
    let recording = golden.join("runs/ClosedLinkSample-ClosedLinkSample.seq");
    let motion = BodyMotion::load(&recording, &Reporter::new()).unwrap();
    let recorded = motion.joint_displacements.unwrap();
    let turn = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), -std::f64::consts::FRAC_PI_2);
    let root = Isometry3::from_parts(Translation3::new(0.0, 0.0, 0.15), turn);
    let fine = {
        let mut world = World::new(1e-4, Vector3::new(0.0, 0.0, -G), 1);
        let entity = world.add(&body, root, recorded.frame(0), Drive::Physics);
        let frames = (1..recorded.num_frames()).map(|_| {
            world.run(50);
            world.state(entity).displacements.clone()
        });
        frames.collect::<Vec<_>>()
    };
    let mut world = World::usual();
    let entity = world.add(&body, root, recorded.frame(0), Drive::Physics);
    let (mut apart, mut off, mut across) = (0.0_f64, 0.0_f64, (f64::MAX, 0.0_f64));
    for frame in 1..recorded.num_frames() {
        // 200 frames a second.
        world.run(5);
        let state = world.state(entity);
        for (joint, displacement) in recorded.frame(frame).iter().enumerate() {
            apart = apart.max((state.displacements[joint] - displacement).abs());
            off = off.max((state.displacements[joint] - fine[frame - 1][joint]).abs());
        }
        let gap = errors(&body, &state.link_poses).0;
        across = (across.0.min(gap), across.1.max(gap));
    }
    println!(
        "  joints {apart:.1e} rad from Choreonoid's, {off:.1e} rad from steps a tenth as long, anchors {:.6} to {:.6} m apart",
        across.0, across.1
    );
    assert!(apart < APART);
    assert!(off < FROM_THE_TRUTH, "{off} rad");
    assert!((across.0 - 0.04).abs() < 1e-4 && (across.1 - 0.04).abs() < 1e-4);
}
