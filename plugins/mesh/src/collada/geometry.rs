use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use bunraku_document::{Diagnostic, Result};
use nalgebra::{Point2, Point3, Vector3};
use roxmltree::NodeId;

use super::xml::{Element, Xml, child, children, descend, indices, numbers};
use crate::TriangleMesh;
use crate::mesh_builder::{Corner, MeshBuilder};
use crate::mesh_file::{Budget, MeshFile, Tally};

/// Faces of a geometry that share one material.
pub(super) struct Part {
    pub(super) mesh: Arc<TriangleMesh>,
    /// The symbol that an instance binds to a material.
    pub(super) material: Option<String>,
}

/// Set of texture coordinates by the symbol of the material that requests it.
pub(super) type TextureSets = BTreeMap<String, u32>;

/// Reads geometries.
pub(super) struct GeometryReader<'a, 'f> {
    xml: &'f Xml<'a>,
    file: &'f MeshFile<'f>,
    sources: HashMap<NodeId, Rc<Source>>,
    degenerate: Tally,
    lines: Tally,
    holes: Tally,
    broken_corners: Tally,
}

/// Table of numbers.
struct Source {
    values: Vec<f32>,
    offset: usize,
    stride: usize,
    count: usize,
    /// Offsets of the components in a row.
    columns: Vec<usize>,
}

impl Source {
    fn row<const N: usize>(&self, index: u32) -> Option<[f32; N]> {
        let index = index as usize;
        if index >= self.count {
            return None;
        }
        let start = index.checked_mul(self.stride)?.checked_add(self.offset)?;
        let mut row = [0.0; N];
        for (component, value) in row.iter_mut().enumerate() {
            *value = *self.values.get(start.checked_add(*self.columns.get(component)?)?)?;
        }
        Some(row)
    }

    fn finite_row<const N: usize>(&self, index: u32) -> Option<[f32; N]> {
        self.row(index).filter(|row| row.iter().all(|value| value.is_finite()))
    }
}

/// Sources of the corners of a primitive, and the offset of each among the indices of a corner.
struct Inputs {
    stride: usize,
    positions: (Rc<Source>, usize),
    normals: Option<(Rc<Source>, usize)>,
    texture: Option<(Rc<Source>, usize)>,
    colors: Option<(Rc<Source>, usize)>,
}

impl<'a, 'f> GeometryReader<'a, 'f> {
    pub(super) fn new(xml: &'f Xml<'a>, file: &'f MeshFile<'f>) -> Self {
        Self {
            xml,
            file,
            sources: HashMap::new(),
            degenerate: Tally::default(),
            lines: Tally::default(),
            holes: Tally::default(),
            broken_corners: Tally::default(),
        }
    }

    /// Reports the omissions of all geometries.
    pub(super) fn report(&self) {
        self.degenerate.warn(self.file, "degenerate-face", "polygons without area are left out");
        self.holes.warn(self.file, "collada-holes", "holes of polygons are filled: they are not supported");
        let what =
            "corners have a normal, texture coordinate or colour that is not there or not finite; it is left out";
        self.broken_corners.warn(self.file, "collada-index", what);
        if let Some((count, line)) = self.lines.found() {
            self.file.report(Diagnostic::note("collada-lines", format!("{count} sets of lines are not shown")), line);
        }
    }

    /// The parts of a geometry, one for each primitive element.
    pub(super) fn read(&mut self, geometry: Element<'a>, sets: &TextureSets, budget: &mut Budget) -> Result<Vec<Part>> {
        let Some(mesh) = child(geometry, "mesh") else {
            let name = geometry.attribute("name").or_else(|| geometry.attribute("id")).unwrap_or_default();
            let message = format!("the geometry `{name}` is no mesh and is left out");
            self.file.warn("collada-unsupported", message, self.xml.line(geometry));
            return Ok(Vec::new());
        };
        let mut parts = Vec::new();
        for primitive in mesh.children().filter(|child| child.is_element()) {
            let material = primitive.attribute("material").map(str::to_owned);
            match primitive.tag_name().name() {
                "triangles" | "polylist" | "polygons" | "tristrips" | "trifans" => {
                    let set = material.as_ref().and_then(|symbol| sets.get(symbol)).copied();
                    let mesh = self.primitive(primitive, set, budget)?;
                    if !mesh.triangles.is_empty() {
                        parts.push(Part { mesh: Arc::new(mesh), material });
                    }
                }
                "lines" | "linestrips" => self.lines.add(self.xml.line(primitive)),
                _ => {}
            }
        }
        Ok(parts)
    }

