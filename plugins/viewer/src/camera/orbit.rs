//! An orbit camera with +Z up.

use bevy::prelude::*;

use crate::view::Side;

/// Pose of the camera: at `distance` from `target`, in a direction given by two angles.
#[derive(Resource, Clone, Copy, Debug, PartialEq)]
pub struct Orbit {
    /// Centre of the orbit and of the view, m.
    pub target: Vec3,
    /// Angle about +Z of the direction from the target to the camera, rad; 0 is along +X.
    pub azimuth: f32,
    /// Angle of that direction above the horizon, rad.
    pub elevation: f32,
    /// Distance, m; positive.
    pub distance: f32,
    /// Whether lines of sight are parallel; the picture has the scale that the target has in perspective.
    pub is_orthographic: bool,
}

/// Maximum elevation, rad: straight up and down, a camera with +Z up has no direction to the right.
const LARGEST_ELEVATION: f32 = 0.498 * std::f32::consts::PI;
/// Minimum and maximum distance, m.
const DISTANCES: [f32; 2] = [0.01, 1.0e4];
/// Rotation for a drag across one point of the window, rad.
const TURN_PER_POINT: f32 = 0.008;
/// Zoom factor of a notch of the wheel.
const ZOOM_PER_NOTCH: f32 = 0.88;
/// Additional distance of an orthographic camera, m: nothing near the target may be behind it.
const ORTHOGRAPHIC_DISTANCE: f32 = 50.0;
/// Vertical field of view, rad.
pub const FIELD_OF_VIEW: f32 = std::f32::consts::FRAC_PI_4;

impl Default for Orbit {
    /// From the front right, slightly above, for a body of about a metre.
    fn default() -> Self {
        Self { target: Vec3::new(0.0, 0.0, 0.5), azimuth: -0.8, elevation: 0.35, distance: 4.0, is_orthographic: false }
    }
}

impl Orbit {
    /// From `eye` to `target`, m. If the direction is undefined, or straight up or down, the nearest direction that is
    /// possible with +Z up.
    pub fn looking(eye: Vec3, target: Vec3) -> Self {
        let line = eye - target;
        let distance = line.length();
        if !(distance.is_finite() && distance > 0.0) {
            return Self { target, ..default() };
        }
        let elevation = (line.z / distance).clamp(-1.0, 1.0).asin();
        let azimuth = if line.truncate().length() > 0.0 { line.y.atan2(line.x) } else { 0.0 };
        Self { target, azimuth, elevation, distance, is_orthographic: false }.within_limits()
    }

    /// Pose of the camera.
    pub fn transform(&self) -> Transform {
        Transform::from_translation(self.eye()).looking_at(self.target, Vec3::Z)
    }

    /// Position of the camera, m.
    pub fn eye(&self) -> Vec3 {
        let more = if self.is_orthographic { ORTHOGRAPHIC_DISTANCE } else { 0.0 };
        self.target + (self.distance + more) * self.direction()
    }

    fn direction(&self) -> Vec3 {
        let (sine, cosine) = self.elevation.sin_cos();
        Vec3::new(cosine * self.azimuth.cos(), cosine * self.azimuth.sin(), sine)
    }

    /// Height of the view at the target, m.
    pub fn height(&self) -> f32 {
        2.0 * self.distance * (FIELD_OF_VIEW / 2.0).tan()
    }

    /// Rotates to a side of the target.
    pub fn look_from(&mut self, side: Side) {
        let usual = Self::default();
        (self.azimuth, self.elevation) = match side {
            Side::Front => (0.0, 0.0),
            Side::Left => (std::f32::consts::FRAC_PI_2, 0.0),
            Side::Top => (-std::f32::consts::FRAC_PI_2, LARGEST_ELEVATION),
            Side::Aslant => (usual.azimuth, usual.elevation),
        };
    }

    /// Rotates by a drag in points to the right and down: the scene follows the pointer.
    pub fn turn(&mut self, drag: Vec2) {
        self.azimuth -= drag.x * TURN_PER_POINT;
        self.elevation += drag.y * TURN_PER_POINT;
        *self = self.within_limits();
    }

    /// Moves by a drag in points to the right and down, in a view with this height in points. Objects at the distance
    /// of the target stay under the pointer.
    pub fn pan(&mut self, drag: Vec2, view_height: f32) {
        let size = self.height() / view_height.max(1.0);
        let transform = self.transform();
        self.target += size * (transform.up() * drag.y - transform.right() * drag.x);
    }

    /// Zooms in by notches of the wheel; out if negative.
    pub fn zoom(&mut self, notches: f32) {
        self.distance *= ZOOM_PER_NOTCH.powf(notches);
        *self = self.within_limits();
    }

