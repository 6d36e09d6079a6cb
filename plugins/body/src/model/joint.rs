use nalgebra::Vector3;

use super::JointId;

/// Kind of motion of a link relative to its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JointKind {
    /// No motion. For a root: fixed to the world.
    Fixed,
    /// Six degrees of freedom. For a root: floating.
    Free,
    /// Rotation about the axis, rad, right-handed.
    Revolute,
    /// Translation along the axis, m.
    Prismatic,
    /// No motion, but the surface moves where it is in contact: a simplified crawler.
    PseudoContinuousTrack,
}

impl JointKind {
    /// Name in model files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Free => "free",
            Self::Revolute => "revolute",
            Self::Prismatic => "prismatic",
            Self::PseudoContinuousTrack => "pseudo_continuous_track",
        }
    }

    /// Whether the joint has one displacement.
    pub fn has_displacement(self) -> bool {
        matches!(self, Self::Revolute | Self::Prismatic)
    }
}

/// Quantity that a controller commands at a joint.
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

/// Interval of allowed values; an infinite end is unlimited.
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
    /// Number in the file, unique within the body.
    pub id: Option<JointId>,
    /// Name of the joint, if it differs from the link's.
    pub name: Option<String>,
    /// Kind of motion.
    pub kind: JointKind,
    /// Direction of positive motion in the link frame, as written. A unit vector in a valid model.
    pub axis: Vector3<f64>,
    /// Quantity that controllers should command, if specified in the file.
    pub actuation_mode: Option<ActuationMode>,
    /// Displacement in the initial pose, rad or m.
    pub initial_displacement: f64,
    /// Allowed displacement, rad or m.
    pub displacement_range: Range,
    /// Allowed velocity, rad/s or m/s.
    pub velocity_range: Range,
    /// Allowed effort, N·m or N.
    pub effort_range: Range,
    /// Reflected inertia of the motor at the joint: gear ratio² × rotor inertia, kg·m² (or kg).
    pub equivalent_rotor_inertia: f64,
    /// The motor of the joint, if the file describes one (`.wrl`).
    pub motor: Option<Motor>,
    /// Damping, friction, spring and servo that the file suggests to simulations (URDF, MJCF).
    pub suggested: SuggestedDynamics,
}

/// Passive efforts and the servo of a joint as its file gives them. They act if a scene has them: scenes that are made
/// around a model do. `.body` files have no place for them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SuggestedDynamics {
    /// Viscous damping, N·m·s/rad or N·s/m.
    pub damping: f64,
    /// Dry friction, N·m or N.
    pub friction: f64,
    /// Stiffness of a spring, N·m/rad or N/m.
    pub stiffness: f64,
    /// Displacement at which the spring is slack, rad or m.
    pub rest: f64,
    /// Stiffness (N·m/rad or N/m) and damping (N·m·s/rad or N·s/m) of its servo; `None` without one.
    pub servo: Option<[f64; 2]>,
}

/// Motor and gear that drive a joint. These data are not simulated; the simulation uses
/// [`Joint::equivalent_rotor_inertia`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motor {
    /// Turns of the motor for one turn of the joint.
    pub gear_ratio: f64,
    /// Fraction of the motor's power that reaches the joint, from 0 to 1.
    pub gear_efficiency: f64,
    /// Moment of inertia of the rotor, kg·m².
    pub rotor_inertia: f64,
    /// Resistance of the winding, Ω.
    pub rotor_resistance: f64,
    /// Torque per current, N·m/A.
    pub torque_constant: f64,
    /// Encoder pulses per turn of the motor.
    pub encoder_pulses: f64,
    /// Largest current, A; `None` if the file gives none.
    pub max_current: Option<f64>,
}

impl Default for Motor {
    /// Defaults of the manual.
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
    /// A fixed joint: the default for a link without joint keys.
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
            suggested: SuggestedDynamics::default(),
        }
    }
}
