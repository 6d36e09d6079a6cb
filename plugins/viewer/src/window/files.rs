//! Files: opened by drag and drop or by name, and reloaded when they change on the disk.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use bevy::prelude::*;
use bevy::window::FileDragAndDrop;
use bunraku_body::{BodyModel, BodyState, Drive, kinematics};
use bunraku_document::{Diagnostic, Severity};
use bunraku_physics::ExtraJointBetween;
use bunraku_scene::{HandNotes, HandScript};
use bunraku_simulation::{
    Pace, RecordingRewind, SimulationSnapshot, SimulationStatus, SimulationWarnings, SnapshotError, StopAfter,
    run_steps,
};

use super::record::record;
use super::state::{Findings, IsRecording, Panels, Requests, WindowState};
use crate::camera::Orbit;
use crate::curves::{Channel, CurveLog};
use crate::panels::Panel;
use crate::timeline::Timeline;
use crate::view::{Moments, Request, Selected, Selection};

type Spawn = Box<dyn FnOnce(&mut World) + Send>;
type Load = dyn Fn(&[PathBuf], &[PathBuf]) -> Loaded + Send + Sync;

/// Loader of files. Without it the window shows the content of its world.
#[derive(Resource, Clone)]
pub struct FileOpener(pub Arc<Load>);

/// Loaded files, and what to do with them.
pub struct Loaded {
    /// Files displayed afterwards; a motion is applied to the model that is displayed already.
    pub paths: Vec<PathBuf>,
    /// All files that were read.
    pub sources: Vec<PathBuf>,
    /// Findings.
    pub findings: Vec<Diagnostic>,
    /// Initial eye and target of the camera, m; `None`: everything is in view.
    pub camera: Option<[Vec3; 2]>,
    /// Spawns their content in an empty world; `None` if there is nothing to show.
    pub spawn: Option<Spawn>,
}

/// Displayed files.
#[derive(Resource, Clone, Debug, Default)]
pub struct OpenFiles {
    /// Paths as given by the user.
    pub paths: Vec<PathBuf>,
    /// All files that were read, with their modification times.
    sources: Vec<(PathBuf, Option<SystemTime>)>,
    looked: Option<Instant>,
    /// Time since which a file has been changing: it is read when it stops changing.
    is_changing: bool,
}

/// State of the simulation before anything was added; restored when other files are opened.
#[derive(Resource, Clone)]
pub struct EmptySimulation(SimulationSnapshot);

/// Interval of the checks for changes on the disk.
const INTERVAL: Duration = Duration::from_millis(500);

impl OpenFiles {
    /// These files, with their current modification times.
    pub fn new(paths: Vec<PathBuf>, sources: Vec<PathBuf>) -> Self {
        let sources = sources.into_iter().map(|path| (path.clone(), changed(&path))).collect();
        Self { paths, sources, ..Self::default() }
    }
}

impl EmptySimulation {
    /// Stores a world that has its plugins, but no bodies yet.
    ///
    /// # Errors
    /// If a snapshot of it cannot be taken.
    pub fn take(world: &mut World) -> Result<Self, SnapshotError> {
        SimulationSnapshot::take(world).map(Self)
    }
}

fn changed(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|data| data.modified()).ok()
}

/// Opens files that are dropped onto the window.
pub fn take_drops(mut drops: MessageReader<FileDragAndDrop>, mut requests: ResMut<Requests>) {
    let dropped = drops.read().filter_map(|drop| match drop {
        FileDragAndDrop::DroppedFile { path_buf, .. } => Some(path_buf.clone()),
        _ => None,
    });
    let files: Vec<_> = dropped.collect();
    if !files.is_empty() {
        requests.0.push(Request::Open(files));
    }
}

/// Reloads files that have changed on the disk, once they stop changing.
pub fn watch(mut files: ResMut<OpenFiles>, mut requests: ResMut<Requests>) {
    let now = Instant::now();
    if files.looked.is_some_and(|looked| now - looked < INTERVAL) {
        return;
    }
    files.looked = Some(now);
    let mut is_changing = false;
    for (path, known) in &mut files.sources {
        let found = changed(path);
        // Editors replace files, so a file may be missing for a moment.
        if found.is_some() && found != *known {
            *known = found;
            is_changing = true;
        }
    }
    if std::mem::replace(&mut files.is_changing, is_changing) && !is_changing {
        requests.0.push(Request::Reload);
    }
}

