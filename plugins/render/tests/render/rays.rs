use std::sync::Arc;

use bunraku_body::Geometry;
use bunraku_mesh::{Primitive, TriangleMesh};
use bunraku_render::{InstanceIndex, Ray, Reach, Scene, Threads};
use nalgebra::{Isometry3, Point3, Unit, Vector3};

use bunraku_test_support::Random;

use crate::common::{cuboid, model, one, ray, scaled, shape, soup};

/// The nearest triangle by testing all of them, in double precision.
fn brute_force(mesh: &TriangleMesh, ray: &Ray, reach: Reach) -> Option<f64> {
    let distances = mesh.triangles.iter().filter_map(|triangle| {
        let [a, b, c] = triangle.map(|vertex| mesh.vertices[vertex as usize].coords.cast::<f64>());
        let (first, second) = (b - a, c - a);
        let p = ray.direction.cross(&second);
        let s = ray.origin.coords - a;
        let u = s.dot(&p) / first.dot(&p);
        let q = s.cross(&first);
        let v = ray.direction.dot(&q) / first.dot(&p);
        let distance = second.dot(&q) / first.dot(&p);
        (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && distance >= reach.min && distance <= reach.max).then_some(distance)
    });
    distances.min_by(f64::total_cmp)
}

#[test]
fn the_nearest_of_many_triangles_is_hit() {
    let mut random = Random::new(1);
    let mesh = soup(3000, &mut random);
    let pose = Isometry3::new(Vector3::new(0.3, -0.2, 0.1), Vector3::new(0.4, -1.0, 2.0));
    let scene = Scene::new([(model(&[shape(Geometry::Mesh(Arc::new(mesh.clone())))]), pose)]);
    let reach = Reach { min: 0.2, max: 3.0 };
    let (mut met, mut differ) = (0, 0);
    for _ in 0..20_000 {
        let local = Ray::new(random.direction().into_inner().into(), random.direction());
        let ray = Ray::new(pose * local.origin, pose * local.direction);
        let expected = brute_force(&mesh, &local, reach);
        let found = scene.cast(&ray, reach).map(|hit| hit.distance);
        met += usize::from(expected.is_some());
        match (expected, found) {
            (Some(expected), Some(found)) if (expected - found).abs() < 1e-5 => {}
            (None, None) => {}
            // Exactly at an edge, single precision may give another result.
            _ => differ += 1,
        }
    }
    assert!(met > 5000, "{met}");
    assert!(differ <= 4, "{differ} of {met}");
}

#[test]
fn no_ray_slips_between_triangles() {
    // From inside a finely divided ball, and through its vertices and edges.
    let ball = Geometry::Primitive { primitive: Primitive::Sphere { radius: 1.0 }, divisions: 200 };
    let mesh = ball.triangles().into_owned();
    let scene = one(shape(Geometry::Mesh(Arc::new(mesh.clone()))));
    let mut random = Random::new(2);
    let origin = Point3::new(0.3, 0.1, -0.2);
    let targets = mesh.triangles.iter().flat_map(|triangle| {
        let [a, b, _] = triangle.map(|vertex| mesh.vertices[vertex as usize].cast::<f64>());
        [a, nalgebra::center(&a, &b)]
    });
    let rays: Vec<Ray> = targets
        .map(|target| Ray::new(origin, Unit::new_normalize(target - origin)))
        .chain((0..100_000).map(|_| Ray::new(origin, random.direction())))
        .collect();
    assert!(rays.iter().all(|ray| scene.cast(ray, Reach::ALL).is_some()));
}

#[test]
fn rays_hit_fronts_of_closed_surfaces_and_both_sides_of_open_ones() {
    let inside = ray([0.0, 0.0, 0.0], [1.0, 0.2, 0.1]);
    let outside = ray([5.0, 0.0, 0.0], [-1.0, 0.0, 0.0]);
    for scale in [[1.0; 3], [-1.0, 1.0, 1.0]] {
        let closed = one(scaled(cuboid([2.0; 3]), scale));
        assert_eq!(closed.cast(&inside, Reach::ALL), None);
        assert!((closed.cast(&outside, Reach::ALL).unwrap().distance - 4.0).abs() < 1e-12);
    }
    let open = one(shape(Geometry::Mesh(Arc::new(Primitive::Box { size: Vector3::repeat(2.0) }.tessellate(0)))));
    assert!(open.cast(&inside, Reach::ALL).is_some() && open.cast(&outside, Reach::ALL).is_some());
}

