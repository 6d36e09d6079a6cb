//! Bodies without a model file: one link with one shape.

use std::fmt::Write;
use std::sync::Arc;

use bunraku_body::Body;
use bunraku_document::yaml::quoted;
use bunraku_document::{Diagnostic, Mapping, Reporter, SourceFile, Value, closest};

use super::context::{SceneContext, positive};
use super::heightfield;

/// Density of a shape that specifies none, kg/m³: that of water.
const DEFAULT_DENSITY: f64 = 1000.0;

/// Edges of a plane that specifies none, and its thickness below the surface, m.
const PLANE_SIZE: [f64; 2] = [20.0, 20.0];
const PLANE_THICKNESS: f64 = 0.2;

const TYPES: &[&str] = &["box", "capsule", "cylinder", "heightfield", "plane", "sphere"];

/// A shape as in a model file, and its mass properties at 1 kg/m³.
struct Form {
    /// Keys of the `Shape` node: geometry, and where it is.
    node: String,
    /// `None` if it is static and has no mass.
    solid: Option<Solid>,
}

/// A solid of uniform density.
struct Solid {
    /// m³
    volume: f64,
    /// Principal moments of inertia about the centre, m⁵; multiplied by the density they are kg·m².
    moments: [f64; 3],
}

/// The body called `name` of a `shape`; `None` after an error.
pub(super) fn read_shape(value: Value<'_>, name: &str, context: &SceneContext<'_>) -> Option<Body> {
    let reporter = context.reporter;
    let mapping = Mapping::new(value, "`shape`", reporter)?;
    let kind = mapping.required_or(&["type"], &format!("write `type:` and one of {}", TYPES.join(", ")))?;
    let form = match kind.text().unwrap_or_default() {
        "box" => read_box(&mapping),
        "sphere" => read_sphere(&mapping),
        "cylinder" => read_cylinder(&mapping),
        "capsule" => read_capsule(&mapping),
        "plane" => Some(read_plane(&mapping)),
        "heightfield" => heightfield::read(&mapping, context).map(|node| Form { node, solid: None }),
        word => {
            let error = kind.expected(&format!("a shape: {}", TYPES.join(", ")));
            reporter.report(match closest(word, TYPES.iter().copied()) {
                Some(meant) => error.help(format!("did you mean `{meant}`?")),
                None => error,
            });
            None
        }
    };
    let mass = mapping.read(&["mass"], |value, reporter| positive(value, "mass", "kg", reporter));
    let density = mapping.read(&["density"], |value, reporter| positive(value, "density", "kg/m³", reporter));
    if let (Some(_), Some(_), Some(node)) = (mass, density, mapping.get(&["density"])) {
        reporter.report(node.warning("idle-density", "`density` does nothing beside `mass`"));
    }
    let color = mapping.array::<3>(&["color", "colour"]);
    let material = mapping.text(&["material"]).map(str::to_owned);
    let form = form?;
    if form.solid.is_none()
        && let Some(node) = mapping.get(&["mass"]).or_else(|| mapping.get(&["density"]))
    {
        reporter.report(node.warning("idle-mass", "what it weighs does not count: it stands still"));
    }
    mapping.finish();
    let text = model(name, &form, mass, density, color, material.as_deref());
    let about_text = Reporter::new();
    let source = SourceFile::from_text(value.source().path(), text);
    let body = bunraku_body::read(&source, context.options, &about_text);
    for mut diagnostic in about_text.into_diagnostics() {
        // The text is generated; the finding is shown at the value in the scene.
        diagnostic.place =
            Some(bunraku_document::Place { source: Arc::clone(value.source()), span: Some(value.span()) });
        reporter.report(diagnostic);
    }
    body
}

/// The shape as a model file.
fn model(
    name: &str,
    form: &Form,
    mass: Option<f64>,
    density: Option<f64>,
    color: Option<[f64; 3]>,
    material: Option<&str>,
) -> String {
    let mut text = String::from("format: ChoreonoidBody\nformat_version: 2.0\n");
    // Writing to a string cannot fail.
    let _ = write!(text, "name: {0}\nlinks:\n  - name: {0}\n", quoted(name));
    match &form.solid {
        Some(Solid { volume, moments: [x, y, z] }) => {
            let density = mass.map_or(density.unwrap_or(DEFAULT_DENSITY), |mass| mass / volume);
            let mass = mass.unwrap_or(density * volume);
            let _ = write!(
                text,
                "    joint_type: free\n    mass: {mass}\n    inertia: [ {}, 0, 0, 0, {}, 0, 0, 0, {} ]\n",
                density * x,
                density * y,
                density * z
            );
        }
        None => text.push_str("    joint_type: fixed\n"),
    }
    if let Some(material) = material {
        let _ = writeln!(text, "    material: {}", quoted(material));
    }
    let [red, green, blue] = color.unwrap_or([0.8; 3]);
    let _ = write!(
        text,
        "    elements:\n      - type: Shape\n{}        appearance: {{ material: {{ diffuse: [ {red}, {green}, {blue} ] }} }}\n",
        form.node
    );
    text
}