/// Shows other files.
pub fn open(world: &mut World, new: &[PathBuf]) {
    let Some(FileOpener(load)) = world.get_resource::<FileOpener>().cloned() else {
        return world
            .resource_mut::<WindowState>()
            .say("this run is recorded to its end: `bunraku view` opens one file after the other");
    };
    let current = world.resource::<OpenFiles>().paths.clone();
    let mut loaded = load(&current, new);
    if let Some(spawn) = loaded.spawn.take() {
        let camera = loaded.camera;
        let names: Vec<_> = loaded.paths.iter().map(|path| path.display().to_string()).collect();
        if replace(world, spawn) {
            world.resource_mut::<WindowState>().say(format!("opened: {}", names.join(", ")));
            look(world, camera);
            world.resource_mut::<Selected>().0 = None;
            let mut panels = world.resource_mut::<Panels>();
            panels.desk.plots.channels.clear();
            panels.desk.plots.overlays.clear();
            panels.desk.kept.remember(&loaded.paths);
        }
        world.insert_resource(OpenFiles::new(loaded.paths.clone(), loaded.sources.clone()));
    }
    tell(world, loaded);
}

/// Places the camera as the files say, or so that everything is in view.
fn look(world: &mut World, camera: Option<[Vec3; 2]>) {
    match camera {
        Some([eye, target]) => world.insert_resource(Orbit::looking(eye, target)),
        None => world.resource_mut::<Requests>().0.push(Request::Fit),
    }
}

/// Reloads the files. Camera, selection and curves are kept, and so are poses and joints of bodies that are not
/// dynamic.
pub fn reload(world: &mut World) {
    let Some(FileOpener(load)) = world.get_resource::<FileOpener>().cloned() else {
        return world.resource_mut::<WindowState>().say("a file has changed: the next run reads it");
    };
    let paths = world.resource::<OpenFiles>().paths.clone();
    let mut loaded = load(&[], &paths);
    if let Some(spawn) = loaded.spawn.take() {
        let poses = poses(world);
        let kept = (selected(world), channels(world));
        let speed = (*world.resource::<Pace>() != Pace::Paused).then(|| world.resource::<WindowState>().speed);
        let was_empty = world.query::<&BodyModel>().iter(world).next().is_none();
        let camera = loaded.camera;
        if replace(world, spawn) {
            if was_empty {
                // The camera was at nothing: the files could not be read before.
                look(world, camera);
            }
            restore_poses(world, &poses);
            select_again(world, kept.0);
            plot_again(world, kept.1);
            world.resource_mut::<WindowState>().say("the files were read again");
            if speed.is_some() {
                world.resource_mut::<Requests>().0.push(Request::Run);
            }
        }
        world.insert_resource(OpenFiles::new(loaded.paths.clone(), loaded.sources.clone()));
    }
    tell(world, loaded);
}

/// Reports the findings; if nothing can be shown, the previous content stays.
fn tell(world: &mut World, loaded: Loaded) {
    if loaded.findings.iter().any(|finding| finding.severity == Severity::Error) {
        world.resource_mut::<Panels>().desk.open(Panel::Problems);
        world.resource_mut::<WindowState>().say("not all could be read: see Problems");
    }
    world.resource_mut::<Findings>().0 = loaded.findings;
}

/// Empties the simulation and fills it with the new content.
fn replace(world: &mut World, spawn: Spawn) -> bool {
    if world.get_resource() == Some(&IsRecording(true)) {
        record(world, false);
    }
    match clear(world) {
        Ok(()) => {
            spawn(world);
            true
        }
        Err(error) => {
            let text = format!("the simulation cannot be restarted: {error}");
            world.resource_mut::<WindowState>().say(text);
            false
        }
    }
}

/// Despawns all bodies and extra joints, and restores the state before there were any, as if the program had just
/// begun.
///
/// # Errors
/// If the world contains more than bodies and joints.
pub fn clear(world: &mut World) -> Result<(), SnapshotError> {
    world.insert_resource(Pace::Paused);
    let bodies: Vec<Entity> = world.query_filtered::<Entity, With<BodyModel>>().iter(world).collect();
    let joints: Vec<Entity> = world.query_filtered::<Entity, With<ExtraJointBetween>>().iter(world).collect();
    for entity in joints.into_iter().chain(bodies) {
        world.despawn(entity);
    }
    // A step without them, in which physics removes them.
    world.insert_resource(StopAfter(None));
    world.insert_resource(SimulationStatus::Running);
    world.remove_resource::<HandScript>();
    run_steps(world, 1);
    let Some(EmptySimulation(empty)) = world.get_resource::<EmptySimulation>().cloned() else { return Ok(()) };
    empty.restore(world)?;
    world.trigger(RecordingRewind { step: 0, time: 0.0 });
    world.insert_resource(HandNotes::default());
    world.insert_resource(SimulationWarnings::default());
    world.insert_resource(Timeline::default());
    world.insert_resource(Moments::default());
    world.insert_resource(CurveLog::default());
    Ok(())
}

/// Root pose and joint displacements by joint name.
type Pose = (nalgebra::Isometry3<f64>, BTreeMap<String, f64>);

