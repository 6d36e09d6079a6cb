//! Contact materials: how two surfaces rub and bounce.

use std::collections::BTreeMap;
use std::path::Path;

use bunraku_document::yaml::Document;
use bunraku_document::{Mapping, Reporter, SourceFile, Value};

use crate::LoadOptions;

/// What a contact between two materials does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactProperties {
    /// Coulomb friction coefficient at rest.
    pub static_friction: f64,
    /// Coulomb friction coefficient when sliding.
    pub dynamic_friction: f64,
    /// Ratio of the speeds after and before an impact, 0…1.
    pub restitution: f64,
}

/// Surface properties of one material, from which pairs without an entry are derived.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Surface {
    roughness: f64,
    viscosity: f64,
}

/// The default material, also that of links that name none or an unknown one.
const DEFAULT_SURFACE: Surface = Surface { roughness: 0.5, viscosity: 1.0 };
/// Name under which the default material is kept; the empty name means the same.
const DEFAULT_NAME: &str = "default";

/// A contact material table.
#[derive(Clone, Debug, Default)]
pub struct ContactMaterials {
    surfaces: BTreeMap<String, Surface>,
    /// By both names, the smaller one first.
    pairs: BTreeMap<(String, String), ContactProperties>,
}

impl ContactMaterials {
    /// Loads a table. Findings go to `reporter`; `None` means that at least one of them is an error.
    pub fn load(path: &Path, options: &LoadOptions, reporter: &Reporter) -> Option<Self> {
        let source = match SourceFile::read(path, &options.limits, reporter) {
            Ok(source) => source,
            Err(error) => {
                reporter.report(error.to_diagnostic());
                return None;
            }
        };
        let document = reporter.keep(Document::parse(&source, &options.limits, reporter))?;
        let mut table = Self::default();
        let top = Mapping::new(document.root(), "the material table", reporter)?;
        for value in items(&top, &["materials"]) {
            table.read_material(value, reporter);
        }
        for value in items(&top, &["contact_materials", "contactMaterials"]) {
            table.read_contact_material(value, reporter);
        }
        top.finish();
        (!reporter.has_errors()).then_some(table)
    }

    /// What happens between two materials; `None` is the default material.
    ///
    /// A pair without an entry in the table gets friction √(roughness₁·roughness₂) and restitution
    /// √((1 − viscosity₁)·(1 − viscosity₂)); a material the table does not know counts as the default one.
    pub fn between(&self, first: Option<&str>, second: Option<&str>) -> ContactProperties {
        let (first, second) = (canonical(first), canonical(second));
        if let Some(properties) = self.pairs.get(&pair_key(first, second)) {
            return *properties;
        }
        let (first, second) = (self.surface(first), self.surface(second));
        let friction = (first.roughness * second.roughness).max(0.0).sqrt();
        let bounce = (1.0 - first.viscosity).max(0.0) * (1.0 - second.viscosity).max(0.0);
        ContactProperties { static_friction: friction, dynamic_friction: friction, restitution: bounce.sqrt() }
    }

    fn surface(&self, name: &str) -> Surface {
        let known = self.surfaces.get(name).or_else(|| self.surfaces.get(DEFAULT_NAME));
        known.copied().unwrap_or(DEFAULT_SURFACE)
    }

    fn read_material(&mut self, value: Value<'_>, reporter: &Reporter) {
        let Some(mapping) = Mapping::new(value, "a material", reporter) else { return };
        let Some(name) = mapping.required(&["name"]).and_then(|name| reporter.keep(name.as_text())) else { return };
        let surface = Surface {
            roughness: mapping.number(&["roughness"]).unwrap_or(DEFAULT_SURFACE.roughness),
            viscosity: mapping.number(&["viscosity"]).unwrap_or(DEFAULT_SURFACE.viscosity),
        };
        // Materials carry data for many engines; what is not known here is theirs.
        self.surfaces.insert(canonical(Some(name)).to_owned(), surface);
    }

    fn read_contact_material(&mut self, value: Value<'_>, reporter: &Reporter) {
        let Some(mapping) = Mapping::new(value, "a contact material", reporter) else { return };
        let Some(names) = mapping.required(&["materials"]) else { return };
        let names: Vec<&str> =
            names.items().into_iter().flatten().filter_map(|name| reporter.keep(name.as_text())).collect();
        if names.len() < 2 {
            reporter.report(mapping.node().error("contact-pair", "a contact material names at least two materials"));
            return;
        }
        let friction = mapping.number(&["friction"]);
        let properties = ContactProperties {
            static_friction: mapping.number(&["static_friction", "staticFriction"]).or(friction).unwrap_or(0.5),
            dynamic_friction: mapping.number(&["dynamic_friction", "dynamicFriction"]).or(friction).unwrap_or(0.5),
            restitution: mapping.number(&["restitution"]).unwrap_or(0.0),
        };
        for (index, first) in names.iter().enumerate() {
            for second in &names[index + 1..] {
                self.pairs.insert(pair_key(canonical(Some(first)), canonical(Some(second))), properties);
            }
        }
    }
}

/// `default`, `Default` and no name are one and the same.
fn canonical(name: Option<&str>) -> &str {
    match name {
        None | Some("" | "Default") => DEFAULT_NAME,
        Some(name) => name,
    }
}

fn pair_key(first: &str, second: &str) -> (String, String) {
    let (first, second) = if first <= second { (first, second) } else { (second, first) };
    (first.to_owned(), second.to_owned())
}

fn items<'a>(top: &Mapping<'a, '_>, names: &[&'static str]) -> Vec<Value<'a>> {
    let Some(value) = top.get(names) else { return vec![] };
    match value.items() {
        Some(items) => items.collect(),
        None => {
            top.reporter().report(value.expected("a list"));
            vec![]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> ContactMaterials {
        let directory = std::env::temp_dir().join(format!("bunraku-materials-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let path = directory.join("materials.yaml");
        std::fs::write(&path, text).unwrap();
        let reporter = Reporter::new();
        let table = ContactMaterials::load(&path, &LoadOptions::default(), &reporter);
        std::fs::remove_dir_all(directory).unwrap();
        table.unwrap_or_else(|| panic!("{:?}", reporter.diagnostics()))
    }

    #[test]
    fn entries_and_derived_pairs() {
        let table = table(
            "materials:
  - { name: Default, roughness: 1.0, viscosity: 1.0 }
  - { name: Ball, roughness: 0.25, viscosity: 0.36 }
contact_materials:
  - { materials: [ Ground, Sole ], friction: 1.0 }
  - { materials: [ Default, Hand ], static_friction: 0.9, dynamic_friction: 0.8, restitution: 0.1 }
",
        );
        assert_eq!(table.between(Some("Sole"), Some("Ground")).static_friction, 1.0);
        assert_eq!(table.between(Some("Hand"), None).dynamic_friction, 0.8);
        // Derived: √(0.25·0.25) and √(0.64·0.64).
        let balls = table.between(Some("Ball"), Some("Ball"));
        assert!((balls.static_friction - 0.25).abs() < 1e-12 && (balls.restitution - 0.64).abs() < 1e-12);
        // A name nobody declared counts as the default material.
        assert_eq!(table.between(Some("Velvet"), None).static_friction, 1.0);
    }

    #[test]
    fn without_a_table_everything_has_friction_one_half() {
        let properties = ContactMaterials::default().between(None, Some("Ground"));
        assert_eq!((properties.static_friction, properties.restitution), (0.5, 0.0));
    }
}
