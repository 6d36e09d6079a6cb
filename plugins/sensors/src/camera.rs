//! Cameras.

use bunraku_body::{Camera, CameraView, LensType, RangeCamera, RangeFormat};
use bunraku_render::{Frame, InstanceIndex, Lens, Lighting, Motion, Painter, Reach, Scene, Threads, View};
use nalgebra::{Isometry3, Vector3};

use crate::camera_options::CameraOptions;
use crate::error::{DistanceErrors, SensorError};
use crate::noise::Random;
use crate::truth::{GroundTruth, TruthKinds, Watched, ground_truth};

/// A camera, ready to take images.
#[derive(Clone, Debug)]
pub struct CameraModel {
    view: View,
    /// Optical frame in the link frame.
    optical: Isometry3<f64>,
    /// Device frame in the link frame.
    mounting: Isometry3<f64>,
    kind: CameraKind,
    renderer: CameraRenderer,
    options: CameraOptions,
}

/// Motion of the link of a camera in the step at whose end it takes a picture.
#[derive(Clone, Copy, Debug)]
pub struct CameraMotion<'m> {
    /// Motion of the link.
    pub link: &'m Motion,
    /// Duration of the step, s.
    pub step: f64,
}

/// Renderer of the images of a camera.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CameraRenderer {
    /// Ray casting: the same bytes on every machine.
    #[default]
    Rays,
    /// A [`Painter`] for colours; distances, point clouds and depths are computed by ray casting.
    PaintedColors,
    /// A [`Painter`] for colours and distances.
    Painted,
}

/// Data delivered by a camera.
#[derive(Clone, Copy, Debug, PartialEq)]
enum CameraKind {
    Color,
    /// Format, errors, and measurable distances along a ray.
    Range(RangeFormat, DistanceErrors, Reach),
}

/// Reading of a camera.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bevy", derive(serde::Serialize, serde::Deserialize))]
pub struct CameraReading {
    /// Width, pixels.
    pub width: u32,
    /// Height, pixels.
    pub height: u32,
    /// Red, green and blue (sRGB): of each pixel, row by row from the upper left, or of each point if points without a
    /// hit are left out. Empty if the format has no colours.
    pub colors: Vec<[u8; 3]>,
    /// Points in the device frame, m; empty for a colour camera. If there is one for each pixel, points without a hit
    /// are NaN in all three coordinates.
    pub points: Vec<Vector3<f32>>,
    /// Distance along the optical axis of each pixel, m, for the formats `DEPTH` and `COLOR_DEPTH`; +∞ without a hit.
    /// Empty for other formats.
    pub depths: Vec<f32>,
    /// Ground truth; empty if it is not wanted.
    pub truth: GroundTruth,
}

impl CameraModel {
    /// A colour camera whose device frame is at `mounting` in the link frame.
    ///
    /// # Errors
    /// If the camera cannot be simulated with the data of its model.
    pub fn of_camera(camera: &Camera, mounting: Isometry3<f64>) -> Result<Self, SensorError> {
        Self::new(&camera.view, camera.lens, mounting, CameraKind::Color)
    }

    /// A range camera.
    ///
    /// # Errors
    /// If the camera cannot be simulated with the data of its model.
    pub fn of_range_camera(camera: &RangeCamera, mounting: Isometry3<f64>) -> Result<Self, SensorError> {
        let errors = DistanceErrors::new(camera.detection_rate, camera.error_deviation)?;
        let reach = Reach { min: camera.min_distance, max: camera.max_distance };
        if !(reach.min >= 0.0 && reach.max > reach.min) {
            return Err(SensorError::Distances { min: reach.min, max: reach.max });
        }
        Self::new(&camera.view, LensType::Normal, mounting, CameraKind::Range(camera.format, errors, reach))
    }

