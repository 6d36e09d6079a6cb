"""MJCF robots as Bunraku and as MuJoCo read them: masses, poses of bodies, joints, mass matrices and bias efforts.

    python3 -m venv ~/mj && ~/mj/bin/pip install mujoco==3.17.0 dm_control gymnasium
    cargo build -p bunraku_body --no-default-features --example describe_dynamics
    ~/mj/bin/python benches/peers/mjcf_beside_mujoco.py target/debug/examples/describe_dynamics [FILE.xml ...]

Without files, all models in the packages mujoco, dm_control and gymnasium are compared. Each is compared twice: as it is read, and
after it was converted to `.body`. Below the table of models without differences stand those that have elements which Bunraku does
not read, with these. The exit code is 1 if a figure of a model without such elements is off by more than 1e-9, relative to the
largest entry (and to 1).

    ~/mj/bin/python benches/peers/mjcf_beside_mujoco.py target/debug/examples/describe_dynamics --export FILE.body ...

writes models as MJCF and as URDF instead: MuJoCo reads the one and Bunraku the other again, and their mass matrices are compared with
those of the model.
"""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import mujoco
import numpy as np

TOLERANCE = 1e-9
PACKAGES = ["mujoco", "dm_control", "gymnasium"]


def models():
    """The model files of the packages: those that MuJoCo reads."""
    for name in PACKAGES:
        package = Path(importlib.util.find_spec(name).origin).parent
        for path in sorted(package.rglob("*.xml")):
            head = path.read_text(errors="replace")
            if "<mujoco" in head and "<worldbody" in head and "mujocoinclude" not in head:
                yield path


def described(program, file):
    """What Bunraku prints of a file: the model, and it again after a conversion; and what it reports."""
    with tempfile.TemporaryDirectory() as directory:
        environment = dict(os.environ, SHOW_FINDINGS="1")
        run = subprocess.run(
            [program, "--convert", directory, str(file)], env=environment, capture_output=True, text=True
        )
    documents = [json.loads(line) for line in run.stdout.splitlines()]
    findings = [line for line in run.stderr.splitlines() if "[" in line]
    return documents, findings, run.returncode


def relative(found, expected):
    """The largest difference, as a share of the largest entry if that is above 1."""
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    if found.size == expected.size == 0:
        return 0.0
    if found.shape != expected.shape:
        return np.inf
    scale = max(1.0, np.abs(expected).max(initial=0.0))
    return np.abs(found - expected).max(initial=0.0) / scale


def homogeneous(position, matrix):
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = matrix, position
    return pose


def quaternion(matrix):
    found = np.zeros(4)
    mujoco.mju_mat2Quat(found, np.ascontiguousarray(matrix).ravel())
    return found


def joints(model):
    return [(int(model.jnt_type[index]), model.jnt_qposadr[index], model.jnt_dofadr[index]) for index in range(model.njnt)]


FREE, BALL = int(mujoco.mjtJoint.mjJNT_FREE), int(mujoco.mjtJoint.mjJNT_BALL)


