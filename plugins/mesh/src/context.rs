use bunraku_document::{Limits, Reporter, SearchRoots};

/// Resources of a mesh reader, and the reporter of its findings.
#[derive(Clone, Copy, Debug)]
pub struct LoadContext<'a> {
    /// Search roots for paths in the file (textures, inlined files).
    pub roots: &'a SearchRoots,
    /// Limits on the size of a file.
    pub limits: &'a Limits,
    /// Reporter of findings.
    pub reporter: &'a Reporter,
}
