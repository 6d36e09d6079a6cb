"""Prints where OpenCV projects some points through distorted lenses: the constants of plugins/render/tests/render/lenses.rs.

    pip install opencv-python-headless numpy
    python benches/peers/lenses.py
"""

import cv2
import numpy as np

POINTS = np.array(
    [
        [0.0, 0.0, 1.0],
        [0.3, -0.2, 1.0],
        [-0.5, 0.4, 1.2],
        [0.1, 0.45, 0.8],
        [-0.35, -0.35, 0.9],
        [0.7, 0.05, 2.0],
    ]
)
WIDE = np.vstack([POINTS, [[2.0, 0.5, 1.0], [-1.0, 3.0, 0.7]]])
MATRIX = np.array([[520.9, 0, 325.1], [0, 521.0, 249.7], [0, 0, 1]])
BROWN = [0.2312, -0.7849, -0.0033, -0.0001, 0.9172]
RATIONAL = [0.52, -0.13, 0.0011, -0.0008, 0.021, 0.61, -0.11, 0.013]
FISHEYE = [0.0034, 0.00071, -0.0023, 0.00061]


def rows(name, points, pixels):
    print(f"// {name}")
    for point, pixel in zip(points, pixels.reshape(-1, 2)):
        numbers = [", ".join(repr(float(value)) for value in values) for values in (point, pixel)]
        print(f"    ([{numbers[0]}], [{numbers[1]}]),")


if __name__ == "__main__":
    none = np.zeros(3)
    rows("projectPoints, 5 coefficients", POINTS, cv2.projectPoints(POINTS, none, none, MATRIX, np.array(BROWN))[0])
    rows("projectPoints, 8 coefficients", POINTS, cv2.projectPoints(POINTS, none, none, MATRIX, np.array(RATIONAL))[0])
    wide = WIDE.reshape(-1, 1, 3)
    rows("fisheye.projectPoints", WIDE, cv2.fisheye.projectPoints(wide, none, none, MATRIX, np.array(FISHEYE))[0])
    print("//", cv2.__version__)
