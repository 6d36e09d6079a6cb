//! Images of cameras on robots are the same by ray casting and by Bevy.

use std::f64::consts::PI;
use std::path::Path;
use std::sync::Arc;

use bunraku_body::{Appearance, Attenuation, BodyState, Geometry, OpticalFrame, Shape};
use bunraku_mesh::{Pixels, Primitive, Texture, TextureImage, TextureTransform, TriangleMesh};
use bunraku_render::{
    Frame, Lens, Light, LightSource, Lighting, Linear, Model, Painter, Scene, Textures, Threads, View,
};
use bunraku_test_support::{Needed, Random, share, skip};
use bunraku_viewer::painter::GraphicsPainter;
use bunraku_viewer::picture::{PictureError, PictureSize, take_picture};
use image::RgbImage;
use nalgebra::{Affine3, Isometry3, Point3, Unit, UnitQuaternion, Vector2, Vector3};

use crate::common::{at_rest, framing, from_corpus};

/// Pixels with a smaller second difference of depths, m, are not at an edge.
const BEND: f32 = 1e-2;

/// Maximum difference of depths away from edges, m.
const DEPTH: f32 = 1e-3;

/// The same for the round primitives of robots, which Bevy draws with 20 segments: a radius of 0.1 m is 1.2 mm short.
const POLYGONS: f32 = 5e-3;

/// Number of segments with which Bevy draws a sphere that rays meet exactly, so that the polygons are within [`DEPTH`].
const FINE: u32 = 400;

/// Maximum mean difference of a byte of the colours, edges included, for a perspective lens: the colour of a pixel on
/// an edge is that of one side or the other.
const COLOR: f64 = 0.5;

/// Maximum mean difference for a fisheye lens, which is composed of perspective images with smoothed edges.
const FISHEYE_COLOR: f64 = 1.5;

/// A red ball, a blue box, glass and an open sheet on a chequered floor between walls, with lights.
fn room() -> (Scene, Lighting) {
    let painted = |primitive: Primitive, appearance: Appearance| {
        Shape::new(Geometry::Primitive { primitive, divisions: FINE }, Affine3::identity(), appearance)
    };
    let matte = |red, green, blue| Appearance { diffuse: Vector3::new(red, green, blue), ..Appearance::default() };
    let [light, dark] = [[230, 230, 220, 255], [90, 100, 110, 255]];
    let chequered = Texture {
        image: TextureImage::Pixels(Arc::new(Pixels { width: 2, height: 2, rgba: vec![light, dark, dark, light] })),
        repeat: [true; 2],
        transform: TextureTransform { scale: Vector2::repeat(4.0), ..TextureTransform::default() },
    };
    let floor = Appearance { texture: Some(chequered), ..Appearance::default() };
    let shiny = Appearance { specular: Vector3::repeat(0.6), specular_exponent: 30.0, ..matte(0.9, 0.1, 0.1) };
    let glass = Appearance { transparency: 0.6, ..matte(0.3, 0.9, 0.4) };
    // A sheet viewed from behind, with a different colour at each corner.
    let sheet = TriangleMesh {
        vertices: [[0.0, -0.4, 0.0], [0.0, 0.4, 0.0], [0.0, 0.4, 0.9], [0.0, -0.4, 0.9]].map(Point3::from).into(),
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        colors: vec![
            [Vector3::new(1.0, 0.2, 0.2), Vector3::new(0.2, 1.0, 0.2), Vector3::new(0.2, 0.2, 1.0)],
            [Vector3::new(1.0, 0.2, 0.2), Vector3::new(0.2, 0.2, 1.0), Vector3::new(1.0, 1.0, 0.2)],
        ],
        ..TriangleMesh::default()
    };
    let sheet = Shape::new(Geometry::Mesh(Arc::new(sheet)), Affine3::identity(), matte(1.0, 1.0, 1.0));
    let cuboid = |size: [f64; 3], look: Appearance| painted(Primitive::Box { size: size.into() }, look);
    let wall = |x: f64, y: f64| {
        let size = [if x == 0.0 { 8.0 } else { 0.1 }, if y == 0.0 { 8.0 } else { 0.1 }, 2.0];
        (cuboid(size, matte(0.6, 0.7, 0.6)), Isometry3::translation(x, y, 1.0))
    };
    let instances = [
        (cuboid([8.0, 8.0, 0.1], floor), Isometry3::translation(0.0, 0.0, -0.05)),
        (painted(Primitive::Sphere { radius: 0.5 }, shiny), Isometry3::translation(2.0, 0.5, 0.5)),
        (
            cuboid([0.6, 0.8, 1.2], matte(0.1, 0.3, 0.9)),
            Isometry3::new(Vector3::new(2.5, -0.8, 0.6), Vector3::z() * 0.5),
        ),
        (cuboid([0.05, 0.6, 0.8], glass), Isometry3::translation(1.5, 0.1, 0.6)),
        (sheet, Isometry3::new(Vector3::new(3.2, 1.4, 0.1), Vector3::z() * -0.3)),
        wall(4.0, 0.0),
        wall(-4.0, 0.0),
        wall(0.0, 4.0),
        wall(0.0, -4.0),
    ];
    let mut textures = Textures::default();
    let model = |(shape, pose)| (Arc::new(Model::new(&[shape], &mut textures)), pose);
    let mut lighting = Lighting { background: Linear([0.2, 0.3, 0.5]), ..Lighting::default() };
    let attenuation = Attenuation { constant: 0.5, linear: 0.2, quadratic: 0.3 };
    lighting.lights.push(Light {
        color: Linear([0.6, 0.5, 0.2]),
        source: LightSource::Point { position: Point3::new(1.0, 1.0, 1.5), attenuation },
    });
    lighting.lights.push(Light {
        color: Linear([0.1, 0.4, 0.6]),
        source: LightSource::Spot {
            position: Point3::new(0.5, -1.0, 1.8),
            attenuation: Attenuation::default(),
            direction: Unit::new_normalize(Vector3::new(1.0, 0.3, -0.6)),
            beam_width: 0.2,
            cut_off_angle: 0.5,
            cut_off_exponent: 1.5,
        },
    });
    (Scene::new(instances.map(model)), lighting)
}

