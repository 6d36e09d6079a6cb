//! Humanoids that stand: the load of their ankles.

use std::sync::Arc;

use bevy::prelude::*;
use bunraku_body::{Actuation, Body, Drive, JointActuation, JointTargets, LinkIndex};
use bunraku_physics::{JointReadings, JointSolver};
use bunraku_test_support::{model_text, read_model, share};
use nalgebra::{Isometry3, Vector3};

use crate::common::{G, World, biped, for_both_solvers};

/// A humanoid and how it stands.
struct Humanoid {
    name: &'static str,
    text: String,
    /// Where the root is, m above the floor.
    height: f64,
    displacements: Vec<f64>,
    /// Gains of servos, N·m/rad and N·m·s/rad. With one substep a step impulse joints keep SR1 chattering, by some cm/s, with the
    /// damping that it walks with.
    servo: (f64, f64),
    /// Names of the ankle links.
    ankles: [&'static str; 2],
}

impl Humanoid {
    /// Choreonoid's SR1, if there is its data, and a biped of our own.
    fn all() -> Vec<Self> {
        let mut all = vec![Self::ours()];
        if let Some(share) = share() {
            let file = share.join("model/SR1/SR1.body");
            let degrees = [
                0.0, -2.1, 0.0, 4.5, -2.4, 0.0, 10.0, -0.2, 0.0, -90.0, 0.0, 0.0, 0.0, 0.0, -2.1, 0.0, 4.5, -2.4, 0.0,
                10.0, -0.2, 0.0, -90.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
            ];
            all.push(Self {
                name: "SR1",
                text: std::fs::read_to_string(file).unwrap(),
                height: 0.708,
                displacements: degrees.iter().map(|angle: &f64| angle.to_radians()).collect(),
                servo: (8000.0, 1000.0),
                ankles: ["LLEG_ANKLE_R", "RLEG_ANKLE_R"],
            });
        }
        all
    }

    fn ours() -> Self {
        // Knees a little bent, so that they have something to carry.
        let leg = [0.0, 0.0, -0.2, 0.4, -0.2, 0.0];
        Self {
            name: "biped",
            text: model_text(&biped()),
            height: 0.7 * 0.2_f64.cos() + 0.1,
            displacements: [leg, leg].concat(),
            servo: (1500.0, 30.0),
            ankles: ["L_ANKLE_ROLL", "R_ANKLE_ROLL"],
        }
    }

    fn model(&self) -> Arc<Body> {
        let (body, findings) = read_model(&self.text);
        Arc::new(body.unwrap_or_else(|| panic!("{findings:?}")))
    }

    /// A world in which it stands on its servos.
    fn stands(&self, model: &Arc<Body>, solver: JointSolver) -> (World, Entity) {
        let mut world = World::usual().with_joints(solver);
        world.add_floor("Ground");
        let root = Isometry3::translation(0.0, 0.0, self.height);
        let entity = world.add(model, root, &self.displacements, Drive::Physics);
        let (stiffness, damping) = self.servo;
        let mut commands = world.app.world_mut().entity_mut(entity);
        commands.insert(JointReadings::default());
        commands.get_mut::<JointActuation>().unwrap().0.fill(Actuation::Displacement { stiffness, damping });
        *commands.get_mut::<JointTargets>().unwrap() =
            JointTargets { displacements: self.displacements.clone(), velocities: vec![0.0; model.num_joints()] };
        (world, entity)
    }
}

fn readings(world: &World, entity: Entity) -> &JointReadings {
    world.app.world().get(entity).unwrap()
}

/// Mass of a link and its subtree, kg.
fn mass_from(body: &Body, link: LinkIndex) -> f64 {
    let mut belongs = vec![false; body.links().len()];
    let mut mass = 0.0;
    for (index, member) in body.indexed_links() {
        belongs[index.0] = index == link || member.parent.is_some_and(|parent| belongs[parent.0]);
        if belongs[index.0] {
            mass += member.mass.mass;
        }
    }
    mass
}

/// A tenth of a per cent of the weight.
const STANDING: f64 = 1e-3;

#[test]
fn the_ankles_of_a_standing_humanoid_carry_what_is_above_them() {
    for_both_solvers(|solver| {
        for humanoid in Humanoid::all() {
            let model = humanoid.model();
            let (mut world, entity) = humanoid.stands(&model, solver);
            world.run(4000);
            let height = world.state(entity).link_poses[0].translation.z;
            let ankles = humanoid.ankles.map(|name| model.find_link(name).unwrap());
            let weight = (model.mass() - ankles.iter().map(|&ankle| mass_from(&model, ankle)).sum::<f64>()) * G;
            // Single precision lets a robot of 127 kg tremble by a newton; the mean of a tenth of a second.
            let mut force = Vector3::zeros();
            for _ in 0..100 {
                world.run(1);
                let reactions = readings(&world, entity).reactions();
                force += ankles.iter().map(|ankle| reactions[ankle.0].force).sum::<Vector3<f64>>() / 100.0;
            }
            println!(
                "  {}, {:.3} of {weight:.3} N, off by {:.1e}, sideways {:.1e}; root {:.4} m lower",
                humanoid.name,
                -force.z,
                (-force.z / weight - 1.0).abs(),
                force.xy().norm() / weight,
                humanoid.height - height
            );
            assert!((-force.z / weight - 1.0).abs() < STANDING && force.xy().norm() < STANDING * weight, "{force}");
        }
    });
}
