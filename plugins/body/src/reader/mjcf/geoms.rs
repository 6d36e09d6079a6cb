//! `<geom>`: shapes and masses.

use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

use bunraku_document::Diagnostic;
use bunraku_mesh::{Appearance, Geometry, MAX_LENGTH, Primitive, Shape, ShapeOrigin};
use nalgebra::{Affine3, Isometry3, Matrix3, Point3, Scale3, Translation3, UnitQuaternion, Vector3};

use super::assets::{Assets, MeshAsset, placed};
use super::element::Element;
use super::findings::short;
use super::model::ModelFile;
use super::poses::{from_z, pose};
use super::primitive_mass::{self, Solid};
use super::view::View;
use crate::MassProperties;

/// Groups of geoms that MuJoCo draws unless it is asked for others.
const DRAWN_GROUPS: std::ops::RangeInclusive<i64> = 0..=2;
/// Density of geoms without one, kg/m³: that of water.
const WATER: f64 = 1000.0;
/// Colour of geoms without one.
const GREY: f64 = 0.5;

/// A geom in the frame of its body.
pub(super) struct Geom {
    pub(super) group: i64,
    /// `None` if it has no mass: a plane, or a form that is not read.
    pub(super) mass: Option<MassProperties>,
    pub(super) visual: Vec<Shape>,
    pub(super) collision: Vec<Shape>,
    /// Whether it is an infinite plane.
    pub(super) is_plane: bool,
}

/// Form of a geom.
enum Form {
    Solid { primitive: Primitive, scale: Option<Vector3<f64>>, is_round: bool, solid: Solid },
    Mesh(Arc<MeshAsset>),
    Plane,
}

/// Reads a geom of a body whose elements have the class `around`; `frame` is the frame around it in that of its body.
pub(super) fn read_geom<'m>(
    element: &'m Element,
    around: Option<&str>,
    frame: &Isometry3<f64>,
    file: &'m ModelFile<'m>,
    assets: &Assets<'m>,
) -> Option<Geom> {
    let view = file.view(element, around);
    note_contacts(&view, file);
    let (form, own) = read_form(&view, file, assets)?;
    let pose = frame * own;
    let group = view.integer("group").unwrap_or(0);
    let mask = |name| view.integer(name).unwrap_or(1) != 0;
    let collides = [mask("contype"), mask("conaffinity")].contains(&true);
    let mass = read_mass(&view, &form, &pose, file);
    let (look, is_own) = appearance(&view, &form, assets);
    let shapes = match &form {
        Form::Plane => Vec::new(),
        Form::Solid { primitive, scale, is_round, .. } => {
            let stands = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), FRAC_PI_2);
            let stands = if *is_round { stands.to_homogeneous() } else { nalgebra::Matrix4::identity() };
            let scale = scale.map_or_else(nalgebra::Matrix4::identity, |scale| Scale3::from(scale).to_homogeneous());
            let transform = placed(&pose, &Affine3::from_matrix_unchecked(scale * stands));
            vec![Shape::new(Geometry::primitive(*primitive), transform, look)]
        }
        Form::Mesh(mesh) => mesh_shapes(mesh, &pose, &look, is_own),
    };
    let is_plane = matches!(form, Form::Plane);
    let is_drawn = DRAWN_GROUPS.contains(&group) && !is_plane;
    Some(Geom {
        group,
        mass,
        visual: if is_drawn { shapes.clone() } else { Vec::new() },
        collision: if collides { shapes } else { Vec::new() },
        is_plane,
    })
}

