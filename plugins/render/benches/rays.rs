//! Ray casting speed in million rays per second and core, for a mesh of 100 000 triangles and the house of the corpus,
//! and on all cores.
//!
//! Times are CPU times of the thread where the system reports them, so that other programs have little influence. Cases
//! that are compared are measured in turns. The speedup on two cores compares wall times in the same run.
//!
//! `-- TEXT` measures only scenes with this text in their names. With `-- --write DIRECTORY`, meshes, rays and distances are written there; `benches/peers/rays.py` passes them to
//! other ray casters.

#![allow(clippy::print_stdout, missing_docs)]

use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bunraku_body::{Appearance, Geometry, LoadOptions, Shape};
use bunraku_document::Reporter;
use bunraku_mesh::{Primitive, TriangleMesh};
use bunraku_render::{Model, Ray, Reach, Scene, Textures, Threads};
use bunraku_test_support::Random;
use nalgebra::{Affine3, Isometry3, Point3, Unit, Vector3};

type Outcome = Result<(), Box<dyn Error>>;

fn main() -> Outcome {
    let mut arguments = std::env::args().skip_while(|argument| argument != "--write").skip(1);
    let kept = arguments.next().map(PathBuf::from);
    println!("| scene | triangles | rays | Mray/s a core | hits | all cores |");
    println!("|---|---|---|---|---|---|");
    let ball = [ball()];
    let models = [Arc::new(Model::new(&ball, &mut Textures::default()))];
    let outside = Point3::new(0.0, 0.0, 3.0);
    let cases =
        [("camera", camera(outside, -Vector3::z())), ("all directions from inside", everywhere(Point3::origin()))];
    report("bumpy ball", &models, &ball, &cases, kept.as_deref())?;
    for (name, primitive) in primitives() {
        let scatter = scatter(Geometry::primitive(primitive));
        let polygons = scatter.clone().map(as_polygons);
        let scenes = [("exact", &scatter), ("20-gons", &polygons)].map(|(kind, shapes)| {
            let model = Arc::new(Model::new(shapes, &mut Textures::default()));
            (format!("{name}, {kind}"), Scene::new([(model, Isometry3::identity())]))
        });
        let scenes = scenes.each_ref().map(|(name, scene)| (name.as_str(), scene));
        time(&scenes, "camera", &camera(outside, -Vector3::z()));
        time(&scenes, "all directions", &everywhere(Point3::origin()));
    }
    if let Some(share) = bunraku_test_support::share() {
        let house = share.join("model/house/house.wrl");
        let reporter = Reporter::new();
        let body = bunraku_body::load(&house, &LoadOptions::default(), &reporter).ok_or("the house does not load")?;
        let models: Vec<_> = Model::of_links(&body, &mut Textures::default()).into_iter().flatten().collect();
        let bounds = body.root().visual.iter().filter_map(Shape::bounding_box).reduce(|all, next| all.union(next));
        let bounds = bounds.ok_or("the house is empty")?;
        let center = bounds.min + (bounds.max - bounds.min) / 2.0;
        let cases = [("camera", camera(center, Vector3::x())), ("all directions", everywhere(center))];
        report("house", &models, &body.root().visual, &cases, kept.as_deref())?;
    }
    Ok(())
}

