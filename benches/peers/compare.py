#!/usr/bin/env python3
"""Runs Bunraku and MuJoCo side by side on the same models and prints one table.

    python benches/peers/compare.py [--bunraku PATH] [--repeat N] [walk] [pendulum] [four_bar] [sensors]

What is not installed is skipped and named. See README.md beside this file.
"""

import argparse
import importlib.util
import os
import sys
import tempfile
from pathlib import Path

# What is imported from here leaves no compiled files in the repository.
sys.dont_write_bytecode = True

TESTS = ("walk", "pendulum", "four_bar", "sensors")
INSTALL = "python3 -m venv ~/peers && ~/peers/bin/pip install -r benches/peers/requirements.txt"


def main():
    arguments = read_arguments()
    if importlib.util.find_spec("numpy") is None:
        print(f"skipped: everything needs numpy, which comes with mujoco: {INSTALL}")
        return 0
    # They need numpy themselves.
    import contest
    import four_bar
    import pendulum
    import sensors
    import table
    import walk
    from program import Bunraku

    binary = arguments.bunraku or find_binary()
    if binary is None:
        print("bunraku is not built: cargo build -p bunraku, or pass --bunraku PATH", file=sys.stderr)
        return 1
    bunraku = Bunraku(binary)
    engines = [bunraku.version()]
    if importlib.util.find_spec("mujoco") is None:
        print(f"skipped: the MuJoCo side, mujoco is not installed: {INSTALL}")
        mujoco = None
    else:
        import engine

        mujoco = engine.MuJoCo()
        engines.append(mujoco.version())
    table.print_machine(engines)

    rows = []
    tests = {"walk": walk, "pendulum": pendulum, "four_bar": four_bar, "sensors": sensors}
    with tempfile.TemporaryDirectory(prefix="bunraku-peers-") as work:
        for name in dict.fromkeys(arguments.tests or TESTS):
            directory = Path(work) / name
            directory.mkdir()
            rows += contest.hold(list(tests[name].entries(bunraku, mujoco, directory)), arguments.repeat)
    if rows:
        table.print_rows(rows)
        table.print_legend()
    return 0


def read_arguments():
    parser = argparse.ArgumentParser(description="Runs Bunraku and MuJoCo side by side on the same models.")
    parser.add_argument("--bunraku", type=Path, help="the program [default: that of target/debug or target/release]")
    parser.add_argument("--repeat", type=int, default=5, help="rounds of which the median times are shown [default: 5]")
    parser.add_argument("tests", nargs="*", metavar="TEST", help=f"{', '.join(TESTS)} [default: all]")
    arguments = parser.parse_args()
    unknown = set(arguments.tests) - set(TESTS)
    if unknown or arguments.repeat < 1:
        parser.error(f"unknown test: {', '.join(sorted(unknown))}" if unknown else "--repeat is at least 1")
    return arguments


def find_binary():
    """The newest of what cargo has built."""
    root = Path(__file__).resolve().parents[2]
    target = Path(os.environ.get("CARGO_TARGET_DIR", root / "target"))
    built = [target / profile / "bunraku" for profile in ("debug", "release")]
    built = [path for path in built if path.is_file()]
    return max(built, key=lambda path: path.stat().st_mtime, default=None)


if __name__ == "__main__":
    sys.exit(main())
