"""Opens everything that a run has recorded of its sensors with packages that know nothing of Bunraku.

    pip install mcap mcap-protobuf-support foxglove-sdk rerun-sdk plyfile numpy
    bunraku run assets/scenes/sensors_all.scene.yaml --mcap
    python benches/peers/readers.py out/sensors_all

- `mcap` reads each message, by the descriptions in the file and by the official schemas of `foxglove-sdk`: both agree.
- `rerun` converts the MCAP file, and decodes what the page of sensors says of it.
- `plyfile` and NumPy read clouds, scans, depths and ground truth.

A package that is not installed is reported and skipped.
"""

import collections
import importlib.util
import pathlib
import shutil
import subprocess
import sys
import tempfile

# What Rerun makes of the schemas, as docs/reference/sensors.md lists it.
RERUN = {
    "foxglove.FrameTransforms": "Transform3D",
    "foxglove.PointCloud": "Points3D",
    "foxglove.CompressedImage": "EncodedImage",
    "foxglove.RawImage": "Image",
    "foxglove.CameraCalibration": "Pinhole",
    "foxglove.LocationFix": "GeoPoints",
}


def installed(*names):
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    if missing:
        print(f"skipped: {', '.join(missing)} not installed")
    return not missing


def official(name):
    """The message class of a schema of foxglove-sdk."""
    import foxglove.messages
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    known = getattr(foxglove.messages, name.removeprefix("foxglove."), None)
    if known is None:
        return None
    files = descriptor_pb2.FileDescriptorSet.FromString(known.get_schema().data)
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(name))


def fields(message):
    """Names and values of a message, for comparison."""
    found = {}
    for field, value in message.ListFields():
        if field.message_type is None:
            found[field.name] = list(value) if field.is_repeated else value
        elif field.is_repeated:
            found[field.name] = [fields(item) for item in value]
        else:
            found[field.name] = fields(value)
    return found


def read_mcap(path):
    """Each topic with its schema and number of messages."""
    from mcap.reader import make_reader
    from mcap_protobuf.decoder import DecoderFactory

    topics, classes, compared = {}, {}, 0
    with_foxglove = installed("foxglove")
    with open(path, "rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        for schema, channel, message, decoded in reader.iter_decoded_messages():
            name, count = topics.get(channel.topic, (schema.name, 0))
            topics[channel.topic] = (name, count + 1)
            if not (with_foxglove and schema.name.startswith("foxglove.")):
                continue
            if schema.name not in classes:
                classes[schema.name] = official(schema.name)
            if classes[schema.name] is None:
                continue
            again = classes[schema.name].FromString(message.data)
            assert fields(again) == fields(decoded), f"{channel.topic}: other content by the official schema"
            compared += 1
    assert topics, "no message"
    print(f"mcap: {sum(count for _, count in topics.values())} messages of {len(topics)} topics")
    if with_foxglove:
        print(f"foxglove-sdk: {compared} messages are the same by its schemas")
    return topics


def read_rerun(path, topics):
    """Converts the file, and checks what is decoded of each topic."""
    program = shutil.which("rerun", path=str(pathlib.Path(sys.executable).parent)) or shutil.which("rerun")
    if program is None:
        print("skipped: rerun-sdk not installed")
        return
    with tempfile.TemporaryDirectory() as folder:
        converted = pathlib.Path(folder) / "run.rrd"
        subprocess.run([program, "mcap", "convert", path, "-o", converted], check=True, capture_output=True)
        printed = subprocess.run([program, "rrd", "print", converted], check=True, capture_output=True, text=True).stdout
    columns = collections.defaultdict(set)
    for line in printed.splitlines():
        if line.startswith("Chunk(") and " - data columns: [" in line:
            topic, _, names = line.partition(" - data columns: [")
            columns[topic.rsplit(" - ", 1)[1]].update(name.split(":")[0] for name in names.rstrip("]").split())
    decoded = collections.Counter()
    for topic, (schema, _) in topics.items():
        expected = RERUN.get(schema)
        if expected is not None:
            assert expected in columns[topic], f"{topic}: Rerun has {sorted(columns[topic])} of {schema}"
            decoded[expected] += 1
    print(f"rerun: {dict(decoded)}")


def read_files(folder):
    """Reads clouds and arrays."""
    counts = collections.Counter()
    if installed("plyfile"):
        import plyfile

        for path in folder.rglob("*.ply"):
            vertices = plyfile.PlyData.read(path)["vertex"].data
            names = vertices.dtype.names
            assert names[:3] == ("x", "y", "z"), path
            for name, kind in (("intensity", "f4"), ("ring", "u2"), ("time", "f4")):
                if name in names:
                    assert vertices.dtype[name].str[1:] == kind, path
                    counts[f"clouds with {name}"] += 1
            counts["clouds"] += 1
    if installed("numpy"):
        import numpy

        for path in folder.rglob("*.npy"):
            array = numpy.load(path)
            shape = {"normals": 3, "flow": 2}.get(path.name.split(".")[1])
            assert array.ndim == (3 if shape else 2) and (shape is None or array.shape[2] == shape), path
            counts["arrays"] += 1
    print(f"files: {dict(counts)}")


if __name__ == "__main__":
    run = pathlib.Path(sys.argv[1])
    recording = run / "run.mcap"
    if recording.is_file() and installed("mcap", "mcap_protobuf"):
        read_rerun(recording, read_mcap(recording))
    read_files(run / "sensors")
