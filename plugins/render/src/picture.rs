//! Images rendered by ray casting.

use nalgebra::{Isometry3, Point2, Point3, Rotation3, Vector3};

use crate::batch::Threads;
use crate::color::Linear;
use crate::lens::{Optics, View, ViewError};
use crate::light::Lighting;
use crate::model::{Material, Triangle};
use crate::quadric::Face;
use crate::scene::{Caster, Hit, Ray, Reach, Scene, Seen, SeenSurface};
use crate::solid::{Solid, SolidPoint};

/// Maximum number of transparent surfaces along a ray.
const MAX_LAYERS: usize = 8;

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

    /// Surface at a hit of a ray; `None` for a hit of another scene.
    pub fn surface(&self, ray: &Ray, hit: &Hit) -> Option<Surface<'_>> {
        let Seen { model, surface, pose } = self.seen(hit, ray.time)?;
        let point = ray.origin + ray.direction.into_inner() * hit.distance;
        let PointData { material, normal, face, texture, color } = match surface {
            SeenSurface::Triangle(triangle, weights) => on_triangle(triangle, weights),
            SeenSurface::Solid(solid, face) => on_solid(solid, face, &pose.inverse_transform_point(&point)),
        };
        let material = model.materials.get(material as usize)?;
        let normal = pose.rotation * normal;
        // The back of an open surface is lit like its front.
        let normal = if (pose.rotation * face).dot(&ray.direction) > 0.0 { -normal } else { normal };
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
        color += shade(&surface, ray, lighting, eye) * (left * surface.opacity);
        left *= 1.0 - surface.opacity;
        if left < DARK {
            return color;
        }
        // Continues behind this surface, by more than the rounding of single precision.
        reach.min = met.distance * (1.0 + 1e-6) + 1e-6;
        hit = caster.cast(ray, reach);
    }
    color + lighting.background * left
}

fn shade(surface: &Surface<'_>, ray: &Ray, lighting: &Lighting, eye: &Isometry3<f64>) -> Linear {
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
            color += material.specular * light * (normal.dot(&half).max(0.0) as f32).powf(material.exponent);
        }
    };
    add(&(eye.rotation * Vector3::z()), lighting.head);
    for light in &lighting.lights {
        if let Some((towards, share)) = light.at(point) {
            add(&towards, light.color * share);
        }
    }
    color
}
