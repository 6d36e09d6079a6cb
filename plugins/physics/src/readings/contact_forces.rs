//! Contacts and their forces, as controllers and sensors want them.
//!
//! Rapier's own figures are corrected here (rapier 0.35):
//!
//! - the impulse of a contact point is the sum over the substeps **and** the warm start, which was carried over
//!   from the step before, so that with n substeps a resting load reads (n + 1)/n of itself; the warm start is taken off again;
//! - between bodies that are not multibodies, friction and the torque about the normal belong to the whole manifold, and
//!   only those of the last substep are kept. Their ratio to the load is taken to hold for the whole step: exact
//!   with one substep, and while a body rests or slides; in an impact, or while a robot chatters, off by some per cent of the
//!   largest force. (Rapier's other friction model keeps the sums, but brakes a sliding box by 6 % too little.)

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_rapier3d::prelude::{RapierContextJoints, RapierContextSimulation, RapierRigidBodySet};
use bevy_rapier3d::rapier::dynamics::{FrictionModel, MultibodyJointSet, RigidBodyHandle, RigidBodySet};
use bevy_rapier3d::rapier::geometry::ContactManifold;
use bevy_rapier3d::rapier::utils::OrthonormalBasis;
use bunraku_body::dynamics::Wrench;
use bunraku_body::{BodyState, LinkIndex};
use nalgebra::{Point3, Vector3};

use crate::model::joint_solver::JointSolver;
use crate::model::parameters::PhysicsParameters;
use crate::multibody_world::MultibodyWorld;
use crate::world::contacts::{ContactRules, LinkOfBody};
use crate::world::convert::from_vec3;

/// A point at which a link touches something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The link that is touched.
    pub link: LinkIndex,
    /// Body entity and link on the other side; `None` for a collider that belongs to no body of ours.
    pub other: Option<(Entity, LinkIndex)>,
    /// Where, m, world frame.
    pub point: Point3<f64>,
    /// Direction in which the surface of the other side pushes: a unit vector into the link, world axes.
    pub normal: Vector3<f64>,
    /// Force on the link, N, world axes: the mean over the last step of the push along the normal and of friction.
    pub force: Vector3<f64>,
    /// How deep the shapes were in each other when the step began, m; negative for a gap.
    pub depth: f64,
}

/// Contacts of bodies in the last step.
///
/// A system parameter for systems in [`SimulationSystems::Sense`](bunraku_simulation::SimulationSystems::Sense) and
/// [`Control`](bunraku_simulation::SimulationSystems::Control); contacts nobody asks about cost nothing.
///
/// All forces are means over the last step: times its length they are the impulses that changed the momenta of the
/// bodies. Contacts between links of one rigid part (links that cannot move against each other) do not exist, those of a
/// link are told by the link whose shape touches. Points of a pair of links that is close but not touching are left out.
#[derive(SystemParam)]
pub struct Contacts<'w, 's> {
    contexts:
        Query<'w, 's, (&'static RapierContextSimulation, &'static RapierRigidBodySet, &'static RapierContextJoints)>,
    rules: Res<'w, ContactRules>,
    multibodies: Res<'w, MultibodyWorld>,
    parameters: Res<'w, PhysicsParameters>,
    states: Query<'w, 's, &'static BodyState>,
}

impl Contacts<'_, '_> {
    /// All points at which a link is pushed, in an order that is the same in every run.
    pub fn of_link(&self, body: Entity, link: LinkIndex) -> Vec<Contact> {
        let mut contacts = Vec::new();
        self.collect(LinkOfBody { body, link }, &mut contacts);
        contacts
    }

    /// All points at which a body is pushed, link by link. Contacts between two of its links come twice, once for each.
    pub fn of_body(&self, body: Entity) -> Vec<Contact> {
        let links = self.states.get(body).map_or(0, |state| state.link_poses.len());
        let mut contacts = Vec::new();
        for link in (0..links).map(LinkIndex) {
            self.collect(LinkOfBody { body, link }, &mut contacts);
        }
        contacts
    }