/// Poses of the bodies that are not dynamic, by name.
fn poses(world: &mut World) -> BTreeMap<String, Pose> {
    let mut bodies = world.query::<(&Name, &BodyModel, &BodyState, &Drive)>();
    let still = bodies.iter(world).filter(|(.., drive)| **drive == Drive::Static);
    let poses = still.filter_map(|(name, BodyModel(model), state, _)| {
        let joints = model.indexed_joints().map(|(joint, _)| model.joint_name(joint).to_owned());
        let joints = joints.zip(state.displacements.iter().copied()).collect();
        Some((name.as_str().to_owned(), (*state.link_poses.first()?, joints)))
    });
    poses.collect()
}

fn restore_poses(world: &mut World, poses: &BTreeMap<String, Pose>) {
    let mut bodies = world.query::<(&Name, &BodyModel, &mut BodyState, &Drive)>();
    for (name, BodyModel(model), mut state, drive) in bodies.iter_mut(world) {
        let Some((root, joints)) = poses.get(name.as_str()).filter(|_| *drive == Drive::Static) else { continue };
        let BodyState { link_poses, displacements, .. } = &mut *state;
        for (joint, _) in model.indexed_joints() {
            if let (Some(value), Some(known)) = (displacements.get_mut(joint.0), joints.get(model.joint_name(joint))) {
                *value = *known;
            }
        }
        kinematics::update_link_poses(model, root, displacements, link_poses);
    }
}

/// Selection, by name.
fn selected(world: &mut World) -> Option<(String, Option<String>)> {
    let selection = world.resource::<Selected>().0?;
    let name = world.get::<Name>(selection.body)?.as_str().to_owned();
    let BodyModel(model) = world.get::<BodyModel>(selection.body)?;
    let link = selection.link.and_then(|link| model.links().get(link.0)).map(|link| link.name.clone());
    Some((name, link))
}

fn select_again(world: &mut World, selected: Option<(String, Option<String>)>) {
    let mut bodies = world.query::<(Entity, &Name, &BodyModel)>();
    let found = selected.and_then(|(name, link)| {
        let (body, _, BodyModel(model)) = bodies.iter(world).find(|(_, known, _)| known.as_str() == name)?;
        Some(match link.and_then(|link| model.find_link(&link)) {
            Some(link) => Selection::link(body, link),
            None => Selection::body(body),
        })
    });
    world.resource_mut::<Selected>().0 = found;
}

/// Curves of bodies, by body name; those of sensors are not kept.
fn channels(world: &mut World) -> Vec<(String, Channel)> {
    let channels = world.resource::<Panels>().desk.plots.channels.clone();
    let named = channels.into_iter().filter_map(|channel| {
        world.get::<BodyModel>(channel.of)?;
        Some((world.get::<Name>(channel.of)?.as_str().to_owned(), channel))
    });
    named.collect()
}

fn plot_again(world: &mut World, channels: Vec<(String, Channel)>) {
    let mut bodies = world.query_filtered::<(Entity, &Name), With<BodyModel>>();
    let found = channels.into_iter().filter_map(|(name, channel)| {
        let (of, _) = bodies.iter(world).find(|(_, known)| known.as_str() == name)?;
        Some(Channel { of, ..channel })
    });
    let found: Vec<_> = found.collect();
    world.resource_mut::<Panels>().desk.plots.channels = found;
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use bunraku_body::{BodyPlugin, spawn_body};
    use bunraku_test_support::read_links;

    use super::*;

    #[test]
    fn the_camera_looks_at_files_that_could_not_be_read_before() {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, TransformPlugin, BodyPlugin)).insert_resource(Pace::Paused);
        app.insert_resource(WindowState { speed: crate::view::Speed::default(), notice: None });
        app.init_resource::<Requests>().init_resource::<Panels>().init_resource::<Findings>();
        app.init_resource::<OpenFiles>().init_resource::<Timeline>().init_resource::<CurveLog>();
        app.init_resource::<Selected>().init_resource::<Orbit>().init_resource::<HandNotes>();
        let is_broken = Arc::new(AtomicBool::new(true));
        let known = Arc::clone(&is_broken);
        app.insert_resource(FileOpener(Arc::new(move |_, paths| {
            let spawn: Spawn = Box::new(|world: &mut World| {
                let body = Arc::new(read_links("  - { name: ROOT, joint_type: fixed }\n"));
                let state = BodyState::initial(&body);
                spawn_body(&mut world.commands(), body, state, Drive::Static);
                world.flush();
            });
            Loaded {
                paths: paths.to_vec(),
                sources: Vec::new(),
                findings: Vec::new(),
                camera: None,
                spawn: (!known.load(Ordering::Relaxed)).then_some(spawn),
            }
        })));
        let world = app.world_mut();
        let asked = |world: &mut World| {
            reload(world);
            std::mem::take(&mut world.resource_mut::<Requests>().0)
        };
        assert_eq!(asked(world), []);
        is_broken.store(false, Ordering::Relaxed);
        assert_eq!(asked(world), [Request::Fit], "mended");
        assert_eq!(asked(world), [], "where the user has moved it");
    }
}
