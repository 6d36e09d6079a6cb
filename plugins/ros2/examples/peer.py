"""Cyclone DDS beside `bunraku run --ros2`: an independent participant receives, drives and steps a simulation.

    python peer.py BUNRAKU SCENE OUT [--seconds S] [--domain N] [--camera]

SCENE is assets/scenes/ros2.scene.yaml. It needs `cyclonedds` from PyPI and no ROS. Types, names of topics and the header
of requests are those of ROS 2's middleware for Cyclone DDS.
"""

import argparse
import math
import os
import pathlib
import subprocess
import sys
import time
import types
from dataclasses import dataclass, field

os.environ["CYCLONEDDS_URI"] = """<CycloneDDS><Domain id="any">
<General><Interfaces><NetworkInterface address="127.0.0.1" multicast="false"/></Interfaces><AllowMulticast>false</AllowMulticast></General>
<Discovery><ParticipantIndex>auto</ParticipantIndex><Peers><Peer address="127.0.0.1"/></Peers></Discovery>
</Domain></CycloneDDS>"""

from cyclonedds.core import Policy, Qos  # noqa: E402
from cyclonedds.domain import DomainParticipant  # noqa: E402
from cyclonedds.idl import IdlStruct  # noqa: E402
from cyclonedds.idl.types import array, float32, float64, int32, int64, sequence, uint8, uint16, uint32, uint64  # noqa: E402
from cyclonedds.pub import DataWriter  # noqa: E402
from cyclonedds.sub import DataReader  # noqa: E402
from cyclonedds.topic import Topic  # noqa: E402
from cyclonedds.util import duration  # noqa: E402


def struct(name):
    """A dataclass as a type of ROS 2: `sensor_msgs/msg/Imu`."""
    package, kind, message = name.split("/")

    def make(cls):
        typename = f"{package}.{kind}.dds_.{message}_"
        content = {key: value for key, value in cls.__dict__.items() if key not in ("__dict__", "__weakref__")}
        return dataclass(types.new_class(cls.__name__, (IdlStruct,), {"typename": typename}, lambda made: made.update(content)))

    return make


@struct("builtin_interfaces/msg/Time")
class Time:
    sec: int32 = 0
    nanosec: uint32 = 0


@struct("rosgraph_msgs/msg/Clock")
class Clock:
    clock: Time


@struct("std_msgs/msg/Header")
class Header:
    stamp: Time = field(default_factory=Time)
    frame_id: str = ""


@struct("sensor_msgs/msg/JointState")
class JointState:
    header: Header = field(default_factory=Header)
    name: sequence[str] = field(default_factory=list)
    position: sequence[float64] = field(default_factory=list)
    velocity: sequence[float64] = field(default_factory=list)
    effort: sequence[float64] = field(default_factory=list)


@struct("geometry_msgs/msg/Vector3")
class Vector3:
    x: float64 = 0.0
    y: float64 = 0.0
    z: float64 = 0.0


@struct("geometry_msgs/msg/Quaternion")
class Quaternion:
    x: float64 = 0.0
    y: float64 = 0.0
    z: float64 = 0.0
    w: float64 = 1.0


@struct("geometry_msgs/msg/Twist")
class Twist:
    linear: Vector3 = field(default_factory=Vector3)
    angular: Vector3 = field(default_factory=Vector3)


@struct("geometry_msgs/msg/Transform")
class Transform:
    translation: Vector3
    rotation: Quaternion


@struct("geometry_msgs/msg/TransformStamped")
class TransformStamped:
    header: Header
    child_frame_id: str
    transform: Transform


@struct("tf2_msgs/msg/TFMessage")
class TFMessage:
    transforms: sequence[TransformStamped]


@struct("sensor_msgs/msg/Imu")
class Imu:
    header: Header
    orientation: Quaternion
    orientation_covariance: array[float64, 9]
    angular_velocity: Vector3
    angular_velocity_covariance: array[float64, 9]
    linear_acceleration: Vector3
    linear_acceleration_covariance: array[float64, 9]


@struct("sensor_msgs/msg/LaserScan")
class LaserScan:
    header: Header
    angle_min: float32
    angle_max: float32
    angle_increment: float32
    time_increment: float32
    scan_time: float32
    range_min: float32
    range_max: float32
    ranges: sequence[float32]
    intensities: sequence[float32]


@struct("sensor_msgs/msg/Image")
class Image:
    header: Header
    height: uint32
    width: uint32
    encoding: str
    is_bigendian: uint8
    step: uint32
    data: sequence[uint8]


