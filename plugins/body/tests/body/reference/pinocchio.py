"""Writes pinocchio.json: random trees and what Pinocchio says of their dynamics.

    pip install pin && python3 pinocchio.py

The figures are in Bunraku's conventions: world axes, linear part first, root twist = velocity of the root origin and
angular velocity, joint order by ID with zeros for unused IDs. Pinocchio's floating base moves in its local frame; the
conversion is in `pick`, and the spatial acceleration of the root lacks ω × v against the classical one.
"""

import json
import os
import sys

# This file is called pinocchio.py; the library must not be looked for beside it.
sys.path = [p for p in sys.path if os.path.abspath(p or ".") != os.path.dirname(os.path.abspath(__file__))]

import numpy as np  # noqa: E402
import pinocchio as pin  # noqa: E402

GRAVITY = np.array([0.3, -0.2, -9.80665])
rng = np.random.default_rng(20240611)


def unit():
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def numbers(v):
    return [float(x) for x in np.asarray(v).flatten()]


def rotation(axis, radian):
    return pin.AngleAxis(radian, axis).toRotationMatrix()


def random_table(n_joints, n_fixed):
    """Links: parent, type, axis, placement, mass, centre of mass, inertia, rotor inertia, joint ID.

    Depth-first, since Pinocchio's mass matrix is wrong if the joints of a subtree are not numbered in a row.
    """
    kinds = ["revolute"] * n_joints + ["fixed"] * n_fixed
    kinds = [("prismatic" if k == "revolute" and rng.random() < 0.3 else k) for k in kinds]
    kinds = [str(k) for k in rng.permutation(kinds)]
    ids = [int(i) for i in rng.permutation(n_joints + n_joints // 4)]
    table = []
    for i, kind in enumerate(["root"] + kinds):
        a = rng.normal(size=(3, 3)) * 0.2
        chain = [i - 1] if i else []  # Ancestors of the link before.
        while chain and table[chain[-1]]["parent"] is not None:
            chain.append(table[chain[-1]]["parent"])
        parent = chain[min(int(rng.geometric(0.6)), len(chain)) - 1] if chain else None
        table.append(dict(
            name=f"L{i}", parent=parent, kind=kind, axis=unit(),
            translation=rng.uniform(-0.5, 0.5, 3), turn_axis=unit(), turn_degree=float(rng.uniform(-170, 170)),
            mass=float(rng.uniform(0.2, 5)), com=rng.uniform(-0.2, 0.2, 3),
            inertia=a @ a.T + 0.01 * np.eye(3), rotor=float(rng.uniform(0, 0.5)) if rng.random() < 0.5 else 0.0,
            id=ids.pop() if kind in ("revolute", "prismatic") else None))
    return table


def body_text(table, floating):
    out = ["format: ChoreonoidBody", "format_version: 2.0", "links:"]
    for link in table:
        keys = [f"name: {link['name']}"]
        if link["parent"] is None:
            keys.append(f"joint_type: {'free' if floating else 'fixed'}")
        else:
            keys += [f"parent: L{link['parent']}", f"joint_type: {link['kind']}",
                     f"translation: {numbers(link['translation'])}",
                     f"rotation: {numbers(link['turn_axis']) + [link['turn_degree']]}"]
        if link["id"] is not None:
            keys += [f"joint_axis: {numbers(link['axis'])}", f"joint_id: {link['id']}",
                     f"joint_axis_inertia: {link['rotor']}"]
        keys += [f"mass: {link['mass']}", f"center_of_mass: {numbers(link['com'])}",
                 f"inertia: {numbers(link['inertia'])}"]
        out.append("  - { " + ", ".join(keys) + " }")
    return "\n".join(out) + "\n"


def build(table, floating):
    model = pin.Model()
    model.gravity.linear = GRAVITY
    joint_of, place_of, frame_of, armature = [], [], [], {}
    for link in table:
        if link["parent"] is None:
            joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root") if floating else 0
            place = pin.SE3.Identity()
        else:
            up = link["parent"]
            r = rotation(link["turn_axis"], np.deg2rad(link["turn_degree"]))
            place = place_of[up] * pin.SE3(r, link["translation"])
            joint = joint_of[up]
            if link["kind"] != "fixed":
                make = dict(revolute=pin.JointModelRevoluteUnaligned, prismatic=pin.JointModelPrismaticUnaligned)
                joint = model.addJoint(joint, make[link["kind"]](link["axis"]), place, link["name"])
                place = pin.SE3.Identity()
                armature[joint] = link["rotor"]
        model.appendBodyToJoint(joint, pin.Inertia(link["mass"], link["com"], link["inertia"]), place)
        point = rng.uniform(-0.3, 0.3, 3)
        frame = model.addFrame(pin.Frame("P" + link["name"], joint, 0, place * pin.SE3(np.eye(3), point), pin.OP_FRAME))
        joint_of.append(joint), place_of.append(place), frame_of.append((frame, point))
    rotor = np.zeros(model.nv)
    for joint, value in armature.items():
        rotor[model.joints[joint].idx_v] = value
    model.armature = rotor
    return model, joint_of, place_of, frame_of


def case(table, floating, model, joint_of, place_of, frame_of):
    data = model.createData()
    base = 6 if floating else 0
    places = max(l["id"] for l in table if l["id"] is not None) + 1
    pick = np.zeros((model.nv, base + places))  # v_pin = pick @ v_world_with_unused
    q, v, a = (rng.uniform(-1.5, 1.5, places) for _ in range(3))
    turn_axis, turn = unit(), float(rng.uniform(-3, 3))
    root = pin.SE3(rotation(turn_axis, turn), rng.uniform(-2, 2, 3))
    if not floating:
        root = pin.SE3.Identity()
    twist, acceleration = (rng.uniform(-2, 2, 6) * (base > 0) for _ in range(2))
    pq = pin.neutral(model)
    if floating:
        pq[:7] = pin.SE3ToXYZQUAT(root)
        pick[:3, :3] = pick[3:6, 3:6] = root.rotation.T
    for link, joint in zip(table, joint_of):
        if link["id"] is not None:
            pq[model.joints[joint].idx_q] = q[link["id"]]
            pick[model.joints[joint].idx_v, base + link["id"]] = 1.0
    whole_v = np.concatenate([twist[:base], v])
    whole_a = np.concatenate([acceleration[:base], a])
    if floating:
        whole_a[:3] -= np.cross(twist[3:], twist[:3])
    pv, pa = pick @ whole_v, pick @ whole_a

    pin.framesForwardKinematics(model, data, pq)
    external = rng.uniform(-10, 10, (len(table), 6))
    fext = pin.StdVec_Force()
    sums = [pin.Force.Zero() for _ in range(model.njoints)]
    for wrench, joint, place in zip(external, joint_of, place_of):
        r = (data.oMi[joint] * place).rotation
        sums[joint] += place.act(pin.Force(r.T @ wrench[:3], r.T @ wrench[3:]))
    for force in sums:
        fext.append(force)

    tau = pick.T @ pin.rnea(model, data, pq, pv, pa)
    tau_external = pick.T @ pin.rnea(model, data, pq, pv, pa, fext)
    mass = pin.crba(model, data, pq)
    mass = np.triu(mass) + np.triu(mass, 1).T
    rest = pin.rnea(model, data, pq, pv, 0 * pv)
    by_rnea = np.array([pin.rnea(model, data, pq, pv, e) - rest for e in np.eye(model.nv)])
    assert abs(mass - by_rnea).max() < 1e-10 * abs(mass).max()
    mass = pick.T @ mass @ pick
    pin.computeJointJacobians(model, data, pq)
    pin.framesForwardKinematics(model, data, pq)
    jacobians = []
    for index in sorted({len(table) - 1, len(table) // 2}):
        frame, point = frame_of[index]
        j = pin.getFrameJacobian(model, data, frame, pin.LOCAL_WORLD_ALIGNED) @ pick
        jacobians.append(dict(link=f"L{index}", point=numbers(point), rows=[numbers(row) for row in j]))
    # Pinocchio's kinetic energy does not agree with its own mass matrix about armatures: rotors are added here.
    bare = model.copy()
    bare.armature = np.zeros(model.nv)
    kinetic = pin.computeKineticEnergy(bare, bare.createData(), pq, pv) + 0.5 * pv @ (model.armature * pv)
    # Pinocchio leaves what is fixed to the world out of the centre of mass.
    pin.centerOfMass(model, data, pq, pv)
    moving = sum(link["mass"] for link, joint in zip(table, joint_of) if joint > 0)
    com_velocity = data.vcom[0] * moving / sum(link["mass"] for link in table)
    return dict(
        position=numbers(root.translation), turn_axis=numbers(turn_axis), turn=turn if floating else 0.0,
        twist=numbers(twist), acceleration=numbers(acceleration), q=numbers(q), v=numbers(v), a=numbers(a),
        external=[numbers(w) for w in external], tau=numbers(tau), tau_external=numbers(tau_external),
        mass_upper=numbers(mass[np.triu_indices(len(mass))]), jacobians=jacobians, kinetic=float(kinetic),
        com_velocity=numbers(com_velocity))


trees = []
for number, joints in enumerate([3, 4, 5, 6, 7, 8, 9, 10, 11, 12]):
    floating = number % 2 == 1
    table = random_table(joints, 1 + number % 3)
    built = build(table, floating)
    trees.append(dict(body=body_text(table, floating), floating=floating,
                      cases=[case(table, floating, *built) for _ in range(2)]))
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pinocchio.json")
with open(path, "w") as file:
    json.dump(dict(pinocchio=pin.__version__, gravity=numbers(GRAVITY), trees=trees), file, separators=(",", ":"))
    file.write("\n")
print(os.path.getsize(path), "bytes")