    /// Moves to where a box with these corners, m, just fits, for a view with this aspect ratio.
    pub fn fit(&mut self, corners: [Vec3; 2], aspect: f32) {
        let [min, max] = corners;
        let (center, radius) = ((min + max) / 2.0, (max - min).length() / 2.0);
        if !(center.is_finite() && radius.is_finite()) {
            return;
        }
        let vertical = FIELD_OF_VIEW / 2.0;
        let horizontal = (vertical.tan() * aspect.max(0.01)).atan();
        self.target = center;
        self.distance = if radius > 0.0 { 1.05 * radius / vertical.min(horizontal).sin() } else { 1.0 };
        *self = self.within_limits();
    }

    fn within_limits(self) -> Self {
        let [nearest, furthest] = DISTANCES;
        Self {
            elevation: self.elevation.clamp(-LARGEST_ELEVATION, LARGEST_ELEVATION),
            distance: self.distance.clamp(nearest, furthest),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_camera_is_where_it_was_put_with_z_up() {
        let (eye, target) = (Vec3::new(3.0, -3.0, 2.0), Vec3::new(0.0, 0.0, 0.8));
        let orbit = Orbit::looking(eye, target);
        assert!((orbit.eye() - eye).length() < 1e-5);
        let transform = orbit.transform();
        assert!((*transform.forward() - (target - eye).normalize()).length() < 1e-5);
        assert!(transform.right().z.abs() < 1e-6 && transform.up().z > 0.0);
    }

    #[test]
    fn no_view_is_straight_down_or_nowhere() {
        let down = Orbit::looking(Vec3::new(0.0, 0.0, 5.0), Vec3::ZERO);
        assert!(down.transform().is_finite() && down.transform().forward().z < -0.99);
        let nowhere = Orbit::looking(Vec3::ONE, Vec3::ONE);
        assert!(nowhere.transform().is_finite());
        let mut orbit = Orbit::default();
        orbit.turn(Vec2::new(0.0, 1.0e6));
        orbit.zoom(1.0e4);
        assert!(orbit.transform().is_finite() && orbit.distance > 0.0);
    }

    #[test]
    fn sides_are_those_of_their_names() {
        let mut orbit = Orbit { target: Vec3::new(1.0, 2.0, 3.0), ..Orbit::default() };
        let sides = [(Side::Front, Vec3::X, Vec3::Z), (Side::Left, Vec3::Y, Vec3::Z), (Side::Top, Vec3::Z, Vec3::Y)];
        for (is_orthographic, (side, from, up)) in [false, true].into_iter().flat_map(|is| sides.map(|side| (is, side)))
        {
            orbit.is_orthographic = is_orthographic;
            orbit.look_from(side);
            let transform = orbit.transform();
            assert!((*transform.forward() + from).length() < 0.01, "{side:?}");
            assert!((*transform.up() - up).length() < 0.01, "{side:?}");
        }
    }

    #[test]
    fn the_scene_follows_a_panning_pointer() {
        let mut orbit = Orbit::looking(Vec3::new(5.0, 0.0, 0.0), Vec3::ZERO);
        let eye = orbit.eye();
        orbit.pan(Vec2::new(100.0, 0.0), 500.0);
        // Viewed from +X, +Y is to the right: the camera moves left.
        assert!(orbit.target.y < 0.0 && orbit.target.z.abs() < 1e-6);
        let height = 2.0 * 5.0 * (FIELD_OF_VIEW / 2.0).tan();
        assert!((orbit.target.y + height / 5.0).abs() < 1e-5);
        assert!(((orbit.eye() - eye) - orbit.target).length() < 1e-5);
    }

    #[test]
    fn a_fitted_box_is_within_the_view() {
        for aspect in [0.5, 1.0, 2.0] {
            let mut orbit = Orbit::default();
            let corners = [Vec3::new(-1.0, 0.0, 0.0), Vec3::new(1.0, 0.5, 3.0)];
            orbit.fit(corners, aspect);
            let transform = orbit.transform();
            let limit = (FIELD_OF_VIEW / 2.0).tan();
            for corner in 0..8 {
                let pick = |axis: usize| corners[usize::from(corner & (1 << axis) != 0)][axis];
                let line = Vec3::new(pick(0), pick(1), pick(2)) - orbit.eye();
                let depth = line.dot(*transform.forward());
                assert!(depth > 0.0);
                assert!(line.dot(*transform.up()).abs() < depth * limit);
                assert!(line.dot(*transform.right()).abs() < depth * limit * aspect);
            }
        }
    }
}