    /// What all contacts together do to a link: force (N) and torque about the link origin (N·m), world axes.
    pub fn wrench(&self, body: Entity, link: LinkIndex) -> Wrench {
        let Some(origin) = self.states.get(body).ok().and_then(|state| state.link_poses.get(link.0)) else {
            return Wrench::ZERO;
        };
        let origin = Point3::from(origin.translation.vector);
        self.of_link(body, link).iter().fold(Wrench::ZERO, |sum, contact| {
            let part = Wrench::from_force_at(contact.force, &(contact.point - origin));
            Wrench { force: sum.force + part.force, torque: sum.torque + part.torque }
        })
    }

    /// Those of our own solver.
    fn collect_reduced(&self, link: LinkOfBody, contacts: &mut Vec<Contact>) {
        for told in &self.multibodies.told {
            let owners = told.colliders.map(|collider| self.rules.owner(collider));
            for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
                if owners[side] == Some(link) && (told.force != Vector3::zeros() || told.gap < 0.0) {
                    contacts.push(Contact {
                        link: link.link,
                        other: owners[1 - side].map(|other| (other.body, other.link)),
                        point: Point3::from(told.point),
                        normal: told.normal * sign,
                        force: told.force * sign,
                        depth: -told.gap,
                    });
                }
            }
        }
    }

    fn collect(&self, link: LinkOfBody, contacts: &mut Vec<Contact>) {
        if self.parameters.joints == JointSolver::Multibody {
            let start = contacts.len();
            self.collect_reduced(link, contacts);
            contacts[start..].sort_by_key(|contact| contact.other);
            return;
        }
        let Ok((simulation, set, joints)) = self.contexts.single() else { return };
        let time_step = f64::from(simulation.integration_parameters.dt);
        let model = simulation.integration_parameters.friction_model;
        let start = contacts.len();
        for &handle in self.rules.colliders_of(link) {
            for pair in simulation.narrow_phase.contact_pairs_with(handle) {
                let is_first = pair.collider1 == handle;
                let other = self.rules.owner(if is_first { pair.collider2 } else { pair.collider1 });
                let side = Side { link: link.link, other: other.map(|other| (other.body, other.link)), is_first };
                for manifold in pair.solver_manifolds() {
                    let forces = PointForces::of(manifold, &self.rules, &joints.multibody_joints, model);
                    contacts.extend(side.contacts(manifold, &forces, &set.bodies, time_step));
                }
            }
        }
        // Rapier's graph of contacts is in the order in which they came about.
        contacts[start..].sort_by_key(|contact| contact.other);
    }
}

/// Impulses of a manifold's points in the whole step.
struct PointForces {
    /// On the first body, world axes, N·s, in the order of the solver's points.
    impulses: Vec<Vector3<f64>>,
}

