//! Recordings that are laid over the curves.

use std::path::{Path, PathBuf};

use bevy::prelude::*;
use bunraku_body::BodyModel;
use bunraku_document::Reporter;
use bunraku_motion::{BodyMotion, Channel, channels};

use super::state::{Panels, WindowState};
use crate::curves::Overlay;
use crate::panels::Panel;
use crate::view::Selected;

/// Lays a motion over the curves of its body, or all motions of a directory of results over those of their bodies.
pub fn lay_over(world: &mut World, path: &Path) {
    let notice = match read(world, path) {
        Ok((overlay, left_out)) => {
            let notice = format!("laid over the curves: {}{left_out}", overlay.name);
            let mut panels = world.resource_mut::<Panels>();
            panels.desk.plots.lay_over(overlay);
            panels.desk.open(Panel::Plots);
            notice
        }
        Err(reason) => format!("not laid over the curves: {reason}"),
    };
    world.resource_mut::<WindowState>().say(notice);
}

/// The curves of a recording for the bodies in the window, and a remark on files that are left out.
fn read(world: &mut World, path: &Path) -> Result<(Overlay, String), String> {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    if !path.is_dir() {
        let motion = load(path)?;
        let body = body_of(world, path, &motion)
            .ok_or_else(|| format!("no body here has as many joints as {}: open its model first", path.display()))?;
        let bodies = vec![of_body(world, body, &motion)];
        return Ok((Overlay { name, bodies }, String::new()));
    }
    let (mut bodies, mut left_out) = (Vec::new(), Vec::new());
    for file in motions(path)? {
        match named(world, &stem(&file)) {
            Some(body) => bodies.push(of_body(world, body, &load(&file)?)),
            None => left_out.push(stem(&file)),
        }
    }
    if bodies.is_empty() {
        return Err(format!("there is no motion of a body in the window (BODY.seq) in {}", path.display()));
    }
    let left_out = match left_out.is_empty() {
        true => String::new(),
        false => format!(", without {}, which the window does not show", left_out.join(", ")),
    };
    Ok((Overlay { name, bodies }, left_out))
}

fn load(path: &Path) -> Result<BodyMotion, String> {
    let motion = BodyMotion::load(path, &Reporter::new()).map_err(|error| error.to_string())?;
    let is_empty = motion.joint_displacements.is_none() && motion.link_positions.is_none();
    if is_empty { Err(format!("there are no frames in {}", path.display())) } else { Ok(motion) }
}

/// The motions of a directory, by name.
fn motions(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(directory).map_err(|error| format!("{error}: {}", directory.display()))?;
    let files = entries.flatten().map(|entry| entry.path());
    let mut files: Vec<_> = files.filter(|path| path.extension().is_some_and(|ending| ending == "seq")).collect();
    files.sort();
    Ok(files)
}

fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

fn named(world: &mut World, name: &str) -> Option<Entity> {
    let mut bodies = world.query_filtered::<(Entity, &Name), With<BodyModel>>();
    bodies.iter(world).find(|(_, known)| known.as_str() == name).map(|(entity, _)| entity)
}

/// The body of a motion: that with the name of the file, else the selected one, else the first; with as many joints as
/// the motion.
fn body_of(world: &mut World, path: &Path, motion: &BodyMotion) -> Option<Entity> {
    let joints = motion.joint_displacements.as_ref().map_or(0, |joints| joints.num_parts());
    let selected = world.get_resource::<Selected>().and_then(|selected| selected.0).map(|selection| selection.body);
    let wanted = [named(world, &stem(path)), selected];
    let mut bodies = world.query::<(Entity, &BodyModel)>();
    let mut fitting: Vec<Entity> =
        bodies.iter(world).filter(|(_, model)| model.0.num_joints() == joints).map(|(entity, _)| entity).collect();
    fitting.sort_by_key(|entity| entity.index_u32());
    wanted.into_iter().flatten().find(|body| fitting.contains(body)).or(fitting.first().copied())
}

