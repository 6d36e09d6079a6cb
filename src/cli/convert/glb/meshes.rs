//! Visual models of links as meshes with materials and textures.

use std::collections::HashMap;
use std::sync::Arc;

use bunraku::render::{Corner, Material, Model, Part, Picture, PlacedPicture};
use nalgebra::Vector3;
use png::ColorType;
use serde_json::{Value, json};

use super::super::super::bitmap;
use super::file::{File, Use, add};

/// The meshes of a file; each picture is written once.
#[derive(Default)]
pub(super) struct Meshes {
    /// By the address of the picture, which is kept so that no other one gets it.
    images: HashMap<*const Picture, (Arc<Picture>, usize)>,
    /// By image, and whether it is repeated to the right and up.
    textures: HashMap<(usize, [bool; 2]), usize>,
    samplers: HashMap<[bool; 2], usize>,
}

impl Meshes {
    /// Adds a mesh; returns its index.
    ///
    /// # Errors
    /// If a picture cannot be encoded.
    pub(super) fn add(&mut self, model: &Model, name: &str, file: &mut File) -> Result<usize, String> {
        let mut primitives = Vec::new();
        for part in model.parts() {
            let material = self.material(&part, file)?;
            primitives.push(primitive(&part, material, file));
        }
        Ok(add(&mut file.meshes, json!({ "name": name, "primitives": primitives })))
    }

    fn material(&mut self, part: &Part<'_>, file: &mut File) -> Result<usize, String> {
        let Material { diffuse, emissive, opacity, picture, .. } = part.material;
        let [red, green, blue] = diffuse.0;
        let mut surface = json!({
            "baseColorFactor": [red, green, blue, opacity],
            "metallicFactor": 0.0,
            "roughnessFactor": roughness(part.material),
        });
        let mut is_transparent = *opacity < 1.0;
        if let Some(picture) = picture {
            surface["baseColorTexture"] = json!({ "index": self.texture(picture, file)? });
            is_transparent |= has_alpha(&picture.picture);
        }
        let mut material = json!({ "pbrMetallicRoughness": surface });
        if emissive.0.iter().any(|part| *part > 0.0) {
            material["emissiveFactor"] = json!(emissive.0);
        }
        if is_transparent {
            material["alphaMode"] = "BLEND".into();
        }
        if part.two_sided {
            material["doubleSided"] = true.into();
        }
        // Equal materials are one: robots have a material for each of their shapes.
        let known = file.materials.iter().position(|known| *known == material);
        Ok(known.unwrap_or_else(|| add(&mut file.materials, material)))
    }

    fn texture(&mut self, placed: &PlacedPicture, file: &mut File) -> Result<usize, String> {
        let picture = Arc::as_ptr(&placed.picture);
        let image = match self.images.get(&picture) {
            Some((_, known)) => *known,
            None => {
                let pixels = placed.picture.pixels();
                let (width, height) = (pixels.width, pixels.height);
                let bytes = bitmap::encoded(pixels.rgba.as_flattened(), width, height, ColorType::Rgba)?;
                let view = file.view(&bytes, Use::Other);
                let image = add(&mut file.images, json!({ "bufferView": view, "mimeType": "image/png" }));
                self.images.insert(picture, (Arc::clone(&placed.picture), image));
                image
            }
        };
        let sampler = *self.samplers.entry(placed.repeat).or_insert_with(|| {
            let wrap = placed.repeat.map(|repeats| if repeats { 10497 } else { 33071 });
            // Linear, with mipmaps.
            let sampler = json!({ "magFilter": 9729, "minFilter": 9987, "wrapS": wrap[0], "wrapT": wrap[1] });
            add(&mut file.samplers, sampler)
        });
        let texture = self.textures.entry((image, placed.repeat));
        Ok(*texture.or_insert_with(|| add(&mut file.textures, json!({ "source": image, "sampler": sampler }))))
    }
}

/// The triangles of a part. Equal corners are one vertex.
fn primitive(part: &Part<'_>, material: usize, file: &mut File) -> Value {
    let mut vertices: HashMap<[u32; 11], u32> = HashMap::new();
    let mut corners: Vec<&Corner> = Vec::new();
    let mut indices = Vec::with_capacity(part.corners.len());
    for corner in &part.corners {
        let (position, normal, texture, color) = (corner.position, corner.normal, corner.texture, corner.color.0);
        let numbers =
            [[position.x, position.y, position.z], [normal.x, normal.y, normal.z], color, [texture.x, texture.y, 0.0]];
        let mut key = [0; 11];
        for (part, number) in key.iter_mut().zip(numbers.as_flattened()) {
            *part = number.to_bits();
        }
        let next = u32::try_from(corners.len()).unwrap_or(u32::MAX);
        let index = *vertices.entry(key).or_insert(next);
        if index == next {
            corners.push(corner);
        }
        indices.push(index);
    }
    let positions: Vec<[f32; 3]> = corners.iter().map(|corner| corner.position.coords.into()).collect();
    let unit = |normal: &Vector3<f32>| normal.try_normalize(0.0).filter(|unit| unit.x.is_finite());
    let normals: Vec<[f32; 3]> =
        corners.iter().map(|corner| unit(&corner.normal).unwrap_or(Vector3::z()).into()).collect();
    let mut attributes = json!({
        "POSITION": file.vectors(&positions, Use::Vertices, true),
        "NORMAL": file.vectors(&normals, Use::Vertices, false),
    });
    if let Some(picture) = &part.material.picture {
        let places: Vec<[f32; 2]> = corners.iter().map(|corner| place(picture, corner)).collect();
        attributes["TEXCOORD_0"] = file.vectors(&places, Use::Vertices, false).into();
    }
    if corners.iter().any(|corner| corner.color.0 != [1.0; 3]) {
        let colors: Vec<[f32; 3]> = corners.iter().map(|corner| corner.color.0).collect();
        attributes["COLOR_0"] = file.vectors(&colors, Use::Vertices, false).into();
    }
    json!({ "attributes": attributes, "indices": file.indices(&indices), "material": material })
}

/// Texture coordinates in the image: to the right and down.
fn place(picture: &PlacedPicture, corner: &Corner) -> [f32; 2] {
    let place = picture.transform * Vector3::new(corner.texture.x, corner.texture.y, 1.0);
    [place.x, 1.0 - place.y].map(|part| if part.is_finite() { part } else { 0.0 })
}

fn has_alpha(picture: &Picture) -> bool {
    picture.pixels().rgba.iter().any(|pixel| pixel[3] < u8::MAX)
}

/// Roughness of the surface whose highlight has about the width of that of Blinn and Phong's exponent.
fn roughness(material: &Material) -> f32 {
    if material.specular.luminance() > 0.0 { (2.0 / (material.exponent + 2.0)).powf(0.25) } else { 1.0 }
}
