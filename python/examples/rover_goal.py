"""A rover learns to drive to a goal, starting in any direction.

    python python/examples/rover_goal.py [SECONDS]

Look at: the return rises towards 0, which would be at the goal all the time.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from bunraku.gym import make_vec_env

from search import Floats, train

SCENE = Path(__file__).parents[2] / "assets" / "scenes" / "rover.scene.yaml"
GOAL = np.array([0.8, 0.4])


def distance(sim: Any) -> Any:
    return np.linalg.norm(sim["Rover"].link_poses[..., 0, :2] - GOAL, axis=-1)


def turn(sim: Any, rng: np.random.Generator, world: int) -> None:
    angle = rng.uniform(-np.pi / 2, np.pi / 2)
    pose = [0, 0, 0.08, np.cos(angle / 2), 0, 0, np.sin(angle / 2)]
    sim["Rover"].teleport(root_pose=pose, world=world)


def features(observations: Floats) -> Floats:
    """Distance ahead and to the left of the rover, m."""
    offset = GOAL - observations[:, :2]
    heading = 2 * np.arctan2(observations[:, 6], observations[:, 3])
    ahead = np.cos(heading) * offset[:, 0] + np.sin(heading) * offset[:, 1]
    left = np.cos(heading) * offset[:, 1] - np.sin(heading) * offset[:, 0]
    return np.stack([ahead, left], axis=1)


if __name__ == "__main__":
    overrides: dict[str, Any] = {"bodies.Rover.controller": {"type": "velocity", "kd": 1.0}}
    envs = make_vec_env(
        SCENE,
        24,
        body="Rover",
        action="target_velocities",
        action_range=(-8, 8),
        observation=["link_poses"],
        reward=lambda sim: -distance(sim) / 40,
        randomize=turn,
        steps_per_action=50,
        max_episode_steps=40,
        **overrides,
    )
    weights, curve = train(envs, features, float(sys.argv[1]) if len(sys.argv) > 1 else 60)
    np.savetxt("rover_goal.csv", curve, delimiter=",", header="time,return", comments="")
    print(weights)
