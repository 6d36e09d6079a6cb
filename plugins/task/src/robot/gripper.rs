use bunraku_body::JointIndex;

/// Displacement of a finger's joint as a function of the distance between the fingers, m.
#[derive(Clone, Debug, PartialEq)]
pub enum GripperLaw {
    /// scale · width + offset, rad or m.
    Linear {
        /// Factor, rad or m per m.
        scale: f64,
        /// Offset, rad or m.
        offset: f64,
    },
    /// sign · asin((width / 2 − offset) / length), rad: fingers of `length` on hinges at `offset` from the middle.
    Asin {
        /// 1 or −1.
        sign: f64,
        /// Distance of the hinges from the middle, m.
        offset: f64,
        /// Length of the fingers, m.
        length: f64,
    },
    /// Linear interpolation of entries (width in m, displacement in rad or m) with increasing widths.
    Table(Vec<(f64, f64)>),
}

impl GripperLaw {
    /// The displacement for a width, rad or m.
    pub fn displacement(&self, width: f64) -> f64 {
        match self {
            Self::Linear { scale, offset } => scale * width + offset,
            Self::Asin { sign, offset, length } => {
                sign * libm::asin(((width / 2.0 - offset) / length).clamp(-1.0, 1.0))
            }
            Self::Table(entries) => {
                let after = entries.partition_point(|(at, _)| *at <= width);
                match (after.checked_sub(1).and_then(|before| entries.get(before)), entries.get(after)) {
                    (Some((from, start)), Some((to, end))) => start + (end - start) * (width - from) / (to - from),
                    (Some((_, value)), None) | (None, Some((_, value))) => *value,
                    (None, None) => 0.0,
                }
            }
        }
    }
}

/// A joint of a finger.
#[derive(Clone, Debug, PartialEq)]
pub struct FingerJoint {
    /// Index in the joint vector.
    pub index: JointIndex,
    /// Displacement as a function of the width.
    pub law: GripperLaw,
}

/// A gripper of a robot.
#[derive(Clone, Debug, PartialEq)]
pub struct Gripper {
    /// Smallest and largest distance between the fingers, m.
    pub widths: [f64; 2],
    /// Its joints.
    pub joints: Vec<FingerJoint>,
}
