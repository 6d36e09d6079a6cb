//! Geometry given by numbers in the model file.

use std::sync::Arc;

use bunraku_body::{Body, Geometry, LoadOptions};
use bunraku_document::{Diagnostic, Reporter, SourceFile};
use bunraku_mesh::{Normals, TriangleMesh};
use nalgebra::{Point2, Vector3};

fn read(geometry: &str) -> (Option<Body>, Vec<Diagnostic>) {
    let text = format!(
        "format: ChoreonoidBody\nformat_version: 2.0\nlinks:\n  - name: A\n    elements:\n      - type: Shape\n        geometry: &G {{ {geometry} }}\n      - {{ type: Shape, geometry: *G }}\n"
    );
    let reporter = Reporter::new();
    let body = bunraku_body::read(&SourceFile::from_text("mesh.body", text), &LoadOptions::default(), &reporter);
    (body, reporter.into_diagnostics())
}

/// Mesh of a geometry without findings; its alias shares the mesh.
fn mesh(geometry: &str) -> Arc<TriangleMesh> {
    let (body, diagnostics) = read(geometry);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let body = body.unwrap();
    let [Geometry::Mesh(first), Geometry::Mesh(second)] =
        [&body.root().visual[0].geometry, &body.root().visual[1].geometry]
    else {
        panic!("no meshes");
    };
    assert!(Arc::ptr_eq(first, second));
    Arc::clone(first)
}

#[test]
fn faces_in_both_spellings() {
    let square = mesh(
        "type: IndexedFaceSet, vertices: [ 0,0,0, 1,0,0, 1,1,0, 0,1,0 ], faces: [ 0, 1, 2, 3, -1 ], crease_angle: 0.5, solid: true",
    );
    assert_eq!((square.vertices.len(), square.triangles.len()), (4, 2));
    let old = mesh(
        "type: IndexedFaceSet, coordinate: [ 0,0,0, 1,0,0, 1,1,0, 0,1,0 ], coordIndex: [ 0, 1, 2, 3, -1 ], creaseAngle: 0.5, solid: true",
    );
    assert_eq!(square, old);
    let triangles = mesh("type: TriangleMesh, vertices: [ 0,0,0, 1,0,0, 1,1,0 ], faces: [ 0, 1, 2 ]");
    assert_eq!(triangles.triangles, [[0, 1, 2]]);
}

#[test]
fn an_extrusion_and_a_grid() {
    let bounds = |mesh: &TriangleMesh| {
        let bounds = mesh.bounding_box(&nalgebra::Affine3::identity()).unwrap();
        (bounds.max - bounds.min).iter().map(|length| (length * 1e6).round() / 1e6).collect::<Vec<_>>()
    };
    let bar = mesh(
        "type: Extrusion, cross_section: [ 0,0, 0,1, 1,1, 1,0, 0,0 ], spine: [ 0,0,0, 0,3,0 ], begin_cap: true, endCap: true",
    );
    assert_eq!(bounds(&bar), [1.0, 3.0, 1.0]);
    // The angle is in the unit of the file: 45° about Y widens the square by √2.
    let turned = mesh(
        "type: Extrusion, crossSection: [ 0,0, 0,1, 1,1, 1,0, 0,0 ], spine: [ 0,0,0, 0,3,0 ], orientation: [ 0, 1, 0, 45 ]",
    );
    let wide = (2_f64.sqrt() * 1e6).round() / 1e6;
    assert_eq!(bounds(&turned), [wide, 3.0, wide]);
    let grid = mesh(
        "type: ElevationGrid, x_dimension: 3, zDimension: 2, x_spacing: 0.5, z_spacing: 2, height: [ 0, 1, 0, 0, 0, 0 ]",
    );
    assert_eq!((bounds(&grid), grid.triangles.len()), (vec![1.0, 1.0, 2.0], 4));
}

