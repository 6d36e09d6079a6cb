//! STL, binary and ASCII.
//!
//! Own parser: the format has fifty bytes for each triangle. No available crate detects a truncated file, or reads an
//! ASCII file whose `solid` has no name or a non-ASCII name.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use bunraku_document::Result;
use nalgebra::{Affine3, Point3};

use crate::mesh_file::{Budget, DEFAULT_CREASE, MeshFile};
use crate::{Appearance, Geometry, LoadContext, MeshScene, Normals, SceneNode, Shape, TriangleMesh};

/// Size of header and triangle count of a binary file, bytes.
const HEADER: usize = 84;

/// Size of a triangle in a binary file, bytes: normal, three corners, attribute bytes.
const RECORD: usize = 50;

/// Reads an STL file: lengths and axes unchanged, one node for each `solid` of an ASCII file.
///
/// Normals are computed from the order of the corners; those in the file are often zero or wrong. Attribute bytes,
/// which some programs use for colours in several ways, are ignored. Corners at the same position become one vertex, so
/// that the surface can be shaded smoothly.
pub(crate) fn read(path: &Path, bytes: &[u8], context: &LoadContext<'_>) -> Result<MeshScene> {
    let mut budget = Budget::default();
    let nodes = if is_text(bytes) {
        let file = MeshFile::text(path, bytes, context);
        let nodes = Text::new(&file, &mut budget).read()?;
        file.warn_if_empty(budget.triangles);
        nodes
    } else {
        let file = MeshFile::binary(path, context);
        let node = read_binary(bytes, &file, &mut budget)?;
        file.warn_if_empty(budget.triangles);
        vec![node]
    };
    Ok(MeshScene { nodes })
}

/// Whether the file is ASCII. Binary files may begin with `solid`, too; they are recognized by a length that fits the
/// number of triangles. A truncated binary file has a zero byte within its header and count, because real counts are
/// below 2²⁴.
fn is_text(bytes: &[u8]) -> bool {
    if declared(bytes).is_some_and(|count| bytes.len() == HEADER + RECORD * count) {
        return false;
    }
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    let begins = |word: &[u8]| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    (begins(b"solid") || begins(b"facet")) && !bytes.iter().take(HEADER).any(|&byte| byte == 0)
}

/// Number of triangles in the header of a binary file.
fn declared(bytes: &[u8]) -> Option<usize> {
    let count = bytes.get(HEADER - 4..HEADER)?;
    Some(u32::from_le_bytes(count.try_into().ok()?) as usize)
}

fn read_binary(bytes: &[u8], file: &MeshFile<'_>, budget: &mut Budget) -> Result<SceneNode> {
    let (Some(declared), Some(body)) = (declared(bytes), bytes.get(HEADER..)) else {
        let message = format!("this is no STL file: {} bytes are too few and do not begin with `solid`", bytes.len());
        return Err(file.error("stl-malformed", message, None));
    };
    let (records, rest) = body.as_chunks::<RECORD>();
    let whole = records.len();
    let count = if declared == 0 { whole } else { declared.min(whole) };
    if declared > whole {
        let message = format!("the file is cut off: {} of its {declared} triangles are missing", declared - whole);
        if whole == 0 {
            return Err(file.error("stl-truncated", message, None));
        }
        file.warn("stl-truncated", message, None);
    } else if declared == 0 && whole > 0 {
        file.warn("stl-count", format!("the file says it has no triangles, but {whole} follow; they are used"), None);
    } else if whole > declared || !rest.trim_ascii().is_empty() {
        let extra = body.len() - declared * RECORD;
        file.warn("stl-count", format!("{extra} bytes behind the {declared} triangles are ignored"), None);
    }
    budget.spend_triangles(count, file)?;
    let mut welder = Welder::with_capacity(count);
    for (position, record) in records.iter().take(count).enumerate() {
        let (numbers, _) = record.as_chunks::<4>();
        let mut corners = [Point3::origin(); 3];
        let read = numbers.iter().skip(3).map(|number| f32::from_le_bytes(*number));
        for (coordinate, number) in corners.iter_mut().flat_map(|corner| corner.iter_mut()).zip(read) {
            if !number.is_finite() {
                let message = format!("triangle {} has a coordinate that is not a finite number", position + 1);
                return Err(file.error("not-finite", message, None));
            }
            *coordinate = number;
        }
        welder.triangle(corners);
    }
    Ok(welder.into_node(String::new()))
}

/// Merges corners at the same position.
#[derive(Default)]
struct Welder {
    mesh: TriangleMesh,
    known: HashMap<[u32; 3], u32>,
}

impl Welder {
    fn with_capacity(triangles: usize) -> Self {
        let mut welder = Self::default();
        // A closed surface has about half as many vertices as triangles.
        welder.known.reserve(triangles / 2);
        welder.mesh.vertices.reserve(triangles / 2);
        welder.mesh.triangles.reserve(triangles);
        welder
    }

    fn triangle(&mut self, corners: [Point3<f32>; 3]) {
        let triangle = corners.map(|corner| {
            // Adding zero turns −0 into +0.
            let corner = corner.map(|coordinate| coordinate + 0.0);
            let key = [corner.x, corner.y, corner.z].map(f32::to_bits);
            *self.known.entry(key).or_insert_with(|| {
                self.mesh.vertices.push(corner);
                u32::try_from(self.mesh.vertices.len() - 1).unwrap_or(u32::MAX)
            })
        });
        self.mesh.triangles.push(triangle);
    }

