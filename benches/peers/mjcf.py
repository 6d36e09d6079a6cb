"""MJCF from what `bunraku info --json` says of a model, so that both engines have the same numbers."""

from xml.etree import ElementTree

import numpy

import rotation

# Choreonoid's cylinders stand along Y, MuJoCo's along Z.
UPRIGHT = rotation.about([1, 0, 0], numpy.pi / 2)


def write(info, shapes=None, friction=None, floor=False, closure=None):
    """The text of a model.

    shapes    by link name, what `shapes.read` gives; without them nothing collides
    friction  by link name, against the floor
    floor     whether there is the plane z = 0
    closure   how extra joints of the kind `ball` are held: attributes of `connect`
    """
    top = ElementTree.Element("mujoco", model=info["model_name"])
    ElementTree.SubElement(top, "compiler", angle="radian", inertiafromgeom="false")
    ElementTree.SubElement(top, "option", gravity="0 0 -9.80665")
    world = ElementTree.SubElement(top, "worldbody")
    if floor:
        # It touches the links, which do not touch each other.
        ElementTree.SubElement(world, "geom", type="plane", size="5 5 1", contype="1", conaffinity="0")
    bodies = {None: world}
    for link in info["links"]:
        body = write_link(bodies[link["parent"]], link)
        bodies[link["name"]] = body
        for shape in (shapes or {}).get(link["name"], []):
            write_shape(body, shape, friction[link["name"]])
    write_motors(top, info)
    if info["extra_joints"]:
        write_closures(top, bodies, info["extra_joints"], closure or {})
    return ElementTree.tostring(top, encoding="unicode")


def write_link(parent, link):
    if link["parent"] is None:
        place, turn = link["world_translation"], link["world_rotation"]
    else:
        place, turn = link["offset_translation"], link["offset_rotation"]
    body = ElementTree.SubElement(
        parent, "body", name=link["name"], pos=text(place), quat=text(rotation.quaternion(numpy.array(turn)))
    )
    if link["mass"] > 0:
        inertia = numpy.array(link["inertia"])
        entries = [*inertia.diagonal(), inertia[0, 1], inertia[0, 2], inertia[1, 2]]
        ElementTree.SubElement(
            body, "inertial", pos=text(link["center_of_mass"]), mass=text([link["mass"]]), fullinertia=text(entries)
        )
    kind = link["joint_type"]
    if kind == "free":
        ElementTree.SubElement(body, "freejoint")
    elif kind in ("revolute", "prismatic"):
        joint = ElementTree.SubElement(
            body,
            "joint",
            name=link["name"],
            type="hinge" if kind == "revolute" else "slide",
            axis=text(link["joint_axis"]),
            armature=text([link["equivalent_rotor_inertia"]]),
        )
        if None not in link["range"]:
            joint.set("range", text(link["range"]))
            joint.set("limited", "true")
    elif kind != "fixed":
        raise SystemExit(f"link {link['name']}: joints of the type {kind} are not translated")
    return body


def write_shape(body, shape, friction):
    turn = shape["rotation"] @ UPRIGHT if shape["type"] == "cylinder" else shape["rotation"]
    ElementTree.SubElement(
        body,
        "geom",
        type=shape["type"],
        size=text(shape["size"]),
        pos=text(shape["translation"]),
        quat=text(rotation.quaternion(turn)),
        contype="0",
        conaffinity="1",
        # The coefficient belongs to the pair, which is this geom's to say.
        priority="1",
        friction=text([friction, 0.005, 0.0001]),
    )


def write_motors(top, info):
    """One for each joint, in the order of the joint vector: its control is the effort."""
    motors = ElementTree.SubElement(top, "actuator")
    links = {link["joint_id"]: link for link in info["links"] if link["joint_id"] >= 0}
    for _, link in sorted(links.items()):
        motor = ElementTree.SubElement(motors, "motor", joint=link["name"])
        if None not in link["effort_range"]:
            motor.set("ctrlrange", text(link["effort_range"]))
            motor.set("ctrllimited", "true")


def write_closures(top, bodies, extra_joints, attributes):
    """Extra joint N is held between the sites `extra N.1` and `extra N.2`."""
    equality = ElementTree.SubElement(top, "equality")
    for number, joint in enumerate(extra_joints):
        if joint["type"] != "ball":
            raise SystemExit(f"extra joints of the type {joint['type']} are not translated")
        names = [f"extra {number}.{end}" for end in (1, 2)]
        for end, name in zip((1, 2), names):
            frame = joint[f"frame_in_link{end}"]
            ElementTree.SubElement(
                bodies[joint[f"link{end}"]], "site", name=name, pos=text(frame["translation"])
            )
        ElementTree.SubElement(equality, "connect", site1=names[0], site2=names[1], **attributes)


def addresses(model, info):
    """Places of the joint vector among MuJoCo's joint coordinates."""
    links = sorted((link for link in info["links"] if link["joint_id"] >= 0), key=lambda link: link["joint_id"])
    return [model.joint(link["name"]).qposadr[0] for link in links]


def text(numbers):
    return " ".join(repr(float(number)) for number in numbers)
