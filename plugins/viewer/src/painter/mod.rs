//! Images of cameras on robots, rendered by Bevy instead of ray casting.
//!
//! A [`GraphicsPainter`] renders the same triangles, materials and lights as ray casting, with the same formulas.
//! Images differ at edges, where a graphics card rounds differently, and by the rounding of colours. It needs a
//! graphics card, or a software driver.

mod canvas;
mod faces;
mod lights;
mod material;

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use bevy::prelude::*;
use bunraku_render::{Frame, Lens, Lighting, Model, Painter, PainterError, Scene, View};
use bunraku_sensors::ScenePainter;
use nalgebra::Isometry3;

use crate::picture::PictureError;
use crate::picture::device;
use canvas::{Canvas, Drawn, Shot};

/// Cameras that ask for the graphics card are drawn by a [`GraphicsPainter`], unless the app has another painter.
pub struct PainterPlugin;

impl Plugin for PainterPlugin {
    fn build(&self, app: &mut App) {
        if !app.world().contains_resource::<ScenePainter>() {
            app.insert_resource(ScenePainter(Box::<GraphicsPainter>::default()));
        }
    }
}

/// Renders with Bevy in a separate thread, because the rendering app cannot move between threads. It starts with the
/// first image.
#[derive(Default)]
pub struct GraphicsPainter {
    worker: Mutex<Option<Worker>>,
}

struct Worker {
    /// `None` when the thread must end.
    requests: Option<Sender<Request>>,
    thread: Option<JoinHandle<()>>,
}

/// An image to render, and the receiver of the result.
struct Request {
    instances: Vec<(Arc<Model>, Isometry3<f64>)>,
    view: View,
    pose: Isometry3<f64>,
    lighting: Lighting,
    reply: Sender<Result<Frame, PictureError>>,
}

impl Painter for GraphicsPainter {
    fn paint(
        &self,
        scene: &Scene,
        view: &View,
        pose: &Isometry3<f64>,
        lighting: &Lighting,
    ) -> Result<Frame, PainterError> {
        view.check().map_err(|error| PainterError(error.to_string()))?;
        let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        if worker.is_none() {
            *worker = Some(Worker::start()?);
        }
        let instances = scene.instances().map(|(model, pose)| (Arc::clone(model), *pose)).collect();
        let (reply, answer) = channel();
        let request = Request { instances, view: *view, pose: *pose, lighting: lighting.clone(), reply };
        let sent = worker.as_ref().and_then(|worker| worker.requests.as_ref()?.send(request).ok());
        let answer = sent.and_then(|()| answer.recv().ok());
        let answer = answer.ok_or_else(|| PainterError("the renderer has stopped".to_owned()))?;
        answer.map_err(|error| PainterError(error.to_string()))
    }
}

impl Worker {
    fn start() -> Result<Self, PainterError> {
        let device = device::open().map_err(|error| {
            PainterError(format!(
                "{error}; install a graphics driver (Mesa's lavapipe does without a card), or draw with rays: `renderer: cpu`"
            ))
        })?;
        let (requests, inbox) = channel();
        let work = move || answer_all(Canvas::new(device), &inbox);
        let thread = thread::Builder::new().name("painter".to_owned()).spawn(work);
        let thread = thread.map_err(|error| PainterError(format!("the renderer cannot be started: {error}")))?;
        Ok(Self { requests: Some(requests), thread: Some(thread) })
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.requests = None;
        // Drivers must not be interrupted. A panic of the thread was reported as an error.
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn answer_all(mut canvas: Canvas, requests: &Receiver<Request>) {
    while let Ok(request) = requests.recv() {
        let drawn = draw(&mut canvas, &request);
        // The requester may no longer exist.
        let _ = request.reply.send(drawn);
    }
}

fn draw(canvas: &mut Canvas, Request { instances, view, pose, lighting, .. }: &Request) -> Result<Frame, PictureError> {
    let View { width, height, lens, .. } = *view;
    let is_somewhere = pose.to_homogeneous().iter().all(|value| value.is_finite());
    if !is_somewhere {
        // A camera with a NaN pose sees nothing.
        let count = view.num_pixels();
        let colors = vec![lighting.background.to_pixel(); count];
        return Ok(Frame { width, height, colors, distances: vec![f32::INFINITY; count] });
    }
    let limit = canvas.largest_side();
    if width.max(height) > limit {
        let size = crate::picture::PictureSize { width, height };
        return Err(PictureError::Size { size, limit });
    }
    match lens {
        Lens::Normal { .. } => draw_straight(canvas, instances, view, pose, lighting),
        _ => draw_round(canvas, instances, view, pose, lighting),
    }
}

fn draw_straight(
    canvas: &mut Canvas,
    instances: &[(Arc<Model>, Isometry3<f64>)],
    view: &View,
    pose: &Isometry3<f64>,
    lighting: &Lighting,
) -> Result<Frame, PictureError> {
    let size = [view.width, view.height];
    let back = nalgebra::Vector3::z();
    let shot = Shot { size, focal_length: view.focal_length(), eye: *pose, back, view };
    let Drawn { colors, depths } = canvas.draw(instances, lighting, &shot)?;
    let optics = view.optics();
    let along_ray = |(index, depth): (usize, f32)| {
        let ahead = optics.pixel_direction(index).map_or(1.0, |direction| -direction.z);
        (f64::from(depth) / ahead) as f32
    };
    let distances = depths.into_iter().enumerate().map(along_ray).collect();
    Ok(Frame { width: view.width, height: view.height, colors, distances })
}

fn draw_round(
    canvas: &mut Canvas,
    instances: &[(Arc<Model>, Isometry3<f64>)],
    view: &View,
    pose: &Isometry3<f64>,
    lighting: &Lighting,
) -> Result<Frame, PictureError> {
    let faces = faces::faces();
    // The angular resolution of the lens, at the centre of a face, where it is lowest.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let side = ((2.0 * view.focal_length()).ceil() as u32).clamp(1, canvas.largest_side());
    let optics = view.optics();
    let spots: Vec<_> = (0..view.num_pixels())
        .map(|index| optics.pixel_direction(index).map(|direction| faces::spot(&direction, &faces, side)))
        .collect();
    let mut frame = Frame {
        width: view.width,
        height: view.height,
        colors: vec![[0; 3]; spots.len()],
        distances: vec![f32::INFINITY; spots.len()],
    };
    for (number, face) in faces.iter().enumerate() {
        if !spots.iter().flatten().any(|spot| spot.face == number) {
            continue;
        }
        let turn = face.turn();
        let eye = pose * nalgebra::UnitQuaternion::from_rotation_matrix(&turn);
        let back = turn.inverse() * nalgebra::Vector3::z();
        let shot = Shot { size: [side; 2], focal_length: f64::from(side) / 2.0, eye, back, view };
        let drawn = canvas.draw(instances, lighting, &shot)?;
        for (index, spot) in spots.iter().enumerate() {
            if let Some(spot) = spot.as_ref().filter(|spot| spot.face == number) {
                (frame.colors[index], frame.distances[index]) = faces::look_up(spot, &drawn, side);
            }
        }
    }
    Ok(frame)
}
