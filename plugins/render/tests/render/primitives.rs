//! Rays meet the exact surfaces of primitives, not the polygons that renderers draw.

use bunraku_body::{Geometry, Shape};
use bunraku_mesh::Primitive;
use bunraku_render::{Lens, Lighting, Linear, Ray, Reach, Scene, Threads, View};
use bunraku_test_support::Random;
use nalgebra::{Affine3, Isometry3, Matrix4, Point3, Unit, Vector3};

use crate::common::{model, ray, shape};

/// Maximum error of a distance, m: that of double precision a few metres away.
const EXACT: f64 = 1e-9;

/// Below this cosine between ray and surface, rounding of the reference shifts the hit by more than [`EXACT`].
const GRAZING: f64 = 1e-4;

/// Signed distance of a point from the surface of a closed primitive, m; negative inside.
fn signed_distance(primitive: &Primitive, point: &Vector3<f64>) -> f64 {
    // Round shapes are measured in the half plane of radius and axis.
    let (radial, y) = (point.x.hypot(point.z), point.y);
    let beyond = |x: f64, y: f64| x.max(0.0).hypot(y.max(0.0)) + x.max(y).min(0.0);
    match *primitive {
        Primitive::Box { size } => {
            let outside = point.abs() - size / 2.0;
            outside.sup(&Vector3::zeros()).norm() + outside.max().min(0.0)
        }
        Primitive::Sphere { radius } => point.norm() - radius,
        Primitive::Cylinder { radius, height, .. } => beyond(radial - radius, y.abs() - height / 2.0),
        Primitive::Capsule { radius, height } => radial.hypot(y - y.clamp(-height / 2.0, height / 2.0)) - radius,
        Primitive::Cone { radius, height, .. } => {
            let along = ((radius - radial) * radius + (y + height / 2.0) * height) / radius.hypot(height).powi(2);
            let along = along.clamp(0.0, 1.0);
            let side = (radial - radius * (1.0 - along)).hypot(y + height / 2.0 - height * along);
            let base = (radial - radial.min(radius)).hypot(y + height / 2.0);
            let inside = y > -height / 2.0 && radial * height < radius * (height / 2.0 - y);
            side.min(base) * if inside { -1.0 } else { 1.0 }
        }
    }
}

/// Distance of the first hit from outside by sphere tracing, an algorithm that shares nothing with the caster; `None`
/// without a hit; NaN if the ray grazes the surface.
fn traced(primitive: &Primitive, origin: &Vector3<f64>, direction: &Vector3<f64>) -> Option<f64> {
    let at = |along: f64| signed_distance(primitive, &(origin + direction * along));
    let (mut along, mut last) = (0.0, f64::INFINITY);
    for _ in 0..100_000 {
        let gap = at(along);
        if gap > 100.0 {
            return None;
        }
        if gap < 1e-13 {
            break;
        }
        (along, last) = (along + gap, gap);
    }
    let cosine = (at(along - 1e-6) - at(along)) / 1e-6;
    Some(if cosine < GRAZING || last < 1e-12 && at(along) > 1e-12 { f64::NAN } else { along })
}

fn closed() -> [Primitive; 5] {
    [
        Primitive::Box { size: Vector3::new(0.7, 1.1, 0.4) },
        Primitive::Sphere { radius: 0.6 },
        Primitive::Cylinder { radius: 0.4, height: 1.3, top: true, bottom: true },
        Primitive::Cone { radius: 0.5, height: 1.2, bottom: true },
        Primitive::Capsule { radius: 0.3, height: 0.9 },
    ]
}

fn placed(primitive: Primitive, transform: Affine3<f64>) -> Shape {
    Shape { transform, ..shape(Geometry::primitive(primitive)) }
}

fn transform(random: &mut Random, scale: Vector3<f64>) -> Affine3<f64> {
    let pose = Isometry3::new(random.direction().into_inner() * random.unit(), random.direction().into_inner() * 3.0);
    Affine3::from_matrix_unchecked(pose.to_homogeneous() * Matrix4::new_nonuniform_scaling(&scale))
}

