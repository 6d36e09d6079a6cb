//! More substeps for what hangs together with a link that is light against what it carries.
//!
//! What a light link passes on from one heavy body to another takes rapier's solver many iterations. Rapier can cut the step of
//! some bodies, and of all that is joined to them or touches them, into more substeps than that of others. Between its joints the
//! links of a gram in Choreonoid's rag doll are torn with 4 substeps and part by 37, 14 and 6 mm for a moment with 20, 50 and 100;
//! two fingers of 50 g let a block of 5 kg slip by 40, 0.2 and 0.002 mm in 3 s with 4, 20 and 50.

use std::collections::BTreeMap;

use bevy::prelude::*;
use bevy_rapier3d::rapier::dynamics::{ImpulseJointSet, RigidBodyHandle, RigidBodySet};
use bevy_rapier3d::rapier::geometry::{ContactPair, NarrowPhase};
use bunraku_body::Body;

use crate::model::index::RigidPartIndex;
use crate::model::rigid_parts::RigidParts;
use crate::world::contacts::ContactRules;

/// A link is light if it carries so many times its own mass. Of the robots that Choreonoid comes with none has such a link.
const LIGHT: f64 = 50.0;
/// The most substeps that are taken by themselves.
const MOST_SUBSTEPS: f64 = 20.0;

/// Substeps that a link needs which carries so many times its own mass; `None` if it is not light.
fn substeps(load: f64) -> Option<usize> {
    // A whole number that is not large.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    (load > LIGHT).then(|| (2.0 * load.sqrt()).min(MOST_SUBSTEPS).ceil() as usize)
}

/// The part of a body that is lightest against what its joints make it carry, and the substeps that it needs; `None` if none is
/// light.
///
/// A part carries what the second heaviest of its sides weighs: its parent with all that hangs there, or one of its children with all
/// that hangs on that. A fixed root is heavier than anything.
pub(crate) fn light_part(body: &Body, parts: &RigidParts) -> Option<(RigidPartIndex, usize)> {
    let masses: Vec<f64> = parts.parts.iter().map(|part| part.mass.mass).collect();
    let parent = |part: usize| {
        let link = body.link(parts.parts[RigidPartIndex(part)].carrier);
        let parent = link.parent.filter(|_| link.joint.kind.has_displacement())?;
        Some(parts.links[parent].part.0)
    };
    let mut subtrees = masses.clone();
    let mut heaviest = vec![[0.0_f64; 2]; masses.len()];
    let add = |sides: &mut [f64; 2], side: f64| {
        if side > sides[0] {
            *sides = [side, sides[0]];
        } else {
            sides[1] = sides[1].max(side);
        }
    };
    let mut roots: Vec<usize> = (0..masses.len()).collect();
    for part in (0..masses.len()).rev() {
        if let Some(parent) = parent(part) {
            subtrees[parent] += subtrees[part];
            add(&mut heaviest[parent], subtrees[part]);
        }
    }
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
    let (part, load) = loads.max_by(|one, other| one.1.total_cmp(&other.1))?;
    Some((RigidPartIndex(part), substeps(load)?))
}

/// Rigid bodies that a solver contact of a pair pushes; `None` if it has none, or not between two that forces move.
fn pushed(pair: &ContactPair, bodies: &RigidBodySet) -> Option<[RigidBodyHandle; 2]> {
    let manifold = pair.manifolds.first().filter(|_| pair.has_any_active_contact())?;
    let handles = [manifold.data.rigid_body1?, manifold.data.rigid_body2?];
    let is_dynamic = |handle: RigidBodyHandle| bodies.get(handle).is_some_and(|body| body.is_dynamic());
    handles.into_iter().all(is_dynamic).then_some(handles)
}

/// Asks rapier for the substeps of the next step: by the models, `of_models`, and by what links touched in the step before. What
/// users ask for their own rigid bodies stays.
pub(crate) fn ask_for_substeps(
    bodies: &mut RigidBodySet,
    narrow_phase: &NarrowPhase,
    rules: &ContactRules,
    of_models: impl Iterator<Item = (RigidBodyHandle, usize)>,
    is_ours: impl Fn(RigidBodyHandle) -> bool,
    base: usize,
) {
    let mut wanted: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    let mut want = |body: RigidBodyHandle, substeps: usize| {
        let extra = wanted.entry(body.into_raw_parts()).or_default();
        *extra = (*extra).max(substeps.saturating_sub(base));
    };
    of_models.for_each(|(body, substeps)| want(body, substeps));
    for pair in narrow_phase.contact_pairs() {
        let Some(handles) = pushed(pair, bodies) else { continue };
        let masses = handles.map(|handle| bodies.get(handle).map_or(0.0, |body| f64::from(body.mass())));
        for (side, collider) in [pair.collider1, pair.collider2].into_iter().enumerate() {
            let hangs_on_a_joint = rules.owner(collider).is_some() && !rules.hangs_on_no_joint(handles[side]);
            if let (true, Some(substeps)) = (hangs_on_a_joint, substeps(masses[1 - side] / masses[side])) {
                want(handles[side], substeps);
            }
        }
    }
    let known = bodies.iter().filter(|(_, body)| body.additional_solver_iterations() > 0);
    for handle in known.map(|(handle, _)| handle).filter(|handle| is_ours(*handle)) {
        wanted.entry(handle.into_raw_parts()).or_default();
    }
    for ((index, generation), extra) in wanted {
        let handle = RigidBodyHandle::from_raw_parts(index, generation);
        if bodies.get(handle).is_some_and(|body| body.additional_solver_iterations() != extra)
            && let Some(body) = bodies.get_mut(handle)
        {
            body.set_additional_solver_iterations(extra);
        }
    }
}

/// How many more substeps than others some bodies have had in the last step.
#[derive(Resource, Debug, Default)]
pub(crate) struct ExtraSubsteps(BTreeMap<(u32, u32), usize>);

impl ExtraSubsteps {
    /// Of a joint between two bodies.
    pub fn of(&self, bodies: [RigidBodyHandle; 2]) -> usize {
        bodies.iter().filter_map(|body| self.0.get(&body.into_raw_parts())).copied().max().unwrap_or(0)
    }

    /// Follows rapier after a step: all that is joined or touches has the most that any of it asks for.
    pub fn find(&mut self, bodies: &RigidBodySet, narrow_phase: &NarrowPhase, joints: &ImpulseJointSet) {
        self.0.clear();
        let extra = bodies.iter().map(|(handle, body)| (handle.into_raw_parts(), body.additional_solver_iterations()));
        self.0.extend(extra.filter(|(_, extra)| *extra > 0));
        if self.0.is_empty() {
            return;
        }
        let is_dynamic = |handle: &RigidBodyHandle| bodies.get(*handle).is_some_and(|body| body.is_dynamic());
        let joined = joints.iter().map(|(_, joint)| [joint.body1(), joint.body2()]);
        let joined = joined.filter(|pair| pair.iter().all(is_dynamic));
        let touching = narrow_phase.contact_pairs().filter_map(|pair| pushed(pair, bodies));
        let pairs: Vec<[(u32, u32); 2]> =
            joined.chain(touching).map(|pair| pair.map(RigidBodyHandle::into_raw_parts)).collect();
        loop {
            let mut has_changed = false;
            for pair in &pairs {
                let most = pair.iter().filter_map(|body| self.0.get(body)).copied().max().unwrap_or(0);
                for body in pair.iter().filter(|_| most > 0) {
                    has_changed |= self.0.insert(*body, most) != Some(most);
                }
            }
            if !has_changed {
                break;
            }
        }
    }
}
