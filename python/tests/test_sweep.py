"""Sweeps of the program from Python: the table, the same bytes everywhere, and Ray."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import bunraku
import pytest

from conftest import ROOT, SCENES
from test_simulation import program

ROVER = SCENES / "rover.scene.yaml"
KP = "bodies.Rover.controller.kp"


def run(*arguments: object, **environment: str) -> str:
    """Output of the program, which must succeed."""
    command = [str(program()), *map(str, arguments)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_the_table_is_read_by_others(tmp_path: Path) -> None:
    pandas, parquet = pytest.importorskip("pandas"), pytest.importorskip("pyarrow.parquet")
    out = tmp_path / "out"
    # The second value is invalid: its row has no results.
    run_failing = [str(program()), "sweep", str(ROVER), "--vary", f"{KP}=10,-1,20.5", "--duration", "0.1", "--out", str(out)]
    assert subprocess.run(run_failing, capture_output=True, check=False).returncode == 1
    run("gather", out)
    table = parquet.read_table(out / "summary.parquet")
    types = {field.name: str(field.type) for field in table.schema}
    assert (types["run"], types[KP], types["status"], types["steps"]) == ("int64", "double", "string", "int64")
    read = table.to_pandas()
    assert list(read["status"]) == ["done", "failed", "done"]
    assert list(read[KP]) == [10, -1, 20.5]
    assert read["steps"][0] == 100 and pandas.isna(read["steps"][1])
    assert "negative-gain" in read["failure"][1]
    csv = pandas.read_csv(out / "summary.csv")
    assert list(csv.columns) == list(read.columns)
    pandas.testing.assert_frame_equal(csv, read, check_dtype=False)
    # To the last bit.
    end = bunraku.read_results(out / "runs" / "0002").summary["end"]["Rover"]["translation"]
    assert [read[f"end.Rover.translation.{axis}"][2] for axis in range(3)] == end


def test_the_same_bytes_from_everywhere(tmp_path: Path) -> None:
    run("run", ROVER, "--set", f"{KP}=20", "--duration", "0.5", "--out", tmp_path / "program", "--quiet")
    expected = (tmp_path / "program" / "Rover.seq").read_bytes()

    sim = bunraku.Simulation(ROVER, duration=0.5, out=tmp_path / "python", **{KP: 20})
    sim.run()
    sim.finish()
    assert (tmp_path / "python" / "Rover.seq").read_bytes() == expected

    arguments = ["sweep", ROVER, "--vary", f"{KP}=10,20", "--duration", "0.5", "--out"]
    run(*arguments, tmp_path / "sweep")
    assert (tmp_path / "sweep" / "runs" / "0001" / "Rover.seq").read_bytes() == expected

    run(*arguments, tmp_path / "slurm", "--emit", "slurm")
    script = ["sh", str(tmp_path / "slurm" / "slurm_array.sh")]
    subprocess.run(script, env={**os.environ, "SLURM_ARRAY_TASK_ID": "1"}, check=True, capture_output=True)
    assert (tmp_path / "slurm" / "runs" / "0001" / "Rover.seq").read_bytes() == expected
    assert not (tmp_path / "slurm" / "runs" / "0000").exists()

    if shutil.which("parallel"):
        run(*arguments, tmp_path / "parallel", "--emit", "parallel")
        subprocess.run(["sh", str(tmp_path / "parallel" / "parallel.sh")], check=True, capture_output=True)
        assert (tmp_path / "parallel" / "runs" / "0001" / "Rover.seq").read_bytes() == expected

    pytest.importorskip("ray")
    run(*arguments, tmp_path / "ray", "--emit", "ray")
    subprocess.run([sys.executable, str(tmp_path / "ray" / "ray_sweep.py")], check=True)
    assert (tmp_path / "ray" / "runs" / "0001" / "Rover.seq").read_bytes() == expected


def workers(parent: int) -> list[int]:
    """Processes of Ray that carry out a run, among the descendants of a process."""
    stats: dict[int, tuple[int, str]] = {}
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            before, after = (directory / "stat").read_text().rsplit(")", 1)
        except OSError:
            continue
        stats[int(directory.name)] = (int(after.split()[1]), before.split("(", 1)[1])

    def is_below(pid: int) -> bool:
        while pid in stats:
            if pid == parent:
                return True
            pid = stats[pid][0]
        return False

    return [pid for pid, (_, name) in stats.items() if name.startswith("ray::run") and is_below(pid)]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are found in /proc")
@pytest.mark.parametrize("way", ["emitted", "example"])
def test_a_killed_worker_loses_nothing(way: str, tmp_path: Path) -> None:
    pytest.importorskip("ray")
    count = 60
    out = tmp_path / "out"
    if way == "emitted":
        run("sweep", ROVER, "--vary", f"{KP}=range({count})", "--duration", "0.5", "--out", out, "--emit", "ray")
        script = [str(out / "ray_sweep.py")]
    else:
        script = [str(ROOT / "python" / "examples" / "ray_sweep.py"), str(count)]
    command = [sys.executable, *script]
    # A file and not a pipe, which processes of Ray may hold open.
    log = tmp_path / "ray.log"
    with open(log, "wb") as output:
        driver = subprocess.Popen(command, cwd=tmp_path, stdout=output, stderr=subprocess.STDOUT)
    begin = time.monotonic()
    while not (busy := workers(driver.pid)) and driver.poll() is None and time.monotonic() - begin < 60:
        time.sleep(0.01)
    assert busy, log.read_text("utf-8")
    os.kill(busy[0], signal.SIGKILL)
    code, text = driver.wait(timeout=240), log.read_text("utf-8")
    assert code == 0, text
    assert f"{count} runs" in text
    if way == "emitted":
        # All of them have ended, and none is run again.
        assert run("sweep", out).startswith(f"runs       {count}: 0 ended now, {count} before; 0 failed\n")
        table = (out / "manifest.csv").read_text("utf-8").splitlines()[1:]
    else:
        table = (tmp_path / "ray_sweep.csv").read_text("utf-8").splitlines()[1:]
    assert [row.split(",")[0] for row in table] == [str(number) for number in range(count)]


def test_optuna_finds_gains(tmp_path: Path) -> None:
    pytest.importorskip("optuna")
    command = [sys.executable, str(ROOT / "python" / "examples" / "optuna_gains.py"), "3"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    errors = [float(line.split()[2]) for line in ended.stdout.splitlines()]
    assert len(errors) == 3 and errors == sorted(errors, reverse=True)
