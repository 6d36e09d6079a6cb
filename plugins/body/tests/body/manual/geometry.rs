//! Geometry: primitives and meshes given by numbers.

use bunraku_body::Body;
use bunraku_mesh::{Geometry, Normals, Primitive, TriangleMesh};
use nalgebra::Vector3;

use crate::manual::example::{Example, GEOMETRY, all, bounds, extent, key, mesh, near, primitive, shape};

pub fn examples() -> Vec<Example> {
    let mut examples = primitives();
    examples.extend(extrusion());
    examples.extend(elevation_grid());
    examples.extend(faces());
    examples.extend(mesh_file());
    examples
}

fn triangles(body: &Body, expected: usize) -> bool {
    shape(body, |shape| shape.geometry.triangles().triangles.len() == expected)
}

fn divisions(body: &Body, expected: u32) -> bool {
    shape(body, |shape| matches!(shape.geometry, Geometry::Primitive { divisions, .. } if divisions == expected))
}

fn crease(body: &Body, degrees: f64) -> bool {
    mesh(body, |mesh| matches!(mesh.normals, Normals::Crease(angle) if near(angle, degrees.to_radians())))
}

fn primitives() -> Vec<Example> {
    let mut examples = vec![
        key("Box", "type", "Box", GEOMETRY, |body| extent(body, [1.0; 3])),
        key("Box", "size", "[ 2, 4, 6 ]", GEOMETRY, |body| extent(body, [2.0, 4.0, 6.0])).beside("type: Box"),
        key("Sphere", "type", "Sphere", GEOMETRY, |body| {
            primitive(body, |form| form == Primitive::Sphere { radius: 1.0 })
        }),
        key("Sphere", "radius", "2", GEOMETRY, |body| {
            primitive(body, |form| form == Primitive::Sphere { radius: 2.0 })
        })
        .beside("type: Sphere"),
    ];
    const CYLINDER: Primitive = Primitive::Cylinder { radius: 1.0, height: 1.0, top: true, bottom: true };
    examples.extend([
        key("Cylinder", "type", "Cylinder", GEOMETRY, |body| primitive(body, |form| form == CYLINDER)),
        key("Cylinder", "radius", "2", GEOMETRY, |body| {
            primitive(body, |form| form == Primitive::Cylinder { radius: 2.0, height: 1.0, top: true, bottom: true })
        })
        .beside("type: Cylinder"),
        // Its axis is Y.
        key("Cylinder", "height", "3", GEOMETRY, |body| extent(body, [2.0, 3.0, 2.0])).beside("type: Cylinder"),
        key("Cylinder", "bottom", "false", GEOMETRY, |body| triangles(body, 60)).beside("type: Cylinder"),
        key("Cylinder", "top", "false", GEOMETRY, |body| {
            primitive(body, |form| form == Primitive::Cylinder { radius: 1.0, height: 1.0, top: false, bottom: true })
        })
        .beside("type: Cylinder"),
        key("Capsule", "type", "Capsule", GEOMETRY, |body| {
            primitive(body, |form| form == Primitive::Capsule { radius: 1.0, height: 1.0 })
        }),
        key("Capsule", "radius", "2", GEOMETRY, |body| extent(body, [4.0, 5.0, 4.0])).beside("type: Capsule"),
        // The height excludes the half spheres.
        key("Capsule", "height", "3", GEOMETRY, |body| extent(body, [2.0, 5.0, 2.0])).beside("type: Capsule"),
        key("Cone", "type", "Cone", GEOMETRY, |body| {
            primitive(body, |form| form == Primitive::Cone { radius: 1.0, height: 1.0, bottom: true })
        }),
        key("Cone", "radius", "2", GEOMETRY, |body| extent(body, [4.0, 1.0, 4.0])).beside("type: Cone"),
        key("Cone", "height", "3", GEOMETRY, |body| extent(body, [2.0, 3.0, 2.0])).beside("type: Cone"),
        key("Cone", "bottom", "false", GEOMETRY, |body| triangles(body, 20)).beside("type: Cone"),
    ]);
    for (node, beside) in [
        ("Sphere", "type: Sphere"),
        ("Cylinder", "type: Cylinder"),
        ("Capsule", "type: Capsule"),
        ("Cone", "type: Cone"),
    ] {
        examples.push(
            key(node, "division_number", "8", GEOMETRY, |body| divisions(body, 8))
                .also(&["divisionNumber"])
                .beside(beside),
        );
        examples.push(
            key(node, "division_number", "3", GEOMETRY, |body| divisions(body, 20))
                .also(&["divisionNumber"])
                .beside(beside)
                .unlike("8"),
        );
    }
    examples
}