    fn new(
        picture: &CameraView,
        lens: LensType,
        mounting: Isometry3<f64>,
        kind: CameraKind,
    ) -> Result<Self, SensorError> {
        let field_of_view = picture.field_of_view;
        let view = View {
            width: picture.width,
            height: lens.height(picture.width).unwrap_or(picture.height),
            lens: match lens {
                LensType::Normal => Lens::Normal { field_of_view },
                LensType::Fisheye => Lens::Fisheye { field_of_view },
                LensType::DualFisheye => Lens::DualFisheye,
            },
            near: picture.near_clip_distance,
            far: picture.far_clip_distance,
        };
        view.check()?;
        let optical = mounting * picture.optical_rotation;
        let options = CameraOptions::default();
        Ok(Self { view, optical, mounting, kind, renderer: CameraRenderer::Rays, options })
    }

    /// The same camera with properties that model files do not have.
    ///
    /// # Errors
    /// If it cannot be simulated with these data.
    pub fn with_options(self, options: &CameraOptions) -> Result<Self, SensorError> {
        options.check()?;
        let view = View { lens: options.lens.unwrap_or(self.view.lens), ..self.view };
        view.check()?;
        Ok(Self { view, options: options.clone(), ..self })
    }

    /// Properties that model files do not have.
    pub fn options(&self) -> &CameraOptions {
        &self.options
    }

    /// Takes a reading at the end of a step, by ray casting, in a scene with the motions of that step. What moves goes on
    /// uniformly, as in this step, during the whole exposure. `random` is called with 0 for errors of distances and with
    /// 1 for those of colours.
    ///
    /// # Errors
    /// If the image cannot be taken; this does not occur, because the view was checked before.
    pub fn take_moving(
        &self,
        scene: &Scene,
        motion: &CameraMotion<'_>,
        lighting: &Lighting,
        random: impl Fn(usize) -> Random,
        threads: Threads,
    ) -> Result<CameraReading, SensorError> {
        let link = motion.link.end();
        if !self.options.is_exposed() || !self.has_color() {
            let mut reading = self.take(scene, &link, lighting, || random(0), threads)?;
            self.finish(&mut reading, scene, motion, random, threads);
            return Ok(reading);
        }
        let factor = if motion.step > 0.0 { self.options.duration() / motion.step } else { 0.0 };
        let mut exposed = scene.clone();
        let motions = (0..scene.num_instances()).filter_map(|index| {
            let index = InstanceIndex(index);
            Some((index, scene.motion(index)?.stretched(factor)))
        });
        exposed.set_motions(motions);
        let exposure = self.options.exposure(motion.link.stretched(factor), self.optical, self.view.height);
        let mut frame = exposed.exposed(&self.view, &exposure, lighting, threads)?;
        if self.kind != CameraKind::Color {
            frame.distances = scene.distances(&self.view, &self.optical_pose(&link), threads)?.distances;
        }
        let mut reading = self.develop(frame, || random(0));
        self.finish(&mut reading, scene, motion, random, threads);
        Ok(reading)
    }

    /// Adds the noise of colours and the ground truth.
    fn finish(
        &self,
        reading: &mut CameraReading,
        scene: &Scene,
        motion: &CameraMotion<'_>,
        random: impl Fn(usize) -> Random,
        threads: Threads,
    ) {
        if self.options.has_noise() {
            self.options.disturb(&mut reading.colors, &mut random(1));
        }
        if self.options.truth != TruthKinds::default() {
            let watched = Watched { view: &self.view, carrier: motion.link, optical: &self.optical, step: motion.step };
            reading.truth = ground_truth(scene, &watched, self.options.truth, threads);
        }
    }

    /// The same camera with another renderer.
    pub fn drawn_by(self, renderer: CameraRenderer) -> Self {
        Self { renderer, ..self }
    }

    /// Renderer of its images.
    pub fn renderer(&self) -> CameraRenderer {
        self.renderer
    }

    /// Whether it needs a [`Painter`]. [`take`](Self::take) always uses ray casting.
    pub fn is_painted(&self) -> bool {
        match self.renderer {
            CameraRenderer::Rays => false,
            CameraRenderer::PaintedColors => self.has_color(),
            CameraRenderer::Painted => true,
        }
    }

