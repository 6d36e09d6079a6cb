//! Execution of requests, by pace, snapshots and components only.

use std::path::Path;

use bevy::prelude::*;
use bunraku_body::{BodyModel, BodyState, Drive, JointIndex, LinkIndex, kinematics};
use bunraku_scene::{HandAct, bring_body, lay_hand};
use bunraku_sensors::{CameraModel, Sensor, SensorEntities, SensorKind, SensorModel};
use bunraku_simulation::{Pace, SimulationStatus};

use super::record::record;
use super::state::{Panels, Requests, SaveRecordings, WindowState};
use super::{files, key_frames, overlay, pictures, save_scene, shapes};
use crate::camera::{Follow, Followed, Orbit, Through, ThroughCamera, ViewArea};
use crate::marks::seen_bounds;
use crate::timeline::{change, pause, restart, run, seek, step};
use crate::view::{FileUse, Request, Selected, Selection, Speed};

/// Executes the requests since the last frame.
pub fn apply_requests(world: &mut World) {
    let requests = std::mem::take(&mut world.resource_mut::<Requests>().0);
    for request in requests {
        apply(world, request);
    }
}

fn apply(world: &mut World, request: Request) {
    match request {
        Request::Run => {
            if *world.resource::<SimulationStatus>() == SimulationStatus::Finished {
                restart(world);
            }
            let speed = world.resource::<WindowState>().speed;
            run(world, speed);
        }
        Request::Pause => pause(world),
        Request::Step => step(world),
        Request::Restart => restart(world),
        Request::SetSpeed(speed) => set_speed(world, speed),
        Request::Seek(step) => seek(world, step),
        Request::Select(selection) => world.resource_mut::<Selected>().0 = selection,
        Request::MoveJoint { body, joint, displacement } => move_joint(world, body, joint.0, displacement),
        Request::Hand { body, act } => hand_on(world, body, act),
        Request::Choose(what) => choose(world, what),
        Request::Open(paths) => files::open(world, &paths),
        Request::Bring(path) => bring(world, &path),
        Request::BringShape { shape, size, mass } => match shapes::write(world, shape, size, mass) {
            Ok(path) => bring(world, &path),
            Err(reason) => world.resource_mut::<WindowState>().say(format!("nothing is added: {reason}")),
        },
        Request::Reload => files::reload(world),
        Request::Record(records) => record(world, records),
        Request::Fit => fit(world),
        Request::LookFrom(side) => world.resource_mut::<Orbit>().look_from(side),
        Request::SetOrthographic(is_orthographic) => world.resource_mut::<Orbit>().is_orthographic = is_orthographic,
        Request::Follow(follows) => follow(world, follows),
        Request::LookThrough(device) => look_through(world, device),
        Request::Pose { body, root, displacements } => key_frames::pose(world, body, &root, &displacements),
        Request::SaveKeyFrames { body, keys } => key_frames::save(world, body, &keys),
        Request::SaveScene(path) => save_scene::save(world, &path),
        Request::Save => save(world),
        Request::TakePicture => pictures::take(world, None),
        Request::LayOver(path) => overlay::lay_over(world, &path),
        Request::ExportPlots => pictures::export_plots(world),
        Request::Quit => {
            world.write_message(AppExit::Success);
        }
    }
}

fn choose(world: &mut World, what: FileUse) {
    let shown = world.get_resource::<files::OpenFiles>().and_then(|files| files.paths.first().cloned());
    world.resource_mut::<Panels>().choice.begin(what, shown.as_deref());
}

fn set_speed(world: &mut World, speed: Speed) {
    world.resource_mut::<WindowState>().speed = speed;
    if matches!(*world.resource::<Pace>(), Pace::RealTime { .. } | Pace::Unpaced) {
        world.insert_resource(speed.pace());
    }
}

fn move_joint(world: &mut World, body: Entity, joint: usize, displacement: f64) {
    if !displacement.is_finite() {
        return;
    }
    if world.get::<Drive>(body) == Some(&Drive::Physics) {
        let name = world.get::<BodyModel>(body).map(|model| model.0.joint_name(JointIndex(joint)).to_owned());
        if let Some(joint) = name {
            hand_on(world, body, HandAct::Target { joint, displacement });
        }
        return;
    }
    let Ok(mut entity) = world.get_entity_mut(body) else { return };
    let Some(BodyModel(model)) = entity.get::<BodyModel>().cloned() else { return };
    let Some(mut state) = entity.get_mut::<BodyState>() else { return };
    if let Some(value) = state.displacements.get_mut(joint) {
        *value = displacement;
    }
    let BodyState { link_poses, displacements, .. } = &mut *state;
    if let Some(root) = link_poses.first().copied() {
        kinematics::update_link_poses(&model, &root, displacements, link_poses);
    }
}

pub fn hand_on(world: &mut World, body: Entity, act: HandAct) {
    if act == HandAct::Take && world.resource::<Selected>().0.is_some_and(|selection| selection.body == body) {
        world.resource_mut::<Selected>().0 = None;
    }
    change(world, |world| lay_hand(world, body, act));
}

