"""Exceptions, which the extension module raises by name."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Diagnostic:
    """A finding in a file. Lines and columns count from 1."""

    severity: str
    """`error`, `warning` or `note`."""
    code: str
    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    help: str | None = None


class Error(Exception):
    """Base class of the exceptions of this package."""

    def __init__(self, message: str, diagnostics: list[Diagnostic] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.diagnostics: list[Diagnostic] = diagnostics or []
        """The findings in files that are the reason."""

    def __str__(self) -> str:
        return self.message


class LoadError(Error, ValueError):
    """A file or a text cannot be read; `diagnostics` says where and why."""


class SimulationError(Error, RuntimeError):
    """A simulation failed, for example because it diverged."""

    ids: list[int]
    """Worlds of a batch that failed."""

    def __init__(self, message: str, diagnostics: list[Diagnostic] | None = None) -> None:
        super().__init__(message, diagnostics)
        self.ids = []


class UnknownNameError(Error, KeyError):
    """There is nothing with that name; the message suggests one."""


class UnreachableError(Error, ValueError):
    """Inverse kinematics did not reach a pose."""


class BusyError(Error, RuntimeError):
    """Another thread, or a controller, uses the simulation while it is stepped."""


class ClosedError(Error, RuntimeError):
    """The simulation was closed."""


class InternalError(Error, RuntimeError):
    """A bug of Bunraku."""