fn length(mapping: &Mapping<'_, '_>, key: &'static str) -> Option<f64> {
    mapping.required(&[key])?;
    mapping.read(&[key], |value, reporter| positive(value, "length", "m", reporter))
}

fn read_box(mapping: &Mapping<'_, '_>) -> Option<Form> {
    let node = mapping.required_or(&["size"], "write `size: [ x, y, z ]` in metres")?;
    let [x, y, z] = mapping.array::<3>(&["size"])?;
    if [x, y, z].iter().any(|edge| *edge <= 0.0) {
        mapping.reporter().report(node.error("not-positive", "the edges of a box must be positive"));
        return None;
    }
    let volume = x * y * z;
    let moment = |one: f64, other: f64| volume * (one * one + other * other) / 12.0;
    Some(Form {
        node: format!("        geometry: {{ type: Box, size: [ {x}, {y}, {z} ] }}\n"),
        solid: Some(Solid { volume, moments: [moment(y, z), moment(z, x), moment(x, y)] }),
    })
}

fn read_sphere(mapping: &Mapping<'_, '_>) -> Option<Form> {
    let radius = length(mapping, "radius")?;
    let volume = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
    Some(Form {
        node: format!("        geometry: {{ type: Sphere, radius: {radius} }}\n"),
        solid: Some(Solid { volume, moments: [0.4 * volume * radius * radius; 3] }),
    })
}

/// The key that rotates a round shape of a model file, whose axis is Y, onto Z.
const STANDING: &str = "        rotation: [ 1, 0, 0, 90 ]\n";

fn read_cylinder(mapping: &Mapping<'_, '_>) -> Option<Form> {
    let (radius, height) = (length(mapping, "radius"), length(mapping, "height"));
    let (radius, height) = (radius?, height?);
    let volume = std::f64::consts::PI * radius * radius * height;
    let across = volume * (3.0 * radius * radius + height * height) / 12.0;
    Some(Form {
        node: format!("{STANDING}        geometry: {{ type: Cylinder, radius: {radius}, height: {height} }}\n"),
        solid: Some(Solid { volume, moments: [across, across, volume * radius * radius / 2.0] }),
    })
}

fn read_capsule(mapping: &Mapping<'_, '_>) -> Option<Form> {
    let (radius, height) = (length(mapping, "radius"), length(mapping, "height"));
    let (radius, height) = (radius?, height?);
    let middle = std::f64::consts::PI * radius * radius * height;
    let ends = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
    // The centre of a half sphere is 3/8 of the radius above its base. The moments are moved to that centre, and on by
    // half the height.
    let along = middle * radius * radius / 2.0 + ends * 0.4 * radius * radius;
    let across = middle * (3.0 * radius * radius + height * height) / 12.0
        + ends * (0.4 * radius * radius + height * height / 4.0 + 3.0 * height * radius / 8.0);
    Some(Form {
        node: format!("{STANDING}        geometry: {{ type: Capsule, radius: {radius}, height: {height} }}\n"),
        solid: Some(Solid { volume: middle + ends, moments: [across, across, along] }),
    })
}

fn read_plane(mapping: &Mapping<'_, '_>) -> Form {
    let [x, y] = mapping.array::<2>(&["size"]).unwrap_or(PLANE_SIZE).map(f64::abs);
    Form {
        node: format!(
            "        translation: [ 0, 0, {} ]\n        geometry: {{ type: Box, size: [ {x}, {y}, {PLANE_THICKNESS} ] }}\n",
            -PLANE_THICKNESS / 2.0
        ),
        solid: None,
    }
}

/// Reports a body with both a file and a shape.
pub(super) fn report_both(mapping: &Mapping<'_, '_>) {
    if let (Some(_), Some(shape)) = (mapping.get(&["file"]), mapping.get(&["shape"])) {
        let message = "a body has either a `file` or a `shape`, and this one has both: the file counts";
        mapping.reporter().report(shape.warning("two-models", message));
    }
}

/// The error for a body with neither a file nor a shape.
pub(super) fn missing(mapping: &Mapping<'_, '_>) -> Diagnostic {
    let message = format!("{} needs a `file` or a `shape`", mapping.what());
    mapping
        .node()
        .error("missing-key", message)
        .help("write `file:` and the path of a model, or `shape: { type: box, size: [ 0.2, 0.2, 0.2 ], mass: 1 }`")
}
