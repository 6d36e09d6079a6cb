//! Writing model files.
//!
//! A [`Body`] is written as a `.body` file of format 2.0 that reads back to an equal body. Information that a body does
//! not store is lost: comments, aliases, the spelling of keys, names of transforms, the division into included models
//! and YAML files (their links and shapes are all in the one file), and the original form of primitives. Mesh files of
//! shapes are referred to, other meshes are written as numbers.
//!
//! Stored numbers read back to the same f64. Angles read back to the same or an adjacent f64. Rotations and scales,
//! which have to be computed, read back to within a few roundings (relative error 1e-14; 1e-12 is safe).

mod appearance;
mod devices;
mod exported;
mod exported_losses;
mod exported_names;
mod files;
mod info;
mod known_keys;
mod links;
mod meshes;
mod mjcf;
mod numbers;
mod placement;
mod shapes;
mod urdf;
mod xml;
mod yaml;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use bunraku_document::{Diagnostic, Reporter, SearchRoots};
use bunraku_mesh::{TextureImage, TriangleMesh};
use nalgebra::{Affine3, UnitQuaternion, Vector3};

use crate::{Body, CollisionRule, ExtraJoint, JointCoupling, JointKind, Link, LinkIndex};
use known_keys::TOP_KEYS;
pub use mjcf::write_mjcf;
use placement::Placement;
pub use urdf::write_urdf;
use yaml::{Map, Node};

/// Location of the model file to be written.
#[derive(Clone, Copy, Debug)]
pub struct WriteOptions<'o> {
    /// Path of the model file. Paths of mesh files and images are relative to its directory.
    pub path: &'o Path,
    /// Search roots. Files in the share directory are written with `${SHARE}` unless they are near the model file.
    pub roots: &'o SearchRoots,
}

/// A model as text, and the files it needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenModel {
    /// Text of the model file.
    pub text: String,
    /// Image files for images that the model contains, to which the model file refers.
    pub files: Vec<WrittenFile>,
}

/// An additional file of a model file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenFile {
    /// Path, in the directory of the model file.
    pub path: PathBuf,
    /// Content.
    pub bytes: Vec<u8>,
}

/// Writes a body as a `.body` text; no file is created. Data that cannot be written are reported as warnings to
/// `reporter`.
///
/// A shape with an [origin](bunraku_mesh::ShapeOrigin) is written as a reference to its file; remove the origin of a
/// shape after modifying it. If the visual and the collision shapes of one reference differ, the longer list is written
/// as the reference, and the other one as numbers.
pub fn write(body: &Body, options: &WriteOptions<'_>, reporter: &Reporter) -> WrittenModel {
    let writer = Writer {
        body,
        options,
        reporter,
        place: options.roots.around(options.path),
        pictures: RefCell::default(),
        meshes: RefCell::default(),
        outside: RefCell::default(),
        not_finite: Cell::new(false),
    };
    let top = writer.top();
    writer.lost();
    if writer.not_finite.get() {
        let message = format!("`{}` contains infinite or NaN values; written as 0", body.name);
        reporter.report(Diagnostic::warning("not-finite", message));
    }
    let files = writer.pictures.into_inner().into_iter().map(|(_, file)| file).collect();
    WrittenModel { text: yaml::document(&top), files }
}

struct Writer<'w> {
    body: &'w Body,
    options: &'w WriteOptions<'w>,
    reporter: &'w Reporter,
    /// Search roots from the location of the model file.
    place: SearchRoots,
    /// Images to be written, by their source.
    pictures: RefCell<Vec<(TextureImage, WrittenFile)>>,
    /// Meshes written so far.
    meshes: RefCell<Vec<(Arc<TriangleMesh>, Rc<Node>)>>,
    /// Files outside these roots; each is reported once.
    outside: RefCell<BTreeSet<String>>,
    not_finite: Cell<bool>,
}

