"""Reads a recording of ROS 2 messages with packages that know nothing of Bunraku, and compares it with the other files
of the run: shapes, times, frames and values.

    pip install numpy rosbags mcap-ros2-support
    bunraku run assets/scenes/sensors_all.scene.yaml --mcap-profile ros2
    python plugins/sensors/examples/read_ros2.py out/sensors_all

- `mcap-ros2-support` decodes each message by the definition in the file.
- `rosbags` decodes it by its own definitions of ROS 2 Jazzy, which must be those in the file.
"""

import collections
import csv
import pathlib
import re
import sys

import numpy
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from rosbags.rosbag2 import Reader
from rosbags.typesys import Stores, get_types_from_msg, get_typestore


def plain(value):
    """Fields of a message as lists, dictionaries and numbers."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return list(bytes(value))
    if isinstance(value, numpy.ndarray):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    names = getattr(value, "__slots__", None) or getattr(value, "__dataclass_fields__", None)
    if names is not None and not isinstance(value, (int, float, str)):
        names = [name for name in names if not name.startswith("_") and name.islower()]
        return {name: plain(getattr(value, name)) for name in names}
    return value


def same(one, other):
    """Whether two values are the same; NaN is itself."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other or one != one and other != other


def seconds(stamp):
    return stamp.sec + stamp.nanosec * 1e-9


def check(message, kind, frames):
    """Checks that the parts of a message fit each other."""
    if kind == "sensor_msgs/msg/PointCloud2":
        assert message.row_step == message.point_step * message.width and message.height == 1
        assert len(message.data) == message.row_step
        names = [field.name for field in message.fields]
        assert names[:3] == ["x", "y", "z"]
        assert names[3:] in ([], ["rgb"], ["ring", "time"], ["intensity", "ring", "time"]), names
    elif kind == "sensor_msgs/msg/Image":
        assert len(message.data) == message.step * message.height
        assert message.step == message.width * {"rgb8": 3, "32FC1": 4}[message.encoding]
    elif kind == "sensor_msgs/msg/LaserScan":
        last = message.angle_min + message.angle_increment * (len(message.ranges) - 1)
        assert abs(last - message.angle_max) < 1e-5 and message.range_min < message.range_max
    elif kind == "sensor_msgs/msg/CameraInfo":
        assert message.k[0] > 0 and message.p[0] == message.k[0]
    if hasattr(message, "header") and kind != "sensor_msgs/msg/JointState":
        assert message.header.frame_id in frames, message.header.frame_id


def read(path):
    """The messages of each topic, with their types and times, decoded in two ways."""
    store = get_typestore(Stores.ROS2_JAZZY)
    topics = collections.defaultdict(list)
    # Frames, their parents, and whether they are fixed in them.
    parents, frames, fixed = {}, {"world"}, {}
    with Reader(path) as reader, open(path, "rb") as file:
        for connection in reader.connections:
            assert re.fullmatch(r"(/[A-Za-z][A-Za-z0-9_]*)+", connection.topic), connection.topic
            defined = get_types_from_msg(connection.msgdef.data, connection.msgtype)
            for name, (constants, fields) in defined.items():
                # The constants are not encoded.
                assert store.fielddefs[name][1] == fields, name
        others = make_reader(file, decoder_factories=[DecoderFactory()]).iter_decoded_messages()
        ours = reader.messages()
        for (connection, time, data), (schema, channel, record, other) in zip(ours, others, strict=True):
            assert (connection.topic, connection.msgtype, time) == (channel.topic, schema.name, record.log_time)
            message = store.deserialize_cdr(data, connection.msgtype)
            assert same(plain(message), plain(other)), connection.topic
            if connection.topic in ("/tf", "/tf_static"):
                is_fixed = connection.topic == "/tf_static"
                for transform in message.transforms:
                    frame = transform.child_frame_id
                    assert fixed.setdefault(frame, is_fixed) == is_fixed, f"{frame} moves and does not"
                    parents[frame] = transform.header.frame_id
                    frames.add(frame)
                    turn = transform.transform.rotation
                    norm = sum(part**2 for part in (turn.x, turn.y, turn.z, turn.w))
                    assert abs(norm - 1.0) < 1e-9 and abs(seconds(transform.header.stamp) - time * 1e-9) < 1e-9
            elif connection.topic == "/clock":
                assert abs(seconds(message.clock) - time * 1e-9) < 1e-9
            else:
                assert abs(seconds(message.header.stamp) - time * 1e-9) < 1e-9
                check(message, connection.msgtype, frames)
            topics[connection.topic].append((connection.msgtype, time * 1e-9, message))
            if connection.topic == "/tf_static":
                # So that `ros2 bag play` sends it to those who come later, too.
                durability = connection.ext.offered_qos_profiles[0].durability
                assert durability.name == "TRANSIENT_LOCAL", durability
    for frame in parents:
        above = frame
        while above != "world":
            above = parents[above]
    return topics


def of_sensor(topics, body, device):
    """The topics of a sensor, by the ends of their names."""
    plain = lambda name: "_".join(word for word in re.split(r"[^A-Za-z0-9]+", name) if word)
    start = f"/{plain(body)}/{plain(device)}"
    return {topic[len(start):]: messages for topic, messages in topics.items() if re.match(f"{start}(/|$)", topic)}


def compare(run, topics):
    """Compares messages with the files of the sensors; returns how many sensors."""
    sensors = 0
    for path in sorted((run / "sensors").rglob("*.csv")):
        with open(path, newline="") as file:
            if path.name == "index.csv":
                body, device = path.parent.parent.name, path.parent.name
            elif path.parent.parent.name == "sensors":
                body, device = path.parent.name, path.stem
            else:
                continue
            rows = list(csv.DictReader(file))
        found = of_sensor(topics, body, device)
        assert found, f"{body}/{device} has no topic"
        times = [float(row["time [s]"]) for row in rows]
        for end, messages in found.items():
            assert numpy.allclose([time for _, time, _ in messages], times, atol=1e-9, rtol=0), (device, end)
        for row, index in zip(rows, range(len(rows))):
            if "depth" in row:
                depths = numpy.load(path.parent / row["depth"])
                image = found["/depth/image_raw"][index][2]
                assert (numpy.frombuffer(image.data, "<f4").reshape(image.height, image.width) == depths).all()
            if "scan" in row and "" in found:
                ranges = numpy.load(path.parent / row["scan"])[0].astype(numpy.float32)
                assert (found[""][index][2].ranges == ranges[: len(found[""][index][2].ranges)]).all()
        if found.get("", [("",)])[0][0] == "sensor_msgs/msg/Imu":
            numbers = [[float(value) for name, value in row.items() if not name.startswith("time")] for row in rows]
            for (_, _, message), row in zip(found[""], numbers, strict=True):
                known = [message.linear_acceleration] if message.linear_acceleration_covariance[0] == 0 else []
                known += [message.angular_velocity] if message.angular_velocity_covariance[0] == 0 else []
                values = [value for vector in known for value in (vector.x, vector.y, vector.z)]
                assert numpy.allclose(values, row[: len(values)], rtol=1e-12, atol=1e-12), device
        sensors += 1
    return sensors


if __name__ == "__main__":
    run = pathlib.Path(sys.argv[1])
    topics = read(run / "run.mcap")
    for topic, messages in sorted(topics.items()):
        print(f"{len(messages):6} {messages[0][0]:34} {topic}")
    print(f"{compare(run, topics)} sensors")
