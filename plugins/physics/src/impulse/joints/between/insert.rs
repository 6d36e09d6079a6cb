//! Puts extra joints between bodies into rapier's world.

use std::collections::BTreeMap;

use bevy::prelude::*;
use bevy_rapier3d::prelude::{JointAxesMask, RapierContextJoints, RapierRigidBodySet};
use bevy_rapier3d::rapier::dynamics::{
    GenericJoint as RapierJoint, MassProperties as RapierMassProperties, RigidBodyBuilder, RigidBodyHandle,
    RigidBodySet,
};
use bunraku_body::{Body, BodyModel, BodyState, Drive, LinkIndex, MassProperties};
use bunraku_simulation::{SimulationClock, SimulationFault, SimulationStatus};
use nalgebra::Isometry3;

use super::Party;
use super::findings::moves;
use super::fit::Fit;
use super::fit::Support;
use super::fit::fits;
use crate::impulse::joints::loops::rows::asked;
use crate::impulse::joints::loops::stand_in;
use crate::model::extra_joint::{ExtraJointBetween, JointEnd, Opening, SimulatedExtraJoint};
use crate::model::guided_root::GuidedRoot;
use crate::model::rigid_parts::RigidParts;
use crate::model::simulated_body::{SimulatedBody, SimulatedLoop};
use crate::world::contacts::ContactRules;
use crate::world::convert::{from_pose, to_pose};

