"""Paths and scenes that the tests share."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCENES = ROOT / "assets" / "scenes"

# A pendulum of one metre and one kilogram, and nothing else.
PENDULUM = """
format: BunrakuScene
format_version: 1
simulation: { time_step: 0.001, duration: 1 }
bodies:
  - { name: Pendulum, file: ../models/pendulum.body }
"""


@pytest.fixture
def rover() -> Path:
    return SCENES / "rover.scene.yaml"


def run_python(code: str, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    """Runs a program in a process of its own, so that an abort is seen."""
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=timeout, cwd=ROOT, check=False
    )
