"""Smooth motions of MJCF models in Bunraku and in MuJoCo: joint positions after 2 s without contacts, damping, friction and limits.

    cargo build && ~/mj/bin/python benches/peers/mjcf_motion_beside_mujoco.py target/debug/bunraku

Both take steps of 0.5 ms: Bunraku's leapfrog, MuJoCo's RK4. The exit code is 1 if a position is off by more than 2e-4 rad or m.
"""

import csv
import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

import mujoco
import numpy as np

TOLERANCE = 2e-4
STEP = 0.0005
SECONDS = 2.0
# Models with hinges and slides alone.
MODELS = [
    "dm_control/suite/acrobot.xml",
    "dm_control/suite/cartpole.xml",
    "dm_control/suite/pendulum.xml",
    "dm_control/mujoco/testing/assets/arm.xml",
    "gymnasium/envs/mujoco/assets/inverted_double_pendulum.xml",
]


def in_mujoco(file, start):
    """Positions after the time, without what acts on joints."""
    model = mujoco.MjModel.from_xml_path(str(file))
    model.opt.timestep = STEP
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    model.opt.gravity[:] = [0, 0, -9.81]
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    model.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)
    for values in (model.dof_damping, model.dof_frictionloss, model.jnt_stiffness, model.jnt_limited):
        values[:] = 0
    data = mujoco.MjData(model)
    data.qpos[:] = start(model.nv)
    for _ in range(round(SECONDS / STEP)):
        mujoco.mj_step(model, data)
    return model, data.qpos.copy()


def in_bunraku(program, file, degrees):
    """Positions after the time."""
    with tempfile.TemporaryDirectory() as directory:
        scene = Path(directory) / "model.scene.yaml"
        scene.write_text(
            f"format: BunrakuScene\nformat_version: 1\n"
            f"simulation: {{ duration: {SECONDS}, time_step: {STEP}, gravity: [ 0, 0, -9.81 ] }}\n"
            f'bodies: [ {{ name: R, file: "{file}", collision: false, joint_displacements: {degrees} }} ]\n'
        )
        out = Path(directory) / "out"
        subprocess.run([program, "run", str(scene), "--out", str(out), "--allow-outside", "--quiet"], check=True, capture_output=True)
        table = Path(directory) / "motion.csv"
        subprocess.run([program, "convert", str(out / "R.seq"), str(table)], check=True, capture_output=True)
        with open(table) as lines:
            rows = list(csv.reader(lines))
    columns = [index for index, name in enumerate(rows[0]) if name.startswith("joint")]
    return np.array([float(rows[-1][column]) for column in columns])


def main():
    program = sys.argv[1]
    worst = 0.0
    for name in MODELS:
        package, rest = name.split("/", 1)
        file = Path(importlib.util.find_spec(package).origin).parent / rest
        start = lambda count: [0.3 * np.sin(1 + index) for index in range(count)]
        model, theirs = in_mujoco(file, start)
        slides = model.jnt_type == int(mujoco.mjtJoint.mjJNT_SLIDE)
        values = [float(value if slide else np.degrees(value)) for value, slide in zip(start(model.nv), slides)]
        off = np.abs(in_bunraku(program, file, values) - theirs).max()
        worst = max(worst, off)
        print(f"{name:60} {model.nv} joints, off by {off:.1e}")
    sys.exit(1 if worst > TOLERANCE else 0)


if __name__ == "__main__":
    main()
