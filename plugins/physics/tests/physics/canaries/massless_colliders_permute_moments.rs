//! A collider without mass that is off-centre makes rapier find the principal axes of its body again, wrongly.

use bevy_rapier3d::rapier::prelude::*;

use super::raw::Raw;

/// Moments of inertia about X, Y, Z of a body with these, after a step with a massless ball off its centre, kg·m².
fn after_a_step(moments: [f32; 3]) -> [f32; 3] {
    let mut raw = Raw::new(1);
    let masses = MassProperties::new(Vector::ZERO, 1.0, Vector::from_array(moments));
    let body =
        raw.bodies.insert(RigidBodyBuilder::dynamic().additional_mass_properties(masses).can_sleep(false).build());
    let shape = ColliderBuilder::ball(0.01).translation(Vector::new(0.1, 0.2, 0.3)).density(0.0).build();
    raw.colliders.insert_with_parent(shape, body, &mut raw.bodies);
    raw.run(1);
    let inertia = raw.bodies[body].mass_properties().local_mprops.reconstruct_inertia_matrix();
    [inertia.x_axis.x, inertia.y_axis.y, inertia.z_axis.z]
}

#[test]
fn moments_stand_on_the_wrong_axes() {
    // Two equal smaller moments; moments near 1e-6.
    for moments in [[0.005, 0.003, 0.003], [4e-6, 2e-6, 3e-6]] {
        let found = after_a_step(moments);
        println!("{moments:?} kg·m² become {found:?}");
        let is_wrong = moments.iter().zip(&found).any(|(own, found)| (found / own - 1.0).abs() > 0.1);
        assert!(
            is_wrong,
            "rapier keeps the moments of {moments:?}: it is mended, so mass_properties.rs need not settle them"
        );
    }
}
