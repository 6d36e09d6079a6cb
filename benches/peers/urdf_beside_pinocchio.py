"""URDF robots as Bunraku and as Pinocchio read them: links, joints, limits, masses, inertias, poses and mass matrices.

    python3 -m venv ~/pin && ~/pin/bin/pip install pin example-robot-data
    cargo build -p bunraku_body --no-default-features --example describe_dynamics
    ~/pin/bin/python benches/peers/urdf_beside_pinocchio.py target/debug/examples/describe_dynamics [FILE.urdf ...]

Without files, all robots of the package `example-robot-data` are compared, and SR1.urdf below BUNRAKU_CORPUS if it is set.
Each robot is compared twice: as it is read, and after it was converted to `.body`. The exit code is 1 if a figure is off by
more than 1e-9 (relative to the largest entry, for matrices).
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pinocchio as pin

TOLERANCE = 1e-9


def robots():
    """The URDF files of the package and of the corpus."""
    package = Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots"
    found = sorted(package.rglob("*.urdf"))
    corpus = os.environ.get("BUNRAKU_CORPUS")
    return found + (sorted(Path(corpus).rglob("*.urdf")) if corpus else [])


def described(program, files):
    """What Bunraku prints of files: two documents each."""
    environment = dict(os.environ)
    # Names of packages in the files begin at the directory above the one with all robots.
    packages = {str(above) for path in files for above in path.parents if (above / "example-robot-data").is_dir()}
    environment["ROS_PACKAGE_PATH"] = os.pathsep.join(sorted(packages))
    with tempfile.TemporaryDirectory() as directory:
        run = subprocess.run(
            [program, "--convert", directory, *map(str, files)], env=environment, stdout=subprocess.PIPE, text=True
        )
    documents = [json.loads(line) for line in run.stdout.splitlines()]
    by_file, current = {}, None
    for document in documents:
        if document["file"].endswith(".body"):
            by_file[current].append(document)
        else:
            current = document["file"]
            by_file[current] = [document]
    return by_file


def relative(found, expected):
    """The largest difference, as a share of the largest entry if that is above 1."""
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    if found.shape != expected.shape:
        return np.inf
    scale = max(1.0, np.abs(expected).max(initial=0.0))
    return np.abs(found - expected).max(initial=0.0) / scale


def reference(file, is_fixed):
    """Pinocchio's model."""
    if is_fixed:
        return pin.buildModelFromUrdf(str(file))
    return pin.buildModelFromUrdf(str(file), pin.JointModelFreeFlyer())


def lumped(group):
    """Mass, centre of mass and inertia about it of links as one, by the parallel-axis theorem."""
    mass = sum(link["mass"] for link, _ in group)
    levers = [placement.act(np.array(link["center_of_mass"])) for link, placement in group]
    if mass == 0:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    lever = sum(link["mass"] * own for (link, _), own in zip(group, levers)) / mass
    inertia = np.zeros((3, 3))
    for (link, placement), own in zip(group, levers):
        offset, turn = own - lever, placement.rotation
        inertia += turn @ np.array(link["inertia"]) @ turn.T
        inertia += link["mass"] * (offset @ offset * np.eye(3) - np.outer(offset, offset))
    return mass, lever, inertia


