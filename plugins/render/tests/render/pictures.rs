//! Colours compared with formulas, and small reference images.

use std::path::Path;
use std::sync::Arc;

use bunraku_body::{Appearance, Attenuation, Geometry, Shape};
use bunraku_document::Severity;
use bunraku_mesh::{Pixels, Primitive, Texture, TextureImage, TextureTransform};
use bunraku_render::{
    Frame, Lens, Light, LightSource, Lighting, Linear, Model, Scene, Textures, Threads, View, ViewError,
};
use nalgebra::{Affine3, Isometry3, Point3, Unit, Vector3};

use crate::common::model;

const DARK: Lighting = Lighting {
    ambient: Linear::BLACK,
    head: Linear::BLACK,
    lights: Vec::new(),
    background: Linear::BLACK,
    sky: None,
    shadows: false,
};

fn view(width: u32, height: u32) -> View {
    View { width, height, lens: Lens::Normal { field_of_view: 1.0 }, near: 0.01, far: 100.0 }
}

fn painted(primitive: Primitive, appearance: Appearance) -> Shape {
    Shape::new(Geometry::Primitive { primitive, divisions: 48 }, Affine3::identity(), appearance)
}

fn matte(red: f64, green: f64, blue: f64) -> Appearance {
    Appearance { diffuse: Vector3::new(red, green, blue), ..Appearance::default() }
}

/// A plate whose face is the plane z = `height`, visible from above.
fn plate(height: f64, appearance: Appearance) -> (Arc<Model>, Isometry3<f64>) {
    let shape = painted(Primitive::Box { size: Vector3::new(10.0, 10.0, 0.1) }, appearance);
    (model(&[shape]), Isometry3::translation(0.0, 0.0, height - 0.05))
}

/// The centre pixel from 5 m above the origin.
fn middle(scene: &Scene, lighting: &Lighting) -> [u8; 3] {
    let eye = Isometry3::translation(0.0, 0.0, 5.0);
    scene.picture(&view(1, 1), &eye, lighting, Threads::ONE).unwrap().colors[0]
}

/// The pixel of a fraction of a colour in linear light.
fn share(color: [f64; 3], share: f64) -> [u8; 3] {
    (Linear::from_file(&color.into()) * share as f32).to_pixel()
}

#[test]
fn matte_surfaces_follow_lamberts_law() {
    let color = [0.8, 0.4, 0.2];
    let scene = Scene::new([plate(0.0, matte(0.8, 0.4, 0.2))]);
    let lit = |lighting: Lighting| middle(&scene, &lighting);
    assert_eq!(lit(DARK), [0, 0, 0]);
    assert_eq!(lit(Lighting { ambient: Linear([1.0; 3]), ..DARK }), [204, 102, 51]);
    assert_eq!(lit(Lighting { head: Linear([0.5; 3]), ..DARK }), share(color, 0.5));
    // At an angle: the cosine; from below: nothing.
    let sun = |x: f64, z: f64| Lighting {
        lights: vec![Light {
            color: Linear([1.0; 3]),
            source: LightSource::Directional { direction: Unit::new_normalize(Vector3::new(x, 0.0, z)) },
        }],
        ..DARK
    };
    assert_eq!(lit(sun(3.0, -4.0)), share(color, 0.8));
    assert_eq!(lit(sun(0.0, 1.0)), [0, 0, 0]);
}

#[test]
fn a_material_reflects_its_fraction_of_the_ambient_light() {
    let lighting = Lighting { ambient: Linear([0.5; 3]), ..DARK };
    for ambient in [0.0, 0.2, 1.0] {
        let scene = Scene::new([plate(0.0, Appearance { ambient, ..matte(1.0, 1.0, 1.0) })]);
        assert_eq!(middle(&scene, &lighting), share([1.0; 3], 0.5 * ambient), "{ambient}");
    }
    // Other light is not affected.
    let scene = Scene::new([plate(0.0, Appearance { ambient: 0.0, ..matte(1.0, 1.0, 1.0) })]);
    assert_eq!(middle(&scene, &Lighting { head: Linear([1.0; 3]), ..DARK }), [255; 3]);
}

