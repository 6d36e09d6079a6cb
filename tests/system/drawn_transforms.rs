//! Transforms of links, which renderers draw: those of the states of their bodies.

use std::path::Path;
use std::sync::Arc;

use bevy::prelude::*;
use bunraku::body::{LoadOptions, ToBevy, kinematics, spawn_body};
use bunraku::document::Reporter;
use bunraku::physics::RapierPoses;
use bunraku::prelude::*;
use bunraku::simulation::run_steps;

/// Rapier writes the poses of its rigid bodies, which know nothing of a body that was moved by a slider.
#[test]
fn links_of_a_moved_static_body_are_drawn_where_they_are() {
    for poses in [RapierPoses::EveryUpdate, RapierPoses::EveryStep, RapierPoses::Never] {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins)).insert_resource(Pace::Paused);
        app.insert_resource(poses);
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models/arm.body");
        let arm = bunraku::body::load(&file, &LoadOptions::default(), &Reporter::strict()).unwrap();
        let arm = Arc::new(arm);
        let state = BodyState::initial(&arm);
        let entity = spawn_body(&mut app.world_mut().commands(), Arc::clone(&arm), state, Drive::Static);
        app.world_mut().flush();
        run_steps(app.world_mut(), 1);
        app.update();
        for angle in [0.3, 0.6] {
            let mut state = app.world_mut().get_mut::<BodyState>(entity).unwrap();
            state.displacements[1] = angle;
            let (root, displacements) = (state.link_poses[0], state.displacements.clone());
            kinematics::update_link_poses(&arm, &root, &displacements, &mut state.link_poses);
            let expected = state.link_poses.clone();
            // It is drawn there in the next picture, and in those after it.
            for picture in 0..3 {
                app.update();
                let world = app.world();
                for (link, pose) in world.get::<BodyLinks>(entity).unwrap().iter().zip(&expected) {
                    let drawn = world.get::<GlobalTransform>(link).unwrap().compute_transform();
                    let distance = (drawn.translation - pose.to_bevy().translation).length();
                    assert!(distance < 1e-5, "{poses:?}, picture {picture}: {distance} m off");
                }
            }
        }
    }
}
