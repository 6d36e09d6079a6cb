//! Ground made of triangles: whatever slides or rolls on it does not notice the edges between them.

use std::fmt::Write;
use std::sync::Arc;

use bunraku_body::dynamics::Twist;
use bunraku_body::{Body, Drive};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use crate::common::{G, World, body};

const FRICTION: f64 = 0.3;

/// A net of square cells, each of two triangles, 12 m by 4 m about the origin; heights by x, m.
fn net(cell: f64, height: impl Fn(f64) -> f64) -> Arc<Body> {
    let [columns, rows] = [12.0, 4.0].map(|length: f64| (length / cell).round() as usize);
    let (mut vertices, mut faces) = (String::new(), String::new());
    for row in 0..=rows {
        for column in 0..=columns {
            let (x, y) = (column as f64 * cell - 6.0, row as f64 * cell - 2.0);
            write!(vertices, "{x}, {y}, {}, ", height(x)).unwrap();
            if row < rows && column < columns {
                let [a, b] = [0, 1].map(|up| (row + up) * (columns + 1) + column);
                write!(faces, "{a}, {}, {}, {a}, {}, {b}, ", a + 1, b + 1, b + 1).unwrap();
            }
        }
    }
    body(&format!(
        "  - {{ name: GROUND, joint_type: fixed, elements: [ {{ type: Shape, geometry: {{ type: TriangleMesh, vertices: [ {} ], faces: [ \
         {} ] }} }} ] }}\n",
        vertices.trim_end_matches(", "),
        faces.trim_end_matches(", ")
    ))
}

/// A free body of 1 kg.
fn thing(geometry: &str, inertia: [f64; 3]) -> Arc<Body> {
    let [x, y, z] = inertia;
    body(&format!(
        "  - {{ name: THING, joint_type: free, mass: 1, inertia: [ {x}, 0, 0, {y}, 0, {z} ], elements: [ {{ type: Shape, geometry: {{ \
         {geometry} }} }} ] }}\n"
    ))
}

fn world(ground: &Arc<Body>) -> World {
    let mut world = World::usual();
    world.set_materials(&format!("  - {{ materials: [ default, default ], friction: {FRICTION}, restitution: 0 }}\n"));
    world.add(ground, Isometry3::identity(), &[], Drive::Static);
    world
}

/// Where a body of a world ends, and its highest and lowest height on the way.
fn run(world: &mut World, entity: bevy::prelude::Entity, steps: u32) -> (Isometry3<f64>, [f64; 2]) {
    let mut heights = [f64::INFINITY, f64::NEG_INFINITY];
    for _ in 0..steps / 10 {
        world.run(10);
        let height = world.state(entity).link_poses[0].translation.z;
        heights = [heights[0].min(height), heights[1].max(height)];
    }
    (world.state(entity).link_poses[0], heights)
}

#[test]
fn a_box_and_a_coin_slide_on_triangles_as_far_as_on_a_plane() {
    for cell in [0.5, 0.125] {
        let ground = net(cell, |_| 0.0);
        let shapes = [
            ("type: Box, size: [ 0.3, 0.2, 0.2 ]", [0.0067, 0.0108, 0.0108], 0.1, UnitQuaternion::identity()),
            // Lying on its face.
            (
                "type: Cylinder, radius: 0.15, height: 0.05",
                [0.0058, 0.0113, 0.0058],
                0.025,
                UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_2),
            ),
        ];
        for (geometry, inertia, height, turn) in shapes {
            let mut world = world(&ground);
            let velocity = Vector3::new(2.0, 0.3, 0.0);
            let twist = Twist { linear: velocity, ..Twist::ZERO };
            let start = Isometry3::from_parts(Vector3::new(-4.1, -0.7, height).into(), turn);
            let entity = world.throw(&thing(geometry, inertia), start, &[], twist);
            let (end, heights) = run(&mut world, entity, 1200);
            let moved = (end.translation.vector - start.translation.vector).norm();
            let expected = velocity.norm_squared() / (2.0 * FRICTION * G);
            println!("{geometry}, cells of {cell} m: {moved:.4} m of {expected:.4}, heights {heights:?}");
            assert!((moved / expected - 1.0).abs() < 0.02, "{moved} m of {expected}");
            let jump = 1e-8;
            assert!((heights[1] - height).abs() < jump && (heights[0] - height).abs() < jump, "{heights:?}");
        }
    }
}

