#!/usr/bin/env python3
"""Long runs: an hour with all sensors, and a recording of gigabytes that is read back. Measures memory, time and file sizes.

    benches/long_runs.py hour --program target/release/bunraku --out /tmp/hour --svg docs/pictures/hour.svg
    benches/long_runs.py recording --program target/release/bunraku --out /tmp/recording --gigabytes 5

`hour` runs `assets/scenes/sensors_all.scene.yaml` for an hour of simulated time, and samples the resident memory and the simulated time of
the process. `recording` lets a chain of 1000 links follow a motion, records all of them until the `.seq` file has the size, and
reads it with `info` and `convert`. Both need Python's standard library and Linux, and as much disk as they write: about 11 GB and 3 times
the size. Nothing is removed at the end.
"""

import argparse, json, os, pathlib, subprocess, sys, time

ROOT = pathlib.Path(__file__).resolve().parents[1]
SCENE = ROOT / "assets/scenes/sensors_all.scene.yaml"
LINKS = 1000


def measured(arguments):
    """Runs a command; its output, wall time (s) and peak of resident memory (bytes)."""
    started = time.monotonic()
    child = subprocess.Popen([str(argument) for argument in arguments], stdout=subprocess.PIPE, text=True)
    text = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = 0
    if status:
        sys.exit(f"{arguments}: status {status}\n{text}")
    return text, time.monotonic() - started, usage.ru_maxrss * 1024


def last_time(table):
    """Time in the last whole line of a table that is being written, s."""
    try:
        with open(table, "rb") as file:
            file.seek(max(0, table.stat().st_size - 4096))
            lines = file.read().split(b"\n")
        return float(lines[-2].split(b",")[0])
    except (OSError, ValueError, IndexError):
        return None


def size(directory):
    """Bytes and number of files below a directory."""
    files = [path for path in directory.rglob("*") if path.is_file()]
    return sum(path.stat().st_size for path in files), len(files)


def resident(pid):
    fields = pathlib.Path(f"/proc/{pid}/statm").read_text().split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")


