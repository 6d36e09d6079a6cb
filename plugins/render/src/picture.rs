//! Images rendered by ray casting.

use nalgebra::{Isometry3, Point2, Point3, Rotation3, Unit, Vector3};

use crate::batch::Threads;
use crate::color::Linear;
use crate::lens::{Optics, View, ViewError};
use crate::light::Lighting;
use crate::model::{Material, Triangle};
use crate::motion::Motion;
use crate::quadric::Face;
use crate::scene::{Caster, Hit, Ray, Reach, Scene, Seen, SeenSurface};
use crate::solid::{Solid, SolidPoint};

/// Maximum number of transparent surfaces along a ray.
const MAX_LAYERS: usize = 8;

/// Number of rays of a picture that wait for the others of their pixels.
const MOST_WAITING: usize = 1 << 20;

/// Light below this is neglected.
const DARK: f32 = 1.0 / 512.0;

/// Image of a camera. Both lists have a value for each pixel, row by row from the upper left.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Width, pixels.
    pub width: u32,
    /// Height, pixels.
    pub height: u32,
    /// Red, green and blue (sRGB) of each pixel; empty if not requested.
    pub colors: Vec<[u8; 3]>,
    /// Distance from the eye to the hit of each pixel, m, along the ray; +∞ without a hit.
    pub distances: Vec<f32>,
}

impl Scene {
    /// Renders the distances of a camera. `pose` is its optical frame in the world.
    ///
    /// # Errors
    /// If the view is invalid.
    pub fn distances(&self, view: &View, pose: &Isometry3<f64>, threads: Threads) -> Result<Frame, ViewError> {
        view.check()?;
        let camera = Camera::new(view, pose);
        let mut distances = vec![f32::INFINITY; view.num_pixels()];
        let distance = |hit: Option<Hit>| hit.map_or(f32::INFINITY, |hit| hit.distance as f32);
        self.fill(&mut distances, threads, |index| camera.ray(index), |_, _, hit| distance(hit));
        Ok(Frame { width: view.width, height: view.height, colors: Vec::new(), distances })
    }