#[test]
fn what_rolls_on_triangles_keeps_its_speed() {
    let ground = net(0.25, |_| 0.0);
    let lying = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), 0.0);
    for (geometry, inertia) in [
        ("type: Sphere, radius: 0.1", [0.004; 3]),
        ("type: Cylinder, radius: 0.1, height: 0.3", [0.01, 0.005, 0.01]),
        ("type: Capsule, radius: 0.1, height: 0.3", [0.015, 0.005, 0.015]),
    ] {
        let mut world = world(&ground);
        let twist = Twist { linear: Vector3::x(), angular: Vector3::y() * 10.0 };
        let start = Isometry3::from_parts(Vector3::new(-2.05, -0.6, 0.1).into(), lying);
        let entity = world.throw(&thing(geometry, inertia), start, &[], twist);
        let (end, heights) = run(&mut world, entity, 3000);
        println!("{geometry}: to {:?}, heights {heights:?}", end.translation.vector - start.translation.vector);
        let (off, jump) = (2e-3, 1e-5);
        assert!((end.translation.x - start.translation.x - 3.0).abs() < off, "{}", end.translation.x);
        assert!((end.translation.y - start.translation.y).abs() < off, "{}", end.translation.y);
        assert!((heights[1] - 0.1).abs() < jump && (heights[0] - 0.1).abs() < jump, "{heights:?}");
    }
}

/// A slope of 30° made of triangles; along it a box gains g·(sin − µ·cos) in a second.
#[test]
fn a_box_slides_down_a_meshed_slope_as_coulomb_says() {
    let slope = std::f64::consts::FRAC_PI_6;
    let ground = net(0.25, |x| -x * slope.tan());
    let mut world = world(&ground);
    let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), slope);
    let start = Isometry3::from_parts((turn * Vector3::new(-4.0, 0.1, 0.1)).into(), turn);
    let shape = thing("type: Box, size: [ 0.3, 0.2, 0.2 ]", [0.0067, 0.0108, 0.0108]);
    let entity = world.throw(&shape, start, &[], Twist::ZERO);
    let (end, _) = run(&mut world, entity, 1500);
    let moved = turn.inverse() * (end.translation.vector - start.translation.vector);
    let expected = 0.5 * G * (slope.sin() - FRICTION * slope.cos()) * 1.5 * 1.5;
    println!("{:.4} m of {expected:.4}, {:.1e} off the slope", moved.x, moved.z);
    assert!((moved.x / expected - 1.0).abs() < 0.02, "{} of {expected}", moved.x);
    assert!(moved.z.abs() < 1e-3 && moved.y.abs() < 0.01, "{moved}");
}

/// A wall of triangles stops a body, also at a convex edge.
#[test]
fn a_step_of_triangles_is_still_a_step() {
    // A riser of 0.25 m over one cell, and a flat above it.
    let ground = net(0.25, |x| (x - 1.0).clamp(0.0, 0.25) * 3.0);
    let mut world = world(&ground);
    let twist = Twist { linear: Vector3::x() * 1.5, ..Twist::ZERO };
    let shape = thing("type: Box, size: [ 0.3, 0.2, 0.2 ]", [0.0067, 0.0108, 0.0108]);
    let before = world.throw(&shape, Isometry3::translation(0.6, 0.5, 0.1), &[], twist);
    let ball = thing("type: Sphere, radius: 0.1", [0.004; 3]);
    let above = world.throw(&ball, Isometry3::translation(1.3, -0.5, 1.0), &[], Twist::ZERO);
    world.run(1500);
    let [before, above] = [before, above].map(|entity| world.state(entity).link_poses[0].translation.vector);
    println!("{before:?} {above:?}");
    assert!(before.x < 1.2 && before.z > 0.09, "{before}");
    assert!(above.z > 0.84, "{above}");
}
