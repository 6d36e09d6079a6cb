//! Images of small bodies: colours at given positions, and reference images.

use std::sync::Arc;

use bunraku_body::{Body, LinkIndex};
use bunraku_mesh::{
    Appearance, Geometry, Pixels, Primitive, Shape, Texture, TextureImage, TextureTransform, TriangleMesh,
};
use bunraku_test_support::{model_text, read_links, read_model};
use bunraku_viewer::picture::{PictureCamera, PictureError, PictureSize, PosedBody, take_picture};
use nalgebra::{Affine3, Matrix4, Point3, Vector2, Vector3};

use crate::common::{assert_looks_as_before, at_rest, color_at, framing, take};

const LINK: &str = "  - { name: ROOT, joint_type: fixed }\n";

const RED: [u8; 3] = [255, 0, 0];
const GREEN: [u8; 3] = [0, 255, 0];
const BLUE: [u8; 3] = [0, 0, 255];
const YELLOW: [u8; 3] = [255, 255, 0];

/// Red and green above, blue and yellow below.
fn four_colors() -> Arc<Pixels> {
    let rgba = (0..64)
        .map(|pixel| {
            let (column, row) = (pixel % 8, pixel / 8);
            let [red, green, blue] = match (column < 4, row < 4) {
                (true, true) => RED,
                (false, true) => GREEN,
                (true, false) => BLUE,
                (false, false) => YELLOW,
            };
            [red, green, blue, 255]
        })
        .collect();
    Arc::new(Pixels { width: 8, height: 8, rgba })
}

fn textured(transform: TextureTransform, repeat: bool) -> Appearance {
    let image = TextureImage::Pixels(four_colors());
    Appearance { texture: Some(Texture { image, repeat: [repeat; 2], transform }), ..Appearance::default() }
}

fn plain(red: f64, green: f64, blue: f64) -> Appearance {
    Appearance { diffuse: Vector3::new(red, green, blue), ..Appearance::default() }
}

fn cube() -> Geometry {
    Geometry::primitive(Primitive::Box { size: Vector3::repeat(1.0) })
}

fn moved(x: f64, y: f64, z: f64) -> Affine3<f64> {
    Affine3::from_matrix_unchecked(Matrix4::new_translation(&Vector3::new(x, y, z)))
}

fn scaled(x: f64, y: f64, z: f64) -> Affine3<f64> {
    Affine3::from_matrix_unchecked(Matrix4::new_nonuniform_scaling(&Vector3::new(x, y, z)))
}

fn shape(geometry: Geometry, transform: Affine3<f64>, appearance: Appearance) -> Shape {
    Shape::new(geometry, transform, appearance)
}

fn body(shapes: Vec<Shape>) -> Body {
    let mut body = read_links(LINK);
    *body.visual_mut(LinkIndex::ROOT).unwrap() = shapes;
    body
}

/// A shape with VRML's front +Z, rotated upright: viewed from −Y with +X to the right.
fn upright(geometry: Geometry, appearance: Appearance) -> Shape {
    // VRML's Y is up; after a rotation by 90° about X its front (+Z) faces −Y.
    let turn = nalgebra::Rotation3::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_2);
    let transform = Affine3::from_matrix_unchecked(turn.to_homogeneous());
    shape(geometry, transform, appearance)
}

/// Whether a colour is a shade of another one, with the same bright and dark components.
fn is_shade_of(found: [u8; 3], pure: [u8; 3]) -> bool {
    found.into_iter().zip(pure).all(|(found, pure)| if pure == 0 { found < 60 } else { found > 120 })
}

fn assert_shades(picture: &image::RgbaImage, expected: [(f64, f64, [u8; 3]); 4]) {
    for (across, down, pure) in expected {
        let found = color_at(picture, across, down);
        assert!(is_shade_of(found, pure), "at {across}, {down}: {found:?} instead of {pure:?}");
    }
}

#[test]
fn pictures_on_a_box_are_the_right_side_up() {
    let bodies = [at_rest(body(vec![upright(cube(), textured(TextureTransform::default(), true))]))];
    let Some(picture) = take(&bodies, &framing(&bodies, [0.0, 1.0, 0.0])) else { return };
    assert!(picture.diagnostics.is_empty(), "{:?}", picture.diagnostics);
    assert_shades(&picture.image, [(0.4, 0.35, RED), (0.6, 0.35, GREEN), (0.4, 0.65, BLUE), (0.6, 0.65, YELLOW)]);
    assert_looks_as_before("textured_box", &picture.image);
}

