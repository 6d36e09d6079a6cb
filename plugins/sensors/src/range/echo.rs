//! Returns of the beams of a range sensor.

use bunraku_render::{Caster, Hit, Ray, Reach, Scene, Threads};
use nalgebra::{Unit, Vector3};

use super::options::ScanOptions;

/// Maximum number of returns of a ray.
pub const MOST_RETURNS: usize = 4;

/// Maximum number of surfaces along a ray.
const MOST_SURFACES: usize = 8;

/// Light below this fraction of a ray is neglected.
const DARK: f32 = 1.0 / 512.0;

/// A return of a beam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Echo {
    /// Distance, m; +∞ without a hit.
    pub distance: f64,
    /// Fraction of the light that comes back, relative to a white surface that faces the sensor.
    pub intensity: f32,
}

impl Echo {
    const NONE: Self = Self { distance: f64::INFINITY, intensity: 0.0 };
}

/// Properties of the light of a range sensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Optics {
    has_intensity: bool,
    returns: usize,
    separation: f64,
    is_transmitted: bool,
    min_intensity: f32,
    /// Rays of a beam besides the central one: offsets of their directions to two sides, for a direction of length 1.
    offsets: Vec<[f64; 2]>,
}

impl Optics {
    pub fn new(options: &ScanOptions) -> Self {
        Self {
            has_intensity: options.intensity,
            returns: options.returns,
            separation: options.return_separation,
            is_transmitted: options.transmission,
            min_intensity: options.min_intensity as f32,
            offsets: offsets(options),
        }
    }

    pub fn has_intensity(&self) -> bool {
        self.has_intensity
    }

    pub fn returns(&self) -> usize {
        self.returns
    }

    /// Calls `put` for each of `count` rays with its returns, the strongest first.
    pub fn measure(
        &self,
        scene: &Scene,
        reach: Reach,
        count: usize,
        ray: impl Fn(usize) -> Option<Ray> + Sync,
        threads: Threads,
        mut put: impl FnMut(usize, &[Echo]),
    ) {
        let ray = |index: usize| Some((ray(index)?, reach));
        let is_thin = self.offsets.is_empty() && !self.is_transmitted && self.min_intensity <= 0.0;
        if !is_thin {
            let mut found = vec![[Echo::NONE; MOST_RETURNS]; count];
            scene.fill(&mut found, threads, ray, |caster, ray, hit| match ray {
                Some((ray, reach)) => self.beam(caster, &ray, reach, hit),
                None => [Echo::NONE; MOST_RETURNS],
            });
            for (index, echoes) in found.iter().enumerate() {
                put(index, &echoes[..self.returns]);
            }
        } else if self.has_intensity {
            let mut found = vec![Echo::NONE; count];
            scene.fill(&mut found, threads, ray, |caster, ray, hit| match (ray, hit) {
                (Some((ray, _)), Some(hit)) => {
                    let intensity = reflected(caster, &ray, &hit).map_or(0.0, |(light, _)| light);
                    Echo { distance: hit.distance, intensity }
                }
                _ => Echo::NONE,
            });
            found.iter().enumerate().for_each(|(index, echo)| put(index, std::slice::from_ref(echo)));
        } else {
            let mut found = vec![f64::INFINITY; count];
            scene.fill(&mut found, threads, ray, |_, _, hit| hit.map_or(f64::INFINITY, |hit| hit.distance));
            for (index, &distance) in found.iter().enumerate() {
                put(index, &[Echo { distance, intensity: 0.0 }]);
            }
        }
    }