@struct("simulation_interfaces/msg/Result")
class Result:
    result: uint8
    error_message: str


@struct("geometry_msgs/msg/Pose")
class Pose:
    position: Vector3 = field(default_factory=Vector3)
    orientation: Quaternion = field(default_factory=Quaternion)


@struct("simulation_interfaces/msg/EntityState")
class EntityState:
    header: Header = field(default_factory=Header)
    pose: Pose = field(default_factory=Pose)
    twist: Twist = field(default_factory=Twist)
    acceleration: Twist = field(default_factory=Twist)


@struct("geometry_msgs/msg/PoseWithCovariance")
class PoseWithCovariance:
    pose: Pose
    covariance: array[float64, 36]


@struct("geometry_msgs/msg/TwistWithCovariance")
class TwistWithCovariance:
    twist: Twist
    covariance: array[float64, 36]


@struct("nav_msgs/msg/Odometry")
class Odometry:
    header: Header
    child_frame_id: str
    pose: PoseWithCovariance
    twist: TwistWithCovariance


@struct("simulation_interfaces/srv/SpawnEntity_Request")
class SpawnRequest:
    guid: uint64
    number: int64
    name: str
    allow_renaming: bool
    uri: str
    resource_string: str
    entity_namespace: str
    header: Header
    pose: Pose


@struct("simulation_interfaces/srv/SpawnEntity_Response")
class SpawnReply:
    guid: uint64
    number: int64
    result: Result
    entity_name: str


@struct("simulation_interfaces/srv/DeleteEntity_Request")
class DeleteRequest:
    guid: uint64
    number: int64
    entity: str


@struct("simulation_interfaces/srv/DeleteEntity_Response")
class DeleteReply:
    guid: uint64
    number: int64
    result: Result


@struct("simulation_interfaces/srv/StepSimulation_Request")
class StepRequest:
    guid: uint64
    number: int64
    steps: uint64


@struct("simulation_interfaces/srv/StepSimulation_Response")
class StepReply:
    guid: uint64
    number: int64
    result: Result


@struct("simulation_interfaces/srv/SetSimulationState_Request")
class StateRequest:
    guid: uint64
    number: int64
    state: uint8


@struct("simulation_interfaces/srv/SetSimulationState_Response")
class StateReply:
    guid: uint64
    number: int64
    result: Result


@struct("simulation_interfaces/srv/ResetSimulation_Request")
class ResetRequest:
    guid: uint64
    number: int64
    scope: uint8


@struct("simulation_interfaces/srv/ResetSimulation_Response")
class ResetReply:
    guid: uint64
    number: int64
    result: Result


@struct("simulation_interfaces/srv/GetSimulatorFeatures_Request")
class FeaturesRequest:
    guid: uint64
    number: int64
    nothing: uint8


@struct("simulation_interfaces/srv/GetSimulatorFeatures_Response")
class FeaturesReply:
    guid: uint64
    number: int64
    features: sequence[uint16]
    spawn_formats: sequence[str]
    custom_info: str


@struct("simulation_interfaces/srv/GetEntityState_Request")
class EntityRequest:
    guid: uint64
    number: int64
    entity: str


@struct("simulation_interfaces/srv/GetEntityState_Response")
class EntityReply:
    guid: uint64
    number: int64
    result: Result
    state: EntityState


@struct("simulation_interfaces/srv/SetEntityState_Request")
class SetEntityRequest:
    guid: uint64
    number: int64
    entity: str
    state: EntityState


@struct("simulation_interfaces/srv/SetEntityState_Response")
class SetEntityReply:
    guid: uint64
    number: int64
    result: Result


QUALITY = Qos(
    Policy.Reliability.Reliable(duration(seconds=1)),
    Policy.Durability.Volatile,
    Policy.History.KeepLast(1000),
    Policy.DataRepresentation(use_cdrv0_representation=True),
)


# Of a topic whose last message reaches those who come later, too.
LATCHED = Qos(
    Policy.Reliability.Reliable(duration(seconds=1)),
    Policy.Durability.TransientLocal,
    Policy.History.KeepLast(1),
    Policy.DataRepresentation(use_cdrv0_representation=True),
)