def compare(document, model):
    """Differences by kind."""
    data = mujoco.MjData(model)
    links = document["links"]
    names = {link["name"]: index for index, link in enumerate(links)}
    off = {}
    bodies = {}
    # Names as the reader makes them for bodies without one.
    for body in range(1, model.nbody):
        name = model.body(body).name or f"body{body}"
        if name not in names:
            return {"missing link " + name: np.inf}
        bodies[body] = names[name]
    masses = [links[bodies[body]]["mass"] for body in bodies]
    off["mass"] = relative(masses, [model.body_mass[body] for body in bodies])
    kinds = joints(model)
    free = [entry for entry in kinds if entry[0] == FREE]
    balls = [entry for entry in kinds if entry[0] == BALL]
    singles = [entry for entry in kinds if entry[0] not in (FREE, BALL)]
    if balls or len(free) > 1 or (free and document["fixed"]):
        off["inertia"] = inertias(document, model, data, bodies)
        return off
    if len(singles) != len(document["displacements"]):
        return {"joints": np.inf}
    ranges = [link["range"] for link in sorted((l for l in links if l["place"] is not None), key=lambda l: l["place"])]
    single_ids = [index for index in range(model.njnt) if int(model.jnt_type[index]) not in (FREE, BALL)]
    for limits, index in zip(ranges, single_ids):
        theirs = list(model.jnt_range[index]) if model.jnt_limited[index] else [None, None]
        for ours, expected in zip(limits, theirs):
            off["range"] = max(off.get("range", 0.0), np.inf if (ours is None) != (expected is None) else relative(ours or 0.0, expected or 0.0))
    for motion in document["motions"]:
        root = np.array(motion["root"])
        turn = np.eye(model.nv)
        order = []
        if free:
            address, dof = free[0][1:]
            data.qpos[address : address + 3] = root[:3, 3]
            data.qpos[address + 3 : address + 7] = quaternion(root[:3, :3])
            linear, angular = np.array(motion["twist"])
            data.qvel[dof : dof + 3] = linear
            data.qvel[dof + 3 : dof + 6] = root[:3, :3].T @ angular
            turn[dof + 3 : dof + 6, dof + 3 : dof + 6] = root[:3, :3].T
            order += list(range(dof, dof + 6))
        for place, (_, address, dof) in enumerate(singles):
            data.qpos[address] = motion["displacements"][place]
            data.qvel[dof] = motion["velocities"][place]
            order.append(dof)
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fwdVelocity(model, data)
        gravity = model.opt.gravity.copy()
        for body, link in bodies.items():
            theirs = homogeneous(data.xpos[body], data.xmat[body].reshape(3, 3))
            # A link is at the anchor of the last joint of its body.
            joint = model.body_jntadr[body] + model.body_jntnum[body] - 1
            if model.body_jntnum[body] > 0 and model.jnt_type[joint] != FREE:
                theirs = theirs @ homogeneous(model.jnt_pos[joint], np.eye(3))
            off["pose"] = max(off.get("pose", 0.0), relative(motion["poses"][link], theirs))
        matrix = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, matrix, data.qM) if matrix_is_old() else mujoco.mj_fullM(model, data, matrix)
        theirs = (turn.T @ matrix @ turn)[np.ix_(order, order)]
        off["mass matrix"] = max(off.get("mass matrix", 0.0), relative(motion["mass_matrix"], theirs))
        model.opt.gravity[:] = [0.0, 0.0, -9.81]
        model.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)
        mujoco.mj_rne(model, data, 0, bias := np.zeros(model.nv))
        model.opt.gravity[:] = gravity
        theirs = (turn.T @ bias)[order]
        wrench = [] if not free else list(np.array(motion["root_wrench"]).ravel())
        off["bias"] = max(off.get("bias", 0.0), relative(wrench + motion["bias"], theirs))
    return off


def matrix_is_old():
    return "qM" in dir(mujoco.MjData)


def inertias(document, model, data, bodies):
    """Inertias of bodies one by one, for models whose matrices have other coordinates."""
    worst = 0.0
    for body, link in bodies.items():
        ours = np.sort(np.linalg.eigvalsh(np.array(document["links"][link]["inertia"])))
        worst = max(worst, relative(ours, np.sort(model.body_inertia[body])))
    return worst


def unsupported(findings):
    """Words of the elements that a model has and Bunraku does not read."""
    return sorted({line.split("]: ", 1)[1][:70] for line in findings if "mjcf-unsupported" in line or "warning[" in line})


def by_names(document, model):
    """The mass matrix of an exported model in MuJoCo, in the order of Bunraku's, and the names that MuJoCo lacks."""
    data = mujoco.MjData(model)
    worst, missing = 0.0, []
    places = {link["place"]: link["joint"] for link in document["links"] if link["place"] is not None}
    for motion in document["motions"]:
        turn, order, rows = np.eye(model.nv), [], []
        first = 0
        if not document["fixed"]:
            free = [joint for joint in range(model.njnt) if int(model.jnt_type[joint]) == FREE][0]
            address, dof = model.jnt_qposadr[free], model.jnt_dofadr[free]
            root = np.array(motion["root"])
            data.qpos[address : address + 3] = root[:3, 3]
            data.qpos[address + 3 : address + 7] = quaternion(root[:3, :3])
            turn[dof + 3 : dof + 6, dof + 3 : dof + 6] = root[:3, :3].T
            order += list(range(dof, dof + 6))
            rows += list(range(6))
            first = 6
        for place, name in places.items():
            try:
                joint = model.joint(name)
            except KeyError:
                missing.append(name)
                continue
            data.qpos[joint.qposadr[0]] = motion["displacements"][place]
            order.append(joint.dofadr[0])
            rows.append(first + place)
        mujoco.mj_fwdPosition(model, data)
        matrix = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, matrix, data.qM) if matrix_is_old() else mujoco.mj_fullM(model, data, matrix)
        if not order:
            continue
        theirs = (turn.T @ matrix @ turn)[np.ix_(order, order)]
        worst = max(worst, relative(np.array(motion["mass_matrix"])[np.ix_(rows, rows)], theirs))
    return worst, sorted(set(missing))


