//! What no real robot is like: numbers that a simulation takes and that yet cannot be meant.

use std::fmt;

use nalgebra::{Isometry3, Matrix3, SymmetricEigen, Vector3};

use crate::{Body, Joint, JointKind, LinkIndex, MassProperties, Range};

/// How far an inertia may miss symmetry or the triangle inequality, relative to its largest moment: files give some
/// six digits.
const INERTIA_TOLERANCE: f64 = 1e-5;
/// How far the length of a joint axis may be from 1: axes with a handful of digits are meant to be unit vectors.
const AXIS_TOLERANCE: f64 = 1e-3;
/// Larger ratios of masses across a joint make iterative solvers slow and soft.
const MOST_MASS_RATIO: f64 = 1000.0;
/// A displacement beyond its limit by no more than this is rounding, rad or m.
const DISPLACEMENT_TOLERANCE: f64 = 1e-9;

/// Something about a link that cannot be meant.
#[derive(Clone, Debug, PartialEq)]
pub struct Implausibility {
    /// The link.
    pub link: LinkIndex,
    /// What is strange about it.
    pub kind: ImplausibilityKind,
}

/// What is strange about a link.
#[derive(Clone, Debug, PartialEq)]
pub enum ImplausibilityKind {
    /// The inertia is not symmetric.
    AsymmetricInertia,
    /// A principal moment of the inertia is zero or negative; the smallest one, kg·m².
    InertiaNotPositive(f64),
    /// One principal moment is larger than the sum of the others, which no distribution of mass has; all three in
    /// ascending order, kg·m².
    TriangleInequality([f64; 3]),
    /// The link moves and weighs nothing, nor does anything fixed to it.
    NoMass,
    /// What hangs on the joint and what it hangs on differ much in mass; both with what is fixed to them, kg.
    MassRatio {
        /// Mass of the link.
        link: f64,
        /// Mass of its parent.
        parent: f64,
    },
    /// The joint axis has not the length 1, but this one.
    AxisLength(f64),
    /// The inertia of the rotor, or that seen at the joint, is negative; kg·m² or kg.
    NegativeRotorInertia(f64),
    /// The share of the motor's power that reaches the joint is less than nothing or more than all.
    GearEfficiency(f64),
    /// The lower limit lies above the upper one.
    CrossingLimits {
        /// What is limited.
        what: &'static str,
        /// The limits.
        range: Range,
    },
    /// The displacement range is a single value, rad or m: the joint cannot move where ranges are enforced.
    SingleValueRange(f64),
    /// The initial displacement lies outside the limits.
    InitialDisplacement {
        /// The displacement, rad or m.
        value: f64,
        /// The limits.
        range: Range,
    },
}

impl ImplausibilityKind {
    /// A short word for it, as diagnostics have.
    pub fn code(&self) -> &'static str {
        match self {
            Self::AsymmetricInertia => "inertia-asymmetric",
            Self::InertiaNotPositive(_) => "inertia-not-positive",
            Self::TriangleInequality(_) => "inertia-triangle",
            Self::NoMass => "no-mass",
            Self::MassRatio { .. } => "mass-ratio",
            Self::AxisLength(_) => "axis-length",
            Self::NegativeRotorInertia(_) => "rotor-inertia",
            Self::GearEfficiency(_) => "gear-efficiency",
            Self::CrossingLimits { .. } => "crossing-limits",
            Self::SingleValueRange(_) => "single-value-range",
            Self::InitialDisplacement { .. } => "outside-limits",
        }
    }

    /// What may be done about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::AsymmetricInertia => "write the upper triangle alone: `[ xx, xy, xz, yy, yz, zz ]`",
            Self::InertiaNotPositive(_) => "is a product of inertia too large, or a sign wrong?",
            Self::TriangleInequality(_) => "the inertia is about the centre of mass: has it been moved there twice?",
            Self::NoMass => "give it a mass, or fix it to a link that has one",
            Self::MassRatio { .. } => "a simulation of it will be slow or soft: is one of the units wrong?",
            Self::AxisLength(_) => "a displacement counts in multiples of this length; write a unit vector",
            Self::NegativeRotorInertia(_) => "write 0 for none: a motor that is lighter than nothing moves by itself",
            Self::GearEfficiency(_) => "it is a share, from 0 to 1: 60 percent are 0.6",
            Self::CrossingLimits { .. } => {
                "the lower limit comes first, then the upper one (the numbers above are in radian or metres)"
            }
            Self::SingleValueRange(_) => {
                "write the limits of the real joint, or none; a simulation keeps ranges only with `limits: enforce` in its scene"
            }
            Self::InitialDisplacement { .. } => {
                "start within the limits, or widen them (the numbers above are in radian or metres)"
            }
        }
    }

    /// The keys of a model file that it is about, for the place of a message.
    pub(crate) fn keys(&self) -> &'static [&'static str] {
        match self {
            Self::AsymmetricInertia | Self::InertiaNotPositive(_) | Self::TriangleInequality(_) => &["inertia"],
            Self::NoMass | Self::MassRatio { .. } => &["mass"],
            Self::AxisLength(_) => &["joint_axis", "jointAxis"],
            Self::NegativeRotorInertia(_) => &["joint_axis_inertia", "rotor_inertia", "rotorInertia"],
            Self::GearEfficiency(_) => &["gear_efficiency", "gearEfficiency"],
            Self::CrossingLimits { what: "displacement", .. } | Self::SingleValueRange(_) => {
                &["joint_range", "jointRange"]
            }
            Self::CrossingLimits { what: "velocity", .. } => {
                &["joint_velocity_range", "jointVelocityRange", "max_joint_velocity", "maxJointVelocity"]
            }
            Self::CrossingLimits { .. } => &["max_joint_effort"],
            Self::InitialDisplacement { .. } => {
                &["joint_displacement", "jointDisplacement", "joint_angle", "jointAngle", "joint_range", "jointRange"]
            }
        }
    }
}

