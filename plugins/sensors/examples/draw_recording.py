"""Draws what a rover's scanner and a camera on the wall have recorded: a map of all clouds, and masks with boxes.

    pip install numpy pillow plyfile
    bunraku run assets/scenes/mapping.scene.yaml --duration 1.5
    python plugins/sensors/examples/draw_recording.py out/mapping

Writes mapping.png and masks.png beside it, into the current directory.
"""

import csv
import pathlib
import sys

import numpy
import PIL.Image
import PIL.ImageDraw
import plyfile

# Size of a pixel of the map, m, and its part of the world: least and largest x and y, m.
PIXEL = 0.01
SIDES = (-3.2, 3.2), (-2.7, 2.7)


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def rotation(w, x, y, z):
    return numpy.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def place(row):
    values = [float(row[name]) for name in ("x [m]", "y [m]", "z [m]", "qw", "qx", "qy", "qz")]
    return numpy.array(values[:3]), rotation(*values[3:])


def points(folder):
    """Points of all scans in the world, and their intensities, with the place of the scanner at each scan."""
    found, lights, path = [], [], []
    rows = rows_of(folder / "index.csv")
    for before, row in zip(rows, rows[1:]):
        cloud = plyfile.PlyData.read(folder / row["points"])["vertex"].data
        # Each point is in the frame of its own time: here between the poses of two samples.
        (start, _), (end, turn) = place(before), place(row)
        share = 1 + cloud["time"] / (float(row["time [s]"]) - float(before["time [s]"]))
        origin = start + share[:, None] * (end - start)
        turned = numpy.stack([cloud[axis] for axis in "xyz"], axis=1) @ turn.T
        first = place(before)[1]
        # The same for the rotation, which is small.
        turned_first = numpy.stack([cloud[axis] for axis in "xyz"], axis=1) @ first.T
        found.append(origin + turned * share[:, None] + turned_first * (1 - share[:, None]))
        lights.append(cloud["intensity"])
        path.append(end)
    return numpy.concatenate(found), numpy.concatenate(lights), numpy.array(path)


def map_of(folder):
    cloud, light, path = points(folder)
    pixel = lambda x, y: ((x - SIDES[0][0]) / PIXEL, (SIDES[1][1] - y) / PIXEL)
    size = [round((high - low) / PIXEL) for low, high in SIDES]
    picture = numpy.full((size[1], size[0], 3), 18, dtype=numpy.uint8)
    for index in numpy.argsort(cloud[:, 2]):
        x, y, z = cloud[index]
        column, row = (int(value) for value in pixel(x, y))
        if 0 <= column < size[0] and 0 <= row < size[1]:
            height = min(max(z / 2.0, 0.0), 1.0)
            color = numpy.array([height, 1 - abs(2 * height - 1), 1 - height])
            picture[row, column] = 255 * (0.4 + 0.6 * min(1.0, 2 * light[index])) * (0.2 + 0.8 * color)
    picture = PIL.Image.fromarray(picture)
    PIL.ImageDraw.Draw(picture).line([pixel(x, y) for x, y, _ in path], fill=(255, 255, 255), width=2)
    return picture.quantize(64, dither=PIL.Image.Dither.NONE)


def masks_of(folder, sample):
    """The picture with the boxes of its labels, and its labels as colours."""
    picture = PIL.Image.open(folder / f"{sample}.png").convert("RGB")
    labels = numpy.array(PIL.Image.open(folder / f"{sample}.labels.png"))
    colors = numpy.random.default_rng(3).integers(60, 256, (int(labels.max()) + 1, 3), dtype=numpy.uint8)
    colors[0] = 0
    draw = PIL.ImageDraw.Draw(picture)
    for row in rows_of(folder / f"{sample}.boxes.csv"):
        box = [float(row[f"{side} [px]"]) for side in ("left", "top", "right", "bottom")]
        draw.rectangle(box, outline=tuple(int(value) for value in colors[int(row["label"])]), width=2)
    both = PIL.Image.new("RGB", (2 * picture.width, picture.height))
    both.paste(picture, (0, 0))
    both.paste(PIL.Image.fromarray(colors[labels]), (picture.width, 0))
    return both


if __name__ == "__main__":
    sensors = pathlib.Path(sys.argv[1]) / "sensors"
    map_of(sensors / "Mapper/LASER").save("mapping.png", optimize=True)
    camera = sensors / "Observer/COLOR"
    last = max(path.name.split(".")[0] for path in camera.glob("*.labels.png"))
    masks_of(camera, last).resize((960, 360), PIL.Image.LANCZOS).save("masks.png", optimize=True)
