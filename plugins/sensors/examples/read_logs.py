"""Reads what write_logs.rs wrote with packages that know nothing of Bunraku, and checks shapes, times and values.

    pip install numpy pillow plyfile mcap mcap-protobuf-support
    python plugins/sensors/examples/read_logs.py out/logs
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

WIDTH, HEIGHT, YAWS, STEPS = 160, 120, 101, 501


def index(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def main(folder):
    imu = numpy.genfromtxt(folder / "Ball/Imu.csv", delimiter=",", skip_header=1)
    assert imu.shape == (STEPS, 7), imu.shape
    assert numpy.allclose(imu[:, 0], numpy.arange(STEPS) * 0.002)
    assert numpy.allclose(imu[:, 3], 9.80665) and numpy.allclose(imu[:, 6], 1.0)

    frames = index(folder / "Mast/Camera/index.csv")
    assert numpy.allclose([float(row["time [s]"]) for row in frames], numpy.arange(11) * 0.1)
    for row in frames:
        color = PIL.Image.open(folder / "Mast/Camera" / row["color"])
        assert (color.size, color.mode) == ((WIDTH, HEIGHT), "RGB")
        depth = numpy.load(folder / "Mast/Camera" / row["depth"])
        assert (depth.shape, depth.dtype) == ((HEIGHT, WIDTH), numpy.float32)
        millimetres = numpy.asarray(PIL.Image.open(folder / "Mast/Camera" / row["depth_mm"]))
        seen = numpy.isfinite(depth)
        assert numpy.abs(millimetres[seen] / 1000.0 - depth[seen]).max() < 0.00051
        assert (millimetres[~seen] == 0).all()
        vertices = plyfile.PlyData.read(folder / "Mast/Camera" / row["points"])["vertex"]
        assert len(vertices) == WIDTH * HEIGHT
        # The optical axis is -Z of the device frame.
        assert numpy.allclose(-vertices["z"].reshape(HEIGHT, WIDTH)[seen], depth[seen], atol=1e-6)
        assert (numpy.asarray(color).reshape(-1, 3)[:, 0] == vertices["red"]).all()

    scans = index(folder / "Mast/Scanner/index.csv")
    assert len(scans) == 21
    for row in scans:
        scan = numpy.load(folder / "Mast/Scanner" / row["scan"])
        assert (scan.shape, scan.dtype) == ((1, YAWS), numpy.float64)
        # The ball, and the wall, whose face is 2.95 m ahead, wherever a ray meets it.
        assert scan.min() >= 0.6 and numpy.isfinite(scan).any()

    counts = collections.Counter()
    with open(folder / "run.mcap", "rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        for schema, channel, message, content in reader.iter_decoded_messages():
            counts[channel.topic, schema.name] += 1
            if schema.name == "foxglove.CompressedImage":
                assert PIL.Image.open(io.BytesIO(content.data)).size == (WIDTH, HEIGHT)
            elif schema.name == "foxglove.PointCloud":
                assert len(content.data) == WIDTH * HEIGHT * content.point_stride
                assert [field.name for field in content.fields] == ["x", "y", "z", "red", "green", "blue", "alpha"]
            elif schema.name == "foxglove.RawImage":
                depth = numpy.frombuffer(content.data, dtype="<f4").reshape(content.height, content.width)
                assert depth.shape == (HEIGHT, WIDTH)
            elif schema.name == "foxglove.LaserScan":
                assert len(content.ranges) == YAWS
            elif schema.name == "bunraku.Imu":
                assert abs(content.linear_acceleration.z - 9.80665) < 1e-9
                stamp = content.timestamp.ToNanoseconds()
                assert stamp == message.log_time
    expected = {
        ("/Ball/Imu", "bunraku.Imu"): STEPS,
        ("/tf", "foxglove.FrameTransforms"): STEPS,
        ("/Mast/Camera/color", "foxglove.CompressedImage"): 11,
        ("/Mast/Camera/depth", "foxglove.RawImage"): 11,
        ("/Mast/Camera/points", "foxglove.PointCloud"): 11,
        ("/Mast/Scanner", "foxglove.LaserScan"): 21,
    }
    assert counts == expected, counts
    print(f"all is there: {STEPS} IMU readings, {len(frames)} frames, {len(scans)} scans, {sum(counts.values())} messages")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
