"""A swinging arm measures: what Bunraku's sensors read beside MuJoCo's on the same motion."""

import csv
from functools import partial
from pathlib import Path

import numpy

import mjcf
from program import joints, solvers
from contest import Entry

MODEL = Path(__file__).resolve().parent / "models/measuring_arm.body"
TIME_STEP = 0.001
SECONDS = 2
START = [30, -20]
# The floor's surface is z = 0 in both.
SCENE = """
format: BunrakuScene
format_version: 1
simulation: {{ time_step: {time_step}, duration: {seconds} }}
bodies:
  - {{ name: Arm, file: measuring_arm.body, joint_displacements: {start} }}
  - {{ name: Floor, shape: {{ type: box, size: [ 40, 40, 1 ] }}, translation: [ 0, 0, -0.5 ], fixed: true }}
record: {{ sensors: true }}
"""


def entries(bunraku, mujoco, directory):
    (directory / MODEL.name).write_bytes(MODEL.read_bytes())
    scene = directory / "sensors.scene.yaml"
    scene.write_text(SCENE.format(time_step=TIME_STEP, seconds=SECONDS, start=START), encoding="utf-8")
    if mujoco is None:
        return
    xml = with_sensors(mjcf.write(bunraku.info(MODEL), floor=True))
    model = mujoco.load(xml, "RK4", TIME_STEP)
    start = numpy.radians(START)
    for name, out, settings in solvers():
        yield Entry(
            "sensors",
            f"Bunraku, {name}",
            partial(bunraku.run, scene, directory / out, settings),
            lambda out: differences(mujoco, model, joints(bunraku.motion(out / "Arm.seq")), out / "sensors/Arm"),
        )
    steps = round(SECONDS / TIME_STEP)
    yield Entry("sensors", "MuJoCo, RK4", partial(mujoco.run, model, start, steps), lambda _: "what the others differ from")


def with_sensors(xml):
    """MuJoCo's sensors in the device frames of the model."""
    from xml.etree import ElementTree

    top = ElementTree.fromstring(xml)
    lower = next(body for body in top.iter("body") if body.get("name") == "LOWER")
    axis = numpy.array([1, 2, 3]) / numpy.sqrt(14)
    half = numpy.radians(50) / 2
    turn = mjcf.text([numpy.cos(half), *(numpy.sin(half) * axis)])
    # A range finder of MuJoCo looks along its +Z.
    for name, place, turned in (
        ("IMU", "0.1 0.05 -0.7", turn),
        ("ELBOW_FORCE", "0 0 0", "1 0 0 0"),
        ("HEIGHT", "0 0 -0.8", "0 1 0 0"),
    ):
        ElementTree.SubElement(lower, "site", name=name, pos=place, quat=turned)
    sensors = ElementTree.SubElement(top, "sensor")
    for kind, site in (
        ("accelerometer", "IMU"),
        ("gyro", "IMU"),
        ("force", "ELBOW_FORCE"),
        ("torque", "ELBOW_FORCE"),
        ("rangefinder", "HEIGHT"),
    ):
        ElementTree.SubElement(sensors, kind, name=kind, site=site)
    return ElementTree.tostring(top, encoding="unicode")


def differences(mujoco, model, angles, logs):
    """Largest differences of what both read on Bunraku's motion, with the largest reading."""
    rates = numpy.gradient(angles, TIME_STEP, axis=0, edge_order=2)
    theirs = mujoco.measure(model, angles, rates)
    imu, force = table(logs / "IMU.csv"), table(logs / "ELBOW_FORCE.csv")
    heights = scans(logs / "HEIGHT")
    # Accelerations and forces are means over the step, the rest is of its end. MuJoCo's forces are those of the parent on the link.
    mean = {name: (values[1:] + values[:-1]) / 2 for name, values in theirs.items()}
    text = [
        difference("acceleration", "m/s²", imu[:, 1:4], mean["accelerometer"]),
        difference("gyro", "rad/s", imu[:, 4:7], theirs["gyro"][1:]),
        difference("force", "N", force[:, 1:4], -mean["force"]),
        difference("torque", "N·m", force[:, 4:7], -mean["torque"]),
    ]
    steps = numpy.round(heights[:, 0] / TIME_STEP).astype(int)
    text.append(difference("range", "m", heights[:, 1:], theirs["rangefinder"][steps]))
    return "; ".join(text)


def difference(name, unit, ours, theirs):
    # One-sided differences at the ends of the motion tell rates less well.
    count = min(len(ours), len(theirs))
    error = abs(ours[:count] - theirs[:count])[2:-2].max()
    return f"{name} {error:.1e} of {abs(theirs).max():.3g} {unit}"


def table(path):
    """Numbers of a log: a row a sample, the time first."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = [row for row in csv.reader(file) if row]
    return numpy.array(rows[1:], float)


def scans(directory):
    """Time and distance of each scan of one ray."""
    with open(directory / "index.csv", newline="", encoding="utf-8") as file:
        rows = [row for row in csv.reader(file) if row]
    return numpy.array([(float(row[1]), numpy.load(directory / row[-1]).item()) for row in rows[1:]])