/// Models of the corpus, side by side.
fn standing(files: &[(&str, [f64; 3])]) -> Option<Scene> {
    let mut textures = Textures::default();
    let mut instances = Vec::new();
    for (file, place) in files {
        let body = from_corpus(file)?;
        let place = Isometry3::translation(place[0], place[1], place[2]);
        let poses = BodyState::initial(&body).link_poses;
        for (model, pose) in Model::of_links(&body, &mut textures).into_iter().zip(poses) {
            instances.extend(model.map(|model| (model, place * pose)));
        }
    }
    Some(Scene::new(instances))
}

/// An eye that looks along +X, rotated about Z and then downwards, rad.
fn eye(position: [f64; 3], turn: f64, down: f64) -> Isometry3<f64> {
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn)
        * UnitQuaternion::from_axis_angle(&Vector3::y_axis(), down);
    Isometry3::from_parts(Vector3::from(position).into(), turn) * OpticalFrame::Robotics.rotation()
}

/// The painter, if a graphics device is available.
fn painter() -> Option<GraphicsPainter> {
    let body = at_rest(bunraku_test_support::read_links("  - { name: ROOT, joint_type: fixed }\n"));
    let camera = bunraku_viewer::picture::PictureCamera::new(Point3::new(1.0, 0.0, 0.0), Point3::origin());
    match take_picture(&[body], &camera, PictureSize { width: 2, height: 2 }) {
        Err(error @ (PictureError::NoAdapter(_) | PictureError::NoDevice { .. })) => {
            skip(Needed::Graphics, error);
            None
        }
        _ => Some(GraphicsPainter::default()),
    }
}

/// Writes both images side by side to the files of the tests.
fn keep(name: &str, frames: [&Frame; 2]) {
    let [width, height] = [frames[0].width, frames[0].height];
    let picture = RgbImage::from_fn(2 * width, height, |x, y| {
        image::Rgb(frames[(x / width) as usize].colors[(y * width + x % width) as usize])
    });
    picture.save(Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("painter_{name}.png"))).unwrap();
}

