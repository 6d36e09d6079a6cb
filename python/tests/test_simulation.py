"""Simulations: state, commands, going back, controllers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import bunraku
import numpy as np
import pytest

from conftest import PENDULUM, ROOT, SCENES, run_python

# The wheels are left to the caller.
FREE = {"bodies.Rover.controller": {"type": "none"}}


def test_arrays_are_views_that_steps_refresh(rover: Path) -> None:
    sim = bunraku.Simulation(rover)
    body = sim["Rover"]
    displacements, poses = body.joint_displacements, body.link_poses
    assert displacements.shape == (len(body.joint_names),)
    assert poses.shape == (len(body.link_names), 7)
    before = displacements.copy()
    sim.step(1000)
    assert displacements is body.joint_displacements
    assert np.all(displacements != before)
    assert sim.time == pytest.approx(1.0)
    assert sim.step_count == 1000
    assert body.joint("WHEEL_L").displacement == displacements[body.joint_names.index("WHEEL_L")]
    assert np.allclose(np.linalg.norm(poses[:, 3:], axis=1), 1)
    with pytest.raises(ValueError, match="read-only"):
        displacements[0] = 1


def test_commanded_efforts_turn_the_wheels(rover: Path) -> None:
    sim = bunraku.Simulation(rover, **FREE)
    body = sim["Rover"]
    body.efforts = 0.3
    sim.step(500)
    forward = body.link_poses[0, 0]
    assert forward > 0.01
    body.joint("WHEEL_L").effort = -0.5
    assert body.efforts[body.joint_names.index("WHEEL_L")] == -0.5
    sim.step(500)
    assert np.array_equal(np.sort(body.efforts), [-0.5, 0.3])


def test_servos_hold_their_targets(rover: Path) -> None:
    sim = bunraku.Simulation(rover, **FREE)
    body = sim["Rover"]
    body.set_actuation("displacement", kp=40, kd=[0.8, 0.8])
    body.target_displacements[:] = 2.0
    sim.step(3000)
    assert np.allclose(body.joint_displacements, 2.0, atol=0.02)
    sim.reset()
    body.target_displacements[:] = 1.0
    sim.step(3000)
    assert np.allclose(body.joint_displacements, 1.0, atol=0.02)


def test_measured_quantities(rover: Path) -> None:
    sim = bunraku.Simulation(rover)
    body = sim["Rover"]
    assert np.all(np.isnan(body.link_twists))
    sim.run(1.0)
    before = body.link_poses[0, :3].copy()
    sim.step()
    velocity = (body.link_poses[0, :3] - before) / sim.time_step
    assert np.allclose(body.link_twists[0, :3], velocity, atol=2e-3)
    assert np.all(np.isfinite(body.joint_efforts))
    # The floor carries the rover.
    weight = sum(contact.force[2] for contact in body.contacts())
    assert weight == pytest.approx(body.model.mass * 9.80665, rel=0.05)
    assert {contact.other_body for contact in body.contacts()} == {"Floor"}
    sim.reset()
    sim.step(10)
    assert np.all(np.isfinite(body.joint_efforts))


def test_reset_and_restore_repeat_the_bits(rover: Path) -> None:
    sim = bunraku.Simulation(rover)
    body = sim["Rover"]
    start = body.link_poses.copy()
    sim.step(700)
    snapshot = sim.snapshot()
    sim.step(300)
    end = body.link_poses.copy()
    sim.restore(snapshot)
    assert sim.step_count == 700
    sim.step(300)
    assert np.array_equal(body.link_poses, end)
    sim.reset()
    assert sim.time == 0 and np.array_equal(body.link_poses, start)
    sim.step(1000)
    assert np.array_equal(body.link_poses, end)
    other = bunraku.Simulation(rover)
    other.restore(snapshot.to_bytes())
    other.step(300)
    assert np.array_equal(other["Rover"].link_poses, end)


def test_controllers_are_called_before_each_step(rover: Path) -> None:
    sim = bunraku.Simulation(rover, **FREE)
    body = sim["Rover"]
    times = []

    @sim.add_controller
    def drive(sim: bunraku.Simulation) -> None:
        times.append(sim.time)
        body.efforts[:] = 2.0 * (5.0 - body.joint_velocities)

    sim.step(3)
    assert times == pytest.approx([0, 0.001, 0.002])
    sim.run(2.0, controller=lambda sim: times.append(-1))
    assert times.count(-1) == 2000
    assert np.allclose(body.joint_velocities, 5.0, atol=0.5)


def test_an_exception_of_a_controller_comes_through(rover: Path) -> None:
    sim = bunraku.Simulation(rover)

    def fail(sim: bunraku.Simulation) -> None:
        if sim.step_count == 5:
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        sim.run(1.0, controller=fail)
    assert sim.step_count == 5
    sim.step()


def test_scenes_from_texts_and_mappings() -> None:
    from_text = bunraku.Simulation(PENDULUM, base=SCENES)
    scene = {
        "format": "BunrakuScene",
        "format_version": 1,
        "simulation": {"time_step": np.float64(0.001)},
        "bodies": [{"name": "Pendulum", "file": SCENES.parent / "models" / "pendulum.body"}],
    }
    from_mapping = bunraku.Simulation(scene)
    for sim in (from_text, from_mapping):
        sim.step(500)
    assert np.array_equal(from_text["Pendulum"].link_poses, from_mapping["Pendulum"].link_poses)
    assert from_text.duration == 1 and from_mapping.duration is None


def test_overrides() -> None:
    sim = bunraku.Simulation(PENDULUM, base=SCENES, time_step=0.002, gravity=[0, 0, 0])
    before = sim["Pendulum"].link_poses.copy()
    sim.run(1)
    assert sim.step_count == 500
    assert np.allclose(sim["Pendulum"].link_poses, before, atol=1e-9)
    with pytest.raises(TypeError, match="unexpected argument `timestep`"):
        bunraku.Simulation(PENDULUM, base=SCENES, timestep=1)


def test_teleport(rover: Path) -> None:
    sim = bunraku.Simulation(rover)
    body = sim["Rover"]
    body.teleport(root_pose=[3, 0, 0.08, 1, 0, 0, 0])
    sim.step()
    assert body.link_poses[0, 0] == pytest.approx(3, abs=0.01)


@pytest.mark.parametrize("is_recorded", [False, True])
def test_snapshots_from_before_a_teleport_are_restored(rover: Path, tmp_path: Path, is_recorded: bool) -> None:
    def state(sim: bunraku.Simulation) -> tuple[float, bytes, bytes]:
        body = sim["Rover"]
        return sim.time, body.joint_displacements.tobytes(), body.link_poses.tobytes()

    uninterrupted = bunraku.Simulation(rover)
    uninterrupted.step(600)
    middle = state(uninterrupted)
    uninterrupted.step(300)
    end = state(uninterrupted)

    sim = bunraku.Simulation(rover, out=tmp_path if is_recorded else None)
    start = sim.snapshot()
    sim.step(600)
    snapshot = sim.snapshot()
    for x in (3, 4):
        sim["Rover"].teleport(root_pose=[x, 0, 0.08, 1, 0, 0, 0])
        sim.step(50)
        sim.restore(snapshot)
        assert state(sim) == middle
        sim.step(300)
        assert state(sim) == end
        sim["Rover"].teleport(root_pose=[x, 1, 0.08, 1, 0, 0, 0])
        sim.step(50)
        if x == 3:
            sim.reset()
        else:
            sim.restore(start)
        sim.step(900)
        assert state(sim) == end


def test_a_snapshot_from_between_two_teleports_changes_nothing(rover: Path) -> None:
    sim = bunraku.Simulation(rover)
    body = sim["Rover"]
    body.teleport(root_pose=[3, 0, 0.08, 1, 0, 0, 0])
    sim.step(50)
    snapshot = sim.snapshot()
    sim.step(50)
    sim.restore(snapshot)
    assert sim.step_count == 50
    body.teleport(root_pose=[4, 0, 0.08, 1, 0, 0, 0])
    sim.step(50)
    before = sim.step_count, body.link_poses.copy(), body.joint_velocities.copy()
    with pytest.raises(ValueError, match="since the snapshot was taken"):
        sim.restore(snapshot)
    assert sim.step_count == before[0]
    assert np.array_equal(body.link_poses, before[1])
    assert np.array_equal(body.joint_velocities, before[2])


def test_sensors() -> None:
    sim = bunraku.Simulation(SCENES / "sensors_imu.scene.yaml", seed=3)
    name = sim.body_names[0]
    (sensor,) = sim[name].sensor_names()
    sim.run(0.5)
    reading = sim[name].sensor(sensor)
    assert reading is not None
    assert reading.values["acceleration"].shape == (3,)
    assert reading.time == pytest.approx(0.5, abs=0.02)
    noisy = sim["Noisy"].sensor(sensor)
    other = bunraku.Simulation(SCENES / "sensors_imu.scene.yaml", seed=4)
    other.run(0.5)
    assert not np.array_equal(other["Noisy"].sensor(sensor).values["acceleration"], noisy.values["acceleration"])
    with pytest.raises(bunraku.UnknownNameError, match="did you mean"):
        sim[name].sensor(sensor.lower() + "x")


def program() -> str:
    """The program `bunraku`; tests that need it are skipped where it is not built."""
    path = os.environ.get("BUNRAKU_PROGRAM")
    if not path:
        pytest.skip("BUNRAKU_PROGRAM does not say where the program is")
    return path


@pytest.mark.parametrize("scene", ["rover", "tow", "sensors_imu"])
def test_the_program_records_the_same_bytes(scene: str, tmp_path: Path) -> None:
    bunraku_run = [program(), "run", str(SCENES / f"{scene}.scene.yaml"), "--out", str(tmp_path / "program"), "--quiet"]
    subprocess.run(bunraku_run, check=True)
    with bunraku.Simulation(SCENES / f"{scene}.scene.yaml", out=tmp_path / "python") as sim:
        sim.run()
        files = sim.finish()
    assert files
    for path in files:
        name = Path(path).relative_to(tmp_path / "python")
        assert (tmp_path / "program" / name).read_bytes() == Path(path).read_bytes(), name
    results = bunraku.read_results(tmp_path / "program")
    motion = results.motion(results.bodies[0])
    assert len(motion) > 10 and results.summary["steps"] > 0


def test_ctrl_c_ends_a_run() -> None:
    code = f"""
