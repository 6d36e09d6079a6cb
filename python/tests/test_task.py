"""The task designer."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import bunraku
import numpy as np
import pytest
from bunraku.task import (
    Feature,
    FollowTrajectoryCmd,
    GoInitialCmd,
    GraspCmd,
    MasterManager,
    MoveLCmd,
    ParamModel,
    ParamTF,
    ReleaseCmd,
    Task,
    TaskHold,
    TaskPick,
)

from conftest import ROOT
from test_simulation import program


def design(db: MasterManager, place: list[float], **arguments: object) -> TaskPick:
    """The example of the manual."""
    tsk = TaskPick(
        name="pick and place",
        comment="This is a base motion pattern for various extended patterns",
        master_manager=db,
        **arguments,
    )
    tsk.add_param(ParamTF("placeF", place))
    approachF = ParamTF("approachF1", [0, 0, 0.05, 0, 0, 0])
    retractF = ParamTF("retractF1", [0, 0, 0.05, 0, 0, 0])
    tsk.add_params([approachF, retractF])
    place_motion = []
    place_motion.append(MoveLCmd((approachF, 1.0), base=tsk.getp("placeF")))
    place_motion.append(MoveLCmd((np.zeros(6), 0.5), base=tsk.getp("placeF")))
    place_motion.append(ReleaseCmd(width=tsk.getp("finger_interval"), gripper=tsk.getp("handID"), target="picked_obj"))
    place_motion.append(MoveLCmd((retractF, 1.0), base=tsk.getp("placeF")))
    tsk.set_place_motion(place_motion)
    return tsk


def test_the_example_of_the_manual_is_carried_out(tmp_path: Path) -> None:
    db = MasterManager()
    db.add("block", str(ROOT / "assets" / "models" / "block.body"))
    task = design(db, [0.4, -0.2, 0.84, 0, 0, 0], pick=[0.4, 0.2, 0.84, 0, 0, 0])
    task.getp("finger_interval").value = 0.04
    for command in task.commands + task.place_motion:
        # The fingers of the arm are slower than those of the manual.
        command.arguments = [(name, 0.5 if value == 0.2 else value) for name, value in command.arguments]
    task.place_motion.append(GoInitialCmd(1.0))
    path = tmp_path / "pick.yaml"
    task.save(path)
    scene = ROOT / "assets" / "scenes" / "arm.scene.yaml"
    check = subprocess.run([program(), "task", "check", path, "--strict"], capture_output=True, text=True, check=False)
    assert check.returncode == 0, check.stderr
    arguments = ["task", "run", path, "--scene", scene, "--physics", "--out", tmp_path / "out"]
    run = subprocess.run([program(), *arguments], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def masters() -> MasterManager:
    db = MasterManager()
    cap = Feature("cap_frame", "origin + [0, 0, 0.095, 0, 0, 0]")
    db.add("green_tea_bottle_with_cap", "greentea350hrp.wrl", "greentea350.jpg", [cap])
    db.add("green_tea_cap", "greentea350_capHrp.wrl")
    db.add("FP", "frameHrp.wrl")
    return db


def place_on_target(task: TaskPick) -> TaskPick:
    """The place of the original's samples is the frame of a second model."""
    target = task.add_model("target_obj", "FP", [0.4, -0.2, 0.872, 0, 0, 0])
    task.add_param(ParamModel("placeF", target))
    for name in ("approachF1", "retractF1"):
        task.getp(name).hide = True
    return task


def pick_place() -> Task:
    return place_on_target(design(masters(), [0.4, -0.2, 0.872, 0, 0, 0]))


def pick_screw() -> Task:
    task = TaskPick(
        "pick and screw",
        "pick an object, place it onto another object and screw it.",
        masters(),
        master="green_tea_cap",
    )
    task.getp("graspF").value[2] = 0.1
    for name in ("placeF", "approachF1", "retractF1"):
        task.add_param(ParamTF(name, [0, 0, 0.05, 0, 0, 0]))
    place_on_target(task)
    base, width, hand = (task.getp(name) for name in ("placeF", "finger_interval", "handID"))
    turn = MoveLCmd(([0, 0, 0, 0, 0, -45], 0.5), base)
    task.set_place_motion(
        [
            MoveLCmd((task.getp("approachF1"), 1.0), base),
            MoveLCmd((np.zeros(6), 0.5), base),
            turn,
            ReleaseCmd(width, hand, "picked_obj"),
            MoveLCmd((np.zeros(6), 0.5), base),
            GraspCmd(width, hand, "picked_obj"),
            turn,
            ReleaseCmd(width, hand, "picked_obj"),
            MoveLCmd((task.getp("retractF1"), 1.0), base),
        ]
    )
    return task


def hold() -> Task:
    return TaskHold("hold", "fix an object during some manipulation by another hand", masters())


@pytest.mark.parametrize("sample", [pick_place, pick_screw, hold])
def test_the_original_tool_wrote_the_same_task(sample: Callable[[], Task]) -> None:
    corpus = os.environ.get("BUNRAKU_CORPUS")
    yaml = pytest.importorskip("yaml")
    if not corpus:
        pytest.skip("BUNRAKU_CORPUS does not say where tasks of the original tool are")
    file = ROOT / corpus / "tasks" / "teachingplugin-2019" / f"{sample.__name__}.yaml"
    assert yaml.safe_load(sample().to_yaml()) == yaml.safe_load(file.read_text("utf-8"))


def test_a_trajectory_is_a_move_to_each_waypoint() -> None:
    task = TaskHold("follow", master_manager=masters())
    base = task.getp("holdF")
    task.add_command(FollowTrajectoryCmd([([0, 0, 0.1, 0, 0, 0], 1.0), (np.zeros(6), 0.5)], base))
    states = task.compile()["states"]
    assert [state.get("cmd_name") for state in states[-3:]] == ["moveArm", "moveArm", None]
    assert states[-3]["arguments"] == MoveLCmd(([0, 0, 0.1, 0, 0, 0], 1.0), base)._plain()["arguments"]
    assert [state["id"] for state in states] == list(range(1, 9))


def test_tasks_can_be_changed() -> None:
    db = MasterManager()
    db.add("bottle", "bottle.wrl", "bottle.jpg")
    db.add("can", "can.wrl")
    task = design(db, [0.4, 0, 0.872, 0, 0, 0])
    task.add_metadata_file("fasten.mp4")
    task.add_metadata_image("bottle.jpg")
    task.replace_master("picked_obj", "can")
    compiled = task.compile()
    assert [master["name"] for master in compiled["model_master"]] == ["can"]
    assert compiled["files"] == [{"name": "fasten.mp4"}]
    assert [state["pos"] for state in compiled["states"]][:6] == [[0, 0], [120, 0], [240, 0], [360, 0], [0, 140], [120, 140]]
    assert compiled["states"][1]["arguments"][0]["value"] == "(finger_interval + 0.04)"
    task.del_param("retractF1")
    with pytest.raises(bunraku.UnknownNameError, match="did you mean `approachF1`"):
        task.getp("aproachF1")
    with pytest.raises(ValueError, match="six finite numbers"):
        ParamTF("placeF", [0, 0, float("nan"), 0, 0, 0])
    with pytest.raises(ValueError, match="master"):
        TaskPick("empty", master_manager=MasterManager())
