//! `<visual>` and `<collision>`: primitives and mesh files.

use std::collections::HashMap;
use std::f64::consts::FRAC_PI_2;
use std::path::PathBuf;
use std::sync::Arc;

use bunraku_document::Diagnostic;
use bunraku_mesh::{
    Appearance, Geometry, LoadContext, MAX_LENGTH, MeshScene, Primitive, Shape, ShapeOrigin, load_scene,
};
use nalgebra::{Affine3, Isometry3, Scale3, UnitQuaternion, Vector3};

use super::super::Reading;
use super::super::allowance::MOST_MESH_SHAPES;
use super::super::file_names::identity;
use super::materials::Materials;
use super::xml::{Element, Xml, child, children, short, suggest};

const GEOMETRIES: &[&str] = &["box", "capsule", "cylinder", "mesh", "sphere"];

/// Reads the shapes of links. Each mesh file is read once.
pub(super) struct ShapeReader<'r, 'a> {
    xml: &'r Xml<'a>,
    reading: &'r Reading<'r>,
    materials: &'r Materials,
    meshes: HashMap<PathBuf, Option<Arc<MeshScene>>>,
    shapes_left: usize,
}

impl<'r, 'a> ShapeReader<'r, 'a> {
    pub(super) fn new(xml: &'r Xml<'a>, reading: &'r Reading<'r>, materials: &'r Materials) -> Self {
        Self { xml, reading, materials, meshes: HashMap::new(), shapes_left: MOST_MESH_SHAPES }
    }

    /// Visual shapes of a link.
    pub(super) fn visual(&mut self, link: Element<'a>) -> Vec<Shape> {
        let mut shapes = Vec::new();
        for visual in children(link, "visual") {
            self.xml.check(visual, &["name"], &["origin", "geometry", "material"]);
            let material = child(visual, "material").and_then(|material| self.materials.of(material, self.xml));
            self.element(visual, material, &mut shapes);
        }
        shapes
    }

    /// Collision shapes of a link.
    pub(super) fn collision(&mut self, link: Element<'a>) -> Vec<Shape> {
        let mut shapes = Vec::new();
        for collision in children(link, "collision") {
            self.xml.check(
                collision,
                &["name"],
                &["origin", "geometry", "verbose", "contact_coefficients", "material"],
            );
            self.element(collision, None, &mut shapes);
        }
        shapes
    }

    fn element(&mut self, element: Element<'a>, material: Option<Appearance>, shapes: &mut Vec<Shape>) {
        let xml = self.xml;
        let pose = xml.origin(element);
        let Some(geometry) = child(element, "geometry") else {
            let tag = element.tag_name().name();
            let warning = Diagnostic::warning("missing-key", format!("the `<{tag}>` has no `<geometry>`: it is empty"));
            xml.report(element, warning.help("write `<geometry><box size=\"0.1 0.1 0.1\"/></geometry>` or the like"));
            return;
        };
        xml.check(geometry, &[], GEOMETRIES);
        let Some(form) = geometry.children().find(|child| child.is_element()) else {
            let warning = Diagnostic::warning("missing-key", "the `<geometry>` is empty");
            xml.report(geometry, warning.help("a box, a capsule, a cylinder, a mesh or a sphere may stand in it"));
            return;
        };
        if form.tag_name().name() == "mesh" {
            self.mesh(form, &pose, material, shapes);
            return;
        }
        if let Some((primitive, stands)) = read_primitive(form, xml) {
            let appearance = material.unwrap_or_default();
            let frame = Affine3::from_matrix_unchecked((pose * stands).to_homogeneous());
            shapes.push(Shape::new(Geometry::primitive(primitive), frame, appearance));
        }
    }

