//! Bodies and how they moved: the results of a run, or one motion of a model.

use std::path::Path;
use std::sync::Arc;

use bunraku::body::{Body, BodyState};
use bunraku::document::Severity;
use bunraku::motion::{BodyMotion, state_at};
use bunraku::scene::Scene;
use nalgebra::{Isometry3, Point3};

use super::common::{CommonArgs, Failure};
use super::files::{self, Loaded};
use super::messages;

/// Maximum number of poses that are sampled, 1.1 GB of memory.
const MOST_POSES: usize = 20_000_000;

/// Bodies in a scene, with their recorded motions.
pub struct Replay {
    pub bodies: Vec<ReplayBody>,
    /// The camera of the scene and its target, m, world.
    pub view: Option<[Point3<f64>; 2]>,
}

/// A body and its motion.
pub struct ReplayBody {
    pub name: String,
    pub body: Arc<Body>,
    /// Where it is without a motion.
    pub initial: BodyState,
    pub motion: Option<BodyMotion>,
}

/// World poses of the links of a body at each sampled time; one frame if it does not move.
pub type Frames = Vec<Vec<Isometry3<f64>>>;

impl Replay {
    /// The results of a run in its scene, which [`rerun::scene_of`](super::rerun::scene_of) finds.
    ///
    /// # Errors
    /// If a recording cannot be read.
    pub fn of_results(directory: &Path, scene: &Scene, common: &CommonArgs) -> Result<Self, Failure> {
        let mut replay = Self::of_scene(scene);
        for body in &mut replay.bodies {
            let path = directory.join(format!("{}.seq", body.name));
            if path.is_file()
                && let Loaded::Motion(motion) = load(&path, common)?
            {
                body.motion = Some(*motion);
            }
        }
        Ok(replay)
    }

    /// The bodies of a scene where it starts.
    pub fn of_scene(scene: &Scene) -> Self {
        let bodies = scene.bodies.iter().map(|body| ReplayBody {
            name: body.name.clone(),
            body: Arc::clone(&body.body),
            initial: body.initial.clone(),
            motion: None,
        });
        Self { bodies: bodies.collect(), view: scene.view }
    }

    /// A model, moved by a motion or in its initial pose.
    pub fn of_model(body: Body, motion: Option<BodyMotion>) -> Self {
        let initial = BodyState::initial(&body);
        let name = if body.name.is_empty() { "Model".to_owned() } else { body.name.clone() };
        Self { bodies: vec![ReplayBody { name, body: Arc::new(body), initial, motion }], view: None }
    }

    /// Times of the first and the last frame of all motions, s; `None` if nothing moves.
    pub fn span(&self) -> Option<[f64; 2]> {
        let motions = || self.bodies.iter().filter_map(|body| body.motion.as_ref());
        let start = motions().map(BodyMotion::start).reduce(f64::min)?;
        Some([start, motions().map(BodyMotion::end).fold(start, f64::max)])
    }

    /// The highest frame rate of the motions, Hz; `None` if nothing moves.
    pub fn rate(&self) -> Option<f64> {
        self.bodies.iter().filter_map(|body| Some(body.motion.as_ref()?.frame_rate)).reduce(f64::max)
    }

    /// Number of links that a motion moves.
    pub fn num_moving(&self) -> usize {
        let moving = self.bodies.iter().filter(|body| body.motion.is_some());
        moving.map(|body| body.body.links().len()).sum()
    }

    /// Times at this rate (Hz) from the first frame to the last, s, and the last one. One time if nothing moves.
    ///
    /// # Errors
    /// The highest rate that is possible, if this one gives too many poses for the memory.
    pub fn times(&self, rate: f64) -> Result<Vec<f64>, f64> {
        let Some([start, end]) = self.span() else { return Ok(vec![0.0]) };
        #[allow(clippy::cast_precision_loss)]
        let most = (MOST_POSES / self.num_moving().max(1)) as f64 - 2.0;
        if (end - start) * rate > most {
            return Err(most / (end - start));
        }
        Ok(times_between([start, end], rate))
    }
}

impl ReplayBody {
    /// World poses of its links at these times, s.
    pub fn frames(&self, times: &[f64]) -> Frames {
        let Some(motion) = &self.motion else { return vec![self.initial.link_poses.clone()] };
        let mut state = self.initial.clone();
        let at = |time: &f64| {
            state_at(&self.body, motion, *time, &mut state);
            state.link_poses.clone()
        };
        times.iter().map(at).collect()
    }
}

/// Times at this rate (Hz) from the first to the second time, s, and the second one.
pub fn times_between([start, end]: [f64; 2], rate: f64) -> Vec<f64> {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let whole = ((end - start) * rate + 1e-6).floor() as u32;
    let mut times: Vec<f64> = (0..=whole).map(|frame| start + f64::from(frame) / rate).collect();
    if times.last().is_some_and(|last| end - last > 1e-3 / rate) {
        times.push(end);
    }
    times
}

/// Loads a file of any kind, and prints its findings.
///
/// # Errors
/// If it cannot be read.
pub fn load(path: &Path, common: &CommonArgs) -> Result<Loaded, Failure> {
    let reporter = common.reporter([path]);
    let loaded = files::load(path, common, &reporter);
    messages::diagnostics(&reporter.into_diagnostics(), Severity::Warning);
    loaded.ok_or(Failure::Reported)
}