impl Writer<'_> {
    fn top(&self) -> Map {
        let body = self.body;
        let mut top = Map::default();
        top.scalar("format", "ChoreonoidBody");
        top.scalar("format_version", "2.0");
        top.scalar("angle_unit", "degree");
        top.scalar("name", yaml::text(&body.name));
        top.scalar("root_link", yaml::text(&body.root().name));
        let links = body.indexed_links().map(|(index, link)| self.link(index, link).into());
        top.set("links", Node::Paragraphs(links.collect()));
        if !body.extra_joints.is_empty() {
            let joints = body.extra_joints.iter().map(|joint| self.extra_joint(joint).into());
            top.set("extra_joints", Node::Sequence(joints.collect()));
        }
        if !body.joint_couplings().is_empty() {
            let couplings = body.joint_couplings().iter().map(|coupling| self.joint_coupling(coupling).into());
            top.set("joint_couplings", Node::Sequence(couplings.collect()));
        }
        if let Some(rules) = &body.collision_rules {
            top.set("collision_detection_rules", Node::Sequence(rules.iter().map(|rule| self.rule(rule)).collect()));
        }
        if let Some(pose) = &body.standard_pose {
            top.set("standard_pose", Node::Flow(pose.iter().map(|&angle| self.angle(angle)).collect(), 1));
        }
        self.info(&mut top, &body.info, TOP_KEYS, &format!("model `{}`", body.name));
        top
    }

    fn link_name(&self, index: LinkIndex) -> String {
        yaml::text(self.body.links().get(index.0).map_or("", |link: &Link| &link.name))
    }

    fn extra_joint(&self, joint: &ExtraJoint) -> Map {
        let mut map = Map::default();
        map.scalar("link1_name", self.link_name(joint.links[0]));
        map.scalar("link2_name", self.link_name(joint.links[1]));
        map.scalar("joint_type", joint.kind.as_str());
        if let Some(axis) = joint.kind.axis() {
            self.set_vector(&mut map, "axis", numbers::tidy_direction(&axis).as_slice());
        }
        let keys = [("translation_in_link1", "rotation_in_link1"), ("translation_in_link2", "rotation_in_link2")];
        for ((translation, rotation), frame) in keys.into_iter().zip(&joint.frames) {
            self.set_translation(&mut map, translation, &frame.translation.vector);
            self.set_rotation(&mut map, rotation, &frame.rotation);
        }
        map
    }

    fn joint_coupling(&self, coupling: &JointCoupling) -> Map {
        let mut map = Map::default();
        map.scalar("joint", yaml::text(self.joint_reference(coupling.follower)));
        map.scalar("leader", yaml::text(self.joint_reference(coupling.leader)));
        match coupling.as_linear() {
            Some((multiplier, offset)) => {
                self.number_unless(&mut map, "multiplier", multiplier, 1.0);
                match self.body.link(coupling.follower).joint.kind {
                    JointKind::Revolute => self.angle_unless(&mut map, "offset", offset, 0.0),
                    _ => self.number_unless(&mut map, "offset", offset, 0.0),
                }
            }
            None => self.set_vector(&mut map, "polynomial", &coupling.polynomial),
        }
        map
    }

    /// Name by which the reader finds the joint of a link.
    fn joint_reference(&self, index: LinkIndex) -> &str {
        let link = self.body.link(index);
        let is_found = |name: &str| self.body.find_joint(name) == self.body.joint_of(index);
        link.joint.name.as_deref().filter(|name| is_found(name)).unwrap_or(&link.name)
    }

    fn rule(&self, rule: &CollisionRule) -> Node {
        let names = |links: &[LinkIndex]| Node::Flow(links.iter().map(|&link| self.link_name(link)).collect(), 1);
        let (key, value) = match rule {
            CollisionRule::DisabledChainLevel(level) => ("disabled_link_chain_level", Node::Scalar(level.to_string())),
            CollisionRule::DisabledLinks(links) => ("disabled_links", names(links)),
            CollisionRule::EnabledLinks(links) => ("enabled_links", names(links)),
            CollisionRule::DisabledGroup(links) => ("disabled_link_group", names(links)),
            CollisionRule::EnabledGroup(links) => ("enabled_link_group", names(links)),
        };
        let mut map = Map::default();
        map.set(key, value);
        map.into()
    }

    fn warn(&self, code: &'static str, message: String) {
        self.reporter.report(Diagnostic::warning(code, message));
    }
}

/// Writing of numbers.
impl Writer<'_> {
    fn number(&self, number: f64) -> String {
        if !number.is_finite() {
            self.not_finite.set(true);
            return "0".to_owned();
        }
        numbers::shortest(number)
    }

    /// An angle in degrees.
    fn angle(&self, radian: f64) -> String {
        self.number(numbers::degrees(radian))
    }

    fn vector(&self, numbers: &[f64]) -> Node {
        Node::Flow(numbers.iter().map(|&number| self.number(number)).collect(), numbers.len())
    }

    fn set_number(&self, map: &mut Map, key: &str, number: f64) {
        map.scalar(key, self.number(number));
    }

    fn set_vector(&self, map: &mut Map, key: &str, numbers: &[f64]) {
        map.set(key, self.vector(numbers));
    }

    /// Writes a number unless it is the default.
    fn number_unless(&self, map: &mut Map, key: &str, number: f64, default: f64) {
        if number != default {
            self.set_number(map, key, number);
        }
    }

    /// Writes an angle unless it is the default.
    fn angle_unless(&self, map: &mut Map, key: &str, radian: f64, default: f64) {
        if radian != default {
            map.scalar(key, self.angle(radian));
        }
    }

    /// Writes numbers unless they are the defaults.
    fn vector_unless(&self, map: &mut Map, key: &str, numbers: &[f64], default: &[f64]) {
        if numbers != default {
            self.set_vector(map, key, numbers);
        }
    }

    fn set_translation(&self, map: &mut Map, key: &str, translation: &Vector3<f64>) {
        self.vector_unless(map, key, translation.as_slice(), &[0.0; 3]);
    }

    fn set_rotation(&self, map: &mut Map, key: &str, rotation: &UnitQuaternion<f64>) {
        if let Some(rotation) = numbers::axis_angle(rotation) {
            self.set_vector(map, key, &rotation);
        }
    }

    /// A node of a type at a pose, with the keys added by `fill`; wrapped in a Transform if its frame is sheared.
    fn placed(&self, kind: &str, name: &str, transform: &Affine3<f64>, fill: impl FnOnce(&mut Map)) -> Node {
        if !transform.matrix().iter().all(|number| number.is_finite()) {
            self.not_finite.set(true);
            return self.placed(kind, name, &Affine3::identity(), fill);
        }
        let placement = Placement::new(transform);
        let outer = |map: &mut Map| {
            self.set_translation(map, "translation", &placement.translation);
            self.set_rotation(map, "rotation", &placement.rotation);
            self.vector_unless(map, "scale", placement.scale.as_slice(), &[1.0; 3]);
        };
        let mut node = Map::of_type(kind);
        if !name.is_empty() {
            node.scalar("name", yaml::text(name));
        }
        let Some(inner) = &placement.inner else {
            outer(&mut node);
            fill(&mut node);
            return node.into();
        };
        self.set_rotation(&mut node, "rotation", inner);
        fill(&mut node);
        let mut around = Map::of_type("Transform");
        outer(&mut around);
        around.set("elements", Node::Sequence(vec![node.into()]));
        around.into()
    }
}

