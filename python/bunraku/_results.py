"""Directories of results, as `bunraku run` writes them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bunraku._motion import Motion, load_motion


class Results:
    """The results of a run: its summary, the motions of its bodies and its tables."""

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self.directory = Path(directory)
        if not self.directory.is_dir():
            raise FileNotFoundError(f"there is no directory {self.directory}")
        summary = self.directory / "summary.json"
        self.summary: dict[str, Any] = json.loads(summary.read_text("utf-8")) if summary.is_file() else {}
        """`summary.json`; empty if there is none."""

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies with a recorded motion."""
        return sorted(path.stem for path in self.directory.glob("*.seq"))

    def motion(self, body: str) -> Motion:
        """The recorded motion of a body."""
        return load_motion(self.directory / f"{body}.seq")

    @property
    def tables(self) -> list[str]:
        """Paths of the tables (sensors, contacts, joints) below the directory."""
        return sorted(path.relative_to(self.directory).as_posix() for path in self.directory.rglob("*.csv"))

    def table(self, name: str) -> dict[str, npt.NDArray[Any]]:
        """The columns of a table, by their names with units, such as `ELBOW.effort [N*m]`; those of numbers are arrays of floats."""
        import csv

        with open(self.directory / name, encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        if not rows:
            return {}
        columns: dict[str, npt.NDArray[Any]] = {}
        for index, title in enumerate(rows[0]):
            values = [row[index] for row in rows[1:]]
            try:
                columns[title] = np.array([float(value) if value else np.nan for value in values])
            except ValueError:
                columns[title] = np.array(values)
        return columns


def read_results(directory: str | os.PathLike[str]) -> Results:
    """The results in a directory, as `bunraku run` or `Simulation(out=…)` writes them."""
    return Results(directory)
