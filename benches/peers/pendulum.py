"""A double pendulum without friction: what is left of its energy."""

from functools import partial
from pathlib import Path

import numpy

import mjcf
from program import joints, solvers
from contest import Entry

MODEL = Path(__file__).resolve().parent / "models/double_pendulum.body"
GRAVITY = 9.80665
TIME_STEP = 0.001
SECONDS = 10
# From straight out to hanging down: 0.5 m and 1.5 m of 1 kg each.
SWING = 2 * GRAVITY
SCENE = """
format: BunrakuScene
format_version: 1
simulation: {{ time_step: {time_step}, duration: {seconds} }}
bodies:
  - {{ name: Pendulum, file: double_pendulum.body, joint_displacements: [ 90, 0 ] }}
"""


def entries(bunraku, mujoco, directory):
    (directory / MODEL.name).write_bytes(MODEL.read_bytes())
    scene = directory / "pendulum.scene.yaml"
    scene.write_text(SCENE.format(time_step=TIME_STEP, seconds=SECONDS), encoding="utf-8")
    for name, out, settings in solvers():
        yield Entry(
            "pendulum",
            f"Bunraku, {name}",
            partial(bunraku.run, scene, directory / out, settings),
            lambda out: result(joints(bunraku.motion(out / "Pendulum.seq"))),
        )
    if mujoco is None:
        return
    xml = mjcf.write(bunraku.info(MODEL))
    for integrator in ("Euler", "implicitfast", "RK4"):
        model = mujoco.load(xml, integrator, TIME_STEP)
        start = numpy.array([numpy.pi / 2, 0])
        run = partial(mujoco.run, model, start, round(SECONDS / TIME_STEP))
        yield Entry("pendulum", f"MuJoCo, {integrator}", run, result)


def result(angles):
    change = 100 * energy(angles) / SWING
    last = change[-round(1 / TIME_STEP) :].mean()
    worst = change[abs(change).argmax()]
    return f"energy {last:+.3g} % of the {SWING:.1f} J swing (mean of the last second), {worst:+.3g} % at most"


def energy(angles):
    """Energy less that of the start, J, for frames 2 and on: the same formula for all, from joint angles alone."""
    rates = derivative(angles)
    first, second = angles[2:-2, 0], angles[2:-2].sum(axis=1)
    first_rate, second_rate = rates[:, 0], rates.sum(axis=1)
    kinetic = (
        # Of the upper rod about its end, of the lower one about its middle and with its middle.
        first_rate**2 / 3 / 2
        + second_rate**2 / 12 / 2
        + (first_rate**2 + second_rate**2 / 4 + first_rate * second_rate * numpy.cos(first - second)) / 2
    )
    # Zero where the rods are level, as at the start.
    potential = -GRAVITY * (0.5 * numpy.cos(first) + numpy.cos(first) + 0.5 * numpy.cos(second))
    return kinetic + potential


def derivative(values):
    """Central differences of the fourth order."""
    near, far = values[3:-1] - values[1:-3], values[4:] - values[:-4]
    return (8 * near - far) / (12 * TIME_STEP)
