use bunraku_document::Limits;

/// Limits of a motion that must be parsed as a whole: twenty minutes of a humanoid's links and joints at 1 kHz are
/// about 2 GB. Files with the usual layout are read line by line, at any size, and only their few lines without frames
/// become nodes.
pub(crate) const LIMITS: Limits = Limits { file_size: 4 << 30, depth: 64, nodes: 16_000_000, merged_keys: 100_000 };