/// Whether the largest |x| of all vertices with y = 2 is this.
fn width_at_the_end(body: &Body, half: f64) -> bool {
    mesh(body, |mesh| {
        let end = mesh.vertices.iter().filter(|vertex| vertex.y > 1.9);
        near(end.fold(0.0, |most, vertex| f64::max(most, f64::from(vertex.x.abs()))), half)
    })
}

fn extrusion() -> Vec<Example> {
    // Without keys: a square of 2 m extruded 1 m along +Y, with 8 triangles around it and 2 at each end.
    const PLAIN: &str = "type: Extrusion";
    const THREE_POINTS: &str = "type: Extrusion, spine: [ 0, 0, 0, 0, 1, 0, 0, 2, 0 ]";
    let extrusion = |name, value, holds| key("Extrusion", name, value, GEOMETRY, holds).beside(PLAIN);
    vec![
        key("Extrusion", "type", "Extrusion", GEOMETRY, |body| extent(body, [2.0, 1.0, 2.0])),
        extrusion("cross_section", "[ 0, 0, 0, 3, 1, 3, 1, 0, 0, 0 ]", |body| extent(body, [1.0, 1.0, 3.0]))
            .also(&["crossSection"]),
        extrusion("spine", "[ 0, 0, 0, 0, 3, 0 ]", |body| extent(body, [2.0, 3.0, 2.0])),
        extrusion("orientation", "[ 0, 1, 0, 45 ]", |body| extent(body, [2.0 * 2_f64.sqrt(), 1.0, 2.0 * 2_f64.sqrt()]))
            .angle(),
        // One entry applies to all points; of several, missing ones are the identity, and surplus ones are ignored.
        extrusion("orientation", "[ 0, 1, 0, 45 ]", |body| width_at_the_end(body, 2_f64.sqrt()))
            .beside(THREE_POINTS)
            .angle(),
        extrusion("orientation", "[ 0, 1, 0, 45, 0, 1, 0, 45 ]", |body| {
            width_at_the_end(body, 1.0) && !extent(body, [2.0; 3])
        })
        .beside(THREE_POINTS),
        extrusion("orientation", "[ 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 45 ]", |body| extent(body, [2.0, 1.0, 2.0]))
            .unlike("[ 0, 1, 0, 45, 0, 1, 0, 45 ]"),
        // The axis may have any length.
        extrusion("orientation", "[ 0, 7, 0, 45 ]", |body| extent(body, [2.0 * 2_f64.sqrt(), 1.0, 2.0 * 2_f64.sqrt()]))
            .angle(),
        extrusion("scale", "[ 2, 3 ]", |body| extent(body, [4.0, 1.0, 6.0])),
        extrusion("scale", "[ 2, 3 ]", |body| width_at_the_end(body, 2.0)).beside(THREE_POINTS),
        extrusion("scale", "[ 2, 3, 2, 3 ]", |body| width_at_the_end(body, 0.0)).beside(THREE_POINTS),
        extrusion("scale", "[ 1, 1, 1, 1, 9, 9 ]", |body| extent(body, [2.0, 1.0, 2.0])).unlike("[ 1, 1, 9, 9 ]"),
        extrusion("crease_angle", "30", |body| crease(body, 30.0)).also(&["creaseAngle"]).angle(),
        extrusion("begin_cap", "false", |body| triangles(body, 10) && !bottom_is_closed(body)).also(&["beginCap"]),
        extrusion("end_cap", "false", |body| triangles(body, 10) && bottom_is_closed(body)).also(&["endCap"]),
        extrusion("solid", "true", |body| mesh(body, |mesh| mesh.solid)),
    ]
}

/// Whether a triangle of the mesh lies in y = 0.
fn bottom_is_closed(body: &Body) -> bool {
    let flat = |mesh: &TriangleMesh| {
        mesh.triangles.iter().any(|triangle| triangle.iter().all(|&corner| mesh.vertices[corner as usize].y == 0.0))
    };
    mesh(body, flat)
}

