//! Friction that changes the load that it comes from.

use super::contacts::{Surface, contact};
use super::*;

/// Distance of a lever's tip from its hinge along the floor and of its centre of mass, m, and its mass, kg.
const TIP: f64 = 1.0;
const CENTER: f64 = 0.5;
const MASS: f64 = 3.0;
/// The force that changes the velocity of a tip of some 2 kg by the tolerance of 10⁻⁶ m/s in a step of 1 ms, N.
const FORCE: f64 = 2e-3;

/// The most repeats in a step.
const REPEATS: usize = 10;

/// A lever that hangs on a hinge and lies with its tip on a belt. The belt runs at 1 m/s, away from the hinge for 1 and towards it for −1.
struct Lever {
    world: World,
    part: PartIndex,
    height: f64,
    friction: f64,
    direction: f64,
}

impl Lever {
    fn new(height: f64, friction: f64, direction: f64) -> Self {
        let mut system = System::new();
        let mut mass = block(MASS, [1.0, 0.1, 0.1]);
        mass.center_of_mass = Point3::new(CENTER, 0.0, -0.2);
        let hinge = hinged_part(0, Vector3::new(0.0, 0.0, height), Vector3::y(), mass);
        let tree = system.add_tree(&[fixed_part(), hinge]).unwrap();
        let part = PartIndex(system.root(tree).0 + 1);
        Self { world: World::new(system), part, height, friction, direction }
    }

    fn step(&mut self) {
        let surface = Surface { friction: self.friction, restitution: 0.0 };
        let tip = Vector3::new(TIP, 0.0, 0.0);
        let mut touching = contact(0, [Some(self.part), None], tip, Vector3::z(), 0.0, surface);
        touching.surface_velocity = Vector3::new(-self.direction, 0.0, 0.0);
        self.world.step_with(|_, contacts| contacts.push(touching));
    }

    /// Normal force by the balance about the hinge, N: the tip gets µ·N in the belt's direction, with the hinge's height as its lever.
    fn load(&self) -> f64 {
        let weight = -MASS * self.world.parameters.gravity.z;
        CENTER * weight / (TIP + self.direction * self.friction * self.height)
    }

    /// Checks the forces of a step.
    fn check(&mut self) {
        self.step();
        let [load, outcome] = [self.load(), self.world.outcome.violation];
        let force = self.world.read().contact_forces[0];
        let repeats = self.world.outcome.repeats;
        println!("µ {}, height {}: {:?} N, {load} N, {repeats} repeats", self.friction, self.height, force);
        assert!(outcome < 1e-6, "{outcome} m/s");
        assert!((force.z - load).abs() < FORCE, "{force:?}, {load} N");
        assert!((force.x - self.direction * self.friction * load).abs() < FORCE, "{force:?}");
        assert!(repeats <= REPEATS, "{repeats} repeats");
    }
}

/// Bounds that only follow the loads come nearer to them only if µ·h is less than the distance of the tip.
#[test]
fn loads_that_friction_changes_are_found_in_a_few_repeats() {
    for (height, friction, direction) in [(0.5, 0.5, 1.0), (0.5, 0.5, -1.0), (0.9, 1.0, -1.0), (10.0, 1.0, 1.0)] {
        Lever::new(height, friction, direction).check();
    }
}

/// The friction of the step before would lift the tip, and without it the load is ten times too large.
#[test]
fn a_load_that_is_suddenly_small_is_found() {
    let mut lever = Lever::new(10.0, 1.0, 1.0);
    lever.check();
    for share in [0.05, 20.0, 1e-3] {
        lever.world.parameters.gravity.z *= share;
        lever.check();
    }
}
