//! Features of a scene that rapier's step does not have.

use std::collections::BTreeSet;

use bevy::prelude::*;
use bunraku_body::{
    Actuation, Body, CollisionShape, ContactMaterials, Drive, Geometry, JointIndex, JointKind, Link, LinkIndex, Range,
    RigidParts,
};

use crate::model::joint_limits::JointLimits;
use crate::model::joint_losses::JointLosses;
use crate::model::joint_springs::JointSprings;
use crate::model::loops::findings::{LoopTrouble, loop_findings};
use crate::model::loops::tracks::track_closures;
use crate::model::velocity_limits::VelocityLimits;

/// A feature that [`JointSolver::Impulse`](crate::JointSolver::Impulse) does not have, or has only as rapier has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limitation {
    /// Restitution: rapier goes over the points of an impact once.
    Impact,
    /// A link that carries many times its own mass.
    LightLink,
    /// An extra joint that is open at the start.
    OpenLoop,
    /// An extra joint that holds what other joints hold already.
    RedundantLoop,
    /// A servo: rapier's motor yields more than load over stiffness.
    Servo,
    /// A rotor inertia.
    Rotor,
    /// A joint that follows another.
    Coupling,
    /// A joint whose motion is prescribed.
    PrescribedJoint,
    /// Dry friction of a joint.
    DryFriction,
    /// A passive spring of a joint.
    Spring,
    /// A hard velocity range.
    HardVelocityRange,
    /// An enforced range of a full turn or more, or with one end.
    WideRange,
    /// A track. It is refused.
    Track,
    /// A loop whose ends stay apart in a direction that the mechanism cannot close. It is refused.
    OffsetLoop,
    /// [`JointReadings`](crate::JointReadings) of a body with extra joints.
    LoopReadings,
    /// A link that collides as triangles.
    Mesh,
}

/// The usual remedy.
const SIMULATES: &str = "`joints: multibody` simulates it";

impl Limitation {
    /// Code of its diagnostic, its description, which continues a name, and the remedy.
    fn texts(self) -> [&'static str; 3] {
        match self {
            Self::Impact => [
                "impulse-impact",
                "bounces, and rapier's step goes over the points of an impact once: bodies that land flat tumble",
                SIMULATES,
            ],
            Self::LightLink => {
                ["impulse-light-link", "is so light against its load that rapier's joints part there", SIMULATES]
            }
            Self::OpenLoop => [
                "impulse-open-loop",
                "is open at the start, and rapier's step closes it within some steps, however wide it is",
                "start with poses that close it, or use `joints: multibody`, which closes it slowly",
            ],
            Self::RedundantLoop => [
                "impulse-redundant-loop",
                "holds directions that other joints hold already, and rapier's step may jam on both",
                "`joints: multibody` shares the load among redundant constraints",
            ],
            Self::Servo => [
                "impulse-servo",
                "has a servo, which is rapier's motor: loads move it farther than load over stiffness",
                SIMULATES,
            ],
            Self::Rotor => ["impulse-rotor", "has a rotor inertia, which rapier's step ignores", SIMULATES],
            Self::Coupling => {
                ["impulse-coupling", "follows another joint, and in rapier's step it moves independently", SIMULATES]
            }
            Self::PrescribedJoint => [
                "impulse-prescribed-joint",
                "has a prescribed motion, which rapier's step follows by a velocity motor: loads move it off its target",
                SIMULATES,
            ],
            Self::DryFriction => ["impulse-dry-friction", "has dry friction, which rapier's step ignores", SIMULATES],
            Self::Spring => ["impulse-spring", "has a spring, which rapier's step ignores", SIMULATES],
            Self::HardVelocityRange => [
                "impulse-hard-velocity-range",
                "has a hard velocity range, of which rapier's step limits commands only",
                SIMULATES,
            ],
            Self::WideRange => [
                "impulse-wide-range",
                "has a range of a full turn or more or with one end, which rapier's step does not enforce",
                "`joints: multibody` keeps joints in ranges of any width",
            ],
            Self::Track => [
                "impulse-track",
                "is a track, which rapier's step does not have",
                "use `joints: multibody`, which supports it",
            ],
            Self::OffsetLoop => [
                "impulse-offset-loop",
                "holds its ends together in a direction in which the mechanism keeps them apart",
                "use `joints: multibody`, which supports it",
            ],
            Self::LoopReadings => [
                "impulse-loop-readings",
                "has extra joints, the mean forces of which rapier's step does not report: readings of its joints have no efforts and reactions",
                "`joints: multibody` measures them",
            ],
            Self::Mesh => [
                "impulse-mesh",
                "collides as triangles, and in rapier's step bodies that slide over them may trip at their edges",
                SIMULATES,
            ],
        }
    }