def compare(document, model):
    """Differences by kind, and the numbers of links and joints."""
    data = model.createData()
    links = document["links"]
    by_joint = {link["joint"]: link for link in links if link["place"] is not None}
    root = pin.SE3(np.array(document["root"]))
    velocity = np.zeros(model.nv)
    columns = np.zeros(model.nv, dtype=int)
    first = 0 if document["fixed"] else 6
    limits, missing = 0.0, []
    for index in range(1, model.njoints):
        joint, name = model.joints[index], model.names[index]
        if joint.nv == 6 and name == "root_joint":
            columns[joint.idx_v : joint.idx_v + 6] = range(6)
            continue
        if name not in by_joint or joint.nv != 1:
            missing.append(name)
            continue
        link = by_joint[name]
        velocity[joint.idx_v] = document["displacements"][link["place"]]
        columns[joint.idx_v] = first + link["place"]
        pairs = [(link["velocity"], model.upperVelocityLimit[joint.idx_v]), (link["effort"], model.upperEffortLimit[joint.idx_v])]
        if joint.nq == 1:
            pairs += [(link["range"][0], model.lowerPositionLimit[joint.idx_q]), (link["range"][1], model.upperPositionLimit[joint.idx_q])]
        for ours, theirs in pairs:
            theirs = theirs if np.isfinite(theirs) and abs(theirs) < 1e300 else None
            if ours is not None and theirs is not None:
                limits = max(limits, relative(ours, theirs))
            elif ours != theirs and (theirs is None or theirs >= 0):
                limits = np.inf
    configuration = pin.integrate(model, pin.neutral(model), velocity)
    if not document["fixed"]:
        configuration[:7] = pin.SE3ToXYZQUAT(root)
        root_pose = pin.SE3.Identity()
    else:
        root_pose = root
    pin.framesForwardKinematics(model, data, configuration)
    bodies = {frame.name: (index, frame) for index, frame in enumerate(model.frames) if frame.type == pin.FrameType.BODY}
    names = {link["name"] for link in links}
    missing += sorted(names.symmetric_difference(bodies))
    poses = masses = inertias = 0.0
    # Pinocchio keeps what links weigh that move as one: theirs is the sum of ours, in the frame of the joint.
    groups = [[] for _ in range(model.njoints)]
    for link in links:
        if link["name"] not in bodies:
            continue
        index, frame = bodies[link["name"]]
        poses = max(poses, relative(link["pose"], (root_pose * data.oMf[index]).homogeneous))
        if link["mass"] > 0:
            groups[frame.parentJoint].append((link, frame.placement))
    for group, theirs in zip(groups[1:], list(model.inertias)[1:]):
        mass, lever, inertia = lumped(group)
        masses = max(masses, relative(mass, theirs.mass))
        if theirs.mass > 0:
            masses = max(masses, relative(lever, theirs.lever))
            inertias = max(inertias, relative(inertia, theirs.inertia))
    theirs = pin.crba(model, data, configuration)
    theirs = np.triu(theirs) + np.triu(theirs, 1).T
    ours = np.array(document["mass_matrix"])
    if document["fixed"]:
        turned = theirs
    else:
        turn = np.eye(model.nv)
        turn[:3, :3] = turn[3:6, 3:6] = root.rotation
        turned = turn @ theirs @ turn.T
    matrices = relative(ours[np.ix_(columns, columns)], turned) if ours.shape[0] == model.nv else np.inf
    return {"limits": limits, "poses": poses, "masses": masses, "inertias": inertias, "mass matrix": matrices}, missing


def main():
    program, files = sys.argv[1], [Path(name).resolve() for name in sys.argv[2:]]
    files = files or robots()
    failed = False
    print(f"Pinocchio {pin.__version__}, {len(files)} robots; largest differences, as read / as converted to .body\n")
    print("| robot | links | joints | limits | masses | inertias | poses | mass matrix |")
    print("|---|---|---|---|---|---|---|---|")
    for file, documents in described(program, files).items():
        name = Path(file).stem
        is_read = len(documents) == 2 and not any("failed" in document for document in documents)
        try:
            model = reference(file, is_read and documents[0]["fixed"])
        except ValueError:
            print(f"| {name} | {'Pinocchio refuses it' if is_read else 'both refuse it'} |")
            continue
        if not is_read:
            print(f"| {name} | not read |")
            failed = True
            continue
        results = [compare(document, model) for document in documents]
        cells = [
            " / ".join(f"{result[kind]:.0e}" for result, _ in results)
            for kind in ["limits", "masses", "inertias", "poses", "mass matrix"]
        ]
        document = documents[0]
        joints = sum(link["place"] is not None for link in document["links"])
        print(f"| {name} | {len(document['links'])} | {joints} | {' | '.join(cells)} |")
        for result, missing in results:
            if missing:
                print(f"| | only one of both has: {', '.join(missing)} |")
            failed |= bool(missing) or any(not value <= TOLERANCE for value in result.values())
    print("\nall equal" if not failed else "\nNOT all equal")
    sys.exit(failed)


if __name__ == "__main__":
    main()