#[test]
fn how_faces_are_shaded_and_textured() {
    let form = "vertices: [ 0,0,0, 1,0,0, 1,1,0 ]";
    let new = mesh(&format!(
        "type: IndexedFaceSet, {form}, faces: [ 0, 1, 2, -1 ], crease_angle: 90, solid: true, tex_coords: [ 0,0, 0,1, 1,1 ], tex_coord_indices: [ 2, 1, 0, -1 ]"
    ));
    assert_eq!((&new.normals, new.solid), (&Normals::Crease(std::f64::consts::FRAC_PI_2), true));
    assert_eq!(new.texture_coordinates, [[[1.0, 1.0], [0.0, 1.0], [0.0, 0.0]].map(Point2::from)]);
    let old = mesh(&format!(
        "type: TriangleMesh, {form}, faces: [ 0, 1, 2 ], creaseAngle: 90, solid: true, texCoord: [ 0,0, 0,1, 1,1 ], texCoordIndex: [ 2, 1, 0 ]"
    ));
    assert_eq!(new, old);
    let normals = mesh(&format!(
        "type: IndexedFaceSet, {form}, faces: [ 0, 1, 2, -1 ], normals: [ 0,0,1, 1,0,0 ], normal_indices: [ 0, 1, 0, -1 ]"
    ));
    assert_eq!(normals.normals, Normals::Given(vec![[Vector3::z(), Vector3::x(), Vector3::z()]]));
    let grid = "type: ElevationGrid, x_dimension: 2, z_dimension: 2, height: [ 0, 1, 0, 0 ]";
    let plain = mesh(grid);
    assert_eq!((&plain.normals, plain.solid), (&Normals::Crease(0.0), false));
    let grid = mesh(&format!("{grid}, creaseAngle: 180, solid: true, texCoord: [ 0,0, 2,0, 0,2, 2,2 ]"));
    assert_eq!((&grid.normals, grid.solid), (&Normals::Crease(std::f64::consts::PI), true));
    assert_eq!(grid.texture_coordinates[0][1], plain.texture_coordinates[0][1] * 2.0);
    let bar = mesh("type: Extrusion, spine: [ 0,0,0, 0,3,0 ], crease_angle: 45, solid: true");
    assert_eq!((&bar.normals, bar.solid), (&Normals::Crease(std::f64::consts::FRAC_PI_4), true));
}

#[test]
fn oddities_are_warnings() {
    let codes = |geometry: &str| {
        let (body, diagnostics) = read(geometry);
        assert!(body.is_some(), "{diagnostics:?}");
        diagnostics.iter().map(|diagnostic| diagnostic.code).collect::<Vec<_>>()
    };
    let open = "type: IndexedFaceSet, vertices: [ 0,0,0, 1,0,0, 1,1,0 ], faces: [ 0, 1, 2 ]";
    // Reported once, although the mesh is used twice.
    assert_eq!(codes(open), ["unterminated-face"]);
    let odd = "type: Extrusion, cross_section: [ 0,0, 0,1, 1,1, 7 ], spine: [ 0,0,0, 0,1,0 ]";
    assert_eq!(codes(odd), ["odd-numbers"]);
    let texture =
        "type: IndexedFaceSet, vertices: [ 0,0,0, 1,0,0, 1,1,0 ], faces: [ 0, 1, 2, -1 ], tex_coords: [ 0,0, 1,1 ]";
    assert_eq!(codes(texture), ["bad-attribute"]);
    let misspelt = "type: IndexedFaceSet, vertices: [ 0,0,0, 1,0,0, 1,1,0 ], faces: [ 0, 1, 2, -1 ], creaseAngel: 1";
    assert_eq!(codes(misspelt), ["unknown-key"]);
}

#[test]
fn mistakes_are_errors_with_a_place() {
    for (geometry, message) in [
        ("type: IndexedFaceSet, vertices: [ 0,0,0, 1,0,0, 1,1,0 ], faces: [ 0, 1, 3, -1 ]", "3"),
        ("type: IndexedFaceSet, faces: [ 0, 1, 2, -1 ]", "vert"),
        ("type: ElevationGrid, x_dimension: 3, z_dimension: 2, height: [ 0, 1 ]", "6"),
        ("type: Extrusion, spine: [ 0,0,0 ]", "spine"),
    ] {
        let (body, diagnostics) = read(geometry);
        assert!(body.is_none(), "{geometry}");
        assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
        let diagnostic = &diagnostics[0];
        assert_eq!((diagnostic.code, diagnostic.position().map(|position| position.line)), ("bad-mesh", Some(7)));
        assert!(diagnostic.message.contains(message), "{diagnostic}");
    }
}
