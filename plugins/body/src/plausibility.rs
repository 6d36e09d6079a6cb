//! Detection of implausible values: numbers that a simulation accepts but no real robot has.

use std::fmt;

use nalgebra::{Matrix3, SymmetricEigen, Vector3};

use crate::{Body, Joint, JointKind, LinkIndex, Range, RigidPartIndex, RigidParts};

/// Tolerance for the symmetry and the triangle inequality of an inertia, relative to its largest moment: files have
/// about six digits.
const INERTIA_TOLERANCE: f64 = 1e-5;
/// Tolerance for the length 1 of a joint axis: axes with a few digits are meant as unit vectors.
const AXIS_TOLERANCE: f64 = 1e-3;
/// With larger ratios of masses across a joint, iterative solvers are slow and soft.
const MOST_MASS_RATIO: f64 = 1000.0;
/// Rounding tolerance of a displacement beyond its limit, rad or m.
const DISPLACEMENT_TOLERANCE: f64 = 1e-9;

/// Implausible value of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Implausibility {
    /// The link.
    pub link: LinkIndex,
    /// Kind of implausibility.
    pub kind: ImplausibilityKind,
}

/// Kind of implausibility.
#[derive(Clone, Debug, PartialEq)]
pub enum ImplausibilityKind {
    /// The inertia is not symmetric.
    AsymmetricInertia,
    /// The smallest principal moment of the inertia, kg·m², is zero or negative.
    InertiaNotPositive(f64),
    /// One principal moment exceeds the sum of the others, which is impossible for any mass distribution. All three in
    /// ascending order, kg·m².
    TriangleInequality([f64; 3]),
    /// The link moves, but it, the links fixed to it and those on their joints have no mass.
    NoMass,
    /// The masses on both sides of the joint differ greatly, including links fixed to them, kg.
    MassRatio {
        /// Mass on the side of the link.
        link: f64,
        /// Mass on the side of its parent.
        parent: f64,
    },
    /// Length of the joint axis, which is not 1.
    AxisLength(f64),
    /// The rotor inertia, or the equivalent one at the joint, is negative; kg·m² or kg.
    NegativeRotorInertia(f64),
    /// The gear efficiency is below 0 or above 1.
    GearEfficiency(f64),
    /// The lower limit exceeds the upper one.
    CrossingLimits {
        /// Name of the limited quantity.
        what: &'static str,
        /// The limits.
        range: Range,
    },
    /// The displacement range is a single value, rad or m: the joint cannot move if ranges are enforced.
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
    /// Code of the diagnostic.
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

    /// Suggested correction.
    pub fn help(&self) -> &'static str {
        match self {
            Self::AsymmetricInertia => "write the upper triangle alone: `[ xx, xy, xz, yy, yz, zz ]`",
            Self::InertiaNotPositive(_) => "is a product of inertia too large, or a sign wrong?",
            Self::TriangleInequality(_) => "the inertia is about the centre of mass: has it been moved there twice?",
            Self::NoMass => "give it a mass, or fix it to a link that has one",
            Self::MassRatio { .. } => "a simulation of it will be slow or soft: is one of the units wrong?",
            Self::AxisLength(_) => "a displacement counts in multiples of this length; write a unit vector",
            Self::NegativeRotorInertia(_) => "write 0 for no rotor inertia: it cannot be negative",
            Self::GearEfficiency(_) => "it is a fraction from 0 to 1: 60 percent is 0.6",
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

    /// Keys of a model file that contain the value, for the location of a message.
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

/// A number with at most four decimals, for angles in radian.
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
            Self::NoMass => write!(f, "it moves, but has no mass"),
            Self::MassRatio { link, parent } => {
                write!(f, "its mass is {link} kg and that of its parent {parent} kg: a ratio over {MOST_MASS_RATIO}")
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
    /// All implausible values of the links, link by link.
    ///
    /// For mass and inertia, links that are fixed to each other count as one. The mass of a root that is fixed to the
    /// world is not checked.
    pub fn implausibilities(&self) -> Vec<Implausibility> {
        let all = RigidParts::of(self);
        let without_mass: std::collections::BTreeSet<RigidPartIndex> = all.without_mass().collect();
        let mut found = Vec::new();
        for (index, link) in self.indexed_links() {
            let mut report = |kind| found.push(Implausibility { link: index, kind });
            // A point mass is plausible if it is fixed to other links, or does not rotate.
            let is_point = link.mass.inertia.amax() == 0.0;
            let is_carried = is_rigid(link.joint.kind) && (link.parent.is_some() || self.is_fixed());
            if link.mass.mass > 0.0 && !(is_point && is_carried) {
                check_inertia(&link.mass.inertia, &mut report);
            }
            let joint = &link.joint;
            let moves = !is_rigid(joint.kind);
            if moves {
                let mass_of = |link| {
                    let (index, part) = all.of_link(link);
                    (index, part.mass.mass)
                };
                let (part, mass) = mass_of(index);
                let parent = link.parent.map(mass_of);
                if mass <= 0.0 {
                    if without_mass.contains(&part) {
                        report(ImplausibilityKind::NoMass);
                    }
                } else if let Some((parent, parent_mass)) = parent
                    && parent_mass > 0.0
                    && joint.kind != JointKind::Free
                    && !(parent == RigidPartIndex::ROOT && self.is_fixed())
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
    // The inertia of a point mass is zero, and some files omit it.
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
