use std::fmt;

use bunraku_simulation::Pace;

/// Speed of a running simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Speed {
    /// Simulated seconds per second of wall time.
    RealTime(f64),
    /// As fast as possible.
    Unlimited,
}

impl Speed {
    /// All selectable speeds, ascending: powers of two, and unlimited.
    pub const ALL: [Self; 10] = [
        Self::RealTime(1.0 / 32.0),
        Self::RealTime(1.0 / 16.0),
        Self::RealTime(1.0 / 8.0),
        Self::RealTime(1.0 / 4.0),
        Self::RealTime(1.0 / 2.0),
        Self::RealTime(1.0),
        Self::RealTime(2.0),
        Self::RealTime(4.0),
        Self::RealTime(8.0),
        Self::Unlimited,
    ];

    /// Pace of a simulation with this speed.
    pub fn pace(self) -> Pace {
        match self {
            Self::RealTime(speed) => Pace::RealTime { speed },
            Self::Unlimited => Pace::Unpaced,
        }
    }

    /// Next lower speed; the lowest is unchanged.
    #[must_use]
    pub fn slower(self) -> Self {
        Self::ALL[self.index().saturating_sub(1)]
    }

    /// Next higher speed; the highest is unchanged.
    #[must_use]
    pub fn faster(self) -> Self {
        Self::ALL[(self.index() + 1).min(Self::ALL.len() - 1)]
    }

    fn index(self) -> usize {
        Self::ALL.iter().position(|speed| *speed == self).unwrap_or(5)
    }
}

impl Default for Speed {
    /// Real time.
    fn default() -> Self {
        Self::RealTime(1.0)
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RealTime(speed) if *speed < 1.0 => write!(formatter, "1/{} ×", (1.0 / speed).round()),
            Self::RealTime(speed) => write!(formatter, "{speed} ×"),
            Self::Unlimited => formatter.write_str("as fast as possible"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_range_from_a_thirty_second_to_eight_and_unlimited() {
        let mut speed = Speed::default();
        for _ in 0..20 {
            speed = speed.slower();
        }
        assert_eq!(speed, Speed::RealTime(1.0 / 32.0));
        let names: Vec<_> = Speed::ALL.iter().map(ToString::to_string).collect();
        assert_eq!(names[0], "1/32 ×");
        assert_eq!(names[5], "1 ×");
        assert_eq!(names[8], "8 ×");
        for _ in 0..20 {
            speed = speed.faster();
        }
        assert_eq!(speed.pace(), Pace::Unpaced);
        assert_eq!(speed.slower().pace(), Pace::RealTime { speed: 8.0 });
    }
}
