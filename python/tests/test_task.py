"""The task designer."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import bunraku
import numpy as np
import pytest
from bunraku.task import Feature, GoInitialCmd, MasterManager, MoveLCmd, ParamModel, ParamTF, ReleaseCmd, TaskPick

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


def test_the_original_tool_wrote_the_same_task() -> None:
    corpus = os.environ.get("BUNRAKU_CORPUS")
    yaml = pytest.importorskip("yaml")
    if not corpus:
        pytest.skip("BUNRAKU_CORPUS does not say where tasks of the original tool are")
    text = (ROOT / corpus / "tasks" / "teachingplugin-2019" / "pick_place.yaml").read_text("utf-8")
    db = MasterManager()
    cap = Feature("cap_frame", "origin + [0, 0, 0.095, 0, 0, 0]")
    db.add("green_tea_bottle_with_cap", "greentea350hrp.wrl", "greentea350.jpg", [cap])
    db.add("FP", "frameHrp.wrl")
    task = design(db, [0.4, -0.2, 0.872, 0, 0, 0])
    target = task.add_model("target_obj", "FP", [0.4, -0.2, 0.872, 0, 0, 0])
    task.add_param(ParamModel("placeF", target))
    for name in ("approachF1", "retractF1"):
        task.getp(name).hide = True
    assert yaml.safe_load(task.to_yaml()) == yaml.safe_load(text)


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
