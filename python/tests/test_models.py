"""Models and motions."""

from __future__ import annotations

from pathlib import Path

import bunraku
import numpy as np
import pytest

from conftest import ROOT

ARM = ROOT / "assets" / "models" / "arm.body"


def test_inverse_dynamics_and_mass_matrix_agree() -> None:
    arm = bunraku.load_body(ARM)
    rng = np.random.default_rng(1)
    n = len(arm.joint_names)
    displacements, velocities, accelerations = rng.normal(size=(3, n))
    _, bias = arm.inverse_dynamics(displacements, velocities)
    _, efforts = arm.inverse_dynamics(displacements, velocities, accelerations)
    masses = arm.mass_matrix(displacements)
    assert masses.shape == (arm.num_coordinates,) * 2
    assert np.array_equal(masses, masses.T)
    assert np.allclose(masses[-n:, -n:] @ accelerations, efforts - bias)


def test_jacobians_are_derivatives() -> None:
    arm = bunraku.load_body(ARM)
    n = len(arm.joint_names)
    displacements = np.linspace(0.1, 0.5, n)
    link = arm.link_names[-1]
    jacobian = arm.jacobian(link, displacements)
    for joint in range(n):
        step = np.zeros(n)
        step[joint] = 1e-6
        change = arm.link_poses(displacements + step)[-1, :3] - arm.link_poses(displacements - step)[-1, :3]
        assert np.allclose(change / 2e-6, jacobian[:3, arm.num_coordinates - n + joint], atol=1e-6)


def test_inverse_kinematics_finds_poses() -> None:
    arm = bunraku.load_body(ARM)
    link = "WRIST" if "WRIST" in arm.link_names else arm.link_names[-1]
    ranges = arm.displacement_ranges
    displacements = np.clip(np.full(len(arm.joint_names), 0.3), ranges[:, 0], ranges[:, 1])
    root = arm.link_poses(displacements)[0]
    assert np.allclose(root[:3], 0), "the root is the base frame"
    target = arm.link_poses(displacements)[arm.link_names.index(link)]
    found = arm.inverse_kinematics(link, target)
    assert np.allclose(arm.link_poses(found)[arm.link_names.index(link), :3], target[:3], atol=1e-6)
    with pytest.raises(bunraku.UnreachableError, match="mm"):
        arm.inverse_kinematics(link, [50, 0, 0, 1, 0, 0, 0])


def test_bad_arguments_of_models() -> None:
    arm = bunraku.load_body(ARM)
    with pytest.raises(ValueError, match="instead of"):
        arm.link_poses([1.0])
    with pytest.raises(ValueError, match="NaN"):
        arm.mass_matrix([np.nan] * len(arm.joint_names))
    with pytest.raises(bunraku.UnknownNameError):
        arm.jacobian("NOWHERE")
    with pytest.raises(bunraku.LoadError):
        bunraku.load_body(ROOT / "README.md")


def test_motions_survive_a_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    joints = rng.normal(size=(20, 3))
    poses = rng.normal(size=(20, 1, 7))
    poses[..., 3:] /= np.linalg.norm(poses[..., 3:], axis=-1, keepdims=True)
    motion = bunraku.Motion(50.0, joints, poses, joint_names=["a", "b", "c"])
    bunraku.save_motion(motion, tmp_path / "a.seq")
    loaded = bunraku.load_motion(tmp_path / "a.seq", joint_names=["a", "b", "c"])
    assert loaded.times is None and loaded.frame_rate == 50
    assert np.array_equal(loaded.joint_displacements, joints)
    assert np.allclose(loaded.link_poses, poses, atol=1e-12)
    timed = bunraku.Motion(50.0, joints, times=np.cumsum(rng.uniform(0.1, 1, 20)))
    bunraku.save_motion(timed, tmp_path / "b.seq")
    assert np.allclose(bunraku.load_motion(tmp_path / "b.seq").frame_times, timed.times)
    with pytest.raises(ValueError, match="NaN"):
        bunraku.save_motion(bunraku.Motion(50.0, np.full((2, 2), np.nan)), tmp_path / "c.seq")
    with pytest.raises(bunraku.LoadError):
        bunraku.load_motion(tmp_path / "none.seq")


def test_motions_as_tables() -> None:
    pandas = pytest.importorskip("pandas")
    motion = bunraku.load_motion(ROOT / "assets" / "motions" / "rover_turn.seq", joint_names=["L", "R"])
    table = motion.to_pandas()
    assert isinstance(table, pandas.DataFrame) and list(table.columns[:2]) == ["L", "R"]
    back = bunraku.Motion.from_pandas(table, frame_rate=motion.frame_rate)
    assert np.array_equal(back.joint_displacements, motion.joint_displacements)