import bunraku, sys
sim = bunraku.Simulation({str(SCENES / "rover.scene.yaml")!r})
print("ready", flush=True)
try:
    sim.run(1e6)
except KeyboardInterrupt:
    print(sim.step_count > 0, flush=True)
"""
    run = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert run.stdout is not None and run.stdout.readline() == "ready\n"
    time.sleep(0.5)
    run.send_signal(signal.SIGINT)
    out, _ = run.communicate(timeout=20)
    assert (out, run.returncode) == ("True\n", 0)


def test_other_threads_run_while_it_steps(rover: Path) -> None:
    import threading

    sim = bunraku.Simulation(rover)
    counts = []
    done = threading.Event()

    def count() -> None:
        number = 0
        while not done.is_set():
            number += 1
        counts.append(number)

    thread = threading.Thread(target=count)
    thread.start()
    sim.step(5000)
    done.set()
    thread.join()
    assert counts[0] > 1000


def test_findings_have_locations(tmp_path: Path) -> None:
    path = tmp_path / "a.scene.yaml"
    path.write_text(
        "format: BunrakuScene\nformat_version: 1\nbodies:\n  - { name: A, shape: { type: bux, size: [1, 1, 1] } }\n"
    )
    with pytest.raises(bunraku.LoadError) as caught:
        bunraku.Simulation(path)
    finding = next(finding for finding in caught.value.diagnostics if finding.severity == "error")
    assert (Path(finding.file).name, finding.line) == ("a.scene.yaml", 4)
    assert "box" in (finding.help or "")
    assert "a.scene.yaml:4" in str(caught.value)


# Bad input: an exception in each case, never a panic or an abort. Each is a process of its own.
BAD = {
    "unknown body": ("sim['Rovr']", "UnknownNameError", "did you mean `Rover`"),
    "unknown joint": ("body.joint('WHEEL_X')", "UnknownNameError", "did you mean"),
    "unknown link": ("body.link('CHASIS')", "UnknownNameError", "did you mean `CHASSIS`"),
    "unknown sensor": ("body.sensor('EYE')", "UnknownNameError", "EYE"),
    "unknown array": ("body.array('joint_displacement')", "UnknownNameError", "joint_displacements"),
    "wrong shape": ("body.efforts = [1, 2, 3]", "ValueError", "broadcast"),
    "NaN": ("body.efforts[0] = float('nan'); sim.step()", "ValueError", "WHEEL_L"),
    "infinite target": ("body.target_velocities[1] = float('inf'); sim.step()", "ValueError", "is inf"),
    "read-only": ("body.link_poses[0] = 0", "ValueError", "read-only"),
    "negative steps": ("sim.step(-1)", "OverflowError", ""),
    "steps of a wrong type": ("sim.step('many')", "TypeError", ""),
    "negative duration": ("sim.run(-1)", "ValueError", "cannot be run"),
    "NaN duration": ("sim.run(float('nan'))", "ValueError", "cannot be run"),
    "no controller": ("sim.add_controller(3)", "TypeError", "function"),
    "controller that steps": ("sim.run(0.1, controller=lambda sim: sim.step())", "BusyError", "controller"),
    "closed": ("sim.close(); sim.step()", "ClosedError", "closed"),
    "closed body": ("sim.close(); body.link_poses", "ClosedError", "closed"),
    "damaged snapshot": ("sim.restore(b'no snapshot')", "ValueError", ""),
    "no snapshot": ("sim.restore(3)", "TypeError", ""),
    "pose of a wrong length": ("body.teleport(root_pose=[1, 2])", "ValueError", "instead of 7"),
    "pose without rotation": ("body.teleport(root_pose=[0] * 7)", "ValueError", "quaternion"),
    "NaN displacement": ("body.teleport(joint_displacements=[float('nan'), 0])", "ValueError", "NaN"),
    "unknown actuation": ("body.set_actuation('efort')", "UnknownNameError", "did you mean `effort`"),
    "negative gain": ("body.set_actuation('velocity', kd=-1)", "ValueError", "not negative"),
    "no such file": ("bunraku.Simulation('nowhere.scene.yaml')", "LoadError", "nowhere"),
    "not a scene": ("bunraku.Simulation(3)", "TypeError", "mapping"),
    "scene with errors": ("bunraku.Simulation('{ format: BunrakuScene, format_version: 1, bodys: [] }')", "LoadError", "bodies"),
    "text that is no YAML": ("bunraku.Simulation('{ a: [')", "LoadError", ""),
    "NaN in a mapping": ("bunraku.Simulation({'simulation': {'time_step': float('nan')}})", "ValueError", "JSON"),
    "unknown override": ("bunraku.Simulation(SCENE, **{'bodies.Rovr.drive': 'static'})", "LoadError", "Rovr"),
    "recording that cannot be": ("bunraku.Simulation(SCENE, out='/proc/nothing')", "SimulationError", "/proc/nothing"),
    "huge efforts": ("body.set_actuation('effort'); body.efforts[:] = 1e300; sim.step(1000)", "", ""),
    "far away": ("body.teleport(root_pose=[1e300, 0, 0, 1, 0, 0, 0]); sim.step(10)", "", ""),
    "too fast": ("body.teleport(joint_velocities=[1e9, 1e9]); sim.step(10)", "SimulationError", "diverged"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_an_exception(case: str, rover: Path) -> None:
    code, exception, message = BAD[case]
    program = f"""
