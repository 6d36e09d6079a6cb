//! Materials and textures.

use std::rc::Rc;

use bunraku_mesh::{Texture, TextureImage, TextureTransform};

use super::Writer;
use super::yaml::{Map, Node, text};
use crate::Appearance;

impl Writer<'_> {
    /// Properties that differ from the defaults, if any.
    pub(super) fn appearance(&self, appearance: &Appearance) -> Option<Node> {
        const WORD: &str = "appearance";
        let mut map = Map::default();
        let material = self.material(appearance);
        if !material.is_empty() {
            map.set("material", material.into());
        }
        if let Some(texture) = &appearance.texture {
            map.set("texture", self.texture(texture).into());
            let transform = self.texture_transform(&texture.transform);
            if !transform.is_empty() {
                map.set("texture_transform", transform.into());
            }
        }
        (!map.is_empty()).then(|| Node::Shared(WORD, Rc::new(map.into())))
    }

    fn material(&self, appearance: &Appearance) -> Map {
        let default = Appearance::default();
        let mut map = Map::default();
        self.vector_unless(&mut map, "diffuse", appearance.diffuse.as_slice(), default.diffuse.as_slice());
        self.vector_unless(&mut map, "emissive", appearance.emissive.as_slice(), default.emissive.as_slice());
        self.vector_unless(&mut map, "specular", appearance.specular.as_slice(), default.specular.as_slice());
        let numbers = [
            ("specular_exponent", appearance.specular_exponent, default.specular_exponent),
            ("ambient", appearance.ambient, default.ambient),
            ("transparency", appearance.transparency, default.transparency),
        ];
        for (key, number, default) in numbers {
            self.number_unless(&mut map, key, number, default);
        }
        map
    }

    fn texture(&self, texture: &Texture) -> Map {
        let mut map = Map::default();
        let uri = match &texture.image {
            TextureImage::File(path) => self.uri(path),
            image => self.picture(image),
        };
        map.scalar("uri", text(&uri));
        if texture.repeat != [true; 2] {
            map.set("repeat", Node::Flow(texture.repeat.map(|flag| flag.to_string()).to_vec(), 2));
        }
        map
    }

    fn texture_transform(&self, transform: &TextureTransform) -> Map {
        let default = TextureTransform::default();
        let mut map = Map::default();
        self.vector_unless(&mut map, "center", transform.center.as_slice(), default.center.as_slice());
        self.angle_unless(&mut map, "rotation", transform.rotation, default.rotation);
        self.vector_unless(&mut map, "scale", transform.scale.as_slice(), default.scale.as_slice());
        self.vector_unless(&mut map, "translation", transform.translation.as_slice(), default.translation.as_slice());
        map
    }
}
