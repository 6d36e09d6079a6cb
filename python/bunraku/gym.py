"""Environments of scenes for Gymnasium 1.1 and later.

>>> env = make_env("rover.scene.yaml", body="Rover", action="efforts", action_range=(-1, 1),
...                observation=["link_poses", "joint_velocities"],
...                reward=lambda sim: sim["Rover"].link_poses[..., 0, 0])

Functions get the `Simulation`, or the `Batch` of a vector environment. Write `array[..., 0, :2]`, and one function serves
both: arrays of a batch have a first axis for the environments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Union, cast

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils.seeding import np_random
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from bunraku._bunraku import Batch, Simulation
from bunraku._errors import SimulationError

_Floats = npt.NDArray[np.float64]
_Bools = npt.NDArray[np.bool_]
Worlds = Union[Simulation, Batch]
Observation = Union[Sequence[str], Callable[[Worlds], npt.ArrayLike]]

_RANGES = {
    "efforts": "effort_ranges",
    "target_displacements": "displacement_ranges",
    "target_velocities": "velocity_ranges",
}


@dataclass
class _Rules:
    """What an environment is, for one world or for many."""

    body: str
    action: str
    observation: Observation
    reward: Callable[[Worlds], npt.ArrayLike]
    is_terminated: Callable[[Worlds], npt.ArrayLike] | None
    randomize: Callable[[Worlds, np.random.Generator, int], None] | None
    steps_per_action: int
    max_episode_steps: int
    failure_reward: float
    action_range: tuple[float, float] | None
    scene: dict[str, Any] = field(default_factory=dict)

    def limits(self, sim: Worlds) -> tuple[_Floats, _Floats]:
        """Lower and upper limits of actions, shape (joints,)."""
        model = sim[self.body].model
        if self.action not in _RANGES:
            raise ValueError(f"`action` is one of {', '.join(_RANGES)}, not `{self.action}`")
        if self.action_range is not None:
            low, high = (np.full(len(model.joint_names), limit, dtype=np.float64) for limit in self.action_range)
        else:
            low, high = getattr(model, _RANGES[self.action]).T
        if not np.all(np.isfinite(low) & np.isfinite(high)):
            raise ValueError(f"`{self.body}` has joints without {_RANGES[self.action]}: pass `action_range`")
        return low, high

    def observe(self, sim: Worlds, num_worlds: int | None) -> _Floats:
        """The observation, shape (size,) or (worlds, size)."""
        shape = (-1,) if num_worlds is None else (num_worlds, -1)
        if callable(self.observation):
            return np.array(self.observation(sim), dtype=np.float64).reshape(shape)
        body = sim[self.body]
        parts = [body.array(name).reshape(shape) for name in self.observation]
        return np.concatenate(parts, axis=-1)


class Env(gymnasium.Env[_Floats, _Floats]):
    """One world. See `make_env`."""

    metadata = {"render_modes": []}

    def __init__(self, scene: Any, rules: _Rules) -> None:
        self.simulation = Simulation(scene, **rules.scene)
        self._rules = rules
        self._body = self.simulation[rules.body]
        self._elapsed = 0
        self._limits = rules.limits(self.simulation)
        self.action_space = cast("spaces.Space[_Floats]", spaces.Box(*self._limits, dtype=np.float64))
        size = rules.observe(self.simulation, None).shape[-1]
        self.observation_space = cast("spaces.Space[_Floats]", spaces.Box(-np.inf, np.inf, (size,), dtype=np.float64))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[_Floats, dict[str, Any]]:
        super().reset(seed=seed)
        self.simulation.reset()
        self._elapsed = 0
        if self._rules.randomize is not None:
            self._rules.randomize(self.simulation, self.np_random, 0)
            # A teleport takes place at the beginning of a step.
            self.simulation.step()
        return self._rules.observe(self.simulation, None), {}

    def step(self, action: _Floats) -> tuple[_Floats, float, bool, bool, dict[str, Any]]:
        getattr(self._body, self._rules.action)[:] = np.clip(action, *self._limits)
        self._elapsed += 1
        is_truncated = self._elapsed >= self._rules.max_episode_steps
        try:
            self.simulation.step(self._rules.steps_per_action)
        except SimulationError as failure:
            observation = np.nan_to_num(self._rules.observe(self.simulation, None))
            return observation, self._rules.failure_reward, True, is_truncated, {"failure": str(failure)}
        is_terminated = self._rules.is_terminated is not None and bool(self._rules.is_terminated(self.simulation))
        reward = float(np.asarray(self._rules.reward(self.simulation), dtype=np.float64))
        return self._rules.observe(self.simulation, None), reward, is_terminated, is_truncated, {}

    def close(self) -> None:
        self.simulation.close()


class VectorEnv(gymnasium.vector.VectorEnv[_Floats, _Floats, Any]):
    """Many worlds on several threads. See `make_vec_env`.

    An environment whose episode ends is reset in the same step: the returned observation is the first of the next
    episode, and `info["final_obs"]` has the last of the one before where `info["_final_obs"]` is true.
    """

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(self, scene: Any, num_envs: int, rules: _Rules, threads: int | None) -> None:
        self.batch = Batch(scene, num_envs, threads=threads, **rules.scene)
        self.num_envs = num_envs
        self._rules = rules
        self._body = self.batch[rules.body]
        self._elapsed = np.zeros(num_envs, dtype=np.int64)
        self._limits = rules.limits(self.batch)
        size = rules.observe(self.batch, num_envs).shape[-1]
        self.single_action_space = spaces.Box(*self._limits, dtype=np.float64)
        self.single_observation_space = spaces.Box(-np.inf, np.inf, (size,), dtype=np.float64)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._generators = [np.random.default_rng() for _ in range(num_envs)]

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[_Floats, dict[str, Any]]:
        seeds = list(range(seed, seed + self.num_envs)) if isinstance(seed, int) else seed or [None] * self.num_envs
        for index, own in enumerate(seeds):
            if own is not None:
                # As `Env.reset` seeds its generator.
                self._generators[index] = np_random(own)[0]
        self._restart(np.ones(self.num_envs, dtype=bool))
        return self._rules.observe(self.batch, self.num_envs), {}

    def _restart(self, which: _Bools) -> None:
        ids = [int(index) for index in np.flatnonzero(which)]
        self.batch.reset(ids)
        self._elapsed[which] = 0
        if self._rules.randomize is not None:
            for index in ids:
                self._rules.randomize(self.batch, self._generators[index], index)
            self.batch.step(1, ids)

    def step(self, actions: _Floats) -> tuple[_Floats, _Floats, _Bools, _Bools, dict[str, Any]]:
        getattr(self._body, self._rules.action)[:] = np.clip(actions, *self._limits)
        self._elapsed += 1
        try:
            self.batch.step(self._rules.steps_per_action)
        except SimulationError:
            pass
        failed = np.zeros(self.num_envs, dtype=bool)
        failed[list(self.batch.failed)] = True
        count = (self.num_envs,)
        rewards = np.array(np.broadcast_to(self._rules.reward(self.batch), count), dtype=np.float64)
        rewards[failed] = self._rules.failure_reward
        terminated = failed.copy()
        if self._rules.is_terminated is not None:
            terminated |= np.broadcast_to(np.asarray(self._rules.is_terminated(self.batch), dtype=bool), count)
        truncated = self._elapsed >= self._rules.max_episode_steps
        observation = self._rules.observe(self.batch, self.num_envs)
        observation[failed] = np.nan_to_num(observation[failed])
        info: dict[str, Any] = {}
        is_over = terminated | truncated
        if np.any(is_over):
            final = np.empty(self.num_envs, dtype=object)
            for index in np.flatnonzero(is_over):
                final[index] = observation[index].copy()
            info = {"final_obs": final, "_final_obs": is_over, "final_info": {}, "_final_info": is_over}
            self._restart(is_over)
            observation = self._rules.observe(self.batch, self.num_envs)
        return observation, rewards, terminated, truncated, info

    def close_extras(self, **kwargs: Any) -> None:
        self.batch.close()


def _rules(
    body: str,
    action: str,
    observation: Observation,
    reward: Callable[[Any], npt.ArrayLike],
    is_terminated: Callable[[Any], npt.ArrayLike] | None,
    randomize: Callable[[Any, np.random.Generator, int], None] | None,
    action_range: tuple[float, float] | None,
    steps_per_action: int,
    max_episode_steps: int,
    failure_reward: float,
    scene: Mapping[str, Any],
) -> _Rules:
    return _Rules(
        body=body,
        action=action,
        observation=observation,
        reward=reward,
        is_terminated=is_terminated,
        randomize=randomize,
        steps_per_action=steps_per_action,
        max_episode_steps=max_episode_steps,
        failure_reward=failure_reward,
        action_range=action_range,
        scene=dict(scene),
    )


def make_env(
    scene: Any,
    *,
    body: str,
    reward: Callable[[Any], npt.ArrayLike],
    action: str = "efforts",
    observation: Observation = ("joint_displacements", "joint_velocities"),
    is_terminated: Callable[[Any], npt.ArrayLike] | None = None,
    randomize: Callable[[Any, np.random.Generator, int], None] | None = None,
    action_range: tuple[float, float] | None = None,
    steps_per_action: int = 10,
    max_episode_steps: int = 1000,
    failure_reward: float = 0.0,
    **overrides: Any,
) -> Env:
    """An environment of a scene.

    Parameters
    ----------
    scene : as of `Simulation`; `overrides`, too
    body : name of the body that is commanded
    reward : function of the simulation, evaluated after each action
    action : `efforts`, `target_displacements` or `target_velocities` of the body
    observation : names of arrays of the body, or a function of the simulation that returns one array
    is_terminated : function of the simulation: whether the episode is over
    randomize : `randomize(sim, rng, world)` changes the start of an episode, for example by `BodyView.teleport`
    action_range : lower and upper limit of all actions; default: those of the model
    steps_per_action : number of time steps for which an action lasts
    max_episode_steps : number of actions after which an episode is truncated
    failure_reward : reward of an action in which the simulation fails, which terminates the episode
    """
    return Env(
        scene,
        _rules(
            body, action, observation, reward, is_terminated, randomize, action_range, steps_per_action,
            max_episode_steps, failure_reward, overrides,
        ),
    )  # fmt: skip


def make_vec_env(
    scene: Any,
    num_envs: int,
    *,
    body: str,
    reward: Callable[[Any], npt.ArrayLike],
    action: str = "efforts",
    observation: Observation = ("joint_displacements", "joint_velocities"),
    is_terminated: Callable[[Any], npt.ArrayLike] | None = None,
    randomize: Callable[[Any, np.random.Generator, int], None] | None = None,
    action_range: tuple[float, float] | None = None,
    steps_per_action: int = 10,
    max_episode_steps: int = 1000,
    failure_reward: float = 0.0,
    threads: int | None = None,
    **overrides: Any,
) -> VectorEnv:
    """Many environments of a scene on `threads` threads; the other arguments are those of `make_env`."""
    return VectorEnv(
        scene,
        num_envs,
        _rules(
            body, action, observation, reward, is_terminated, randomize, action_range, steps_per_action,
            max_episode_steps, failure_reward, overrides,
        ),
        threads,
    )  # fmt: skip
