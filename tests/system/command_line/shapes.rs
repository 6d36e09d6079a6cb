//! Bodies without a model file, and copies of bodies.

use std::path::Path;

use bunraku::document::Reporter;
use bunraku::motion::BodyMotion;
use bunraku::scene::{Scene, SceneOptions};
use nalgebra::{Matrix3, Vector3};

use super::desk::{ARM, Desk};
use crate::common::stderr;

fn scene(bodies: &str) -> String {
    format!("format: BunrakuScene\nformat_version: 1\nsimulation: {{ duration: 2 }}\nbodies:\n{bodies}")
}

#[track_caller]
fn load(desk: &Desk, bodies: &str) -> Scene {
    desk.write("s.scene.yaml", &scene(bodies));
    let reporter = Reporter::new();
    let scene = Scene::load(&desk.path().join("s.scene.yaml"), &SceneOptions::default(), &reporter);
    assert!(reporter.diagnostics().is_empty(), "{:?}", reporter.diagnostics());
    scene.unwrap()
}

/// Mass and inertia of a shape of density 1, as the sum of small cubes inside it.
fn added_up(is_inside: impl Fn(Vector3<f64>) -> bool, reach: f64) -> (f64, Matrix3<f64>) {
    let count = 120;
    let edge = 2.0 * reach / f64::from(count);
    let at = |index: i32| (f64::from(index) + 0.5) * edge - reach;
    let (mut mass, mut inertia) = (0.0, Matrix3::zeros());
    for x in 0..count {
        for y in 0..count {
            for z in 0..count {
                let point = Vector3::new(at(x), at(y), at(z));
                if is_inside(point) {
                    mass += edge.powi(3);
                    inertia += edge.powi(3) * (Matrix3::identity() * point.norm_squared() - point * point.transpose());
                }
            }
        }
    }
    (mass, inertia)
}

#[test]
fn masses_of_shapes_match_their_volumes() {
    let desk = Desk::new(ARM, "");
    let (radius, half) = (0.3, 0.4);
    let aside = |point: Vector3<f64>| point.xy().norm();
    type Inside<'i> = &'i dyn Fn(Vector3<f64>) -> bool;
    let cases: [(&str, Inside<'_>); 4] = [
        ("type: box, size: [ 0.6, 0.8, 1 ]", &|point| {
            point.x.abs() < 0.3 && point.y.abs() < 0.4 && point.z.abs() < 0.5
        }),
        ("type: sphere, radius: 0.3", &|point| point.norm() < radius),
        ("type: cylinder, radius: 0.3, height: 0.8", &|point| aside(point) < radius && point.z.abs() < half),
        ("type: capsule, radius: 0.3, height: 0.8", &|point| {
            Vector3::new(point.x, point.y, (point.z.abs() - half).max(0.0)).norm() < radius
        }),
    ];
    for (shape, is_inside) in cases {
        let (volume, inertia) = added_up(is_inside, 0.75);
        let dense = load(&desk, &format!("  - {{ name: A, shape: {{ {shape}, density: 500 }} }}"));
        let mass = dense.bodies[0].body.root().mass;
        assert!((mass.mass / (500.0 * volume) - 1.0).abs() < 0.01, "{shape}: {} {}", mass.mass, 500.0 * volume);
        let heavy = load(&desk, &format!("  - {{ name: A, shape: {{ {shape}, mass: 7 }} }}"));
        let mass = heavy.bodies[0].body.root().mass;
        assert!((mass.mass - 7.0).abs() < 1e-12);
        let expected = inertia * (7.0 / volume);
        assert!((mass.inertia - expected).abs().max() < 0.015 * expected.max(), "{shape}: {} {expected}", mass.inertia);
        assert!(!heavy.bodies[0].body.is_fixed());
    }
    // The default density is that of water.
    let water = load(&desk, "  - { name: A, shape: { type: box, size: [ 0.1, 0.1, 0.1 ] } }");
    assert!((water.bodies[0].body.mass() - 1.0).abs() < 1e-12);
}

fn end(path: &Path) -> Vector3<f64> {
    let poses = BodyMotion::load(path, &Reporter::new()).unwrap().link_positions.unwrap();
    poses.frame(poses.num_frames() - 1)[0].translation.vector
}

#[test]
fn a_course_of_shapes_needs_no_other_file() {
    let desk = Desk::new(ARM, "");
    let bodies = "  - { name: Ground, shape: { type: plane } }
  - name: Crate
    shape: { type: box, size: [ 0.2, 0.2, 0.2 ], mass: 2, color: [ 0.8, 0.5, 0.2 ], material: Wood }
    translation: [ 1, 2, 0.15 ]
    count: [ 2, 2, 1 ]
    spacing: [ 0.5, 0.75, 0 ]
  - { name: Roll, shape: { type: cylinder, radius: 0.1, height: 0.4 }, translation: [ -1, 0, 0.2 ], count: 2, spacing: [ 0, 1, 0 ] }
";
    let loaded = load(&desk, bodies);
    let names: Vec<&str> = loaded.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["Ground", "Crate-1", "Crate-2", "Crate-3", "Crate-4", "Roll-1", "Roll-2"]);
    assert_eq!(loaded.bodies[4].body.root().material.as_deref(), Some("Wood"));
    desk.write("arm.scene.yaml", &scene(bodies));
    let output = desk.run(&[]);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let expected = [
        ("Crate-1", [1.0, 2.0, 0.1]),
        ("Crate-2", [1.5, 2.0, 0.1]),
        ("Crate-3", [1.0, 2.75, 0.1]),
        ("Roll-2", [-1.0, 1.0, 0.2]),
    ];
    for (name, place) in expected {
        let end = end(&desk.path().join(format!("out/{name}.seq")));
        assert!((end - Vector3::from(place)).norm() < 0.005, "{name}: {end}");
    }
    assert!(!desk.path().join("out/Ground.seq").exists(), "what stands still is not recorded");
}

