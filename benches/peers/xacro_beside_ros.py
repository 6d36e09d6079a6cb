"""Robots with macros as Bunraku and as ROS's `xacro` expand them: links, joints, masses, inertias and poses.

    python3 -m venv ~/xacro && ~/xacro/bin/pip install xacro
    cargo build && ~/xacro/bin/python benches/peers/xacro_beside_ros.py target/debug/bunraku FILE.xacro [NAME=VALUE ...]

The file that `xacro` writes is put beside the original for a moment, so that both find the same meshes. The exit code is
1 if anything differs: both are read by the same reader of URDF, so numbers must be the same to the last bit.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import xacro


def described(program, path, arguments=()):
    """What Bunraku prints of a model, without its name and its findings."""
    options = [part for argument in arguments for part in ("--xacro-arg", argument)]
    run = subprocess.run([program, "info", path, "--json", *options], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{path} is not read: {run.stderr}")
    document = json.loads(run.stdout)
    found = [(item["severity"], item["code"], item["message"]) for item in document.pop("diagnostics")]
    return document, sorted(found)


if __name__ == "__main__":
    program, path, *arguments = sys.argv[1:]
    path = pathlib.Path(path)
    text = xacro.process_file(str(path), mappings=dict(argument.split("=", 1) for argument in arguments)).toxml()
    with tempfile.NamedTemporaryFile("w", dir=path.parent, suffix=".urdf") as file:
        file.write(text)
        file.flush()
        theirs = described(program, file.name)
    ours = described(program, path, arguments)
    links = len(ours[0]["links"])
    if ours != theirs:
        keys = [key for key in ours[0] if ours[0][key] != theirs[0].get(key)]
        sys.exit(f"{path}: other {keys or 'findings'}")
    print(f"{path}: {links} links, {len(ours[1])} findings, all the same")