    /// Returns of a beam whose central ray has the first hit `hit`.
    fn beam(&self, caster: &mut Caster<'_>, ray: &Ray, reach: Reach, hit: Option<Hit>) -> [Echo; MOST_RETURNS] {
        let share = 1.0 / (self.offsets.len() + 1) as f32;
        let mut surfaces = Vec::new();
        self.along(caster, ray, reach, hit, share, &mut surfaces);
        let axis = ray.direction.into_inner();
        let side = Vector3::ith(axis.iamin(), 1.0).cross(&axis).normalize();
        let other = axis.cross(&side);
        for [right, up] in &self.offsets {
            let ray = Ray { direction: Unit::new_normalize(axis + side * *right + other * *up), ..*ray };
            let hit = caster.cast(&ray, reach);
            self.along(caster, &ray, reach, hit, share, &mut surfaces);
        }
        self.returns_of(surfaces)
    }

    /// Adds the surfaces along a ray that has the fraction `left` of the light of its beam.
    fn along(
        &self,
        caster: &mut Caster<'_>,
        ray: &Ray,
        mut reach: Reach,
        mut hit: Option<Hit>,
        share: f32,
        surfaces: &mut Vec<Echo>,
    ) {
        let mut left = share;
        for _ in 0..MOST_SURFACES {
            let Some(met) = hit else { return };
            let (light, opacity) = reflected(caster, ray, &met).unwrap_or((0.0, 1.0));
            let opacity = if self.is_transmitted { opacity } else { 1.0 };
            // An invisible surface gives no return.
            if opacity > 0.0 {
                surfaces.push(Echo { distance: met.distance, intensity: left * opacity * light });
            }
            // The light passes the surface twice.
            left *= (1.0 - opacity).powi(2);
            if left < DARK * share {
                return;
            }
            reach.min = met.distance * (1.0 + 1e-6) + 1e-6;
            hit = caster.cast(ray, reach);
        }
    }

    /// The strongest returns: surfaces that are near each other are one, at the mean of their distances weighted with
    /// their light.
    fn returns_of(&self, mut surfaces: Vec<Echo>) -> [Echo; MOST_RETURNS] {
        surfaces.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        let mut pulses: Vec<Echo> = Vec::new();
        for pulse in surfaces.chunk_by(|near, far| far.distance - near.distance < self.separation) {
            let light: f32 = pulse.iter().map(|echo| echo.intensity).sum();
            let first = pulse.first().map_or(f64::INFINITY, |echo| echo.distance);
            // Relative to the first, so that equal distances have exactly that mean.
            let weighted: f64 = pulse.iter().map(|echo| f64::from(echo.intensity) * (echo.distance - first)).sum();
            let offset = if light > 0.0 { weighted / f64::from(light) } else { 0.0 };
            if light >= self.min_intensity {
                pulses.push(Echo { distance: first + offset, intensity: light });
            }
        }
        pulses.sort_by(|a, b| b.intensity.total_cmp(&a.intensity));
        let mut echoes = [Echo::NONE; MOST_RETURNS];
        for (echo, pulse) in echoes.iter_mut().zip(pulses) {
            *echo = pulse;
        }
        echoes
    }
}

/// Light that a surface sends back, by Lambert's law: the luminance of its diffuse colour times the cosine of the angle
/// of incidence. And its opacity.
fn reflected(caster: &Caster<'_>, ray: &Ray, hit: &Hit) -> Option<(f32, f32)> {
    let surface = caster.scene().surface(ray, hit)?;
    let facing = (-surface.normal.dot(&ray.direction)).max(0.0) as f32;
    Some((surface.diffuse.luminance() * facing, surface.opacity))
}

/// Rays that are distributed over the cone of a beam like the seeds of a sunflower (H. Vogel, 1979).
fn offsets(options: &ScanOptions) -> Vec<[f64; 2]> {
    /// The golden angle, rad.
    const TURN: f64 = 2.399_963_229_728_653;
    if options.beam_divergence <= 0.0 {
        return Vec::new();
    }
    let radius = libm::tan(options.beam_divergence / 2.0);
    let around = options.beam_rays - 1;
    let offset = |number: usize| {
        let (sin, cos) = libm::sincos(number as f64 * TURN);
        let radius = radius * (number as f64 / around as f64).sqrt();
        [radius * cos, radius * sin]
    };
    (1..=around).map(offset).collect()
}
