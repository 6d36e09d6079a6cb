"""Reads all that a run has recorded of its sensors with packages that know nothing of Bunraku, and checks that files,
indices and the MCAP file tell the same: shapes, counts, times.

    pip install numpy pillow plyfile mcap mcap-protobuf-support
    bunraku run assets/scenes/sensors_all.scene.yaml --mcap
    python plugins/sensors/examples/read_recording.py out/sensors_all
"""

import collections
import csv
import io
import pathlib
import sys

import numpy
import PIL.Image
import plyfile
from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory


def read_index(path):
    """Rows of an index, which say of each sample when and where it was taken and what its files are called."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["sample"]) for row in rows] == list(range(len(rows))), path
    for row in rows:
        turn = [float(row[name]) for name in ("qw", "qx", "qy", "qz")]
        assert abs(numpy.linalg.norm(turn) - 1.0) < 1e-9, path
    times = numpy.array([float(row["time [s]"]) for row in rows])
    assert len(times) > 1 and (numpy.diff(times) > 0).all(), path
    # The grid of samples does not drift: sample k at the first step at or after k periods.
    period = (times[-1] - times[0]) / (len(times) - 1)
    assert numpy.abs(times - times[0] - period * numpy.arange(len(times))).max() < 0.0025, path
    return rows, times


def read_sample(folder, row, shapes):
    """Opens the files of a sample; adds the shape of each kind of them to `shapes`."""
    found = {}
    if "color" in row:
        with PIL.Image.open(folder / row["color"]) as picture:
            assert picture.mode == "RGB"
            found["color"] = numpy.asarray(picture)
    if "depth" in row:
        found["depth"] = numpy.load(folder / row["depth"])
        assert found["depth"].dtype == numpy.float32 and found["depth"].ndim == 2
        with PIL.Image.open(folder / row["depth_mm"]) as picture:
            millimetres = numpy.asarray(picture).astype(float)
        assert millimetres.shape == found["depth"].shape
        near = found["depth"] < 65.535
        assert numpy.abs(millimetres[near] / 1000.0 - found["depth"][near]).max(initial=0.0) < 0.00051
        assert (millimetres[~near] == 0).all()
    if "scan" in row:
        found["scan"] = numpy.load(folder / row["scan"])
        assert found["scan"].dtype == numpy.float64 and found["scan"].ndim == 2
        assert (found["scan"] > 0.0).all() and numpy.isfinite(found["scan"]).any()
    for kind, values in found.items():
        shapes[kind].add(values.shape)
    if "points" in row:
        vertices = plyfile.PlyData.read(folder / row["points"])["vertex"]
        names = [entry.name for entry in vertices.properties]
        assert names[:3] == ["x", "y", "z"] and names[3:] in ([], ["red", "green", "blue"]), names
        found["points"] = vertices
        shapes["points"].add(tuple(names))
    return found


def check_message(schema, content, found):
    """Whether a message of the MCAP file tells the same as the files of its sample."""
    if schema == "foxglove.CompressedImage":
        with PIL.Image.open(io.BytesIO(content.data)) as picture:
            assert (numpy.asarray(picture) == found["color"]).all()
    elif schema == "foxglove.RawImage":
        depth = numpy.frombuffer(content.data, dtype="<f4").reshape(content.height, content.width)
        assert (depth == found["depth"]).all()
    elif schema == "foxglove.LaserScan":
        assert found["scan"].shape == (1, len(content.ranges)) and (found["scan"][0] == content.ranges).all()
    elif schema == "foxglove.PointCloud":
        count = len(content.data) // content.point_stride
        assert count * content.point_stride == len(content.data)
        if "points" in found:
            assert count == len(found["points"].data)
            cloud = numpy.frombuffer(content.data, dtype=numpy.uint8).reshape(count, content.point_stride)
            places = numpy.ascontiguousarray(cloud[:, :12]).view("<f4")
            written = numpy.stack([found["points"][axis] for axis in "xyz"], axis=1)
            assert numpy.array_equal(places, written, equal_nan=True)
        elif "scan" in found:
            assert count == numpy.isfinite(found["scan"]).sum()
    elif schema == "foxglove.CameraCalibration":
        picture = found.get("color", found.get("depth"))
        assert (content.height, content.width) == picture.shape[:2] and content.K[0] == content.K[4] > 0
    else:
        raise AssertionError(f"an unknown message {schema}")


def read_messages(path):
    """Messages of the MCAP file by topic: schema, time in ns and content."""
    topics = collections.defaultdict(list)
    with open(path, "rb") as file:
        for schema, channel, message, content in make_reader(file, decoder_factories=[DecoderFactory()]).iter_decoded_messages():
            if hasattr(content, "timestamp"):
                assert content.timestamp.ToNanoseconds() == message.log_time, channel.topic
            topics[channel.topic].append((schema.name, message.log_time, content))
    for topic, messages in topics.items():
        assert (numpy.diff([time for _, time, _ in messages]) >= 0).all(), topic
    return topics


def read_samples(path, device, topics):
    """A sensor with an index and files for each sample."""
    rows, times = read_index(path / "index.csv")
    shapes = collections.defaultdict(set)
    mine = [messages for topic, messages in topics.items() if topic == device or topic.startswith(f"{device}/")]
    assert mine or not topics, f"{device} is not in the MCAP file"
    for number, (row, time) in enumerate(zip(rows, times, strict=True)):
        found = read_sample(path, row, shapes)
        for messages in mine:
            assert len(messages) == len(rows), device
            schema, stamp, content = messages[number]
            assert stamp == round(time * 1e9), device
            check_message(schema, content, found)
    assert all(len(shape) == 1 for shape in shapes.values()), shapes
    on_disk = {file.name for file in path.iterdir()} - {"index.csv"}
    if "scan" in rows[0]:
        yaw, pitch = (numpy.load(path / f"{axis}.npy") for axis in ("yaw", "pitch"))
        assert next(iter(shapes["scan"])) == (pitch.shape[1], yaw.shape[1])
        on_disk -= {"yaw.npy", "pitch.npy"}
    named = {row[kind] for row in rows for kind in ("color", "depth", "depth_mm", "scan", "points") if kind in row}
    assert on_disk == named, f"{device}: {on_disk ^ named}"
    return f"{len(rows)} samples to {times[-1]:g} s, " + ", ".join(
        f"{kind} {shape.pop()}" for kind, shape in sorted(shapes.items())
    )


def read_table(path, device, topics):
    """A sensor with a table: a row for each sample."""
    with open(path) as file:
        columns = file.readline().strip().split(",")
        table = numpy.loadtxt(file, delimiter=",", ndmin=2)
    assert columns[0] == "time [s]" and table.shape[1] == len(columns) and numpy.isfinite(table).all()
    steps = numpy.diff(table[:, 0])
    assert numpy.allclose(steps, steps.mean(), atol=1e-9), device
    if topics:
        stamps = [stamp for _, stamp, _ in topics[device]]
        assert stamps == [round(time * 1e9) for time in table[:, 0]], device
    return f"{table.shape[0]} rows of {', '.join(columns[1:])}"


def main(out):
    mcap = out / "run.mcap"
    topics = read_messages(mcap) if mcap.exists() else {}
    devices = 0
    for path in sorted((out / "sensors").glob("*/*")):
        device = f"/{path.parent.name}/{path.name.removesuffix('.csv')}"
        told = read_samples(path, device, topics) if path.is_dir() else read_table(path, device, topics)
        print(f"{device}: {told}")
        devices += 1
    assert devices, "there are no sensors in it"
    print(f"{devices} sensors, {sum(map(len, topics.values()))} messages of {len(topics)} topics")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
