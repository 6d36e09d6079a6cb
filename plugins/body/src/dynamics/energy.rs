use nalgebra::Vector3;

use super::configuration::value_at;
use super::{Configuration, Twist};

impl Configuration<'_> {
    /// Velocity of the centre of mass, m/s, world axes, for the root's twist and joint velocities (rad/s or m/s, joint
    /// order). Velocity of the root origin if the body has no mass.
    pub fn center_of_mass_velocity(&self, root: &Twist, velocities: &[f64]) -> Vector3<f64> {
        let mass = self.body.mass();
        if mass <= 0.0 {
            return root.linear;
        }
        self.linear_momentum(root, velocities) / mass
    }

    /// Linear momentum, kg·m/s, world axes.
    pub fn linear_momentum(&self, root: &Twist, velocities: &[f64]) -> Vector3<f64> {
        let twists = self.link_twists(root, velocities);
        let links = self.body.indexed_links().zip(&twists);
        links.map(|((index, link), twist)| link.mass.mass * twist.velocity_at(&self.lever(index, link))).sum()
    }

    /// Kinetic energy, J. Sum over the links (½ m v² at the centre of mass and ½ ω·I·ω about it) and the rotors (½
    /// equivalent rotor inertia × joint velocity²).
    pub fn kinetic_energy(&self, root: &Twist, velocities: &[f64]) -> f64 {
        let twists = self.link_twists(root, velocities);
        let mut energy = 0.0;
        for ((index, link), twist) in self.body.indexed_links().zip(&twists) {
            let velocity = twist.velocity_at(&self.lever(index, link));
            energy += 0.5 * link.mass.mass * velocity.norm_squared();
            energy += 0.5 * twist.angular.dot(&(self.inertia(index, link) * twist.angular));
        }
        for joint in self.joints.iter().flatten() {
            energy += 0.5 * joint.rotor_inertia * value_at(velocities, joint.index).powi(2);
        }
        energy
    }

    /// Potential energy in a uniform field, J: −mass × gravity · centre of mass. It is 0 with the centre of mass at the
    /// world origin. `gravity` is the acceleration of free fall, m/s², world axes.
    pub fn potential_energy(&self, gravity: &Vector3<f64>) -> f64 {
        -self.body.mass() * gravity.dot(&self.body.center_of_mass(&self.poses).coords)
    }
}
