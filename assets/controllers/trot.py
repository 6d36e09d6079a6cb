"""Trots with a robot on four legs: diagonal legs swing together, and step to where the robot would come to rest.

In a scene: controller: { type: process, command: [ python3, trot.py, "0.6", "0.3" ], output: displacement, … }
The arguments are the speed forwards, m/s, and the speed of turning, rad/s.
"""
import json
import sys
from math import acos, atan2, cos, hypot, pi, sin

SPEED, TURN = (float(argument) for argument in sys.argv[1:3])
PERIOD, LIFT = 0.35, 0.06  # of a step with each pair of legs, s; of a swinging foot, m
HEIGHT, SIDE, LINK = 0.34, 0.06, 0.22  # of the hips above the feet, from roll axis to leg, of thigh and shank, m
LEVEL, CATCH = 0.3, 0.12  # of the height of a leg by the tilt; of a step by the speed, s
# Hips in the frame of the trunk, m, and the part of the period at which the swing of a leg begins.
LEGS = [(0.2, 0.09, 0.0), (0.2, -0.09, 0.5), (-0.2, 0.09, 0.5), (-0.2, -0.09, 0.0)]


def angles(x, y, z, side):
    """Joint angles for a foot in the frame of its hip; knees point forwards."""
    down = max(hypot(y, z) ** 2 - side**2, 1e-6) ** 0.5
    roll = atan2(y, -z) - atan2(side, down)
    reach = min(hypot(x, down), 1.999 * LINK)
    knee = acos(reach**2 / (2 * LINK**2) - 1)
    return [roll, atan2(-x, down) - knee / 2, knee]


def foot(phase, step, ahead):
    """Offset of a foot, m: it swings to where it stands ahead, and is then pushed back."""
    if phase < 0.5:
        share = phase / 0.5
        smooth = (1 - cos(pi * share)) / 2
        return ahead * smooth - step / 2 * (1 - smooth), LIFT * sin(pi * share) ** 2
    return ahead + (-step / 2 - ahead) * (phase - 0.5) / 0.5, 0.0


json.loads(sys.stdin.readline())
for line in sys.stdin:
    state = json.loads(line)
    time, root = state["time"], state["root"]
    w, i, j, k = root["quaternion"]
    yaw = atan2(2 * (w * k + i * j), 1 - 2 * (j * j + k * k))
    roll, pitch = 2 * (w * i + j * k), 2 * (w * j - k * i)
    vx, vy = root["velocity"][:2]
    forwards, left = vx * cos(yaw) + vy * sin(yaw), vy * cos(yaw) - vx * sin(yaw)
    start = min(max(time - 0.5, 0) / 1.5, 1)  # stands, then speeds up
    targets = []
    for hip_x, hip_y, begin in LEGS:
        side = SIDE if hip_y > 0 else -SIDE
        phase = (time / PERIOD + begin) % 1
        away = hip_y + side
        step_x = (SPEED - TURN * away) * start * PERIOD / 2
        step_y = TURN * hip_x * start * PERIOD / 2
        ahead_x = step_x / 2 + CATCH * (forwards - SPEED * start)
        ahead_y = step_y / 2 + CATCH * left
        (x, up), (y, _) = foot(phase, step_x, ahead_x), foot(phase, step_y, ahead_y)
        # Below the hips by the vertical; legs on the lower side push harder.
        x, y = x + HEIGHT * pitch, side + y - HEIGHT * roll
        z = -HEIGHT + up * min(start * 4, 1) - LEVEL * (hip_x * pitch - away * roll)
        targets += angles(x, y, z, side)
    print(json.dumps({"displacements": targets}), flush=True)