    fn into_node(self, name: String) -> SceneNode {
        let mesh = TriangleMesh { normals: Normals::Crease(DEFAULT_CREASE), ..self.mesh };
        let shape = Shape::new(Geometry::Mesh(Arc::new(mesh)), Affine3::identity(), Appearance::default());
        SceneNode { name, shapes: vec![shape], ..SceneNode::default() }
    }
}

/// Reader of an ASCII file, word by word. White space is insignificant, except that the rest of the line after `solid`
/// and `endsolid` is a name.
struct Text<'a> {
    file: &'a MeshFile<'a>,
    budget: &'a mut Budget,
    nodes: Vec<SceneNode>,
    welder: Welder,
    name: String,
    line: u32,
}

impl<'a> Text<'a> {
    fn new(file: &'a MeshFile<'a>, budget: &'a mut Budget) -> Self {
        Self { file, budget, nodes: Vec::new(), welder: Welder::default(), name: String::new(), line: 1 }
    }

    fn read(mut self) -> Result<Vec<SceneNode>> {
        let source = self.file.source_text();
        let mut rest = source.text();
        let mut corners: Vec<Point3<f32>> = Vec::with_capacity(3);
        let mut open = false;
        while let Some(word) = self.word(&mut rest) {
            match word.to_ascii_lowercase().as_str() {
                "solid" => {
                    self.finish_solid();
                    self.name = rest_of_line(&mut rest).to_owned();
                    open = true;
                }
                "endsolid" => {
                    rest_of_line(&mut rest);
                    self.finish_solid();
                    open = false;
                }
                "facet" => {
                    open = true;
                    self.skip_normal(&mut rest);
                }
                "vertex" => {
                    if corners.len() == 3 {
                        return Err(self.error("a facet has more than three corners"));
                    }
                    match self.point(&mut rest)? {
                        Some(corner) => corners.push(corner),
                        None => break,
                    }
                }
                "endloop" => {
                    let corners = std::mem::take(&mut corners);
                    let Ok(corners) = <[Point3<f32>; 3]>::try_from(corners) else {
                        return Err(self.error("a facet has fewer than three corners"));
                    };
                    self.budget.spend_triangles(1, self.file)?;
                    self.welder.triangle(corners);
                }
                "outer" | "loop" | "endfacet" => {}
                _ => {
                    let word: String = word.chars().take(40).collect();
                    return Err(self.error(format!("`{word}` has no meaning here")));
                }
            }
        }
        if open {
            let message = "the file is cut off: `endsolid` is missing, and so may be triangles";
            if self.budget.triangles == 0 {
                return Err(self.file.error("stl-truncated", message, self.line));
            }
            self.file.warn("stl-truncated", message, self.line);
            self.finish_solid();
        }
        Ok(self.nodes)
    }

    fn error(&self, message: impl Into<String>) -> Box<bunraku_document::Diagnostic> {
        self.file.error("stl-malformed", message, self.line)
    }

    /// The next word; counts lines.
    fn word<'t>(&mut self, rest: &mut &'t str) -> Option<&'t str> {
        let start = rest.find(|letter: char| !letter.is_ascii_whitespace())?;
        let (space, after) = rest.split_at(start);
        let feeds = space.bytes().filter(|&byte| byte == b'\n').count();
        self.line = self.line.saturating_add(u32::try_from(feeds).unwrap_or(u32::MAX));
        let end = after.find(|letter: char| letter.is_ascii_whitespace()).unwrap_or(after.len());
        let (word, after) = after.split_at(end);
        *rest = after;
        Some(word)
    }

    /// Skips `normal` and its three numbers without checking them: some programs write `nan`.
    fn skip_normal(&mut self, rest: &mut &str) {
        let mut ahead = *rest;
        let line = self.line;
        if self.word(&mut ahead).is_some_and(|word| word.eq_ignore_ascii_case("normal")) {
            for _ in 0..3 {
                *rest = ahead;
                let line = self.line;
                if self.word(&mut ahead).is_some_and(|word| word.eq_ignore_ascii_case("outer")) {
                    self.line = line;
                    return;
                }
            }
            *rest = ahead;
        } else {
            self.line = line;
        }
    }

    /// Three coordinates; `None` at the end of the file, even within a number.
    fn point(&mut self, rest: &mut &str) -> Result<Option<Point3<f32>>> {
        let mut point = Point3::origin();
        for coordinate in &mut point.iter_mut() {
            let Some(word) = self.word(rest) else { return Ok(None) };
            let number: f32 = match fast_float2::parse(word) {
                Ok(number) => number,
                Err(_) if rest.is_empty() => return Ok(None),
                Err(_) => {
                    let word: String = word.chars().take(40).collect();
                    return Err(self.error(format!("`{word}` is not a number")));
                }
            };
            if !number.is_finite() {
                let message = format!("the coordinate `{word}` is not a finite number");
                return Err(self.file.error("not-finite", message, self.line));
            }
            *coordinate = number;
        }
        Ok(Some(point))
    }

    fn finish_solid(&mut self) {
        let welder = std::mem::take(&mut self.welder);
        let name = std::mem::take(&mut self.name);
        if !welder.mesh.triangles.is_empty() {
            self.nodes.push(welder.into_node(name));
        }
    }
}

/// Text up to the end of the line, trimmed.
fn rest_of_line<'t>(rest: &mut &'t str) -> &'t str {
    let end = rest.find(['\n', '\r']).unwrap_or(rest.len());
    let (line, after) = rest.split_at(end);
    *rest = after;
    line.trim()
}