class Peer:
    """A participant with topics and services."""

    def __init__(self, domain):
        self.participant = DomainParticipant(domain)
        self.services = {}

    def reader(self, topic, kind, quality=QUALITY):
        return DataReader(self.participant, Topic(self.participant, f"rt{topic}", kind, qos=quality), qos=quality)

    def writer(self, topic, kind):
        writer = DataWriter(self.participant, Topic(self.participant, f"rt{topic}", kind, qos=QUALITY), qos=QUALITY)
        wait(lambda: writer.get_matched_subscriptions(), f"a reader of {topic}")
        return writer

    def call(self, name, request, reply, *values):
        """Calls a service and returns its reply."""
        if name not in self.services:
            requests = Topic(self.participant, f"rq/{name}Request", request, qos=QUALITY)
            replies = Topic(self.participant, f"rr/{name}Reply", reply, qos=QUALITY)
            writer = DataWriter(self.participant, requests, qos=QUALITY)
            reader = DataReader(self.participant, replies, qos=QUALITY)
            wait(lambda: writer.get_matched_subscriptions() and reader.get_matched_publications(), f"the service {name}")
            self.services[name] = (writer, reader, [0])
        writer, reader, number = self.services[name]
        number[0] += 1
        writer.write(request(77, number[0], *values))
        found = []
        wait(lambda: found.extend(reader.take(1)) or found, f"a reply of {name}")
        assert (found[0].guid, found[0].number) == (77, number[0]), found
        return found[0]

    def step(self, steps):
        reply = self.call("step_simulation", StepRequest, StepReply, steps)
        assert reply.result.result == 1, reply

    def set_state(self, state):
        return self.call("set_simulation_state", StateRequest, StateReply, state).result


def wait(condition, what, seconds=30.0):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(f"there is not {what} within {seconds} s")
        time.sleep(0.002)


STOPPED, PLAYING, PAUSED, QUITTING = range(4)


def seconds_of(stamp):
    return stamp.sec + stamp.nanosec * 1e-9


