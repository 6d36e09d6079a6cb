//! An arm with a window: a slider for each joint, by egui.
//!
//! Look at: servos hold the joints at `JointTargets`, which the sliders change. The arm falls into place by forces, and
//! bends under its weight.
//!
//! `cargo run --features viewer --example joint_sliders`

use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::prelude::*;
use bunraku::body::visuals::BodyVisualsPlugin;
use bunraku::prelude::*;
use bunraku::viewer::bevy_egui::{EguiContexts, EguiPlugin, EguiPrimaryContextPass, egui};
use bunraku::viewer::window::PictureAndExit;

fn main() -> AppExit {
    let mut app = App::new();
    app.add_plugins((DefaultPlugins, EguiPlugin::default(), SandboxPlugins, BodyVisualsPlugin))
        .add_systems(Startup, setup)
        .add_systems(EguiPrimaryContextPass, show_sliders);
    if let Some(path) = std::env::args_os().nth(1) {
        app.add_plugins(PictureAndExit { path: path.into(), seconds: 2.0 });
    }
    app.run()
}

fn setup(mut commands: Commands) -> Result {
    let model = BodyModel::open("assets/models/arm.body")?;
    let servos = JointActuation::all(&model.0, Actuation::Displacement { stiffness: 2e4, damping: 200.0 });
    commands.spawn((model, servos));
    commands.spawn((DirectionalLight::default(), Transform::from_xyz(2.0, -2.0, 4.0).looking_at(Vec3::ZERO, Vec3::Z)));
    let eye = Transform::from_xyz(1.6, -1.6, 1.2);
    commands.spawn((Camera3d::default(), Tonemapping::AcesFitted, eye.looking_at(Vec3::new(0.0, 0.0, 0.4), Vec3::Z)));
    Ok(())
}

fn show_sliders(mut contexts: EguiContexts, mut robots: Query<Robot>) -> Result {
    let context = contexts.ctx_mut()?;
    for mut robot in &mut robots {
        let model = robot.model.0.clone();
        egui::Window::new(&model.name).show(context, |ui| {
            for (index, _) in model.indexed_joints() {
                let Some(joint) = model.joint(index) else { continue };
                let range = joint.displacement_range;
                let mut target = robot.targets.displacements[index.0];
                let slider = egui::Slider::new(&mut target, range.lower..=range.upper).text(model.joint_name(index));
                if ui.add(slider).changed() {
                    robot.set_target(index, target);
                }
            }
        });
    }
    Ok(())
}
