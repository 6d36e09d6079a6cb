//! Resource nodes: mesh files, and parts of other YAML files.

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use bunraku_document::yaml::Document;
use bunraku_document::{Diagnostic, Mapping, Reporter, SourceFile, Value, ValueKind, closest};
use bunraku_mesh::{LoadContext, MeshScene, ShapeOrigin, load_scene};
use nalgebra::{Affine3, Matrix4};

use super::budget::DocumentCache;
use super::file_names::identity;
use super::pose::AngleUnit;
use super::reading::Reading;
use super::scene_nodes::{self, YamlPart};

/// Length of an inch, metres.
const INCH: f64 = 0.0254;

/// Keys of a Resource node, except its pose.
pub(super) struct Resource<'a> {
    uri: Value<'a>,
    /// Path of an existing file.
    pub(super) path: PathBuf,
    fragment: Option<Value<'a>>,
    metadata: Metadata,
}

/// Conventions of a file's coordinates.
#[derive(Clone, Copy)]
struct Metadata {
    /// Length unit, metres.
    unit: f64,
    /// Whether up is +Y.
    y_up: bool,
}

impl<'a> Resource<'a> {
    /// Reads the keys. A missing YAML file is an error, because it may contain mass; a missing mesh is a warning.
    pub(super) fn read(mapping: &Mapping<'a, '_>, reading: &Reading<'_>) -> Option<Self> {
        let reporter = mapping.reporter();
        let metadata = mapping.get(&["metadata"]).map(|value| read_metadata(value, reporter));
        let fragment = mapping.get(&["fragment", "node"]);
        let uri = mapping.required(&["uri"])?;
        let text = reporter.keep(uri.as_text())?;
        match reading.roots.find(reading.directory, text) {
            Ok(path) => {
                Some(Self { uri, path, fragment, metadata: metadata.unwrap_or(Metadata { unit: 1.0, y_up: false }) })
            }
            Err(error) => {
                let diagnostic = error.to_diagnostic().at(uri.source(), uri.span());
                let is_yaml = is_yaml(Path::new(text));
                reporter.report(if is_yaml { diagnostic } else { diagnostic.into_warning() });
                None
            }
        }
    }

    /// Whether it refers to a part of a YAML file rather than a mesh.
    pub(super) fn is_yaml(&self) -> bool {
        is_yaml(&self.path)
    }

    /// Path and part of the reference.
    pub(super) fn place(&self) -> (PathBuf, String) {
        (identity(&self.path), self.fragment.and_then(Value::text).unwrap_or_default().to_owned())
    }

    /// Transform from the coordinates of the file to metres with Z up.
    pub(super) fn conversion(&self) -> Affine3<f64> {
        // (x, y, z) → (z, x, y), as in the original.
        let turn = Matrix4::new(0., 0., 1., 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 0., 1.);
        let turn = if self.metadata.y_up { turn } else { Matrix4::identity() };
        Affine3::from_matrix_unchecked(turn * Matrix4::new_scaling(self.metadata.unit))
    }

    /// Origin to store in the shapes of the file; `transform` is the frame of the Resource node.
    pub(super) fn origin(&self, transform: Affine3<f64>, as_geometry: bool) -> Arc<ShapeOrigin> {
        Arc::new(ShapeOrigin {
            file: self.path.clone(),
            part: self.fragment.and_then(Value::text).map(str::to_owned),
            unit: self.metadata.unit,
            y_up: self.metadata.y_up,
            transform,
            as_geometry,
        })
    }

