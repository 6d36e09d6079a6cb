"""Runs the MJCF models of Python packages for two seconds in the scenes that `bunraku convert` makes, with enforced joint limits.

    python3 -m venv ~/mj && ~/mj/bin/pip install mujoco==3.17.0 dm_control gymnasium
    cargo build && ~/mj/bin/python benches/peers/mjcf_runs.py target/debug/bunraku

Prints each model that cannot be run, with the reason, and warnings of solves that did not converge. The exit code is 1 if a run
that had begun did not come to its end.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import mujoco

from mjcf_beside_mujoco import models


def ours(program, *arguments):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)


def last_line(text):
    lines = [line for line in text.splitlines() if line.startswith("error")]
    return lines[-1] if lines else text.strip()[-200:]


def run(program, path, folder):
    """Why a model does not run, and whether it had begun to; nothing if it runs."""
    scene = folder / "model.scene.yaml"
    converted = ours(program, "convert", path, scene, "--allow-outside")
    if converted.returncode != 0:
        return f"not converted: {last_line(converted.stderr)}", False
    text = scene.read_text()
    first = text.index("    file:")
    scene.write_text(text[:first] + "    limits: enforce\n" + text[first:])
    made = ours(program, "run", scene, "--out", folder / "out", "--duration", "2", "--json", "--allow-outside")
    if made.returncode != 0:
        return last_line(made.stderr), (folder / "out" / "summary.json").exists()
    summary = json.loads(made.stdout)
    for warning in summary["warnings"]:
        if "converge" in warning:
            print(f"{path.name}: {warning}")
    return None


def main(program):
    ran, others, is_good = 0, [], True
    for path in models():
        try:
            mujoco.MjModel.from_xml_path(str(path))
        except ValueError:
            # MuJoCo does not read it either.
            continue
        with tempfile.TemporaryDirectory() as folder:
            failure = run(program, path, Path(folder))
        if failure is None:
            ran += 1
            continue
        reason, had_begun = failure
        is_good &= not had_begun
        others.append(f"{'/'.join(path.parts[-3:])}: {reason}")
    print(*others, f"{ran} ran, {len(others)} did not", sep="\n")
    return not is_good


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