/// A number with four decimals at most: angles in radian have no end.
struct Short(f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", (self.0 * 1e4).round() / 1e4)
    }
}

impl fmt::Display for ImplausibilityKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AsymmetricInertia => write!(f, "the inertia is not symmetric"),
            Self::InertiaNotPositive(moment) => {
                write!(f, "the inertia has a principal moment of {moment:.3e} kg·m²; all must be positive")
            }
            Self::TriangleInequality([a, b, c]) => write!(
                f,
                "the principal moments of inertia are {a:.3e}, {b:.3e} and {c:.3e} kg·m²: the largest exceeds the sum of the \
                 others, which no body does"
            ),
            Self::NoMass => write!(f, "it moves, but weighs nothing"),
            Self::MassRatio { link, parent } => {
                write!(f, "it weighs {link} kg and what it hangs on {parent} kg: a ratio over {MOST_MASS_RATIO}")
            }
            Self::AxisLength(length) => write!(f, "the joint axis has the length {length:.6}, not 1"),
            Self::NegativeRotorInertia(inertia) => write!(f, "the rotor inertia is negative: {inertia} kg·m²"),
            Self::GearEfficiency(share) => write!(f, "the gear efficiency is {share}, which is not from 0 to 1"),
            Self::CrossingLimits { what, range } => {
                write!(
                    f,
                    "the lower {what} limit {} lies above the upper one {}",
                    Short(range.lower),
                    Short(range.upper)
                )
            }
            Self::SingleValueRange(value) => write!(
                f,
                "both displacement limits are {} (rad or m): a joint that stays in its range cannot move",
                Short(*value)
            ),
            Self::InitialDisplacement { value, range } => {
                write!(
                    f,
                    "the initial displacement {} lies outside the limits {} and {}",
                    Short(*value),
                    Short(range.lower),
                    Short(range.upper)
                )
            }
        }
    }
}

