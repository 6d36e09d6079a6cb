"""Follows a table of joint displacements with the torque law of `type: pd`: KP·Δq + KD·Δq̇, by differences.

In a scene: controller: { type: process, command: [ python3, follow.py, walk.csv, "8000", "100" ] }
The table has a column for each joint, in rad or m, and a row for each step: `bunraku convert walk.seq walk.csv`.
"""
import csv
import json
import sys

table, kp, kd = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
body = json.loads(sys.stdin.readline())
joints, dt = [joint["name"] for joint in body["joints"]], body["period"]
with open(table, newline="") as file:
    rows = [row for row in csv.reader(line for line in file if not line.startswith("#"))]
columns = [next(i for i, name in enumerate(rows[0]) if name.split(".")[0].split(" ")[0] == joint) for joint in joints]
reference = [[float(row[column]) for column in columns] for row in rows[1:]]

before = None
for k, line in enumerate(sys.stdin):
    q = json.loads(line)["displacements"]
    r = reference[min(k, len(reference) - 1)]
    r0, q0 = before or (r, q)
    efforts = [kp * (r[i] - q[i]) + kd * ((r[i] - r0[i]) / dt - (q[i] - q0[i]) / dt) for i in range(len(q))]
    before = r, q
    print(json.dumps({"efforts": efforts}), flush=True)
