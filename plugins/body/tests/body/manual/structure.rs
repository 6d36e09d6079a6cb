//! Nodes that contain others: rigid bodies, transforms, groups, visual or collision shapes.

use bunraku_body::{Body, SceneryKind};
use nalgebra::{Matrix3, Vector3};

use crate::manual::example::{ELEMENT, Example, all, bounds, extent, key, near, shape};

/// Whether the body has a box that is only visual.
fn only_seen(body: &Body) -> bool {
    body.root().visual.len() == 1 && body.root().collision.is_empty()
}

fn only_touched(body: &Body) -> bool {
    body.root().visual.is_empty() && body.root().collision.len() == 1
}

fn moved_by_one(body: &Body) -> bool {
    bounds(body, |min, max| all(min, [0.5, -0.5, -0.5]) && all(max, [1.5, 0.5, 0.5]))
}

/// Whether the body has a long box rotated by 90° about Z.
fn turned(body: &Body) -> bool {
    extent(body, [1.0, 3.0, 1.0])
}

fn doubled(body: &Body) -> bool {
    extent(body, [2.0, 1.0, 1.0])
}

pub fn examples() -> Vec<Example> {
    let mut examples = rigid_body();
    examples.extend(transform_and_group());
    examples.extend(scenery());
    examples.extend(shapes());
    examples.extend(purposes());
    examples.extend(resource());
    examples
}

fn rigid_body() -> Vec<Example> {
    vec![
        key("RigidBody", "type", "RigidBody", ELEMENT, |body| near(body.mass(), 2.0)).beside("mass: 2"),
        key("RigidBody", "mass", "2", ELEMENT, |body| near(body.mass(), 2.0)).beside("type: RigidBody"),
        // Missing values are zero.
        key("RigidBody", "mass", "2", ELEMENT, |body| {
            body.root().mass.inertia == Matrix3::zeros() && body.mass() > 0.0
        })
        .beside("type: RigidBody"),
        key("RigidBody", "center_of_mass", "[ 1, 2, 3 ]", ELEMENT, |body| {
            all(body.root().mass.center_of_mass, [1.0, 2.0, 3.0])
        })
        .also(&["centerOfMass"])
        .beside("type: RigidBody, mass: 2"),
        key("RigidBody", "inertia", "[ 3, 0.1, 0.2, 4, 0.3, 5 ]", ELEMENT, |body| {
            body.root().mass.inertia == Matrix3::new(3.0, 0.1, 0.2, 0.1, 4.0, 0.3, 0.2, 0.3, 5.0)
        })
        .beside("type: RigidBody, mass: 2"),
        key("RigidBody", "inertia", "[ 3, 0, 0, 0, 4, 0, 0, 0, 5 ]", ELEMENT, |body| {
            body.root().mass.inertia == Matrix3::from_diagonal(&Vector3::new(3.0, 4.0, 5.0))
        })
        .beside("type: RigidBody, mass: 2"),
        key("RigidBody", "elements", "[ { type: RigidBody, mass: 3 } ]", ELEMENT, |body| near(body.mass(), 5.0))
            .beside("type: RigidBody, mass: 2"),
        key("RigidBody", "translation", "[ 0, 0, 5 ]", ELEMENT, |body| {
            all(body.root().mass.center_of_mass, [1.0, 0.0, 5.0])
        })
        .beside("type: RigidBody, mass: 2, center_of_mass: [ 1, 0, 0 ]"),
        key("RigidBody", "rotation", "[ 0, 0, 1, 90 ]", ELEMENT, |body| {
            all(body.root().mass.center_of_mass, [0.0, 1.0, 0.0])
        })
        .beside("type: RigidBody, mass: 2, center_of_mass: [ 1, 0, 0 ]")
        .angle(),
    ]
}

