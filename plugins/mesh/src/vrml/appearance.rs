//! Materials and textures.

use std::sync::Arc;

use nalgebra::{Vector2, Vector3};

use super::convert::FINITE;
use super::{Converter, Image, Location, Node, NodeType, StandardNode, Value};
use crate::{Appearance, Pixels, Texture, TextureImage, TextureTransform};

impl Converter<'_> {
    /// Appearance of a `Shape` node.
    pub(super) fn appearance(&mut self, standard: &StandardNode) -> Appearance {
        let Some((node, standard)) = self.slot(standard, "appearance", &[NodeType::Appearance]) else {
            return Appearance::default();
        };
        if let Some((_, appearance)) = self.appearances.get(&Arc::as_ptr(node)) {
            return appearance.clone();
        }
        let mut appearance = match self.slot(standard, "material", &[NodeType::Material]) {
            Some((node, material)) => self.material(node, material),
            // The original uses the renderer's default here; VRML97 defines this one.
            None => Appearance::default(),
        };
        appearance.texture = self.texture(standard);
        self.appearances.insert(Arc::as_ptr(node), (Arc::clone(node), appearance.clone()));
        appearance
    }

    fn material(&self, node: &Arc<Node>, material: &StandardNode) -> Appearance {
        let usable = |name: &str, numbers: &[f64]| {
            let finite = numbers.iter().all(|number| number.is_finite());
            if !finite {
                let at = material.location(name).unwrap_or(node.location);
                self.warn(at, "not-finite", format!("`{name}` is not finite; the standard value is used"), FINITE);
            }
            finite
        };
        let cut = |name: &str, numbers: &mut [f64]| {
            if !numbers.iter().all(|number| (0.0..=1.0).contains(number)) {
                let at = material.location(name).unwrap_or(node.location);
                let message = format!("`{name}` of a material goes from 0 to 1: values beyond are clamped");
                let help = "write numbers from 0 to 1; Choreonoid accepts others";
                self.warn(at, "out-of-range", message, help);
            }
            numbers.iter_mut().for_each(|number| *number = number.clamp(0.0, 1.0));
        };
        let color = |name, default| {
            let color = material.color(name, default);
            let mut color = if usable(name, &color) { color } else { default };
            cut(name, &mut color);
            Vector3::from(color)
        };
        let number = |name, default| {
            let number = material.number(name, default);
            let mut number = [if usable(name, &[number]) { number } else { default }];
            cut(name, &mut number);
            number[0]
        };
        Appearance {
            diffuse: color("diffuseColor", [0.8; 3]),
            emissive: color("emissiveColor", [0.0; 3]),
            specular: color("specularColor", [0.0; 3]),
            // The original's conversion from VRML's 0…1 to a Phong exponent.
            specular_exponent: 127.0 * number("shininess", 0.2) + 1.0,
            ambient: number("ambientIntensity", 0.2),
            transparency: number("transparency", 0.0),
            texture: None,
        }
    }

    fn texture(&mut self, appearance: &StandardNode) -> Option<Texture> {
        let allowed = [NodeType::ImageTexture, NodeType::PixelTexture, NodeType::MovieTexture];
        let (node, texture) = self.slot(appearance, "texture", &allowed)?;
        let image = match texture.node_type {
            NodeType::PixelTexture => match texture.value("image") {
                Some(Value::SFImage(image)) => {
                    let at = texture.location("image").unwrap_or(node.location);
                    TextureImage::Pixels(self.pixels(image, at)?)
                }
                _ => return None,
            },
            NodeType::MovieTexture => {
                self.mention(node.location, NodeType::MovieTexture, "films on surfaces are not shown");
                return None;
            }
            _ => self.image_file(node, texture)?,
        };
        let transform = self.slot(appearance, "textureTransform", &[NodeType::TextureTransform]);
        let transform = transform.map(|(node, transform)| self.texture_transform(node, transform));
        Some(Texture {
            image,
            repeat: [texture.flag("repeatS", true), texture.flag("repeatT", true)],
            transform: transform.unwrap_or_default(),
        })
    }

    fn texture_transform(&self, node: &Arc<Node>, standard: &StandardNode) -> TextureTransform {
        let pair = |name, default| Vector2::from(standard.pair(name, default));
        let transform = TextureTransform {
            center: pair("center", [0.0; 2]),
            rotation: standard.number("rotation", 0.0),
            scale: pair("scale", [1.0; 2]),
            translation: pair("translation", [0.0; 2]),
        };
        let pairs = [transform.center, transform.scale, transform.translation];
        if transform.rotation.is_finite() && pairs.iter().flatten().all(|number| number.is_finite()) {
            return transform;
        }
        let message = "the numbers of this `TextureTransform` are not finite; it has no effect";
        self.warn(node.location, "not-finite", message.to_owned(), FINITE);
        TextureTransform::default()
    }

    /// The first of the listed files that exists.
    fn image_file(&self, node: &Arc<Node>, texture: &StandardNode) -> Option<TextureImage> {
        let mut missing = None;
        for url in texture.strings("url").iter().filter(|url| !url.is_empty()) {
            match self.find(url) {
                Ok(path) => return Some(TextureImage::File(path)),
                Err(error) => missing = missing.or(Some(error)),
            }
        }
        if let Some(error) = missing {
            let error = error.to_diagnostic();
            let at = texture.location("url").unwrap_or(node.location);
            let message = format!("a picture is left out: {}", error.message);
            self.warn(at, error.code, message, error.help.as_deref().unwrap_or("is the file what it should be?"));
        }
        None
    }

    fn pixels(&mut self, image: &Arc<Image>, at: Location) -> Option<Arc<Pixels>> {
        if let Some((_, pixels)) = self.pixels.get(&Arc::as_ptr(image)) {
            return pixels.clone();
        }
        let pixels = rgba(image).map(Arc::new);
        if pixels.is_none() && image.width > 0 && image.height > 0 {
            self.warn(at, "bad-image", "the image has no components".to_owned(), "give 1 to 4 components");
        }
        self.pixels.insert(Arc::as_ptr(image), (Arc::clone(image), pixels.clone()));
        pixels
    }
}

/// Pixels of an image, from the top; `None` if it is empty.
fn rgba(image: &Image) -> Option<Pixels> {
    let components = usize::from(image.components);
    let row = components * image.width as usize;
    if row == 0 || image.height == 0 {
        return None;
    }
    let pixel = |numbers: &[u8]| match *numbers {
        [grey] => [grey, grey, grey, 255],
        [grey, alpha] => [grey, grey, grey, alpha],
        [red, green, blue] => [red, green, blue, 255],
        [red, green, blue, alpha, ..] => [red, green, blue, alpha],
        [] => [0; 4],
    };
    let rows = image.data.chunks_exact(row).rev();
    let rgba = rows.flat_map(|row| row.chunks_exact(components).map(pixel)).collect();
    Some(Pixels { width: image.width, height: image.height, rgba })
}
