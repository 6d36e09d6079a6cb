//! The initial pose: one from which the arm picks the object of the patterns up and puts it down.

use std::sync::Arc;

use bunraku_body::{Body, JointIndex, LinkIndex};
use nalgebra::Isometry3;

use super::{HandDraft, RobotDraft};
use crate::designer::{GRASP, PICK, PLACE, Pattern, design};
use crate::execution::{Event, Limits, run};
use crate::inverse_kinematics::{Chain, Options, Solver, Starts};
use crate::model::{Frame, Task, ToolId};
use crate::robot::{Arrival, FingerJoint, Gripper, GripperLaw, KinematicRobot, RobotSetup, Tool};

/// Number of solutions that are tried.
const TRIES: u32 = 60;
/// Heights of the hand above the line from pick to place, m; the first that the arm reaches is taken. From the lower ones
/// fingers may touch an object on the way to it.
const HEIGHTS: [f64; 4] = [0.25, 0.2, 0.15, 0.1];

/// Finds the initial pose of a draft, with fingers open; adds a note if none is found.
pub(super) fn find(body: &Body, draft: &mut RobotDraft) {
    for hand in &draft.hands {
        for (joint, displacements) in &hand.fingers {
            #[expect(clippy::indexing_slicing, reason = "joints of a hand are those of its body")]
            let slot = &mut draft.initial[joint.0];
            *slot = displacements.last().copied().unwrap_or(0.0);
        }
    }
    body.follow_leaders(&mut draft.initial);
    let Some(setup) = setup(body, draft) else { return };
    let task = design(Pattern::PickPlace, "draft", "");
    let found = HEIGHTS.iter().find_map(|height| best(&task, setup.clone(), *height));
    let standing = || haste(&task, &setup).map(|haste| (setup.initial.clone(), haste));
    match found.or_else(standing) {
        Some((initial, haste)) => {
            draft.initial = initial.iter().map(|value| (value * 1e6).round() / 1e6).collect();
            if haste > 1.0 {
                draft.notes.push(format!(
                    "in pick-place a joint would move at {haste:.1} times its velocity range: give the moves of the task \
                     more time (`tm`)"
                ));
            }
        }
        None => draft.notes.push(format!(
            "no pose was found from which the arm moves the object of the patterns from {} to {}: place the robot or the \
             object elsewhere, and choose `initial` yourself",
            position(PICK),
            position(PLACE)
        )),
    }
}

/// Share of their velocity ranges up to which joints follow moves well.
const AT_EASE: f64 = 0.7;

/// The pose above the objects from which the task is done, and the largest share of its velocity range at which a joint
/// moves then. Of poses with joints at ease it is the nearest to the standard pose, else the one with the slowest joints.
fn best(task: &Task, mut setup: RobotSetup, height: f64) -> Option<(Vec<f64>, f64)> {
    let chain = setup.tools.first()?.1.chain.clone();
    let target = setup.root.inverse() * above_the_objects(height);
    let (mut starts, mut solver) = (Starts::new(&chain), Solver::new(chain.clone(), Options::continuous()));
    let standing = setup.initial.clone();
    let from = chain.gather(&standing);
    let mut solution = from.clone();
    let mut best: Option<(f64, f64, Vec<f64>)> = None;
    for _ in 0..TRIES {
        if solver.solve(&target, &mut solution).is_ok() {
            let turned: f64 = solution.iter().zip(&from).map(|(to, from)| (to - from).powi(2)).sum();
            setup.initial.clone_from(&standing);
            chain.scatter(&solution, &mut setup.initial);
            let may_be_better = best.as_ref().is_none_or(|(haste, least, _)| *haste > AT_EASE || turned < *least);
            if may_be_better && let Some(haste) = haste(task, &setup) {
                let is_better = best.as_ref().is_none_or(|(before, ..)| haste <= AT_EASE || haste < *before);
                if is_better {
                    best = Some((haste, turned, setup.initial.clone()));
                }
            }
        }
        starts.next(&mut solution);
    }
    best.map(|(haste, _, initial)| (initial, haste))
}

/// The robot as the mapping will describe it.
fn setup(body: &Body, draft: &RobotDraft) -> Option<RobotSetup> {
    let numbered = || (0..).map(ToolId).zip(&draft.hands);
    let tool = |(id, hand): (ToolId, &HandDraft)| {
        let chain = Chain::new(body, LinkIndex::ROOT, hand.link, &hand.tool).ok()?;
        Some((id, Tool { base: LinkIndex::ROOT, link: hand.link, offset: hand.tool, chain }))
    };
    let gripper = |(id, hand): (ToolId, &HandDraft)| {
        let joint = |(index, displacements): &(JointIndex, Vec<f64>)| FingerJoint {
            index: *index,
            law: GripperLaw::Table(hand.widths.iter().copied().zip(displacements.iter().copied()).collect()),
        };
        // Fingers that cannot open as wide as a pattern wants are no matter of the pose.
        (id, Gripper { widths: [0.0, f64::INFINITY], joints: hand.fingers.iter().map(joint).collect() })
    };
    Some(RobotSetup {
        body: Arc::new(body.clone()),
        root: draft.root,
        tools: numbered().map(tool).collect::<Option<_>>()?,
        grippers: numbered().map(gripper).collect(),
        initial: draft.initial.clone(),
        arrival: Arrival::default(),
        torso: None,
        head: None,
    })
}

/// The tool above the middle between the two places of the object.
fn above_the_objects(height: f64) -> Isometry3<f64> {
    let mut middle = PICK;
    middle.iter_mut().zip(PLACE).for_each(|(value, other)| *value = f64::midpoint(*value, other));
    middle[2] += height;
    Frame(middle).to_isometry() * GRASP.to_isometry()
}

/// The largest share of its velocity range at which a joint moves in a task; `None` if the robot does not do it, or only
/// with a warning, such as that of a joint that jumps.
fn haste(task: &Task, setup: &RobotSetup) -> Option<f64> {
    let mut robot = KinematicRobot::new(Arc::new(setup.clone()), task);
    let mut events = Vec::new();
    run(task.clone(), Limits::default(), &mut robot, &mut events).ok()?;
    let warned = events.iter().any(|event| matches!(event, Event::Warned { .. }));
    (!warned).then(|| robot.haste())
}

fn position([x, y, z, ..]: [f64; 6]) -> String {
    format!("({x}, {y}, {z}) m")
}
