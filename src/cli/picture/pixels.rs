//! From rays to pixels: anti-aliasing, a grid on the ground, a transparent background.

use bunraku::render::{Frame, Linear};
use nalgebra::{Isometry3, Point3, Vector3};

use super::{FIELD_OF_VIEW, RAYS};

/// A grid on the plane z = 0.
pub struct Grid {
    /// Distance of two lines, m.
    spacing: f64,
    /// Optical frame of the camera in the world.
    camera: Isometry3<f64>,
    /// Size of the picture, rays.
    size: [f64; 2],
}

/// Colour of the lines, sRGB.
const LINE: [u8; 3] = [96, 104, 112];
/// Half width of a line, as a fraction of the distance of two lines.
const HALF_WIDTH: f64 = 0.006;

impl Grid {
    /// A grid for a camera that looks at something at this distance, m, in a picture of this size in rays. Lines are a
    /// power of ten of metres apart.
    pub fn new(camera: Isometry3<f64>, distance: f64, size: [u32; 2]) -> Self {
        let spacing = 10_f64.powf((distance / 2.0).log10().floor());
        Self { spacing, camera, size: size.map(f64::from) }
    }

    /// How much of a ray meets a line, 0 … 1; 0 behind what is at this distance along the ray, m.
    fn share(&self, [across, down]: [u32; 2], hit: f32) -> f32 {
        let [width, height] = self.size;
        let half = (FIELD_OF_VIEW / 2.0).tan();
        let right = half * width / height * (2.0 * (f64::from(across) + 0.5) / width - 1.0);
        let up = half * (1.0 - 2.0 * (f64::from(down) + 0.5) / height);
        let direction = self.camera.rotation * Vector3::new(right, up, -1.0).normalize();
        let eye = Point3::from(self.camera.translation.vector);
        let distance = -eye.z / direction.z;
        // A floor at the height of the grid does not hide it.
        if !(distance > 0.0 && distance <= f64::from(hit) * (1.0 + 1e-4)) {
            return 0.0;
        }
        let point = eye + direction * distance;
        let footprint = distance * 2.0 * half / height / direction.z.abs();
        let half_width = HALF_WIDTH * self.spacing + footprint;
        let offset = |value: f64| (value - (value / self.spacing).round() * self.spacing).abs();
        let is_line = offset(point.x).min(offset(point.y)) < half_width;
        // Far lines would merge into a surface.
        let fade = (1.0 - 6.0 * footprint / self.spacing).clamp(0.0, 1.0);
        if is_line { fade as f32 } else { 0.0 }
    }
}

/// Red, green, blue (sRGB) and opacity of each pixel. Where a ray hits nothing, the background is opaque or
/// transparent.
pub fn pixels(drawn: &Frame, grid: Option<&Grid>, is_transparent: bool) -> Vec<[u8; 4]> {
    let (width, height) = (drawn.width / RAYS, drawn.height / RAYS);
    let line = Linear::from_pixel(LINE);
    let ray = |across: u32, down: u32| {
        let index = (down * drawn.width + across) as usize;
        let (color, distance) = (*drawn.colors.get(index)?, *drawn.distances.get(index)?);
        let share = grid.map_or(0.0, |grid| grid.share([across, down], distance));
        let color = Linear::from_pixel(color);
        let opacity = if distance.is_finite() || !is_transparent { 1.0 } else { share };
        // A line in front of a transparent background has its own colour, however thin it is.
        let color = if opacity < 1.0 { line } else { color.mix(line, share) };
        Some((color, opacity))
    };
    let pixel = |across: u32, down: u32| {
        let rays = (0..RAYS).flat_map(|y| (0..RAYS).map(move |x| (across * RAYS + x, down * RAYS + y)));
        let (mut sum, mut total) = (Linear::BLACK, 0.0_f32);
        for (color, opacity) in rays.filter_map(|(x, y)| ray(x, y)) {
            sum += color * opacity;
            total += opacity;
        }
        let [red, green, blue] = if total > 0.0 { (sum * (1.0 / total)).to_pixel() } else { [0; 3] };
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
        let alpha = (255.0 * total / (RAYS * RAYS) as f32).round() as u8;
        [red, green, blue, alpha]
    };
    (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| pixel(x, y)).collect()
}
