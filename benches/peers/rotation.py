"""Rotations as 3 × 3 matrices and unit quaternions with the real part first."""

import numpy


def about(axis, angle):
    """The matrix that turns by an angle (rad) about an axis."""
    axis = numpy.asarray(axis, float)
    x, y, z = axis / numpy.linalg.norm(axis)
    cross = numpy.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return numpy.eye(3) + numpy.sin(angle) * cross + (1 - numpy.cos(angle)) * cross @ cross


def quaternion(matrix):
    """The quaternion of a matrix."""
    # The quaternion is the eigenvector of this symmetric matrix that belongs to its largest eigenvalue.
    a = numpy.asarray(matrix, float)
    symmetric = numpy.array(
        [
            [a[0, 0] + a[1, 1] + a[2, 2], a[2, 1] - a[1, 2], a[0, 2] - a[2, 0], a[1, 0] - a[0, 1]],
            [0, a[0, 0] - a[1, 1] - a[2, 2], a[0, 1] + a[1, 0], a[0, 2] + a[2, 0]],
            [0, 0, a[1, 1] - a[0, 0] - a[2, 2], a[1, 2] + a[2, 1]],
            [0, 0, 0, a[2, 2] - a[0, 0] - a[1, 1]],
        ]
    )
    _, vectors = numpy.linalg.eigh(symmetric, UPLO="U")
    result = vectors[:, -1]
    return result if result[0] >= 0 else -result
