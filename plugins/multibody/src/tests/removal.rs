//! Removal of trees leaves the others unchanged.

use super::*;

/// A pendulum of two rods on a fixed root, some way along X; gives its tree and the end of the second rod.
fn pendulum(system: &mut System, x: f64) -> (TreeIndex, Anchor) {
    let rod = MassProperties { center_of_mass: Point3::new(0.5, 0.0, 0.0), ..block(1.0, [1.0, 0.1, 0.1]) };
    let first = hinged_part(0, Vector3::new(x, 0.0, 0.0), Vector3::y(), rod);
    let second = hinged_part(1, Vector3::new(1.0, 0.0, 0.0), Vector3::y(), rod);
    let tree = system.add_tree(&[fixed_part(), first, second]).unwrap();
    let part = PartIndex(system.root(tree).0 + 2);
    (tree, Anchor { part: Some(part), frame: Isometry3::translation(1.0, 0.0, 0.0) })
}

#[test]
fn what_stays_goes_on_bit_by_bit() {
    let alone = {
        let mut system = System::new();
        pendulum(&mut system, 0.0);
        let mut world = World::new(system);
        world.run(0.5);
        world.state
    };
    let mut system = System::new();
    let (_, end) = pendulum(&mut system, 3.0);
    let world_end = Anchor { part: None, frame: Isometry3::translation(5.0, 0.0, 0.0) };
    system.add_closure(Closure { kind: bunraku_body::ExtraJointKind::Ball, sides: [world_end, end] });
    let first = TreeIndex(0);
    let (stays, end) = pendulum(&mut system, 0.0);
    let free = system.add_tree(&[free_part(block(1.0, [0.1; 3]))]).unwrap();
    let mut world = World::new(system);
    world.run(0.2);
    let moved = world.system.remove(&[first, free], &[]);
    world.state.follow(&moved);
    assert_eq!((moved.tree(first), moved.tree(stays)), (None, Some(TreeIndex(0))));
    assert_eq!(moved.closure(ClosureIndex(0)), None);
    assert_eq!(moved.part(end.part.unwrap()), Some(PartIndex(2)));
    // Others come at once, with as many coordinates.
    let (other, end) = pendulum(&mut world.system, 3.0);
    let joint = world.system.add_closure(Closure { kind: bunraku_body::ExtraJointKind::Ball, sides: [world_end, end] });
    world.state.fit(&world.system);
    world.drives = vec![Drive::NONE; world.system.num_coordinates()];
    world.run(0.1);
    let hanging = world.state.displacements[2].abs();
    // Stretched out, it sags by the root of what the joint gives.
    assert!(hanging < 1e-3, "the new one is held at its end: {hanging}");
    assert_eq!([other, moved.tree(stays).unwrap()].map(|tree| world.system.has_closures(tree)), [true, false]);
    let moved = world.system.remove(&[], &[joint]);
    assert!(!world.system.has_closures(other));
    world.state.follow(&moved);
    world.run(0.1);
    assert!(world.state.displacements[2].abs() > 1e-2, "it falls");
    let moved = world.system.remove(&[other], &[]);
    world.state.follow(&moved);
    world.drives.truncate(2);
    world.run(0.1);
    assert_eq!(world.state.displacements, alone.displacements);
    assert_eq!(world.state.velocities, alone.velocities);
}