/// Mean difference of a byte.
fn color_difference(a: &Frame, b: &Frame) -> f64 {
    assert_eq!(a.colors.len(), b.colors.len());
    let differences = a.colors.iter().flatten().zip(b.colors.iter().flatten()).map(|(a, b)| f64::from(a.abs_diff(*b)));
    differences.sum::<f64>() / (3 * a.colors.len()) as f64
}

/// Maximum difference of depths along the axis away from edges, and the fraction of such pixels.
fn depth_difference(view: &View, a: &Frame, b: &Frame) -> (f32, f64) {
    let optics = view.optics();
    let depths = |frame: &Frame| -> Vec<f32> {
        let ahead = |index| optics.pixel_direction(index).map_or(1.0, |direction| -direction.z as f32);
        frame.distances.iter().enumerate().map(|(index, distance)| distance * ahead(index)).collect()
    };
    let (a, b) = (depths(a), depths(b));
    let (width, height) = (view.width as usize, view.height as usize);
    let (mut largest, mut count) = (0.0_f32, 0);
    for y in 1..height - 1 {
        for x in 1..width - 1 {
            let index = y * width + x;
            let bend = |step: usize| (a[index - step] + a[index + step] - 2.0 * a[index]).abs();
            // Second differences of infinite depths are NaN; these pixels are compared below.
            if [1, width, width + 1, width - 1].into_iter().all(|step| bend(step) < BEND) {
                largest = largest.max((a[index] - b[index]).abs());
                count += 1;
            }
        }
    }
    (largest, f64::from(count) / (width * height) as f64)
}

fn assert_alike(
    name: &str,
    painter: &dyn Painter,
    scene: &Scene,
    view: &View,
    eye: &Isometry3<f64>,
    lighting: &Lighting,
) {
    assert_alike_within(DEPTH, name, painter, scene, view, eye, lighting);
}

fn assert_alike_within(
    largest: f32,
    name: &str,
    painter: &dyn Painter,
    scene: &Scene,
    view: &View,
    eye: &Isometry3<f64>,
    lighting: &Lighting,
) {
    let rays = scene.picture(view, eye, lighting, Threads::available()).unwrap();
    let painted = painter.paint(scene, view, eye, lighting).unwrap();
    keep(name, [&rays, &painted]);
    let color = color_difference(&rays, &painted);
    let beyond = rays.distances.iter().zip(&painted.distances).filter(|(a, b)| a.is_finite() != b.is_finite()).count();
    let seen = rays.distances.iter().filter(|distance| distance.is_finite()).count();
    let is_straight = matches!(view.lens, Lens::Normal { .. });
    print!("{name}: {} triangles, colours differ by {color:.3} in the mean", scene.num_triangles());
    if is_straight {
        let (depth, share) = depth_difference(view, &rays, &painted);
        println!(
            ", depths by {:.4} mm at most in {:.1} % of the pixels; {beyond} pixels show something in one only",
            1e3 * depth,
            100.0 * share
        );
        assert!(depth < largest, "{name}: {depth} m");
        assert!(share * rays.distances.len() as f64 > 0.3 * seen as f64, "{name}: {share}");
        assert!(beyond < seen / 200, "{name}: {beyond}");
    } else {
        println!();
    }
    let most = if is_straight { COLOR } else { FISHEYE_COLOR };
    assert!(color < most, "{name}: {color}");
}

const NORMAL: View = View { width: 320, height: 240, lens: Lens::Normal { field_of_view: 1.0 }, near: 0.05, far: 50.0 };

