#!/usr/bin/env python3
"""Rays against a mesh of 100 000 triangles and against the house of Choreonoid's samples: Bunraku, MuJoCo and PyBullet.

    python benches/peers/rays.py

Bunraku's rates are those of its bench, which hands over its meshes, rays and distances; the others are then given the same. All rates
are of one core, by the processor time of the thread. See README.md beside this file.
"""

import importlib.util
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 3
# The most rays that PyBullet takes in one call.
BATCH = 16000
# Nothing of the scenes is farther, m.
REACH = 100.0


def main():
    if importlib.util.find_spec("numpy") is None:
        print("skipped: everything needs numpy")
        return 0
    peers = [peer for peer in (MuJoCo, PyBullet) if peer.is_there()]
    with tempfile.TemporaryDirectory(prefix="bunraku-rays-") as work:
        bench = ["cargo", "bench", "--profile", "dev", "-p", "bunraku_render", "--bench", "rays", "--", "--write", work]
        subprocess.run(bench, cwd=ROOT, check=True)
        print("\n| scene | rays | engine | Mray/s a core | distances within 0.1 mm of Bunraku's |")
        print("|---|---|---|---|---|")
        for path in sorted(Path(work).glob("*.rays")):
            scene, kind = path.stem.split(", ", 1)
            measure(Path(work) / f"{scene}.obj", path, scene, kind, peers)
    return 0


def measure(mesh, rays, scene, kind, peers):
    import numpy

    table = numpy.fromfile(rays, dtype="<f8").reshape(-1, 7)
    origin, directions, ours = table[0, :3].copy(), table[:, 3:6].copy(), table[:, 6]
    for peer in peers:
        engine = peer(mesh)
        times = []
        for _ in range(ROUNDS):
            begin = time.thread_time()
            theirs = engine.cast(origin, directions)
            times.append(time.thread_time() - begin)
        same = numpy.isclose(ours, theirs, rtol=0, atol=1e-4) | (numpy.isinf(ours) & numpy.isinf(theirs))
        print(f"| {scene} | {kind} | {engine.name} | {len(ours) / min(times) / 1e6:.2f} | {100 * same.mean():.2f} % |")


class MuJoCo:
    """`mj_multiRay`, one mesh."""

    @staticmethod
    def is_there():
        return found("mujoco")

    def __init__(self, mesh):
        import mujoco

        self.mujoco = mujoco
        self.name = f"MuJoCo {mujoco.__version__}"
        text = (
            "<mujoco><asset><mesh name='m' file='mesh.obj' inertia='shell'/></asset>"
            "<worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>"
        )
        self.model = mujoco.MjModel.from_xml_string(text, {"mesh.obj": mesh.read_bytes()})
        self.data = mujoco.MjData(self.model)
        mujoco.mj_forward(self.model, self.data)

    def cast(self, origin, directions):
        import numpy

        count = len(directions)
        geoms, distances = numpy.empty(count, numpy.int32), numpy.empty(count)
        self.mujoco.mj_multiRay(
            self.model, self.data, origin, directions.ravel(), None, True, -1, geoms, distances, None, count, REACH
        )
        distances[distances < 0] = numpy.inf
        return distances


class PyBullet:
    """`rayTestBatch` on one thread, one triangle mesh."""

    name = "PyBullet"

    @staticmethod
    def is_there():
        return found("pybullet")

    def __init__(self, mesh):
        import pybullet

        self.bullet = pybullet
        pybullet.disconnect() if pybullet.isConnected() else None
        pybullet.connect(pybullet.DIRECT)
        shape = pybullet.createCollisionShape(
            pybullet.GEOM_MESH, fileName=str(mesh), flags=pybullet.GEOM_FORCE_CONCAVE_TRIMESH
        )
        pybullet.createMultiBody(0, shape)

    def cast(self, origin, directions):
        import numpy

        ends = origin + REACH * directions
        shares = []
        for first in range(0, len(ends), BATCH):
            batch = ends[first : first + BATCH]
            hits = self.bullet.rayTestBatch(numpy.broadcast_to(origin, batch.shape), batch, numThreads=1)
            shares += [hit[2] if hit[0] >= 0 else numpy.inf for hit in hits]
        return REACH * numpy.array(shares)


def found(package):
    if importlib.util.find_spec(package) is not None:
        return True
    print(f"skipped: {package} is not installed")
    return False


if __name__ == "__main__":
    sys.exit(main())
