use nalgebra::Vector3;

use super::JointId;

/// How a link may move against its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JointKind {
    /// Not at all. For a root: fixed to the world.
    Fixed,
    /// In all six directions. For a root: floating.
    Free,
    /// By turning about the axis, rad, right-handed.
    Revolute,
    /// By sliding along the axis, m.
    Prismatic,
    /// Not at all, but its surface moves where it touches something: a simplified crawler.
    PseudoContinuousTrack,
}

impl JointKind {
    /// The word used in model files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Free => "free",
            Self::Revolute => "revolute",
            Self::Prismatic => "prismatic",
            Self::PseudoContinuousTrack => "pseudo_continuous_track",
        }
    }

    /// Whether it is described by one displacement.
    pub fn has_displacement(self) -> bool {
        matches!(self, Self::Revolute | Self::Prismatic)
    }
}

/// What a controller commands at a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ActuationMode {
    /// Torque or force, N·m or N.
    JointEffort,
    /// Angle or position, rad or m.
    JointDisplacement,
    /// Speed, rad/s or m/s.
    JointVelocity,
    /// The pose of the link itself.
    LinkPosition,
}

/// An interval of allowed values; an end that is infinite does not limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Smallest allowed value, or −∞.
    pub lower: f64,
    /// Largest allowed value, or +∞.
    pub upper: f64,
}

impl Range {
    /// No limit on either side.
    pub const UNLIMITED: Self = Self { lower: f64::NEG_INFINITY, upper: f64::INFINITY };

    /// From −`limit` to +`limit`.
    pub fn symmetric(limit: f64) -> Self {
        Self { lower: -limit, upper: limit }
    }

    /// The nearest allowed value.
    #[inline]
    pub fn clamp(&self, value: f64) -> f64 {
        value.min(self.upper).max(self.lower)
    }
}

/// The connection of a link to its parent.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Its number in the file, unique within the body.
    pub id: Option<JointId>,
    /// Own name, if it differs from the link's.
    pub name: Option<String>,
    /// How it moves.
    pub kind: JointKind,
    /// Direction of positive motion in the link frame; a unit vector in a sound model, kept as written.
    pub axis: Vector3<f64>,
    /// What controllers are meant to command, if the file says.
    pub actuation_mode: Option<ActuationMode>,
    /// Displacement in the initial pose, rad or m.
    pub initial_displacement: f64,
    /// Allowed displacement, rad or m.
    pub displacement_range: Range,
    /// Allowed velocity, rad/s or m/s.
    pub velocity_range: Range,
    /// Allowed effort, N·m or N.
    pub effort_range: Range,
    /// Inertia of the motor seen at the joint: gear ratio² × rotor inertia, kg·m² (or kg).
    pub equivalent_rotor_inertia: f64,
    /// The motor behind the joint, if the file describes one (`.wrl`).
    pub motor: Option<Motor>,
}

/// The motor and gear that drive a joint. Nothing here is simulated; what counts is
/// [`Joint::equivalent_rotor_inertia`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motor {
    /// Turns of the motor for one of the joint.
    pub gear_ratio: f64,
    /// Share of the motor's power that reaches the joint, from 0 to 1.
    pub gear_efficiency: f64,
    /// Moment of inertia of the rotor, kg·m².
    pub rotor_inertia: f64,
    /// Resistance of the winding, Ω.
    pub rotor_resistance: f64,
    /// Torque for a current, N·m/A.
    pub torque_constant: f64,
    /// Pulses of the encoder in a turn of the motor.
    pub encoder_pulses: f64,
    /// Largest current, A; `None` if the file gives none.
    pub max_current: Option<f64>,
}

impl Default for Motor {
    /// What the manual has where a file says nothing.
    fn default() -> Self {
        Self {
            gear_ratio: 1.0,
            gear_efficiency: 1.0,
            rotor_inertia: 0.0,
            rotor_resistance: 0.0,
            torque_constant: 1.0,
            encoder_pulses: 1.0,
            max_current: None,
        }
    }
}

impl Default for Joint {
    /// A fixed joint, as a link has that says nothing about it.
    fn default() -> Self {
        Self {
            id: None,
            name: None,
            kind: JointKind::Fixed,
            axis: Vector3::z(),
            actuation_mode: None,
            initial_displacement: 0.0,
            displacement_range: Range::UNLIMITED,
            velocity_range: Range::UNLIMITED,
            effort_range: Range::UNLIMITED,
            equivalent_rotor_inertia: 0.0,
            motor: None,
        }
    }
}
