#!/usr/bin/env python3
"""Damaged real files and random scenes through the program: counts panics, hangs, memory and errors without a place.

    tests/fuzzing/damaged.py --program target/debug/bunraku --files 20000 --scenes 2000

Needs nothing but Python's standard library. Seeds are fixed: the same numbers give the same files. Real files are those of
`assets/`, `tests/fuzzing/seeds` and, where it is set, BUNRAKU_CORPUS; they are copied, and each damaged file lies beside its
original, so that its meshes are found.

`check` takes many files in one process. A batch that panics, is killed, takes longer than the limit of a file or more memory
than one may is halved until the file is found; so a batch that does none of this vouches for each of its files. Files that
are accepted and can be simulated are then run, each in a process of its own.
"""

import argparse, collections, os, pathlib, random, re, resource, shutil, signal, subprocess, sys, tempfile, time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HANG = 2.0  # s of processor time, for one file in `check`; `--run-limit` is that of `run`
MEMORY = 1 << 30  # bytes
KINDS = ["body", "wrl", "cnoid", "stl", "dae", "obj", "gltf", "glb", "urdf", "xacro", "xml", "seq", "csv", "scene.yaml", "robot.yaml", "yaml"]
RUNNABLE = ("body", "wrl", "cnoid", "urdf", "xacro", "xml", "scene.yaml")
LARGEST = 256 << 10  # bytes of an original; larger ones take longer and have nothing else in them
NUMBERS = ["0", "-0.0", "-1", "1", "2", "1.5", "-90", "9999", "1e999", "nan", ".nan", "-.inf", "0x7FFFFFFF", "4294967296",
           "-2147483649", "9223372036854775808", "1e-320", "1e308", "1e30", "1000000", "1 2", "[]", "{}", ""]
WORDS = ["[", "]", "{", "}", "<", ">", "/>", '"', "'", "#", "&a", "*a", "<<: *a", "- ", ": ", ",", "\n", "\t", "\0", "\\", "${x}",
         "../", "/", "null", "true", "~", "|", ">", "---", "\u30dc", "\ufeff", "\x1b[2J", "\u202e", "&amp;", "<!--", "<!DOCTYPE a ["]
WORD = re.compile(rb"[A-Za-z0-9_.+-]+")
ESCAPES = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u202a-\u202e\u2066-\u2069]")


def damaged(original, other, dice):
    """The bytes with a few changes; half of the files only have other words and numbers."""
    content = bytearray(original)
    if dice.random() < 0.5:
        for _ in range(dice.randint(1, 3)):
            words = list(WORD.finditer(content))
            if not words:
                break
            word = dice.choice(words)
            strange = WORD.findall(other[:4096]) or [b"x"]
            new = dice.choice(NUMBERS).encode() if any(48 <= byte < 58 for byte in word[0]) else dice.choice(strange)
            content[word.start():word.end()] = new
        return bytes(content)
    for _ in range(dice.randint(1, 4)):
        at = dice.randint(0, len(content))
        choice = dice.randrange(7)
        if choice == 0:
            del content[at:]
        elif choice == 1 and at < len(content):
            content[at] = dice.randrange(256)
        elif choice == 2:
            content[at:at] = dice.choice(WORDS).encode()
        elif choice == 3:
            del content[at:at + dice.randrange(60)]
        elif choice == 4:
            content[at:at] = content[at:at + dice.randrange(300)] * dice.randint(1, 3)
        elif choice == 5:
            start = dice.randrange(len(other) + 1)
            content[at:at] = other[start:start + dice.randrange(300)]
        else:
            content[at:at] = (dice.choice(WORDS) * dice.randint(1, 200)).encode()
    return bytes(content)


