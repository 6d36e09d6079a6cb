"""Says what PyYAML makes of motion files, to be compared with what Bunraku wrote.

    pip install pyyaml && python3 pyyaml_check.py FILE...

Prints a line of JSON for each file: the top keys, and for each component its keys and its frames, every number as the
hexadecimal digits of its 64 bits, so that nothing is rounded on the way.
"""

import json
import struct
import sys

import yaml


def bits(value):
    if isinstance(value, list):
        return [bits(item) for item in value]
    # A word that YAML 1.1 takes for something else than a number would show here.
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        sys.exit(f"not a number: {value!r}")
    return struct.pack(">d", float(value)).hex()


def keys(mapping, without):
    return {key: value for key, value in mapping.items() if key != without}


for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        motion = yaml.load(file, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    print(json.dumps({
        "top": keys(motion, "components"),
        "components": [
            {"keys": keys(component, "frames"), "frames": bits(component["frames"])}
            for component in motion["components"]
        ],
    }))
