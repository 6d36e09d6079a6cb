//! `bunraku picture`: ray-traced pictures; no graphics driver is needed.

mod moments;
mod pixels;

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bevy::prelude::*;
use bunraku::body::{Body, BodyState, Drive};
use bunraku::document::{Severity, SourceFile, write_atomically};
use bunraku::mesh::BoundingBox;
use bunraku::motion::{BodyMotion, state_at};
use bunraku::physics::in_digits;
use bunraku::render::{
    Lens, Light, Lighting, Linear, Model, Scene as Shown, Textures, Threads, View, Viewpoint, seen_bounds,
};
use bunraku::scene::Scene;
use bunraku::simulation::{SimulationClock, SimulationStatus, run_steps};
use clap::{Args, ValueEnum};
use nalgebra::{Point3, Vector3};
use png::ColorType;

use super::bitmap;
use super::common::{CommonArgs, Failure};
use super::files::Loaded;
use super::messages;
use super::output::line;
use super::replay::{Replay, load};
use super::rerun;
use pixels::Grid;

/// Draw a picture of a scene, a model, a motion or the results of a run
///
/// A scene is shown where it starts, or with `--at` simulated until then; the directory of a run shows what was
/// recorded there; a motion needs its model (`--body`). It is drawn with rays, without a graphics driver.
#[derive(Args)]
pub struct PictureArgs {
    /// A scene, a project, a model, a motion (.seq), or a directory that a run has written
    file: PathBuf,
    /// The model that moves by the motion
    #[arg(long, value_name = "MODEL")]
    body: Option<PathBuf>,
    /// The moment in seconds [default: the start; of a directory of results the end]
    #[arg(long, value_name = "S", value_parser = moment)]
    at: Option<f64>,
    /// Pixels across and down
    #[arg(long, value_name = "WxH", value_parser = bitmap::picture_size, default_value = "800x600")]
    size: [u32; 2],
    /// Direction from which to view everything that moves [default: as in the scene, or else aslant]
    #[arg(long, value_enum)]
    view: Option<Side>,
    /// Where the camera is and what it looks at, m
    #[arg(long, num_args = 6, value_names = ["X", "Y", "Z", "TX", "TY", "TZ"], allow_negative_numbers = true, conflicts_with = "view")]
    camera: Vec<f64>,
    /// Move the camera with a body or link, BODY or BODY/LINK, from where that is at the start
    #[arg(long, value_name = "BODY/LINK")]
    follow: Option<String>,
    /// Draw what moves at these moments, too, half transparent
    #[arg(long, value_name = "S,S,…", value_delimiter = ',', value_parser = moment)]
    ghosts: Vec<f64>,
    #[command(flatten)]
    looks: Looks,
    /// The scene file of a directory of results, if it was moved
    #[arg(long, value_name = "SCENE")]
    scene: Option<PathBuf>,
    /// The picture [default: the name of FILE with `.png` for its ending]
    #[arg(long, value_name = "OUT.png")]
    out: Option<PathBuf>,
}

/// Additions to the shapes of a picture.
#[derive(Args, Clone, Copy)]
struct Looks {
    /// Draw shadows
    #[arg(long)]
    shadows: bool,
    /// Draw a grid on the ground (z = 0), with lines a power of ten of metres apart
    #[arg(long)]
    grid: bool,
    /// Leave the background transparent
    #[arg(long)]
    transparent: bool,
}

/// The direction of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Side {
    /// From ahead on the right, slightly above
    Aslant,
    /// From +X
    Front,
    /// From −X
    Back,
    /// From +Y
    Left,
    /// From −Y
    Right,
    /// From +Z, with +Y up in the picture
    Top,
}

impl Side {
    /// The direction in which the camera looks.
    fn direction(self) -> Vector3<f64> {
        match self {
            Self::Aslant => Vector3::new(-1.0, 1.0, -0.5),
            Self::Front => -Vector3::x(),
            Self::Back => Vector3::x(),
            Self::Left => -Vector3::y(),
            Self::Right => Vector3::y(),
            Self::Top => -Vector3::z(),
        }
    }
}

/// The vertical angle of view, rad.
const FIELD_OF_VIEW: f64 = std::f64::consts::FRAC_PI_4;
/// Rays along each side of a pixel, for antialiasing.
const RAYS: u32 = 2;
/// Factor of the light from the sky with shadows, when there is less from the camera.
const SUN: f32 = 1.3;
/// Background colour: light grey-blue.
const BACKGROUND: [f64; 3] = [0.80, 0.85, 0.90];

