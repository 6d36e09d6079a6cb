use serde::{Deserialize, Serialize};

/// Units in which panels show angles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum AngleUnit {
    /// Joints in radians, as in most files; orientations in degrees.
    #[default]
    Mixed,
    /// All in degrees.
    Degrees,
    /// All in radians.
    Radians,
}

/// Degrees in a radian.
const PER_RADIAN: f64 = 180.0 / std::f64::consts::PI;

impl AngleUnit {
    /// All, in the order of the menu.
    pub const ALL: [Self; 3] = [Self::Mixed, Self::Degrees, Self::Radians];

    /// Name in the menu.
    pub fn label(self) -> &'static str {
        match self {
            Self::Mixed => "Joints in rad, orientations in °",
            Self::Degrees => "Degrees",
            Self::Radians => "Radians",
        }
    }

    /// The next in the menu, after the last the first.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Mixed => Self::Degrees,
            Self::Degrees => Self::Radians,
            Self::Radians => Self::Mixed,
        }
    }

    /// Displayed unit of a quantity in `unit`, and the factor by which its values are multiplied. Units without angles
    /// stay.
    pub fn shown(self, unit: &str) -> (&str, f64) {
        match (self, unit) {
            (Self::Degrees, "rad") => ("°", PER_RADIAN),
            (Self::Degrees, "rad/s") => ("°/s", PER_RADIAN),
            (Self::Radians, "°") => ("rad", 1.0 / PER_RADIAN),
            _ => (unit, 1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_are_shown_in_the_unit_that_is_switched_on() {
        let shown = |angles: AngleUnit, unit, value: f64| {
            let (unit, factor) = angles.shown(unit);
            (unit.to_owned(), (value * factor * 1e6).round() / 1e6)
        };
        let right = std::f64::consts::FRAC_PI_2;
        assert_eq!(shown(AngleUnit::Degrees, "rad", right), ("°".to_owned(), 90.0));
        assert_eq!(shown(AngleUnit::Degrees, "rad/s", right), ("°/s".to_owned(), 90.0));
        assert_eq!(shown(AngleUnit::Radians, "°", 36.0), ("rad".to_owned(), 0.628_319));
        for angles in AngleUnit::ALL {
            assert_eq!(shown(angles, "m", 2.0), ("m".to_owned(), 2.0));
        }
        assert_eq!(shown(AngleUnit::Mixed, "rad", 1.0), ("rad".to_owned(), 1.0));
        assert_eq!(shown(AngleUnit::Mixed, "°", 1.0), ("°".to_owned(), 1.0));
    }
}