#[test]
fn a_round_primitive_reads_as_far_as_its_closed_form() {
    let mut random = Random::new(11);
    let scales = [Vector3::repeat(1.0), Vector3::new(1.0, -1.0, 1.0), Vector3::new(0.5, 1.5, 0.8)];
    for primitive in closed() {
        let (mut hits, mut misses, mut worst) = (0, 0, 0.0_f64);
        for trial in 0..30 {
            let transform = transform(&mut random, scales[trial % scales.len()]);
            let pose = Isometry3::new(random.direction().into_inner() * 3.0, random.direction().into_inner() * 2.0);
            let scene = Scene::new([(model(&[placed(primitive, transform)]), pose)]);
            let center = pose * transform * Point3::origin();
            let into = (nalgebra::convert::<_, Affine3<f64>>(pose) * transform).inverse();
            let eye = center + random.direction().into_inner() * (2.5 + 5.0 * random.unit());
            let rays: Vec<Ray> = (0..300)
                .map(|_| {
                    let target = center + random.direction().into_inner() * (0.9 * random.unit());
                    Ray::new(eye, Unit::new_normalize(target - eye))
                })
                .collect();
            for (ray, hit) in rays.iter().zip(scene.cast_all(&rays, Reach::ALL, Threads::ONE)) {
                let direction = into * ray.direction.into_inner();
                let expected = traced(&primitive, &(into * ray.origin).coords, &direction.normalize());
                match (expected.map(|distance| distance / direction.norm()), hit) {
                    (Some(expected), _) if expected.is_nan() => {}
                    (Some(expected), Some(hit)) => {
                        hits += 1;
                        worst = worst.max((hit.distance - expected).abs());
                    }
                    (None, None) => misses += 1,
                    (expected, hit) => panic!("{primitive:?}: {hit:?} instead of {expected:?}"),
                }
            }
        }
        println!("{primitive:?}: {hits} hits, {misses} misses, at most {worst:.1e} m from the closed form");
        assert!(hits > 2000 && misses > 1000, "{primitive:?}: {hits} hits, {misses} misses");
        assert!(worst < EXACT, "{primitive:?}: {worst} m");
    }
}

#[test]
fn a_sphere_far_away_is_as_exact_as_double_precision() {
    for distance in [1.0, 1e2, 1e4] {
        let sphere = Primitive::Sphere { radius: 0.01 };
        let scene = Scene::new([(model(&[placed(sphere, Affine3::identity())]), Isometry3::identity())]);
        let found = scene.cast(&ray([distance, 0.005, 0.0], [-1.0, 0.0, 0.0]), Reach::ALL).unwrap().distance;
        let expected = distance - (0.01_f64.powi(2) - 0.005_f64.powi(2)).sqrt();
        assert!((found - expected).abs() < 1e-14 * distance.max(1.0), "{distance}: {}", found - expected);
    }
}

