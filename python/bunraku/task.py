"""Task designer: task files of teachingPlugin from Python, with the names of the manual's example.

>>> db = MasterManager()
>>> db.add("block", "../models/block.body")
>>> task = TaskPick(name="pick and place", master_manager=db)
>>> task.add_params([ParamTF("placeF", [0.4, -0.2, 0.84, 0, 0, 0])])
>>> task.set_place_motion([MoveLCmd((ParamTF("above", [0, 0, 0.05, 0, 0, 0]), 1.0), base=task.getp("placeF"))])
>>> task.save("pick.yaml")

A frame is x, y, z (m), roll, pitch, yaw (degrees), as in task files. Times are in s. `bunraku task check` and `task run`
take the files.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Union

import numpy as np
import numpy.typing as npt

from bunraku._errors import UnknownNameError

# States of a row, and their distances on the page.
_COLUMNS, _WIDTH, _HEIGHT = 4, 120, 140
# How much wider than the object a gripper opens, m.
_CLEARANCE = 0.04
# From where an object is approached, in its frame.
_ABOVE: tuple[float, ...] = (0, 0, 0.05, 0, 0, 0)


@dataclass(eq=False)
class Param:
    """A parameter of a task, which expressions name."""

    name: str
    value: Any
    disp_name: str | None = None
    hide: bool = False
    model: Model | None = None
    param_type: ClassVar[int]

    def __post_init__(self) -> None:
        if not np.all(np.isfinite(self.value)):
            raise ValueError(f"the value of `{self.name}` is not finite: {self.value!r}")

    def _plain(self) -> dict[str, Any]:
        entry: dict[str, Any] = {
            "param_type": self.param_type,
            "name": self.name,
            "disp_name": self.disp_name or self.name,
            "values": self.value,
        }
        if self.model is not None:
            entry.update(model_name=self.model.name, model_param_id=-1)
        return {**entry, "hide": self.hide}


class ParamInt(Param):
    """An integer."""

    param_type = 1


class ParamDouble(Param):
    """A number."""

    param_type = 2


class ParamTF(Param):
    """A frame: x, y, z (m), roll, pitch, yaw (degrees)."""

    param_type = 3

    def __post_init__(self) -> None:
        self.value = _frame(self.value)


class ParamModel(ParamTF):
    """The frame of a model, which follows it as it is carried."""

    def __init__(self, name: str, model: Model, disp_name: str | None = None, hide: bool = False) -> None:
        super().__init__(name, model.tf, disp_name, hide, model)


@dataclass(frozen=True, eq=False)
class EPlus:
    """The sum of two expressions."""

    left: Expression
    right: Expression


Frame = Union[Sequence[float], npt.NDArray[np.float64]]
Expression = Union[Param, EPlus, float, str]
Goal = tuple[Union[ParamTF, Frame], Union[Param, float]]


def _frame(values: Any) -> list[float]:
    # Integers stay integers in texts.
    frame = [value if type(value) is int else float(value) for value in values]
    if len(frame) != 6 or not np.all(np.isfinite(frame)):
        raise ValueError(f"a frame is six finite numbers, not {values!r}")
    return frame


def comp(expression: Expression | Frame) -> str:
    """The text of an expression in a task file."""
    if isinstance(expression, Param):
        return expression.name
    if isinstance(expression, EPlus):
        return f"({comp(expression.left)} + {comp(expression.right)})"
    if isinstance(expression, str):
        return expression
    if isinstance(expression, (int, float, np.number)):
        if not np.isfinite(expression):
            raise ValueError(f"{expression} is no number of a task")
        return repr(expression.item() if isinstance(expression, np.number) else expression)
    return json.dumps(_frame(expression))


def transform_exp(chain: Sequence[Param | Frame]) -> tuple[str, str]:
    """Position and rotation of the product of frames, as texts."""
    texts = [comp(frame) for frame in chain]
    position = f"xyz({texts[-1]})"
    for text in reversed(texts[:-1]):
        position = f"(xyz({text}) + rotFromRpy(rpy({text})) * {position})"
    rotation = " * ".join(f"rotFromRpy(rpy({text}))" for text in texts)
    return position, f"rpyFromRot({rotation})"


@dataclass(frozen=True)
class ModelAction:
    """What happens to a model while a command is carried out: `attach` or `detach`."""

    action: str
    model: str
    target: Expression


@dataclass
class Cmd:
    """A command of a robot: its name, and its arguments in the order of its definition."""

    cmd_name: str
    disp_name: str
    arguments: list[tuple[str, Expression]] = field(default_factory=list)
    model_actions: list[ModelAction] = field(default_factory=list)

    def compile(self) -> list[tuple[str, str]]:
        """Names and texts of the arguments."""
        return [(name, comp(value)) for name, value in self.arguments]

    def _steps(self) -> list[Cmd]:
        """The commands that are states of the task."""
        return [self]

    def _plain(self) -> dict[str, Any]:
        arguments = [{"name": name, "value": value} for name, value in self.compile()]
        entry: dict[str, Any] = {"cmd_name": self.cmd_name, "disp_name": self.disp_name, "arguments": arguments}
        if self.model_actions:
            entry["model_actions"] = [
                {"action": action.action, "model": action.model, "target": comp(action.target)}
                for action in self.model_actions
            ]
        return entry


class GoInitialCmd(Cmd):
    """Moves the robot to its initial pose in `tm` seconds."""

    def __init__(self, tm: Expression = 5.0) -> None:
        super().__init__("goInitial", "Initial pose", [("tm", tm)])


class MoveLCmd(Cmd):
    """Moves the tool of the arm `handID` to `goal`, a frame and a time (s), in the frame `base`; the tool is at `graspF`
    in that frame."""

    def __init__(self, goal: Goal, base: ParamTF) -> None:
        frame, tm = goal
        position, rotation = transform_exp([base, frame, "graspF"])  # type: ignore[list-item]
        arguments: list[tuple[str, Expression]] = [("xyz", position), ("rpy", rotation), ("tm", tm), ("armID", "handID")]
        super().__init__("moveArm", "Arm", arguments)


class FollowTrajectoryCmd(Cmd):
    """Moves the tool of the arm `handID` through waypoints in the frame `base`: a `MoveLCmd` for each of them.

    The original tool writes nothing for it.
    """

    def __init__(self, waypoints: Iterable[Goal], base: ParamTF) -> None:
        super().__init__("moveArm", "Arm")
        self._moves: list[Cmd] = [MoveLCmd(waypoint, base) for waypoint in waypoints]

    def _steps(self) -> list[Cmd]:
        return self._moves


class GripperCmd(Cmd):
    """Moves a gripper to a width, m."""

    def __init__(
        self,
        width: Expression,
        gripper: Expression,
        tm: Expression = 0.2,
        disp_name: str = "Gripper",
        model_actions: Sequence[ModelAction] = (),
    ) -> None:
        arguments = [("width", width), ("tm", tm), ("gripperID", gripper)]
        super().__init__("moveGripper", disp_name, arguments, list(model_actions))


class GraspCmd(GripperCmd):
    """Closes a gripper on an object of a width, m; the model `target` goes with it."""

    def __init__(self, width: Expression, gripper: Expression, target: str) -> None:
        super().__init__(width, gripper, model_actions=[ModelAction("attach", target, gripper)])


class ReleaseCmd(GripperCmd):
    """Opens a gripper 0.04 m wider than an object of a width, m; the model `target` stays where it is."""

    def __init__(self, width: Expression, gripper: Expression, target: str) -> None:
        opened = EPlus(width, _CLEARANCE)
        super().__init__(opened, gripper, model_actions=[ModelAction("detach", target, gripper)])


@dataclass(frozen=True)
class Feature:
    """A named frame of a master: an expression in which `origin` is the frame of the model."""

    name: str
    value: str


@dataclass(frozen=True)
class ModelMaster:
    """The file of models."""

    name: str
    file_name: str
    image_file_name: str | None = None
    features: Sequence[Feature] = ()

    def _plain(self) -> dict[str, Any]:
        entry: dict[str, Any] = {"name": self.name, "file_name": self.file_name}
        if self.image_file_name is not None:
            entry["image_file_name"] = self.image_file_name
        if self.features:
            entry["features"] = [{"name": feature.name, "value": feature.value} for feature in self.features]
        return entry


class MasterManager:
    """The masters that models of tasks may have."""

    def __init__(self) -> None:
        self.masters: dict[str, ModelMaster] = {}

    def add(
        self, name: str, file_name: str, image_file_name: str | None = None, features: Sequence[Feature] = ()
    ) -> ModelMaster:
        """Adds a master; its files are relative to the task file."""
        self.masters[name] = ModelMaster(name, file_name, image_file_name, features)
        return self.masters[name]

    def get(self, name: str) -> ModelMaster:
        """The master with a name."""
        master: ModelMaster = _find(self.masters, name, "master")
        return master

    get_master = get


@dataclass(eq=False)
class Model:
    """A model of a task, at a frame."""

    name: str
    tf: Frame
    master_name: str
    model_type: str = "Work"

    def __post_init__(self) -> None:
        self.tf = _frame(self.tf)


def _find(known: dict[str, Any], name: str, what: str) -> Any:
    if name not in known:
        import difflib

        meant = difflib.get_close_matches(name, known, 1)
        help = f"did you mean `{meant[0]}`?" if meant else f"there are {', '.join(known) or 'none'}"
        raise UnknownNameError(f"the task has no {what} `{name}`: {help}")
    return known[name]


class Task:
    """A task: models, parameters and a sequence of commands."""

    def __init__(self, name: str, comment: str = "", master_manager: MasterManager | None = None) -> None:
        self.name = name
        self.comment = comment
        self.master_manager = master_manager or MasterManager()
        self.commands: list[Cmd] = []
        self.metadata_files: list[str] = []
        self.metadata_images: list[str] = []
        self._models: dict[str, Model] = {}
        self._params: dict[str, Param] = {}

    def add_model(self, name: str, master_name: str, tf: Frame) -> Model:
        """Adds a model of a master at a frame."""
        self.master_manager.get(master_name)
        self._models[name] = Model(name, tf, master_name)
        return self._models[name]

    def models(self) -> list[Model]:
        """All models."""
        return list(self._models.values())

    def model(self, name: str) -> Model:
        """The model with a name."""
        model: Model = _find(self._models, name, "model")
        return model

    def replace_master(self, name: str, master_name: str) -> None:
        """Gives a model another master."""
        self.master_manager.get(master_name)
        self.model(name).master_name = master_name

    def add_param(self, param: Param) -> Param:
        """Adds a parameter, or replaces the one with its name."""
        self._params[param.name] = param
        return param

    def add_params(self, params: Iterable[Param]) -> None:
        """Adds parameters."""
        for param in params:
            self.add_param(param)

    def del_param(self, name: str) -> None:
        """Removes a parameter."""
        self.param(name)
        del self._params[name]

    def params(self) -> list[Param]:
        """All parameters."""
        return list(self._params.values())

    def param(self, name: str) -> Any:
        """The parameter with a name."""
        return _find(self._params, name, "parameter")

    getp = param

    def add_command(self, command: Cmd) -> None:
        """Adds a command at the end."""
        self.commands.append(command)

    def add_commands(self, commands: Iterable[Cmd]) -> None:
        """Adds commands at the end."""
        self.commands.extend(commands)

    def reset_commands(self) -> None:
        """Removes all commands."""
        self.commands.clear()

    def add_metadata_file(self, name: str) -> None:
        """Adds a file for people who read the task, which lies beside it."""
        self.metadata_files.append(name)

    def add_metadata_image(self, name: str) -> None:
        """Adds a picture for people who read the task, which lies beside it."""
        self.metadata_images.append(name)

    def _sequence(self) -> list[Cmd]:
        return list(self.commands)

    def compile(self) -> dict[str, Any]:
        """The task as it stands in a file: numbered states in rows of four, and the masters that are used."""
        steps: list[dict[str, Any]] = [{"type": 1}]
        steps += [{"type": 5, **step._plain()} for command in self._sequence() for step in command._steps()]
        steps.append({"type": 2})
        states = []
        for index, step in enumerate(steps):
            position = [index % _COLUMNS * _WIDTH, index // _COLUMNS * _HEIGHT]
            states.append({"id": index + 1, "type": step.pop("type"), "pos": position, **step})
        used = dict.fromkeys(model.master_name for model in self.models())
        return {
            "taskName": self.name,
            "comment": self.comment,
            "models": [
                {"name": model.name, "master_name": model.master_name, "type": model.model_type, "pos": list(model.tf)}
                for model in self.models()
            ],
            "states": states,
            "transitions": [{"source_id": id, "target_id": id + 1} for id in range(1, len(states))],
            "parameters": [param._plain() for param in self.params()],
            "files": [{"name": name} for name in self.metadata_files],
            "images": [{"name": name} for name in self.metadata_images],
            "model_master": [self.master_manager.get(name)._plain() for name in used],
        }

    def to_yaml(self) -> str:
        """The text of the task file."""
        return _yaml([self.compile()], 0)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the task file."""
        Path(path).write_text(self.to_yaml(), encoding="utf-8")


