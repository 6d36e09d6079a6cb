//! The residuals of the laws of contact, against velocities that are known to miss them.

use super::*;

const SIZE: [f64; 3] = [0.2, 0.3, 0.1];

/// A box on the plane z = 0 after a second.
fn resting() -> World {
    let mut system = System::new();
    system.add_tree(&[free_part(block(2.0, SIZE))]).unwrap();
    let mut world = World::new(system);
    world.state.root_poses[0].translation.z = 0.5 * SIZE[2];
    for _ in 0..1000 {
        world.step_with(|solver, contacts| {
            let pose = solver.pose(PartIndex(0));
            contacts.extend((0..4).map(|corner| {
                let sign = |axis: usize| if corner >> axis & 1 == 0 { -0.5 } else { 0.5 };
                let point = Point3::new(sign(0) * SIZE[0], sign(1) * SIZE[1], -0.5 * SIZE[2]);
                corner_on_floor(PartIndex(0), corner, (pose * point).coords)
            }));
        });
    }
    world
}

fn residuals(world: &World) -> Vec<LawResiduals> {
    let mut residuals = Vec::new();
    world.solver.law_residuals(&world.system, &world.state, &world.contacts, &world.parameters, &mut residuals);
    residuals
}

#[test]
fn residuals_are_the_velocities_that_miss_the_laws() {
    let mut world = resting();
    let found = residuals(&world);
    assert_eq!(found.len(), 4);
    let largest = |of: fn(&LawResiduals) -> f64| found.iter().map(of).fold(0.0, f64::max);
    println!("{found:?}");
    assert!(largest(|contact| contact.signorini) < 1e-9 && largest(|contact| contact.coulomb) < 1e-9);
    assert!(largest(|contact| contact.dissipation) < 1e-9);
    // It sinks and slips, and no friction brakes it.
    let twist = Twist { linear: Vector3::new(0.02, 0.0, -0.01), angular: Vector3::zeros() };
    world.state.set_root_twist(&world.system, TreeIndex(0), &twist);
    for contact in residuals(&world) {
        assert!((contact.signorini - 0.01).abs() < 1e-9, "{contact:?}");
        assert!((contact.dissipation - 0.02).abs() < 1e-9, "{contact:?}");
    }
    // A loaded contact separates.
    let twist = Twist { linear: Vector3::new(0.0, 0.0, 0.03), angular: Vector3::zeros() };
    world.state.set_root_twist(&world.system, TreeIndex(0), &twist);
    assert!(residuals(&world).iter().all(|contact| (contact.signorini - 0.03).abs() < 1e-9));
    // Friction in spite of a coefficient that does not allow it.
    world.state.set_root_twist(&world.system, TreeIndex(0), &Twist::ZERO);
    world.parameters.gravity = Vector3::new(3.0, 0.0, -9.0);
    world.step_with(|solver, contacts| {
        contacts.push(corner_on_floor(
            PartIndex(0),
            0,
            solver.pose(PartIndex(0)).translation.vector - Vector3::z() * 0.05,
        ));
    });
    world.contacts[0].static_friction = 0.0;
    world.contacts[0].dynamic_friction = 0.0;
    assert!(residuals(&world)[0].coulomb > 0.1, "{:?}", residuals(&world));
}