/// Shapes of a mesh in the frame of a body. A geom with a colour or a material of its own paints the mesh.
fn mesh_shapes(mesh: &MeshAsset, pose: &Isometry3<f64>, look: &Appearance, is_own: bool) -> Vec<Shape> {
    let frame = placed(pose, &mesh.transform);
    let origin = |transform, as_geometry| {
        let file = mesh.path.clone()?;
        Some(Arc::new(ShapeOrigin { file, part: None, unit: 1.0, y_up: false, transform, as_geometry }))
    };
    let is_plain = |shape: &Shape| shape.appearance == Appearance::default();
    if let [shape] = mesh.shapes.as_slice()
        && (is_own || is_plain(shape))
        && shape.transform == Affine3::identity()
    {
        let origin = origin(Affine3::identity(), true);
        return vec![Shape { geometry: shape.geometry.clone(), transform: frame, appearance: look.clone(), origin }];
    }
    // A file with several shapes has no place for one colour of all of them.
    let origin = if is_own { None } else { origin(frame, false) };
    let shapes = mesh.shapes.iter().map(|shape| Shape {
        geometry: shape.geometry.clone(),
        transform: frame * shape.transform,
        appearance: if is_own { look.clone() } else { shape.appearance.clone() },
        origin: origin.clone(),
    });
    shapes.collect()
}

/// Appearance of a geom, and whether it has one of its own.
fn appearance(view: &View<'_>, form: &Form, assets: &Assets<'_>) -> (Appearance, bool) {
    let of_mesh = match form {
        Form::Mesh(mesh) => mesh.material.as_deref(),
        _ => None,
    };
    let material = view.text("material").or(of_mesh).and_then(|name| assets.look(name, view));
    let rgba = view.array::<4>("rgba").filter(|rgba| *rgba != [GREY, GREY, GREY, 1.0]);
    let is_own = material.is_some() || rgba.is_some();
    let plain = || Appearance { diffuse: Vector3::repeat(GREY), ..Appearance::default() };
    let mut look = material.unwrap_or_else(plain);
    if let Some(rgba) = rgba {
        let [red, green, blue, alpha] = rgba.map(|part| part.clamp(0.0, 1.0));
        look.diffuse = Vector3::new(red, green, blue);
        look.transparency = 1.0 - alpha;
    }
    (look, is_own)
}

/// Notes parameters of contacts, which are rigid here.
fn note_contacts(view: &View<'_>, file: &ModelFile<'_>) {
    let findings = file.findings;
    for name in ["solref", "solimp", "solmix", "condim", "priority"] {
        let Some((element, _)) = view.find(name) else { continue };
        let message = format!("`{name}` of geoms is not used: contacts are rigid here, with one law of friction");
        findings.once_attribute(name, element, name, Diagnostic::note("mjcf-contact", message));
    }
    if let Some((element, text)) = view.find("friction") {
        let slide = text.split_ascii_whitespace().next().unwrap_or(text);
        let message = format!("the friction {} of a geom is not a part of a model", short(slide));
        let help =
            "give links a `material` in the `.body` it is converted to, and pairs of it in the scene's `materials`";
        findings.once_attribute("friction", element, "friction", Diagnostic::note("friction", message).help(help));
    }
    for name in ["margin", "gap"] {
        let Some((element, text)) = view.find(name) else { continue };
        if text.split_ascii_whitespace().all(|word| word.parse() == Ok(0.0)) {
            continue;
        }
        let message = format!(
            "`{name}` of geoms is not used: surfaces touch at their geometry (before MuJoCo 3.9 contacts pushed from `margin` minus `gap` on, since then a margin inflates the geometry)"
        );
        findings.once_attribute(name, element, name, Diagnostic::note("mjcf-margin", message));
    }
    for (name, what) in [
        ("surfacevel", "surfaces of geoms do not move by themselves"),
        ("adhesion", "geoms do not adhere"),
        ("fluidshape", "fluids do not act on geoms"),
    ] {
        let Some((element, text)) = view.find(name) else { continue };
        if text == "none" {
            continue;
        }
        let warning = Diagnostic::warning("mjcf-unsupported", format!("{what} here: `{name}` is ignored"));
        findings.once_attribute(name, element, name, warning);
    }
    let bits = |name| view.integer(name).unwrap_or(1);
    if let Some(name) = ["contype", "conaffinity"].into_iter().find(|name| !matches!(bits(name), 0 | 1))
        && let Some((element, _)) = view.find(name)
    {
        let note = Diagnostic::note(
            "mjcf-contact",
            format!("bits of `{name}` beyond the first are not compared: a geom collides with all others or with none"),
        );
        let help = "rules between links are `collision_detection_rules` of the `.body` that it is converted to";
        findings.once_attribute("bits", element, name, note.help(help));
    }
}

