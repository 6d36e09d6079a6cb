"""What an IMU with its table costs in each step of a simulation: the CPU time of runs with it, less that of runs without it.

    cargo build -p bunraku && python benches/peers/recorded_imu.py [PROGRAM]

Runs take turns, and the least time of each counts. Start and end are those of a run of one second.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCENE = """format: BunrakuScene
format_version: 1
simulation: {{ time_step: 0.001 }}
bodies:
  - {{ name: Pendulum, file: {model} }}
record: {{ frame_rate: 1, {recorded} }}
"""
CASES = {
    "nothing": "joints: false",
    "readings of the solver": "joints: [ forces ]",
    "an IMU with its table": "sensors: true",
}
LONG, SHORT, ROUNDS = 200, 1, 5


def cpu_time(program, scene, out, duration):
    command = [program, "run", scene, "--out", out, "--duration", str(duration), "--quiet"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    return usage.ru_utime + usage.ru_stime


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else ROOT / "target/debug/bunraku"
    least = {}
    with tempfile.TemporaryDirectory(prefix="bunraku-imu-") as work:
        for number, recorded in enumerate(CASES.values()):
            text = SCENE.format(model=ROOT / "assets/models/imu_pendulum.body", recorded=recorded)
            (Path(work) / f"{number}.scene.yaml").write_text(text)
        for _ in range(ROUNDS):
            for number, case in enumerate(CASES):
                scene, out = Path(work) / f"{number}.scene.yaml", Path(work) / f"out{number}"
                for duration in (LONG, SHORT):
                    time = cpu_time(program, scene, out, duration)
                    least[case, duration] = min(time, least.get((case, duration), time))
    steps = (LONG - SHORT) * 1000
    cost = {case: (least[case, LONG] - least[case, SHORT]) / steps * 1e6 for case in CASES}
    for case, time in cost.items():
        print(f"{case}: {time:.2f} µs a step, {time - cost['nothing']:.2f} more than nothing")


if __name__ == "__main__":
    main()
