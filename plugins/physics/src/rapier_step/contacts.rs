//! Contacts of rapier's step: the surfaces that meet, and the forces.
//!
//! Two figures of rapier 0.35 are corrected:
//!
//! - The impulse of a contact point is the sum over the substeps **and** the warm start, which was carried over from the step before. With
//!   n substeps a resting load reads (n + 1)/n of itself. The warm start is subtracted.
//! - Friction and the torque about the normal belong to the whole manifold, and only those of the last substep are kept. Their ratio to
//!   the load is taken to hold for the whole step: exact with one substep, and while a body rests or slides. In an impact the error is some
//!   per cent of the largest force.

use std::sync::{Mutex, PoisonError};

use bevy_rapier3d::rapier::dynamics::{IntegrationParameters, RigidBody, RigidBodyHandle, RigidBodySet};
use bevy_rapier3d::rapier::geometry::{ColliderHandle, ContactManifold, ContactPair, NarrowPhase, SolverFlags};
use bevy_rapier3d::rapier::math::Vector;
use bevy_rapier3d::rapier::pipeline::{ContactModificationContext, PairFilterContext, PhysicsHooks};
use nalgebra::Vector3;

use crate::detection::reported_contact::ReportedContact;
use crate::world::contacts::ContactRules;
use crate::world::convert::from_vec3;
use crate::world::culling;

/// The most points that a contact manifold gives to rapier's solver.
const POINTS: usize = 4;
/// Sliding velocity up to which the static coefficient of friction applies, m/s: Choreonoid's.
const AT_REST: f32 = 1e-4;
/// Minimum approach velocity for restitution, m/s: Choreonoid's.
const SLOWEST_BOUNCE: f32 = 1e-4;

/// Rapier's hooks during a step.
pub(super) struct StepHooks<'a> {
    rules: &'a ContactRules,
    /// Velocity that gravity adds in a step, and in a substep, m/s. The solver takes some steps to find a new load; until then
    /// sticking surfaces creep by less than the latter.
    fall: f32,
    creep: f32,
    /// Warm start impulses along the normal, N·s, by manifold. The user data of a manifold is its index here plus one; 0 is a manifold
    /// without hooks. Rapier shares its hooks, so that writing takes a lock.
    warm_starts: Mutex<Vec<[f32; POINTS]>>,
}

impl<'a> StepHooks<'a> {
    pub fn new(rules: &'a ContactRules, integration: &IntegrationParameters, gravity: Vector) -> Self {
        let fall = gravity.length() * integration.dt;
        #[allow(clippy::cast_precision_loss)]
        let creep = fall / integration.num_solver_iterations.max(1) as f32;
        Self { rules, fall, creep, warm_starts: Mutex::default() }
    }

    /// Friction and restitution of the pair of materials. Surfaces at rest have the static coefficient, and do not bounce.
    fn set_coefficients(&self, context: &mut ContactModificationContext<'_>) {
        let Some(pair) = self.rules.coefficients([context.collider1, context.collider2]) else { return };
        *context.friction = pair.dynamic_friction;
        *context.restitution = pair.restitution;
        if pair.static_friction == pair.dynamic_friction && pair.restitution == 0.0 {
            return;
        }
        let bodies =
            [context.rigid_body1, context.rigid_body2].map(|body| body.and_then(|body| context.bodies.get(body)));
        let (mut sliding, mut approach) = (0.0_f32, f32::MIN);
        for contact in context.solver_contacts.iter() {
            let point = (contact.anchor1 + contact.anchor2) * 0.5;
            let [first, second] =
                bodies.map(|body: Option<&RigidBody>| body.map_or(Vector::ZERO, |body| body.velocity_at_point(point)));
            let along = (first - second).dot(*context.normal);
            approach = approach.max(along);
            sliding = sliding.max((first - second - *context.normal * along).length());
        }
        if sliding < self.creep.max(AT_REST) {
            *context.friction = pair.static_friction;
        }
        // A body at rest reaches this velocity within two steps of gravity, and must not bounce for it.
        if approach < (2.0 * self.fall).max(SLOWEST_BOUNCE) {
            *context.restitution = 0.0;
        }
    }

    fn note_warm_start(&self, context: &mut ContactModificationContext<'_>) {
        let mut start = [0.0; POINTS];
        for (contact, normal) in context.solver_contacts.iter().zip(&mut start) {
            let [index] = contact.contact_indices();
            *normal = context.manifold.points.get(index as usize).map_or(0.0, |point| point.data.warmstart_impulse);
        }
        let mut starts = self.warm_starts.lock().unwrap_or_else(PoisonError::into_inner);
        starts.push(start);
        *context.user_data = u32::try_from(starts.len()).unwrap_or(0);
    }

