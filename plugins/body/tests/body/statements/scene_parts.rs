//! Resources, scene files and scenery nodes.

use bunraku_body::{Geometry, SceneryKind};
use bunraku_mesh::Primitive;
use nalgebra::Vector3;

use crate::statements::{Row, shape, spans, trunk};

/// A scene of two shapes, the second in a translated and rotated frame.
const SCENE: &str = "format: ChoreonoidScene\nformat_version: 1.0\nscene:\n  - { type: Shape, name: PLATE, geometry: { type: Box } }\n  - type: Transform\n    translation: [ 9, 9, 9 ]\n    rotation: [ 0, 0, 1, 90 ]\n    elements:\n      - { type: Shape, name: BAR, translation: [ 5, 0, 0 ], geometry: { type: Box, size: [ 4, 2, 1 ] } }\n";

/// A pyramid with an edge of 2 along Y.
const WEDGE: &str = "o wedge\nv 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

fn wedge(keys: &str) -> String {
    trunk(&format!("{{ type: Resource, uri: wedge.obj, {keys} }}"))
}

pub fn rows() -> Vec<Row> {
    let mut rows = nodes_and_transforms();
    rows.extend(geometries());
    rows.extend(units_and_places());
    rows
}

fn nodes_and_transforms() -> Vec<Row> {
    vec![
        Row::loads(
            "node_of_a_scene.body",
            "Resource of a .scen: node by its name",
            trunk("{ type: Resource, uri: parts.scen, node: BAR }"),
            &[],
            |body| spans(body, [-1.0, -2.0, -0.5], [1.0, 2.0, 0.5]),
        )
        .beside("parts.scen", SCENE),
        Row::is_refused(
            "no_such_node.body",
            "Resource of a .scen: a name that is not there",
            trunk("{ type: Resource, uri: parts.scen, node: BARR }"),
            &["error unknown-fragment"],
        )
        .beside("parts.scen", SCENE),
        Row::loads(
            "scale_orientation.body",
            "Transform: scale_orientation",
            trunk(
                "{ type: Transform, scale: [ 3, 1, 1 ], scale_orientation: [ 0, 0, 1, 90 ], elements: [ { type: Shape, geometry: { type: Box } } ] }",
            ),
            &[],
            |body| spans(body, [-0.5, -1.5, -0.5], [0.5, 1.5, 0.5]),
        ),
        Row::loads(
            "oblique_scale.body",
            "Transform: scale along an oblique axis",
            trunk(
                "{ type: Transform, scale: [ 3, 1, 1 ], scale_orientation: [ 0, 0, 1, 45 ], elements: [ { type: Shape, geometry: { type: Box } } ] }",
            ),
            &[],
            // x ↦ 2x + y, y ↦ x + 2y
            |body| spans(body, [-1.5, -1.5, -0.5], [1.5, 1.5, 0.5]),
        ),
    ]
}

fn geometries() -> Vec<Row> {
    vec![
        Row::loads(
            "geometry_of_a_yaml_file.body",
            "Resource geometry: a YAML file that holds a Shape",
            trunk("{ type: Shape, geometry: { type: Resource, uri: plate.yaml } }"),
            &[],
            |body| {
                let size = Vector3::new(3.0, 1.0, 2.0);
                shape(body).geometry == Geometry::primitive(Primitive::Box { size })
            },
        )
        .beside("plate.yaml", "type: Shape\ngeometry: { type: Box, size: [ 3, 1, 2 ] }\n"),
        Row::loads(
            "geometry_of_two_shapes.body",
            "Resource geometry: several shapes are one",
            trunk("{ type: Shape, geometry: { type: Resource, uri: parts.scen } }"),
            &[],
            |body| body.root().visual.len() == 1 && spans(body, [-0.5, -0.5, -0.5], [10.0, 16.0, 9.5]),
        )
        .beside("parts.scen", SCENE),
        Row::is_refused(
            "geometry_of_itself.body",
            "Resource geometry: a circle",
            trunk("{ type: Shape, geometry: { type: Resource, uri: ring.yaml } }"),
            &["error resource-cycle", "warning empty-mesh", "warning empty-mesh"],
        )
        .beside("ring.yaml", "type: Shape\ngeometry: { type: Resource, uri: ring.yaml }\n"),
    ]
}

fn units_and_places() -> Vec<Row> {
    vec![
        Row::loads("metres.body", "length_unit: meter", wedge("metadata: { length_unit: meter }"), &[], |body| {
            spans(body, [0.0; 3], [1.0, 2.0, 3.0])
        })
        .beside("wedge.obj", WEDGE),
        Row::loads(
            "unknown_unit.body",
            "length_unit: Choreonoid ignores what it does not know",
            wedge("metadata: { length_unit: furlong }"),
            &["warning unknown-unit"],
            |body| spans(body, [0.0; 3], [1.0, 2.0, 3.0]),
        )
        .beside("wedge.obj", WEDGE),
        Row::loads(
            "unknown_axis.body",
            "upper_axis: Choreonoid ignores what it does not know",
            wedge("metadata: { upper_axis: W }"),
            &["warning unknown-axis"],
            |body| spans(body, [0.0; 3], [1.0, 2.0, 3.0]),
        )
        .beside("wedge.obj", WEDGE),
        Row::loads(
            "program_top.body",
            "${PROGRAM_TOP}: the message names its option",
            trunk("{ type: Resource, uri: '${PROGRAM_TOP}/wedge.obj' }"),
            &["warning bad-path"],
            |body| body.root().visual.is_empty(),
        ),
        Row::loads(
            "project_dir.body",
            "${PROJECT_DIR}: the message names its option",
            trunk("{ type: Resource, uri: '${PROJECT_DIR}/wedge.obj' }"),
            &["warning bad-path"],
            |body| body.root().visual.is_empty(),
        ),
        Row::loads(
            "name_of_a_visual_shape.body",
            "Visual, Collision: name in shape",
            trunk(
                "{ type: Visual, is_meta_scene: true, shape: { name: SKIN, geometry: { type: Box } } }, { type: Collision, shape: { name: HULL, is_meta_scene: false, geometry: { type: Sphere } } }",
            ),
            &[],
            |body| body.root().visual.len() == 1 && body.root().collision.len() == 1,
        ),
        Row::loads(
            "node.body",
            "Node holds others",
            trunk("{ type: Node, name: ALL, elements: [ { type: Shape, geometry: { type: Box } } ] }"),
            &[],
            |body| body.root().visual.len() == 1,
        ),
        Row::loads(
            "scenery.body",
            "LineSet, Text, Fog, lights and cameras of pictures",
            trunk(
                "{ type: DirectionalLight, name: SUN, on: false, direction: [ 0, 0, -1 ], rotation: [ 1, 0, 0, 90 ] }, \
                 { type: Fog, color: [ 1, 1, 1 ] }, { type: LineSet, vertices: [ 0, 0, 0, 1, 0, 0 ], lines: [ 0, 1 ] }, \
                 { type: OrthographicCamera }, { type: PerspectiveCamera, fieldOfView: 30 }, { type: Text, text: hello }",
            ),
            &["note not-shown"; 6],
            |body| {
                let scenery = &body.root().scenery;
                let sun = scenery.first();
                scenery.len() == 6
                    && body.devices.is_empty()
                    && sun.is_some_and(|sun| {
                        let turned = sun.transform * Vector3::y();
                        (sun.kind, sun.name.as_str(), sun.info.len()) == (SceneryKind::DirectionalLight, "SUN", 2)
                            && (turned - Vector3::z()).norm() < 1e-9
                    })
            },
        ),
    ]
}
