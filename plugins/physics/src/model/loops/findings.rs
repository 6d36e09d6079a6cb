//! Findings about the loops of a body before it is simulated.

use bunraku_body::{Body, RigidParts};

use super::rows::{Fit, fits};
use super::tracks::with_tracks_closed;

/// A finding about an extra joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoopFinding {
    /// Index in the body's [`extra_joints`](Body::extra_joints); after them come the hinges of its tracks, see
    /// [`track_closures`](crate::track_closures).
    pub extra_joint: usize,
    /// The finding.
    pub trouble: LoopTrouble,
}

/// A problem of an extra joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LoopTrouble {
    /// The links cannot move against each other, so the joint does nothing.
    NothingMoves,
    /// The loop is not closed at the start; `joints: multibody` closes it slowly.
    Open {
        /// Distance of the anchors, m, in the directions that the joint holds and the mechanism can close.
        gap: f64,
        /// Angle between the axes, or of the frames for a fixed joint, rad.
        angle: f64,
    },
    /// The other joints of the mechanism hold some of the joint's directions already, so that it has fewer to hold.
    HeldAlready {
        /// Number of directions that the kind of joint constrains.
        asked: u32,
        /// Number of those that no other joint constrains.
        left: u32,
        /// Distance of the anchors in the other directions, m: links may lie side by side.
        offset: f64,
    },
}

/// Largest opening of a loop that is not reported, m.
const WIDEST_GAP: f64 = 1e-3;
/// The same for axes, rad: about half a degree, which moves the end of a link of 0.1 m by a millimetre.
const WIDEST_ANGLE: f64 = 1e-2;

/// Looks at the extra joints of a body that starts with these joint displacements (rad or m, joint order). In the order of
/// the joints; a joint between links that cannot move has no other finding.
pub fn loop_findings(body: &Body, displacements: &[f64]) -> Vec<LoopFinding> {
    let closed = with_tracks_closed(body);
    if closed.extra_joints.is_empty() {
        return Vec::new();
    }
    let own = body.extra_joints.len();
    let body = &*closed;
    let parts = RigidParts::of(body);
    let joints = body.extra_joints.iter().zip(fits(body, displacements)).enumerate();
    let findings = joints.flat_map(|(extra_joint, (extra, fit))| {
        let [first, second] = extra.links.map(|link| parts.links.get(link).map(|of_link| of_link.part));
        let troubles = if first == second { [Some(LoopTrouble::NothingMoves), None] } else { troubles(&fit) };
        // Every ring of hinges holds part of itself.
        let is_news =
            move |trouble: &LoopTrouble| extra_joint < own || !matches!(trouble, LoopTrouble::HeldAlready { .. });
        troubles.into_iter().flatten().filter(is_news).map(move |trouble| LoopFinding { extra_joint, trouble })
    });
    findings.collect()
}

/// Problems of a joint whose ends can move against each other.
pub(super) fn troubles(fit: &Fit) -> [Option<LoopTrouble>; 2] {
    let Fit { asked, left, open, offset } = *fit;
    let (gap, angle) = (open.fixed_rows::<3>(0).norm(), open.fixed_rows::<3>(3).norm());
    [
        (gap > WIDEST_GAP || angle > WIDEST_ANGLE).then_some(LoopTrouble::Open { gap, angle }),
        (left < asked).then_some(LoopTrouble::HeldAlready { asked, left, offset }),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::rows::tests::{FOUR_BAR, body};
    use super::*;

    #[test]
    fn a_closed_loop_has_nothing_but_directions_that_are_held_already() {
        // Crank up, coupler level, rocker down: a rectangle.
        let body = body(
            FOUR_BAR,
            "link1_name: BASE, link2_name: ROCKER, joint_type: ball, translation_in_link1: [ 0.4, 0, 0 ], \
            translation_in_link2: [ 0.1, 0, 0 ]",
        );
        let quarter = std::f64::consts::FRAC_PI_2;
        let findings = loop_findings(&body, &[quarter, -quarter, -quarter]);
        let [LoopFinding { trouble: LoopTrouble::HeldAlready { asked: 3, left: 2, offset }, .. }] = findings[..] else {
            panic!("{findings:?}")
        };
        assert!(offset < 1e-12, "{offset}");
    }

    #[test]
    fn an_open_loop_is_open_by_its_gap_and_angle() {
        let body = body(
            FOUR_BAR,
            "link1_name: BASE, link2_name: COUPLER, joint_type: fixed, translation_in_link1: [ 0.1, 0, 0.004 ]",
        );
        let findings = loop_findings(&body, &[0.1, 0.2, 0.0]);
        let Some(LoopFinding { trouble: LoopTrouble::Open { gap, angle }, .. }) = findings.first() else {
            panic!("{findings:?}")
        };
        // The anchor in the coupler is at the end of the crank, 0.1 m out; the 4 mm across the plane cannot be closed.
        let (x, y) = (0.1 * 0.1_f64.cos() - 0.1, 0.1 * 0.1_f64.sin());
        assert!((gap - x.hypot(y)).abs() < 1e-9, "{gap}");
        assert!((angle - 0.3).abs() < 1e-12, "{angle}");
    }

    #[test]
    fn links_side_by_side_are_no_open_loop() {
        let quarter = std::f64::consts::FRAC_PI_2;
        let body = body(
            FOUR_BAR,
            "link1_name: BASE, link2_name: ROCKER, joint_type: hinge, axis: [ 0, 0, 1 ], translation_in_link1: [ 0.4, 0, 0 ], \
             translation_in_link2: [ 0.1, 0, 0.04 ]",
        );
        let findings = loop_findings(&body, &[quarter, -quarter, -quarter]);
        let [LoopFinding { trouble: LoopTrouble::HeldAlready { asked: 5, left: 2, offset }, .. }] = findings[..] else {
            panic!("{findings:?}")
        };
        assert!((offset - 0.04).abs() < 1e-12, "{offset}");
    }

    #[test]
    fn a_joint_within_one_rigid_part_does_nothing() {
        let text = format!("{FOUR_BAR}  - {{ name: PLATE, parent: ROCKER, joint_type: fixed }}\n");
        let body =
            body(&text, "link1_name: PLATE, link2_name: ROCKER, joint_type: hinge, translation_in_link1: [ 1, 0, 0 ]");
        let findings = loop_findings(&body, &[0.0; 3]);
        assert_eq!(findings, [LoopFinding { extra_joint: 0, trouble: LoopTrouble::NothingMoves }]);
    }

    #[test]
    fn a_point_on_a_plane_is_open_across_the_plane_alone() {
        let body = body(
            FOUR_BAR,
            "link1_name: BASE, link2_name: COUPLER, joint_type: point_on_plane, axis: [ 0, 1, 0 ], \
            translation_in_link1: [ 5, 0.25, 5 ]",
        );
        let open = |displacements: &[f64]| match loop_findings(&body, displacements).first() {
            Some(LoopFinding { trouble: LoopTrouble::Open { gap, angle }, .. }) => (*gap, *angle),
            _ => (0.0, 0.0),
        };
        let (gap, angle) = open(&[0.0; 3]);
        assert!((gap - 0.25).abs() < 1e-12, "{gap}");
        assert_eq!(angle, 0.0);
    }
}
