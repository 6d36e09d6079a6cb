//! Whether a simulated body still makes sense.
//!
//! There is no rule about energy, because no honest one tells more than the rules about speed:
//!
//! - Gains that are too high, the usual cause, put the energy in by effort: all of it is explained. An arm of 0.27 kg·m² whose
//!   errors grow under `kp` = 3·10⁵, 10⁶, 10⁸ and 10¹⁴ N·m/rad at 1 kHz is stopped by its speed in its 73rd, 28th, 3rd and 1st
//!   step (67th, 28th, 3rd and 1st in a multibody), and in no step before does its kinetic energy grow by even twice what
//!   |effort|·|Δq| and gravity could have done.
//! - Where the solver itself makes energy, as in a loop that is closed onto the fixed root of a multibody, links are at 10⁵ to 10⁶ m/s within
//!   the first steps: speed and gaps tell that as soon.
//! - Sound scenes gain energy from nowhere. Two shapes that begin inside each other are pushed apart, a cube that begins 3 cm deep in the
//!   floor hops by 5 mm; a motion that jumps throws what is in its way. A rule would have to let
//!   all that pass.

use bevy_rapier3d::rapier::dynamics::RigidBodySet;
use bunraku_body::{Body, JointKind, Link, LinkIndex};
use nalgebra::{Isometry3, Point3};

use crate::model::simulated_body::SimulatedBody;
use crate::readings::words::in_digits;

/// Links faster than this, m/s, have left mechanics: nothing a robot does comes near the speed of sound.
const FASTEST: f64 = 1e3;
/// Links turning by more than this in one step, rad, are not being simulated any more, only sampled.
const LARGEST_TURN: f64 = std::f64::consts::PI;
/// Joints pulled apart by more than this, m, are not joints any more. A sound solver keeps them within 1 mm.
pub(crate) const WIDEST_GAP: f64 = 0.1;

/// What is wrong with a body after a step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Trouble {
    pub link: LinkIndex,
    /// To be read after the name of the link or its joint.
    pub what: String,
}

/// What is wrong with a body after a step: which joint or link, and how. `None` if nothing is.
///
/// `poses` are the link poses after the step. Joints come before the root: a root that flies off was thrown by one. `see_gap` is told the
/// gap of each joint, m.
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
    // Sums of finite numbers of a sensible size are finite, and one number that is not spoils them.
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
    // Squares: this is asked of every link in every step.
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
