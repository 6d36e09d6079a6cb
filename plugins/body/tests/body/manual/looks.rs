//! Appearance: materials and images.

use bunraku_body::{Appearance, Body};
use bunraku_mesh::{Texture, TextureImage, TextureTransform};
use nalgebra::{Vector2, Vector3};

use crate::manual::example::{APPEARANCE, Example, key, near, shape};

/// The material of a box.
const MATERIAL: &str = "{ % links: [ { name: BASE, elements: [ { type: Shape, geometry: { type: Box }, appearance: { material: { @ } } } ] } ] }";
/// The texture of a box.
const TEXTURE: &str = "{ % links: [ { name: BASE, elements: [ { type: Shape, geometry: { type: Box }, appearance: { texture: { @ } } } ] } ] }";
/// Texture transform of a box with an image.
const TEXTURE_TRANSFORM: &str = "{ % links: [ { name: BASE, elements: [ { type: Shape, geometry: { type: Box }, appearance: { texture: { url: \
                                 picture.png }, texture_transform: { @ } } } ] } ] }";

fn looks(body: &Body, holds: impl Fn(&Appearance) -> bool) -> bool {
    shape(body, |shape| holds(&shape.appearance))
}

fn texture(body: &Body, holds: impl Fn(&Texture) -> bool) -> bool {
    looks(body, |appearance| appearance.texture.as_ref().is_some_and(&holds))
}

fn transform(body: &Body, holds: impl Fn(&TextureTransform) -> bool) -> bool {
    texture(body, |texture| holds(&texture.transform))
}

fn color() -> Vector3<f64> {
    Vector3::new(0.1, 0.2, 0.3)
}

pub fn examples() -> Vec<Example> {
    let mut examples = vec![
        key("Appearance", "material", "{ ambient: 0.5 }", APPEARANCE, |body| looks(body, |look| look.ambient == 0.5)),
        key("Appearance", "texture", "{ url: picture.png }", APPEARANCE, |body| texture(body, |_| true)),
        // A missing image is a warning.
        key("Appearance", "texture", "{ url: missing.png }", APPEARANCE, |body| {
            looks(body, |look| look.texture.is_none())
        })
        .findings(&["file-not-found"])
        .unlike("{ url: picture.png }"),
        key("Appearance", "texture_transform", "{ scale: [ 2, 2 ] }", APPEARANCE, |body| {
            transform(body, |transform| transform.scale == Vector2::repeat(2.0))
        })
        .also(&["textureTransform"])
        .beside("texture: { url: picture.png }"),
    ];
    let material = |name, value, holds| key("Material", name, value, MATERIAL, holds);
    examples.extend([
        material("ambient", "0.5", |body| looks(body, |look| look.ambient == 0.5)).also(&["ambientIntensity"]),
        material("diffuse", "[ 0.1, 0.2, 0.3 ]", |body| looks(body, |look| look.diffuse == color()))
            .also(&["diffuseColor"]),
        material("emissive", "[ 0.1, 0.2, 0.3 ]", |body| looks(body, |look| look.emissive == color()))
            .also(&["emissiveColor"]),
        material("specular", "[ 0.1, 0.2, 0.3 ]", |body| looks(body, |look| look.specular == color()))
            .also(&["specularColor"]),
        material("shininess", "0.5", |body| looks(body, |look| near(look.specular_exponent, 64.5))),
        // 0 is opaque, contrary to the manual.
        material("transparency", "0.75", |body| looks(body, |look| look.transparency == 0.75)),
        material("specular_exponent", "80", |body| looks(body, |look| look.specular_exponent == 80.0))
            .beside("shininess: 0.5"),
    ]);
    let image = |name, value, holds| key("Texture", name, value, TEXTURE, holds);
    examples.extend([
        image("url", "picture.png", |body| {
            texture(body, |texture| matches!(&texture.image, TextureImage::File(path) if path.ends_with("picture.png")))
        })
        .also(&["uri"]),
        image("repeat_s", "false", |body| texture(body, |texture| texture.repeat == [false, true]))
            .also(&["repeatS"])
            .beside("url: picture.png"),
        image("repeat_t", "false", |body| texture(body, |texture| texture.repeat == [true, false]))
            .also(&["repeatT"])
            .beside("url: picture.png"),
        image("repeat", "[ false, true ]", |body| texture(body, |texture| texture.repeat == [false, true]))
            .beside("url: picture.png"),
        image("repeat", "false", |body| texture(body, |texture| texture.repeat == [false, false]))
            .beside("url: picture.png, repeat_s: true"),
    ]);
    let change = |name, value, holds| key("TextureTransform", name, value, TEXTURE_TRANSFORM, holds);
    examples.extend([
        change("translation", "[ 0.5, 0.25 ]", |body| {
            transform(body, |transform| transform.translation == Vector2::new(0.5, 0.25))
        }),
        change("rotation", "90", |body| {
            transform(body, |transform| near(transform.rotation, std::f64::consts::FRAC_PI_2))
        })
        .angle(),
        change("scale", "[ 2, 4 ]", |body| transform(body, |transform| transform.scale == Vector2::new(2.0, 4.0))),
        change("center", "[ 0.5, 0.5 ]", |body| transform(body, |transform| transform.center == Vector2::repeat(0.5))),
    ]);
    examples
}
