"""An arm learns to reach for a point, by the targets of its servos.

    python python/examples/arm_reach.py [SECONDS]

Look at: the return rises towards 0; it is minus the mean distance of the last link from the point, m.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import bunraku
import numpy as np
from bunraku.gym import make_vec_env

from search import Floats, train

SCENE = Path(__file__).parents[2] / "assets" / "scenes" / "arm.scene.yaml"
BODY = "Arm"
LINK = bunraku.Simulation(SCENE)[BODY].link_names.index("HAND")
REACH = np.array([0.4, 0.2, 1.1])


def offset(sim: Any) -> Any:
    return sim[BODY].link_poses[..., LINK, :3] - REACH


def features(observations: Floats) -> Floats:
    return observations


if __name__ == "__main__":
    envs = make_vec_env(
        SCENE,
        24,
        body=BODY,
        action="target_displacements",
        action_range=(-1.5, 1.5),
        observation=offset,
        reward=lambda sim: -np.linalg.norm(offset(sim), axis=-1) / 20,
        steps_per_action=50,
        max_episode_steps=20,
    )
    _, curve = train(envs, features, float(sys.argv[1]) if len(sys.argv) > 1 else 60)
    np.savetxt("arm_reach.csv", curve, delimiter=",", header="time,return", comments="")
