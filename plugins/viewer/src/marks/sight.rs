//! Overlays of cameras and range sensors.

use bevy::prelude::*;
use bunraku_body::{BodyModel, BodyState};
use bunraku_render::Lens;
use bunraku_sensors::{CameraModel, Measurement, SensorKind, SensorModel, SensorOf, SensorReading};
use nalgebra::{Isometry3, Point3};

use super::draw::{MarkLines, vec3};
use crate::stage::ShownMarks;
use crate::view::Mark;

const FRUSTUM: Color = Color::srgb(0.30, 0.55, 0.95);
const RAY: Color = Color::srgba(0.95, 0.20, 0.20, 0.7);
/// Maximum number of displayed points of a cloud.
const MOST_POINTS: usize = 5000;
/// Maximum number of displayed rays; of a larger scan only the hit points are drawn.
const MOST_RAYS: usize = 800;
/// Size of a point, m.
const TICK: f32 = 0.02;
/// Length of frusta, m, independent of the far plane.
const FARTHEST: f64 = 1.0;

/// Draws frusta, rays and point clouds of all sensors.
pub fn draw_sight(
    mut lines: Gizmos<MarkLines>,
    marks: Res<ShownMarks>,
    sensors: Query<(&SensorOf, &SensorModel, &SensorReading)>,
    bodies: Query<(&BodyModel, &BodyState)>,
) {
    let (frusta, rays) = (marks.marks.has(Mark::Frusta), marks.marks.has(Mark::Rays));
    if !(frusta || rays) {
        return;
    }
    for (SensorOf(body), model, SensorReading(reading)) in &sensors {
        let sensor = model.sensor();
        let Some(link) = bodies.get(*body).ok().and_then(|(_, state)| state.link_poses.get(sensor.link.0)) else {
            continue;
        };
        match &sensor.kind {
            SensorKind::Camera(camera) if frusta => draw_frustum(&mut lines, camera, link),
            _ => {}
        }
        let (true, Some(sample)) = (rays, reading) else { continue };
        match (&sensor.kind, &sample.measurement) {
            (SensorKind::Range(scanner), Measurement::Range(scan)) => {
                let points = scanner.points(scan);
                let origin = (points.len() <= MOST_RAYS).then(|| vec3(sample.pose * Point3::origin()));
                draw_points(&mut lines, points.into_iter().map(|point| sample.pose * Point3::from(point)), origin);
            }
            (_, Measurement::Camera(taken)) => {
                let points = taken.points.iter().map(|point| sample.pose * Point3::from(point.cast::<f64>()));
                draw_points(&mut lines, points, None);
            }
            _ => {}
        }
    }
}

/// Draws a point cloud, or rays from an origin to each point.
fn draw_points(
    lines: &mut Gizmos<MarkLines>,
    points: impl ExactSizeIterator<Item = Point3<f64>>,
    origin: Option<Vec3>,
) {
    let every = points.len().div_ceil(MOST_POINTS).max(1);
    for point in points.step_by(every).filter(|point| point.iter().all(|value| value.is_finite())).map(vec3) {
        match origin {
            Some(origin) => lines.line(origin, point, RAY),
            None => lines.line(point, point + Vec3::Z * TICK, RAY),
        }
    }
}

/// Draws the view pyramid of a perspective camera; of others their axis.
fn draw_frustum(lines: &mut Gizmos<MarkLines>, camera: &CameraModel, link: &Isometry3<f64>) {
    let (view, pose) = (camera.view(), camera.optical_pose(link));
    let depth = view.far.min(FARTHEST);
    let eye = vec3(pose * Point3::origin());
    let Lens::Normal { field_of_view } = view.lens else {
        lines.arrow(eye, vec3(pose * Point3::new(0.0, 0.0, -depth)), FRUSTUM);
        return;
    };
    let (width, height) = (f64::from(view.width), f64::from(view.height));
    let per_pixel = depth * (field_of_view / 2.0).tan() / width.min(height);
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
        .map(|(x, y)| vec3(pose * Point3::new(x * width * per_pixel, y * height * per_pixel, -depth)));
    for (index, corner) in corners.iter().enumerate() {
        lines.line(eye, *corner, FRUSTUM);
        lines.line(*corner, corners[(index + 1) % 4], FRUSTUM);
    }
}