    /// Renders the colours and distances of a camera. `pose` is its optical frame in the world.
    ///
    /// Surfaces are lit by the formulas of Lambert and of Blinn and Phong, in linear light. Distances are those of the
    /// first surface, even if it is transparent.
    ///
    /// # Errors
    /// If the view is invalid.
    pub fn picture(
        &self,
        view: &View,
        pose: &Isometry3<f64>,
        lighting: &Lighting,
        threads: Threads,
    ) -> Result<Frame, ViewError> {
        view.check()?;
        let camera = Camera::new(view, pose);
        let mut pixels = vec![([0; 3], f32::INFINITY); view.num_pixels()];
        let look = |caster: &mut Caster<'_>, ray: Option<(Ray, Reach)>, hit: Option<Hit>| match ray {
            Some((ray, reach)) => {
                let color = color(caster, &ray, reach, hit, lighting, pose);
                (color.to_pixel(), hit.map_or(f32::INFINITY, |hit| hit.distance as f32))
            }
            None => ([0; 3], f32::INFINITY),
        };
        self.fill(&mut pixels, threads, |index| camera.ray(index), look);
        let (colors, distances) = pixels.into_iter().unzip();
        Ok(Frame { width: view.width, height: view.height, colors, distances })
    }

    /// As [`picture`](Self::picture), with several rays for each pixel, and rows at their own times. The distance of a
    /// pixel is that of its nearest ray.
    ///
    /// # Errors
    /// If the view is invalid.
    pub fn exposed(
        &self,
        view: &View,
        exposure: &Exposure,
        lighting: &Lighting,
        threads: Threads,
    ) -> Result<Frame, ViewError> {
        view.check()?;
        let camera = Camera::new(view, &Isometry3::identity());
        let rays = exposure.rays();
        let row = view.width as usize;
        let (mut colors, mut distances) = (Vec::new(), Vec::new());
        // Some rows at a time, so that many rays of a pixel need little memory.
        let rows = (MOST_WAITING / (row * rays).max(1)).max(1);
        let mut done = 0;
        while done < view.num_pixels() {
            let pixels = (rows * row).min(view.num_pixels() - done);
            let mut found = vec![(Linear::BLACK, f32::INFINITY); pixels * rays];
            let look = |caster: &mut Caster<'_>, ray: Option<(Ray, Reach)>, hit: Option<Hit>| match ray {
                Some((ray, reach)) => {
                    let eye = exposure.pose(ray.time);
                    let color = color(caster, &ray, reach, hit, lighting, &eye);
                    (color, hit.map_or(f32::INFINITY, |hit| hit.distance as f32))
                }
                None => (Linear::BLACK, f32::INFINITY),
            };
            self.fill(&mut found, threads, |index| camera.exposed(exposure, done * rays + index), look);
            for pixel in found.chunks(rays) {
                let sum = pixel.iter().fold(Linear::BLACK, |sum, (color, _)| sum + *color);
                colors.push((sum * (exposure.gain / rays as f32)).to_pixel());
                distances.push(pixel.iter().map(|(_, distance)| *distance).fold(f32::INFINITY, f32::min));
            }
            done += pixels;
        }
        Ok(Frame { width: view.width, height: view.height, colors, distances })
    }

    /// Surface at a hit of a ray; `None` for a hit of another scene.
    pub fn surface(&self, ray: &Ray, hit: &Hit) -> Option<Surface<'_>> {
        let Seen { model, surface, axes } = self.seen(hit, ray.time)?;
        let point = ray.origin + ray.direction.into_inner() * hit.distance;
        let PointData { material, normal, face, texture, color } = match surface {
            SeenSurface::Triangle(triangle, weights) => on_triangle(triangle, weights),
            SeenSurface::Solid(solid, face) => on_solid(solid, face, &axes.local_origin(point.coords).into()),
        };
        let material = model.materials.get(material as usize)?;
        let normal = axes.out(&normal);
        // The back of an open surface is lit like its front.
        let normal = if axes.out(&face).dot(&ray.direction) > 0.0 { -normal } else { normal };
        let (mut diffuse, mut opacity) = (material.diffuse, material.opacity);
        if let Some(color) = color {
            diffuse = diffuse * color;
        }
        if let Some(picture) = &material.picture {
            let (color, alpha) = picture.sample(texture.x, texture.y);
            diffuse = diffuse * color;
            opacity *= alpha;
        }
        Some(Surface { material, diffuse, opacity, point, normal })
    }
}

/// Data of a surface at a hit, in the model frame.
struct PointData {
    /// Index of the material.
    material: u32,
    /// Unit normal for lighting.
    normal: Vector3<f64>,
    /// Normal of the surface itself, which decides between front and back.
    face: Vector3<f64>,
    /// Texture coordinates: s to the right, t up.
    texture: Point2<f32>,
    /// Colour, multiplied with that of the material.
    color: Option<Linear>,
}

fn on_triangle(triangle: &Triangle, [second, third]: [f32; 2]) -> PointData {
    let weights = [1.0 - second - third, second, third];
    let [a, b, c] = triangle.normals;
    let normal = (a * weights[0] + b * weights[1] + c * weights[2]).try_normalize(0.0).unwrap_or(a);
    let [p, q, r] = triangle.corners;
    let [s, t, u] = triangle.texture.map(|corner| corner.coords);
    let mix = |colors: &[Linear; 3]| colors[0] * weights[0] + colors[1] * weights[1] + colors[2] * weights[2];
    PointData {
        material: triangle.material,
        normal: normal.cast(),
        face: (q - p).cross(&(r - p)).cast(),
        texture: (s * weights[0] + t * weights[1] + u * weights[2]).into(),
        color: triangle.colors.as_ref().map(mix),
    }
}

