"""A range sensor among 1000 random boxes, spheres, cylinders and capsules, beside MuJoCo's `mj_ray`, which knows them exactly.

    cargo build -p bunraku && python benches/peers/primitives.py [PROGRAM]

Prints the number of rays, how many hit something in one of both alone, and the largest difference of the distances.
"""

import math
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import mujoco
import numpy

ROOT = Path(__file__).resolve().parents[2]
COUNT = 1000
SENSOR = """format: ChoreonoidBody
format_version: 2.0
name: Eye
links:
  - name: EYE
    joint_type: fixed
    elements:
      - { type: RangeSensor, name: RANGE, yaw_range: 359, yaw_step: 1, pitch_range: 160, pitch_step: 1, max_distance: 100 }
"""


def objects():
    """Kind, sizes as in MuJoCo, place, axis and angle of each."""
    numbers = random.Random(42)
    for index in range(COUNT):
        kind = ["box", "sphere", "cylinder", "capsule"][index % 4]
        size = [numbers.uniform(0.05, 0.5) for _ in range({"box": 3, "sphere": 1}.get(kind, 2))]
        direction = numpy.array([numbers.gauss(0, 1) for _ in range(3)])
        axis = numpy.array([numbers.gauss(0, 1) for _ in range(3)])
        # Nothing contains the eye, which is at the origin.
        place = direction / numpy.linalg.norm(direction) * numbers.uniform(2, 12)
        yield kind, size, place, axis / numpy.linalg.norm(axis), numbers.uniform(0, math.pi)


def scene(shapes):
    lines = ["format: BunrakuScene", "format_version: 1", "simulation: { time_step: 0.1, duration: 0.1 }", "bodies:"]
    lines.append("  - { name: Eye, file: eye.body, drive: static }")
    for index, (kind, size, place, axis, angle) in enumerate(shapes):
        sizes = {
            "box": lambda: f"size: {[2 * edge for edge in size]}",
            "sphere": lambda: f"radius: {size[0]!r}",
        }.get(kind, lambda: f"radius: {size[0]!r}, height: {2 * size[1]!r}")()
        turn = [*axis.tolist(), math.degrees(angle)]
        lines.append(
            f"  - {{ name: O{index}, shape: {{ type: {kind}, {sizes} }}, translation: {place.tolist()}, rotation: {turn}, drive: static }}"
        )
    return "\n".join([*lines, "record: { sensors: true }", ""])


def model(shapes):
    geoms = []
    for kind, size, place, axis, angle in shapes:
        text = lambda values: " ".join(repr(float(value)) for value in values)
        geoms.append(f"<geom type='{kind}' size='{text(size)}' pos='{text(place)}' axisangle='{text([*axis, angle])}'/>")
    compiler = "<compiler angle='radian'/>"
    return mujoco.MjModel.from_xml_string(f"<mujoco>{compiler}<worldbody>{''.join(geoms)}</worldbody></mujoco>")


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else ROOT / "target/debug/bunraku"
    shapes = list(objects())
    with tempfile.TemporaryDirectory(prefix="bunraku-primitives-") as work:
        work = Path(work)
        (work / "eye.body").write_text(SENSOR)
        (work / "x.scene.yaml").write_text(scene(shapes))
        subprocess.run([program, "run", "x.scene.yaml", "--out", "out", "--quiet"], cwd=work, check=True)
        read = lambda name: numpy.load(work / f"out/sensors/Eye/RANGE/{name}.npy")
        distances, yaws, pitches = read("000000"), read("yaw")[0], read("pitch")[0]
    engine = model(shapes)
    data = mujoco.MjData(engine)
    mujoco.mj_forward(engine, data)
    origin, found = numpy.zeros(3), numpy.zeros(1, dtype=numpy.int32)
    alone, differences = 0, []
    for row, pitch in enumerate(pitches):
        for column, yaw in enumerate(yaws):
            # The sensor looks along −Z with +Y up.
            ray = [-math.sin(yaw) * math.cos(pitch), math.sin(pitch), -math.cos(yaw) * math.cos(pitch)]
            theirs = mujoco.mj_ray(engine, data, origin, numpy.array(ray), None, 1, -1, found)
            ours = distances[row, column]
            if math.isinf(ours) or theirs < 0:
                alone += math.isinf(ours) != (theirs < 0)
            else:
                differences.append(abs(ours - theirs))
    print(f"{COUNT} objects, {distances.size} rays, {len(differences)} hits in both, {alone} in one alone")
    print(f"largest difference {max(differences):.1e} m (MuJoCo {mujoco.__version__})")


if __name__ == "__main__":
    main()