impl Body {
    /// Everything about the links that cannot be meant, link by link.
    ///
    /// Links that are fixed to each other count as one where mass and inertia are concerned. A root that is fixed to the
    /// world may weigh anything.
    pub fn implausibilities(&self) -> Vec<Implausibility> {
        let parts = self.rigid_parts();
        let mut found = Vec::new();
        for (index, link) in self.indexed_links() {
            let mut report = |kind| found.push(Implausibility { link: index, kind });
            // A point that is fixed to other links is a part of a body that is more than a point, or does not turn at all.
            let is_point = link.mass.inertia.amax() == 0.0;
            let is_carried = is_rigid(link.joint.kind) && (link.parent.is_some() || self.is_fixed());
            if link.mass.mass > 0.0 && !(is_point && is_carried) {
                check_inertia(&link.mass.inertia, &mut report);
            }
            let joint = &link.joint;
            let moves = !matches!(joint.kind, JointKind::Fixed | JointKind::PseudoContinuousTrack);
            if moves {
                let mass = parts[index.0].mass;
                let parent = link.parent.map(|parent| (parent, parts[self.carrier(parent).0].mass));
                if mass <= 0.0 {
                    report(ImplausibilityKind::NoMass);
                } else if let Some((parent, parent_mass)) = parent
                    && parent_mass > 0.0
                    && joint.kind != JointKind::Free
                    && !self.is_fixed_to_world(parent)
                    && mass.max(parent_mass) > MOST_MASS_RATIO * mass.min(parent_mass)
                {
                    report(ImplausibilityKind::MassRatio { link: mass, parent: parent_mass });
                }
            }
            if joint.kind.has_displacement() {
                let length = joint.axis.norm();
                if (length - 1.0).abs() > AXIS_TOLERANCE {
                    report(ImplausibilityKind::AxisLength(length));
                }
            }
            check_motor(joint, &mut report);
            for (what, range) in [
                ("displacement", joint.displacement_range),
                ("velocity", joint.velocity_range),
                ("effort", joint.effort_range),
            ] {
                if range.lower > range.upper {
                    report(ImplausibilityKind::CrossingLimits { what, range });
                }
            }
            let (value, range) = (joint.initial_displacement, joint.displacement_range);
            if joint.kind.has_displacement() && range.lower == range.upper {
                report(ImplausibilityKind::SingleValueRange(range.lower));
            }
            let outside = value < range.lower - DISPLACEMENT_TOLERANCE || value > range.upper + DISPLACEMENT_TOLERANCE;
            if joint.kind.has_displacement() && range.lower <= range.upper && outside {
                report(ImplausibilityKind::InitialDisplacement { value, range });
            }
        }
        found
    }

    /// The nearest link from this one up, itself included, that is not fixed to its parent.
    fn carrier(&self, link: LinkIndex) -> LinkIndex {
        let mut carrier = link;
        while let Some(parent) = self.link(carrier).parent.filter(|_| is_rigid(self.link(carrier).joint.kind)) {
            carrier = parent;
        }
        carrier
    }

    fn is_fixed_to_world(&self, link: LinkIndex) -> bool {
        self.carrier(link) == LinkIndex::ROOT && self.is_fixed()
    }

    /// For each link that carries others that are fixed to it: all of them as one. Others have no mass here.
    fn rigid_parts(&self) -> Vec<MassProperties> {
        let mut members = vec![Vec::new(); self.links().len()];
        let mut poses = vec![Isometry3::identity(); self.links().len()];
        for (index, link) in self.indexed_links() {
            if let Some(parent) = link.parent.filter(|_| is_rigid(link.joint.kind)) {
                poses[index.0] = poses[parent.0] * link.offset;
            }
            members[self.carrier(index).0].push(link.mass.transformed(&poses[index.0]));
        }
        members.iter().map(|parts| MassProperties::combine(parts)).collect()
    }
}

fn is_rigid(kind: JointKind) -> bool {
    matches!(kind, JointKind::Fixed | JointKind::PseudoContinuousTrack)
}

fn check_motor(joint: &Joint, report: &mut impl FnMut(ImplausibilityKind)) {
    let rotor = joint.motor.map_or(0.0, |motor| motor.rotor_inertia);
    let inertia = joint.equivalent_rotor_inertia.min(rotor);
    if inertia < 0.0 {
        report(ImplausibilityKind::NegativeRotorInertia(inertia));
    }
    if let Some(motor) = joint.motor.filter(|motor| !(0.0..=1.0).contains(&motor.gear_efficiency)) {
        report(ImplausibilityKind::GearEfficiency(motor.gear_efficiency));
    }
}

fn check_inertia(inertia: &Matrix3<f64>, report: &mut impl FnMut(ImplausibilityKind)) {
    let scale = inertia.amax();
    // The inertia of a point is none, and some files leave it out.
    if scale == 0.0 {
        report(ImplausibilityKind::InertiaNotPositive(0.0));
        return;
    }
    if (inertia - inertia.transpose()).amax() > INERTIA_TOLERANCE * scale {
        report(ImplausibilityKind::AsymmetricInertia);
    }
    let eigenvalues: Vector3<f64> = SymmetricEigen::new((inertia + inertia.transpose()) / 2.0).eigenvalues;
    let mut moments: [f64; 3] = eigenvalues.into();
    moments.sort_by(f64::total_cmp);
    let [a, b, c] = moments;
    if a <= 0.0 {
        report(ImplausibilityKind::InertiaNotPositive(a));
    } else if c - a - b > INERTIA_TOLERANCE * c {
        report(ImplausibilityKind::TriangleInequality(moments));
    }
}
