"""Holds the joints of a body where they start, by the efforts KP·(start − q) − KD·q̇.

In a scene: controller: { type: process, command: [ python3, hold.py ] }
"""
import json
import sys

KP, KD = 60.0, 6.0

body = json.loads(sys.stdin.readline())  # names and limits of the joints, the time step, …
start = None
for line in sys.stdin:  # one state a control period; the end of the input is the end of the run
    state = json.loads(line)
    q, dq = state["displacements"], state["velocities"]
    start = start or q
    efforts = [KP * (start[i] - q[i]) - KD * dq[i] for i in range(len(q))]
    print(json.dumps({"efforts": efforts}), flush=True)
