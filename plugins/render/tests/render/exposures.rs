//! Pictures with several rays a pixel, rows at their own times, shadows and a sky.

use bunraku_mesh::Primitive;
use bunraku_render::{
    Exposure, InstanceIndex, Lens, Light, LightSource, Lighting, Linear, Motion, Scene, Sky, Threads, View,
};
use nalgebra::{Isometry3, Point3, Unit, Vector3};

use crate::common::{model, shape};

const SIDE: u32 = 100;

fn view() -> View {
    View { width: SIDE, height: SIDE, lens: Lens::Normal { field_of_view: 1.0 }, near: 0.01, far: 100.0 }
}

fn bright() -> Lighting {
    Lighting { ambient: Linear([1.0; 3]), head: Linear::BLACK, lights: Vec::new(), ..Lighting::default() }
}

/// A white box before the camera, which looks along −Z from the origin.
fn plate(size: [f64; 3], place: [f64; 3]) -> (std::sync::Arc<bunraku_render::Model>, Isometry3<f64>) {
    let mut plate = shape(bunraku_body::Geometry::primitive(Primitive::Box { size: size.into() }));
    (plate.appearance.diffuse, plate.appearance.ambient) = (Vector3::repeat(1.0), 1.0);
    (model(&[plate]), Isometry3::translation(place[0], place[1], place[2]))
}

fn gray(colors: &[[u8; 3]], column: u32, row: u32) -> f32 {
    Linear::from_pixel(colors[(row * SIDE + column) as usize]).luminance()
}

#[test]
fn one_ray_a_pixel_at_an_instant_is_the_plain_picture() {
    let scene = Scene::new([plate([1.0, 0.7, 0.1], [0.1, 0.2, -3.0])]);
    let pose = Isometry3::new(Vector3::new(0.1, 0.0, 0.0), Vector3::new(0.1, 0.2, 0.3));
    let plain = scene.picture(&view(), &pose, &Lighting::default(), Threads::ONE).unwrap();
    let exposure = Exposure::instant(&pose, 1);
    for threads in [1, 3] {
        let exposed = scene.exposed(&view(), &exposure, &Lighting::default(), Threads::new(threads)).unwrap();
        assert_eq!(exposed, plain);
    }
}

#[test]
fn a_pixel_on_an_edge_is_as_bright_as_the_share_that_is_covered() {
    // The edge is at 37.3 pixels.
    let focal_length = view().focal_length();
    let edge = (37.3 - f64::from(SIDE) / 2.0) / focal_length;
    let scene = Scene::new([plate([4.0, 4.0, 0.1], [edge + 2.0, 0.0, -1.05])]);
    let exposure = Exposure::instant(&Isometry3::identity(), 10);
    let frame = scene.exposed(&view(), &exposure, &bright(), Threads::ONE).unwrap();
    assert_eq!((gray(&frame.colors, 36, 50), gray(&frame.colors, 38, 50)), (0.0, 1.0));
    assert!((gray(&frame.colors, 37, 50) - 0.7).abs() < 0.01, "{}", gray(&frame.colors, 37, 50));
}

/// A plate crosses the picture at 40 pixels in a step, and is exposed for half of it.
#[test]
fn moving_edges_are_blurred_over_their_way_during_the_exposure() {
    let mut scene = Scene::new([plate([4.0, 4.0, 0.1], [0.0; 3])]);
    let focal_length = view().focal_length();
    let at = |pixels: f64| {
        let edge = (pixels - f64::from(SIDE) / 2.0) / focal_length;
        Isometry3::translation(edge + 2.0, 0.0, -1.05)
    };
    scene.set_motions([(InstanceIndex(0), Motion::new(at(70.0), at(30.0)))]);
    // From 0.25 to 0.75 of the step the edge moves from pixel 60 to 40.
    let exposure = Exposure { first_row: 0.5, duration: 0.5, ..Exposure::instant(&Isometry3::identity(), 16) };
    let frame = scene.exposed(&view(), &exposure, &bright(), Threads::ONE).unwrap();
    for column in 0..SIDE {
        let covered = ((f64::from(column) + 0.5 - 40.0) / 20.0).clamp(0.0, 1.0) as f32;
        let found = gray(&frame.colors, column, 20);
        assert!((found - covered).abs() < 0.04, "{column}: {found} instead of {covered}");
    }
}

