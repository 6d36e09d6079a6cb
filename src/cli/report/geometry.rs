//! Visual models of links, each once: positions with 16 bits over their bounding box, normals with 8.

use std::collections::HashMap;
use std::sync::Arc;

use bunraku::mesh::Pixels;
use bunraku::render::{Corner, Material, Model, Part, Picture, PlacedPicture};
use nalgebra::{Point3, Vector3};
use png::ColorType;
use serde_json::{Value, json};

use super::super::bitmap;
use super::pack::Pack;

/// Maximum length of a side of a picture, pixels; larger ones are halved.
const LONGEST_SIDE: u32 = 512;

/// The meshes and pictures of a page.
#[derive(Default)]
pub(super) struct Meshes {
    pub(super) meshes: Vec<Value>,
    pub(super) pictures: Vec<Value>,
    /// Index of each mesh by its content: two runs have the same models.
    known: HashMap<Vec<u8>, usize>,
    /// By the address of the picture, which is kept so that no other one gets it.
    known_pictures: HashMap<*const Picture, (Arc<Picture>, usize)>,
}

/// The vertices of a part in the form in which they are stored.
#[derive(Default)]
struct Vertices {
    positions: Vec<u16>,
    normals: Vec<i8>,
    colors: Vec<u8>,
    places: Vec<f32>,
    indices: Vec<u32>,
}

impl Meshes {
    /// Adds a mesh; returns its index.
    ///
    /// # Errors
    /// If a picture cannot be encoded.
    pub(super) fn add(&mut self, model: &Model, pack: &mut Pack) -> Result<usize, String> {
        let parts = model.parts();
        let corners = || parts.iter().flat_map(|part| &part.corners).map(|corner| corner.position);
        let low = corners().reduce(|low, next| low.inf(&next)).unwrap_or_default();
        let high = corners().reduce(|high, next| high.sup(&next)).unwrap_or_default();
        let extent = high - low;
        let mut content = Vec::new();
        content.extend([low.coords, extent].iter().flatten().flat_map(|number| number.to_le_bytes()));
        let mut stored = Vec::new();
        for part in &parts {
            let vertices = Vertices::of(part, low, extent);
            let mut described = material(part);
            if let Some(picture) = &part.material.picture {
                described["picture"] = self.picture(picture, pack)?.into();
                described["repeat"] = json!(picture.repeat);
            }
            content.extend_from_slice(described.to_string().as_bytes());
            content.extend(vertices.positions.iter().flat_map(|number| number.to_le_bytes()));
            content.extend(vertices.indices.iter().flat_map(|number| number.to_le_bytes()));
            content.extend(vertices.normals.iter().map(|number| number.cast_unsigned()));
            content.extend_from_slice(&vertices.colors);
            content.extend(vertices.places.iter().flat_map(|number| number.to_le_bytes()));
            stored.push((described, vertices));
        }
        if let Some(known) = self.known.get(&content) {
            return Ok(*known);
        }
        let parts: Vec<Value> =
            stored.into_iter().map(|(described, vertices)| vertices.store(described, pack)).collect();
        let (low, extent): ([f32; 3], [f32; 3]) = (low.coords.into(), extent.into());
        self.meshes.push(json!({ "low": low, "extent": extent, "parts": parts }));
        self.known.insert(content, self.meshes.len() - 1);
        Ok(self.meshes.len() - 1)
    }

    fn picture(&mut self, placed: &PlacedPicture, pack: &mut Pack) -> Result<usize, String> {
        let address = Arc::as_ptr(&placed.picture);
        if let Some((_, known)) = self.known_pictures.get(&address) {
            return Ok(*known);
        }
        let mut halved = None;
        while let pixels = halved.as_ref().unwrap_or(placed.picture.pixels())
            && pixels.width.max(pixels.height) > LONGEST_SIDE
        {
            halved = Some(half(pixels));
        }
        let pixels = halved.as_ref().unwrap_or(placed.picture.pixels());
        let bytes = bitmap::encoded(pixels.rgba.as_flattened(), pixels.width, pixels.height, ColorType::Rgba)?;
        self.pictures.push(pack.bytes(&bytes));
        let index = self.pictures.len() - 1;
        self.known_pictures.insert(address, (Arc::clone(&placed.picture), index));
        Ok(index)
    }
}

