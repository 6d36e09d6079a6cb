"""A small policy search: the cross-entropy method over linear policies, one environment for each candidate.

It needs nothing but NumPy and Gymnasium. `rover_goal.py` and `arm_reach.py` use it.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from bunraku.gym import VectorEnv

Floats = npt.NDArray[np.float64]


def train(
    envs: VectorEnv, features: Callable[[Floats], Floats], seconds: float = 60, seed: int = 0
) -> tuple[Floats, list[tuple[float, float]]]:
    """Weights (actions, features + 1) of the policy `tanh(weights @ [features, 1])`, scaled to the limits of actions,
    and the curve: seconds so far and the mean return of the better candidates."""
    rng = np.random.default_rng(seed)
    space = envs.single_action_space
    low, high = getattr(space, "low"), getattr(space, "high")
    observations, _ = envs.reset(seed=seed)
    shape = (len(low), features(observations).shape[-1] + 1)
    mean, deviation = np.zeros(shape), np.ones(shape)
    curve = []
    begin = time.monotonic()
    while time.monotonic() - begin < seconds:
        weights = mean + deviation * rng.normal(size=(envs.num_envs, *shape))
        observations, _ = envs.reset(seed=int(rng.integers(1 << 30)))
        returns = np.zeros(envs.num_envs)
        is_over = np.zeros(envs.num_envs, dtype=bool)
        while not is_over.all():
            seen = features(observations)
            inputs = np.concatenate([seen, np.ones((len(seen), 1))], axis=1)
            actions = np.tanh(np.einsum("nij,nj->ni", weights, inputs))
            observations, rewards, terminated, truncated, _ = envs.step(low + (actions + 1) / 2 * (high - low))
            returns += np.where(is_over, 0, rewards)
            is_over |= terminated | truncated
        best = weights[np.argsort(returns)[-max(2, envs.num_envs // 5) :]]
        mean, deviation = best.mean(axis=0), best.std(axis=0) + 0.02
        curve.append((time.monotonic() - begin, float(np.sort(returns)[-len(best) :].mean())))
        print(f"{curve[-1][0]:6.1f} s  return {curve[-1][1]:8.3f}", flush=True)
    return mean, curve
