/// What one document may cost before it is refused. A file beyond these is an attack or an accident.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of one text file.
    pub file_size: u64,
    /// Nesting of sequences and mappings.
    pub depth: usize,
    /// Nodes of one YAML document, aliases counted once.
    pub nodes: usize,
    /// Keys that `<<` copies into mappings of one YAML document: a chain of merges multiplies them.
    pub merged_keys: usize,
}

impl Default for Limits {
    /// The deepest real model nests 31 levels. The largest has some 200 000 nodes, but one that spells out the half
    /// million triangles of a robot's meshes has millions; motions, which may be larger, are read by their own scanner.
    fn default() -> Self {
        Self { file_size: 256 << 20, depth: 64, nodes: 8_000_000, merged_keys: 100_000 }
    }
}