class _TaskGrasp(Task):
    """Grasps the model `picked_obj` from above.

    Its parameters are the frame of the object, called `frame`, `approachTF`, `graspF`, `finger_interval` and `handID`.
    `master` is that of the object; default: the first of `master_manager`.
    """

    def __init__(
        self,
        name: str,
        comment: str,
        master_manager: MasterManager | None,
        master: str | None,
        frame: str,
        pose: Frame,
        others: Sequence[Param],
    ) -> None:
        super().__init__(name, comment, master_manager)
        masters = list(self.master_manager.masters)
        if master is None and not masters:
            raise ValueError("the object needs a master: `master_manager.add(name, file_name)`")
        target = self.add_model("picked_obj", master or masters[0], pose)
        base, approach = ParamModel(frame, target), ParamTF("approachTF", _ABOVE, hide=True)
        width = ParamDouble("finger_interval", 0.013)
        hand = ParamInt("handID", 0, disp_name="hand(0=left,1=right)")
        grasp = ParamTF("graspF", [0, 0, 0.18, 0, -90, 0])
        self.add_params([base, approach, *others, grasp, width, hand])
        self.add_commands(
            [
                GripperCmd(EPlus(width, _CLEARANCE), hand),
                MoveLCmd((approach, 1.0), base=base),
                MoveLCmd((np.zeros(6), 0.5), base=base),
                GraspCmd(width, hand, target.name),
            ]
        )