#[test]
fn open_primitives_show_their_inside_through_the_missing_cap() {
    let down = ray([0.1, 5.0, 0.0], [0.0, -1.0, 0.0]);
    let across = ray([5.0, 0.0, 0.0], [-1.0, 0.0, 0.0]);
    let inside = ray([0.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
    let cylinder = |top, bottom| Primitive::Cylinder { radius: 0.5, height: 2.0, top, bottom };
    let cone = |bottom| Primitive::Cone { radius: 0.5, height: 2.0, bottom };
    let up = ray([0.1, -5.0, 0.0], [0.0, 1.0, 0.0]);
    let cases = [
        (cylinder(true, true), [Some(4.0), Some(4.5), None, Some(4.0)]),
        (cylinder(false, true), [Some(6.0), Some(4.5), Some(0.5), Some(4.0)]),
        (cylinder(true, false), [Some(4.0), Some(4.5), Some(0.5), Some(6.0)]),
        (cylinder(false, false), [None, Some(4.5), Some(0.5), None]),
        (cone(true), [Some(4.4), Some(4.75), None, Some(4.0)]),
        (cone(false), [Some(4.4), Some(4.75), Some(0.25), Some(5.6)]),
    ];
    for (primitive, expected) in cases {
        let scene = Scene::new([(model(&[placed(primitive, Affine3::identity())]), Isometry3::identity())]);
        for (ray, expected) in [down, across, inside, up].iter().zip(expected) {
            let found = scene.cast(ray, Reach::ALL).map(|hit| hit.distance);
            let alike = match (found, expected) {
                (Some(found), Some(expected)) => (found - expected).abs() < 1e-12,
                (found, expected) => found == expected,
            };
            assert!(alike, "{primitive:?}, {ray:?}: {found:?} instead of {expected:?}");
        }
    }
}

#[test]
fn a_flat_box_is_visible_from_both_sides() {
    let sheet = Primitive::Box { size: Vector3::new(1.0, 1.0, 0.0) };
    let scene = Scene::new([(model(&[placed(sheet, Affine3::identity())]), Isometry3::identity())]);
    for side in [1.0, -1.0] {
        let found = scene.cast(&ray([0.2, 0.1, 3.0 * side], [0.0, 0.0, -side]), Reach::ALL).unwrap();
        assert!((found.distance - 3.0).abs() < 1e-12);
    }
}

#[test]
fn no_ray_slips_between_primitives_side_by_side() {
    // Tiles without a gap, at coordinates that single precision rounds; rays go to their borders and corners.
    let tile = |x: i32, y: i32| {
        let corner = Vector3::new(f64::from(x), f64::from(y), 0.0) * 0.1;
        let transform = Affine3::from_matrix_unchecked(Matrix4::new_translation(&corner));
        placed(Primitive::Box { size: Vector3::new(0.1, 0.1, 0.02) }, transform)
    };
    let tiles: Vec<Shape> = (-10..10).flat_map(|x| (-10..10).map(move |y| tile(x, y))).collect();
    let scene = Scene::new([(model(&tiles), Isometry3::translation(0.3, 0.7, -0.1))]);
    let eye = Point3::new(3.0, 2.0, 4.0);
    for x in -8..8 {
        for step in -80..80 {
            let target = Point3::new(0.35 + 0.1 * f64::from(x), 0.75 + 0.01 * f64::from(step), -0.09);
            let along = Ray::new(eye, Unit::new_normalize(target - eye));
            assert!(scene.cast(&along, Reach::ALL).is_some(), "{target}");
        }
    }
}

#[test]
fn a_picture_of_a_sphere_has_a_round_rim_and_no_facets() {
    let scene =
        Scene::new([(model(&[placed(Primitive::Sphere { radius: 1.0 }, Affine3::identity())]), Isometry3::identity())]);
    let view = View { width: 400, height: 400, lens: Lens::Normal { field_of_view: 0.6 }, near: 0.1, far: 50.0 };
    // 5 m above the sphere, so that the optical axis goes down.
    let eye = Isometry3::translation(0.0, 0.0, 5.0);
    let lighting = Lighting {
        ambient: Linear::BLACK,
        head: Linear([1.0; 3]),
        lights: Vec::new(),
        background: Linear::BLACK,
        sky: None,
        shadows: false,
    };
    let frame = scene.picture(&view, &eye, &lighting, Threads::ONE).unwrap();
    // The rim is at the angle asin(1/5) from the axis.
    let rim = view.focal_length() * (0.2_f64).asin().tan();
    for (index, &distance) in frame.distances.iter().enumerate() {
        let (x, y) = ((index % 400) as f64 - 199.5, (index / 400) as f64 - 199.5);
        if (x.hypot(y) - rim).abs() > 1e-3 {
            assert_eq!(distance.is_finite(), x.hypot(y) < rim, "{x} {y}");
        }
    }
    // The light comes straight down, so brightness is the height of the hit on the unit sphere.
    for x in 200..200 + rim as usize {
        let index = 200 * 400 + x;
        let direction = view.pixel_direction(index).unwrap();
        let height = 5.0 + direction.z * (-5.0 * direction.z - (25.0 * direction.z.powi(2) - 24.0).sqrt());
        let expected = Linear([height as f32; 3]).to_pixel()[0];
        assert!(frame.colors[index][0].abs_diff(expected) <= 1, "{x}: {:?} instead of {expected}", frame.colors[index]);
    }
}
