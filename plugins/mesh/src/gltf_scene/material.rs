use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use bunraku_document::Result;
use gltf::material::AlphaMode;
use gltf::texture::WrappingMode;
use nalgebra::{Matrix2, Vector2, Vector3};

use super::buffers::{Buffers, decoded};
use crate::mesh_file::MeshFile;
use crate::{Appearance, Texture, TextureImage, TextureTransform};

/// Highlight exponent of surfaces with zero roughness.
const MAX_EXPONENT: f64 = 8192.0;

/// A material and the mapping of its image.
#[derive(Clone)]
pub(super) struct Material {
    pub(super) appearance: Appearance,
    /// Whether the back face is culled.
    pub(super) solid: bool,
    /// Set of texture coordinates for the image, if there is one.
    pub(super) texture_set: Option<u32>,
    linear: Matrix2<f32>,
    offset: Vector2<f32>,
}

impl Material {
    /// Texture coordinates transformed by `KHR_texture_transform`: scaled, rotated, translated.
    pub(super) fn texture_point(&self, point: [f32; 2]) -> [f32; 2] {
        (self.linear * Vector2::from(point) + self.offset).into()
    }
}

/// Reads materials.
pub(super) struct MaterialReader<'a> {
    document: &'a gltf::Document,
    file: &'a MeshFile<'a>,
    materials: HashMap<Option<usize>, Material>,
    images: HashMap<usize, Option<TextureImage>>,
    /// Size of the images so far, bytes; several may be the same part of a buffer.
    image_bytes: usize,
}

impl<'a> MaterialReader<'a> {
    pub(super) fn new(document: &'a gltf::Document, file: &'a MeshFile<'a>) -> Self {
        Self { document, file, materials: HashMap::new(), images: HashMap::new(), image_bytes: 0 }
    }

    /// Converts a material to Phong's model. Linear colours of the file become sRGB. Reflection is that of a dielectric
    /// (4 %) or of the metal. The exponent 2 / α² − 2, where α is the square of the roughness, gives a highlight of the
    /// same width.
    pub(super) fn material(&mut self, material: gltf::Material<'_>, buffers: &Buffers<'_>) -> Result<Material> {
        if let Some(known) = self.materials.get(&material.index()) {
            return Ok(known.clone());
        }
        let surface = material.pbr_metallic_roughness();
        let [red, green, blue, alpha] = surface.base_color_factor().map(|value| f64::from(value).clamp(0.0, 1.0));
        let base = Vector3::new(red, green, blue);
        let metallic = f64::from(surface.metallic_factor()).clamp(0.0, 1.0);
        let roughness = f64::from(surface.roughness_factor()).clamp(0.0, 1.0);
        let reflection = Vector3::repeat(0.04).lerp(&base, metallic);
        let emission = Vector3::from(material.emissive_factor()).cast::<f64>();
        let mut made = Material {
            appearance: Appearance {
                diffuse: base.map(srgb),
                emissive: emission.map(srgb),
                specular: reflection.map(srgb),
                specular_exponent: (2.0 / roughness.powi(4) - 2.0).clamp(0.0, MAX_EXPONENT),
                transparency: match material.alpha_mode() {
                    AlphaMode::Opaque => 0.0,
                    AlphaMode::Blend => 1.0 - alpha,
                    AlphaMode::Mask if alpha < f64::from(material.alpha_cutoff().unwrap_or(0.5)) => 1.0,
                    AlphaMode::Mask => 0.0,
                },
                ..Appearance::default()
            },
            solid: !material.double_sided(),
            texture_set: None,
            linear: Matrix2::identity(),
            offset: Vector2::zeros(),
        };
        if let Some(info) = surface.base_color_texture() {
            self.picture(&info, &mut made, buffers);
        }
        self.materials.insert(material.index(), made.clone());
        Ok(made)
    }

    fn picture(&mut self, info: &gltf::texture::Info<'_>, material: &mut Material, buffers: &Buffers<'_>) {
        let texture = info.texture();
        let index = texture.source().index();
        let image = match self.images.get(&index) {
            Some(image) => image.clone(),
            None => {
                let image = self.image(index, buffers);
                self.images.insert(index, image.clone());
                image
            }
        };
        let Some(image) = image else { return };
        let sampler = texture.sampler();
        let modes = [sampler.wrap_s(), sampler.wrap_t()];
        if modes.contains(&WrappingMode::MirroredRepeat) {
            self.file.warn("gltf-mirrored", "a picture that is mirrored at its border is only repeated", None);
        }
        let repeat = modes.map(|mode| mode != WrappingMode::ClampToEdge);
        material.appearance.texture = Some(Texture { image, repeat, transform: TextureTransform::default() });
        material.texture_set = Some(info.tex_coord());
        if let Some(transform) = info.texture_transform() {
            material.texture_set = Some(transform.tex_coord().unwrap_or(info.tex_coord()));
            // Counter-clockwise in the image, whose t axis points down here.
            let (sin, cos) = libm::sincosf(transform.rotation());
            material.linear = Matrix2::new(cos, sin, -sin, cos) * Matrix2::from_diagonal(&transform.scale().into());
            material.offset = transform.offset().into();
        }
    }

    /// An image, still encoded; a warning if it does not exist. The JSON structure is accessed directly, because the
    /// crate's accessor panics on an image with neither address nor type.
    fn image(&mut self, index: usize, buffers: &Buffers<'_>) -> Option<TextureImage> {
        let image = self.document.as_json().images.get(index)?;
        let bytes = match (&image.buffer_view, image.uri.as_deref()) {
            (Some(view), _) => {
                self.document.views().nth(view.value()).and_then(|view| buffers.view(&view)).map(Cow::Borrowed)
            }
            (None, Some(uri)) => match uri.strip_prefix("data:") {
                Some(data) => decoded(data).map(Cow::Owned),
                None => return self.file.texture(uri, None),
            },
            (None, None) => None,
        };
        let size = bytes.as_ref().map_or(0, |bytes| bytes.len());
        self.image_bytes = self.image_bytes.saturating_add(size);
        let bytes = bytes.filter(|_| self.image_bytes as u64 <= self.file.context.limits.file_size);
        if bytes.is_none() {
            self.file.warn(
                "gltf-image",
                format!("the data of image {index} is not there or too large; it is left out"),
                None,
            );
        }
        Some(TextureImage::Encoded(Arc::from(bytes?.into_owned())))
    }
}

/// Converts a linear colour component to sRGB (IEC 61966-2-1).
pub(super) fn srgb(linear: f64) -> f64 {
    match linear {
        ..=0.0 => 0.0,
        ..=0.003_130_8 => 12.92 * linear,
        ..1.0 => 1.055 * libm::pow(linear, 1.0 / 2.4) - 0.055,
        _ => 1.0,
    }
}
