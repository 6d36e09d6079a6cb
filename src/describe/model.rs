use bunraku_body::{
    Body, Device, ExtraJoint, ExtraJointForm, Joint, JointCoupling, JointIndex, Link, LinkIndex, Motor, Range,
    kinematics,
};
use bunraku_document::Diagnostic;
use bunraku_mesh::BoundingBox;
use nalgebra::{Isometry3, Matrix3, Point3, Vector3};
use serde_json::{Value, json};

/// A model: links, joints, mass and devices, in SI units. No limit is `null`; world poses are those of the initial
/// pose; bounding boxes are in the link frame.
pub fn model(body: &Body, diagnostics: &[Diagnostic]) -> Value {
    let poses = kinematics::link_poses(body, &body.root().offset, &body.initial_displacements());
    let all_joints: Vec<&str> = (0..body.num_joints()).map(|joint| body.joint_name(JointIndex(joint))).collect();
    let links = body.indexed_links().zip(&poses).map(|((index, link), pose)| describe_link(body, index, link, pose));
    json!({
        "model_name": body.name,
        "format": body.format.as_str(),
        "num_links": body.links().len(),
        "num_joints": body.num_joint_ids(),
        "num_all_joints": body.num_joints(),
        "all_joints": all_joints,
        "mass": body.mass(),
        "center_of_mass": point(&body.center_of_mass(&poses)),
        "num_extra_joints": body.extra_joints.len(),
        "links": links.collect::<Vec<_>>(),
        "devices": body.devices.iter().map(|device| describe_device(body, device)).collect::<Vec<_>>(),
        "extra_joints": body.extra_joints.iter().map(|joint| describe_extra_joint(body, joint)).collect::<Vec<_>>(),
        "joint_couplings": body.joint_couplings().iter().map(|coupling| describe_coupling(body, coupling)).collect::<Vec<_>>(),
        "diagnostics": super::diagnostics(diagnostics),
    })
}

/// Coefficients of 1, q, q², … for the displacement q of the leader, rad or m.
fn describe_coupling(body: &Body, coupling: &JointCoupling) -> Value {
    let name = |link| body.link(link).joint_name();
    json!({ "joint": name(coupling.follower), "leader": name(coupling.leader), "polynomial": coupling.polynomial })
}

fn describe_link(body: &Body, index: LinkIndex, link: &Link, pose: &Isometry3<f64>) -> Value {
    let Joint { displacement_range, velocity_range, effort_range, .. } = &link.joint;
    json!({
        "index": index.0,
        "name": link.name,
        "parent": link.parent.map(|parent| &body.link(parent).name),
        "joint_id": link.joint.id.map_or(-1, |id| i64::try_from(id.0).unwrap_or(-1)),
        "joint_type": link.joint.kind.as_str(),
        "joint_axis": vector(&link.joint.axis),
        "range": range(displacement_range),
        "velocity_range": range(velocity_range),
        "effort_range": range(effort_range),
        "initial_displacement": link.joint.initial_displacement,
        "offset_translation": vector(&link.offset.translation.vector),
        "offset_rotation": matrix(link.offset.rotation.to_rotation_matrix().matrix()),
        "mass": link.mass.mass,
        "center_of_mass": point(&link.mass.center_of_mass),
        "inertia": matrix(&link.mass.inertia),
        "equivalent_rotor_inertia": link.joint.equivalent_rotor_inertia,
        "motor": link.joint.motor.as_ref().map(describe_motor),
        "material": link.material.as_deref().unwrap_or("default"),
        "world_translation": vector(&pose.translation.vector),
        "world_rotation": matrix(pose.rotation.to_rotation_matrix().matrix()),
        "visual_bbox": link.visual.iter().filter_map(|shape| shape.bounding_box()).reduce(BoundingBox::union)
            .map(|bounds| [point(&bounds.min), point(&bounds.max)]),
    })
}

/// The parameters of a motor: N·m/A, Ω, A, kg·m².
fn describe_motor(motor: &Motor) -> Value {
    json!({
        "gear_ratio": motor.gear_ratio,
        "gear_efficiency": motor.gear_efficiency,
        "rotor_inertia": motor.rotor_inertia,
        "rotor_resistance": motor.rotor_resistance,
        "torque_constant": motor.torque_constant,
        "encoder_pulses": motor.encoder_pulses,
        "max_current": motor.max_current,
    })
}

fn describe_device(body: &Body, device: &Device) -> Value {
    let transform = device.transform.matrix();
    let rows = [0, 1, 2, 3].map(|row| [0, 1, 2, 3].map(|column| transform[(row, column)]));
    json!({
        "type": device.type_name(),
        "name": device.name,
        "id": device.id.map_or(-1, |id| i64::try_from(id).unwrap_or(-1)),
        "link": body.link(device.link).name,
        "T_local": rows,
    })
}

fn describe_extra_joint(body: &Body, joint: &ExtraJoint) -> Value {
    let mut description = describe_extra_joint_form(&ExtraJointForm { kind: joint.kind, frames: joint.frames });
    let [link1, link2] = joint.links.map(|link| &body.link(link).name);
    description["link1"] = json!(link1);
    description["link2"] = json!(link2);
    description
}

/// The type and the frames of an extra joint, without its links.
pub(super) fn describe_extra_joint_form(form: &ExtraJointForm) -> Value {
    let [frame1, frame2] = form.frames.map(|frame| {
        json!({
            "translation": vector(&frame.translation.vector),
            "rotation": matrix(frame.rotation.to_rotation_matrix().matrix()),
        })
    });
    json!({
        "type": form.kind.as_str(),
        "axis": form.kind.axis().map(|axis| vector(&axis)),
        "frame_in_link1": frame1,
        "frame_in_link2": frame2,
    })
}

fn range(range: &Range) -> [Option<f64>; 2] {
    [range.lower, range.upper].map(|limit| limit.is_finite().then_some(limit))
}

fn vector(vector: &Vector3<f64>) -> [f64; 3] {
    [vector.x, vector.y, vector.z]
}

fn point(point: &Point3<f64>) -> [f64; 3] {
    vector(&point.coords)
}

fn matrix(matrix: &Matrix3<f64>) -> [[f64; 3]; 3] {
    [0, 1, 2].map(|row| [0, 1, 2].map(|column| matrix[(row, column)]))
}
