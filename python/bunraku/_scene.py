"""Arguments of simulations as texts for the extension module."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

# Short names of overrides: values of the section `simulation` of a scene.
_SHORT = ("contacts", "duration", "gravity", "iterations", "joints", "time_step")


def _plain(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"a scene has no values of type {type(value).__name__}")


def _text(value: Any) -> str:
    # JSON is YAML, but for infinite numbers and NaN, which no scene has.
    return json.dumps(value, default=_plain, allow_nan=False, ensure_ascii=False)


def source(scene: object) -> tuple[bool, str]:
    """Whether `scene` is a file, and its path or text."""
    if isinstance(scene, Mapping):
        return False, _text(dict(scene))
    if isinstance(scene, os.PathLike):
        return True, os.fsdecode(scene)
    if isinstance(scene, str):
        is_text = "\n" in scene or scene.lstrip().startswith("{")
        return not is_text, scene
    raise TypeError(f"a scene is a path, a text or a mapping, not {type(scene).__name__}")


def overrides(given: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Paths and YAML texts of overrides."""
    pairs = []
    for path, value in given.items():
        if path in _SHORT:
            path = f"simulation.{path}"
        elif "." not in path:
            raise TypeError(f"unexpected argument `{path}`: overrides are paths such as `bodies.Rover.controller.kp`")
        pairs.append((path, _text(value)))
    return pairs
