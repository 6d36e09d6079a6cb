//! With the friction model of free bodies only the friction of the last substep is kept.

use bevy_rapier3d::rapier::prelude::Vector;

use super::raw::Raw;

#[test]
fn a_sliding_block_tells_no_friction_of_the_step() {
    let mut raw = Raw::new(4);
    let (block, collider) = raw.block_on_floor();
    raw.run(100);
    raw.bodies[block].set_linvel(Vector::new(2.0, 0.0, 0.0), true);
    raw.run(50);
    let pair = raw.narrow_phase.contact_pairs_with(collider).next().unwrap();
    let points = pair.manifolds.iter().flat_map(|manifold| &manifold.points);
    let told: f32 = points.map(|point| point.data.tangent_impulse.norm()).sum();
    assert!(
        told == 0.0,
        "rapier tells a friction of {told} N·s: it is mended, so the ratio to the last substep in contact_forces.rs can go"
    );
}
