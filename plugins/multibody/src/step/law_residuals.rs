//! How well a step meets the laws of contact, by the velocities and impulses alone: the solver's own terms are not asked.
//!
//! Signorini's condition, Coulomb's cone and the principle of maximum dissipation are separated as in Q. Le Lidec et al., "Contact Models
//! in Robotics: a Comparative Analysis" (arXiv 2304.06372), each in a unit that can be compared between scenes.

use nalgebra::Vector3;

use crate::constraints::normal_target;
use crate::math::spatial::{Twist, velocity_at};
use crate::model::contact::Contact;
use crate::model::index::PartIndex;
use crate::model::parameters::Parameters;
use crate::model::state::State;
use crate::model::system::System;
use crate::step::solver::Solver;

/// A contact is loaded if its normal impulse is more than this share of the largest of the step.
const LOADED: f64 = 1e-6;

/// Residuals of a contact, from its velocity u at the end of the step in the pose of the middle, and its impulse γ.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LawResiduals {
    /// Signorini's condition, m/s: the speed with which the surfaces come nearer than they may, and of a loaded contact that with which they
    /// part.
    pub signorini: f64,
    /// Coulomb's cone, without a unit: the part of friction that is beyond µ·γₙ, as a share of the impulse. 0 without load.
    pub coulomb: f64,
    /// Maximum dissipation, m/s: |uₜ| + uₜ·γₜ/max(µ·γₙ, |γₜ|), the slip that friction does not brake with all it has, at most twice the slip.
    /// Friction beyond µ·γₙ is in [`Self::coulomb`] alone. 0 without load or friction.
    pub dissipation: f64,
}

impl Solver {
    /// Residuals of the contacts of the step that has just been finished, for those without restitution. Contacts of a divided step have none: their
    /// impulses are sums over its parts.
    pub fn law_residuals(
        &self,
        system: &System,
        state: &State,
        contacts: &[Contact],
        parameters: &Parameters,
        residuals: &mut Vec<LawResiduals>,
    ) {
        let kinematics = &self.setting.kinematics;
        let mut twists = vec![Twist::ZERO; system.num_parts()];
        for tree in 0..system.num_trees() {
            kinematics.twists(system, tree, &state.velocities, &mut twists);
        }
        let velocity = |part: Option<PartIndex>, contact: &Contact| {
            part.map_or_else(Default::default, |PartIndex(part)| {
                let offset = contact.point - kinematics.origins[system.parts[part].tree];
                velocity_at(&twists[part], &offset)
            })
        };
        let is_divided =
            |contact: &Contact| contact.parts.iter().flatten().any(|part| self.is_divided[system.parts[part.0].tree]);
        let loads = || contacts.iter().zip(self.impulses());
        let largest = loads().map(|(contact, impulse)| contact.normal.dot(impulse)).fold(0.0, f64::max);
        for (contact, impulse) in loads().filter(|(contact, _)| contact.restitution <= 0.0 && !is_divided(contact)) {
            let [first, second] = contact.parts;
            let motion = velocity(first, contact) - velocity(second, contact) + contact.surface_velocity;
            let (approach, push) = (contact.normal.dot(&motion), contact.normal.dot(impulse));
            let [slip, friction] = [motion - contact.normal * approach, impulse - contact.normal * push];
            let excess = approach - normal_target(contact.gap, parameters);
            if push <= LOADED * largest {
                residuals.push(LawResiduals { signorini: (-excess).max(0.0), ..LawResiduals::default() });
                continue;
            }
            let slides = slip.norm() > parameters.sticking_speed;
            let bound = push * if slides { contact.dynamic_friction } else { contact.static_friction };
            residuals.push(LawResiduals {
                signorini: excess.abs(),
                coulomb: (friction.norm() - bound).max(0.0) / impulse.norm(),
                dissipation: if bound > 0.0 { unbraked(&slip, &friction, bound) } else { 0.0 },
            });
        }
    }
}

/// The slip, m/s, that friction below a bound does not brake with all it has.
fn unbraked(slip: &Vector3<f64>, friction: &Vector3<f64>, bound: f64) -> f64 {
    slip.norm() + slip.dot(friction) / bound.max(friction.norm())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slip_that_is_not_braked_is_at_most_twice_the_slip() {
        let slip = Vector3::new(0.3, 0.4, 0.0);
        let unbraked = |share: f64, bound: f64| unbraked(&slip, &(slip * share), bound);
        // Against the slip, with all and with half of what friction has; along it; and with far too much.
        assert_eq!(unbraked(-2.0, 1.0), 0.0);
        assert_eq!(unbraked(-1.0, 1.0), 0.25);
        assert_eq!(unbraked(2.0, 1.0), 1.0);
        assert!(unbraked(-2.0, 1e-20).abs() < 1e-15 && (unbraked(2.0, 1e-20) - 1.0).abs() < 1e-15);
    }
}
