//! The scene file with the bodies where they are.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bevy::prelude::*;
use bunraku_body::{BodyModel, BodyState, Drive, JointKind};
use bunraku_document::{Limits, Reporter, SourceFile, Value, write_atomically, yaml::Document};
use bunraku_scene::{HandAct, HandNotes};
use nalgebra::Isometry3;

use super::files::OpenFiles;
use super::scene_text::{Edits, Text};
use super::state::WindowState;

/// A body as it is now.
#[derive(Clone, Debug)]
struct Placed {
    name: String,
    root: Isometry3<f64>,
    /// Pose and displacements that a scene without these keys gives it.
    usual: (Isometry3<f64>, Vec<f64>),
    /// Names, displacements, rad or m, and whether they are angles.
    joints: Vec<(String, f64, bool)>,
    /// The model file of a body that was added.
    file: Option<PathBuf>,
    /// Whether a motion determines where it is.
    is_played: bool,
}

/// Writes the scene to a file beside it.
pub fn save(world: &mut World, path: &Path) {
    let notice = match write(world, path) {
        Ok(()) => format!("written: {}", path.display()),
        Err(reason) => format!("the scene is not written: {reason}"),
    };
    world.resource_mut::<WindowState>().say(notice);
}

fn write(world: &mut World, path: &Path) -> Result<(), String> {
    let [scene] = &world.resource::<OpenFiles>().paths[..] else {
        return Err(
            "only a scene file can be saved: `bunraku convert MODEL X.scene.yaml` makes one of a model".to_owned()
        );
    };
    let scene = scene.clone();
    if !scene.extension().is_some_and(|ending| ending == "yaml" || ending == "yml") {
        return Err(format!("only a scene file (.scene.yaml) can be saved, and this is {}", scene.display()));
    }
    let folder = |path: &Path| std::path::absolute(path).ok().and_then(|path| path.parent().map(Path::to_owned));
    if folder(&scene) != folder(path) {
        let folder = folder(&scene).unwrap_or_default();
        return Err(format!("its file names are relative to {}: save it there", folder.display()));
    }
    let reporter = Reporter::new();
    let source = SourceFile::read(&scene, &Limits::default(), &reporter).map_err(|error| error.to_string())?;
    let text = with_places(&source, &placed(world))?;
    write_atomically(path, |file| std::io::Write::write_all(file, text.as_bytes())).map_err(|error| error.to_string())
}

/// The bodies of the window.
fn placed(world: &mut World) -> Vec<Placed> {
    let notes = world.get_resource::<HandNotes>().map(|notes| notes.0.clone()).unwrap_or_default();
    let file = |name: &str| {
        notes.iter().rev().find_map(|note| match &note.act {
            HandAct::Bring { file, .. } if note.body == name => Some(file.clone()),
            _ => None,
        })
    };
    let mut bodies = world.query::<(Entity, &Name, &BodyModel, &BodyState, &Drive)>();
    let mut all: Vec<_> = bodies.iter(world).collect();
    all.sort_by_key(|(entity, ..)| entity.index_u32());
    let placed = all.into_iter().filter_map(|(_, name, BodyModel(model), state, drive)| {
        let joints = model.indexed_joints().zip(&state.displacements).map(|((joint, _), value)| {
            let turns = model.joint(joint).is_some_and(|joint| joint.kind == JointKind::Revolute);
            (model.joint_name(joint).to_owned(), *value, turns)
        });
        Some(Placed {
            name: name.as_str().to_owned(),
            root: *state.link_poses.first()?,
            usual: (model.root().offset, model.initial_displacements()),
            joints: joints.collect(),
            file: file(name.as_str()),
            is_played: *drive == Drive::Motion,
        })
    });
    placed.collect()
}