    /// Notes all contacts of the step that was made, of `time_step` seconds.
    pub fn note_contacts(
        &mut self,
        narrow_phase: &NarrowPhase,
        bodies: &RigidBodySet,
        time_step: f64,
        reported: &mut Vec<ReportedContact>,
    ) {
        reported.clear();
        let starts = self.warm_starts.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut pairs: Vec<&ContactPair> = narrow_phase.contact_pairs().collect();
        // Rapier's order depends on the history.
        pairs.sort_unstable_by_key(|pair| [pair.collider1, pair.collider2].map(ColliderHandle::into_raw_parts));
        for (pair, manifold) in pairs.iter().flat_map(|pair| pair.solver_manifolds().iter().map(move |own| (pair, own)))
        {
            let data = &manifold.data;
            let number = (data.user_data as usize).checked_sub(1);
            let start = number.and_then(|number| starts.get(number)).copied().unwrap_or_default();
            let center = |body: Option<RigidBodyHandle>| {
                body.and_then(|body| bodies.get(body))
                    .map_or_else(Vector3::zeros, |body| from_vec3(body.center_of_mass()))
            };
            // A body that contacts do not move has no lever arm; its points are those of the world.
            let is_second = data.relative_dominance > 0;
            let center = center(if is_second { data.rigid_body2 } else { data.rigid_body1 });
            for (contact, impulse) in data.solver_contacts.iter().zip(impulses(manifold, &start)) {
                let [index] = contact.contact_indices();
                let Some(point) = manifold.points.get(index as usize).map(|point| &point.data) else { continue };
                reported.push(ReportedContact {
                    colliders: [pair.collider1, pair.collider2],
                    point: center + from_vec3(if is_second { point.solver_dp2 } else { point.solver_dp1 }),
                    normal: -from_vec3(data.normal),
                    force: impulse / time_step,
                    gap: contact.dist.into(),
                });
            }
        }
    }
}

impl PhysicsHooks for StepHooks<'_> {
    fn filter_contact_pair(&self, context: &PairFilterContext<'_>) -> Option<SolverFlags> {
        let may_touch =
            self.rules.may_touch([context.collider1, context.collider2], [context.rigid_body1, context.rigid_body2]);
        may_touch.then_some(SolverFlags::COMPUTE_IMPULSES)
    }

    fn modify_solver_contacts(&self, context: &mut ContactModificationContext<'_>) {
        if context.solver_contacts.is_empty() {
            return;
        }
        culling::cull(&self.rules.culling([context.collider1, context.collider2]), context);
        self.set_coefficients(context);
        self.note_warm_start(context);
    }
}

/// Impulses of a manifold's points on the first body in the whole step, N·s, world axes.
fn impulses(manifold: &ContactManifold, start: &[f32; POINTS]) -> Vec<Vector3<f64>> {
    let data = &manifold.data;
    let direction = from_vec3(-data.normal);
    let points = data.solver_contacts.iter().filter_map(|contact| {
        let [index] = contact.contact_indices();
        manifold.points.get(index as usize).map(|point| &point.data)
    });
    let points: Vec<_> = points.collect();
    // A difference of two large numbers may come out negative.
    let loads = points.iter().zip(start).map(|(point, start)| f64::from(point.impulse - start).max(0.0));
    let loads: Vec<f64> = loads.collect();
    let mut impulses: Vec<Vector3<f64>> = loads.iter().map(|load| direction * *load).collect();
    let last: f64 = points.iter().map(|point| f64::from(point.warmstart_impulse)).sum();
    if let Some(first) = points.first()
        && last > 0.0
    {
        let ratio = loads.iter().sum::<f64>() / last;
        #[allow(clippy::cast_precision_loss)]
        let count = points.len() as f64;
        let friction = from_vec3(first.warmstart_tangent_world) * (ratio / count);
        // The torque about the normal as forces across it that sum to zero. A single point has no lever.
        let arms: Vec<_> = points.iter().map(|point| from_vec3(point.solver_dp1)).collect();
        let middle = arms.iter().sum::<Vector3<f64>>() / count;
        let across: Vec<_> = arms.iter().map(|arm| direction.cross(&(arm - middle))).collect();
        let moment: f64 = across.iter().map(Vector3::norm_squared).sum();
        let twist = f64::from(first.warmstart_twist_impulse) * ratio;
        let scale = if moment > 0.0 { twist / moment } else { 0.0 };
        impulses.iter_mut().zip(&across).for_each(|(impulse, across)| *impulse += friction + across * scale);
    }
    impulses
}