fn elevation_grid() -> Vec<Example> {
    const REST: &str = "type: ElevationGrid, z_dimension: 2, x_spacing: 1, height: [ 0, 1, 0, 0, 0, 0 ]";
    const PLAIN: &str = "type: ElevationGrid, x_dimension: 3, z_dimension: 2, height: [ 0, 1, 0, 0, 0, 0 ]";
    fn faces_down(body: &Body) -> bool {
        mesh(body, |mesh| {
            let corners = mesh.triangles[0].map(|corner| mesh.vertices[corner as usize].coords);
            let normal: Vector3<f32> = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
            normal.y < 0.0
        })
    }
    let grid = |name, value, holds| key("ElevationGrid", name, value, GEOMETRY, holds).beside(PLAIN);
    vec![
        key("ElevationGrid", "type", "ElevationGrid", GEOMETRY, |body| extent(body, [2.0, 1.0, 1.0]))
            .beside("x_dimension: 3, z_dimension: 2, height: [ 0, 1, 0, 0, 0, 0 ]"),
        grid("x_dimension", "3", |body| extent(body, [2.0, 1.0, 1.0])).also(&["xDimension"]).beside(REST),
        grid("z_dimension", "2", |body| extent(body, [2.0, 1.0, 1.0]))
            .also(&["zDimension"])
            .beside("type: ElevationGrid, x_dimension: 3, height: [ 0, 1, 0, 0, 0, 0 ]"),
        grid("x_spacing", "0.5", |body| extent(body, [1.0, 1.0, 1.0])).also(&["xSpacing"]),
        grid("z_spacing", "4", |body| extent(body, [2.0, 1.0, 4.0])).also(&["zSpacing"]),
        grid("ccw", "false", faces_down),
        grid("crease_angle", "30", |body| crease(body, 30.0)).also(&["creaseAngle"]).angle(),
        // Row by row along X; up is +Y.
        grid("height", "[ 0, 1, 0, 0, 0, 0 ]", |body| {
            mesh(body, |mesh| all(mesh.vertices[1].cast::<f64>(), [1.0, 1.0, 0.0]))
        })
        .beside("type: ElevationGrid, x_dimension: 3, z_dimension: 2"),
        grid("tex_coord", "[ 0, 0, 0.25, 0, 0.5, 0, 0, 1, 0.25, 1, 0.5, 1 ]", |body| {
            mesh(body, |mesh| mesh.texture_coordinates.iter().flatten().all(|place| place.x <= 0.5))
        })
        .also(&["texCoord"]),
        grid("solid", "true", |body| mesh(body, |mesh| mesh.solid)),
    ]
}