/// Form of a geom, and its pose in the frame around it.
fn read_form<'m>(view: &View<'m>, file: &'m ModelFile<'m>, assets: &Assets<'m>) -> Option<(Form, Isometry3<f64>)> {
    let own = pose(view, &file.compiler);
    let named = view.text("mesh");
    let kind = view.text("type").unwrap_or(if named.is_some() { "mesh" } else { "sphere" });
    let refuse = |key: &str, message: &str, help: &str| {
        let warning = Diagnostic::warning("mjcf-unsupported", message.to_owned());
        file.findings.once(key, view.element, warning.help(help.to_owned()));
        None
    };
    match kind {
        "mesh" => {
            let Some(name) = named else {
                let error = Diagnostic::error("missing-key", "a geom of the type `mesh` needs the attribute `mesh`");
                view.report("type", error.help("write `mesh=\"…\"` with the name of a mesh"));
                return None;
            };
            Some((Form::Mesh(assets.mesh(name, view)?), own))
        }
        "plane" => Some((Form::Plane, own)),
        "hfield" => refuse(
            "hfield",
            "height fields are not read: their geoms are left out",
            "give the scene a body with `heightfield`",
        ),
        "sdf" => {
            refuse("sdf-geom", "geoms of signed distances are not read: they are left out", "export them as meshes")
        }
        _ if named.is_some() => refuse(
            "fit",
            "primitives that are fitted to a mesh are not read: their geoms are left out",
            "write `size`, `pos` and `quat` as MuJoCo saves them",
        ),
        "sphere" | "capsule" | "ellipsoid" | "cylinder" | "box" => read_primitive(kind, view, own),
        other => {
            let error = Diagnostic::error("unknown-geometry", format!("`{}` is no type of a geom", short(other)));
            let known = ["plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"];
            view.report("type", super::findings::suggest(error, other, known));
            None
        }
    }
}

fn read_primitive(kind: &str, view: &View<'_>, mut own: Isometry3<f64>) -> Option<(Form, Isometry3<f64>)> {
    let needed = match kind {
        "sphere" => 1,
        "capsule" | "cylinder" => 2,
        _ => 3,
    };
    let mut size = view.numbers("size", 1, 3).unwrap_or_default();
    let is_line = kind != "sphere" && view.find("fromto").is_some();
    if is_line && let Some([a, b, c, d, e, f]) = view.array::<6>("fromto") {
        let (from, to) = (Vector3::new(a, b, c), Vector3::new(d, e, f));
        let Some(axis) = bunraku_mesh::unit_vector(from - to, 1e-14) else {
            let error = Diagnostic::error("zero-axis", "both ends of `fromto` are the same point");
            view.report("fromto", error.help("write two different points"));
            return None;
        };
        own = Isometry3::from_parts(Translation3::from((from + to) * 0.5), from_z(&axis));
        let half = 0.5 * (from - to).norm();
        let radius = size.first().copied().unwrap_or(0.0);
        // The cross-section of a box or an ellipsoid is square or round.
        size = if needed == 3 { vec![radius, radius, half] } else { vec![radius, half] };
    }
    let Some(form) = solid(kind, &size) else {
        let message = format!("a {kind} needs {needed} positive sizes");
        let error = Diagnostic::error("not-positive", message);
        view.report("size", error.help("write half lengths and radii in metres, as in `size=\"0.1 0.2\"`"));
        return None;
    };
    if let Some(length) = size.iter().find(|length| **length > MAX_LENGTH / 2.0) {
        let error = Diagnostic::error("too-large", format!("a length of {length} m is too large for a shape"));
        view.report("size", error.help("write half lengths and radii in metres"));
        return None;
    }
    Some((form, own))
}