#[test]
fn rays_and_bevy_show_the_same() {
    let Some(painter) = painter() else { return };
    let (scene, lighting) = room();
    let before = eye([0.0, 0.0, 0.8], 0.0, 0.1);
    assert_alike("room", &painter, &scene, &NORMAL, &before, &lighting);
    // Upright format, clipped in front and behind, and from another position.
    let cut = View { width: 90, height: 160, near: 1.8, far: 3.3, ..NORMAL };
    assert_alike("room_cut", &painter, &scene, &cut, &before, &lighting);
    let square = View { width: 200, height: 200, ..NORMAL };
    for (name, lens) in [
        ("room_fisheye", Lens::Fisheye { field_of_view: PI }),
        ("room_wide", Lens::Fisheye { field_of_view: 1.6 * PI }),
    ] {
        assert_alike(name, &painter, &scene, &View { lens, ..square }, &eye([1.0, 0.2, 0.9], 0.3, 0.2), &lighting);
    }
    let dual = View { width: 320, height: 160, lens: Lens::DualFisheye, ..NORMAL };
    assert_alike("room_dual", &painter, &scene, &dual, &eye([1.0, 0.2, 0.9], 0.3, 0.0), &lighting);
    if share().is_none() {
        return;
    }
    let tank = standing(&[("model/house/house.wrl", [0.0; 3]), ("model/Tank/Tank.body", [0.0, 0.0, 0.3])]).unwrap();
    let usual = Lighting::default();
    let bodies = [at_rest(from_corpus("model/house/house.wrl").unwrap())];
    let camera = framing(&bodies, [0.4, 1.0, -0.7]);
    let middle = camera.target;
    let inside = eye([middle.x, middle.y, middle.z], 3.6, 0.2);
    assert_alike("house", &painter, &tank, &NORMAL, &inside, &usual);
    let walkers = standing(&[("model/SR1/SR1.body", [0.0; 3]), ("model/PA10/PA10.body", [0.6, 1.0, 0.0])]).unwrap();
    let before = eye([-1.4, 0.4, 0.9], 0.0, 0.1);
    assert_alike_within(POLYGONS, "robots", &painter, &walkers, &NORMAL, &before, &usual);
}

#[test]
fn moving_bodies_and_other_scenes_are_drawn_at_their_poses() {
    let Some(painter) = painter() else { return };
    let (mut scene, lighting) = room();
    let small = View { width: 80, height: 60, ..NORMAL };
    let mut random = Random::new(5);
    for step in 0..4 {
        let pose = Isometry3::new(
            Vector3::new(2.0 + 0.3 * random.unit(), random.unit() - 0.5, 0.5),
            Vector3::new(0.0, 0.0, random.unit()),
        );
        scene.set_poses([(bunraku_render::InstanceIndex(2), pose)]);
        // With a NaN pose it is invisible.
        let nowhere = Isometry3::translation(f64::NAN, 0.0, 0.0);
        scene.set_poses([(
            bunraku_render::InstanceIndex(1),
            if step == 2 { nowhere } else { Isometry3::translation(2.0, 0.5, 0.5) },
        )]);
        let from = eye([0.1 * f64::from(step), 0.0, 0.8], 0.1 * f64::from(step), 0.1);
        assert_alike("moved", &painter, &scene, &small, &from, &lighting);
    }
    // Another scene, without lights, and then with more than before.
    let ball = Geometry::Primitive { primitive: Primitive::Sphere { radius: 1.0 }, divisions: FINE };
    let ball = Shape::new(ball, Affine3::identity(), Appearance::default());
    let ball =
        Scene::new([(Arc::new(Model::new(&[ball], &mut Textures::default())), Isometry3::translation(3.0, 0.0, 0.0))]);
    let from = eye([0.0; 3], 0.0, 0.0);
    let mut light = Lighting { lights: Vec::new(), ..Lighting::default() };
    assert_alike("ball_unlit", &painter, &ball, &small, &from, &light);
    for turn in 0..40 {
        let direction =
            Unit::new_normalize(Vector3::new((0.1 * f64::from(turn)).cos(), (0.1 * f64::from(turn)).sin(), 0.2));
        light.lights.push(Light { color: Linear([0.03, 0.02, 0.01]), source: LightSource::Directional { direction } });
    }
    assert_alike("ball_lit", &painter, &ball, &small, &from, &light);
    // A camera with a NaN pose sees nothing, and one without pixels is refused.
    let nowhere = painter.paint(&ball, &small, &Isometry3::translation(f64::NAN, 0.0, 0.0), &light).unwrap();
    assert!(nowhere.distances.iter().all(|distance| distance.is_infinite()));
    assert!(painter.paint(&ball, &View { width: 0, ..small }, &from, &light).unwrap_err().to_string().contains("0×60"));
    assert!(painter.paint(&ball, &View { width: 100_000, height: 1, ..small }, &from, &light).is_err());
}
