use bunraku_body::{Actuation, Body, BodyState, JointActuation, JointEfforts, JointTargets, Range};

use crate::joints::SimulatedJoint;

/// What a joint's actuator is asked to do in a step: stiffness·(displacement − q) + damping·(velocity − q̇) + effort,
/// within bounds. All kinds of actuation come down to this.
#[derive(Clone, Copy, Debug)]
pub(super) struct Demand {
    /// N·m/rad or N/m
    pub stiffness: f64,
    /// N·m·s/rad or N·s/m
    pub damping: f64,
    /// Where the joint is to be at the end of the step, rad or m.
    pub displacement: f64,
    /// rad/s or m/s
    pub velocity: f64,
    /// N·m or N
    pub effort: f64,
    /// What the motor can do at the joint's speed.
    pub bounds: Range,
    /// How fast it can drive the joint, rad/s or m/s.
    pub speeds: Range,
    /// What the joint does whatever acts on it; nothing else counts then.
    pub prescribed: Option<Prescription>,
}

/// A motion that is dictated.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prescription {
    /// Throughout the step, rad/s or m/s.
    pub velocity: f64,
    /// Where the step is to end, rad or m.
    pub destination: f64,
}

impl Demand {
    /// `reference` is where a joint whose motion is prescribed had to be by now.
    pub fn of(
        joint: &SimulatedJoint,
        body: &Body,
        state: &BodyState,
        (actuation, efforts, targets): (&JointActuation, &JointEfforts, &JointTargets),
        reference: Option<f64>,
        time_step: f64,
    ) -> Self {
        let place = joint.joint;
        let model = &body.link(joint.link).joint;
        let actuation = actuation.0.get(place).copied().unwrap_or_default();
        // Not a number counts as zero.
        let (stiffness, damping) = match actuation {
            Actuation::None | Actuation::Effort => (0.0, 0.0),
            Actuation::Displacement { stiffness, damping } => (stiffness.max(0.0), damping.max(0.0)),
            Actuation::Velocity { damping } => (0.0, damping.max(0.0)),
            Actuation::PrescribedDisplacement | Actuation::PrescribedVelocity => (0.0, 0.0),
        };
        let now = state.displacements[place];
        let destination = match actuation {
            Actuation::PrescribedDisplacement => Some(value_at(&targets.displacements, place, now)),
            Actuation::PrescribedVelocity => {
                Some(reference.unwrap_or(now) + time_step * value_at(&targets.velocities, place, 0.0))
            }
            _ => None,
        };
        let prescribed =
            destination.map(|destination| Prescription { destination, velocity: (destination - now) / time_step });
        let is_idle = actuation == Actuation::None || prescribed.is_some();
        let effort = if is_idle { 0.0 } else { value_at(&efforts.0, place, 0.0) };
        let velocity = model.velocity_range.clamp(value_at(&targets.velocities, place, 0.0));
        let speeds = model.velocity_range;
        let mut bounds = if actuation == Actuation::None { Range::UNLIMITED } else { model.effort_range };
        // The no-load speed of the motor: it does not drive the joint any faster. The load still may.
        if state.velocities[place] >= speeds.upper {
            bounds.upper = bounds.upper.min(0.0);
        }
        if state.velocities[place] <= speeds.lower {
            bounds.lower = bounds.lower.max(0.0);
        }
        let displacement = value_at(&targets.displacements, place, now);
        Self { stiffness, damping, displacement, velocity, effort, bounds, speeds, prescribed }
    }

    pub fn is_servo(&self) -> bool {
        self.stiffness > 0.0 || self.damping > 0.0
    }

    pub fn is_limited(&self) -> bool {
        [self.bounds, self.speeds].iter().any(|range| range.lower > f64::NEG_INFINITY || range.upper < f64::INFINITY)
    }

    /// Effort per acceleration of a servo that is computed implicitly, kg·m² or kg.
    pub fn implicit_inertia(&self, time_step: f64) -> f64 {
        time_step * (self.damping + time_step * self.stiffness)
    }

    /// The effort commanded, limited.
    pub fn effort_without_servo(&self) -> f64 {
        self.bounds.clamp(self.effort)
    }

    /// The servo's effort, not limited, with the joint at a displacement and a velocity.
    pub fn effort_at(&self, displacement: f64, velocity: f64) -> f64 {
        self.effort + self.stiffness * (self.displacement - displacement) + self.damping * (self.velocity - velocity)
    }
}

fn value_at(values: &[f64], place: usize, otherwise: f64) -> f64 {
    values.get(place).copied().unwrap_or(otherwise)
}