fn transform_and_group() -> Vec<Example> {
    const BOX: &str = "type: Transform, elements: [ { type: Shape, geometry: { type: Box } } ]";
    const LONG_BOX: &str = "type: Transform, elements: [ { type: Shape, geometry: { type: Box, size: [ 3, 1, 1 ] } } ]";
    const GROUP: &str = "type: Group, elements: [ { type: Shape, geometry: { type: Box } } ]";
    vec![
        key("Transform", "type", "Transform", ELEMENT, moved_by_one)
            .beside("translation: [ 1, 0, 0 ], elements: [ { type: Shape, geometry: { type: Box } } ]"),
        key("Transform", "translation", "[ 1, 0, 0 ]", ELEMENT, moved_by_one).beside(BOX),
        key("Transform", "rotation", "[ 0, 0, 1, 90 ]", ELEMENT, turned).beside(LONG_BOX).angle(),
        key("Transform", "scale", "[ 2, 1, 1 ]", ELEMENT, doubled).beside(BOX),
        key("Transform", "scale_orientation", "[ 0, 0, 1, 90 ]", ELEMENT, |body| extent(body, [1.0, 2.0, 1.0]))
            .also(&["scaleOrientation"])
            .beside("type: Transform, scale: [ 2, 1, 1 ], elements: [ { type: Shape, geometry: { type: Box } } ]")
            .angle(),
        key("Transform", "elements", "{ Shape: { geometry: { type: Box } } }", ELEMENT, moved_by_one)
            .beside("type: Transform, translation: [ 1, 0, 0 ]"),
        // An enclosing scale changes an inertia, not the mass.
        key("Transform", "scale", "[ 2, 1, 1 ]", ELEMENT, |body| {
            body.root().mass.inertia == Matrix3::from_diagonal(&Vector3::new(12.0, 4.0, 5.0)) && near(body.mass(), 2.0)
        })
        .beside("type: Transform, elements: [ { type: RigidBody, mass: 2, inertia: [ 3, 0, 0, 4, 0, 5 ] } ]"),
        key("Group", "name", "SUBSYSTEM", ELEMENT, |body| extent(body, [1.0; 3])).beside(GROUP).ignored(),
        key("Group", "type", "Group", ELEMENT, |body| extent(body, [1.0; 3]))
            .beside("elements: [ { type: Shape, geometry: { type: Box } } ]"),
        key("Group", "elements", "[ { type: Shape, geometry: { type: Box } } ]", ELEMENT, |body| {
            extent(body, [1.0; 3])
        })
        .beside("type: Group"),
        key("Node", "type", "Node", ELEMENT, |body| extent(body, [1.0; 3]))
            .beside("elements: [ { type: Shape, geometry: { type: Box } } ]"),
        key("Node", "elements", "[ { type: Shape, geometry: { type: Box } } ]", ELEMENT, |body| extent(body, [1.0; 3]))
            .beside("type: Node"),
        key("Node", "is_meta_scene", "true", ELEMENT, |body| extent(body, [1.0; 3])).beside(GROUP).ignored(),
    ]
}

fn scenery() -> Vec<Example> {
    let kind = |word, holds| key("Scenery", "type", word, ELEMENT, holds).findings(&["not-shown"]);
    fn is(body: &Body, kind: SceneryKind) -> bool {
        body.root().scenery.first().is_some_and(|scenery| scenery.kind == kind) && body.devices.is_empty()
    }
    vec![
        kind("DirectionalLight", |body| is(body, SceneryKind::DirectionalLight)),
        kind("Fog", |body| is(body, SceneryKind::Fog)),
        kind("LineSet", |body| is(body, SceneryKind::LineSet)),
        kind("OrthographicCamera", |body| is(body, SceneryKind::OrthographicCamera)),
        kind("PerspectiveCamera", |body| is(body, SceneryKind::PerspectiveCamera)),
        kind("Text", |body| is(body, SceneryKind::Text)),
    ]
}

fn shapes() -> Vec<Example> {
    const BOX: &str = "type: Shape, geometry: { type: Box }";
    vec![
        key("Shape", "type", "Shape", ELEMENT, |body| extent(body, [1.0; 3])).beside("geometry: { type: Box }"),
        key("Shape", "geometry", "{ type: Box }", ELEMENT, |body| extent(body, [1.0; 3])).beside("type: Shape"),
        key("Shape", "appearance", "{ material: { transparency: 0.5 } }", ELEMENT, |body| {
            shape(body, |shape| shape.appearance.transparency == 0.5)
        })
        .beside(BOX),
        key("Shape", "translation", "[ 1, 0, 0 ]", ELEMENT, moved_by_one).beside(BOX),
        key("Shape", "rotation", "[ 0, 0, 1, 90 ]", ELEMENT, turned)
            .beside("type: Shape, geometry: { type: Box, size: [ 3, 1, 1 ] }")
            .angle(),
        key("Shape", "scale", "[ 2, 1, 1 ]", ELEMENT, doubled).beside(BOX),
    ]
}

