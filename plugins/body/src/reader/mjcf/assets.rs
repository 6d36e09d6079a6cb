//! `<asset>`: meshes, materials and textures.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bunraku_document::{Diagnostic, read_bytes};
use bunraku_mesh::{
    Appearance, Geometry, LoadContext, Shape, Texture, TextureImage, TextureTransform, TriangleMesh, load_scene,
};
use nalgebra::{Affine3, Matrix4, Point3, Quaternion, Scale3, Translation3, UnitQuaternion, Vector3};

use super::element::Element;
use super::findings::{short, suggest};
use super::mesh_mass::{self, MeshInertia, MeshMass};
use super::model::ModelFile;
use super::msh;
use super::view::{View, read_numbers};

/// Maximum number of triangles of a mesh in the model file itself.
const MOST_TRIANGLES: usize = 2_000_000;

/// A mesh in its own frame, scaled.
pub(super) struct MeshAsset {
    /// Shapes in the coordinates of their file.
    pub(super) shapes: Vec<Shape>,
    /// From these to the frame of the mesh.
    pub(super) transform: Affine3<f64>,
    /// The file; `None` if the model contains the mesh.
    pub(super) path: Option<PathBuf>,
    pub(super) inertia: MeshInertia,
    /// Material of geoms without one.
    pub(super) material: Option<String>,
}

impl MeshAsset {
    /// Its triangles, counter-clockwise from outside.
    fn triangles(&self) -> Vec<[Point3<f64>; 3]> {
        let mut all = Vec::new();
        for shape in &self.shapes {
            let mesh = shape.geometry.triangles();
            let transform = self.transform * shape.transform;
            let corner = |index: u32| {
                let vertex = mesh.vertices.get(usize::try_from(index).unwrap_or(usize::MAX));
                vertex.map_or_else(Point3::origin, |vertex| transform * vertex.cast::<f64>())
            };
            let mirrors = transform.matrix().fixed_view::<3, 3>(0, 0).determinant() < 0.0;
            for &[a, b, c] in &mesh.triangles {
                let triangle = if mirrors { [a, c, b] } else { [a, b, c] };
                all.push(triangle.map(corner));
            }
        }
        all
    }

    /// Its mass properties for a density of 1; `None` if it encloses nothing.
    pub(super) fn mass(&self, shell: bool) -> Option<MeshMass> {
        mesh_mass::of_triangles(&self.triangles(), if shell { MeshInertia::Shell } else { self.inertia })
    }
}

/// The assets of a model. Files of meshes are read when they are used.
pub(super) struct Assets<'m> {
    file: &'m ModelFile<'m>,
    meshes: HashMap<String, &'m Element>,
    materials: HashMap<String, &'m Element>,
    textures: HashMap<String, &'m Element>,
    loaded: RefCell<HashMap<String, Option<Arc<MeshAsset>>>>,
    looks: RefCell<HashMap<String, Appearance>>,
}

impl<'m> Assets<'m> {
    pub(super) fn new(file: &'m ModelFile<'m>) -> Self {
        let mut assets = Self {
            file,
            meshes: HashMap::new(),
            materials: HashMap::new(),
            textures: HashMap::new(),
            loaded: RefCell::default(),
            looks: RefCell::default(),
        };
        for element in file.root.section("asset") {
            let named = match element.tag.as_str() {
                "mesh" => &mut assets.meshes,
                "material" => &mut assets.materials,
                "texture" => &mut assets.textures,
                _ => continue,
            };
            let of_file = || element.attribute("file").map(stem);
            let Some(name) = element.attribute("name").map(str::to_owned).or_else(of_file) else { continue };
            if let Some(first) = named.insert(name.clone(), element) {
                let message = format!(
                    "the {} `{}` exists already on line {}",
                    element.tag,
                    short(&name),
                    file.findings.line(first)
                );
                let error = Diagnostic::error("duplicate-asset", message);
                file.findings.report(element, error.help("give one of the two another `name`"));
            }
        }
        assets
    }

    /// A mesh; `None` if it does not exist or cannot be read, which is reported once.
    pub(super) fn mesh(&self, name: &str, view: &View<'_>) -> Option<Arc<MeshAsset>> {
        if let Some(known) = self.loaded.borrow().get(name) {
            return known.clone();
        }
        let mesh = match self.meshes.get(name) {
            Some(element) => self.read_mesh(element),
            None => {
                let error = Diagnostic::error("unknown-mesh", format!("there is no mesh `{}`", short(name)));
                view.report("mesh", suggest(error, name, sorted(&self.meshes)));
                None
            }
        };
        let mesh = mesh.map(Arc::new);
        self.loaded.borrow_mut().insert(name.to_owned(), mesh.clone());
        mesh
    }

