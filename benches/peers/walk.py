"""SR1 walks: 13.4 s under torque control, against what Choreonoid recorded."""

import importlib.util
import os
from functools import partial
from pathlib import Path

import numpy

from program import joints, places, solvers
from contest import Entry

ROOT = Path(__file__).resolve().parents[2]
SCENE = ROOT / "assets/scenes/sr1_walk.scene.yaml"
STEPS = 6701
TIME_STEP = 0.002
# Choreonoid's recording has every fifth frame.
THINNED = 5
# A root lower than this has fallen, m; it walks at 0.66 m and above.
FALLEN = 0.5


def entries(bunraku, mujoco, directory):
    share = os.environ.get("BUNRAKU_SHARE")
    if not share:
        print("skipped: the walk, BUNRAKU_SHARE does not say where Choreonoid's data is")
        return
    golden = golden_path(bunraku, directory)
    rigid = "simulation.contacts=rigid"
    impulse = [way for way in solvers() if way[1].startswith("impulse")]
    ways = [(name, out, [*settings, rigid]) for name, out, settings in impulse]
    ways.append(("multibody, Choreonoid's contacts", "choreonoid", []))
    ways.append(("multibody, rigid contacts", "rigid", [rigid]))
    for name, out, settings in ways:
        yield Entry(
            "walk",
            f"Bunraku, {name}",
            partial(bunraku.run, SCENE, directory / out, settings),
            lambda out: result(places(bunraku.motion(out / "SR1.seq"), 0), golden),
        )
    if mujoco is None:
        return
    if importlib.util.find_spec("yaml") is None:
        print("skipped: the walk with MuJoCo, PyYAML is not installed")
        return
    yield from mujoco_entries(bunraku, mujoco, Path(share), directory, golden)


def golden_path(bunraku, directory):
    """Root positions that Choreonoid recorded, if they are there."""
    golden = os.environ.get("BUNRAKU_GOLDEN")
    if not golden:
        print("skipped: the distance from Choreonoid's walk, BUNRAKU_GOLDEN does not say where its recording is")
        return None
    copy = directory / "Choreonoid.seq"
    copy.write_bytes((Path(golden) / "runs/SR1Walk-SR1.seq").read_bytes())
    return places(bunraku.motion(copy), 0)


def result(path, golden):
    low = path[:, 2] < FALLEN
    if low.any():
        return f"falls at {TIME_STEP * low.argmax():.1f} s"
    end = "ends at " + " ".join(f"{number:.4f}" for number in path[-1]) + " m"
    if golden is None:
        return end
    apart = 1e3 * numpy.linalg.norm(path[::THINNED][: len(golden)] - golden, axis=1)
    at = TIME_STEP * THINNED * apart.argmax()
    return f"{end}; from Choreonoid's {apart.max():.1f} mm (at {at:.1f} s), {apart[-1]:.1f} mm at the end"


class Walk:
    """The walk for MuJoCo: the robot's numbers, its pattern and what its links touch."""

    def __init__(self, bunraku, share, directory):
        import yaml

        import shapes

        scene = yaml.safe_load(SCENE.read_text(encoding="utf-8"))
        robot = next(body for body in scene["bodies"] if body["name"] == "SR1")
        model_file = path_of(robot["file"], share)
        self.info = bunraku.info(model_file)
        count = len(self.info["all_joints"])
        pattern = directory / "pattern.seq"
        pattern.write_bytes(path_of(robot["controller"]["motion"], share).read_bytes())
        self.law = Follow(
            joints(bunraku.motion(pattern)),
            numpy.broadcast_to(numpy.array(robot["controller"]["kp"], float), count),
            numpy.broadcast_to(numpy.array(robot["controller"]["kd"], float), count),
        )
        table = yaml.safe_load(path_of(scene["materials"], share).read_text(encoding="utf-8"))
        self.by_material = {link["name"]: friction(table, link["material"]) for link in self.info["links"]}
        self.start = numpy.concatenate(
            [robot["translation"], [1, 0, 0, 0], numpy.radians(robot["joint_displacements"])]
        )
        self.touching = shapes.read(model_file)

    def model(self, mujoco, integrator, coefficients):
        """A model, its pose at the start, and its law of efforts, with joints in MuJoCo's order."""
        import mjcf

        xml = mjcf.write(self.info, self.touching, coefficients, floor=True)
        model = mujoco.load(xml, integrator, TIME_STEP)
        order = numpy.array(mjcf.addresses(model, self.info)) - 7
        qpos = self.start.copy()
        qpos[7 + order] = self.start[7:]
        return model, qpos, partial(in_order, self.law, order)


def mujoco_entries(bunraku, mujoco, share, directory, golden):
    walk = Walk(bunraku, share, directory)
    for integrator, coefficients, what in (
        ("Euler", walk.by_material, "friction of the materials"),
        ("implicitfast", walk.by_material, "friction of the materials"),
        ("Euler", dict.fromkeys(walk.by_material, 0.5), "friction 0.5"),
    ):
        model, qpos, law = walk.model(mujoco, integrator, coefficients)
        name = f"MuJoCo, {integrator}, {what}"
        run = partial(mujoco.run, model, qpos, STEPS, law)
        yield Entry("walk", name, run, lambda states: result(states[:, :3], golden))


def in_order(law, order, step, now):
    """A law in joint order, of joints in MuJoCo's order."""
    return law(step, now[order])


def path_of(text, share):
    return Path(text.replace("${SHARE}", str(share)))


def friction(document, material):
    """What Choreonoid's table says of the floor of `Ground` and a link."""
    pairs = {frozenset(pair["materials"]): pair["friction"] for pair in document["contact_materials"]}
    name = {"default": "Default"}.get(material, material)
    return pairs.get(frozenset(["Ground", name]), pairs[frozenset(["Default"])])


class Follow:
    """The law of the `pd` controller: velocities are differences over a step."""

    def __init__(self, pattern, stiffness, damping):
        self.pattern, self.stiffness, self.damping = pattern, stiffness, damping
        self.before = None

    def __call__(self, step, now):
        now = now.copy()
        if step == 0:
            self.before = (self.pattern[0], now)
        reference = self.pattern[min(step, len(self.pattern) - 1)]
        velocity = (reference - self.before[0]) - (now - self.before[1])
        self.before = (reference, now)
        return self.stiffness * (reference - now) + self.damping / TIME_STEP * velocity