#[test]
fn lamps_fade_and_spots_have_edges() {
    let scene = Scene::new([plate(0.0, matte(1.0, 1.0, 1.0))]);
    let attenuation = Attenuation { constant: 0.0, linear: 0.0, quadratic: 1.0 };
    let point = Light {
        color: Linear([1.0; 3]),
        source: LightSource::Point { position: Point3::new(0.0, 0.0, 2.0), attenuation },
    };
    assert_eq!(middle(&scene, &Lighting { lights: vec![point], ..DARK }), share([1.0; 3], 0.25));
    let spot = |degrees: f64| {
        let source = LightSource::Spot {
            position: Point3::new(0.0, 0.0, 2.0),
            attenuation: Attenuation::default(),
            direction: Unit::new_normalize(Vector3::new(degrees.to_radians().sin(), 0.0, -degrees.to_radians().cos())),
            beam_width: 20_f64.to_radians(),
            cut_off_angle: 40_f64.to_radians(),
            cut_off_exponent: 2.0,
        };
        middle(&scene, &Lighting { lights: vec![Light { color: Linear([1.0; 3]), source }], ..DARK })
    };
    assert_eq!(spot(19.0), [255; 3]);
    assert_eq!(spot(30.0), share([1.0; 3], 0.25));
    assert_eq!(spot(41.0), [0; 3]);
}

#[test]
fn highlights_are_where_the_light_is_mirrored() {
    let shiny = Appearance {
        diffuse: Vector3::zeros(),
        specular: Vector3::repeat(0.5),
        specular_exponent: 20.0,
        ..Appearance::default()
    };
    let scene = Scene::new([plate(0.0, shiny)]);
    let from = |degrees: f64| {
        let direction = Unit::new_normalize(Vector3::new(degrees.to_radians().sin(), 0.0, -degrees.to_radians().cos()));
        middle(
            &scene,
            &Lighting {
                lights: vec![Light { color: Linear([1.0; 3]), source: LightSource::Directional { direction } }],
                ..DARK
            },
        )
    };
    assert_eq!(from(0.0), share([0.5; 3], 1.0));
    assert_eq!(from(40.0), share([0.5; 3], 20_f64.to_radians().cos().powi(20)));
}

#[test]
fn surfaces_behind_glass_are_visible() {
    let glass = Appearance { transparency: 0.75, ..matte(1.0, 0.0, 0.0) };
    let scene = Scene::new([plate(0.0, matte(0.0, 0.0, 1.0)), plate(1.0, glass)]);
    let light = Lighting { ambient: Linear([1.0; 3]), ..DARK };
    // One side of the pane faces the camera: a quarter red, and the rest is the background.
    let expected = (Linear([0.25, 0.0, 0.0]) + Linear([0.0, 0.0, 0.75])).to_pixel();
    assert_eq!(middle(&scene, &light), expected);
    let empty = Scene::new([plate(1.0, Appearance { transparency: 1.0, ..matte(1.0, 1.0, 1.0) })]);
    assert_eq!(middle(&empty, &Lighting { background: Linear([0.0, 1.0, 0.0]), ..light }), [0, 255, 0]);
}

fn picture(pixels: [[u8; 4]; 4]) -> Texture {
    let pixels = Pixels { width: 2, height: 2, rgba: pixels.to_vec() };
    Texture {
        image: TextureImage::Pixels(Arc::new(pixels)),
        repeat: [false; 2],
        transform: TextureTransform::default(),
    }
}

#[test]
fn a_picture_lies_on_its_surface_upright() {
    let [red, green, blue, white] = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255, 255, 255, 255]];
    let appearance = Appearance { texture: Some(picture([red, green, blue, white])), ..Appearance::default() };
    // The face towards +Z shows the image with +X to the right and +Y up.
    let cube = painted(Primitive::Box { size: Vector3::repeat(2.0) }, appearance);
    let scene = Scene::new([(model(&[cube]), Isometry3::identity())]);
    let eye = Isometry3::translation(0.0, 0.0, 3.0);
    let found =
        scene.picture(&view(2, 2), &eye, &Lighting { ambient: Linear([1.0; 3]), ..DARK }, Threads::ONE).unwrap();
    let main = |color: [u8; 3]| [0, 1, 2].map(|channel| color[channel] > 150);
    let expected = [[true, false, false], [false, true, false], [false, false, true], [true; 3]];
    assert_eq!(found.colors.iter().map(|&color| main(color)).collect::<Vec<_>>(), expected, "{:?}", found.colors);
}

