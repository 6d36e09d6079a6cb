//! Details of the selection.

use bevy_egui::egui::{CollapsingHeader, DragValue, Grid, Ui};
use bunraku_body::{Drive, JointIndex, JointKind, JointSlot, LinkIndex, Range};
use bunraku_scene::HandAct;
use nalgebra::{Isometry3, Matrix3, Vector3};

use crate::view::{AngleUnit, Request, Shown, ShownBody};

/// Shows numbers with their units; each group states its frame.
pub fn show(ui: &mut Ui, shown: &Shown, angles: AngleUnit, requests: &mut Vec<Request>) {
    let Some((selection, body)) = shown.selection.zip(shown.selected_body()) else {
        ui.weak("Nothing is selected: click a link in the view, or a name under Scene.");
        return;
    };
    match (selection.link, selection.device) {
        (_, Some(device)) => show_device(ui, body, device),
        (Some(link), None) => show_link(ui, body, link, angles),
        (None, None) => {
            show_body(ui, body, angles);
            hands(ui, body, angles, requests);
        }
    }
}

fn show_body(ui: &mut Ui, body: &ShownBody, angles: AngleUnit) {
    let model = &body.model;
    ui.heading(&body.name);
    group(ui, "Model", |rows| {
        rows.text("name", &model.name);
        rows.text("links", &model.links().len().to_string());
        rows.text("joints", &model.num_joints().to_string());
        rows.text("devices", &model.devices.len().to_string());
        rows.text("mass", &format!("{} kg", number(model.mass())));
        rows.text("root", if model.is_fixed() { "fixed to the world" } else { "free" });
        rows.text(
            "moved by",
            match body.drive {
                Drive::Physics => "forces",
                Drive::Motion => "a motion",
                Drive::Static => "nothing",
            },
        );
    });
    group(ui, "In the world frame", |rows| {
        rows.vector("centre of mass", "m", &model.center_of_mass(&body.state.link_poses).coords);
        if let Some(pose) = body.state.link_poses.first() {
            rows.pose(pose, angles);
        }
    });
}

/// Shows the interactions with the whole body.
fn hands(ui: &mut Ui, body: &ShownBody, angles: AngleUnit, requests: &mut Vec<Request>) {
    let Some(pose) = body.state.link_poses.first() else { return };
    CollapsingHeader::new("By hand").default_open(true).show(ui, |ui| {
        let mut translation: [f64; 3] = pose.translation.vector.into();
        let (roll, pitch, yaw) = pose.rotation.euler_angles();
        let (unit, factor) = angles.shown("°");
        let mut turned = [roll, pitch, yaw].map(|angle| factor * angle.to_degrees());
        let suffix = if unit == "°" { "°".to_owned() } else { format!(" {unit}") };
        let mut is_changed = false;
        Grid::new("place").num_columns(4).show(ui, |ui| {
            ui.label("put it at");
            for value in &mut translation {
                is_changed |= ui.add(DragValue::new(value).speed(0.01).max_decimals(4).suffix(" m")).changed();
            }
            ui.end_row();
            ui.label("turned");
            let decimals = if unit == "°" { 2 } else { 4 };
            for value in &mut turned {
                let field = DragValue::new(value).speed(0.5 * factor).max_decimals(decimals).suffix(&suffix);
                is_changed |= ui.add(field).changed();
            }
            ui.end_row();
        });
        if is_changed {
            let act = HandAct::Place { translation, rpy: turned.map(|angle| (angle / factor).to_radians()) };
            requests.push(Request::Hand { body: body.entity, act });
        }
        if ui.button("Take it away").clicked() {
            requests.push(Request::Hand { body: body.entity, act: HandAct::Take });
        }
    });
}

