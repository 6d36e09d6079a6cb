use bunraku_body::Range;

/// Motor or prescribed velocity of a coordinate in a step.
///
/// A motor's effort is stiffness·(displacement − q) + damping·(velocity − q̇) + effort with q and q̇ at the end of the step, within
/// its bounds. Or the velocity is prescribed, and the effort follows from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drive {
    /// N·m or N.
    pub effort: f64,
    /// N·m/rad or N/m.
    pub stiffness: f64,
    /// N·m·s/rad or N·s/m.
    pub damping: f64,
    /// rad or m.
    pub displacement: f64,
    /// rad/s or m/s.
    pub velocity: f64,
    /// Effort range of the motor, N·m or N.
    pub bounds: Range,
    /// Prescribed velocity throughout the step, rad/s or m/s; the other fields are then ignored. Of a free root
    /// all six are prescribed, or none.
    pub given: Option<f64>,
}

impl Drive {
    /// No effort.
    pub const NONE: Self = Self {
        effort: 0.0,
        stiffness: 0.0,
        damping: 0.0,
        displacement: 0.0,
        velocity: 0.0,
        bounds: Range::UNLIMITED,
        given: None,
    };

    /// An effort, N·m or N.
    pub fn effort(effort: f64) -> Self {
        Self { effort, ..Self::NONE }
    }

    /// A servo that holds a displacement (rad or m).
    pub fn servo(displacement: f64, stiffness: f64, damping: f64) -> Self {
        Self { displacement, stiffness, damping, ..Self::NONE }
    }

    /// A prescribed velocity, rad/s or m/s.
    pub fn given(velocity: f64) -> Self {
        Self { given: Some(velocity), ..Self::NONE }
    }

    /// The motor's effort without its bounds.
    pub(crate) fn effort_at(&self, displacement: f64, velocity: f64) -> f64 {
        self.effort + self.stiffness * (self.displacement - displacement) + self.damping * (self.velocity - velocity)
    }
}

impl Default for Drive {
    fn default() -> Self {
        Self::NONE
    }
}
