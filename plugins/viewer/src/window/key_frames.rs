//! Poses of key frames, and their motion as a file.

use std::path::Path;

use bevy::prelude::*;
use bunraku_body::{BodyModel, BodyState, Drive, JointIndex, kinematics};
use bunraku_motion::{KeyFrame, KeyFrames};
use bunraku_scene::HandAct;
use nalgebra::Isometry3;

use super::apply::hand_on;
use super::pictures::{free_name, make_folder};
use super::state::{OutputFolder, Panels, WindowState};

/// Frame rate of saved motions, Hz.
const RATE: f64 = 100.0;

/// Moves a body into a pose: a dynamic one by the targets of its servos, others at once.
pub fn pose(world: &mut World, body: Entity, root: &Isometry3<f64>, displacements: &[f64]) {
    if !displacements.iter().all(|value| value.is_finite()) {
        return;
    }
    let Some(BodyModel(model)) = world.get::<BodyModel>(body).cloned() else { return };
    if world.get::<Drive>(body) == Some(&Drive::Physics) {
        for (joint, displacement) in displacements.iter().enumerate().take(model.num_joints()) {
            let joint = model.joint_name(JointIndex(joint)).to_owned();
            hand_on(world, body, HandAct::Target { joint, displacement: *displacement });
        }
        return;
    }
    let Some(mut state) = world.get_mut::<BodyState>(body) else { return };
    let BodyState { link_poses, displacements: now, .. } = &mut *state;
    for (value, displacement) in now.iter_mut().zip(displacements) {
        *value = *displacement;
    }
    kinematics::update_link_poses(&model, root, now, link_poses);
}

/// Adds the displayed pose of a body to its key frames.
pub fn add(world: &mut World, body: Entity, time: f64) {
    let Some(state) = world.get::<BodyState>(body) else { return };
    let Some(root) = state.link_poses.first().copied() else { return };
    let frame = KeyFrame { time, root, displacements: state.displacements.clone() };
    let name = name(world, body);
    world.resource_mut::<Panels>().desk.keys.add(&name, frame);
}

/// Writes the motion through key frames to an unused name in the output folder.
pub fn save(world: &mut World, body: Entity, keys: &KeyFrames) {
    let name = format!("{}-keys", name(world, body));
    let path = free_name(&world.resource::<OutputFolder>().0, &name, "seq");
    let notice = match write(world, body, keys, &path) {
        Ok(remark) => format!("written: {}{remark}; drop it onto the window to play it", path.display()),
        Err(reason) => format!("the key frames are not written: {reason}: {}", path.display()),
    };
    world.resource_mut::<WindowState>().say(notice);
}

/// Writes the motion, and returns a remark on displacements that were beyond the ranges of their joints.
fn write(world: &World, body: Entity, keys: &KeyFrames, path: &Path) -> Result<String, String> {
    let Some(BodyModel(model)) = world.get::<BodyModel>(body) else { return Err("the body is gone".to_owned()) };
    let joints = (0..model.num_joints()).map(JointIndex);
    let ranges = joints.map(|joint| match model.joint(joint) {
        Some(joint) => [joint.displacement_range.lower, joint.displacement_range.upper],
        None => [f64::NEG_INFINITY, f64::INFINITY],
    });
    let ranges: Vec<_> = ranges.collect();
    let motion = keys.to_motion(RATE, &ranges).map_err(|error| error.to_string())?;
    make_folder(path).map_err(|error| error.to_string())?;
    motion.save(path).map_err(|error| error.to_string())?;
    let is_beyond = |index: usize| {
        let values = keys.as_slice().iter().filter_map(|frame| frame.displacements.get(index));
        values.into_iter().any(|value| *value < ranges[index][0] || *value > ranges[index][1])
    };
    let beyond: Vec<_> =
        (0..ranges.len()).filter(|index| is_beyond(*index)).map(|index| model.joint_name(JointIndex(index))).collect();
    Ok(match beyond.is_empty() {
        true => String::new(),
        false => format!(" (moved into the range of the joint: {})", beyond.join(", ")),
    })
}

fn name(world: &World, body: Entity) -> String {
    let name = world.get::<Name>(body).map(|name| name.as_str().to_owned());
    name.or_else(|| world.get::<BodyModel>(body).map(|model| model.0.name.clone())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bunraku_motion::BodyMotion;
    use bunraku_test_support::read_links;

    use super::*;
    use crate::view::Speed;

    #[test]
    fn poses_are_saved_as_a_motion_within_the_limits() {
        let links = "  - { name: BASE, joint_type: fixed }
  - { name: ARM, parent: BASE, joint_type: revolute, joint_axis: Y, joint_id: 0, joint_range: [ -90, 90 ], translation: [ 0, 0, 1 ] }
  - { name: TIP, parent: ARM, joint_type: fixed, translation: [ 0, 0, 1 ] }\n";
        let model = Arc::new(read_links(links));
        let folder = tempfile::tempdir().expect("a folder");
        let mut world = World::new();
        world.insert_resource(WindowState { speed: Speed::default(), notice: None });
        world.insert_resource(OutputFolder(folder.path().join("out")));
        world.init_resource::<Panels>();
        let state = BodyState::initial(&model);
        let root = state.link_poses[0];
        let body = world.spawn((BodyModel(model), state, Drive::Static, Name::new("Arm"))).id();
        for (time, angle) in [(0.0, 0.0_f64), (1.0, std::f64::consts::FRAC_PI_2), (2.0, 2.0)] {
            pose(&mut world, body, &root, &[angle]);
            let tip = world.get::<BodyState>(body).expect("a state").link_poses[2].translation.vector;
            assert!((tip - nalgebra::Vector3::new(angle.sin(), 0.0, 1.0 + angle.cos())).norm() < 1e-9, "{tip}");
            add(&mut world, body, time);
        }
        let keys = world.resource::<Panels>().desk.keys.of("Arm").cloned().expect("key frames");
        save(&mut world, body, &keys);
        let said = world.resource::<WindowState>().notice.clone().expect("a notice");
        assert!(said.contains("Arm-keys.seq (moved into the range of the joint: ARM)"), "{said}");
        let motion = BodyMotion::open(folder.path().join("out/Arm-keys.seq")).expect("a motion");
        let joints = motion.joint_displacements.expect("joints");
        let right = std::f64::consts::FRAC_PI_2;
        assert_eq!((joints.num_frames(), joints.frame(0), joints.frame(200)), (201, &[0.0][..], &[right][..]));
        assert!(joints.frames().all(|frame| (0.0..=right).contains(&frame[0])));
        // Nothing that exists is written over.
        save(&mut world, body, &keys);
        assert!(folder.path().join("out/Arm-keys-1.seq").is_file());
        save(&mut world, body, &KeyFrames::default());
        let said = world.resource::<WindowState>().notice.clone().expect("a notice");
        assert!(said.contains("add key frames"), "{said}");
    }
}
