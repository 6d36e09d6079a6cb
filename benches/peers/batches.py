#!/usr/bin/env python3
"""Batches of worlds: Bunraku's on one and two threads, and MuJoCo's of the same robot beside them.

    python benches/peers/batches.py [--bunraku PATH] [--rounds N] [--steps N]

It needs the package `bunraku` (`pip install ./python`) and, for MuJoCo, requirements.txt and BUNRAKU_SHARE. All of them
take turns, so that a disturbance spoils one round of each. See README.md beside this file.
"""

import argparse
import importlib.metadata
import importlib.util
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

# What is imported from here leaves no compiled files in the repository.
sys.dont_write_bytecode = True

import bunraku
import numpy

import compare
import table
import walk
from program import Bunraku

THREADS = (1, 2)
WALKS, ROVERS = 16, 64

ROVER = walk.ROOT / "assets/scenes/rover.scene.yaml"


def timed(work):
    """Seconds on the clock and of processor time that work takes, and what it returns."""
    wall, processor = time.perf_counter(), time.process_time()
    result = work()
    return (time.perf_counter() - wall, time.process_time() - processor), result


def batch_of_bunraku(scene, count, threads, steps):
    """Times of the steps of a batch, with the controllers of the scene."""
    with bunraku.Batch(scene, count, threads=threads) as batch:
        return timed(lambda: batch.step(steps))[0]


class MuJoCoWalks:
    """Walks with the efforts that one walk has needed."""

    def __init__(self, program, share, directory, steps):
        import engine

        mujoco = engine.MuJoCo()
        walks = walk.Walk(program, share, directory)
        self.model, self.qpos, law = walks.model(mujoco, "Euler", walks.by_material)
        _, _, self.states, controls = mujoco.run_once(self.model, self.qpos, steps, law)
        self.controls = numpy.broadcast_to(controls, (WALKS, *controls.shape))

    def batch(self, threads):
        """Times of `mujoco.batch`, which also records the coordinates of each step."""
        import mujoco.batch

        batch = mujoco.batch.Batch(self.model, WALKS, threads)
        batch.qpos = self.qpos
        times, recorded = timed(lambda: batch.rollout(self.controls.shape[1], control=self.controls)["qpos"])
        self.check(recorded)
        return times

    def rollout(self, threads):
        """Times of `mujoco.rollout`."""
        import mujoco.rollout

        import engine

        full = mujoco.mjtState.mjSTATE_FULLPHYSICS
        initial = numpy.empty(mujoco.mj_stateSize(self.model, full))
        mujoco.mj_getState(self.model, engine.start(self.model, self.qpos), initial, full)
        data = [mujoco.MjData(self.model) for _ in range(threads)]
        initial = numpy.tile(initial, (WALKS, 1))
        times, (states, _) = timed(lambda: mujoco.rollout.rollout(self.model, data, initial, self.controls))
        self.check(states[:, :, 1 : 1 + self.model.nq])
        return times

    def check(self, recorded):
        if not all(numpy.array_equal(walk, self.states[1:]) for walk in recorded):
            raise SystemExit("MuJoCo's batch differs from its run: the times would be of another motion")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bunraku", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=1500)
    arguments = parser.parse_args()
    steps, share = arguments.steps, os.environ.get("BUNRAKU_SHARE")
    binary = arguments.bunraku or compare.find_binary()
    engines = [Bunraku(binary).version() if binary else "Bunraku"]
    ways = {}
    for threads in THREADS:
        ways[f"{ROVERS} rovers, Bunraku", threads] = (
            ROVERS, lambda threads=threads: batch_of_bunraku(ROVER, ROVERS, threads, steps),
        )
    with tempfile.TemporaryDirectory(prefix="bunraku-peers-") as directory:
        if share:
            for threads in THREADS:
                ways[f"{WALKS} walks of SR1, Bunraku", threads] = (
                    WALKS, lambda threads=threads: batch_of_bunraku(walk.SCENE, WALKS, threads, steps),
                )
        else:
            print("skipped: the walks, BUNRAKU_SHARE does not say where Choreonoid's data is")
        if share and binary and importlib.util.find_spec("mujoco"):
            walks = MuJoCoWalks(Bunraku(binary), Path(share), Path(directory), steps)
            engines.append(f"MuJoCo {importlib.metadata.version('mujoco')}")
            for threads in THREADS:
                ways[f"{WALKS} walks of SR1, mujoco.batch", threads] = (
                    WALKS, lambda threads=threads: walks.batch(threads),
                )
                ways[f"{WALKS} walks of SR1, mujoco.rollout", threads] = (
                    WALKS, lambda threads=threads: walks.rollout(threads),
                )
        table.print_machine(engines)
        load = os.getloadavg()[0]
        seconds = {way: [] for way in ways}
        for _ in range(arguments.rounds):
            for way, (_, run) in ways.items():
                seconds[way].append(run())
    print(f"load before and after: {load:.1f}, {os.getloadavg()[0]:.1f}; {arguments.rounds} rounds of {steps} steps\n")
    print("| worlds | µs per step of a world, 1 thread | 2 threads | 2 threads are faster by | processor time, 1 thread |")
    print("|---|---|---|---|---|")
    for name in dict.fromkeys(name for name, _ in ways):
        cells, fastest, medians = [], [], []
        for threads in THREADS:
            worlds = ways[name, threads][0]
            per_step = [[1e6 * time / steps / worlds for time in times] for times in seconds[name, threads]]
            walls = [wall for wall, _ in per_step]
            medians.append(statistics.median(walls))
            fastest.append(min(walls))
            cells.append(f"{medians[-1]:.1f} ({fastest[-1]:.1f})")
        processor = min(1e6 * time / steps / worlds for _, time in seconds[name, 1])
        speedup = f"{medians[0] / medians[1]:.2f} ({fastest[0] / fastest[1]:.2f})"
        print(f"| {name} | {' | '.join(cells)} | {speedup} | {processor:.1f} |")
    print("\nMedians, and the fastest round in brackets; of processor time the least.")


if __name__ == "__main__":
    main()