/// The picture with half as many pixels along each side.
fn half(pixels: &Pixels) -> Pixels {
    let (width, height) = (pixels.width.div_ceil(2), pixels.height.div_ceil(2));
    let mean = |x: u32, y: u32| {
        let mut sum = [0_u16; 4];
        for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let (x, y) = ((2 * x + dx).min(pixels.width - 1), (2 * y + dy).min(pixels.height - 1));
            let pixel = pixels.rgba.get(y as usize * pixels.width as usize + x as usize).copied().unwrap_or_default();
            sum = std::array::from_fn(|channel| sum[channel] + u16::from(pixel[channel]));
        }
        #[allow(clippy::cast_possible_truncation)]
        sum.map(|sum| (sum / 4) as u8)
    };
    let rgba = (0..height).flat_map(|y| (0..width).map(move |x| mean(x, y))).collect();
    Pixels { width, height, rgba }
}

fn material(part: &Part<'_>) -> Value {
    let Material { diffuse, emissive, specular, exponent, opacity, .. } = part.material;
    json!({
        "color": diffuse.0,
        "emissive": emissive.0,
        "gloss": specular.luminance(),
        "exponent": exponent,
        "opacity": opacity,
        "two_sided": part.two_sided,
    })
}

/// Position, normal, colour, and place on the picture: what makes a vertex the same as another.
type Quantized = ([u16; 3], [i8; 3], [u8; 3], [u32; 2]);

impl Vertices {
    fn of(part: &Part<'_>, low: Point3<f32>, extent: Vector3<f32>) -> Self {
        let mut known: HashMap<Quantized, u32> = HashMap::new();
        let mut vertices = Self::default();
        let is_colored = part.corners.iter().any(|corner| corner.color.0 != [1.0; 3]);
        for corner in &part.corners {
            let place = part.material.picture.as_ref().map(|picture| place(picture, corner)).unwrap_or_default();
            let position = quantized(corner.position, low, extent);
            let normal = short(&corner.normal);
            let color = corner.color.to_pixel();
            let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
            let index = *known.entry((position, normal, color, place.map(f32::to_bits))).or_insert(next);
            if index == next {
                vertices.positions.extend(position);
                vertices.normals.extend(normal);
                if is_colored {
                    vertices.colors.extend(color);
                }
                if part.material.picture.is_some() {
                    vertices.places.extend(place);
                }
            }
            vertices.indices.push(index);
        }
        vertices
    }

    /// Adds the arrays to the buffer, and their descriptions to that of the part.
    fn store(self, mut described: Value, pack: &mut Pack) -> Value {
        described["positions"] = pack.u16s(&self.positions, 3);
        described["normals"] = pack.i8s(&self.normals);
        described["indices"] = pack.u32s(&self.indices, 1);
        if !self.colors.is_empty() {
            described["colors"] = pack.u8s(&self.colors);
        }
        if !self.places.is_empty() {
            described["places"] = pack.f32s(&self.places);
        }
        described
    }
}

/// Fractions of the box, in 65535ths.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn quantized(position: Point3<f32>, low: Point3<f32>, extent: Vector3<f32>) -> [u16; 3] {
    std::array::from_fn(|axis| {
        let size = extent[axis];
        let fraction = if size > 0.0 { (position[axis] - low[axis]) / size } else { 0.0 };
        (fraction * 65535.0).round() as u16
    })
}

#[allow(clippy::cast_possible_truncation)]
fn short(normal: &Vector3<f32>) -> [i8; 3] {
    let unit = normal.try_normalize(0.0).unwrap_or(Vector3::z());
    [unit.x, unit.y, unit.z].map(|part| (part * 127.0).round() as i8)
}

/// Texture coordinates in the picture: to the right and down.
fn place(picture: &PlacedPicture, corner: &Corner) -> [f32; 2] {
    let place = picture.transform * Vector3::new(corner.texture.x, corner.texture.y, 1.0);
    [place.x, 1.0 - place.y].map(|part| if part.is_finite() { part } else { 0.0 })
}