def receive(peer, seconds, has_camera):
    """Receives all topics; returns the numbers of received and lost messages of each, by their stamps."""
    topics = {
        "/clock": (Clock, 100, lambda message: message.clock),
        "/tf": (TFMessage, 100, lambda message: message.transforms[0].header.stamp),
        "/odom": (Odometry, 100, lambda message: message.header.stamp),
        "/joint_states": (JointState, 100, lambda message: message.header.stamp),
        "/robot_joint_states": (JointState, 100, lambda message: message.header.stamp),
        "/Rover/joint_states": (JointState, 100, lambda message: message.header.stamp),
        "/Rover/IMU": (Imu, None, lambda message: message.header.stamp),
        "/Rover/FRONT_LIDAR": (LaserScan, 10, lambda message: message.header.stamp),
    }
    if has_camera:
        topics["/Rover/FRONT_CAMERA/image_raw"] = (Image, 30, lambda message: message.header.stamp)
    readers = {topic: peer.reader(topic, kind) for topic, (kind, _, _) in topics.items()}
    stamps = {topic: [] for topic in topics}
    wait(lambda: all(reader.get_matched_publications() for reader in readers.values()), "a writer of each topic")
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for topic, reader in readers.items():
            stamps[topic] += [seconds_of(topics[topic][2](message)) for message in reader.take(200)]
        time.sleep(0.002)
    lost = {}
    for topic, found in stamps.items():
        # A scan adds a clock and poses between frames.
        found = sorted(set(found))
        gaps = sorted(after - before for before, after in zip(found, found[1:]))
        rate = topics[topic][1]
        period = 1 / rate if rate else gaps[len(gaps) // 2]
        missing = sum(max(0, round(gap / period - 0.4) - 1) for gap in gaps)
        span = found[-1] - found[0]
        print(f"{topic}: {len(found)} messages in {span:.2f} s, {(len(found) - 1) / span:.2f} Hz, {missing} lost")
        lost[topic] = missing
    return lost


def command(peer, arm, reader, positions):
    """Commands the arm; returns its positions by joint at the last state."""
    arm.write(JointState(Header(), list(positions), list(positions.values())))
    latest = {}

    def arrives():
        for state in reader.take(200):
            latest.update(zip(state.name, state.position))
        return latest and all(abs(latest[name] - wanted) < 0.01 for name, wanted in positions.items())

    wait(arrives, f"an arm at {positions}")
    return latest


def place(peer, name):
    reply = peer.call("get_entity_state", EntityRequest, EntityReply, name)
    assert reply.result.result == 1, reply
    return reply.state.pose.position


def drive(peer):
    """Drives the rover and moves the arm, with hostile messages in between."""
    base, arm = peer.writer("/cmd_vel", Twist), peer.writer("/robot_joint_command", JointState)
    states = peer.reader("/robot_joint_states", JointState)
    start = place(peer, "Rover")
    for bad in (
        JointState(Header(), ["NO_SUCH_JOINT", "$(touch pwned)", "../../x"], [1.0, 2.0, 3.0]),
        JointState(Header(), ["SHOULDER"], [math.nan]),
        JointState(Header(), ["SHOULDER", "HAND"], [1.0]),
        JointState(Header(), [], [1.0, 2.0]),
    ):
        arm.write(bad)
    base.write(Twist(Vector3(math.inf, 0.0, 0.0), Vector3()))
    base.write(Twist(Vector3(0.5, 0.0, 0.0), Vector3()))
    positions = command(peer, arm, states, {"SHOULDER": 0.5, "FOREARM": 0.3})
    print("the arm is at", {name: round(value, 3) for name, value in positions.items()})
    odometry = peer.reader("/odom", Odometry)
    wait(lambda: place(peer, "Rover").x - start.x > 0.5, "a rover that drives half a metre")
    latest = []
    wait(lambda: latest.extend(odometry.take(200)) or latest, "odometry")
    print(f"its odometry has {latest[-1].pose.pose.position.x:.3f} m and {latest[-1].twist.twist.linear.x:.3f} m/s")
    assert (latest[-1].header.frame_id, latest[-1].child_frame_id) == ("odom", "Rover/CHASSIS"), latest[-1]
    assert latest[-1].pose.pose.position.x > 0.3 and abs(latest[-1].twist.twist.linear.x - 0.5) < 0.05
    base.write(Twist(Vector3(), Vector3(0.0, 0.0, 1.0)))
    time.sleep(1.0)
    base.write(Twist())
    time.sleep(0.5)
    halt = place(peer, "Rover")
    time.sleep(0.5)
    end = place(peer, "Rover")
    assert math.dist((halt.x, halt.y), (end.x, end.y)) < 0.01, (halt, end)
    print(f"the rover went from {start.x:.3f}, {start.y:.3f} to {end.x:.3f}, {end.y:.3f}")
    moved = EntityState(pose=Pose(Vector3(1.0, -4.0, 0.3)))
    assert peer.call("set_entity_state", SetEntityRequest, SetEntityReply, "Rover", moved).result.result == 1
    wait(lambda: abs(place(peer, "Rover").y + 4.0) < 0.05, "a rover at its new place")
    assert peer.call("get_entity_state", EntityRequest, EntityReply, "Nobody").result.result == 2
    assert peer.call("step_simulation", StepRequest, StepReply, 1).result.result == 3


def fixed_frames(peer):
    """The poses that were sent once, long ago."""
    reader, found = peer.reader("/tf_static", TFMessage, LATCHED), []
    wait(lambda: found.extend(reader.take(1)) or found, "a message on /tf_static")
    parents = {transform.child_frame_id: transform.header.frame_id for transform in found[0].transforms}
    assert parents["odom"] == "world" and parents["Rover/CHASSIS/IMU"] == "Rover/CHASSIS", parents
    print(len(parents), "frames are fixed")


CRATE = """<robot name="crate"><link name="body"><inertial><mass value="2"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link></robot>"""


# A body that moves, so that it would be recorded.
WATCHER = """format: ChoreonoidBody
format_version: 2.0
name: Watcher
links:
  - name: POST
    joint_type: free
    mass: 1
    inertia: [ 0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01 ]
    elements:
      - { type: Camera, name: EYE, format: COLOR, width: 32, height: 24, frame_rate: 10 }
"""


def spawn(peer, name, *, uri="", text="", position=(1.0, 3.0, 0.5), renaming=False, namespace=""):
    pose = Pose(position=Vector3(*position))
    reply = peer.call("spawn_entity", SpawnRequest, SpawnReply, name, renaming, uri, text, namespace, Header(), pose)
    return reply.result.result, reply.entity_name, reply.result.error_message


def entities(peer):
    """Spawns and deletes bodies, with hostile requests in between."""
    assert spawn(peer, "", text=CRATE)[:2] == (1, "crate")
    wait(lambda: abs(place(peer, "crate").z - 0.1) < 0.01, "a crate that falls on the floor")
    assert spawn(peer, "crate", text=CRATE)[0] == 101
    assert spawn(peer, "crate", text=CRATE, renaming=True, position=(2.0, 3.0, 0.5))[:2] == (1, "crate_1")
    assert spawn(peer, "Pusher", uri="../models/arm.body", namespace="lab", position=(5.0, 5.0, 0.8))[:2] == (1, "lab/Pusher")
    states, seen = peer.reader("/lab/Pusher/joint_states", JointState), []
    wait(lambda: seen.extend(states.take(10)) or seen, "joint states of a spawned arm")
    assert len(seen[0].name) == 8, seen[0]
    assert spawn(peer, "", text=WATCHER, position=(6.0, 6.0, 2.0))[:2] == (1, "Watcher")
    images, drawn = peer.reader("/Watcher/EYE/image_raw", Image), []
    wait(lambda: drawn.extend(images.take(10)) or drawn, "an image of the camera of a spawned body")
    assert (drawn[0].width, drawn[0].height, len(drawn[0].data)) == (32, 24, 32 * 24 * 3), drawn[0]
    for name, expected, source in (
        ("a", 104, {}),
        ("a", 104, {"uri": "file:///etc/passwd"}),
        ("a", 104, {"uri": "../../../../../../etc/passwd"}),
        ("a", 103, {"uri": "../motions/push.csv"}),
        ("a", 106, {"text": "<robot name='x'><link/>"}),
        ("a", 106, {"text": "<robot name='x'/>" * 3}),
        ("a\n", 102, {"text": CRATE}),
        ("a", 105, {"text": CRATE, "namespace": "../x"}),
    ):
        code, _, message = spawn(peer, name, **source)
        assert code == expected and message and "root:" not in message, (source, code, message)
    for name, expected in (("crate", 1), ("crate", 2), ("Arm", 4), ("lab/Pusher", 1), ("Watcher", 1)):
        assert peer.call("delete_entity", DeleteRequest, DeleteReply, name).result.result == expected, name
    print("bodies were spawned and deleted")


def start(arguments, out, *options):
    program = [arguments.bunraku, "run", arguments.scene, "--out", str(out), "--ros2", "--domain", str(arguments.domain)]
    return subprocess.Popen([*program, *options])


def quit(peer, process):
    assert peer.set_state(QUITTING).result == 1
    assert process.wait(60) == 0


def stepped(arguments, out):
    """Steps a simulation, also after a reset from states that were set; the recording is that of a headless run."""
    headless = out / "headless"
    subprocess.run([arguments.bunraku, "run", arguments.scene, "--out", str(headless), "--duration", "1"], check=True)
    process = start(arguments, out / "stepped", "--stepped", "--duration", "1")
    peer = Peer(arguments.domain)
    features = peer.call("get_simulator_features", FeaturesRequest, FeaturesReply, 0)
    assert {0, 1, 9, 23, 31} <= set(features.features) and "urdf" in features.spawn_formats, features
    assert spawn(peer, "crate", text=CRATE, position=(0.0, -2.0, 0.6))[0] == 1
    peer.step(120)
    elsewhere = EntityState(pose=Pose(Vector3(3.0, 1.0, 0.5)), twist=Twist(Vector3(0.5, 0.0, 0.0), Vector3(0.0, 0.0, 1.0)))
    assert peer.call("set_entity_state", SetEntityRequest, SetEntityReply, "Rover", elsewhere).result.result == 1
    peer.step(40)
    assert abs(place(peer, "Rover").y - 1.0) < 0.1
    assert peer.set_state(PAUSED).result == 101
    reset = peer.call("reset_simulation", ResetRequest, ResetReply, 255).result
    assert reset.result == 1, reset
    for steps in (1, 99, 250):
        peer.step(steps)
    # The last step ends the run.
    peer.call("step_simulation", StepRequest, StepReply, 150)
    assert process.wait(60) == 0
    for name in ("Arm.seq", "Rover.seq"):
        same = (headless / name).read_bytes() == (out / "stepped" / name).read_bytes()
        print(f"{name}: {'equal' if same else 'different'} bytes, stepped and headless")
        assert same


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bunraku")
    parser.add_argument("scene")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--domain", type=int, default=os.getpid() % 100 + 100)
    parser.add_argument("--camera", action="store_true", help="receive images, which are drawn on the processor")
    arguments = parser.parse_args()
    stepped(arguments, arguments.out)
    sensors = ["--set", "record.sensors=true"] if arguments.camera else []
    process = start(arguments, arguments.out / "paced", *sensors)
    try:
        peer = Peer(arguments.domain)
        lost = receive(peer, arguments.seconds, arguments.camera)
        fixed_frames(peer)
        entities(peer)
        drive(peer)
        quit(peer, process)
    finally:
        process.kill()
    assert not any(lost.values()), lost
    print("right")


if __name__ == "__main__":
    sys.exit(main())
