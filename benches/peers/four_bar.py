"""A four-bar turned by its crank: how well the joint that closes it holds."""

import math
from functools import partial
from pathlib import Path

import numpy

import mjcf
from program import joints, places, points, solvers
from contest import Entry

MODEL = Path(__file__).resolve().parent / "models/four_bar.body"
TIME_STEP = 0.001
SECONDS = 5
CRANK, COUPLER, ROCKER, FRAME = 0.1, 0.4, 0.3, 0.4
# Torque per missing speed of the crank, N·m·s/rad.
GAIN = 0.5
SPEED = 2 * math.pi
SCENE = """
format: BunrakuScene
format_version: 1
simulation: {{ time_step: {time_step}, duration: {seconds} }}
bodies:
  - name: FourBar
    file: four_bar.body
    joint_displacements: {degrees}
    controller: {{ type: pd, motion: crank.seq, kp: 0, kd: [ {gain}, 0, 0 ] }}
record: {{ links: all }}
"""


def entries(bunraku, mujoco, directory):
    start = closed(1.0)
    (directory / MODEL.name).write_bytes(MODEL.read_bytes())
    steps = round(SECONDS / TIME_STEP)
    write_motion(directory / "crank.csv", start, steps)
    bunraku.convert(directory / "crank.csv", directory / "crank.seq")
    degrees = [repr(math.degrees(angle)) for angle in start]
    scene = directory / "four_bar.scene.yaml"
    values = {"time_step": TIME_STEP, "seconds": SECONDS, "gain": GAIN, "degrees": f"[ {', '.join(degrees)} ]"}
    scene.write_text(SCENE.format(**values), encoding="utf-8")
    info = bunraku.info(MODEL)
    for name, out, settings in solvers():
        yield Entry(
            "four-bar",
            f"Bunraku, {name}",
            partial(bunraku.run, scene, directory / out, settings),
            lambda out: bunraku_result(bunraku.motion(out / "FourBar.seq"), info),
        )
    if mujoco is not None:
        yield from mujoco_entries(mujoco, info, start, steps)


def bunraku_result(motion, info):
    tree = max(tree_gap(motion, info, link) for link in (1, 2, 3))
    return f"{result(closing_gap(motion), joints(motion)[:, 0])}; other joints {tree:.1e} m"


def mujoco_entries(mujoco, info, start, steps):
    from engine import site_distance

    def text(model, states):
        return result(site_distance(model, states, "extra 0.1", "extra 0.2"), states[:, 0])

    # The stiffest that MuJoCo takes at this step has a time constant of two steps.
    stiffest = {"solref": f"{2 * TIME_STEP} 1", "solimp": "0.9999 0.9999 0.001"}
    for integrator, closure, what in (
        ("Euler", {}, "connect as it comes"),
        ("implicitfast", {}, "connect as it comes"),
        ("Euler", stiffest, "stiffest connect"),
    ):
        model = mujoco.load(mjcf.write(info, closure=closure), integrator, TIME_STEP)
        run = partial(mujoco.run, model, numpy.array(start), steps, TurnCrank())
        yield Entry("four-bar", f"MuJoCo, {integrator}, {what}", run, partial(text, model))


class TurnCrank:
    """The law of Bunraku's `pd` controller without stiffness: velocities are differences over a step."""

    def __init__(self):
        self.before = 0.0

    def __call__(self, step, now):
        speed = 0.0 if step == 0 else (now[0] - self.before) / TIME_STEP
        self.before = now[0]
        return [GAIN * ((SPEED if step > 0 else 0.0) - speed), 0, 0]


def closed(crank):
    """Joint displacements with the crank at an angle: the rocker's end is on the base."""
    joint = numpy.array([CRANK * math.cos(crank), CRANK * math.sin(crank)])
    to_base = numpy.array([FRAME, 0]) - joint
    distance, direction = numpy.linalg.norm(to_base), math.atan2(to_base[1], to_base[0])
    opening = math.acos((COUPLER**2 + distance**2 - ROCKER**2) / (2 * COUPLER * distance))
    coupler = direction + opening
    elbow = joint + COUPLER * numpy.array([math.cos(coupler), math.sin(coupler)])
    rocker = math.atan2(-elbow[1], FRAME - elbow[0])
    return [crank, coupler - crank, rocker - coupler]


def write_motion(path, start, steps):
    """The crank turns steadily; the other joints have no gains."""
    with open(path, "w", encoding="utf-8") as file:
        file.write("time,joint0,joint1,joint2\n")
        for step in range(steps + 1):
            time = step * TIME_STEP
            file.write(f"{time!r},{start[0] + SPEED * time!r},{start[1]!r},{start[2]!r}\n")


def closing_gap(motion):
    """Distance of the ends of the extra joint, m, in every frame."""
    return numpy.linalg.norm(points(motion, 0, [FRAME, 0, 0]) - points(motion, 3, [ROCKER, 0, 0]), axis=1)


def tree_gap(motion, info, link):
    """How far a joint of the tree is pulled apart at most, m."""
    anchor = points(motion, link - 1, info["links"][link]["offset_translation"])
    return numpy.linalg.norm(anchor - places(motion, link), axis=1).max()


def result(gaps, crank):
    speed = (crank[-1] - crank[-1 - round(1 / TIME_STEP)]) / SPEED
    return f"gap {gaps.max():.1e} m at most; crank {speed:.3f} turns in the last second"
