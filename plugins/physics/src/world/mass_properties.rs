//! Mass properties of the model in rapier's bodies.
//!
//! When colliders are attached, rapier sums the mass properties of a body again, with those of massless colliders, and computes principal
//! axes in single precision. Its eigenvectors are wrong where the two smaller moments are equal, and for moments of 1e-5 kg·m² or
//! less. So the mass properties of each part are set again from the model after its colliders, and the marks that make rapier sum
//! them are removed.

use bevy_rapier3d::prelude::MassProperties;
use bevy_rapier3d::rapier::dynamics::{IslandManager, RigidBodyHandle, RigidBodySet};
use bevy_rapier3d::rapier::geometry::{BroadPhaseBvh, ColliderSet, NarrowPhase, SolverFlags};
use bevy_rapier3d::rapier::pipeline::{CollisionPipeline, PairFilterContext, PhysicsHooks};
use bunraku_body::MassProperties as ModelMass;
use nalgebra::{Rotation3, UnitQuaternion};

use crate::world::convert::{to_quat, to_vec3};

/// Mass properties for rapier, with principal axes computed in double precision.
pub(crate) fn principal(mass: &ModelMass) -> MassProperties {
    let inertia = mass.inertia;
    // Inertias of models may be slightly asymmetric.
    let eigen = ((inertia + inertia.transpose()) / 2.0).symmetric_eigen();
    let mut axes = eigen.eigenvectors;
    if axes.determinant() < 0.0 {
        axes.column_mut(2).neg_mut();
    }
    let frame = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes));
    #[allow(clippy::cast_possible_truncation)]
    MassProperties {
        local_center_of_mass: to_vec3(&mass.center_of_mass.coords),
        mass: mass.mass as f32,
        principal_inertia_local_frame: to_quat(&frame),
        principal_inertia: to_vec3(&eigen.eigenvalues),
    }
}

/// Disables all contacts.
struct NothingTouches;

impl PhysicsHooks for NothingTouches {
    fn filter_contact_pair(&self, _: &PairFilterContext<'_>) -> Option<SolverFlags> {
        None
    }
}

/// Sets the mass properties of `parts` to those of their components, after they and their colliders were added to rapier's sets
/// and before its next step.
///
/// Rapier sums masses at the beginning of a step, for bodies that are marked as changed. Only its pipelines remove the marks; the
/// collision pipeline does so without moving anything. It runs on copies, of which only the new parts are copied back, so that nothing
/// changes for other bodies.
pub(crate) fn settle(
    islands: &IslandManager,
    bodies: &mut RigidBodySet,
    colliders: &mut ColliderSet,
    parts: impl IntoIterator<Item = RigidBodyHandle>,
) {
    let (mut settled_bodies, mut settled_colliders) = (bodies.clone(), colliders.clone());
    let prediction = 0.0;
    // The islands must contain the bodies that are stepped already.
    CollisionPipeline::new().step(
        prediction,
        &mut islands.clone(),
        &mut BroadPhaseBvh::new(),
        &mut NarrowPhase::new(),
        &mut settled_bodies,
        &mut settled_colliders,
        &NothingTouches,
        &(),
    );
    let no_colliders = ColliderSet::new();
    for part in parts {
        // Mutable access marks them as changed for the next step.
        let (Some(body), Some(settled)) = (bodies.get_mut(part), settled_bodies.get_mut(part)) else { continue };
        settled.recompute_mass_properties_from_colliders(&no_colliders);
        *body = settled.clone();
        for &handle in settled.colliders() {
            if let (Some(collider), Some(settled)) = (colliders.get_mut(handle), settled_colliders.get(handle)) {
                *collider = settled.clone();
                collider.set_position(*settled.position());
            }
        }
    }
}