/// The text of a scene with its bodies where they are; all else, comments with it, stays. Bodies that are gone are
/// removed, and those that were added are appended.
fn with_places(source: &Arc<SourceFile>, bodies: &[Placed]) -> Result<String, String> {
    let document = Document::parse(source, &Limits::default(), &Reporter::new()).map_err(|error| error.to_string())?;
    let entries = document.root().get("bodies").ok_or("it has no `bodies`")?;
    let items: Vec<Value<'_>> = entries.items().ok_or("`bodies` is no list")?.collect();
    let text = Text(source.text());
    let mut edits = Edits::new();
    let mut known = Vec::new();
    for item in &items {
        // Copies have names of their own; where they are is in one entry.
        let Some(name) = item.get("name").and_then(Value::text).filter(|_| item.get("count").is_none()) else {
            continue;
        };
        known.push(name);
        match bodies.iter().find(|body| body.name == name) {
            Some(body) if body.is_played => {}
            Some(body) => edit_entry(&text, *item, body, &mut edits)?,
            None => edits.push(
                text.lines_of(*item).ok_or_else(|| format!("`{name}` cannot be removed from a list in one line"))?,
            ),
        }
    }
    let added = bodies.iter().filter(|body| !known.contains(&body.name.as_str()));
    let directory = source.directory();
    let added: Vec<String> = added.filter_map(|body| new_entry(body, &directory)).collect();
    if let (false, Some(last)) = (added.is_empty(), items.last()) {
        let (dash, end) = text.dash_and_end(*last).ok_or("a list of bodies in one line cannot be extended")?;
        let lines = added.iter().map(|entry| format!("{}- {entry}\n", " ".repeat(dash)));
        let begin = if source.text()[..end].ends_with('\n') { "" } else { "\n" };
        edits.push((end, end, format!("{begin}{}", lines.collect::<String>())));
    }
    text.changed(edits).ok_or_else(|| "entries of bodies overlap".to_owned())
}

/// Sets the keys of an entry that are not as the body is.
fn edit_entry(text: &Text<'_>, item: Value<'_>, body: &Placed, edits: &mut Edits) -> Result<(), String> {
    let numbers = |key: &str| {
        let items = item.get(key)?.items()?;
        items.map(|value| value.text()?.parse().ok()).collect::<Option<Vec<f64>>>()
    };
    let usual = &body.usual.0;
    let before = numbers("translation").unwrap_or_else(|| usual.translation.vector.iter().copied().collect());
    let now = body.root.translation.vector;
    let mut new = Vec::new();
    if before.len() != 3 || before.iter().zip(now.iter()).any(|(a, b)| (a - b).abs() > SAME) {
        new.push(("translation", list(now.iter().copied())));
    }
    let before = match numbers("rotation").as_deref() {
        Some([x, y, z, degrees]) => {
            let axis = nalgebra::Vector3::new(*x, *y, *z).try_normalize(0.0).unwrap_or_default();
            nalgebra::UnitQuaternion::from_scaled_axis(axis * degrees.to_radians())
        }
        _ => usual.rotation,
    };
    if before.angle_to(&body.root.rotation) > SAME {
        new.push(("rotation", rotation(&body.root)));
    }
    if !are_displaced_so(item.get("joint_displacements"), body) {
        new.push(("joint_displacements", displacements(body)));
    }
    let mut missing = Vec::new();
    for (key, value) in new {
        match item.get(key).filter(|value| text.is_within(*value, item)) {
            Some(old) => edits.push(
                text.flow(old)
                    .map(|(from, to)| (from, to, value))
                    .ok_or_else(|| format!("write `{key}` of `{}` in one line, in brackets", body.name))?,
            ),
            None => missing.push(format!("{key}: {value}")),
        }
    }
    if !missing.is_empty() {
        edits.push(
            text.insertion(item, &missing).ok_or_else(|| format!("the entry of `{}` cannot be changed", body.name))?,
        );
    }
    Ok(())
}

/// Whether the displacements of an entry, degrees or m, are those of the body.
fn are_displaced_so(value: Option<Value<'_>>, body: &Placed) -> bool {
    let mut joints = body.joints.iter().zip(&body.usual.1).enumerate();
    joints.all(|(index, ((name, now, turns), usual))| {
        let written = value.and_then(|value| value.get(name).or_else(|| value.items()?.nth(index)));
        let written: Option<f64> = written.and_then(|value| value.text()?.parse().ok());
        let before = written.map_or(*usual, |value| if *turns { value.to_radians() } else { value });
        (before - now).abs() <= SAME
    })
}

/// Differences below this are rounding, m and rad.
const SAME: f64 = 1e-6;

