//! Keys of range sensors in a scene.

use std::sync::Arc;

use bunraku_document::{Mapping, SourceFile, Value};
use bunraku_sensors::{ScanOptions, ScanPattern};

use super::context::SceneContext;

/// The keys.
pub(super) const KEYS: [&str; 10] = [
    "rolling",
    "pattern",
    "intensity",
    "returns",
    "return_separation",
    "beam_divergence",
    "beam_rays",
    "transmission",
    "min_intensity",
    "error_growth",
];

/// Reads the keys of a device; those that are absent have their defaults.
pub(super) fn read(mapping: &Mapping<'_, '_>, context: &SceneContext<'_>) -> ScanOptions {
    let default = ScanOptions::default();
    let pattern = mapping.get(&["pattern"]).and_then(|value| read_pattern(value, context));
    let rolling = mapping.bool(&["rolling"]).unwrap_or(pattern.is_some());
    let number = |key: &'static str, default: f64| mapping.number(&[key]).unwrap_or(default);
    // A negative number is out of range, like 0.
    let count = |key: &'static str, default: usize| {
        mapping.integer(&[key]).map_or(default, |count| usize::try_from(count).unwrap_or(0))
    };
    ScanOptions {
        intensity: mapping.bool(&["intensity"]).unwrap_or(rolling || pattern.is_some()),
        rolling,
        pattern,
        returns: count("returns", default.returns),
        return_separation: number("return_separation", default.return_separation),
        beam_divergence: number("beam_divergence", default.beam_divergence.to_degrees()).to_radians(),
        beam_rays: count("beam_rays", default.beam_rays),
        transmission: mapping.bool(&["transmission"]).unwrap_or(default.transmission),
        min_intensity: number("min_intensity", default.min_intensity),
        error_growth: number("error_growth", default.error_growth),
    }
}

fn read_pattern(value: Value<'_>, context: &SceneContext<'_>) -> Option<Arc<ScanPattern>> {
    let path = context.file(value)?;
    match SourceFile::read(&path, &context.options.limits, context.reporter) {
        Ok(source) => ScanPattern::read(&source, context.reporter).map(Arc::new),
        Err(error) => {
            context.reporter.report(error.to_diagnostic().at(value.source(), value.span()));
            None
        }
    }
}