    /// Image size and lens.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// World pose of the device frame for a pose of the link.
    pub fn pose(&self, link: &Isometry3<f64>) -> Isometry3<f64> {
        link * self.mounting
    }

    /// World pose of the optical frame for a pose of the link.
    pub fn optical_pose(&self, link: &Isometry3<f64>) -> Isometry3<f64> {
        link * self.optical
    }

    /// Whether it delivers colours.
    pub fn has_color(&self) -> bool {
        match self.kind {
            CameraKind::Color => true,
            CameraKind::Range(format, ..) => format.has_color(),
        }
    }

    /// Takes a reading with the link at a pose, by ray casting. `random` is only called if the camera has errors.
    ///
    /// # Errors
    /// If the image cannot be taken; this does not occur, because the view was checked before.
    pub fn take(
        &self,
        scene: &Scene,
        link: &Isometry3<f64>,
        lighting: &Lighting,
        random: impl FnOnce() -> Random,
        threads: Threads,
    ) -> Result<CameraReading, SensorError> {
        let pose = self.optical_pose(link);
        let frame = if self.has_color() {
            scene.picture(&self.view, &pose, lighting, threads)?
        } else {
            scene.distances(&self.view, &pose, threads)?
        };
        Ok(self.develop(frame, random))
    }

    /// Takes a reading with a painter, and with ray casting for distances if the renderer requires it.
    ///
    /// # Errors
    /// If the image cannot be rendered.
    pub fn paint(
        &self,
        painter: &dyn Painter,
        scene: &Scene,
        link: &Isometry3<f64>,
        lighting: &Lighting,
        random: impl FnOnce() -> Random,
        threads: Threads,
    ) -> Result<CameraReading, SensorError> {
        let pose = self.optical_pose(link);
        let mut frame = painter.paint(scene, &self.view, &pose, lighting)?;
        if self.renderer != CameraRenderer::Painted && self.kind != CameraKind::Color {
            frame.distances = scene.distances(&self.view, &pose, threads)?.distances;
        }
        if !self.has_color() {
            frame.colors.clear();
        }
        Ok(self.develop(frame, random))
    }

    /// Converts a rendered frame to a reading.
    pub fn develop(&self, frame: Frame, random: impl FnOnce() -> Random) -> CameraReading {
        let Frame { width, height, colors, mut distances } = frame;
        let truth = GroundTruth::default();
        let mut reading = CameraReading { width, height, colors, points: Vec::new(), depths: Vec::new(), truth };
        let CameraKind::Range(format, errors, reach) = self.kind else { return reading };
        let optics = self.view.optics();
        for distance in &mut distances {
            if !(reach.min..=reach.max).contains(&f64::from(*distance)) {
                *distance = f32::INFINITY;
            }
        }
        if !errors.is_none() {
            let mut random = random();
            for (index, distance) in distances.iter_mut().enumerate() {
                let clipped = optics.pixel_direction(index).map_or(Reach::ALL, |ray| self.view.reach(&ray));
                let measurable = Reach { min: reach.min.max(clipped.min), max: reach.max.min(clipped.max) };
                *distance = errors.apply(f64::from(*distance), measurable, &mut random) as f32;
            }
        }
        let turn = (self.mounting.rotation.inverse() * self.optical.rotation).to_rotation_matrix();
        let measured = distances.iter().enumerate().map(|(index, &distance)| {
            let direction = optics.pixel_direction(index).filter(|_| distance.is_finite())?;
            let point = direction.into_inner() * f64::from(distance);
            Some((index, (turn * point).cast::<f32>(), -point.z as f32))
        });
        if format.is_organized() {
            for point in measured {
                let (_, point, depth) = point.unwrap_or((0, Vector3::repeat(f32::NAN), f32::INFINITY));
                reading.points.push(point);
                reading.depths.push(depth);
            }
        } else {
            let mut kept = Vec::new();
            for (index, point, _) in measured.flatten() {
                reading.points.push(point);
                kept.extend(reading.colors.get(index).copied());
            }
            reading.colors = kept;
        }
        reading
    }
}
