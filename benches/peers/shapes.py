"""Primitives of a .body file, link by link: the shapes that touch the floor in the walk."""

import math

import numpy
import yaml

import rotation


def read(path):
    """By link name, a list of shapes: type (`box`, `cylinder`, `sphere`), size as MuJoCo has it, place in the link."""
    with open(path, encoding="utf-8") as file:
        document = yaml.safe_load(file)
    if document.get("angleUnit", document.get("angle_unit", "degree")) != "degree":
        raise SystemExit(f"{path}: only angles in degrees are read")
    links = {}
    for link in document["links"]:
        links[link["name"]] = list(elements(link.get("elements"), (numpy.eye(3), numpy.zeros(3)), path))
    return links


def elements(node, frame, path):
    """Shapes below a list of elements, or a mapping from a type to one element."""
    if isinstance(node, dict):
        node = [{"type": kind, **element} for kind, element in node.items()]
    for element in node or []:
        turn, place = frame
        place = place + turn @ numpy.array(element.get("translation", [0, 0, 0]), float)
        for *axis, degrees in rotations(element):
            turn = turn @ rotation.about(axis, math.radians(degrees))
        if element["type"] == "Shape":
            yield {"rotation": turn, "translation": place, **primitive(element["geometry"], path)}
        # What hangs on a group, a transform or a device is a part of the link.
        yield from elements(element.get("elements"), (turn, place), path)


def rotations(element):
    """One rotation, or several from left to right: axis and angle."""
    given = element.get("rotation", [])
    return given if not given or isinstance(given[0], list) else [given]


def primitive(geometry, path):
    kind = geometry["type"]
    if kind == "Box":
        return {"type": "box", "size": [edge / 2 for edge in geometry["size"]]}
    if kind == "Cylinder":
        return {"type": "cylinder", "size": [geometry["radius"], geometry["height"] / 2]}
    if kind == "Sphere":
        return {"type": "sphere", "size": [geometry["radius"]]}
    raise SystemExit(f"{path}: shapes of the type {kind} are not translated")
