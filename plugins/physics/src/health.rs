//! Whether a simulated body still makes sense.

use bevy_rapier3d::rapier::dynamics::RigidBodySet;
use bunraku_body::{Body, LinkIndex};

use crate::SimulatedBody;
use crate::convert::from_vec3;

/// Links faster than this, m/s, have left mechanics: nothing a robot does comes near the speed of sound.
const FASTEST: f64 = 1e3;
/// Links turning by more than this in one step, rad, are not being simulated any more, only sampled.
const LARGEST_TURN: f64 = std::f64::consts::PI;
/// Joints pulled apart by more than this, m, are not joints any more. A sound solver keeps them within 1 mm.
const WIDEST_GAP: f64 = 0.1;

/// What is wrong with a body after a step: which joint or link, and how. `None` if nothing is.
pub(crate) fn trouble(body: &Body, simulated: &SimulatedBody, set: &RigidBodySet, time_step: f64) -> Option<String> {
    for (index, link) in body.indexed_links() {
        let (handle, _) = simulated.rigid_body(index);
        let part = set.get(handle)?;
        let who = name_of(body, index);
        let (linear, angular) = (from_vec3(part.linvel()), from_vec3(part.angvel()));
        let position = part.position();
        let finite = position.translation.is_finite() && position.rotation.is_finite();
        if !finite || !part.is_enabled() || !linear.iter().chain(angular.iter()).all(|value| value.is_finite()) {
            return Some(format!("the simulation diverged: the state of {who} is not a number any more"));
        }
        let speed = linear.norm();
        if speed > FASTEST {
            return Some(format!("the simulation diverged: {who} moves at {speed:.0} m/s"));
        }
        let turn = angular.norm();
        if turn * time_step > LARGEST_TURN {
            return Some(format!(
                "the simulation diverged: {who} turns at {turn:.0} rad/s, more than half a turn in a time step"
            ));
        }
        if let Some(parent) = link.parent
            && link.joint.kind.has_displacement()
        {
            let gap = gap(body, simulated, set, index, parent)?;
            if gap > WIDEST_GAP {
                return Some(format!("the simulation diverged: {who} is torn off its parent by {:.0} mm", gap * 1e3));
            }
        }
    }
    None
}

/// Distance of the joint's two anchor points, across the axis for a prismatic joint.
fn gap(body: &Body, simulated: &SimulatedBody, set: &RigidBodySet, link: LinkIndex, parent: LinkIndex) -> Option<f64> {
    let pose = |link| {
        let (handle, place) = simulated.rigid_body(link);
        Some(crate::convert::from_pose(set.get(handle)?.position()) * place)
    };
    let joint = &body.link(link).joint;
    let motion = (pose(parent)? * body.link(link).offset).inverse() * pose(link)?;
    let apart = motion.translation.vector;
    Some(match (joint.kind, joint.axis.try_normalize(0.0)) {
        (bunraku_body::JointKind::Prismatic, Some(axis)) => (apart - axis * apart.dot(&axis)).norm(),
        _ => apart.norm(),
    })
}

fn name_of(body: &Body, index: LinkIndex) -> String {
    let link = body.link(index);
    if link.joint.kind.has_displacement() {
        format!("joint `{}` of `{}`", link.joint_name(), body.name)
    } else {
        format!("link `{}` of `{}`", link.name, body.name)
    }
}