def exports(program, files):
    """Compares models with what they become in other formats."""
    failed = 0
    for file in files:
        with tempfile.TemporaryDirectory() as directory:
            run = subprocess.run(
                [program, "--export", directory, str(file)], env=dict(os.environ, SHOW_FINDINGS="1"), capture_output=True, text=True
            )
            documents = [json.loads(line) for line in run.stdout.splitlines()]
            if len(documents) < 2 or any(document.get("failed") for document in documents):
                print(f"{file.name:40} FAILED {run.stderr[-200:]}")
                failed += 1
                continue
            lost = sorted({line.split("[", 1)[1].split("]")[0] for line in run.stderr.splitlines() if "[export-" in line})
            urdf = max(
                relative(one["mass_matrix"], other["mass_matrix"])
                for one, other in zip(documents[0]["motions"], documents[1]["motions"])
            )
            try:
                mjcf, missing = by_names(documents[0], mujoco.MjModel.from_xml_path(f"{directory}/0.xml"))
                words = f"MJCF {mjcf:.0e}" + (f", without {missing}" if missing else "")
            except ValueError as error:
                mjcf, words = np.inf, f"MuJoCo: {' '.join(str(error).split())[:90]}"
        # Tracks count as joints; trees below free joints are not in the mass matrix in the same way; MuJoCo refuses some inertias.
        loose = any(link["type"] == "free" and link["parent"] is not None for link in documents[0]["links"])
        cannot = loose or {"export-tracks", "export-inertia", "export-ids"}.intersection(lost)
        if max(urdf, mjcf) > TOLERANCE and not cannot:
            failed += 1
        print(f"{file.name:40} URDF {urdf:.0e}, {words} {' '.join(lost)}")
    print(f"{failed} of {len(files)} differ")
    sys.exit(1 if failed else 0)


def main():
    program, *given = sys.argv[1:]
    if given[:1] == ["--export"]:
        exports(program, [Path(name) for name in given[1:]])
    files = [Path(name) for name in given] or list(models())
    good, other, failed = [], [], 0
    for file in files:
        try:
            model = mujoco.MjModel.from_xml_path(str(file))
        except ValueError as error:
            other.append((file, f"MuJoCo: {str(error).splitlines()[0][:60]}", ""))
            continue
        documents, findings, code = described(program, file)
        lacks = unsupported(findings)
        if len(documents) < 2 or any(document.get("failed") for document in documents):
            failed += 1
            other.append((file, "FAILED", "; ".join(findings[:2])[-160:]))
            continue
        off = [compare(document, model) for document in documents]
        worst = {kind: max(one.get(kind, 0.0) for one in off) for kind in {kind for one in off for kind in one}}
        figures = ", ".join(f"{kind} {value:.0e}" for kind, value in sorted(worst.items()))
        is_good = all(value <= TOLERANCE for value in worst.values())
        if lacks or not is_good:
            other.append((file, "equal" if is_good else figures, "; ".join(lacks)))
        else:
            good.append((file, figures))
        if not is_good and not lacks:
            failed += 1
    print(f"{len(good)} models without differences:")
    for file, figures in good:
        print(f"  {'/'.join(file.parts[-3:]):60} {figures}")
    print(f"{len(other)} others:")
    for file, figures, lacks in other:
        print(f"  {'/'.join(file.parts[-3:]):60} {figures} | {lacks}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