fn faces() -> Vec<Example> {
    const SQUARE: &str =
        "type: IndexedFaceSet, vertices: [ 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0 ], faces: [ 0, 1, 2, 3, -1 ]";
    const TEXTURED: &str = "type: IndexedFaceSet, vertices: [ 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0 ], faces: [ 0, 1, 2, 3, -1 ], \
                            tex_coords: [ 0, 0, 0.5, 0, 0.5, 0.5, 0, 0.5 ]";
    const SHADED: &str = "type: IndexedFaceSet, vertices: [ 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0 ], faces: [ 0, 1, 2, 3, -1 ], \
                          normals: [ 0, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0 ]";
    /// Texture coordinates of the vertex (1, 0, 0).
    fn place_of_vertex_1(body: &Body, s: f32, t: f32) -> bool {
        mesh(body, |mesh| {
            let corners = mesh.triangles.iter().flatten().zip(mesh.texture_coordinates.iter().flatten());
            let mut places = corners.filter(|(vertex, _)| **vertex == 1).map(|(_, place)| (place.x, place.y));
            places.next() == Some((s, t))
        })
    }
    fn given_normals(body: &Body, expected: &Vector3<f32>) -> bool {
        mesh(body, |mesh| match &mesh.normals {
            Normals::Given(normals) => normals.iter().flatten().all(|normal| normal == expected),
            Normals::Crease(_) => false,
        })
    }
    let set = |name, value, holds| key("IndexedFaceSet", name, value, GEOMETRY, holds);
    vec![
        set("type", "IndexedFaceSet", |body| triangles(body, 2))
            .beside("vertices: [ 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0 ], faces: [ 0, 1, 2, 3, -1 ]"),
        set("vertices", "[ 0, 0, 0, 2, 0, 0, 0, 3, 0 ]", |body| extent(body, [2.0, 3.0, 0.0]))
            .also(&["coordinate"])
            .beside("type: IndexedFaceSet, faces: [ 0, 1, 2, -1 ]"),
        set("faces", "[ 0, 1, 2, 3, -1 ]", |body| triangles(body, 2))
            .also(&["coordIndex"])
            .beside("type: IndexedFaceSet, vertices: [ 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0 ]"),
        // A last face without −1 is read, too.
        set("faces", "[ 0, 1, 2, -1, 0, 2, 3 ]", |body| triangles(body, 2))
            .also(&["coordIndex"])
            .beside("type: IndexedFaceSet, vertices: [ 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0 ]")
            .findings(&["unterminated-face"]),
        set("tex_coords", "[ 0, 0, 0.5, 0, 0.5, 0.5, 0, 0.5 ]", |body| place_of_vertex_1(body, 0.5, 0.0))
            .also(&["texCoord"])
            .beside(SQUARE),
        set("tex_coord_indices", "[ 3, 2, 1, 0, -1 ]", |body| place_of_vertex_1(body, 0.5, 0.5))
            .also(&["texCoordIndex"])
            .beside(TEXTURED),
        set("crease_angle", "30", |body| crease(body, 30.0)).also(&["creaseAngle"]).beside(SQUARE).angle(),
        set("normals", "[ 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0 ]", |body| given_normals(body, &Vector3::x()))
            .beside(SQUARE),
        set("normal_indices", "[ 1, 2, 3, 4, -1 ]", |body| given_normals(body, &Vector3::x())).beside(SHADED),
        set("solid", "true", |body| mesh(body, |mesh| mesh.solid)).beside(SQUARE),
        key("TriangleMesh", "type", "TriangleMesh", GEOMETRY, |body| triangles(body, 1))
            .beside("vertices: [ 0, 0, 0, 1, 0, 0, 1, 1, 0 ], faces: [ 0, 1, 2 ]"),
        key("TriangleMesh", "vertices", "[ 0, 0, 0, 2, 0, 0, 0, 3, 0 ]", GEOMETRY, |body| {
            extent(body, [2.0, 3.0, 0.0])
        })
        .also(&["coordinate"])
        .beside("type: TriangleMesh, faces: [ 0, 1, 2 ]"),
        key("TriangleMesh", "faces", "[ 0, 1, 2, 0, 2, 1 ]", GEOMETRY, |body| triangles(body, 2))
            .also(&["coordIndex"])
            .beside("type: TriangleMesh, vertices: [ 0, 0, 0, 1, 0, 0, 1, 1, 0 ]"),
        key("TriangleMesh", "tex_coords", "[ 0, 0, 0.5, 0, 0.5, 0.5, 0, 0.5 ]", GEOMETRY, |body| {
            place_of_vertex_1(body, 0.5, 0.0)
        })
        .also(&["texCoord"])
        .beside("type: TriangleMesh, vertices: [ 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0 ], faces: [ 0, 1, 2 ]"),
    ]
}

fn mesh_file() -> Vec<Example> {
    const NODE: &str = "Resource geometry";
    vec![
        key(NODE, "type", "Resource", GEOMETRY, |body| triangles(body, 3)).beside("uri: parts.obj"),
        key(NODE, "uri", "parts.obj", GEOMETRY, |body| bounds(body, |_, max| near(max[2], 5.0)))
            .beside("type: Resource"),
        key(NODE, "fragment", "PLATE", GEOMETRY, |body| extent(body, [2.0, 2.0, 0.0]))
            .also(&["node"])
            .beside("type: Resource, uri: parts.obj"),
        key(NODE, "metadata", "{ length_unit: inch }", GEOMETRY, |body| bounds(body, |_, max| near(max[2], 0.127)))
            .beside("type: Resource, uri: parts.obj"),
        key(NODE, "crease_angle", "45", GEOMETRY, |body| crease(body, 45.0))
            .also(&["creaseAngle"])
            .beside("type: Resource, uri: parts.obj")
            .angle(),
    ]
}
