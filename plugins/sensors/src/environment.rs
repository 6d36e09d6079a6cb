//! Where the world is on the earth, for receivers of satellites, barometers and magnetometers.
//!
//! World +X points east, +Y north and +Z up.

use nalgebra::{Matrix3, Vector3};

/// Place of the world origin on the earth, and its magnetic field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Environment {
    /// Geodetic latitude of the world origin, rad (WGS 84).
    pub latitude: f64,
    /// Longitude of the world origin, rad.
    pub longitude: f64,
    /// Height of the world origin above the ellipsoid, m.
    pub altitude: f64,
    /// Magnetic flux density along world axes, T.
    pub magnetic_field: Vector3<f64>,
}

impl Default for Environment {
    /// On the equator at the prime meridian, with a typical field of the temperate north.
    fn default() -> Self {
        Self { latitude: 0.0, longitude: 0.0, altitude: 0.0, magnetic_field: Vector3::new(0.0, 2.0e-5, -4.5e-5) }
    }
}

/// Semi-major axis of WGS 84, m.
const A: f64 = 6_378_137.0;
/// Flattening of WGS 84.
const F: f64 = 1.0 / 298.257_223_563;
/// Square of the first eccentricity.
const E2: f64 = F * (2.0 - F);

impl Environment {
    /// Latitude, rad, longitude, rad, and height above the ellipsoid, m, of a point of the world.
    pub fn geodetic(&self, point: &Vector3<f64>) -> [f64; 3] {
        let east_north_up = self.east_north_up();
        let [x, y, z] = (self.geocentric() + east_north_up * point).into();
        let across = libm::hypot(x, y);
        let mut latitude = libm::atan2(z, across * (1.0 - E2));
        let mut height = 0.0;
        // Converges by the factor E2·h/(N + h) or better, below 1e-15 rad for any height in the atmosphere.
        for _ in 0..8 {
            let (sin, cos) = libm::sincos(latitude);
            let normal = A / (1.0 - E2 * sin * sin).sqrt();
            height = across * cos + z * sin - A * (1.0 - E2 * sin * sin).sqrt();
            latitude = libm::atan2(z, across * (1.0 - E2 * normal / (normal + height)));
        }
        [latitude, libm::atan2(y, x), height]
    }

    /// The world origin in the frame of the earth, m: +X to the prime meridian, +Z north.
    fn geocentric(&self) -> Vector3<f64> {
        let ((sin, cos), (sin_lon, cos_lon)) = (libm::sincos(self.latitude), libm::sincos(self.longitude));
        let normal = A / (1.0 - E2 * sin * sin).sqrt();
        let across = (normal + self.altitude) * cos;
        Vector3::new(across * cos_lon, across * sin_lon, (normal * (1.0 - E2) + self.altitude) * sin)
    }

    /// World axes in the frame of the earth.
    fn east_north_up(&self) -> Matrix3<f64> {
        let ((sin, cos), (sin_lon, cos_lon)) = (libm::sincos(self.latitude), libm::sincos(self.longitude));
        Matrix3::from_columns(&[
            Vector3::new(-sin_lon, cos_lon, 0.0),
            Vector3::new(-sin * cos_lon, -sin * sin_lon, cos),
            Vector3::new(cos * cos_lon, cos * sin_lon, sin),
        ])
    }

    /// Static pressure at a height in the world, Pa: U.S. Standard Atmosphere 1976, up to 11 km.
    pub fn pressure(&self, z: f64) -> f64 {
        /// Pressure at sea level, Pa.
        const SEA_LEVEL: f64 = 101_325.0;
        /// Temperature at sea level, K.
        const TEMPERATURE: f64 = 288.15;
        /// Decrease of the temperature, K/m.
        const LAPSE: f64 = 0.0065;
        /// g·M/(R·L).
        const EXPONENT: f64 = 9.806_65 * 0.028_964_4 / (8.314_32 * 0.0065);
        /// Radius of the earth in the definition of geopotential heights, m.
        const RADIUS: f64 = 6_356_766.0;
        let height = self.altitude + z;
        let geopotential = RADIUS * height / (RADIUS + height);
        SEA_LEVEL * libm::pow((1.0 - LAPSE * geopotential / TEMPERATURE).max(0.0), EXPONENT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_the_world_have_the_geodetic_coordinates_of_published_points() {
        let place = Environment {
            latitude: 48.8562_f64.to_radians(),
            longitude: 2.2508_f64.to_radians(),
            altitude: 67.4,
            ..Environment::default()
        };
        let [latitude, longitude, height] = place.geodetic(&Vector3::zeros());
        assert!((latitude - place.latitude).abs() < 1e-14 && (longitude - place.longitude).abs() < 1e-14);
        assert!((height - 67.4).abs() < 1e-8, "{height}");
        // A degree of the meridian at 45° is 111 131.7 m, of the equator 111 319.5 m (both from the ellipsoid's radii).
        let middle = Environment { latitude: 45_f64.to_radians(), ..Environment::default() };
        let north = middle.geodetic(&Vector3::new(0.0, 1.0, 0.0))[0].to_degrees() - 45.0;
        assert!((1.0 / north - 111_131.745).abs() < 0.1, "{}", 1.0 / north);
        let east = Environment::default().geodetic(&Vector3::new(1.0, 0.0, 0.0))[1].to_degrees();
        assert!((1.0 / east - 111_319.491).abs() < 0.01, "{}", 1.0 / east);
        let up = middle.geodetic(&Vector3::new(0.0, 0.0, 1000.0));
        assert!((up[2] - 1000.0).abs() < 1e-8 && (up[0].to_degrees() - 45.0).abs() < 1e-12);
    }

    #[test]
    fn pressure_is_that_of_the_tables_of_the_standard_atmosphere() {
        let sea = Environment::default();
        for (height, pressure) in [(0.0, 101_325.0), (1000.0, 89_876.3), (5000.0, 54_048.3), (11_000.0, 22_699.9)] {
            assert!((sea.pressure(height) / pressure - 1.0).abs() < 1e-5, "{height}: {}", sea.pressure(height));
        }
    }
}