fn moment(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(value) if value >= 0.0 && f64::is_finite(value) => Ok(value),
        _ => Err("it must be a number of seconds that is not negative".to_owned()),
    }
}

pub fn picture(arguments: &PictureArgs, common: &CommonArgs) -> Result<(), Failure> {
    let out = arguments.out.clone().unwrap_or_else(|| default_out(&arguments.file));
    if !out.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png")) {
        return Err(Failure::Usage(format!("the picture must end in `.png`: {}", out.display())));
    }
    let Posed { mut bodies, view } = pose(arguments, arguments.at, common)?;
    let [width, height] = arguments.size;
    for moment in &arguments.ghosts {
        bodies.extend(moments::ghosts(pose(arguments, Some(*moment), common)?.bodies));
    }
    let mut viewpoint = match (&arguments.camera[..], arguments.view, view) {
        (&[x, y, z, at_x, at_y, at_z], ..) => {
            Viewpoint { eye: Point3::new(x, y, z), target: Point3::new(at_x, at_y, at_z) }
        }
        (_, None, Some([eye, target])) => Viewpoint { eye, target },
        (_, side, _) => {
            let direction = side.unwrap_or(Side::Aslant).direction();
            Viewpoint::framing(&bounds(&bodies)?, direction, FIELD_OF_VIEW, [width, height])
        }
    };
    // A camera that frames the bodies where they are needs not follow them.
    let is_framed = arguments.camera.is_empty() && (arguments.view.is_some() || view.is_none());
    if let Some(followed) = arguments.follow.as_ref().filter(|_| !is_framed) {
        let offset = moments::offset(followed, &pose(arguments, Some(0.0), common)?.bodies, &bodies)?;
        viewpoint = Viewpoint { eye: viewpoint.eye + offset, target: viewpoint.target + offset };
    }
    let pixels = draw(&bodies, viewpoint, [width, height], arguments.looks, &arguments.file)?;
    let failed = |reason: String| Failure::Message(format!("cannot write the picture: {reason}: {}", out.display()));
    let bytes = match arguments.looks.transparent {
        true => bitmap::encoded(pixels.as_flattened(), width, height, ColorType::Rgba),
        false => {
            let opaque: Vec<u8> = pixels.iter().flat_map(|[red, green, blue, _]| [*red, *green, *blue]).collect();
            bitmap::encoded(&opaque, width, height, ColorType::Rgb)
        }
    };
    let bytes = bytes.map_err(failed)?;
    write_atomically(&out, |file| file.write_all(&bytes)).map_err(|error| failed(error.to_string()))?;
    line(format!("written    {}", out.display()))
}

/// The name of a file without its extensions, or that of a directory, in the current directory.
fn default_out(file: &Path) -> PathBuf {
    let whole = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let name = whole.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = name.split('.').find(|part| !part.is_empty()).unwrap_or("picture");
    PathBuf::from(format!("{stem}.png"))
}

/// A body in its pose.
pub(super) struct Placed {
    /// Name in the scene.
    pub(super) name: String,
    pub(super) body: Arc<Body>,
    pub(super) state: BodyState,
    pub(super) drive: Drive,
}

impl Placed {
    /// Whether forces or motions may move it.
    pub(super) fn moves(&self) -> bool {
        self.drive != Drive::Static && (!self.body.is_fixed() || self.body.num_joints() > 0)
    }
}

/// The bodies in their poses at the requested time, and the view of the scene file.
struct Posed {
    bodies: Vec<Placed>,
    view: Option<[Point3<f64>; 2]>,
}