fn show_link(ui: &mut Ui, body: &ShownBody, index: LinkIndex, angles: AngleUnit) {
    let Some(link) = body.model.links().get(index.0) else { return };
    ui.heading(&link.name);
    let parent = link.parent.map_or("–", |parent| body.model.link(parent).name.as_str());
    group(ui, "Link", |rows| {
        rows.text("body", &body.name);
        rows.text("parent", parent);
        rows.text("material", link.material.as_deref().unwrap_or("the default"));
    });
    if let Some(pose) = body.state.link_poses.get(index.0) {
        group(ui, "Pose in the world frame", |rows| rows.pose(pose, angles));
    }
    let slot = body.model.indexed_joints().find(|(_, slot)| *slot == JointSlot::Link(index)).map(|(joint, _)| joint);
    group(ui, "Joint", |rows| {
        let joint = &link.joint;
        rows.text("kind", joint.kind.as_str());
        if !joint.kind.has_displacement() {
            return;
        }
        rows.text("name", link.joint_name());
        if let Some(id) = joint.id {
            rows.text("ID", &id.0.to_string());
        }
        rows.vector("axis, link frame", "", &joint.axis);
        let units = units(joint.kind);
        if let Some(JointIndex(index)) = slot {
            let beside = |value: f64| match (joint.kind, angles) {
                (JointKind::Revolute, AngleUnit::Mixed) => format!(" ({:.2}°)", value.to_degrees()),
                _ => String::new(),
            };
            let shown = |value: f64, unit| {
                let (unit, factor) = angles.shown(unit);
                format!("{} {unit}", number(factor * value))
            };
            if let Some(value) = body.state.displacements.get(index) {
                rows.text("displacement", &format!("{}{}", shown(*value, units[0]), beside(*value)));
            }
            if let Some(value) = body.state.velocities.get(index) {
                rows.text("velocity", &shown(*value, units[1]));
            }
            if let Some(value) = body.efforts.get(index) {
                rows.text("effort", &format!("{} {}", number(*value), units[2]));
            }
        }
        rows.range("displacement range", angles.shown(units[0]), joint.displacement_range);
        rows.range("velocity range", angles.shown(units[1]), joint.velocity_range);
        rows.range("effort range", (units[2], 1.0), joint.effort_range);
        rows.text("rotor inertia", &format!("{} kg·m²", number(joint.equivalent_rotor_inertia)));
    });
    group(ui, "Mass, in the link frame", |rows| {
        rows.text("mass", &format!("{} kg", number(link.mass.mass)));
        rows.vector("centre of mass", "m", &link.mass.center_of_mass.coords);
        rows.matrix("inertia about it, kg·m²", &link.mass.inertia);
    });
    group(ui, "Shapes", |rows| {
        rows.text("visual", &link.visual.len().to_string());
        rows.text("collision", &link.collision.len().to_string());
    });
}

fn show_device(ui: &mut Ui, body: &ShownBody, index: usize) {
    let Some(device) = body.model.devices.get(index) else { return };
    ui.heading(&device.name);
    group(ui, "Device", |rows| {
        rows.text("type", device.type_name());
        rows.text("body", &body.name);
        rows.text("link", &body.model.link(device.link).name);
        rows.text("on at the start", if device.enabled { "yes" } else { "no" });
    });
    group(ui, "In the link frame", |rows| {
        rows.vector("position", "m", &device.transform.matrix().fixed_view::<3, 1>(0, 3).into_owned());
    });
}

/// Units of displacement, velocity and effort.
pub fn units(kind: JointKind) -> [&'static str; 3] {
    match kind {
        JointKind::Prismatic => ["m", "m/s", "N"],
        _ => ["rad", "rad/s", "N·m"],
    }
}

/// A number with five significant digits.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".to_owned()
    } else if !value.is_finite() {
        value.to_string()
    } else if (1e-3..1e5).contains(&size) {
        let text = format!("{value:.5}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        format!("{value:.4e}")
    }
}

struct Rows<'a>(&'a mut Ui);

impl Rows<'_> {
    fn text(&mut self, name: &str, value: &str) {
        self.0.label(name);
        self.0.monospace(value);
        self.0.end_row();
    }

    fn vector(&mut self, name: &str, unit: &str, value: &Vector3<f64>) {
        let numbers = value.iter().map(|value| format!("{value:.4}")).collect::<Vec<_>>().join("  ");
        self.text(name, format!("{numbers} {unit}").trim_end());
    }

    fn matrix(&mut self, name: &str, value: &Matrix3<f64>) {
        for row in 0..3 {
            let numbers = value.row(row).iter().map(|value| number(*value)).collect::<Vec<_>>().join("  ");
            self.text(if row == 0 { name } else { "" }, &numbers);
        }
    }

    fn range(&mut self, name: &str, (unit, factor): (&str, f64), range: Range) {
        let end = |value: f64| if value.is_finite() { number(factor * value) } else { "–".to_owned() };
        self.text(name, &format!("{} … {} {unit}", end(range.lower), end(range.upper)));
    }

    fn pose(&mut self, pose: &Isometry3<f64>, angles: AngleUnit) {
        self.vector("position", "m", &pose.translation.vector);
        let (roll, pitch, yaw) = pose.rotation.euler_angles();
        let (unit, factor) = angles.shown("°");
        self.vector("roll, pitch, yaw", unit, &Vector3::new(roll, pitch, yaw).map(|angle| factor * angle.to_degrees()));
        let quaternion = pose.rotation.quaternion();
        let numbers = [quaternion.w, quaternion.i, quaternion.j, quaternion.k].map(|value| format!("{value:.3}"));
        self.text("quaternion", &numbers.join("  "));
    }
}

fn group(ui: &mut Ui, title: &str, fill: impl FnOnce(&mut Rows<'_>)) {
    CollapsingHeader::new(title).default_open(true).show(ui, |ui| {
        Grid::new(title).num_columns(2).show(ui, |ui| fill(&mut Rows(ui)));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_with_significant_digits() {
        assert_eq!(number(0.0), "0");
        assert_eq!(number(1.5), "1.5");
        assert_eq!(number(-120.0), "-120");
        assert_eq!(number(1.0 / 3.0), "0.33333");
        assert_eq!(number(1.25e-7), "1.2500e-7");
        assert_eq!(number(f64::NAN), "NaN");
    }
}
