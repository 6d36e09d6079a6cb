"""Environments of Gymnasium."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from bunraku.gym import make_env, make_vec_env

from conftest import ROOT

GOAL = np.array([1.0, 0.5])
FREE = {"bodies.Rover.controller": {"type": "none"}}


def distance(sim: Any) -> Any:
    return np.linalg.norm(sim["Rover"].link_poses[..., 0, :2] - GOAL, axis=-1)


def turn(sim: Any, rng: np.random.Generator, world: int) -> None:
    angle = rng.uniform(-1, 1)
    pose = [0, 0, 0.08, np.cos(angle / 2), 0, 0, np.sin(angle / 2)]
    sim["Rover"].teleport(root_pose=pose, world=world)


ARGUMENTS: dict[str, Any] = {
    "body": "Rover",
    "action_range": (-0.5, 0.5),
    "observation": ["link_poses", "joint_velocities"],
    "reward": lambda sim: -distance(sim),
    "is_terminated": lambda sim: distance(sim) < 0.1,
    "randomize": turn,
    "max_episode_steps": 20,
    **FREE,
}


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_checker_of_gymnasium_accepts_it(rover: Path) -> None:
    check_env(make_env(rover, **ARGUMENTS), skip_render_check=True)


def test_vector_environments_are_single_ones(rover: Path) -> None:
    envs = make_vec_env(rover, 3, threads=2, **ARGUMENTS)
    assert envs.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    singles = [make_env(rover, **ARGUMENTS) for _ in range(3)]
    observations, _ = envs.reset(seed=5)
    for index, single in enumerate(singles):
        assert np.array_equal(single.reset(seed=5 + index)[0], observations[index])
    rng = np.random.default_rng(0)
    for count in range(1, 21):
        actions = rng.uniform(-0.5, 0.5, size=(3, 2))
        observations, rewards, terminated, truncated, info = envs.step(actions)
        for index, single in enumerate(singles):
            observation, reward, is_terminated, is_truncated, _ = single.step(actions[index])
            expected = info["final_obs"][index] if count == 20 else observations[index]
            assert np.array_equal(observation, expected)
            assert (reward, is_terminated, is_truncated) == (rewards[index], terminated[index], truncated[index])
    assert np.all(truncated) and np.all(info["_final_obs"])
    assert envs.observation_space.contains(observations)
    assert not np.array_equal(observations[0], info["final_obs"][0])
    envs.close()


def test_a_failure_ends_an_episode(rover: Path) -> None:
    def too_fast(sim: Any, rng: np.random.Generator, world: int) -> None:
        if world == 1:
            sim["Rover"].efforts[world] = 0

    arguments = {**ARGUMENTS, "randomize": too_fast, "failure_reward": -100.0}
    envs = make_vec_env(rover, 2, **arguments)
    envs.reset(seed=1)
    envs.batch["Rover"].teleport(joint_velocities=[1e9, 1e9], world=1)
    _, rewards, terminated, _, info = envs.step(np.zeros((2, 2)))
    assert list(terminated) == [False, True] and rewards[1] == -100
    assert list(info["_final_obs"]) == [False, True]
    _, _, terminated, _, _ = envs.step(np.zeros((2, 2)))
    assert not np.any(terminated)


def test_ranges_are_needed(rover: Path) -> None:
    with pytest.raises(ValueError, match="action_range"):
        make_env(rover, **{**ARGUMENTS, "action": "target_velocities", "action_range": None})
    with pytest.raises(ValueError, match="one of"):
        make_env(rover, **{**ARGUMENTS, "action": "torque"})


@pytest.mark.parametrize("example", ["rover_goal", "arm_reach"])
def test_examples_learn(example: str, tmp_path: Path) -> None:
    script = ROOT / "python" / "examples" / f"{example}.py"
    run = subprocess.run([sys.executable, script, "1"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    curve = np.loadtxt(tmp_path / f"{example}.csv", delimiter=",", skiprows=1, ndmin=2)
    assert curve.shape[1] == 2 and np.all(np.isfinite(curve))
