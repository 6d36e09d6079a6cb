//! Errors of laws that a solve reports.

use super::contacts::{Surface, contact};
use super::*;

/// A box thrown onto a plane: it bounces, slides and comes to rest. Returns the largest errors of the run.
fn thrown_box(parameters: Parameters) -> (LawErrors, f64) {
    let mut system = System::new();
    let tree = system.add_tree(&[free_part(block(2.0, [0.4, 0.3, 0.2]))]).unwrap();
    let part = system.root(tree);
    let mut world = World::new(system);
    world.parameters = parameters;
    world.state.root_poses[tree.0].translation.z = 0.15;
    let thrown = Twist { linear: Vector3::new(1.5, 0.5, 0.0), angular: Vector3::new(0.3, -0.5, 2.0) };
    world.state.set_root_twist(&world.system, tree, &thrown);
    let surface = Surface { friction: 0.5, restitution: 0.3 };
    let (mut largest, mut violation) = (LawErrors::default(), 0.0_f64);
    for _ in 0..1000 {
        world.step_with(|solver, contacts| {
            for corner in 0..8 {
                let sign = |axis: usize| if corner >> axis & 1 == 0 { -0.5 } else { 0.5 };
                let point = solver.pose(part) * Point3::new(0.4 * sign(0), 0.3 * sign(1), 0.2 * sign(2));
                if point.z < 0.02 {
                    contacts.push(contact(corner, [Some(part), None], point.coords, Vector3::z(), point.z, surface));
                }
            }
        });
        let LawErrors { penetration, separation, cone, slip, .. } = world.outcome.errors;
        let errors = [penetration, separation, cone, slip];
        let worst = errors.iter().flatten().map(|error| error.velocity).fold(0.0, f64::max);
        assert_eq!(worst, world.outcome.violation, "the largest of all laws is the violation of the step");
        assert!(errors.iter().flatten().all(|error| error.of < world.contacts.len()));
        largest.add(&world.outcome.errors);
        violation = violation.max(worst);
    }
    (largest, violation)
}

#[test]
fn errors_of_contact_laws_are_those_that_the_solve_has_left() {
    let (errors, violation) = thrown_box(Parameters::default());
    println!("{errors:?}");
    assert!(violation <= 1e-6, "{violation} m/s");
    let (errors, _) = thrown_box(Parameters { max_iterations: 1, max_repeats: 1, ..Parameters::default() });
    println!("{errors:?}");
    assert!(errors.penetration.unwrap().velocity > 1e-4 && errors.cone.unwrap().velocity > 1e-4);
    // The corners of a box of 2 kg are moved by about a kilogram each: 1 m/s in a step of 1 ms are about 1000 N.
    let [force, velocity] = [errors.cone_force, errors.cone.unwrap().velocity];
    assert!((200.0..4000.0).contains(&(force / velocity)), "{force} N, {velocity} m/s");
}

#[test]
fn an_end_of_a_range_is_named_by_its_coordinate() {
    let arm = |angle: f64| {
        let mass = MassProperties { center_of_mass: Point3::new(0.5, 0.0, 0.0), ..block(1.0, [1.0, 0.1, 0.1]) };
        let mut part = hinged_part(0, Vector3::zeros(), Vector3::y(), mass);
        part.coordinate.range = bunraku_body::Range { lower: -angle, upper: angle };
        part
    };
    let mut system = System::new();
    system.add_tree(&[fixed_part(), arm(1.0)]).unwrap();
    system.add_tree(&[fixed_part(), arm(0.1)]).unwrap();
    let mut world = World::new(system);
    world.parameters = Parameters { max_iterations: 1, max_repeats: 1, ..world.parameters };
    let mut largest = LawErrors::default();
    for _ in 0..250 {
        world.step();
        assert_eq!(world.outcome.errors.joint.map_or(0.0, |error| error.velocity), world.outcome.violation);
        largest.add(&world.outcome.errors);
    }
    let error = largest.joint.unwrap();
    println!("{error:?}");
    assert!(error.velocity > 1e-6 && error.of == CoordinateIndex(1), "only the second arm has fallen that far");
}
