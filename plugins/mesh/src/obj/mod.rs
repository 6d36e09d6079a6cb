//! Wavefront OBJ with materials.
//!
//! Own parser, because `tobj` reports no lines, panics on a colour of one number (`Kd 0.8`), mixes up texture
//! coordinates when some corners have none, and reads no file whose name is not UTF-8.

mod material;
mod words;

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use bunraku_document::{Diagnostic, PathError, Result};
use nalgebra::{Affine3, Point2, Point3, Vector3};

use self::material::read_materials;
use self::words::{next_word, shortened};
use crate::mesh_builder::{Corner, MeshBuilder};
use crate::mesh_file::{Budget, MeshFile, Tally};
use crate::{Appearance, Geometry, LoadContext, MeshScene, SceneNode, Shape};

/// Maximum number of material libraries of a file: each is a file to open.
const MAX_LIBRARIES: usize = 64;

/// Reads an OBJ file: lengths and axes unchanged, one node for each name of an object (`o`) or group (`g`).
///
/// Faces without normals are smooth up to the default crease angle; smoothing groups are ignored. The weight of a
/// vertex is ignored, because it applies to curves only.
pub(crate) fn read(path: &Path, bytes: &[u8], context: &LoadContext<'_>) -> Result<MeshScene> {
    let file = MeshFile::text(path, bytes, context);
    let source = file.source_text();
    let mut reader = Reader::new(&file);
    let mut joined = String::new();
    let mut start = None;
    for (number, line) in (1..).zip(source.text().lines()) {
        // A backslash continues a statement on the next line.
        if let Some(begun) = line.trim_end().strip_suffix('\\') {
            start.get_or_insert(number);
            joined.push_str(begun);
            joined.push(' ');
            continue;
        }
        match start.take() {
            Some(start) => {
                joined.push_str(line);
                reader.statement(&joined, start)?;
                joined.clear();
            }
            None => reader.statement(line, number)?,
        }
    }
    if let Some(start) = start {
        reader.statement(&joined, start)?;
    }
    reader.finish()
}

/// Interpreter of statements.
struct Reader<'f> {
    file: &'f MeshFile<'f>,
    positions: Vec<Point3<f32>>,
    /// Empty, or as long as `positions`.
    colors: Vec<Option<Vector3<f32>>>,
    normals: Vec<Vector3<f32>>,
    texture: Vec<Point2<f32>>,
    libraries: HashSet<String>,
    materials: HashMap<String, Appearance>,
    name: String,
    material: Option<String>,
    /// Group of the following faces; `None` after a change of name or material.
    current: Option<usize>,
    groups: Vec<Group>,
    by_name: HashMap<(String, Option<String>), usize>,
    corners: Vec<Corner>,
    budget: Budget,
    broken_corners: Tally,
    degenerate: Tally,
    lines: Tally,
    unsupported: Tally,
}

/// Faces with the same name and material.
struct Group {
    name: String,
    appearance: Appearance,
    builder: MeshBuilder,
    /// Index in the mesh by index in the file. The mesh contains only vertices in use.
    vertices: HashMap<usize, u32>,
}

impl<'f> Reader<'f> {
    fn new(file: &'f MeshFile<'f>) -> Self {
        Self {
            file,
            positions: Vec::new(),
            colors: Vec::new(),
            normals: Vec::new(),
            texture: Vec::new(),
            libraries: HashSet::new(),
            materials: HashMap::new(),
            name: String::new(),
            material: None,
            current: None,
            groups: Vec::new(),
            by_name: HashMap::new(),
            corners: Vec::new(),
            budget: Budget::default(),
            broken_corners: Tally::default(),
            degenerate: Tally::default(),
            lines: Tally::default(),
            unsupported: Tally::default(),
        }
    }

