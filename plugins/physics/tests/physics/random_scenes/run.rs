//! Runs a scene and keeps its energy balance.

use bevy::ecs::system::RunSystemOnce;
use bevy::prelude::*;
use bunraku_body::dynamics::{Configuration, Twist};
use bunraku_body::{JointActuation, JointTargets};
use bunraku_physics::{
    ConstraintErrors, Contact, ContactResiduals, Contacts, ExtraJointBetween, JointEnd, JointLosses, JointReadings,
    LawResiduals, LinkMotions, SurfaceMaterials, WidestGap,
};
use bunraku_simulation::{Pace, SimulationStatus};
use nalgebra::Vector3;

use super::draw::Scene;
use crate::common::{World, table};

/// Outcome of a run.
#[derive(Clone, Debug, Default)]
pub struct Run {
    pub steps: u64,
    /// Largest error of a constraint, m/s or rad/s.
    pub error: f64,
    /// Why the simulation stopped early.
    pub fault: Option<String>,
    /// The most by which mechanical energy less the work of joints has risen above an earlier value, J.
    pub gain: f64,
    /// Work of contacts in the steps in which it was positive, J: mean force times mean velocity of the points.
    pub by_contacts: f64,
    /// Largest kinetic energy, J.
    pub most_kinetic: f64,
    /// Largest speed of a link, m/s.
    pub fastest: f64,
    /// Largest angle that a link turns by in a step, rad.
    pub largest_turn: f64,
    /// m
    pub widest_gap: f64,
    /// Violation of the contact laws by contacts without restitution, before it diverges.
    pub residuals: Vec<LawResiduals>,
}

/// A body between two steps: origins of its links, m, and their twists.
struct Motion {
    links: Vec<(Vector3<f64>, Twist)>,
    /// Kinetic and potential, J.
    energy: [f64; 2],
}

impl Motion {
    fn of(world: &World, scene: &Scene, number: usize, body: Entity) -> Self {
        let drawn = &scene.bodies[number];
        let state = world.state(body);
        // Before the first step there are none.
        let motions = world.app.world().get::<LinkMotions>(body).unwrap();
        let root = motions.twists().first().copied().unwrap_or(drawn.twist);
        let configuration = Configuration::new(&drawn.model, &state.link_poses[0], &state.displacements);
        let origins = state.link_poses.iter().map(|pose| pose.translation.vector);
        Self {
            links: origins.zip(configuration.link_twists(&root, &state.velocities)).collect(),
            energy: [
                configuration.kinetic_energy(&root, &state.velocities),
                configuration.potential_energy(&scene.gravity),
            ],
        }
    }
}

impl World {
    /// Adds a scene's bodies and extra joints.
    pub fn spawn(&mut self, scene: &Scene) -> Vec<Entity> {
        let entities: Vec<Entity> = scene
            .bodies
            .iter()
            .map(|drawn| {
                let entity = self.throw(&drawn.model, drawn.root, &vec![0.0; drawn.model.num_joints()], drawn.twist);
                let targets = JointTargets {
                    displacements: drawn.joints.targets.clone(),
                    velocities: drawn.joints.targets.clone(),
                };
                let losses =
                    JointLosses { damping: drawn.joints.damping.clone(), friction: drawn.joints.friction.clone() };
                let mut entity = self.app.world_mut().entity_mut(entity);
                entity.insert((
                    targets,
                    losses,
                    JointActuation(drawn.joints.actuation.clone()),
                    JointReadings::default(),
                ));
                entity.id()
            })
            .collect();
        for closure in &scene.closures {
            let ends = closure.ends.map(|end| match end {
                Some((body, link)) => JointEnd::Link { body: entities[body], link },
                None => JointEnd::World,
            });
            self.app.world_mut().spawn(ExtraJointBetween { form: closure.form, ends });
        }
        entities
    }

    pub fn set_surfaces(&mut self, friction: f64, restitution: f64) {
        let line = |other| {
            format!("  - {{ materials: [ Thing, {other} ], friction: {friction}, restitution: {restitution} }}\n")
        };
        self.app.insert_resource(SurfaceMaterials(table(&(line("Thing") + &line("default")))));
    }

