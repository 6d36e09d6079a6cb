//! The structure of a GLB file: JSON objects that refer to each other by index, and one binary buffer.

use serde_json::{Map, Value, json};

/// Maximum size of a GLB file, bytes: its header has 32 bits for it.
const MOST_BYTES: usize = u32::MAX as usize;

/// The use of a part of the buffer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    Vertices,
    Indices,
    /// Pictures, and the frames of animations.
    Other,
}

/// A file under construction.
#[derive(Default)]
pub(super) struct File {
    binary: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    pub(super) nodes: Vec<Value>,
    pub(super) meshes: Vec<Value>,
    pub(super) materials: Vec<Value>,
    pub(super) textures: Vec<Value>,
    pub(super) images: Vec<Value>,
    pub(super) samplers: Vec<Value>,
    pub(super) animations: Vec<Value>,
}

/// Adds an object to a list; returns its index.
pub(super) fn add(list: &mut Vec<Value>, value: Value) -> usize {
    list.push(value);
    list.len() - 1
}

impl File {
    /// Adds bytes to the buffer; returns the index of their view.
    pub(super) fn view(&mut self, bytes: &[u8], target: Use) -> usize {
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        let mut view = json!({ "buffer": 0, "byteOffset": self.binary.len(), "byteLength": bytes.len() });
        match target {
            Use::Vertices => view["target"] = 34962.into(),
            Use::Indices => view["target"] = 34963.into(),
            Use::Other => {}
        }
        self.binary.extend_from_slice(bytes);
        add(&mut self.views, view)
    }

    /// Adds vectors; returns the index of their accessor. It has the bounds of `bounded` ones.
    pub(super) fn vectors<const N: usize>(&mut self, vectors: &[[f32; N]], target: Use, bounded: bool) -> usize {
        let bytes: Vec<u8> = vectors.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
        let view = self.view(&bytes, target);
        let kind = ["SCALAR", "SCALAR", "VEC2", "VEC3", "VEC4"][N];
        let mut accessor = json!({ "bufferView": view, "componentType": 5126, "count": vectors.len(), "type": kind });
        if bounded {
            let bound = |pick: fn(f32, f32) -> f32| {
                let all = vectors.iter().copied().reduce(|all, next| std::array::from_fn(|at| pick(all[at], next[at])));
                all.map_or(Value::Null, |all| all.iter().map(|number| f64::from(*number)).collect())
            };
            accessor["min"] = bound(f32::min);
            accessor["max"] = bound(f32::max);
        }
        add(&mut self.accessors, accessor)
    }

    /// Adds the indices of corners; returns the index of their accessor.
    pub(super) fn indices(&mut self, indices: &[u32]) -> usize {
        // The largest index of each type is reserved.
        let short: Option<Vec<u16>> =
            indices.iter().map(|index| u16::try_from(*index).ok().filter(|index| *index < u16::MAX)).collect();
        let (bytes, component): (Vec<u8>, u32) = match short {
            Some(short) => (short.iter().flat_map(|index| index.to_le_bytes()).collect(), 5123),
            None => (indices.iter().flat_map(|index| index.to_le_bytes()).collect(), 5125),
        };
        let view = self.view(&bytes, Use::Indices);
        let accessor =
            json!({ "bufferView": view, "componentType": component, "count": indices.len(), "type": "SCALAR" });
        add(&mut self.accessors, accessor)
    }

    /// The bytes of the file, whose scene has one root; `None` if it is too large for a GLB file.
    pub(super) fn encoded(mut self, root: usize) -> Option<Vec<u8>> {
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        let mut document = Map::new();
        let generator = concat!("bunraku ", env!("CARGO_PKG_VERSION"));
        document.insert("asset".to_owned(), json!({ "version": "2.0", "generator": generator }));
        document.insert("scene".to_owned(), 0.into());
        document.insert("scenes".to_owned(), json!([{ "nodes": [root] }]));
        if !self.binary.is_empty() {
            document.insert("buffers".to_owned(), json!([{ "byteLength": self.binary.len() }]));
        }
        let lists = [
            ("nodes", self.nodes),
            ("meshes", self.meshes),
            ("materials", self.materials),
            ("textures", self.textures),
            ("images", self.images),
            ("samplers", self.samplers),
            ("animations", self.animations),
            ("accessors", self.accessors),
            ("bufferViews", self.views),
        ];
        // The format has no empty lists.
        for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            document.insert(name.to_owned(), list.into());
        }
        let mut json = Value::from(document).to_string().into_bytes();
        json.resize(json.len().next_multiple_of(4), b' ');
        let chunks = [(b"JSON", json), (b"BIN\0", self.binary)];
        let chunks = || chunks.iter().filter(|(_, bytes)| !bytes.is_empty());
        let length = 12 + chunks().map(|(_, bytes)| 8 + bytes.len()).sum::<usize>();
        if length > MOST_BYTES {
            return None;
        }
        let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX).to_le_bytes();
        let mut file = Vec::with_capacity(length);
        file.extend_from_slice(b"glTF");
        file.extend_from_slice(&number(2));
        file.extend_from_slice(&number(length));
        for (kind, bytes) in chunks() {
            file.extend_from_slice(&number(bytes.len()));
            file.extend_from_slice(*kind);
            file.extend_from_slice(bytes);
        }
        Some(file)
    }
}
