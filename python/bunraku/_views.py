"""Parts of bodies, contacts and readings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bunraku._bunraku import BodyView


class Contact(NamedTuple):
    """A point at which a link touched something in the last step; all vectors along world axes."""

    link: str
    """The link that is touched."""
    other_body: str | None
    other_link: str | None
    point: npt.NDArray[np.float64]
    """m, world frame."""
    normal: npt.NDArray[np.float64]
    """Unit vector into the link."""
    force: npt.NDArray[np.float64]
    """Force on the link, N: mean of the step."""
    depth: float
    """Penetration, m; negative for a gap."""


class Reading(NamedTuple):
    """A sample of a sensor."""

    time: float
    """s"""
    number: int
    """Count from 0."""
    pose: npt.NDArray[np.float64]
    """World pose of the sensor frame: x, y, z (m), qw, qx, qy, qz."""
    values: dict[str, npt.NDArray[Any]]
    """`acceleration`, `angular_velocity`, `force`, `torque`: shape (3,), in the sensor frame; `distances`: (pitch, yaw), m;
    `colors`: (height, width, 3), sRGB; `depths`: (height, width), m; `points`: (height, width, 3) or (points, 3), m."""


class Joint:
    """A joint of a body in a simulation; in a batch its values are arrays of all worlds."""

    __slots__ = ("body", "index", "name")

    def __init__(self, body: BodyView, index: int, name: str) -> None:
        self.body = body
        self.index = index
        """Index in joint arrays."""
        self.name = name

    def _value(self, array: npt.NDArray[np.float64]) -> Any:
        return array[..., self.index]

    @property
    def displacement(self) -> float:
        """rad or m."""
        value: float = self._value(self.body.joint_displacements)
        return value

    @property
    def velocity(self) -> float:
        """rad/s or m/s."""
        value: float = self._value(self.body.joint_velocities)
        return value

    @property
    def effort(self) -> float:
        """Commanded effort, N·m or N."""
        value: float = self._value(self.body.efforts)
        return value

    @effort.setter
    def effort(self, value: float) -> None:
        self.body.efforts[..., self.index] = value

    @property
    def target_displacement(self) -> float:
        """Displacement that the servo holds, rad or m."""
        value: float = self._value(self.body.target_displacements)
        return value

    @target_displacement.setter
    def target_displacement(self, value: float) -> None:
        self.body.target_displacements[..., self.index] = value

    @property
    def target_velocity(self) -> float:
        """Velocity that the servo keeps, rad/s or m/s."""
        value: float = self._value(self.body.target_velocities)
        return value

    @target_velocity.setter
    def target_velocity(self, value: float) -> None:
        self.body.target_velocities[..., self.index] = value

    def __repr__(self) -> str:
        return f"<bunraku.Joint `{self.name}` of `{self.body.name}`>"


class Link:
    """A link of a body in a simulation."""

    __slots__ = ("body", "index", "name")

    def __init__(self, body: BodyView, index: int, name: str) -> None:
        self.body = body
        self.index = index
        """Index in link arrays."""
        self.name = name

    @property
    def pose(self) -> npt.NDArray[np.float64]:
        """World pose, shape (7,): x, y, z (m), qw, qx, qy, qz; refreshed by every step, read-only."""
        return self.body.link_poses[..., self.index, :]

    @property
    def twist(self) -> npt.NDArray[np.float64]:
        """Velocity of the link origin (m/s) and angular velocity (rad/s), world axes, shape (6,); see `link_twists`."""
        return self.body.link_twists[..., self.index, :]

    def contacts(self, world: int = 0) -> list[Contact]:
        """Contacts of the link in the last step."""
        return [contact for contact in self.body.contacts(world) if contact.link == self.name]

    def __repr__(self) -> str:
        return f"<bunraku.Link `{self.name}` of `{self.body.name}`>"