fn on_solid(solid: &Solid, face: Face, point: &Point3<f64>) -> PointData {
    let SolidPoint { normal, texture } = solid.point(face, point);
    PointData { material: solid.material, normal, face: normal, texture: texture.cast(), color: None }
}

/// Surface at a hit of a ray.
#[derive(Clone, Copy, Debug)]
pub struct Surface<'s> {
    /// Material.
    pub material: &'s Material,
    /// Diffuse colour, with image and colours of corners.
    pub diffuse: Linear,
    /// Opacity, with that of the image; 1 is opaque.
    pub opacity: f32,
    /// Point in the world, m.
    pub point: Point3<f64>,
    /// Unit normal in the world, on the side of the eye.
    pub normal: Vector3<f64>,
}

/// When and how finely an image is taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Exposure {
    /// Number of rays of a pixel along each side; their mean is its colour. At most [`Exposure::MOST_SAMPLES`].
    pub samples: u32,
    /// Motion of the body that carries the camera, in the time of the motions of the scene.
    pub carrier: Motion,
    /// Optical frame of the camera in that body.
    pub mounting: Isometry3<f64>,
    /// Time of the middle of the exposure of the first row.
    pub first_row: f64,
    /// Time from a row to the next.
    pub row: f64,
    /// Duration of the exposure of a row, over which its rays are spread.
    pub duration: f64,
    /// Factor of all light.
    pub gain: f32,
}

impl Exposure {
    /// Maximum number of rays of a pixel along each side.
    pub const MOST_SAMPLES: u32 = 16;

    /// All rows at the end of the motions, for a camera with its optical frame at `pose`.
    pub fn instant(pose: &Isometry3<f64>, samples: u32) -> Self {
        Self {
            samples,
            carrier: Motion::still(*pose),
            mounting: Isometry3::identity(),
            first_row: 1.0,
            row: 0.0,
            duration: 0.0,
            gain: 1.0,
        }
    }

    /// Number of rays of a pixel.
    fn rays(&self) -> usize {
        let side = self.samples.clamp(1, Self::MOST_SAMPLES) as usize;
        side * side
    }

    /// Time of a ray of a pixel in a row.
    fn time(&self, row: usize, ray: usize) -> f64 {
        let count = self.rays();
        // In an order in which neighbouring rays of a pixel are apart in time.
        let share = ((ray * (2 * self.samples as usize + 1)) % count) as f64 + 0.5;
        self.first_row + self.row * row as f64 + self.duration * (share / count as f64 - 0.5)
    }

    /// Pose of the optical frame at a time.
    fn pose(&self, time: f64) -> Isometry3<f64> {
        self.carrier.at(time) * self.mounting
    }
}

/// Common data of the rays of an image.
struct Camera {
    view: View,
    optics: Optics,
    origin: Point3<f64>,
    turn: Rotation3<f64>,
}

impl Camera {
    fn new(view: &View, pose: &Isometry3<f64>) -> Self {
        let (origin, turn) = (pose.translation.vector.into(), pose.rotation.to_rotation_matrix());
        Self { view: *view, optics: view.optics(), origin, turn }
    }

    /// A ray of a pixel, counted row by row, within its exposure.
    fn exposed(&self, exposure: &Exposure, index: usize) -> Option<(Ray, Reach)> {
        let (rays, width) = (exposure.rays(), self.view.width as usize);
        let (pixel, ray) = (index / rays, index % rays);
        let side = exposure.samples.clamp(1, Exposure::MOST_SAMPLES) as usize;
        let inner = |number: usize| (number as f64 + 0.5) / side as f64;
        let (x, y) = ((pixel % width) as f64 + inner(ray % side), (pixel / width) as f64 + inner(ray / side));
        let direction = self.optics.direction(x, y)?;
        let time = exposure.time(pixel / width, ray);
        let pose = exposure.pose(time);
        let reach = self.view.reach(&direction);
        let origin = pose.translation.vector.into();
        Some((Ray { time, ..Ray::new(origin, pose.rotation * direction) }, reach))
    }

