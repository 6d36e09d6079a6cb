//! Rapier's bodies have the mass properties of the model, whatever shapes hang on them.
//!
//! When colliders are attached, rapier adds up the mass properties of a body again, those of massless colliders too, and
//! finds the principal axes of the sum in single precision. Its eigenvectors are wrong where the two smaller moments are equal,
//! and for all moments of some 1e-5 kg·m² or less: moments end up on the wrong axes. So once rapier has taken in new colliders, the
//! mass properties of each part are set again from the model alone, and rapier is left nothing that makes it add them up.

use bevy_rapier3d::prelude::MassProperties;
use bevy_rapier3d::rapier::dynamics::{IslandManager, RigidBodyHandle, RigidBodySet};
use bevy_rapier3d::rapier::geometry::{BroadPhaseBvh, ColliderSet, NarrowPhase, SolverFlags};
use bevy_rapier3d::rapier::pipeline::{CollisionPipeline, PairFilterContext, PhysicsHooks};
use bunraku_body::MassProperties as ModelMass;
use nalgebra::{Rotation3, UnitQuaternion};

use crate::world::convert::{to_quat, to_vec3};

/// Mass properties as rapier takes them, with the principal axes found in double precision.
pub(crate) fn principal(mass: &ModelMass) -> MassProperties {
    let inertia = mass.inertia;
    // Models may hold inertias that are not quite symmetric; the antisymmetric part has no meaning.
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

/// Keeps our colliders from being looked at for contacts.
struct NothingTouches;

impl PhysicsHooks for NothingTouches {
    fn filter_contact_pair(&self, _: &PairFilterContext<'_>) -> Option<SolverFlags> {
        None
    }
}

/// Sets the mass properties of `parts` to those that they were given, after they and their colliders were added to rapier's sets
/// and before its next step.
///
/// Rapier adds masses up at the beginning of a step, for bodies that are marked as changed. Only its pipelines take the marks
/// away; the one for collisions does so without moving anything. It works on copies, of which the new parts alone are taken
/// back, so that nothing changes for the bodies that are there already.
pub(crate) fn settle(
    islands: &IslandManager,
    bodies: &mut RigidBodySet,
    colliders: &mut ColliderSet,
    parts: impl IntoIterator<Item = RigidBodyHandle>,
) {
    let (mut settled_bodies, mut settled_colliders) = (bodies.clone(), colliders.clone());
    let prediction = 0.0;
    // Of the islands it must know the bodies that are stepped already.
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
        // Asking for them as mutable announces them to the next step.
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
