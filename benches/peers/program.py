"""Bunraku as its users run it: by its command line and files."""

import csv
import json
import subprocess
from pathlib import Path

import numpy


class Bunraku:
    def __init__(self, binary):
        self.binary = Path(binary).resolve()

    def version(self):
        """Name, version, and by which profile it was built."""
        version = self._call(["--version"]).strip().removeprefix("bunraku ")
        # Cargo's directory of the profile `dev` is called `debug`.
        profile = {"debug": "profile dev", "release": "profile release"}.get(self.binary.parent.name)
        return f"Bunraku {version}" + (f" ({profile})" if profile else "")

    def info(self, model):
        """What `info --json` says of a model."""
        return json.loads(self._call(["info", model, "--json"]))

    def run(self, scene, out, settings):
        """Runs a scene; gives its time and the directory of the recordings.

        The times are that of the whole loop, control, physics, reading back, recording, and what of it goes to which part.
        """
        command = ["run", scene, "--out", out, "--json", "--profile"]
        for setting in settings:
            command += ["--set", setting]
        summary = json.loads(self._call(command))
        speed = summary["speed"]
        parts = speed["parts"]
        named = {name: parts.pop(name) for name in ("solver", "detection", "recording")}
        return {"whole loop": speed["microseconds_per_step"], **named, "the rest": sum(parts.values())}, out

    def convert(self, source, target):
        """Converts a motion from one form to another."""
        self._call(["convert", source, target])

    def motion(self, path):
        """Columns of a motion by name: `time`, `link0.x`…, `joint0`…"""
        table = Path(path).with_suffix(".csv")
        self.convert(path, table)
        with open(table, newline="", encoding="utf-8") as file:
            names = next(csv.reader(file))
            rows = numpy.loadtxt(file, delimiter=",", ndmin=2)
        return dict(zip(names, rows.T))

    def _call(self, arguments):
        command = [str(part) for part in [self.binary, *arguments]]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
        return done.stdout


def solvers():
    """Ways to solve joints: a name, the name of a directory, and the settings of the scene."""
    for solver in ("impulse", "multibody"):
        for iterations in (1, 4):
            settings = [f"simulation.joints={solver}", f"simulation.iterations={iterations}"]
            yield f"{solver}, {iterations} iteration{'s' * (iterations > 1)}", f"{solver}{iterations}", settings


def joints(motion):
    """Joint displacements of all frames: a row a frame."""
    count = sum(name.startswith("joint") for name in motion)
    return numpy.column_stack([motion[f"joint{joint}"] for joint in range(count)])


def places(motion, link):
    """Positions of a link: a row a frame."""
    return numpy.column_stack([motion[f"link{link}.{axis}"] for axis in "xyz"])


def points(motion, link, local):
    """Where a point of a link is, world frame: a row a frame."""
    w, x, y, z = (motion[f"link{link}.{part}"] for part in ("qw", "qx", "qy", "qz"))
    vector = numpy.column_stack([x, y, z])
    local = numpy.broadcast_to(numpy.asarray(local, float), vector.shape)
    # Rounded quaternions are not of unit length.
    square = w**2 + (vector**2).sum(axis=1)
    twice = 2 * numpy.cross(vector, local) / square[:, None]
    return places(motion, link) + local + w[:, None] * twice + numpy.cross(vector, twice)