def processor_time(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def hour(options):
    command = [options.program, "run", str(SCENE), "--duration", str(options.duration), "--out", str(options.out)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    samples, started = [], time.monotonic()
    while child.poll() is None:
        time.sleep(options.every)
        tables = sorted(options.out.glob("*.joints.csv*"))
        simulated = last_time(tables[0]) if tables else None
        try:
            sample = {"wall": time.monotonic() - started, "cpu": processor_time(child.pid), "simulated": simulated, "memory": resident(child.pid)}
        except (OSError, IndexError):
            break
        # A process that ends has no memory left.
        if simulated is not None and sample["memory"]:
            samples.append(sample)
            (options.out.parent / f"{options.out.name}.json").write_text(json.dumps(samples))
    print(child.stdout.read())
    if child.wait():
        sys.exit("the run failed")
    report(options, samples)


def report(options, samples):
    first = next(sample for sample in samples if sample["simulated"] > 0.02 * options.duration)
    last = samples[-1]
    total, count = size(options.out)
    print(f"| simulated, s | {last['simulated']:.0f} |\n| wall time, s | {last['wall']:.0f} |\n| processor time, s | {last['cpu']:.0f} |")
    print(f"| memory at {first['simulated']:.0f} s, MB | {first['memory'] / 1e6:.1f} |\n| memory at the end, MB | {last['memory'] / 1e6:.1f} |")
    for low, high in ((0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1)):
        part = [sample for sample in samples if low * options.duration <= sample["simulated"] <= high * options.duration]
        if len(part) > 1:
            steps = (part[-1]["simulated"] - part[0]["simulated"]) / 0.001
            print(f"| processor time of a step, {low:.0%} to {high:.0%}, µs | {(part[-1]['cpu'] - part[0]['cpu']) / steps * 1e6:.0f} |")
    print(f"| results, MB | {total / 1e6:.0f} |\n| files | {count} |")
    for name, (bytes_, number) in sorted((path.name, size(path)) for path in (options.out / "sensors").glob("*/*") if path.is_dir()):
        print(f"| {name}/, MB in files | {bytes_ / 1e6:.0f} in {number} |")
    for path in sorted(path for path in options.out.rglob("*") if path.is_file() and path.stat().st_size > 5e6):
        if path.parent.name in ("Inspector", options.out.name):
            print(f"| {path.name}, MB | {path.stat().st_size / 1e6:.0f} |")
    if options.svg:
        options.svg.write_text(svg(samples, options.duration))


def svg(samples, duration):
    """Two curves over simulated time: resident memory and processor time of a step."""
    steps = []
    for one, other in zip(samples, samples[10:]):
        if other["simulated"] > one["simulated"]:
            steps.append((other["simulated"], (other["cpu"] - one["cpu"]) / (other["simulated"] - one["simulated"]) * 1000))
    memory = [(sample["simulated"], sample["memory"] / 1e6) for sample in samples]
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 400" font-family="sans-serif" font-size="12">',
             '<rect width="640" height="400" fill="white"/>']
    for index, (name, unit, points) in enumerate((("resident memory", "MB", memory), ("processor time of a step", "µs", steps))):
        top, height = 30 + 190 * index, 130
        highest = 1.25 * max(value for _, value in points)
        x, y = (lambda time: 60 + 560 * time / duration), (lambda value: top + height * (1 - value / highest))
        stride = max(1, len(points) // 280)
        line = " ".join(f"{x(time):.1f},{y(value):.1f}" for time, value in points[::stride])
        parts += [f'<text x="60" y="{top - 8}">{name}, {unit}</text>',
                  f'<path d="M60 {top}V{top + height}H620" fill="none" stroke="#555"/>',
                  f'<text x="54" y="{top + height + 4}" text-anchor="end">0</text>',
                  f'<text x="54" y="{top + 8}" text-anchor="end">{highest:.0f}</text>',
                  f'<polyline points="{line}" fill="none" stroke="#1f77b4" stroke-width="1.5"/>']
        parts += [f'<text x="{x(duration * quarter / 4):.0f}" y="{top + height + 16}" text-anchor="middle">{duration * quarter / 4:.0f} s</text>' for quarter in range(5)]
    return "\n".join(parts + ["</svg>", ""])


def chain(directory):
    """A chain of links, a motion of all its joints and a scene that plays it."""
    links = ["format: ChoreonoidBody", "format_version: 2.0", "name: Chain", "links:", "  - { name: L0 }"]
    links += [f"  - {{ name: L{index}, parent: L{index - 1}, translation: [ 0, 0, 0.01 ], joint_type: revolute, joint_axis: Y, joint_id: {index - 1} }}"
              for index in range(1, LINKS)]
    (directory / "chain.body").write_text("\n".join(links) + "\n")
    frame = lambda sign: "      - [ " + ", ".join(f"{sign * 0.001 * (index % 17):.3f}" for index in range(LINKS - 1)) + " ]"
    frames = "\n".join(frame(1 if index % 2 else -1) for index in range(601))
    (directory / "wave.seq").write_text(
        "type: CompositeSeq\ncontent: BodyMotion\nformatVersion: 2\nframeRate: 1\ncomponents:\n  -\n    type: MultiValueSeq\n"
        f"    content: JointDisplacement\n    numParts: {LINKS - 1}\n    frames:\n{frames}\n")
    (directory / "chain.scene.yaml").write_text(
        "format: BunrakuScene\nformat_version: 1\nsimulation: { time_step: 0.001 }\nbodies:\n"
        "  - { name: Chain, file: chain.body, drive: motion, motion: wave.seq }\nrecord: { frame_rate: 1000, links: all }\n")


def recording(options):
    options.out.mkdir(parents=True, exist_ok=True)
    chain(options.out)
    program, scene = options.program, options.out / "chain.scene.yaml"
    rows = []

    def step(name, *arguments):
        text, seconds, memory = measured([program, *arguments])
        rows.append(f"| {name} | {seconds:.0f} | {memory / 1e6:.0f} |")
        print(rows[-1], flush=True)
        return text
    # A second shows the size of a frame.
    step("run, 1 s", "run", scene, "--duration", "1", "--out", options.out / "second")
    second = (options.out / "second/Chain.seq").stat().st_size
    duration = options.gigabytes * 1e9 / second * 1.02
    step(f"run, {duration:.0f} s", "run", scene, "--duration", f"{duration:.3f}", "--out", options.out / "results")
    file = options.out / "results/Chain.seq"
    print(f"| {file.name}, bytes | {file.stat().st_size} | |")
    print(step("info, small", "info", options.out / "second/Chain.seq"))
    print(step("info", "info", file))
    for name in ("converted.seq", "converted.csv"):
        step(f"convert to {name}, small", "convert", options.out / "second/Chain.seq", options.out / name)
        step(f"convert to {name}", "convert", "--seq-version" if name.endswith("seq") else "--strict", *(["4"] if name.endswith("seq") else []), file, options.out / name)
        print(f"| {name}, bytes | {(options.out / name).stat().st_size} | |", flush=True)
        (options.out / name).unlink()
    print("\n".join(rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["hour", "recording"])
    parser.add_argument("--program", required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--duration", type=float, default=3600, help="of `hour`, s of simulated time")
    parser.add_argument("--every", type=float, default=2, help="seconds between samples of `hour`")
    parser.add_argument("--svg", type=pathlib.Path)
    parser.add_argument("--gigabytes", type=float, default=5, help="of `recording`")
    options = parser.parse_args()
    {"hour": hour, "recording": recording}[options.what](options)


if __name__ == "__main__":
    main()
