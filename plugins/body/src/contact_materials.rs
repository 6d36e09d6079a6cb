//! Contact materials: friction and restitution of pairs of surfaces.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;

use bunraku_document::yaml::Document;
use bunraku_document::{Mapping, Reporter, SourceFile, Value};

use crate::LoadOptions;

/// Contact properties of a pair of materials.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactProperties {
    /// Coulomb friction coefficient at rest.
    pub static_friction: f64,
    /// Coulomb friction coefficient when sliding.
    pub dynamic_friction: f64,
    /// Ratio of the speeds after and before an impact, 0…1.
    pub restitution: f64,
    /// Selection of contact points.
    pub culling: ContactCulling,
}

/// Selection of the contact points of two surfaces. By default all points are used.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactCulling {
    /// Points deeper than this are ignored, m (`cullingDepth`).
    pub depth: Option<f64>,
    /// Points closer to a deeper one than this are ignored, m (`cullingDistance`). As in Choreonoid it applies only
    /// with `max_num_contact_points: 0`.
    pub distance: Option<f64>,
    /// Maximum number of points: the deepest one, then those farthest from the others (`max_num_contact_points`).
    pub max_points: Option<NonZeroUsize>,
}

/// Surface properties of one material; used for pairs without an entry.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Surface {
    roughness: f64,
    viscosity: f64,
}

/// The default material, also used for links without a material or with an unknown one.
const DEFAULT_SURFACE: Surface = Surface { roughness: 0.5, viscosity: 1.0 };
/// Largest coefficient of a table. Friction is meaningless far below it.
const MOST_FRICTION: f64 = 1e6;
/// Name of the default material in the table; the empty name is a synonym.
const DEFAULT_NAME: &str = "default";

/// A contact material table.
#[derive(Clone, Debug, Default)]
pub struct ContactMaterials {
    surfaces: BTreeMap<String, Surface>,
    /// By both names, in alphabetical order.
    pairs: BTreeMap<(String, String), ContactProperties>,
}

impl ContactMaterials {
    /// Loads a table; warnings are dropped, and `${SHARE}` is not set.
    ///
    /// # Errors
    /// The first error, with its location.
    pub fn open(path: impl AsRef<Path>) -> bunraku_document::Result<Self> {
        let (path, reporter) = (path.as_ref(), Reporter::new());
        Self::load(path, &LoadOptions::default(), &reporter).ok_or_else(|| reporter.into_error(path))
    }

    /// Loads a table. Findings go to `reporter`. `None` if at least one of them is an error.
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

    /// Adds another table, which has precedence. Returns the entries that differ: names of materials, and pairs in the
    /// form `A` and `B`, in alphabetical order.
    pub fn merge(&mut self, later: Self) -> Vec<String> {
        let mut different = Vec::new();
        for (name, surface) in later.surfaces {
            if self.surfaces.insert(name.clone(), surface).is_some_and(|before| before != surface) {
                different.push(format!("`{name}`"));
            }
        }
        for (pair, properties) in later.pairs {
            let (first, second) = &pair;
            let name = format!("`{first}` and `{second}`");
            if self.pairs.insert(pair, properties).is_some_and(|before| before != properties) {
                different.push(name);
            }
        }
        different
    }

    /// Contact properties of two materials; `None` is the default material.
    ///
    /// A pair without an entry in the table gets friction √(roughness₁·roughness₂) and restitution √((1 −
    /// viscosity₁)·(1 − viscosity₂)). Unknown materials count as the default one.
    pub fn between(&self, first: Option<&str>, second: Option<&str>) -> ContactProperties {
        let (first, second) = (canonical(first), canonical(second));
        if let Some(properties) = self.pairs.get(&pair_key(first, second)) {
            return *properties;
        }
        let (first, second) = (self.surface(first), self.surface(second));
        let friction = (first.roughness * second.roughness).max(0.0).sqrt();
        let bounce = (1.0 - first.viscosity).max(0.0) * (1.0 - second.viscosity).max(0.0);
        ContactProperties {
            static_friction: friction,
            dynamic_friction: friction,
            restitution: bounce.sqrt(),
            culling: ContactCulling::default(),
        }
    }

    fn surface(&self, name: &str) -> Surface {
        let known = self.surfaces.get(name).or_else(|| self.surfaces.get(DEFAULT_NAME));
        known.copied().unwrap_or(DEFAULT_SURFACE)
    }

    fn read_material(&mut self, value: Value<'_>, reporter: &Reporter) {
        let Some(mapping) = Mapping::new(value, "a material", reporter) else { return };
        let Some(name) = mapping.required(&["name"]).and_then(|name| reporter.keep(name.as_text())) else { return };
        let surface = Surface {
            roughness: coefficient(&mapping, &["roughness"]).unwrap_or(DEFAULT_SURFACE.roughness),
            viscosity: coefficient(&mapping, &["viscosity"]).unwrap_or(DEFAULT_SURFACE.viscosity),
        };
        // Materials contain data for many engines; unknown keys are theirs.
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
        let friction = coefficient(&mapping, &["friction"]);
        let properties = ContactProperties {
            static_friction: coefficient(&mapping, &["static_friction", "staticFriction"]).or(friction).unwrap_or(0.5),
            dynamic_friction: coefficient(&mapping, &["dynamic_friction", "dynamicFriction"])
                .or(friction)
                .unwrap_or(0.5),
            restitution: coefficient(&mapping, &["restitution"]).unwrap_or(0.0),
            culling: read_culling(&mapping),
        };
        for (index, first) in names.iter().enumerate() {
            for second in names.iter().skip(index + 1) {
                self.pairs.insert(pair_key(canonical(Some(first)), canonical(Some(second))), properties);
            }
        }
    }
}