#[cfg(test)]
mod tests {
    use bunraku_document::SourceFile;
    use bunraku_mesh::{Pixels, ShapeOrigin, Texture, TextureTransform};

    use super::*;
    use crate::{LoadOptions, read};

    /// A link with three equal boxes.
    fn boxes() -> Body {
        let shape = "{ type: Shape, geometry: { type: Box } }";
        let text = format!(
            "{{ format: ChoreonoidBody, format_version: 2.0, links: [ {{ name: A, elements: [ {shape}, {shape}, {shape} ] }} ] }}"
        );
        read(&SourceFile::from_text("x.body", text), &LoadOptions::default(), &Reporter::new()).unwrap()
    }

    fn written(body: &Body, path: &Path) -> WrittenModel {
        let reporter = Reporter::new();
        let written = write(body, &WriteOptions { path, roots: &SearchRoots::default() }, &reporter);
        assert!(reporter.diagnostics().is_empty());
        written
    }

    #[test]
    fn pictures_inside_a_model_are_written_once_beside_it_and_replace_no_other() {
        let top = tempfile::tempdir().unwrap();
        let taken = top.path().join("arm-texture2.jpg");
        std::fs::write(&taken, "").unwrap();
        let rgba = vec![[1, 2, 3, 4], [5, 6, 7, 8]];
        let pixels = TextureImage::Pixels(Arc::new(Pixels { width: 1, height: 2, rgba }));
        let encoded = TextureImage::Encoded(Arc::from(&b"\xff\xd8\xffrest"[..]));
        let mut body = boxes();
        let images = [pixels.clone(), encoded, pixels];
        for (shape, image) in body.links[0].visual.iter_mut().zip(images) {
            let transform = TextureTransform::default();
            shape.appearance.texture = Some(Texture { image, repeat: [true; 2], transform });
        }
        let transform = TextureTransform::default();
        let known = Texture { image: TextureImage::File(taken), repeat: [true; 2], transform };
        body.links[0].collision[0].appearance.texture = Some(known);
        let model = written(&body, &top.path().join("arm.body"));
        let names: Vec<_> = model.files.iter().map(|file| file.path.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["arm-texture1.png", "arm-texture3.jpg"]);
        assert_eq!(model.text.matches("arm-texture1.png").count(), 1, "an alias is enough:\n{}", model.text);
        assert_eq!(model.files[1].bytes, b"\xff\xd8\xffrest");
        // The size in the header, and the rows with their filter bytes.
        assert_eq!(model.files[0].bytes[16..24], [0, 0, 0, 1, 0, 0, 0, 2]);
        assert!(model.files[0].bytes.windows(10).any(|bytes| bytes == [0, 1, 2, 3, 4, 0, 5, 6, 7, 8]));
    }

    #[test]
    fn a_part_of_a_mesh_file_is_written_as_numbers() {
        let top = tempfile::tempdir().unwrap();
        let file = top.path().join("boxes.obj");
        std::fs::write(&file, "").unwrap();
        let transform = Affine3::identity();
        let origin = ShapeOrigin { file, part: None, unit: 1.0, y_up: false, transform, as_geometry: false };
        let origin = Arc::new(origin);
        let mut body = boxes();
        let link = &mut body.links[0];
        for shape in link.visual.iter_mut().chain(&mut link.collision) {
            shape.origin = Some(Arc::clone(&origin));
        }
        let count = |body: &Body| {
            let text = written(body, &top.path().join("x.body")).text;
            (text.matches("type: Resource").count(), text.matches("type: Shape").count())
        };
        assert_eq!(count(&body), (1, 0));
        body.links[0].collision.pop();
        assert_eq!(count(&body), (1, 2));
        body.links[0].visual.clear();
        assert_eq!(count(&body), (1, 0));
    }
}
