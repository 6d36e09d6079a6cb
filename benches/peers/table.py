"""What is printed."""

import os
import platform


def print_machine(engines):
    """The line that figures are worth nothing without."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(f"machine: {processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}, load {load:.1f}")
    print(f"versions: {', '.join(engines)}, Python {platform.python_version()}")


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or "unknown processor"


def print_rows(rows):
    head = ("test", "engine", "µs per step, median (fastest)", "result")
    widths = [max(len(cell) for cell in column) for column in zip(head, *rows)]
    print()
    for cells in (head, tuple("-" * width for width in widths), *rows):
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths)) + " |")


def print_legend():
    """What the times are of."""
    print()
    print("whole loop            control, physics, reading back; with Bunraku also the recording of every step to a file")
    print("solver, detection, …  parts of the whole loop; with impulse joints the solver is all of rapier's pipeline")
    print("mj_step from Python   the calls only, each with what the binding costs")
    print("engine alone          mujoco.rollout with the same efforts again: no Python between the steps, every state kept")