fn of_body(world: &World, body: Entity, motion: &BodyMotion) -> (String, Vec<Channel>) {
    let model = world.get::<BodyModel>(body);
    let name = world.get::<Name>(body).map(|name| name.as_str().to_owned());
    let name = name.or_else(|| model.map(|model| model.0.name.clone())).unwrap_or_default();
    (name, channels(motion, model.map(|model| &*model.0)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bunraku_body::{BodyState, Drive, JointIndex};
    use bunraku_motion::Sequence;
    use bunraku_test_support::read_links;

    use super::*;
    use crate::curves::{Channel, CurveLog, CurveSource, Quantity};
    use crate::view::{Shown, ShownBody, Speed};

    const LINKS: &str = "  - { name: BASE, joint_type: fixed }
  - { name: ELBOW, parent: BASE, joint_type: revolute, joint_axis: Y, joint_id: 0 }\n";

    fn motion(joints: usize, values: &[f64]) -> BodyMotion {
        let joint_displacements = Some(Sequence::new(10.0, joints, values.to_vec()).expect("frames"));
        BodyMotion { joint_displacements, ..BodyMotion::new(10.0) }
    }

    #[test]
    fn a_recording_and_the_target_are_drawn_beside_the_run() {
        let model = Arc::new(read_links(LINKS));
        let mut world = World::new();
        world.insert_resource(WindowState { speed: Speed::default(), notice: None });
        world.init_resource::<Panels>();
        let of = world.spawn((BodyModel(Arc::clone(&model)), Name::new("Arm"))).id();
        let run = tempfile::tempdir().expect("a folder");
        let [arm, other] = ["Arm.seq", "Ghost.seq"].map(|name| run.path().join(name));
        motion(1, &[0.0, 0.5, 1.0]).save(&arm).expect("written");
        motion(2, &[0.0, 0.5]).save(&other).expect("written");
        let said = |world: &World| world.resource::<WindowState>().notice.clone().unwrap_or_default();
        lay_over(&mut world, run.path());
        assert!(said(&world).contains("without Ghost"), "{}", said(&world));
        lay_over(&mut world, &other);
        assert!(said(&world).contains("as many joints"), "{}", said(&world));
        lay_over(&mut world, &run.path().join("none.seq"));
        assert!(said(&world).contains("none.seq"), "{}", said(&world));

        let plots = &mut world.resource_mut::<Panels>().desk.plots;
        plots.add(Channel { of, quantity: Quantity::Displacement(JointIndex(0)) });
        plots.shows_targets = true;
        let mut log = CurveLog::default();
        for (step, value) in [0.1, 0.2, 0.3].into_iter().enumerate() {
            log.push(of, step as u64, || vec![value, 0.0, f64::NAN, 0.4].into_boxed_slice());
        }
        let state = BodyState::initial(&model);
        let body = ShownBody {
            entity: of,
            name: "Arm".to_owned(),
            model,
            state,
            drive: Drive::Physics,
            actuation: Vec::new(),
            targets: Vec::new(),
            efforts: Vec::new(),
            sensors: Vec::new(),
        };
        let shown = Shown { time_step: 0.1, bodies: vec![body], ..Shown::default() };
        let curves = plots.curves(&shown, &log, 100);
        let found: Vec<_> = curves.iter().map(|curve| (curve.source, curve.title(), curve.points[1])).collect();
        let folder = run.path().file_name().expect("a name").to_string_lossy().into_owned();
        let expected = [
            (CurveSource::Run, "ELBOW [rad]".to_owned(), [0.1, 0.2]),
            (CurveSource::Target, "ELBOW target [rad]".to_owned(), [0.1, 0.4]),
            (CurveSource::Recording(0), format!("ELBOW ({folder}) [rad]"), [0.1, 0.5]),
        ];
        assert_eq!(found, expected);
    }
}
