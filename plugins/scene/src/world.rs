//! Builds a Bevy world from a scene.

use std::collections::BTreeSet;
use std::sync::Arc;

use bevy::prelude::*;
use bunraku_body::dynamics::Twist;
use bunraku_body::{Actuation, JointActuation, JointKind, spawn_body};
use bunraku_control::ForceProfiles;
use bunraku_control::{
    FeedForward, FollowMotion, GravityCompensation, PdController, ProcessController, VelocityCommands,
};
use bunraku_motion::{BodyMotion, MotionPlayer};
use bunraku_physics::{InitialTwist, JointSolver, KinematicRoot, ReportedLimitations, SurfaceMaterials};
use bunraku_simulation::{SimulationClock, StopAfter};

use super::limitations;
use super::model::{ControllerKind, Scene, SceneBody, SceneController, SceneDrive, SceneExtraJoint};

impl Scene {
    /// Sets the clock, the physics and the end of the run, and spawns the bodies and their extra joints. Returns the
    /// body entities in file order. The world needs the plugins of `bunraku::SandboxPlugins` and must not have started to simulate.
    pub fn spawn(&self, world: &mut World) -> Vec<Entity> {
        world.insert_resource(SimulationClock::new(self.time_step));
        world.insert_resource(StopAfter(self.num_steps()));
        world.insert_resource(self.parameters.clone());
        world.insert_resource(SurfaceMaterials(self.materials.clone()));
        world.insert_resource(self.visual_models.clone());
        world.insert_resource(self.lighting.clone().unwrap_or_default());
        world.insert_resource(ReportedLimitations(match self.parameters.joints {
            // Reading the scene has reported them.
            JointSolver::Impulse => limitations::limitations(&self.bodies, &self.materials),
            JointSolver::Multibody => BTreeSet::new(),
        }));
        let entities: Vec<_> = self.bodies.iter().map(|body| body.spawn(world, self.time_step)).collect();
        for (index, &entity) in entities.iter().enumerate() {
            let forces = self.external_forces.iter().filter(|force| force.body == index);
            let forces: Vec<_> = forces.map(|force| force.force.clone()).collect();
            if !forces.is_empty() {
                world.entity_mut(entity).insert(ForceProfiles(forces));
            }
        }
        for SceneExtraJoint { name, joint } in &self.extra_joints {
            let Some(joint) = joint.map_bodies(|body| entities.get(body).copied()) else { continue };
            let mut entity = world.spawn(joint);
            if let Some(name) = name {
                entity.insert(Name::new(name.clone()));
            }
        }
        entities
    }
}

impl SceneBody {
    /// Spawns the body with its controller into a world with the plugins of `bunraku::SandboxPlugins` and this time step, s, before
    /// or while it simulates.
    pub fn spawn(&self, world: &mut World, time_step: f64) -> Entity {
        let (model, mut state, drive) = (Arc::clone(&self.body), self.initial.clone(), self.drive.of_body());
        let twist = self.drive.begin_moving(&mut state, time_step, self.initial_twist);
        let entity = spawn_body(&mut world.commands(), model, state, drive);
        world.flush();
        let mut entity = world.entity_mut(entity);
        entity.insert((Name::new(self.name.clone()), self.collision, self.joint_limits, self.velocity_limits));
        if twist != Twist::ZERO {
            entity.insert(InitialTwist(twist));
        }
        if let Some(switches) = &self.switches {
            entity.insert(switches.clone());
        }
        if let Some(sensors) = &self.sensors {
            entity.insert(sensors.clone());
        }
        if let Some(losses) = &self.losses {
            entity.insert(losses.clone());
        }
        if let Some(springs) = &self.springs {
            entity.insert(springs.clone());
        }
        let controller = self.controller.as_ref();
        match &self.drive {
            SceneDrive::Static | SceneDrive::Task => {}
            SceneDrive::Motion(motion) => {
                entity.insert(MotionPlayer::new(Arc::clone(motion)));
            }
            SceneDrive::Physics => {
                let follow = controller.and_then(|controller| insert_controller(controller, self, &mut entity));
                if let Some(motion) = follow {
                    entity.insert(FollowMotion::new(motion));
                }
            }
            SceneDrive::KinematicRoot(motion) => {
                let follow = controller.and_then(|controller| insert_controller(controller, self, &mut entity));
                let root = FollowMotion::of_root(Arc::clone(motion));
                let follow = follow.map_or(root.clone(), |motion| root.with_joints(motion));
                entity.insert((KinematicRoot::default(), follow));
            }
            SceneDrive::PrescribedJoints(motion) => {
                let prescribed = JointActuation::all(&self.body, Actuation::PrescribedDisplacement);
                entity.insert((prescribed, FollowMotion::new(Arc::clone(motion))));
            }
        }
        entity.id()
    }
}

/// Adds the motion that the joints' servos and tracks follow.
fn insert_controller(
    controller: &SceneController,
    body: &SceneBody,
    entity: &mut EntityWorldMut<'_>,
) -> Option<Arc<BodyMotion>> {
    if let Some(velocities) = &controller.velocities {
        entity.insert(VelocityCommands::new(velocities.clone()));
    }
    if let Some(efforts) = &controller.efforts {
        entity.insert(FeedForward::new(efforts.clone()));
    }
    if controller.gravity_compensation {
        entity.insert(GravityCompensation);
    }
    match &controller.kind {
        ControllerKind::Pd(gains) => {
            // The scene has one pair of gains for each joint, so this cannot fail.
            if let Ok(controller) = PdController::new(&body.body, gains.clone(), controller.reference.clone()) {
                // The controller commands efforts, whatever the model requests.
                entity.insert((controller, JointActuation::all(&body.body, Actuation::Effort)));
            }
            // Efforts do not drive tracks.
            let has_tracks = body.body.links().iter().any(|link| link.joint.kind == JointKind::PseudoContinuousTrack);
            controller.motion.clone().filter(|_| has_tracks)
        }
        ControllerKind::Servo(actuation) => {
            entity.insert(JointActuation(actuation.clone()));
            controller.motion.clone()
        }
        ControllerKind::Process { process, actuation } => {
            entity.insert((ProcessController::new(Arc::clone(process)), JointActuation(actuation.clone())));
            None
        }
    }
}