fn primitives() -> [(&'static str, Primitive); 5] {
    [
        ("boxes", Primitive::Box { size: Vector3::new(0.2, 0.3, 0.15) }),
        ("spheres", Primitive::Sphere { radius: 0.15 }),
        ("cylinders", Primitive::Cylinder { radius: 0.1, height: 0.3, top: true, bottom: true }),
        ("cones", Primitive::Cone { radius: 0.15, height: 0.3, bottom: true }),
        ("capsules", Primitive::Capsule { radius: 0.1, height: 0.2 }),
    ]
}

/// Two hundred copies around the origin.
fn scatter(geometry: Geometry) -> [Shape; 200] {
    let mut random = Random::new(2);
    std::array::from_fn(|_| {
        let place = random.direction().into_inner() * (0.3 + random.unit());
        let pose = Isometry3::new(place, random.direction().into_inner() * 3.0);
        Shape::new(geometry.clone(), nalgebra::convert(pose), Appearance::default())
    })
}

/// The triangles that renderers draw, as a closed mesh.
fn as_polygons(shape: Shape) -> Shape {
    let mesh = TriangleMesh { solid: true, ..shape.geometry.triangles().into_owned() };
    Shape { geometry: Geometry::Mesh(Arc::new(mesh)), ..shape }
}

/// A bumpy ball of 100 352 triangles, both sides of which are visible.
fn ball() -> Shape {
    const STEPS: u32 = 224;
    let mut mesh = TriangleMesh::default();
    for row in 0..=STEPS {
        for column in 0..STEPS {
            let (polar, around) = (
                std::f64::consts::PI * f64::from(row) / f64::from(STEPS),
                std::f64::consts::TAU * f64::from(column) / f64::from(STEPS),
            );
            let radius = 1.0 + 0.05 * (12.0 * polar).sin() * (9.0 * around).cos();
            let point = Point3::new(polar.sin() * around.cos(), polar.sin() * around.sin(), polar.cos()) * radius;
            mesh.vertices.push(point.cast());
        }
    }
    for row in 0..STEPS {
        for column in 0..STEPS {
            let next = (column + 1) % STEPS;
            let (above, below) = (row * STEPS, (row + 1) * STEPS);
            mesh.triangles.push([above + column, below + column, below + next]);
            mesh.triangles.push([above + column, below + next, above + next]);
        }
    }
    Shape::new(Geometry::Mesh(Arc::new(mesh)), Affine3::identity(), Appearance::default())
}

/// The pixels of 640×480, row by row.
fn camera(eye: Point3<f64>, forward: Vector3<f64>) -> Vec<Ray> {
    let up = if forward.z.abs() > 0.9 { Vector3::y() } else { Vector3::z() };
    let right = forward.cross(&up);
    let pixel = |index: u32| {
        let (x, y) = (f64::from(index % 640) - 319.5, 239.5 - f64::from(index / 640));
        Ray::new(eye, Unit::new_normalize(forward * 400.0 + right * x + up * y))
    };
    (0..640 * 480).map(pixel).collect()
}

/// The same number of rays in unrelated directions.
fn everywhere(eye: Point3<f64>) -> Vec<Ray> {
    let mut random = Random::new(1);
    (0..640 * 480).map(|_| Ray::new(eye, random.direction())).collect()
}

/// Measures each case of a scene, and writes mesh, rays and distances to a directory, if given.
fn report(
    name: &str,
    models: &[Arc<Model>],
    shapes: &[Shape],
    cases: &[(&str, Vec<Ray>)],
    kept: Option<&Path>,
) -> Outcome {
    let scene = Scene::new(models.iter().map(|model| (model.clone(), Isometry3::identity())));
    for (kind, rays) in cases {
        time(&[(name, &scene)], kind, rays);
        let Some(directory) = kept else { continue };
        let hits = scene.cast_all(rays, Reach::ALL, Threads::ONE);
        let mut table = Vec::with_capacity(56 * rays.len());
        for (ray, hit) in rays.iter().zip(&hits) {
            let distance = hit.as_ref().map_or(f64::INFINITY, |hit| hit.distance);
            for value in ray.origin.iter().chain(ray.direction.iter()).chain([&distance]) {
                table.extend(value.to_le_bytes());
            }
        }
        fs::write(directory.join(format!("{name}, {kind}.rays")), table)?;
    }
    if let Some(directory) = kept {
        fs::write(directory.join(format!("{name}.obj")), obj(shapes)?)?;
    }
    Ok(())
}

/// Triangles of shapes as Wavefront OBJ text.
fn obj(shapes: &[Shape]) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    let mut first = 1;
    for shape in shapes {
        let mesh = shape.geometry.triangles();
        for vertex in &mesh.vertices {
            let [x, y, z] = (shape.transform * vertex.cast::<f64>()).coords.into();
            writeln!(text, "v {x} {y} {z}")?;
        }
        for corners in &mesh.triangles {
            let [a, b, c] = corners.map(|corner| first + corner);
            writeln!(text, "f {a} {b} {c}")?;
        }
        first += u32::try_from(mesh.vertices.len()).unwrap_or_default();
    }
    Ok(text)
}

/// Measures scenes in turns, so that a change of the speed of the machine does not favour one of them.
fn time(scenes: &[(&str, &Scene)], kind: &str, rays: &[Ray]) {
    /// Some systems count the time of threads in ticks of 4 ms.
    const CASTS: u32 = 8;
    const ROUNDS: u32 = 8;
    let wanted = std::env::args().skip(1).take_while(|argument| argument != "--write");
    if !wanted.filter(|argument| !argument.starts_with('-')).all(|wanted| scenes[0].0.contains(&wanted)) {
        return;
    }
    let mut least = vec![f64::INFINITY; scenes.len()];
    for _ in 0..ROUNDS {
        for ((_, scene), least) in scenes.iter().zip(&mut least) {
            let time = cpu_time(|| (0..CASTS).for_each(|_| cast(scene, rays, Threads::ONE)));
            *least = least.min(time.as_secs_f64() / f64::from(CASTS));
        }
    }
    for ((name, scene), one) in scenes.iter().zip(least) {
        let hits = scene.cast_all(rays, Reach::ALL, Threads::ONE).iter().flatten().count();
        let wall = |threads: Threads| {
            let start = Instant::now();
            cast(scene, rays, threads);
            start.elapsed()
        };
        let best = |threads: Threads| (0..5).map(|_| wall(threads)).min().unwrap_or_default().as_secs_f64();
        println!(
            "| {name} | {} | {kind} | {:.2} | {:.0} % | {:.2} × |",
            scene.num_triangles(),
            rays.len() as f64 / one / 1e6,
            100.0 * hits as f64 / rays.len() as f64,
            best(Threads::ONE) / best(Threads::available()),
        );
    }
}

fn cast(scene: &Scene, rays: &[Ray], threads: Threads) {
    std::hint::black_box(scene.cast_all(rays, Reach::ALL, threads));
}

/// CPU time of this thread; wall time where the system does not report it.
fn cpu_time(work: impl FnOnce()) -> Duration {
    let worked = || {
        let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
    };
    let (start, before) = (Instant::now(), worked());
    work();
    match (before, worked()) {
        (Some(before), Some(after)) => after - before,
        _ => start.elapsed(),
    }
}