def scene(dice):
    """The text of a random scene of shapes, with numbers from ordinary to absurd."""
    is_absurd = dice.random() < 0.25

    def number(ordinary):
        if not is_absurd or dice.random() < 0.9:
            return repr(ordinary)
        return dice.choice(["0", "-1", "1e-9", "1e9", "1e30", "1e308", ".nan"])

    def shape():
        size = lambda: number(round(dice.uniform(0.02, 1), 3))
        weight = dice.choice(["", f", mass: {number(1.0)}", f", density: {number(300.0)}"])
        form = dice.choice([f"box, size: [ {size()}, {size()}, {size()} ]", f"sphere, radius: {size()}",
                            f"cylinder, radius: {size()}, height: {size()}", f"capsule, radius: {size()}, height: {size()}"])
        return f"{{ type: {form}{weight} }}"

    def vector(width):
        return "[ " + ", ".join(number(round(dice.uniform(-width, width), 3)) for _ in range(3)) + " ]"
    names = [f"B{index}" for index in range(dice.randint(1, 12))]
    lines = ["format: BunrakuScene", "format_version: 1",
             f"simulation: {{ duration: 1, time_step: {number(dice.choice([0.001, 0.002, 0.01]))}, gravity: {vector(10)} }}", "bodies:",
             "  - { name: Floor, shape: { type: box, size: [ 10, 10, 0.1 ] }, translation: [ 0, 0, -0.05 ], drive: static }"]
    for name in names:
        extra = dice.choice(["", "", f", rotation: [ 0, 0, 1, {number(30)} ]", f", linear_velocity: {vector(3)}", f", angular_velocity: {vector(900)}"])
        lines.append(f"  - {{ name: {name}, shape: {shape()}, translation: {vector(1)}{extra} }}")
    if len(names) > 2 and dice.random() < 0.5:
        kind = dice.choice(["ball", "fixed", "hinge", "piston"])
        axis = ", axis: [ 0, 0, 1 ]" if kind in ("hinge", "piston") else ""
        lines += ["extra_joints:", f"  - {{ type: {kind}, link1: {names[0]}, link2: {names[1]}{axis}, translation_in_link1: {vector(0.3)} }}"]
    if dice.random() < 0.3:
        lines += ["external_forces:", f"  - {{ link: {names[0]}, force: {vector(50)}, start: 0, end: {number(0.02)} }}"]
    return "\n".join(lines) + "\n"


class Findings:
    def __init__(self, keep):
        self.counts, self.kept, self.keep, self.long = collections.Counter(), [], keep, 0

    def add(self, what, path, text=""):
        self.counts[what] += 1
        copy = self.keep / f"{what}-{self.counts[what]}-{pathlib.Path(path).name}"
        shutil.copy(path, copy)
        self.kept.append(f"{what}: {path}: {text.strip()[:300]}")
        print(self.kept[-1], file=sys.stderr, flush=True)


def execute(arguments, directory, wall):
    """Exit status, output, processor time and peak memory of a process; status None if it was ended at `wall` seconds."""
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(arguments, cwd=directory, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True)
        end, ended = time.monotonic() + wall, False
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > end and not ended:
                os.killpg(child.pid, signal.SIGKILL)
                ended = True
            time.sleep(0.002)
        child.returncode = 0
        output.seek(0)
        text = output.read().decode(errors="replace")
    return None if ended else status, text, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def faults(status, text, paths):
    """Names of what is wrong with the outcome of files; whatever it is belongs to one of them."""
    if status is None:
        yield "hang"
    elif os.WIFSIGNALED(status) or os.WEXITSTATUS(status) not in (0, 1, 2):
        yield "death"
    if "error[internal]" in text or "panicked at" in text or "came to a stop" in text:
        yield "panic"
    if ESCAPES.search(text.replace("\t", " ")):
        yield "control character"
    for block in re.split(r"\n(?=(?:error|warning|note)\[)", text):
        if block.startswith("error["):
            located = re.search(r"^ *-->", block, re.M) or any(pathlib.Path(path).name in block for path in paths)
            if not located:
                yield "error without a place"


def check(program, files, share, findings, rejected):
    """Checks files in one process, and halves of them if something is wrong."""
    status, text, seconds, memory = execute([program, "check", *share, *files], "/", HANG * 5)
    wrong = set(faults(status, text, files))
    if seconds > HANG:
        wrong.add("hang")
    if memory > MEMORY:
        wrong.add("memory")
    if not wrong:
        found = re.findall(r"^(.*): ([1-9][0-9]*) errors?, ", text, re.M) if len(files) > 1 else []
        names = {name for name, _ in found} if len(files) > 1 else ({files[0]} if os.WEXITSTATUS(status) else set())
        rejected.update(names)
    elif len(files) > 1:
        half = len(files) // 2
        check(program, files[:half], share, findings, rejected)
        check(program, files[half:], share, findings, rejected)
    else:
        rejected.add(files[0])
        for what in sorted(wrong):
            findings.add(what, files[0], text[-300:])