/// A red ball and a blue box on a chequered floor with walls around.
fn room() -> Scene {
    let [light, dark] = [[230, 230, 220, 255], [90, 100, 110, 255]];
    let mut chequered = picture([light, dark, dark, light]);
    chequered.repeat = [true; 2];
    chequered.transform.scale = nalgebra::Vector2::repeat(4.0);
    let floor = Appearance { texture: Some(chequered), ..Appearance::default() };
    let shiny = Appearance { specular: Vector3::repeat(0.6), ..matte(0.9, 0.1, 0.1) };
    let wall = |x: f64, y: f64| {
        let size = Vector3::new(if x == 0.0 { 8.0 } else { 0.1 }, if y == 0.0 { 8.0 } else { 0.1 }, 2.0);
        (model(&[painted(Primitive::Box { size }, matte(0.6, 0.7, 0.6))]), Isometry3::translation(x, y, 1.0))
    };
    let floor = painted(Primitive::Box { size: Vector3::new(8.0, 8.0, 0.1) }, floor);
    Scene::new([
        (model(&[floor]), Isometry3::translation(0.0, 0.0, -0.05)),
        (model(&[painted(Primitive::Sphere { radius: 0.5 }, shiny)]), Isometry3::translation(2.0, 0.5, 0.5)),
        (
            model(&[painted(Primitive::Box { size: Vector3::new(0.6, 0.8, 1.2) }, matte(0.1, 0.3, 0.9))]),
            Isometry3::new(Vector3::new(2.5, -0.8, 0.6), Vector3::z() * 0.5),
        ),
        wall(4.0, 0.0),
        wall(-4.0, 0.0),
        wall(0.0, 4.0),
        wall(0.0, -4.0),
    ])
}

/// At the origin, 0.8 m up, looking along +X.
fn eye() -> Isometry3<f64> {
    Isometry3::translation(0.0, 0.0, 0.8) * bunraku_body::OpticalFrame::Robotics.rotation()
}

/// Compares with the reference image of this name; with `BUNRAKU_KEEP_PICTURES` set, the image is rewritten.
fn assert_as_kept(name: &str, frame: &Frame) {
    /// Mean difference of a byte: other processors round differently at a few edges.
    const MEAN_DIFFERENCE: f64 = 0.5;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/render/pictures").join(name);
    let found = image::RgbImage::from_raw(frame.width, frame.height, frame.colors.concat()).unwrap();
    if std::env::var_os("BUNRAKU_KEEP_PICTURES").is_some() {
        found.save(&path).unwrap();
    }
    let kept = image::open(&path).unwrap().into_rgb8();
    assert_eq!(kept.dimensions(), found.dimensions());
    let differences = kept.iter().zip(found.iter()).map(|(a, b)| f64::from(a.abs_diff(*b)));
    let mean = differences.sum::<f64>() / kept.len() as f64;
    assert!(mean < MEAN_DIFFERENCE, "{name}: {mean}");
}

#[test]
fn images_of_every_lens_match_the_references() {
    let scene = room();
    let lenses = [
        ("normal.png", 96, 72, Lens::Normal { field_of_view: 1.0 }),
        ("fisheye.png", 96, 96, Lens::Fisheye { field_of_view: std::f64::consts::PI }),
        ("dual_fisheye.png", 144, 72, Lens::DualFisheye),
    ];
    for (name, width, height, lens) in lenses {
        let view = View { lens, ..view(width, height) };
        let frame = scene.picture(&view, &eye(), &Lighting::default(), Threads::ONE).unwrap();
        assert_as_kept(name, &frame);
        // Distances as greys; white at 10 m and beyond.
        let grey = |distance: &f32| [(25.5 * distance).min(255.0) as u8; 3];
        let distances = Frame { colors: frame.distances.iter().map(grey).collect(), ..frame };
        assert_as_kept(&format!("distances_{name}"), &distances);
    }
}