    /// The code of its diagnostic.
    pub fn code(self) -> &'static str {
        self.texts()[0]
    }

    /// Whether a scene with it is refused, because its result would mean nothing.
    pub fn is_refused(self) -> bool {
        matches!(self, Self::Track | Self::OffsetLoop)
    }

    /// The remedy.
    pub fn help(self) -> &'static str {
        self.texts()[2]
    }

    /// The message about a body, a joint or a link with it: `what` is its name in words.
    pub fn message(self, what: &str) -> String {
        format!("{what} {}", self.texts()[1])
    }
}

/// Limitations that have been reported: each is reported once a run, of the first body that has it.
#[derive(Resource, Clone, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(opaque, Resource)]
pub struct ReportedLimitations(pub BTreeSet<Limitation>);

/// A limitation that a body meets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RapierFinding {
    /// The limitation.
    pub limitation: Limitation,
    /// One sentence that names the body and its joint or link.
    pub message: String,
}

/// A body and how it is simulated.
#[derive(Clone, Copy, Debug)]
pub struct BodyUse<'a> {
    /// Name in the scene.
    pub name: &'a str,
    /// Model.
    pub body: &'a Body,
    /// Source of its motion.
    pub drive: Drive,
    /// Joint displacements at the start, rad or m.
    pub displacements: &'a [f64],
    /// By joint.
    pub actuation: &'a [Actuation],
    /// Losses of its joints.
    pub losses: Option<&'a JointLosses>,
    /// Springs of its joints.
    pub springs: Option<&'a JointSprings>,
    /// Rule of its velocity ranges.
    pub velocities: VelocityLimits,
    /// Rule of its displacement ranges.
    pub limits: JointLimits,
}

/// A loop whose ends stay apart by more than this, m, cannot be one of rapier's joints.
const WIDEST_OFFSET: f64 = 1e-3;

/// The limitation of rapier's step that an extra joint with this trouble meets; `None` for one that does nothing.
pub fn loop_limitation(trouble: LoopTrouble) -> Option<Limitation> {
    match trouble {
        LoopTrouble::NothingMoves => None,
        LoopTrouble::Open { .. } => Some(Limitation::OpenLoop),
        LoopTrouble::HeldAlready { offset, .. } if offset > WIDEST_OFFSET => Some(Limitation::OffsetLoop),
        LoopTrouble::HeldAlready { .. } => Some(Limitation::RedundantLoop),
    }
}

/// Limitations of rapier's step that a body meets, each once, of the first joint or link that has it. Restitution is a matter of
/// materials: see [`first_that_bounces`].
pub fn rapier_findings(used: &BodyUse<'_>) -> Vec<RapierFinding> {
    let BodyUse { name, body, drive, .. } = *used;
    let mut findings: Vec<RapierFinding> = Vec::new();
    let mut add = |limitation: Limitation, what: String| {
        if findings.iter().all(|known| known.limitation != limitation) {
            findings.push(RapierFinding { limitation, message: limitation.message(&what) });
        }
    };
    let track = body.links().iter().find(|link| link.joint.kind == JointKind::PseudoContinuousTrack);
    if let Some(track) = track.filter(|_| drive != Drive::Static) {
        add(Limitation::Track, format!("link `{}` of `{name}`", track.name));
    }
    let is_triangles = |(index, link): &(LinkIndex, &Link)| match link.collision_shape {
        Some(shape) => shape == CollisionShape::Mesh,
        None => drive == Drive::Static || *index == LinkIndex::ROOT && body.is_fixed(),
    };
    let is_mesh = |link: &Link| link.collision.iter().any(|shape| matches!(shape.geometry, Geometry::Mesh(_)));
    if let Some((_, link)) = body.indexed_links().filter(is_triangles).find(|(_, link)| is_mesh(link)) {
        add(Limitation::Mesh, format!("link `{}` of `{name}`", link.name));
    }
    if drive != Drive::Physics {
        return findings;
    }
    if let Some(ring) = track_closures(body).first() {
        add(Limitation::Track, format!("the ring of links from `{}` of `{name}`", body.link(ring.links[1]).name));
    }
    for finding in loop_findings(body, used.displacements) {
        if let (Some(limitation), Some(extra)) =
            (loop_limitation(finding.trouble), body.extra_joints.get(finding.extra_joint))
        {
            let [first, second] = extra.links.map(|link| &body.link(link).name);
            let kind = extra.kind.as_str();
            add(limitation, format!("the {kind} extra joint of `{name}` between `{first}` and `{second}`"));
        }
    }
    if let Some((link, load)) = light_link(body) {
        add(
            Limitation::LightLink,
            format!("link `{}` of `{name}`, which carries {load:.0} times its mass,", body.link(link).name),
        );
    }
    for index in (0..body.num_joints()).map(JointIndex) {
        let Some(model) = body.joint(index).filter(|model| model.kind.has_displacement()) else { continue };
        let mut lacks = |limitation, is_met: bool| {
            if is_met {
                add(limitation, format!("joint `{}` of `{name}`", body.joint_name(index)));
            }
        };
        let actuation = used.actuation.get(index.0).copied().unwrap_or_default();
        let is_servo = match actuation {
            Actuation::Displacement { stiffness, damping } => stiffness > 0.0 || damping > 0.0,
            Actuation::Velocity { damping } => damping > 0.0,
            _ => false,
        };
        lacks(Limitation::Servo, is_servo);
        lacks(Limitation::PrescribedJoint, actuation.is_prescribed());
        let follows = |link| body.joint_couplings().iter().any(|coupling| coupling.follower == link);
        lacks(Limitation::Coupling, body.joint_link(index).is_some_and(follows));
        lacks(Limitation::Rotor, model.equivalent_rotor_inertia > 0.0);
        let friction = used.losses.and_then(|losses| losses.friction.get(index.0)).copied().unwrap_or(0.0);
        lacks(Limitation::DryFriction, friction > 0.0);
        lacks(Limitation::Spring, used.springs.is_some_and(|springs| springs.of(index)[0] > 0.0));
        let range = &model.velocity_range;
        let is_hard = used.velocities == VelocityLimits::Hard && crate::is_limiting(range);
        lacks(Limitation::HardVelocityRange, is_hard);
        let Range { lower, upper } = used.limits.enforced(&model.displacement_range);
        let has_ends = lower.is_finite() || upper.is_finite();
        let is_wide = model.kind == JointKind::Revolute && has_ends && upper - lower >= std::f64::consts::TAU;
        lacks(Limitation::WideRange, is_wide);
    }
    findings
}