def run(program, file, share, out, findings, limit):
    """Runs a file for 0.05 s; whether that was possible."""
    arguments = [program, "run", *share, file, "--duration", "0.05", "--out", str(out)]
    status, text, seconds, memory = execute(arguments, str(out.parent), 30)
    wrong = set(faults(status, text, [file]))
    if seconds > limit:
        wrong.add("hang")
    # A file may ask for hours of simulation in tiny steps. The program has said so, and can be interrupted.
    if "hang" in wrong and re.search(r"warning: a run of .* makes .* steps", text):
        wrong.discard("hang")
        findings.long += 1
    if memory > MEMORY:
        wrong.add("memory")
    for what in sorted(wrong):
        findings.add(f"run: {what}", file, text[-300:])
    shutil.rmtree(out, ignore_errors=True)
    return status is not None and os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0


def kind_of(path):
    return next((kind for kind in KINDS if path.name.endswith("." + kind)), None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--files", type=int, default=20000)
    parser.add_argument("--scenes", type=int, default=2000)
    parser.add_argument("--run-one-in", type=int, default=1, help="of the accepted files that can be simulated, run one in so many")
    parser.add_argument("--run-limit", type=float, default=10, help="s of processor time to load a file and simulate 0.05 s of it")
    parser.add_argument("--seed", type=int, default=44)
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("damaged"), help="where files with a finding are kept")
    options = parser.parse_args()
    program = str(pathlib.Path(options.program).resolve())
    options.keep.mkdir(parents=True, exist_ok=True)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    findings, dice = Findings(options.keep.resolve()), random.Random(options.seed)
    os.environ.pop("BUNRAKU_SHARE", None)
    with tempfile.TemporaryDirectory(prefix="damaged") as scratch:
        scratch = pathlib.Path(scratch)
        shutil.copytree(ROOT / "assets", scratch / "assets")
        shutil.copytree(ROOT / "tests/fuzzing/seeds", scratch / "seeds")
        share = []
        if os.environ.get("BUNRAKU_CORPUS"):
            shutil.copytree(os.environ["BUNRAKU_CORPUS"], scratch / "corpus", copy_function=shutil.copyfile)
            subprocess.run(["chmod", "-R", "u+w", str(scratch / "corpus")], check=True)
            share = ["--share", str(scratch / "corpus/share")]
        originals = sorted(path for path in scratch.rglob("*") if path.is_file() and kind_of(path) and path.stat().st_size <= LARGEST)
        # A damaged copy of what is refused in any case would not come far.
        refused = set()
        check(program, [str(path) for path in originals], share, findings, refused)
        print(f"{len(originals)} real files, of which {len(refused)} are refused undamaged", flush=True)
        originals = [path for path in originals if str(path) not in refused]
        counts, batch, out = collections.Counter(), 100, scratch / "out"
        started = time.monotonic()
        for start in range(0, options.files, batch):
            files = []
            for number in range(start, min(start + batch, options.files)):
                original = dice.choice(originals)
                content = damaged(original.read_bytes(), dice.choice(originals).read_bytes(), dice)
                file = original.with_name(f"{number:05}-{original.name}")
                file.write_bytes(content)
                files.append(str(file))
            rejected = set()
            check(program, files, share, findings, rejected)
            counts["checked"] += len(files)
            counts["rejected"] += len(rejected)
            for file in files:
                if file not in rejected and kind_of(pathlib.Path(file)) in RUNNABLE and counts["runnable"] % options.run_one_in == 0:
                    counts["run"] += 1
                    counts["simulated"] += run(program, file, share, out, findings, options.run_limit)
                counts["runnable"] += file not in rejected and kind_of(pathlib.Path(file)) in RUNNABLE
            for file in files:
                os.remove(file)
            if start % 2000 == 0:
                print(f"{start} files, {time.monotonic() - started:.0f} s, {dict(findings.counts)}", flush=True)
        for number in range(options.scenes):
            file = scratch / f"{number:05}.scene.yaml"
            file.write_text(scene(dice))
            counts["scenes"] += 1
            rejected = set()
            check(program, [str(file)], [], findings, rejected)
            counts["scenes accepted"] += not rejected
            counts["scenes simulated"] += run(program, str(file), [], out, findings, options.run_limit)
            file.unlink()
        print(f"{time.monotonic() - started:.0f} s")
    counts["long, with a warning"] = findings.long
    for name, count in counts.items():
        print(f"| {name} | {count} |")
    for what in ["panic", "death", "hang", "memory", "error without a place", "control character"]:
        print(f"| {what} | {findings.counts[what] + findings.counts['run: ' + what]} |")
    return bool(findings.counts)


if __name__ == "__main__":
    sys.exit(main())
