//! A slide on a rail, and an app that makes steps of 0.1 s.

use std::sync::Arc;

use bevy::prelude::*;
use bunraku_body::{Body, BodyPlugin, BodyState, Drive, JointEfforts, JointTargets, spawn_body};
use bunraku_control::ControlPlugin;
use bunraku_motion::{BodyMotion, Sequence};
use bunraku_simulation::{Pace, SimulationPlugin, run_steps};
use bunraku_test_support::read_links;

/// Length of a step, s.
pub const TIME_STEP: f64 = 0.1;

/// A fixed base with a prismatic joint that moves at most at 1 m/s.
pub fn slide() -> Arc<Body> {
    Arc::new(read_links(
        "  - { name: BASE, joint_type: fixed }\n  - { name: SLIDE, parent: BASE, joint_type: prismatic, joint_axis: X, joint_id: 0, \
         mass: 1, inertia: [ 1, 0, 0, 0, 1, 0, 0, 0, 1 ], joint_velocity_range: [ -1, 1 ], joint_range: [ -2, 2 ] }\n",
    ))
}

/// Displacements of the slide, one each 0.1 s.
pub fn motion(displacements: &[f64]) -> BodyMotion {
    let mut motion = BodyMotion::new(10.0);
    motion.joint_displacements = Some(Sequence::new(10.0, 1, displacements.to_vec()).unwrap());
    motion
}

/// Values over time, one each 0.1 s.
pub fn sequence(values: &[f64]) -> Sequence<f64> {
    Sequence::new(10.0, 1, values.to_vec()).unwrap()
}

pub struct Stage {
    pub app: App,
    pub body: Entity,
}

impl Stage {
    pub fn new(components: impl Bundle) -> Self {
        let mut app = App::new();
        let simulation = SimulationPlugin { time_step: TIME_STEP, pace: Pace::Paused };
        app.add_plugins((MinimalPlugins, TransformPlugin, simulation, BodyPlugin, ControlPlugin));
        let body = slide();
        let state = BodyState::initial(&body);
        let entity = spawn_body(&mut app.world_mut().commands(), body, state, Drive::Physics);
        app.world_mut().flush();
        app.world_mut().entity_mut(entity).insert(components);
        Self { app, body: entity }
    }

    pub fn step(&mut self) {
        run_steps(self.app.world_mut(), 1);
    }

    /// Moves the slide, as physics would.
    pub fn place(&mut self, displacement: f64) {
        self.app.world_mut().get_mut::<BodyState>(self.body).unwrap().displacements[0] = displacement;
    }

    /// The commanded effort after another step, N.
    pub fn next_effort(&mut self) -> f64 {
        self.step();
        self.app.world().get::<JointEfforts>(self.body).unwrap().0[0]
    }

    /// The target after another step: displacement (m) and velocity (m/s).
    pub fn next_target(&mut self) -> [f64; 2] {
        self.step();
        let targets = self.app.world().get::<JointTargets>(self.body).unwrap();
        [targets.displacements[0], targets.velocities[0]]
    }
}

/// Asserts that numbers are equal but for rounding.
#[track_caller]
pub fn assert_near(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?} instead of {expected:?}");
}
