//! Rapier without Bevy.

use bevy_rapier3d::rapier::prelude::*;

pub const G: f32 = 9.80665;

pub struct Raw {
    pub bodies: RigidBodySet,
    pub colliders: ColliderSet,
    pub impulse_joints: ImpulseJointSet,
    pub multibody_joints: MultibodyJointSet,
    pub narrow_phase: NarrowPhase,
    pub parameters: IntegrationParameters,
    pub gravity: Vector,
    pipeline: PhysicsPipeline,
    islands: IslandManager,
    broad_phase: DefaultBroadPhase,
    ccd: CCDSolver,
}

impl Raw {
    /// Steps of 1 ms in `substeps` substeps, gravity along −Z.
    pub fn new(substeps: usize) -> Self {
        let parameters =
            IntegrationParameters { dt: 0.001, num_solver_iterations: substeps, ..IntegrationParameters::default() };
        Self {
            bodies: RigidBodySet::new(),
            colliders: ColliderSet::new(),
            impulse_joints: ImpulseJointSet::new(),
            multibody_joints: MultibodyJointSet::new(),
            narrow_phase: NarrowPhase::new(),
            parameters,
            gravity: Vector::new(0.0, 0.0, -G),
            pipeline: PhysicsPipeline::new(),
            islands: IslandManager::new(),
            broad_phase: DefaultBroadPhase::new(),
            ccd: CCDSolver::new(),
        }
    }

    pub fn run(&mut self, steps: usize) {
        for _ in 0..steps {
            self.pipeline.step(
                self.gravity,
                &self.parameters,
                &mut self.islands,
                &mut self.broad_phase,
                &mut self.narrow_phase,
                &mut self.bodies,
                &mut self.colliders,
                &mut self.impulse_joints,
                &mut self.multibody_joints,
                &mut self.ccd,
                &(),
                &(),
            );
        }
    }

    /// A floor with its top at z = 0 and on it a block of 1 kg.
    pub fn block_on_floor(&mut self) -> (RigidBodyHandle, ColliderHandle) {
        self.colliders.insert(ColliderBuilder::cuboid(5.0, 5.0, 0.1).translation(Vector::new(0.0, 0.0, -0.1)).build());
        let body = RigidBodyBuilder::dynamic().translation(Vector::new(0.0, 0.0, 0.1)).can_sleep(false).build();
        let block = self.bodies.insert(body);
        let shape = ColliderBuilder::cuboid(0.1, 0.1, 0.1).mass(1.0).build();
        (block, self.colliders.insert_with_parent(shape, block, &mut self.bodies))
    }
}