/// The bodies at a moment; without one at the start, or at the end of a recording.
fn pose(arguments: &PictureArgs, at: Option<f64>, common: &CommonArgs) -> Result<Posed, Failure> {
    let PictureArgs { file, body, scene, .. } = arguments;
    if body.is_some() && !file.is_file() {
        return Err(Failure::Usage("`--body` goes with a motion".to_owned()));
    }
    if file.is_dir() {
        return recorded(file, scene.as_deref(), at, common);
    }
    if scene.is_some() {
        return Err(Failure::Usage("`--scene` goes with a directory of results".to_owned()));
    }
    let still = |body: Body, state: BodyState| {
        let name = body.name.clone();
        let placed = Placed { name, body: Arc::new(body), state, drive: Drive::Physics };
        Posed { bodies: vec![placed], view: None }
    };
    match (load(file, common)?, body) {
        (Loaded::Motion(motion), Some(model)) => {
            let Loaded::Model(body) = load(model, common)? else {
                return Err(Failure::Usage(format!("`--body` is not a model: {}", model.display())));
            };
            let mut state = BodyState::initial(&body);
            state_at(&body, &motion, at.unwrap_or_else(|| motion.start()), &mut state);
            Ok(still(*body, state))
        }
        (Loaded::Motion(_), None) => {
            Err(Failure::Usage("a motion has no shapes: name the model that moves with `--body`".to_owned()))
        }
        (_, Some(_)) => Err(Failure::Usage("`--body` goes with a motion".to_owned())),
        (Loaded::Model(_), None) if at.is_some() => {
            Err(Failure::Usage("a model stands still: `--at` goes with scenes, motions and results".to_owned()))
        }
        (Loaded::Model(body), None) => {
            let state = BodyState::initial(&body);
            Ok(still(*body, state))
        }
        (Loaded::Scene(scene), None) => {
            if let Some(at) = at {
                refuse_beyond_end(&scene, at)?;
            }
            let states = match at.filter(|at| *at > 0.0) {
                Some(at) => simulated(&scene, at)?,
                None => scene.bodies.iter().map(|body| body.initial.clone()).collect(),
            };
            Ok(of_scene(&scene, states))
        }
        (Loaded::Tasks(_) | Loaded::Robot(_), None) => {
            let message = "a task has no shapes: draw its scene, or a recording of `bunraku task run`";
            Err(Failure::Usage(message.to_owned()))
        }
    }
}

fn of_scene(scene: &Scene, states: Vec<BodyState>) -> Posed {
    let bodies = scene.bodies.iter().zip(states);
    let bodies = bodies.map(|(body, state)| Placed {
        name: body.name.clone(),
        body: Arc::clone(&body.body),
        state,
        drive: body.drive.of_body(),
    });
    Posed { bodies: bodies.collect(), view: scene.view }
}

/// Maximum number of steps up to a picture of a scene without an end: at 0.1 ms a step they take three hours.
const MOST_STEPS: f64 = 1e8;

/// Reports an error for a time beyond the end of the scene, before anything is simulated.
fn refuse_beyond_end(scene: &Scene, at: f64) -> Result<(), Failure> {
    let steps = (at / scene.time_step).round();
    let message = match scene.duration {
        #[allow(clippy::cast_precision_loss)]
        Some(duration) if steps > scene.num_steps().unwrap_or(u64::MAX) as f64 => {
            format!("`--at` is after the end of the scene, whose `simulation.duration` is {duration} s")
        }
        None if steps > MOST_STEPS => {
            format!("`--at` is more than {MOST_STEPS} steps of {} s away", scene.time_step)
        }
        _ => return Ok(()),
    };
    Err(Failure::Usage(message))
}

/// Reports an error for a time after the last frame of a recording, which would be drawn in its place.
fn refuse_beyond_recording(path: &Path, motion: &BodyMotion, at: f64) -> Result<(), Failure> {
    let end = motion.end();
    // Half a frame: the time of the last frame is rounded.
    if at <= end + 0.5 / motion.frame_rate {
        return Ok(());
    }
    let (end, path) = (in_digits(end, 4), path.display());
    Err(Failure::Usage(format!("`--at` is after the end of the recording, which is at {end} s: {path}")))
}

/// The states of the bodies of a scene after `at` seconds.
fn simulated(scene: &Scene, at: f64) -> Result<Vec<BodyState>, Failure> {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, bunraku::SandboxPlugins));
    let entities = Scene { duration: None, ..scene.clone() }.spawn(app.world_mut());
    app.finish();
    app.cleanup();
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    run_steps(app.world_mut(), (at / scene.time_step).round() as u64);
    if let SimulationStatus::Failed(fault) = app.world().resource::<SimulationStatus>() {
        let time = app.world().resource::<SimulationClock>().time();
        messages::warning(&format!("{fault}; the picture shows t = {time:.4} s"));
    }
    Ok(entities.iter().filter_map(|entity| app.world().get::<BodyState>(*entity).cloned()).collect())
}