/// A coefficient of friction, roughness, viscosity or restitution. One that is negative or too large is limited, with a
/// warning: products of coefficients must be finite.
fn coefficient(mapping: &Mapping<'_, '_>, names: &[&'static str]) -> Option<f64> {
    let number = mapping.number(names)?;
    let limited = number.clamp(0.0, MOST_FRICTION);
    if limited != number
        && let Some(value) = mapping.get(names)
    {
        let warning = value.warning("coefficient-range", format!("a coefficient of {number} is used as {limited}"));
        mapping.reporter().report(warning.help(format!("write a number from 0 to {MOST_FRICTION}")));
    }
    Some(limited)
}

fn read_culling(mapping: &Mapping<'_, '_>) -> ContactCulling {
    let reporter = mapping.reporter();
    if let Some(value) = mapping.get(&["collisionHandler", "collision_handler"]) {
        let message = "`collisionHandler` names code of a Choreonoid plugin: the contact is computed as any other";
        reporter.report(value.warning("collision-handler", message));
    }
    let length = |names: &[&'static str]| {
        mapping.read(names, |value, reporter| {
            let length = value.as_number(reporter)?;
            if length < 0.0 {
                return Err(Box::new(value.error("negative-length", format!("a length of {length} m is negative"))));
            }
            Ok(length)
        })
    };
    let depth = length(&["cullingDepth", "culling_depth"]);
    let distance = length(&["cullingDistance", "culling_distance"]);
    let max_points = mapping.read(&["max_num_contact_points", "maxNumContactPoints"], |value, reporter| {
        let number = value.as_integer(reporter)?;
        usize::try_from(number).map_err(|_| {
            Box::new(value.error("negative-number", format!("{number} points are not a number of points")))
        })
    });
    if let (Some(_), Some(value)) =
        (distance.filter(|_| max_points != Some(0)), mapping.get(&["cullingDistance", "culling_distance"]))
    {
        let message = "`cullingDistance` has no effect: it applies only if the number of points is not limited";
        reporter.report(
            value.warning("idle-culling-distance", message).help("write `max_num_contact_points: 0` beside it"),
        );
    }
    ContactCulling {
        depth,
        distance: distance.filter(|_| max_points == Some(0)),
        max_points: max_points.and_then(NonZeroUsize::new),
    }
}

/// Canonical name: `default`, `Default` and no name are the same material.
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

    fn load(text: &str, reporter: &Reporter) -> Option<ContactMaterials> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("materials.yaml");
        std::fs::write(&path, text).unwrap();
        ContactMaterials::load(&path, &LoadOptions::default(), reporter)
    }

    fn table(text: &str) -> ContactMaterials {
        let reporter = Reporter::new();
        load(text, &reporter).unwrap_or_else(|| panic!("{:?}", reporter.diagnostics()))
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
        // An unknown name counts as the default material.
        assert_eq!(table.between(Some("Velvet"), None).static_friction, 1.0);
    }

    #[test]
    fn the_last_of_several_tables_has_precedence() {
        let mut first = table(
            "materials: [ { name: A, roughness: 0.2 }, { name: B, roughness: 0.3 } ]
contact_materials:
  - { materials: [ A, B ], friction: 0.1 }
  - { materials: [ A, C ], friction: 0.2 }
",
        );
        let second = table(
            "materials: [ { name: A, roughness: 0.2 }, { name: B, roughness: 0.4 } ]
contact_materials:
  - { materials: [ C, A ], friction: 0.9 }
  - { materials: [ A, D ], friction: 0.4 }
",
        );
        assert_eq!(first.merge(second.clone()), ["`B`", "`A` and `C`"]);
        let friction = |other| first.between(Some("A"), Some(other)).static_friction;
        assert_eq!(["B", "C", "D"].map(friction), [0.1, 0.9, 0.4]);
        // Equal entries are no contradiction.
        assert!(first.merge(second).is_empty());
    }

    #[test]
    fn ignored_contact_points() {
        let table = table(
            "contact_materials:
  - { materials: [ A, B ], cullingDepth: 0.01, cullingDistance: 0.005, max_num_contact_points: 0 }
  - { materials: [ A, C ], max_num_contact_points: 2 }
  - { materials: [ A, D ], cullingDistance: 0.005 }
",
        );
        let culling = |other: &str| table.between(Some("A"), Some(other)).culling;
        assert_eq!(culling("B"), ContactCulling { depth: Some(0.01), distance: Some(0.005), max_points: None });
        assert_eq!(culling("C"), ContactCulling { max_points: NonZeroUsize::new(2), ..ContactCulling::default() });
        assert_eq!(culling("D"), ContactCulling::default());
        assert_eq!(culling("E"), ContactCulling::default());
    }

    #[test]
    fn ineffective_and_invalid_values_are_reported_with_a_location() {
        let text = "contact_materials:
  - { materials: [ A, B ], collisionHandler: Fancy }
  - { materials: [ A, C ], cullingDistance: 0.005 }
  - { materials: [ A, D ], cullingDepth: -1 }
  - { materials: [ A, E ], max_num_contact_points: -1 }
";
        let reporter = Reporter::new();
        assert!(load(text, &reporter).is_none());
        let found: Vec<_> = reporter
            .diagnostics()
            .iter()
            .map(|found| {
                let line = found.place.as_ref().and_then(|place| place.span).map(|span| span.start.line);
                (found.code, line)
            })
            .collect();
        let expected = [
            ("collision-handler", Some(2)),
            ("idle-culling-distance", Some(3)),
            ("negative-length", Some(4)),
            ("negative-number", Some(5)),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn without_a_table_all_materials_have_friction_one_half() {
        let properties = ContactMaterials::default().between(None, Some("Ground"));
        assert_eq!((properties.static_friction, properties.restitution), (0.5, 0.0));
    }
}
