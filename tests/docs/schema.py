#!/usr/bin/env python3
"""Validates deployments against the JSON Schema that `sinew schema` prints.

usage: schema.py SINEW ROOT

Valid: all deployments of the tree, the YAML of docs/deployment.md, the examples of docs/components.md. Invalid: the
cases below, which `sinew check` must reject as well.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

try:
    import jsonschema
    import yaml
except ImportError as error:
    print("skipped: %s; Debian: python3-jsonschema python3-yaml" % error)
    sys.exit(77)


class Loader(yaml.SafeLoader):
    """YAML 1.2 core scalars, as editors and Sinew read them; PyYAML reads 1.1, where 1e-3 is a text."""
    yaml_implicit_resolvers = {}


for tag, pattern, first in (("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"), ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
                            ("int", r"[-+]?[0-9]+", "-+0123456789"),
                            ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", "-+0123456789.")):
    Loader.add_implicit_resolver("tag:yaml.org,2002:" + tag, re.compile("^(?:%s)$" % pattern), list(first))
Loader.add_constructor("tag:yaml.org,2002:float", lambda loader, node: float(node.value))

WRONG = {
    "unknown key": "component: {}\n",
    "unknown type": "components: {a: {type: FollowJointStates}}\n",
    "no type": "components: {a: {properties: {}}}\n",
    "unknown property": "components: {a: {type: plant, properties: {seeds: 1}}}\n",
    "not a number": "components: {a: {type: plant, properties: {battery_voltage: high}}}\n",
    "beyond the range": "components: {a: {type: plant, properties: {dropout_rate: 1.5}}}\n",
    "not an integer": "components: {a: {type: plant, properties: {seed: 1.5}}}\n",
    "no such choice": "components: {a: {type: plant, properties: {dynamics: magic}}}\n",
    "too few items": "components: {a: {type: plant, properties: {gravity: [0, 0]}}}\n",
    "incomplete item": "components: {a: {type: driver_feetech, properties: {ports: [/dev/null], servos: [{id: 1}]}}}\n",
    "property of an included component": "include: [standard.yaml]\ncomponents: {plant: {type: plant, properties: {x: 1}}}\n",
    "unknown type beside the standard ones": "include: [standard.yaml]\ncomponents: {a: {type: plan}}\n",
    "invalid name": "components: {1a: {type: timer}}\n",
    "unknown key of a component": "components: {a: {type: timer, period: 1}}\n",
    "service with an activity": "components: {a: {type: timer, services: {s: {type: filter_exp, activity: main}}}}\n",
    "period too short": "activities: {a: {period: 1e-6}}\ncomponents: {t: {type: timer}}\n",
    "priority out of range": "activities: {a: {priority: 100}}\ncomponents: {t: {type: timer}}\n",
    "not a connection": "components: {t: {type: timer}}\nconnections: [t.sync]\n",
    "connection without an end": "components: {t: {type: timer}}\nconnections: [{from: t.sync}]\n",
    "capacity out of range": "capacity: {items: 0}\ncomponents: {t: {type: timer}}\n",
}


def blocks(path):
    with open(path, encoding="utf-8") as file:
        return re.findall(r"^```yaml\n(.*?)^```", file.read(), re.M | re.S)


def main():
    sinew, root = sys.argv[1:]
    schema = json.loads(subprocess.run([sinew, "schema"], text=True, stdout=subprocess.PIPE, check=True).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    good = {}
    for path in sorted(glob.glob(os.path.join(root, "deployments", "*.yaml"))):
        with open(path, encoding="utf-8") as file:
            good[path] = file.read()
    for name in ("deployment.md", "components.md"):
        head = "include: [standard.yaml]\n" if name == "components.md" else ""
        for i, block in enumerate(blocks(os.path.join(root, "docs", name))):
            good["%s, block %d" % (name, i + 1)] = head + block
    failed = 0
    for name, text in good.items():
        for error in validator.iter_errors(yaml.load(text, Loader)):
            print("%s: %s: %s" % (name, "/".join(map(str, error.absolute_path)), error.message[:300]))
            failed += 1
    with tempfile.TemporaryDirectory() as folder:
        for name, text in WRONG.items():
            path = os.path.join(folder, "d.yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            verdict = subprocess.run([sinew, "check", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if validator.is_valid(yaml.load(text, Loader)) or verdict.returncode != 1:
                print("%s: not rejected by %s" % (name, "the check" if verdict.returncode != 1 else "the schema"))
                failed += 1
    print("%d valid and %d invalid deployments, %d problems" % (len(good), len(WRONG), failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
