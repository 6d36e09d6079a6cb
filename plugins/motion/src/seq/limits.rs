use bunraku_document::Limits;

/// What a motion may cost that has to be seen as a whole: twenty minutes of a humanoid's links and joints at 1 kHz are some
/// 2 GB. The usual one is read line by line at any size, and of that only the few lines without frames become nodes.
pub(crate) const LIMITS: Limits = Limits { file_size: 4 << 30, depth: 64, nodes: 16_000_000, merged_keys: 100_000 };
