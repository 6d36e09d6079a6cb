"""Closes the fingers of robots whose joints follow others (URDF `mimic`), and shows how well the followers follow.

    python3 -m venv ~/robots && ~/robots/bin/pip install --no-deps example-robot-data
    cargo build && python3 benches/peers/grippers.py target/debug/bunraku FILE.urdf …

Each robot runs for one second in the scene that `bunraku convert` writes around it, with its root fixed, and with leaders
that move over half of their ranges. A robot that cannot be run has its first error in place of figures. The figures are the largest distance of any follower from the polynomial of its
leader, and how far the leaders came.
"""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile


def bunraku(program, *arguments):
    run = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    if run.returncode != 0:
        raise RuntimeError(run.stderr)
    return run.stdout


def polynomial(coupling, leader):
    return sum(factor * leader**power for power, factor in enumerate(coupling["polynomial"]))


def close(program, path, folder):
    model = json.loads(bunraku(program, "info", path, "--json", "--allow-outside"))
    couplings = model["joint_couplings"]
    leaders = {coupling["leader"] for coupling in couplings}
    links = {link["joint_id"]: link for link in model["links"]}
    scene = folder / "close.scene.yaml"
    bunraku(program, "convert", path, scene, "--allow-outside")
    names, starts, ends = [], [], []
    for number, name in enumerate(model["all_joints"]):
        link = links[number]
        start = link["initial_displacement"] or 0.0
        low, high = (bound if bound is not None else 1.0 for bound in link["range"])
        names.append(name)
        starts.append(start)
        farther = max(low, high, key=lambda bound: abs(bound - start))
        ends.append(start + 0.5 * (farther - start) if name in leaders else start)
    for coupling in couplings:
        for values in (starts, ends):
            leader = values[names.index(coupling["leader"])]
            values[names.index(coupling["joint"])] = polynomial(coupling, leader)
    with open(folder / "close.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["time", *names])
        for frame in range(101):
            share = min(frame / 80.0, 1.0)
            rows.writerow([frame / 100.0, *(a + share * (b - a) for a, b in zip(starts, ends))])
    text = scene.read_text().replace("{ type: servo,", "{ type: servo, motion: close.csv,").replace("duration: 5.0", "duration: 1.0")
    lines = [line for line in text.splitlines() if not line.startswith("    fixed:")]
    at = next(index for index, line in enumerate(lines) if line.startswith("    file:"))
    scene.write_text("\n".join([*lines[: at + 1], "    fixed: true", "    collision: false", *lines[at + 1 :]]) + "\n")
    out = folder / "out"
    bunraku(program, "run", scene, "--out", out, "--quiet", "--allow-outside")
    recording = next(file for file in out.glob("*.seq"))
    bunraku(program, "convert", recording, folder / "run.csv", "--body", path, "--allow-outside")
    with open(folder / "run.csv", newline="") as file:
        frames = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
    off = 0.0
    for frame in frames:
        for coupling in couplings:
            target = polynomial(coupling, frame[coupling["leader"]])
            off = max(off, abs(frame[coupling["joint"]] - target))
    moved = {name: frames[-1][name] - frames[0][name] for name in sorted(leaders)}
    return couplings, off, moved


if __name__ == "__main__":
    program, *files = sys.argv[1:]
    for file in map(pathlib.Path, files):
        with tempfile.TemporaryDirectory() as folder:
            try:
                couplings, off, moved = close(program, file.resolve(), pathlib.Path(folder))
            except RuntimeError as error:
                errors = [line for line in str(error).splitlines() if line.startswith("error")]
                print(f"{file.name}: is not run: {(errors or [error])[0]}; {len(errors) - 1} more")
                continue
        shown = ", ".join(f"{name} {way:.3g}" for name, way in list(moved.items())[:3])
        print(f"{file.name}: {len(couplings)} followers at most {off:.1e} off; leaders moved {shown}")
