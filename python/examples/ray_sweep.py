"""Many runs of a rover with different gains on Ray, and one table of where they end.

    python python/examples/ray_sweep.py [RUNS]

It needs `pip install ray`. Look at: `ray_sweep.csv` has each run once, also if a worker is killed meanwhile
(`pkill -9 -n ray::run`). `bunraku sweep --emit ray` writes a script that records each run on disk, too.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import bunraku
import numpy as np
import ray

SCENE = Path(__file__).parents[2] / "assets" / "scenes" / "rover.scene.yaml"
COLUMNS = ("run", "kp", "kd", "x", "y", "worker")


# A run whose worker dies is started again: nothing but its number determines it.
@ray.remote(num_cpus=1, max_retries=-1)
def run(number: int) -> dict[str, Any]:
    rng = np.random.default_rng(number)
    kp, kd = rng.uniform(5, 50), rng.uniform(0.1, 1)
    gains: dict[str, Any] = {"bodies.Rover.controller.kp": kp, "bodies.Rover.controller.kd": kd}
    with bunraku.Simulation(SCENE, duration=1, **gains) as sim:
        sim.run()
        x, y, _ = sim["Rover"].link_poses[0, :3]
    return {"run": number, "kp": kp, "kd": kd, "x": float(x), "y": float(y), "worker": os.getpid()}


if __name__ == "__main__":
    ray.init(include_dashboard=False)
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    rows = ray.get([run.remote(number) for number in range(runs)])
    lines = [",".join(str(row[column]) for column in COLUMNS) for row in rows]
    Path("ray_sweep.csv").write_text("\n".join([",".join(COLUMNS), *lines, ""]), "utf-8")
    print(f"{len(rows)} runs by {len({row['worker'] for row in rows})} workers")
