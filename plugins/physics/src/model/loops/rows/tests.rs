//! Mechanisms of known mobility.

use bunraku_body::LoadOptions;
use bunraku_document::{Reporter, SourceFile};

use super::*;

/// A base and three bars that turn about Z: 0.1, 0.4 and 0.3 m long, one at the end of the other.
pub(in super::super) const FOUR_BAR: &str = "  - { name: BASE, joint_type: fixed }
  - { name: CRANK, parent: BASE, joint_type: revolute, joint_axis: Z, joint_id: 0 }
  - { name: COUPLER, parent: CRANK, translation: [ 0.1, 0, 0 ], joint_type: revolute, joint_axis: Z, joint_id: 1 }
  - { name: ROCKER, parent: COUPLER, translation: [ 0.4, 0, 0 ], joint_type: revolute, joint_axis: Z, joint_id: 2 }
";
/// Displacements that bring the end of the rocker near (0.4, 0, 0).
const NEARLY_CLOSED: [f64; 3] = [1.0, -0.35, -1.7];

/// A body of `links` and one extra joint.
pub(in super::super) fn body(links: &str, extra_joint: &str) -> Body {
    let text = format!(
        "format: ChoreonoidBody\nformat_version: 2.0\nname: Thing\nlinks:\n{links}extra_joints:\n  - {{ {extra_joint} }}\n"
    );
    let reporter = Reporter::strict();
    let body = bunraku_body::read(&SourceFile::from_text("thing.body", text), &LoadOptions::default(), &reporter);
    body.unwrap_or_else(|| panic!("{:?}", reporter.diagnostics()))
}

/// The number of directions that are left to the extra joint.
fn left(links: &str, extra_joint: &str, displacements: &[f64]) -> u32 {
    fits(&body(links, extra_joint), displacements)[0].left
}

fn onto_base(kind: &str) -> String {
    format!(
        "link1_name: BASE, link2_name: ROCKER, joint_type: {kind}, axis: [ 0, 0, 1 ], translation_in_link1: [ 0.4, 0, 0 ], \
         translation_in_link2: [ 0.3, 0, 0 ]"
    )
}

#[test]
fn a_planar_loop_is_held_in_its_plane() {
    // A welded rocker cannot turn either.
    for (kind, expected) in [("hinge", 2), ("ball", 2), ("fixed", 3)] {
        assert_eq!(left(FOUR_BAR, &onto_base(kind), &NEARLY_CLOSED), expected, "{kind}");
    }
}

#[test]
fn axes_that_are_written_with_four_digits_are_parallel() {
    let links = FOUR_BAR.replacen("joint_axis: Z", "joint_axis: [ 0.0003, -0.0002, 1 ]", 1);
    assert_eq!(left(&links, &onto_base("hinge"), &NEARLY_CLOSED), 2);
}

#[test]
fn the_size_of_a_mechanism_does_not_matter() {
    for size in [1e-3, 1e3] {
        let scaled = |text: &str| {
            text.replace("0.1, 0, 0", &format!("{}, 0, 0", 0.1 * size))
                .replace("0.4, 0, 0", &format!("{}, 0, 0", 0.4 * size))
                .replace("0.3, 0, 0", &format!("{}, 0, 0", 0.3 * size))
        };
        assert_eq!(left(&scaled(FOUR_BAR), &scaled(&onto_base("hinge")), &NEARLY_CLOSED), 2, "{size}");
    }
}

#[test]
fn a_parallelogram_is_judged_by_all_its_poses_and_not_by_the_singular_one() {
    let links = "  - { name: BASE, joint_type: fixed }
  - { name: CRANK, parent: BASE, joint_type: revolute, joint_axis: Z, joint_id: 0 }
  - { name: COUPLER, parent: CRANK, translation: [ 0.15, 0, 0 ], joint_type: revolute, joint_axis: Z, joint_id: 1 }
  - { name: ROCKER, parent: COUPLER, translation: [ 0.4, 0, 0 ], joint_type: revolute, joint_axis: Z, joint_id: 2 }
";
    let hinge = "link1_name: BASE, link2_name: ROCKER, joint_type: hinge, axis: [ 0, 0, 1 ], translation_in_link1: [ 0.4, 0, 0 ], \
                 translation_in_link2: [ 0.15, 0, 0 ]";
    for crank in [0.0, 1e-9, 1e-4, 1.0] {
        let start = [crank, -crank, crank + std::f64::consts::PI];
        assert_eq!(left(links, hinge, &start), 2, "{crank}");
    }
}

#[test]
fn the_block_of_a_slider_crank_is_held_across_its_line_and_against_turning() {
    let piston = "link1_name: BASE, link2_name: ROCKER, joint_type: piston, axis: [ 1, 0, 0 ]";
    assert_eq!(left(FOUR_BAR, piston, &[1.0, -1.2, 0.2]), 2);
    let line = piston.replace("piston", "point_on_line");
    assert_eq!(left(FOUR_BAR, &line, &[1.0, -1.2, 0.2]), 1);
    let plane = piston.replace("piston", "point_on_plane").replace("[ 1, 0, 0 ]", "[ 0, 1, 0 ]");
    assert_eq!(left(FOUR_BAR, &plane, &[1.0, -1.2, 0.2]), 1);
    let level = plane.replace("[ 0, 1, 0 ]", "[ 0, 0, 1 ]");
    assert_eq!(left(FOUR_BAR, &level, &[1.0, -1.2, 0.2]), 0);
}