fn purposes() -> Vec<Example> {
    let mut examples = Vec::new();
    for (node, holds) in [("Visual", only_seen as fn(&Body) -> bool), ("Collision", only_touched)] {
        let beside = if node == "Visual" { "type: Visual" } else { "type: Collision" };
        examples.extend([
            key(node, "type", node, ELEMENT, holds).beside("shape: { geometry: { type: Box } }"),
            key(node, "shape", "{ geometry: { type: Box } }", ELEMENT, holds).beside(beside),
            key(node, "resource", "{ uri: parts.obj, node: PLATE }", ELEMENT, holds).beside(beside),
            key(node, "elements", "[ { type: Shape, geometry: { type: Box } } ]", ELEMENT, holds).beside(beside),
        ]);
    }
    let visual = |name, value, holds| key("Visual", name, value, ELEMENT, holds);
    examples.extend([
        visual("translation", "[ 1, 0, 0 ]", moved_by_one).beside("type: Visual, shape: { geometry: { type: Box } }"),
        visual("rotation", "[ 0, 0, 1, 90 ]", turned)
            .beside("type: Visual, shape: { geometry: { type: Box, size: [ 3, 1, 1 ] } }")
            .angle(),
        visual("scale", "[ 2, 1, 1 ]", doubled).beside("type: Visual, shape: { geometry: { type: Box } }"),
    ]);
    examples
}

fn resource() -> Vec<Example> {
    const PLATE: &str = "type: Resource, uri: parts.obj, node: PLATE";
    fn is_plate(body: &Body) -> bool {
        body.root().visual.len() == 1 && extent(body, [2.0, 2.0, 0.0])
    }
    vec![
        key("Resource", "type", "Resource", ELEMENT, is_plate).beside("uri: parts.obj, node: PLATE"),
        key("Resource", "uri", "parts.obj", ELEMENT, |body| body.root().visual.len() == 2).beside("type: Resource"),
        // A missing mesh is a warning.
        key("Resource", "uri", "missing.stl", ELEMENT, |body| body.root().visual.is_empty())
            .beside("type: Resource")
            .findings(&["file-not-found"]),
        key("Resource", "node", "PLATE", ELEMENT, is_plate).beside("type: Resource, uri: parts.obj"),
        key("Resource", "fragment", "PLATE", ELEMENT, is_plate).beside("type: Resource, uri: parts.obj"),
        // The part keeps its scale, but not its translation.
        key("Resource", "fragment", "LIFTED", ELEMENT, |body| {
            bounds(body, |min, max| near(min[2], -1.0) && near(max[2], 1.0))
        })
        .beside("type: Resource, uri: parts.wrl"),
        // Other references to the file lack it.
        key(
            "Resource",
            "fragment",
            "PLATE",
            "{ % links: [ { name: BASE, elements: [ { type: Resource, uri: parts.obj }, { @ } ] } ] }",
            |body| body.root().visual.len() == 2,
        )
        .beside("type: Resource, uri: parts.obj"),
        // In a YAML file it is an anchor, of any content.
        key("Resource", "fragment", "PLATE", ELEMENT, |body| near(body.mass(), 3.0))
            .beside("type: Resource, uri: part.yaml")
            .unlike("MISSING"),
        key("Resource", "metadata", "{ length_unit: millimeter, upper_axis: Y }", ELEMENT, |body| {
            extent(body, [0.0, 0.002, 0.002])
        })
        .beside(PLATE),
        key("Resource", "metadata", "inch y_upper", ELEMENT, |body| extent(body, [0.0, 0.0508, 0.0508])).beside(PLATE),
        key("Resource", "translation", "[ 0, 0, 3 ]", ELEMENT, |body| {
            bounds(body, |min, _| all(min, [-1.0, -1.0, 3.0]))
        })
        .beside(PLATE),
        key("Resource", "rotation", "[ 1, 0, 0, 90 ]", ELEMENT, |body| extent(body, [2.0, 0.0, 2.0]))
            .beside(PLATE)
            .angle(),
        key("Resource", "scale", "[ 2, 1, 1 ]", ELEMENT, |body| extent(body, [4.0, 2.0, 0.0])).beside(PLATE),
    ]
}
