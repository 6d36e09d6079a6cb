//! The ground grid and the axes of the world.

use bevy::prelude::*;

use crate::camera::Orbit;
use crate::view::{Mark, Marks};

/// Number of lines on each side of the middle.
const HALF_LINES: i32 = 20;
/// Colours of the axes +X, +Y and +Z.
pub const AXIS_COLORS: [Color; 3] =
    [Color::srgb(0.86, 0.20, 0.18), Color::srgb(0.25, 0.65, 0.22), Color::srgb(0.20, 0.42, 0.90)];

/// Lines in the scene, which surfaces in front of them hide.
#[derive(Default, Reflect, GizmoConfigGroup)]
pub struct GroundLines;

/// Lines are thin, and behind objects that lie on the ground.
pub fn ground_gizmos(mut store: ResMut<GizmoConfigStore>) {
    let (config, _) = store.config_mut::<GroundLines>();
    config.line.width = 1.0;
    config.depth_bias = -0.001;
}

/// Distance between lines for a camera at this distance, m: a power of ten.
fn spacing(distance: f32) -> f32 {
    10.0_f32.powf((distance / 4.0).max(1e-3).log10().floor())
}

/// Draws the grid around the target of the camera.
pub fn draw_ground(mut lines: Gizmos<GroundLines>, orbit: Res<Orbit>, marks: Res<ShownMarks>) {
    if !marks.marks.has(Mark::Grid) {
        return;
    }
    let spacing = spacing(orbit.distance);
    let round = |value: f32| (value / (10.0 * spacing)).round() * 10.0 * spacing;
    let middle = Vec2::new(round(orbit.target.x), round(orbit.target.y));
    let reach = HALF_LINES as f32 * spacing;
    let gray = if marks.dark { 0.75 } else { 0.25 };
    for index in -HALF_LINES..=HALF_LINES {
        let offset = index as f32 * spacing;
        let strength = if index % 10 == 0 { 0.38 } else { 0.16 };
        let color = Color::srgba(gray, gray, gray, strength);
        let (x, y) = (middle.x + offset, middle.y + offset);
        lines.line(Vec3::new(x, middle.y - reach, 0.0), Vec3::new(x, middle.y + reach, 0.0), color);
        lines.line(Vec3::new(middle.x - reach, y, 0.0), Vec3::new(middle.x + reach, y, 0.0), color);
    }
    let length = 5.0 * spacing;
    for (axis, color) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().zip(AXIS_COLORS) {
        lines.line(Vec3::ZERO, axis * length, color);
    }
}

/// Selected overlays, and the theme.
#[derive(Resource, Clone, Debug, Default)]
pub struct ShownMarks {
    /// Selected overlays.
    pub marks: Marks,
    /// Whether the background is dark.
    pub dark: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_spacing_grows_with_the_distance() {
        assert_eq!(spacing(4.0), 1.0);
        assert!((spacing(0.5) - 0.1).abs() < 1e-6);
        assert_eq!(spacing(100.0), 10.0);
        assert!(spacing(0.0) > 0.0);
    }
}
