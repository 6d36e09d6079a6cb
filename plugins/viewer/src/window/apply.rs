//! What panels ask for, done to the world: by pace, snapshots, components and nothing else.

use bevy::prelude::*;
use bunraku_body::{BodyModel, BodyState, Drive, JointIndex, kinematics};
use bunraku_control::{HandAct, lay_hand};
use bunraku_simulation::{Pace, SimulationStatus};

use super::pictures;
use super::state::{Requests, SaveRecordings, WindowState};
use crate::camera::{Orbit, ViewArea};
use crate::marks::seen_bounds;
use crate::timeline::{pause, restart, run, seek, step};
use crate::view::{Request, Selected, Speed};

/// Does what was asked for since the last picture.
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
        Request::Fit => fit(world),
        Request::Save => save(world),
        Request::TakePicture => pictures::take(world, None),
        Request::ExportPlots => pictures::export_plots(world),
        Request::Quit => {
            world.write_message(AppExit::Success);
        }
    }
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
            lay_hand(world, body, HandAct::Target { joint, displacement });
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

fn fit(world: &mut World) {
    let selection = world.resource::<Selected>().0;
    let aspect = world.resource::<ViewArea>().aspect();
    let mut bodies = world.query::<(Entity, &BodyModel, &BodyState)>();
    let all: Vec<_> = bodies.iter(world).collect();
    let of_selection = selection.and_then(|selection| {
        let (_, BodyModel(model), state) = all.iter().find(|(entity, ..)| *entity == selection.body)?;
        seen_bounds(model, state, selection.link)
    });
    // A floor is no reason to stand back, unless there is nothing else.
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

fn save(world: &mut World) {
    let Some(SaveRecordings(save)) = world.get_resource::<SaveRecordings>().cloned() else {
        world.resource_mut::<WindowState>().say("nothing is recorded here: `bunraku run SCENE --view` records");
        return;
    };
    let text = save(world);
    world.resource_mut::<WindowState>().say(text);
}
