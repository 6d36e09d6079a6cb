//! Conversion of texture images to Bevy images.

use std::sync::Arc;

use bevy::asset::RenderAssetUsages;
use bevy::image::{ImageAddressMode, ImageSampler, ImageSamplerDescriptor};
use bevy::prelude::*;
use bevy::render::render_resource::{Extent3d, TextureDimension, TextureFormat};
use bunraku_document::Diagnostic;
use bunraku_mesh::{MAX_TEXTURE_SIDE, Pixels, Texture, TextureImage};

use super::cache::{Identity, ImageKey, ImageSource};
use super::drawing::Drawing;

/// The image, and whether it contains transparent pixels. An invalid image is reported, once for each body.
pub fn draw(texture: &Texture, drawing: &mut Drawing) -> Option<(Handle<Image>, bool)> {
    let key = key(texture);
    let known = drawing.cache.images.get(&key).copied();
    if let Some((id, see_through)) = known
        && let Some(image) = drawing.images.get_strong_handle(id)
    {
        return Some((image, see_through));
    }
    let pixels = match texture.image.pixels(MAX_TEXTURE_SIDE) {
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
    let see_through = pixels.rgba.iter().any(|pixel| pixel[3] < u8::MAX);
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

fn to_bevy(pixels: Arc<Pixels>, repeat: [bool; 2]) -> Image {
    let size = Extent3d { width: pixels.width, height: pixels.height, depth_or_array_layers: 1 };
    let format = TextureFormat::Rgba8UnormSrgb;
    let bytes = Arc::unwrap_or_clone(pixels).rgba.into_flattened();
    let mut image = Image::new(size, TextureDimension::D2, bytes, format, RenderAssetUsages::default());
    let [along_s, along_t] =
        repeat.map(|repeat| if repeat { ImageAddressMode::Repeat } else { ImageAddressMode::ClampToEdge });
    image.sampler = ImageSampler::Descriptor(ImageSamplerDescriptor {
        address_mode_u: along_s,
        address_mode_v: along_t,
        ..ImageSamplerDescriptor::linear()
    });
    image
}
