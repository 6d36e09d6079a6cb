//! Labels, boxes, normals and flow compared with analytic projections.

use bunraku_mesh::Primitive;
use bunraku_render::{InstanceIndex, Intrinsics, Lens, Motion, Scene, Threads, View};
use bunraku_sensors::{GroundTruth, TruthKinds, Watched, ground_truth};
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use crate::common::{place, shape};

const ALL: TruthKinds = TruthKinds { labels: true, normals: true, flow: true };

const STEP: f64 = 1e-3;

fn view(lens: Lens) -> View {
    View { width: 320, height: 240, lens, near: 0.01, far: 100.0 }
}

const PINHOLE: Lens = Lens::Normal { field_of_view: 1.0 };

fn truth(scene: &Scene, view: &View, carrier: &Motion) -> GroundTruth {
    let optical = Isometry3::identity();
    ground_truth(scene, &Watched { view, carrier, optical: &optical, step: STEP }, ALL, Threads::new(2))
}

#[test]
fn masks_and_boxes_are_those_of_the_projected_shapes() {
    let (ball, cube) = (Vector3::new(-0.5, 0.1, -4.0), Vector3::new(0.8, -0.2, -3.0));
    let scene = Scene::new([
        place(
            &[shape(Primitive::Sphere { radius: 0.6 }, 0)],
            Isometry3::from_parts(ball.into(), UnitQuaternion::identity()),
        ),
        place(
            &[shape(Primitive::Box { size: Vector3::new(0.6, 0.4, 0.8) }, 0)],
            Isometry3::from_parts(cube.into(), UnitQuaternion::identity()),
        ),
        place(&[shape(Primitive::Sphere { radius: 0.1 }, 0)], Isometry3::translation(0.0, 0.0, 3.0)),
    ]);
    let view = view(PINHOLE);
    let found = truth(&scene, &view, &Motion::still(Isometry3::identity()));
    let focal = view.focal_length();
    let (mut balls, mut cubes) = (0, 0);
    for (index, label) in found.labels.iter().enumerate() {
        let (x, y) = ((index % 320) as f64 + 0.5 - 160.0, 120.0 - (index / 320) as f64 - 0.5);
        let direction = Vector3::new(x, y, -focal).normalize();
        // In the cone of the sphere.
        let along = direction.dot(&ball);
        let is_ball = ball.norm_squared() - along * along < 0.36;
        // The front of the box, nearest to the eye, or one of its sides.
        let is_cube = [-2.6, -3.4].into_iter().chain((0..=400).map(|part| -2.6 - 0.002 * f64::from(part))).any(|z| {
            let at = direction * (z / direction.z) - cube;
            at.x.abs() <= 0.3 && at.y.abs() <= 0.2
        });
        let expected = if is_cube { 2 } else { u32::from(is_ball) };
        // The sides of the box are sampled, so its rim may differ by a pixel.
        if *label != expected {
            assert!(*label == 2 && !is_cube, "{index}: {label} instead of {expected}");
        }
        balls += u32::from(*label == 1);
        cubes += u32::from(*label == 2);
    }
    assert_eq!(
        found.boxes.iter().map(|found| (found.label, found.pixels)).collect::<Vec<_>>(),
        [(1, balls), (2, cubes)]
    );
    // The box in the picture: its front is larger than its back.
    let cube_box = &found.boxes[1];
    let [left, top, right, bottom] = cube_box.whole.unwrap();
    let expected =
        [160.0 + focal * 0.5 / 3.4, 120.0 - focal * 0.0 / 3.4, 160.0 + focal * 1.1 / 2.6, 120.0 + focal * 0.4 / 2.6];
    for (found, expected) in [left, top, right, bottom].into_iter().zip(expected) {
        assert!((found - expected).abs() < 0.02, "{found} {expected}");
    }
    let visible = cube_box.visible.map(f64::from);
    for ((visible, whole), side) in visible.into_iter().zip([left, top, right, bottom]).zip([1.0, 1.0, -1.0, -1.0]) {
        assert!((0.0..=1.0).contains(&((visible - whole) * side + 0.52)), "{visible} {whole}");
    }
    for (axis, (found, expected)) in cube_box.pose.into_iter().zip([0.8, 0.2, 3.0]).enumerate() {
        assert!((found - expected).abs() < 1e-4, "{axis}: {found}");
    }
    assert!((Vector3::from(cube_box.size) - Vector3::new(0.6, 0.4, 0.8)).amax() < 1e-4);
}

