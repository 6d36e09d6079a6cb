//! Conversion of appearances to Bevy materials.

use bevy::math::Affine2;
use bevy::prelude::*;
use bunraku_mesh::{Appearance, Geometry, Primitive, Shape, TextureTransform};
use nalgebra::Vector3;

use super::cache::MaterialKey;
use super::drawing::Drawing;
use super::textures;

/// Bevy's smallest roughness: highlights of smoother surfaces are smaller than a pixel.
const SMALLEST_ROUGHNESS: f64 = 0.089;

/// The material of a shape.
pub fn draw(shape: &Shape, drawing: &mut Drawing) -> Handle<StandardMaterial> {
    let appearance = &shape.appearance;
    let solid = is_solid(&shape.geometry);
    let texture = appearance.texture.as_ref();
    let key = MaterialKey {
        numbers: numbers(appearance),
        texture: texture.map(|texture| {
            let matrix: [[f64; 2]; 3] = texture.transform.matrix().into();
            (textures::key(texture), matrix.map(|column| column.map(f64::to_bits)))
        }),
        solid,
    };
    let known = drawing.cache.materials.get(&key).and_then(|id| drawing.materials.get_strong_handle(*id));
    if let Some(material) = known {
        return material;
    }
    let mut material = plain(appearance, solid);
    if let Some(texture) = texture
        && let Some((image, see_through)) = textures::draw(texture, drawing)
    {
        material.base_color_texture = Some(image);
        material.uv_transform = picture_transform(&texture.transform);
        if see_through {
            material.alpha_mode = AlphaMode::Blend;
        }
    }
    let material = drawing.materials.add(material);
    drawing.cache.materials.insert(key, material.id());
    material
}

/// All properties except the image.
///
/// The original lights surfaces by Blinn and Phong's formulas, Bevy by physical ones:
///
/// | original | Bevy |
/// |---|---|
/// | diffuse colour, transparency | base colour (sRGB) and its alpha; blended if not opaque |
/// | emissive colour | emissive colour, the same at any exposure |
/// | specular colour c | reflectance max(c), tinted c / max(c): black has no highlight, white that of a gem |
/// | exponent n | perceptual roughness (2 / (n + 2))^¼: the width of a Phong highlight in the microfacet model |
/// | ambient factor | not used: ambient light is the same for all surfaces |
fn plain(appearance: &Appearance, solid: bool) -> StandardMaterial {
    let alpha = 1.0 - appearance.transparency.clamp(0.0, 1.0);
    let base_color = color(&appearance.diffuse).with_alpha(alpha as f32);
    let strongest = appearance.specular.max().clamp(0.0, 1.0);
    let tint = if strongest > 0.0 { color(&(appearance.specular / strongest)) } else { Color::WHITE };
    let exponent = appearance.specular_exponent.max(0.0);
    let roughness = (2.0 / (exponent + 2.0)).sqrt().sqrt().clamp(SMALLEST_ROUGHNESS, 1.0);
    StandardMaterial {
        base_color,
        emissive: color(&appearance.emissive).to_linear(),
        reflectance: strongest as f32,
        specular_tint: tint,
        perceptual_roughness: roughness as f32,
        alpha_mode: if alpha < 1.0 { AlphaMode::Blend } else { AlphaMode::Opaque },
        double_sided: !solid,
        cull_mode: if solid { StandardMaterial::default().cull_mode } else { None },
        ..default()
    }
}

/// A colour of a file, sRGB, clamped to its range.
pub fn color(factors: &Vector3<f64>) -> Color {
    // `max` first: it turns NaN into 0.
    let [red, green, blue] = [factors.x, factors.y, factors.z].map(|factor| factor.max(0.0).clamp(0.0, 1.0) as f32);
    Color::srgb(red, green, blue)
}

fn numbers(appearance: &Appearance) -> Vec<u64> {
    let colors = [&appearance.diffuse, &appearance.emissive, &appearance.specular];
    let factors = [appearance.specular_exponent, appearance.transparency];
    colors.into_iter().flat_map(|color| color.iter().copied()).chain(factors).map(f64::to_bits).collect()
}

/// Whether the back face is culled.
fn is_solid(geometry: &Geometry) -> bool {
    match geometry {
        Geometry::Mesh(mesh) => mesh.solid,
        Geometry::Primitive { primitive, .. } => match *primitive {
            Primitive::Box { size } => size.min() > 0.0,
            Primitive::Cylinder { top, bottom, .. } => top && bottom,
            Primitive::Cone { bottom, .. } => bottom,
            Primitive::Sphere { .. } | Primitive::Capsule { .. } => true,
        },
    }
}

/// Transform of texture coordinates whose rows are counted from the top: that of the file between two flips.
fn picture_transform(transform: &TextureTransform) -> Affine2 {
    let matrix = transform.matrix().cast::<f32>();
    let file = Affine2::from_cols(
        Vec2::new(matrix.m11, matrix.m21),
        Vec2::new(matrix.m12, matrix.m22),
        Vec2::new(matrix.m13, matrix.m23),
    );
    let flip = Affine2::from_cols(Vec2::X, Vec2::NEG_Y, Vec2::Y);
    flip * file * flip
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector2;

    use super::*;

    #[test]
    fn a_phong_exponent_becomes_the_roughness_of_a_highlight_of_the_same_width() {
        let roughness = |exponent| {
            plain(&Appearance { specular_exponent: exponent, ..Appearance::default() }, true).perceptual_roughness
        };
        assert!((roughness(0.0) - 1.0).abs() < 1e-6);
        assert!((roughness(30.0) - 0.5).abs() < 1e-6);
        assert!(roughness(f64::INFINITY) > 0.0);
        assert!(roughness(f64::NAN).is_finite());
    }

    #[test]
    fn texture_coordinates_change_as_the_file_says_though_rows_count_from_the_top() {
        let transform = TextureTransform {
            center: Vector2::new(0.5, 0.25),
            rotation: 0.7,
            scale: Vector2::new(2.0, 3.0),
            translation: Vector2::new(0.1, -0.2),
        };
        let (s, t) = (0.3, 0.9);
        let expected = transform.matrix() * Vector3::new(s, t, 1.0);
        let found = picture_transform(&transform).transform_point2(Vec2::new(s as f32, 1.0 - t as f32));
        assert!((f64::from(found.x) - expected.x).abs() < 1e-6, "{found}");
        assert!((1.0 - f64::from(found.y) - expected.y).abs() < 1e-6, "{found}");
    }

    #[test]
    fn transparent_surfaces_are_blended_and_open_ones_seen_from_both_sides() {
        let glass = plain(&Appearance { transparency: 0.75, ..Appearance::default() }, false);
        assert_eq!(glass.alpha_mode, AlphaMode::Blend);
        assert!((glass.base_color.alpha() - 0.25).abs() < 1e-6);
        assert!(glass.double_sided && glass.cull_mode.is_none());
    }
}
