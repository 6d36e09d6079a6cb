//! Fields of OpenHRP's prototypes that exist even if a file does not declare them.

use std::sync::{Arc, LazyLock};

use super::{FieldType, Value};

type Added = Vec<(&'static str, Value)>;

fn empty(name: &'static str, field_type: FieldType) -> (&'static str, Value) {
    (name, Value::empty(field_type))
}

static HUMANOID: LazyLock<Added> = LazyLock::new(|| {
    vec![
        empty("info", FieldType::MFString),
        empty("name", FieldType::SFString),
        empty("version", FieldType::SFString),
        empty("scaleOrientation", FieldType::SFRotation),
        ("scale", Value::SFVec3f([1.0; 3])),
    ]
});

static JOINT: LazyLock<Added> = LazyLock::new(|| {
    vec![
        empty("llimit", FieldType::MFFloat),
        empty("ulimit", FieldType::MFFloat),
        empty("lvlimit", FieldType::MFFloat),
        empty("uvlimit", FieldType::MFFloat),
        empty("climit", FieldType::MFFloat),
        empty("limitOrientation", FieldType::SFRotation),
        empty("name", FieldType::SFString),
        ("gearRatio", Value::SFFloat(1.0)),
        // Documented in the manual, although the manual's declaration lacks it and the original does not support it.
        ("gearEfficiency", Value::SFFloat(1.0)),
        ("rotorInertia", Value::SFFloat(0.0)),
        ("rotorResistor", Value::SFFloat(0.0)),
        ("torqueConst", Value::SFFloat(1.0)),
        ("encoderPulse", Value::SFFloat(1.0)),
        ("jointValue", Value::SFFloat(0.0)),
        ("scale", Value::SFVec3f([1.0; 3])),
    ]
});

static SEGMENT: LazyLock<Added> = LazyLock::new(|| vec![("name", Value::SFString(Arc::from("")))]);
static VISION_SENSOR: LazyLock<Added> = LazyLock::new(|| vec![("frameRate", Value::SFFloat(30.0))]);
static RANGE_SENSOR: LazyLock<Added> = LazyLock::new(|| vec![("minDistance", Value::SFFloat(0.01))]);
static SPOT_LIGHT_DEVICE: LazyLock<Added> = LazyLock::new(|| vec![("cutOffExponent", Value::SFFloat(1.0))]);

/// Fields that a `PROTO` of this name gets if it does not declare them, with their default values. The original adds
/// them when it reads the declaration.
pub(super) fn added_fields(prototype: &str) -> &'static [(&'static str, Value)] {
    match prototype {
        "Humanoid" => &HUMANOID,
        "Joint" => &JOINT,
        "Segment" => &SEGMENT,
        "VisionSensor" => &VISION_SENSOR,
        "RangeSensor" => &RANGE_SENSOR,
        "SpotLightDevice" => &SPOT_LIGHT_DEVICE,
        _ => &[],
    }
}