#[test]
fn normals_are_those_of_the_surfaces_towards_the_camera() {
    let center = Vector3::new(0.1, 0.2, -2.0);
    let scene = Scene::new([place(
        &[shape(Primitive::Sphere { radius: 0.5 }, 0)],
        Isometry3::from_parts(center.into(), UnitQuaternion::from_scaled_axis(Vector3::new(1.0, 2.0, 3.0))),
    )]);
    let view = view(PINHOLE);
    let found = truth(&scene, &view, &Motion::still(Isometry3::identity()));
    let mut hits = 0;
    for (index, normal) in found.normals.iter().enumerate() {
        let direction = view.pixel_direction(index).unwrap().into_inner();
        let along = direction.dot(&center);
        let half = 0.25 - (center.norm_squared() - along * along);
        let expected = if half > 0.0 {
            let point = direction * (along - half.sqrt());
            let outwards = (point - center) / 0.5;
            Vector3::new(outwards.x, -outwards.y, -outwards.z)
        } else {
            Vector3::zeros()
        };
        assert!((Vector3::from(*normal).cast::<f64>() - expected).norm() < 1e-6, "{index}");
        hits += usize::from(half > 0.0);
    }
    assert!(hits > 5000, "{hits}");
}

/// A box flies and turns before a camera that flies and turns itself: the velocity of each visible point in the picture
/// is its difference quotient, by the closed form of the pinhole and, with a distorted lens, by its projection.
#[test]
fn flow_is_the_difference_quotient_of_the_projection_of_what_is_visible() {
    let intrinsics = Intrinsics { fx: 250.0, fy: 251.0, cx: 158.0, cy: 121.0 };
    let distorted =
        Lens::RadialTangential { intrinsics, coefficients: [0.1, -0.05, 0.001, 0.002, 0.01, 0.0, 0.0, 0.0] };
    let at = |time: f64| {
        Isometry3::new(
            Vector3::new(-0.2 + 1.5 * time, 0.1, -3.0 + time),
            Vector3::new(0.2, 0.5, 0.1) * (1.0 + 2.0 * time),
        )
    };
    let eye =
        |time: f64| Isometry3::new(Vector3::new(0.3 * time, -0.4 * time, 0.0), Vector3::new(0.0, 0.2, 0.1) * time);
    for lens in [PINHOLE, distorted] {
        let view = view(lens);
        let mut scene = Scene::new([place(
            &[shape(Primitive::Box { size: Vector3::new(1.0, 0.8, 0.6) }, 0)],
            Isometry3::identity(),
        )]);
        let motion = |pose: &dyn Fn(f64) -> Isometry3<f64>| Motion::new(pose(-STEP), pose(0.0));
        scene.set_motions([(InstanceIndex(0), motion(&at))]);
        let found = truth(&scene, &view, &motion(&eye));
        let mut hits = 0;
        let caster_view = view.optics();
        for (index, flow) in found.flow.iter().enumerate() {
            if found.labels[index] == 0 {
                assert!(flow[0].is_nan());
                continue;
            }
            // The point that the pixel shows, fixed to the box.
            let direction = eye(0.0).rotation * caster_view.pixel_direction(index).unwrap();
            let ray = bunraku_render::Ray::new(eye(0.0).translation.vector.into(), direction);
            let distance = scene.cast(&ray, bunraku_render::Reach::ALL).unwrap().distance;
            let point = at(0.0).inverse() * (ray.origin + direction.into_inner() * distance);
            let pixel = |time: f64| {
                let seen: Point3<f64> = eye(time).inverse() * (at(time) * point);
                match lens {
                    Lens::Normal { .. } => {
                        [160.0 - view.focal_length() * seen.x / seen.z, 120.0 + view.focal_length() * seen.y / seen.z]
                    }
                    _ => view.project(&seen.coords).unwrap(),
                }
            };
            let (now, then) = (pixel(0.0), pixel(-STEP));
            for axis in 0..2 {
                let expected = (now[axis] - then[axis]) / STEP;
                assert!(
                    (f64::from(flow[axis]) - expected).abs() < 1e-4 * (1.0 + expected.abs()),
                    "{index} {flow:?} {expected}"
                );
            }
            hits += 1;
        }
        assert!(hits > 4000, "{hits}");
    }
}

#[test]
fn unwanted_parts_are_empty() {
    let scene =
        Scene::new([place(&[shape(Primitive::Sphere { radius: 0.5 }, 0)], Isometry3::translation(0.0, 0.0, -2.0))]);
    let (view, carrier, optical) = (view(PINHOLE), Motion::still(Isometry3::identity()), Isometry3::identity());
    let watched = Watched { view: &view, carrier: &carrier, optical: &optical, step: STEP };
    let found = ground_truth(&scene, &watched, TruthKinds::default(), Threads::ONE);
    assert!(found.labels.is_empty() && found.normals.is_empty() && found.flow.is_empty() && found.boxes.is_empty());
}