class TaskPick(_TaskGrasp):
    """Picks up the model `picked_obj`; `set_place_motion` says what is done with it.

    Its parameters are `pickF`, `approachTF`, `retractTF`, `graspF`, `finger_interval` and `handID`. `master` is that of
    the object; default: the first of `master_manager`.
    """

    def __init__(
        self,
        name: str,
        comment: str = "",
        master_manager: MasterManager | None = None,
        *,
        master: str | None = None,
        pick: Frame = (0.4, 0.2, 0.872, 0, 0, 0),
    ) -> None:
        retract = ParamTF("retractTF", _ABOVE, hide=True)
        super().__init__(name, comment, master_manager, master, "pickF", pick, [retract])
        self.add_command(MoveLCmd((retract, 1.0), base=self.getp("pickF")))
        self.place_motion: list[Cmd] = []

    def set_place_motion(self, commands: Iterable[Cmd]) -> None:
        """The commands after the object is picked up."""
        self.place_motion = list(commands)

    def _sequence(self) -> list[Cmd]:
        return self.commands + self.place_motion


class TaskHold(_TaskGrasp):
    """Holds the model `picked_obj` where it is, while another hand works on it.

    Its parameters are `holdF`, `approachTF`, `graspF`, `finger_interval` and `handID`. `master` is that of the object;
    default: the first of `master_manager`.
    """

    def __init__(
        self,
        name: str,
        comment: str = "",
        master_manager: MasterManager | None = None,
        *,
        master: str | None = None,
        hold: Frame = (0.4, 0.2, 0.872, 0, 0, 0),
    ) -> None:
        super().__init__(name, comment, master_manager, master, "holdF", hold, [])


def _yaml(value: Any, depth: int) -> str:
    """Block YAML: lists of numbers in a line, texts in double quotes."""
    indent = "  " * depth
    if isinstance(value, dict):
        return "".join(f"{indent}{key}:{_nested(item, depth)}" for key, item in value.items())
    entries = (_yaml(item, depth + 1) for item in value)
    return "".join(f"{indent}- {entry[2 * depth + 2 :]}" for entry in entries)


def _nested(value: Any, depth: int) -> str:
    is_block = isinstance(value, (dict, list)) and value and isinstance(value[0] if isinstance(value, list) else {}, dict)
    return "\n" + _yaml(value, depth + 1) if is_block else f" {json.dumps(value, ensure_ascii=False, allow_nan=False)}\n"
