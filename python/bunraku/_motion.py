"""Motions: `.seq` files as arrays and tables."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bunraku import _bunraku

if TYPE_CHECKING:
    import pandas as pd

_POSE = ("x", "y", "z", "qw", "qx", "qy", "qz")


@dataclass
class Motion:
    """A motion of one body."""

    frame_rate: float
    """Hz."""
    joint_displacements: npt.NDArray[np.float64] | None = None
    """rad or m, shape (frames, joints)."""
    link_poses: npt.NDArray[np.float64] | None = None
    """World poses, root first, shape (frames, links, 7): x, y, z (m), qw, qx, qy, qz."""
    times: npt.NDArray[np.float64] | None = None
    """Times of the frames, s; None: those of the frame rate, from 0."""
    joint_names: list[str] = field(default_factory=list)
    """Names for the columns of tables; may be empty."""

    def __len__(self) -> int:
        for frames in (self.joint_displacements, self.link_poses):
            if frames is not None:
                return len(frames)
        return 0

    @property
    def frame_times(self) -> npt.NDArray[np.float64]:
        """Time of each frame, s."""
        return np.arange(len(self)) / self.frame_rate if self.times is None else self.times

    def to_pandas(self) -> pd.DataFrame:
        """A table with the index `time` (s), a column for each joint and `root.x` … `root.qz` of the root."""
        import pandas as pd

        columns: dict[str, Any] = {}
        if self.joint_displacements is not None:
            for joint in range(self.joint_displacements.shape[1]):
                name = self.joint_names[joint] if joint < len(self.joint_names) else ""
                columns[name or f"joint{joint}"] = self.joint_displacements[:, joint]
        if self.link_poses is not None and self.link_poses.shape[1] > 0:
            columns.update({f"root.{name}": self.link_poses[:, 0, i] for i, name in enumerate(_POSE)})
        table: pd.DataFrame = pd.DataFrame(columns, index=pd.Index(self.frame_times, name="time"))
        return table

    @classmethod
    def from_pandas(cls, table: pd.DataFrame, frame_rate: float | None = None) -> Motion:
        """The motion of a table as of `to_pandas`; without `frame_rate` its frames keep the times of the index."""
        root = [f"root.{name}" for name in _POSE]
        joints = [name for name in table.columns if name not in root]
        poses = table[root].to_numpy(float)[:, None, :] if set(root) <= set(table.columns) else None
        times = table.index.to_numpy(float)
        rate = frame_rate if frame_rate is not None else (len(times) - 1) / (times[-1] - times[0])
        return cls(
            frame_rate=float(rate),
            joint_displacements=table[joints].to_numpy(float) if joints else None,
            link_poses=poses,
            times=None if frame_rate is not None else times,
            joint_names=[str(name) for name in joints],
        )


def load_motion(path: str | os.PathLike[str], joint_names: Sequence[str] = ()) -> Motion:
    """Loads a motion file (`.seq`, JSON, a table).

    `joint_names` are names for tables, such as `load_body(…).joint_names`. Raises `LoadError`.
    """
    frame_rate, times, joints, links = _bunraku.read_motion(path)
    is_even = np.array_equal(times, np.arange(len(times)) / frame_rate)
    return Motion(frame_rate, joints, links, None if is_even else times, list(joint_names))


def save_motion(motion: Motion, path: str | os.PathLike[str]) -> None:
    """Writes a motion as a `.seq` file."""

    def array(values: Any) -> npt.NDArray[np.float64] | None:
        return None if values is None else np.ascontiguousarray(values, dtype=np.float64)

    _bunraku.write_motion(
        path, float(motion.frame_rate), array(motion.times), array(motion.joint_displacements), array(motion.link_poses)
    )
