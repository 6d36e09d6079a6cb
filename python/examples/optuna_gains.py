"""Optuna looks for the gains with which a rover follows its recorded drive, eight worlds at a time.

    python python/examples/optuna_gains.py [ROUNDS]

It needs `pip install optuna`. Look at: the error of the best trial falls; it is the mean distance of a wheel from its
reference, rad, and a penalty on efforts.
"""

from __future__ import annotations

import sys
from pathlib import Path

import bunraku
import numpy as np
import optuna

ASSETS = Path(__file__).parents[2] / "assets"
STEPS, WORLDS = 2000, 8
# rad for each N·m
PENALTY = 0.01


def errors(gains: list[dict[str, float]]) -> list[float]:
    """The error of each pair of gains; NaN if its world fails."""
    reference = bunraku.load_motion(ASSETS / "motions" / "rover_turn.seq")
    displacements = reference.joint_displacements
    assert displacements is not None
    per_world = [{f"bodies.Rover.controller.{name}": gain for name, gain in pair.items()} for pair in gains]
    with bunraku.Batch(ASSETS / "scenes" / "rover.scene.yaml", len(gains), per_world=per_world) as batch:
        recorded = batch.rollout(STEPS, body="Rover", record=["joint_displacements", "joint_efforts"])
        times = np.arange(1, STEPS + 1) * batch.time_step
    frames = np.clip(np.rint(times * reference.frame_rate).astype(int), 0, len(displacements) - 1)
    distance = np.abs(recorded["joint_displacements"] - displacements[frames])
    return [float(error) for error in (distance + PENALTY * np.abs(recorded["joint_efforts"])).mean(axis=(1, 2))]


def search(rounds: int) -> optuna.Study:
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0, constant_liar=True))
    for number in range(rounds):
        trials = [study.ask() for _ in range(WORLDS)]
        gains = [
            {"kp": trial.suggest_float("kp", 0.1, 200, log=True), "kd": trial.suggest_float("kd", 0.01, 2, log=True)}
            for trial in trials
        ]
        for trial, error in zip(trials, errors(gains)):
            if np.isfinite(error):
                study.tell(trial, error)
            else:
                study.tell(trial, state=optuna.trial.TrialState.FAIL)
        print(f"round {number}: {study.best_value:.5f} rad with {study.best_params}", flush=True)
    return study


if __name__ == "__main__":
    search(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