#[test]
fn a_loop_in_space_needs_all_rows() {
    let mut links = "  - { name: L0, joint_type: fixed }\n".to_owned();
    let axes = [
        "[ 0.1, 0.2, 1 ]",
        "[ 0.2, 1, -0.3 ]",
        "[ -0.2, 0.9, 0.5 ]",
        "[ 1, 0.3, 0.4 ]",
        "[ 0.3, 1, 1 ]",
        "[ 1, 1, 0.1 ]",
        "[ 0, 0.2, 1 ]",
    ];
    for (joint, axis) in axes.iter().enumerate() {
        links += &format!(
            "  - {{ name: L{}, parent: L{joint}, translation: [ 0.3, 0, 0 ], joint_type: revolute, joint_axis: {axis}, joint_id: {joint} \
             }}\n",
            joint + 1
        );
    }
    for (kind, expected) in [("ball", 3), ("hinge", 5), ("piston", 4), ("fixed", 6)] {
        let joint = format!("link1_name: L0, link2_name: L7, joint_type: {kind}, translation_in_link1: [ 0.9, 0, 0 ]");
        assert_eq!(left(&links, &joint, &[0.3, 0.9, 0.4, 0.6, -0.9, 0.8, 0.2]), expected, "{kind}");
    }
}

#[test]
fn the_second_hinge_of_a_door_is_redundant() {
    let door = "  - { name: FRAME, joint_type: fixed }
  - { name: DOOR, parent: FRAME, joint_type: revolute, joint_axis: Z, joint_id: 0 }
";
    // A metre further up, and half a millimetre off the axis.
    let hinge = |off: f64| {
        format!(
            "link1_name: FRAME, link2_name: DOOR, joint_type: hinge, axis: [ 0, 0, 1 ], translation_in_link1: [ {off}, 0, 1 ], \
             translation_in_link2: [ {off}, 0, 1 ]"
        )
    };
    assert_eq!(left(door, &hinge(0.0), &[0.5]), 0);
    // Elsewhere it locks the door.
    assert_eq!(left(door, &hinge(0.5), &[0.0]), 1);
    // On a door on a compliant support, it constrains the support.
    let loose = door
        .replace("parent: FRAME, joint_type: revolute", "parent: SLIDE, joint_type: revolute")
        .replace("joint_id: 0", "joint_id: 1");
    let loose = loose.replace(
        "  - { name: DOOR",
        "  - { name: SLIDE, parent: FRAME, joint_type: prismatic, joint_axis: Z, joint_id: 0 }\n  - { name: DOOR",
    );
    assert_eq!(left(&loose, &hinge(0.0), &[0.0, 0.5]), 1);
}

#[test]
fn a_joint_to_a_free_link_constrains_all_its_directions() {
    let links = "  - { name: BASE, joint_type: fixed }\n  - { name: FLOATER, parent: BASE, joint_type: free, translation: [ 1, 0, 0 ] }\n";
    let joint = "link1_name: BASE, link2_name: FLOATER, joint_type: hinge, translation_in_link1: [ 1, 0, 0 ]";
    assert_eq!(left(links, joint, &[]), 5);
}

/// Two directions hold the loop in its plane, and one keeps the coupler from rolling; it is along another axis of the hinge in each
/// posture.
#[test]
fn a_coupler_that_may_roll_leaves_three_of_five_directions() {
    let links = FOUR_BAR
        .replace("  - { name: COUPLER, parent: CRANK, translation: [ 0.1, 0, 0 ]", "  - { name: ROLL, parent: CRANK, translation: [ 0.1, 0, 0 ], joint_type: revolute, joint_axis: X, joint_id: 3 }\n  - { name: COUPLER, parent: ROLL");
    assert_eq!(left(&links, &onto_base("hinge"), &[0.0, 1.0, -1.5, 0.0]), 3);
}

#[test]
fn a_body_that_cannot_move_needs_no_rows() {
    let links = "  - { name: A, joint_type: fixed }\n  - { name: B, parent: A, joint_type: fixed }\n";
    assert_eq!(left(links, "link1_name: A, link2_name: B, joint_type: ball", &[]), 0);
}

#[test]
fn displacements_that_are_nan_are_harmless() {
    for displacement in [f64::NAN, f64::INFINITY, 1e300, -1e300] {
        for kind in ["ball", "hinge", "fixed"] {
            let fit = fits(&body(FOUR_BAR, &onto_base(kind)), &[displacement, 0.0, displacement])[0];
            assert!(fit.left <= fit.asked, "{kind} at {displacement}: {fit:?}");
        }
    }
}

#[test]
fn thousands_of_loops_are_not_compared() {
    let mut links = "  - { name: L0, joint_type: fixed }\n".to_owned();
    for joint in 0..300 {
        links += &format!(
            "  - {{ name: L{}, parent: L{joint}, translation: [ 0.3, 0, 0 ], joint_type: revolute, joint_axis: Z, joint_id: {joint} }}\n",
            joint + 1
        );
    }
    let mut chain = body(&links, "link1_name: L0, link2_name: L300, joint_type: hinge, axis: [ 0, 0, 1 ]");
    chain.extra_joints = vec![chain.extra_joints[0]; 3000];
    assert!(fits(&chain, &vec![0.1; 300]).iter().all(|fit| fit.left == 5));
}