    fn malformed(&self, message: impl Into<String>, element: Element<'a>) -> Box<Diagnostic> {
        self.file.error("collada-malformed", message, self.xml.line(element))
    }

    fn primitive(&mut self, element: Element<'a>, set: Option<u32>, budget: &mut Budget) -> Result<TriangleMesh> {
        let lists = children(element, "p").map(|p| indices(p, self.xml, self.file)).collect::<Result<Vec<_>>>()?;
        let mut faces = Faces { inputs: None, builder: MeshBuilder::default(), vertices: HashMap::new() };
        if lists.iter().all(Vec::is_empty) && child(element, "ph").is_none() {
            return Ok(TriangleMesh::default());
        }
        let inputs = self.inputs(element, set)?;
        let stride = inputs.stride;
        faces.inputs = Some(inputs);
        let name = element.tag_name().name();
        let mut polygon = Vec::new();
        match name {
            "triangles" => {
                for list in &lists {
                    if !list.len().is_multiple_of(3 * stride) {
                        return Err(self.malformed("the last of the <triangles> is incomplete", element));
                    }
                    for triangle in list.chunks_exact(3 * stride) {
                        self.polygon(triangle, &mut faces, &mut polygon, element, budget)?;
                    }
                }
            }
            "polylist" => {
                let counts = child(element, "vcount").map(|counts| indices(counts, self.xml, self.file)).transpose()?;
                let mut rest = lists.first().map(Vec::as_slice).unwrap_or_default();
                for count in counts.unwrap_or_default() {
                    let length = (count as usize).saturating_mul(stride);
                    let Some((face, after)) = rest.split_at_checked(length) else {
                        return Err(self.malformed("<p> is too short for <vcount>", element));
                    };
                    self.polygon(face, &mut faces, &mut polygon, element, budget)?;
                    rest = after;
                }
                if !rest.is_empty() {
                    return Err(self.malformed("<p> is too long for <vcount>", element));
                }
            }
            "polygons" => {
                for list in &lists {
                    self.polygon(list, &mut faces, &mut polygon, element, budget)?;
                }
                for with_holes in children(element, "ph") {
                    children(with_holes, "h").for_each(|hole| self.holes.add(self.xml.line(hole)));
                    if let Some(p) = child(with_holes, "p") {
                        let list = indices(p, self.xml, self.file)?;
                        self.polygon(&list, &mut faces, &mut polygon, element, budget)?;
                    }
                }
            }
            _ => {
                for list in &lists {
                    let corners: Vec<&[u32]> = list.chunks_exact(stride).collect();
                    let Some(&first) = corners.first() else { continue };
                    for (position, &[a, b, c]) in corners.array_windows().enumerate() {
                        let triangle = match (name, position % 2) {
                            ("trifans", _) => [first, b, c],
                            (_, 0) => [a, b, c],
                            _ => [b, a, c],
                        };
                        self.polygon(&triangle.concat(), &mut faces, &mut polygon, element, budget)?;
                    }
                }
            }
        }
        Ok(faces.builder.finish())
    }

    /// Adds a face, given the indices of its corners.
    fn polygon(
        &mut self,
        list: &[u32],
        faces: &mut Faces,
        corners: &mut Vec<Corner>,
        element: Element<'a>,
        budget: &mut Budget,
    ) -> Result<()> {
        let Some(inputs) = &faces.inputs else { return Ok(()) };
        corners.clear();
        for row in list.chunks_exact(inputs.stride) {
            let index = |offset: usize| row.get(offset).copied().unwrap_or(u32::MAX);
            let (positions, offset) = &inputs.positions;
            let number = index(*offset);
            let vertex = match faces.vertices.get(&number) {
                Some(vertex) => *vertex,
                None => {
                    let position = positions.row::<3>(number).ok_or_else(|| {
                        let message = format!("vertex {number} does not exist; there are {}", positions.count);
                        self.file.error("collada-index", message, self.xml.line(element))
                    })?;
                    if position.iter().any(|value| !value.is_finite()) {
                        let message = format!("the position of vertex {number} is not finite");
                        return Err(self.file.error("not-finite", message, self.xml.line(element)));
                    }
                    let vertex = faces.builder.vertex(Point3::from(position));
                    faces.vertices.insert(number, vertex);
                    vertex
                }
            };
            let mut broken = false;
            let mut corner = Corner { vertex, normal: None, texture: None, color: None };
            if let Some((source, offset)) = &inputs.normals {
                corner.normal = source.finite_row(index(*offset)).map(Vector3::from);
                broken |= corner.normal.is_none();
            }
            if let Some((source, offset)) = &inputs.texture {
                corner.texture = source.finite_row::<2>(index(*offset)).map(Point2::from);
                broken |= corner.texture.is_none();
            }
            if let Some((source, offset)) = &inputs.colors {
                corner.color = source.finite_row(index(*offset)).map(Vector3::from);
                broken |= corner.color.is_none();
            }
            if broken {
                self.broken_corners.add(self.xml.line(element));
            }
            corners.push(corner);
        }
        let line = Some(self.xml.line(element));
        faces.builder.polygon(corners, line, &mut self.degenerate, budget, self.file)
    }