/// The first sizes of a geom, if all of these are positive.
fn positive<const N: usize>(size: &[f64]) -> Option<[f64; N]> {
    size.first_chunk().copied().filter(|size| !size.iter().any(|length| *length <= 0.0))
}

/// The solid of a geom, m; `None` if it needs more positive sizes.
fn solid(kind: &str, size: &[f64]) -> Option<Form> {
    let round = |primitive, solid| Form::Solid { primitive, scale: None, is_round: true, solid };
    Some(match kind {
        "sphere" => {
            let [radius] = positive(size)?;
            round(Primitive::Sphere { radius }, primitive_mass::ellipsoid(&Vector3::repeat(radius)))
        }
        "capsule" => {
            let [radius, half] = positive(size)?;
            round(Primitive::Capsule { radius, height: 2.0 * half }, primitive_mass::capsule(radius, half))
        }
        "cylinder" => {
            let [radius, half] = positive(size)?;
            let primitive = Primitive::Cylinder { radius, height: 2.0 * half, top: true, bottom: true };
            round(primitive, primitive_mass::cylinder(radius, half))
        }
        "ellipsoid" => {
            let half = Vector3::from(positive::<3>(size)?);
            let solid = primitive_mass::ellipsoid(&half);
            Form::Solid { primitive: Primitive::Sphere { radius: 1.0 }, scale: Some(half), is_round: false, solid }
        }
        _ => {
            let half = Vector3::from(positive::<3>(size)?);
            let primitive = Primitive::Box { size: half * 2.0 };
            Form::Solid { primitive, scale: None, is_round: false, solid: primitive_mass::cuboid(&half) }
        }
    })
}

/// Mass of a geom in the frame of its body: its own, or that of its density.
fn read_mass(view: &View<'_>, form: &Form, pose: &Isometry3<f64>, file: &ModelFile<'_>) -> Option<MassProperties> {
    let mass = view.number("mass");
    let density = view.number("density").unwrap_or(WATER);
    let shell = view.flag("shellinertia").unwrap_or(false);
    if let Some((name, _)) = [("mass", mass), ("density", Some(density))]
        .into_iter()
        .find(|(_, value)| value.is_some_and(|value| value < 0.0))
    {
        let error = Diagnostic::error("negative-mass", format!("`{name}` is negative"));
        view.report(name, error.help("write it without a sign"));
        return None;
    }
    let (volume, center, inertia) = match form {
        Form::Plane => return None,
        Form::Solid { solid, .. } => {
            if shell {
                let warning = Diagnostic::warning(
                    "mjcf-unsupported",
                    "`shellinertia` of primitives is not used: their mass fills their volume",
                );
                let (element, name) =
                    view.find("shellinertia").map_or((view.element, "type"), |(e, _)| (e, "shellinertia"));
                file.findings.once_attribute("shell", element, name, warning);
            }
            (solid.volume, Point3::origin(), primitive_mass::diagonal(&solid.moments) * solid.volume)
        }
        Form::Mesh(mesh) => match mesh.mass(shell) {
            Some(found) => (found.volume, found.center, found.inertia),
            None => {
                let warning =
                    Diagnostic::warning("mesh-volume", "the mesh encloses no volume: its geoms have no inertia");
                let help = "repair the mesh, or give the body an `<inertial>`";
                file.findings.once("mesh-volume", view.element, warning.help(help));
                return None;
            }
        },
    };
    let mass = mass.unwrap_or(density * volume);
    let share = if volume > 0.0 { mass / volume } else { 0.0 };
    let inertia: Matrix3<f64> = inertia * share;
    Some(MassProperties { mass, center_of_mass: center, inertia }.transformed(pose))
}
