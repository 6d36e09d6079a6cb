use std::collections::HashMap;

use bunraku_document::Result;
use nalgebra::Vector3;
use roxmltree::NodeId;

use super::xml::{Element, Xml, child, children, descend, numbers};
use crate::mesh_file::MeshFile;
use crate::{Appearance, Texture, TextureTransform};

/// A material that is bound to a symbol of a geometry.
pub(super) struct Bound {
    pub(super) appearance: Appearance,
    /// Set of texture coordinates for its image, if the file specifies one.
    pub(super) texture_set: Option<u32>,
}

/// A material, and the name it uses for the texture coordinates of its image.
type Material = (Appearance, Option<String>);

/// Reads materials.
pub(super) struct MaterialReader<'a, 'f> {
    xml: &'f Xml<'a>,
    file: &'f MeshFile<'f>,
    materials: HashMap<NodeId, Material>,
}

/// A colour with alpha, or an image.
enum Paint {
    Color([f64; 4]),
    Picture(Texture, Option<String>),
}

impl<'a, 'f> MaterialReader<'a, 'f> {
    pub(super) fn new(xml: &'f Xml<'a>, file: &'f MeshFile<'f>) -> Self {
        Self { xml, file, materials: HashMap::new() }
    }

    /// The materials that an instance of a geometry binds, by their symbols.
    pub(super) fn bindings(&mut self, instance: Element<'a>) -> Result<HashMap<&'a str, Bound>> {
        let mut bindings = HashMap::new();
        let Some(list) = descend(instance, &["bind_material", "technique_common"]) else { return Ok(bindings) };
        for binding in children(list, "instance_material") {
            let Some(symbol) = binding.attribute("symbol") else { continue };
            let Some(target) = self.xml.target(binding, "target") else {
                let message = format!("the material bound to `{symbol}` does not exist");
                self.file.warn("collada-broken-link", message, self.xml.line(binding));
                continue;
            };
            let (appearance, semantic) = self.material(target)?;
            let set =
                children(binding, "bind_vertex_input").find(|input| input.attribute("semantic") == semantic.as_deref());
            let texture_set = set.and_then(|input| input.attribute("input_set")?.trim().parse().ok());
            bindings.insert(symbol, Bound { appearance, texture_set });
        }
        Ok(bindings)
    }

    /// Material for a symbol without binding: some programs write the id of the material as symbol.
    pub(super) fn unbound(&mut self, symbol: &str, line: u32) -> Result<Appearance> {
        match self.xml.by_id(symbol).filter(|element| element.tag_name().name() == "material") {
            Some(material) => Ok(self.material(material)?.0),
            None => {
                self.file.warn("collada-broken-link", format!("no material is bound to `{symbol}`"), line);
                Ok(Appearance::default())
            }
        }
    }

    fn material(&mut self, material: Element<'a>) -> Result<Material> {
        if let Some(known) = self.materials.get(&material.id()) {
            return Ok(known.clone());
        }
        let instance = child(material, "instance_effect");
        let effect = instance.and_then(|instance| self.xml.target(instance, "url"));
        let found = match effect.and_then(|effect| Some((effect, child(effect, "profile_COMMON")?))) {
            Some((effect, profile)) => self.effect(effect, profile)?,
            None => {
                let name = material.attribute("name").or_else(|| material.attribute("id")).unwrap_or_default();
                let message = format!("the material `{name}` has no effect of the common profile; it is shown white");
                self.file.warn("collada-unsupported", message, self.xml.line(material));
                Material::default()
            }
        };
        self.materials.insert(material.id(), found.clone());
        Ok(found)
    }

    fn effect(&self, effect: Element<'a>, profile: Element<'a>) -> Result<Material> {
        let mut appearance = Appearance::default();
        let mut semantic = None;
        let Some(technique) = child(profile, "technique") else { return Ok((appearance, semantic)) };
        let model = ["phong", "blinn", "lambert", "constant"].into_iter().find_map(|model| child(technique, model));
        let Some(model) = model else { return Ok((appearance, semantic)) };
        let scope = Scope { xml: self.xml, file: self.file, levels: [technique, profile, effect] };

        match scope.paint(model, "diffuse")? {
            Some(Paint::Color(color)) => appearance.diffuse = rgb(color),
            Some(Paint::Picture(texture, name)) => {
                appearance.texture = Some(texture);
                semantic = name;
            }
            None if model.tag_name().name() == "constant" => appearance.diffuse = Vector3::zeros(),
            None => {}
        }
        if let Some(Paint::Color(color)) = scope.paint(model, "emission")? {
            appearance.emissive = rgb(color);
        }
        if let Some(Paint::Color(color)) = scope.paint(model, "specular")? {
            appearance.specular = rgb(color);
        }
        if let Some(shininess) = scope.number(model, "shininess")? {
            appearance.specular_exponent = shininess.max(0.0);
        }
        appearance.transparency = self.transparency(model, &scope)?;
        Ok((appearance, semantic))
    }

    /// COLLADA 1.4 §7 "Determining transparency". Without `<transparent>` the material is opaque, because programs that
    /// omit it write arbitrary `<transparency>` values. A value that would make the material invisible is such an
    /// error, too.
    fn transparency(&self, model: Element<'a>, scope: &Scope<'a, '_>) -> Result<f64> {
        let Some(element) = child(model, "transparent") else { return Ok(0.0) };
        let Some(Paint::Color([red, green, blue, alpha])) = scope.paint(model, "transparent")? else { return Ok(0.0) };
        let factor = scope.number(model, "transparency")?.unwrap_or(1.0);
        let luminance = 0.212671 * red + 0.715160 * green + 0.072169 * blue;
        let opacity = match element.attribute("opaque").unwrap_or("A_ONE") {
            "RGB_ZERO" => 1.0 - luminance * factor,
            "RGB_ONE" => luminance * factor,
            "A_ZERO" => 1.0 - alpha * factor,
            _ => alpha * factor,
        };
        if opacity <= 0.0 {
            let message = "a material would be invisible, which is a frequent error of exporters; it is shown opaque";
            self.file.warn("collada-invisible", message, self.xml.line(element));
            return Ok(0.0);
        }
        Ok(1.0 - opacity.min(1.0))
    }
}

fn rgb([red, green, blue, _]: [f64; 4]) -> Vector3<f64> {
    Vector3::new(red, green, blue)
}

/// Scopes that declare parameters of an effect, innermost first.
struct Scope<'a, 'f> {
    xml: &'f Xml<'a>,
    file: &'f MeshFile<'f>,
    levels: [Element<'a>; 3],
}

impl<'a> Scope<'a, '_> {
    fn param(&self, sid: &str) -> Option<Element<'a>> {
        let mut params = self.levels.into_iter().flat_map(|level| children(level, "newparam"));
        params.find(|param| param.attribute("sid") == Some(sid))
    }