impl PointForces {
    fn of(
        manifold: &ContactManifold,
        rules: &ContactRules,
        multibodies: &MultibodyJointSet,
        model: FrictionModel,
    ) -> Self {
        let data = &manifold.data;
        let seeds = rules.seeds(manifold);
        if let Some(solved) = seeds.solved {
            let points = data.solver_contacts.len();
            return Self { impulses: solved.iter().take(points).map(|impulse| -impulse).collect() };
        }
        let of_multibody = |body: Option<RigidBodyHandle>| body.and_then(|body| multibodies.rigid_body_link(body));
        let is_generic = model == FrictionModel::Coulomb
            || of_multibody(data.rigid_body1).or(of_multibody(data.rigid_body2)).is_some();
        let direction = -data.normal;
        let points = data.solver_contacts.iter().filter_map(|contact| {
            let [index] = contact.contact_indices();
            manifold.points.get(index as usize).map(|point| &point.data)
        });
        let points: Vec<_> = points.collect();
        let loads = points.iter().zip(&seeds.normal).map(|(point, seed)| f64::from(point.impulse) - f64::from(*seed));
        // A difference of two large numbers may come out as less than nothing.
        let loads: Vec<f64> = loads.map(|load| load.max(0.0)).collect();
        let mut impulses: Vec<Vector3<f64>> = loads.iter().map(|load| from_vec3(direction) * *load).collect();
        if is_generic {
            // The solver's own tangents, in which it counts.
            let tangent = direction.orthonormal_vector();
            let across = direction.cross(tangent);
            for ((impulse, point), seed) in impulses.iter_mut().zip(&points).zip(&seeds.friction) {
                let sum = point.tangent_impulse;
                *impulse += from_vec3(tangent * sum.x + across * sum.y - *seed);
            }
        } else if let Some(first) = points.first() {
            let last: f64 = points.iter().map(|point| f64::from(point.warmstart_impulse)).sum();
            let whole: f64 = loads.iter().sum();
            if last > 0.0 {
                let ratio = whole / last;
                #[allow(clippy::cast_precision_loss)]
                let share = ratio / points.len() as f64;
                let friction = from_vec3(first.warmstart_tangent_world) * share;
                let arms: Vec<_> = points.iter().map(|point| from_vec3(point.solver_dp1)).collect();
                let torque = f64::from(first.warmstart_twist_impulse) * ratio;
                for (impulse, twist) in impulses.iter_mut().zip(couple(&from_vec3(direction), torque, &arms)) {
                    *impulse += friction + twist;
                }
            }
        }
        Self { impulses }
    }
}

/// Forces across `axis` (a unit vector) at points that come to nothing but a torque about it.
fn couple(axis: &Vector3<f64>, torque: f64, points: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
    #[allow(clippy::cast_precision_loss)]
    let center = points.iter().sum::<Vector3<f64>>() / points.len().max(1) as f64;
    let directions: Vec<_> = points.iter().map(|point| axis.cross(&(point - center))).collect();
    let moment: f64 = directions.iter().map(Vector3::norm_squared).sum();
    // A single point has no lever, and the solver gives it no such torque.
    let scale = if moment > 0.0 { torque / moment } else { 0.0 };
    directions.into_iter().map(|direction| direction * scale).collect()
}

/// From which side a pair is looked at.
struct Side {
    link: LinkIndex,
    other: Option<(Entity, LinkIndex)>,
    is_first: bool,
}

impl Side {
    fn contacts<'a>(
        &'a self,
        manifold: &'a ContactManifold,
        forces: &'a PointForces,
        bodies: &'a RigidBodySet,
        time_step: f64,
    ) -> impl Iterator<Item = Contact> + 'a {
        let data = &manifold.data;
        let sign = if self.is_first { 1.0 } else { -1.0 };
        // The side's own centre of mass carries its lever arm; a body that cannot move has none, and its points are
        // those of the world.
        let (body, is_anchored) = if self.is_first {
            (data.rigid_body1, data.relative_dominance > 0)
        } else {
            (data.rigid_body2, data.relative_dominance < 0)
        };
        let body = body.filter(|_| !is_anchored).and_then(|body| bodies.get(body));
        let center = body.map_or_else(Vector3::zeros, |body| from_vec3(body.center_of_mass()));
        data.solver_contacts.iter().zip(&forces.impulses).filter_map(move |(contact, impulse)| {
            let [index] = contact.contact_indices();
            let point = &manifold.points.get(index as usize)?.data;
            let arm = from_vec3(if self.is_first { point.solver_dp1 } else { point.solver_dp2 });
            let depth = -f64::from(contact.dist);
            (*impulse != Vector3::zeros() || depth > 0.0).then(|| Contact {
                link: self.link,
                other: self.other,
                point: Point3::from(center + arm),
                normal: from_vec3(data.normal) * -sign,
                force: impulse * (sign / time_step),
                depth,
            })
        })
    }
}