import json, bunraku
SCENE = {str(rover)!r}
sim = bunraku.Simulation(SCENE, **{FREE!r})
body = sim["Rover"]
try:
    {code}
except Exception as error:
    print(json.dumps([type(error).__name__, str(error)]))
else:
    print(json.dumps(["", ""]))
"""
    run = run_python(program)
    assert run.returncode == 0, run.stderr
    assert "panicked" not in run.stderr, run.stderr
    name, text = json.loads(run.stdout)
    if exception:
        assert name == exception, text
        assert message in text


def test_two_threads_on_one_simulation(rover: Path) -> None:
    program = f"""
import threading, bunraku
sim = bunraku.Simulation({str(rover)!r})
outcomes = []
def step():
    try:
        sim.step(20000)
        outcomes.append("done")
    except bunraku.BusyError:
        outcomes.append("busy")
threads = [threading.Thread(target=step) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert outcomes.count("done") >= 1 and "busy" in outcomes, outcomes
sim.step()
"""
    run = run_python(program)
    assert run.returncode == 0, run.stderr


def test_readers_beside_a_thread_that_steps(rover: Path) -> None:
    program = f"""
import threading, bunraku
sim = bunraku.Simulation({str(rover)!r})
body = sim["Rover"]
done = threading.Event()
outcomes = set()
def read():
    names = ["link_poses", "link_twists", "efforts", "joint_velocities", "joint_reactions"]
    while not done.is_set():
        try:
            body.contacts()
            body.array(names[0])
            names.append(names.pop(0))
            outcomes.add("read")
        except bunraku.BusyError:
            outcomes.add("busy")
threads = [threading.Thread(target=read) for _ in range(3)]
for thread in threads: thread.start()
steps = 0
while steps < 3000:
    try:
        sim.step(3)
        steps += 3
    except bunraku.BusyError:
        pass
done.set()
for thread in threads: thread.join()
assert "read" in outcomes
"""
    run = run_python(program)
    assert run.returncode == 0, run.stderr