type JoinedBody<'a> =
    (Entity, (&'a BodyModel, &'a BodyState, &'a Drive, Has<GuidedRoot>), &'a mut SimulatedBody, Option<&'a Name>);

/// Takes in the extra joints that are new, after the bodies.
pub(crate) fn insert_extra_joints(
    mut commands: Commands,
    new: Query<(Entity, &ExtraJointBetween, Option<&Name>), Without<SimulatedExtraJoint>>,
    mut bodies: Query<JoinedBody<'_>>,
    mut contexts: Query<(&mut RapierRigidBodySet, &mut RapierContextJoints)>,
    mut rules: ResMut<ContactRules>,
    (clock, mut status): (Res<SimulationClock>, ResMut<SimulationStatus>),
) {
    let mut new: Vec<_> = new.iter().collect();
    let Ok((mut set, mut rapier_joints)) = contexts.single_mut() else { return };
    if new.is_empty() {
        return;
    }
    new.sort_by_key(|(entity, ..)| *entity);
    let mut bodies: Vec<_> = bodies.iter_mut().collect();
    bodies.sort_by_key(|(entity, ..)| *entity);
    let entities: Vec<_> = bodies.iter().map(|(entity, ..)| *entity).collect();
    let parties = bodies.iter().map(|(_, (BodyModel(body), state, drive, guided), ..)| Party {
        body,
        state,
        drive: **drive,
        root_is_guided: *guided,
    });
    let parties: Vec<_> = parties.collect();
    let name = |end: &JointEnd<usize>| match *end {
        JointEnd::World => "the world".to_owned(),
        JointEnd::Link { body, link } => {
            let model = parties[body].body;
            let name = bodies[body].3.map_or(model.name.as_str(), Name::as_str);
            format!("`{name}/{}`", model.link(link).name)
        }
    };
    let mut joints = Vec::with_capacity(new.len());
    let mut names = Vec::with_capacity(new.len());
    for (_, joint, own_name) in &new {
        let known = joint.map_bodies(|body| entities.binary_search(&body).ok()).filter(|joint| {
            joint.ends.iter().all(|end| match *end {
                JointEnd::World => true,
                JointEnd::Link { body, link } => link.0 < parties[body].body.links().len(),
            })
        });
        let kind = joint.form.kind.as_str();
        let Some(joint) = known else {
            let own_name = own_name.map_or_else(String::new, |name| format!(" `{name}`"));
            let message = format!("the {kind} extra joint{own_name} joins a body or a link that is not there");
            *status = SimulationStatus::Failed(SimulationFault { time: clock.time(), message });
            return;
        };
        let [first, second] = joint.ends.each_ref().map(name);
        names.push(match own_name {
            Some(own_name) => format!("extra joint `{own_name}` ({kind} between {first} and {second})"),
            None => format!("the {kind} extra joint between {first} and {second}"),
        });
        joints.push(joint);
    }
    let fits = fits(&parties, &joints);
    let supports: Vec<_> = joints.iter().map(|joint| joint.ends.map(|end| Support::of(end, &parties))).collect();
    let does_something: Vec<_> = joints.iter().map(|joint| moves(joint, &parties)).collect();
    drop(parties);

    let mut place =
        Placement { set: &mut set.bodies, joints: &mut rapier_joints, stand_ins: BTreeMap::new(), made: Vec::new() };
    for (number, joint) in joints.iter().enumerate() {
        let (fit, kind) = (&fits[number], joint.form.kind);
        let simulated =
            |body: usize| bodies.get(body).map(|(_, (BodyModel(model), ..), simulated, _)| (&**simulated, &**model));
        // Rows may be left out where joints that cannot give way hold them, but not where free rigid bodies do.
        let mut yielding = joint.ends.iter().zip(supports[number]).filter(|(_, support)| support.yields());
        let locked = if yielding.all(|(end, _)| place.is_reduced(end, &simulated)) { fit.locked } else { asked(kind) };
        let handle = if does_something[number] && !locked.is_empty() {
            place.ends(joint, supports[number], fit, simulated).map(|[first, second]| {
                let mut data = RapierJoint::new(locked);
                data.local_frame1 = to_pose(&first.1);
                data.local_frame2 = to_pose(&second.1);
                data.set_contacts_enabled(false);
                place.joints.impulse_joints.insert(first.0, second.0, data, true)
            })
        } else {
            None
        };
        let start = Opening { held: asked(kind), gap: fit.open.fixed_rows::<3>(0).into_owned() };
        let (name, fixtures) = (std::mem::take(&mut names[number]), std::mem::take(&mut place.made));
        let extra = SimulatedExtraJoint { handle, name, fixtures, start };
        commands.entity(new[number].0).insert(extra);
        let ends = joint.ends.map(|end| match end {
            JointEnd::World => None,
            JointEnd::Link { body, link } => Some((body, link)),
        });
        // Also where others hold all that it holds.
        if let [Some((first, one)), Some((second, other))] = ends {
            let part = |body: usize, link: LinkIndex| bodies[body].2.rigid_body(link).0;
            rules.let_through(part(first, one), part(second, other));
        }
        let Some(handle) = handle else { continue };
        for (body, link) in ends.into_iter().flatten() {
            rules.tied(bodies[body].2.rigid_body(link).0);
        }
        match ends {
            [Some((first, one)), Some((second, other))] if first == second => {
                bodies[first].2.loops.push(SimulatedLoop { handle, links: [Some(one), Some(other)] });
            }
            [first, second] => {
                for (body, links) in [(first, [first, None]), (second, [None, second])] {
                    if let Some((body, _)) = body {
                        let links = links.map(|end| end.map(|(_, link)| link));
                        bodies[body].2.loops.push(SimulatedLoop { handle, links });
                    }
                }
            }
        }
    }
    for (body, stand_in) in place.stand_ins {
        bodies[body].2.fixtures.push(stand_in);
    }
}

struct Placement<'a> {
    set: &'a mut RigidBodySet,
    joints: &'a mut RapierContextJoints,
    /// By body.
    stand_ins: BTreeMap<usize, RigidBodyHandle>,
    /// Rapier bodies that were made for the joint at hand.
    made: Vec<RigidBodyHandle>,
}

/// A rigid body and a frame in it.
type Grip = (RigidBodyHandle, Isometry3<f64>);

impl Placement<'_> {
    /// What a joint holds on to.
    fn ends<'s>(
        &mut self,
        joint: &ExtraJointBetween<usize>,
        supports: [Support; 2],
        fit: &Fit,
        simulated: impl Fn(usize) -> Option<(&'s SimulatedBody, &'s Body)>,
    ) -> Option<[Grip; 2]> {
        let mut grips = [None; 2];
        for end in 0..2 {
            let frame = fit.frames[end];
            let other = 1 - end;
            let tree = match joint.ends[other] {
                JointEnd::Link { body, link } if supports[other] == Support::Tree => Some((body, link)),
                _ => None,
            };
            let tree = tree.filter(|_| self.is_reduced(&joint.ends[other], &simulated));
            grips[end] = Some(match (supports[end], joint.ends[end], tree) {
                (Support::Ground, _, Some((body, _))) => {
                    // Rapier sorts out rows of pure noise between two links of one multibody only.
                    let root = *simulated(body)?.0.parts.first()?;
                    let stand_in = match self.stand_ins.get(&body) {
                        Some(stand_in) => *stand_in,
                        None => {
                            let stand_in = stand_in(root, self.set, self.joints);
                            self.stand_ins.insert(body, stand_in);
                            stand_in
                        }
                    };
                    (stand_in, self.pose(stand_in).inverse() * frame)
                }
                (Support::Ground, JointEnd::Link { body, link }, None) => {
                    let (part, _) = simulated(body)?.0.rigid_body(link);
                    (part, self.pose(part).inverse() * frame)
                }
                (Support::Ground, JointEnd::World, None) => {
                    let ground = self.set.insert(RigidBodyBuilder::fixed().pose(to_pose(&frame)).build());
                    self.made.push(ground);
                    (ground, self.pose(ground).inverse() * frame)
                }
                (Support::Led, JointEnd::Link { body, link }, Some((tree, held))) => {
                    let (part, pose) = simulated(body)?.0.rigid_body(link);
                    let (_, arm) = simulated(tree)?;
                    let parts = RigidParts::of(arm);
                    let mass = parts.parts.get(parts.links.get(held.0)?.part.0)?.mass;
                    (self.carrier(part, &mass, &(pose * frame)), Isometry3::identity())
                }
                (_, JointEnd::Link { body, link }, _) => {
                    let (part, pose) = simulated(body)?.0.rigid_body(link);
                    (part, pose * frame)
                }
                (_, JointEnd::World, _) => return None,
            });
        }
        let [first, second] = grips;
        Some([first?, second?])
    }

    /// Whether an end is a link of a multibody, whichever solver its body has.
    fn is_reduced<'s>(
        &self,
        end: &JointEnd<usize>,
        simulated: &impl Fn(usize) -> Option<(&'s SimulatedBody, &'s Body)>,
    ) -> bool {
        let JointEnd::Link { body, link } = *end else { return false };
        simulated(body).is_some_and(|(simulated, _)| {
            self.joints.multibody_joints.rigid_body_link(simulated.rigid_body(link).0).is_some()
        })
    }

    fn pose(&self, body: RigidBodyHandle) -> Isometry3<f64> {
        self.set.get(body).map_or_else(Isometry3::identity, |body| from_pose(body.position()))
    }

    /// A body of some mass that is fixed to a body which a motion leads, its frame at `grip` in that.
    ///
    /// A motion may lead anywhere, so that no row can be left out for good; and rapier cannot hold a link of a multibody by a
    /// row that nothing moves. What is between gives way.
    fn carrier(&mut self, led: RigidBodyHandle, mass: &MassProperties, grip: &Isometry3<f64>) -> RigidBodyHandle {
        let pose = self.pose(led) * grip;
        // Any ball as heavy and about as hard to turn does.
        #[allow(clippy::cast_possible_truncation)]
        let (mass, inertia) = (mass.mass as f32, (mass.inertia.trace() / 3.0) as f32);
        let properties = RapierMassProperties::new(Vec3::ZERO, mass, Vec3::splat(inertia));
        let builder = RigidBodyBuilder::dynamic().pose(to_pose(&pose)).additional_mass_properties(properties);
        let carrier = self.set.insert(builder.gravity_scale(0.0).can_sleep(false).build());
        self.made.push(carrier);
        let mut fixed = RapierJoint::new(JointAxesMask::LOCKED_FIXED_AXES);
        fixed.local_frame1 = to_pose(grip);
        fixed.set_contacts_enabled(false);
        self.joints.impulse_joints.insert(led, carrier, fixed, true);
        carrier
    }
}
