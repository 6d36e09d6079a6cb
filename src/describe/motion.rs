use bunraku_document::Diagnostic;
use bunraku_motion::{BodyMotion, LongMotion};
use serde_json::{Value, json};

/// A motion: rate in Hz, times in s, and the contents of its components.
pub fn motion(motion: &BodyMotion, diagnostics: &[Diagnostic]) -> Value {
    json!({
        "format": "BodyMotion",
        "frame_rate": motion.frame_rate,
        "num_frames": motion.num_frames(),
        "start": motion.start(),
        "duration": motion.duration(),
        "has_frame_times": motion.is_timed(),
        "num_links": motion.link_positions.as_ref().map_or(0, |links| links.num_parts()),
        "num_joints": motion.joint_displacements.as_ref().map_or(0, |joints| joints.num_parts()),
        "has_zmp": motion.zmp.is_some(),
        "other_contents": motion.others.iter().map(|other| other.content.as_str()).collect::<Vec<_>>(),
        "diagnostics": super::diagnostics(diagnostics),
    })
}

/// The same document of a motion that is not in memory.
pub fn long_motion(motion: &LongMotion, diagnostics: &[Diagnostic]) -> Value {
    let mut document = self::motion(motion.first(), diagnostics);
    document["num_frames"] = json!(motion.num_frames());
    document["duration"] = json!(motion.duration());
    document
}