#[test]
fn a_picture_is_a_landscape() {
    let desk = Desk::new(ARM, "");
    // Dark at the top of the picture, which is +Y, and light at its bottom.
    let picture = image::GrayImage::from_fn(5, 9, |_, row| image::Luma([u8::try_from(row * 31).unwrap()]));
    picture.save(desk.path().join("hill.png")).unwrap();
    let bodies = "  - { name: Hill, shape: { type: heightfield, image: hill.png, size: [ 4, 8, 1 ] } }
  - { name: Ball, shape: { type: sphere, radius: 0.1 }, translation: [ 0, 0, 1 ] }
";
    let loaded = load(&desk, bodies);
    let bounds = loaded.bodies[0].body.root().collision[0].bounding_box().unwrap();
    let highest = 248.0 / 255.0;
    assert!((bounds.min - nalgebra::Point3::new(-2.0, -4.0, 0.0)).norm() < 1e-5, "{bounds:?}");
    assert!((bounds.max - nalgebra::Point3::new(2.0, 4.0, highest)).norm() < 1e-5, "{bounds:?}");
    desk.write("arm.scene.yaml", &scene(bodies));
    let output = desk.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    // The ball rolls down, to +Y, and stays in contact with the slope: its centre is a radius above.
    let end = end(&desk.path().join("out/Ball.seq"));
    assert!(end.y > 0.3, "{end}");
    let slope = highest / 8.0_f64;
    let above = (end.z - (4.0 - end.y) * slope) / (1.0 + slope * slope).sqrt();
    assert!((above - 0.1).abs() < 0.01, "{above}");
}

#[test]
fn mistakes_are_named() {
    let desk = Desk::new(ARM, "");
    let cases = [
        ("{ name: A }", "needs a `file` or a `shape`"),
        ("{ name: A, shape: { type: bax, size: [ 1, 1, 1 ] } }", "did you mean `box`?"),
        ("{ name: A, shape: { type: box } }", "write `size: [ x, y, z ]`"),
        ("{ name: A, shape: { type: sphere, radius: -1 } }", "not positive"),
        ("{ name: A, shape: { type: sphere, radius: 1, mass: 0 } }", "not positive"),
        ("{ name: A, shape: { type: sphere, radius: 1, radios: 1 } }", "unknown key `radios`"),
        ("{ name: A, shape: { type: sphere, radius: 1 }, count: 3 }", "need a `spacing`"),
        (
            "{ name: A, shape: { type: sphere, radius: 1 }, count: [ 1000, 1000, 1000 ], spacing: [ 1, 1, 1 ] }",
            "from 1 to 10000",
        ),
        ("{ name: A, shape: { type: sphere, radius: 1 }, spacing: [ 1, 1, 1 ] }", "does nothing without `count`"),
        ("{ name: A, file: arm.body, shape: { type: plane } }", "the file counts"),
        ("{ name: A, shape: { type: heightfield, image: none.png, size: [ 1, 1, 1 ] } }", "file not found: none.png"),
        ("{ name: A, shape: { type: heightfield, image: arm.body, size: [ 1, 1, 1 ] } }", "cannot be read"),
    ];
    for (body, expected) in cases {
        desk.write("m.scene.yaml", &scene(&format!("  - {body}\n")));
        let output = desk.bunraku(&["check", "m.scene.yaml", "--strict"]);
        assert_eq!(output.status.code(), Some(1), "{body}");
        assert!(stderr(&output).contains(expected), "{body}: no {expected:?} in\n{}", stderr(&output));
        assert!(stderr(&output).contains("m.scene.yaml:5"), "{}", stderr(&output));
    }
}