    fn statement(&mut self, statement: &str, line: u32) -> Result<()> {
        let statement = statement.split('#').next().unwrap_or_default().trim();
        let (keyword, rest) = statement.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((statement, ""));
        match keyword {
            "" => {}
            "v" => self.vertex(rest, line)?,
            "vn" => {
                let ([x, y, z], _) = self.numbers(rest, 3, line)?;
                self.normals.push(Vector3::new(x, y, z));
            }
            "vt" => {
                let ([s, t, _], _) = self.numbers(rest, 1, line)?;
                self.texture.push(Point2::new(s, t));
            }
            "f" | "fo" => self.face(rest, line)?,
            "o" | "g" => {
                self.name = rest.trim().to_owned();
                self.current = None;
            }
            "usemtl" => {
                self.material = Some(rest.trim().to_owned());
                self.current = None;
            }
            "mtllib" => self.library(rest.trim(), line),
            "l" | "p" => self.lines.add(line),
            "curv" | "curv2" | "surf" => self.unsupported.add(line),
            // Smoothing, display attributes, curves and surfaces are ignored.
            "s" | "mg" | "vp" | "deg" | "bmat" | "step" | "cstype" | "parm" | "trim" | "hole" | "scrv" | "sp"
            | "end" | "con" | "bevel" | "c_interp" | "d_interp" | "lod" | "usemap" | "maplib" | "shadow_obj"
            | "trace_obj" | "ctech" | "stech" => {}
            _ => self.unsupported.add(line),
        }
        Ok(())
    }