/// The first of these bodies, by index, that bounces off itself or another, and a link of it that does, by the material table. Only bodies
/// that forces move bounce.
pub fn first_that_bounces(materials: &ContactMaterials, bodies: &[(&Body, Drive)]) -> Option<(usize, String)> {
    let of_all: BTreeSet<Option<&str>> = bodies
        .iter()
        .flat_map(|(body, _)| body.links().iter().filter(|link| !link.collision.is_empty()))
        .map(|link| link.material.as_deref())
        .collect();
    bodies.iter().enumerate().filter(|(_, (_, drive))| *drive == Drive::Physics).find_map(|(index, (body, _))| {
        let link = body.links().iter().filter(|link| !link.collision.is_empty()).find(|link| {
            of_all.iter().any(|other| materials.between(link.material.as_deref(), *other).restitution > 0.0)
        })?;
        Some((index, link.name.clone()))
    })
}

/// A link is light if it carries more than this many times its own mass. Of Choreonoid's robots none has such a link.
const LIGHT: f64 = 50.0;

/// The link that is lightest against the load that its joints pass through it, and that load in multiples of its mass; `None` if none is
/// light.
///
/// A part carries the second heaviest of its sides: its parent with all that is attached there, or one of its children with its
/// subtree. A fixed root is heavier than anything.
fn light_link(body: &Body) -> Option<(LinkIndex, f64)> {
    let parts = RigidParts::of(body);
    let masses: Vec<f64> = parts.parts.iter().map(|part| part.mass.mass).collect();
    let parent = |part: usize| parts.parts.raw[part].parent.map(usize::from);
    let mut subtrees = masses.clone();
    let mut heaviest = vec![[0.0_f64; 2]; masses.len()];
    let add = |sides: &mut [f64; 2], side: f64| {
        *sides = if side > sides[0] { [side, sides[0]] } else { [sides[0], sides[1].max(side)] };
    };
    for part in (0..masses.len()).rev() {
        if let Some(parent) = parent(part) {
            subtrees[parent] += subtrees[part];
            add(&mut heaviest[parent], subtrees[part]);
        }
    }
    let mut roots: Vec<usize> = (0..masses.len()).collect();
    for part in 0..masses.len() {
        if let Some(parent) = parent(part) {
            roots[part] = roots[parent];
            let is_fixed = roots[part] == 0 && body.is_fixed();
            let rest = if is_fixed { f64::INFINITY } else { subtrees[roots[part]] - subtrees[part] };
            add(&mut heaviest[part], rest);
        }
    }
    let moving = usize::from(body.is_fixed())..masses.len();
    let loads = moving.map(|part| (part, heaviest[part][1] / masses[part])).filter(|(_, load)| load.is_finite());
    let (part, load) = loads.max_by(|one, other| one.1.total_cmp(&other.1)).filter(|(_, load)| *load > LIGHT)?;
    Some((parts.parts.raw[part].carrier, load))
}