    /// Child of a shading model, and the parameter it may refer to.
    fn value(&self, model: Element<'a>, name: &'static str) -> Option<Element<'a>> {
        let element = child(model, name)?;
        match child(element, "param").and_then(|param| param.attribute("ref")) {
            Some(sid) => self.param(sid),
            None => Some(element),
        }
    }

    fn paint(&self, model: Element<'a>, name: &'static str) -> Result<Option<Paint>> {
        let Some(value) = self.value(model, name) else { return Ok(None) };
        if let Some(texture) = child(value, "texture") {
            let picture = self.picture(texture);
            return Ok(picture.map(|picture| Paint::Picture(picture, texture.attribute("texcoord").map(str::to_owned))));
        }
        let color = ["color", "float4", "float3"].into_iter().find_map(|kind| child(value, kind));
        let Some(color) = color else { return Ok(None) };
        let found: Vec<f64> = numbers(color, self.xml, self.file)?;
        let mut rgba = [0.0, 0.0, 0.0, 1.0];
        if found.len() < 3 || !found.iter().all(|value| value.is_finite()) {
            let message = format!("the {name} colour is not three or four finite numbers; it is left out");
            self.file.warn("collada-malformed", message, self.xml.line(color));
            return Ok(None);
        }
        rgba.iter_mut().zip(found).for_each(|(value, found)| *value = found.clamp(0.0, 1.0));
        Ok(Some(Paint::Color(rgba)))
    }

    fn number(&self, model: Element<'a>, name: &'static str) -> Result<Option<f64>> {
        let Some(number) = self.value(model, name).and_then(|value| child(value, "float")) else { return Ok(None) };
        let found: Vec<f64> = numbers(number, self.xml, self.file)?;
        Ok(found.first().copied().filter(|value| value.is_finite()))
    }

    /// Image of a `<texture>`: resolved through a sampler and, in COLLADA 1.4, a surface.
    fn picture(&self, texture: Element<'a>) -> Option<Texture> {
        let name = texture.attribute("texture")?;
        let line = self.xml.line(texture);
        let sampler = self.param(name).and_then(|param| child(param, "sampler2D"));
        let image = match sampler {
            Some(sampler) => match child(sampler, "instance_image") {
                Some(instance) => self.xml.target(instance, "url"),
                None => {
                    let surface = child(sampler, "source").and_then(|source| source.text());
                    let surface = surface.and_then(|sid| self.param(sid.trim()));
                    let image = surface.and_then(|param| descend(param, &["surface", "init_from"]));
                    image.and_then(|image| image.text()).and_then(|id| self.xml.by_id(id.trim()))
                }
            },
            // Some programs refer to the image directly.
            None => self.xml.by_id(name),
        };
        let origin = image.and_then(|image| child(image, "init_from"));
        let origin = origin.map(|origin| child(origin, "ref").unwrap_or(origin)).and_then(|origin| origin.text());
        let Some(reference) = origin.map(str::trim).filter(|reference| !reference.is_empty()) else {
            let message = format!("the texture `{name}` leads to no image file; it is left out");
            self.file.warn("collada-broken-link", message, line);
            return None;
        };
        let repeat = ["wrap_s", "wrap_t"].map(|wrap| {
            let mode = sampler.and_then(|sampler| child(sampler, wrap)).and_then(|mode| mode.text());
            !matches!(mode.map(str::trim), Some("CLAMP" | "BORDER" | "NONE"))
        });
        Some(Texture { image: self.file.texture(reference, line)?, repeat, transform: TextureTransform::default() })
    }
}