    /// Node with the path of the file.
    pub(super) fn uri(&self) -> Value<'a> {
        self.uri
    }

    /// The scene of the mesh file, or its named part, in metres with Z up.
    pub(super) fn scene(&self, reading: &Reading<'_>) -> Option<Arc<MeshScene>> {
        let file = identity(&self.path);
        let whole = self.whole_scene(&file, reading)?;
        let part = match self.fragment {
            Some(fragment) => Some((fragment, reading.reporter.keep(fragment.as_text())?)),
            None => None,
        };
        let taken = reading.scenes.take(&file, part.map(|(_, name)| name));
        let conversion = self.conversion();
        let mut scene = match part {
            None if taken.is_empty() && conversion == Affine3::identity() => return Some(whole),
            None => whole.without(&taken),
            Some((fragment, name)) => {
                let part = whole.part(name, &taken);
                if part.is_none() {
                    let message = format!("`{name}` is not in {}", self.path.display());
                    let diagnostic = fragment.warning("unknown-fragment", message);
                    reading.reporter.report(with_names(diagnostic, name, &whole.names(), "node"));
                }
                part?
            }
        };
        for node in &mut scene.nodes {
            node.transform = conversion * node.transform;
        }
        Some(Arc::new(scene))
    }

    fn whole_scene(&self, file: &Path, reading: &Reading<'_>) -> Option<Arc<MeshScene>> {
        if let Some(known) = reading.scenes.scenes.borrow().get(file) {
            return known.clone();
        }
        let context = LoadContext { roots: reading.roots, limits: &reading.options.limits, reporter: reading.reporter };
        let scene = match load_scene(&self.path, &context) {
            Ok(scene) => Some(Arc::new(scene)),
            Err(diagnostic) => {
                let diagnostic = match diagnostic.place {
                    Some(_) => *diagnostic,
                    None => diagnostic.at(self.uri.source(), self.uri.span()),
                };
                let diagnostic = match diagnostic.help {
                    Some(_) => diagnostic,
                    None => diagnostic.help("the mesh is left out: repair the file, or export it again"),
                };
                // A robot is usable without a mesh.
                reading.reporter.report(diagnostic.into_warning());
                None
            }
        };
        reading.scenes.scenes.borrow_mut().insert(file.to_owned(), scene.clone());
        scene
    }

    /// The YAML file, with access to the anchors of the file that refers to it.
    pub(super) fn document(&self, cache: &mut DocumentCache, reading: &Reading<'_>) -> Option<Rc<Document>> {
        let outer = self.uri.document();
        let key = (identity(&self.path), std::ptr::from_ref(outer) as usize);
        if let Some(known) = cache.get(&key) {
            return known.clone();
        }
        let reporter = reading.reporter;
        let limits = &reading.options.limits;
        let document = match SourceFile::read(&self.path, limits, reporter) {
            Ok(source) => reporter.keep(Document::parse_within(outer, &source, limits, reporter)).map(Rc::new),
            Err(error) => {
                reporter.report(error.to_diagnostic().at(self.uri.source(), self.uri.span()));
                None
            }
        };
        cache.insert(key, document.clone());
        document
    }

    /// The referenced part of a YAML file: the named node of a scene file, the node with the anchor in another file,
    /// the `scene` of a scene file, or the whole file.
    pub(super) fn elements<'d>(
        &self,
        document: &'d Document,
        unit: AngleUnit,
        reporter: &Reporter,
    ) -> Option<YamlPart<'d>> {
        let root = document.root();
        let all = root.get("scene").filter(|_| root.get("format").is_some()).unwrap_or(root);
        let Some(fragment) = self.fragment else {
            return Some(YamlPart::from(all));
        };
        let name = reporter.keep(fragment.as_text())?;
        if is_scene(&self.path)
            && let Some(part) = scene_nodes::find(all, name, unit)
        {
            return Some(part);
        }
        let found = document.anchor(name);
        if found.is_none() {
            let mut names = document.anchor_names();
            let (diagnostic, what) = if is_scene(&self.path) {
                names.extend(scene_nodes::names(all));
                (
                    fragment
                        .error("unknown-fragment", format!("no node of {} is called `{name}`", self.path.display())),
                    "node",
                )
            } else {
                let message = format!("no node of {} carries the anchor `&{name}`", self.path.display());
                (fragment.error("unknown-fragment", message), "anchor")
            };
            reporter.report(with_names(diagnostic, name, &names, what));
        }
        found.map(YamlPart::from)
    }
}

/// Whether the file is a scene file, whose nodes have names.
fn is_scene(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("scen"))
}

fn is_yaml(path: &Path) -> bool {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    matches!(extension.as_deref(), Some("yaml" | "yml" | "scen"))
}

fn with_names(diagnostic: Diagnostic, name: &str, known: &[&str], what: &str) -> Diagnostic {
    // A scene of a CAD program has thousands of names.
    const MOST_NAMES: usize = 10;
    match closest(name, known.iter().copied()) {
        Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
        None if known.is_empty() => diagnostic.help(format!("the file has no {what} with a name")),
        None => {
            let more = if known.len() > MOST_NAMES { ", …" } else { "" };
            let names = known.get(..MOST_NAMES).unwrap_or(known).join(", ");
            diagnostic.help(format!("the file has the {what}s {names}{more}"))
        }
    }
}

/// Reads `{ length_unit: millimeter, upper_axis: Y }`, or the older text "millimeter y_upper".
fn read_metadata(value: Value<'_>, reporter: &Reporter) -> Metadata {
    let mut unit = 1.0;
    let mut y_up = false;
    let mut read_unit = |word: &str, node: Value<'_>| match word {
        "meter" | "metre" => unit = 1.0,
        "millimeter" | "millimetre" => unit = 0.001,
        "inch" => unit = INCH,
        _ => {
            let message = format!("the unit of length `{word}` is not known: the file is read in metres");
            let help = "write `meter`, `millimeter` or `inch`; for another unit, give the node a `scale`";
            reporter.report(node.warning("unknown-unit", message).help(help));
        }
    };
    if value.kind() == ValueKind::Mapping {
        if let Some(metadata) = Mapping::new(value, "metadata", reporter) {
            if let Some(node) = metadata.get(&["length_unit"]) {
                read_unit(node.text().unwrap_or_default(), node);
            }
            if let Some(node) = metadata.get(&["upper_axis"]) {
                match node.text() {
                    Some("Y" | "y") => y_up = true,
                    Some("Z" | "z") => {}
                    other => {
                        let word = other.unwrap_or("that");
                        let message = format!("`{word}` is no `upper_axis`: the file is read with Z up");
                        let help = "write `Y` or `Z`; for another axis, give the node a `rotation`";
                        reporter.report(node.warning("unknown-axis", message).help(help));
                    }
                }
            }
            metadata.finish();
        }
    } else if let Some(text) = reporter.keep(value.as_text()) {
        for word in text.split_whitespace() {
            match word {
                "y_upper" => y_up = true,
                "z_upper" => {}
                _ => read_unit(word, value),
            }
        }
    }
    Metadata { unit, y_up }
}