    /// At least `least` and at most three numbers, and the rest of the text.
    fn numbers<'t>(&self, text: &'t str, least: usize, line: u32) -> Result<([f32; 3], &'t str)> {
        let mut numbers = [0.0; 3];
        let mut rest = text;
        for (position, number) in numbers.iter_mut().enumerate() {
            let (word, after) = next_word(rest);
            if word.is_empty() {
                if position < least {
                    let message = format!("there are {position} numbers instead of {least}");
                    return Err(self.file.error("obj-malformed", message, line));
                }
                break;
            }
            *number = self.number(word, line)?;
            rest = after;
        }
        Ok((numbers, rest))
    }

    fn number(&self, word: &str, line: u32) -> Result<f32> {
        match fast_float2::parse::<f32, _>(word) {
            Ok(number) if number.is_finite() => Ok(number),
            Ok(_) => Err(self.file.error("not-finite", format!("`{}` is not finite", shortened(word)), line)),
            Err(_) => Err(self.file.error("obj-malformed", format!("`{}` is not a number", shortened(word)), line)),
        }
    }

    /// Reads a position, m, and a colour if three more numbers follow.
    fn vertex(&mut self, text: &str, line: u32) -> Result<()> {
        let ([x, y, z], rest) = self.numbers(text, 3, line)?;
        self.positions.push(Point3::new(x, y, z));
        if u32::try_from(self.positions.len()).is_err() {
            return Err(self.file.error("limit-vertices", "there are too many vertices", line));
        }
        let color = (rest.split_ascii_whitespace().count() >= 3).then(|| self.numbers(rest, 3, line)).transpose()?;
        if color.is_some() || !self.colors.is_empty() {
            self.colors.resize(self.positions.len() - 1, None);
            self.colors.push(color.map(|(color, _)| Vector3::from(color)));
        }
        Ok(())
    }

    fn face(&mut self, text: &str, line: u32) -> Result<()> {
        let group = self.group(line)?;
        let Some(group) = self.groups.get_mut(group) else { return Ok(()) };
        self.corners.clear();
        for word in text.split_ascii_whitespace() {
            let mut indices = word.split('/');
            let mut index = |count: usize| match indices.next() {
                None | Some("") => Ok(None),
                Some(text) => match text.parse::<i64>() {
                    Ok(number) => Ok(Some(position(number, count))),
                    Err(_) => {
                        let message = format!("`{}` is no corner of a face", shortened(word));
                        Err(self.file.error("obj-malformed", message, line))
                    }
                },
            };
            let (vertex, texture, normal) =
                (index(self.positions.len())?, index(self.texture.len())?, index(self.normals.len())?);
            let position = vertex.flatten().and_then(|vertex| Some((vertex, *self.positions.get(vertex)?)));
            let Some((number, position)) = position else {
                let count = self.positions.len();
                let message =
                    format!("the corner `{}` does not exist; there are {count} vertices so far", shortened(word));
                return Err(self.file.error("obj-index", message, line));
            };
            let vertex = *group.vertices.entry(number).or_insert_with(|| group.builder.vertex(position));
            if texture == Some(None) || normal == Some(None) {
                self.broken_corners.add(line);
            }
            self.corners.push(Corner {
                vertex,
                normal: normal.flatten().and_then(|normal| self.normals.get(normal).copied()),
                texture: texture.flatten().and_then(|texture| self.texture.get(texture).copied()),
                color: self.colors.get(number).copied().flatten(),
            });
        }
        group.builder.polygon(&self.corners, Some(line), &mut self.degenerate, &mut self.budget, self.file)
    }

    /// Index of the group of the current name and material.
    fn group(&mut self, line: u32) -> Result<usize> {
        if let Some(current) = self.current {
            return Ok(current);
        }
        let key = (self.name.clone(), self.material.clone());
        let group = match self.by_name.get(&key) {
            Some(group) => *group,
            None => {
                self.budget.spend_node(0, Some(line), self.file)?;
                let appearance = match &self.material {
                    None => Appearance::default(),
                    Some(material) => match self.materials.get(material) {
                        Some(appearance) => appearance.clone(),
                        None => {
                            let message = format!("the material `{}` is in no library", shortened(material));
                            self.file.warn("obj-no-material", message, line);
                            self.materials.insert(material.clone(), Appearance::default());
                            Appearance::default()
                        }
                    },
                };
                let name = self.name.clone();
                let builder = MeshBuilder::default();
                self.groups.push(Group { name, appearance, builder, vertices: HashMap::new() });
                self.by_name.insert(key, self.groups.len() - 1);
                self.groups.len() - 1
            }
        };
        self.current = Some(group);
        Ok(group)
    }

    /// Reads the files of a `mtllib` statement: one whose name may contain spaces, or several.
    fn library(&mut self, text: &str, line: u32) {
        if self.libraries.len() >= MAX_LIBRARIES {
            self.unsupported.add(line);
            return;
        }
        if text.is_empty() || !self.libraries.insert(text.to_owned()) {
            return;
        }
        let whole = self.file.find(text);
        let names = match &whole {
            Err(PathError::NotFound { .. }) if text.contains(char::is_whitespace) => text.split_whitespace().collect(),
            _ => vec![text],
        };
        for name in names.into_iter().take(MAX_LIBRARIES) {
            match self.file.read(name, line) {
                Ok((path, bytes)) => self.read_library(&path, &bytes),
                Err(error) => {
                    let message = format!("a material library is left out: {}", error.message);
                    let message = bunraku_document::shortened(&message).into_owned();
                    self.file.context.reporter.report(Diagnostic { message, ..*error }.into_warning());
                }
            }
        }
        self.current = None;
    }

    fn read_library(&mut self, path: &Path, bytes: &[u8]) {
        let library = MeshFile::text(path, bytes, self.file.context);
        for (name, appearance) in read_materials(&library) {
            self.materials.entry(name).or_insert(appearance);
        }
    }

    fn finish(self) -> Result<MeshScene> {
        let file = self.file;
        self.degenerate.warn(file, "degenerate-face", "faces have fewer than three corners or no area");
        let what = "corners name a normal or texture coordinate that does not exist; it is left out";
        self.broken_corners.warn(file, "obj-index", what);
        self.unsupported.warn(file, "obj-unsupported", "statements are not understood and left out");
        if let Some((count, line)) = self.lines.found() {
            let note = Diagnostic::note("obj-lines", format!("{count} lines and points are not shown"));
            file.report(note, line);
        }
        file.warn_if_empty(self.budget.triangles);
        let mut scene = MeshScene::default();
        let mut nodes: HashMap<String, usize> = HashMap::new();
        for group in self.groups.into_iter().filter(|group| group.builder.triangle_count() > 0) {
            let shape =
                Shape::new(Geometry::Mesh(Arc::new(group.builder.finish())), Affine3::identity(), group.appearance);
            let node = *nodes.entry(group.name).or_insert_with_key(|name| {
                scene.nodes.push(SceneNode { name: name.clone(), ..SceneNode::default() });
                scene.nodes.len() - 1
            });
            if let Some(node) = scene.nodes.get_mut(node) {
                node.shapes.push(shape);
            }
        }
        Ok(scene)
    }
}

/// Converts the number of an element to its index in a list of length `count`. Numbers start at 1; negative ones count
/// from the end.
fn position(number: i64, count: usize) -> Option<usize> {
    let number = usize::try_from(if number < 0 { number.checked_add_unsigned(count as u64)? } else { number - 1 });
    number.ok().filter(|number| *number < count)
}
