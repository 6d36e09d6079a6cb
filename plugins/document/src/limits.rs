/// Upper limits for one document. A file beyond them is refused as an attack or an accident.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Size of one text file, bytes.
    pub file_size: u64,
    /// Nesting depth of sequences and mappings.
    pub depth: usize,
    /// Number of nodes of one YAML document; aliases count once.
    pub nodes: usize,
    /// Number of keys that `<<` copies into mappings of one YAML document. A chain of merges multiplies them.
    pub merged_keys: usize,
}

impl Default for Limits {
    /// The deepest real model nests 31 levels. The largest has some 200 000 nodes, but one that lists the half million
    /// triangles of a robot's meshes has millions. Motions may be larger and are read by their own scanner.
    fn default() -> Self {
        Self { file_size: 256 << 20, depth: 64, nodes: 8_000_000, merged_keys: 100_000 }
    }
}
