#!/usr/bin/env python3
"""Hashes of the golden runs in builds for other processors and other optimization levels, on one thread and on all.

    tests/system/golden_builds.py release release-x86-64-v3 unoptimized
    tests/system/golden_builds.py --program target/debug/bunraku
    tests/system/golden_builds.py --solver development release release-x86-64-v4 unoptimized

Each build is made in a directory of its own, which is removed afterwards: nearly everything is compiled, which takes some
minutes. With `--solver` only the solver is built, in less time, and the state of 8 robots after 700 steps is compared. Needs Python's standard library only. The scenes are those of `golden_hashes.rs`, and the expected hashes are its
snapshot, of the development build. Exit status 1 if a hash differs.

A build is `release`, `development` or `unoptimized` (every crate at opt-level 0), and may end with a processor of
`rustc --print target-cpus`: `release-x86-64-v3` has AVX2 and FMA, `release-x86-64-v4` AVX-512, `release-native` what there is.
"""

import argparse, json, os, pathlib, re, shutil, subprocess, sys, tempfile, time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SNAPSHOT = ROOT / "tests/system/snapshots/system__golden_hashes__golden_hashes.snap"
RUNS = [("a robot on two legs", "assets/scenes/legs.scene.yaml", "0.5"),
        ("a pile", "tests/system/golden_scenes/pile.scene.yaml", "0.5"),
        ("a loop", "tests/system/golden_scenes/loop.scene.yaml", "0.5"),
        ("all sensors", "assets/scenes/sensors_all.scene.yaml", "0.2")]


def expected():
    """Hash of each file of results, by the name of the run."""
    blocks = SNAPSHOT.read_text().split("---\n", 2)[2].strip().split("\n\n")
    named = [block.split(":\n", 1) for block in blocks]
    return {name: {line[17:]: line[:16] for line in lines.splitlines()} for name, lines in named}


def unoptimized():
    """Settings of the development profile without any optimization: those of `Cargo.toml` name packages."""
    packages = re.findall(r'^"?([\w*-]+)"? = \{ .*opt-level = \d', (ROOT / "Cargo.toml").read_text(), re.M)
    settings = ["profile.dev.opt-level=0", 'profile.dev.package."*".opt-level=0']
    settings += [f"profile.dev.package.{package}.opt-level=0" for package in packages if package != "*"]
    return [argument for setting in settings for argument in ("--config", setting)]


def cargo(name, directory, arguments):
    """Runs cargo for a build of this name; its output."""
    kind, _, processor = name.partition("-")
    profile = {"release": ["--release"], "development": [], "unoptimized": unoptimized()}[kind]
    flags = os.environ.get("RUSTFLAGS", "") + (f" -C target-cpu={processor}" if processor else "")
    environment = {**os.environ, "CARGO_TARGET_DIR": str(directory), "RUSTFLAGS": flags, "CARGO_INCREMENTAL": "0", "CARGO_PROFILE_DEV_DEBUG": "0"}
    command = ["cargo", arguments[0], "--locked", *profile, *arguments[1:]]
    return subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout


def build(name, directory, features):
    """The program, built as its name says."""
    cargo(name, directory, ["build", "--bin", "bunraku", "--no-default-features", "--features", features])
    return directory / ("release" if name.startswith("release") else "debug") / "bunraku"


def solver(name, directory):
    """Hash of a state of the solver in a build."""
    text = cargo(name, directory, ["test", "-p", "bunraku_multibody", "--lib", "bits_of_a_state", "--", "--nocapture"])
    return re.search(r"bits of a state: (\w+)", text)[1]


def compare_solvers(builds):
    """Number of builds whose state is not that of the first."""
    found = {}
    print("| build | bits of a state |\n|---|---|", flush=True)
    for name in builds:
        with tempfile.TemporaryDirectory(prefix="golden", dir=os.environ.get("BUNRAKU_BUILDS")) as directory:
            found[name] = solver(name, pathlib.Path(directory))
            print(f"| {name} | `{found[name]}` |", flush=True)
    return sum(bits != found[builds[0]] for bits in found.values())


def hashes(program, scene, duration, processors):
    with tempfile.TemporaryDirectory() as out:
        command = [str(program), "run", str(ROOT / scene), "--duration", duration, "--out", out]
        subprocess.run(command, check=True, capture_output=True, preexec_fn=lambda: os.sched_setaffinity(0, processors))
        files = json.loads((pathlib.Path(out) / "summary.json").read_text())["sha256"]["files"]
        return {name: digest[:16] for name, digest in files.items()}


def compare(label, program):
    """Number of files that differ from the expected ones, printed as rows of a table."""
    available, different = sorted(os.sched_getaffinity(0)), 0
    for processors in ([available[0]], available):
        for (name, scene, duration) in RUNS:
            found, golden = hashes(program, scene, duration, processors), expected()[name]
            other = sorted(file for file in golden.keys() | found.keys() if golden.get(file) != found.get(file))
            different += len(other)
            print(f"| {label} | {len(processors)} | {name} | {len(golden)} | {len(other)} |", flush=True)
            for file in other:
                print(f"    {file}: {found.get(file)} instead of {golden.get(file)}", file=sys.stderr)
    return different


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("builds", nargs="*")
    parser.add_argument("--program", help="a program that is built already")
    parser.add_argument("--solver", action="store_true", help="build and compare the solver alone")
    parser.add_argument("--features", default="cli")
    parser.add_argument("--keep", type=pathlib.Path, help="directory where the programs are kept")
    options = parser.parse_args()
    if options.solver:
        return bool(compare_solvers(options.builds))
    different = 0
    print("| build | threads | run | files | different |\n|---|---|---|---|---|", flush=True)
    if options.program:
        different += compare(options.program, pathlib.Path(options.program).resolve())
    for name in options.builds:
        with tempfile.TemporaryDirectory(prefix="golden", dir=os.environ.get("BUNRAKU_BUILDS")) as directory:
            started = time.monotonic()
            program = build(name, pathlib.Path(directory), options.features)
            print(f"{name}: built in {time.monotonic() - started:.0f} s", file=sys.stderr)
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                shutil.copy(program, options.keep / name)
            different += compare(name, program)
    return bool(different)


if __name__ == "__main__":
    sys.exit(main())
