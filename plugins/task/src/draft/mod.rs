//! Drafts of mapping files: tools, grippers and the initial pose of a robot, found in its model.
//!
//! A hand is a link at the end of an arm that carries at least two fingers. From hand and fingers follow the direction in
//! which the hand grips, the distance between the fingers for each of their displacements, and the frame of the tool, as
//! the [patterns](crate::designer::Pattern) expect it. The initial pose is one from which the arm does pick-and-place.

mod grip;
mod hands;
mod initial;
mod text;

use bunraku_body::{Body, JointIndex, LinkIndex};
use nalgebra::Isometry3;

pub use text::{in_comment, mapping_text};

/// Draft of a mapping.
#[derive(Clone, Debug)]
pub struct RobotDraft {
    /// Whether the root stands still: it does in the model, it has no mass, or the body is nothing but an arm.
    pub is_fixed: bool,
    /// World pose of the root: on the table of the patterns if it stands still, else that of the model.
    pub root: Isometry3<f64>,
    /// Hands, the left one first.
    pub hands: Vec<HandDraft>,
    /// Initial displacements of all joints, rad or m.
    pub initial: Vec<f64>,
    /// Facts that its user must know, one sentence each.
    pub notes: Vec<String>,
}

/// An arm with its hand.
#[derive(Clone, Debug)]
pub struct HandDraft {
    /// Link of the hand.
    pub link: LinkIndex,
    /// Frame of the tool in the frame of the link.
    pub tool: Isometry3<f64>,
    /// Distances between the fingers, m, increasing.
    pub widths: Vec<f64>,
    /// Joints of the fingers with their displacement for each width, rad or m.
    pub fingers: Vec<(JointIndex, Vec<f64>)>,
}

impl HandDraft {
    /// Smallest and largest distance between the fingers, m.
    pub fn range(&self) -> [f64; 2] {
        let [first, last] = [self.widths.first(), self.widths.last()].map(|width| width.copied().unwrap_or(0.0));
        [first, last]
    }
}

/// Reason why there is no draft.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DraftError {
    /// No link looks like a hand.
    #[error("no link of `{0}` is a hand: at the end of an arm, with at least two fingers that joints with ranges move")]
    NoHand(String),
    /// The fingers of a hand do not move towards each other.
    #[error("the fingers of `{0}` do not open and close as their joints go from 0 to the far end of their ranges")]
    NoGrip(String),
}

/// Height of the table on which the patterns have their objects, m.
pub const TABLE_HEIGHT: f64 = 0.8;

/// Drafts the mapping of a robot.
///
/// # Errors
/// If no hand is found whose fingers open and close.
pub fn draft(body: &Body) -> Result<RobotDraft, DraftError> {
    let mut found = hands::find(body);
    if found.is_empty() {
        return Err(DraftError::NoHand(body.name.clone()));
    }
    let is_fixed = body.is_fixed() || body.root().mass.mass == 0.0 || is_an_arm(body, &found);
    let mut root = body.root().offset;
    if is_fixed {
        root.translation.vector.z = TABLE_HEIGHT;
    }
    let standing = body.standard_displacements();
    let poses = bunraku_body::kinematics::link_poses(body, &root, &standing);
    // The left hand, at +Y, is number 0.
    #[expect(clippy::indexing_slicing, reason = "the link of a hand is one of its body")]
    let left = |hand: &hands::Hand| poses[hand.link.0].translation.y;
    found.sort_by(|a, b| left(b).total_cmp(&left(a)));
    let hands = found.iter().map(|hand| grip::hand(body, hand)).collect::<Result<Vec<_>, _>>()?;
    let mut draft = RobotDraft { is_fixed, root, hands, initial: standing, notes: Vec::new() };
    initial::find(body, &mut draft);
    Ok(draft)
}

/// Whether all joints are those of one arm and its fingers.
fn is_an_arm(body: &Body, hands: &[hands::Hand]) -> bool {
    let [hand] = hands else { return false };
    let of_arm = std::iter::successors(Some(hand.link), |link| body.link(*link).parent);
    let is_moved = |link: &LinkIndex| body.joint_of(*link).is_some();
    let count = of_arm.chain(hand.fingers.iter().flatten().copied()).filter(is_moved).count();
    count == body.num_joints()
}