fn new_entry(body: &Placed, directory: &Path) -> Option<String> {
    let file = body.file.as_ref()?;
    let directory = std::path::absolute(directory).ok()?;
    let file = file.strip_prefix(&directory).unwrap_or(file).display().to_string().replace('\'', "''");
    let place = list(body.root.translation.vector.iter().copied());
    let joints = match body.joints.is_empty() {
        true => String::new(),
        false => format!(", joint_displacements: {}", displacements(body)),
    };
    let (name, rotation) = (body.name.replace('\'', "''"), rotation(&body.root));
    Some(format!("{{ name: '{name}', file: '{file}', translation: {place}, rotation: {rotation}{joints} }}"))
}

/// A number with six decimals at most.
fn number(value: f64) -> String {
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

fn list(values: impl Iterator<Item = f64>) -> String {
    format!("[ {} ]", values.map(number).collect::<Vec<_>>().join(", "))
}

/// Axis and degrees.
fn rotation(pose: &Isometry3<f64>) -> String {
    let (axis, angle) =
        pose.rotation.axis_angle().map_or((nalgebra::Vector3::z(), 0.0), |(axis, angle)| (*axis, angle));
    list(axis.iter().copied().chain([angle.to_degrees()]))
}

fn displacements(body: &Placed) -> String {
    let joint = |(name, value, turns): &(String, f64, bool)| {
        format!("'{}': {}", name.replace('\'', "''"), number(if *turns { value.to_degrees() } else { *value }))
    };
    format!("{{ {} }}", body.joints.iter().map(joint).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use bunraku_scene::{Scene, SceneOptions};
    use nalgebra::Vector3;

    use super::*;

    const SCENE: &str = "# A scene.
format: BunrakuScene
format_version: 1
bodies:
  - name: Box        # falls
    file: box.body   # a crate
    translation: [ 0, 0, 1 ]   # m
    controller: { type: servo }
  # two more
  - { name: Arm, file: arm.body, joint_displacements: { ELBOW: 10 } }   # on the table
  - { name: Gone, file: box.body }
  - { name: Floor, file: floor.body, drive: static }
record: { links: root }   # the end
";

    fn placed(name: &str, root: Isometry3<f64>, joints: &[(&str, f64, bool)]) -> Placed {
        let joints: Vec<_> = joints.iter().map(|(name, value, turns)| ((*name).to_owned(), *value, *turns)).collect();
        let usual = (Isometry3::identity(), vec![0.0; joints.len()]);
        Placed { name: name.to_owned(), root, usual, joints, file: None, is_played: false }
    }

    fn scene() -> Vec<Placed> {
        let right = std::f64::consts::FRAC_PI_2;
        vec![
            placed("Box", Isometry3::new(Vector3::new(0.5, -0.25, 0.1), Vector3::z() * right), &[]),
            placed("Arm", Isometry3::identity(), &[("ELBOW", right, true), ("SLIDE", 0.25, false)]),
            placed("Floor", Isometry3::identity(), &[]),
        ]
    }

    #[test]
    fn only_what_has_moved_changes_and_comments_stay() {
        let source = SourceFile::from_text("/scenes/x.scene.yaml", SCENE);
        let mut bodies = scene();
        let added = placed("New's", Isometry3::translation(1.0, 2.0, 3.0), &[]);
        bodies.push(Placed { file: Some("/scenes/models/box.body".into()), ..added });
        let expected = "# A scene.
format: BunrakuScene
format_version: 1
bodies:
  - name: Box        # falls
    rotation: [ 0, 0, 1, 90 ]
    file: box.body   # a crate
    translation: [ 0.5, -0.25, 0.1 ]   # m
    controller: { type: servo }
  # two more
  - { name: Arm, file: arm.body, joint_displacements: { 'ELBOW': 90, 'SLIDE': 0.25 } }   # on the table
  - { name: Floor, file: floor.body, drive: static }
  - { name: 'New''s', file: 'models/box.body', translation: [ 1, 2, 3 ], rotation: [ 0, 0, 1, 0 ] }
record: { links: root }   # the end
";
        let found = with_places(&source, &bodies).expect("a scene");
        assert_eq!(found, expected);
        // The file has the poses of the bodies now: nothing more to change.
        let again = SourceFile::from_text("/scenes/y.scene.yaml", found.as_str());
        assert_eq!(with_places(&again, &bodies).expect("a scene"), found);
    }

    #[test]
    fn a_flow_entry_gets_the_keys_it_lacks() {
        let text = "bodies:\n  - { name: Box, file: box.body }\n  - name: Last\n    file: box.body";
        let source = SourceFile::from_text("/x.yaml", text);
        let pose = Isometry3::translation(0.0, 0.0, 2.0);
        let bodies = [placed("Box", pose, &[]), placed("Last", pose, &[])];
        let expected = "bodies:\n  - { name: Box, file: box.body, translation: [ 0, 0, 2 ] }\n  - name: Last\n    translation: [ 0, 0, 2 ]\n    file: box.body";
        assert_eq!(with_places(&source, &bodies).expect("a scene"), expected);
        // A body that plays a motion is where the motion begins.
        let played = [placed("Box", Isometry3::identity(), &[]), Placed { is_played: true, ..bodies[1].clone() }];
        assert_eq!(with_places(&source, &played).expect("a scene"), text);
    }

    #[test]
    fn a_saved_scene_begins_where_the_bodies_are() {
        let folder = tempfile::tempdir().expect("a folder");
        let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/models");
        let models = models.canonicalize().expect("the models of the project");
        let [scene, copy] = ["a.scene.yaml", "b.scene.yaml"].map(|name| folder.path().join(name));
        let text = format!(
            "format: BunrakuScene\nformat_version: 1   # kept\nbodies:\n  - {{ name: Box, file: '{0}/box.body' }}\n  - name: Arm\n    file: '{0}/arm.body'\n",
            models.display()
        );
        std::fs::write(&scene, &text).expect("written");
        let load = |path: &Path| {
            let reporter = Reporter::strict();
            let scene = Scene::load(path, &SceneOptions::default(), &reporter);
            scene.unwrap_or_else(|| panic!("{:?}", reporter.diagnostics()))
        };
        let mut world = World::new();
        world.insert_resource(WindowState { speed: crate::view::Speed::default(), notice: None });
        world.insert_resource(OpenFiles::new(vec![scene.clone()], Vec::new()));
        let pose = Isometry3::new(Vector3::new(0.1, 0.2, 0.75), Vector3::new(0.3, -0.2, 0.9));
        let mut states = Vec::new();
        for body in load(&scene).bodies {
            let displacements = (0..body.body.num_joints()).map(|joint| 0.005 * joint as f64).collect();
            let state = BodyState::at_rest(&body.body, &pose, displacements);
            world.spawn((BodyModel(body.body), state.clone(), Drive::Physics, Name::new(body.name)));
            states.push(state);
        }
        save(&mut world, &copy);
        let said = world.resource::<WindowState>().notice.clone().expect("a notice");
        assert!(said.starts_with("written"), "{said}");
        assert_eq!(std::fs::read_to_string(&scene).expect("a scene"), text);
        assert!(std::fs::read_to_string(&copy).expect("a scene").contains("# kept"));
        for (body, state) in load(&copy).bodies.iter().zip(&states) {
            let difference = body.initial.link_poses[0].inverse() * state.link_poses[0];
            assert!(difference.translation.vector.norm() < 1e-5 && difference.rotation.angle() < 1e-5, "{}", body.name);
            let values = body.initial.displacements.iter().zip(&state.displacements);
            assert!(values.clone().all(|(a, b)| (a - b).abs() < 1e-6), "{}", body.name);
        }
        save(&mut world, &std::env::temp_dir().join("elsewhere.scene.yaml"));
        let said = world.resource::<WindowState>().notice.clone().expect("a notice");
        assert!(said.contains("relative to"), "{said}");
    }

    #[test]
    fn what_cannot_be_edited_is_refused() {
        let refused = |text: &str, bodies: &[Placed]| {
            with_places(&SourceFile::from_text("/x.yaml", text), bodies).expect_err("an error")
        };
        let moved = [placed("Box", Isometry3::translation(1.0, 0.0, 0.0), &[])];
        let in_lines = "bodies:\n  - name: Box\n    translation:\n      - 0\n      - 0\n      - 0\n";
        assert!(refused(in_lines, &moved).contains("in brackets"));
        assert!(refused("bodies: [ { name: Gone } ]", &[]).contains("`Gone` cannot be removed"));
        assert!(refused("format: x", &moved).contains("bodies"));
    }
}
