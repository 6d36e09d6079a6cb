//! Runs a scene and keeps its energy balance.

use bevy::prelude::*;
use bunraku_body::dynamics::{Configuration, Twist};
use bunraku_body::{BodyModel, BodyState, Drive, JointActuation, JointTargets};
use bunraku_physics::{
    ExtraJointBetween, JointEnd, JointLosses, JointReadings, SurfaceMaterials, UnsolvedSteps, WidestGap,
};
use bunraku_simulation::{Pace, SimulationStatus};
use nalgebra::Vector3;

use super::draw::Scene;
use crate::common::{World, table};

/// What came of a run.
#[derive(Clone, Debug, Default)]
pub struct Run {
    pub steps: u64,
    pub unsolved: u64,
    /// Why the run stopped.
    pub fault: Option<String>,
    /// The most by which the energy has risen above its least value before, beside what joints have done, J.
    pub gain: f64,
    /// When that was, s.
    pub gained_at: f64,
    /// The most energy that was there to move anything: kinetic energy at most, J.
    pub most_kinetic: f64,
    /// Largest speed of a link, m/s.
    pub fastest: f64,
    /// Largest angle that a link turns by in a step, rad.
    pub largest_turn: f64,
    pub widest_gap: f64,
    /// Bits of all poses and velocities at the end.
    pub bits: u64,
}

impl World {
    pub fn spawn(&mut self, scene: &Scene) -> Vec<Entity> {
        let lines = format!(
            "  - {{ materials: [ Thing, Thing ], friction: {0}, restitution: {1} }}\n  - {{ materials: [ Thing, default ], friction: \
             {0}, restitution: {1} }}\n",
            scene.friction, scene.restitution
        );
        self.app.insert_resource(SurfaceMaterials(table(&lines)));
        if scene.has_floor {
            self.add_floor("default");
        }
        let entities: Vec<Entity> = scene
            .bodies
            .iter()
            .map(|drawn| {
                let joints = drawn.model.num_joints();
                let entity = self.throw(&drawn.model, drawn.root, &vec![0.0; joints], drawn.twist);
                let targets =
                    JointTargets { displacements: drawn.targets.clone(), velocities: drawn.targets.clone() };
                let losses = JointLosses { damping: drawn.damping.clone(), friction: drawn.friction.clone() };
                let mut entity = self.app.world_mut().entity_mut(entity);
                entity.insert((targets, losses, JointActuation(drawn.actuation.clone()), JointReadings::default()));
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

    /// Kinetic and potential energy of a body, J.
    fn energy(&self, body: Entity, root: &Twist, gravity: &Vector3<f64>) -> [f64; 2] {
        let BodyModel(model) = self.app.world().get(body).unwrap();
        let state = self.state(body);
        let configuration = Configuration::new(model, &state.link_poses[0], &state.displacements);
        [configuration.kinetic_energy(root, &state.velocities), configuration.potential_energy(gravity)]
    }
}

pub fn run(scene: &Scene, duration: f64) -> Run {
    let mut world = World::new(scene.time_step, scene.gravity, 1);
    let entities = world.spawn(scene);
    let mut run = Run::default();
    let mut velocities: Vec<Vec<f64>> = entities.iter().map(|body| world.state(*body).velocities.clone()).collect();
    let mut work = 0.0;
    let begin = entities.iter().zip(&scene.bodies).map(|(body, drawn)| {
        let [kinetic, potential] = world.energy(*body, &drawn.twist, &scene.gravity);
        kinetic + potential
    });
    let mut least: f64 = begin.sum();
    let steps = (duration / scene.time_step).ceil() as u64;
    for step in 1..=steps {
        world.app.insert_resource(Pace::Steps(1));
        world.app.update();
        if let SimulationStatus::Failed(fault) = world.app.world().resource::<SimulationStatus>() {
            run.fault = Some(fault.to_string());
            break;
        }
        run.steps = step;
        let (mut kinetic, mut potential) = (0.0, 0.0);
        for (body, before) in entities.iter().zip(&mut velocities) {
            let readings = world.app.world().get::<JointReadings>(*body).unwrap();
            let state = world.state(*body);
            for ((effort, now), before) in readings.efforts().iter().zip(&state.velocities).zip(before) {
                work += scene.time_step * effort * 0.5 * (now + *before);
                *before = *now;
            }
            for twist in readings.link_twists() {
                run.fastest = run.fastest.max(twist.linear.norm());
                run.largest_turn = run.largest_turn.max(twist.angular.norm() * scene.time_step);
            }
            let root = readings.link_twists()[0];
            let [moving, high] = world.energy(*body, &root, &scene.gravity);
            kinetic += moving;
            potential += high;
        }
        let balance = kinetic + potential - work;
        if !balance.is_finite() {
            run.fault = Some(format!("energy is {balance} J at {} s", step as f64 * scene.time_step));
            break;
        }
        run.most_kinetic = run.most_kinetic.max(kinetic);
        if balance - least > run.gain {
            run.gain = balance - least;
            run.gained_at = step as f64 * scene.time_step;
        }
        least = least.min(balance);
    }
    run.unsolved = world.app.world().resource::<UnsolvedSteps>().0;
    run.widest_gap = world.app.world().resource::<WidestGap>().0.map_or(0.0, |gap| gap.gap);
    run.bits = entities.iter().fold(0, |hash, body| {
        let state: &BodyState = world.state(*body);
        let poses = state.link_poses.iter().flat_map(|pose| {
            let coordinates = pose.translation.vector.iter().chain(pose.rotation.coords.iter());
            coordinates.copied().collect::<Vec<f64>>()
        });
        poses.chain(state.velocities.iter().copied()).fold(hash, |hash: u64, value| {
            (hash ^ value.to_bits()).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29)
        })
    });
    run
}