#[test]
fn the_distance_of_a_far_plane_under_a_flat_angle_is_exact() {
    let floor = one(cuboid([2000.0, 2000.0, 1.0]));
    for angle in [0.01_f64, 0.1, 0.5] {
        let eye = ray([0.0, 0.0, 2.5], [angle.cos(), 0.0, -angle.sin()]);
        let distance = floor.cast(&eye, Reach::ALL).unwrap().distance;
        assert!((distance - 2.0 / angle.sin()).abs() < 1e-9, "{angle}: {distance}");
    }
}

#[test]
fn surfaces_out_of_reach_are_ignored() {
    let ball = |x: f64| Isometry3::translation(x, 0.0, 0.0);
    let sphere = model(&[cuboid([1.0; 3])]);
    let scene = Scene::new([(sphere.clone(), ball(2.0)), (sphere.clone(), ball(5.0)), (sphere, ball(9.0))]);
    let along = ray([0.0; 3], [1.0, 0.0, 0.0]);
    let met = |min: f64, max: f64| {
        scene.cast(&along, Reach { min, max }).map(|hit| (hit.instance.0, (hit.distance * 1e9).round() / 1e9))
    };
    assert_eq!(met(0.0, f64::INFINITY), Some((0, 1.5)));
    assert_eq!(met(1.6, f64::INFINITY), Some((1, 4.5)));
    assert_eq!(met(1.6, 4.4), None);
    assert_eq!(met(-3.0, 1.6), Some((0, 1.5)));
}

#[test]
fn instances_move() {
    let mut scene = Scene::new(
        (0..20).map(|index| (model(&[cuboid([0.5; 3])]), Isometry3::translation(0.0, f64::from(index), 0.0))),
    );
    let down = |y: f64| ray([0.0, y, 10.0], [0.0, 0.0, -1.0]);
    assert_eq!(scene.cast(&down(7.0), Reach::ALL).unwrap().instance, InstanceIndex(7));
    scene.set_poses([
        (InstanceIndex(7), Isometry3::translation(0.0, 30.0, 1.0)),
        (InstanceIndex(99), Isometry3::identity()),
    ]);
    assert_eq!(scene.cast(&down(7.0), Reach::ALL), None);
    assert!((scene.cast(&down(30.0), Reach::ALL).unwrap().distance - 8.75).abs() < 1e-12);
}

#[test]
fn a_batch_is_its_rays_bit_for_bit_on_any_number_of_threads() {
    let mut random = Random::new(3);
    let mesh = model(&[shape(Geometry::Mesh(Arc::new(soup(2000, &mut random))))]);
    let scene = Scene::new((0..5).map(|index| (mesh.clone(), Isometry3::translation(f64::from(index), 0.0, 0.0))));
    let rays: Vec<Ray> =
        (0..20_000).map(|_| Ray::new(random.direction().into_inner().into(), random.direction())).collect();
    let bits = |hit: Option<bunraku_render::Hit>| hit.map(|hit| (hit.distance.to_bits(), hit.instance));
    let single: Vec<_> = rays.iter().map(|ray| bits(scene.cast(ray, Reach::ALL))).collect();
    for threads in [1, 2, 7] {
        let batch = scene.cast_all(&rays, Reach::ALL, Threads::new(threads));
        assert_eq!(batch.into_iter().map(bits).collect::<Vec<_>>(), single, "{threads} threads");
    }
}

