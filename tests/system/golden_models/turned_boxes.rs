//! Bounding boxes as Choreonoid calculates them: at each node the current box is rotated and a box put around that.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use bunraku::body::{Body, LoadOptions, Shape};
use bunraku::document::yaml::Document;
use bunraku::document::{Limits, Reporter, SearchRoots, SourceFile, Value, ValueKind};
use bunraku::mesh::{BoundingBox, LoadContext, SceneNode, ShapeOrigin, load_scene};
use nalgebra::{Affine3, Isometry3, Point3, Translation3, Unit, UnitQuaternion, Vector3};

/// The boxes of the links of a model.
pub fn of_model(path: &Path, share: &Path) -> Vec<Option<BoundingBox>> {
    let options = LoadOptions { roots: SearchRoots::new(Some(share.to_owned())), ..LoadOptions::default() };
    let body = bunraku::body::load(path, &options, &Reporter::new()).unwrap();
    if path.ends_with("unevenground.body") {
        return vec![of_nested_transforms(path, &body)];
    }
    if path.ends_with("unevenfloor.wrl") {
        // A single link: the contents of the file are moved by the pose of the link, which has no rotation.
        let back = body.root().offset.translation.inverse();
        return vec![of_scene(path, None).map(|own| turned(own, &nalgebra::convert(back)))];
    }
    body.links().iter().map(|link| of_shapes(&link.visual)).collect()
}

/// Shapes below one transform each, or in mesh files, whose nodes are visited.
fn of_shapes(shapes: &[Shape]) -> Option<BoundingBox> {
    let mut last: Option<&Arc<ShapeOrigin>> = None;
    let mut bounds = Vec::new();
    for shape in shapes {
        match &shape.origin {
            Some(origin) if !origin.as_geometry => {
                if !last.is_some_and(|last| Arc::ptr_eq(last, origin)) {
                    bounds.extend(of_file(origin));
                }
                last = Some(origin);
            }
            _ => bounds.extend(of_shape(shape)),
        }
    }
    bounds.into_iter().reduce(BoundingBox::union)
}

fn of_file(origin: &ShapeOrigin) -> Option<BoundingBox> {
    Some(turned(of_scene(&origin.file, origin.part.as_deref())?, &origin.transform))
}

/// A mesh file or a part of it.
fn of_scene(file: &Path, part: Option<&str>) -> Option<BoundingBox> {
    let (roots, limits, reporter) = (SearchRoots::default(), Limits::default(), Reporter::new());
    let context = LoadContext { roots: &roots, limits: &limits, reporter: &reporter };
    let scene = load_scene(file, &context).unwrap();
    let scene = part.map_or(scene.clone(), |part| scene.part(part, &BTreeSet::new()).unwrap());
    scene.nodes.iter().filter_map(of_node).reduce(BoundingBox::union)
}

fn of_node(node: &SceneNode) -> Option<BoundingBox> {
    let shapes = node.shapes.iter().filter_map(of_shape);
    let own = shapes.chain(node.children.iter().filter_map(of_node)).reduce(BoundingBox::union)?;
    Some(turned(own, &node.transform))
}

fn of_shape(shape: &Shape) -> Option<BoundingBox> {
    Some(turned(shape.geometry.triangles().bounding_box(&Affine3::identity())?, &shape.transform))
}

/// The box around a rotated box.
fn turned(own: BoundingBox, transform: &Affine3<f64>) -> BoundingBox {
    let corner = |number: usize| {
        let side = |axis: usize| if number >> axis & 1 == 0 { own.min[axis] } else { own.max[axis] };
        transform * Point3::new(side(0), side(1), side(2))
    };
    BoundingBox::around((0..8).map(corner)).unwrap()
}

/// A model of one link with nested Transform nodes, angles in radians: the nodes are read from the file, and the
/// geometries of the shapes taken from the body in the same order.
fn of_nested_transforms(path: &Path, body: &Body) -> Option<BoundingBox> {
    let (limits, reporter) = (Limits::default(), Reporter::new());
    let source = SourceFile::read(path, &limits, &reporter).unwrap();
    let document = Document::parse(&source, &limits, &reporter).unwrap();
    let link = document.root().get("links").unwrap().items().unwrap().next().unwrap();
    let mut shapes = body.root().visual.iter();
    let bounds = of_elements(link.get("elements").unwrap(), &mut shapes);
    assert!(shapes.next().is_none());
    bounds
}

fn of_elements<'s>(elements: Value<'_>, shapes: &mut impl Iterator<Item = &'s Shape>) -> Option<BoundingBox> {
    let kind_of = |node: Value<'_>| node.get("type").and_then(Value::text).map(str::to_owned);
    let nodes: Vec<(String, Value<'_>)> = match elements.kind() {
        ValueKind::Sequence => elements.items().unwrap().map(|node| (kind_of(node).unwrap(), node)).collect(),
        _ if kind_of(elements).is_some() => vec![(kind_of(elements).unwrap(), elements)],
        _ => elements.entries().unwrap().map(|(kind, _, node)| (kind.to_owned(), node)).collect(),
    };
    let mut bounds = Vec::new();
    for (kind, node) in nodes {
        bounds.extend(match kind.as_str() {
            "Transform" => {
                of_elements(node.get("elements").unwrap(), shapes).map(|own| turned(own, &transform_of(node)))
            }
            "Shape" => shapes.next().unwrap().geometry.triangles().bounding_box(&Affine3::identity()),
            other => panic!("{other}"),
        });
    }
    bounds.into_iter().reduce(BoundingBox::union)
}

fn transform_of(node: Value<'_>) -> Affine3<f64> {
    let numbers = |key: &str| node.get(key).map(|value| value.as_numbers(&Reporter::new()).unwrap());
    let place = numbers("translation").map_or_else(Vector3::zeros, |place| Vector3::from_column_slice(&place));
    let turn = numbers("rotation").map_or_else(UnitQuaternion::identity, |turn| {
        UnitQuaternion::from_axis_angle(&Unit::new_normalize(Vector3::new(turn[0], turn[1], turn[2])), turn[3])
    });
    nalgebra::convert(Isometry3::from_parts(Translation3::from(place), turn))
}