#[test]
fn a_picture_and_its_distances_are_the_same_on_any_number_of_threads() {
    let scene = room();
    let view = view(120, 90);
    let take = |threads: usize| scene.picture(&view, &eye(), &Lighting::default(), Threads::new(threads)).unwrap();
    let one = take(1);
    assert_eq!(one, take(2));
    assert_eq!(one, take(5));
    let distances = scene.distances(&view, &eye(), Threads::new(3)).unwrap();
    assert_eq!((distances.distances, distances.colors.len()), (one.distances, 0));
}

#[test]
fn lights_of_devices_shine_from_their_links() {
    let device = |kind: bunraku_body::DeviceKind| bunraku_body::Device {
        name: "lamp".to_owned(),
        id: None,
        link: bunraku_body::LinkIndex::ROOT,
        transform: nalgebra::convert(Isometry3::translation(0.1, 0.0, 0.0)),
        enabled: true,
        kind,
        info: Vec::new(),
    };
    let link = Isometry3::new(Vector3::new(1.0, 0.0, 0.0), Vector3::z() * std::f64::consts::FRAC_PI_2);
    let spot = bunraku_body::SpotLight { direction: Vector3::x_axis(), intensity: 0.5, ..Default::default() };
    let light = Light::of_device(&device(bunraku_body::DeviceKind::SpotLight(spot)), &link).unwrap();
    let LightSource::Spot { position, direction, .. } = light.source else { panic!("{light:?}") };
    assert!((position - Point3::new(1.0, 0.1, 0.0)).norm() < 1e-12);
    assert!((direction.into_inner() - Vector3::y()).norm() < 1e-12);
    assert_eq!(light.color, Linear([0.5; 3]));
    assert_eq!(Light::of_device(&device(bunraku_body::DeviceKind::Zmp), &link), None);
}

#[test]
fn pictures_have_pixels_up_to_the_limit() {
    let accepts = |width: u32, height: u32| view(width, height).check().is_ok();
    // 2^26 pixels; 2^26 + 1 is five times a number.
    assert!(accepts(1 << 13, 1 << 13) && !accepts(((1 << 26) + 1) / 5, 5));
}

#[test]
fn impossible_views_are_refused() {
    let scene = room();
    let refused = |view: View| scene.picture(&view, &eye(), &DARK, Threads::ONE).unwrap_err();
    assert!(matches!(refused(view(0, 5)), ViewError::Size { width: 0, height: 5 }));
    assert!(matches!(refused(View { near: 5.0, far: 1.0, ..view(2, 2) }), ViewError::Clipping { .. }));
    let wide = Lens::Normal { field_of_view: std::f64::consts::PI };
    assert!(matches!(refused(View { lens: wide, ..view(2, 2) }), ViewError::FieldOfView(_)));
    // A camera with a NaN pose sees nothing.
    let nowhere = Isometry3::translation(f64::NAN, 0.0, 0.0);
    let frame = scene.picture(&view(4, 4), &nowhere, &Lighting::default(), Threads::ONE).unwrap();
    assert!(frame.distances.iter().all(|distance| distance.is_infinite()));
}

#[test]
fn spheres_beyond_the_limit_on_all_triangles_are_left_out_with_an_error() {
    // Nine million triangles, none of which is created.
    let fine = Geometry::Primitive { primitive: Primitive::Sphere { radius: 1.0 }, divisions: 3000 };
    let shapes = [
        Shape::new(fine, Affine3::identity(), Appearance::default()),
        painted(Primitive::Sphere { radius: 1.0 }, Appearance::default()),
    ];
    let mut textures = Textures::default();
    let model = Model::new(&[shapes[0].clone(), shapes[1].clone(), shapes[0].clone()], &mut textures);
    assert_eq!((model.num_primitives(), model.num_triangles()), (1, 0));
    let [error] = &textures.diagnostics[..] else { panic!("{:?}", textures.diagnostics) };
    assert_eq!((error.code, error.severity), ("limit-triangles", Severity::Error));
    // The limits apply to all models together.
    let mut shared = Textures::default();
    let sphere = Geometry::Primitive { primitive: Primitive::Sphere { radius: 1.0 }, divisions: 400 };
    let sphere = [Shape::new(sphere, Affine3::identity(), Appearance::default())];
    let drawn = (0..30).filter(|_| !Model::new(&sphere, &mut shared).is_empty()).count();
    assert_eq!(drawn, 4_000_000 / sphere[0].geometry.num_triangles());
}