/// Adds a body named after its file, above the centre of the view.
fn bring(world: &mut World, path: &Path) {
    let stem = path.file_stem().map_or_else(|| "body".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let known: Vec<String> =
        world.query_filtered::<&Name, With<BodyModel>>().iter(world).map(|name| name.as_str().to_owned()).collect();
    let others = (2..).map(|number| format!("{stem}-{number}"));
    let name = std::iter::once(stem.clone()).chain(others).find(|name| !known.contains(name)).unwrap_or(stem);
    let target = world.resource::<Orbit>().target;
    let translation = [f64::from(target.x), f64::from(target.y), f64::from(target.z.max(0.0)) + DROP];
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let brought = change(world, |world| bring_body(world, &name, path, translation));
    match brought {
        Ok(body) => world.resource_mut::<Selected>().0 = Some(Selection::body(body)),
        Err(reason) => world.resource_mut::<WindowState>().say(format!("`{name}` is not added: {reason}")),
    }
}

/// Height above the camera's target at which a body is added, m.
const DROP: f64 = 0.5;

fn fit(world: &mut World) {
    let selection = world.resource::<Selected>().0;
    let aspect = world.resource::<ViewArea>().aspect();
    let mut bodies = world.query::<(Entity, &BodyModel, &BodyState)>();
    let all: Vec<_> = bodies.iter(world).collect();
    let of_selection = selection.and_then(|selection| {
        let (_, BodyModel(model), state) = all.iter().find(|(entity, ..)| *entity == selection.body)?;
        seen_bounds(model, state, selection.link)
    });
    // Static bodies do not determine the view, unless there are no others.
    let moves = |model: &BodyModel| !model.0.is_fixed() || model.0.num_joints() > 0;
    let bounds = |wanted: &dyn Fn(&BodyModel) -> bool| {
        let boxes = all.iter().filter(|(_, model, _)| wanted(model));
        let boxes = boxes.filter_map(|(_, BodyModel(model), state)| seen_bounds(model, state, None));
        boxes.reduce(bunraku_mesh::BoundingBox::union)
    };
    let Some(bounds) = of_selection.or_else(|| bounds(&moves)).or_else(|| bounds(&|_| true)) else { return };
    let corner = |corner: nalgebra::Point3<f64>| {
        let corner = corner.cast::<f32>();
        Vec3::new(corner.x, corner.y, corner.z)
    };
    world.resource_mut::<Orbit>().fit([corner(bounds.min), corner(bounds.max)], aspect);
}

fn follow(world: &mut World, follows: bool) {
    let of_selection = world.resource::<Selected>().0;
    let of_selection = of_selection.map(|selection| (selection.body, selection.link.unwrap_or(LinkIndex::ROOT)));
    let mut bodies = world.query::<(Entity, &BodyModel, &Drive)>();
    let mut moving: Vec<_> = bodies.iter(world).filter(|(.., drive)| **drive != Drive::Static).collect();
    // A robot on a fixed base is followed if nothing else moves.
    moving.sort_by_key(|(entity, BodyModel(model), _)| (model.is_fixed(), entity.index_u32()));
    let first = moving.first().map(|(entity, ..)| (*entity, LinkIndex::ROOT));
    let found = of_selection.or(first).filter(|_| follows);
    if follows && found.is_none() {
        world.resource_mut::<WindowState>().say("no body moves that the camera could follow");
    }
    world.resource_mut::<Followed>().0 = found.map(|(body, link)| Follow::link(body, link));
}

fn look_through(world: &mut World, device: Option<Selection>) {
    let found = device.and_then(|selection| {
        let index = selection.device?;
        let BodyModel(model) = world.get::<BodyModel>(selection.body)?.clone();
        let device = model.devices.get(index)?;
        let camera = simulated_camera(world, selection.body, index).or_else(|| match Sensor::new(index, device) {
            Ok(Some(Sensor { kind: SensorKind::Camera(camera), .. })) => Some(camera),
            _ => None,
        })?;
        let body = world.get::<Name>(selection.body).map_or(model.name.as_str(), Name::as_str);
        let label = format!("{body} / {}", device.name);
        Some(ThroughCamera { body: selection.body, device: index, link: device.link, label, camera })
    });
    match &found {
        Some(camera) if !camera.is_in_perspective() => {
            let text =
                format!("{}: its lens is displayed in perspective here; Sensors has its own image", camera.label);
            world.resource_mut::<WindowState>().say(text);
        }
        None if device.is_some() => {
            world.resource_mut::<WindowState>().say("this device is no camera that can be simulated")
        }
        _ => {}
    }
    world.resource_mut::<Through>().0 = found;
}

/// The camera of a device as the scene simulates it.
fn simulated_camera(world: &World, body: Entity, device: usize) -> Option<Box<CameraModel>> {
    let sensors = world.get::<SensorEntities>(body)?;
    sensors.iter().find_map(|entity| match world.get::<SensorModel>(entity)?.sensor() {
        Sensor { device: known, kind: SensorKind::Camera(camera), .. } if *known == device => Some(camera.clone()),
        _ => None,
    })
}

fn save(world: &mut World) {
    let Some(SaveRecordings(save)) = world.get_resource::<SaveRecordings>().cloned() else {
        world.resource_mut::<WindowState>().say("nothing is recorded here: `bunraku run SCENE --view` records");
        return;
    };
    let text = save(world);
    world.resource_mut::<WindowState>().say(text);
}
