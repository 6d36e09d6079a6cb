//! The parts of the window, combined.

use std::path::PathBuf;

use bevy::asset::AssetEventSystems;
use bevy::camera::CameraUpdateSystems;
use bevy::prelude::*;
use bevy_egui::{EguiPostUpdateSet, EguiPrimaryContextPass};
use bunraku_body::visuals::BodyVisualsPlugin;
use bunraku_simulation::{
    FailOnPanic, Pace, RegisterSimulationState, SimulationStart, SimulationStep, SimulationSystems,
};

use super::moments::{note_moments, rewind_moments};
use super::state::{AtExit, Findings, OutputFolder, Panels, Requests, WindowState};
use super::{apply, clock, files, frame, hand, keep, script};
use crate::camera::{
    Followed, Orbit, Quality, Through, ViewArea, follow_link, look_through, place_camera, spawn_camera,
};
use crate::curves::{CurveLog, record_curves, rewind_curves};
use crate::marks::{
    CollisionLines, ForceLabels, MarkLines, draw_contacts, draw_joint_forces, draw_marks, draw_sight, draw_support,
    draw_trails, mark_gizmos, measure_joints, show_visuals,
};
use crate::panels::Desk;
use crate::stage::{AMBIENT, GroundLines, ShownMarks, draw_ground, ground_gizmos, light_stage};
use crate::timeline::{Timeline, begin, forget_other_bodies, remember};
use crate::view::{Moments, Request, Selected, Speed};

/// A window on the bodies of an app: camera, light, panels, time line, user interaction.
///
/// It needs an app of [`open_window`](super::open_window) and the plugins of bodies, motions, physics and sensors. It
/// changes the simulation by its pace, by snapshots, and by the components that controllers and users have, too.
/// Without user interaction, the recording of a run is bit-identical to that without a window.
#[derive(Clone, Debug)]
pub struct ViewerPlugin {
    /// Initial speed.
    pub speed: Speed,
    /// Whether it runs at once.
    pub runs: bool,
    /// Eye and target of the camera, m; `None`: everything is in view.
    pub camera: Option<[Vec3; 2]>,
    /// Path of the stored layout of the panels; `None`: it is not stored.
    pub layout_file: Option<PathBuf>,
}

impl Default for ViewerPlugin {
    /// Paused, with everything in view; the layout is stored in the user's configuration directory.
    fn default() -> Self {
        Self { speed: Speed::default(), runs: false, camera: None, layout_file: keep::usual_file() }
    }
}

fn do_at_exit(world: &mut World) {
    if !world.resource::<Messages<AppExit>>().is_empty()
        && let Some(work) = world.get_resource_mut::<AtExit>().and_then(|mut work| work.0.take())
    {
        work(world);
    }
}

impl Plugin for ViewerPlugin {
    fn build(&self, app: &mut App) {
        app.add_plugins(BodyVisualsPlugin);
        self.insert_resources(app);
        add_clock(app);
        add_systems(app);
    }
}

impl ViewerPlugin {
    fn insert_resources(&self, app: &mut App) {
        let orbit = self.camera.map_or_else(Orbit::default, |[eye, target]| Orbit::looking(eye, target));
        let mut requests = Vec::new();
        if self.camera.is_none() {
            requests.push(Request::Fit);
        }
        if self.runs {
            requests.push(Request::Run);
        }
        let mut kept = self.layout_file.as_deref().and_then(keep::read).unwrap_or_default();
        if let Some(files) = app.world().get_resource::<files::OpenFiles>() {
            kept.remember(&files.paths);
        }
        app.insert_resource(orbit)
            .insert_resource(Pace::Paused)
            .insert_resource(FailOnPanic)
            .insert_resource(AMBIENT)
            .insert_resource(WindowState { speed: self.speed, notice: None })
            .insert_resource(Panels { desk: Desk { kept, ..default() }, ..default() })
            .insert_resource(keep::LayoutFile(self.layout_file.clone()))
            .insert_resource(frame::FirstRequests(requests))
            .insert_resource(bevy::light::DirectionalLightShadowMap { size: 2048 })
            .init_resource::<Quality>()
            .init_resource::<Requests>()
            .init_resource::<Selected>()
            .init_resource::<Findings>()
            .init_resource::<OutputFolder>()
            .init_resource::<ViewArea>()
            .init_resource::<Followed>()
            .init_resource::<Through>()
            .init_resource::<ForceLabels>()
            .init_resource::<Timeline>()
            .init_resource::<Moments>()
            .init_resource::<CurveLog>()
            .init_resource::<CollisionLines>()
            .init_resource::<ShownMarks>()
            .init_resource::<clock::Timings>()
            .init_resource::<files::OpenFiles>()
            .init_resource::<hand::Grip>()
            .init_resource::<script::Script>()
            .init_gizmo_group::<GroundLines>()
            .init_gizmo_group::<MarkLines>()
            .ignore_simulation_state::<CurveLog>("curves go on with the steps that come")
            .ignore_simulation_state::<Moments>("marks of the time line, which a rewind takes back");
    }
}

/// Measures of the time of steps and pictures.
fn add_clock(app: &mut App) {
    let begun = *app.world_mut().get_resource_or_insert_with(|| clock::Begun(std::time::Instant::now()));
    let drawing = clock::Drawing::default();
    drawing.watch(app);
    app.insert_resource(drawing);
    let first = clock::FirstPicture::default();
    first.watch(app, begun);
    app.insert_resource(first);
}

fn add_systems(app: &mut App) {
    app.add_observer(rewind_curves)
        .add_observer(rewind_moments)
        .add_systems(SimulationStep, (record_curves, note_moments).in_set(SimulationSystems::Record))
        .add_systems(SimulationStart, record_curves.in_set(SimulationSystems::Record));
    app.add_systems(Startup, (spawn_camera, ground_gizmos, mark_gizmos))
        .add_systems(
            PreUpdate,
            (begin, files::take_drops, files::watch, script::act, apply::apply_requests, begin).chain(),
        )
        // Directly around the schedule that runs the steps.
        .add_systems(RunFixedMainLoop, (clock::step_while_drawing, clock::begin_steps).chain())
        .add_systems(SpawnScene, clock::end_steps)
        .add_systems(
            PostUpdate,
            (
                (forget_other_bodies, remember, frame::mind_failures).chain().before(TransformSystems::Propagate),
                (follow_link, place_camera, look_through)
                    .chain()
                    .before(TransformSystems::Propagate)
                    .before(CameraUpdateSystems),
                (light_stage, frame::paint_sky, show_visuals, draw_ground),
                (
                    draw_marks,
                    draw_contacts,
                    draw_joint_forces,
                    measure_joints,
                    draw_sight,
                    draw_support,
                    draw_trails,
                    hand::draw,
                ),
            ),
        )
        // Else letters that are new in a frame would be drawn from the next one on.
        .configure_sets(PostUpdate, EguiPostUpdateSet::PostProcessOutput.before(AssetEventSystems))
        .add_systems(EguiPrimaryContextPass, frame::show_panels)
        .add_systems(Last, (keep::write_on_exit, do_at_exit));
}
