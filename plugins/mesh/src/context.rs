use bunraku_document::{Limits, Reporter, SearchRoots};

/// What reading a mesh file may use, and where its findings go.
#[derive(Clone, Copy, Debug)]
pub struct LoadContext<'a> {
    /// Where paths inside the file (textures, inlined files) lead.
    pub roots: &'a SearchRoots,
    /// How much a file may cost.
    pub limits: &'a Limits,
    /// Where findings go.
    pub reporter: &'a Reporter,
}
