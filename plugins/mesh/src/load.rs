use std::path::Path;

use bunraku_document::{Diagnostic, Result, SourceFile, read_bytes};

use crate::{LoadContext, MeshScene, Shape, collada, gltf_scene, obj, stl, vrml};

/// Reader of one format: converts the bytes of the file at `path` to a scene. Recoverable errors go to the reporter.
type Read = fn(path: &Path, bytes: &[u8], context: &LoadContext<'_>) -> Result<MeshScene>;

/// Readers by file name extension, in lower case.
const FORMATS: &[(&str, Read)] = &[
    ("dae", collada::read),
    ("glb", gltf_scene::read),
    ("gltf", gltf_scene::read),
    ("obj", obj::read),
    ("stl", stl::read),
    ("wrl", vrml::read),
];

/// The file name extensions that [`load_scene`] supports, in lower case.
pub fn extensions() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().map(|(extension, _)| *extension)
}

/// Reads a mesh file. The extension, in any case, determines the format.
///
/// - STL (`.stl`), binary and ASCII, and OBJ (`.obj`) with its materials: lengths and axes unchanged.
/// - COLLADA (`.dae`): in metres by its `unit`. As in the original, its `up_axis` gives only a note.
/// - glTF (`.gltf`, `.glb`): rotated from Y up, its standard, to Z up: (x, y, z) becomes (x, −z, y).
///
/// Without normals, STL, OBJ and COLLADA surfaces are smooth where faces meet at less than 30°; glTF surfaces are flat.
///
/// # Errors
/// If the file does not exist, its format is unknown, or its content is invalid.
pub fn load_scene(path: &Path, context: &LoadContext<'_>) -> Result<MeshScene> {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default();
    let Some((_, read)) = FORMATS.iter().find(|(known, _)| *known == extension) else {
        let message = format!("a mesh file of type `.{extension}` cannot be read: {}", path.display());
        let known: Vec<_> = FORMATS.iter().map(|(known, _)| format!("`.{known}`")).collect();
        let help = format!("the mesh files that are read end in {}", known.join(", "));
        return Err(Box::new(Diagnostic::error("unknown-mesh-format", message).help(help)));
    };
    let bytes = read_bytes(path, context.limits).map_err(|error| Box::new(error.to_diagnostic()))?;
    let scene = read(path, &bytes, context)?;
    // Transforms of nodes are finite one by one, but not always together or with the unit of the file.
    let is_finite = |shape: &Shape| shape.transform.matrix().iter().all(|number| number.is_finite());
    if !scene.shapes().iter().all(is_finite) {
        let message = "the transformations of the nodes give infinite or NaN numbers together";
        let error = Diagnostic::error("not-finite", message).in_file(&SourceFile::from_text(path, ""));
        return Err(Box::new(error.help("look at the unit and at the scales of the file")));
    }
    Ok(scene)
}
