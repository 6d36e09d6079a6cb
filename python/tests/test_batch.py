"""Batches of worlds."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import bunraku
import numpy as np
import pytest

from conftest import ROOT, SCENES, run_python

FREE = {"bodies.Rover.controller": {"type": "none"}}


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_worlds_have_the_bits_of_single_runs(rover: Path, threads: int) -> None:
    gains = [20, 40, 60, 80, 100]
    own = [{"bodies.Rover.controller.kp": gain} for gain in gains]
    batch = bunraku.Batch(rover, len(gains), threads=threads, per_world=own)
    poses = batch["Rover"].link_poses
    batch.step(1500)
    assert poses.shape[0] == len(gains)
    for world, gain in enumerate(gains):
        single = bunraku.Simulation(rover, **{"bodies.Rover.controller.kp": gain})
        single.step(1500)
        assert np.array_equal(poses[world], single["Rover"].link_poses)
    assert not np.array_equal(poses[0], poses[1])


def test_commands_of_each_world(rover: Path) -> None:
    batch = bunraku.Batch(rover, 4, threads=2, **FREE)
    body = batch["Rover"]
    body.efforts[:] = np.array([0, 0.1, 0.2, 0.3])[:, None]
    batch.step(500)
    assert np.all(np.diff(body.link_poses[:, 0, 0]) > 0)
    moved = body.link_poses.copy()
    batch.reset([1, 3])
    assert list(batch.time) == pytest.approx([0.5, 0, 0.5, 0])
    assert np.array_equal(body.link_poses[[0, 2]], moved[[0, 2]])
    assert np.all(body.efforts[[1, 3]] == 0)
    batch.step(100)
    assert body.link_poses[1, 0, 0] < moved[1, 0, 0]


def test_rollouts_are_single_runs(rover: Path) -> None:
    rng = np.random.default_rng(5)
    efforts = rng.normal(scale=0.2, size=(3, 200, 2))
    batch = bunraku.Batch(rover, 3, threads=2, **FREE)
    names = ["joint_displacements", "Rover.link_poses", "joint_efforts"]
    result = batch.rollout(200, body="Rover", efforts=efforts, record=names)
    assert result["Rover.link_poses"].shape[:2] == (3, 200)
    assert np.all(np.isfinite(result["joint_efforts"]))
    sim = bunraku.Simulation(rover, **FREE)
    body = sim["Rover"]
    for step in range(200):
        body.efforts[:] = efforts[2, step]
        sim.step()
        assert np.array_equal(result["joint_displacements"][2, step], body.joint_displacements)
    with pytest.raises(ValueError, match="shape"):
        batch.rollout(10, body="Rover", efforts=efforts)


def test_seeds() -> None:
    scene = SCENES / "sensors_imu.scene.yaml"
    batch = bunraku.Batch(scene, 3, seeds=[7, 8, 7])
    batch.step(500)
    (sensor,) = batch["Noisy"].sensor_names()
    values = [batch["Noisy"].sensor(sensor, world).values["acceleration"] for world in range(3)]
    assert np.array_equal(values[0], values[2]) and not np.array_equal(values[0], values[1])


def test_a_world_that_fails_does_not_stop_the_others(rover: Path) -> None:
    batch = bunraku.Batch(rover, 4, threads=2, **FREE)
    body = batch["Rover"]
    body.teleport(joint_velocities=[1e9, 1e9], world=2)
    with pytest.raises(bunraku.SimulationError) as caught:
        batch.step(100)
    assert caught.value.ids == [2]
    assert list(batch.failed) == [2]
    batch.step(100)
    assert np.allclose(batch.time[[0, 1, 3]], 0.2)
    batch.reset([2])
    assert batch.failed == {}
    batch.step(100)
    assert np.allclose(batch.time, [0.3, 0.3, 0.1, 0.3])


BAD = {
    "no world": ("bunraku.Batch(SCENE, 0)", "ValueError"),
    "negative": ("bunraku.Batch(SCENE, -1)", "OverflowError"),
    "seeds": ("bunraku.Batch(SCENE, 2, seeds=[1])", "ValueError"),
    "another time step": ("bunraku.Batch(SCENE, 2, per_world=[{}, {'time_step': 0.002}])", "ValueError"),
    "world that does not exist": ("batch.reset([7])", "IndexError"),
    "contacts of no world": ("batch['Rover'].contacts(7)", "IndexError"),
    "NaN": ("batch['Rover'].efforts[1, 0] = float('nan'); batch.step()", "ValueError"),
    "shape": ("batch['Rover'].efforts = [[1, 2, 3]]", "ValueError"),
    "record": ("batch.rollout(5, body='Rover', record=['Rover.joint_poses'])", "UnknownNameError"),
    "closed": ("batch.close(); batch.step()", "ClosedError"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_an_exception(case: str, rover: Path) -> None:
    code, exception = BAD[case]
    run = run_python(f"""
import json, bunraku
SCENE = {str(rover)!r}
batch = bunraku.Batch(SCENE, 2)
try:
    {code}
except Exception as error:
    print(json.dumps([type(error).__name__, str(error)]))
""")
    assert run.returncode == 0 and "panicked" not in run.stderr, run.stderr
    name, text = json.loads(run.stdout)
    assert name == exception, text


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("call", ["step(10**9)", "rollout(10**9)"])
def test_ctrl_c_ends_a_step(threads: int, call: str) -> None:
    code = f"""
import bunraku
batch = bunraku.Batch({str(SCENES / "rover.scene.yaml")!r}, 4, threads={threads})
poses = batch["Rover"].link_poses
print("ready", flush=True)
try:
    batch.{call}
except KeyboardInterrupt:
    at = batch.time
    batch.step(1)
    print((at > 0).any(), (batch.time > at).all(), batch.failed, flush=True)
"""
    run = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert run.stdout is not None and run.stdout.readline() == "ready\n"
    time.sleep(0.5)
    run.send_signal(signal.SIGINT)
    out, _ = run.communicate(timeout=20)
    assert (out, run.returncode) == ("True True {}\n", 0)


def test_worlds_share_models(tmp_path: Path) -> None:
    model = (SCENES.parent / "models" / "pendulum.body").read_text("utf-8")
    (tmp_path / "pendulum.body").write_text(model, "utf-8")
    scene = tmp_path / "pendulum.scene.yaml"
    scene.write_text(
        "format: BunrakuScene\nformat_version: 1\nbodies: [ { name: Pendulum, file: pendulum.body } ]\n", "utf-8"
    )
    own = [{"bodies.Pendulum.joint_displacements": [angle, 0]} for angle in (10, 20)]
    batch = bunraku.Batch(scene, 2, per_world=own)
    single = [bunraku.Simulation(scene, **overrides) for overrides in own]
    batch.step(100)
    for world, sim in enumerate(single):
        sim.step(100)
        assert np.array_equal(batch["Pendulum"].joint_displacements[world], sim["Pendulum"].joint_displacements)
