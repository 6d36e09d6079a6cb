//! Possible causes of divergence.

use bunraku_body::{Actuation, Body, JointActuation, JointEfforts};

use crate::actuation::external_forces::ExternalForces;
use crate::model::gains::EffortGains;
use crate::readings::words::as_written;

/// The components of a body that command it, for a query.
pub(crate) type ActingOn<'a> =
    (Option<&'a EffortGains>, Option<&'a JointActuation>, Option<&'a JointEfforts>, Option<&'a ExternalForces>);

/// An external force that changes the velocity of its body by more than this in a step, m/s, is a sufficient cause.
const VIOLENT: f64 = 1.0;

/// Kinds of commands that act on a body, or on any of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Acting {
    gains: bool,
    efforts: bool,
    external_forces: bool,
}

impl Acting {
    pub fn on((controller, actuation, efforts, external): ActingOn<'_>) -> Self {
        let is_servo =
            |actuation: &Actuation| matches!(actuation, Actuation::Displacement { .. } | Actuation::Velocity { .. });
        Self {
            gains: controller.is_some() || actuation.is_some_and(|actuation| actuation.0.iter().any(is_servo)),
            efforts: efforts.is_some_and(|efforts| efforts.0.iter().any(|effort| *effort != 0.0)),
            external_forces: external.is_some_and(|external| !external.forces.is_empty()),
        }
    }

    pub fn on_any<'a>(bodies: impl IntoIterator<Item = ActingOn<'a>>) -> Self {
        bodies.into_iter().map(Self::on).fold(Self::default(), |all, one| Self {
            gains: all.gains || one.gains,
            efforts: all.efforts || one.efforts,
            external_forces: all.external_forces || one.external_forces,
        })
    }

    /// The usual causes of divergence, of those that apply. `between_impulse_joints` includes light links between impulse joints.
    pub fn usual_causes(self, between_impulse_joints: bool) -> String {
        let mut causes = Vec::new();
        if self.gains {
            causes.push("too high gains");
        }
        if self.efforts && !self.gains {
            causes.push("too large joint efforts");
        }
        if self.external_forces {
            causes.push("too strong external forces");
        }
        if causes.is_empty() {
            causes.push("bodies that are in each other at the start");
        }
        causes.push("too long a time step");
        if between_impulse_joints {
            causes.push("light links between impulse joints");
        } else if self == Self::default() {
            causes.push("very light links");
        }
        let last = causes.pop().unwrap_or_default();
        format!("{} and {last} are the usual causes", causes.join(", "))
    }
}

/// The external force that accelerates its body the most, if that is a sufficient cause.
pub(crate) fn violent_force(body: &Body, external: Option<&ExternalForces>, time_step: f64) -> Option<String> {
    let mass: f64 = body.links().iter().map(|link| link.mass.mass).sum();
    let forces = external?.forces.iter().filter(|force| force.force.norm() * time_step > VIOLENT * mass);
    let strongest = forces.max_by(|a, b| a.force.norm().total_cmp(&b.force.norm()))?;
    Some(format!(
        "an external force of {} N acts on link `{}` of a body of {} kg: lower the force or shorten the step",
        as_written(strongest.force.norm()),
        body.link(strongest.link).name,
        as_written(mass),
    ))
}

#[cfg(test)]
mod tests {
    use bunraku_body::LinkIndex;
    use bunraku_test_support::read_links;
    use nalgebra::Vector3;

    use super::*;
    use crate::actuation::external_forces::{ExternalForce, ForceFrame};

    #[test]
    fn only_causes_that_are_there_are_named() {
        let none = Acting::default();
        assert_eq!(
            none.usual_causes(false),
            "bodies that are in each other at the start, too long a time step and very light links are the usual causes"
        );
        assert!(!none.usual_causes(true).contains("gains"));
        let gains = Acting { gains: true, ..none };
        assert_eq!(gains.usual_causes(false), "too high gains and too long a time step are the usual causes");
        let pushed = Acting { external_forces: true, ..none };
        assert_eq!(
            pushed.usual_causes(false),
            "too strong external forces and too long a time step are the usual causes"
        );
        let efforts = JointEfforts(vec![0.0, 1.0]);
        let driven = Acting::on_any([(None, None, None, None), (None, None, Some(&efforts), None)]);
        assert_eq!(driven.usual_causes(false), "too large joint efforts and too long a time step are the usual causes");
    }

    #[test]
    fn a_force_of_100_n_on_a_fifth_of_a_gram_is_named_as_the_cause() {
        let body = read_links(
            "  - { name: CHIP, joint_type: free, mass: 0.0002, inertia: [ 1e-9, 0, 0, 0, 1e-9, 0, 0, 0, 1e-9 ] }\n",
        );
        let force = |newtons: f64| {
            let force = Vector3::new(newtons, 0.0, 0.0);
            let (point, frame, torque) = (None, ForceFrame::World, Vector3::zeros());
            ExternalForces::new(vec![ExternalForce { link: LinkIndex::ROOT, point, frame, force, torque }])
        };
        assert_eq!(
            violent_force(&body, Some(&force(100.0)), 1e-3).unwrap(),
            "an external force of 100 N acts on link `CHIP` of a body of 0.0002 kg: lower the force or shorten the step"
        );
        assert_eq!(violent_force(&body, Some(&force(0.1)), 1e-3), None);
        assert_eq!(violent_force(&body, None, 1e-3), None);
    }
}
