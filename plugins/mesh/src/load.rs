use std::path::Path;

use bunraku_document::{Diagnostic, Result, read_bytes};

use crate::{LoadContext, MeshScene, collada, gltf_scene, obj, stl, vrml};

/// A reader of one format: the bytes of the file at `path` as a scene. What can be worked around goes to the reporter.
type Read = fn(path: &Path, bytes: &[u8], context: &LoadContext<'_>) -> Result<MeshScene>;

/// The formats by file name extension, in lower case.
const FORMATS: &[(&str, Read)] = &[
    ("dae", collada::read),
    ("glb", gltf_scene::read),
    ("gltf", gltf_scene::read),
    ("obj", obj::read),
    ("stl", stl::read),
    ("wrl", vrml::read),
];

/// The file name extensions that [`load_scene`] knows, in lower case.
pub fn extensions() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().map(|(extension, _)| *extension)
}

/// Reads a mesh file; the format is told by the extension, whatever its case.
///
/// - STL (`.stl`), binary and ASCII, and OBJ (`.obj`) with its materials: lengths and axes as they are.
/// - COLLADA (`.dae`): in metres by its `unit`; its `up_axis` is only noted, as in the original.
/// - glTF (`.gltf`, `.glb`): turned from Y up, its standard, to Z up: (x, y, z) becomes (x, −z, y).
///
/// Without normals, STL, OBJ and COLLADA surfaces are smooth where faces meet at less than 30° and glTF ones are flat.
///
/// # Errors
/// If there is no such file, its format is unknown, or it makes no sense.
pub fn load_scene(path: &Path, context: &LoadContext<'_>) -> Result<MeshScene> {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default();
    let Some((_, read)) = FORMATS.iter().find(|(known, _)| *known == extension) else {
        let message = format!("a mesh file of type `.{extension}` cannot be read: {}", path.display());
        let known: Vec<_> = FORMATS.iter().map(|(known, _)| format!("`.{known}`")).collect();
        let help = format!("the mesh files that are read end in {}", known.join(", "));
        return Err(Box::new(Diagnostic::error("unknown-mesh-format", message).help(help)));
    };
    let bytes = read_bytes(path, context.limits).map_err(|error| Box::new(error.to_diagnostic()))?;
    read(path, &bytes, context)
}
