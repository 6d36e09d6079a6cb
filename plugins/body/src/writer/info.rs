//! Keys that mean something to other programs.

use super::Writer;
use super::yaml::{Map, Node, as_written};
use crate::Property;

/// Keys of a model that its reader knows. What a body keeps under such a key came from elsewhere, such as a wrapper, and
/// would mean something new here.
pub(super) const TOP_KEYS: &[&str] = &[
    "angleUnit",
    "angle_unit",
    "collisionDetection",
    "collision_detection_rules",
    "extraJoints",
    "extra_joints",
    "format",
    "formatVersion",
    "format_version",
    "links",
    "name",
    "rootLink",
    "root_link",
    "standardPose",
    "standard_pose",
];

/// The same for links.
pub(super) const LINK_KEYS: &[&str] = &[
    "actuationMode",
    "actuation_mode",
    "centerOfMass",
    "center_of_mass",
    "elements",
    "encoderPulse",
    "encoder_pulse",
    "forceRange",
    "force_range",
    "gearEfficiency",
    "gearRatio",
    "gear_efficiency",
    "gear_ratio",
    "import",
    "inertia",
    "jointAngle",
    "jointAxis",
    "jointDisplacement",
    "jointId",
    "jointRange",
    "jointType",
    "jointVelocityRange",
    "joint_angle",
    "joint_axis",
    "joint_axis_inertia",
    "joint_displacement",
    "joint_id",
    "joint_name",
    "joint_range",
    "joint_type",
    "joint_velocity_range",
    "mass",
    "material",
    "maxJointVelocity",
    "max_current",
    "max_joint_effort",
    "max_joint_velocity",
    "name",
    "parent",
    "rotation",
    "rotorInertia",
    "rotorResistor",
    "rotor_inertia",
    "rotor_resistor",
    "torqueConst",
    "torque_const",
    "translation",
    "type",
];

impl Writer<'_> {
    /// Adds keys that nobody read, except those in `known`, which would be read now.
    pub(super) fn info(&self, map: &mut Map, info: &[(String, Property)], known: &[&str], what: &str) {
        for (key, value) in info {
            if map.has(key) || known.contains(&key.as_str()) {
                let message = format!("the key `{key}` of {what} is left out: it would mean something else here");
                self.warn("lost-key", message);
                continue;
            }
            map.set(key.as_str(), property(value));
        }
    }
}

fn property(value: &Property) -> Node {
    match value {
        Property::Text(text) => Node::Scalar(as_written(text)),
        Property::List(items) => {
            let texts = items.iter().map(|item| match item {
                Property::Text(text) => Some(as_written(text)),
                Property::List(_) | Property::Mapping(_) => None,
            });
            match texts.collect::<Option<Vec<_>>>() {
                Some(texts) => Node::Flow(texts, 1),
                None => Node::Sequence(items.iter().map(property).collect()),
            }
        }
        Property::Mapping(entries) => {
            let mut map = Map::default();
            for (key, value) in entries {
                map.set(key.as_str(), property(value));
            }
            map.into()
        }
    }
}
