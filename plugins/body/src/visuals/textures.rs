//! Conversion of texture images to Bevy images.

use std::path::Path;

use bevy::asset::RenderAssetUsages;
use bevy::image::{ImageAddressMode, ImageSampler, ImageSamplerDescriptor};
use bevy::prelude::*;
use bevy::render::render_resource::{Extent3d, TextureDimension, TextureFormat};
use bunraku_document::{Diagnostic, Limits, read_bytes};
use bunraku_mesh::{Pixels, Texture, TextureImage, decode_picture};
use image::RgbaImage;

use super::cache::{Identity, ImageKey, ImageSource};
use super::drawing::Drawing;

/// Maximum size of a side, pixels: the limit that WebGPU guarantees for every graphics card.
const MAX_TEXTURE_SIDE: u32 = 8192;

/// The image, and whether it contains transparent pixels. An invalid image is reported, once for each body.
pub fn draw(texture: &Texture, drawing: &mut Drawing) -> Option<(Handle<Image>, bool)> {
    let key = key(texture);
    let known = drawing.cache.images.get(&key).copied();
    if let Some((id, see_through)) = known
        && let Some(image) = drawing.images.get_strong_handle(id)
    {
        return Some((image, see_through));
    }
    let pixels = match read(&texture.image) {
        Ok(pixels) => pixels,
        Err(reason) => {
            let name = match &texture.image {
                TextureImage::File(path) => format!("the picture {}", path.display()),
                TextureImage::Encoded(_) | TextureImage::Pixels(_) => "a picture inside the model".to_owned(),
            };
            let diagnostic = Diagnostic::warning("unreadable-texture", format!("{name} is not shown: {reason}"));
            if !drawing.diagnostics.iter().any(|known| known.message == diagnostic.message) {
                drawing.diagnostics.push(diagnostic);
            }
            return None;
        }
    };
    let see_through = pixels.pixels().any(|pixel| pixel.0[3] < u8::MAX);
    let image = drawing.images.add(to_bevy(pixels, texture.repeat));
    drawing.cache.images.insert(key, (image.id(), see_through));
    Some((image, see_through))
}

/// Source data of a texture's image.
pub fn key(texture: &Texture) -> ImageKey {
    let source = match &texture.image {
        TextureImage::File(path) => ImageSource::File(path.clone()),
        TextureImage::Encoded(bytes) => ImageSource::Encoded(Identity::of(bytes)),
        TextureImage::Pixels(pixels) => ImageSource::Pixels(Identity::of(pixels)),
    };
    ImageKey { source, repeat: texture.repeat }
}

fn read(image: &TextureImage) -> Result<RgbaImage, String> {
    match image {
        TextureImage::File(path) => read_file(path),
        TextureImage::Encoded(bytes) => decode(bytes),
        TextureImage::Pixels(pixels) => from_pixels(pixels),
    }
}

fn read_file(path: &Path) -> Result<RgbaImage, String> {
    let bytes = read_bytes(path, &Limits::default()).map_err(|error| error.to_string())?;
    decode(&bytes)
}

fn decode(bytes: &[u8]) -> Result<RgbaImage, String> {
    let image = decode_picture(bytes, MAX_TEXTURE_SIDE).map_err(|error| error.to_string())?;
    check_size(image.width(), image.height())?;
    Ok(image.into_rgba8())
}

fn from_pixels(pixels: &Pixels) -> Result<RgbaImage, String> {
    check_size(pixels.width, pixels.height)?;
    let bytes = pixels.rgba.iter().flatten().copied().collect();
    RgbaImage::from_raw(pixels.width, pixels.height, bytes).ok_or_else(|| "it has too few pixels".to_owned())
}

fn check_size(width: u32, height: u32) -> Result<(), String> {
    let allowed = 1..=MAX_TEXTURE_SIDE;
    if allowed.contains(&width) && allowed.contains(&height) {
        Ok(())
    } else {
        Err(format!("it measures {width}×{height} pixels; 1 to {MAX_TEXTURE_SIDE} are possible"))
    }
}

fn to_bevy(pixels: RgbaImage, repeat: [bool; 2]) -> Image {
    let size = Extent3d { width: pixels.width(), height: pixels.height(), depth_or_array_layers: 1 };
    let format = TextureFormat::Rgba8UnormSrgb;
    let mut image = Image::new(size, TextureDimension::D2, pixels.into_raw(), format, RenderAssetUsages::default());
    let [along_s, along_t] =
        repeat.map(|repeat| if repeat { ImageAddressMode::Repeat } else { ImageAddressMode::ClampToEdge });
    image.sampler = ImageSampler::Descriptor(ImageSamplerDescriptor {
        address_mode_u: along_s,
        address_mode_v: along_t,
        ..ImageSamplerDescriptor::linear()
    });
    image
}