/// A camera that turns during the readout sees a vertical edge slanted.
#[test]
fn rows_of_a_rolling_shutter_are_at_their_own_times() {
    let scene = Scene::new([plate([4.0, 8.0, 0.1], [2.0, 0.0, -1.05])]);
    let turn = |angle: f64| Isometry3::rotation(Vector3::y() * angle);
    let rows = f64::from(SIDE);
    let exposure = Exposure {
        carrier: Motion::new(turn(0.0), turn(0.2)),
        first_row: 0.5 / rows,
        row: 1.0 / rows,
        ..Exposure::instant(&Isometry3::identity(), 1)
    };
    let frame = scene.exposed(&view(), &exposure, &bright(), Threads::ONE).unwrap();
    for row in 0..SIDE {
        // The camera turns to the left, so the edge moves to the right.
        let angle = 0.2 * (f64::from(row) + 0.5) / rows;
        let edge = rows / 2.0 + view().focal_length() * angle.tan();
        let white = (0..SIDE).position(|column| gray(&frame.colors, column, row) > 0.5).unwrap() as f64;
        assert!((white - (edge - 0.5).ceil()).abs() < 1.0, "{row}: {white} instead of {edge}");
    }
}

/// A lamp 4 m above a floor, and a plate of 1 m half way: its shadow on the floor is 2 m wide.
#[test]
fn a_plate_keeps_the_light_of_a_lamp_from_the_floor() {
    let glass = |transparency: f64| {
        let mut plate = shape(bunraku_body::Geometry::primitive(Primitive::Box { size: Vector3::new(1.0, 1.0, 1e-3) }));
        plate.appearance.transparency = transparency;
        (model(&[plate]), Isometry3::translation(0.0, 0.0, 2.0))
    };
    let lamp = LightSource::Point { position: Point3::new(0.0, 0.0, 4.0), attenuation: Default::default() };
    let sun = LightSource::Directional { direction: -Vector3::z_axis() };
    let light = |source: LightSource, transparency: f64, x: f64, shadows: bool| {
        let scene = Scene::new([plate([20.0, 20.0, 1.0], [0.0, 0.0, -0.5]), glass(transparency)]);
        let lights = vec![Light { color: Linear([1.0; 3]), source }];
        let lighting = Lighting { ambient: Linear::BLACK, head: Linear::BLACK, lights, shadows, ..Lighting::default() };
        // Straight down on the floor below the plate.
        let eye = Isometry3::translation(x, 0.0, 1.0);
        let narrow = View { width: 1, height: 1, ..view() };
        let frame = scene.picture(&narrow, &eye, &lighting, Threads::ONE).unwrap();
        Linear::from_pixel(frame.colors[0]).luminance()
    };
    assert!(light(lamp.clone(), 0.0, 0.9, false) > 0.5);
    assert_eq!(light(lamp.clone(), 0.0, 0.98, true), 0.0);
    assert!(light(lamp.clone(), 0.0, 1.02, true) > 0.5);
    assert_eq!((light(sun.clone(), 0.0, 0.49, true), light(sun.clone(), 0.0, 0.51, true)), (0.0, 1.0));
    // Glass lets its share pass, through its upper side: the lower one faces away.
    assert!((light(sun, 0.4, 0.0, true) - 0.4).abs() < 0.01);
}

#[test]
fn the_sky_is_behind_everything() {
    let sky = Sky { zenith: Linear([0.0, 0.0, 1.0]), horizon: Linear([1.0; 3]), ground: Linear([0.0, 1.0, 0.0]) };
    let lighting = Lighting { sky: Some(sky), ..Lighting::default() };
    let narrow = View { width: 1, height: 1, lens: Lens::Normal { field_of_view: 0.001 }, ..view() };
    let look = |direction: Vector3<f64>| {
        let turn = nalgebra::UnitQuaternion::rotation_between(&-Vector3::z(), &direction)
            .unwrap_or_else(|| nalgebra::UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI));
        let eye = Isometry3::from_parts(Default::default(), turn);
        Scene::new([]).picture(&narrow, &eye, &lighting, Threads::ONE).unwrap().colors[0]
    };
    assert_eq!(look(Vector3::z()), [0, 0, 255]);
    assert_eq!(look(-Vector3::z()), [0, 255, 0]);
    let slope = look(Unit::new_normalize(Vector3::new(1.0, 0.0, 1.0 / 3_f64.sqrt())).into_inner());
    assert!(slope[2] == 255 && (slope[0] as i32 - 147).abs() < 3, "{slope:?}");
}