    fn inputs(&mut self, primitive: Element<'a>, set: Option<u32>) -> Result<Inputs> {
        let mut stride = 0;
        let (mut positions, mut normals, mut texture, mut colors) = (None, None, None, None);
        let mut texture_set = None;
        for input in children(primitive, "input") {
            let number = |name: &str| input.attribute(name).and_then(|text| text.trim().parse::<u32>().ok());
            let offset = number("offset").unwrap_or(0) as usize;
            stride = stride.max(offset.saturating_add(1));
            match input.attribute("semantic").unwrap_or_default() {
                "VERTEX" => {
                    let vertices = self.xml.target(input, "source");
                    let vertices = vertices.ok_or_else(|| self.malformed("the vertices are missing", input))?;
                    for shared in children(vertices, "input") {
                        let source = Some((self.source(shared)?, offset));
                        match shared.attribute("semantic").unwrap_or_default() {
                            "POSITION" => positions = source,
                            "NORMAL" => normals = source,
                            "TEXCOORD" => texture = source,
                            "COLOR" => colors = source,
                            _ => {}
                        }
                    }
                }
                "NORMAL" => normals = Some((self.source(input)?, offset)),
                "COLOR" => colors = Some((self.source(input)?, offset)),
                "TEXCOORD" => {
                    // The set that the material requests, else the first one.
                    let this = number("set").unwrap_or(0);
                    if set == Some(this) || texture_set.is_none_or(|known| Some(known) != set && this < known) {
                        texture = Some((self.source(input)?, offset));
                        texture_set = Some(this);
                    }
                }
                _ => {}
            }
        }
        let positions = positions.ok_or_else(|| self.malformed("the faces have no positions", primitive))?;
        Ok(Inputs { stride, positions, normals, texture, colors })
    }

    fn source(&mut self, input: Element<'a>) -> Result<Rc<Source>> {
        let missing = || self.malformed("the source of an <input> is missing", input);
        let element = self.xml.target(input, "source").ok_or_else(missing)?;
        if let Some(source) = self.sources.get(&element.id()) {
            return Ok(Rc::clone(source));
        }
        let accessor = descend(element, &["technique_common", "accessor"]);
        let array = accessor.and_then(|accessor| self.xml.target(accessor, "source"));
        let array = array.or_else(|| child(element, "float_array")).ok_or_else(missing)?;
        let values: Vec<f32> = numbers(array, self.xml, self.file)?;
        let number = |name: &str| {
            accessor.and_then(|accessor| accessor.attribute(name)).and_then(|text| text.trim().parse::<usize>().ok())
        };
        let params = || accessor.into_iter().flat_map(|accessor| children(accessor, "param")).enumerate();
        let stride = number("stride").unwrap_or_else(|| params().count().max(1)).max(1);
        let mut columns: Vec<usize> =
            params().filter(|(_, param)| param.attribute("name").is_some()).map(|(column, _)| column).take(4).collect();
        if columns.is_empty() {
            columns = (0..stride.min(4)).collect();
        }
        let offset = number("offset").unwrap_or(0);
        let count = number("count").unwrap_or(values.len() / stride);
        let source = Rc::new(Source { values, offset, stride, count, columns });
        self.sources.insert(element.id(), Rc::clone(&source));
        Ok(source)
    }
}

/// Collected faces of a primitive.
struct Faces {
    inputs: Option<Inputs>,
    builder: MeshBuilder,
    /// Index in the mesh by index in the file. The mesh contains only vertices in use.
    vertices: HashMap<u32, u32>,
}