#[test]
fn texture_transforms_move_the_coordinates() {
    // Shifted up by half the image: the lower half is above now.
    let shift = TextureTransform { translation: Vector2::new(0.0, 0.5), ..TextureTransform::default() };
    let bodies = [at_rest(body(vec![upright(cube(), textured(shift, true))]))];
    let Some(picture) = take(&bodies, &framing(&bodies, [0.0, 1.0, 0.0])) else { return };
    assert_shades(&picture.image, [(0.4, 0.35, BLUE), (0.6, 0.35, YELLOW), (0.4, 0.65, RED), (0.6, 0.65, GREEN)]);
}

#[test]
fn textures_that_are_not_repeated_extend_their_border() {
    // A scale of 4 from the lower left corner: the image fills a quarter of each side, its border the rest.
    let scale = TextureTransform { scale: Vector2::repeat(4.0), ..TextureTransform::default() };
    let bodies = [at_rest(body(vec![upright(cube(), textured(scale, false))]))];
    let Some(picture) = take(&bodies, &framing(&bodies, [0.0, 1.0, 0.0])) else { return };
    assert_shades(&picture.image, [(0.4, 0.35, GREEN), (0.6, 0.35, GREEN), (0.6, 0.5, GREEN), (0.6, 0.92, YELLOW)]);
}

/// A wedge: a right triangle in the XZ plane with its right angle at the origin, 1 m long and high, extruded along Y.
fn wedge() -> Geometry {
    let corner = |x: f32, y: f32, z: f32| Point3::new(x, y, z);
    let vertices = vec![
        corner(0.0, 0.0, 0.0),
        corner(1.0, 0.0, 0.0),
        corner(0.0, 0.0, 1.0),
        corner(0.0, 0.5, 0.0),
        corner(1.0, 0.5, 0.0),
        corner(0.0, 0.5, 1.0),
    ];
    let triangles = vec![[0, 1, 2], [3, 5, 4], [0, 3, 4], [0, 4, 1], [1, 4, 5], [1, 5, 2], [2, 5, 3], [2, 3, 0]];
    Geometry::Mesh(Arc::new(TriangleMesh { vertices, triangles, solid: true, ..TriangleMesh::default() }))
}

#[test]
fn mirrored_and_sheared_shapes_show_their_outside() {
    let mut shear = Matrix4::identity();
    shear[(0, 2)] = 0.6;
    let bodies = [at_rest(body(vec![
        shape(wedge(), moved(0.2, 0.0, 0.0), plain(0.9, 0.3, 0.2)),
        shape(wedge(), moved(-0.2, 0.0, 0.0) * scaled(-1.0, 1.0, 1.0), plain(0.2, 0.4, 0.9)),
        shape(cube(), moved(0.0, 0.2, -0.8) * Affine3::from_matrix_unchecked(shear), plain(0.4, 0.8, 0.3)),
    ]))];
    let camera = framing(&bodies, [0.0, 1.0, -0.3]);
    let Some(picture) = take(&bodies, &camera) else { return };
    assert_looks_as_before("mirrored_and_sheared", &picture.image);
    // Both fronts face the camera at the same angle; a back face would be dark or missing.
    let (red, blue) = (color_at(&picture.image, 0.58, 0.42), color_at(&picture.image, 0.42, 0.42));
    assert!(red[0] > 150 && red[2] < 110, "{red:?}");
    assert!(blue[2] > 150 && blue[0] < 110, "{blue:?}");
}

#[test]
fn shapes_behind_a_transparent_one_are_visible() {
    let glass = Appearance { transparency: 0.5, ..plain(1.0, 0.0, 0.0) };
    let bodies = [at_rest(body(vec![
        shape(cube(), moved(0.0, 2.0, 0.0) * scaled(2.0, 1.0, 0.4), plain(0.0, 0.0, 1.0)),
        shape(cube(), moved(0.0, 0.0, 0.0), glass),
    ]))];
    let Some(picture) = take(&bodies, &framing(&bodies, [0.0, 1.0, 0.0])) else { return };
    let middle = color_at(&picture.image, 0.5, 0.5);
    assert!(middle[0] > 60 && middle[2] > 60 && middle[1] < 60, "red over blue: {middle:?}");
    assert_looks_as_before("transparent", &picture.image);
}

