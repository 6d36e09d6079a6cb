//! A rover in a scene of your own, with a window: the arrow keys drive it.
//!
//! Look at: bodies are entities like any other, beside Bevy's meshes and lights. `BodyVisualsPlugin` draws them, the
//! body's `Transform` follows its root, and `Query<Robot>` commands its joints by name. +Z is up. Dragging the mouse
//! turns the camera, the wheel zooms.
//!
//! `cargo run --features viewer --example drive_with_keys`

use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::input::mouse::{AccumulatedMouseMotion, AccumulatedMouseScroll};
use bevy::prelude::*;
use bunraku::body::visuals::BodyVisualsPlugin;
use bunraku::prelude::*;
use bunraku::viewer::window::PictureAndExit;

#[derive(Component)]
struct Rover;

fn main() -> AppExit {
    let mut app = App::new();
    app.add_plugins((DefaultPlugins, SandboxPlugins, BodyVisualsPlugin))
        .add_systems(Startup, setup)
        .add_systems(Update, orbit)
        .add_systems(SimulationStep, drive.in_set(SimulationSystems::Control));
    if let Some(path) = std::env::args_os().nth(1) {
        app.add_plugins(PictureAndExit { path: path.into(), seconds: 2.0 });
    }
    app.run()
}

fn setup(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut looks: ResMut<Assets<StandardMaterial>>,
) -> Result {
    let model = BodyModel::open("assets/models/rover.body")?;
    let wheels = JointActuation::all(&model.0, Actuation::Velocity { damping: 1.0 });
    commands.spawn((Rover, model, wheels));
    commands.spawn((BodyModel::open("assets/models/floor.body")?, Drive::Static));
    commands.spawn((
        Mesh3d(meshes.add(Torus::new(0.1, 0.3))),
        MeshMaterial3d(looks.add(Color::srgb(0.8, 0.3, 0.1))),
        Transform::from_xyz(0.8, 0.6, 0.1).with_rotation(Quat::from_rotation_x(std::f32::consts::FRAC_PI_2)),
    ));
    commands.spawn((DirectionalLight::default(), Transform::from_xyz(1.0, -2.0, 4.0).looking_at(Vec3::ZERO, Vec3::Z)));
    commands.spawn((
        Camera3d::default(),
        Tonemapping::AcesFitted,
        Transform::from_xyz(-1.2, -1.2, 1.0).looking_at(Vec3::ZERO, Vec3::Z),
    ));
    Ok(())
}

fn drive(keys: Res<ButtonInput<KeyCode>>, mut rovers: Query<Robot, With<Rover>>) -> Result {
    let axis = |plus, minus| f64::from(keys.pressed(plus)) - f64::from(keys.pressed(minus));
    let ahead = 8.0 * axis(KeyCode::ArrowUp, KeyCode::ArrowDown);
    let turn = 4.0 * axis(KeyCode::ArrowLeft, KeyCode::ArrowRight);
    for mut rover in &mut rovers {
        for (name, speed) in [("WHEEL_L", ahead - turn), ("WHEEL_R", ahead + turn)] {
            let wheel = rover.joint(name)?;
            rover.set_target_velocity(wheel, speed); // rad/s
        }
    }
    Ok(())
}

/// Turns the camera about the rover, which stays in the middle.
fn orbit(
    buttons: Res<ButtonInput<MouseButton>>,
    motion: Res<AccumulatedMouseMotion>,
    scroll: Res<AccumulatedMouseScroll>,
    rover: Single<&BodyState, With<Rover>>,
    mut camera: Single<&mut Transform, With<Camera3d>>,
    mut target: Local<Vec3>,
) {
    let now = rover.link_poses[0].translation.vector.to_bevy();
    camera.translation += now - std::mem::replace(&mut *target, now);
    if buttons.pressed(MouseButton::Left) {
        let pitch = Quat::from_axis_angle(*camera.right(), -0.005 * motion.delta.y);
        camera.rotate_around(now, Quat::from_rotation_z(-0.005 * motion.delta.x) * pitch);
    }
    camera.translation = now + (camera.translation - now) * 0.9_f32.powf(scroll.delta.y);
    camera.look_at(now, Vec3::Z);
}
