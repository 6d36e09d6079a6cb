//! Transmissions: rotor inertias of joints.

use bunraku_document::Diagnostic;

use super::joints::JointEntry;
use super::xml::{Element, Xml, children, short, suggest};
use crate::Motor;

/// Adds rotors to joints, from the robot's `<transmission>`s that give an inertia: `<motorInertia>` (kg·m²) with a
/// `<mechanicalReduction>`, or Drake's `rotor_inertia` and `gear_ratio`. The equivalent inertia at the joint is that of
/// the rotor times the square of the reduction.
pub(super) fn read<'a>(robot: Element<'a>, joints: &mut [JointEntry<'a>], xml: &Xml<'a>) {
    for transmission in children(robot, "transmission") {
        let number = |tag| {
            let mut descendants = transmission.descendants().filter(|node| node.is_element());
            let element = descendants.find(|node| node.tag_name().name() == tag)?;
            match element.attribute("value") {
                Some(_) => xml.number(element, "value"),
                None => xml.text_number(element),
            }
        };
        let inertia = number("motorInertia").or_else(|| number("rotor_inertia"));
        let reduction = number("gear_ratio").or_else(|| number("mechanicalReduction")).unwrap_or(1.0);
        for of_joint in children(transmission, "joint") {
            let Some(name) = of_joint.attribute("name") else { continue };
            let Some(entry) = joints.iter_mut().find(|joint| joint.name == name) else {
                let message = format!("the transmission drives a joint `{}` that does not exist", short(name));
                let names: Vec<&str> = joints.iter().map(|joint| joint.name.as_str()).collect();
                xml.report_attribute(
                    of_joint,
                    "name",
                    suggest(Diagnostic::warning("unknown-joint", message), name, &names),
                );
                continue;
            };
            let Some(inertia) = inertia else { continue };
            let joint = &mut entry.joint;
            joint.equivalent_rotor_inertia = reduction * reduction * inertia;
            joint.motor = Some(Motor { gear_ratio: reduction, rotor_inertia: inertia, ..Motor::default() });
        }
    }
}