#[test]
fn a_sphere_is_smooth_and_bright_where_the_light_comes_from() {
    let geometry = Geometry::Primitive { primitive: Primitive::Sphere { radius: 0.5 }, divisions: 40 };
    let ball = Appearance { specular: Vector3::repeat(0.6), specular_exponent: 60.0, ..plain(0.8, 0.5, 0.2) };
    let bodies = [at_rest(body(vec![shape(geometry, Affine3::identity(), ball)]))];
    let Some(picture) = take(&bodies, &framing(&bodies, [0.0, 1.0, 0.0])) else { return };
    let brightness = |across, down| color_at(&picture.image, across, down).iter().map(|value| u32::from(*value)).sum();
    let (lit, middle, away): (u32, u32, u32) = (brightness(0.42, 0.38), brightness(0.5, 0.5), brightness(0.63, 0.72));
    assert!(lit > middle && middle > away, "{lit} {middle} {away}");
    assert_looks_as_before("sphere", &picture.image);
}

#[test]
fn a_surface_that_faces_the_light_has_the_colour_of_the_model() {
    // The key light comes from above the left shoulder; a box rotated so that a side faces it is fully lit.
    let toward_light = Vector3::new(-0.5, -1.0, 0.6);
    let turn = nalgebra::Rotation3::rotation_between(&-Vector3::y(), &toward_light).unwrap();
    let transform = Affine3::from_matrix_unchecked(turn.to_homogeneous());
    let bodies = [at_rest(body(vec![shape(cube(), transform, plain(0.6, 0.4, 0.2))]))];
    let Some(picture) = take(&bodies, &framing(&bodies, [0.0, 1.0, 0.0])) else { return };
    let found = color_at(&picture.image, 0.5, 0.5);
    for (found, expected) in found.into_iter().zip([153_u8, 102, 51]) {
        assert!(found.abs_diff(expected) <= 8, "{found} instead of {expected}");
    }
}

#[test]
fn a_spot_light_of_the_model_lights_a_spot() {
    let lamp = "  - { name: ROOT, joint_type: fixed, elements: [ { type: SpotLight, name: Lamp, id: 0, \
                translation: [ 0, -2, 0 ], direction: [ 0, 1, 0 ], beam_width: 12, cut_off_angle: 15, \
                intensity: 1.5, color: [ 1, 1, 0.4 ] } ] }\n";
    // Brighter than 1, which gives a note.
    let mut wall = read_model(&model_text(lamp)).0.unwrap();
    *wall.visual_mut(LinkIndex::ROOT).unwrap() =
        vec![shape(cube(), moved(0.0, 0.5, 0.0) * scaled(4.0, 1.0, 3.0), plain(0.4, 0.4, 0.4))];
    let bodies = [at_rest(wall)];
    let Some(picture) = take(&bodies, &framing(&bodies, [0.0, 1.0, 0.0])) else { return };
    let (middle, aside) = (color_at(&picture.image, 0.5, 0.5), color_at(&picture.image, 0.2, 0.3));
    assert!(middle[0] > aside[0] + 40, "{middle:?} {aside:?}");
    assert!(middle[0] > middle[2] + 20, "yellow light: {middle:?}");
    assert_looks_as_before("spot_light", &picture.image);
}

#[test]
fn a_picture_that_cannot_be_read_is_reported_and_the_shape_drawn_without_it() {
    let image = TextureImage::Encoded(Arc::from(&b"not a picture"[..]));
    let texture = Some(Texture { image, repeat: [true; 2], transform: TextureTransform::default() });
    let appearance = Appearance { texture, ..plain(1.0, 0.0, 0.0) };
    let both = vec![
        upright(cube(), appearance.clone()),
        Shape { transform: moved(0.0, 0.0, 1.0), ..upright(cube(), appearance) },
    ];
    let bodies = [at_rest(body(both))];
    let Some(picture) = take(&bodies, &framing(&bodies, [0.0, 1.0, 0.0])) else { return };
    assert_eq!(picture.diagnostics.len(), 1, "{:?}", picture.diagnostics);
    assert_eq!(picture.diagnostics[0].code, "unreadable-texture");
    assert!(is_shade_of(color_at(&picture.image, 0.5, 0.5), RED));
}

#[test]
fn pictures_that_cannot_be_taken_are_errors() {
    let bodies: [PosedBody; 0] = [];
    let camera = PictureCamera::new(Point3::new(1.0, 0.0, 0.0), Point3::origin());
    if take(&bodies, &camera).is_none() {
        return;
    }
    for size in [PictureSize { width: 0, height: 10 }, PictureSize { width: 10, height: u32::MAX }] {
        let result = take_picture(&bodies, &camera, size);
        assert!(matches!(result, Err(PictureError::Size { .. })), "{result:?}");
    }
    let nowhere = PictureCamera::new(Point3::origin(), Point3::origin());
    let result = take_picture(&bodies, &nowhere, crate::common::SIZE);
    assert!(matches!(result, Err(PictureError::Camera)), "{result:?}");
}