    /// Ray of a pixel and its visible part.
    fn ray(&self, index: usize) -> Option<(Ray, Reach)> {
        let direction = self.optics.pixel_direction(index)?;
        let reach = self.view.reach(&direction);
        Some((Ray::new(self.origin, self.turn * direction), reach))
    }
}

/// Colour along a ray whose first hit is `hit`.
fn color(
    caster: &mut Caster<'_>,
    ray: &Ray,
    mut reach: Reach,
    mut hit: Option<Hit>,
    lighting: &Lighting,
    eye: &Isometry3<f64>,
) -> Linear {
    let (mut color, mut left) = (Linear::BLACK, 1.0_f32);
    for _ in 0..MAX_LAYERS {
        let Some(met) = hit else { break };
        let Some(surface) = caster.scene().surface(ray, &met) else { break };
        let opacity = surface.opacity;
        color += shade(caster, &surface, ray, lighting, eye) * (left * opacity);
        left *= 1.0 - opacity;
        if left < DARK {
            return color;
        }
        // Continues behind this surface, by more than the rounding of single precision.
        reach.min = met.distance * (1.0 + 1e-6) + 1e-6;
        hit = caster.cast(ray, reach);
    }
    let behind = lighting.sky.map_or(lighting.background, |sky| sky.color(&ray.direction));
    color + behind * left
}

/// Share of a light that reaches a surface past the others.
fn lit(caster: &mut Caster<'_>, surface: &Surface<'_>, time: f64, towards: Unit<Vector3<f64>>, distance: f64) -> f32 {
    /// Distance of the start of the ray from the surface, relative to its coordinates and in m: more than the rounding of
    /// single precision.
    const START: f64 = 1e-6;
    const LEAST: f64 = 1e-5;
    let start = START * surface.point.coords.amax() + LEAST;
    let ray = Ray { time, ..Ray::new(surface.point + surface.normal * start, towards) };
    let mut reach = Reach { min: 0.0, max: distance - start };
    let mut left = 1.0;
    for _ in 0..MAX_LAYERS {
        let Some(hit) = caster.cast(&ray, reach) else { return left };
        left *= 1.0 - caster.scene().surface(&ray, &hit).map_or(1.0, |surface| surface.opacity);
        if left < DARK {
            return 0.0;
        }
        reach.min = hit.distance * (1.0 + 1e-6) + 1e-6;
    }
    left
}

fn shade(
    caster: &mut Caster<'_>,
    surface: &Surface<'_>,
    ray: &Ray,
    lighting: &Lighting,
    eye: &Isometry3<f64>,
) -> Linear {
    let Surface { material, diffuse, point, normal, .. } = surface;
    let mut color = material.emissive + *diffuse * lighting.ambient * material.ambient;
    let mut add = |towards: &Vector3<f64>, light: Linear| {
        let facing = normal.dot(towards) as f32;
        if facing <= 0.0 {
            return;
        }
        color += *diffuse * light * facing;
        if material.specular != Linear::BLACK {
            let half = (towards - ray.direction.into_inner()).try_normalize(0.0).unwrap_or(*normal);
            color += material.specular * light * libm::powf(normal.dot(&half).max(0.0) as f32, material.exponent);
        }
    };
    add(&(eye.rotation * Vector3::z()), lighting.head);
    for light in &lighting.lights {
        let Some((towards, distance, share)) = light.at(point) else { continue };
        let lit = match lighting.shadows && normal.dot(&towards) > 0.0 {
            true => lit(caster, surface, ray.time, towards, distance),
            false => 1.0,
        };
        add(&towards, light.color * (share * lit));
    }
    color
}
