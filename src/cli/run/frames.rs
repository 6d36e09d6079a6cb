//! Pictures of a run without a window: numbered PNG files, and a film.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use bevy::prelude::*;
use bunraku::body::BodyState;
use bunraku::document::write_atomically;
use bunraku::scene::Scene;
use bunraku::simulation::{SimulationClock, SimulationStart, SimulationStep, SimulationSystems};
use bunraku::viewer::picture::{Film as Camera, PictureCamera, PictureSize, PosedBody, bounding_box};
use nalgebra::Vector3;
use png::ColorType;

use super::super::bitmap::encoded;
use super::super::common::Failure;
use super::film::{Film, is_film};
use super::frame_args::FrameArgs;

/// Default direction of view: from the front right, slightly above.
const DIRECTION: [f64; 3] = [-1.0, 1.0, -0.5];

/// The states of the bodies at the times of the pictures.
#[derive(Resource)]
pub struct Moments {
    bodies: Vec<Entity>,
    /// Pictures per simulated second.
    rate: f64,
    states: Vec<Vec<BodyState>>,
}

impl FrameArgs {
    /// Records the states of the bodies during the run, if pictures were requested.
    pub fn watch(&self, app: &mut App, entities: &[Entity]) -> Result<(), Failure> {
        if self.frames.is_none() && self.film.is_none() {
            return Ok(());
        }
        if !(self.fps > 0.0 && self.fps <= 1000.0) {
            return Err(Failure::Usage(format!("`--fps {}` is not between 0 and 1000", self.fps)));
        }
        if let Some(film) = self.film.as_ref().filter(|film| !is_film(film)) {
            let message = "a film ends in `.gif`, `.png`, `.mp4`, `.mkv`, `.mov` or `.webm`";
            return Err(Failure::Usage(format!("{message}: {}", film.display())));
        }
        app.insert_resource(Moments { bodies: entities.to_vec(), rate: self.fps, states: Vec::new() });
        app.add_systems(SimulationStep, note.after(SimulationSystems::Record))
            .add_systems(SimulationStart, note.after(SimulationSystems::Record));
        Ok(())
    }

    /// Draws the recorded states; returns the film and the directory.
    pub fn draw(&self, world: &mut World, scene: &Scene) -> Result<Vec<PathBuf>, Failure> {
        let Some(moments) = world.remove_resource::<Moments>() else { return Ok(Vec::new()) };
        let [width, height] = self.frame_size;
        let size = PictureSize { width, height };
        let failed = |error: String| Failure::Message(format!("the pictures of the run cannot be made: {error}"));
        let mut camera = Camera::new(&posed(scene, None), &camera(scene, &moments, size), size)
            .map_err(|error| failed(error.to_string()))?;
        let mut files = Vec::new();
        let film_failed =
            |error: String| failed(format!("{error}: {}", self.film.as_deref().unwrap_or(Path::new("")).display()));
        let mut film = None;
        if let Some(path) = &self.film {
            film = Some(Film::new(path, size, moments.rate, moments.states.len()).map_err(film_failed)?);
            files.push(path.clone());
        }
        if let Some(folder) = &self.frames {
            fs::create_dir_all(folder).map_err(|error| failed(format!("{error}: {}", folder.display())))?;
            files.push(folder.clone());
        }
        for (number, states) in moments.states.iter().enumerate() {
            let picture = camera.take(states).map_err(|error| failed(error.to_string()))?;
            if let Some(folder) = &self.frames {
                let path = folder.join(format!("{number:05}.png"));
                let bytes = encoded(picture.image.as_raw(), width, height, ColorType::Rgba);
                let write = |bytes: Vec<u8>| {
                    write_atomically(&path, |file| file.write_all(&bytes)).map_err(|error| error.to_string())
                };
                bytes.and_then(write).map_err(|error| failed(format!("{error}: {}", path.display())))?;
            }
            if let Some(film) = &mut film {
                film.push(picture).map_err(film_failed)?;
            }
        }
        if let Some(film) = film {
            film.finish().map_err(film_failed)?;
        }
        Ok(files)
    }
}

fn posed(scene: &Scene, states: Option<&[BodyState]>) -> Vec<PosedBody> {
    let bodies = scene.bodies.iter().enumerate();
    let posed = bodies.map(|(index, body)| {
        let state = states.and_then(|states| states.get(index)).unwrap_or(&body.initial);
        PosedBody { body: body.body.clone(), state: state.clone() }
    });
    posed.collect()
}

/// The camera of the scene, or one that shows everything that moves in all pictures.
fn camera(scene: &Scene, moments: &Moments, size: PictureSize) -> PictureCamera {
    if let Some([eye, target]) = scene.view {
        return PictureCamera::new(eye, target);
    }
    let ends = [moments.states.first(), moments.states.get(moments.states.len() / 2), moments.states.last()];
    let bodies = ends.into_iter().flatten().flat_map(|states| posed(scene, Some(states)));
    let (moving, fixed): (Vec<_>, Vec<_>) =
        bodies.partition(|posed| !posed.body.is_fixed() || posed.body.num_joints() > 0);
    let bounds = bounding_box(&moving).or_else(|| bounding_box(&fixed));
    let unit = || bunraku::mesh::BoundingBox { min: [-1.0; 3].into(), max: [1.0; 3].into() };
    PictureCamera::framing(&bounds.unwrap_or_else(unit), Vector3::from(DIRECTION), size)
}

#[allow(clippy::cast_precision_loss)]
fn note(clock: Res<SimulationClock>, mut moments: ResMut<Moments>, bodies: Query<&BodyState>) {
    // Half a step early is on time.
    let due = moments.states.len() as f64 / moments.rate - clock.time_step() / 2.0;
    if clock.time() >= due {
        let states = moments.bodies.iter().filter_map(|body| bodies.get(*body).ok().cloned()).collect();
        moments.states.push(states);
    }
}