    fn contacts_of(&mut self, body: Entity) -> Vec<Contact> {
        self.app.world_mut().run_system_once(move |contacts: Contacts<'_, '_>| contacts.of_body(body)).unwrap()
    }

    /// Work of all contacts in a step, J.
    fn work_of_contacts(&mut self, bodies: &[Entity], motions: [&[Motion]; 2], time_step: f64) -> f64 {
        let mut work = 0.0;
        for (number, body) in bodies.iter().enumerate() {
            for contact in self.contacts_of(*body) {
                let ends = motions.map(|motions| motions[number].links[contact.link.0]);
                let lever = contact.point.coords - nalgebra::center(&ends[0].0.into(), &ends[1].0.into()).coords;
                let velocities = ends.map(|(_, twist)| twist.velocity_at(&lever));
                work += time_step * contact.force.dot(&(velocities[0] + velocities[1])) / 2.0;
            }
        }
        work
    }

    /// Work of all joints in a step, J.
    fn work_of_joints(&self, bodies: &[Entity]) -> f64 {
        let of_body = |body: &Entity| self.app.world().get::<JointReadings>(*body).unwrap().works().iter().sum::<f64>();
        bodies.iter().map(of_body).sum()
    }
}

/// Runs a scene for some seconds, or until it diverges.
pub fn run(scene: &Scene, seconds: f64) -> Run {
    let mut world = World::new(scene.time_step, scene.gravity, 1);
    world.set_surfaces(scene.friction, scene.restitution);
    if scene.has_floor {
        world.add_floor("default");
    }
    world.app.insert_resource(ContactResiduals::default());
    let bodies = world.spawn(scene);
    let motions = |world: &World| -> Vec<Motion> {
        bodies.iter().enumerate().map(|(number, body)| Motion::of(world, scene, number, *body)).collect()
    };
    let mut run = Run::default();
    let mut before = motions(&world);
    let mut work = 0.0;
    let mut least: f64 = before.iter().flat_map(|motion| motion.energy).sum();
    for _ in 0..(seconds / scene.time_step).ceil() as u64 {
        world.app.insert_resource(Pace::Steps(1));
        world.app.update();
        if let SimulationStatus::Failed(fault) = world.app.world().resource::<SimulationStatus>() {
            run.fault = Some(fault.to_string());
            break;
        }
        let after = motions(&world);
        run.steps += 1;
        for (_, twist) in after.iter().flat_map(|motion| &motion.links) {
            run.fastest = run.fastest.max(twist.linear.norm());
            run.largest_turn = run.largest_turn.max(twist.angular.norm() * scene.time_step);
        }
        work += world.work_of_joints(&bodies);
        run.by_contacts += world.work_of_contacts(&bodies, [&before, &after], scene.time_step).max(0.0);
        let kinetic: f64 = after.iter().map(|motion| motion.energy[0]).sum();
        let balance = after.iter().flat_map(|motion| motion.energy).sum::<f64>() - work;
        if !balance.is_finite() {
            run.fault = Some(format!("the energy is {balance} J after {} steps", run.steps));
            break;
        }
        run.most_kinetic = run.most_kinetic.max(kinetic);
        run.gain = run.gain.max(balance - least);
        least = least.min(balance);
        before = after;
    }
    run.residuals = std::mem::take(&mut world.app.world_mut().resource_mut::<ContactResiduals>().0);
    run.error = world.app.world().resource::<ConstraintErrors>().largest();
    run.widest_gap = world.app.world().resource::<WidestGap>().0.map_or(0.0, |gap| gap.gap);
    run
}

/// A number of the bits of all poses and velocities.
pub fn bits(world: &World, bodies: &[Entity]) -> u64 {
    let numbers = bodies.iter().flat_map(|body| {
        let state = world.state(*body);
        let poses = state.link_poses.iter().flat_map(|pose| {
            pose.translation.vector.iter().chain(pose.rotation.coords.iter()).copied().collect::<Vec<f64>>()
        });
        poses.chain(state.velocities.iter().copied()).collect::<Vec<f64>>()
    });
    // FNV-1a, word by word.
    numbers.fold(0xcbf2_9ce4_8422_2325, |hash: u64, number| {
        (hash ^ number.to_bits()).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(17)
    })
}