/// The states recorded by a run, in the scene of that run.
fn recorded(directory: &Path, scene: Option<&Path>, at: Option<f64>, common: &CommonArgs) -> Result<Posed, Failure> {
    let scene = rerun::scene_of(directory, scene, common)?;
    let mut states = Vec::new();
    for body in Replay::of_results(directory, &scene, common)?.bodies {
        let mut state = body.initial;
        if let Some(motion) = &body.motion {
            if let Some(at) = at {
                refuse_beyond_recording(&directory.join(format!("{}.seq", body.name)), motion, at)?;
            }
            state_at(&body.body, motion, at.unwrap_or_else(|| motion.end()), &mut state);
        }
        states.push(state);
    }
    Ok(of_scene(&scene, states))
}

/// The box around the bodies that can move, or around all bodies if none can.
fn bounds(bodies: &[Placed]) -> Result<BoundingBox, Failure> {
    let around = |placed: &Placed| seen_bounds(&placed.body, &placed.state.link_poses);
    let moving = bodies.iter().filter(|placed| placed.moves()).filter_map(around).reduce(BoundingBox::union);
    moving
        .or_else(|| bodies.iter().filter_map(around).reduce(BoundingBox::union))
        .ok_or_else(|| Failure::Message("there is nothing to draw: no link has a shape".to_owned()))
}

fn draw(
    bodies: &[Placed],
    viewpoint: Viewpoint,
    [width, height]: [u32; 2],
    looks: Looks,
    file: &Path,
) -> Result<Vec<[u8; 4]>, Failure> {
    let mut textures = Textures::default();
    // Copies share their model.
    let mut known: HashMap<*const Body, Vec<Option<Arc<Model>>>> = HashMap::new();
    let mut counted = HashSet::new();
    let models = bodies.iter().map(|placed| &placed.body).filter(|body| counted.insert(Arc::as_ptr(body)));
    let shapes = models.flat_map(|body| {
        body.links().iter().flat_map(move |link| link.visual.iter().map(move |shape| (shape, Model::owner(body, link))))
    });
    let has_room = textures.have_room(shapes);
    let instances: Vec<_> = bodies
        .iter()
        .take_while(|_| has_room)
        .flat_map(|Placed { body, state, .. }| {
            let models = known.entry(Arc::as_ptr(body)).or_insert_with(|| Model::of_links(body, &mut textures));
            models
                .iter()
                .zip(&state.link_poses)
                .filter_map(|(model, pose)| Some((Arc::clone(model.as_ref()?), *pose)))
                .collect::<Vec<_>>()
        })
        .collect();
    let of_file = SourceFile::from_text(file, "");
    let findings: Vec<_> = textures.diagnostics.into_iter().map(|finding| finding.in_file(&of_file)).collect();
    messages::diagnostics(&findings, Severity::Warning);
    // A picture with parts left out because of a limit is incorrect.
    if findings.iter().any(|finding| finding.severity == Severity::Error) {
        return Err(Failure::Reported);
    }
    let no_view = || Failure::Usage("the camera looks nowhere: eye and target are one point".to_owned());
    let frame = viewpoint.optical_frame().ok_or_else(no_view)?;
    let far = (viewpoint.target - viewpoint.eye).norm();
    // The angle of view of a lens is along the shorter side.
    let field_of_view = match width < height {
        true => 2.0 * ((FIELD_OF_VIEW / 2.0).tan() * f64::from(width) / f64::from(height)).atan(),
        false => FIELD_OF_VIEW,
    };
    let view = View {
        width: width * RAYS,
        height: height * RAYS,
        lens: Lens::Normal { field_of_view },
        near: far * 0.01,
        far: far * 1000.0,
    };
    let usual = Lighting::default();
    // Light from the sky makes the shadows; that of the camera would fill them.
    let head = if looks.shadows { Linear([0.1; 3]) } else { usual.head };
    let lights = match looks.shadows {
        true => usual.lights.into_iter().map(|light| Light { color: light.color * SUN, ..light }).collect(),
        false => usual.lights,
    };
    let background = Linear::from_file(&Vector3::from(BACKGROUND));
    let lighting = Lighting { background, shadows: looks.shadows, head, lights, ..usual };
    let drawn = Shown::new(instances).picture(&view, &frame, &lighting, Threads::available());
    let drawn = drawn.map_err(|error| Failure::Message(error.to_string()))?;
    let grid = looks.grid.then(|| Grid::new(frame, far, [view.width, view.height]));
    Ok(pixels::pixels(&drawn, grid.as_ref(), looks.transparent))
}