    /// Shapes of a mesh file. The file's own colours have precedence, as in RViz. A file without colours, such as STL,
    /// gets those of the `<material>`.
    fn mesh(
        &mut self,
        mesh: Element<'a>,
        pose: &Isometry3<f64>,
        material: Option<Appearance>,
        shapes: &mut Vec<Shape>,
    ) {
        let xml = self.xml;
        xml.check(mesh, &["filename", "scale"], &[]);
        let Some(name) = xml.required(mesh, "filename") else { return };
        let [x, y, z] = xml.numbers::<3>(mesh, "scale").unwrap_or([1.0; 3]);
        if [x, y, z].contains(&0.0) {
            let warning = Diagnostic::warning("zero-scale", "a mesh that is scaled by 0 is flat: it is left out");
            xml.report_attribute(mesh, "scale", warning.help("write `1 1 1` for its own size"));
            return;
        }
        let Some((file, scene)) = self.load(mesh, name) else { return };
        let frame = Affine3::from_matrix_unchecked(pose.to_homogeneous() * Scale3::new(x, y, z).to_homogeneous());
        let of_file = scene.shapes();
        if of_file.len() > self.shapes_left {
            let message = format!("the mesh files of the links have more than {MOST_MESH_SHAPES} shapes together");
            xml.report(mesh, Diagnostic::error("limit-shapes", message).help("is a building among them?"));
            return;
        }
        self.shapes_left -= of_file.len();
        let origin = |transform, as_geometry| {
            Some(Arc::new(ShapeOrigin {
                file: file.clone(),
                part: None,
                unit: 1.0,
                y_up: false,
                transform,
                as_geometry,
            }))
        };
        if let (Some(appearance), [shape]) = (material, of_file.as_slice())
            && shape.appearance == Appearance::default()
            && shape.transform == Affine3::identity()
        {
            let origin = origin(Affine3::identity(), true);
            shapes.push(Shape { geometry: shape.geometry.clone(), transform: frame, appearance, origin });
            return;
        }
        let origin = origin(frame, false);
        shapes.extend(of_file.into_iter().map(|shape| Shape {
            transform: frame * shape.transform,
            origin: origin.clone(),
            ..shape
        }));
    }

    /// Loads a mesh file. A missing one is a warning, because the robot is usable without it.
    fn load(&mut self, mesh: Element<'a>, name: &str) -> Option<(PathBuf, Arc<MeshScene>)> {
        // Gazebo calls packages models.
        let uri = name.strip_prefix("model://").map_or_else(|| name.to_owned(), |rest| format!("package://{rest}"));
        let file = match self.reading.roots.find(self.reading.directory, &uri) {
            Ok(file) => file,
            Err(error) => {
                self.xml.report_attribute(mesh, "filename", error.to_diagnostic().into_warning());
                return None;
            }
        };
        let key = identity(&file);
        if let Some(known) = self.meshes.get(&key) {
            return known.clone().map(|scene| (file, scene));
        }
        let Reading { roots, options, reporter, .. } = *self.reading;
        let scene = match load_scene(&file, &LoadContext { roots, limits: &options.limits, reporter }) {
            Ok(scene) => Some(Arc::new(scene)),
            Err(diagnostic) => {
                let diagnostic = diagnostic.into_warning();
                match diagnostic.place {
                    Some(_) => reporter.report(diagnostic),
                    None => self.xml.report_attribute(mesh, "filename", diagnostic),
                }
                None
            }
        };
        self.meshes.insert(key, scene.clone());
        scene.map(|scene| (file, scene))
    }
}

/// A primitive, and the rotation from our axis Y of round shapes to URDF's Z.
fn read_primitive<'a>(form: Element<'a>, xml: &Xml<'a>) -> Option<(Primitive, UnitQuaternion<f64>)> {
    let stands = || UnitQuaternion::from_axis_angle(&Vector3::x_axis(), FRAC_PI_2);
    match form.tag_name().name() {
        "box" => {
            xml.check(form, &["size"], &[]);
            xml.required(form, "size")?;
            let size = xml.numbers::<3>(form, "size")?;
            if size.iter().any(|edge| *edge < 0.0) {
                let error = Diagnostic::error("not-positive", "the edges of a box must not be negative");
                xml.report_attribute(form, "size", error.help("write three lengths in metres"));
                return None;
            }
            if let Some(edge) = size.iter().find(|edge| **edge > MAX_LENGTH) {
                let error = Diagnostic::error("too-large", format!("a length of {edge} m is too large for a shape"));
                xml.report_attribute(form, "size", error.help("write three lengths in metres"));
                return None;
            }
            Some((Primitive::Box { size: Vector3::from(size) }, UnitQuaternion::identity()))
        }
        "sphere" => {
            xml.check(form, &["radius"], &[]);
            Some((Primitive::Sphere { radius: xml.length(form, "radius")? }, UnitQuaternion::identity()))
        }
        "cylinder" => {
            xml.check(form, &["radius", "length"], &[]);
            let (radius, height) = (xml.length(form, "radius"), xml.length(form, "length"));
            Some((Primitive::Cylinder { radius: radius?, height: height?, top: true, bottom: true }, stands()))
        }
        "capsule" => {
            xml.check(form, &["radius", "length"], &[]);
            let (radius, height) = (xml.length(form, "radius"), xml.length(form, "length"));
            Some((Primitive::Capsule { radius: radius?, height: height? }, stands()))
        }
        other => {
            let warning =
                Diagnostic::warning("unknown-geometry", format!("`<{}>` is no form of a shape", short(other)));
            xml.report(form, suggest(warning, other, GEOMETRIES));
            None
        }
    }
}
