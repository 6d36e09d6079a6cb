//! Links and their joints.

use super::Writer;
use super::known_keys::LINK_KEYS;
use super::yaml::{Map, Node, text};
use crate::{ActuationMode, Joint, JointKind, Link, LinkIndex, MassProperties, Motor, Range};

/// Letters for axes.
const AXES: &[(&str, [f64; 3])] = &[
    ("X", [1.0, 0.0, 0.0]),
    ("Y", [0.0, 1.0, 0.0]),
    ("Z", [0.0, 0.0, 1.0]),
    ("-X", [-1.0, 0.0, 0.0]),
    ("-Y", [0.0, -1.0, 0.0]),
    ("-Z", [0.0, 0.0, -1.0]),
];

impl Writer<'_> {
    pub(super) fn link(&self, index: LinkIndex, link: &Link) -> Map {
        let mut map = Map::default();
        map.scalar("name", text(&link.name));
        if let Some(parent) = link.parent {
            map.scalar("parent", self.link_name(parent));
        }
        self.set_translation(&mut map, "translation", &link.offset.translation.vector);
        self.set_rotation(&mut map, "rotation", &link.offset.rotation);
        self.joint(&mut map, link);
        self.mass(&mut map, &link.mass);
        if let Some(material) = &link.material {
            map.scalar("material", text(material));
        }
        if let Some(shape) = link.collision_shape {
            map.scalar("collision_shape", text(shape.as_str()));
        }
        let mut elements = self.shapes(link);
        elements.extend(link.scenery.iter().map(|scenery| self.scenery(scenery)));
        let devices = self.body.devices.iter().filter(|device| device.link == index);
        elements.extend(devices.map(|device| self.device(device)));
        if !elements.is_empty() {
            map.set("elements", Node::Sequence(elements));
        }
        self.info(&mut map, &link.info, LINK_KEYS, &format!("link `{}`", link.name));
        map
    }

    fn joint(&self, map: &mut Map, link: &Link) {
        let joint = &link.joint;
        let default = Joint::default();
        map.scalar("joint_type", joint.kind.as_str());
        if let Some(name) = &joint.name {
            map.scalar("joint_name", text(name));
        }
        if let Some(id) = joint.id {
            map.scalar("joint_id", id.to_string());
        }
        let axis = <[f64; 3]>::from(joint.axis);
        if joint.kind.has_displacement() || joint.axis != default.axis {
            match AXES.iter().find(|(_, known)| *known == axis) {
                Some((letter, _)) => map.scalar("joint_axis", *letter),
                None => self.set_vector(map, "joint_axis", &axis),
            }
        }
        if let Some(mode) = joint.actuation_mode {
            map.scalar("actuation_mode", actuation_mode(mode));
        }
        let turns = joint.kind == JointKind::Revolute;
        let convert = |value: f64| if turns { self.angle(value) } else { self.number(value) };
        if joint.initial_displacement != 0.0 {
            let key = if turns { "joint_angle" } else { "joint_displacement" };
            map.scalar(key, convert(joint.initial_displacement));
        }
        let limit = |value: f64| if value.is_infinite() { "unlimited".to_owned() } else { convert(value) };
        let ranges = [("joint_range", &joint.displacement_range), ("joint_velocity_range", &joint.velocity_range)];
        for (key, range) in ranges {
            if *range != Range::UNLIMITED {
                map.set(key, Node::Flow(vec![limit(range.lower), limit(range.upper)], 2));
            }
        }
        self.effort(map, link);
        self.motor(map, joint);
    }

    fn motor(&self, map: &mut Map, joint: &Joint) {
        let (motor, default) = (joint.motor.unwrap_or_default(), Motor::default());
        self.number_unless(map, "gear_ratio", motor.gear_ratio, default.gear_ratio);
        self.number_unless(map, "gear_efficiency", motor.gear_efficiency, default.gear_efficiency);
        self.number_unless(map, "rotor_inertia", motor.rotor_inertia, default.rotor_inertia);
        self.number_unless(map, "rotor_resistor", motor.rotor_resistance, default.rotor_resistance);
        self.number_unless(map, "torque_const", motor.torque_constant, default.torque_constant);
        self.number_unless(map, "encoder_pulse", motor.encoder_pulses, default.encoder_pulses);
        if let Some(current) = motor.max_current {
            self.set_number(map, "max_current", current);
        }
        // The reader computes this product, unless the file gives another value.
        let product = motor.gear_ratio * motor.gear_ratio * motor.rotor_inertia;
        self.number_unless(map, "joint_axis_inertia", joint.equivalent_rotor_inertia, product);
    }

    /// The format has only one number for both directions.
    fn effort(&self, map: &mut Map, link: &Link) {
        let Range { lower, upper } = link.joint.effort_range;
        if lower != -upper {
            let message = format!(
                "the joint of link `{}` has effort limits of {lower} and {upper}: a model file can only say the same for both \
                 directions, and the smaller one is written",
                link.name
            );
            self.warn("uneven-effort-limits", message);
        }
        let limit = if lower == -upper { upper } else { upper.min(-lower).max(0.0) };
        if limit.is_finite() {
            self.set_number(map, "max_joint_effort", limit);
        }
    }

    fn mass(&self, map: &mut Map, mass: &MassProperties) {
        self.set_number(map, "mass", mass.mass);
        if mass.mass <= 0.0 {
            // The remaining keys have no effect then.
            return;
        }
        self.vector_unless(map, "center_of_mass", mass.center_of_mass.coords.as_slice(), &[0.0; 3]);
        let rows = mass.inertia.transpose();
        map.set("inertia", Node::Flow(rows.iter().map(|&number| self.number(number)).collect(), 3));
    }

    /// Reports data that the model file format cannot express, once for all links.
    pub(super) fn lost(&self) {
        let links = || self.body.links().iter().filter(|link| link.mass.is_massless_with_data());
        if let Some(link) = links().next() {
            let message = format!(
                "the centre of mass and inertia of {} links without mass, such as `{}`, are left out",
                links().count(),
                link.name
            );
            self.warn("lost-inertia", message);
        }
    }
}

fn actuation_mode(mode: ActuationMode) -> &'static str {
    match mode {
        ActuationMode::JointEffort => "joint_effort",
        ActuationMode::JointDisplacement => "joint_displacement",
        ActuationMode::JointVelocity => "joint_velocity",
        ActuationMode::LinkPosition => "link_position",
    }
}