    fn read_mesh(&self, element: &'m Element) -> Option<MeshAsset> {
        let findings = self.file.findings;
        let view = self.file.view(element, None);
        let scale = view.array::<3>("scale").unwrap_or([1.0; 3]);
        let refpos = view.array::<3>("refpos").map_or_else(Vector3::zeros, Vector3::from);
        let [w, x, y, z] = view.array::<4>("refquat").unwrap_or([1.0, 0.0, 0.0, 0.0]);
        let turn = bunraku_mesh::unit_quaternion(Quaternion::new(w, x, y, z), 1e-12);
        let turn = turn.map_or_else(UnitQuaternion::identity, |turn| UnitQuaternion::new_unchecked(turn.into_inner()));
        let [x, y, z] = scale;
        let transform = Scale3::new(x, y, z).to_homogeneous()
            * turn.inverse().to_homogeneous()
            * Translation3::from(-refpos).to_homogeneous();
        let transform = Affine3::from_matrix_unchecked(transform);
        let (shapes, path) = if view.find("file").is_some() {
            let path = self.path(&view, "file", &self.file.compiler.meshdir)?;
            match path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("msh")) {
                // Other formats of models have no such files.
                true => (vec![self.msh(&view, &path)?], None),
                false => (self.shapes_of_file(&view, &path)?, Some(path)),
            }
        } else if view.find("vertex").is_some() {
            (vec![self.inline_mesh(&view)?], None)
        } else {
            let what = if view.find("builtin").is_some() { "built-in meshes" } else { "meshes without a file" };
            let warning =
                Diagnostic::warning("mjcf-unsupported", format!("{what} are not made: their geoms are left out"));
            findings.once("mesh-builtin", element, warning.help("save the mesh as an STL or OBJ file"));
            return None;
        };
        let inertia = MeshInertia::read(&view);
        if inertia == MeshInertia::Convex {
            let warning = Diagnostic::warning(
                "mjcf-unsupported",
                "`inertia=\"convex\"` is read as `exact`: the inertia is that of the mesh itself, not of its hull",
            );
            findings.once_attribute("mesh-convex", element, "inertia", warning);
        }
        Some(MeshAsset { shapes, transform, path, inertia, material: view.text("material").map(str::to_owned) })
    }

    fn shapes_of_file(&self, view: &View<'_>, path: &Path) -> Option<Vec<Shape>> {
        let super::super::Reading { roots, options, reporter, .. } = *self.file.reading;
        let scene = match load_scene(path, &LoadContext { roots, limits: &options.limits, reporter }) {
            Ok(scene) => scene,
            Err(diagnostic) => {
                let diagnostic = diagnostic.into_warning();
                match diagnostic.place {
                    Some(_) => reporter.report(diagnostic),
                    None => view.report("file", diagnostic),
                }
                return None;
            }
        };
        Some(scene.shapes())
    }

    fn msh(&self, view: &View<'_>, path: &Path) -> Option<Shape> {
        let bytes = match read_bytes(path, &self.file.reading.options.limits) {
            Ok(bytes) => bytes,
            Err(error) => {
                view.report("file", error.to_diagnostic().into_warning());
                return None;
            }
        };
        msh::read(&bytes).map_err(|diagnostic| view.report("file", diagnostic.into_warning())).ok()
    }

    /// A mesh of `vertex` and `face`.
    fn inline_mesh(&self, view: &View<'_>) -> Option<Shape> {
        let findings = self.file.findings;
        let all = |name: &str| {
            let (element, text) = view.find(name)?;
            read_numbers(findings, element, name, text, 1, 9 * MOST_TRIANGLES)
        };
        let vertices = all("vertex")?;
        if view.find("face").is_none() {
            let warning = Diagnostic::warning(
                "mjcf-unsupported",
                "a mesh of vertices without `face` is their convex hull, which is not made: its geoms are left out",
            );
            findings.once("mesh-hull", view.element, warning.help("give the triangles in `face`, or a mesh file"));
            return None;
        }
        let faces = all("face")?;
        // Single precision, as files of meshes have it.
        #[allow(clippy::cast_possible_truncation)]
        let vertices: Vec<Point3<f32>> =
            vertices.as_chunks::<3>().0.iter().map(|chunk| Point3::from(chunk.map(|number| number as f32))).collect();
        let index = |number: f64| {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let index = number as usize;
            u32::try_from(index).ok().filter(|_| number >= 0.0 && index < vertices.len())
        };
        let triangles: Option<Vec<[u32; 3]>> =
            faces.as_chunks::<3>().0.iter().map(|&[a, b, c]| Some([index(a)?, index(b)?, index(c)?])).collect();
        let Some(triangles) = triangles else {
            let error = Diagnostic::error("face-index", "a face refers to a vertex that does not exist");
            view.report("face", error.help("vertices are counted from 0"));
            return None;
        };
        let mesh = TriangleMesh { vertices, triangles, solid: true, ..TriangleMesh::default() };
        Some(Shape::new(Geometry::Mesh(Arc::new(mesh)), Affine3::identity(), Appearance::default()))
    }

    /// Path of a file of an asset; a warning if it does not exist.
    fn path(&self, view: &View<'_>, attribute: &str, directory: &str) -> Option<PathBuf> {
        let name = view.text(attribute)?;
        let compiler = &self.file.compiler;
        let name = if compiler.strippath { name.rsplit(['/', '\\']).next().unwrap_or(name) } else { name };
        let full = if directory.is_empty() || Path::new(name).is_absolute() {
            name.to_owned()
        } else {
            format!("{}/{name}", directory.trim_end_matches('/'))
        };
        match self.file.reading.roots.find(self.file.reading.directory, &full) {
            Ok(path) => Some(path),
            Err(error) => {
                view.report(attribute, error.to_diagnostic().into_warning());
                None
            }
        }
    }

    /// Appearance of a material; `None` if it does not exist, which is reported.
    pub(super) fn look(&self, name: &str, view: &View<'_>) -> Option<Appearance> {
        if let Some(known) = self.looks.borrow().get(name) {
            return Some(known.clone());
        }
        let Some(element) = self.materials.get(name) else {
            let error = Diagnostic::error("unknown-material", format!("there is no material `{}`", short(name)));
            view.report("material", suggest(error, name, sorted(&self.materials)));
            return None;
        };
        let view = self.file.view(element, None);
        let [red, green, blue, alpha] = view.array::<4>("rgba").unwrap_or([1.0; 4]).map(|part| part.clamp(0.0, 1.0));
        let number = |name, default: f64| view.number(name).unwrap_or(default).clamp(0.0, 1.0);
        let diffuse = Vector3::new(red, green, blue);
        let look = Appearance {
            diffuse,
            transparency: 1.0 - alpha,
            emissive: diffuse * number("emission", 0.0),
            specular: Vector3::repeat(number("specular", 0.5)),
            // OpenGL's exponent, as MuJoCo's renderer has it.
            specular_exponent: 128.0 * number("shininess", 0.5),
            texture: self.texture(element, &view),
            ..Appearance::default()
        };
        self.looks.borrow_mut().insert(name.to_owned(), look.clone());
        Some(look)
    }

    /// Image of a material, if it is a file that is laid on by texture coordinates.
    fn texture(&self, element: &'m Element, view: &View<'_>) -> Option<Texture> {
        let layer = || element.all("layer").find(|layer| layer.attribute("role") == Some("rgb"))?.attribute("texture");
        let name = view.text("texture").or_else(layer)?;
        let Some(texture) = self.textures.get(name) else {
            let warning = Diagnostic::warning("unknown-texture", format!("there is no texture `{}`", short(name)));
            view.report("texture", suggest(warning, name, sorted(&self.textures)));
            return None;
        };
        let texture = self.file.view(texture, None);
        let is_flat = texture.text("type") == Some("2d");
        if !is_flat || texture.find("file").is_none() {
            let note = Diagnostic::note(
                "mjcf-texture",
                "textures that are made by a rule or wrapped as a cube are not drawn; their materials have plain colours",
            );
            let help = "a texture of the type `2d` with an image file is drawn on meshes with texture coordinates";
            self.file.findings.once("texture", texture.element, note.help(help));
            return None;
        }
        let path = self.path(&texture, "file", &self.file.compiler.texturedir)?;
        let transform = TextureTransform::default();
        Some(Texture { image: TextureImage::File(path), repeat: [true; 2], transform })
    }
}

/// Names in alphabetical order.
fn sorted<'n>(named: &'n HashMap<String, &Element>) -> Vec<&'n str> {
    let mut names: Vec<&str> = named.keys().map(String::as_str).collect();
    names.sort_unstable();
    names
}

/// Name of a file without its directory and extension.
fn stem(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned()
}

/// A pose followed by a transform.
pub(super) fn placed(pose: &nalgebra::Isometry3<f64>, transform: &Affine3<f64>) -> Affine3<f64> {
    let pose: Matrix4<f64> = pose.to_homogeneous();
    Affine3::from_matrix_unchecked(pose * transform.matrix())
}