#[test]
fn packets_give_the_hits_of_single_rays() {
    let mut random = Random::new(7);
    let mesh = soup(3000, &mut random);
    let targets: Vec<Point3<f64>> = mesh.vertices.iter().map(|vertex| vertex.cast()).collect();
    let soup = model(&[shape(Geometry::Mesh(Arc::new(mesh)))]);
    let (cube, plate) = (model(&[cuboid([1.0; 3])]), model(&[cuboid([4.0, 4.0, 0.1])]));
    let turned = |x: f64, angle: f64| Isometry3::new(Vector3::new(x, 0.0, 0.0), Vector3::new(0.3, 1.0, 0.2) * angle);
    // Two equal instances at one pose, so that triangles are equally near; and one with a NaN pose.
    let scene = Scene::new([
        (soup.clone(), turned(0.0, 0.0)),
        (cube.clone(), turned(0.5, 0.0)),
        (cube.clone(), turned(0.5, 0.0)),
        (soup, turned(1.0, 0.7)),
        (plate, Isometry3::translation(0.0, 0.0, -1.0)),
        (cube, Isometry3::translation(f64::NAN, 0.0, 0.0)),
    ]);
    let mut rays = Vec::new();
    for eye in 0..60 {
        // From all sides, sometimes along axes, where a direction component is 0 of either sign.
        let origin: Point3<f64> = match eye % 3 {
            0 => Point3::new(0.0, 0.0, 4.0),
            1 => Point3::new(-5.0, 0.0, 0.0),
            _ => (random.direction().into_inner() * (4.0 * random.unit())).into(),
        };
        let forward = -origin.coords;
        let right = forward.cross(&Vector3::new(0.1, 0.9, 0.3)).normalize() * forward.norm();
        let (spread, up) = (10.0_f64.powf(-3.0 * random.unit()), right.cross(&forward).normalize() * forward.norm());
        for pixel in 0..1024 {
            let (x, y) = (f64::from(pixel % 32) / 16.0 - 1.0, f64::from(pixel / 32) / 16.0 - 1.0);
            rays.push(Ray::new(origin, Unit::new_normalize(forward + (right * x + up * y) * spread)));
        }
        // Through adjacent corners of triangles, where rounding decides.
        let near = targets.iter().filter(|target| (*target - origin).normalize().dot(&forward.normalize()) > 0.997);
        rays.extend(near.map(|target| Ray::new(origin, Unit::new_normalize(target - origin))));
    }
    for reach in [Reach::ALL, Reach { min: 1.0, max: 4.2 }, Reach { min: f64::NEG_INFINITY, max: 3.0 }] {
        let single: Vec<_> = rays.iter().map(|ray| scene.cast(ray, reach)).collect();
        assert!(single.iter().flatten().count() > rays.len() / 20);
        for threads in [1, 3] {
            let batch = scene.cast_all(&rays, reach, Threads::new(threads));
            let differing = batch.iter().zip(&single).filter(|(batch, single)| batch != single).count();
            assert_eq!(differing, 0, "of {} rays within {reach:?}", rays.len());
        }
    }
    // Invalid rays do not affect others in their packet.
    let mut odd = rays[..48].to_vec();
    odd[3].direction = Unit::new_unchecked(Vector3::new(f64::NAN, 0.0, 0.0));
    odd[20].direction = Unit::new_unchecked(Vector3::new(f64::INFINITY, 0.0, 0.0));
    odd[40].origin.x = f64::INFINITY;
    let single: Vec<_> = odd.iter().map(|ray| scene.cast(ray, Reach::ALL)).collect();
    assert_eq!(scene.cast_all(&odd, Reach::ALL, Threads::ONE), single);
}

#[test]
fn invalid_rays_hit_nothing() {
    let scene = one(cuboid([1.0; 3]));
    let fine = ray([5.0, 0.0, 0.0], [-1.0, 0.0, 0.0]);
    for value in [f64::NAN, f64::INFINITY, -f64::INFINITY] {
        let nowhere = Unit::new_unchecked(Vector3::new(value, 0.0, 0.0));
        assert_eq!(scene.cast(&Ray { direction: nowhere, ..fine }, Reach::ALL), None);
        assert_eq!(scene.cast(&Ray { origin: Point3::new(0.0, value, 0.0), ..fine }, Reach::ALL), None);
    }
    assert_eq!(scene.cast(&fine, Reach { min: f64::NAN, max: 1.0 }), None);
    assert_eq!(scene.cast(&fine, Reach { min: 2.0, max: 1.0 }), None);
    assert_eq!(Scene::default().cast(&fine, Reach::ALL), None);

    let mut broken = soup(10, &mut Random::new(4));
    broken.vertices[4].x = f32::NAN;
    broken.vertices[8].z = f32::INFINITY;
    broken.triangles.push([0, 1, 1_000_000]);
    broken.triangles.push([0, 0, 0]);
    let model = model(&[shape(Geometry::Mesh(Arc::new(broken)))]);
    assert_eq!(model.num_triangles(), 9);
    let lost = Isometry3::translation(f64::NAN, 0.0, 0.0);
    let scene = Scene::new([(model.clone(), lost), (model, Isometry3::identity())]);
    let mut random = Random::new(5);
    for _ in 0..1000 {
        let ray = Ray::new(random.direction().into_inner().into(), random.direction());
        assert!(scene.cast(&ray, Reach::ALL).is_none_or(|hit| hit.instance == InstanceIndex(1)));
    }
}
