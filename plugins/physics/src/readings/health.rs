//! Plausibility of a body after rapier's step.
//!
//! There is no check of energy, because it would find no more than the checks of speed. Gains that are too high, the usual cause, add
//! their energy by efforts: an arm of 0.27 kg·m² with `kp` = 3·10⁵, 10⁶, 10⁸ and 10¹⁴ N·m/rad at 1 kHz is stopped by its speed in its
//! 73rd, 28th, 3rd and 1st step, before its kinetic energy grows by twice the work of effort and gravity. And sound scenes gain energy:
//! shapes that overlap at the start are pushed apart, and a motion that jumps throws what it hits.

use bevy_rapier3d::rapier::dynamics::RigidBodySet;
use bunraku_body::{Body, JointKind, Link, LinkIndex};
use nalgebra::{Isometry3, Point3};

use crate::model::simulated_body::SimulatedBody;
use crate::readings::words::in_digits;

/// Links faster than this, m/s, have diverged: it is about the speed of sound.
pub(crate) const FASTEST: f64 = 1e3;
/// Links that turn by more than this in a step, rad, are undersampled.
pub(crate) const LARGEST_TURN: f64 = std::f64::consts::PI;
/// Joints with a larger gap, m, are torn apart.
pub(crate) const WIDEST_GAP: f64 = 0.1;

/// An implausible state of a body after a step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Trouble {
    pub link: LinkIndex,
    /// Description that continues the name of the link or its joint.
    pub what: String,
}

/// The first implausible state of a body after a step with the link poses `poses`. Joints are checked before the root, which a joint may
/// have thrown. `see_gap` is called with the gap of each joint, m.
pub(crate) fn trouble(
    body: &Body,
    simulated: &SimulatedBody,
    set: &RigidBodySet,
    poses: &[Isometry3<f64>],
    time_step: f64,
    mut see_gap: impl FnMut(f64, LinkIndex),
) -> Option<Trouble> {
    let links = (1..body.links().len()).chain([0]).map(LinkIndex);
    links.filter(|link| simulated.links[*link].is_carrier).find_map(|link| {
        let what = trouble_of_link(body, simulated, set, poses, time_step, link, &mut see_gap)?;
        Some(Trouble { link, what })
    })
}

fn trouble_of_link(
    body: &Body,
    simulated: &SimulatedBody,
    set: &RigidBodySet,
    poses: &[Isometry3<f64>],
    time_step: f64,
    index: LinkIndex,
    see_gap: &mut impl FnMut(f64, LinkIndex),
) -> Option<String> {
    let link = body.link(index);
    let part = set.get(simulated.parts[simulated.links[index].part])?;
    let position = part.position();
    // A sum is not finite if any term is not.
    let sum = position.translation.element_sum() + part.linvel().element_sum() + part.angvel().element_sum();
    if !(sum.is_finite() && position.rotation.is_finite() && part.is_enabled()) {
        return Some("has a state that is not a number".to_owned());
    }
    let gap = match link.parent {
        Some(parent) if link.joint.kind.has_displacement() => gap(link, &poses[parent.0], &poses[index.0]),
        _ => 0.0,
    };
    see_gap(gap, index);
    if gap > WIDEST_GAP {
        return Some(format!("is torn off its parent by {} mm", in_digits(gap * 1e3, 0)));
    }
    // Squares, because this runs for every link in every step.
    if f64::from(part.linvel().length_squared()) > FASTEST * FASTEST {
        return Some(format!("moves at {} m/s", in_digits(f64::from(part.linvel().length()), 0)));
    }
    if f64::from(part.angvel().length_squared()) * time_step * time_step > LARGEST_TURN * LARGEST_TURN {
        let turn = in_digits(f64::from(part.angvel().length()), 0);
        return Some(format!("turns at {turn} rad/s, more than half a turn in a time step"));
    }
    None
}

/// Distance of the joint's two anchor points, across the axis for a prismatic joint.
fn gap(link: &Link, parent: &Isometry3<f64>, pose: &Isometry3<f64>) -> f64 {
    let anchor = parent * Point3::from(link.offset.translation.vector);
    let apart = pose.translation.vector - anchor.coords;
    let axis = if link.joint.kind == JointKind::Prismatic { link.joint.axis.try_normalize(0.0) } else { None };
    axis.map_or_else(|| apart.norm(), |axis| apart.cross(&(pose.rotation * axis)).norm())
}
