"""Robot simulation for Choreonoid and OpenHRP data.

>>> import bunraku
>>> sim = bunraku.Simulation("assets/scenes/rover.scene.yaml")
>>> rover = sim["Rover"]
>>> sim.step(100)
>>> rover.joint("WHEEL_L").displacement

SI units throughout: m, kg, s, rad, N, N·m. The world is Z-up. Poses are x, y, z, qw, qx, qy, qz, as in `.seq` files.
"""

from bunraku._bunraku import Batch, Body, BodyView, Simulation, Snapshot, load_body
from bunraku._errors import (
    BusyError,
    ClosedError,
    Diagnostic,
    Error,
    InternalError,
    LoadError,
    SimulationError,
    UnknownNameError,
    UnreachableError,
)
from bunraku._motion import Motion, load_motion, save_motion
from bunraku._results import Results, read_results
from bunraku._views import Contact, Joint, Link, Reading

__all__ = [
    "Batch",
    "Body",
    "BodyView",
    "BusyError",
    "ClosedError",
    "Contact",
    "Diagnostic",
    "Error",
    "InternalError",
    "Joint",
    "Link",
    "LoadError",
    "Motion",
    "Reading",
    "Results",
    "Simulation",
    "SimulationError",
    "Snapshot",
    "UnknownNameError",
    "UnreachableError",
    "load_body",
    "load_motion",
    "read_results",
    "save_motion",
]
